// The host backend's scratch memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

inline constexpr std::size_t kLineBytes = 64;

/// `count` items of `size` bytes, aligned to kLineBytes, not cleared, in huge pages if large. To be released by
/// std::free. Throws errc::out_of_memory.
void* allocate_scratch(const char* call, std::uint64_t count, std::size_t size);

template <class T>
class Scratch {
public:
    Scratch(const char* call, std::uint64_t count) : memory_(allocate_scratch(call, count, sizeof(T)), std::free) {}
    T* data() const { return static_cast<T*>(memory_.get()); }

private:
    std::unique_ptr<void, void (*)(void*)> memory_;
};

/// memcpy of items.
template <class T>
void copy_items(T* to, const T* from, std::uint64_t n) {
    if (n > 0) std::memcpy(static_cast<void*>(to), from, n * sizeof(T));
}

/// The same with `threads` threads, unless the items are there already.
template <class T>
void copy_items(T* to, const T* from, std::uint64_t n, int threads) {
    if (to == from) return;
    for_chunks(n, std::max<std::uint64_t>(1, kChunkBytes / sizeof(T)), threads,
               [=](const Chunk& chunk) { copy_items(to + chunk.begin, from + chunk.begin, chunk.end - chunk.begin); });
}

}  // namespace kogge::host
