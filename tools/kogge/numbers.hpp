// Numbers as people write and read them.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "kogge/keys.hpp"

namespace kogge::command {

float to_float(half value);
/// Rounds to nearest, ties to even.
half to_half(double value);

/// The number that the whole of `text` is, or nothing: no blanks, no sign but '-', nothing that the type cannot hold.
template <class T>
std::optional<T> parse_number(std::string_view text) {
    if constexpr (std::is_same_v<T, half>) {
        const std::optional<double> value = parse_number<double>(text);
        if (!value) return std::nullopt;
        const half rounded = to_half(*value);
        if (std::isinf(to_float(rounded)) && !std::isinf(*value)) return std::nullopt;
        return rounded;
    } else {
        T value{};
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        return value;
    }
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
