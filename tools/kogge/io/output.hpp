// Writing results: complete or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "failure.hpp"
#include "io/array.hpp"
#include "io/input.hpp"
#include "progress.hpp"

namespace kogge::command {

/// Throws what errno says of a write; `room` is the advice where the place is full.
[[noreturn]] void throw_write_failure(const std::string& what, const std::string& room);

/// Of "-", /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N.
std::optional<int> descriptor_of(const std::string& path);
bool is_standard_output(const std::string& path);
/// Whether a result under this path is a file that appears when all of it is written, and can be changed until then.
bool is_file_to_be(const std::string& path);
/// Whether what is written to both would be lost or mixed.
bool are_one_place(const std::string& a, const std::string& b);

/// A file that appears under its name only when all of it is written. Until publish() it has no name, so that nothing
/// is left of it whatever ends the program; where the file system knows no such files, it is a temporary file beside
/// the result, removed by the destructor and by the signals that end a program. What is no regular file is written to
/// directly, as are open descriptors, which a shell makes of >(…).
class Output {
public:
    /// Several find it by its temporary name, and so it has one.
    enum class Writers { one_process, several_processes };
    explicit Output(const std::string& path, Writers writers = Writers::one_process);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void write(const void* from, std::uint64_t bytes);
    /// Whether what has been written can still be changed: not of what a reader may have seen.
    bool can_rewrite() const { return !target_.empty(); }
    /// Of Writers::several_processes: the name under which they write to it until it is published.
    const std::string& temporary_name() const { return temporary_; }
    /// Writes over the first bytes.
    void rewrite_head(const void* from, std::uint64_t bytes);
    /// Everything has reached the file system; nothing may be written any more.
    void finish();
    void publish();

private:
    bool is_nameless() const { return !target_.empty() && temporary_.empty(); }
    void create_temporary();
    /// A file without a name gets a temporary one. False: it can have none.
    bool name_temporary();
    void publish_copy();
    [[noreturn]] void fail(const char* doing) const;

    std::string name_;       ///< for messages
    std::string target_;     ///< empty: written to directly, or published
    std::string temporary_;  ///< empty: there is no temporary name
    int descriptor_ = -1;
};

/// Fails for binary output to a terminal; call before long work.
void check_output(const std::string& path, Format format);

/// Writes an array that comes in parts, without publishing it.
class ArrayWriter {
public:
    /// `items`: how many will come; absent where nobody knows yet. Then .npy needs an output that can be rewritten.
    ArrayWriter(Output& output, Type type, Format format, std::optional<std::uint64_t> items, const std::string& what);
    void write(const Array& part);
    /// After the last part.
    void end();

private:
    void write_text(const Array& part);

    Output& output_;
    Type type_;
    Format format_;
    std::optional<std::uint64_t> promised_;
    std::uint64_t items_ = 0;
    Progress progress_;
};

/// Writes the array, without publishing it.
void write_array(Output& output, const Array& array, Format format, const std::string& what);

/// Must be called once, before the first Output: broken pipes and file size limits become errors, and temporary files
/// go when a signal ends the program.
void install_signal_handlers();

/// Ends the program as a broken pipe ends one that does nothing about it. Returns where the caller ignores that signal.
void end_by_broken_pipe();

}  // namespace kogge::command
