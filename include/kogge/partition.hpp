// Compaction, two-way partition, split into bins, and emit. All are stable: items keep their order within each side or
// bin.
//
// Shared by all of them
//   items        in[0 … n) of any trivially copyable type, n counts items; so do offsets and capacities.
//   predicates   are called exactly once an item by compact, and once or more by partition and split; they must give
//                the same answer each time. Many threads may call them.
//   aliasing     arrays are apart, unless a function allows out == in; any other overlap throws errc::overlap.
//   counts       a form that returns a number waits for it (it synchronises exec.stream); a form that takes a pointer
//                to a std::uint64_t writes the number there, where the data lives, and does not wait.
//   returns      on the device as soon as the work is queued on exec.stream, but for the forms that wait; on the host
//                when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, no bins, a device_count
//                on the host), overlap, unreachable, out_of_memory (scratch), not_built (functions without prebuilt
//                device code, in a file that nvcc did not compile). On the host also what a function throws; outputs
//                are unspecified then.
//   method       a scan of counters (G. Blelloch, "Prefix sums and their applications", 1990), one for each bin.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/exec.hpp"
#include "kogge/host/partition.hpp"
#include "kogge/host/split.hpp"
#include "kogge/plan.hpp"
#include "kogge/prebuilt.hpp"
#if KOGGE_KERNELS
#include "kogge/grid/compact.cuh"
#include "kogge/grid/emit.cuh"
#include "kogge/grid/split_bins.cuh"
#endif

namespace kogge {

namespace detail {

[[noreturn]] inline void report_not_built(const char* call) {
    throw error(errc::not_built, call, "the library holds no device code for these types; compile this file with nvcc");
}

inline void require_host_count(const char* call, const item_count& n) {
    if (n.on_device())
        throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
}

/// A number that device work leaves for the host.
class AwaitedCount {
public:
    AwaitedCount(const char* call, const exec& how)
        : scratch_(call, beside(how), sizeof(std::uint64_t)), stream_(how.stream) {}
    std::uint64_t* device() const { return static_cast<std::uint64_t*>(scratch_.data()); }
    /// Waits for the stream.
    std::uint64_t wait() const {
        std::uint64_t value = 0;
        simt::copy(&value, device(), sizeof value, stream_);
        simt::synchronize(stream_);
        return value;
    }

private:
    // The workspace and the limit are for the call itself.
    static exec beside(exec how) {
        how.space = {};
        how.scratch_limit = kNoLimit;
        return how;
    }
    Scratch scratch_;
    stream_t stream_;
};

/// `rejected` null: the kept items only; == kept: rejected items follow the kept ones.
template <class Item, class Keep>
void run_compact(const char* call, backend where, const Item* in, const item_count& n, Item* kept, Item* rejected,
                 std::uint64_t* total, Keep keep, const exec& how) {
    static_assert(std::is_trivially_copyable_v<Item>, "items travel as bytes");
    if (where == backend::host) {
        require_host_count(call, n);
        *total = host::compact(in, n.bound(), kept, rejected, keep, how.host_threads);
    } else if constexpr (KOGGE_KERNELS || grid::is_prebuilt<Item, Keep>) {
        grid::device_compact(call, in, n, kept, rejected, total, keep, how);
    } else {
        report_not_built(call);
    }
}

template <class Item, class Keep>
std::uint64_t run_compact_and_wait(const char* call, backend where, const Item* in, const item_count& n, Item* kept,
                                   Item* rejected, Keep keep, const exec& how) {
    std::uint64_t total = 0;
    if (n.bound() == 0) return 0;
    if (where == backend::host) {
        run_compact(call, where, in, n, kept, rejected, &total, keep, how);
        return total;
    }
    const AwaitedCount count(call, how);
    run_compact(call, where, in, n, kept, rejected, count.device(), keep, how);
    return count.wait();
}

template <class Item>
struct CompactRegions {
    Region in, out;
    CompactRegions(const char* call, const Item* from, const Item* to, const item_count& n)
        : in{from, bytes_of(call, n.bound(), sizeof(Item)), "in"}, out{to, in.bytes, "out"} {}
};

inline Region count_region(std::uint64_t* count) { return {count, sizeof(std::uint64_t), "the count"}; }

}  // namespace detail

/// Keeps the items that satisfy the predicate: out[0 … kept) in input order; `out` has room for all n. Returns the
/// number kept, and waits for it. out == in is allowed (then items past the kept ones are unspecified); other overlap
/// is an error.
template <class Item, class Predicate>
std::uint64_t compact(const Item* in, item_count n, Item* out, Predicate predicate, const exec& how = {}) {
    const detail::CompactRegions<Item> regions("compact", in, out, n);
    const backend where = detail::check_call("compact", how, n, {regions.in}, {regions.out}, 1);
    return detail::run_compact_and_wait("compact", where, in, n, out, static_cast<Item*>(nullptr),
                                        grid::ByPredicate<Predicate>{predicate}, how);
}

/// The same without waiting: the number kept goes to *kept, which lives where the data lives.
template <class Item, class Predicate>
void compact(const Item* in, item_count n, Item* out, std::uint64_t* kept, Predicate predicate, const exec& how = {}) {
    const detail::CompactRegions<Item> regions("compact", in, out, n);
    const detail::Region count = detail::count_region(kept);
    const backend where = detail::check_call("compact", how, n, {regions.in}, {regions.out, count}, 1);
    detail::run_compact("compact", where, in, n, out, static_cast<Item*>(nullptr), kept,
                        grid::ByPredicate<Predicate>{predicate}, how);
}

/// Flags as bits: item i's is bit i % 32 of words[i / 32]. Bits past the last item are not looked at.
struct bit_mask {
    const std::uint32_t* words;
    explicit constexpr bit_mask(const std::uint32_t* words) : words(words) {}
};

namespace detail {

inline Region flag_region(const std::uint8_t* flags, const item_count& n) { return {flags, n.bound(), "flags"}; }
inline Region flag_region(bit_mask flags, const item_count& n) {
    return {flags.words, (n.bound() / 32 + (n.bound() % 32 != 0 ? 1 : 0)) * sizeof(std::uint32_t), "flags"};
}
inline grid::ByFlag keep_by(const std::uint8_t* flags) { return {flags}; }
inline grid::ByMask keep_by(bit_mask flags) { return {flags.words}; }

template <class Item, class Flags>
std::uint64_t compact_flags(const Item* in, Flags flags, const item_count& n, Item* out, const exec& how) {
    const CompactRegions<Item> regions("compact_flags", in, out, n);
    const Region marks = flag_region(flags, n);
    const backend where = check_call("compact_flags", how, n, {regions.in, marks}, {regions.out}, 1);
    return run_compact_and_wait("compact_flags", where, in, n, out, static_cast<Item*>(nullptr), keep_by(flags), how);
}
template <class Item, class Flags>
void compact_flags(const Item* in, Flags flags, const item_count& n, Item* out, std::uint64_t* kept, const exec& how) {
    const CompactRegions<Item> regions("compact_flags", in, out, n);
    const Region marks = flag_region(flags, n), count = count_region(kept);
    const backend where = check_call("compact_flags", how, n, {regions.in, marks}, {regions.out, count}, 1);
    run_compact("compact_flags", where, in, n, out, static_cast<Item*>(nullptr), kept, keep_by(flags), how);
}

}  // namespace detail

/// Keeps in[i] where flags[i] is not 0. Otherwise as compact.
template <class Item>
std::uint64_t compact_flags(const Item* in, const std::uint8_t* flags, item_count n, Item* out, const exec& how = {}) {
    return detail::compact_flags(in, flags, n, out, how);
}
template <class Item>
void compact_flags(const Item* in, const std::uint8_t* flags, item_count n, Item* out, std::uint64_t* kept,
                   const exec& how = {}) {
    detail::compact_flags(in, flags, n, out, kept, how);
}

/// Keeps in[i] where its bit is set: compact_flags(in, kogge::bit_mask(words), n, out). The library holds no device
/// code for it: compile the file with nvcc.
template <class Item>
std::uint64_t compact_flags(const Item* in, bit_mask flags, item_count n, Item* out, const exec& how = {}) {
    return detail::compact_flags(in, flags, n, out, how);
}
template <class Item>
void compact_flags(const Item* in, bit_mask flags, item_count n, Item* out, std::uint64_t* kept, const exec& how = {}) {
    detail::compact_flags(in, flags, n, out, kept, how);
}

/// Where the two sides of a partition go when they go apart; each has room for all n items.
template <class Item>
struct two_outputs {
    Item* kept;
    Item* rejected;
};

/// Puts the items that satisfy the predicate first, the others behind them, both in input order. Returns the boundary
/// (the number of the first), and waits for it. The predicate runs twice an item. out == in is allowed
/// and takes n items of scratch.
template <class Item, class Predicate>
std::uint64_t partition(const Item* in, item_count n, Item* out, Predicate predicate, const exec& how = {}) {
    const detail::CompactRegions<Item> regions("partition", in, out, n);
    const backend where = detail::check_call("partition", how, n, {regions.in}, {regions.out}, 1);
    return detail::run_compact_and_wait("partition", where, in, n, out, out, grid::ByPredicate<Predicate>{predicate},
                                        how);
}

template <class Item, class Predicate>
void partition(const Item* in, item_count n, Item* out, std::uint64_t* boundary, Predicate predicate,
               const exec& how = {}) {
    const detail::CompactRegions<Item> regions("partition", in, out, n);
    const detail::Region count = detail::count_region(boundary);
    const backend where = detail::check_call("partition", how, n, {regions.in}, {regions.out, count}, 1);
    detail::run_compact("partition", where, in, n, out, out, boundary, grid::ByPredicate<Predicate>{predicate}, how);
}

/// The two sides to two outputs; the predicate runs once an item. The outputs are apart from each other and from the
/// input.
template <class Item, class Predicate>
std::uint64_t partition(const Item* in, item_count n, two_outputs<Item> out, Predicate predicate,
                        const exec& how = {}) {
    const detail::CompactRegions<Item> regions("partition", in, out.kept, n);
    const detail::Region rejected{out.rejected, regions.in.bytes, "rejected"};
    const backend where = detail::check_call("partition", how, n, {regions.in}, {regions.out, rejected});
    return detail::run_compact_and_wait("partition", where, in, n, out.kept, out.rejected,
                                        grid::ByPredicate<Predicate>{predicate}, how);
}

template <class Item, class Predicate>
void partition(const Item* in, item_count n, two_outputs<Item> out, std::uint64_t* boundary, Predicate predicate,
               const exec& how = {}) {
    const detail::CompactRegions<Item> regions("partition", in, out.kept, n);
    const detail::Region rejected{out.rejected, regions.in.bytes, "rejected"}, count = detail::count_region(boundary);
    const backend where = detail::check_call("partition", how, n, {regions.in}, {regions.out, rejected, count});
    detail::run_compact("partition", where, in, n, out.kept, out.rejected, boundary,
                        grid::ByPredicate<Predicate>{predicate}, how);
}

namespace detail {

template <class Key, class Value, class Bucket>
void run_split(const char* call, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
               item_count n, std::uint32_t bins, const Bucket& bucket, std::uint64_t* offsets, const exec& how) {
    static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>, "items travel as bytes");
    constexpr bool has_values = !std::is_same_v<Value, grid::NoValue>;
    if (bins == 0) throw error(errc::invalid_argument, call, "there must be at least one bin");
    const Region in{keys_in, bytes_of(call, n.bound(), sizeof(Key)), "in"}, out{keys_out, in.bytes, "out"};
    const std::uint64_t value_bytes = has_values ? bytes_of(call, n.bound(), sizeof(Value)) : 0;
    const Region from{values_in, value_bytes, "values_in"}, to{values_out, value_bytes, "values_out"};
    const Region starts{offsets, offsets ? (std::uint64_t{bins} + 1) * sizeof(std::uint64_t) : 0, "offsets"};
    const backend where = check_call(call, how, n, {in, from}, {out, to, starts});
    if (where == backend::host) {
        require_host_count(call, n);
        host::split(call, keys_in, keys_out, values_in, values_out, n.bound(), bins, bucket, offsets, how.host_threads);
        return;
    }
#if KOGGE_KERNELS
    grid::device_split(call, keys_in, keys_out, values_in, values_out, n, bins, bucket, offsets, how);
#else
    report_not_built(call);
#endif
}

}  // namespace detail

/// Sorts items into `bins` bins, stably: bucket(item) → bin in [0, bins). offsets, if given, gets bins + 1 entries: bin
/// b is out[offsets[b] … offsets[b + 1]). in and out are apart. A bin number outside the range counts as the last bin
/// on the device, and throws errc::invalid_argument on the host, before anything is written. Does not wait.
template <class Item, class Bucket>
void split(const Item* in, item_count n, Item* out, std::uint32_t bins, Bucket bucket, std::uint64_t* offsets = nullptr,
           const exec& how = {}) {
    detail::run_split("split", in, out, static_cast<const grid::NoValue*>(nullptr),
                      static_cast<grid::NoValue*>(nullptr), n, bins, bucket, offsets, how);
}

/// The same with a value moving beside each key.
template <class Key, class Value, class Bucket>
void split_pairs(const Key* keys_in, const Value* values_in, item_count n, Key* keys_out, Value* values_out,
                 std::uint32_t bins, Bucket bucket, std::uint64_t* offsets = nullptr, const exec& how = {}) {
    detail::run_split("split_pairs", keys_in, keys_out, values_in, values_out, n, bins, bucket, offsets, how);
}

namespace detail {

/// `total` is null for the form that returns it.
template <class Out, class CountOf, class Make>
std::uint64_t run_emit(item_count n, Out* out, std::uint64_t capacity, std::uint64_t* total, CountOf count, Make make,
                       std::uint64_t* offsets, const exec& how) {
    static_assert(std::is_trivially_copyable_v<Out>, "outputs travel as bytes");
    const std::uint64_t number_bytes = bytes_of("emit", n.bound(), sizeof(std::uint64_t)) + sizeof(std::uint64_t);
    const Region output{out, bytes_of("emit", capacity, sizeof(Out)), "out"};
    const Region starts{offsets, offsets ? number_bytes : 0, "offsets"};
    const Region number{total, total ? sizeof(std::uint64_t) : 0, "total"};
    const backend where = check_call("emit", how, n, {}, {output, starts, number});
    if (where == backend::host) {
        require_host_count("emit", n);
        const std::uint64_t wanted = host::emit(n.bound(), count, make, out, capacity, offsets, how.host_threads);
        if (total) *total = wanted;
        return wanted;
    }
#if KOGGE_KERNELS
    if (total) {
        grid::device_emit("emit", n, count, make, out, capacity, offsets, total, how);
        return 0;
    }
    const AwaitedCount awaited("emit", how);
    grid::device_emit("emit", n, count, make, out, capacity, offsets, awaited.device(), how);
    return awaited.wait();
#else
    report_not_built("emit");
#endif
}

}  // namespace detail

/// Each of n items yields count(i) outputs: output k of item i is make(i, k), and all stand in out in item order.
/// Writes at most `capacity` of them and returns how many there are, so that a larger result than capacity tells the
/// size to come back with. offsets, if given, gets n + 1 entries: the outputs of item i are out[offsets[i] … offsets[i
/// + 1]). Work is shared by output, however uneven the counts: count(i) is at most 2^40, and may be called more than
/// once. A call takes 2^43 items at least; of more than its device can number it throws errc::invalid_argument. Waits
/// for the number.
template <class Out, class CountOf, class Make>
std::uint64_t emit(item_count n, Out* out, std::uint64_t capacity, CountOf count, Make make,
                   std::uint64_t* offsets = nullptr, const exec& how = {}) {
    return detail::run_emit(n, out, capacity, nullptr, count, make, offsets, how);
}

/// The same without waiting: the number of outputs goes to *total, which lives where the data lives.
template <class Out, class CountOf, class Make>
void emit(item_count n, Out* out, std::uint64_t capacity, std::uint64_t* total, CountOf count, Make make,
          std::uint64_t* offsets = nullptr, const exec& how = {}) {
    if (!total) throw error(errc::invalid_argument, "emit", "total is null");
    detail::run_emit(n, out, capacity, total, count, make, offsets, how);
}

}  // namespace kogge
