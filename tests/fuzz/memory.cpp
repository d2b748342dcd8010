#include "fuzz/memory.hpp"

#include <cstdlib>
#include <new>

#include "kogge/simt/runtime.hpp"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace fuzz {
namespace {

constexpr std::size_t kAligned = 256;
constexpr std::byte kRed{0xd7};
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
/// A sanitizer, or the emulator, watches what stands behind arrays; of others these bytes are compared.
constexpr std::size_t behind(Memory::Place place) {
    return place == Memory::Place::pinned || (place == Memory::Place::host && !kSanitized) ? 64 : 0;
}

}  // namespace

std::byte* Memory::hold(const void* items, std::size_t bytes, std::size_t item_bytes, bool may_change) {
    const std::size_t start = shift_ * item_bytes;
    Block block{nullptr, start, bytes, may_change, place_, Bytes(start + bytes + behind(place_), kRed)};
    if (bytes > 0) std::memcpy(block.before.data() + start, items, bytes);
    block.base = allocate(block.before.size(), place_);
    if (place_ == Place::device) {
        kogge::simt::copy(block.base, block.before.data(), block.before.size(), nullptr);
        kogge::simt::synchronize(nullptr);
    } else if (!block.before.empty()) {
        std::memcpy(block.base, block.before.data(), block.before.size());
    }
#if defined(__SANITIZE_ADDRESS__)
    if (place_ == Place::host) __asan_poison_memory_region(block.base, start);
#endif
    blocks_.push_back(std::move(block));
    return blocks_.back().base + start;
}

std::byte* Memory::allocate(std::size_t bytes, Place place) {
    switch (place) {
        case Place::device:
            return static_cast<std::byte*>(kogge::simt::allocate(bytes > 0 ? bytes : 1, nullptr));
        case Place::pinned:
            return static_cast<std::byte*>(kogge::simt::allocate_pinned(bytes));
        default:
            return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAligned}));
    }
}

Memory::~Memory() {
    for (const Block& block : blocks_) {
        if (block.place == Place::device) {
            kogge::simt::deallocate(block.base, nullptr);
        } else if (block.place == Place::pinned) {
            kogge::simt::free_pinned(block.base);
        } else {
#if defined(__SANITIZE_ADDRESS__)
            __asan_unpoison_memory_region(block.base, block.start);
#endif
            ::operator delete (block.base, std::align_val_t{kAligned});
        }
    }
}

void Memory::read(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    if constexpr (kOnDevice) {
        kogge::simt::copy(to, from, bytes, nullptr);
        kogge::simt::synchronize(nullptr);
    } else {
        std::memcpy(to, from, bytes);
    }
}

std::vector<Memory::Bytes> Memory::all() const {
    std::vector<Bytes> contents;
    for (const Block& block : blocks_) {
        contents.emplace_back(block.bytes);
        read(contents.back().data(), block.base + block.start, block.bytes);
    }
    return contents;
}

std::string Memory::damage() const {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const Block& block = blocks_[b];
        // On the host a sanitizer watches what is in front.
        const std::size_t begin = kSanitized && block.place == Place::host ? block.start : 0, end = block.before.size();
        if (begin >= end) continue;
        Bytes now(end - begin);
        read(now.data(), block.base + begin, now.size());
        for (std::size_t i = begin; i < end; ++i) {
            if (block.may_change && i >= block.start && i < block.start + block.bytes) continue;
            if (now[i - begin] == block.before[i]) continue;
            return "array " + std::to_string(b) + " of the case was written at byte " +
                   std::to_string(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(block.start)) +
                   ", where nothing should be";
        }
    }
    return {};
}

}  // namespace fuzz
