// Sorts by several columns: codes of neighbouring columns, packed into one number per row, are sorted by the library's
// radix sorts.
#include "kogge/detail/sort_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kogge/engine/gather.cuh"
#include "kogge/plan/radix_sort.hpp"
#include "kogge/sort/common/shape.hpp"

namespace kogge::grid {
namespace {

using detail::ColumnGroup;
using detail::ColumnSort;
using detail::KeyColumn;

/// Rows of a thread whose keys are loaded together: of 1024 threads, 4 loads of 4 bytes each are on their way.
inline constexpr int kPackedRows = 4;

/// The rows whose codes are wanted: all in order, or those that indices of 4 or 8 bytes say.
struct Rows {
    const void* indices;
    std::size_t index_bytes;
    KOGGE_DEVICE std::uint64_t operator[](std::uint64_t i) const {
        if (!indices) return i;
        return index_bytes == 4 ? static_cast<const std::uint32_t*>(indices)[i]
                                : static_cast<const std::uint64_t*>(indices)[i];
    }
};

/// The codes of one column's rows are appended to `codes`.
template <class Code, class Bits>
KOGGE_DEVICE void append_codes(const KeyColumn& column, const std::uint64_t (&rows)[kPackedRows],
                               Code (&codes)[kPackedRows], bool is_first) {
    const auto* const keys = static_cast<const Bits*>(column.keys);
    Bits loaded[kPackedRows];
    KOGGE_UNROLL
    for (int r = 0; r < kPackedRows; ++r) loaded[r] = keys[rows[r]];
    KOGGE_UNROLL
    for (int r = 0; r < kPackedRows; ++r) {
        const Code own = column.with_null(column.code_of<Code>(loaded[r]), rows[r]);
        codes[r] = is_first ? own : static_cast<Code>(codes[r] << column.bits() | own);
    }
}

/// Global traffic: one read of each column and of the indices, one write of the codes. All lanes take the same branches
/// but at null keys.
template <class Code>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    pack_columns_kernel(ColumnGroup group, Rows of, Code* out, Count count) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get();
    constexpr std::uint64_t kTile = static_cast<std::uint64_t>(kMoveThreads) * kPackedRows;
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kTile;
    for (std::uint64_t first =
             static_cast<std::uint64_t>(simt::block_rank()) * kTile + static_cast<std::uint64_t>(simt::thread_rank());
         first < n; first += step) {
        std::uint64_t rows[kPackedRows];
        Code codes[kPackedRows] = {};
        KOGGE_UNROLL
        for (int r = 0; r < kPackedRows; ++r) {
            const std::uint64_t i = first + static_cast<std::uint64_t>(r * kMoveThreads);
            rows[r] = of[i < n ? i : n - 1];
        }
        for (int c = 0; c < group.count; ++c)
            detail::with_bits_of(group.columns[c].bytes, [&]<class Bits>(Bits) {
                append_codes<Code, Bits>(group.columns[c], rows, codes, c == 0);
            });
        KOGGE_UNROLL
        for (int r = 0; r < kPackedRows; ++r) {
            const std::uint64_t i = first + static_cast<std::uint64_t>(r * kMoveThreads);
            if (i < n) out[i] = codes[r];
        }
    }
}

/// To the columns of the group, which are outputs here. Global traffic: one read of the codes, one write of each
/// column.
template <class Code>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    unpack_columns_kernel(ColumnGroup group, const Code* codes, Count count) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads +
                           static_cast<std::uint64_t>(simt::thread_rank());
         i < n; i += step) {
        Code code = codes[i];
        for (int c = group.count - 1; c >= 0; --c) {
            const KeyColumn& column = group.columns[c];
            detail::with_bits_of(column.bytes, [&]<class Bits>(Bits) {
                static_cast<Bits*>(const_cast<void*>(column.keys))[i] = column.key_of<Bits>(code);
            });
            if (c > 0) code = static_cast<Code>(code >> column.bits());
        }
    }
}

/// A sort of one group's codes, with what moves with them.
struct SortOfCodes {
    const ColumnGroup& group;
    std::vector<value_array> values;
    bool writes_codes;  ///< false: they are only read, and the value is the index
    radix_sort_shape shape() const {
        return sort_shape(group.code_bytes(), 0, group.bits(), writes_codes, writes_codes, false, values);
    }
};

std::vector<SortOfCodes> sorts_of(const ColumnSort& sort, const std::vector<ColumnGroup>& groups, void* indices,
                                  std::size_t index_bytes) {
    if (groups.size() == 1)
        return {{groups[0], sort.moved(sort.writes_keys() && !sort.unpacks(groups)), sort.writes_keys()}};
    std::vector<SortOfCodes> sorts;
    for (const ColumnGroup& group : groups) {
        const bool is_first = sorts.empty();
        // Until there is memory for indices, any address says that they are sorted in place.
        void* const place = indices ? indices : simt::stand_in(0);
        sorts.push_back({group, {{is_first ? nullptr : place, place, index_bytes, index_bytes}}, !is_first});
    }
    return sorts;
}

/// The least scratch that a sort can do with.
std::size_t least_scratch(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device) {
    std::size_t low = 0, high = plan_radix_sort(n, shape, device).scratch_bytes;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        try {
            high = std::min(middle, plan_radix_sort(n, shape, device, middle).scratch_bytes);
        } catch (const error&) {
            low = middle + 1;
        }
    }
    return high;
}

/// Scratch of the widest sort, within `limit`; `beside` is what the call takes besides.
std::size_t scratch_of_sorts(const ColumnSort& sort, const std::vector<SortOfCodes>& sorts, std::size_t limit,
                             std::size_t beside, const device_properties& device) {
    const auto most_of = [&](const auto& scratch) {
        std::size_t most = 0;
        for (const SortOfCodes& each : sorts) most = std::max(most, scratch(each.shape()));
        return most;
    };
    try {
        if (beside <= limit)
            return most_of([&](const radix_sort_shape& shape) {
                const std::size_t left = limit == kNoLimit ? kNoLimit : limit - beside;
                return plan_radix_sort(sort.n.bound(), shape, device, left).scratch_bytes;
            });
    } catch (const error& failure) {
        if (failure.code() != errc::out_of_memory) throw;
    }
    const std::size_t least =
        beside + most_of([&](const radix_sort_shape& shape) { return least_scratch(sort.n.bound(), shape, device); });
    throw error(errc::out_of_memory, sort.call,
                "at least " + std::to_string(least) + " bytes of scratch are needed, but exec.scratch_limit is " +
                    std::to_string(limit));
}

/// Calls sort(Moved{}) with what moves with the codes.
template <class Sort>
void with_moved(const std::vector<value_array>& values, const Sort& sort) {
    if (values.empty()) return sort(NoValue{});
    if (values.size() == 1 && travels({values[0].bytes, values[0].alignment})) {
        if (values[0].bytes == 4) return sort(std::uint32_t{});
        if (values[0].bytes == 8) return sort(std::uint64_t{});
        return sort(uint128{});
    }
    sort(ByIndex{});
}

}  // namespace

void device_sort_columns(const ColumnSort& sort, const exec& how) {
    const item_count& n = sort.n;
    if (n.bound() == 0) return;
    const std::vector<ColumnGroup> groups = detail::group_columns(sort.columns);
    const device_properties device = simt::properties_of(how.stream);
    // With several groups, indices are sorted; where they are not the result, all arrays follow them at the end.
    const bool gathers = groups.size() > 1 && sort.writes_keys();
    const std::size_t index_bytes = !sort.writes_keys()                   ? sort.values[0].bytes
                                    : n.bound() <= std::uint64_t{1} << 32 ? 4
                                                                          : 8;
    const std::vector<value_array> gathered = gathers ? sort.moved(true) : std::vector<value_array>{};
    std::size_t code_bytes = 0, widest = 0;
    for (const ColumnGroup& group : groups) code_bytes = std::max(code_bytes, group.code_bytes());
    for (const value_array& array : gathered)
        if (array.in == array.out) widest = std::max(widest, array.bytes);

    struct Memory {
        std::byte *codes, *copy, *indices, *of_sorts;
    };
    std::size_t sort_bytes = 0;
    const auto carve = [&](detail::Carver& carver) {
        Memory memory{};
        carver.take_in_turns([&] { memory.codes = carver.take<std::byte>(n.bound() * code_bytes); },
                             [&] { memory.copy = carver.take<std::byte>(n.bound() * widest); });
        memory.indices = carver.take<std::byte>(gathers ? n.bound() * index_bytes : 0);
        memory.of_sorts = carver.take<std::byte>(sort_bytes);
        return memory;
    };
    detail::Carver beside;
    carve(beside);
    std::vector<SortOfCodes> sorts = sorts_of(sort, groups, nullptr, index_bytes);
    const std::size_t own = detail::scratch_with_slack(beside.used());
    sort_bytes = scratch_of_sorts(sort, sorts, how.scratch_limit, own, device);
    detail::Carver all;
    carve(all);
    const detail::CarvedScratch memory(sort.call, how, detail::scratch_with_slack(all.used()), carve);

    void* const indices = gathers ? memory->indices : sort.writes_keys() ? nullptr : sort.values[0].out;
    sorts = sorts_of(sort, groups, indices, index_bytes);
    exec inner = how;
    inner.space = {memory->of_sorts, sort_bytes};
    if (how.scratch_limit != kNoLimit) inner.scratch_limit = how.scratch_limit - own;
    for (const SortOfCodes& each : sorts) {
        const bool is_first = &each == sorts.data();
        detail::with_code_of(each.group, [&]<class Code>(Code) {
            auto* const codes = reinterpret_cast<Code*>(memory->codes);
            simt::launch(pack_columns_kernel<Code>,
                         move_shape(divide_up(n.bound(), kPackedRows), how.stream, "pack_columns_kernel"), each.group,
                         Rows{is_first ? nullptr : indices, index_bytes}, codes, Count{n.bound(), n.on_device()});
            with_moved(each.values, [&]<class Moved>(Moved) {
                device_radix_sort<Moved, LibraryCode>(
                    sort.call, static_cast<const Code*>(codes), each.writes_codes ? codes : nullptr, n,
                    detail::NumberCodec<Code>{}, detail::BitRange{0, each.group.bits()}, each.values, inner);
            });
            if (!sort.unpacks(groups)) return;
            ColumnGroup out = each.group;
            for (std::size_t c = 0; c < sort.keys_out.size(); ++c) out.columns[c].keys = sort.keys_out[c];
            simt::launch(unpack_columns_kernel<Code>, move_shape(n.bound(), how.stream, "unpack_columns_kernel"), out,
                         static_cast<const Code*>(codes), Count{n.bound(), n.on_device()});
        });
    }
    gather_values(gathered, indices, index_bytes, memory->copy, n, how.stream);
}

}  // namespace kogge::grid
