// Reductions of segments.
#include "kogge/calls/segmented_reduce.hpp"

#include "fuzz/families.hpp"
#include "fuzz/given_segments.hpp"
#include "fuzz/reductions.hpp"

namespace fuzz {
namespace {

template <class T, class Acc, class Op>
void run(Case& of, Op op) {
    const Count count = of.count();
    const GivenSegments segments(of, count);
    const bool has_init = of.one_in(3), left_out = of.one_in(2);
    of.say(name_of<T>(), has_init ? " from an init," : ",");
    const auto items = items_for<T>(of, count.bound, op);
    const T* const in = of.memory().input(items);
    Acc* const out = of.memory().output<Acc>(segments.bound());
    Acc init{};
    if (!items.empty()) init = static_cast<Acc>(items[of.below(items.size())]);
    const auto call = [&](const T* from, Acc* to, const kogge::exec& how) {
        segments.with([&](const auto&... given) {
            if (has_init) kogge::segmented_reduce(from, to, given..., op, init, how);
            else if (!left_out) kogge::segmented_reduce(from, to, given..., op, how);
            else if constexpr (std::is_same_v<Op, kogge::plus>) kogge::segmented_reduce(from, to, given..., how);
            else kogge::segmented_reduce(from, to, given..., op, how);
        });
    };
    if (of.one_in(16) && segments.bound() > 0) {
        if (of.one_in(2) && segments.items() > 0)
            return of.refuse(kogge::errc::overlap, "results among the items",
                             [&](const kogge::exec& how) { call(reinterpret_cast<const T*>(out), out, how); });
        return of.refuse(kogge::errc::invalid_argument, "null for the results",
                         [&](const kogge::exec& how) { call(in, nullptr, how); });
    }
    const Plan plan = plan_of([&] {
        return kogge::plan_segmented_reduce(segments.items(), segments.bound(), segments.are_rows(),
                                            {sizeof(T), sizeof(Acc)}, kogge::simt::properties_of(of.how().stream),
                                            segments.layout())
            .scratch_bytes;
    });
    of.run(segments.bound() == 0 ? Plan{} : plan, [&](const kogge::exec& how) { call(in, out, how); });
    if (!of.ran()) return;
    std::vector<Acc> want;
    for (const Part& part : segments.parts())
        want.push_back(folded<Acc>(items, part.begin, part.end, op, has_init ? &init : nullptr));
    of.expect("the results", out, want);
    of.expect_untouched("the results", out, segments.number(), segments.bound());
}

}  // namespace

void segmented_reduce(Case& of) {
    if (of.one_in(3)) run<std::uint8_t, std::uint64_t>(of, kogge::plus{});
    else if (of.one_in(2)) run<Bytes<4>, Bytes<4>>(of, ByteMatrices{});
    else run<float, float>(of, kogge::maximum{});
}

}  // namespace fuzz
