// Searches for many needles in a sorted range (NumPy's searchsorted): lower_bound and upper_bound.
//
// Shared by both
//   result       out[j] is the number of the n items that lie before needle j's bound: its place in sorted[0 … n], in
//                front of the items that are equal to it (lower_bound), or behind them (upper_bound).
//   items        sorted[0 … n) and needles[0 … m), of types that travel as bytes, are pointers, or any copyable objects
//                with operator[](uint64). n and m may be device_counts. The items are sorted by `less`; otherwise
//                results are some numbers up to n. `out` is a pointer to integers of 4 or 8 bytes, or an object whose
//                out[j] is assigned once for each j, and not read; where out[j] refers to no item, it is given a
//                std::uint64_t.
//   less         lower_bound calls less(item, needle), upper_bound less(needle, item). Many threads may call it.
//   aliasing     `out` overlaps no input, or errc::overlap, except that out == needles is allowed if their items have
//                one size. The inputs may be one array.
//   scratch      none.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, an integer type too small
//                for n, a device_count on the host), overlap, unreachable, not_built (on the device the file must be
//                compiled by nvcc, unless arrays of one type of numbers are searched by kogge::less). On the host also
//                what `less` throws; then `out` is unspecified.
//   exec         may stand right behind the arguments that a call is given.
//   speed        needles that are sorted, or nearly so, are found sooner: neighbours read the same items.
//   method       binary search, the top levels on chip, several needles per thread side by side; for few needles a warp
//                for each, with 32 probes at a time; see search/kernel.cuh and host/search.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "kogge/detail/inputs.hpp"
#include "kogge/detail/outputs.hpp"
#include "kogge/detail/prebuilt_merge.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/search.hpp"
#include "kogge/operators.hpp"
#include "kogge/plan.hpp"
#if KOGGE_KERNELS
#include "kogge/search/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// Counts of items for the output of a search that refers to none.
struct CountsAsResults {
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return i; }
};

template <bool upper, class Sorted, class Needles, class Out, class Less>
void run_search(const char* call, const Sorted& given_sorted, const Needles& given_needles, const Out& out,
                const item_count& n, const item_count& m, const Less& less, const exec& how) {
    using Item = item_of<Sorted>;
    using Needle = item_of<Needles>;
    using Result = result_of<CountsAsResults, Out>;
    static_assert(std::is_integral_v<Result> && (sizeof(Result) == 4 || sizeof(Result) == 8),
                  "results are integers of 4 or 8 bytes");
    static_assert(!is_const_array<Out>, "results are not const: they are written");
    static_assert(travels_as_bytes<Item> && travels_as_bytes<Needle>,
                  "items travel as bytes: see kogge::travels_as_bytes");
    if constexpr (upper) check_function<bool, Less, Needle, Item>();
    else check_function<bool, Less, Item, Needle>();
    if (n.bound() > static_cast<std::uint64_t>((std::numeric_limits<Result>::max)()))
        throw error(errc::invalid_argument, call, "the results' type is too small for so many items");
    bytes_of(call, n.bound(), sizeof(Item));
    bytes_of(call, m.bound(), sizeof(Needle));
    std::vector<Region> reads{input_region(call, given_needles, m.bound(), "needles"),
                              input_region(call, given_sorted, n.bound(), "sorted")};
    if (n.on_device()) reads.push_back({n.on_device(), sizeof(std::uint64_t), "the number of sorted items"});
    const Region output = input_region(call, out, m.bound(), "out");
    const RunsOn where =
        check_call(call, how, m, reads, std::vector<Region>{output}, sizeof(Needle) == sizeof(Result) ? 1 : 0);
    if (where == backend::device) check_bound(call, n, how.stream);
    if (m.bound() == 0) return;
    const auto sorted = carry_input(read_only(given_sorted));
    const auto needles = carry_input(read_only(given_needles));
    if (where == backend::host) {
        if (n.on_device() || m.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        if constexpr (runs_on_host<Sorted> && runs_on_host<Needles> && runs_on_host<Out> && runs_on_host<Less>) {
            const auto is_before = [=](std::uint64_t item, std::uint64_t needle) {
                const carried<Item> one = sorted[item];
                const carried<Needle> other = needles[needle];
                if constexpr (upper) return !static_cast<bool>(less(view(other), view(one)));
                else return static_cast<bool>(less(view(one), view(other)));
            };
            const auto store = [=](std::uint64_t needle, std::uint64_t bound) {
                out[needle] = static_cast<Result>(bound);
            };
            const host::CallerFunctions functions(call);
            return host::search(n.bound(), m.bound(), is_before, store, how.host_threads);
        }
        report_device_only(call);
    }
    if constexpr (std::is_pointer_v<Sorted> && std::is_pointer_v<Needles> && std::is_pointer_v<Out> &&
                  std::is_same_v<Item, Needle> && grid::is_prebuilt<grid::SearchOf, Item, Less>) {
        using Word = unsigned_of<static_cast<int>(sizeof(Result))>;
        grid::device_search_arrays<grid::LibraryCode, upper>(sorted, needles, reinterpret_cast<Word*>(out), n, m, less,
                                                             how);
    } else {
#if KOGGE_KERNELS
        const auto by = on_carried<Item, Needle>(less);
        using Problem =
            grid::SearchProblem<std::remove_const_t<decltype(sorted)>, std::remove_const_t<decltype(needles)>, Out,
                                Result, std::remove_const_t<decltype(by)>, upper>;
        grid::device_search(Problem{sorted, needles, out, {n.bound(), n.on_device()}, {m.bound(), m.on_device()}, by},
                            how);
#else
        throw error(errc::not_built, call,
                    "the library holds no device code for these types and this order; compile this file with nvcc");
#endif
    }
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// out[j] = the number of items x of sorted[0 … n) for which less(x, needles[j]): the first place at which the needle
/// can be inserted.
template <class Sorted, class Needles, detail::item_output Out, class Less = less>
void lower_bound(Sorted sorted, Needles needles, Out out, item_count n, item_count m, Less less = {},
                 const exec& how = {}) {
    detail::run_search<false>("lower_bound", sorted, needles, out, n, m, less, how);
}
template <class Sorted, class Needles, detail::item_output Out>
void lower_bound(Sorted sorted, Needles needles, Out out, item_count n, item_count m, const exec& how) {
    kogge::lower_bound(sorted, needles, out, n, m, less{}, how);
}

/// out[j] = the number of items x of sorted[0 … n) for which not less(needles[j], x): the last place at which the
/// needle can be inserted.
template <class Sorted, class Needles, detail::item_output Out, class Less = less>
void upper_bound(Sorted sorted, Needles needles, Out out, item_count n, item_count m, Less less = {},
                 const exec& how = {}) {
    detail::run_search<true>("upper_bound", sorted, needles, out, n, m, less, how);
}
template <class Sorted, class Needles, detail::item_output Out>
void upper_bound(Sorted sorted, Needles needles, Out out, item_count n, item_count m, const exec& how) {
    kogge::upper_bound(sorted, needles, out, n, m, less{}, how);
}

}  // namespace kogge::KOGGE_CODE
