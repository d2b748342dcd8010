// Compaction, two-way partition, split into bins, and emit. All are stable: items keep their order within each side or
// bin.
//
// Shared by all of them
//   items        in[0 … n) of any type that travels as bytes (kogge::travels_as_bytes). n, offsets and capacities count
//                items.
//   predicates   compact calls a predicate exactly once per item; partition and split call theirs at least once, and it
//                must give the same answer each time. Many threads may call it.
//   aliasing     arrays must not overlap, unless a function allows out == in; any other overlap throws errc::overlap.
//                An output whose length depends on the data has room for as many items as it gets. Only its beginning
//                is checked: that it does not run into what stands behind it is the caller's to see to.
//   counts       a form without a place for the number returns it and waits for it (it synchronises exec.stream). With
//                a pointer to an integer, of any type that holds n, it writes the number there, where the data is, and
//                does not wait; with kogge::discard it writes none. With a kogge::count_at it writes the number there,
//                waits, and returns it. While the stream is being captured, forms that wait throw invalid_argument.
//   returns      on the device as soon as the work is queued on exec.stream, except for the forms that wait; on the
//                host when the work is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, no bins or 2^31 and more,
//                a device_count on the host), overlap, unreachable, out_of_memory (scratch), not_built (functions
//                without prebuilt device code, in a file that nvcc did not compile). On the host also what a caller's
//                function throws; then outputs are unspecified.
//   method       a scan of counters (G. Blelloch, "Prefix sums and their applications", 1990), one counter per bin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kogge/arrays.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/detail/key_arrays.hpp"
#include "kogge/detail/output_arrays.hpp"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/partition.hpp"
#include "kogge/host/split.hpp"
#include "kogge/plan.hpp"
#include "kogge/types/counts.hpp"
#if KOGGE_KERNELS
#include "kogge/compact/launch.cuh"
#include "kogge/emit/launch.cuh"
#include "kogge/split/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

[[noreturn]] inline void report_not_built(const char* call) {
    throw error(errc::not_built, call, "the library holds no device code for these types; compile this file with nvcc");
}

inline void require_host_count(const char* call, const item_count& n) {
    if (n.on_device())
        throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
}

/// Whether the library holds device code for a compaction. What may store rejected items after the kept ones, there is
/// for comparisons and for byte flags.
template <bool follows, class Keep>
inline constexpr bool kMayFollow = !follows;
template <bool follows, class T>
inline constexpr bool kMayFollow<follows, grid::ByPredicate<compare<T>>> = true;
template <bool follows>
inline constexpr bool kMayFollow<follows, grid::ByFlag> = true;
template <bool follows, class Item, class Keep>
inline constexpr bool is_prebuilt_compact = grid::is_prebuilt<Item, Keep>&& kMayFollow<follows, Keep>;
/// Whether there is device code for it here.
template <class Item, class Keep, bool follows = false>
inline constexpr bool is_built = KOGGE_KERNELS || is_prebuilt_compact<follows, Item, Keep>;

/// Input and outputs as they are carried. `rejected` null: the kept items only. `rejected` == `kept`, which requires
/// `follows`: rejected items follow the kept ones.
template <bool follows = false, class In, class Out, class Keep>
void run_compact(const char* call, backend where, const In& in, const item_count& n, const Out& kept,
                 const Out& rejected, std::uint64_t* total, Keep keep, const exec& how) {
    using Item = item_of<In>;
    constexpr bool in_arrays = std::is_same_v<In, const Item*> && std::is_same_v<Out, Item*>;
    if (where == backend::host) {
        require_host_count(call, n);
        *total = 0;
        if constexpr (runs_on_host<Keep> && runs_on_host<In> && runs_on_host<Out>) {
            const host::CallerFunctions functions(call);
            *total = host::compact(in, n.bound(), kept, rejected, keep, how.host_threads);
        } else if (n.bound() > 0) {
            report_device_only(call);
        }
    } else if constexpr (in_arrays && is_built<Item, Keep, follows>) {
        using Code = std::conditional_t<is_prebuilt_compact<follows, Item, Keep>, grid::LibraryCode, grid::OwnCode>;
        grid::device_compact<follows, Code>(call, in, n, kept, rejected, total, keep, how);
    } else if constexpr (!follows && std::is_pointer_v<Out> && grid::is_prebuilt<In, Keep>) {
        grid::device_indices<grid::LibraryCode>(call, n, kept, total, keep, how);
    } else {
#if KOGGE_KERNELS
        grid::compact_items<follows, Item>(call, in, n, kept, rejected, total, keep, how);
#else
        report_not_built(call);
#endif
    }
}

/// The decision of a compaction, and the array that it reads beside the items, if any.
template <class Keep>
struct Decision {
    Keep keep;
    Region reads;
};
template <class Item, class Predicate>
Decision<grid::ByPredicate<Predicate>> by_predicate(const Predicate& predicate) {
    check_function<bool, Predicate, Item>();
    return {{predicate}, {}};
}

/// Compacts to one output, with `rejected` as in run_compact.
template <bool follows = false, class Keep, class In, class Out, count_place Place>
count_result<Place> compact_by(const char* call, const Decision<Keep>& by, const In& in, const item_count& n,
                               const Out& out, const Place& place, const exec& how) {
    static_assert(travels_as_bytes<item_of<In>>, "items travel as bytes: see kogge::travels_as_bytes");
    check_output<item_of<In>, Out>();
    const Region from = input_region(call, in, n.bound(), "in");
    const Region to = follows ? output_region(call, out, n.bound(), "out") : open_region(call, out, n.bound(), "out");
    const RunsOn where = check_call(call, how, n, {from, by.reads}, {to, count_region(call, place, n.bound())},
                                    may_be_in_place<In, Out>() ? 1 : 0);
    return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* total) {
        const auto kept = carry_output(out);
        run_compact<follows>(call, where, carry_input(in), n, kept, follows ? kept : no_output(kept), total, by.keep,
                             how);
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Keeps the items that satisfy the predicate: out[0 … kept) in input order. `out` has room for these, and holds items
/// of the input's type or of one that they convert to. Returns the number of kept items, and waits for it. out == in is
/// allowed for arrays of items of one size (then items past the kept ones are unspecified).
template <detail::item_input In, detail::item_output Out, class Predicate>
std::uint64_t compact(In in, Out out, item_count n, Predicate predicate, const exec& how = {}) {
    return detail::compact_by("compact", detail::by_predicate<detail::item_of<In>>(predicate), in, n, out,
                              detail::NoPlace{}, how);
}

/// As above, with a place for the number of kept items: a pointer to an integer, without waiting, or a count_at.
template <detail::item_input In, detail::item_output Out, detail::count_place Kept, class Predicate>
detail::count_result<Kept> compact(In in, Out out, Kept kept, item_count n, Predicate predicate, const exec& how = {}) {
    return detail::compact_by("compact", detail::by_predicate<detail::item_of<In>>(predicate), in, n, out, kept, how);
}

}  // namespace kogge::KOGGE_CODE

namespace kogge {

/// Flags as bits: item i's flag is bit i % 32 of words[i / 32]. Bits past the last item are ignored.
struct bit_mask {
    const std::uint32_t* words;
    explicit constexpr bit_mask(const std::uint32_t* mask) : words(mask) {}
};

}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

/// Whether a flag that is no byte is set.
struct IsSet {
    template <class Flag>
    KOGGE_HOST_DEVICE bool operator()(const Flag& flag) const {
        return static_cast<bool>(flag);
    }
};

template <class Flag>
Decision<grid::ByFlag> by_flags(const Flag* flags, const item_count& n) {
    static_assert(std::is_same_v<Flag, std::uint8_t> || std::is_same_v<Flag, bool>,
                  "flags are bytes, std::uint8_t or bool, or the bits of a kogge::bit_mask");
    return {{reinterpret_cast<const std::uint8_t*>(flags)}, {flags, n.bound(), "flags"}};
}
inline Decision<grid::ByMask> by_flags(bit_mask flags, const item_count& n) {
    const std::uint64_t words = n.bound() / 32 + (n.bound() % 32 != 0 ? 1 : 0);
    return {{flags.words}, {flags.words, words * sizeof(std::uint32_t), "flags"}};
}
template <item_input Flags>
requires(!std::is_pointer_v<Flags>) Decision<grid::ByInput<Flags, IsSet>> by_flags(const Flags& flags,
                                                                                   const item_count&) {
    return {{flags, {}}, {}};
}
template <class Flags>
concept item_flags = requires(Flags flags, item_count n) {
    by_flags(flags, n);
};

template <class Stencil, class Predicate>
Decision<grid::ByStencil<carried<Stencil>, Predicate>> by_stencil(const char* call, const Stencil* stencil,
                                                                  const item_count& n, Predicate predicate) {
    static_assert(travels_as_bytes<Stencil>, "items travel as bytes: see kogge::travels_as_bytes");
    check_function<bool, Predicate, Stencil>();
    return {{carry(stencil), predicate}, {stencil, bytes_of(call, n.bound(), sizeof(Stencil)), "stencil"}};
}
template <class Stencil, class Predicate>
requires(!std::is_pointer_v<Stencil>) Decision<grid::ByInput<Stencil, Predicate>> by_stencil(const char*,
                                                                                             const Stencil& stencil,
                                                                                             const item_count&,
                                                                                             Predicate predicate) {
    check_function<bool, Predicate, item_of<Stencil>>();
    return {{stencil, predicate}, {}};
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Keeps in[i] if its flag is set: flags[i], a std::uint8_t or bool, is not 0; or item i's bit in a
/// kogge::bit_mask(words) is 1; or static_cast<bool>(flags[i]) of anything else with operator[]. Otherwise as compact.
template <detail::item_input In, detail::item_flags Flags, detail::item_output Out>
std::uint64_t compact_flags(In in, Flags flags, Out out, item_count n, const exec& how = {}) {
    return detail::compact_by("compact_flags", detail::by_flags(flags, n), in, n, out, detail::NoPlace{}, how);
}
template <detail::item_input In, detail::item_flags Flags, detail::item_output Out, detail::count_place Kept>
detail::count_result<Kept> compact_flags(In in, Flags flags, Out out, Kept kept, item_count n, const exec& how = {}) {
    return detail::compact_by("compact_flags", detail::by_flags(flags, n), in, n, out, kept, how);
}

/// Keeps in[i] if predicate(stencil[i]). stencil[0 … n), of any type that travels as bytes or anything with operator[],
/// is only read, and must not overlap written arrays; it may be the input if that does not. The library has no prebuilt
/// device code for it: compile the file with nvcc. Otherwise as compact.
template <detail::item_input In, detail::item_input Stencil, detail::item_output Out, class Predicate>
std::uint64_t compact_stencil(In in, Stencil stencil, Out out, item_count n, Predicate predicate,
                              const exec& how = {}) {
    const char* const call = "compact_stencil";
    return detail::compact_by(call, detail::by_stencil(call, detail::read_only(stencil), n, predicate), in, n, out,
                              detail::NoPlace{}, how);
}
template <detail::item_input In, detail::item_input Stencil, detail::item_output Out, detail::count_place Kept,
          class Predicate>
detail::count_result<Kept> compact_stencil(In in, Stencil stencil, Out out, Kept kept, item_count n,
                                           Predicate predicate, const exec& how = {}) {
    const char* const call = "compact_stencil";
    return detail::compact_by(call, detail::by_stencil(call, detail::read_only(stencil), n, predicate), in, n, out,
                              kept, how);
}

}  // namespace kogge::KOGGE_CODE

namespace kogge {

/// The outputs of a partition with separate sides. Each has room for the items of its side.
template <class Item>
struct two_outputs {
    Item* kept;
    Item* rejected;
};

}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

template <class Keep, class In, class T, count_place Place>
count_result<Place> partition_by(const char* call, const Decision<Keep>& by, const In& in, const item_count& n, T* out,
                                 const Place& place, const exec& how) {
    return compact_by<true>(call, by, in, n, out, place, how);
}
template <class Keep, class In, class T, count_place Place>
count_result<Place> partition_by(const char* call, const Decision<Keep>& by, const In& in, const item_count& n,
                                 const two_outputs<T>& out, const Place& place, const exec& how) {
    static_assert(travels_as_bytes<item_of<In>>, "items travel as bytes: see kogge::travels_as_bytes");
    check_output<item_of<In>, T*>();
    const Region kept = open_region(call, out.kept, n.bound(), "out");
    const Region rejected = open_region(call, out.rejected, n.bound(), "rejected");
    const RunsOn where = check_call(call, how, n, {input_region(call, in, n.bound(), "in"), by.reads},
                                    {kept, rejected, count_region(call, place, n.bound())});
    return find_count(call, where, n.bound() == 0, place, how, [&](std::uint64_t* total) {
        run_compact(call, where, carry_input(in), n, carry(out.kept), carry(out.rejected), total, by.keep, how);
    });
}

/// Where a partition goes: one array, or two.
template <class Out>
inline constexpr bool is_two_outputs = false;
template <class T>
inline constexpr bool is_two_outputs<two_outputs<T>> = true;
template <class Out>
concept partition_output = is_two_outputs<Out> ||(std::is_pointer_v<Out>&& item_output<Out>);

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Stores the items that satisfy the predicate first, the others after them, both in input order. Returns the boundary
/// (the number of items that satisfy it), and waits for it. The predicate runs once or twice per item. out == in is
/// allowed for arrays of items of one size, and takes n items of scratch if they do not fit on chip.
///
/// With two_outputs the two sides have outputs of their own, which overlap neither each other nor the input, and the
/// predicate runs once per item.
template <detail::item_input In, detail::partition_output Out, class Predicate>
std::uint64_t partition(In in, Out out, item_count n, Predicate predicate, const exec& how = {}) {
    return detail::partition_by("partition", detail::by_predicate<detail::item_of<In>>(predicate), in, n, out,
                                detail::NoPlace{}, how);
}
template <detail::item_input In, detail::partition_output Out, detail::count_place Boundary, class Predicate>
detail::count_result<Boundary> partition(In in, Out out, Boundary boundary, item_count n, Predicate predicate,
                                         const exec& how = {}) {
    return detail::partition_by("partition", detail::by_predicate<detail::item_of<In>>(predicate), in, n, out, boundary,
                                how);
}

/// The same by flags, as those of compact_flags: items whose flag is set come first. The library has prebuilt device
/// code for bytes, and for bits into two outputs only.
template <detail::item_input In, detail::item_flags Flags, detail::partition_output Out>
std::uint64_t partition_flags(In in, Flags flags, Out out, item_count n, const exec& how = {}) {
    return detail::partition_by("partition_flags", detail::by_flags(flags, n), in, n, out, detail::NoPlace{}, how);
}
template <detail::item_input In, detail::item_flags Flags, detail::partition_output Out, detail::count_place Boundary>
detail::count_result<Boundary> partition_flags(In in, Flags flags, Out out, Boundary boundary, item_count n,
                                               const exec& how = {}) {
    return detail::partition_by("partition_flags", detail::by_flags(flags, n), in, n, out, boundary, how);
}

/// The same by a stencil, as that of compact_stencil: items with predicate(stencil[i]) come first.
template <detail::item_input In, detail::item_input Stencil, detail::partition_output Out, class Predicate>
std::uint64_t partition_stencil(In in, Stencil stencil, Out out, item_count n, Predicate predicate,
                                const exec& how = {}) {
    const char* const call = "partition_stencil";
    return detail::partition_by(call, detail::by_stencil(call, detail::read_only(stencil), n, predicate), in, n, out,
                                detail::NoPlace{}, how);
}
template <detail::item_input In, detail::item_input Stencil, detail::partition_output Out, detail::count_place Boundary,
          class Predicate>
detail::count_result<Boundary> partition_stencil(In in, Stencil stencil, Out out, Boundary boundary, item_count n,
                                                 Predicate predicate, const exec& how = {}) {
    const char* const call = "partition_stencil";
    return detail::partition_by(call, detail::by_stencil(call, detail::read_only(stencil), n, predicate), in, n, out,
                                boundary, how);
}

}  // namespace kogge::KOGGE_CODE

namespace kogge::detail::KOGGE_CODE {

template <class Key, class Value, class Bucket>
void run_split(const char* call, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
               item_count n, std::uint32_t bins, const Bucket& bucket, std::uint64_t* offsets, const exec& how) {
    static_assert(travels_as_bytes<Key> && travels_as_bytes<Value>,
                  "items travel as bytes: see kogge::travels_as_bytes");
    check_function<std::uint32_t, Bucket, Key>();
    if constexpr (runs_on_host<Bucket>)
        static_assert(!std::is_floating_point_v<std::invoke_result_t<const Bucket&, const Key&>>,
                      "a bucket is an integer below the number of bins");
    constexpr bool has_values = !std::is_same_v<Value, grid::NoValue>;
    if (bins == 0) throw error(errc::invalid_argument, call, "there must be at least one bin");
    if (bins >> 31 != 0)
        throw error(errc::invalid_argument, call,
                    std::to_string(bins) + " bins are more than 2^31 - 1: perhaps a negative number was given");
    const Region in{keys_in, bytes_of(call, n.bound(), sizeof(Key)), "in"}, out{keys_out, in.bytes, "out"};
    const std::uint64_t value_bytes = has_values ? bytes_of(call, n.bound(), sizeof(Value)) : 0;
    const Region from{values_in, value_bytes, "values_in"}, to{values_out, value_bytes, "values_out"};
    const Region starts{offsets, offsets ? (std::uint64_t{bins} + 1) * sizeof(std::uint64_t) : 0, "offsets"};
    const RunsOn where = check_call(call, how, n, {in, from}, {out, to, starts});
    if (where == backend::host) {
        require_host_count(call, n);
        if constexpr (runs_on_host<Bucket>) {
            const host::CallerFunctions functions(call);
            host::split(call, carry(keys_in), carry(keys_out), carry(values_in), carry(values_out), n.bound(), bins,
                        on_carried<Key>(bucket), offsets, how.host_threads);
        } else if (n.bound() > 0) {
            report_device_only(call);
        } else if (offsets) {
            std::fill_n(offsets, std::uint64_t{bins} + 1, 0);
        }
        return;
    }
#if KOGGE_KERNELS
    grid::device_split(call, carry(keys_in), carry(keys_out), carry(values_in), carry(values_out), n, bins,
                       on_carried<Key>(bucket), offsets, how);
#else
    report_not_built(call);
#endif
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Sorts items into `bins` bins, stably, by bucket(item) → bin in [0, bins). `in` and `out` must not overlap. A bin
/// number out of range counts as the last bin on the device; on the host it throws errc::invalid_argument before
/// anything is written. Does not wait.
template <class Item, class Bucket>
void split(const Item* in, Item* out, item_count n, std::uint32_t bins, Bucket bucket, const exec& how = {}) {
    detail::run_split("split", in, out, static_cast<const grid::NoValue*>(nullptr),
                      static_cast<grid::NoValue*>(nullptr), n, bins, bucket, nullptr, how);
}

/// As above; offsets[0 … bins] says where bins begin: bin b is out[offsets[b] … offsets[b + 1]).
template <class Item, class Bucket>
void split(const Item* in, Item* out, detail::offsets_out offsets, item_count n, std::uint32_t bins, Bucket bucket,
           const exec& how = {}) {
    detail::run_split("split", in, out, static_cast<const grid::NoValue*>(nullptr),
                      static_cast<grid::NoValue*>(nullptr), n, bins, bucket, offsets, how);
}

/// The same with a value that moves with each key.
template <class Key, class Value, class Bucket>
void split_pairs(const Key* keys_in, const Value* values_in, Key* keys_out, Value* values_out, item_count n,
                 std::uint32_t bins, Bucket bucket, const exec& how = {}) {
    detail::run_split("split_pairs", keys_in, keys_out, values_in, values_out, n, bins, bucket, nullptr, how);
}
template <class Key, class Value, class Bucket>
void split_pairs(const Key* keys_in, const Value* values_in, Key* keys_out, Value* values_out,
                 detail::offsets_out offsets, item_count n, std::uint32_t bins, Bucket bucket, const exec& how = {}) {
    detail::run_split("split_pairs", keys_in, keys_out, values_in, values_out, n, bins, bucket, offsets, how);
}

}  // namespace kogge::KOGGE_CODE

namespace kogge::detail::KOGGE_CODE {

/// An item's outputs in the type in which they are carried.
template <class Out, class Make>
struct MakeCarried {
    Make make;
    KOGGE_HOST_DEVICE carried<Out> operator()(std::uint64_t item, std::uint64_t k) const {
        return carried<Out>(static_cast<Out>(make(item, k)));
    }
};

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge {
template <class Out, class Make>
inline constexpr bool runs_on_host<detail::MakeCarried<Out, Make>> = runs_on_host<Make>;
}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

/// The output of an emission: a pointer, or kogge::arrays.
template <class Outputs>
struct EmitOutput;
template <class Out>
struct EmitOutput<Out*> {
    static_assert(!std::is_const_v<Out>, "results are not const: they are written");
    static_assert(travels_as_bytes<Out>, "outputs travel as bytes: see kogge::travels_as_bytes");

    static auto carried_output(Out* out) { return carry(out); }
    template <class Make>
    static auto carried_make(const Make& make) {
        if constexpr (is_plain_item<Out>) return make;
        else return MakeCarried<Out, Make>{make};
    }
    static std::vector<Region> regions(const char* call, Out* out, std::uint64_t capacity) {
        return {{out, bytes_of(call, capacity, sizeof(Out)), "out"}};
    }
};
/// Whether a type is a tuple, or as one, of so many elements.
template <class Tuple, std::size_t size>
inline constexpr bool has_size = false;
template <class Tuple, std::size_t size>
requires requires { std::tuple_size<Tuple>::value; }
inline constexpr bool has_size<Tuple, size> = std::tuple_size_v<Tuple> == size;

template <class... Out>
struct EmitOutput<array_pack<Out...>> {
    static_assert(sizeof...(Out) > 0 && (!std::is_const_v<Out> && ...), "results are not const: they are written");
    static_assert((travels_as_bytes<Out> && ...), "outputs travel as bytes: see kogge::travels_as_bytes");

    static auto carried_output(const array_pack<Out...>& out) {
        return std::apply([](auto*... each) { return output_arrays(carry(each)...); }, out.pointers);
    }
    template <class Make>
    static auto carried_make(const Make& make) {
        if constexpr (runs_on_host<Make>)
            static_assert(has_size<std::invoke_result_t<const Make&, std::uint64_t, std::uint64_t>, sizeof...(Out)>,
                          "for several arrays make returns a tuple, or a pair, of as many items");
        return make;
    }
    static std::vector<Region> regions(const char* call, const array_pack<Out...>& out, std::uint64_t capacity) {
        return std::apply(
            [&](auto*... each) {
                return std::vector<Region>{{each, bytes_of(call, capacity, sizeof(*each)), "out"}...};
            },
            out.pointers);
    }
};
template <class Outputs>
concept emit_output = std::is_pointer_v<Outputs> || is_array_pack<Outputs>;

template <emit_output Outputs, count_place Place, class CountOf, class Make>
count_result<Place> emit(const item_count& n, const Outputs& outputs, std::uint64_t capacity, const Place& place,
                         CountOf count, Make make_items, std::uint64_t* offsets, const exec& how) {
    using Form = EmitOutput<Outputs>;
    check_function<std::uint64_t, CountOf, std::uint64_t>();
    check_function<void, Make, std::uint64_t, std::uint64_t>();
    const char* const call = "emit";
    const std::uint64_t number_bytes = bytes_of(call, n.bound(), sizeof(std::uint64_t)) + sizeof(std::uint64_t);
    std::vector<Region> writes = Form::regions(call, outputs, capacity);
    writes.push_back({offsets, offsets ? number_bytes : 0, "offsets"});
    writes.push_back(count_region(place));
    const RunsOn where = check_call(call, how, n, std::span<const Region>(), writes);
    [[maybe_unused]] const auto out = Form::carried_output(outputs);
    [[maybe_unused]] const auto make = Form::carried_make(make_items);
    return find_count(call, where, n.bound() == 0 && !offsets, place, how, [&](std::uint64_t* total) {
        if (where == backend::host) {
            require_host_count(call, n);
            *total = 0;
            if constexpr (runs_on_host<CountOf> && runs_on_host<Make>) {
                const host::CallerFunctions functions(call);
                *total = host::emit(n.bound(), count, make, out, capacity, offsets, how.host_threads);
            } else if (n.bound() > 0) {
                report_device_only(call);
            } else if (offsets) {
                *offsets = 0;
            }
            return;
        }
#if KOGGE_KERNELS
        grid::device_emit(call, n, count, make, out, capacity, offsets, total, how);
#else
        report_not_built(call);
#endif
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Each of n items yields count(i) outputs: output k of item i is make(i, k), and all outputs are stored in `out` in
/// item order. With kogge::arrays(x, y, …) for `out`, make returns a tuple or pair of which each array gets an item.
/// Writes at most `capacity` outputs and returns their total number: if that exceeds `capacity`, it is the
/// capacity to call again with. `offsets`, if given, gets n + 1 entries: item i's outputs are out[offsets[i] …
/// offsets[i + 1]).
///
/// Work is divided by outputs, however skewed the counts are. count(i) may be called more than once. A negative count
/// is taken as 0, a count above 2^40 as 2^40; a sum of 2^64 or more, returned or in `offsets`, is 2^64 − 1.
///
/// To ask for the size alone, pass capacity 0 and null for `out`; backend::automatic says where the functions then run,
/// and exec.where overrides it. Takes scratch on the device as plan_emit says. A call takes at least 2^43 items; more
/// items than its device can number throw errc::invalid_argument. Waits for the number.
template <detail::emit_output Outputs, class CountOf, class Make>
std::uint64_t emit(Outputs out, std::uint64_t capacity, item_count n, CountOf count, Make make,
                   detail::offsets_out offsets, const exec& how = {}) {
    return detail::emit(n, out, capacity, detail::NoPlace{}, count, make, offsets, how);
}
template <detail::emit_output Outputs, class CountOf, class Make>
std::uint64_t emit(Outputs out, std::uint64_t capacity, item_count n, CountOf count, Make make, const exec& how = {}) {
    return detail::emit(n, out, capacity, detail::NoPlace{}, count, make, nullptr, how);
}

/// As above, with a place for the number of outputs: a pointer to an integer, without waiting, or a count_at. A number
/// that the integer does not hold is written as its greatest.
template <detail::emit_output Outputs, detail::count_place Total, class CountOf, class Make>
detail::count_result<Total> emit(Outputs out, std::uint64_t capacity, Total total, item_count n, CountOf count,
                                 Make make, detail::offsets_out offsets, const exec& how = {}) {
    return detail::emit(n, out, capacity, total, count, make, offsets, how);
}
template <detail::emit_output Outputs, detail::count_place Total, class CountOf, class Make>
detail::count_result<Total> emit(Outputs out, std::uint64_t capacity, Total total, item_count n, CountOf count,
                                 Make make, const exec& how = {}) {
    return detail::emit(n, out, capacity, total, count, make, nullptr, how);
}

}  // namespace kogge::KOGGE_CODE

#include "kogge/former/partition.hpp"
