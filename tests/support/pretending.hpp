// The device that tests pretend to have, so that few items take the plan under test: the emulator always, a GPU under
// sanitizers, where every item costs time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kogge/exec.hpp"
#include "kogge/simt/runtime.hpp"
#include "support/backend.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace tests {

#if KOGGE_EMULATED
inline bool may_pretend() { return true; }
inline void pretend(const kogge::device_properties& device) { kogge::simt::emulator::set_properties(device); }
#elif KOGGE_KERNELS
inline bool may_pretend() { return small(); }
inline void pretend(const kogge::device_properties& device) { kogge::simt::pretend_properties(device); }
/// What of a GPU is as large as the emulated device.
inline void pretend_small_device() {
    kogge::device_properties device = kogge::simt::current_properties();
    device.multiprocessors = std::min(device.multiprocessors, 4);
    device.cluster_blocks = std::min(device.cluster_blocks, 4u);
    device.l2_bytes = std::min(device.l2_bytes, std::size_t{4} << 20);
    pretend(device);
}
#else
inline bool may_pretend() { return false; }
inline void pretend(const kogge::device_properties&) {}
#endif

/// Until the end of the scope, the device has so many multiprocessors and so much shared memory a block, or its own
/// where that is 0.
class Pretending {
public:
    explicit Pretending(int multiprocessors, std::size_t shared_bytes = 0)
        : Pretending(may_pretend(), multiprocessors, shared_bytes) {}
    ~Pretending() {
        if (pretends_) pretend(before_);
    }
    Pretending(const Pretending&) = delete;
    Pretending& operator=(const Pretending&) = delete;

protected:
    Pretending(bool pretends, int multiprocessors, std::size_t shared_bytes) : pretends_(pretends) {
        if (!pretends_) return;
        before_ = kogge::simt::current_properties();
        kogge::device_properties device = before_;
        device.multiprocessors = multiprocessors;
        if (shared_bytes > 0) device.shared_bytes_per_block = shared_bytes;
        pretend(device);
    }

private:
    bool pretends_;
    kogge::device_properties before_;
};

/// The same on a GPU outside sanitizers too, for plans whose items would otherwise be millions.
class FewMultiprocessors : public Pretending {
public:
    explicit FewMultiprocessors(int multiprocessors) : Pretending(kOnDevice, multiprocessors, 0) {}
};

}  // namespace tests
