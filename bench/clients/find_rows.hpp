// The contests of clients_bench.cpp, by the type of their keys: each is compiled by itself, as CUB's sorts take a
// while.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "../support/sort_contests.hpp"
#include "kinds.hpp"

namespace bench::clients {

std::optional<Task> find_u32_row(const RowName& row, std::uint64_t n);
std::optional<Task> find_u64_row(const RowName& row, std::uint64_t n);
std::optional<Task> find_wide_row(const RowName& row, std::uint64_t n);    ///< i64, f64
std::optional<Task> find_tensor_row(const RowName& row, std::uint64_t n);  ///< half, bf16, f32
std::optional<Task> find_segmented_row(const RowName& row, std::uint64_t n);

/// Makes n keys of that kind, each slot its own; empty where no such keys have this type, which is u32, u64, i64, half,
/// bf16, f32 or f64.
template <class Key>
FillSlot<Key> keys_named(const std::string& kind, std::uint64_t n);

/// The contest of such keys alone, with one of these values, or for their 32-bit indices.
template <class Key, class... Values>
std::optional<Task> find_sort(const RowName& row, std::uint64_t n) {
    const std::string key = type_name<Key>();
    if (row.type.substr(0, row.type.find('+')) != key) return {};
    const FillSlot<Key> fill = keys_named<Key>(row.case_name, n);
    if (!fill) return {};
    const kogge::sort_options options = options_of_kind(row.case_name);
    if (row.primitive == "radix_sort" && row.type == key) return key_sort<Key>(n, fill, options);
    std::optional<Task> found;
    [[maybe_unused]] const auto try_values = [&]<class Value>(std::type_identity<Value>) {
        if (row.primitive == "radix_sort_pairs" && row.type == key + '+' + type_name<Value>())
            found = pair_sort<Key, Value>(n, fill, false, options);
        if constexpr (std::is_same_v<Value, std::uint32_t>)
            if (row.primitive == "argsort" && row.type == key) found = pair_sort<Key, Value>(n, fill, true, options);
    };
    (try_values(std::type_identity<Values>{}), ...);
    return found;
}

}  // namespace bench::clients
