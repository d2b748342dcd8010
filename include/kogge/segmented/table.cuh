// The table by which a long segment is first split. Digits of codes are a poor first split of floats, whose keys crowd
// the codes of few exponents. A table adapts to the keys: a sample of them is counted in cells, which the highest bits
// of a code name, and cells are joined to bins of about as many keys.
//
// A bin is a subtree of the binary tree over the cells: one that holds few samples while its parent does not, or a
// single cell. So the keys of a bin agree in their highest bits, and the splits that follow are by digits of the rest.
// The sample affects the time, never the result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/block/scan.cuh"
#include "kogge/segmented/shape.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The tree over the cells, as a heap in shared memory: node 1 is the root, and node kTableCells + c is cell c. A node
/// has the number of samples in its cells.
struct CellTree {
    static constexpr std::uint32_t kSamples = 4096, kRun = 8;  ///< samples, in runs of consecutive keys
    static constexpr std::uint32_t kCells = kTableCells, kEach = kCells / kTileThreads;
    static constexpr int kChoices = 5;
    static constexpr std::uint32_t kLeastMost = kSamples / 256;
    using Network = block::ShuffleScan<kBins>;

    std::uint16_t* nodes;
    std::uint32_t* joins;  ///< [kChoices]

    KOGGE_DEVICE std::uint32_t* words() const { return reinterpret_cast<std::uint32_t*>(nodes); }

    /// Counts the samples of a segment: cell_at(place) is the cell of a key. All threads call, after a block barrier;
    /// one must follow.
    template <class CellAt>
    KOGGE_DEVICE void count(std::uint64_t begin, std::uint64_t length, const CellAt& cell_at) const {
        const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
        for (std::uint32_t w = thread; w < kCells; w += kTileThreads) words()[w] = 0;
        if (thread < kChoices) joins[thread] = 0;
        simt::sync_block();  // the tree is empty
        const std::uint64_t runs = kSamples / kRun;
        constexpr std::uint32_t each = kSamples / kTileThreads;  // loads in flight
        static_assert(each * kTileThreads == kSamples);
        std::uint32_t cells[std::size_t{each}];
        KOGGE_UNROLL
        for (std::uint32_t u = 0; u < each; ++u) {
            const std::uint32_t sample = thread + u * kTileThreads;
            const std::uint64_t place = (length - kRun) * (sample / kRun) / (runs - 1) + sample % kRun;
            cells[u] = kCells + cell_at(begin + place);
        }
        KOGGE_UNROLL
        for (std::uint32_t u = 0; u < each; ++u)
            simt::atomic_add<simt::Scope::block>(words() + cells[u] / 2, 1u << cells[u] % 2 * 16);
        simt::sync_block();  // the cells' samples are counted
        for (std::uint32_t size = kCells / 2; size > 0; size /= 2) {
            for (std::uint32_t node = size + thread; node < 2 * size; node += kTileThreads)
                nodes[node] = static_cast<std::uint16_t>(nodes[2 * node] + nodes[2 * node + 1]);
            simt::sync_block();  // the level is summed
        }
        // A node of more samples than `most` is divided; there is one bin more than such nodes.
        std::uint32_t divided[kChoices] = {};
        for (std::uint32_t node = thread; node < kCells; node += kTileThreads)
            for (int c = 0; c < kChoices; ++c) divided[c] += node > 0 && nodes[node] > kLeastMost << c ? 1u : 0u;
        for (int c = 0; c < kChoices; ++c) {
            const std::uint32_t sum = simt::reduce_add(divided[c]);
            if (simt::lane() == 0) simt::atomic_add<simt::Scope::block>(joins + c, sum);
        }
    }
    /// Writes the table: cells below `shift` low bits. All threads call, after a block barrier.
    KOGGE_DEVICE void write(unsigned char* table, int shift, Network::template Storage<std::uint32_t>& network) const {
        std::uint32_t most = kLeastMost << (kChoices - 1);
        for (int c = kChoices - 2; c >= 0; --c)
            if (joins[c] < kBins) most = kLeastMost << c;
        const auto first = static_cast<std::uint32_t>(simt::thread_rank()) * kEach;
        std::uint32_t begins = 0, own = 0;  // a bit per cell: a bin begins there
        int low_bits[kEach];
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < kEach; ++i) {
            int bits = kCellBits;
            while (bits > 0 && nodes[(kCells + first + i) >> bits] > most) --bits;
            low_bits[i] = bits;
            if ((first + i) % (1u << bits) == 0) begins |= 1u << i;
        }
        own = static_cast<std::uint32_t>(simt::count_bits(begins));
        const auto prefix = Network::scan(own, kBins, plus{}, network);
        std::uint32_t bin = prefix.has_before ? prefix.before : 0;  // bins that begin earlier
        KOGGE_UNROLL
        for (std::uint32_t i = 0; i < kEach; ++i) {
            bin += begins >> i & 1u;
            table[first + i] = static_cast<unsigned char>(bin - 1);
            if ((begins >> i & 1u) != 0) table[kTableCells + bin - 1] = static_cast<unsigned char>(shift + low_bits[i]);
        }
    }

private:
    /// The least choice always leaves room: on each of the kCellBits levels of the tree, few nodes have so many
    /// samples.
    static_assert(kCellBits * (kSamples / (kLeastMost << (kChoices - 1))) < kBins);
};

/// The digit of a split of long segments: an entry of a table, or eight bits from `from` on.
template <class Pass, class Bucket>
struct LongDigit : Pass {
    const Bucket& bucket;
    const unsigned char* table;  ///< null: none
    int from;
    std::uint32_t mask;  ///< so that both kinds differ in a load alone, which needs no branch

    KOGGE_DEVICE LongDigit(const Bucket& digits, const unsigned char* entries, int low)
        : Pass(digits.in_pass(0)), bucket(digits), table(entries), from(low), mask(entries ? ~0u : kBins - 1u) {}
    template <class Item>
    KOGGE_DEVICE std::uint32_t operator()(const Item& item) const {
        std::uint32_t digit = static_cast<std::uint32_t>(bucket.item_code(item) >> from) & mask;
        if (table) digit = table[digit];
        return digit;
    }
};

}  // namespace kogge::grid::KOGGE_CODE
