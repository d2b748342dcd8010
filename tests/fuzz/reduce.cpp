// Reductions: of all items, the first least or greatest one, and of segments.
#include "kogge/calls/reduce.hpp"

#include "fuzz/families.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/segments.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/calls/segmented_reduce.hpp"

namespace fuzz {
namespace {

template <class Acc, class T, class Op>
Acc folded(const std::vector<T>& items, std::uint64_t begin, std::uint64_t end, Op op, const Acc* init) {
    Acc fold = init ? *init : kogge::detail::identity_of<Op, Acc>();
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

template <class T, class Acc, class Op>
void run(Case& of, const char* op_name, Op op) {
    constexpr bool adds = std::is_same_v<Op, kogge::plus>;
    const Count count = of.count();
    const auto items = [&] {
        if constexpr (adds) return summable_values<T>(of, count.bound);
        else return any_values<T>(of, count.bound);
    }();
    const bool has_init = of.one_in(2);
    of.say(name_of<T>(), " ", op_name, has_init ? " from an init," : ",");
    const T* const in = of.memory().input(items);
    Acc* const out = of.memory().output<Acc>(1);
    Acc init{};
    if (!items.empty()) init = static_cast<Acc>(items[of.below(items.size())]);
    const auto call = [&](const T* from, Acc* to, const kogge::item_count& n, const kogge::exec& how) {
        if (has_init) kogge::reduce(from, to, n, op, init, how);
        else kogge::reduce(from, to, n, op, how);
    };
    if (of.one_in(16) && count.bound > 0)
        return of.refuse(kogge::errc::invalid_argument, "null for the result",
                         [&](const kogge::exec& how) { call(in, nullptr, count, how); });
    of.run(plan_of([&] {
               return kogge::plan_reduce(count.bound, {sizeof(T), sizeof(Acc)},
                                         kogge::simt::properties_of(of.how().stream))
                   .scratch_bytes;
           }),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    of.expect("the result", out, std::vector<Acc>{folded<Acc>(items, 0, count.n, op, has_init ? &init : nullptr)});
}

template <class T, bool greatest>
void run_arg(Case& of) {
    const Count count = of.count();
    const auto items = any_values<T>(of, count.bound);
    of.say(name_of<T>(), greatest ? " greatest," : " least,");
    const T* const in = of.memory().input(items);
    T* const item = of.memory().output<T>(1);
    std::uint64_t* const index = of.memory().output<std::uint64_t>(1);
    of.run(plan_of([&] {
               using Acc = kogge::detail::Indexed<T>;
               return kogge::plan_reduce(count.bound, {sizeof(T), sizeof(Acc)},
                                         kogge::simt::properties_of(of.how().stream))
                   .scratch_bytes;
           }),
           [&](const kogge::exec& how) {
               if (greatest) kogge::arg_max(in, item, index, count, how);
               else kogge::arg_min(in, item, index, count, how);
           });
    if (!of.ran()) return;
    using Compare = kogge::detail::FirstExtreme<greatest>;
    std::uint64_t best = 0;
    for (std::uint64_t i = 1; i < count.n; ++i)
        if (Compare::precedes(items[i], items[best])) best = i;
    const T none = kogge::detail::identity_of<std::conditional_t<greatest, kogge::maximum, kogge::minimum>, T>();
    of.expect("the item", item, std::vector<T>{count.n > 0 ? items[best] : none});
    of.expect("the index", index, std::vector<std::uint64_t>{count.n > 0 ? best : ~std::uint64_t{0}});
}

template <class T, class Acc, class Op>
void run_segments(Case& of, Op op) {
    const bool rows = of.one_in(2);
    const Count count = of.count();
    const std::uint64_t length = of.below(of.one_in(2) ? 70 : 9000);
    const kogge::rows_of of_rows{length, length > 0 ? count.bound / length : of.below(20)};
    const auto offsets = rows ? std::vector<std::uint64_t>{} : segment_offsets(of, count.n);
    const std::uint64_t segments = rows ? of_rows.count : offsets.size(), n = rows ? length * segments : count.n;
    of.say(name_of<T>(), ", ", segments, rows ? " rows of " : " segments ", length, ",");
    const auto items = [&] {
        if constexpr (std::is_same_v<Op, kogge::plus>) return summable_values<T>(of, count.bound);
        else return any_values<T>(of, count.bound);
    }();
    const T* const in = of.memory().input(items);
    const bool narrow = of.one_in(3);
    const std::uint64_t* const at = of.memory().input(narrow ? std::vector<std::uint64_t>{} : offsets);
    const std::int32_t* const narrow_at =
        of.memory().input(std::vector<std::int32_t>(offsets.begin(), narrow ? offsets.end() : offsets.begin()));
    Acc* const out = of.memory().output<Acc>(segments);
    const Plan plan = plan_of([&] {
        return kogge::plan_segmented_reduce(rows ? n : count.bound, segments, rows, {sizeof(T), sizeof(Acc)},
                                            kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
    of.run(segments == 0 ? Plan{} : plan, [&](const kogge::exec& how) {
        if (rows) kogge::segmented_reduce(in, out, of_rows, op, how);
        else if (narrow) kogge::segmented_reduce(in, out, count, narrow_at, segments, op, how);
        else kogge::segmented_reduce(in, out, count, at, segments, op, how);
    });
    if (!of.ran()) return;
    std::vector<Acc> want;
    for (std::uint64_t s = 0; s < segments; ++s) {
        const std::uint64_t begin = rows ? s * length : offsets[s];
        const std::uint64_t end = rows ? begin + length : s + 1 < segments ? offsets[s + 1] : n;
        want.push_back(folded<Acc>(items, begin, end, op, static_cast<const Acc*>(nullptr)));
    }
    of.expect("the results", out, want);
}

}  // namespace

void reduce(Case& of) {
    switch (of.below(7)) {
        case 0:
            return run<std::uint32_t, std::uint64_t>(of, "plus", kogge::plus{});
        case 1:
            return run<float, float>(of, "plus", kogge::plus{});
        case 2:
            return run<std::uint8_t, std::uint8_t>(of, "minimum", kogge::minimum{});
        case 3:
            return run<double, double>(of, "maximum", kogge::maximum{});
        case 4:
            return run<Bytes<4>, Bytes<4>>(of, "matrices", ByteMatrices{});
        case 5:
            return run_arg<float, true>(of);
        default:
            return run_arg<std::uint16_t, false>(of);
    }
}

void segmented_reduce(Case& of) {
    if (of.one_in(3)) run_segments<std::uint8_t, std::uint64_t>(of, kogge::plus{});
    else if (of.one_in(2)) run_segments<Bytes<4>, Bytes<4>>(of, ByteMatrices{});
    else run_segments<float, float>(of, kogge::maximum{});
}

}  // namespace fuzz
