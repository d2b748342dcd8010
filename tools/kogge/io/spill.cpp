#include "io/spill.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "failure.hpp"
#include "io/descriptor.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"

namespace kogge::command {
namespace {

constexpr const char* kAdvice = "make room, or name another directory with -T";

/// Open, and without a name, also where a file cannot be created without one.
int open_temporary(const std::string& directory) {
    const int descriptor = open_nameless(directory);
    if (descriptor >= 0 || errno == ENOTDIR || errno == EACCES) return descriptor;
    // ENOENT may also say that the kernel knows no such files; if not, it is said again.
    std::string name = directory + "/.kogge-XXXXXX";
    const int named = mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) unlink(name.c_str());
    return named;
}

}  // namespace

std::string temporary_directory(const std::string& told) {
    if (!told.empty()) return told;
    const char* const of_user = std::getenv("TMPDIR");
    return of_user && *of_user != '\0' ? of_user : "/tmp";
}

void require_room(const std::string& directory, std::uint64_t bytes, const std::string& what) {
    struct statvfs system {};
    if (statvfs(directory.c_str(), &system) != 0)
        throw system_failure("cannot use the directory '" + directory + "'", "name another one with -T");
    const std::uint64_t room = static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize;
    if (bytes > room)
        throw Failure(what + " needs " + readable_bytes(bytes) + " of temporary files, and '" + directory + "' has " +
                          readable_bytes(room) + " of room",
                      kAdvice);
}

Spill::Spill(std::string directory) : directory_(std::move(directory)), descriptor_(open_temporary(directory_)) {
    if (descriptor_ < 0)
        throw system_failure("cannot create a temporary file in '" + directory_ + "'",
                             "name another directory with -T");
}
Spill Spill::named(const std::string& path, std::uint64_t bytes) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    Spill file(path.substr(0, path.rfind('/')), descriptor);
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        throw system_failure("cannot use '" + path + "'", "name another directory");
    if (static_cast<std::uint64_t>(status.st_size) < bytes)
        throw Failure("'" + path + "' lacks a part of what it had", "remove it and sort.journal, and begin anew");
    if (!keep_first(descriptor, bytes)) throw system_failure("cannot use '" + path + "'", "name another directory");
    return file;
}
Spill::~Spill() {
    if (descriptor_ >= 0) close(descriptor_);
}
Spill::Spill(Spill&& other) noexcept
    : directory_(std::move(other.directory_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
Spill& Spill::operator=(Spill&& other) noexcept {
    std::swap(directory_, other.directory_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

void Spill::fail(const char* doing) const {
    throw_write_failure(std::string("cannot ") + doing + " a temporary file in '" + directory_ + "'", kAdvice);
}

void Spill::append(const void* from, std::uint64_t bytes) {
    if (!write_all(descriptor_, from, bytes)) fail("write to");
}

void Spill::sync() const {
    if (fdatasync(descriptor_) != 0) fail("write to");
}

void Spill::read(std::uint64_t place, void* to, std::uint64_t bytes) const {
    if (!read_all_at(descriptor_, place, to, bytes)) fail("read");
}

void Spill::prefetch(std::uint64_t place, std::uint64_t bytes) const {
    posix_fadvise(descriptor_, static_cast<off_t>(place), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
}

}  // namespace kogge::command
