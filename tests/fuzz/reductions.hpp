// What reductions share: folds in the order of the items, operators, and a reduction in any of its forms.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "fuzz/case.hpp"
#include "fuzz/given_segments.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/calls/reduce.hpp"

namespace fuzz {

template <class Op, class Acc>
Acc fold_of_nothing() {
    using Limits = std::numeric_limits<Acc>;
    if constexpr (std::is_same_v<Op, kogge::maximum>)
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    else if constexpr (std::is_same_v<Op, kogge::minimum>)
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    else return Acc{};
}
/// init ⊕ items[begin] ⊕ … ⊕ items[end − 1]; `init` null: there is none.
template <class Acc, class T, class Op>
Acc folded(const std::vector<T>& items, std::uint64_t begin, std::uint64_t end, Op op, const Acc* init) {
    Acc fold = init ? *init : fold_of_nothing<Op, Acc>();
    for (std::uint64_t i = begin; i < end; ++i)
        fold = init || i > begin ? static_cast<Acc>(op(fold, static_cast<Acc>(items[i]))) : static_cast<Acc>(items[i]);
    return fold;
}
/// 2 × 2 matrices of bytes, whose product is associative and not commutative.
struct ByteMatrices {
    KOGGE_HOST_DEVICE Bytes<4> operator()(const Bytes<4>& x, const Bytes<4>& y) const {
        const auto entry = [&](int row, int column) {
            return static_cast<std::uint8_t>(x.bytes[2 * row] * y.bytes[column] +
                                             x.bytes[2 * row + 1] * y.bytes[2 + column]);
        };
        return {{entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)}};
    }
};

template <class T, class Op>
std::vector<T> items_for(Case& of, std::uint64_t n, Op) {
    if constexpr (std::is_same_v<Op, kogge::plus>) return summable_values<T>(of, n);
    else return any_values<T>(of, n);
}

/// The function of a reduction that transforms nothing.
struct NoFunction {
    template <class T>
    T operator()(const T& item) const {
        return item;
    }
};

template <class Function, class In, class... More>
auto reduce_by(const Function& f, const In& in, const kogge::item_count& n, const More&... more) {
    if constexpr (std::is_same_v<Function, NoFunction>) return kogge::reduce(in, n, more...);
    else return kogge::transform_reduce(in, n, f, more...);
}
template <class Function, class In, class Out, class... More>
void reduce_to(const Function& f, const In& in, Out* out, const kogge::item_count& n, const More&... more) {
    if constexpr (std::is_same_v<Function, NoFunction>) kogge::reduce(in, out, n, more...);
    else kogge::transform_reduce(in, out, n, f, more...);
}

/// The scratch of a reduction is its plan's.
template <class T, class Acc>
Plan plan_of_reduction(const Case& of, const Count& count) {
    return plan_of([&] {
        return kogge::plan_reduce(count.bound, {sizeof(T), sizeof(Acc)}, kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
}

/// reduce, or transform_reduce, of T in Acc: to a place or returned, with an initial value or without, and with the
/// operator left out where it is plus.
template <class T, class Acc, class Op, class Function = NoFunction>
void reduce_in_any_form(Case& of, const char* op_name, Op op, Function f = {}) {
    using Seen = std::remove_cvref_t<std::invoke_result_t<Function, const T&>>;
    const Count count = of.count();
    const auto items = items_for<T>(of, count.bound, op);
    const bool has_init = of.one_in(2), returned = of.one_in(2), left_out = of.one_in(2), sequence = of.one_in(4);
    of.say(name_of<T>(), " to ", name_of<Acc>(), " by ", op_name, has_init ? " from an init" : "",
           sequence ? " of a sequence" : "", returned ? " returned," : ",");
    const T* const in = of.memory().input(items);
    Acc* const out = of.memory().output<Acc>(1);
    Acc init{};
    if (!items.empty()) init = static_cast<Acc>(f(items[of.below(items.size())]));
    Acc got{};
    Seen got_seen{};  // what is returned without an initial value
    const auto call = [&](const auto& from, Acc* to, const kogge::item_count& n, const kogge::exec& how) {
        const auto by = [&](const auto&... last) {
            if (returned) got_seen = reduce_by(f, from, n, last...);
            else reduce_to(f, from, to, n, last...);
        };
        if (has_init && returned) got = reduce_by(f, from, n, op, init, how);
        else if (has_init) reduce_to(f, from, to, n, op, init, how);
        else if (!left_out) by(op, how);
        else if constexpr (std::is_same_v<Op, kogge::plus>) by(how);
        else by(op, how);
    };
    if (of.one_in(16) && count.bound > 0) {
        if (returned)
            return of.refuse(kogge::errc::invalid_argument, "null for the items",
                             [&](const kogge::exec& how) { call(static_cast<const T*>(nullptr), out, count, how); });
        if (of.one_in(2))
            return of.refuse(kogge::errc::overlap, "a result among the items",
                             [&](const kogge::exec& how) { call(reinterpret_cast<const T*>(out), out, count, how); });
        return of.refuse(kogge::errc::invalid_argument, "null for the result",
                         [&](const kogge::exec& how) { call(in, nullptr, count, how); });
    }
    const auto run_on = [&](const kogge::exec& how) {
        if (sequence) call(Sequence<T>{in}, out, count, how);
        else call(in, out, count, how);
    };
    Plan plan = has_init || !returned ? plan_of_reduction<T, Acc>(of, count) : plan_of_reduction<T, Seen>(of, count);
    of.run(plan, [&](kogge::exec how) {
        // A sequence, and no items, do not say where they are.
        if (returned && (sequence || count.bound == 0)) how.where = kWhere;
        run_on(how);
    });
    if (!of.ran()) return;
    std::vector<Seen> seen;
    for (const T& item : items) seen.push_back(f(item));
    const Acc want = folded<Acc>(seen, 0, count.n, op, has_init ? &init : nullptr);
    if (!returned) return of.expect("the result", out, std::vector<Acc>{want});
    of.expect_untouched("a result", out, 0, 1);
    if (has_init) of.expect_value("the result", got, want);
    else of.expect_value("the result", got_seen, folded<Seen>(seen, 0, count.n, op, static_cast<const Seen*>(nullptr)));
}

}  // namespace fuzz
