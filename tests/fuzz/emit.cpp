// Emissions into one array or several, and the question for their number alone.
#include <algorithm>
#include <tuple>
#include <utility>

#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/partition.hpp"

namespace fuzz {
namespace {

template <class Stored>
struct CountOf {
    const Stored* counts;
    KOGGE_HOST_DEVICE Stored operator()(std::uint64_t item) const { return counts[item]; }
};

/// Output k of an item, in an array.
template <class Out>
KOGGE_HOST_DEVICE Out made(std::uint64_t item, std::uint64_t k, int array) {
    return static_cast<Out>(item * 1000003 + k + static_cast<std::uint64_t>(array) * 77);
}
template <class... Out>
struct Make;
template <class Out>
struct Make<Out> {
    KOGGE_HOST_DEVICE Out operator()(std::uint64_t item, std::uint64_t k) const { return made<Out>(item, k, 0); }
};
template <class A, class B>
struct Make<A, B> {
    KOGGE_HOST_DEVICE std::pair<A, B> operator()(std::uint64_t item, std::uint64_t k) const {
        return {made<A>(item, k, 0), made<B>(item, k, 1)};
    }
};
template <class A, class B, class C>
struct Make<A, B, C> {
    KOGGE_HOST_DEVICE std::tuple<A, B, C> operator()(std::uint64_t item, std::uint64_t k) const {
        return {made<A>(item, k, 0), made<B>(item, k, 1), made<C>(item, k, 2)};
    }
};

/// How many outputs items have: few or many, now and then very many, or a negative number.
template <class Stored>
struct Counts {
    std::vector<Stored> stored;
    std::uint64_t total = 0;  ///< of the first n

    Counts(Case& of, const Count& count) : stored(count.bound) {
        const std::uint64_t most = of.one_in(2) ? 3 : 1 + of.below(40), rarely = 1 + of.below(of.one_in(2) ? 8 : 5000);
        const std::uint64_t large = of.one_in(3) ? 5000 : 0;
        for (std::uint64_t i = 0; i < count.bound; ++i) {
            std::uint64_t outputs = of.one_in(rarely) ? of.below(most + 1) : 0;
            if (large > 0 && of.one_in(1 + count.bound / 8)) outputs = of.below(large);
            if (total + outputs > 300'000) outputs = 0;
            stored[i] = static_cast<Stored>(outputs);
            if (std::is_signed_v<Stored> && of.one_in(50))
                stored[i] = static_cast<Stored>(-static_cast<std::int64_t>(of.below(9)));
            if (i < count.n) total += of_item(i);
        }
    }
    std::uint64_t of_item(std::uint64_t i) const { return stored[i] > 0 ? static_cast<std::uint64_t>(stored[i]) : 0; }
};

template <class Out>
void expect_made(Case& of, const Out* out, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& outputs,
                 int array, std::uint64_t capacity) {
    std::vector<Out> want;
    for (const auto& [item, k] : outputs) want.push_back(made<Out>(item, k, array));
    of.expect("out", out, want);
    of.expect_untouched("out", out, want.size(), capacity);
}

template <class Stored, class... Out>
void run(Case& of) {
    const Count count = of.count();
    const Counts<Stored> counts(of, count);
    const bool asks = of.one_in(5);  // for the number alone
    const std::uint64_t total = counts.total,
                        capacity = asks ? 0 : 1 + (of.one_in(3) ? of.below(total + 1) : total + of.below(50));
    of.say(total, " outputs of ");
    (of.say(name_of<Out>()), ...);
    of.say(", room for ", capacity, ",");
    const Stored* const held = of.memory().input(counts.stored);
    const std::tuple<Out*...> out{asks ? nullptr : of.memory().output<Out>(capacity)...};
    std::uint64_t* const offsets = of.one_in(2) ? nullptr : of.memory().output<std::uint64_t>(count.bound + 1);
    Number number(of);
    const auto call = [&](const std::tuple<Out*...>& to, std::uint64_t* starts, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                const auto emit = [&](const auto&... last) {
                    const auto outputs = [&] {
                        if constexpr (sizeof...(Out) == 1) return std::get<0>(to);
                        else return std::apply([](auto*... each) { return kogge::arrays(each...); }, to);
                    }();
                    const CountOf<Stored> count_of{held};
                    if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                        return kogge::emit(outputs, capacity, count, count_of, Make<Out...>{}, last...);
                    else return kogge::emit(outputs, capacity, place, count, count_of, Make<Out...>{}, last...);
                };
                return starts ? emit(starts, with) : emit(with);
            },
            how);
    };
    if (!asks && of.one_in(16))
        return of.refuse(kogge::errc::invalid_argument, "null for the outputs",
                         [&](const kogge::exec& how) { call({}, offsets, how); });
    if (of.one_in(16) && capacity > 8)
        return of.refuse(kogge::errc::overlap, "offsets over outputs", [&](const kogge::exec& how) {
            call(out, reinterpret_cast<std::uint64_t*>(std::get<0>(out)), how);
        });
    const Plan plan = plan_of([&] {
        return kogge::plan_emit(count.bound, capacity, sizeof(Stored) <= 4 ? 4 : 8,
                                kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
    of.run(plan, [&](const kogge::exec& how) { call(out, offsets, how); });
    if (!of.ran()) return;

    std::vector<std::pair<std::uint64_t, std::uint64_t>> outputs;
    std::vector<std::uint64_t> starts{0};
    for (std::uint64_t i = 0; i < count.n; ++i) {
        for (std::uint64_t k = 0; k < counts.of_item(i) && outputs.size() < capacity; ++k) outputs.emplace_back(i, k);
        starts.push_back(starts.back() + counts.of_item(i));
    }
    number.expect(of, total);
    if (offsets) of.expect("offsets", offsets, starts);
    int array = 0;
    std::apply([&](auto*... each) { (expect_made(of, each, outputs, array++, capacity), ...); }, out);
}

}  // namespace

void emit(Case& of) {
    switch (of.below(5)) {
        case 0:
            return run<std::uint32_t, std::uint32_t, float>(of);
        case 1:
            return run<std::uint8_t, std::uint64_t, std::uint8_t, std::uint32_t>(of);
        case 2:
            return run<std::int64_t, std::uint64_t>(of);
        default:
            return run<std::uint32_t, std::uint32_t>(of);
    }
}

}  // namespace fuzz
