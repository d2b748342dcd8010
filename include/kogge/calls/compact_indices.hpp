// Indices of the items that a compaction would keep, in ascending order (PyTorch's nonzero). Items are not read:
// indices are made from positions.
//
// Shared by all of them
//   indices      out[0 … kept) of any integer type that holds n − 1; otherwise errc::invalid_argument is thrown. `out`
//                has room for as many as there are.
//   the decision byte flags, the bits of a kogge::bit_mask, or anything else with operator[], of which those that
//                convert to true count as set; or a predicate of a stencil's items. Of kogge::positions{} it is a
//                predicate of the index itself. A predicate is called exactly once per item.
//   aliasing     what decides is only read, and must not overlap written arrays, otherwise errc::overlap is thrown;
//                where `out` ends is not checked (partition.hpp).
//   prebuilt     by byte flags and by bits, for indices of 4 and 8 bytes; others need a file compiled by nvcc.
//   scratch      on the device as plan_compact(n, sizeof(index), false, false, device) says.
//   the rest     counts, results, errors and synchronisation as compact of partition.hpp. n has 64 bits: no chunks.
//   method       a compaction whose tiles hold what decides, flags (compact/sparse_pipeline.cuh) or the items of an
//   array
//                (compact/stencil_pipeline.cuh): it is read once, and each index written once.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "kogge/partition.hpp"

namespace kogge::detail::KOGGE_CODE {

template <class Index>
concept index_type = std::integral<Index> && !std::same_as<Index, bool> && !std::is_const_v<Index>;

template <class Index>
void check_indices(const char* call, std::uint64_t n) {
    constexpr auto most = static_cast<std::uint64_t>((std::numeric_limits<Index>::max)());
    if (n > 0 && n - 1 > most)
        throw error(errc::invalid_argument, call,
                    "indices of " + std::to_string(sizeof(Index)) + " bytes go up to " + std::to_string(most) +
                        ", but there may be " + std::to_string(n) + " items; give wider ones");
}

template <class Keep, class Index, count_place Place>
count_result<Place> indices_by(const char* call, const Decision<Keep>& by, const item_count& n, Index* out,
                               const Place& place, const exec& how) {
    check_indices<Index>(call, n.bound());
    // Signed indices are written as the unsigned ones of their size, which are the same bits.
    using Written = std::make_unsigned_t<Index>;
    const Region to = open_region(call, out, n.bound(), "out");
    const RunsOn where = check_call(call, how, n, {by.reads}, {to, count_region(call, place, n.bound())});
    return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* total) {
        auto* const indices = reinterpret_cast<Written*>(out);
        run_compact(call, where, Positions<Written>{}, n, indices, static_cast<Written*>(nullptr), total, by.keep, how);
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Writes the indices of the flags that are set. Returns their number, and waits for it.
template <detail::item_flags Flags, detail::index_type Index>
std::uint64_t compact_indices(Flags flags, Index* out, item_count n, const exec& how = {}) {
    return detail::indices_by("compact_indices", detail::by_flags(flags, n), n, out, detail::NoPlace{}, how);
}
/// As above, with a place for the number: a pointer to an integer, without waiting, or a count_at.
template <detail::item_flags Flags, detail::index_type Index, detail::count_place Kept>
detail::count_result<Kept> compact_indices(Flags flags, Index* out, Kept kept, item_count n, const exec& how = {}) {
    return detail::indices_by("compact_indices", detail::by_flags(flags, n), n, out, kept, how);
}

/// Writes the indices i with predicate(stencil[i]): compact_indices(x, out, n, is_not_zero), or, by the index itself,
/// compact_indices(kogge::positions{}, out, n, predicate).
template <detail::item_input Stencil, detail::index_type Index, class Predicate>
requires(!std::is_same_v<Predicate, exec>) std::uint64_t
    compact_indices(Stencil stencil, Index* out, item_count n, Predicate predicate, const exec& how = {}) {
    const char* const call = "compact_indices";
    return detail::indices_by(call, detail::by_stencil(call, detail::read_only(stencil), n, predicate), n, out,
                              detail::NoPlace{}, how);
}
template <detail::item_input Stencil, detail::index_type Index, detail::count_place Kept, class Predicate>
requires(!std::is_same_v<Predicate, exec>) detail::count_result<Kept> compact_indices(Stencil stencil, Index* out,
                                                                                      Kept kept, item_count n,
                                                                                      Predicate predicate,
                                                                                      const exec& how = {}) {
    const char* const call = "compact_indices";
    return detail::indices_by(call, detail::by_stencil(call, detail::read_only(stencil), n, predicate), n, out, kept,
                              how);
}

}  // namespace kogge::KOGGE_CODE
