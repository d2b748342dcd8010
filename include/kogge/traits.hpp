// What items may be: whatever travels as bytes. And where functions can run: predicates, operators, buckets, and
// whatever else a call is given to call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "kogge/error.hpp"
#include "kogge/simt/config.hpp"

struct CUstream_st;  // CUDA's
struct __half2;
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
// ---- functions -----------------------------------------------------------------------------------------

struct exec;
struct scan_options;

/// Whether the host may call objects of this type. False for nvcc's lambdas that are __device__ only. For other types
/// whose operator() is __device__ only this cannot be detected: specialise it for them. Otherwise their first call on
/// the host ends the process, with a message on stderr:
///
///     template <> inline constexpr bool kogge::runs_on_host<Particles::IsNear> = false;
///
/// Calls with such a function run on the device, and throw errc::invalid_argument where they would run on the host.
template <class Function>
inline constexpr bool runs_on_host =
#if defined(__CUDACC__)
    !__nv_is_extended_device_lambda_closure_type(Function);
#else
    true;
#endif

namespace detail {

[[noreturn]] inline void report_device_only(const char* call) {
    throw error(errc::invalid_argument, call,
                "it is given a function that is __device__ only, and would run on the host; make the function "
                "__host__ __device__, or give the call data in device memory (pinned data with exec.where = "
                "kogge::backend::device)");
}

/// Reports at compile time why a function cannot be called with `Arguments`, or what it returns is no Result, unless
/// that is void.
template <class Result, class Function, class... Arguments>
constexpr void check_function() {
    static_assert(!std::is_same_v<Function, exec> && !std::is_same_v<Function, scan_options>,
                  "options stand where a function does: write the function before them, {} or kogge::plus{} for sums");
    static_assert(!std::is_same_v<Function, CUstream_st*>,
                  "a stream stands where a function does: write {stream}, which is an exec, behind all arguments");
    static_assert(
        std::is_class_v<Function> || std::is_union_v<Function> || std::is_function_v<std::remove_pointer_t<Function>>,
        "this is no function: inclusive scans and reductions take (…, n, op, init), exclusive scans (…, n, init, op)");
    static_assert(std::is_copy_constructible_v<Function>,
                  "the function is copied to threads and kernels: a lambda captures nothing that can only be moved");
    if constexpr (runs_on_host<Function>) {
        constexpr bool may_be_called = std::is_invocable_v<const Function&, const Arguments&...>;
        static_assert(may_be_called || !std::is_invocable_v<Function&, const Arguments&...>,
                      "the function changes itself or its arguments: many threads call it at once, so its operator() "
                      "is const, and a lambda is not mutable");
        static_assert(
            may_be_called || std::is_invocable_v<Function&, const Arguments&...>,
            "the function takes other arguments than it is given; kogge::plus, maximum, less and equal_to need "
            "the items' own +, < and ==");
        if constexpr (may_be_called && !std::is_void_v<Result>)
            static_assert(std::is_constructible_v<Result, std::invoke_result_t<const Function&, const Arguments&...>>,
                          "what the function returns does not convert to what is needed of it: bool of a predicate and "
                          "of a comparison, an integer of a bucket and of a count, an item of an operator");
    }
}

/// Reports at compile time what is no initial value of sums of items.
template <class Init, class Item>
constexpr void check_init() {
    static_assert(
        !std::is_same_v<Init, exec> && !std::is_same_v<Init, scan_options> && !std::is_same_v<Init, CUstream_st*>,
        "options or a stream stand where an initial value does: write the value, 0 for sums, before them");
    static_assert(std::is_constructible_v<Init, const Item&>,
                  "this is no initial value, as an item does not convert to it: inclusive scans and reductions take "
                  "(…, n, op, init), exclusive scans (…, n, init, op)");
}

/// A function of items, applied to carried items.
template <class Function>
struct OnCarried {
    Function function;
    template <class... Items>
    KOGGE_HOST_DEVICE auto operator()(const Items&... items) const {
        return function(view(items)...);
    }
};
template <class... Items, class Function>
auto on_carried(const Function& function) {
    if constexpr ((is_plain_item<Items> && ...)) return function;
    else return OnCarried<Function>{function};
}

}  // namespace detail

template <class Function>
inline constexpr bool runs_on_host<detail::OnCarried<Function>> = runs_on_host<Function>;

}  // namespace kogge
