// Lexicographic sorts by several arrays of keys, the columns of a table: rows are ordered by the first column, rows
// that it does not tell apart by the second one, and so on. Stable.
//
//     kogge::argsort(kogge::arrays(rows, columns), indices, n);
//     kogge::radix_sort_pairs(kogge::arrays(rows, columns), weights, n);
//     kogge::argsort(kogge::columns(kogge::column(price, {.order = kogge::descending}),
//                                   kogge::column(name, {.valid = mask, .nulls = kogge::null_order::first})), indices,
//                                   n);
//
// Shared by all of them
//   items        n counts rows; each column, value array and array of indices has n items.
//   columns      arrays(a, b, …), which the options order, each on its own bit range; or columns(…) of pointers and of
//                column(a, {…}), each with options of its own: order, bits, zeros, NaNs, and which keys are null. Keys
//                are integers to 128 bit, enumerations, std::byte, bool, half, bfloat16, float and double.
//   nulls        by a bitmap as Arrow has it, in words of 4 bytes. Null keys of a column are equal, whatever its array
//                holds; they stand first or last in both orders. A sort moves what the arrays hold, and no bitmaps:
//                argsort says where each bit belongs.
//   values       arrays of any type that travels as bytes; kogge::arrays(a, b, …) moves several.
//   aliasing     as radix_sort: in place, or each array's in and out are apart or the same, and different arrays are
//                apart; any other overlap throws errc::overlap. Columns of argsort may be one array. Bitmaps overlap no
//                output.
//   cost         a read of the columns and a write of codes, each of the columns' bits together (a bitmap counts one),
//                in 4, 8 or 16 bytes; a radix sort of these; where keys are written, a read of the sorted codes and a
//                write of the keys if all bits of the keys count and no keys are equal that differ, otherwise each
//                column moves as a value does. Above 128 bits, or 16 columns, there are as few such sorts as hold that
//                much each, the last columns first, of which all but the first pack their codes by indices that travel;
//                where keys are written, all arrays are gathered by them at the end.
//   scratch      on the device the codes, the indices where they travel and are no result, and what radix_sort takes:
//                the fastest way within exec.scratch_limit; scratch_bytes says how much.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside a key,
//                a device_count on the host), overlap, unreachable, out_of_memory (scratch).
//   exec         may stand right behind the arguments that a call is given.
//   method       sorts of packed codes; where they are too wide, stable sorts from the last columns on, as radix sorts
//                take digits (H. Seward, 1954).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/arrays.hpp"
#include "kogge/detail/sort_columns.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/sort_columns.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/types/columns.hpp"

namespace kogge::detail::KOGGE_CODE {

/// Arrays to come of these sorts are numbered from here, those of values by as many more.
enum : int { kColumnsIn = 2000, kColumnsOut = 3000, kColumnValues = 1000 };

inline ColumnSort sort_of_columns(const char* call, const item_count& n) { return {call, {}, {}, {}, n}; }

template <class... Keys>
void add_columns(ColumnSort& sort, const column_pack<Keys...>& keys) {
    const auto add = [&](const auto& column) {
        KeyColumn plain = plain_column(sort.call, column);
        plain.keys = array_to_come(plain.keys, kColumnsIn + static_cast<int>(sort.columns.size()));
        sort.columns.push_back(plain);
    };
    std::apply([&](const auto&... each) { (add(each), ...); }, keys.each);
}

/// In place.
template <class... Keys>
void add_keys(ColumnSort& sort, const column_pack<Keys...>& keys) {
    static_assert(!(std::is_const_v<Keys> || ...),
                  "keys sorted in place are not const; out of place, give arrays for the results");
    add_columns(sort, keys);
    for (const KeyColumn& column : sort.columns) sort.keys_out.push_back(const_cast<void*>(column.keys));
}
template <class... Keys, class... Out>
void add_keys(ColumnSort& sort, const column_pack<Keys...>& keys, const array_pack<Out...>& out) {
    static_assert(sizeof...(Keys) == sizeof...(Out), "each column has an array for its result");
    static_assert(std::is_same_v<std::tuple<std::remove_const_t<Keys>...>, std::tuple<Out...>>,
                  "results are arrays of the columns' types");
    add_columns(sort, keys);
    const auto add = [&](void* array) {
        sort.keys_out.push_back(array_to_come(array, kColumnsOut + static_cast<int>(sort.keys_out.size())));
    };
    std::apply([&](auto*... each) { (add(each), ...); }, out.pointers);
}

template <class Value>
array_pack<Value> as_arrays(Value* values) {
    return {{values}};
}
template <class... Values>
array_pack<Values...> as_arrays(const array_pack<Values...>& values) {
    return values;
}

/// One array of values, or several.
template <class T>
inline constexpr bool is_value_arrays = std::is_pointer_v<T>&& std::is_object_v<std::remove_pointer_t<T>>;
template <class... Values>
inline constexpr bool is_value_arrays<array_pack<Values...>> = true;
template <class T>
concept value_arrays = is_value_arrays<T>;

template <class... In, class... Out, std::size_t... which>
void add_values(ColumnSort& sort, const array_pack<In...>& in, const array_pack<Out...>& out, bool in_place,
                std::index_sequence<which...>) {
    const auto add = [&]<class Value>(const Value* from, Value* to, int number) {
        to = array_to_come(to, kColumnsOut + kColumnValues / 2 + number);
        from = in_place ? to : array_to_come(from, kColumnsIn + kColumnValues / 2 + number);
        sort.values.push_back(value_of<Value>(from, to));
    };
    (add.template operator()<Out>(std::get<which>(in.pointers), std::get<which>(out.pointers), static_cast<int>(which)),
     ...);
}
template <class... In, class... Out>
void add_values(ColumnSort& sort, const array_pack<In...>& in, const array_pack<Out...>& out, bool in_place = false) {
    static_assert(sizeof...(In) == sizeof...(Out), "each array of values has one for its result");
    static_assert(std::is_same_v<std::tuple<std::remove_const_t<In>...>, std::tuple<Out...>>,
                  "results are arrays of the values' types");
    add_values(sort, in, out, in_place, std::index_sequence_for<In...>{});
}

inline void run_column_sort(const ColumnSort& sort, const exec& how) {
    const std::uint64_t n = sort.n.bound();
    std::vector<Region> reads, writes;
    for (std::size_t c = 0; c < sort.columns.size(); ++c) {
        const std::uint64_t bytes = bytes_of(sort.call, n, static_cast<std::size_t>(sort.columns[c].bytes));
        reads.push_back({sort.columns[c].keys, bytes, "the keys"});
        if (sort.writes_keys()) writes.push_back({sort.keys_out[c], bytes, "the sorted keys"});
    }
    for (const grid::value_array& array : sort.values) {
        const std::uint64_t bytes = bytes_of(sort.call, n, array.bytes);
        if (sort.writes_keys()) reads.push_back({array.in, bytes, "the values"});
        writes.push_back({array.out, bytes, sort.writes_keys() ? "the sorted values" : "the indices"});
    }
    for (const KeyColumn& column : sort.columns)
        if (column.valid && n > 0) {
            const std::uint64_t first = column.valid_from / 32, last = (column.valid_from + n - 1) / 32;
            reads.push_back({column.valid + first, (last - first + 1) * sizeof(std::uint32_t), "the validity bitmap"});
        }
    const RunsOn where = check_call(sort.call, how, sort.n, reads, writes, sort.writes_keys() ? writes.size() : 0);
    if (n == 0) return;
    if (where == backend::device) return grid::device_sort_columns(sort, how);
    if (sort.n.on_device())
        throw error(errc::invalid_argument, sort.call, "a device_count needs the device; pass the number itself");
    host::sort_columns(sort, how.host_threads);
}

/// Arrays as columns of the same options.
template <class... Keys>
column_pack<Keys...> columns_of(const array_pack<Keys...>& keys, const sort_options& options) {
    const column_options each{options.order, options.begin_bit, options.end_bit, options.zeros, options.nans};
    return std::apply(
        [&](auto*... pointers) {
            return column_pack<Keys...>{{sort_column<Keys>{pointers, each}...}};
        },
        keys.pointers);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Writes the indices that would sort the rows; rows with equal keys in input order. Index is a 32- or 64-bit integer;
/// a 32-bit one throws errc::invalid_argument for more than 2^31 (signed) or 2^32 rows. The columns are only read.
template <class... Keys, class Index>
requires(std::integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8)) void argsort(column_pack<Keys...> keys,
                                                                                          Index* indices, item_count n,
                                                                                          const exec& how = {}) {
    if (n.bound() > 0 && n.bound() - 1 > static_cast<std::uint64_t>((std::numeric_limits<Index>::max)()))
        throw error(errc::invalid_argument, "argsort", "the index type is too small for so many keys");
    detail::ColumnSort sort = detail::sort_of_columns("argsort", n);
    detail::add_columns(sort, keys);
    sort.values.push_back(detail::value_of<Index>(nullptr, detail::array_to_come(indices, detail::kColumnsOut)));
    detail::run_column_sort(sort, how);
}
template <class... Keys, class Index>
requires(std::integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8)) void argsort(
    array_pack<Keys...> keys, Index* indices, item_count n, const sort_options& options = {}, const exec& how = {}) {
    argsort(detail::columns_of(keys, options), indices, n, how);
}
template <class... Keys, class Index>
requires(std::integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8)) void argsort(array_pack<Keys...> keys,
                                                                                          Index* indices, item_count n,
                                                                                          const exec& how) {
    argsort(keys, indices, n, sort_options{}, how);
}

/// Sorts the rows of the columns in place.
template <class... Keys>
void radix_sort(column_pack<Keys...> keys, item_count n, const exec& how = {}) {
    detail::ColumnSort sort = detail::sort_of_columns("radix_sort", n);
    detail::add_keys(sort, keys);
    detail::run_column_sort(sort, how);
}
template <class... Keys>
void radix_sort(array_pack<Keys...> keys, item_count n, const sort_options& options = {}, const exec& how = {}) {
    radix_sort(detail::columns_of(keys, options), n, how);
}
template <class... Keys>
void radix_sort(array_pack<Keys...> keys, item_count n, const exec& how) {
    radix_sort(keys, n, sort_options{}, how);
}

/// Sorts the rows of `in` to the arrays `out`, one per column.
template <class... Keys, class... Out>
void radix_sort(column_pack<Keys...> in, array_pack<Out...> out, item_count n, const exec& how = {}) {
    detail::ColumnSort sort = detail::sort_of_columns("radix_sort", n);
    detail::add_keys(sort, in, out);
    detail::run_column_sort(sort, how);
}
template <class... Keys, class... Out>
void radix_sort(array_pack<Keys...> in, array_pack<Out...> out, item_count n, const sort_options& options = {},
                const exec& how = {}) {
    radix_sort(detail::columns_of(in, options), out, n, how);
}
template <class... Keys, class... Out>
void radix_sort(array_pack<Keys...> in, array_pack<Out...> out, item_count n, const exec& how) {
    radix_sort(in, out, n, sort_options{}, how);
}

/// Sorts the rows of the columns in place, and moves each value with its row.
template <class... Keys, detail::value_arrays Values>
void radix_sort_pairs(column_pack<Keys...> keys, Values values, item_count n, const exec& how = {}) {
    detail::ColumnSort sort = detail::sort_of_columns("radix_sort_pairs", n);
    detail::add_keys(sort, keys);
    const auto arrays = detail::as_arrays(values);
    detail::add_values(sort, arrays, arrays, true);
    detail::run_column_sort(sort, how);
}
template <class... Keys, detail::value_arrays Values>
void radix_sort_pairs(array_pack<Keys...> keys, Values values, item_count n, const sort_options& options = {},
                      const exec& how = {}) {
    radix_sort_pairs(detail::columns_of(keys, options), values, n, how);
}
template <class... Keys, detail::value_arrays Values>
void radix_sort_pairs(array_pack<Keys...> keys, Values values, item_count n, const exec& how) {
    radix_sort_pairs(keys, values, n, sort_options{}, how);
}

/// Out of place: each array beside its output.
template <class... Keys, class... Out, detail::value_arrays Values, detail::value_arrays ValuesOut>
void radix_sort_pairs(column_pack<Keys...> keys_in, array_pack<Out...> keys_out, Values values_in, ValuesOut values_out,
                      item_count n, const exec& how = {}) {
    detail::ColumnSort sort = detail::sort_of_columns("radix_sort_pairs", n);
    detail::add_keys(sort, keys_in, keys_out);
    detail::add_values(sort, detail::as_arrays(values_in), detail::as_arrays(values_out));
    detail::run_column_sort(sort, how);
}
template <class... Keys, class... Out, detail::value_arrays Values, detail::value_arrays ValuesOut>
void radix_sort_pairs(array_pack<Keys...> keys_in, array_pack<Out...> keys_out, Values values_in, ValuesOut values_out,
                      item_count n, const sort_options& options = {}, const exec& how = {}) {
    radix_sort_pairs(detail::columns_of(keys_in, options), keys_out, values_in, values_out, n, how);
}
template <class... Keys, class... Out, detail::value_arrays Values, detail::value_arrays ValuesOut>
void radix_sort_pairs(array_pack<Keys...> keys_in, array_pack<Out...> keys_out, Values values_in, ValuesOut values_out,
                      item_count n, const exec& how) {
    radix_sort_pairs(keys_in, keys_out, values_in, values_out, n, sort_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
