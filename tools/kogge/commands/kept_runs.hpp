// The sorted runs of an external sort in files with names, so that a sort that was interrupted goes on behind the last
// complete run: `sort.keys` and `sort.values` hold the runs, and `sort.journal` says in its first line of which sort
// they are, and in one line each how many items they have. A line is written when its run is on the disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/spilled_runs.hpp"
#include "io/array.hpp"

namespace kogge::command {

class KeptRuns {
public:
    /// Of the sort that `sort` describes in one line. Throws if the directory, which must exist, has runs of another
    /// one, or other files of these names, or is in use.
    KeptRuns(std::string directory, const std::string& sort, Type key, std::optional<Type> value);
    ~KeptRuns();
    KeptRuns(const KeptRuns&) = delete;
    KeptRuns& operator=(const KeptRuns&) = delete;

    /// Whether the path is one of those that runs have in the directory.
    static bool has_place(const std::string& directory, const std::string& path);

    /// The items of all complete runs.
    std::uint64_t items() const;
    /// These runs, to which more are added.
    SpilledRuns take_runs();
    /// The last run of these is complete.
    void note_run(SpilledRuns& runs);
    /// The sort is done.
    void remove();

private:
    std::string path(const char* name) const { return directory_ + "/" + name; }
    void refuse_files_of_others() const;
    void read_journal(const std::string& sort);
    [[noreturn]] void fail(const char* doing) const;

    std::string directory_;
    Type key_;
    std::optional<Type> value_;
    int journal_ = -1;
    std::vector<SpilledRuns::Run> runs_;
};

/// What tells a file from what it was and from others: its place on the disk, its size, and when it was changed.
/// Throws if it is no regular file, which alone can be read again from the beginning.
std::string identity_of_file(const std::string& path);

}  // namespace kogge::command
