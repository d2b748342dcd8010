// The device code of merges and searches of numbers by kogge::less that the library holds ready (detail/prebuilt.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/exec.hpp"
#include "kogge/operators.hpp"

namespace kogge::grid {

/// Name the functions below for is_prebuilt.
struct MergeOf {};
struct SearchOf {};

/// Merges arrays on the device. The arguments have been checked. Values are words, or NoValue: then there are none.
template <class Code, class Item, class Word, class Less>
void device_merge_arrays(const Item* a, const Item* b, Item* out, const Word* values_a, const Word* values_b,
                         Word* values_out, const item_count& n_a, const item_count& n_b, Less less, const exec& how);
/// Searches for needles in a sorted array on the device. The arguments have been checked.
template <class Code, bool upper, class Item, class Result, class Less>
void device_search_arrays(const Item* sorted, const Item* needles, Result* out, const item_count& n,
                          const item_count& needle_count, Less less, const exec& how);

#define KOGGE_MERGE_OF(prefix, Item, Word)                                                                           \
    prefix template void device_merge_arrays<LibraryCode>(const Item*, const Item*, Item*, const Word*, const Word*, \
                                                          Word*, const item_count&, const item_count&, less,         \
                                                          const exec&);
#define KOGGE_SEARCH_OF(prefix, upper, Item, Result)               \
    prefix template void device_search_arrays<LibraryCode, upper>( \
        const Item*, const Item*, Result*, const item_count&, const item_count&, less, const exec&);
// Each word of values, and each result.
#define KOGGE_MERGES_OF(prefix, Item)           \
    KOGGE_MERGE_OF(prefix, Item, NoValue)       \
    KOGGE_MERGE_OF(prefix, Item, std::uint32_t) \
    KOGGE_MERGE_OF(prefix, Item, std::uint64_t)
#define KOGGE_SEARCHES_OF(prefix, Item)                 \
    KOGGE_SEARCH_OF(prefix, false, Item, std::uint32_t) \
    KOGGE_SEARCH_OF(prefix, false, Item, std::uint64_t) \
    KOGGE_SEARCH_OF(prefix, true, Item, std::uint32_t)  \
    KOGGE_SEARCH_OF(prefix, true, Item, std::uint64_t)

#define KOGGE_DECLARE(Item)                                                       \
    KOGGE_MERGES_OF(extern, Item)                                                 \
    KOGGE_SEARCHES_OF(extern, Item)                                               \
    template <>                                                                   \
    inline constexpr bool is_prebuilt<MergeOf, Item, NoValue, less> = true;       \
    template <>                                                                   \
    inline constexpr bool is_prebuilt<MergeOf, Item, std::uint32_t, less> = true; \
    template <>                                                                   \
    inline constexpr bool is_prebuilt<MergeOf, Item, std::uint64_t, less> = true; \
    template <>                                                                   \
    inline constexpr bool is_prebuilt<SearchOf, Item, less> = true;
KOGGE_NUMBERS(KOGGE_DECLARE)
#undef KOGGE_DECLARE

}  // namespace kogge::grid
