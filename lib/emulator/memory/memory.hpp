// Stacks and shared memory of emulated blocks.
#pragma once

#include <cstddef>

#include "emulator/memory/check.hpp"

namespace kogge::simt::emulator {

inline constexpr std::size_t kPage = 4096;

/// A fiber's stack, with a guard page below. A stack with its guard is two mappings, and Linux gives a process some
/// 65,000 (vm.max_map_count): where so many threads are resident at once that these would run out, further stacks have
/// no guard.
class Stack {
public:
    Stack() = default;
    ~Stack();
    Stack(Stack&& other) noexcept;
    Stack& operator=(Stack&& other) noexcept;

    /// `colour` moves the top a little, so that the stacks of a block do not share cache sets.
    void prepare(unsigned colour);
    void* top() const { return top_; }
    const void* bottom() const { return mapping_ + kPage; }
    std::size_t bytes() const { return static_cast<std::size_t>(top_ - mapping_) - kPage; }
    bool guards(const void* address) const;

private:
    unsigned char* mapping_ = nullptr;
    unsigned char* top_ = nullptr;
    bool has_guard_ = false;
};

inline constexpr unsigned char kSharedPattern = 0xc3;

/// A block's shared memory: exactly the bytes of the launch, a guard page behind them.
class SharedArena {
public:
    SharedArena() = default;
    ~SharedArena();
    SharedArena(const SharedArena&) = delete;
    SharedArena& operator=(const SharedArena&) = delete;

    void prepare(std::size_t bytes);
    unsigned char* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    const Shadow& shadow() const { return shadow_; }
    bool holds(const void* address, std::size_t bytes) const;
    bool guards(const void* address) const;
    /// False when something was written just before the shared memory or between its end and the guard page.
    bool intact() const;

private:
    unsigned char* mapping_ = nullptr;
    std::size_t mapped_ = 0;
    unsigned char* data_ = nullptr;
    Shadow shadow_;
    std::size_t bytes_ = 0;
};

}  // namespace kogge::simt::emulator
