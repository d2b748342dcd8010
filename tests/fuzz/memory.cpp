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

}  // namespace

std::byte* Memory::hold(const void* items, std::size_t bytes, std::size_t item_bytes, bool may_change) {
    const std::size_t start = shift_ * item_bytes;
    Block block{nullptr, start, bytes, may_change, Bytes(start + bytes, kRed)};
    if (bytes > 0) std::memcpy(block.before.data() + start, items, bytes);
    if constexpr (kOnDevice) {
        block.base = static_cast<std::byte*>(kogge::simt::allocate(start + bytes + (bytes == 0 ? 1 : 0), nullptr));
        kogge::simt::copy(block.base, block.before.data(), block.before.size(), nullptr);
        kogge::simt::synchronize(nullptr);
    } else {
        block.base = static_cast<std::byte*>(::operator new (start + bytes, std::align_val_t{kAligned}));
        if (start + bytes > 0) std::memcpy(block.base, block.before.data(), start + bytes);
#if defined(__SANITIZE_ADDRESS__)
        __asan_poison_memory_region(block.base, start);
#endif
    }
    blocks_.push_back(std::move(block));
    return blocks_.back().base + start;
}

Memory::~Memory() {
    for (const Block& block : blocks_)
        if constexpr (kOnDevice) {
            kogge::simt::deallocate(block.base, nullptr);
        } else {
#if defined(__SANITIZE_ADDRESS__)
            __asan_unpoison_memory_region(block.base, block.start);
#endif
            ::operator delete (block.base, std::align_val_t{kAligned});
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
        // On the host the sanitizer watches what is in front.
        const std::size_t begin = kOnDevice ? 0 : block.start, end = block.start + (block.may_change ? 0 : block.bytes);
        if (begin >= end) continue;
        Bytes now(end - begin);
        read(now.data(), block.base + begin, now.size());
        for (std::size_t i = begin; i < end; ++i)
            if (now[i - begin] != block.before[i])
                return "array " + std::to_string(b) + " of the case was written at byte " +
                       std::to_string(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(block.start)) +
                       ", where nothing should be";
    }
    return {};
}

}  // namespace fuzz
