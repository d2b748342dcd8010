#include "commands/tally.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "io/numbers.hpp"
#include "kogge/calls/histogram.hpp"

namespace kogge::command {
namespace {

/// The type in which items are counted: the library has histograms of it, and it holds them exactly.
template <class T>
struct CountedAs {
    using type = std::conditional_t<std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) < 4, std::int32_t, T>;
};
template <>
struct CountedAs<half> {
    using type = float;
};

template <class T, class F>
void with_counted(const Array& array, const F& f) {
    using Counted = typename CountedAs<T>::type;
    const T* items = array.as<T>();
    if constexpr (std::is_same_v<T, Counted>) {
        f(items);
    } else {
        std::vector<Counted> wide(array.size());
        for (std::uint64_t i = 0; i < array.size(); ++i) wide[i] = static_cast<Counted>(items[i]);
        f(static_cast<const Counted*>(wide.data()));
    }
}

/// What is not between the first and the last edge.
template <class T>
LeftOut find_left_out(const T* items, std::uint64_t n, const Bins& bins) {
    const Wide first = bins.edges().front(), last = bins.edges().back();
    const T lower = not_below<T>(first), upper = not_below<T>(last);
    // An item is at the end where T has that number.
    const bool has_upper = static_cast<Wide>(upper) <= last, has_lower = static_cast<Wide>(lower) >= first;
    LeftOut out;
    for (std::uint64_t i = 0; i < n; ++i) {
        const T item = items[i];
        if constexpr (std::is_floating_point_v<T>) out.nan += item != item;
        out.below += has_lower ? item < lower : item <= lower;
        out.above += has_upper ? item > upper : item >= upper;
    }
    return out;
}

}  // namespace

void Extremes::look_at(const Array& items) {
    visit(items.type(), [&]<class T>() {
        with_counted<T>(items, [&]<class C>(const C* numbers) {
            C least{}, greatest{};
            bool found = false;
            for (std::uint64_t i = 0; i < items.size(); ++i) {
                const C item = numbers[i];
                if constexpr (std::is_floating_point_v<C>)
                    if (!std::isfinite(item)) continue;
                if (positive_ && !(item > 0)) continue;
                least = found ? std::min(least, item) : item;
                greatest = found ? std::max(greatest, item) : item;
                found = true;
            }
            if (!found) return;
            const Range range{static_cast<Wide>(least), static_cast<Wide>(greatest)};
            range_ = range_ ? Range{std::min(range_->lower, range.lower), std::max(range_->upper, range.upper)} : range;
        });
    });
}

Tally::Tally(const Bins& bins) : bins_(bins), counts_(Type::u64, bins.size()), of_piece_(Type::u64, bins.size()) {
    std::fill_n(counts_.as<std::uint64_t>(), bins.size(), std::uint64_t{0});
}

void Tally::add(MachineRuns& machine, const Array& items) {
    visit(items.type(), [&]<class T>() {
        with_counted<T>(items, [&](const auto* numbers) { add_typed(machine, numbers, items.size()); });
    });
}

template <class T>
void Tally::add_typed(MachineRuns& machine, const T* items, std::uint64_t n) {
    std::vector<T> bounds;
    for (const Wide edge : bins_.edges()) bounds.push_back(not_below<T>(edge));
    auto* const piece = of_piece_.as<std::uint64_t>();
    machine([&](Machine& where) {
        Placed<T> placed(where, const_cast<T*>(items), n);  // only read
        Placed<T> placed_bounds(where, bounds.data(), bounds.size());
        Placed<std::uint64_t> counts(where, piece, bins_.size(), false);
        seconds_ += where.time([&] {
            const T* in = placed.data();
            histogram(in, counts.data(), n, bin_bounds<T>(placed_bounds.data(), bins_.size()), where.how());
        });
        counts.fetch(bins_.size());
    });
    const LeftOut out = find_left_out(items, n, bins_);
    std::uint64_t counted = 0;
    for (std::uint32_t b = 0; b < bins_.size(); ++b) {
        counts_.as<std::uint64_t>()[b] += piece[b];
        counted += piece[b];
    }
    // The call's last bin does not have its upper bound: all items of that number, if there are any, are left.
    counts_.as<std::uint64_t>()[bins_.bin_of(static_cast<Wide>(bounds.back()))] += n - out.sum() - counted;
    left_out_.below += out.below;
    left_out_.above += out.above;
    left_out_.nan += out.nan;
    items_ += n;
}

}  // namespace kogge::command
