// Partitions by flags, of bytes or bits, and by a stencil, into one output and into two.
#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/partition.hpp"

namespace fuzz {
namespace {

enum class By { bytes, bits, stencil };

template <class T>
void run(Case& of) {
    const Count count = of.count();
    const auto values = any_values<T>(of, count.bound);
    const auto deciding = any_values<std::uint16_t>(of, count.bound);
    const auto predicate = comparison(of, deciding);
    const By by = of.pick({By::bytes, By::bits, By::stencil});
    std::vector<bool> flags = any_flags(of, count.bound);
    if (by == By::stencil)
        for (std::uint64_t i = 0; i < count.bound; ++i) flags[i] = predicate(deciding[i]);
    const bool two = of.one_in(2), in_place = !two && of.one_in(2);
    of.say(name_of<T>(),
           by == By::bytes  ? " by bytes"
           : by == By::bits ? " by bits"
                            : " by a stencil",
           two        ? " to two outputs,"
           : in_place ? " in place,"
                      : " to one output,");
    const std::uint8_t* const bytes = of.memory().input(as_bytes(of, flags));
    const std::uint32_t* const bits = of.memory().input(as_words(of, flags));
    const std::uint16_t* const stencil = of.memory().input(deciding);
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    T* const out = in_place ? in : of.memory().output<T>(count.bound);
    T* const rejected = two ? of.memory().output<T>(count.bound) : nullptr;
    Number number(of);
    const auto call_to = [&](const T* from, const auto& to, const kogge::item_count& n, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                const auto call = [&](const auto&... at) {
                    if (by == By::bytes) return kogge::partition_flags(from, bytes, to, at..., n, with);
                    if (by == By::bits) return kogge::partition_flags(from, kogge::bit_mask(bits), to, at..., n, with);
                    return kogge::partition_stencil(from, stencil, to, at..., n, predicate, with);
                };
                if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>) return call();
                else return call(place);
            },
            how);
    };
    const auto call = [&](const T* from, T* to, const kogge::item_count& n, const kogge::exec& how) {
        if (two) call_to(from, kogge::two_outputs<T>{to, rejected}, n, how);
        else call_to(from, to, n, how);
    };
    if (of.one_in(8)) return refuse_two<T, T>(of, choose_mistake(of, count), in, count, call, two);
    of.run(plan_of(of, count, sizeof(T), !two, in_place), [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    expect_partition(of, number, values, flags, count, out, rejected, in_place);
}

}  // namespace

void partition_flags(Case& of) {
    if (of.one_in(2)) run<std::uint32_t>(of);
    else run<Bytes<12>>(of);
}

}  // namespace fuzz
