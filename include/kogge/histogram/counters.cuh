// A block's counters in shared memory, and what of a warp's items is counted before they are touched.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/histogram/shape.hpp"
#include "kogge/simt/device.cuh"
#include "kogge/types/bins.hpp"

namespace kogge::grid::KOGGE_CODE {

/// Counts of one row of bins in global memory.
struct HistogramCounts {
    void* counts;
    int bytes;  ///< of a count

    KOGGE_DEVICE HistogramCounts from(std::uint64_t place) const {
        return {static_cast<unsigned char*>(counts) + place * static_cast<unsigned>(bytes), bytes};
    }
    KOGGE_DEVICE void store(std::uint64_t bin, std::uint64_t count) const {
        if (bytes == 4) static_cast<std::uint32_t*>(counts)[bin] = static_cast<std::uint32_t>(count);
        else static_cast<std::uint64_t*>(counts)[bin] = count;
    }
    KOGGE_DEVICE void add(std::uint64_t bin, std::uint64_t count) const {
        if (bytes == 4)
            simt::atomic_add<simt::Scope::device>(static_cast<std::uint32_t*>(counts) + bin,
                                                  static_cast<std::uint32_t>(count));
        else simt::atomic_add<simt::Scope::device>(static_cast<std::uint64_t*>(counts) + bin, count);
    }
};

/// Counters in shared memory. Each has 2^copies_log2 copies side by side, in different banks, of which a lane has one:
/// with 32 copies no two lanes ever meet.
template <CounterKind kind>
struct HistogramCounters {
    std::uint32_t* words;
    int copies_log2;

    KOGGE_DEVICE void zero(std::uint32_t bins, int thread, int threads) const {
        const auto count = static_cast<std::uint32_t>(histogram_bytes(kind, bins, copies_log2) / 4);
        for (auto i = static_cast<std::uint32_t>(thread); i < count; i += static_cast<std::uint32_t>(threads))
            words[i] = 0;
    }
    KOGGE_DEVICE void add(std::uint32_t bin, std::uint64_t amount) const {
        const auto low = static_cast<std::uint32_t>(amount);
        if constexpr (kind == CounterKind::narrow) {
            simt::atomic_add<simt::Scope::block>(words + bin / 2, low << 16 * (bin % 2));
        } else if constexpr (kind == CounterKind::word) {
            simt::atomic_add<simt::Scope::block>(words + own_copy(bin), low);
        } else {
            std::uint32_t* const both = words + 2 * own_copy(bin);
            const std::uint32_t old = simt::atomic_add<simt::Scope::block>(both, low);
            const auto high = static_cast<std::uint32_t>(amount >> 32) + (old + low < old ? 1u : 0u);
            if (high != 0) simt::atomic_add<simt::Scope::block>(both + 1, high);
        }
    }
    /// The sum of a bin's copies. Neighbouring lanes ask for neighbouring bins.
    KOGGE_DEVICE std::uint64_t get(std::uint32_t bin) const {
        if constexpr (kind == CounterKind::narrow) return words[bin / 2] >> 16 * (bin % 2) & 0xffffu;
        const std::uint32_t copies = 1u << copies_log2, base = bin << copies_log2;
        // A lane begins with another copy where a whole row of banks has been gone through.
        const std::uint32_t first = static_cast<std::uint32_t>(simt::lane()) >> (5 - copies_log2);
        std::uint64_t sum = 0;
        KOGGE_NO_UNROLL
        for (std::uint32_t c = 0; c < copies; ++c) {
            const std::uint32_t at = base + ((c + first) & (copies - 1));
            if constexpr (kind == CounterKind::word) sum += words[at];
            else sum += words[2 * at] | std::uint64_t{words[2 * at + 1]} << 32;
        }
        return sum;
    }

private:
    KOGGE_DEVICE std::uint32_t own_copy(std::uint32_t bin) const {
        return (bin << copies_log2) + (static_cast<std::uint32_t>(simt::lane()) & ((1u << copies_log2) - 1));
    }
};

/// Counts a warp's items, one per lane at a time, in `counters`, which have add(bin, amount). A bin that many lanes
/// have is held, and its items are counted in a register: equal items take turns nowhere, and half of them being equal
/// costs little more. All lanes make every call; kNoBin counts nothing.
template <class Counters>
class HeldCounts {
public:
    KOGGE_DEVICE HeldCounts(const Counters& counters, bool holds) : counters_(counters), holds_(holds) {}

    KOGGE_DEVICE void count(std::uint32_t bin) {
        bool own = bin != detail::kNoBin;
        if (holds_) {
            const simt::mask_t same = simt::ballot(own && bin == held_);
            if (same != 0) {
                count_ += static_cast<std::uint32_t>(simt::count_bits(same));
                own = own && bin != held_;
            } else {
                const std::uint32_t lead = simt::shuffle(bin, 0);
                const simt::mask_t peers = simt::ballot(own && bin == lead);
                const int many = simt::count_bits(peers);
                if (many >= kHistogramWorthHolding) {
                    flush();
                    held_ = lead;
                    count_ = static_cast<std::uint32_t>(many);
                    own = own && bin != lead;
                }
            }
        }
        if (own) counters_.add(bin, 1);
    }
    /// The same with weights: where all lanes have one bin, they are added up first.
    KOGGE_DEVICE void add(std::uint32_t bin, std::uint64_t weight) {
        if (holds_ && simt::all(bin == simt::shuffle(bin, 0))) {
            KOGGE_UNROLL
            for (int lanes = 1; lanes < simt::kWarpSize; lanes *= 2) weight += simt::shuffle_xor(weight, lanes);
            if (bin != detail::kNoBin && simt::lane() == 0) counters_.add(bin, weight);
        } else if (bin != detail::kNoBin) {
            counters_.add(bin, weight);
        }
    }
    /// After the last item, and before others look at the counters.
    KOGGE_DEVICE void flush() {
        if (count_ > 0 && simt::lane() == 0) counters_.add(held_, count_);
        count_ = 0;
        held_ = detail::kNoBin;
    }

private:
    Counters counters_;
    bool holds_;
    std::uint32_t held_ = detail::kNoBin;
    std::uint32_t count_ = 0;  ///< items of the held bin
};

}  // namespace kogge::grid::KOGGE_CODE
