// Reads of memory that nobody has written, in builds with KOGGE_CHECK_INITIALISED=1. Such a build compiles kernels
// with -fsanitize=thread and links without it: the compiler announces each access to the functions in
// emulated_check.cpp instead of ThreadSanitizer's. Shared memory and device allocations have a shadow of one byte a
// byte, which says what was written.
#pragma once

#include <cstddef>

#ifndef KOGGE_CHECK_INITIALISED
#define KOGGE_CHECK_INITIALISED 0
#endif

namespace kogge::simt::emulator {

class SharedArena;

#if KOGGE_CHECK_INITIALISED

/// Bytes that say which bytes of a stretch of memory were written.
class Shadow {
public:
    Shadow() = default;
    ~Shadow() { release(); }
    Shadow(const Shadow&) = delete;
    Shadow& operator=(const Shadow&) = delete;

    /// Nothing is written any more.
    void reset(std::size_t bytes);
    unsigned char* at(std::size_t offset) const { return written_ + offset; }

private:
    void release();
    unsigned char* written_ = nullptr;
    std::size_t bytes_ = 0;
};

/// The emulator has copied `bytes` bytes: the target is as much written as the source was. Either side may be in the
/// shared memory of a block; a source of null, or one that has no shadow, is all written.
void note_copy(const SharedArena* shared, void* to, const void* from, std::size_t bytes);

#else

struct Shadow {
    void reset(std::size_t) {}
};
inline void note_copy(const SharedArena*, void*, const void*, std::size_t) {}

#endif

}  // namespace kogge::simt::emulator
