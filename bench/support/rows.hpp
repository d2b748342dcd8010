// Which rows a benchmark program has. A row is named by primitive, type and case; of the cross product of all names and
// sizes a program lists sets, of which the quick run has those of the README's table.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace bench {

/// What the command line asks for does not exist.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Sizes = std::vector<std::uint64_t>;

inline const Sizes kAllSizes = {1u << 10, 1u << 12, 1u << 14, 1u << 16, 1u << 18,  1u << 20,
                                1000000,  1u << 22, 1u << 24, 1u << 26, 100000000, (1u << 28) - (1u << 20),
                                1u << 28, 1u << 30};
inline const Sizes kFewSizes = {1u << 16, 1u << 20, 1u << 24, 1u << 28};
inline const Sizes kMoreSizes = {1u << 12, 1u << 16, 1u << 20, 1u << 22, 1u << 24, 1u << 28};
inline const Sizes kQuickSizes = {1u << 10, 1u << 16, 1u << 20, 1u << 24, 1u << 28};

/// A number of items, as 1000000 or 2^20, within what CUB's side of every contest counts with 32 bits.
inline std::uint64_t parse_size(const std::string& text) {
    constexpr double most = 2147483647.0;
    const std::size_t caret = text.find('^');
    std::size_t used = 0, used_after = 0;
    double size = 0;
    try {
        size = std::stoul(text, &used);
        if (caret != std::string::npos) size = std::pow(size, std::stoul(text.substr(caret + 1), &used_after));
    } catch (const std::logic_error&) {
        size = 0;
    }
    const bool whole =
        caret == std::string::npos ? used == text.size() : used == caret && caret + 1 + used_after == text.size();
    if (!whole || !(size >= 1 && size <= most))
        throw UsageError("'" + text + "' is no number of items: say one from 1 to 2147483647, such as 1000000 or 2^20");
    return static_cast<std::uint64_t>(size);
}

struct RowName {
    std::string primitive, type, case_name;
};

/// radix_sort/u32/uniform
inline std::string to_string(const RowName& name) { return name.primitive + '/' + name.type + '/' + name.case_name; }

inline RowName parse_row(const std::string& text) {
    const std::size_t first = text.find('/'), last = text.rfind('/');
    if (first == last || text.find('/', first + 1) != last)
        throw UsageError("'" + text + "' names no row: say primitive/type/case, such as radix_sort/u32/uniform");
    return {text.substr(0, first), text.substr(first + 1, last - first - 1), text.substr(last + 1)};
}

/// Every type with every case at every size.
struct RowSet {
    std::string primitive;
    std::vector<std::string> types, cases;
    Sizes sizes;
    Sizes quick_sizes = {};  ///< of a --quick run
};

/// Says what there is instead of a row: others of the primitive, or the primitives.
inline UsageError no_such_row(const RowName& name, std::uint64_t n, const std::vector<RowSet>& sets) {
    std::string rows, primitives;
    for (const RowSet& set : sets) {
        if ((primitives + ' ').find(' ' + set.primitive + ' ') == std::string::npos) primitives += ' ' + set.primitive;
        if (set.primitive != name.primitive) continue;
        for (const std::string& type : set.types)
            for (const std::string& case_name : set.cases) rows += ' ' + to_string({set.primitive, type, case_name});
    }
    return UsageError("there is no row " + to_string(name) + " of " + std::to_string(n) +
                      " items here; there are, for example," + (rows.empty() ? primitives : rows));
}

// ---- names ---------------------------------------------------------------------------------------------

/// Floating point of CUDA as well: __half, IEEE 754 of 16 bits, and __nv_bfloat16.
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T>;
#if defined(__CUDACC__)
template <>
inline constexpr bool is_float<__half> = true;
template <>
inline constexpr bool is_float<__nv_bfloat16> = true;
#endif

template <class T>
constexpr const char* type_name() {
    constexpr int size = std::bit_width(sizeof(T)) - 1;
#if defined(__CUDACC__)
    if (std::is_same_v<T, __nv_bfloat16>) return "bf16";
#endif
    if constexpr (is_float<T>) return std::array{"half", "f32", "f64"}[size - 1];
    else if constexpr (std::is_signed_v<T>) return std::array{"i8", "i16", "i32", "i64"}[size];
    else return std::array{"u8", "u16", "u32", "u64"}[size];
}
/// u32 of "u32+u32"; nothing of other pairs.
inline std::string type_of_pair(const std::string& pair) {
    const std::string half = pair.substr(0, pair.find('+'));
    return pair == half + '+' + half ? half : "";
}

/// make.operator()<T>() with the T of that name; an empty result where Types has none.
template <class First, class... Types, class Make>
auto for_type(std::string_view name, const Make& make) {
    if (name == type_name<First>()) return make.template operator()<First>();
    if constexpr (sizeof...(Types) > 0) return for_type<Types...>(name, make);
    else return decltype(make.template operator()<First>()){};
}

/// The number behind the prefix: 0.1 of "kept_0.1" by "kept_".
inline std::optional<double> number_after(std::string_view prefix, std::string_view text) {
    if (text.substr(0, prefix.size()) != prefix) return {};
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data() + prefix.size(), end, number, std::chars_format::fixed);
    if (problem != std::errc() || rest != end) return {};
    return number;
}

}  // namespace bench
