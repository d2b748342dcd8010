// What kernels have been allowed beyond what every launch may use. Asking takes as long as a launch, so it is done
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace kogge::simt {

/// One list for all threads: what is asked for replaces what was granted before, so a thread that knew only of its own
/// launches could take from another what that counts on.
class Grants {
public:
    /// Calls ask(amount), unless so much or more has been granted to the kernel in the context: that of a device that
    /// has been reset is another one, and knows of no grants.
    template <class Ask>
    void require(const void* kernel, std::uint64_t context, std::size_t amount, const Ask& ask) {
        const std::lock_guard lock(mutex_);
        std::size_t& granted = granted_[{kernel, context}];
        if (amount <= granted) return;
        ask(amount);
        granted = amount;
    }

private:
    std::mutex mutex_;
    std::map<std::pair<const void*, std::uint64_t>, std::size_t> granted_;
};

}  // namespace kogge::simt
