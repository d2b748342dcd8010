// The calls of partition.hpp in the order of arguments that they had until version 0.2: n before the outputs.
#pragma once

#include "kogge/partition.hpp"

namespace kogge::KOGGE_CODE {

template <class Item, class Predicate>
[[deprecated("n follows the outputs: compact(in, out, n, predicate)")]] std::uint64_t compact(const Item* in,
                                                                                              item_count n, Item* out,
                                                                                              Predicate predicate,
                                                                                              const exec& how = {}) {
    return compact(in, out, n, predicate, how);
}
template <class Item, detail::count_place Place, class Predicate>
[[deprecated("n follows the outputs: compact(in, out, kept, n, predicate)")]] detail::count_result<Place> compact(
    const Item* in, item_count n, Item* out, Place place, Predicate predicate, const exec& how = {}) {
    return compact(in, out, place, n, predicate, how);
}
template <class Item, detail::item_flags Flags>
[[deprecated("n follows the outputs: compact_flags(in, flags, out, n)")]] std::uint64_t compact_flags(
    const Item* in, Flags flags, item_count n, Item* out, const exec& how = {}) {
    return compact_flags(in, flags, out, n, how);
}
template <class Item, detail::item_flags Flags, detail::count_place Place>
[[deprecated("n follows the outputs: compact_flags(in, flags, out, kept, n)")]] detail::count_result<Place>
compact_flags(const Item* in, Flags flags, item_count n, Item* out, Place place, const exec& how = {}) {
    return compact_flags(in, flags, out, place, n, how);
}
template <class Item, class Stencil, class Predicate>
[[deprecated("n follows the outputs: compact_stencil(in, stencil, out, n, predicate)")]] std::uint64_t compact_stencil(
    const Item* in, const Stencil* stencil, item_count n, Item* out, Predicate predicate, const exec& how = {}) {
    return compact_stencil(in, stencil, out, n, predicate, how);
}
template <class Item, class Stencil, detail::count_place Place, class Predicate>
[[deprecated(
    "n follows the outputs: compact_stencil(in, stencil, out, kept, n, predicate)")]] detail::count_result<Place>
compact_stencil(const Item* in, const Stencil* stencil, item_count n, Item* out, Place place, Predicate predicate,
                const exec& how = {}) {
    return compact_stencil(in, stencil, out, place, n, predicate, how);
}
template <class Item, class Predicate>
[[deprecated("n follows the outputs: partition(in, out, n, predicate)")]] std::uint64_t partition(
    const Item* in, item_count n, Item* out, Predicate predicate, const exec& how = {}) {
    return partition(in, out, n, predicate, how);
}
template <class Item, detail::count_place Place, class Predicate>
[[deprecated("n follows the outputs: partition(in, out, kept, n, predicate)")]] detail::count_result<Place> partition(
    const Item* in, item_count n, Item* out, Place place, Predicate predicate, const exec& how = {}) {
    return partition(in, out, place, n, predicate, how);
}
template <class Item, class Predicate>
[[deprecated("n follows the outputs: partition(in, out, n, predicate)")]] std::uint64_t partition(
    const Item* in, item_count n, two_outputs<Item> out, Predicate predicate, const exec& how = {}) {
    return partition(in, out, n, predicate, how);
}
template <class Item, detail::count_place Place, class Predicate>
[[deprecated("n follows the outputs: partition(in, out, kept, n, predicate)")]] detail::count_result<Place> partition(
    const Item* in, item_count n, two_outputs<Item> out, Place place, Predicate predicate, const exec& how = {}) {
    return partition(in, out, place, n, predicate, how);
}
template <class Item, class Bucket>
[[deprecated("n follows the outputs: split(in, out, offsets, n, bins, bucket)")]] void split(
    const Item* in, item_count n, Item* out, std::uint32_t bins, Bucket bucket, detail::offsets_out offsets = nullptr,
    const exec& how = {}) {
    split(in, out, offsets, n, bins, bucket, how);
}
template <class Key, class Value, class Bucket>
[[deprecated(
    "n follows the outputs: split_pairs(keys_in, values_in, keys_out, values_out, offsets, n, bins, bucket)")]] void
split_pairs(const Key* keys_in, const Value* values_in, item_count n, Key* keys_out, Value* values_out,
            std::uint32_t bins, Bucket bucket, detail::offsets_out offsets = nullptr, const exec& how = {}) {
    split_pairs(keys_in, values_in, keys_out, values_out, offsets, n, bins, bucket, how);
}
template <class Out, class CountOf, class Make>
[[deprecated("n follows the outputs: emit(out, capacity, n, count, make)")]] std::uint64_t emit(
    item_count n, Out* out, std::uint64_t capacity, CountOf count, Make make, detail::offsets_out offsets = nullptr,
    const exec& how = {}) {
    return emit(out, capacity, n, count, make, offsets, how);
}
template <class Out, detail::count_place Total, class CountOf, class Make>
[[deprecated("n follows the outputs: emit(out, capacity, total, n, count, make)")]] detail::count_result<Total> emit(
    item_count n, Out* out, std::uint64_t capacity, Total total, CountOf count, Make make,
    detail::offsets_out offsets = nullptr, const exec& how = {}) {
    return emit(out, capacity, total, n, count, make, offsets, how);
}

}  // namespace kogge::KOGGE_CODE
