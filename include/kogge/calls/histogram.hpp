// Histograms: how many items fall into each bin, or the sum of their weights, of an array or of each of its rows.
//
// Shared by all of them
//   result       counts[b] is the number of items of bin b, or the sum of their weights; what stood there is
//                overwritten. Items without a bin are not counted. With rows_of(length, rows), counts[r × bins + b] is
//                that of row r.
//   bins         a number of bins and bin_of(item), an integer, which is a bin if it is at least 0 and less than the
//                number; or even_bins, bin_bounds or leading_bits (bins.hpp). From 1 to 2^32 − 1.
//   items        `in` is a pointer, or any copyable object with operator[](std::uint64_t); on the device it is copied
//                into a kernel. Items of any type that travels as bytes. bin_of runs at least once per item, and up to
//                four times beyond some hundred thousand bins.
//   counts       integers of 4 or 8 bytes. Where n does not fit them the call is refused.
//   weights      integers, as `in` a pointer or an object with operator[]. Sums are in the type of the results, modulo
//                2 to the power of its bits, and so the same on every run. Floating-point weights are refused, because
//                sums of them depend on their order: sort by bins and sum by key.
//   n            a number, or, but for rows, a device_count.
//   aliasing     the counts overlap nothing that is read, or errc::overlap.
//   scratch      on the device at most 2 KiB, as the plan says (plan_histogram); on the host the counts once per
//                thread.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, no bins, bounds that do
//                not ascend or are not finite, a device_count on the host), overlap, unreachable, out_of_memory
//                (scratch), not_built (functions, weights, or inputs that are not pointers to numbers, in a file that
//                nvcc did not compile). On the host also what the functions throw; then the counts are unspecified.
//   method       blocks count in shared memory, in copies of the counters where there is room, so that equal items do
//                not wait for each other, and add up in the counts; see histogram/kernel.cuh.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/detail/caller_numbers.hpp"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/histogram.hpp"
#include "kogge/plan.hpp"
#include "kogge/types/bins.hpp"
#include "kogge/types/rows.hpp"
#if KOGGE_KERNELS
#include "kogge/histogram/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// The items of a histogram: of an array, or of rows.
struct BinnedItems {
    item_count length;  ///< of a row
    std::uint64_t rows;
    std::uint64_t n;  ///< of all rows, or its bound
};
inline BinnedItems binned_items(const char*, const item_count& n) { return {n, 1, n.bound()}; }
inline BinnedItems binned_items(const char* call, const rows_of& rows) {
    return {rows.length, rows.count, rows.length == 0 ? 0 : bytes_of(call, rows.count, rows.length)};
}
/// A number of items or rows.
template <class Extent>
concept binned_extent = std::same_as<std::remove_cvref_t<Extent>, rows_of> || std::convertible_to<Extent, item_count>;

template <class In>
using binned_item = std::remove_cvref_t<decltype(std::declval<const In&>()[std::uint64_t{}])>;

/// A caller's function, whose numbers that are no bins become kNoBin at the latest when they are compared with the
/// number of bins.
template <class Function>
struct CallerBinOf {
    Function function;
    template <class Item>
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Item& item) const {
        return bin_number(function(view(item)));
    }
};
/// The input with its items as they are carried.
template <class In>
struct CarriedItems {
    In in;
    KOGGE_HOST_DEVICE auto operator[](std::uint64_t i) const { return carried<binned_item<In>>(in[i]); }
};

/// The input with its keys as they are stored.
template <class In>
struct StoredItems {
    In in;
    KOGGE_HOST_DEVICE auto operator[](std::uint64_t i) const {
        using Item = binned_item<In>;
        if constexpr (is_number_key<Item>) return std::bit_cast<stored_key<Item>>(static_cast<Item>(in[i]));
        else return carried<Item>(in[i]);
    }
};

/// Bins of an item's type: their number, and what the call reads for them.
template <class BinOf>
struct BinsOf {
    std::uint32_t bins;
    BinOf bin_of;
    Region reads{};
};

template <class Item, class T>
BinsOf<grid::EvenBinOf<Item>> bins_of(const char* call, const even_bins<T>& even) {
    static_assert(is_binned_integer<Item> || is_float_key<Item>,
                  "even bins are of integers and floating-point numbers");
    if (!(even.lower < even.upper))
        throw error(errc::invalid_argument, call, "the lower bound is not below the upper one");
    if (even.bins == 0) throw error(errc::invalid_argument, call, "there must be at least one bin");
    if constexpr (is_binned_integer<Item>) {
        static_assert(std::integral<T>, "bounds of integers are integers");
        // Numbers of less than 64 bits and their bounds have one common type; those of 64 bits have their own.
        using Common = std::conditional_t<sizeof(Item) == 8, Item, std::int64_t>;
        if (!std::in_range<Common>(+even.lower) ||
            !std::in_range<Common>(+even.upper))  // + makes numbers of characters
            throw error(errc::invalid_argument, call, "a bound is outside the item's type");
        const std::uint64_t lower = modular(static_cast<Common>(even.lower));
        return {even.bins, {{lower, modular(static_cast<Common>(even.upper)) - lower, even.bins}}, {}};
    } else {
        using Number = binned_as<Item>;
        const auto lower = static_cast<Number>(even.lower), upper = static_cast<Number>(even.upper);
        if (!(lower < upper) || !std::isfinite(upper - lower))
            throw error(errc::invalid_argument, call, "the bounds are not finite, or equal in the item's type");
        return {even.bins, {{lower, upper, even.bins}}, {}};
    }
}
template <class Item, class T>
BinsOf<grid::BoundsBinOf<Item>> bins_of(const char* call, const bin_bounds<T>& given) {
    static_assert(std::is_same_v<T, binned_as<Item>>,
                  "bounds are of the items' type, for half and bfloat16 they are float");
    if (given.bins == 0) throw error(errc::invalid_argument, call, "there must be at least one bin");
    return {given.bins,
            {given.bounds, given.bins},
            {given.bounds, (std::uint64_t{given.bins} + 1) * sizeof(T), "the bounds"}};
}
template <class Item>
BinsOf<grid::CodeBinOf<codec_of<Item>>> bins_of(const char* call, const leading_bits& leading) {
    static_assert(encodable<Item>, "this key type has no key_codec: specialise kogge::key_codec for it");
    const BitRange range = bit_range<Item>(call, leading.order);
    if (leading.bits < 0 || leading.bits > 31 || leading.bits > range.end - range.begin)
        throw error(errc::invalid_argument, call,
                    std::to_string(leading.bits) + " leading bits are more than there are, or than 31");
    return {std::uint32_t{1} << leading.bits,
            {make_codec<Item>(leading.order), range.end - leading.bits, leading.bits},
            {}};
}
template <class Bins, class Item>
concept described_bins = requires(const Bins& bins) {
    bins_of<Item>("", bins);
};

/// A 32- or 64-bit integer.
template <class Count>
concept histogram_count = std::integral<Count> &&(sizeof(Count) == 4 || sizeof(Count) == 8);

/// Codes are of keys as they are stored, everything else is of items as they are carried.
template <class BinOf>
inline constexpr bool bins_codes = false;
template <class Codec>
inline constexpr bool bins_codes<grid::CodeBinOf<Codec>> = true;

template <class BinOf, class In>
auto binned_input(const In& in) {
    using Item = binned_item<In>;
    if constexpr (std::is_pointer_v<In>) {
        if constexpr (bins_codes<BinOf>) return reinterpret_cast<const stored_key<Item>*>(in);
        else return static_cast<const carried<Item>*>(carry(in));
    } else if constexpr (bins_codes<BinOf>) {
        return StoredItems<In>{in};
    } else if constexpr (!is_plain_item<Item>) {
        return CarriedItems<In>{in};
    } else {
        return in;
    }
}
template <class Weights>
auto binned_weights(const Weights& weights) {
    if constexpr (std::is_pointer_v<Weights>) return static_cast<const std::remove_pointer_t<Weights>*>(weights);
    else return weights;
}

template <class Item, class Function>
inline constexpr bool bins_on_host = runs_on_host<Function>;
template <class Item, class Function>
inline constexpr bool bins_on_host<Item, CallerBinOf<Function>> = runs_on_host<Function>;

/// Refuses bounds that the host can read and that do not ascend.
template <class BinOf>
void check_bounds_on_host(const char*, const BinOf&) {}
template <class Item>
void check_bounds_on_host(const char* call, const grid::BoundsBinOf<Item>& by) {
    for (std::uint32_t b = 0; b < by.bins; ++b)
        if (!(by.bounds[b] <= by.bounds[b + 1]))
            throw error(errc::invalid_argument, call,
                        "the bounds do not ascend: bound " + std::to_string(b + 1) + " is not at least bound " +
                            std::to_string(b));
}

template <class In, class Weights, class Count, class BinOf>
void run_histogram(const char* call, const In& in, const Weights& weights, Count* counts, const BinnedItems& items,
                   const BinsOf<BinOf>& bins, const exec& how) {
    using Item = binned_item<In>;
    static_assert(travels_as_bytes<Item>, "items travel as bytes: see kogge::travels_as_bytes");
    constexpr bool has_weights = !std::is_same_v<Weights, grid::NoValue>;
    if (bins.bins == 0) throw error(errc::invalid_argument, call, "there must be at least one bin");
    if (!has_weights && items.length.bound() > static_cast<std::uint64_t>((std::numeric_limits<Count>::max)()))
        throw error(errc::invalid_argument, call, "the type of the counts is too small for so many items");
    const auto region = [&](const auto& array, const char* name) -> Region {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(array)>>)
            return {array, bytes_of(call, items.n, sizeof(*array)), name};
        else return {nullptr, 0, name};
    };
    std::vector<Region> reads{region(in, "in")};
    if constexpr (has_weights) reads.push_back(region(weights, "the weights"));
    if (items.n > 0) reads.push_back(bins.reads);
    const std::vector<Region> writes{
        {counts, bytes_of(call, items.rows, std::size_t{bins.bins} * sizeof(Count)), "the counts"}};
    const RunsOn where = check_call(call, how, items.length, reads, writes);
    if (items.rows == 0) return;
    const auto input = binned_input<BinOf>(in);
    if (where == backend::host) {
        if (items.length.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        if constexpr (runs_on_host<In> && runs_on_host<Weights> && bins_on_host<Item, BinOf>) {
            const host::CallerFunctions functions(call);
            const BinOf bin_of = bins.bin_of;
            check_bounds_on_host(call, bin_of);
            const std::uint32_t most = bins.bins;
            host::histogram(
                counts, items.length.bound(), items.rows, most,
                [=](std::uint64_t i, Count* row) {
                    const std::uint32_t bin = bin_of(input[i]);
                    if (bin >= most) return;
                    using Modular = std::make_unsigned_t<Count>;
                    std::uint64_t amount = 1;
                    if constexpr (has_weights) amount = modular(weights[i]);
                    row[bin] = static_cast<Count>(static_cast<Modular>(static_cast<Modular>(row[bin]) + amount));
                },
                how.host_threads);
        } else {
            report_device_only(call);
        }
        return;
    }
    using Input = std::remove_const_t<decltype(input)>;
    if constexpr (KOGGE_KERNELS || (!has_weights && grid::is_prebuilt<Input, BinOf>)) {
        using Code =
            std::conditional_t<!has_weights && grid::is_prebuilt<Input, BinOf>, grid::LibraryCode, grid::OwnCode>;
        grid::device_histogram<Code>(call, input, binned_weights(weights), counts, sizeof(Count), items.length,
                                     items.rows, bins.bins, bins.bin_of, how);
    } else {
        throw error(errc::not_built, call,
                    "the library holds no device code for these types; compile this file with nvcc");
    }
}

template <class Item, class Function>
BinsOf<CallerBinOf<Function>> bins_by(std::uint32_t bins, const Function& bin_of) {
    check_function<void, Function, Item>();
    if constexpr (runs_on_host<Function>)
        static_assert(std::is_integral_v<std::remove_cvref_t<std::invoke_result_t<const Function&, const Item&>>>,
                      "bin_of returns the number of a bin, an integer");
    return {bins, {bin_of}, {}};
}

template <class Weights>
constexpr void check_weights() {
    static_assert(
        std::integral<binned_item<Weights>>,
        "weights are integers: a sum of floating-point numbers depends on their order, which atomic additions "
        "do not keep. Sort by bins, and sum by key");
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge {
template <class Function>
inline constexpr bool runs_on_host<detail::CallerBinOf<Function>> = runs_on_host<Function>;
}  // namespace kogge

namespace kogge::KOGGE_CODE {

/// Counts the items of each of `bins` bins: counts[b] is the number of items with bin_of(item) == b.
/// n: a number of items, a device_count, or rows_of(length, rows).
template <class In, detail::histogram_count Count, detail::binned_extent Extent, class BinOf>
requires(!std::same_as<BinOf, exec>) void histogram(const In& in, Count* counts, const Extent& n, std::uint32_t bins,
                                                    BinOf bin_of, const exec& how = {}) {
    detail::run_histogram("histogram", in, grid::NoValue{}, counts, detail::binned_items("histogram", n),
                          detail::bins_by<detail::binned_item<In>>(bins, bin_of), how);
}

/// The same by even_bins, bin_bounds or leading_bits.
template <class In, detail::histogram_count Count, detail::binned_extent Extent,
          detail::described_bins<detail::binned_item<In>> Bins>
void histogram(const In& in, Count* counts, const Extent& n, const Bins& bins, const exec& how = {}) {
    detail::run_histogram("histogram", in, grid::NoValue{}, counts, detail::binned_items("histogram", n),
                          detail::bins_of<detail::binned_item<In>>("histogram", bins), how);
}

/// Adds up the weights of the items of each bin: sums[b] is the sum of weights[i] over all i with bin_of(in[i]) == b.
template <class In, class Weights, detail::histogram_count Sum, detail::binned_extent Extent, class BinOf>
requires(!std::same_as<BinOf, exec>) void weighted_histogram(const In& in, const Weights& weights, Sum* sums,
                                                             const Extent& n, std::uint32_t bins, BinOf bin_of,
                                                             const exec& how = {}) {
    detail::check_weights<Weights>();
    detail::run_histogram("weighted_histogram", in, weights, sums, detail::binned_items("weighted_histogram", n),
                          detail::bins_by<detail::binned_item<In>>(bins, bin_of), how);
}

/// The same by even_bins, bin_bounds or leading_bits.
template <class In, class Weights, detail::histogram_count Sum, detail::binned_extent Extent,
          detail::described_bins<detail::binned_item<In>> Bins>
void weighted_histogram(const In& in, const Weights& weights, Sum* sums, const Extent& n, const Bins& bins,
                        const exec& how = {}) {
    detail::check_weights<Weights>();
    detail::run_histogram("weighted_histogram", in, weights, sums, detail::binned_items("weighted_histogram", n),
                          detail::bins_of<detail::binned_item<In>>("weighted_histogram", bins), how);
}

}  // namespace kogge::KOGGE_CODE
