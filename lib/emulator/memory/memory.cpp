#include "emulator/memory/memory.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "emulator/sanitizers.hpp"

namespace kogge::simt::emulator {
namespace {

constexpr std::size_t kAlignment = 128;  // of shared memory

constexpr int kMostGuardedStacks = 16'384;  // a quarter of what Linux allows, at two mappings each
std::atomic<int> guarded_stacks{0};

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Pages without access, `open` bytes of which, from `offset` on, can be used.
unsigned char* map(std::size_t bytes, std::size_t offset, std::size_t open) {
    void* mapping = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(static_cast<unsigned char*>(mapping) + offset, open, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, bytes);
        throw std::bad_alloc();
    }
    return static_cast<unsigned char*>(mapping);
}

bool is_inside(const void* address, const unsigned char* begin, const unsigned char* end) {
    const auto* byte = static_cast<const unsigned char*>(address);
    return byte >= begin && byte < end;
}

}  // namespace

Stack::~Stack() {
    if (!mapping_) return;
    munmap(mapping_, kPage + kStackBytes);
    if (has_guard_) --guarded_stacks;
}
Stack::Stack(Stack&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      top_(std::exchange(other.top_, nullptr)),
      has_guard_(std::exchange(other.has_guard_, false)) {}
Stack& Stack::operator=(Stack&& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(top_, other.top_);
    std::swap(has_guard_, other.has_guard_);
    return *this;
}

void Stack::prepare(unsigned colour) {
    if (mapping_) {
        asan_unpoison(bottom(), kStackBytes);  // frames that were dropped, not left
    } else {
        has_guard_ = ++guarded_stacks <= kMostGuardedStacks;
        if (!has_guard_) --guarded_stacks;
        // Stacks without guards are alike, so that Linux makes one mapping of neighbours.
        const std::size_t from = has_guard_ ? kPage : 0;
        mapping_ = map(kPage + kStackBytes, from, kPage + kStackBytes - from);
    }
    top_ = mapping_ + kPage + kStackBytes - colour % 32 * 128;
}
bool Stack::guards(const void* address) const { return has_guard_ && is_inside(address, mapping_, mapping_ + kPage); }

SharedArena::~SharedArena() {
    if (!mapping_) return;
    asan_unpoison(mapping_ + kPage, mapped_ - 2 * kPage);
    munmap(mapping_, mapped_);
}

void SharedArena::prepare(std::size_t bytes) {
    // One page more than needed in front, so that bytes just before the shared memory are seen too.
    const std::size_t wanted = round_up(bytes, kPage) + 3 * kPage;
    if (wanted > mapped_ || KOGGE_TSAN) {  // ThreadSanitizer forgets the accesses to memory that is mapped anew
        if (mapping_) {
            asan_unpoison(mapping_ + kPage, mapped_ - 2 * kPage);
            munmap(mapping_, mapped_);
        }
        mapping_ = map(wanted, kPage, wanted - 2 * kPage);
        mapped_ = wanted;
    }
    unsigned char* end = mapping_ + mapped_ - kPage;
    data_ = end - round_up(bytes, kAlignment);
    bytes_ = bytes;
    shadow_.reset(bytes);
    asan_unpoison(mapping_ + kPage, mapped_ - 2 * kPage);
    std::memset(data_ - kAlignment, kSharedPattern, static_cast<std::size_t>(end - data_) + kAlignment);
    asan_poison(mapping_ + kPage, static_cast<std::size_t>(data_ - mapping_) - kPage);
    asan_poison(data_ + bytes_, static_cast<std::size_t>(end - data_) - bytes_);
}

bool SharedArena::holds(const void* address, std::size_t bytes) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(data_);
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    return first >= begin && bytes <= bytes_ && first - begin <= bytes_ - bytes;
}

bool SharedArena::guards(const void* address) const {
    return mapping_ && (is_inside(address, mapping_, mapping_ + kPage) ||
                        is_inside(address, mapping_ + mapped_ - kPage, mapping_ + mapped_));
}

bool SharedArena::intact() const {
    if (KOGGE_ASAN) return true;  // reported at the access
    for (const unsigned char* byte = data_ - kAlignment; byte < data_; ++byte)
        if (*byte != kSharedPattern) return false;
    for (const unsigned char* byte = data_ + bytes_; byte < mapping_ + mapped_ - kPage; ++byte)
        if (*byte != kSharedPattern) return false;
    return true;
}

}  // namespace kogge::simt::emulator
