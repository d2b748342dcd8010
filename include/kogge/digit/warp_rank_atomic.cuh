// How a warp of a pipelined pass ranks its keys by atomics. Their throughput depends on how many lanes share a digit.
// One digit that fills much of a row bypasses the counters, at one ballot per row. If several digits do, ballots on all
// bits of the digit are faster.
#pragma once

#include <cstdint>

#include "kogge/digit/key_digits.cuh"
#include "kogge/digit/lane_order.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The digit that many lanes share, if any. All lanes call.
struct Crowd {
    static constexpr int kFew = 6;  ///< atomics of this many lanes of a digit take no longer than a ballot

    std::uint32_t digit = kBins;  ///< kBins: none
    bool is_one_of_many;          ///< more than `most` lanes share another digit, too

    KOGGE_DEVICE Crowd(std::uint32_t mine, int most) {
        const int alike = simt::count_bits(simt::match_digit<kDigitBits>(mine));
        const simt::mask_t many = simt::ballot(alike > most), some = simt::ballot(alike > kFew);
        if (some != 0) digit = simt::shuffle(mine, simt::lowest_bit(many != 0 ? many : some));
        is_one_of_many = simt::any(alike > most && mine != digit);
    }
};

/// Calls keep(i, rank) for the digit(i) of each register i. The row's counters are zero before. True if the ranks hold,
/// and then the row holds the counts; otherwise its counters are zero again. All lanes call.
template <int items, class Server, class Digit, class Keep>
KOGGE_DEVICE bool rank_by_atomics(Server server, std::uint32_t* row, const Digit& digit, const Keep& keep) {
    const Crowd crowd(digit(0), Server::kMostAlike);
    if (crowd.is_one_of_many) return false;
    if (crowd.digit == kBins) {
        for_each_item<items>([&](int i) { keep(i, server.serve(digit(i), row, true)); });
        return server.finish(row);
    }
    std::uint32_t led = 0;
    for_each_item<items>([&](int i) {
        const std::uint32_t mine = digit(i);
        const simt::mask_t lanes = simt::ballot(mine == crowd.digit);
        const std::uint32_t rank = server.serve(mine, row, mine != crowd.digit);
        keep(i, mine == crowd.digit ? led + static_cast<std::uint32_t>(simt::count_bits(lanes & simt::lanes_before()))
                                    : rank);
        led += static_cast<std::uint32_t>(simt::count_bits(lanes));
    });
    if (!server.finish(row)) return false;
    simt::sync_warp();  // the counts of the other digits are complete
    if (simt::lane() == 0) row[crowd.digit] = led;
    return true;
}

}  // namespace kogge::grid::KOGGE_CODE
