// A source of scratch that counts what it gives.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kogge/exec.hpp"
#include "kogge/simt/runtime.hpp"

namespace tests {

class CountingResource final : public kogge::scratch_resource {
public:
    void* allocate(std::size_t bytes, kogge::stream_t stream) override {
        if (refuse) return nullptr;
        ++live;
        ++calls;
        largest = (std::max)(largest, bytes);
        return kogge::simt::allocate(bytes, stream);
    }
    void deallocate(void* pointer, std::size_t, kogge::stream_t stream) noexcept override {
        --live;
        kogge::simt::deallocate(pointer, stream);
    }
    std::size_t live = 0, calls = 0, largest = 0;
    bool refuse = false;
};

}  // namespace tests
