#include "io/numbers.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>

namespace kogge::command {
namespace {

constexpr int kHalfMantissa = 10;
constexpr int kHalfBias = 15;

template <class... Values>
std::string print(const char* format, Values... values) {
    char text[64];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

}  // namespace

float to_float(half value) {
    const int exponent = value.bits >> kHalfMantissa & 31;
    const int mantissa = value.bits & ((1 << kHalfMantissa) - 1);
    const bool negative = value.bits >> 15;
    float magnitude;
    if (exponent == 31) magnitude = mantissa ? std::nanf("") : HUGE_VALF;
    else if (exponent == 0) magnitude = std::ldexp(static_cast<float>(mantissa), 1 - kHalfBias - kHalfMantissa);
    else
        magnitude =
            std::ldexp(static_cast<float>(mantissa + (1 << kHalfMantissa)), exponent - kHalfBias - kHalfMantissa);
    return std::copysign(magnitude, negative ? -1.0f : 1.0f);
}

half to_half(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return {static_cast<std::uint16_t>(sign | 0x7e00)};
    if (magnitude >= 65520.0) return {static_cast<std::uint16_t>(sign | 0x7c00)};  // half way beyond the largest number
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // The unit in the last place; numbers below the smallest normal one share its unit.
    const int unit = (magnitude < 0x1p-14 ? -14 : exponent - 1) - kHalfMantissa;
    const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
    // Rounding up to a power of two carries into the exponent by itself.
    const std::uint32_t bits =
        (static_cast<std::uint32_t>(unit + kHalfMantissa + kHalfBias - 1) << kHalfMantissa) + steps;
    return {static_cast<std::uint16_t>(sign | bits)};
}

std::optional<double> nearest_number(std::string_view text, double) {
    const double value = std::strtod(std::string(text).c_str(), nullptr);
    return std::isinf(value) ? std::nullopt : std::optional(value);
}
std::optional<float> nearest_number(std::string_view text, float) {
    const float value = std::strtof(std::string(text).c_str(), nullptr);
    return std::isinf(value) ? std::nullopt : std::optional(value);
}

std::string with_separators(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string readable_bytes(std::uint64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + " bytes";
    const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes) / 1024;
    int unit = 0;
    for (; value >= 1024 && unit < 5; ++unit) value /= 1024;
    return print("%.1f %s", value, units[unit]);
}

std::string readable_time(double seconds) {
    if (seconds < 0.00095) return print("%.0f us", seconds * 1e6);
    if (seconds < 0.9995) return print("%.1f ms", seconds * 1e3);
    return print("%.2f s", seconds);
}

std::string readable_rate(std::uint64_t items, double seconds, const char* unit) {
    const double rate = seconds > 0 ? static_cast<double>(items) / seconds : 0;
    if (rate >= 1e6) return with_separators(static_cast<std::uint64_t>(rate / 1e6 + 0.5)) + " M " + unit + "/s";
    return with_separators(static_cast<std::uint64_t>(rate + 0.5)) + " " + unit + "/s";
}

}  // namespace kogge::command
