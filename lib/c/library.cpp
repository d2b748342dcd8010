// What the C interface tells of the library itself.
#include "c/guard.hpp"
#include "kogge/exec.hpp"

#define KOGGE_TEXT_OF(number) #number
#define KOGGE_VERSION_OF(major, minor, patch) KOGGE_TEXT_OF(major) "." KOGGE_TEXT_OF(minor) "." KOGGE_TEXT_OF(patch)

const char* kogge_version(void) {
    return KOGGE_VERSION_OF(KOGGE_VERSION_MAJOR, KOGGE_VERSION_MINOR, KOGGE_VERSION_PATCH);
}

const char* kogge_runtime(void) { return kogge::simt::runtime_name(); }

int kogge_device_count(void) {
    int devices = 0;
    return kogge::c::guard("device_count", [&] { devices = kogge::simt::device_count(); }) == KOGGE_OK ? devices : 0;
}

kogge_status kogge_trim(uint64_t bytes_to_keep, uint64_t* held) {
    return kogge::c::guard("trim", [&] {
        const std::uint64_t bytes = kogge::trim(bytes_to_keep);
        if (held) *held = bytes;
    });
}

kogge_status kogge_synchronize(void* stream) {
    return kogge::c::guard("synchronize", [&] { kogge::simt::synchronize(static_cast<kogge::stream_t>(stream)); });
}
