// Scans from the end.
#include <algorithm>

#include "fuzz/families.hpp"
#include "fuzz/scans.hpp"

namespace fuzz {
namespace {

template <class T, class Op>
void scan(Case& of, const std::vector<T>& values, const Count& count, Op op) {
    const kogge::scan_options options = scan_options_of(of);
    const bool in_place = of.one_in(3), inclusive = of.one_in(2);
    of.say(name_of<T>(), inclusive ? " inclusive" : " exclusive", in_place ? " in place" : "");
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    T* const out = in_place ? in : of.memory().output<T>(count.bound);
    const T init = values.empty() ? T{} : values[0];
    const auto call = [&](const T* from, T* to, const kogge::item_count& n, const kogge::exec& how) {
        if (inclusive) kogge::reverse_inclusive_scan(from, to, n, op, options, how);
        else kogge::reverse_exclusive_scan(from, to, n, init, op, options, how);
    };
    if (of.one_in(8)) return refuse_two<T, T>(of, choose_mistake(of, count), in, count, call);
    of.run(plan_of(of, count, {sizeof(T), sizeof(T), sizeof(T)}, options),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    const std::vector<T> turned(values.rend() - static_cast<std::ptrdiff_t>(count.n), values.rend());
    std::vector<T> want = scanned<T>(turned, count.n, op, inclusive ? nullptr : &init, inclusive);
    std::reverse(want.begin(), want.end());
    of.expect("out", out, want);
    if (!in_place) of.expect_untouched("out", out, count.n, count.bound);
}

}  // namespace

void scan_reverse(Case& of) {
    const Count count = of.count();
    switch (of.below(3)) {
        case 0:
            return scan(of, summable_values<std::uint16_t>(of, count.bound), count, kogge::plus{});
        case 1:
            return scan(of, summable_values<double>(of, count.bound), count, kogge::plus{});
        default: {
            std::vector<tests::Bicyclic> brackets(count.bound);
            for (tests::Bicyclic& item : brackets)
                item = {static_cast<std::uint32_t>(of.below(4)), static_cast<std::uint32_t>(of.below(4))};
            return scan(of, brackets, count, tests::JoinBrackets{});
        }
    }
}

}  // namespace fuzz
