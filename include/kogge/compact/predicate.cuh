// How a kernel asks a predicate about many items: state of the predicate that is known only at run time, and is the
// same for all items, is examined once.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/operators.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A comparison whose relation is known at compile time.
template <class Item, relation test>
struct KeepRelated {
    const Item& value;
    KOGGE_DEVICE bool operator()(std::uint64_t, const Item& item) const { return compare<Item>{test, value}(item); }
};

/// The same for bytes, which are also compared four at a time: one bit per item of sixteen. Sums and differences within
/// a word leave out the highest bit of each byte, and so never carry into the next byte (as in Hacker's Delight, 2-18).
template <class Item, relation test>
requires(sizeof(Item) == 1 && std::integral<Item> && !std::same_as<Item, bool>) struct KeepRelated<Item, test> {
    static constexpr std::uint32_t kHighest = 0x80808080u;
    const Item& value;
    KOGGE_DEVICE bool operator()(std::uint64_t, const Item& item) const { return compare<Item>{test, value}(item); }

    KOGGE_DEVICE std::uint32_t sixteen(const std::uint32_t (&words)[4]) const {
        const std::uint32_t low = eight(words[0], words[1]), high = eight(words[2], words[3]);
        return low >> 7 | high << 1;
    }

private:
    /// Eight decisions; bit 7 is the first item's.
    KOGGE_DEVICE std::uint32_t eight(std::uint32_t low, std::uint32_t high) const {
        return simt::add_products(four(high), 0x80402010u, simt::add_products(four(low), 0x08040201u, 0));
    }
    /// The decisions about four bytes, in the highest bit of each; all other bits are 0.
    KOGGE_DEVICE std::uint32_t four(std::uint32_t items) const {
        const std::uint32_t values = static_cast<std::uint8_t>(value) * 0x01010101u;
        if constexpr (test == relation::equal) return ~unequal(items, values) & kHighest;
        else if constexpr (test == relation::not_equal) return unequal(items, values) & kHighest;
        else if constexpr (test == relation::greater_equal) return at_least(items, values) & kHighest;
        else if constexpr (test == relation::less) return ~at_least(items, values) & kHighest;
        else if constexpr (test == relation::less_equal) return at_least(values, items) & kHighest;
        else return ~at_least(values, items) & kHighest;
    }
    KOGGE_DEVICE static std::uint32_t unequal(std::uint32_t a, std::uint32_t b) {
        return (((a ^ b) & ~kHighest) + ~kHighest) | (a ^ b);
    }
    KOGGE_DEVICE static std::uint32_t at_least(std::uint32_t a, std::uint32_t b) {
        const std::uint32_t by_low = (a | kHighest) - (b & ~kHighest);
        const std::uint32_t by_highest = std::is_signed_v<Item> ? ~a & b : a & ~b;
        return by_highest | (~(a ^ b) & by_low);
    }
};

/// Whether a decision can be taken about a piece of sixteen items at once.
template <class Decision>
concept DecidesPieces = requires(const Decision& decision, const std::uint32_t (&words)[4]) {
    decision.sixteen(words);
};

/// Calls use(decision) once, where decision(index, item) equals keep(index, item).
template <class Keep, class Use>
KOGGE_DEVICE void with_decision(const Keep& keep, const Use& use) {
    use(keep);
}
template <class Item, class Use>
KOGGE_DEVICE void with_decision(const ByPredicate<compare<Item>>& keep, const Use& use) {
    const Item& value = keep.predicate.value;
    switch (keep.predicate.test) {
        case relation::less:
            return use(KeepRelated<Item, relation::less>{value});
        case relation::less_equal:
            return use(KeepRelated<Item, relation::less_equal>{value});
        case relation::greater:
            return use(KeepRelated<Item, relation::greater>{value});
        case relation::greater_equal:
            return use(KeepRelated<Item, relation::greater_equal>{value});
        case relation::equal:
            return use(KeepRelated<Item, relation::equal>{value});
        case relation::not_equal:
            return use(KeepRelated<Item, relation::not_equal>{value});
    }
}

}  // namespace kogge::grid::KOGGE_CODE
