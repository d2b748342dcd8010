// Numbers as people write and read them.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "kogge/keys.hpp"

namespace kogge::command {

float to_float(half value);
/// Rounds to nearest, ties to even.
half to_half(double value);

enum class Reading { number, none, out_of_range };

/// What strtod makes of a number that from_chars finds out of range: nothing if it is too large, else the nearest one.
std::optional<double> nearest_number(std::string_view text, double of_type);
std::optional<float> nearest_number(std::string_view text, float of_type);

/// Reads the number that the whole of `text` is, without blanks: decimal, with a sign if wanted, or a hexadecimal
/// integer (0x…). A fraction is none that an integer type could hold. Numbers too small for a floating-point type
/// become the nearest one, which may be zero.
template <class T>
Reading read_number(std::string_view text, T& value) {
    if constexpr (std::is_same_v<T, half>) {
        double wide = 0;
        const Reading reading = read_number(text, wide);
        value = to_half(wide);
        const bool too_large = reading == Reading::number && std::isinf(to_float(value)) && !std::isinf(wide);
        return too_large ? Reading::out_of_range : reading;
    } else {
        if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
        const bool negative = !text.empty() && text[0] == '-';
        std::string_view digits = text.substr(negative ? 1 : 0);
        const bool hexadecimal = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
        if (hexadecimal) digits.remove_prefix(2);
        if constexpr (std::is_integral_v<T>) {
            // Apart from its sign, so that what does not fit is told from what is no number.
            std::uint64_t magnitude = 0;
            const auto [end, problem] =
                std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hexadecimal ? 16 : 10);
            if (problem == std::errc::invalid_argument || end != digits.data() + digits.size()) return Reading::none;
            const auto wide = negative ? -static_cast<__int128>(magnitude) : static_cast<__int128>(magnitude);
            if (problem != std::errc{} || wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max())
                return Reading::out_of_range;
            value = static_cast<T>(wide);
        } else if (hexadecimal) {
            std::uint64_t magnitude = 0;
            const Reading reading = read_number(text.substr(negative ? 1 : 0), magnitude);
            if (reading != Reading::number) return reading;
            value = static_cast<T>(magnitude);
            if (negative) value = -value;
        } else {
            const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (problem == std::errc::invalid_argument || end != text.data() + text.size()) return Reading::none;
            if (problem == std::errc::result_out_of_range) {
                const std::optional<T> nearest = nearest_number(text, T{});
                if (!nearest) return Reading::out_of_range;
                value = *nearest;
            }
        }
        return Reading::number;
    }
}

/// The number, or nothing where there is none or it is out of range.
template <class T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    return read_number(text, value) == Reading::number ? std::optional(value) : std::nullopt;
}

inline constexpr int kMostDigits = 32;

/// Writes the shortest text that reads back as the same number; `to` has room for kMostDigits. Returns its end.
template <class T>
char* format_number(char* to, T value) {
    if constexpr (std::is_same_v<T, half>) return format_number(to, to_float(value));
    else return std::to_chars(to, to + kMostDigits, value).ptr;
}

template <class T>
std::string number_text(T value) {
    char text[kMostDigits];
    return {text, format_number(text, value)};
}

/// 1234567 → "1,234,567".
std::string with_separators(std::uint64_t value);
/// "5.1 GiB".
std::string readable_bytes(std::uint64_t bytes);
/// "12.3 ms", "4.56 s".
std::string readable_time(double seconds);
/// "81 M keys/s".
std::string readable_rate(std::uint64_t items, double seconds, const char* unit);

}  // namespace kogge::command
