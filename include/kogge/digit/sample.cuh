// Samples of keys: where they are taken, and how a block counts their distinct codes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/digit/shape.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

KOGGE_HOST_DEVICE std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ word >> 32) * 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 29) * 0xbf58476d1ce4e5b9u;
    return word ^ word >> 32;
}
KOGGE_HOST_DEVICE std::uint32_t mixed(std::uint32_t word) {
    word = (word ^ word >> 16) * 0x9e3779b1u;
    word = (word ^ word >> 15) * 0x85ebca6bu;
    return word ^ word >> 16;
}
/// The index of a sampled key: pseudo-random within interval number `sample`, of `interval` keys.
KOGGE_HOST_DEVICE std::uint64_t sample_place(std::uint32_t sample, std::uint64_t interval) {
    return sample * interval + (mixed(sample + 1) * interval >> 32);
}
/// The same where `samples` intervals cover n keys.
KOGGE_HOST_DEVICE std::uint64_t sample_place(std::uint32_t sample, std::uint32_t samples, std::uint64_t n) {
    return sample * n / samples + (mixed(sample + 1) * (n / samples) >> 32);
}

struct CodeHash {
    std::uint32_t place, mark;  ///< `mark` is not 0

    template <class Code>
    KOGGE_DEVICE explicit CodeHash(const Code& code) {
        if constexpr (sizeof(Code) <= 4) {
            const std::uint32_t hash = mixed(static_cast<std::uint32_t>(code));
            place = hash;
            mark = hash | 1;
        } else {
            std::uint64_t words = static_cast<std::uint64_t>(code);
            if constexpr (sizeof(Code) > 8) words ^= mixed(static_cast<std::uint64_t>(code >> 64));
            const std::uint64_t hash = mixed(words);
            place = static_cast<std::uint32_t>(hash);
            mark = static_cast<std::uint32_t>(hash >> 32) | 1;
        }
    }
};

/// Shared memory in which a block counts distinct codes: a power of two of words, at least twice as many as codes.
///
/// Each code hashes to a bit. Most codes are alone at their bit, and so differ from all others. The rest take slots,
/// one per distinct code. (Slots for all codes would take longer, because shared memory compares and swaps one word at
/// a time.)
template <int threads>
class CodeTable {
public:
    KOGGE_DEVICE CodeTable(std::uint32_t* words, std::uint32_t size)
        : slots_(words), met_(words + size / 2), shared_(met_ + size / 4), size_(size) {}

    /// The number of distinct codes in the block, in all threads. visit(f) calls f(code) for each code of the thread,
    /// and is called twice. All threads call. `found` is shared memory for this alone.
    template <class Visit>
    KOGGE_DEVICE std::uint32_t count_distinct(const Visit& visit, std::uint32_t& found) const {
        const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
        KOGGE_NO_UNROLL
        for (std::uint32_t i = thread; i < size_; i += threads) slots_[i] = 0;
        simt::sync_block();  // bits and slots are zero, and the previous result has been read
        if (thread == 0) found = 0;
        visit([&](const auto& code) {
            const std::uint32_t bit = bit_of(CodeHash(code)), mask = 1u << bit % 32;
            if ((simt::atomic_or<simt::Scope::block>(met_ + bit / 32, mask) & mask) != 0)
                simt::atomic_or<simt::Scope::block>(shared_ + bit / 32, mask);
        });
        simt::sync_block();  // the bits of several codes are known
        std::uint32_t firsts = 0;
        visit([&](const auto& code) {
            const CodeHash hash(code);
            const std::uint32_t bit = bit_of(hash);
            firsts += (shared_[bit / 32] >> bit % 32 & 1) == 0 || takes_slot(hash) ? 1 : 0;
        });
        const std::uint32_t of_warp = simt::reduce_add(firsts);
        if (simt::lane() == 0) simt::atomic_add<simt::Scope::block>(&found, of_warp);
        simt::sync_block();  // all warps have added their counts
        return found;
    }

    /// The number of pairs of equal codes in the block, in all threads, and of about one pair in so many of others that
    /// share a word. visit(f) is called once. Otherwise as above.
    KOGGE_DEVICE std::uint32_t pairs_per_other() const { return size_; }
    template <class Visit>
    KOGGE_DEVICE std::uint32_t count_pairs(const Visit& visit, std::uint32_t& found) const {
        const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
        KOGGE_NO_UNROLL
        for (std::uint32_t i = thread; i < size_; i += threads) slots_[i] = 0;
        simt::sync_block();  // counters are zero, and the previous result has been read
        if (thread == 0) found = 0;
        std::uint32_t pairs = 0;
        visit([&](const auto& code) {
            pairs += simt::atomic_add<simt::Scope::block>(slots_ + (CodeHash(code).place & (size_ - 1)), 1);
        });
        simt::sync_block();  // the result is zero
        const std::uint32_t of_warp = simt::reduce_add(pairs);
        if (simt::lane() == 0) simt::atomic_add<simt::Scope::block>(&found, of_warp);
        simt::sync_block();  // all warps have added their counts
        return found;
    }

private:
    KOGGE_DEVICE std::uint32_t bit_of(const CodeHash& hash) const { return hash.place & (8 * size_ - 1); }
    /// Whether no equal code has taken a slot yet.
    KOGGE_DEVICE bool takes_slot(const CodeHash& hash) const {
        for (std::uint32_t slot = hash.place;; ++slot) {
            const std::uint32_t old =
                simt::atomic_compare_swap<simt::Scope::block>(slots_ + (slot & (size_ / 2 - 1)), 0, hash.mark);
            if (old == 0 || old == hash.mark) return old == 0;
        }
    }

    std::uint32_t* slots_;
    std::uint32_t* met_;
    std::uint32_t* shared_;
    std::uint32_t size_;
};

}  // namespace kogge::grid::KOGGE_CODE
