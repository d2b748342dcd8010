// Sorts by several columns: what orders each is chosen for itself.
#include "kogge/calls/sort_columns.hpp"

#include <optional>
#include <tuple>
#include <vector>

#include "fuzz/families.hpp"
#include "fuzz/sorts.hpp"
#include "kogge/calls/scratch_bytes.hpp"

namespace fuzz {
namespace {

/// Keys that are often equal, so that the next column counts.
template <class Key>
std::vector<Key> column_keys(Case& of, std::uint64_t n) {
    auto keys = any_values<Key>(of, n);
    if (of.one_in(3) || n == 0) return keys;
    const std::uint64_t different = 1 + of.below(std::min<std::uint64_t>(n, 6));
    for (Key& key : keys) key = keys[of.below(different)];
    return keys;
}

template <class Key>
struct Column {
    kogge::column_options options;
    std::vector<uint128> codes;
    std::vector<uint128> ranks;  ///< of nulls among the others; empty: none is null
    Sorted<Key> keys;

    Column(Case& of, const Count& count, bool in_place)
        : Column(of, count, in_place, sort_options_of<Key>(of), column_keys<Key>(of, count.bound)) {}

    void order(std::vector<std::uint64_t>& places) const {
        order_places(codes, places.data(), places.data() + places.size());
        if (!ranks.empty()) order_places(ranks, places.data(), places.data() + places.size());
    }
    kogge::sort_column<Key> in_out() const { return kogge::column(keys.in, options); }
    kogge::sort_column<const Key> in() const { return kogge::column(static_cast<const Key*>(keys.in), options); }

private:
    Column(Case& of, const Count& count, bool in_place, const kogge::sort_options& by, const std::vector<Key>& items)
        : options{by.order, by.begin_bit, by.end_bit, by.zeros, by.nans},
          codes(codes_of(items, by)),
          keys(of, items, in_place) {
        if (!of.one_in(3)) return;
        options.nulls = of.one_in(2) ? kogge::null_order::first : kogge::null_order::last;
        options.valid_from = of.below(70);
        of.say("nulls ", options.nulls == kogge::null_order::first ? "first," : "last,");
        std::vector<std::uint32_t> words((options.valid_from + count.bound + 31) / 32);
        for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(of.random()());
        ranks.resize(count.bound);
        for (std::uint64_t i = 0; i < count.bound; ++i) {
            const std::uint64_t bit = options.valid_from + i;
            const bool is_null = (words[bit / 32] >> bit % 32 & 1) == 0;
            ranks[i] = is_null == (options.nulls == kogge::null_order::first) ? 0 : 1;
            if (is_null) codes[i] = 0;
        }
        options.valid = of.memory().input(words);
    }
};

template <class... Keys>
void sort_by(Case& of) {
    const Count count = of.count();
    const int form = static_cast<int>(of.below(4));
    const bool in_place = form == 2 || (form == 3 && of.one_in(2));
    std::tuple<Column<Keys>...> columns{Column<Keys>(of, count, in_place)...};
    auto places = all_places(count.n);
    std::apply(
        [&](const auto&... each) {
            const auto order = [&](const auto& self, const auto& column, const auto&... others) -> void {
                if constexpr (sizeof...(others) > 0) self(self, others...);
                column.order(places);
            };
            order(order, each...);
        },
        columns);
    const auto read = std::apply([](const auto&... each) { return kogge::columns(each.in()...); }, columns);
    const auto changed = std::apply([](const auto&... each) { return kogge::columns(each.in_out()...); }, columns);
    const auto outputs = std::apply([](const auto&... each) { return kogge::arrays(each.keys.out...); }, columns);
    const auto run = [&](const auto& call) {
        Plan plan = plan_of([&] { return kogge::scratch_bytes(call, of.how()); });
        plan.fits_limit_only = false;
        of.run(plan, call);
    };
    const auto expect_keys = [&] {
        std::apply([&](const auto&... each) { (each.keys.expect(of, "keys", places), ...); }, columns);
    };
    if (form == 0) {
        std::uint64_t* const indices = of.memory().output<std::uint64_t>(count.bound);
        run([&](const kogge::exec& how) { kogge::argsort(read, indices, count, how); });
        if (of.ran()) of.expect("indices", indices, places);
        return;
    }
    if (form == 1) {
        std::int32_t* const indices = of.memory().output<std::int32_t>(count.bound);
        run([&](const kogge::exec& how) { kogge::argsort(read, indices, count, how); });
        if (of.ran()) of.expect("indices", indices, std::vector<std::int32_t>(places.begin(), places.end()));
        return;
    }
    if (of.one_in(3)) {
        run([&](const kogge::exec& how) {
            if (in_place) kogge::radix_sort(changed, count, how);
            else kogge::radix_sort(read, outputs, count, how);
        });
        if (of.ran()) expect_keys();
        return;
    }
    Sorted<float> first(of, any_values<float>(of, count.bound), in_place);
    if (of.one_in(2)) {
        run([&](const kogge::exec& how) {
            if (in_place) kogge::radix_sort_pairs(changed, first.in, count, how);
            else kogge::radix_sort_pairs(read, outputs, first.in, first.out, count, how);
        });
    } else {
        Sorted<Bytes<3>> second(of, any_values<Bytes<3>>(of, count.bound), in_place);
        run([&](const kogge::exec& how) {
            if (in_place) kogge::radix_sort_pairs(changed, kogge::arrays(first.in, second.in), count, how);
            else
                kogge::radix_sort_pairs(read, outputs, kogge::arrays(first.in, second.in),
                                        kogge::arrays(first.out, second.out), count, how);
        });
        if (of.ran()) second.expect(of, "more values", places);
    }
    if (!of.ran()) return;
    expect_keys();
    first.expect(of, "values", places);
}

}  // namespace

void sort_columns(Case& of) {
    switch (of.below(6)) {
        case 0:
            return sort_by<std::uint32_t, std::int64_t>(of);
        case 1:
            return sort_by<float, std::uint8_t, double>(of);
        case 2:
            return sort_by<std::uint64_t, uint128, std::uint16_t>(of);
        case 3:
            return sort_by<kogge::half, std::int32_t>(of);
        case 4:
            return sort_by<std::int64_t, double, uint128, float, std::uint64_t>(of);
        default:
            return sort_by<double>(of);
    }
}

}  // namespace fuzz
