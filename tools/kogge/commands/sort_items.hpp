// Sorts of a command's arrays, and how their keys compare.
#pragma once

#include <cstdint>
#include <cstring>

#include "io/array.hpp"
#include "kogge/keys.hpp"
#include "kogge/radix_sort.hpp"
#include "machine.hpp"

namespace kogge::command {

/// What a sort compares keys of a type by: an unsigned number.
template <class T>
class SortCode {
public:
    using Bits = detail::stored_key<T>;

    explicit SortCode(const sort_options& order)
        : codec_(detail::make_codec<T>(order)), range_(detail::bit_range<T>("radix_sort", order)) {}
    /// Of the key at a place of an array.
    Bits operator()(const std::byte* keys, std::uint64_t place) const {
        Bits key;
        std::memcpy(&key, keys + place * sizeof key, sizeof key);
        const int width = range_.end - range_.begin;
        if (width == 0) return 0;
        return static_cast<Bits>(codec_.encode(key) << (detail::key_bits<T> - range_.end)) >>
               (detail::key_bits<T> - width);
    }

private:
    decltype(detail::make_codec<T>(sort_options{})) codec_;
    detail::BitRange range_;
};

/// Calls f.operator()<V>() with an unsigned type of the items' size: values only move.
template <class F>
auto visit_size(std::size_t bytes, const F& f) {
    switch (bytes) {
        case 1:
            return f.template operator()<std::uint8_t>();
        case 2:
            return f.template operator()<std::uint16_t>();
        case 4:
            return f.template operator()<std::uint32_t>();
        default:
            return f.template operator()<std::uint64_t>();
    }
}

/// The bytes that a sort takes for each key with its value, of so many bytes or 0: for them, as much scratch, and for
/// values of less than 4 bytes indices, which travel in their place.
constexpr std::size_t sort_item_bytes(std::size_t key, std::size_t value) {
    return 2 * (key + value) + (value == 1 || value == 2 ? 2 * sizeof(std::uint32_t) : 0);
}

/// Sorts the keys, stably, and the values with them unless null. Returns the seconds of the sort alone.
inline double sort_items(Machine& machine, Array& keys, Array* values, const sort_options& order) {
    const std::uint64_t n = keys.size();
    return visit(keys.type(), [&]<class T>() {
        Placed<T> placed(machine, keys.as<T>(), n);
        double seconds = 0;
        if (!values) {
            seconds = machine.time([&] { radix_sort(placed.data(), n, order, machine.how()); });
        } else {
            seconds = visit_size(values->item_bytes(), [&]<class V>() {
                Placed<V> with(machine, values->as<V>(), n);
                const double taken =
                    machine.time([&] { radix_sort_pairs(placed.data(), with.data(), n, order, machine.how()); });
                with.fetch(n);
                return taken;
            });
        }
        placed.fetch(n);
        return seconds;
    });
}

}  // namespace kogge::command
