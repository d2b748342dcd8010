// A digit so wide that few of a block's keys share it: its counters, shared by all threads of the block. Keys of one
// digit are ranked in any order.
#pragma once

#include <cstdint>

#include "kogge/sort/resident/block_keys.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Counters of 16 bits, two per word, in place of the warps' rows; later the start of each digit's keys. A thread has 2
/// kOwn consecutive digits, in words that lie kResidentSortThreads apart, so that lanes meet no bank conflicts.
class BlockDigits {
public:
    static constexpr int kBits = 13;

    KOGGE_DEVICE explicit BlockDigits(ResidentSortShared& shared) : shared_(shared) {}

    /// All threads call. A block barrier must follow.
    KOGGE_DEVICE void clear() const {
        KOGGE_UNROLL
        for (int i = 0; i < kOwn; ++i) own(i) = 0;
    }
    /// The number of earlier keys of the digit.
    KOGGE_DEVICE std::uint32_t rank(std::uint32_t digit) const {
        const std::uint32_t half = digit % 2 * 16;
        return simt::atomic_add<simt::Scope::block>(&word(digit), 1u << half) >> half & 0xffffu;
    }
    /// Turns counts into starts. All threads call, after a block barrier that follows their ranks.
    KOGGE_DEVICE void place() const {
        std::uint32_t starts[kOwn], sum = 0;
        KOGGE_UNROLL
        for (int i = 0; i < kOwn; ++i) starts[i] = own(i);
        KOGGE_UNROLL
        for (int i = 0; i < kOwn; ++i) {
            const std::uint32_t even = starts[i] & 0xffffu, both = even + (starts[i] >> 16);
            starts[i] = sum | (sum + even) << 16;
            sum += both;
        }
        const std::uint32_t before = sum_before(shared_, sum);
        KOGGE_UNROLL
        for (int i = 0; i < kOwn; ++i) own(i) = starts[i] + before * 0x10001u;
        simt::sync_block();  // the starts of all digits are known
    }
    KOGGE_DEVICE std::uint32_t start(std::uint32_t digit) const { return word(digit) >> digit % 2 * 16 & 0xffffu; }

private:
    static constexpr int kWords = (1 << kBits) / 2, kOwn = kWords / kResidentSortThreads;
    static_assert(kWords * sizeof(std::uint32_t) <= sizeof(ResidentSortShared::rows));

    KOGGE_DEVICE std::uint32_t& own(int i) const {
        return shared_.rows[simt::thread_rank() + i * kResidentSortThreads];
    }
    KOGGE_DEVICE std::uint32_t& word(std::uint32_t digit) const {
        return shared_.rows[digit / (2 * kOwn) + digit / 2 % kOwn * kResidentSortThreads];
    }

    ResidentSortShared& shared_;
};

}  // namespace kogge::grid::KOGGE_CODE
