// Arrays of tests in C: on the emulated device.
#include "kogge/simt/runtime.hpp"

extern "C" {
int on_device(void) { return 1; }
void* place(size_t bytes) { return kogge::simt::allocate(bytes > 0 ? bytes : 1, nullptr); }
void* place_copy(const void* from, size_t bytes) {
    void* const placed = place(bytes);
    kogge::simt::copy(placed, from, bytes, nullptr);
    kogge::simt::synchronize(nullptr);
    return placed;
}
void fetch(void* to, const void* placed, size_t bytes) {
    kogge::simt::copy(to, placed, bytes, nullptr);
    kogge::simt::synchronize(nullptr);
}
void drop(void* placed) { kogge::simt::deallocate(placed, nullptr); }
}
