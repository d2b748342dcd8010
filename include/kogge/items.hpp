// The types that items may have: those that travel as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "kogge/simt/config.hpp"

struct __half2;         // CUDA's
struct __nv_bfloat162;  // CUDA's

namespace kogge {

/// Whether a copy of an object's bytes is a copy of the object: true for trivially copyable types, and pairs of them.
/// An item needs no default constructor, and its members may be const. Specialise it for a type that only its own
/// constructors or assignments keep from being trivially copyable:
///
///     template <> inline constexpr bool kogge::travels_as_bytes<Vector3> = true;
template <class T>
inline constexpr bool travels_as_bytes = std::is_trivially_copyable_v<T>;
template <class First, class Second>
inline constexpr bool travels_as_bytes<std::pair<First, Second>> = travels_as_bytes<First>&& travels_as_bytes<Second>;
template <>
inline constexpr bool travels_as_bytes<__half2> = true;
template <>
inline constexpr bool travels_as_bytes<__nv_bfloat162> = true;

namespace detail {

/// Whether kernels and host threads can make an item without a value, and assign it.
template <class T>
inline constexpr bool is_plain_item =
    std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T>&& std::is_copy_assignable_v<T>;

// The types as which bytes are copied, whatever type wrote them.
typedef std::uint8_t __attribute__((__may_alias__)) Word8;    // NOLINT: no `using` takes it in all compilers
typedef std::uint16_t __attribute__((__may_alias__)) Word16;  // NOLINT
typedef std::uint32_t __attribute__((__may_alias__)) Word32;  // NOLINT
template <std::size_t alignment>
struct Words {
    using type = Word32;
};
template <>
struct Words<1> {
    using type = Word8;
};
template <>
struct Words<2> {
    using type = Word16;
};

/// The bytes of an item that is not plain; converts as the item does. They are kept in words, so that kernels hold them
/// in registers.
template <class T>
struct Carried {
    using Word = typename Words<alignof(T)>::type;
    alignas(T) Word bytes[sizeof(T) / sizeof(Word)];

    Carried() = default;
    template <class From>
    KOGGE_HOST_DEVICE explicit Carried(const From& from);
    template <class To>
    KOGGE_HOST_DEVICE explicit operator To() const {
        return static_cast<To>(reinterpret_cast<const T&>(bytes));
    }
};
template <class T>
using carried = std::conditional_t<is_plain_item<T>, T, Carried<T>>;

/// The item that is carried, or the plain item itself.
template <class T>
KOGGE_HOST_DEVICE const T& view(const T& item) {
    return item;
}
template <class T>
KOGGE_HOST_DEVICE const T& view(const Carried<T>& item) {
    return reinterpret_cast<const T&>(item.bytes);
}

template <class T>
template <class From>
KOGGE_HOST_DEVICE Carried<T>::Carried(const From& from) {
    ::new (static_cast<void*>(bytes)) T(static_cast<T>(view(from)));
}

/// An array of items in the form that kernels and host threads take.
template <class T>
auto carry(T* items) {
    using Item = std::remove_const_t<T>;
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const carried<Item>, carried<Item>>*>(items);
}

}  // namespace detail
}  // namespace kogge
