// How a warp of a pipelined pass ranks its keys where digits are so few that atomics would queue up: by ballots. Of up
// to four digits the counters are in registers, so that no row waits for the counters of the one before. (H200, 2^28
// u32 into two bins: 946 us, with counters in shared memory 1110; with u32 values 1490 and 1690. Counters of sixteen
// digits in registers take 1405 us; by atomics, which hardly queue up then, it is 1090.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/digit/key_digits.cuh"

namespace kogge::grid::KOGGE_CODE {

inline constexpr int kFewDigitBits = 4;
/// So many digits: the lowest bits of kBins - 1, for places past the end, are of none of them.
inline constexpr std::uint32_t kFewDigits = (1u << kFewDigitBits) - 1;
inline constexpr std::uint32_t kRegisterDigits = 4;

/// Ranks of up to 2^bits digits: lane d counts digit d.
template <int bits>
class RegisterRanks {
public:
    KOGGE_DEVICE RegisterRanks() {
        KOGGE_UNROLL
        for (int b = 0; b < bits; ++b) differs_[b] = simt::lane() >> b & 1 ? 0 : simt::kAllLanes;
    }
    /// The rank of this lane's digit. All lanes call, register after register.
    KOGGE_DEVICE std::uint32_t rank(std::uint32_t digit) {
        simt::mask_t peers = simt::kAllLanes,
                     own = simt::kAllLanes;  // lanes of this digit, and of the one counted here
        KOGGE_UNROLL
        for (int b = 0; b < bits; ++b) {
            const bool is_set = (digit >> b & 1) != 0;
            const simt::mask_t votes = simt::ballot(is_set);
            peers &= is_set ? votes : ~votes;
            own &= votes ^ differs_[b];
        }
        const std::uint32_t seen = simt::shuffle(count_, static_cast<int>(digit));
        count_ += static_cast<std::uint32_t>(simt::count_bits(own));
        return seen + static_cast<std::uint32_t>(simt::count_bits(peers & simt::lanes_before()));
    }
    /// Leaves the counts in a row of zeros. All lanes call.
    KOGGE_DEVICE void finish(std::uint32_t* row) const {
        if (simt::lane() < 1 << bits) row[simt::lane()] = count_;
    }

private:
    std::uint32_t count_ = 0;
    simt::mask_t differs_[std::size_t{bits}];  ///< all bits where this lane's number has a zero
};

/// keep(i, rank) for the digit(i) of each register i, which are up to `last`; the row, of zeros, then holds the counts.
/// All lanes call.
template <int items, class Digit, class Keep>
KOGGE_DEVICE void rank_few(std::uint32_t last, std::uint32_t* row, const Digit& digit, const Keep& keep) {
    const auto in_registers = [&]<int bits>(std::integral_constant<int, bits>) {
        RegisterRanks<bits> ranks;
        for_each_item<items>([&](int i) { keep(i, ranks.rank(digit(i))); });
        ranks.finish(row);
    };
    if (last < 2) in_registers(std::integral_constant<int, 1>{});
    else if (last < kRegisterDigits) in_registers(std::integral_constant<int, 2>{});
    else for_each_item<items>([&](int i) { keep(i, rank_in_order<kFewDigitBits>(digit(i), row)); });
}

}  // namespace kogge::grid::KOGGE_CODE
