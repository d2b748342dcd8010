// Types that are named at run time: what is known of them, and how they become types of C++. Calls that look at an
// item's bits or bytes alone are made for an unsigned integer of its size, so that few functions serve all types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/error.hpp"
#include "kogge/keys.hpp"
#include "kogge/kogge.h"

namespace kogge::c {

enum class number_kind : std::uint8_t { none, boolean, unsigned_integer, signed_integer, floating, bytes };

/// A type's size and what its bits mean.
struct TypeInfo {
    std::size_t bytes = 0;
    std::size_t alignment = 1;
    number_kind kind = number_kind::none;
    std::uint64_t infinity = 0;  ///< the bits of +∞ in a floating type

    bool is_number() const { return kind != number_kind::none && kind != number_kind::bytes; }
};

/// Of KOGGE_NONE, and of what is no type, an info without bytes.
TypeInfo info_of(kogge_type type);
/// "u32", "f16", "12 bytes"; "none"; "type 77", which is none.
std::string name_of(kogge_type type);

/// Throws errc::invalid_argument if the type is no number.
TypeInfo number_of(const char* call, kogge_type type, const char* what);
/// The same if there is no such type, or no type is given.
TypeInfo item_of(const char* call, kogge_type type, const char* what);
/// The bytes of an index or a length: 4 or 8. Throws if the type is no integer of 32 or 64 bits.
std::size_t index_bytes(const char* call, kogge_type type, const char* what);
/// The greatest number of an integer type.
std::uint64_t greatest(kogge_type integer);
/// The host, or the device, has no code for it.
[[noreturn]] void report_type(const char* call, kogge_type type, const char* what);

/// Calls f(T{}) for the unsigned integer T of 1, 2, 4, 8 or 16 bytes. Returns false if there is none.
template <class F>
bool with_unsigned(std::size_t bytes, const F& f) {
    switch (bytes) {
        case 1:
            f(std::uint8_t{});
            return true;
        case 2:
            f(std::uint16_t{});
            return true;
        case 4:
            f(std::uint32_t{});
            return true;
        case 8:
            f(std::uint64_t{});
            return true;
        case 16:
            f(uint128{});
            return true;
        default:
            return false;
    }
}

/// Halves that compare as numbers.
template <class Half>
struct ComparedHalf {
    Half half;
    friend bool operator==(const ComparedHalf& a, const ComparedHalf& b) {
        return static_cast<float>(a.half) == static_cast<float>(b.half);
    }
};

/// Calls f(T{}) for a type that is equal as numbers of the type are. Returns false if it is no number.
template <class F>
bool with_comparable(kogge_type type, const F& f) {
    if (type == KOGGE_F16) f(ComparedHalf<half>{});
    else if (type == KOGGE_BF16) f(ComparedHalf<bfloat16>{});
    else if (type == KOGGE_F32) f(float{});
    else if (type == KOGGE_F64) f(double{});
    else return info_of(type).is_number() && with_unsigned(info_of(type).bytes, f);
    return true;
}

/// Calls f(T{}) for the numbers of up to 64 bits of which there is arithmetic: KOGGE_NUMBERS. Returns false otherwise.
template <class F>
bool with_arithmetic(kogge_type type, const F& f) {
    switch (type) {
        case KOGGE_U8:
            f(std::uint8_t{});
            return true;
        case KOGGE_I8:
            f(std::int8_t{});
            return true;
        case KOGGE_U16:
            f(std::uint16_t{});
            return true;
        case KOGGE_I16:
            f(std::int16_t{});
            return true;
        case KOGGE_U32:
            f(std::uint32_t{});
            return true;
        case KOGGE_I32:
            f(std::int32_t{});
            return true;
        case KOGGE_U64:
            f(std::uint64_t{});
            return true;
        case KOGGE_I64:
            f(std::int64_t{});
            return true;
        case KOGGE_F32:
            f(float{});
            return true;
        case KOGGE_F64:
            f(double{});
            return true;
        default:
            return false;
    }
}

/// Calls f(T{}) for a number of any type. Returns false if it is none.
template <class F>
bool with_number(kogge_type type, const F& f) {
    if (type == KOGGE_BOOL) f(bool{});
    else if (type == KOGGE_U128) f(uint128{});
    else if (type == KOGGE_I128) f(int128{});
    else if (type == KOGGE_F16) f(half{});
    else if (type == KOGGE_BF16) f(bfloat16{});
    else return with_arithmetic(type, f);
    return true;
}

}  // namespace kogge::c
