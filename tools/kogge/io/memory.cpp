#include "io/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "failure.hpp"
#include "io/numbers.hpp"

namespace kogge::command {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t machine_memory() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("MemAvailable:", 0) == 0) return std::stoull(line.substr(13)) * 1024;
    return kUnlimited;
}

/// The limit of a container; absent, or the word "max", where there is none.
std::uint64_t group_limit() {
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::uint64_t limit = 0;
        if (std::ifstream(path) >> limit) return limit;
    }
    return kUnlimited;
}

std::uint64_t address_space_left() {
    rlimit limit{};
    std::uint64_t pages = 0;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
    std::ifstream("/proc/self/statm") >> pages;
    const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::uint64_t available_memory() { return std::min({machine_memory(), group_limit(), address_space_left()}); }

void require_memory(std::uint64_t bytes, const std::string& what, const std::string& advice) {
    const std::uint64_t available = available_memory();
    if (bytes <= available) return;
    throw Failure(
        what + " needs " + readable_bytes(bytes) + " of memory, and " + readable_bytes(available) + " are available",
        advice.empty() ? "work on parts that fit (split -b or split -l), or on a machine with more memory" : advice);
}

}  // namespace kogge::command
