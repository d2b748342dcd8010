// The public split into bins: a radix sort by the bin number, with the passes of sort/passes.cuh, or all of them on
// chip for few items. The bins' offsets are found in the result, if what counts all items in each bin does not write
// them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/caller_numbers.hpp"
#include "kogge/sort/launch.cuh"
#include "kogge/split/small.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The user's bucket function, eight bits of the bin number a pass, or all of it for few items. Numbers past the last
/// bin count as the last bin, so that nothing is ever written outside the output.
template <class User>
struct BinBucket {
    static constexpr bool kIdentifies = false, kEncodes = false, kPipelines = true;
    User user;
    std::uint32_t last_bin;

    KOGGE_DEVICE bool keys_are_codes() const { return false; }
    template <class Key>
    KOGGE_DEVICE std::uint32_t code(const Key& key) const {
        const std::uint32_t bin = detail::bin_number(user(key));
        return bin < last_bin ? bin : last_bin;
    }
    template <class Key>
    KOGGE_DEVICE std::uint32_t item_code(const Key& item) const {
        return code(item);
    }
    KOGGE_DEVICE std::uint32_t digit_of(std::uint32_t bin, int pass) const {
        return bin >> (pass * kDigitBits) & (kBins - 1);
    }
    KOGGE_DEVICE bool ordered(std::uint32_t a, std::uint32_t b) const { return a <= b; }

    struct Pass : PlainItems {
        User user;
        std::uint32_t last_bin;
        int digit;
        KOGGE_HOST_DEVICE Pass(const User& function, std::uint32_t last, int pass)
            : user(function), last_bin(last), digit(pass) {}
        template <class Key>
        KOGGE_DEVICE std::uint32_t operator()(const Key& key) const {
            return simt::byte_of(BinBucket{user, last_bin}.code(key), digit);
        }
        /// The highest one, of the last pass; in those before it, more than a digit can be.
        KOGGE_HOST_DEVICE std::uint32_t last_digit() const { return last_bin >> digit * kDigitBits; }
    };
    KOGGE_HOST_DEVICE Pass in_pass(int pass) const { return {user, last_bin, pass}; }
    static_assert(kDigitBits == 8, "a digit is a byte of the bin number");
};

/// offsets[b] = the first place whose key falls into bin b or a later one; offsets[bins] = n.
template <class Key, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    find_bins_kernel(const Key* keys, Count count, Bucket bucket, std::uint32_t bins, std::uint64_t* offsets) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get();
    const std::uint64_t bin = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank();
    if (bin > bins) return;
    std::uint64_t low = 0, high = n;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (bucket.code(keys[middle]) < bin) low = middle + 1;
        else high = middle;
    }
    offsets[bin] = low;
}

/// The bits that bin numbers take.
constexpr int bin_bits(std::uint32_t bins) {
    int bits = 0;
    while (bits < 32 && (std::uint64_t{1} << bits) < bins) ++bits;
    return bits;
}

/// Splits on the device; arguments have been checked, in and out are apart. `offsets` may be null.
template <class Key, class Value, class User>
void device_split(const char* call, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                  const item_count& n, std::uint32_t bins, const User& user, std::uint64_t* offsets, const exec& how) {
    constexpr bool has_values = !std::is_same_v<Value, NoValue>;
    const SortArrays<Key, Value> arrays{keys_in, keys_out, values_in, values_out, {n.bound(), n.on_device()}};
    const BinBucket<User> bucket{user, bins - 1};
    radix_sort_shape shape{sizeof(Key), 0, bin_bits(bins), false};
    if (has_values) shape.values.push_back({sizeof(Value), sizeof(Value)});
    const radix_sort_plan plan = plan_split(n.bound(), shape, simt::properties_of(how.stream));
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_radix_sort(carver, plan); });
    const SortMemory& memory = *scratch;
    if (plan.is<copy_way>()) {
        if (n.bound() > 0) copy_items(keys_in, keys_out, sizeof(Key), n, how.stream);
        if (has_values && n.bound() > 0) copy_items(values_in, values_out, sizeof(Value), n, how.stream);
    } else if constexpr (splits_on_chip(sizeof(Key), has_values ? sizeof(Value) : 0)) {
        if (const auto* const few = plan.as<small_split>())
            return launch_split(*few, arrays, bucket, bins, offsets, how.stream);
        launch_one_of<block_sort, resident_sort, pass_sort>(arrays, bucket, plan, memory, how.stream);
    } else {
        launch_one_of<pass_sort>(arrays, bucket, plan, memory, how.stream);
    }
    if (offsets)
        simt::launch(find_bins_kernel<Key, BinBucket<User>>,
                     {static_cast<std::uint32_t>(divide_up(std::uint64_t{bins} + 1, kMoveThreads)), kMoveThreads, 0,
                      how.stream, "find_bins_kernel"},
                     keys_out, arrays.n, bucket, bins, offsets);
}

}  // namespace kogge::grid::KOGGE_CODE
