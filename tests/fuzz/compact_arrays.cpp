// Compactions of several arrays by one decision.
#include "kogge/compact_arrays.hpp"
#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"

namespace fuzz {
namespace {

enum class By { predicate, bytes, bits, stencil };

/// Each array in place or not.
template <class T>
struct Held {
    std::vector<T> values;
    bool in_place;
    T* in;
    T* out;
    Held(Case& of, std::uint64_t n)
        : values(any_values<T>(of, n)),
          in_place(of.one_in(3)),
          in(in_place ? of.memory().in_out(values) : of.memory().input(values)),
          out(in_place ? in : of.memory().output<T>(n)) {
        of.say(name_of<T>(), in_place ? " in place" : "");
    }
    void expect(Case& of, const std::vector<bool>& flags, const Count& count) const {
        const std::vector<T> want = flagged(values, flags, count.n);
        of.expect(name_of<T>(), out, want);
        if (!in_place) of.expect_untouched(name_of<T>(), out, want.size(), count.bound);
    }
};

template <class First, class... More>
void run(Case& of, By by) {
    const Count count = of.count();
    const Held<First> first(of, count.bound);
    const std::tuple<Held<More>...> more{Held<More>(of, count.bound)...};
    std::vector<bool> flags = any_flags(of, count.bound);
    const auto deciding = any_values<std::uint16_t>(of, count.bound);
    const auto on_first = comparison(of, first.values);
    const auto on_stencil = comparison(of, deciding);
    const std::uint8_t* bytes = nullptr;
    const std::uint32_t* bits = nullptr;
    const std::uint16_t* stencil = nullptr;
    if (by == By::bytes) bytes = of.memory().input(as_bytes(of, flags));
    if (by == By::bits) bits = of.memory().input(as_words(of, flags));
    if (by == By::stencil) stencil = of.memory().input(deciding);
    for (std::uint64_t i = 0; i < count.bound; ++i)
        if (by == By::predicate) flags[i] = on_first(first.values[i]);
        else if (by == By::stencil) flags[i] = on_stencil(deciding[i]);
    of.say("by ", by == By::predicate ? "a predicate,"
                  : by == By::bytes   ? "bytes,"
                  : by == By::bits    ? "bits,"
                                      : "a stencil,");
    const auto ins = std::apply(
        [&](const auto&... each) {
            return kogge::arrays(static_cast<const First*>(first.in), static_cast<const More*>(each.in)...);
        },
        more);
    const auto outs = std::apply([&](const auto&... each) { return kogge::arrays(first.out, each.out...); }, more);
    Number number(of);
    const auto call = [&](const auto& place, const kogge::exec& how) {
        if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>) {
            if (by == By::predicate) return kogge::compact(ins, outs, count, on_first, how);
            if (by == By::bytes) return kogge::compact_flags(ins, bytes, outs, count, how);
            if (by == By::bits) return kogge::compact_flags(ins, kogge::bit_mask(bits), outs, count, how);
            return kogge::compact_stencil(ins, stencil, outs, count, on_stencil, how);
        } else {
            if (by == By::predicate) return kogge::compact(ins, outs, place, count, on_first, how);
            if (by == By::bytes) return kogge::compact_flags(ins, bytes, outs, place, count, how);
            if (by == By::bits) return kogge::compact_flags(ins, kogge::bit_mask(bits), outs, place, count, how);
            return kogge::compact_stencil(ins, stencil, outs, place, count, on_stencil, how);
        }
    };
    const Plan plan = plan_of([&] {
        return kogge::plan_compact_arrays(count.bound,
                                          {.item_bytes = {sizeof(First), sizeof(More)...},
                                           .stencil_bytes = by == By::stencil ? sizeof(std::uint16_t) : 0,
                                           .byte_flags = by == By::bytes},
                                          kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
    of.run(plan, [&](const kogge::exec& how) { number(call, how); });
    if (!of.ran()) return;
    number.expect(of, flagged(first.values, flags, count.n).size());
    first.expect(of, flags, count);
    std::apply([&](const auto&... each) { (each.expect(of, flags, count), ...); }, more);
}

}  // namespace

void compact_arrays(Case& of) {
    const By by = of.pick({By::predicate, By::bytes, By::bits, By::stencil});
    if (of.one_in(2)) run<std::uint32_t, std::uint64_t>(of, by);
    else run<float, Bytes<3>, std::uint8_t>(of, by);
}

}  // namespace fuzz
