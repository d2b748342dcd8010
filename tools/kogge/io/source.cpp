#include "io/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "failure.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"

namespace kogge::command {
namespace {

constexpr std::uint64_t kChunk = 1 << 20;  // files of /proc/sys refuse reads of 4 MiB

}  // namespace

Source::Source(const std::string& path)
    : name_(path == "-" ? "standard input" : "'" + path + "'"), descriptor_(STDIN_FILENO) {
    if (path == "-") {
        if (isatty(STDIN_FILENO)) throw usage_failure("no input", "name a file, or pipe numbers into the command");
    } else {
        descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor_ < 0) throw system_failure("cannot open " + name_);
    }
    struct stat status {};
    if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
        const off_t place = path == "-" ? lseek(descriptor_, 0, SEEK_CUR) : 0;
        start_ = std::max<off_t>(place, 0);
        size_ = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size - start_));
    }
    head_.resize(kSniffed);
    head_.resize(fill(head_.data(), kSniffed));
    // Files of /proc are said to be empty, and those of /sys to be a page.
    if (size_ && head_.size() < kSniffed) size_ = head_.size();
    else if (size_ && *size_ < kSniffed) size_.reset();
}

Source::~Source() {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

std::uint64_t Source::read(void* to, std::uint64_t wanted) {
    const char* const begun = kept_ ? reinterpret_cast<const char*>(kept_->data()) : head_.data();
    const std::uint64_t known = std::min<std::uint64_t>(wanted, (kept_ ? kept_->size() : head_.size()) - taken_);
    if (known > 0) std::memcpy(to, begun + taken_, known);
    taken_ += known;
    if (!kept_) return known + fill(static_cast<char*>(to) + known, wanted - known);
    if (progress_) progress_->advance(known);
    return known;
}

std::uint64_t Source::fill(char* to, std::uint64_t wanted) {
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

void Source::skip(std::uint64_t bytes) {
    const std::uint64_t known = std::min<std::uint64_t>(bytes, head_.size() - taken_);
    taken_ += known;
    if (bytes > known && lseek(descriptor_, static_cast<off_t>(bytes - known), SEEK_CUR) < 0)
        throw system_failure("cannot read a part of " + name_);
}

void Source::allow_rewind(const std::string& advice, std::uint64_t most) {
    if (size_) return;
    kept_ = read_all(*this, advice, most);
    size_ = kept_->size();
    rewind();
}

void Source::rewind() {
    taken_ = 0;
    end();
    if (kept_) return;
    if (lseek(descriptor_, start_ + static_cast<off_t>(head_.size()), SEEK_SET) < 0)
        throw system_failure("cannot read " + name_ + " once more");
}

Bytes read_all(Source& source, const std::string& advice, std::uint64_t most) {
    const std::string what = "reading " + source.name();
    if (source.size()) require_memory(*source.size(), what, advice);
    source.begin(source.size());
    // One byte more than a file should have, to see its end at once.
    Bytes bytes(source.size() ? *source.size() + 1 : kChunk);
    std::uint64_t used = 0;
    while (true) {
        used += source.read(bytes.data() + used, bytes.size() - used);
        if (used > std::max(most, kChunk))
            throw Failure(what + " takes more than the " + readable_bytes(most) + " of memory that it may", advice);
        if (used < bytes.size()) break;
        require_memory(bytes.size(), what, advice);
        bytes.resize(bytes.size() * 2);
    }
    bytes.resize(used);
    return bytes;
}

}  // namespace kogge::command
