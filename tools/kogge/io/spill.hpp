// Temporary files. They have no name, so that nothing is left of them whatever ends the program, unless they are to be
// found again.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace kogge::command {

/// The directory that is to hold temporary files: as told, or TMPDIR, or /tmp.
std::string temporary_directory(const std::string& told);

/// Throws unless `bytes` are free in the directory; `what` names who needs them.
void require_room(const std::string& directory, std::uint64_t bytes, const std::string& what);

/// A file that is written from its beginning to its end, and read anywhere.
class Spill {
public:
    explicit Spill(std::string directory);
    /// The file of this name, new or of an earlier program: its first `bytes`, behind which it is written.
    static Spill named(const std::string& path, std::uint64_t bytes);
    ~Spill();
    Spill(Spill&& other) noexcept;
    Spill& operator=(Spill&& other) noexcept;

    void append(const void* from, std::uint64_t bytes);
    /// All of these bytes, which have been written.
    void read(std::uint64_t place, void* to, std::uint64_t bytes) const;
    /// What has been written is on the disk, whatever happens to the machine.
    void sync() const;
    /// These bytes will be read soon.
    void prefetch(std::uint64_t place, std::uint64_t bytes) const;

private:
    Spill(std::string directory, int descriptor) : directory_(std::move(directory)), descriptor_(descriptor) {}
    [[noreturn]] void fail(const char* doing) const;

    std::string directory_;
    int descriptor_ = -1;
};

}  // namespace kogge::command
