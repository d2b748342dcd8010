#include "io/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "failure.hpp"
#include "io/descriptor.hpp"
#include "io/npy.hpp"
#include "io/numbers.hpp"
#include "progress.hpp"

namespace kogge::command {
namespace {

constexpr std::uint64_t kChunk = 4 << 20;
constexpr int kDeadly[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int kMostLinks = 40;  // as many as Linux follows

bool caller_ignores_pipes = false;

// What a signal handler removes: it may read nothing but plain memory. A command has at most two outputs.
constexpr int kOutputs = 2;
char temporaries[kOutputs][PATH_MAX];

void remember(const std::string& path) {
    for (char* slot : {temporaries[0], temporaries[1]}) {
        if (*slot != '\0' || path.size() >= PATH_MAX) continue;
        std::memcpy(slot + 1, path.c_str() + 1, path.size());
        *slot = path.front();  // last, so that the handler never sees half a path
        return;
    }
}

// A deadly signal may reach any thread of the process, also while this one has created a file and not yet remembered
// it. Then it waits until the file is remembered.
constexpr int kNothingUnremembered = 0, kNoSignalWaits = -1;
std::atomic<int> waiting_signal{kNothingUnremembered};  // otherwise kNoSignalWaits, or the signal that waits
static_assert(std::atomic<int>::is_always_lock_free);   // a handler may take no lock

class SignalsWait {
public:
    SignalsWait() { waiting_signal = kNoSignalWaits; }
    ~SignalsWait() {
        const int signal = waiting_signal.exchange(kNothingUnremembered);
        if (signal != kNoSignalWaits) std::raise(signal);
    }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;
};

void forget(const std::string& path) {
    for (char* slot : {temporaries[0], temporaries[1]})
        if (path == slot) *slot = '\0';
}

extern "C" void remove_and_die(int signal) {
    for (int waiting = waiting_signal; waiting != kNothingUnremembered;)
        if (waiting_signal.compare_exchange_weak(waiting, signal)) return;
    for (const char* path : {temporaries[0], temporaries[1]})
        if (*path != '\0') unlink(path);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// Where a file stands, or would: links are followed, the last one also to what does not exist yet.
std::string resolved(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
    if (real) return real.get();
    std::filesystem::path place = path;
    std::error_code unknown;
    for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(place, unknown); ++links)
        place = place.parent_path() / std::filesystem::read_symlink(place, unknown);
    return place;
}

/// "" where the path has none, or one that ends with a slash.
std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

constexpr const char* kTemporary = ".kogge-";

mode_t default_mode() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/// What an open file can be reached by, whether it has a name or not.
std::string link_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// Open, and without a name for now; negative where there are no such files, or nothing that could name one later.
int open_to_be_named(const std::string& folder) {
    const int descriptor = open_nameless(folder.empty() ? "." : folder);
    if (descriptor < 0 || access(link_of(descriptor).c_str(), F_OK) == 0) return descriptor;
    close(descriptor);
    return -1;
}

/// Fails where the name is taken.
bool name_file(int descriptor, const std::string& path) {
    return linkat(AT_FDCWD, link_of(descriptor).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

std::optional<int> descriptor_of(const std::string& path) {
    if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
        if (path.compare(0, folder.size(), folder) == 0)
            if (const auto number = parse_number<std::uint16_t>(std::string_view(path).substr(folder.size())))
                return *number;
    return std::nullopt;
}

void throw_write_failure(const std::string& what, const std::string& room) {
    if (errno == ENOSPC || errno == EDQUOT) throw system_failure(what, room);
    if (errno == EFBIG) throw system_failure(what, "a limit on file sizes stands in the way (ulimit -f)");
    throw system_failure(what);
}

bool is_file_to_be(const std::string& path) {
    std::error_code unknown;
    const auto status = std::filesystem::status(path, unknown);
    return !descriptor_of(path) && (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status));
}

bool is_standard_output(const std::string& path) { return descriptor_of(path) == STDOUT_FILENO; }

void end_by_broken_pipe() {
    if (caller_ignores_pipes) return;
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
}

bool are_one_place(const std::string& a, const std::string& b) {
    if (descriptor_of(a) || descriptor_of(b)) return descriptor_of(a) == descriptor_of(b);
    std::error_code unknown;
    const auto place = std::filesystem::weakly_canonical(resolved(a), unknown);
    const bool is_device = std::filesystem::exists(place, unknown) && !std::filesystem::is_regular_file(place, unknown);
    return place == std::filesystem::weakly_canonical(resolved(b), unknown) && !is_device;
}

void install_signal_handlers() {
    caller_ignores_pipes = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
    std::signal(SIGXFSZ, SIG_IGN);
    // What the caller has switched off stays so: nohup, or a job in the background.
    for (const int signal : kDeadly)
        if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
}

Output::Output(const std::string& path, Writers writers)
    : name_(is_standard_output(path) ? "standard output" : "'" + path + "'") {
    if (const std::optional<int> open_already = descriptor_of(path)) {
        descriptor_ = *open_already == STDOUT_FILENO ? STDOUT_FILENO : fcntl(*open_already, F_DUPFD_CLOEXEC, 3);
        if (descriptor_ < 0) fail("open");
        return;
    }
    struct stat status {};
    const bool exists = stat(path.c_str(), &status) == 0;
    if (!exists && errno == ELOOP) fail("open");
    // By the name as it is: what is behind some links has none.
    if (exists && !S_ISREG(status.st_mode)) {
        descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (descriptor_ < 0) fail("open");
        return;
    }
    target_ = resolved(path);
    if (exists && access(target_.c_str(), W_OK) != 0) fail("write to");
    if (writers == Writers::one_process) descriptor_ = open_to_be_named(folder_of(target_));
    // What is wrong with the folder, this says as well.
    if (descriptor_ < 0) create_temporary();
    // Only root gives files to others; the group may be one of the caller's. Before the mode, of which this takes bits.
    if (exists && fchown(descriptor_, status.st_uid, status.st_gid) != 0 &&
        fchown(descriptor_, static_cast<uid_t>(-1), status.st_gid) != 0)
        errno = 0;
    // Where modes mean nothing (FAT), this fails and does not matter.
    if (fchmod(descriptor_, exists ? status.st_mode & 07777 : default_mode()) != 0) errno = 0;
}

void Output::create_temporary() {
    const SignalsWait until_remembered;
    temporary_ = folder_of(target_) + kTemporary + "XXXXXX";
    descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor_ < 0) {
        temporary_.clear();
        fail("create");
    }
    remember(temporary_);
}

bool Output::name_temporary() {
    const SignalsWait until_remembered;
    const std::string prefix = folder_of(target_) + kTemporary + std::to_string(getpid()) + "-";
    std::string path;
    for (std::uint64_t number = 0; !name_file(descriptor_, path = prefix + std::to_string(number)); ++number)
        if (errno != EEXIST) return false;
    temporary_ = std::move(path);
    remember(temporary_);
    return true;
}

Output::~Output() {
    if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) close(descriptor_);
    if (temporary_.empty()) return;
    unlink(temporary_.c_str());
    forget(temporary_);
}

void Output::fail(const char* doing) const {
    const int code = errno;
    const std::string what = std::string("cannot ") + doing + " " + name_;
    if (code == EPIPE) throw ReaderGone(what + ": its reader has gone before everything was written");
    errno = code;
    throw_write_failure(what, "make room, or write to another place with -o");
}

void Output::write(const void* from, std::uint64_t bytes) {
    if (!write_all(descriptor_, from, bytes)) fail("write to");
}

void Output::rewrite_head(const void* from, std::uint64_t bytes) {
    if (!write_all_at(descriptor_, 0, from, bytes)) fail("write to");
}

void Output::finish() {
    if (descriptor_ == STDOUT_FILENO) return;
    // Some file systems say only when a descriptor is closed what they could not write; a file without a name is closed
    // when it has one.
    const int closed = is_nameless() ? fcntl(descriptor_, F_DUPFD_CLOEXEC, 3) : std::exchange(descriptor_, -1);
    if (closed < 0 || close(closed) != 0) fail("write to");
}

void Output::publish() {
    if (target_.empty()) return;
    if (!is_nameless() || !name_file(descriptor_, target_)) {
        // Only a name can replace another one.
        if (is_nameless() && !name_temporary()) return publish_copy();
        if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("create");
        forget(temporary_);
        temporary_.clear();
    }
    target_.clear();
}

// Sandboxes, and systems such as Android, may forbid all links.
void Output::publish_copy() {
    Output copy(target_, Writers::several_processes);
    copy.name_ = name_;
    const off_t bytes = lseek(descriptor_, 0, SEEK_END);
    if (bytes < 0) fail("create");
    if (!copy_all(copy.descriptor_, descriptor_, static_cast<std::uint64_t>(bytes))) fail("write to");
    copy.finish();
    copy.publish();
    target_.clear();
}

void check_output(const std::string& path, Format format) {
    if (is_standard_output(path) && format != Format::text && isatty(STDOUT_FILENO))
        throw usage_failure("standard output is a terminal, and the result is binary", "say -o FILE, or --format text");
}

ArrayWriter::ArrayWriter(Output& output, Type type, Format format, std::optional<std::uint64_t> items,
                         const std::string& what)
    : output_(output),
      type_(type),
      format_(format),
      promised_(items),
      progress_("writing " + what, items ? std::optional(*items * info_of(type).bytes) : std::nullopt) {
    if (format != Format::npy) return;
    const std::string header = make_npy_header({type, items.value_or(0)});
    output.write(header.data(), header.size());
}

void ArrayWriter::write(const Array& part) {
    items_ += part.size();
    if (format_ == Format::text) return write_text(part);
    for (std::uint64_t done = 0; done < part.byte_count(); done += kChunk) {
        const std::uint64_t bytes = std::min(kChunk, part.byte_count() - done);
        output_.write(part.data() + done, bytes);
        progress_.advance(bytes);
    }
}

void ArrayWriter::write_text(const Array& part) {
    visit(part.type(), [&]<class T>() {
        constexpr std::size_t kRoom = 1 << 16;
        std::vector<char> text(kRoom + kMostDigits + 1);
        char* end = text.data();
        const auto flush = [&](std::uint64_t next) {
            output_.write(text.data(), static_cast<std::uint64_t>(end - text.data()));
            end = text.data();
            return next;
        };
        std::uint64_t written = 0;
        for (std::uint64_t i = 0; i < part.size(); ++i) {
            end = format_number(end, part.as<T>()[i]);
            *end++ = '\n';
            if (end - text.data() < static_cast<std::ptrdiff_t>(kRoom)) continue;
            progress_.advance((i + 1 - written) * sizeof(T));
            written = flush(i + 1);
        }
        progress_.advance((part.size() - written) * sizeof(T));
        flush(part.size());
    });
}

void ArrayWriter::end() {
    if (promised_ || format_ != Format::npy) return;
    // As long as the first one: the number's digits take the place of padding.
    const std::string header = make_npy_header({type_, items_});
    output_.rewrite_head(header.data(), header.size());
}

void write_array(Output& output, const Array& array, Format format, const std::string& what) {
    ArrayWriter writer(output, array.type(), format, array.size(), what);
    writer.write(array);
    writer.end();
}

}  // namespace kogge::command
