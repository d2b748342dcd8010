// Range expressions over contiguous memory, on the host or on the device:
//
//     auto evens  = array | kogge::compact(is_even);
//     auto totals = array | kogge::inclusive_scan();
//     auto sorted = array | kogge::radix_sort({.order = kogge::descending});
//
// `array` is any object with data() and size() (a vector, a span, a kogge::buffer). The input is unchanged; the result
// is a kogge::buffer in the same kind of memory. Errors and order are those of the plain calls. compact waits for its
// count, as the plain call does; the others return as soon as the work is queued.
#pragma once

#include <ranges>
#include <type_traits>

#include "kogge/buffer.hpp"
#include "kogge/partition.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"

namespace kogge::detail::KOGGE_CODE {

template <class Range>
concept contiguous_items = requires(const Range& range) {
    {*range.data()};
    { range.size() } -> std::convertible_to<std::uint64_t>;
};

template <class Range>
using range_item = std::remove_cvref_t<decltype(*std::declval<const Range&>().data())>;

/// The right operand of `|`: a function of (items, n, exec) that returns a buffer.
template <class Function>
struct Expression {
    Function function;
    exec how;
};
template <class Function>
Expression(Function, exec) -> Expression<Function>;

template <contiguous_items Range, class Function>
auto operator|(const Range& range, const Expression<Function>& expression) {
    return expression.function(range.data(), static_cast<std::uint64_t>(range.size()), expression.how);
}

/// A buffer in the same kind of memory as the input.
template <class Result, class Item>
buffer<Result> buffer_like(const char* call, const Item* items, std::uint64_t n, const exec& how) {
    const RunsOn where = check_call(call, how, n, {{items, bytes_of(call, n, sizeof(Item)), "the range"}}, {});
    return buffer<Result>(n, where, how.stream);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// array | compact(predicate): the items that satisfy the predicate.
template <class Predicate>
auto compact(Predicate predicate, const exec& how = {}) {
    return detail::Expression{[predicate]<class Item>(const Item* items, std::uint64_t n, const exec& run) {
                                  auto kept = detail::buffer_like<Item>("compact", items, n, run);
                                  kept.shrink(compact(items, kept.data(), n, predicate, run));
                                  return kept;
                              },
                              how};
}

/// array | inclusive_scan(op).
template <class Op = plus>
requires(!std::is_pointer_v<Op>) auto inclusive_scan(Op op = {}, const exec& how = {}) {
    return detail::Expression{[op]<class Item>(const Item* items, std::uint64_t n, const exec& run) {
                                  auto sums = detail::buffer_like<Item>("inclusive_scan", items, n, run);
                                  inclusive_scan(items, sums.data(), n, op, run);
                                  return sums;
                              },
                              how};
}

/// array | exclusive_scan(init, op): accumulates in, and returns, the type of init, or of numbers that which it and the
/// items have in common.
template <class Acc, class Op = plus>
requires(!std::is_pointer_v<Acc>) auto exclusive_scan(Acc init, Op op = {}, const exec& how = {}) {
    return detail::Expression{[init, op]<class Item>(const Item* items, std::uint64_t n, const exec& run) {
                                  using Sum = detail::accumulator_of<Acc, Item>;
                                  auto sums = detail::buffer_like<Sum>("exclusive_scan", items, n, run);
                                  exclusive_scan(items, sums.data(), n, init, op, run);
                                  return sums;
                              },
                              how};
}

/// array | radix_sort(options): a sorted copy.
inline auto radix_sort(const sort_options& options = {}, const exec& how = {}) {
    return detail::Expression{[options]<class Item>(const Item* items, std::uint64_t n, const exec& run) {
                                  auto sorted = detail::buffer_like<Item>("radix_sort", items, n, run);
                                  radix_sort(items, sorted.data(), n, options, run);
                                  return sorted;
                              },
                              how};
}

}  // namespace kogge::KOGGE_CODE
