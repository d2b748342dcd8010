// Reductions of all items, and the first least or greatest one.
#include "fuzz/families.hpp"
#include "fuzz/reductions.hpp"

namespace fuzz {
namespace {

/// As the contract says: a NaN is less than every number for arg_min, and greater for arg_max.
template <bool greatest, class T>
bool precedes(const T& a, const T& b) {
    const bool a_is_nan = a != a, b_is_nan = b != b;
    if (a_is_nan || b_is_nan) return a_is_nan && !b_is_nan;
    return greatest ? b < a : a < b;
}

enum class Form { index, both, returned };

template <class T, class Index, bool greatest>
void run_arg(Case& of) {
    const Count count = of.count();
    const auto items = any_values<T>(of, count.bound);
    const Form form = of.pick({Form::index, Form::both, Form::returned});
    of.say(name_of<T>(), greatest ? " greatest," : " least,", name_of<Index>(),
           form == Form::index  ? " index,"
           : form == Form::both ? " index and item,"
                                : " returned,");
    const T* const in = of.memory().input(items);
    T* const item = of.memory().output<T>(1);
    Index* const index = of.memory().output<Index>(1);
    kogge::indexed_item<T> got{};
    const auto call = [&](const T* from, const kogge::item_count& n, const kogge::exec& how) {
        const auto find = [&](const auto&... to) {
            if constexpr (greatest) return kogge::arg_max(from, to..., n, how);
            else return kogge::arg_min(from, to..., n, how);
        };
        if (form == Form::index) find(index);
        else if (form == Form::both) find(item, index);
        else got = find();
    };
    if (sizeof(Index) == 4 && form != Form::returned && of.one_in(16))
        return of.refuse(kogge::errc::invalid_argument, "more items than the index holds", [&](const kogge::exec& how) {
            call(in, (std::uint64_t{1} << (std::is_signed_v<Index> ? 31 : 32)) + 1, how);
        });
    if (form != Form::returned && of.one_in(16) && count.bound > 0)
        return of.refuse(kogge::errc::overlap, "an index among the items",
                         [&](const kogge::exec& how) { call(reinterpret_cast<const T*>(index), count, how); });
    of.run(plan_of_reduction<T, kogge::detail::Indexed<T>>(of, count), [&](kogge::exec how) {
        if (form == Form::returned && count.bound == 0) how.where = kWhere;
        call(in, count, how);
    });
    if (!of.ran()) return;
    std::uint64_t best = 0;
    for (std::uint64_t i = 1; i < count.n; ++i)
        if (precedes<greatest>(items[i], items[best])) best = i;
    const bool any = count.n > 0;
    const T want =
        any ? items[best] : fold_of_nothing<std::conditional_t<greatest, kogge::maximum, kogge::minimum>, T>();
    const std::uint64_t place = any ? best : ~std::uint64_t{0};
    if (form == Form::returned) {
        of.expect_number("the index", got.index, place);
        return of.expect_value("the item", got.item, want);
    }
    of.expect("the index", index, std::vector<Index>{static_cast<Index>(place)});
    if (form == Form::both) of.expect("the item", item, std::vector<T>{want});
    else of.expect_untouched("the item", item, 0, 1);
}

}  // namespace

void reduce(Case& of) {
    switch (of.below(8)) {
        case 0:
            return reduce_in_any_form<std::uint32_t, std::uint64_t>(of, "plus", kogge::plus{});
        case 1:
            return reduce_in_any_form<float, float>(of, "plus", kogge::plus{});
        case 2:
            return reduce_in_any_form<std::uint8_t, std::uint8_t>(of, "minimum", kogge::minimum{});
        case 3:
            return reduce_in_any_form<double, double>(of, "maximum", kogge::maximum{});
        case 4:
            return reduce_in_any_form<Bytes<4>, Bytes<4>>(of, "matrices", ByteMatrices{});
        case 5:
            return run_arg<float, std::uint64_t, true>(of);
        case 6:
            return run_arg<std::int64_t, std::int32_t, true>(of);
        default:
            return run_arg<std::uint16_t, std::uint32_t, false>(of);
    }
}

}  // namespace fuzz
