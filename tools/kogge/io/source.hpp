// Where input comes from: the bytes of a file or of standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/array.hpp"
#include "progress.hpp"

namespace kogge::command {

/// How many bytes of an input are looked at before it is read, if there are as many.
inline constexpr std::size_t kSniffed = 4096;

/// A file or standard input, whose first bytes can be looked at before they are read.
class Source {
public:
    explicit Source(const std::string& path);
    ~Source();
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    const std::string& name() const { return name_; }
    std::string_view head() const { return head_; }
    /// Of regular files that have the size they are said to have, and of what is kept in memory.
    std::optional<std::uint64_t> size() const { return size_; }
    /// Shows progress from here on, until end() or the end of the source.
    void begin(std::optional<std::uint64_t> total) { progress_.emplace("reading " + name_, total); }
    void end() { progress_.reset(); }

    /// Fewer bytes than wanted only at the end.
    std::uint64_t read(void* to, std::uint64_t wanted);
    /// Leaves out the next bytes of a regular file.
    void skip(std::uint64_t bytes);

    /// Makes sure that rewind() will work, before anything is read: what is no regular file is read to its end and kept
    /// in memory, and where there is not enough of it, `advice` says how to do without.
    void allow_rewind(const std::string& advice, std::uint64_t most);
    /// Goes back to where the source began.
    void rewind();

private:
    std::uint64_t fill(char* to, std::uint64_t wanted);

    std::string name_;
    int descriptor_;
    std::optional<std::uint64_t> size_;
    std::int64_t start_ = 0;  ///< where a regular file was when it was opened
    std::string head_;
    std::uint64_t taken_ = 0;    ///< bytes read of the head, or of what is kept
    std::optional<Bytes> kept_;  ///< all of it
    std::optional<Progress> progress_;
};

/// All bytes to the end, checking memory as they turn out to be more, and that they are no more than `most`, or a few
/// megabytes; `advice` is the hint of the failure, or empty.
Bytes read_all(Source& source, const std::string& advice = {}, std::uint64_t most = ~std::uint64_t{0});

}  // namespace kogge::command
