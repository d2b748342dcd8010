// What kernels have been allowed beyond what every launch may use. Asking takes as long as a launch, so it is done
// once.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace kogge::simt {

/// One list for all threads: what is asked for replaces what was granted before, so a thread that knew only of its own
/// launches could take from another what that counts on.
class Grants {
public:
    /// Calls ask(amount), unless so much or more has been granted to the kernel on the device.
    template <class Ask>
    void require(const void* kernel, int device, std::size_t amount, const Ask& ask) {
        const std::lock_guard lock(mutex_);
        std::size_t& granted = granted_[{kernel, device}];
        if (amount <= granted) return;
        ask(amount);
        granted = amount;
    }

private:
    std::mutex mutex_;
    std::map<std::pair<const void*, int>, std::size_t> granted_;
};

}  // namespace kogge::simt
