// How many threads of this process can run at once.
#pragma once

#include <string>

namespace kogge::host {

/// The processors of the calling thread's affinity mask, or as many as the process's control groups let it use when
/// these are fewer; at least 1. The groups' quotas are read once.
unsigned usable_processors();

/// The least quota of the groups that `memberships` (a file like /proc/self/cgroup) names and of those above them, in
/// processors, rounded up; 0: there is none. Groups are folders below `root`, of version 2 (cpu.max) or 1
/// (cpu.cfs_quota_us). A container often sees only its own group, as `root` itself.
unsigned quota_of_groups(const std::string& memberships, const std::string& root);

}  // namespace kogge::host
