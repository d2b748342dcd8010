#include "emulator/memory/heap.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/sanitizers.hpp"

namespace kogge::simt::emulator {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kRedZone = 256;
constexpr unsigned char kRedPattern = 0xed;
constexpr std::size_t kQuarantined = 64;  // mappings kept without access, so that late uses are caught

}  // namespace

void* DeviceHeap::allocate(std::size_t bytes, int device, std::size_t capacity) {
    std::size_t& used = used_[device];
    if (bytes > capacity || used > capacity - bytes) return nullptr;
    const std::size_t mapped = (bytes + 2 * kRedZone + kPage - 1) / kPage * kPage;
    void* mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    auto* pages = static_cast<unsigned char*>(mapping);
    unsigned char* begin = pages + kRedZone;
    std::memset(pages, kRedPattern, kRedZone);
    std::memset(begin, kFreshPattern, bytes);
    std::memset(begin + bytes, kRedPattern, mapped - kRedZone - bytes);
    asan_poison(pages, kRedZone);
    asan_poison(begin + bytes, mapped - kRedZone - bytes);
    Allocation& allocation = ranges_[reinterpret_cast<std::uintptr_t>(begin)];
    allocation.range.begin = begin;
    allocation.range.bytes = bytes;
    allocation.range.device = device;
    allocation.range.shadow.reset(bytes);
    allocation.mapping = {pages, mapped};
    used += bytes;
    held_[device] = std::max(held_[device], used);
    if (!is_open(device, open_)) mprotect(pages, mapped, PROT_NONE);
    return begin;
}

std::string DeviceHeap::release(void* pointer) {
    const auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(pointer));
    const std::string wrong = damage(found->second);
    const Mapping mapping = found->second.mapping;
    used_[found->second.range.device] -= found->second.range.bytes;
    ranges_.erase(found);
    asan_unpoison(mapping.pages, mapping.bytes);
    // Its pages are given up, its addresses are not: whoever still uses them is stopped.
    mmap(mapping.pages, mapping.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    quarantine_.push_back(mapping);
    if (quarantine_.size() > kQuarantined) {
        munmap(quarantine_.front().pages, quarantine_.front().bytes);
        quarantine_.pop_front();
    }
    return wrong;
}

const DeviceHeap::Range* DeviceHeap::find(const void* address) const {
    const auto key = reinterpret_cast<std::uintptr_t>(address);
    auto after = ranges_.upper_bound(key);
    if (after == ranges_.begin()) return nullptr;
    const Range& range = std::prev(after)->second.range;
    return key - reinterpret_cast<std::uintptr_t>(range.begin) < range.bytes ? &range : nullptr;
}

bool DeviceHeap::mark_given_back(void* pointer) {
    const auto found = ranges_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == ranges_.end() || found->second.range.given_back) return false;
    return found->second.range.given_back = true;
}

std::string DeviceHeap::damage(const Allocation& allocation) {
    if (KOGGE_ASAN) return {};  // reported at the access
    const Range& range = allocation.range;
    const Mapping& mapping = allocation.mapping;
    const auto describe = [&](const char* where, std::ptrdiff_t distance) {
        return "a device allocation of " + std::to_string(range.bytes) + " bytes was overrun: written " +
               std::to_string(distance) + " bytes " + where;
    };
    for (const unsigned char* byte = range.begin; byte-- > mapping.pages;)
        if (*byte != kRedPattern) return describe("before its begin", range.begin - byte);
    const unsigned char* end = range.begin + range.bytes;
    for (const unsigned char* byte = end; byte < mapping.pages + mapping.bytes; ++byte)
        if (*byte != kRedPattern) return describe("past its end", byte - end);
    return {};
}

std::string DeviceHeap::check_red_zones() const {
    std::string text;
    for (const auto& [begin, allocation] : ranges_)
        if (const std::string wrong = damage(allocation); !wrong.empty()) text += (text.empty() ? "" : "; ") + wrong;
    return text;
}

std::size_t DeviceHeap::trim(int device, std::size_t bytes_to_keep) {
    std::size_t& held = held_[device];
    return held = std::max(used_[device], std::min(held, bytes_to_keep));
}

void DeviceHeap::open_for(int device) {
    const int before = std::exchange(open_, device);
    if (before == device) return;
    for (const auto& [begin, allocation] : ranges_) {
        const bool open = is_open(allocation.range.device, device);
        if (open == is_open(allocation.range.device, before)) continue;
        mprotect(allocation.mapping.pages, allocation.mapping.bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
}

}  // namespace kogge::simt::emulator
