// One radix sort of keys of a type.
#pragma once

#include <optional>

#include "fuzz/short_forms.hpp"
#include "fuzz/sorts.hpp"

namespace fuzz {

using SortOptions = Chosen<kogge::sort_options>;

/// Within a limit on scratch that may be too small: then the sort must say so, as its plan does. Otherwise as its plan
/// says.
template <class Key, class Call>
void run_sort(Case& of, const Count& count, const kogge::radix_sort_shape& shape, const Call& call) {
    const auto scratch = [&](std::size_t limit) {
        return kogge::plan_radix_sort(count.bound, shape, kogge::simt::properties_of(of.how().stream), limit)
            .scratch_bytes;
    };
    Plan plan = plan_of([&] { return scratch(kogge::kNoLimit); });
    plan.fits_limit_only = false;
    std::size_t limit = kogge::kNoLimit;
    if (plan.scratch_bytes && of.one_in(4)) {
        limit = of.below(*plan.scratch_bytes + *plan.scratch_bytes / 4 + 1);
        of.say("within ", limit, " bytes,");
        plan = plan_of([&] { return scratch(limit); });
        plan.fits_limit_only = false;
    }
    of.run(plan, [&](kogge::exec how) {
        how.scratch_limit = std::min(how.scratch_limit, limit);
        call(how);
    });
}

template <class Key>
void sort_keys(Case& of, const SortOptions& chosen, const Count& count, const std::vector<Key>& values) {
    const kogge::sort_options& options = chosen.options;
    const Sorted<Key> keys(of, values, of.one_in(2));
    const auto call = [&](const auto&... last) {
        if (keys.in_place()) kogge::radix_sort(keys.in, count, last...);
        else kogge::radix_sort(keys.in, keys.out, count, last...);
    };
    if (of.one_in(16))
        return refuse_two<Key, Key>(of, choose_mistake(of, count), keys.in, count,
                                    [&](const Key* from, Key* to, const kogge::item_count& n, const kogge::exec& how) {
                                        kogge::radix_sort(from, to, n, options, how);
                                    });
    if (of.one_in(16)) return refuse_bits<Key>(of, options, call);
    run_sort<Key>(of, count, shape_of<Key>(options, keys.in_place(), true, {}),
                  [&](const kogge::exec& how) { chosen.in_form(how, call); });
    if (!of.ran()) return;
    const auto places = sorted_places(values, count.n, options);
    keys.expect(of, "keys", places);
}

template <class Key, class Index>
void sort_indices(Case& of, const SortOptions& chosen, const Count& count, const std::vector<Key>& values) {
    const kogge::sort_options& options = chosen.options;
    const Key* const keys = of.memory().input(values);
    Index* const indices = of.memory().output<Index>(count.bound);
    of.say("indices ", name_of<Index>(), ",");
    run_sort<Key>(of, count, shape_of<Key>(options, false, false, {layout_of<Index>()}), [&](const kogge::exec& how) {
        chosen.in_form(how, [&](const auto&... last) { kogge::argsort(keys, indices, count, last...); });
    });
    if (!of.ran()) return;
    const auto places = sorted_places(values, count.n, options);
    of.expect("indices", indices, std::vector<Index>(places.begin(), places.end()));
    of.expect_untouched("indices", indices, count.n, count.bound);
}

template <class Key, class Value>
void sort_pairs(Case& of, const SortOptions& chosen, const Count& count, const std::vector<Key>& values) {
    const kogge::sort_options& options = chosen.options;
    const bool all_in_place = of.one_in(2);
    Sorted<Key> keys(of, values, all_in_place || of.one_in(3));
    Sorted<Value> beside(of, any_values<Value>(of, count.bound), all_in_place || of.one_in(3));
    if (of.one_in(16) && count.bound > 0)
        return of.refuse(kogge::errc::overlap, "sorted values over keys", [&](const kogge::exec& how) {
            kogge::radix_sort_pairs(keys.in, keys.out, beside.in, reinterpret_cast<Value*>(keys.out), count, options,
                                    how);
        });
    run_sort<Key>(of, count, shape_of<Key>(options, keys.in_place() || beside.in_place(), true, {layout_of<Value>()}),
                  [&](const kogge::exec& how) {
                      chosen.in_form(how, [&](const auto&... last) {
                          if (all_in_place) kogge::radix_sort_pairs(keys.in, beside.in, count, last...);
                          else kogge::radix_sort_pairs(keys.in, keys.out, beside.in, beside.out, count, last...);
                      });
                  });
    if (!of.ran()) return;
    const auto places = sorted_places(values, count.n, options);
    keys.expect(of, "keys", places);
    beside.expect(of, "values", places);
}

template <class Key>
void sort_with_arrays(Case& of, const SortOptions& chosen, const Count& count, const std::vector<Key>& values) {
    const kogge::sort_options& options = chosen.options;
    Sorted<Key> keys(of, values, true);
    Sorted<float> first(of, any_values<float>(of, count.bound), true);
    Sorted<Bytes<3>> second(of, any_values<Bytes<3>>(of, count.bound), true);
    run_sort<Key>(of, count, shape_of<Key>(options, true, true, {layout_of<float>(), layout_of<Bytes<3>>()}),
                  [&](const kogge::exec& how) {
                      chosen.in_form(how, [&](const auto&... last) {
                          kogge::radix_sort_pairs(keys.in, kogge::arrays(first.in, second.in), count, last...);
                      });
                  });
    if (!of.ran()) return;
    const auto places = sorted_places(values, count.n, options);
    keys.expect(of, "keys", places);
    first.expect(of, "the first values", places);
    second.expect(of, "the second values", places);
}

/// In any form; pairs with values of 4 bytes, and of another type.
template <class Key, class Other>
void sort_any(Case& of) {
    const Count count = of.count();
    const auto options = chosen_or_left_out<kogge::sort_options>(of, [&] { return sort_options_of<Key>(of); });
    const auto values = any_values<Key>(of, count.bound);
    switch (of.below(6)) {
        case 0:
            return sort_indices<Key, std::uint32_t>(of, options, count, values);
        case 1:
            return sort_indices<Key, std::int64_t>(of, options, count, values);
        case 2:
            return of.one_in(2) ? sort_with_arrays<Key>(of, options, count, values)
                                : sort_pairs<Key, Other>(of, options, count, values);
        case 3:
            return sort_pairs<Key, std::uint32_t>(of, options, count, values);
        default:
            return sort_keys<Key>(of, options, count, values);
    }
}

}  // namespace fuzz
