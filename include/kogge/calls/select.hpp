// Keys by their rank: the nth element, medians, quantiles; exact, without sorting.
//
// Shared by all of them
//   result       the keys that the stable sort by the same options would put at the given places, counted from 0; of
//                equal keys the one with the lower index comes first. No interpolation: the median of an even number of
//                keys is two ranks.
//   keys         as radix_sort's: integers to 128 bit, enumerations, bool, half, bfloat16, float, double, and structs
//                that have a key_codec. They are only read.
//   n            a number, or a device_count.
//   ranks        less than n, or errc::invalid_argument. Where the host knows the rank or n not, a rank past the last
//                key is that of the last one; without keys nothing is written.
//   aliasing     keys, ranks and outputs are apart, or errc::overlap.
//   scratch      on the device some megabytes, as the plan says (plan_select): counters, and for keys of more than 32
//                bits a list of a sixteenth of them; where keys are sorted, about as much as radix_sort's and one more
//                array. On the host 16 bytes per key, or 32.
//   returns      on the device as soon as the work is queued on exec.stream; never waits, and can be captured in a
//                graph. On the host when it is done.
//   throws       kogge::error before anything is changed: invalid_argument (null with items, a bit range outside the
//                key, a device_count on the host), overlap, unreachable, out_of_memory (scratch), not_built (struct
//                keys on the device, in a file that nvcc did not compile).
//   method       keys are counted by the first 16 bits of their codes; then those that begin as a wanted one, by the
//                next bits (radix selection). Two reads for keys of 32 bits, any number of ranks; for longer ones the
//                second read lists what agrees so far, which is little unless most keys begin alike. Few keys are
//                compared each with each; fewer than 61,440 per multiprocessor of the device are sorted, if
//                exec.scratch_limit has room for that, and keys of more than 64 bits always.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/exec.hpp"
#include "kogge/host/select.hpp"
#include "kogge/keys.hpp"
#include "kogge/plan.hpp"
#if KOGGE_KERNELS
#include "kogge/select/launch.cuh"
#endif

namespace kogge::detail::KOGGE_CODE {

/// `one`: one rank, and no array of them.
template <class Key>
void run_select(const char* call, const Key* keys, Key* out, const item_count& n, bool one, const std::uint64_t* ranks,
                std::uint64_t rank, std::uint64_t m, const sort_options& options, const exec& how) {
    static_assert(encodable<Key>,
                  "this key type has no key_codec: specialise kogge::key_codec for it, as keys.hpp says");
    static_assert(travels_as_bytes<Key>, "keys travel as bytes: see kogge::travels_as_bytes");
    const BitRange bits = bit_range<Key>(call, options);
    const auto check_rank = [&](std::uint64_t given) {
        if (given >= n.bound())
            throw error(
                errc::invalid_argument, call,
                "the rank is " + std::to_string(given) + ", but there are " + std::to_string(n.bound()) + " keys");
    };
    if (one) check_rank(rank);
    const RunsOn where = check_call(call, how, n,
                                    {{keys, m > 0 ? bytes_of(call, n.bound(), sizeof(Key)) : 0, "the keys"},
                                     {ranks, one ? 0 : bytes_of(call, m, sizeof(std::uint64_t)), "the ranks"}},
                                    {{out, bytes_of(call, m, sizeof(Key)), "out"}});
    if (m == 0) return;
    using Stored = stored_key<Key>;
    const codec_of<Key> codec = make_codec<Key>(options);
    const auto* in = reinterpret_cast<const Stored*>(keys);
    auto* const to = reinterpret_cast<Stored*>(out);
    if (where == backend::host) {
        if (n.on_device())
            throw error(errc::invalid_argument, call, "a device_count needs the device; pass the number itself");
        const std::uint64_t* const wanted = one ? &rank : ranks;
        for (std::uint64_t j = 0; j < m; ++j) check_rank(wanted[j]);
        const host::CallerFunctions functions(call);
        host::select(in, to, n.bound(), wanted, m, codec, bits.begin, bits.end, how.host_threads);
    } else if constexpr (KOGGE_KERNELS || grid::is_prebuilt<Stored, codec_of<Key>>) {
        with_device_codec<Key>(codec, [&](const auto& of_device) {
            grid::device_select<grid::code_of<Stored, codec_of<Key>>>(call, in, to, n, one ? nullptr : ranks, rank, m,
                                                                      of_device, bits, how);
        });
    } else {
        throw error(errc::not_built, call,
                    "the library holds no device code for this key type; compile this file with nvcc");
    }
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::KOGGE_CODE {

/// Writes the key of a rank to *out: rank 0 is the first key of the order.
template <class Key>
void select(const Key* keys, Key* out, item_count n, std::uint64_t rank, const sort_options& options = {},
            const exec& how = {}) {
    detail::run_select("select", keys, out, n, true, nullptr, rank, 1, options, how);
}
template <class Key>
void select(const Key* keys, Key* out, item_count n, std::uint64_t rank, const exec& how) {
    detail::run_select("select", keys, out, n, true, nullptr, rank, 1, sort_options{}, how);
}

/// Writes the keys of ranks[0 … m) to out[0 … m). The ranks, in any order, are where the keys are.
template <class Key>
void quantiles(const Key* keys, Key* out, item_count n, const std::uint64_t* ranks, std::uint64_t m,
               const sort_options& options = {}, const exec& how = {}) {
    detail::run_select("quantiles", keys, out, n, false, ranks, 0, m, options, how);
}
template <class Key>
void quantiles(const Key* keys, Key* out, item_count n, const std::uint64_t* ranks, std::uint64_t m, const exec& how) {
    detail::run_select("quantiles", keys, out, n, false, ranks, 0, m, sort_options{}, how);
}

}  // namespace kogge::KOGGE_CODE
