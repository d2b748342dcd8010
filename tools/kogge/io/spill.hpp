// Temporary files that have no name, so that nothing is left of them whatever ends the program.
#pragma once

#include <cstdint>
#include <string>

namespace kogge::command {

/// The directory that is to hold temporary files: as told, or TMPDIR, or /tmp.
std::string temporary_directory(const std::string& told);

/// Throws unless `bytes` are free in the directory; `what` names who needs them.
void require_room(const std::string& directory, std::uint64_t bytes, const std::string& what);

/// A file that is written from its beginning to its end, and read anywhere.
class Spill {
public:
    explicit Spill(std::string directory);
    ~Spill();
    Spill(Spill&& other) noexcept;
    Spill& operator=(Spill&& other) noexcept;

    void append(const void* from, std::uint64_t bytes);
    /// All of these bytes, which have been written.
    void read(std::uint64_t place, void* to, std::uint64_t bytes) const;
    /// These bytes will be read soon.
    void prefetch(std::uint64_t place, std::uint64_t bytes) const;

private:
    [[noreturn]] void fail(const char* doing) const;

    std::string directory_;
    int descriptor_ = -1;
};

}  // namespace kogge::command
