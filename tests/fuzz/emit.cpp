// Emissions.
#include <algorithm>

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
template <class Out>
struct Make {
    KOGGE_HOST_DEVICE Out operator()(std::uint64_t item, std::uint64_t k) const {
        return static_cast<Out>(item * 1000003 + k);
    }
};

template <class Stored, class Out>
void run(Case& of) {
    const Count count = of.count();
    std::vector<Stored> counts(count.bound);
    std::uint64_t total = 0;
    const std::uint64_t most = of.one_in(2) ? 3 : 1 + of.below(40), rarely = 1 + of.below(of.one_in(2) ? 8 : 5000);
    const std::uint64_t large = of.one_in(3) ? 5000 : 0;
    for (std::uint64_t i = 0; i < count.bound; ++i) {
        std::uint64_t outputs = of.one_in(rarely) ? of.below(most + 1) : 0;
        if (large > 0 && of.one_in(1 + count.bound / 8)) outputs = of.below(large);
        if (total + outputs > 300'000) outputs = 0;
        counts[i] = static_cast<Stored>(outputs);
        if (std::is_signed_v<Stored> && of.one_in(50))
            counts[i] = static_cast<Stored>(-static_cast<std::int64_t>(of.below(9)));
        if (i < count.n && counts[i] > 0) total += static_cast<std::uint64_t>(counts[i]);
    }
    // A call without room, and so without an output, does not say where it runs.
    const std::uint64_t capacity = 1 + (of.one_in(3) ? of.below(total + 1) : total + of.below(50));
    of.say(total, " outputs of ", name_of<Out>(), ", room for ", capacity, ",");
    const Stored* const held = of.memory().input(counts);
    Out* const out = of.memory().output<Out>(capacity);
    std::uint64_t* const offsets = of.one_in(2) ? nullptr : of.memory().output<std::uint64_t>(count.bound + 1);
    Number number(of);
    const auto call = [&](Out* to, std::uint64_t* starts, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                    return kogge::emit(to, capacity, count, CountOf<Stored>{held}, Make<Out>{}, starts, with);
                else return kogge::emit(to, capacity, place, count, CountOf<Stored>{held}, Make<Out>{}, starts, with);
            },
            how);
    };
    if (of.one_in(16))
        return of.refuse(kogge::errc::invalid_argument, "null for the output",
                         [&](const kogge::exec& how) { call(nullptr, offsets, how); });
    if (of.one_in(16) && sizeof(Out) * capacity > 8)
        return of.refuse(kogge::errc::overlap, "offsets over outputs",
                         [&](const kogge::exec& how) { call(out, reinterpret_cast<std::uint64_t*>(out), how); });
    const Plan plan = plan_of([&] {
        return kogge::plan_emit(count.bound, capacity, sizeof(Stored), kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
    of.run(plan, [&](const kogge::exec& how) { call(out, offsets, how); });
    if (!of.ran()) return;

    std::vector<Out> want;
    std::vector<std::uint64_t> starts{0};
    for (std::uint64_t i = 0; i < count.n; ++i) {
        const std::uint64_t outputs = counts[i] > 0 ? static_cast<std::uint64_t>(counts[i]) : 0;
        for (std::uint64_t k = 0; k < outputs && want.size() < capacity; ++k) want.push_back(Make<Out>{}(i, k));
        starts.push_back(starts.back() + outputs);
    }
    number.expect(of, total);
    of.expect("out", out, want);
    of.expect_untouched("out", out, want.size(), capacity);
    if (offsets) of.expect("offsets", offsets, starts);
}

}  // namespace

void emit(Case& of) {
    if (of.one_in(2)) run<std::uint32_t, std::uint32_t>(of);
    else run<std::int64_t, std::uint64_t>(of);
}

}  // namespace fuzz
