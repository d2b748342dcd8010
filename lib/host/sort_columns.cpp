#include "kogge/host/sort_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"
#include "kogge/host/radix_sort.hpp"

namespace kogge::host {
namespace {

using kogge::detail::ColumnGroup;
using kogge::detail::ColumnSort;
using kogge::detail::KeyColumn;

/// codes[i] is that of row i, or of row indices[i].
template <class Code, class Index>
void pack(const ColumnGroup& group, const Index* indices, Code* codes, std::uint64_t n, int threads) {
    for_chunks(n, kChunkBytes / sizeof(Code), threads, [=](const Chunk& chunk) {
        for (int c = 0; c < group.count; ++c) {
            const KeyColumn& column = group.columns[c];
            kogge::detail::with_bits_of(column.bytes, [&]<class Bits>(Bits) {
                const auto* const keys = static_cast<const Bits*>(column.keys);
                for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
                    const std::uint64_t row = indices ? std::uint64_t{indices[i]} : i;
                    const Code own = column.with_null(column.code_of<Code>(keys[row]), row);
                    codes[i] = c == 0 ? own : static_cast<Code>(codes[i] << column.bits() | own);
                }
            });
        }
        if (group.count == 0) std::fill(codes + chunk.begin, codes + chunk.end, Code{0});
    });
}

template <class Code>
void unpack(const ColumnGroup& group, const Code* codes, const std::vector<void*>& keys_out, std::uint64_t n,
            int threads) {
    for_chunks(n, kChunkBytes / sizeof(Code), threads, [&](const Chunk& chunk) {
        int shift = group.bits();
        for (int c = 0; c < group.count; ++c) {
            const KeyColumn& column = group.columns[c];
            shift -= column.bits();
            kogge::detail::with_bits_of(column.bytes, [&]<class Bits>(Bits) {
                auto* const keys = static_cast<Bits*>(keys_out[static_cast<std::size_t>(c)]);
                for (std::uint64_t i = chunk.begin; i < chunk.end; ++i)
                    keys[i] = column.key_of<Bits>(static_cast<Code>(codes[i] >> shift));
            });
        }
    });
}

template <class Code>
void sort_codes(Code* codes, bool keeps_codes, const ColumnGroup& group, std::span<const grid::value_array> values,
                std::uint64_t n, int threads) {
    radix_sort(static_cast<const Code*>(codes), keeps_codes ? codes : nullptr, n, kogge::detail::NumberCodec<Code>{}, 0,
               group.bits(), values, threads);
}

template <class Index>
void sort_by_passes(const ColumnSort& sort, const std::vector<ColumnGroup>& groups, Index* indices, int threads) {
    const std::uint64_t n = sort.n.bound();
    for (std::size_t g = 0; g < groups.size(); ++g)
        kogge::detail::with_code_of(groups[g], [&]<class Code>(Code) {
            const Scratch<Code> codes(sort.call, n);
            pack(groups[g], g == 0 ? static_cast<const Index*>(nullptr) : indices, codes.data(), n, threads);
            const grid::value_array moved{g == 0 ? nullptr : indices, indices, sizeof(Index), alignof(Index)};
            sort_codes(codes.data(), g > 0, groups[g], {&moved, 1}, n, threads);
        });
}

void gather(const ColumnSort& sort, const std::uint64_t* indices, int threads) {
    const std::uint64_t n = sort.n.bound();
    for (const grid::value_array& array : sort.moved(true)) {
        const bool in_place = array.in == array.out;
        const Scratch<std::byte> copy(sort.call, in_place ? n * array.bytes : 0);
        const auto* from = static_cast<const std::byte*>(array.in);
        if (in_place) {
            copy_items(copy.data(), from, n * array.bytes, threads);
            from = copy.data();
        }
        detail::gather(static_cast<std::byte*>(array.out), from, array.bytes, indices, n, threads);
    }
}

}  // namespace

void sort_columns(const ColumnSort& sort, int threads) {
    const std::vector<ColumnGroup> groups = kogge::detail::group_columns(sort.columns);
    const std::uint64_t n = sort.n.bound();
    if (groups.size() == 1) {
        const bool unpacks = sort.unpacks(groups);
        kogge::detail::with_code_of(groups[0], [&]<class Code>(Code) {
            const Scratch<Code> codes(sort.call, n);
            pack(groups[0], static_cast<const std::uint32_t*>(nullptr), codes.data(), n, threads);
            const auto moved = sort.moved(sort.writes_keys() && !unpacks);
            sort_codes(codes.data(), sort.writes_keys(), groups[0], moved, n, threads);
            if (unpacks) unpack(groups[0], codes.data(), sort.keys_out, n, threads);
        });
    } else if (sort.writes_keys()) {
        const Scratch<std::uint64_t> indices(sort.call, n);
        sort_by_passes(sort, groups, indices.data(), threads);
        gather(sort, indices.data(), threads);
    } else if (sort.values[0].bytes == 4) {
        sort_by_passes(sort, groups, static_cast<std::uint32_t*>(sort.values[0].out), threads);
    } else {
        sort_by_passes(sort, groups, static_cast<std::uint64_t*>(sort.values[0].out), threads);
    }
}

}  // namespace kogge::host
