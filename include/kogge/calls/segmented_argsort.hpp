// The order of each segment's keys, as indices, which stand in no array before. Shapes, aliasing, scratch and errors
// are segmented_sort's (segmented_sort.hpp), whose values the indices are.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "kogge/segmented_sort.hpp"

namespace kogge {

/// Where the indices of a segmented argsort count from.
enum class index_origin : std::uint8_t { segment, whole };

/// As sort_options.
struct segmented_argsort_options {
    sort_order order = sort_order::ascending;
    int begin_bit = 0;  ///< first bit of the encoded key that is sorted by
    int end_bit = -1;   ///< one past the last; -1: all bits. begin_bit == end_bit leaves the order unchanged
    zero_order zeros = zero_order::negative_first;
    nan_order nans = nan_order::by_sign;
    index_origin indices = index_origin::segment;  ///< count from the segment's first item, or the whole array's

    constexpr operator sort_options() const { return {order, begin_bit, end_bit, zeros, nans}; }  // NOLINT: the same
};

}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

template <class Index>
concept segmented_index = std::integral<Index> &&(sizeof(Index) == 4 || sizeof(Index) == 8);

/// keys_out may be null.
template <class Key, class Index, class Segments>
void run_segmented_argsort(const Key* keys, Key* keys_out, Index* indices, const item_count& n, bool writes_keys,
                           const Segments& segments, const segmented_argsort_options& options, const exec& how) {
    const char* const call = "segmented_argsort";
    if (n.bound() > 0 && n.bound() - 1 > static_cast<std::uint64_t>((std::numeric_limits<Index>::max)()))
        throw error(errc::invalid_argument, call, "the index type is too small for so many keys");
    keys = array_to_come(keys, kKeysIn);
    if (writes_keys) keys_out = array_to_come(keys_out, kKeysOut);
    const grid::value_array array = value_of<Index>(nullptr, indices);
    run_segmented_sort<Key, grid::moved_values<Index>>({call, keys, keys_out, n, {&array, 1}, writes_keys, true},
                                                       segments, options, how, options.indices == index_origin::whole);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Writes to each segment's places of indices[0 … n) the indices that would sort its keys, equal keys in input order.
/// They count from the segment's first item, unless options.indices says index_origin::whole. Index is a 32- or 64-bit
/// integer; a 32-bit one throws errc::invalid_argument for more than 2^31 (signed) or 2^32 keys. With begins and ends
/// apart, places in gaps stay as they are. Where a device finds offsets that fall or segments that overlap, it writes
/// each place's own index.
template <class Key, detail::segmented_index Index, class Begins, class Ends>
void segmented_argsort(const Key* keys, Index* indices, item_count n, segment_bounds<Begins, Ends> segments,
                       const segmented_argsort_options& options = {}, const exec& how = {}) {
    detail::run_segmented_argsort(keys, static_cast<Key*>(nullptr), indices, n, false,
                                  detail::given_segments("segmented_argsort", segments), options, how);
}
template <class Key, detail::segmented_index Index, class Begins, class Ends>
void segmented_argsort(const Key* keys, Index* indices, item_count n, segment_bounds<Begins, Ends> segments,
                       const exec& how) {
    segmented_argsort(keys, indices, n, segments, segmented_argsort_options{}, how);
}
template <class Key, detail::segmented_index Index, detail::offset_source Offsets>
void segmented_argsort(const Key* keys, Index* indices, item_count n, Offsets offsets, item_count segments,
                       const segmented_argsort_options& options = {}, const exec& how = {}) {
    segmented_argsort(keys, indices, n, segments_of(offsets, segments), options, how);
}
template <class Key, detail::segmented_index Index, detail::offset_source Offsets>
void segmented_argsort(const Key* keys, Index* indices, item_count n, Offsets offsets, item_count segments,
                       const exec& how) {
    segmented_argsort(keys, indices, n, offsets, segments, segmented_argsort_options{}, how);
}
template <class Key, detail::segmented_index Index>
void segmented_argsort(const Key* keys, Index* indices, rows_of rows, const segmented_argsort_options& options = {},
                       const exec& how = {}) {
    const auto segments = detail::given_segments("segmented_argsort", rows);
    detail::run_segmented_argsort(keys, static_cast<Key*>(nullptr), indices, segments.n(), false, segments, options,
                                  how);
}
template <class Key, detail::segmented_index Index>
void segmented_argsort(const Key* keys, Index* indices, rows_of rows, const exec& how) {
    segmented_argsort(keys, indices, rows, segmented_argsort_options{}, how);
}

/// The same, and writes the sorted keys to keys_out, which may be the keys themselves.
template <class Key, detail::segmented_index Index, class Begins, class Ends>
void segmented_argsort(const Key* keys, Key* keys_out, Index* indices, item_count n,
                       segment_bounds<Begins, Ends> segments, const segmented_argsort_options& options = {},
                       const exec& how = {}) {
    detail::run_segmented_argsort(keys, keys_out, indices, n, true,
                                  detail::given_segments("segmented_argsort", segments), options, how);
}
template <class Key, detail::segmented_index Index, class Begins, class Ends>
void segmented_argsort(const Key* keys, Key* keys_out, Index* indices, item_count n,
                       segment_bounds<Begins, Ends> segments, const exec& how) {
    segmented_argsort(keys, keys_out, indices, n, segments, segmented_argsort_options{}, how);
}
template <class Key, detail::segmented_index Index, detail::offset_source Offsets>
void segmented_argsort(const Key* keys, Key* keys_out, Index* indices, item_count n, Offsets offsets,
                       item_count segments, const segmented_argsort_options& options = {}, const exec& how = {}) {
    segmented_argsort(keys, keys_out, indices, n, segments_of(offsets, segments), options, how);
}
template <class Key, detail::segmented_index Index, detail::offset_source Offsets>
void segmented_argsort(const Key* keys, Key* keys_out, Index* indices, item_count n, Offsets offsets,
                       item_count segments, const exec& how) {
    segmented_argsort(keys, keys_out, indices, n, offsets, segments, segmented_argsort_options{}, how);
}
template <class Key, detail::segmented_index Index>
void segmented_argsort(const Key* keys, Key* keys_out, Index* indices, rows_of rows,
                       const segmented_argsort_options& options = {}, const exec& how = {}) {
    const auto segments = detail::given_segments("segmented_argsort", rows);
    detail::run_segmented_argsort(keys, keys_out, indices, segments.n(), true, segments, options, how);
}
template <class Key, detail::segmented_index Index>
void segmented_argsort(const Key* keys, Key* keys_out, Index* indices, rows_of rows, const exec& how) {
    segmented_argsort(keys, keys_out, indices, rows, segmented_argsort_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
