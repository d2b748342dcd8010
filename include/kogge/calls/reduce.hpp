// Reductions: the fold of all items by any associative operator, of transformed items, and the first least or greatest
// item. reduce_by_key.hpp has reductions per run of equal keys, segmented_reduce.hpp per segment.
//
// Shared by all of them
//   items        in[0 … n) → *out; n counts items. `in` is a pointer, or any copyable object with operator[](uint64) (a
//                transform, a counting sequence); on the device it is copied into a kernel.
//   accumulator  items are accumulated in the type of *out, so that bytes are summed in 64 bits if the result is
//                std::uint64_t; a form without a place for the result accumulates in the type of the items. From an
//                `init` in its type; if it and the result are numbers, in the type that both have in common
//                (std::common_type), so that a literal 0 narrows nothing.
//   operator     op(a, b) is associative; it need not commute. Many threads may call it.
//   no items     give `init`; without one 0 for plus, the least number for maximum and the greatest one for minimum (an
//                infinity, if the type has them), and a value-initialised result for any other operator.
//   NaN          wins in maximum and minimum (operators.hpp).
//   aliasing     *out may stand anywhere but in the input; otherwise errc::overlap.
//   order        the association depends on n (and the bound of a device_count), the types, the device model and the
//                number of its multiprocessors that the stream is limited to (on the host on the types alone). So
//                results are the same from run to run, floating point included.
//   scratch      on the device as the plan says (plan_reduce): one accumulator per block, none for few items; on the
//                host none. The place of a result that is returned comes from the pool or from exec.scratch besides.
//   returns      on the device as soon as the work is queued on exec.stream; on the host when the work is done. The
//                forms without a place for the result return it, and wait for it (they synchronise exec.stream); while
//                the stream is being captured they throw invalid_argument.
//   throws       kogge::error before anything is changed: invalid_argument (null with items or for the result, a
//                device_count on the host), overlap, unreachable, out_of_memory (scratch), not_built (types without
//                prebuilt device code, in a file that nvcc did not compile). On the host also what the functions throw;
//                then *out is unchanged.
//   method       each warp folds an interval, each block its warps, and one block the aggregates of all, in order; see
//                reduce/launch.cuh and host/reduce.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/detail/prebuilt_reduce.hpp"
#include "kogge/detail/reductions.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/reduce.hpp"
#include "kogge/operators.hpp"
#include "kogge/plan.hpp"
#include "kogge/scan.hpp"
#if KOGGE_KERNELS
#include "kogge/reduce/launch.cuh"
#endif

namespace kogge {

/// An item and where it stands.
template <class T>
struct indexed_item {
    std::uint64_t index;
    T item;
};

}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

/// An operator or an initial value, as distinguished from other arguments at the same position.
template <class Argument>
concept no_exec = !std::same_as<Argument, exec>;

template <class Acc, class In, class Op, class View, class Store>
void run_reduce(const char* call, backend where, const In& in, const item_count& n, const Op& op, const View& view,
                const ReduceStart<Acc>& start, const Store& store, const exec& how) {
    if (where == backend::host) {
        if (n.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        if constexpr (runs_on_host<In> && runs_on_host<Op> && runs_on_host<View>) {
            const host::CallerFunctions functions(call);
            store(host::reduce(in, 0, n.bound(), op, view, start, how.host_threads));
        } else {
            report_device_only(call);
        }
    } else if constexpr (KOGGE_KERNELS || grid::is_prebuilt<In, Acc, Op, View, Store>) {
        grid::device_reduce<grid::code_of<In, Acc, Op, View, Store>>(call, in, n, op, view, start, store, how);
    } else {
        report_no_device_code(call);
    }
}

/// Calls reduce(place) with a place for the result where the call runs, waits, and returns the result.
template <class Result, class Reduce>
Result wait_for_result(const char* call, backend where, const exec& how, const Reduce& reduce) {
    carried<Result> result;
    if (where == backend::host) {
        reduce(&result);
    } else {
        check_may_wait(call, how.stream, "give a pointer for the result");
        // The workspace and the limit are for the call itself.
        const Scratch place(Scratch::Beside{}, call, how, scratch_with_slack(sizeof result));
        auto* const on_device = static_cast<carried<Result>*>(place.data());
        reduce(on_device);
        simt::copy(&result, on_device, sizeof result, how.stream);
        simt::synchronize(how.stream);
    }
    return view(result);
}

/// `init` is null if there is none.
template <class Acc, class Op>
ReduceStart<carried<Acc>> start_of(const Acc* init) {
    if (init) return {carried<Acc>(*init), true};
    if constexpr (std::is_default_constructible_v<Acc>) return {carried<Acc>(identity_of<Op, Acc>()), false};
    else return {};  // reduce() has refused it
}

/// A reduction into `out`, which is where the call runs.
template <class Acc, class In, class Out, class Op, class MakeView>
void reduce_into(const char* call, backend where, const In& in, carried<Out>* out, const item_count& n, const Op& op,
                 const MakeView& make_view, const Acc* init, const exec& how) {
    static_assert(travels_as_bytes<Acc> && travels_as_bytes<item_of<In>> && travels_as_bytes<Out>,
                  "items and results travel as bytes: see kogge::travels_as_bytes");
    check_function<Acc, Op, Acc, Acc>();
    const auto start = start_of<Acc, Op>(init);
    const auto as = make_view.template operator()<carried<Acc>>();
    const ToPlace<carried<Out>> place{out};
    const auto join = on_carried<Acc>(op);
    if constexpr (is_plain_item<item_of<In>>) run_reduce(call, where, read_only(in), n, join, as, start, place, how);
    else run_reduce(call, where, carry_input(read_only(in)), n, join, as, start, place, how);
}

/// Makes the view of plain items, or of transformed ones.
struct ViewItems {
    template <class Acc>
    AsItem<Acc> operator()() const {
        return {};
    }
};
template <class Function>
struct ViewTransformed {
    Function function;
    template <class Acc>
    AsTransformed<Acc, Function> operator()() const {
        return {function};
    }
};

template <class Acc>
constexpr void check_default() {
    static_assert(
        std::is_default_constructible_v<Acc>,
        "without items there would be no result: give an initial value, since the accumulator has no default");
}

/// With a place for the result.
template <class Acc, class In, class Out, class Op, class MakeView>
void reduce(const char* call, const In& in, Out* out, const item_count& n, const Op& op, const MakeView& make_view,
            const Acc* init, const exec& how) {
    static_assert(!std::is_const_v<Out>, "the result is not const: it is written");
    const RunsOn where =
        check_call(call, how, n, {input_region(call, in, n.bound(), "in")}, {{out, sizeof(Out), "out"}});
    reduce_into<Acc, In, Out>(call, where, in, carry(out), n, op, make_view, init, how);
}

/// Without one: the result is returned.
template <class Acc, class In, class Op, class MakeView>
Acc reduced(const char* call, const In& in, const item_count& n, const Op& op, const MakeView& make_view,
            const Acc* init, const exec& how) {
    const RunsOn where = check_call(call, how, n, {input_region(call, in, n.bound(), "in")}, {});
    return wait_for_result<Acc>(call, where, how, [&](carried<Acc>* out) {
        reduce_into<Acc, In, Acc>(call, where, in, out, n, op, make_view, init, how);
    });
}

template <class Function, class In>
concept function_of_items = requires(const Function& function, const item_of<In>& item) {
    function(item);
};

template <class In, class Function>
using transformed_of = std::remove_cvref_t<std::invoke_result_t<const Function&, const item_of<In>&>>;

// ---- the first least or greatest item ------------------------------------------------------------------

template <class Index>
concept reduce_index = std::integral<Index> &&(sizeof(Index) == 4 || sizeof(Index) == 8);

template <class T, bool greatest>
constexpr ReduceStart<Indexed<T>> no_extreme() {
    return {{identity_of<std::conditional_t<greatest, maximum, minimum>, T>(), kNoIndex}, false};
}

template <bool greatest, class In, class T, class Index>
void arg_reduce(const char* call, const In& in, T* item_out, Index* index_out, const item_count& n, const exec& how) {
    using Item = item_of<In>;
    static_assert(std::is_same_v<T, Item>, "the item is written as it is: its place has the type of the items");
    static_assert(is_plain_item<Item>, "items are trivially copyable and have a default constructor");
    static_assert(reduce_index<Index>, "an index has 32 or 64 bits");
    if constexpr (sizeof(Index) == 4)
        if (n.bound() > (std::uint64_t{1} << (std::is_signed_v<Index> ? 31 : 32)))
            throw error(errc::invalid_argument, call, "a 32-bit index does not hold that many items' indices");
    const RunsOn where =
        check_call(call, how, n, {input_region(call, in, n.bound(), "in")},
                   {{index_out, sizeof(Index), "index_out"}, {item_out, item_out ? sizeof(Item) : 0, "item_out"}});
    ToIndexedPlaces<Item> places{item_out, nullptr, nullptr};
    if constexpr (sizeof(Index) == 4) places.index32 = reinterpret_cast<std::uint32_t*>(index_out);
    else places.index64 = reinterpret_cast<std::uint64_t*>(index_out);
    run_reduce(call, where, read_only(in), n, FirstExtreme<greatest>{}, AsIndexed<Item>{}, no_extreme<Item, greatest>(),
               places, how);
}

template <bool greatest, class In>
indexed_item<item_of<In>> arg_reduced(const char* call, const In& in, const item_count& n, const exec& how) {
    using Item = item_of<In>;
    static_assert(is_plain_item<Item>, "items are trivially copyable and have a default constructor");
    const RunsOn where = check_call(call, how, n, {input_region(call, in, n.bound(), "in")}, {});
    const auto found = wait_for_result<Indexed<Item>>(call, where, how, [&](Indexed<Item>* out) {
        run_reduce(call, where, read_only(in), n, FirstExtreme<greatest>{}, AsIndexed<Item>{},
                   no_extreme<Item, greatest>(), ToIndexedPlaces<Item>{&out->item, nullptr, &out->index}, how);
    });
    return {found.index, found.item};
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// *out = in[0] ⊕ … ⊕ in[n − 1].
template <class In, class Out, detail::no_exec Op = plus>
void reduce(In in, Out* out, item_count n, Op op = {}, const exec& how = {}) {
    detail::check_default<Out>();
    detail::reduce("reduce", in, out, n, op, detail::ViewItems{}, static_cast<const Out*>(nullptr), how);
}
template <class In, class Out>
void reduce(In in, Out* out, item_count n, const exec& how) {
    kogge::reduce(in, out, n, plus{}, how);
}
/// *out = init ⊕ in[0] ⊕ … ⊕ in[n − 1].
template <class In, class Out, class Op, detail::no_exec Acc>
void reduce(In in, Out* out, item_count n, Op op, Acc init, const exec& how = {}) {
    const auto start = detail::initial_sum<detail::item_of<In>, Out>(init);
    detail::reduce("reduce", in, out, n, op, detail::ViewItems{}, &start, how);
}

/// Returns in[0] ⊕ … ⊕ in[n − 1], and waits for it.
template <class In, detail::no_exec Op = plus>
detail::item_of<In> reduce(In in, item_count n, Op op = {}, const exec& how = {}) {
    using Acc = detail::item_of<In>;
    detail::check_default<Acc>();
    return detail::reduced<Acc>("reduce", in, n, op, detail::ViewItems{}, nullptr, how);
}
template <class In>
detail::item_of<In> reduce(In in, item_count n, const exec& how) {
    return kogge::reduce(in, n, plus{}, how);
}
/// Returns init ⊕ in[0] ⊕ … ⊕ in[n − 1], and waits for it.
template <class In, class Op, detail::no_exec Acc>
auto reduce(In in, item_count n, Op op, Acc init, const exec& how = {}) {
    const auto start = detail::initial_sum<detail::item_of<In>, detail::item_of<In>>(init);
    return detail::reduced("reduce", in, n, op, detail::ViewItems{}, &start, how);
}

/// *out = f(in[0]) ⊕ … ⊕ f(in[n − 1]).
template <class In, class Out, class Function, detail::no_exec Op = plus>
void transform_reduce(In in, Out* out, item_count n, Function f, Op op = {}, const exec& how = {}) {
    detail::check_function<void, Function, detail::item_of<In>>();
    detail::check_default<Out>();
    detail::reduce("transform_reduce", in, out, n, op, detail::ViewTransformed<Function>{f},
                   static_cast<const Out*>(nullptr), how);
}
template <class In, class Out, class Function>
void transform_reduce(In in, Out* out, item_count n, Function f, const exec& how) {
    kogge::transform_reduce(in, out, n, f, plus{}, how);
}
/// *out = init ⊕ f(in[0]) ⊕ … ⊕ f(in[n − 1]).
template <class In, class Out, class Function, class Op, detail::no_exec Acc>
void transform_reduce(In in, Out* out, item_count n, Function f, Op op, Acc init, const exec& how = {}) {
    detail::check_function<void, Function, detail::item_of<In>>();
    const auto start = detail::initial_sum<Acc, Out>(init);
    detail::reduce("transform_reduce", in, out, n, op, detail::ViewTransformed<Function>{f}, &start, how);
}

/// Returns f(in[0]) ⊕ … ⊕ f(in[n − 1]), in the type of f's results, and waits for it. An f that is __device__ only
/// needs an `init`.
template <class In, detail::function_of_items<In> Function, detail::no_exec Op = plus>
auto transform_reduce(In in, item_count n, Function f, Op op = {}, const exec& how = {}) {
    using Acc = detail::transformed_of<In, Function>;
    detail::check_default<Acc>();
    return detail::reduced<Acc>("transform_reduce", in, n, op, detail::ViewTransformed<Function>{f}, nullptr, how);
}
template <class In, class Function>
auto transform_reduce(In in, item_count n, Function f, const exec& how) {
    return kogge::transform_reduce(in, n, f, plus{}, how);
}
/// Returns init ⊕ f(in[0]) ⊕ … ⊕ f(in[n − 1]), in the type of init, and waits for it.
template <class In, class Function, class Op, detail::no_exec Acc>
Acc transform_reduce(In in, item_count n, Function f, Op op, Acc init, const exec& how = {}) {
    detail::check_function<void, Function, detail::item_of<In>>();
    return detail::reduced<Acc>("transform_reduce", in, n, op, detail::ViewTransformed<Function>{f}, &init, how);
}

/// *index_out is the index of the first item that no other is less than, and *item_out the item. A NaN counts as less
/// than every number. Without items the index is that of no item, all bits set, and the item is minimum's of no items.
/// Index is a 32- or 64-bit integer that holds every index, or errc::invalid_argument is thrown. Items have operator<.
template <class In, class Index>
void arg_min(In in, Index* index_out, item_count n, const exec& how = {}) {
    detail::arg_reduce<false>("arg_min", in, static_cast<detail::item_of<In>*>(nullptr), index_out, n, how);
}
template <class In, class T, class Index>
void arg_min(In in, T* item_out, Index* index_out, item_count n, const exec& how = {}) {
    detail::arg_reduce<false>("arg_min", in, item_out, index_out, n, how);
}
/// Returns both, and waits for them.
template <class In>
indexed_item<detail::item_of<In>> arg_min(In in, item_count n, const exec& how = {}) {
    return detail::arg_reduced<false>("arg_min", in, n, how);
}

/// The same of the first item that no other is greater than. A NaN counts as greater than every number.
template <class In, class Index>
void arg_max(In in, Index* index_out, item_count n, const exec& how = {}) {
    detail::arg_reduce<true>("arg_max", in, static_cast<detail::item_of<In>*>(nullptr), index_out, n, how);
}
template <class In, class T, class Index>
void arg_max(In in, T* item_out, Index* index_out, item_count n, const exec& how = {}) {
    detail::arg_reduce<true>("arg_max", in, item_out, index_out, n, how);
}
template <class In>
indexed_item<detail::item_of<In>> arg_max(In in, item_count n, const exec& how = {}) {
    return detail::arg_reduced<true>("arg_max", in, n, how);
}

}  // namespace kogge::KOGGE_CODE
