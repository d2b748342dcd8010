// The number of threads of this process that can run at once.
#pragma once

#include <string>

namespace kogge::host {

/// The processors of the calling thread's affinity mask, or the quota of the process's control groups if that is less;
/// at least 1. The quotas are read once.
unsigned usable_processors();

/// The least quota, in processors and rounded up, of the groups that `memberships` (a file like /proc/self/cgroup)
/// names and of the groups above them; 0: there is no quota. Groups are folders below `root`, of version 2 (cpu.max) or
/// 1 (cpu.cfs_quota_us). A container often sees only its own group, as `root` itself.
unsigned quota_of_groups(const std::string& memberships, const std::string& root);

}  // namespace kogge::host
