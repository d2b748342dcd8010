// Scans of structs by operators that do not commute, and of what is no array.
#include "fuzz/families.hpp"
#include "fuzz/scans.hpp"

namespace fuzz {
namespace {

/// 12 bytes; the number of items, their sum, and the last one.
struct Tally {
    std::uint32_t items, sum, last;
};
struct JoinTallies {
    KOGGE_HOST_DEVICE Tally operator()(const Tally& a, const Tally& b) const {
        return {a.items + b.items, a.sum + b.sum, b.items > 0 ? b.last : a.last};
    }
};

template <class T>
std::vector<T> structs(Case& of, std::uint64_t n) {
    const auto from = words(of, n);
    std::vector<T> values(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto high = static_cast<std::uint32_t>(from[i] >> 32), low = static_cast<std::uint32_t>(from[i]);
        if constexpr (std::is_same_v<T, tests::Bicyclic>) values[i] = {high >> 28, low >> 28};
        else if constexpr (std::is_same_v<T, Tally>) values[i] = {high >> 31, low, high};
        else values[i] = {high, low, low ^ high, high - low};
    }
    return values;
}

template <class T, class Op>
void scan(Case& of, Op op) {
    const Count count = of.count();
    const auto values = structs<T>(of, count.bound);
    const kogge::scan_options options = scan_options_of(of);
    const bool in_place = of.one_in(3), inclusive = of.one_in(2);
    of.say(sizeof(T), " bytes", inclusive ? " inclusive" : " exclusive", in_place ? " in place" : "");
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    T* const out = in_place ? in : of.memory().output<T>(count.bound);
    const T init = structs<T>(of, 1)[0];
    of.run(plan_of(of, count, {sizeof(T), sizeof(T), sizeof(T)}, options), [&](const kogge::exec& how) {
        if (inclusive) kogge::inclusive_scan(in, out, count, op, options, how);
        else kogge::exclusive_scan(in, out, count, init, op, options, how);
    });
    if (!of.ran()) return;
    of.expect("out", out, scanned<T>(values, count.n, op, inclusive ? nullptr : &init, inclusive));
    if (!in_place) of.expect_untouched("out", out, count.n, count.bound);
}

/// Something that is indexed.
struct Squares {
    const std::uint32_t* of;
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return of[i] * of[i]; }
};

void scan_made(Case& of) {
    const Count count = of.count();
    auto values = any_values<std::uint32_t>(of, count.bound);
    const bool in_place = of.one_in(2);
    of.say("of what is no array", in_place ? ", in place" : "");
    std::uint32_t* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    std::uint32_t* const out = in_place ? in : of.memory().output<std::uint32_t>(count.bound);
    of.run({}, [&](const kogge::exec& with) {
        kogge::exec where = with;
        where.where = kWhere;
        kogge::inclusive_scan(Squares{in}, out, count, kogge::plus{}, where);
    });
    for (std::uint32_t& value : values) value *= value;
    if (!of.ran()) return;
    of.expect("out", out, scanned<std::uint32_t>(values, count.n, kogge::plus{}, nullptr, true));
}

}  // namespace

void scan_structs(Case& of) {
    switch (of.below(4)) {
        case 0:
            return scan<tests::Bicyclic>(of, tests::JoinBrackets{});
        case 1:
            return scan<Tally>(of, JoinTallies{});
        case 2:
            return scan<tests::Matrix>(of, tests::Multiply{});
        default:
            return scan_made(of);
    }
}

}  // namespace fuzz
