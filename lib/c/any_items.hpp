// Items whose type is told at run time, for what the host does with types of which there are too many pairs to compile
// each: they are compared by a switch, and copied as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "c/types.hpp"

namespace kogge::c {

/// An item, by where it stands.
struct AnyItem {
    const std::byte* at;
};

/// An array that is read.
struct AnyItems {
    const void* first;
    std::size_t bytes;  ///< of an item
    AnyItem operator[](std::uint64_t i) const { return {static_cast<const std::byte*>(first) + i * bytes}; }
};

/// An array that items are copied to.
struct AnyPlaces {
    void* first;
    std::size_t bytes;

    struct Place {
        std::byte* at;
        std::size_t bytes;
        void operator=(AnyItem item) const {  // NOLINT: a proxy
            if (bytes > 0) std::memcpy(at, item.at, bytes);
        }
    };
    Place operator[](std::uint64_t i) const { return {static_cast<std::byte*>(first) + i * bytes, bytes}; }
};

/// Calls f(a, b) with the two items as numbers that compare as those of the type do.
template <class F>
auto compare_items(kogge_type type, AnyItem a, AnyItem b, const F& f) {
    const auto as = [&]<class T>(T) {
        T x, y;
        std::memcpy(&x, a.at, sizeof x);
        std::memcpy(&y, b.at, sizeof y);
        if constexpr (detail::is_half_key<T>) return f(static_cast<float>(x), static_cast<float>(y));
        else return f(x, y);
    };
    switch (type) {
        case KOGGE_I8:
            return as(std::int8_t{});
        case KOGGE_U16:
            return as(std::uint16_t{});
        case KOGGE_I16:
            return as(std::int16_t{});
        case KOGGE_U32:
            return as(std::uint32_t{});
        case KOGGE_I32:
            return as(std::int32_t{});
        case KOGGE_U64:
            return as(std::uint64_t{});
        case KOGGE_I64:
            return as(std::int64_t{});
        case KOGGE_U128:
            return as(uint128{});
        case KOGGE_I128:
            return as(int128{});
        case KOGGE_F16:
            return as(half{});
        case KOGGE_BF16:
            return as(bfloat16{});
        case KOGGE_F32:
            return as(float{});
        case KOGGE_F64:
            return as(double{});
        default:
            return as(std::uint8_t{});  // of numbers, KOGGE_BOOL and KOGGE_U8 are left
    }
}

struct AnyEqual {
    kogge_type type;
    bool operator()(AnyItem a, AnyItem b) const {
        return compare_items(type, a, b, [](auto x, auto y) { return x == y; });
    }
};
struct AnyLess {
    kogge_type type;
    bool operator()(AnyItem a, AnyItem b) const {
        return compare_items(type, a, b, [](auto x, auto y) { return x < y; });
    }
};

}  // namespace kogge::c
