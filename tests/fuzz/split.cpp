// Splits into bins, of keys alone and with values.
#include <algorithm>

#include "fuzz/families.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/partition.hpp"

namespace fuzz {
namespace {

/// The bin of a number: from its low or its high bits, or one for nearly all. `past`: now and then there is no such
/// bin.
struct Bucket {
    std::uint32_t kind, bins, past;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const {
        if (past != 0 && key % past == 0) return bins + key % 3;
        if (kind == 0) return key % bins;
        if (kind == 1) return static_cast<std::uint32_t>((std::uint64_t{key} * bins) >> 32);
        return key % 100 == 0 ? key / 100 % bins : bins / 2;
    }
};

template <class Value>
void run(Case& of) {
    using Key = std::uint32_t;
    constexpr bool pairs = !std::is_same_v<Value, void>;
    using Held = std::conditional_t<pairs, Value, std::uint8_t>;
    const Count count = of.count();
    const auto keys = any_values<Key>(of, count.bound);
    const auto values = any_values<Held>(of, pairs ? count.bound : 0);
    const auto bins = static_cast<std::uint32_t>(of.one_in(3)   ? 1 + of.below(8)
                                                 : of.one_in(2) ? 1 + of.below(300)
                                                                : 1 + of.below(6000));
    const Bucket bucket{static_cast<std::uint32_t>(of.below(3)), bins,
                        static_cast<std::uint32_t>(of.one_in(6) ? 1 + of.below(2000) : 0)};
    of.say(pairs ? "pairs with " : "", pairs ? name_of<Held>() : "keys", " into ", bins, " bins, kind ", bucket.kind,
           ", past ", bucket.past, ",");
    const Key* const in = of.memory().input(keys);
    Key* const out = of.memory().output<Key>(count.bound);
    const Held* const from = of.memory().input(values);
    Held* const to = of.memory().output<Held>(values.size());
    std::uint64_t* const offsets = of.one_in(4) ? nullptr : of.memory().output<std::uint64_t>(bins + std::uint64_t{1});
    const auto call = [&](const Key* keys_in, Key* keys_out, const kogge::item_count& n, const kogge::exec& how) {
        if constexpr (pairs) kogge::split_pairs(keys_in, from, keys_out, to, offsets, n, bins, bucket, how);
        else kogge::split(keys_in, keys_out, offsets, n, bins, bucket, how);
    };
    if (of.one_in(8)) return refuse_two<Key, Key>(of, choose_mistake(of, count), in, count, call);
    if (of.one_in(16) && count.bound > 0)
        return of.refuse(kogge::errc::overlap, "a split in place",
                         [&](const kogge::exec& how) { call(out, out, count, how); });

    std::vector<std::uint32_t> bin_of(count.n);
    bool any_past = false;
    for (std::uint64_t i = 0; i < count.n; ++i) {
        const std::uint32_t bin = bucket(keys[i]);
        any_past = any_past || bin >= bins;
        bin_of[i] = std::min(bin, bins - 1);
    }
    const auto limited = [&](const kogge::exec& how) {
        kogge::exec where = how;
        if (count.bound == 0) where.where = kWhere;  // offsets alone may not tell
        call(in, out, count, where);
    };
    if (!kOnDevice && any_past) return of.refuse(kogge::errc::invalid_argument, "a bin that is not there", limited);
    Plan plan = plan_of([&] {
        kogge::radix_sort_shape shape{sizeof(Key), 0, 0, false};
        while (shape.end_bit < 32 && (std::uint64_t{1} << shape.end_bit) < bins) ++shape.end_bit;
        if (pairs) shape.values.push_back({sizeof(Held), sizeof(Held)});
        return kogge::plan_split(count.bound, shape, kogge::simt::properties_of(of.how().stream)).scratch_bytes;
    });
    of.run(plan, limited);
    if (!of.ran()) return;

    std::vector<std::uint64_t> starts(bins + std::uint64_t{1});
    for (const std::uint32_t bin : bin_of) ++starts[bin + std::size_t{1}];
    for (std::size_t bin = 0; bin < bins; ++bin) starts[bin + 1] += starts[bin];
    std::vector<std::uint64_t> next = starts;
    std::vector<Key> want(count.n);
    std::vector<Held> want_values(pairs ? count.n : 0);
    for (std::uint64_t i = 0; i < count.n; ++i) {
        const std::uint64_t place = next[bin_of[i]]++;
        want[place] = keys[i];
        if (pairs) want_values[place] = values[i];
    }
    of.expect("out", out, want);
    of.expect("values", to, want_values);
    if (offsets) of.expect("offsets", offsets, starts);
    of.expect_untouched("out", out, count.n, count.bound);
}

}  // namespace

void split(Case& of) {
    switch (of.below(3)) {
        case 0:
            return run<void>(of);
        case 1:
            return run<std::uint64_t>(of);
        default:
            return run<Bytes<12>>(of);
    }
}

}  // namespace fuzz
