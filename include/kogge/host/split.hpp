// The stable move that a split, and each pass of a radix sort, consists of: count the items of each bin per chunk, scan
// the counts, and scatter every chunk to its places. Stable, because each bin is laid out chunk by chunk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "kogge/detail/caller_numbers.hpp"
#include "kogge/error.hpp"
#include "kogge/host/machine/lines.hpp"
#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

/// Results of this size or more do not stay in the caches.
inline constexpr std::uint64_t kLargeBytes = 16u << 20;

/// One split of keys, and a value with each unless Value is empty.
template <class Key, class Value>
class Splitter {
public:
    static constexpr bool kHasValues = !std::is_empty_v<Value>;
    static constexpr std::uint64_t kItemBytes = sizeof(Key) + (kHasValues ? sizeof(Value) : 0);

    Splitter(const char* call, std::uint64_t n, std::uint32_t bins, int threads)
        : call_(call),
          n_(n),
          bins_(bins),
          threads_(threads_of(n, threads)),
          // More lines than these would not stay in the caches either.
          combines_(bins <= 4096 && n * kItemBytes >= kLargeBytes),
          // Many chunks per thread, so that a slow thread does not hold up the others; but a chunk fills several lines
          // per bin.
          size_((std::max)(divide_up(n, std::uint64_t{16} * threads_for(n, threads_)),
                           std::uint64_t{combines_ ? 256u : 64u} * bins)),
          chunks_(std::max<std::uint64_t>(1, divide_up(n, size_))),
          begins_(call, chunks_ * bins),
          places_(call, std::uint64_t{threads_for(n, threads_)} * bins),
          lines_(call, combines_ ? threads_for(n, threads_) * worker_bytes() : 0) {}

    /// Counts the items of each bin in each chunk, and turns the counts into first places. False: all items are in one
    /// bin. Throws errc::invalid_argument if bucket(key) is not a bin.
    template <class Bucket>
    bool count(const Key* keys, const Bucket& bucket) {
        std::fill_n(begins_.data(), chunks_ * bins_, 0);
        for_chunks(n_, size_, threads_, [=, this](const Chunk& chunk) {
            const std::uint32_t bins = bins_;
            std::uint64_t* const counts = begins_.data() + chunk.index * bins;
            for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
                const std::uint32_t bin = kogge::detail::bin_number(bucket(keys[i]));
                if (bin >= bins) report(bin);
                ++counts[bin];
            }
        });
        std::uint64_t sum = 0, largest = 0;
        for (std::uint32_t bin = 0; bin < bins_; ++bin) {
            const std::uint64_t begin = sum;
            for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk)
                sum += std::exchange(begins_.data()[chunk * bins_ + bin], sum);
            largest = (std::max)(largest, sum - begin);
        }
        return largest < n_;
    }

    /// The first place of each bin, and n.
    void offsets(std::uint64_t* out) const {
        std::copy_n(begins_.data(), bins_, out);
        out[bins_] = n_;
    }

    /// Moves all items to their places.
    template <class Bucket>
    void move(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
              const Bucket& bucket) const {
        for_chunks(n_, size_, threads_, [=, this](const Chunk& chunk) {
            const std::uint64_t* const begins = begins_.data() + chunk.index * bins_;
            std::uint64_t* const places = places_.data() + std::uint64_t{chunk.worker} * bins_;
            std::copy_n(begins, bins_, places);
            if (!combines_) {
                for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
                    const std::uint64_t place = places[kogge::detail::bin_number(bucket(keys_in[i]))]++;
                    copy_items(keys_out + place, keys_in + i, 1);
                    if constexpr (kHasValues) copy_items(values_out + place, values_in + i, 1);
                }
                return;
            }
            std::byte* const lines = lines_.data() + chunk.worker * worker_bytes();
            const Lines<Key> keys(lines, keys_out);
            const Lines<Value> values(lines + Lines<Key>::bytes(bins_), values_out);
            for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
                const std::uint32_t bin = kogge::detail::bin_number(bucket(keys_in[i]));
                const std::uint64_t place = places[bin]++;
                keys.put(bin, place, begins, keys_in[i]);
                if constexpr (kHasValues) values.put(bin, place, begins, values_in[i]);
            }
            for (std::uint32_t bin = 0; bin < bins_; ++bin) {
                keys.flush(bin, begins[bin], places[bin]);
                if constexpr (kHasValues) values.flush(bin, begins[bin], places[bin]);
            }
            Lines<Key>::finish();
        });
    }

private:
    std::size_t worker_bytes() const {
        return divide_up(Lines<Key>::bytes(bins_) + (kHasValues ? Lines<Value>::bytes(bins_) : 0), kLineBytes) *
               kLineBytes;
    }
    [[noreturn]] void report(std::uint32_t bin) const {
        throw error(
            errc::invalid_argument, call_,
            "an item's bucket is " + std::to_string(bin) + ", but there are only " + std::to_string(bins_) + " bins");
    }

    const char* call_;
    std::uint64_t n_;
    std::uint32_t bins_;
    int threads_;
    bool combines_;
    std::uint64_t size_, chunks_;
    Scratch<std::uint64_t> begins_, places_;  ///< of each chunk's bins; current, of each worker's bins
    Scratch<std::byte> lines_;
};

/// Sorts keys, and a value with each unless Value is empty, stably by bucket(key) < bins. offsets (bins + 1 entries)
/// may be null. Input and output must not overlap.
template <class Key, class Value, class Bucket>
void split(const char* call, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
           std::uint64_t n, std::uint32_t bins, const Bucket& bucket, std::uint64_t* offsets, int threads) {
    Splitter<Key, Value> splitter(call, n, bins, threads);
    splitter.count(keys_in, bucket);
    if (offsets) splitter.offsets(offsets);
    splitter.move(keys_in, keys_out, values_in, values_out, bucket);
}

}  // namespace kogge::host
