// The arrays of a case, where the backend, or the case, looks for them: exactly as long as they are, at any distance
// from an aligned address, with their bytes before the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kogge/exec.hpp"

namespace fuzz {

#if KOGGE_KERNELS
inline constexpr kogge::backend kWhere = kogge::backend::device;
#else
inline constexpr kogge::backend kWhere = kogge::backend::host;
#endif
inline constexpr bool kOnDevice = kWhere == kogge::backend::device;

class Memory {
public:
    using Bytes = std::vector<std::byte>;

    Memory() = default;
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// Arrays begin so many items, at most, past an aligned address.
    void set_shift(std::uint64_t items) { shift_ = items; }
    enum class Place { host, pinned, device };
    /// Where the next arrays are; page-locked ones are in host memory.
    void set_place(Place place) { place_ = place; }

    /// What stands in arrays that nobody has written.
    static constexpr std::byte kPoison{0x5a};

    /// An array that calls only read.
    template <class T>
    T* input(const std::vector<T>& items) {
        return reinterpret_cast<T*>(hold(items.data(), items.size() * sizeof(T), sizeof(T), false));
    }
    /// One that they read and write.
    template <class T>
    T* in_out(const std::vector<T>& items) {
        return reinterpret_cast<T*>(hold(items.data(), items.size() * sizeof(T), sizeof(T), true));
    }
    template <class T>
    T* output(std::uint64_t n) {
        const Bytes bytes(n * sizeof(T), kPoison);
        return reinterpret_cast<T*>(hold(bytes.data(), bytes.size(), sizeof(T), true));
    }
    /// Bytes at an address of any alignment, one at least.
    void* space(std::size_t bytes, std::size_t at) {
        const Bytes empty((bytes > 0 ? bytes : 1) + at, kPoison);
        return hold(empty.data(), empty.size(), 1, true) + at;
    }

    template <class T>
    std::vector<T> get(const T* from, std::uint64_t n) const {
        std::vector<T> items(n);
        read(static_cast<void*>(items.data()), from, n * sizeof(T));
        return items;
    }

    /// What all arrays hold now, after all queued work.
    std::vector<Bytes> all() const;
    /// What is wrong: an array that is only read was written, or what stands around one. Empty when all is well.
    std::string damage() const;

private:
    struct Block {
        std::byte* base;
        std::size_t start, bytes;
        bool may_change;
        Place place;
        Bytes before;  ///< with what stands around the array
    };
    std::byte* hold(const void* items, std::size_t bytes, std::size_t item_bytes, bool may_change);
    static std::byte* allocate(std::size_t bytes, Place place);
    static void read(void* to, const void* from, std::size_t bytes);

    std::uint64_t shift_ = 0;
    Place place_ = kOnDevice ? Place::device : Place::host;
    std::vector<Block> blocks_;
};

}  // namespace fuzz
