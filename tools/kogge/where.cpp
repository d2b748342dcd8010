#include "where.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "io/numbers.hpp"

namespace kogge::command {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool is_suffix(char c) { return std::string_view("KMGTkmgt").find(c) != std::string_view::npos; }

/// Takes K, M, G or T off the end of a number; returns the power of two that it stands for.
int take_suffix(std::string_view& text) {
    if (text.size() < 2 || !is_suffix(text.back()) || text.find("0x") != std::string_view::npos) return 0;
    const std::size_t place = std::string_view("KMGTkmgt").find(text.back());
    text.remove_suffix(1);
    return 10 * (static_cast<int>(place % 4) + 1);
}

constexpr __int128 kBeyond = static_cast<__int128>(1) << 100;  // larger than all items

/// The largest integer that is not larger than a number, and whether there is a fraction besides.
struct Floor {
    __int128 whole;
    bool fraction;
};

/// Of a decimal number, without rounding.
Floor floor_of(std::string_view text, int shift) {
    const bool negative = text.front() == '-';
    if (negative || text.front() == '+') text.remove_prefix(1);
    unsigned __int128 mantissa = 0;
    int exponent = 0;
    bool fraction = false, after_point = false;
    std::size_t i = 0;
    for (; i < text.size() && (text[i] == '.' || (text[i] >= '0' && text[i] <= '9')); ++i) {
        if (text[i] == '.') {
            after_point = true;
        } else if (mantissa < static_cast<unsigned __int128>(kBeyond) / 1024) {
            mantissa = 10 * mantissa + static_cast<unsigned>(text[i] - '0');
            exponent -= after_point;
        } else {  // further digits only tell that there is something
            fraction |= text[i] != '0';
            exponent += !after_point;
        }
    }
    if (i < text.size()) {
        std::string_view power = text.substr(i + 1);
        std::int32_t value = 0;
        const Reading reading = read_number(power, value);
        if (reading == Reading::out_of_range || value > 10'000 || value < -10'000)
            value = power.front() == '-' ? -10'000 : 10'000;
        exponent += value;
    }
    const auto limit = static_cast<unsigned __int128>(kBeyond);
    for (; exponent < 0 && mantissa > 0 && shift > 0; --shift) {  // first what the division below leaves over
        if (mantissa >= limit) break;
        mantissa *= 2;
    }
    for (; exponent < 0 && mantissa > 0; ++exponent) {
        fraction |= mantissa % 10 != 0;
        mantissa /= 10;
    }
    for (; exponent > 0 && mantissa > 0 && mantissa < limit; --exponent) mantissa *= 10;
    for (; shift > 0 && mantissa > 0 && mantissa < limit; --shift) mantissa *= 2;
    const __int128 whole = mantissa > limit ? kBeyond : static_cast<__int128>(mantissa);
    if (!negative) return {whole, fraction};
    return {-whole - (fraction ? 1 : 0), fraction};
}

/// x < v is x ≤ ⌊v⌋ for integers x where v has a fraction, and so on.
template <class T>
compare<T> compare_integers(relation test, const Floor& value) {
    constexpr T kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
    constexpr compare<T> kAll{relation::greater_equal, kLeast}, kNone{relation::less, kLeast};
    if (value.fraction) {
        if (test == relation::equal) return kNone;
        if (test == relation::not_equal) return kAll;
        test = test == relation::less || test == relation::less_equal ? relation::less_equal : relation::greater;
    }
    const bool is_lower_bound = test == relation::greater || test == relation::greater_equal;
    if (value.whole > kMost || value.whole < kLeast) {
        if (test == relation::equal) return kNone;
        if (test == relation::not_equal) return kAll;
        return is_lower_bound == (value.whole < kLeast) ? kAll : kNone;
    }
    return {test, static_cast<T>(value.whole)};
}

/// The bound is `nearest`, T's number next to the value; `side` tells whether the value is below or above it.
template <class T>
compare<T> compare_floats(relation test, T nearest, int side) {
    constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
    if (side == 0) return {test, nearest};
    switch (test) {
        case relation::equal:
        case relation::not_equal:
            return {test, kNaN};  // which equals nothing
        case relation::less:
        case relation::less_equal:
            return {side < 0 ? relation::less : relation::less_equal, nearest};
        default:
            return {side < 0 ? relation::greater_equal : relation::greater, nearest};
    }
}

/// The number of type T, or of half for f16, next to the one written; nothing where that is infinite.
template <class T>
std::optional<T> nearest_to(std::string_view text, Type type) {
    if (type != Type::f16) return parse_number<T>(text);
    const std::optional<half> rounded = parse_number<half>(text);
    return rounded ? std::optional<T>(to_float(*rounded)) : std::nullopt;
}

}  // namespace

Where parse_where(const std::string& text) {
    constexpr std::pair<std::string_view, relation> kRelations[] = {
        {"<=", relation::less_equal}, {">=", relation::greater_equal}, {"==", relation::equal},
        {"!=", relation::not_equal},  {"<", relation::less},           {">", relation::greater},
    };
    const std::string_view all = trimmed(text);
    for (const auto& [sign, test] : kRelations) {
        if (all.substr(0, sign.size()) != sign) continue;
        const std::string_view value = trimmed(all.substr(sign.size()));
        std::string_view number = value;
        take_suffix(number);
        double wide = 0;
        const Reading reading = read_number(number, wide);
        const bool hexadecimal = number.find_first_of("xX") != std::string_view::npos;
        if (reading == Reading::number || (reading == Reading::out_of_range && !hexadecimal))
            return {test, std::string(value)};
    }
    throw usage_failure("--where '" + text + "' is no comparison",
                        "write it as --where '>1048576' or '>1M'; there are < <= > >= == !=");
}

template <class T>
compare<T> comparison(const Where& where, Type type) {
    std::string_view text = where.value;
    const int shift = take_suffix(text);
    double wide = 0;
    const bool too_large = read_number(text, wide) == Reading::out_of_range;
    const bool hexadecimal = text.find_first_of("xX") != std::string_view::npos;
    Floor floor{};
    if (hexadecimal) {
        const bool negative = text.front() == '-';
        const auto magnitude = parse_number<std::uint64_t>(text.substr(negative || text.front() == '+' ? 1 : 0));
        floor.whole = negative ? -static_cast<__int128>(magnitude.value()) : static_cast<__int128>(magnitude.value());
    } else if (std::isinf(wide)) {
        floor.whole = wide > 0 ? kBeyond : -kBeyond;
    } else if (!std::isnan(wide)) {
        floor = floor_of(text, shift);
    }
    if constexpr (std::is_integral_v<T>) {
        if (std::isnan(wide))
            throw usage_failure("--where compares with '" + where.value + "', and " + name_of(type) + " has no NaN");
        return compare_integers<T>(where.test, floor);
    } else {
        if (!std::isfinite(wide) && !too_large) return {where.test, static_cast<T>(wide)};
        const T most = type == Type::f16 ? static_cast<T>(65504) : std::numeric_limits<T>::max();
        const bool negative = text.front() == '-';
        const std::optional<T> read = nearest_to<T>(text, type);
        const T nearest = std::ldexp(read.value_or(T{}), shift);
        if (!read || std::fabs(nearest) > most)
            return compare_floats(where.test, negative ? -most : most, negative ? -1 : 1);
        const bool is_whole = hexadecimal || text.find_first_of(".eE") == std::string_view::npos;
        if (!is_whole || floor.whole >= kBeyond || -floor.whole >= kBeyond) return {where.test, nearest};
        const auto rounded = static_cast<__int128>(nearest);
        return compare_floats(where.test, nearest, floor.whole < rounded ? -1 : floor.whole > rounded ? 1 : 0);
    }
}

template compare<std::uint8_t> comparison(const Where&, Type);
template compare<std::int8_t> comparison(const Where&, Type);
template compare<std::uint16_t> comparison(const Where&, Type);
template compare<std::int16_t> comparison(const Where&, Type);
template compare<std::uint32_t> comparison(const Where&, Type);
template compare<std::int32_t> comparison(const Where&, Type);
template compare<std::uint64_t> comparison(const Where&, Type);
template compare<std::int64_t> comparison(const Where&, Type);
template compare<float> comparison(const Where&, Type);
template compare<double> comparison(const Where&, Type);

}  // namespace kogge::command
