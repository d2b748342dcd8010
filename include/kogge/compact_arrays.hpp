// Compaction of several separate arrays by one decision per index, without zipping them.
//
// Shared by all of them
//   items        in0[0 … n), in1[0 … n), …: item i is kept in all arrays or in none. Any types that travel as bytes.
//   decision     predicate(in0[i]) of the first array's items, flags, or predicate(stencil[i]). A predicate is called
//                once per index, or once per index and array; it must give the same answer each time.
//   aliasing     each array's out may be its in (then items past the kept ones are unspecified). All other arrays are
//                apart, otherwise errc::overlap is thrown; where outputs end is not checked (partition.hpp).
//   scratch      on the device as plan_compact_arrays says; shared by all arrays.
//   the rest     counts, results, errors and synchronisation as compact of partition.hpp; but on the host outputs are
//                unspecified when memory runs out.
//   method       one kernel on the device, where plan_compact_arrays says so: each array and the decision's input are
//                read once. Otherwise one compaction per array, the first array last, each of which reads the
//                decision's input. That is the case on the host; for items not of 1, 2, 4, 8 or 16 bytes, or of more
//                than 80 bytes in all arrays together; in files that nvcc does not compile; and, for inputs that do not
//                fit on chip, before sm_90 and by byte flags, with which a compaction reads only the items that it
//                needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/arrays.hpp"
#include "kogge/partition.hpp"
#if KOGGE_KERNELS
#include "kogge/compact/arrays/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// A decision about any array's items: by a predicate of the first array's item. Flags and stencils do not depend on
/// the items.
template <class First, class Predicate>
grid::ByStencil<First, Predicate> for_any_array(const First* first, const grid::ByPredicate<Predicate>& keep) {
    return {first, keep.predicate};
}
template <class First, class Keep>
const Keep& for_any_array(const First*, const Keep& keep) {
    return keep;
}

/// `marks` and `count` may be empty regions.
template <class... In, class... Out>
RunsOn check_arrays(const char* call, const array_pack<In...>& in, const array_pack<Out...>& out, const item_count& n,
                    const Region& marks, const Region& count, const exec& how) {
    static_assert(sizeof...(In) == sizeof...(Out) && sizeof...(In) > 0, "an output for each input");
    static_assert((std::is_same_v<std::remove_const_t<In>, Out> && ...), "outputs have their inputs' types");
    std::vector<Region> reads, writes;
    std::apply(
        [&](auto*... each) {
            (reads.push_back({each, bytes_of(call, n.bound(), sizeof(*each)), "in"}), ...);
        },
        in.pointers);
    std::apply([&](auto*... each) { (writes.push_back(open_region(call, each, n.bound(), "out")), ...); },
               out.pointers);
    reads.push_back(marks);
    writes.push_back(count);
    return check_call(call, how, n, reads, writes, sizeof...(In));
}

/// The first array goes last, because its items decide until then. On the device all compactions share scratch, so that
/// either all of them have it or nothing has changed.
template <class... In, class... Out, class Keep>
void compact_one_by_one(const char* call, backend where, const array_pack<In...>& in, const array_pack<Out...>& out,
                        const item_count& n, std::uint64_t* total, const Keep& keep, std::size_t scratch_bytes,
                        const exec& how) {
    const auto* const first = std::get<0>(in.pointers);
    using Any = std::conditional_t<sizeof...(In) == 1, Keep, std::remove_cvref_t<decltype(for_any_array(first, keep))>>;
    if (!(is_built<Out, Any> && ...) && where == backend::device) report_not_built(call);
    const Scratch scratch(call, how, scratch_bytes);
    exec inner = how;
    if (scratch.data()) inner.space = {scratch.data(), scratch_bytes - kScratchAlignment};
    const auto move = [&]<class Item, class Decide>(const Item* from, Item* to, const Decide& decide) {
        run_compact(call, where, from, n, to, static_cast<Item*>(nullptr), total, decide, inner);
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (move(std::get<i + 1>(in.pointers), std::get<i + 1>(out.pointers), for_any_array(first, keep)), ...);
    }
    (std::make_index_sequence<sizeof...(In) - 1>{});
    move(first, std::get<0>(out.pointers), keep);
}

template <class Keep>
inline constexpr std::size_t kStencilBytes = 0;
template <class Stencil, class Predicate>
inline constexpr std::size_t kStencilBytes<grid::ByStencil<Stencil, Predicate>> = sizeof(Stencil);

template <class... In, class... Out, class Keep>
void run_compact_arrays(const char* call, backend where, const array_pack<In...>& in, const array_pack<Out...>& out,
                        const item_count& n, std::uint64_t* total, const Keep& keep, const exec& how) {
    static_assert((travels_as_bytes<Out> && ...), "items travel as bytes: see kogge::travels_as_bytes");
    if (where == backend::host) return compact_one_by_one(call, where, in, out, n, total, keep, 0, how);
    const compact_plan plan = plan_compact_arrays(
        n.bound(), {{sizeof(Out)...}, kStencilBytes<Keep>, std::is_same_v<Keep, grid::ByFlag>, !KOGGE_KERNELS},
        simt::properties_of(how.stream));
#if KOGGE_KERNELS
    if constexpr (sizeof...(Out) > 1 && grid::ArraysDecision<Keep, Out...>::kFits)
        if (plan.arrays > 1) return grid::device_compact_arrays(call, plan, in, out, n, total, keep, how);
#endif
    compact_one_by_one(call, where, in, out, n, total, keep, plan.scratch_bytes, how);
}

template <class... T>
auto carry_all(const array_pack<T...>& arrays) {
    return std::apply([](auto*... each) { return kogge::arrays(carry(each)...); }, arrays.pointers);
}

template <class... In, class... Out, class Keep, count_place Place>
count_result<Place> compact_by(const char* call, const Decision<Keep>& by, const array_pack<In...>& in,
                               const item_count& n, const array_pack<Out...>& out, const Place& place,
                               const exec& how) {
    const RunsOn where = check_arrays(call, in, out, n, by.reads, count_region(call, place, n.bound()), how);
    return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* total) {
        run_compact_arrays(call, where, carry_all(in), carry_all(out), n, total, by.keep, how);
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Keeps item i of each array if predicate(item i of the first array): compact(kogge::arrays(x, y, z),
/// kogge::arrays(out_x, out_y, out_z), n, predicate). Returns the number of kept items, and waits for it.
template <class First, class... In, class... Out, class Predicate>
std::uint64_t compact(array_pack<First, In...> in, array_pack<Out...> out, item_count n, Predicate predicate,
                      const exec& how = {}) {
    return detail::compact_by("compact", detail::by_predicate<First>(predicate), in, n, out, detail::NoPlace{}, how);
}
/// As above, with a place for the number of kept items: a pointer to an integer, without waiting, or a count_at.
template <class First, class... In, class... Out, detail::count_place Kept, class Predicate>
detail::count_result<Kept> compact(array_pack<First, In...> in, array_pack<Out...> out, Kept kept, item_count n,
                                   Predicate predicate, const exec& how = {}) {
    return detail::compact_by("compact", detail::by_predicate<First>(predicate), in, n, out, kept, how);
}

/// Keeps item i of each array if its flag is set. Flags are bytes, or a kogge::bit_mask.
template <class... In, class... Out, detail::item_flags Flags>
std::uint64_t compact_flags(array_pack<In...> in, Flags flags, array_pack<Out...> out, item_count n,
                            const exec& how = {}) {
    return detail::compact_by("compact_flags", detail::by_flags(flags, n), in, n, out, detail::NoPlace{}, how);
}
template <class... In, class... Out, detail::item_flags Flags, detail::count_place Kept>
detail::count_result<Kept> compact_flags(array_pack<In...> in, Flags flags, array_pack<Out...> out, Kept kept,
                                         item_count n, const exec& how = {}) {
    return detail::compact_by("compact_flags", detail::by_flags(flags, n), in, n, out, kept, how);
}

/// Keeps item i of each array if predicate(stencil[i]). The stencil overlaps nothing that is written.
template <class... In, class... Out, detail::item_input Stencil, class Predicate>
std::uint64_t compact_stencil(array_pack<In...> in, Stencil stencil, array_pack<Out...> out, item_count n,
                              Predicate predicate, const exec& how = {}) {
    const char* const call = "compact_stencil";
    return detail::compact_by(call, detail::by_stencil(call, detail::read_only(stencil), n, predicate), in, n, out,
                              detail::NoPlace{}, how);
}
template <class... In, class... Out, detail::item_input Stencil, detail::count_place Kept, class Predicate>
detail::count_result<Kept> compact_stencil(array_pack<In...> in, Stencil stencil, array_pack<Out...> out, Kept kept,
                                           item_count n, Predicate predicate, const exec& how = {}) {
    const char* const call = "compact_stencil";
    return detail::compact_by(call, detail::by_stencil(call, detail::read_only(stencil), n, predicate), in, n, out,
                              kept, how);
}

}  // namespace kogge::KOGGE_CODE

#include "kogge/former/compact_arrays.hpp"
