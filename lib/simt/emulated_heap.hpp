// Emulated device memory: each allocation is a mapping of its own, with red zones around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "emulated_check.hpp"

namespace kogge::simt::emulator {

inline constexpr unsigned char kFreshPattern = 0xdb;  // of device memory that nobody has written

class DeviceHeap {
public:
    /// nullptr when the device is full.
    void* allocate(std::size_t bytes, std::size_t capacity);
    /// Makes the memory inaccessible. Returns what is wrong with the allocation, empty when nothing is.
    std::string release(void* pointer);

    struct Range {
        unsigned char* begin = nullptr;
        std::size_t bytes = 0;
        Shadow shadow;
        bool given_back = false;  // deallocate was called; the stream has not come to it yet
    };
    /// The allocation that holds this address, or null.
    const Range* find(const void* address) const;
    /// False when there is no such allocation, or it was given back before.
    bool mark_given_back(void* pointer);
    /// Which red zones were written to; empty when none was.
    std::string check_red_zones() const;

    /// Whether the host may touch device memory now.
    void set_open(bool open);
    std::size_t live() const { return ranges_.size(); }

private:
    struct Mapping {
        unsigned char* pages = nullptr;
        std::size_t bytes = 0;
    };
    struct Allocation {
        Range range;
        Mapping mapping;
    };
    static std::string damage(const Allocation& allocation);

    std::map<std::uintptr_t, Allocation> ranges_;
    std::deque<Mapping> quarantine_;
    std::size_t used_ = 0;
    bool open_ = true;
};

}  // namespace kogge::simt::emulator
