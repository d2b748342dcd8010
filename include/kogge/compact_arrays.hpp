// Compaction of several arrays by one decision an item, each array where it is: nothing is zipped.
//
// Shared by all of them
//   items        in0[0 … n), in1[0 … n), …: item i of each array is kept, or of none. Any trivially copyable types.
//   decision     predicate(in0[i]) of the first array's items, or flags. The predicate is called once an item and
//                array; it must give the same answer each time.
//   aliasing     each array's out may be its in (then items past the kept ones are unspecified); all else is apart, or
//                errc::overlap is thrown.
//   scratch      on the device as plan_compact says for the widest items, and 256 bytes more; shared by all arrays.
//   the rest     counts, what is returned and thrown, and when: as compact of partition.hpp; but on the host outputs
//                are unspecified when memory runs out.
//   method       a compaction of each array, the first one last; on the device the first array, or the flags, are read
//                once an array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "kogge/arrays.hpp"
#include "kogge/partition.hpp"

namespace kogge {

namespace detail {

/// What `keep` decides about another array's item.
template <class Item, class Keep>
struct ByOther {
    const Item* items;
    Keep keep;
    template <class Other>
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t index, const Other&) const {
        return keep(index, items[index]);
    }
};

/// `marks` and `count` may have no bytes.
template <class... In, class... Out>
backend check_arrays(const char* call, const array_pack<In...>& in, const array_pack<Out...>& out, const item_count& n,
                     const Region& marks, const Region& count, const exec& how) {
    static_assert(sizeof...(In) == sizeof...(Out) && sizeof...(In) > 0, "an output for each input");
    static_assert((std::is_same_v<std::remove_const_t<In>, Out> && ...), "outputs have their inputs' types");
    std::vector<Region> reads, writes;
    std::apply(
        [&](auto*... each) {
            (reads.push_back({each, bytes_of(call, n.bound(), sizeof(*each)), "in"}), ...);
        },
        in.pointers);
    std::apply(
        [&](auto*... each) {
            (writes.push_back({each, bytes_of(call, n.bound(), sizeof(*each)), "out"}), ...);
        },
        out.pointers);
    reads.push_back(marks);
    writes.push_back(count);
    return check_call(call, how, n, reads, writes, sizeof...(In));
}

/// The first array goes last: until then its items decide. On the device they share scratch, so that it is there for
/// all of them or nothing has changed.
template <class... In, class... Out, class Keep>
void run_compact_arrays(const char* call, backend where, const array_pack<In...>& in, const array_pack<Out...>& out,
                        const item_count& n, std::uint64_t* total, const Keep& keep, const exec& how) {
    const auto* const first = std::get<0>(in.pointers);
    using First = std::remove_cvref_t<decltype(*first)>;
    const auto bytes_for = [&](std::size_t item_bytes) {
        if (where == backend::host) return std::size_t{0};
        return plan_compact(n.bound(), item_bytes, false, false, simt::properties_of(how.stream)).scratch_bytes;
    };
    const std::size_t bytes = std::max({bytes_for(sizeof(Out))...});
    const Scratch scratch(call, how, bytes);
    exec inner = how;
    if (bytes > 0) inner.space = {scratch.data(), bytes};
    const auto move = [&]<class Item, class Decide>(const Item* from, Item* to, const Decide& decide) {
        run_compact(call, where, from, n, to, static_cast<Item*>(nullptr), total, decide, inner);
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        [[maybe_unused]] const ByOther<First, Keep> by_first{first, keep};
        (move(std::get<i + 1>(in.pointers), std::get<i + 1>(out.pointers), by_first), ...);
    }
    (std::make_index_sequence<sizeof...(In) - 1>{});
    move(first, std::get<0>(out.pointers), keep);
}

template <class... In, class... Out, class Keep>
std::uint64_t compact_arrays(const char* call, const array_pack<In...>& in, const array_pack<Out...>& out,
                             const item_count& n, const Region& marks, const Keep& keep, const exec& how) {
    const backend where = check_arrays(call, in, out, n, marks, {}, how);
    std::uint64_t total = 0;
    if (n.bound() == 0) return 0;
    if (where == backend::host) {
        run_compact_arrays(call, where, in, out, n, &total, keep, how);
        return total;
    }
    const AwaitedCount count(call, how);
    run_compact_arrays(call, where, in, out, n, count.device(), keep, how);
    return count.wait();
}
template <class... In, class... Out, class Keep>
void compact_arrays(const char* call, const array_pack<In...>& in, const array_pack<Out...>& out, const item_count& n,
                    std::uint64_t* kept, const Region& marks, const Keep& keep, const exec& how) {
    const backend where = check_arrays(call, in, out, n, marks, count_region(kept), how);
    run_compact_arrays(call, where, in, out, n, kept, keep, how);
}

}  // namespace detail

/// Keeps item i of each array where predicate(item i of the first array): compact(kogge::arrays(x, y, z), n,
/// kogge::arrays(out_x, out_y, out_z), predicate). Returns the number kept, and waits for it.
template <class... In, class... Out, class Predicate>
std::uint64_t compact(array_pack<In...> in, item_count n, array_pack<Out...> out, Predicate predicate,
                      const exec& how = {}) {
    return detail::compact_arrays("compact", in, out, n, {}, grid::ByPredicate<Predicate>{predicate}, how);
}
/// The same without waiting: the number kept goes to *kept, which lives where the data lives.
template <class... In, class... Out, class Predicate>
void compact(array_pack<In...> in, item_count n, array_pack<Out...> out, std::uint64_t* kept, Predicate predicate,
             const exec& how = {}) {
    detail::compact_arrays("compact", in, out, n, kept, {}, grid::ByPredicate<Predicate>{predicate}, how);
}

/// Keeps item i of each array where its flag is not 0; flags are bytes, or a kogge::bit_mask.
template <class... In, class... Out, class Flags>
std::uint64_t compact_flags(array_pack<In...> in, Flags flags, item_count n, array_pack<Out...> out,
                            const exec& how = {}) {
    return detail::compact_arrays("compact_flags", in, out, n, detail::flag_region(flags, n), detail::keep_by(flags),
                                  how);
}
template <class... In, class... Out, class Flags>
void compact_flags(array_pack<In...> in, Flags flags, item_count n, array_pack<Out...> out, std::uint64_t* kept,
                   const exec& how = {}) {
    detail::compact_arrays("compact_flags", in, out, n, kept, detail::flag_region(flags, n), detail::keep_by(flags),
                           how);
}

}  // namespace kogge
