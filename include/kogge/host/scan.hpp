// Prefix sums with host threads: reduce-then-scan over chunks, which are still in the cache when they are scanned, so
// that memory is read once. Chunks depend on the types alone, so that sums associate in the same way for any number of
// threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/error.hpp"
#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

namespace detail {

template <bool inclusive, class Result, class Acc, class In, class Out, class Op>
struct Scanner {
    In in;
    Out out;
    Op op;

    Acc item(std::uint64_t i) const { return static_cast<Acc>(in[i]); }
    Acc join(const Acc& a, const Acc& b) const { return static_cast<Acc>(op(a, b)); }

    /// The sums of `segments` consecutive slices of `length` ≥ 1 items, the first one from `begin`. Slices are summed
    /// side by side, so that each sum waits only for its own slice.
    template <std::size_t segments>
    void fold(std::uint64_t begin, std::uint64_t length, Acc (&sums)[segments]) const {
        for (std::size_t s = 0; s < segments; ++s) sums[s] = item(begin + s * length);
        for (std::uint64_t i = begin + 1; i < begin + length; ++i)
            for (std::size_t s = 0; s < segments; ++s) sums[s] = join(sums[s], item(i + s * length));
    }

    /// Scans the slices in the same way; sums[s] is the prefix of slice s.
    template <std::size_t segments>
    void scan(std::uint64_t begin, std::uint64_t length, Acc (&sums)[segments]) const {
        for (std::uint64_t i = begin; i < begin + length; ++i)
            for (std::size_t s = 0; s < segments; ++s) {
                const Acc next = join(sums[s], item(i + s * length));  // before the store: in may be out
                out[i + s * length] = static_cast<Result>(inclusive ? next : sums[s]);
                sums[s] = next;
            }
    }

    /// Scans items [first, n): whole chunks with all threads, the rest serially.
    void run(std::uint64_t first, std::uint64_t n, Acc carry, int wanted) const {
        // A sum of words takes no longer than its load and store, and is folded several items at a time.
        constexpr std::size_t kSegments = std::integral<Acc> && sizeof(Acc) >= 4 ? 1 : 4;
        // Not a power of two: slices would share sets of the cache.
        constexpr std::uint64_t kLength = kChunkBytes / kSegments / std::min<std::size_t>(sizeof(Acc), 512) + 16;
        constexpr std::uint64_t kItems = kSegments * kLength;
        const auto add = [this](const Acc& a, const Acc& b) { return join(a, b); };
        const std::uint64_t rest = (n - first) % kItems, whole = n - first - rest;
        const int threads = threads_of(whole, wanted);
        struct Sums {
            Acc of_segment[kSegments];
        };
        std::vector<Sums> kept(slots_for(whole, kItems, threads));
        const auto fold_chunk = [first, self = *this, sums = kept.data()](const Chunk& chunk, unsigned slot) {
            self.fold(first + chunk.begin, kLength, sums[slot].of_segment);
            Acc total = sums[slot].of_segment[0];
            for (std::size_t s = 1; s < kSegments; ++s) total = self.join(total, sums[slot].of_segment[s]);
            return total;
        };
        const auto scan_chunk = [first, self = *this, kept = kept.data()](const Chunk& chunk, unsigned slot,
                                                                          const Acc& before) {
            Sums sums = kept[slot];
            Acc prefix = before;
            for (Acc& sum : sums.of_segment) {
                const Acc next = self.join(prefix, sum);
                sum = prefix;
                prefix = next;
            }
            self.scan(first + chunk.begin, kLength, sums.of_segment);
        };
        Acc last[] = {reduce_then_scan(whole, kItems, threads, carry, add, fold_chunk, scan_chunk)};
        scan(n - rest, rest, last);
    }
};

}  // namespace detail

/// out[i] = init ⊕ in[0] ⊕ … ⊕ in[i], or up to in[i − 1] when not inclusive; init only if has_init, which an exclusive
/// scan needs. `in` and `out` have operator[](uint64), and may be the same; results are of type Written, or of `out`'s
/// items. They do not depend on the number of threads.
template <class Written = void, class In, class Out, class Acc, class Op>
void scan(In in, Out out, std::uint64_t n, Op op, Acc init, bool has_init, bool inclusive, int threads) {
    if (!inclusive && !has_init)
        throw error(errc::invalid_argument, "scan", "an exclusive scan needs an initial value");
    if (n == 0) return;
    using Result =
        std::conditional_t<std::is_void_v<Written>, std::remove_cvref_t<decltype(out[std::uint64_t{}])>, Written>;
    if (!inclusive) return detail::Scanner<false, Result, Acc, In, Out, Op>{in, out, op}.run(0, n, init, threads);
    if (!has_init) {
        init = static_cast<Acc>(in[0]);
        out[0] = static_cast<Result>(init);
    }
    detail::Scanner<true, Result, Acc, In, Out, Op>{in, out, op}.run(has_init ? 0 : 1, n, init, threads);
}

}  // namespace kogge::host
