#include "measuring.hpp"

#include <cstring>
#include <string>

#include "kogge/calls/scratch_bytes.hpp"
#include "kogge/error.hpp"

namespace kogge {
namespace simt {

Measurement*& measurement() {
    thread_local Measurement* current = nullptr;
    return current;
}

bool is_measuring() { return measurement() != nullptr; }

void* stand_in(int which) {
    constexpr int kApart = 48;  // bits: pointers into two arrays differ, however far a caller moves them
    return reinterpret_cast<void*>((std::uintptr_t{1} << 62) + (static_cast<std::uintptr_t>(which) << kApart));
}

}  // namespace simt

namespace detail {

struct Measuring::State {
    device_properties device;
    simt::Measurement measurement;
    simt::Measurement* before;
};

Measuring::Measuring(const device_properties* device) {
    if (std::strcmp(simt::runtime_name(), "none") == 0)
        throw error(errc::unreachable, "scratch_bytes",
                    "this build of the library has no device code that could be asked: build it with CUDA, or make a "
                    "plan of plan.hpp, which says its scratch_bytes on any machine");
    if (!device && simt::device_count() == 0)
        throw error(errc::unreachable, "scratch_bytes",
                    "there is no device here: name the one that is meant, for example kogge::known_device(\"H100\")");
    state_ = std::make_unique<State>(State{device ? *device : device_properties{}, {}, simt::measurement()});
    if (device) state_->measurement.device = &state_->device;
    simt::measurement() = &state_->measurement;
}
Measuring::~Measuring() { simt::measurement() = state_->before; }
std::size_t Measuring::bytes() const { return state_->measurement.scratch_bytes; }

}  // namespace detail
}  // namespace kogge
