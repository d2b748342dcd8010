// LSD radix sort with host threads: a scatter for each digit that varies, least significant first.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kogge/host/scatter.hpp"
#include "kogge/host/threads.hpp"
#include "kogge/keys.hpp"
#include "kogge/plan.hpp"

namespace kogge::host {

namespace detail {

/// The lines of 2^11 bins fit a core's second cache; few keys do not earn tables of that size.
constexpr int digit_bits(std::uint64_t n) { return n < kSerialItems ? 8 : 11; }

/// The bin of a key in a pass.
template <class Codec>
struct CodecDigit {
    Codec codec;
    int begin, width;
    std::uint32_t operator()(const typename Codec::key& key) const { return codec.digit(key, begin, width); }
};

template <class Codec>
inline constexpr bool is_number_codec = false;
template <class Bits>
inline constexpr bool is_number_codec<kogge::detail::NumberCodec<Bits>> = true;

struct Digit {
    int begin, width;
};

/// What one look at the keys tells: whether they are in order, and which digits differ between them.
template <class Key, class Codec>
class Survey {
public:
    Survey(const Codec& codec, int begin_bit, int end_bit, int digit_bits)
        : codec_(codec), begin_(begin_bit), bits_(end_bit - begin_bit) {
        const int passes = (bits_ + digit_bits - 1) / digit_bits;
        for (int pass = 0, begin = begin_bit; pass < passes; ++pass) {
            digits_.push_back({begin, (end_bit - begin) / (passes - pass)});
            begin += digits_.back().width;
        }
        varies_ = std::vector<std::atomic<bool>>(digits_.size());
    }

    /// Looks until there is nothing more to learn; of random keys a few are enough.
    void look(const Key* keys, std::uint64_t n, int threads) {
        constexpr std::uint64_t kItems = 1024;
        Tickets tickets(digits_.empty() ? 0 : divide_up(n, kItems));
        share(tickets, threads_for(n, threads), [&](int) {
            for (std::uint64_t chunk; tickets.take(chunk);) {
                const std::uint64_t begin = chunk * kItems, end = std::min(n, begin + kItems);
                if (sorted_ && !in_order(keys, std::max<std::uint64_t>(begin, 1), end)) sorted_ = false;
                mark_digits(keys, begin, end);
                if (!sorted_ &&
                    std::all_of(varies_.begin(), varies_.end(), [](const auto& varies) { return varies.load(); }))
                    tickets.stop();
            }
        });
    }

    bool sorted() const { return sorted_; }
    /// The digits worth a pass, least significant first.
    std::vector<Digit> digits() const {
        std::vector<Digit> digits;
        for (std::size_t i = 0; i < digits_.size(); ++i)
            if (varies_[i]) digits.push_back(digits_[i]);
        return digits;
    }

private:
    static constexpr bool kIsNumber = is_number_codec<Codec>;

    std::uint32_t digit(const Key& key, const Digit& digit) const {
        return codec_.digit(key, digit.begin, digit.width);
    }

    bool not_after(const Key& a, const Key& b) const {
        for (auto place = digits_.rbegin(); place != digits_.rend(); ++place) {
            const std::uint32_t x = digit(a, *place), y = digit(b, *place);
            if (x != y) return x < y;
        }
        return true;
    }

    /// Whether no key of [begin, end) stands after one that should follow it; begin ≥ 1.
    bool in_order(const Key* keys, std::uint64_t begin, std::uint64_t end) const {
        if constexpr (kIsNumber) {
            const Key mask = static_cast<Key>(static_cast<Key>(~Key{0}) >> (Codec::kBits - bits_));
            bool ordered = true;
            for (std::uint64_t i = begin; i < end; ++i)
                ordered &= static_cast<Key>((codec_.encode(keys[i - 1]) >> begin_) & mask) <=
                           static_cast<Key>((codec_.encode(keys[i]) >> begin_) & mask);
            return ordered;
        } else {
            for (std::uint64_t i = begin; i < end; ++i)
                if (!not_after(keys[i - 1], keys[i])) return false;
            return true;
        }
    }

    void mark_digits(const Key* keys, std::uint64_t begin, std::uint64_t end) {
        if constexpr (kIsNumber) {
            Key difference = 0;
            const Key first = codec_.encode(keys[0]);
            for (std::uint64_t i = begin; i < end; ++i) difference |= static_cast<Key>(codec_.encode(keys[i]) ^ first);
            for (std::size_t place = 0; place < digits_.size(); ++place)
                if (static_cast<std::uint32_t>(difference >> digits_[place].begin) & ((1u << digits_[place].width) - 1))
                    varies_[place] = true;
        } else {
            for (std::size_t place = 0; place < digits_.size(); ++place) {
                if (varies_[place]) continue;
                const std::uint32_t first = digit(keys[0], digits_[place]);
                for (std::uint64_t i = begin; i < end; ++i)
                    if (digit(keys[i], digits_[place]) != first) {
                        varies_[place] = true;
                        break;
                    }
            }
        }
    }

    Codec codec_;
    int begin_, bits_;
    std::vector<Digit> digits_;
    std::vector<std::atomic<bool>> varies_;
    std::atomic<bool> sorted_{true};
};

/// Fills `to` with values, or with indices where `from` is null.
template <class Value>
void copy_values(Value* to, const Value* from, std::uint64_t n, int threads) {
    if (from) return copy_items(to, from, n, threads);
    for (std::uint64_t i = 0; i < n; ++i) to[i] = value_at(from, i);
}

/// keys_out may be null, then keys are only read; null values_in stand for indices. Arrays may be sorted onto
/// themselves.
template <class Key, class Value, class Codec>
void sort_moving(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, std::uint64_t n,
                 const Codec& codec, int begin_bit, int end_bit, int threads) {
    constexpr bool has_values = !std::is_same_v<Value, Nothing>;
    const char* call = "radix_sort";
    const Scratch<Key> own_keys(call, n), more_keys(call, keys_out ? 0 : n);
    const Scratch<Value> own_values(call, has_values ? n : 0);
    Survey<Key, Codec> survey(codec, begin_bit, end_bit, digit_bits(n));
    survey.look(keys_in, n, threads);
    const std::vector<Digit> digits = survey.digits();
    if (survey.sorted() || digits.empty()) {
        if (keys_out) copy_items(keys_out, keys_in, n, threads);
        if constexpr (has_values) copy_values(values_out, values_in, n, threads);
        return;
    }
    Scatter<Key, Value> scatter(call, n, 1u << digit_bits(n), threads);
    // Passes take turns between the output and the scratch, and the last one ends in the output.
    Key* const keys[] = {keys_out ? keys_out : more_keys.data(), own_keys.data()};
    Value* const values[] = {values_out, own_values.data()};
    if (digits.size() % 2 == 1 && (keys_in == keys_out || (has_values && values_in == values_out))) {
        copy_items(own_keys.data(), keys_in, n, threads);
        keys_in = own_keys.data();
        if constexpr (has_values) {
            if (values_in) {
                copy_items(own_values.data(), values_in, n, threads);
                values_in = own_values.data();
            }
        }
    }
    for (std::size_t pass = 0; pass < digits.size(); ++pass) {
        const std::size_t left = digits.size() - 1 - pass;
        Key* const keys_to = left == 0 ? keys_out : keys[left % 2];
        const CodecDigit<Codec> bucket{codec, digits[pass].begin, digits[pass].width};
        scatter.count(keys_in, bucket);
        scatter.move(keys_in, keys_to, values_in, values[left % 2], bucket);
        keys_in = keys_to;
        values_in = values[left % 2];
    }
}

/// A value of so many bytes, wherever it lies.
template <std::size_t size>
struct Bytes {
    std::byte byte[size];
};

}  // namespace detail

/// Sorts keys stably by the bits [begin_bit, end_bit) of their codes; out may be in.
template <class Key, class Codec>
void radix_sort(const Key* in, Key* out, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit, int threads) {
    detail::sort_moving<Key, detail::Nothing>(in, out, nullptr, nullptr, n, codec, begin_bit, end_bit, threads);
}

/// The same with a value moving beside each key.
template <class Key, class Value, class Codec>
void radix_sort_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, std::uint64_t n,
                      const Codec& codec, int begin_bit, int end_bit, int threads) {
    detail::sort_moving(keys_in, keys_out, values_in, values_out, n, codec, begin_bit, end_bit, threads);
}

/// The indices that would sort the keys.
template <class Index, class Key, class Codec>
void argsort(const Key* keys, Index* indices, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit,
             int threads) {
    static_assert(sizeof(Index) == 4 || sizeof(Index) == 8);
    detail::sort_moving<Key, Index>(keys, nullptr, nullptr, indices, n, codec, begin_bit, end_bit, threads);
}

/// out[i] = in[indices[i]], for items of `size` bytes; in and out are apart.
template <class Index>
void gather(const std::byte* in, std::byte* out, std::size_t size, const Index* indices, std::uint64_t n, int threads) {
    constexpr std::uint64_t kItems = 1u << 14;
    for_chunks(divide_up(n, kItems), threads_for(n, threads), [&](std::uint64_t chunk) {
        for (std::uint64_t i = chunk * kItems, end = std::min(n, i + kItems); i < end; ++i)
            std::memcpy(out + i * size, in + static_cast<std::uint64_t>(indices[i]) * size, size);
    });
}

namespace detail {

/// Any value arrays: indices travel with the keys, and the values are gathered by them at the end.
template <class Index, class Key, class Codec>
void sort_and_gather(const Key* in, Key* out, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit,
                     std::span<const grid::value_array> values, int threads) {
    std::size_t widest = 0;
    for (const grid::value_array& array : values)
        if (array.in == array.out) widest = std::max(widest, array.bytes);
    const char* call = "radix_sort_pairs";
    const Scratch<Index> indices(call, n);
    const Scratch<std::byte> copies(call,
                                    n > std::numeric_limits<std::uint64_t>::max() / std::max<std::size_t>(widest, 1)
                                        ? std::numeric_limits<std::uint64_t>::max()
                                        : n * widest);
    sort_moving<Key, Index>(in, out, nullptr, indices.data(), n, codec, begin_bit, end_bit, threads);
    for (const grid::value_array& array : values) {
        const std::byte* from = static_cast<const std::byte*>(array.in);
        if (array.in == array.out) {
            copy_items(copies.data(), from, n * array.bytes, threads);
            from = copies.data();
        }
        gather(from, static_cast<std::byte*>(array.out), array.bytes, indices.data(), n, threads);
    }
}

}  // namespace detail

/// Keys with any number of value arrays. `out` may be null, then keys are only read; an array without input gets
/// indices.
template <class Key, class Codec>
void sort_arrays(const Key* in, Key* out, std::uint64_t n, const Codec& codec, int begin_bit, int end_bit,
                 std::span<const grid::value_array> values, int threads) {
    if (values.empty()) return radix_sort(in, out, n, codec, begin_bit, end_bit, threads);
    const auto move = [&]<class Value>(Value) {
        detail::sort_moving(in, out, static_cast<const Value*>(values[0].in), static_cast<Value*>(values[0].out), n,
                            codec, begin_bit, end_bit, threads);
    };
    if (values.size() == 1 && values[0].bytes == 4) return move(detail::Bytes<4>{});
    if (values.size() == 1 && values[0].bytes == 8) return move(detail::Bytes<8>{});
    if (n <= std::uint64_t{1} << 32)
        return detail::sort_and_gather<std::uint32_t>(in, out, n, codec, begin_bit, end_bit, values, threads);
    detail::sort_and_gather<std::uint64_t>(in, out, n, codec, begin_bit, end_bit, values, threads);
}

// Numbers are compiled once, in lib/host_sort.cpp.
#define KOGGE_HOST_SORT_OF(prefix, Key)                                                                            \
    prefix template void sort_arrays(const Key*, Key*, std::uint64_t, const kogge::detail::NumberCodec<Key>&, int, \
                                     int, std::span<const grid::value_array>, int);
#define KOGGE_HOST_SORTS(prefix)              \
    KOGGE_HOST_SORT_OF(prefix, std::uint8_t)  \
    KOGGE_HOST_SORT_OF(prefix, std::uint16_t) \
    KOGGE_HOST_SORT_OF(prefix, std::uint32_t) \
    KOGGE_HOST_SORT_OF(prefix, std::uint64_t) \
    KOGGE_HOST_SORT_OF(prefix, ::kogge::uint128)
KOGGE_HOST_SORTS(extern)

}  // namespace kogge::host
