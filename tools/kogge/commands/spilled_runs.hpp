// Sorted runs of keys, and of values if they have some, in temporary files; and how runs become one.
//
// Runs are merged block by block, and a block is sorted where the machine sorts fastest: what lies below a common bound
// in the runs' next parts is gathered, in the order of the runs, and sorted stably. So a merge is as fast as a sort, on
// all threads or a GPU, however many runs there are; a tree that picks key after key has one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/array.hpp"
#include "io/spill.hpp"
#include "kogge/keys.hpp"
#include "machine.hpp"

namespace kogge::command {

class SpilledRuns {
public:
    struct Run {
        std::uint64_t begin, count;  ///< in the files, in items
    };

    SpilledRuns(const std::string& directory, Type key, std::optional<Type> value);
    /// Those that files hold already.
    SpilledRuns(Spill keys, std::optional<Spill> values, Type key, std::optional<Type> value, std::vector<Run> runs);

    /// What is added from here on belongs to a new run, behind the others.
    void begin_run() { runs_.push_back({written_, 0}); }
    void add(const Array& keys, const Array* values);

    const std::vector<Run>& runs() const { return runs_; }
    Type key_type() const { return key_; }
    std::optional<Type> value_type() const { return value_; }
    /// Of a key with its value.
    std::size_t item_bytes() const;

    void read(std::uint64_t place, std::uint64_t n, std::byte* keys, std::byte* values) const;
    void prefetch(std::uint64_t place, std::uint64_t n) const;
    /// All runs are on the disk.
    void sync() const;

private:
    Type key_;
    std::optional<Type> value_;
    Spill keys_;
    std::optional<Spill> values_;
    std::vector<Run> runs_;
    std::uint64_t written_ = 0;
};

/// Takes a block: keys that come before those of the next one, or are equal and stood before them; null: no values.
using TakeBlock = std::function<void(Array& keys, Array* values)>;

/// How runs are merged: as whom they compare, where, and in how much memory.
struct MergeSettings {
    sort_options order;
    std::uint64_t items;  ///< of all parts that are read at a time; as many are in a block
};
inline constexpr std::uint64_t kLeastMergeItems = 64;

/// The most runs that are merged at once: of each a part is read that makes the reading worth it.
std::uint64_t most_runs_at_once(const MergeSettings& settings, std::size_t item_bytes);

/// Merges runs `first` … `last` − 1, no more than that.
void merge_spilled(const SpilledRuns& from, std::uint64_t first, std::uint64_t last, const MergeSettings& settings,
                   MachineRuns& machine, const TakeBlock& take);

/// Merges neighbouring runs into longer ones until the rest can be merged at once.
void merge_to_few(SpilledRuns& runs, const std::string& directory, const MergeSettings& settings, MachineRuns& machine);

}  // namespace kogge::command
