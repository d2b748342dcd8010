// What a record of all devices of a machine says of it; emulated ones have neither driver nor rival.
#pragma once

#include <string>

#include "kogge/simt/runtime.hpp"
#include "record.hpp"
#if !KOGGE_EMULATED
#include "cuda_setting.hpp"
#endif

namespace bench {

inline Setting devices_setting(const std::string& commit) {
#if KOGGE_EMULATED
    Setting setting{commit, kogge::simt::current_properties().name, "none", "none", "none", today()};
#else
    Setting setting = cuda_setting(commit);
#endif
    setting.devices = kogge::simt::device_count();
    return setting;
}

}  // namespace bench
