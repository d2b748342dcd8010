// Several arrays as the output of one function, which returns their items at one index together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kogge/simt/config.hpp"
#include "kogge/traits.hpp"

namespace kogge::detail {

template <class... T>
struct OutputArrays {
    KOGGE_HOST_DEVICE OutputArrays operator+(std::uint64_t) const { return {}; }
    template <std::size_t first, class Items>
    KOGGE_HOST_DEVICE void put(std::uint64_t, const Items&) const {}
};
template <class T, class... Others>
struct OutputArrays<T, Others...> {
    T* array;
    OutputArrays<Others...> others;

    KOGGE_HOST_DEVICE OutputArrays operator+(std::uint64_t by) const { return {array + by, others + by}; }
    /// Writes items `first` and later ones of a std::tuple, a std::pair, or whatever else get<i> takes apart.
    template <std::size_t first, class Items>
    KOGGE_HOST_DEVICE void put(std::uint64_t i, const Items& items) const {
        using std::get;
        array[i] = static_cast<T>(get<first>(items));
        others.template put<first + 1>(i, items);
    }
};

/// Writes what a function made for position i, to an array or to several.
template <class T, class Index, class Item>
KOGGE_HOST_DEVICE void put_made(T* out, Index i, const Item& item) {
    out[i] = item;
}
template <class... T, class Index, class Items>
KOGGE_HOST_DEVICE void put_made(const OutputArrays<T...>& out, Index i, const Items& items) {
    static_assert(std::tuple_size_v<Items> == sizeof...(T), "make returns an item for each of the arrays");
    out.template put<0>(static_cast<std::uint64_t>(i), items);
}

inline OutputArrays<> output_arrays() { return {}; }
template <class T, class... Others>
OutputArrays<T, Others...> output_arrays(T* array, Others*... others) {
    return {array, output_arrays(others...)};
}

}  // namespace kogge::detail
