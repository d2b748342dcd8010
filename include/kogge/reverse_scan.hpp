// Prefix sums from the end: the scans of scan.hpp over the items in reverse order, each result at its item.
//
// Shared by both
//   items, accumulator, operator, order, scratch, returns, throws    as in scan.hpp; on the device the file must be
//                compiled by nvcc (not_built).
//   aliasing     out == in is allowed where they have one type; any other overlap throws errc::overlap.
//   speed        on the device a scan that reads backwards, and a turn of the results where they stand, which moves
//                twice what a forward scan moves; in place the items are turned before as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/exec.hpp"
#include "kogge/host/threads.hpp"
#include "kogge/scan.hpp"
#if KOGGE_KERNELS
#include "kogge/grid/reverse.cuh"
#endif

namespace kogge {

namespace detail {

/// The items from the last to the first.
template <class In>
struct Reversed {
    In in;
    std::uint64_t bound;
    const std::uint64_t* count;  ///< null: `bound` is the number
    KOGGE_HOST_DEVICE auto operator[](std::uint64_t i) const {
        const std::uint64_t n = count && *count < bound ? *count : bound;
        return in[n - 1 - i];
    }
};

template <class Item>
void reverse([[maybe_unused]] const char* call, backend where, Item* items, const item_count& n, const exec& how) {
    if (where == backend::host) {
        const std::uint64_t last = n.bound() - 1;
        host::for_chunks(n.bound() / 2, std::max<std::uint64_t>(1, host::kChunkBytes / sizeof(Item)), how.host_threads,
                         [=](const host::Chunk& chunk) {
                             for (std::uint64_t i = chunk.begin; i < chunk.end; ++i)
                                 std::swap(items[i], items[last - i]);
                         });
        return;
    }
#if KOGGE_KERNELS
    grid::device_reverse(items, n, how);
#else
    report_no_device_code(call);
#endif
}

template <class Acc, class In, class Out, class Op>
void reverse_scan(const char* call, In in, Out* out, const item_count& n, Op op, const Acc* start, bool inclusive,
                  const scan_options& options, const exec& how) {
    const Region input = input_region(call, in, n.bound(), "in");
    const Region output{out, bytes_of(call, n.bound(), sizeof(Out)), "out"};
    constexpr bool one_type = std::is_pointer_v<In> && std::is_same_v<item_of<In>, Out>;
    const backend where = check_call(call, how, n, {input}, {output}, one_type ? 1 : 0);
    if (n.bound() == 0) return;
    if (where == backend::host && n.on_device())
        throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
    if (!KOGGE_KERNELS && where == backend::device) report_no_device_code(call);
    if constexpr (one_type) {
        if (in == out) {
            reverse(call, where, out, n, how);
            try {
                run_scan<Acc>(call, where, static_cast<const Out*>(out), out, n, op, start, inclusive, options, how);
            } catch (...) {  // without scratch nothing may have changed
                reverse(call, where, out, n, how);
                throw;
            }
            return reverse(call, where, out, n, how);
        }
    }
    run_scan<Acc>(call, where, Reversed<In>{in, n.bound(), n.on_device()}, out, n, op, start, inclusive, options, how);
    reverse(call, where, out, n, how);
}

}  // namespace detail

/// out[i] = in[n − 1] ⊕ … ⊕ in[i].
template <class In, class Out, class Op = plus>
void reverse_inclusive_scan(In in, Out* out, item_count n, Op op = {}, scan_options options = {},
                            const exec& how = {}) {
    using Acc = detail::item_of<In>;
    detail::reverse_scan<Acc>("reverse_inclusive_scan", in, out, n, op, static_cast<const Acc*>(nullptr), true, options,
                              how);
}
template <class In, class Out, class Op = plus>
void reverse_inclusive_scan(In in, Out* out, item_count n, Op op, const exec& how) {
    reverse_inclusive_scan(in, out, n, op, scan_options{}, how);
}

/// out[i] = init ⊕ in[n − 1] ⊕ … ⊕ in[i + 1], accumulated in Acc; out[n − 1] = init.
template <class In, class Out, class Acc, class Op = plus>
void reverse_exclusive_scan(In in, Out* out, item_count n, Acc init, Op op = {}, scan_options options = {},
                            const exec& how = {}) {
    detail::reverse_scan<Acc>("reverse_exclusive_scan", in, out, n, op, &init, false, options, how);
}
template <class In, class Out, class Acc, class Op = plus>
void reverse_exclusive_scan(In in, Out* out, item_count n, Acc init, Op op, const exec& how) {
    reverse_exclusive_scan(in, out, n, init, op, scan_options{}, how);
}

}  // namespace kogge
