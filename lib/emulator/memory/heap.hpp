// Emulated device memory: each allocation is a mapping of its own, with red zones around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "emulator/memory/check.hpp"

namespace kogge::simt::emulator {

inline constexpr unsigned char kFreshPattern = 0xdb;  // of device memory that nobody has written

class DeviceHeap {
public:
    static constexpr int kAll = -1, kNone = -2;  ///< in place of a device

    /// nullptr when the device is full.
    void* allocate(std::size_t bytes, int device, std::size_t capacity);
    /// Makes the memory inaccessible. Returns what is wrong with the allocation, empty when nothing is.
    std::string release(void* pointer);

    struct Range {
        unsigned char* begin = nullptr;
        std::size_t bytes = 0;
        Shadow shadow;
        bool given_back = false;  // deallocate was called; the stream has not come to it yet
        int device = 0;
    };
    /// The allocation that holds this address, or null.
    const Range* find(const void* address) const;
    /// False when there is no such allocation, or it was given back before.
    bool mark_given_back(void* pointer);
    /// Which red zones were written to; empty when none was.
    std::string check_red_zones() const;

    /// Who may touch memory now: a device, which has its own and what it reaches, or all or none.
    void open_for(int device);
    /// `device` reaches the memory of `owner` from now on.
    void open_to(int owner, int device) { reached_.insert({owner, device}); }
    void close_to_all() { reached_.clear(); }
    /// What a pool of the device would hold: the most memory that has been in use since it was trimmed.
    std::size_t trim(int device, std::size_t bytes_to_keep);
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
    bool is_open(int owner, int open) const {
        return open == kAll || open == owner || reached_.contains({owner, open});
    }

    std::map<std::uintptr_t, Allocation> ranges_;
    std::deque<Mapping> quarantine_;
    std::map<int, std::size_t> used_, held_;  // by devices
    std::set<std::pair<int, int>> reached_;   // whose memory, by whom
    int open_ = kAll;
};

}  // namespace kogge::simt::emulator
