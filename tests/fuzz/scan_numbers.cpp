// Scans of numbers, which the library holds ready for the device.
#include "fuzz/families.hpp"
#include "fuzz/scans.hpp"

namespace fuzz {
namespace {

template <class T, class Op>
void scan(Case& of, const char* op_name, Op op) {
    const Count count = of.count();
    constexpr bool adds = std::is_same_v<Op, kogge::plus>;
    const auto values = adds ? summable_values<T>(of, count.bound) : any_values<T>(of, count.bound);
    const kogge::scan_options options = scan_options_of(of);
    of.say(name_of<T>(), " ", op_name, " ");
    const bool in_place = of.one_in(3);
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    T* const out = in_place ? in : of.memory().output<T>(count.bound);
    const T init = values.empty() ? T{3} : values[of.below(values.size())];
    const std::uint64_t form = of.below(3);
    of.say(form == 0 ? "inclusive" : form == 1 ? "inclusive from an init" : "exclusive", in_place ? "in place" : "");
    const auto call = [&](const T* from, T* to, const kogge::item_count& n, const kogge::exec& how) {
        if (form == 0) kogge::inclusive_scan(from, to, n, op, options, how);
        else if (form == 1) kogge::inclusive_scan(from, to, n, op, init, options, how);
        else kogge::exclusive_scan(from, to, n, init, op, options, how);
    };
    if (of.one_in(8)) {
        const Mistake mistake = choose_mistake(of, count);
        refuse_two<T, T>(of, mistake, in, count, call);
        return;
    }
    of.run(plan_of(of, count, {sizeof(T), sizeof(T), sizeof(T)}, options),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    of.expect("out", out, scanned<T>(values, count.n, op, form == 0 ? nullptr : &init, form < 2));
    if (in_place)
        of.expect("past n", out + count.n,
                  std::vector<T>(values.begin() + static_cast<std::ptrdiff_t>(count.n), values.end()));
    else of.expect_untouched("out", out, count.n, count.bound);
}

/// From a narrower type.
template <class T, class Sum>
void scan_wider(Case& of) {
    const Count count = of.count();
    const auto values = summable_values<T>(of, count.bound);
    const kogge::scan_options options = scan_options_of(of);
    const bool inclusive = of.one_in(2), has_init = !inclusive || of.one_in(2);
    of.say(name_of<T>(), " to ", name_of<Sum>(), inclusive ? " inclusive" : " exclusive",
           has_init ? " from an init" : "");
    const T* const in = of.memory().input(values);
    Sum* const out = of.memory().output<Sum>(count.bound);
    const Sum init{5};
    of.run(plan_of(of, count, {sizeof(T), sizeof(Sum), sizeof(Sum)}, options), [&](const kogge::exec& how) {
        if (!has_init) kogge::inclusive_scan(in, out, count, kogge::plus{}, options, how);
        else if (inclusive) kogge::inclusive_scan(in, out, count, kogge::plus{}, init, options, how);
        else kogge::exclusive_scan(in, out, count, init, kogge::plus{}, options, how);
    });
    if (!of.ran()) return;
    of.expect("out", out, scanned<Sum>(values, count.n, kogge::plus{}, has_init ? &init : nullptr, inclusive));
    of.expect_untouched("out", out, count.n, count.bound);
}

}  // namespace

void scan_numbers(Case& of) {
    if (of.one_in(4)) {
        switch (of.below(6)) {
            case 0:
                return scan_wider<std::uint8_t, std::uint32_t>(of);
            case 1:
                return scan_wider<std::uint8_t, std::uint64_t>(of);
            case 2:
                return scan_wider<std::uint32_t, std::uint64_t>(of);
            case 3:
                return scan_wider<std::int32_t, std::int64_t>(of);
            case 4:
                return scan_wider<kogge::half, float>(of);
            default:
                return scan_wider<float, double>(of);
        }
    }
    with_type<std::uint8_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>(
        of.below(8), [&]<class T>() {
            // Fewer types: each combination takes two seconds to compile.
            if constexpr (std::is_same_v<T, std::int16_t> || std::is_same_v<T, float>)
                if (of.one_in(2)) return scan<T>(of, "maximum", kogge::maximum{});
            if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int64_t>)
                if (of.one_in(2)) return scan<T>(of, "minimum", kogge::minimum{});
            scan<T>(of, "plus", kogge::plus{});
        });
}

}  // namespace fuzz
