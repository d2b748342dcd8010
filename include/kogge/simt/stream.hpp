// A stream that goes with its scope.
#pragma once

#include "kogge/simt/runtime.hpp"

namespace kogge::simt {

/// A stream of the current device. What is queued is waited for before it is destroyed, so that no copy outlives the
/// memory that it touches.
class OwnStream {
public:
    OwnStream() : stream_(create_stream()) {}
    ~OwnStream() {
        // After a failure of the device both throw, as the call does that ends here.
        try {
            synchronize(stream_);
        } catch (...) {}
        try {
            destroy_stream(stream_);
        } catch (...) {}
    }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    stream_t get() const { return stream_; }

private:
    stream_t stream_;
};

}  // namespace kogge::simt
