// How a kernel asks a predicate about many items: what the predicate knows only at run time, and is the same for all
// items, is looked at once.
#pragma once

#include <cstdint>

#include "kogge/operators.hpp"
#include "kogge/prebuilt.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::grid {

/// A comparison whose relation the compiler knows.
template <class Item, relation test>
struct KeepRelated {
    const Item& value;
    KOGGE_DEVICE bool operator()(std::uint64_t, const Item& item) const { return compare<Item>{test, value}(item); }
};

/// Calls use(decision) once, where decision(index, item) is what keep(index, item) is.
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

}  // namespace kogge::grid
