// Prefix sums with host threads: reduce-then-scan over chunks. A worker folds its chunk, takes the carry that enters
// it, hands on the carry that leaves it, and scans the chunk while its items are still in the cache: memory is read
// once. Chunks depend on the types alone, so the sums associate in the same way with any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "kogge/host/threads.hpp"

namespace kogge::host {

namespace detail {

inline constexpr std::uint64_t kScanChunkBytes = 64u << 10;
/// A chunk consists of segments that are folded, and later scanned, side by side: a sum waits only for its own
/// segment's.
inline constexpr std::uint64_t kSegments = 4;
/// A segment's length is a multiple of this.
inline constexpr std::uint64_t kStride = 16;

template <bool inclusive, class Acc, class In, class Out, class Op>
struct ChunkScan {
    In in;
    Out out;
    Op op;
    std::uint64_t base = 0;  ///< the result for item i goes to out[i - base]

    Acc item(std::uint64_t i) const { return static_cast<Acc>(in[i]); }
    Acc join(const Acc& a, const Acc& b) const { return static_cast<Acc>(op(a, b)); }

    void put(std::uint64_t i, const Acc& value) const {
        if constexpr (std::is_pointer_v<Out>) out[i - base] = static_cast<std::remove_pointer_t<Out>>(value);
        else out[i - base] = value;
    }

    void step(Acc& sum, std::uint64_t i) const {
        const Acc next = join(sum, item(i));  // before put: in and out may be the same
        put(i, inclusive ? next : sum);
        sum = next;
    }

    /// The sums of the segments of `length` ≥ 1 items from `begin`.
    void fold(std::uint64_t begin, std::uint64_t length, Acc (&sums)[kSegments]) const {
        Acc a = item(begin), b = item(begin + length), c = item(begin + 2 * length), d = item(begin + 3 * length);
        for (std::uint64_t i = begin + 1; i < begin + length; ++i) {
            a = join(a, item(i));
            b = join(b, item(i + length));
            c = join(c, item(i + 2 * length));
            d = join(d, item(i + 3 * length));
        }
        sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
    }

    /// Scans the segments; starts[s] enters segment s. Meanwhile the items from `ahead` on come into the cache.
    void scan(std::uint64_t begin, std::uint64_t length, const Acc (&starts)[kSegments], std::uint64_t ahead) const {
        Acc a = starts[0], b = starts[1], c = starts[2], d = starts[3];
        for (std::uint64_t i = begin; i < begin + length; ahead += kStride * kSegments) {
            if constexpr (std::is_pointer_v<In>) prefetch(in + ahead, kStride * kSegments * sizeof(*in));
            for (const std::uint64_t end = i + kStride; i < end; ++i) {
                step(a, i);
                step(b, i + length);
                step(c, i + 2 * length);
                step(d, i + 3 * length);
            }
        }
    }

    /// One item after the other; without a carry (inclusive only) the first item begins the sum.
    void scan_serially(std::uint64_t begin, std::uint64_t end, std::optional<Acc>& carry) const {
        if (begin == end) return;
        Acc sum = carry ? *carry : item(begin);
        if (!carry) put(begin++, sum);
        for (; begin < end; ++begin) step(sum, begin);
        carry = sum;
    }
};

template <bool inclusive, class Acc, class In, class Out, class Op>
void scan_chunks(const ChunkScan<inclusive, Acc, In, Out, Op>& items, std::uint64_t n, std::optional<Acc> carry,
                 int threads) {
    constexpr std::uint64_t kLength =
        std::max<std::uint64_t>(kStride, kScanChunkBytes / kSegments / sizeof(Acc) / kStride * kStride);
    constexpr std::uint64_t kItems = kLength * kSegments;
    using Result = std::remove_pointer_t<Out>;
    threads = threads_for(n, threads);
    // The first items, and those that fill no chunk, are scanned serially; the chunks between are shared.
    const std::uint64_t first = std::min(n, kSegments);
    const std::uint64_t chunks = (n - first) / kItems;
    const bool stream = std::is_pointer_v<Out> && n * sizeof(Result) >= kStreamBytes;
    const Scratch<Result> results("scan", stream ? kItems * threads : 0);
    items.scan_serially(0, first, carry);
    if (chunks > 0) {
        Tickets tickets(chunks);
        Carry<Acc> shared(*carry);
        share(tickets, threads, [&](int worker) {
            std::uint64_t chunk, next;
            for (bool more = tickets.take(chunk); more; chunk = next) {
                const std::uint64_t begin = first + chunk * kItems;
                Acc sums[kSegments];
                items.fold(begin, kLength, sums);
                if (!shared.wait(chunk, tickets)) return;
                Acc sum = shared.value();
                for (Acc& segment : sums) {
                    const Acc next = items.join(sum, segment);
                    segment = sum;
                    sum = next;
                }
                shared.value() = sum;
                shared.hand_on(chunk);
                more = tickets.take(next);
                const std::uint64_t ahead = more ? first + next * kItems : begin;
                if constexpr (std::is_pointer_v<Out>) {
                    if (stream) {
                        auto aside = items;
                        aside.out = results.data() + kItems * worker;
                        aside.base = begin;
                        aside.scan(begin, kLength, sums, ahead);
                        copy_bytes(items.out + begin, aside.out, kItems * sizeof(Result), true);
                        continue;
                    }
                }
                items.scan(begin, kLength, sums, ahead);
            }
        });
        carry = shared.value();
    }
    items.scan_serially(first + chunks * kItems, n, carry);
}

}  // namespace detail

/// out[i] = init ⊕ in[0] ⊕ … ⊕ in[i], or up to in[i − 1] when not inclusive; init only if has_init, which an exclusive
/// scan needs. `in` and `out` have operator[](uint64), and out may be in. The result does not depend on the number of
/// threads.
template <class In, class Out, class Acc, class Op>
void scan(In in, Out out, std::uint64_t n, Op op, Acc init, bool has_init, bool inclusive, int threads) {
    if (!inclusive && !has_init)
        throw error(errc::invalid_argument, "scan", "an exclusive scan needs an initial value");
    const std::optional<Acc> carry = has_init ? std::optional<Acc>(init) : std::nullopt;
    if (inclusive) detail::scan_chunks(detail::ChunkScan<true, Acc, In, Out, Op>{in, out, op}, n, carry, threads);
    else detail::scan_chunks(detail::ChunkScan<false, Acc, In, Out, Op>{in, out, op}, n, carry, threads);
}

}  // namespace kogge::host
