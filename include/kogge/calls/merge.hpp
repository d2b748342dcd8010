// Merges of two sorted inputs.
//
// Shared by both
//   result       all n_a + n_b items in the order of `less`. Stable: of items of which neither is less than the other,
//                those of `a` come first, and each input's keep their order.
//   items        inputs are pointers, or any copyable objects with operator[](uint64), both of one type of items, which
//                travels as bytes; n_a and n_b count them, and may be device_counts. They are sorted by `less`;
//                otherwise the order of the outputs is unspecified, but nothing else is written. Outputs are pointers,
//                or objects whose out[i] is assigned once for each i, and not read.
//   less         less(x, y) says whether x comes before y: a strict weak order. Many threads may call it.
//   aliasing     outputs overlap no input and no other output, or errc::overlap. The inputs may be one array.
//   scratch      none.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a device_count on the
//                host), overlap, unreachable, not_built (on the device the file must be compiled by nvcc, unless arrays
//                of numbers are merged by kogge::less, with values of 4 or 8 bytes). On the host also what `less`
//                throws; then outputs are unspecified.
//   exec         may stand right behind the arguments that a call is given.
//   method       merge path: O. Green, R. McColl, D. Bader, 2012; see merge/kernel.cuh and host/merge.hpp.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kogge/detail/inputs.hpp"
#include "kogge/detail/outputs.hpp"
#include "kogge/detail/prebuilt_merge.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/merge.hpp"
#include "kogge/merge/path.hpp"
#include "kogge/operators.hpp"
#if KOGGE_KERNELS
#include "kogge/merge/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// The arrays of a merge of keys, with values if HasValues.
template <class A, class B, class Out, class ValuesA, class ValuesB, class ValuesOut>
struct MergeArrays {
    static constexpr bool kHasValues = !std::is_same_v<ValuesA, const grid::NoValue*>;
    A a;
    B b;
    Out out;
    ValuesA values_a;
    ValuesB values_b;
    ValuesOut values_out;
};

template <class... Arrays, class Less>
void run_host_merge(const char* call, const MergeArrays<Arrays...>& arrays, std::uint64_t n_a, std::uint64_t n_b,
                    const Less& less, const exec& how) {
    using All = MergeArrays<Arrays...>;
    using Item = item_of<decltype(All::a)>;
    const auto split = [=](std::uint64_t outputs, std::uint64_t low, std::uint64_t high) {
        return find_split(arrays.a, arrays.b, outputs, low, high, less);
    };
    const auto b_comes_first = [=](std::uint64_t b, std::uint64_t a) {
        return static_cast<bool>(less(static_cast<Item>(arrays.b[b]), static_cast<Item>(arrays.a[a])));
    };
    const auto take_a = [=](std::uint64_t output, std::uint64_t i) {
        arrays.out[output] = static_cast<Item>(arrays.a[i]);
        if constexpr (All::kHasValues)
            arrays.values_out[output] = static_cast<item_of<decltype(All::values_a)>>(arrays.values_a[i]);
    };
    const auto take_b = [=](std::uint64_t output, std::uint64_t i) {
        arrays.out[output] = static_cast<Item>(arrays.b[i]);
        if constexpr (All::kHasValues)
            arrays.values_out[output] = static_cast<item_of<decltype(All::values_b)>>(arrays.values_b[i]);
    };
    const host::CallerFunctions functions(call);
    host::merge(n_a, n_b, split, b_comes_first, take_a, take_b, sizeof(Item), how.host_threads);
}

/// What moves with the keys of a merge of arrays: NoValue, words; void for values that are none.
template <class ValuesA, class ValuesB, class ValuesOut>
struct MergeWord {
    using type = void;
};
template <>
struct MergeWord<const grid::NoValue*, const grid::NoValue*, grid::NoValue*> {
    using type = grid::NoValue;
};
template <class Value>
requires(!std::is_same_v<Value, grid::NoValue> && (sizeof(Value) == 4 || sizeof(Value) == 8) &&
         alignof(Value) == sizeof(Value)) struct MergeWord<const Value*, const Value*, Value*> {
    using type = unsigned_of<static_cast<int>(sizeof(Value))>;
};

template <class... Arrays, class Less>
void run_merge(const char* call, const MergeArrays<Arrays...>& given, const item_count& n_a, const item_count& n_b,
               const Less& less, const exec& how) {
    using Given = MergeArrays<Arrays...>;
    using Item = item_of<decltype(Given::a)>;
    constexpr bool has_values = Given::kHasValues;
    using Value = item_of<decltype(Given::values_a)>;
    static_assert(std::is_same_v<Item, item_of<decltype(Given::b)>>, "both inputs have items of one type");
    static_assert(std::is_same_v<Value, item_of<decltype(Given::values_b)>>, "both inputs have values of one type");
    static_assert(!is_const_array<decltype(Given::out)> && !is_const_array<decltype(Given::values_out)>,
                  "results are not const: they are written");
    static_assert(travels_as_bytes<Item> && travels_as_bytes<Value>,
                  "items travel as bytes: see kogge::travels_as_bytes");
    check_function<bool, Less, Item, Item>();
    const std::uint64_t n = n_a.bound() + n_b.bound();
    bytes_of(call, n_a.bound(), sizeof(Item) + sizeof(Value));
    bytes_of(call, n_b.bound(), sizeof(Item) + sizeof(Value));
    std::vector<Region> reads{input_region(call, given.a, n_a.bound(), "a"),
                              input_region(call, given.b, n_b.bound(), "b")},
        writes{input_region(call, given.out, n, "out")};
    if constexpr (has_values) {
        reads.push_back(input_region(call, given.values_a, n_a.bound(), "the values of a"));
        reads.push_back(input_region(call, given.values_b, n_b.bound(), "the values of b"));
        writes.push_back(input_region(call, given.values_out, n, "the values' output"));
    }
    // Of two counts, that of an input with items says where to run; a device_count is looked at in any case.
    const bool only_b = n_a.bound() == 0;
    const item_count &count = only_b ? n_b : n_a, &other_count = only_b ? n_a : n_b;
    if (other_count.on_device())
        reads.push_back({other_count.on_device(), sizeof(std::uint64_t),
                         only_b ? "the number of items of a" : "the number of items of b"});
    const RunsOn where = check_call(call, how, count, reads, writes);
    if (where == backend::device) check_bound(call, other_count, how.stream);
    if (n == 0) return;
    const auto carried_arrays = [&] {
        const auto pack = []<class... T>(const T&... each) { return MergeArrays<T...>{each...}; };
        return pack(carry_input(read_only(given.a)), carry_input(read_only(given.b)), carry_results<Item>(given.out),
                    carry_input(read_only(given.values_a)), carry_input(read_only(given.values_b)),
                    carry_results<Value>(given.values_out));
    };
    const auto arrays = carried_arrays();
    const auto by = on_carried<Item>(less);
    if (where == backend::host) {
        if (n_a.on_device() || n_b.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        if constexpr ((runs_on_host<Arrays> && ...) && runs_on_host<Less>)
            return run_host_merge(call, arrays, n_a.bound(), n_b.bound(), by, how);
        report_device_only(call);
    }
    using Carried = std::remove_const_t<decltype(arrays)>;
    using Word = typename MergeWord<decltype(Carried::values_a), decltype(Carried::values_b),
                                    decltype(Carried::values_out)>::type;
    constexpr bool are_arrays = std::is_pointer_v<decltype(Carried::a)> && std::is_pointer_v<decltype(Carried::b)> &&
                                std::is_same_v<decltype(Carried::out), carried<Item>*>;
    if constexpr (are_arrays && grid::is_prebuilt<grid::MergeOf, Item, Word, Less>) {
        grid::device_merge_arrays<grid::LibraryCode>(arrays.a, arrays.b, arrays.out,
                                                     reinterpret_cast<const Word*>(arrays.values_a),
                                                     reinterpret_cast<const Word*>(arrays.values_b),
                                                     reinterpret_cast<Word*>(arrays.values_out), n_a, n_b, less, how);
    } else {
#if KOGGE_KERNELS
        const auto problem = [&]<class... T>(const MergeArrays<T...>& all) {
            return grid::MergeProblem<T..., std::remove_const_t<decltype(by)>>{all.a,
                                                                               all.b,
                                                                               all.out,
                                                                               all.values_a,
                                                                               all.values_b,
                                                                               all.values_out,
                                                                               {n_a.bound(), n_a.on_device()},
                                                                               {n_b.bound(), n_b.on_device()},
                                                                               by};
        };
        grid::device_merge(problem(arrays), how);
#else
        throw error(errc::not_built, call,
                    "the library holds no device code for these types and this order; compile this file with nvcc");
#endif
    }
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Merges a[0 … n_a) and b[0 … n_b) to out[0 … n_a + n_b).
template <class A, class B, detail::item_output Out, class Less = less>
void merge(A a, B b, Out out, item_count n_a, item_count n_b, Less less = {}, const exec& how = {}) {
    using None = const grid::NoValue*;
    detail::run_merge("merge", detail::MergeArrays<A, B, Out, None, None, grid::NoValue*>{a, b, out, {}, {}, {}}, n_a,
                      n_b, less, how);
}
template <class A, class B, detail::item_output Out>
void merge(A a, B b, Out out, item_count n_a, item_count n_b, const exec& how) {
    kogge::merge(a, b, out, n_a, n_b, less{}, how);
}

/// Merges the keys a[0 … n_a) and b[0 … n_b) to out[0 … n_a + n_b), and moves each value with its key.
template <class A, class ValuesA, class B, class ValuesB, detail::item_output Out, detail::item_output ValuesOut,
          class Less = less>
void merge_pairs(A a, ValuesA values_a, B b, ValuesB values_b, Out out, ValuesOut values_out, item_count n_a,
                 item_count n_b, Less less = {}, const exec& how = {}) {
    const auto readable = detail::read_only(values_a);
    detail::run_merge("merge_pairs",
                      detail::MergeArrays<A, B, Out, std::remove_const_t<decltype(readable)>, ValuesB, ValuesOut>{
                          a, b, out, readable, values_b, values_out},
                      n_a, n_b, less, how);
}
template <class A, class ValuesA, class B, class ValuesB, detail::item_output Out, detail::item_output ValuesOut>
void merge_pairs(A a, ValuesA values_a, B b, ValuesB values_b, Out out, ValuesOut values_out, item_count n_a,
                 item_count n_b, const exec& how) {
    kogge::merge_pairs(a, values_a, b, values_b, out, values_out, n_a, n_b, less{}, how);
}

}  // namespace kogge::KOGGE_CODE
