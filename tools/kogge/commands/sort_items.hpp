// What the ways of kogge sort share: sorts of arrays, how their keys compare, and what the settings mean.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "io/array.hpp"
#include "io/numbers.hpp"
#include "kogge/keys.hpp"
#include "kogge/out_of_core/radix_sort.hpp"
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

/// Of neighbours whose keys agree in the bits that count, the first one stays; place_of(i) is the i-th key's place
/// among `keys`. Arrays that are null have no part in it. `last` is the code of the last key so far, if there was one:
/// what comes in parts goes on with it.
template <class PlaceOf>
void keep_first_of_equals(const Array& keys, std::initializer_list<Array*> moved, const sort_options& order,
                          const PlaceOf& place_of, std::optional<std::uint64_t>& last) {
    visit(keys.type(), [&]<class T>() {
        const SortCode<T> code_of(order);
        std::uint64_t kept = 0;
        for (std::uint64_t i = 0; i < keys.size(); ++i) {
            const std::uint64_t code = code_of(keys.data(), place_of(i));
            if (last == code) continue;
            last = code;
            for (Array* array : moved)
                if (array)
                    std::memmove(array->data() + kept * array->item_bytes(), array->data() + i * array->item_bytes(),
                                 array->item_bytes());
            ++kept;
        }
        for (Array* array : moved)
            if (array) array->shrink(kept);
    });
}

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

/// Fails where the options name bits that such keys do not have.
inline void check_bits(const sort_options& order, Type type) {
    const int bits = static_cast<int>(8 * info_of(type).bytes);
    for (const auto& [bit, option] : {std::pair(order.begin_bit, "--begin-bit"), std::pair(order.end_bit, "--end-bit")})
        if (bit > bits)
            throw usage_failure(std::string(option) + " is " + std::to_string(bit) + ", and keys of type " +
                                name_of(type) + " have " + std::to_string(bits) + " bits");
}

/// The input of --with.
inline InputOptions values_of(const SortSettings& settings) {
    return {.path = settings.values, .type = settings.values_type, .format = format_of_path(settings.values)};
}
/// Where the values go; empty: there are none.
inline std::string values_path(const SortSettings& settings) {
    if (settings.values.empty()) return {};
    return second_path(settings.common, {settings.values_output, "keys", "values", "--with"});
}
inline Failure other_number_of_values(const std::string& keys, const std::string& values) {
    return Failure("there are " + keys + " keys and " + values + " values", "give one value for each key");
}
/// "sorted 1,000 u32 with f32 values"
inline std::string sort_done(const SortSettings& settings, std::uint64_t n, Type keys, std::optional<Type> values) {
    std::string done = settings.indices ? "argsorted " : "sorted ";
    done += with_separators(n) + " " + name_of(keys);
    if (values) done += std::string(" with ") + name_of(*values) + " values";
    return done;
}

/// The bytes that a sort takes for each key with its value, of so many bytes or 0: for them, as much scratch, and for
/// values of less than 4 bytes indices, which travel in their place.
constexpr std::size_t sort_item_bytes(std::size_t key, std::size_t value) {
    return 2 * (key + value) + (value == 1 || value == 2 ? 2 * sizeof(std::uint32_t) : 0);
}

/// Sorts the keys, stably, and the values with them unless null, where the machine has them all at once. Returns the
/// seconds of the sort alone.
template <class T>
double sort_placed(Machine& machine, Array& keys, Array* values, const sort_options& order) {
    const std::uint64_t n = keys.size();
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
}

/// The same by the devices of the machine, which hold a part of them at a time. The seconds are of the copies, too.
template <class T>
double sort_in_batches(Machine& machine, Array& keys, Array* values, const sort_options& order) {
    const std::uint64_t n = keys.size();
    const out_of_core::exec how{.host_threads = machine.how().host_threads};
    return machine.time([&] {
        if (!values) return out_of_core::radix_sort(keys.as<T>(), n, order, how);
        visit_size(values->item_bytes(),
                   [&]<class V>() { out_of_core::radix_sort_pairs(keys.as<T>(), values->as<V>(), n, order, how); });
    });
}

/// Sorts the keys, stably, and the values with them unless null. Returns the seconds of the sort alone.
inline double sort_items(Machine& machine, Array& keys, Array* values, const sort_options& order) {
    return visit(keys.type(), [&]<class T>() {
        try {
            return sort_placed<T>(machine, keys, values, order);
        } catch (const error& failure) {
            if (machine.where() != backend::device || failure.code() != errc::out_of_memory) throw;
        }
        return sort_in_batches<T>(machine, keys, values, order);
    });
}

}  // namespace kogge::command
