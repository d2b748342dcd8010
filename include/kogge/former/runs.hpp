// The calls of runs.hpp in the order of arguments that they had until version 0.2: n before the outputs.
#pragma once

#include "kogge/runs.hpp"

namespace kogge::KOGGE_CODE {

template <class Item, detail::equality Equal = equal_to>
[[deprecated("n follows the outputs: unique(in, out, n)")]] std::uint64_t unique(const Item* in, item_count n,
                                                                                 Item* out, Equal equal = {},
                                                                                 const exec& how = {}) {
    return unique(in, out, n, equal, how);
}
template <class Item, detail::count_place Runs, detail::equality Equal = equal_to>
[[deprecated("n follows the outputs: unique(in, out, runs, n)")]] detail::count_result<Runs> unique(
    const Item* in, item_count n, Item* out, Runs runs, Equal equal = {}, const exec& how = {}) {
    return unique(in, out, runs, n, equal, how);
}
template <class Key, class Value, detail::equality Equal = equal_to>
[[deprecated("n follows the outputs: unique_by_key(keys_in, values_in, keys_out, values_out, n)")]] std::uint64_t
unique_by_key(const Key* keys_in, const Value* values_in, item_count n, Key* keys_out, Value* values_out,
              Equal equal = {}, const exec& how = {}) {
    return unique_by_key(keys_in, values_in, keys_out, values_out, n, equal, how);
}
template <class Key, class Value, detail::count_place Runs, detail::equality Equal = equal_to>
[[deprecated("n follows the outputs: unique_by_key(keys_in, values_in, keys_out, values_out, runs, n)")]] detail::
    count_result<Runs>
    unique_by_key(const Key* keys_in, const Value* values_in, item_count n, Key* keys_out, Value* values_out, Runs runs,
                  Equal equal = {}, const exec& how = {}) {
    return unique_by_key(keys_in, values_in, keys_out, values_out, runs, n, equal, how);
}
template <class Item, class Length, detail::equality Equal = equal_to>
[[deprecated("n follows the outputs: run_length_encode(in, out, lengths, n)")]] std::uint64_t run_length_encode(
    const Item* in, item_count n, Item* out, Length* lengths, Equal equal = {}, const exec& how = {}) {
    return run_length_encode(in, out, lengths, n, equal, how);
}
template <class Item, class Length, detail::count_place Runs, detail::equality Equal = equal_to>
[[deprecated("n follows the outputs: run_length_encode(in, out, lengths, runs, n)")]] detail::count_result<Runs>
run_length_encode(const Item* in, item_count n, Item* out, Length* lengths, Runs runs, Equal equal = {},
                  const exec& how = {}) {
    return run_length_encode(in, out, lengths, runs, n, equal, how);
}

}  // namespace kogge::KOGGE_CODE
