// What the system lets this process use of the machine's processors.
#include "kogge/host/machine/processors.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>

#include <cerrno>
#endif

namespace kogge::host {
namespace {

#if defined(__linux__)
unsigned processors_of_mask() {
    for (std::size_t words = 16; words <= 1u << 16; words *= 2) {
        std::vector<std::uint64_t> mask(words);
        const std::size_t bytes = words * sizeof(std::uint64_t);
        if (sched_getaffinity(0, bytes, reinterpret_cast<cpu_set_t*>(mask.data())) == 0)
            return static_cast<unsigned>(CPU_COUNT_S(bytes, reinterpret_cast<cpu_set_t*>(mask.data())));
        if (errno != EINVAL) break;  // EINVAL: the machine has more processors than that
    }
    return std::thread::hardware_concurrency();
}
#else
unsigned processors_of_mask() { return std::thread::hardware_concurrency(); }
#endif

/// quota / period, rounded up, of the group in a folder; 0: it has none.
unsigned quota_of(const std::string& folder) {
    std::int64_t quota = 0, period = 0;
    if (std::ifstream both(folder + "/cpu.max"); both >> quota >> period) {  // "max 100000": not a number
    } else if (std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
               !(quota_file >> quota && period_file >> period)) {
        return 0;
    }
    if (quota <= 0 || period <= 0) return 0;  // -1: no limit
    return static_cast<unsigned>(std::min<std::int64_t>((quota - 1) / period + 1, 1 << 20));
}

}  // namespace

unsigned quota_of_groups(const std::string& memberships, const std::string& root) {
    unsigned least = 0;
    const auto look_at = [&](const std::string& folder) {
        if (const unsigned quota = quota_of(folder); quota > 0 && (least == 0 || quota < least)) least = quota;
    };
    std::ifstream lines(memberships);
    for (std::string line; std::getline(lines, line);) {
        // "0::/path" (version 2), or "4:cpu,cpuacct:/path" (version 1).
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool is_of_cpu = (',' + controllers + ',').find(",cpu,") != std::string::npos;
        if (!controllers.empty() && !is_of_cpu) continue;
        std::vector<std::string> mounts{root + '/' + controllers};
        if (is_of_cpu) mounts.push_back(root + "/cpu");
        else mounts.push_back(root + "/unified");
        for (const std::string& mount : mounts) {
            std::string path = line.substr(second + 1);
            for (look_at(mount + path); !path.empty(); look_at(mount + path)) path.resize(path.rfind('/'));
        }
    }
    return least;
}

unsigned usable_processors() {
    static const unsigned quota = quota_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
    const unsigned processors = std::max(1u, processors_of_mask());
    return quota == 0 ? processors : std::min(processors, quota);
}

}  // namespace kogge::host
