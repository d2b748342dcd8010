// Inputs and outputs of scans that are no arrays, and each way of a scan of 8-byte structs, by key or not.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/scan_plans.hpp"

namespace tests {

// ---- inputs and outputs that are no arrays -------------------------------------------------------------
/// Item i of an array, as an input of another kind.
template <class T>
struct Reading {
    const T* items;
    KOGGE_HOST_DEVICE T operator[](std::uint64_t i) const { return items[i]; }
};
/// Keys that follow from the position.
struct Group {
    std::uint64_t length;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return i / length; }
};
/// Stores each result plus one at every `step`-th place.
template <class T>
struct Writing {
    struct Place {
        T* at;
        KOGGE_HOST_DEVICE void operator=(const T& result) const {
            T changed = result;
            if constexpr (std::is_arithmetic_v<T>) changed = static_cast<T>(changed + 1);
            else changed.opening += 1;
            *at = changed;
        }
    };
    T* out;
    std::uint64_t step;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {out + i * step}; }
};
/// Items of another array, at every `step`-th place: out[i] refers to an item.
template <class T>
struct Strided {
    T* items;
    std::uint64_t step;
    KOGGE_HOST_DEVICE T& operator[](std::uint64_t i) const { return items[i * step]; }
};
struct Nowhere {
    struct Place {
        template <class T>
        KOGGE_HOST_DEVICE void operator=(const T&) const {}
    };
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t) const { return {}; }
};

/// The same, where out[i] refers to something that takes anything and holds nothing.
struct NowhereElse {
    struct Place {
        template <class T>
        KOGGE_HOST_DEVICE const Place& operator=(const T&) const {
            return *this;
        }
    };
    Place place;
    KOGGE_HOST_DEVICE const Place& operator[](std::uint64_t) const { return place; }
};

/// What Writing leaves of results.
template <class T>
std::vector<T> written(const std::vector<T>& results, std::size_t step) {
    std::vector<T> list((results.size() - 1) * step + 1, Array<T>::poison());
    for (std::size_t i = 0; i < results.size(); ++i) {
        T result = results[i];
        if constexpr (std::is_arithmetic_v<T>) result = static_cast<T>(result + 1);
        else result.opening += 1;
        list[i * step] = result;
    }
    return list;
}

// ---- oracles -------------------------------------------------------------------------------------------
/// Scans runs, which begin where heads[i] is true; from their ends if `reversed`. `init` null: an inclusive scan.
template <class T, class Op>
std::vector<T> sums_of_runs(const std::vector<T>& items, const std::vector<bool>& heads, Op op, const T* init,
                            bool reversed) {
    const std::size_t n = items.size();
    std::vector<T> sums(n);
    T sum{};
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t i = reversed ? n - 1 - k : k;
        const bool first = k == 0 || (reversed ? heads[i + 1] : heads[i]);
        if (init) {
            sums[i] = first ? *init : sum;
            sum = static_cast<T>(op(sums[i], items[i]));
        } else {
            sum = first ? items[i] : static_cast<T>(op(sum, items[i]));
            sums[i] = sum;
        }
    }
    return sums;
}

/// Each way of a scan of 8-byte structs, and how one knows its plan. Ways of scans by key are of other sizes.
struct Form {
    const char* name;
    int multiprocessors;  ///< that the device pretends to have
    std::size_t n;
    kogge::scan_options options;
    bool (*is)(const kogge::scan_plan& plan);
};
inline const Form kForms[] = {
    {"a wave of one row", 4, 3500, {}, [](const kogge::scan_plan& plan) { return wave_rows(plan) == 1; }},
    {"a wave of more rows", 5, 15001, {}, [](const kogge::scan_plan& plan) { return wave_rows(plan) > 1; }},
    {"a ring in one launch",
     2,
     5 * 5120 + 17,
     {.grid = kogge::on_chip},
     [](const kogge::scan_plan& plan) { return is_pipelined(plan) && is_cooperative(plan); }},
    {"a ring by tickets",
     2,
     35 * 5120 + 16,
     {.grid = kogge::on_chip},
     [](const kogge::scan_plan& plan) { return is_pipelined(plan) && !is_cooperative(plan); }},
    {"tiles on chip",
     4,
     11 * 2560 + 17,
     {.grid = kogge::on_chip, .block = kogge::brent_kung},
     [](const kogge::scan_plan& plan) { return plan.is<kogge::tile_scan>(); }},
    {"two levels",
     4,
     41 * 2560 + 17,
     {.grid = kogge::two_level},
     [](const kogge::scan_plan& plan) { return levels_of(plan).size() == 2; }},
};
inline std::vector<Bicyclic> brackets(std::size_t n) {
    auto items = random_items<Bicyclic>(n, n);
    for (Bicyclic& item : items) item.closing %= 4, item.opening %= 4;
    return items;
}
/// Runs of 1, 2, … 40 items, and a long one.
inline std::vector<std::uint32_t> keys_of_runs(std::size_t n) {
    std::vector<std::uint32_t> keys(n);
    std::uint32_t key = 7;
    for (std::size_t i = 0, left = 1, length = 1; i < n; ++i) {
        if (left-- == 0) {
            key = key * 5 + 1;
            length = length % 40 + 1;
            left = (length == 13 ? 3000 : length) - 1;
        }
        keys[i] = key;
    }
    return keys;
}
inline std::vector<bool> heads_of(const std::vector<std::uint32_t>& keys) {
    std::vector<bool> heads(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) heads[i] = i == 0 || keys[i - 1] != keys[i];
    return heads;
}

template <class Visit>
void for_each_form([[maybe_unused]] bool by_key, const Visit& visit) {
    for (const Form& form : kForms) {
        const Pretending device(form.multiprocessors);
        for (const std::size_t n : {form.n, form.n + 1}) {
            SCOPED_TRACE(std::to_string(n) + " items, " + form.name);
#if KOGGE_EMULATED
            const auto shape = by_key ? kogge::by_key_shape<Bicyclic>() : kogge::scan_shape{8, 8, 8};
            const auto plan = kogge::plan_scan(n, shape, form.options, kogge::simt::current_properties());
            EXPECT_TRUE(form.is(plan)) << to_string(plan);
#endif
            visit(n, form.options);
        }
    }
}

}  // namespace tests
