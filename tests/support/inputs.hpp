// Seeded inputs, the same on every machine and with every standard library, and the operators and structs that tests
// share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/keys.hpp"
#include "kogge/simt/config.hpp"

namespace tests {

/// splitmix64 (G. Steele, D. Lea, C. Flood, 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }

private:
    std::uint64_t state_;
};

enum class Distribution { uniform, and_skewed, values_16, one_value, two_values, sorted, reversed };
inline constexpr Distribution kDistributions[] = {
    Distribution::uniform,    Distribution::and_skewed, Distribution::values_16, Distribution::one_value,
    Distribution::two_values, Distribution::sorted,     Distribution::reversed,
};

/// Random bits as T. Floats take every bit pattern: NaNs of both signs, infinities, denormals, and often ±0.
template <class T>
T random_value(Random& random) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t words[(sizeof(T) + 7) / 8];
    for (std::uint64_t& word : words) word = random();
    T value;
    std::memcpy(static_cast<void*>(&value), words, sizeof value);
    if constexpr (kogge::detail::is_float_key<T>) {
        using Bits = kogge::detail::unsigned_of<sizeof(T)>;
        const auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
        const Bits infinity = kogge::detail::make_codec<T>({}).infinity;
        Bits bits;
        std::memcpy(&bits, &value, sizeof bits);
        switch (words[0] >> 60) {
            case 0:
                bits = static_cast<Bits>(bits & sign);
                break;  // ±0
            case 1:
                bits = static_cast<Bits>((bits & sign) | infinity);
                break;  // ±∞
            case 2:
                bits = static_cast<Bits>(bits | infinity | 1);
                break;  // ±NaN
            default:
                break;
        }
        std::memcpy(&value, &bits, sizeof value);
    }
    return value;
}

template <class T>
std::vector<T> random_items(std::size_t n, std::uint64_t seed = 1) {
    Random random(seed);
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = random_value<T>(random);
    return items;
}

/// The stable order of codes, which are unsigned. Each is sorted as one number with its place, at a third of the time
/// that comparing through places takes for millions of them.
template <class Code>
std::vector<std::uint32_t> stable_order(const std::vector<Code>& codes) {
    std::vector<std::uint32_t> order(codes.size());
    const auto sort = [&]<class Placed>(std::vector<Placed> placed, const auto& place_of) {
        std::sort(placed.begin(), placed.end());
        for (std::size_t i = 0; i < placed.size(); ++i) order[i] = place_of(placed[i]);
    };
    if constexpr (sizeof(Code) <= 8) {
        using Placed = std::conditional_t<sizeof(Code) <= 4, std::uint64_t, kogge::uint128>;
        std::vector<Placed> placed(codes.size());
        for (std::size_t i = 0; i < codes.size(); ++i) placed[i] = static_cast<Placed>(codes[i]) << 32 | i;
        sort(std::move(placed), [](const Placed& item) { return static_cast<std::uint32_t>(item); });
    } else {
        std::vector<std::pair<Code, std::uint32_t>> placed(codes.size());
        for (std::size_t i = 0; i < codes.size(); ++i) placed[i] = {codes[i], static_cast<std::uint32_t>(i)};
        sort(std::move(placed), [](const auto& item) { return item.second; });
    }
    return order;
}

/// The items in a random order.
template <class T>
std::vector<T> shuffled(std::vector<T> items, std::uint64_t seed = 5) {
    Random random(seed);
    for (std::size_t i = items.size() - 1; i > 0; --i) std::swap(items[i], items[random() % (i + 1)]);
    return items;
}

/// Unsigned integers of a distribution.
template <class T>
std::vector<T> items_of(Distribution distribution, std::size_t n, std::uint64_t seed = 1) {
    std::vector<T> items = random_items<T>(n, seed);
    const std::vector<T> more = random_items<T>(n, seed + 1), most = random_items<T>(n, seed + 2);
    for (std::size_t i = 0; i < n; ++i) switch (distribution) {
            case Distribution::and_skewed:
                items[i] = static_cast<T>(items[i] & more[i] & most[i]);
                break;
            case Distribution::values_16:
                items[i] = static_cast<T>(items[i] % 16 * 9);
                break;
            case Distribution::one_value:
                items[i] = 77;
                break;
            case Distribution::two_values:
                items[i] = items[i] & 1 ? 3 : static_cast<T>(~T{0});
                break;
            default:
                break;
        }
    if (distribution == Distribution::sorted || distribution == Distribution::reversed)
        std::sort(items.begin(), items.end());
    if (distribution == Distribution::reversed) std::reverse(items.begin(), items.end());
    return items;
}

/// The bicyclic monoid: associative, not commutative, and every element remembers what was left of it.
struct Bicyclic {
    std::uint32_t closing, opening;  ///< unmatched brackets: ")))((" is {3, 2}
    friend bool operator==(const Bicyclic&, const Bicyclic&) = default;
};
struct JoinBrackets {
    KOGGE_HOST_DEVICE Bicyclic operator()(const Bicyclic& a, const Bicyclic& b) const {
        const std::uint32_t matched = a.opening < b.closing ? a.opening : b.closing;
        return {a.closing + b.closing - matched, a.opening + b.opening - matched};
    }
};

/// 2 × 2 matrices over the integers modulo 2^32.
struct Matrix {
    std::uint32_t a, b, c, d;
    friend bool operator==(const Matrix&, const Matrix&) = default;
};
struct Multiply {
    KOGGE_HOST_DEVICE Matrix operator()(const Matrix& x, const Matrix& y) const {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

}  // namespace tests
