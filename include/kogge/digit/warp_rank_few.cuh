// How a warp of a pipelined pass ranks its keys if there are so few digits that atomics would be serialised: by
// ballots. For up to four digits the counters are in registers, so that no row waits for the previous row's counters.
// (H200, 2^28 u32 into two bins: 946 us, with counters in shared memory 1110; with u32 values 1490 and 1690. Counters
// of sixteen digits in registers take 1405 us; atomics, which are hardly serialised then, 1090.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/digit/key_digits.cuh"

namespace kogge::grid::KOGGE_CODE {

inline constexpr int kFewDigitBits = 4;
/// The number of digits. The lowest bits of kBins − 1, the digit past the end of the input, are none of them.
inline constexpr std::uint32_t kFewDigits = (1u << kFewDigitBits) - 1;
inline constexpr std::uint32_t kRegisterDigits = 4;

/// Ranks of up to 2^bits digits. Lane d counts digit d.
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
                     own = simt::kAllLanes;  // lanes of this lane's digit; lanes of the digit counted here
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
    /// Writes the counts to a row of zeros. All lanes call.
    KOGGE_DEVICE void finish(std::uint32_t* row) const {
        if (simt::lane() < 1 << bits) row[simt::lane()] = count_;
    }

private:
    std::uint32_t count_ = 0;
    simt::mask_t differs_[std::size_t{bits}];  ///< all ones where this lane's number has a zero bit
};

/// Calls keep(i, rank) for the digit(i) of each register i; digits are at most `last`. The row is zero before, and
/// holds the counts afterwards. All lanes call.
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
