// The move that split and each pass of a radix sort consist of: count the items of each bin in each chunk, scan the
// counts, and scatter every chunk to its places. Stable, because bins are laid out chunk by chunk.
//
// A scatter to many places misses caches and pages with every item. So each bin has a line of kLineBytes in the cache,
// and a full line is written at once; lines are cut at the destination's line boundaries.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kogge/host/threads.hpp"

namespace kogge::host::detail {

/// Stands for the absence of values.
struct Nothing {};

/// The lines of one worker for one destination array.
template <class T>
class LineWriter {
public:
    static constexpr std::uint32_t kItems = std::bit_floor(std::max<std::uint32_t>(1, kLineBytes / sizeof(T)));

    LineWriter(T* lines, T* out) : lines_(lines), out_(out) {
        const auto address = reinterpret_cast<std::uintptr_t>(out);
        fills_lines_ = kItems * sizeof(T) == kLineBytes && address % sizeof(T) == 0;
        if (fills_lines_) phase_ = static_cast<std::uint32_t>(address % kLineBytes / sizeof(T));
    }

    /// Puts an item of a bin that begins at starts[bin] into its place.
    void put(std::uint32_t bin, std::uint64_t place, const std::uint64_t* starts, const T& item) const {
        T* const line = lines_ + std::size_t{bin} * kItems;
        const std::uint32_t lane = static_cast<std::uint32_t>(place + phase_) % kItems;
        std::memcpy(static_cast<void*>(line + lane), &item, sizeof(T));
        if (lane != kItems - 1) return;
        const std::uint64_t count = std::min<std::uint64_t>(kItems, place + 1 - starts[bin]);
        if (fills_lines_ && count == kItems) stream_line(out_ + (place + 1 - kItems), line);
        else std::memcpy(static_cast<void*>(out_ + (place + 1 - count)), line + (kItems - count), count * sizeof(T));
    }

    /// Writes what the lines still hold; the bins end at ends[…].
    void flush(std::uint32_t bins, const std::uint64_t* ends, const std::uint64_t* starts) const {
        for (std::uint32_t bin = 0; bin < bins; ++bin) {
            const std::uint32_t lanes = static_cast<std::uint32_t>(ends[bin] + phase_) % kItems;
            const std::uint64_t count = std::min<std::uint64_t>(lanes, ends[bin] - starts[bin]);
            std::memcpy(static_cast<void*>(out_ + (ends[bin] - count)),
                        lines_ + std::size_t{bin} * kItems + (lanes - count), count * sizeof(T));
        }
    }

private:
    T* lines_;
    T* out_;
    std::uint32_t phase_ = 0;  ///< of out[0] in its line
    bool fills_lines_;
};

template <>
class LineWriter<Nothing> {
public:
    static constexpr std::uint32_t kItems = 1;
    LineWriter(Nothing*, Nothing*) {}
    void put(std::uint32_t, std::uint64_t, const std::uint64_t*, Nothing) const {}
    void flush(std::uint32_t, const std::uint64_t*, const std::uint64_t*) const {}
};

/// Values where there are some; null stands for the items' own indices.
template <class Value>
Value value_at(const Value* values, std::uint64_t i) {
    if constexpr (std::is_same_v<Value, Nothing>) {
        return {};
    } else {
        if (values) return values[i];
        Value index{};
        if constexpr (sizeof(Value) == 4) {
            const std::uint32_t number = static_cast<std::uint32_t>(i);
            std::memcpy(&index, &number, sizeof index);
        } else if constexpr (sizeof(Value) == 8) {
            std::memcpy(&index, &i, sizeof index);
        }
        return index;
    }
}

template <class Key, class Value>
class Scatter {
public:
    Scatter(const char* call, std::uint64_t n, std::uint32_t bins, int threads)
        : n_(n),
          bins_(bins),
          threads_(threads_for(n, threads)),
          chunks_(chunks_for(n, bins, threads_)),
          buffered_(bins <= kBufferedBins && n * kItemBytes >= kStreamBytes),
          starts_(call, chunks_ * bins),
          places_(call, std::uint64_t{bins} * threads_),
          key_lines_(call, buffered_ ? line_bytes<Key>() * threads_ : 0),
          value_lines_(call, buffered_ ? line_bytes<Value>() * threads_ : 0) {}

    /// Counts the bins of every chunk, and turns the counts into the places where they start. Nothing else is written.
    template <class Bucket>
    void count(const Key* keys, const Bucket& bucket) {
        for_chunks(chunks_, threads_, [&](std::uint64_t chunk) {
            std::uint64_t* const counts = starts_.data() + chunk * bins_;
            std::fill_n(counts, bins_, 0);
            count_items(keys, begin_of(chunk), begin_of(chunk + 1), bucket, counts);
        });
        std::uint64_t sum = 0;
        for (std::uint32_t bin = 0; bin < bins_; ++bin)
            for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) {
                std::uint64_t& entry = starts_.data()[chunk * bins_ + bin];
                const std::uint64_t count = entry;
                entry = sum;
                sum += count;
            }
    }

    /// Where the bins start, and n.
    void offsets(std::uint64_t* out) const {
        std::copy_n(starts_.data(), bins_, out);
        out[bins_] = n_;
    }

    /// Moves all items to the places counted. keys_out may be null; null values_in stand for indices.
    template <class Bucket>
    void move(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
              const Bucket& bucket) const {
        Tickets tickets(chunks_);
        share(tickets, threads_, [&](int worker) {
            for (std::uint64_t chunk; tickets.take(chunk);) {
                const std::uint64_t* const starts = starts_.data() + chunk * bins_;
                std::uint64_t* const places = places_.data() + std::uint64_t{bins_} * worker;
                std::copy_n(starts, bins_, places);
                if (buffered_) {
                    const LineWriter<Key> keys(lines_of<Key>(key_lines_, worker), keys_out);
                    const LineWriter<Value> values(lines_of<Value>(value_lines_, worker), values_out);
                    move_lines(keys_in, values_in, begin_of(chunk), begin_of(chunk + 1), bucket, starts, places, keys,
                               values, keys_out != nullptr);
                    if (keys_out) keys.flush(bins_, places, starts);
                    values.flush(bins_, places, starts);
                } else {
                    move_items(keys_in, keys_out, values_in, values_out, begin_of(chunk), begin_of(chunk + 1), bucket,
                               places);
                }
            }
            finish_streams();
        });
    }

private:
    static constexpr std::uint64_t kItemBytes = sizeof(Key) + (std::is_same_v<Value, Nothing> ? 0 : sizeof(Value));
    static constexpr std::uint32_t kBufferedBins = 4096;  ///< more lines than these miss the cache themselves

    // All by value: behind a reference, everything would be read again after each store.
    template <class Bucket>
    static void move_lines(const Key* keys_in, const Value* values_in, std::uint64_t begin, std::uint64_t end,
                           Bucket bucket, const std::uint64_t* starts, std::uint64_t* places, LineWriter<Key> keys,
                           LineWriter<Value> values, bool write_keys) {
        for (std::uint64_t i = begin; i < end; ++i) {
            const Key key = keys_in[i];
            const std::uint32_t bin = bucket(key);
            const std::uint64_t place = places[bin]++;
            if (write_keys) keys.put(bin, place, starts, key);
            values.put(bin, place, starts, value_at(values_in, i));
        }
    }

    template <class Bucket>
    static void move_items(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                           std::uint64_t begin, std::uint64_t end, Bucket bucket, std::uint64_t* places) {
        for (std::uint64_t i = begin; i < end; ++i) {
            const Key key = keys_in[i];
            const std::uint64_t place = places[bucket(key)]++;
            if (keys_out) keys_out[place] = key;
            if constexpr (!std::is_same_v<Value, Nothing>) values_out[place] = value_at(values_in, i);
        }
    }

    template <class Bucket>
    static void count_items(const Key* keys, std::uint64_t begin, std::uint64_t end, Bucket bucket,
                            std::uint64_t* counts) {
        for (std::uint64_t i = begin; i < end; ++i) ++counts[bucket(keys[i])];
    }

    /// A few chunks a thread, so that a thread that is held up does not hold up all, but none with many half-filled
    /// lines.
    static std::uint64_t chunks_for(std::uint64_t n, std::uint64_t bins, std::uint64_t threads) {
        return std::clamp<std::uint64_t>(n / (512 * bins), std::clamp<std::uint64_t>(n / (8 * bins), 1, threads),
                                         threads == 1 ? 1 : 4 * threads);
    }
    std::uint64_t begin_of(std::uint64_t chunk) const { return n_ / chunks_ * chunk + std::min(chunk, n_ % chunks_); }

    /// Lines are whole in the cache: a worker's begin at a line boundary.
    template <class T>
    std::uint64_t line_bytes() const {
        return divide_up(std::uint64_t{bins_} * LineWriter<T>::kItems * sizeof(T), kLineBytes) * kLineBytes;
    }
    template <class T>
    T* lines_of(const Scratch<std::byte>& lines, int worker) const {
        return reinterpret_cast<T*>(lines.data() + line_bytes<T>() * worker);
    }

    std::uint64_t n_;
    std::uint32_t bins_;
    int threads_;
    std::uint64_t chunks_;
    bool buffered_;
    Scratch<std::uint64_t> starts_, places_;
    Scratch<std::byte> key_lines_, value_lines_;
};

}  // namespace kogge::host::detail
