#include "io/descriptor.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kogge::command {
namespace {

constexpr std::uint64_t kChunk = 4 << 20;

/// Calls part(done, bytes), which returns how many it did, until all are done.
template <class Part>
bool all_of(std::uint64_t bytes, const Part& part) {
    for (std::uint64_t done = 0; done < bytes;) {
        const ssize_t did = part(done, std::min(kChunk, bytes - done));
        if (did < 0 && errno == EINTR) continue;
        if (did == 0) errno = EIO;
        if (did <= 0) return false;
        done += static_cast<std::uint64_t>(did);
    }
    return true;
}

}  // namespace

bool write_all(int descriptor, const void* from, std::uint64_t bytes) {
    return all_of(bytes, [&](std::uint64_t done, std::uint64_t part) {
        return write(descriptor, static_cast<const char*>(from) + done, part);
    });
}

bool write_all_at(int descriptor, std::uint64_t place, const void* from, std::uint64_t bytes) {
    return all_of(bytes, [&](std::uint64_t done, std::uint64_t part) {
        return pwrite(descriptor, static_cast<const char*>(from) + done, part, static_cast<off_t>(place + done));
    });
}

bool read_all_at(int descriptor, std::uint64_t place, void* to, std::uint64_t bytes) {
    return all_of(bytes, [&](std::uint64_t done, std::uint64_t part) {
        return pread(descriptor, static_cast<char*>(to) + done, part, static_cast<off_t>(place + done));
    });
}

bool keep_first(int descriptor, std::uint64_t bytes) {
    const auto end = static_cast<off_t>(bytes);
    return ftruncate(descriptor, end) == 0 && lseek(descriptor, end, SEEK_SET) >= 0;
}

bool copy_all(int to, int from, std::uint64_t bytes) {
    return all_of(bytes, [&](std::uint64_t done, std::uint64_t part) {
        auto place = static_cast<off_t>(done);
        return sendfile(to, from, &place, part);
    });
}

void open_standard_streams() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            // The first one that is free is this one. It is opened the wrong way: its use fails, as it would closed.
            static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int open_nameless(const std::string& directory) {
    return open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

}  // namespace kogge::command
