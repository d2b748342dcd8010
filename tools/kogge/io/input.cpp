#include "io/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "failure.hpp"
#include "io/memory.hpp"
#include "io/npy.hpp"
#include "io/numbers.hpp"
#include "io/text.hpp"
#include "progress.hpp"

namespace kogge::command {
namespace {

constexpr std::size_t kSniffed = 4096;
constexpr std::uint64_t kChunk = 4 << 20;

/// A file or standard input, whose first bytes can be looked at before they are read.
class Source {
public:
    explicit Source(const std::string& path) : name_(path == "-" ? "standard input" : "'" + path + "'") {
        if (path == "-") {
            if (isatty(STDIN_FILENO)) throw usage_failure("no input", "name a file, or pipe numbers into the command");
        } else {
            descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
            if (descriptor_ < 0) throw system_failure("cannot open " + name_);
        }
        struct stat status {};
        if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
            const off_t place = path == "-" ? lseek(descriptor_, 0, SEEK_CUR) : 0;
            size_ = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - std::max<off_t>(place, 0)));
        }
        head_.resize(kSniffed);
        head_.resize(fill(head_.data(), kSniffed));
    }
    ~Source() {
        if (descriptor_ != STDIN_FILENO) close(descriptor_);
    }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    const std::string& name() const { return name_; }
    std::string_view head() const { return head_; }
    /// Of regular files.
    std::optional<std::uint64_t> size() const { return size_; }
    void begin(std::optional<std::uint64_t> total) { progress_.emplace("reading " + name_, total); }

    /// Fewer bytes than wanted only at the end.
    std::uint64_t read(void* to, std::uint64_t wanted) {
        const std::uint64_t known = std::min<std::uint64_t>(wanted, head_.size() - taken_);
        if (known > 0) std::memcpy(to, head_.data() + taken_, known);
        taken_ += known;
        return known + fill(static_cast<char*>(to) + known, wanted - known);
    }

private:
    std::uint64_t fill(char* to, std::uint64_t wanted) {
        std::uint64_t got = 0;
        while (got < wanted) {
            const ssize_t part = ::read(descriptor_, to + got, std::min(kChunk, wanted - got));
            if (part < 0 && errno == EINTR) continue;
            if (part < 0) throw system_failure("cannot read " + name_);
            if (part == 0) break;
            got += static_cast<std::uint64_t>(part);
            if (progress_) progress_->advance(static_cast<std::uint64_t>(part));
        }
        return got;
    }

    std::string name_;
    int descriptor_ = STDIN_FILENO;
    std::optional<std::uint64_t> size_;
    std::string head_;
    std::size_t taken_ = 0;
    std::optional<Progress> progress_;
};

/// All bytes to the end, checking memory as they turn out to be more.
Bytes read_all(Source& source) {
    if (source.size()) require_memory(*source.size(), "reading " + source.name());
    source.begin(source.size());
    // One byte more than a file should have, to see its end at once.
    Bytes bytes(source.size() ? *source.size() + 1 : kChunk);
    std::uint64_t used = 0;
    while (true) {
        used += source.read(bytes.data() + used, bytes.size() - used);
        if (used < bytes.size()) break;
        require_memory(bytes.size(), "reading " + source.name());
        bytes.resize(bytes.size() * 2);
    }
    bytes.resize(used);
    return bytes;
}

void require_call_memory(const InputOptions& options, const Source& source, std::uint64_t n, std::size_t item_bytes) {
    require_memory(options.memory(n, item_bytes), "a call on the " + with_separators(n) + " items of " + source.name());
}

/// Of each item.
void reverse_bytes(Array& array) {
    const std::size_t size = array.item_bytes();
    for (std::byte* item = array.data(); item != array.data() + array.byte_count(); item += size)
        std::reverse(item, item + size);
}

Array read_npy(Source& source, const InputOptions& options) {
    std::string header(npy_header_length(source.head().substr(0, kNpyPrefix), source.name()), '\0');
    if (source.read(header.data(), header.size()) < header.size())
        throw Failure(source.name() + " is truncated: it ends within the .npy header");
    const NpyHeader about = parse_npy_header(header, source.name());
    if (options.type && *options.type != about.type)
        throw Failure(source.name() + " holds " + name_of(about.type) + ", not " + name_of(*options.type),
                      "leave --type out: a .npy file says itself what it holds");
    const std::uint64_t bytes = about.items * info_of(about.type).bytes;
    const auto truncated = [&](std::uint64_t there) {
        return Failure(source.name() + " is truncated: its header promises " + with_separators(bytes) +
                       " bytes of items, and " + with_separators(there) + " are there");
    };
    if (source.size() && *source.size() < header.size() + bytes) throw truncated(*source.size() - header.size());
    require_call_memory(options, source, about.items, info_of(about.type).bytes);
    source.begin(bytes);
    Array array(about.type, about.items);
    const std::uint64_t got = source.read(array.data(), bytes);
    if (got < bytes) throw truncated(got);
    if (about.big_endian) reverse_bytes(array);
    char more;
    if (source.read(&more, 1) != 0)
        throw Failure(source.name() + " goes on after the " + with_separators(about.items) +
                      " items that its header promises");
    return array;
}

Array read_raw(Source& source, const InputOptions& options) {
    if (!options.type)
        throw usage_failure("raw binary input " + source.name() + " needs a type",
                            "say --type (for values --with-type), one of " + all_type_names());
    const std::size_t item = info_of(*options.type).bytes;
    if (source.size()) require_call_memory(options, source, *source.size() / item, item);
    Bytes bytes = read_all(source);
    if (bytes.size() % item != 0)
        throw Failure(source.name() + " is truncated, or not of type " + name_of(*options.type) + ": " +
                      with_separators(bytes.size()) + " bytes are no whole number of items of " + std::to_string(item) +
                      " bytes");
    require_call_memory(options, source, bytes.size() / item, 0);
    return {*options.type, std::move(bytes)};
}

Array read_text(Source& source, const InputOptions& options) {
    const Bytes bytes = read_all(source);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Array array = parse_text(text, {options.type, options.header}, source.name());
    require_call_memory(options, source, array.size(), 0);
    return array;
}

Format recognise(const Source& source, const InputOptions& options) {
    if (options.format) return *options.format;
    if (const auto format = format_of_path(options.path)) return *format;
    const std::string_view head = source.head();
    if (head.substr(0, kNpyMagic.size()) == kNpyMagic) return Format::npy;
    const bool printable = std::all_of(head.begin(), head.end(),
                                       [](char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); });
    if (printable) return Format::text;
    if (options.type) return Format::raw;
    throw usage_failure(source.name() + " is neither a .npy file nor text",
                        "for raw binary say what it holds: --type u32 (for values --with-type)");
}

}  // namespace

std::optional<Format> format_named(std::string_view name) {
    if (name == "npy") return Format::npy;
    if (name == "raw") return Format::raw;
    if (name == "text") return Format::text;
    return std::nullopt;
}

std::optional<Format> format_of_path(const std::string& path) {
    const auto ends = [&](std::string_view end) {
        return path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
    };
    if (ends(".npy")) return Format::npy;
    if (ends(".bin") || ends(".raw")) return Format::raw;
    for (const char* end : {".txt", ".text", ".csv", ".tsv"})
        if (ends(end)) return Format::text;
    return std::nullopt;
}

Input read_input(const InputOptions& options) {
    Source source(options.path);
    const Format format = recognise(source, options);
    if (options.header && format != Format::text)
        throw usage_failure("--header is for text, which " + source.name() + " is not");
    switch (format) {
        case Format::npy:
            return {read_npy(source, options), format};
        case Format::raw:
            return {read_raw(source, options), format};
        case Format::text:
            return {read_text(source, options), format};
    }
    std::abort();
}

}  // namespace kogge::command
