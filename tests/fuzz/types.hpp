// The types of cases beside numbers, and the names of all.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/keys.hpp"
#include "kogge/simt/config.hpp"

namespace fuzz {

/// Items that only travel.
template <std::size_t size, std::size_t alignment = 1>
struct alignas(alignment) Bytes {
    std::uint8_t bytes[size];
};

/// A key with something beside it that does not count: 12 bytes, of which 8 are the code.
struct Tagged {
    std::uint32_t low, tag, high;
};

template <class T>
constexpr const char* name_of() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
    else if constexpr (std::is_same_v<T, std::int8_t>) return "i8";
    else if constexpr (std::is_same_v<T, std::uint16_t>) return "u16";
    else if constexpr (std::is_same_v<T, std::int16_t>) return "i16";
    else if constexpr (std::is_same_v<T, std::uint32_t>) return "u32";
    else if constexpr (std::is_same_v<T, std::int32_t>) return "i32";
    else if constexpr (std::is_same_v<T, std::uint64_t>) return "u64";
    else if constexpr (std::is_same_v<T, std::int64_t>) return "i64";
    else if constexpr (std::is_same_v<T, float>) return "f32";
    else if constexpr (std::is_same_v<T, double>) return "f64";
    else if constexpr (std::is_same_v<T, kogge::half>) return "f16";
    else if constexpr (std::is_same_v<T, kogge::bfloat16>) return "bf16";
    else if constexpr (std::is_same_v<T, kogge::uint128>) return "u128";
    else if constexpr (std::is_same_v<T, kogge::int128>) return "i128";
    else if constexpr (std::is_same_v<T, Tagged>) return "struct of 12 bytes";
    else if constexpr (sizeof(T) == 3) return "3 bytes";
    else if constexpr (sizeof(T) == 12) return "12 bytes";
    else if constexpr (sizeof(T) == 16) return "16 bytes";
    else if constexpr (sizeof(T) == 20) return "20 bytes";
    else return "struct";
}

/// Calls f.operator()<T>() with one of the types, by number.
template <class... T, class F>
void with_type(std::uint64_t which, const F& f) {
    std::uint64_t at = 0;
    (void)((at++ == which % sizeof...(T) ? (f.template operator()<T>(), true) : false) || ...);
}

}  // namespace fuzz

template <>
struct kogge::key_codec<fuzz::Tagged> {
    using bits = std::uint64_t;
    KOGGE_HOST_DEVICE static bits encode(const fuzz::Tagged& key) { return (bits{key.high} << 32) | key.low; }
};
