// Partitions, into one output and into two.
#include "kogge/partition.hpp"
#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"

namespace fuzz {
namespace {

template <class T>
void run(Case& of) {
    const Count count = of.count();
    const auto values = any_values<T>(of, count.bound);
    const kogge::compare<T> predicate = comparison(of, values);
    std::vector<bool> flags(count.bound);
    for (std::uint64_t i = 0; i < count.bound; ++i) flags[i] = predicate(values[i]);
    const bool two = of.one_in(2), in_place = !two && of.one_in(2);
    of.say(name_of<T>(), two ? " to two outputs," : in_place ? " in place," : " to one output,");
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    T* const out = in_place ? in : of.memory().output<T>(count.bound);
    T* const rejected = two ? of.memory().output<T>(count.bound) : nullptr;
    Number number(of);
    const auto call = [&](const T* from, T* to, const kogge::item_count& n, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                const kogge::two_outputs<T> both{to, rejected};
                if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>) {
                    if (two) return kogge::partition(from, both, n, predicate, with);
                    return kogge::partition(from, to, n, predicate, with);
                } else {
                    if (two) return kogge::partition(from, both, place, n, predicate, with);
                    return kogge::partition(from, to, place, n, predicate, with);
                }
            },
            how);
    };
    if (of.one_in(8)) return refuse_two<T, T>(of, choose_mistake(of, count), in, count, call, two);
    if (two && count.bound > 0 && of.one_in(8))
        return of.refuse(kogge::errc::overlap, "rejected over in", [&](const kogge::exec& how) {
            kogge::partition(rejected, kogge::two_outputs<T>{out, rejected}, count, predicate, how);
        });
    of.run(plan_of(of, count, sizeof(T), !two, in_place), [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    expect_partition(of, number, values, flags, count, out, rejected, in_place);
}

}  // namespace

void partition(Case& of) {
    with_type<std::uint8_t, std::int16_t, std::uint32_t, float, std::uint64_t, double>(of.below(6),
                                                                                       [&]<class T>() { run<T>(of); });
}

}  // namespace fuzz
