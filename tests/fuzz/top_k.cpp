// The first k of n: keys, keys with values in one array or two, and indices. k may be on the device.
#include "kogge/top_k.hpp"

#include "fuzz/families.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/top_k_arrays.hpp"

namespace fuzz {
namespace {

/// The calls, by what they write.
struct Calls {
    template <class... Arguments>
    static void keys(const Arguments&... arguments) {
        kogge::top_k(arguments...);
    }
    template <class... Arguments>
    static void pairs(const Arguments&... arguments) {
        kogge::top_k_pairs(arguments...);
    }
    template <class Key, class... Arguments>
    static void indices(const Key* from, Key* keys_out, const Arguments&... arguments) {
        if (keys_out) kogge::arg_top_k(from, keys_out, arguments...);
        else kogge::arg_top_k(from, arguments...);
    }
};

/// At most the bound of n.
Count choose_k(Case& of, const Count& count) {
    const std::uint64_t most = of.below(of.one_in(2) ? count.bound + 1 : std::min<std::uint64_t>(count.bound, 70) + 1);
    Count k{most, most, {}};
    if (kOnDevice && of.one_in(6)) {
        k.n = of.some_of(most);
        k.on_device = kogge::device_count{of.memory().input(std::vector<std::uint64_t>{k.n}), most};
        k.on_device->checked = of.one_in(3);
    }
    of.say("k ", k.n, k.on_device ? " on the device," : ",");
    return k;
}

template <class Key, class Value, class Index>
void run(Case& of) {
    const Count count = of.count();
    const bool left_out = of.one_in(4);
    const kogge::sort_options sorted =
        left_out ? kogge::sort_options(kogge::top_k_options{}) : sort_options_of<Key>(of);
    const kogge::top_k_options options{sorted.order, sorted.begin_bit, sorted.end_bit, sorted.zeros, sorted.nans};
    const Count k = choose_k(of, count);
    TopKArrays<Key, Value, Index> arrays(of, count.bound, k.bound);
    const auto call = [&](const Key* in, const kogge::item_count& most, const kogge::exec& how) {
        in_form(left_out, options, how,
                [&](const auto&... last) { arrays.template call<Calls>(in, kogge::item_count(count), most, last...); });
    };
    if (of.one_in(16))
        return of.refuse(kogge::errc::invalid_argument, "a k above n",
                         [&](const kogge::exec& how) { call(arrays.in, count.bound + 1, how); });
    if (k.bound > 0 && of.one_in(16)) {
        if (arrays.has_keys() && of.one_in(2))
            return of.refuse(kogge::errc::overlap, "results among the keys",
                             [&](const kogge::exec& how) { call(arrays.out, k, how); });
        return of.refuse(kogge::errc::invalid_argument, "null for the keys",
                         [&](const kogge::exec& how) { call(nullptr, k, how); });
    }
    Plan plan = plan_of([&] {
        return kogge::plan_top_k(count.bound, k.bound, arrays.shape(sorted),
                                 kogge::simt::properties_of(of.how().stream), of.how().scratch_limit)
            .scratch_bytes;
    });
    plan.fits_limit_only = false;  // a sort may take less than a selection
    of.run(k.bound == 0 ? Plan{} : plan, [&](const kogge::exec& how) { call(arrays.in, k, how); });
    if (!of.ran()) return;
    auto places = sorted_places(arrays.keys, count.n, sorted);
    places.resize(std::min(k.n, count.n));
    for (std::uint64_t i = 0; i < places.size(); ++i) arrays.want(i, places[i], 0);
    arrays.expect(of);
}

}  // namespace

void top_k(Case& of) {
    switch (of.below(4)) {
        case 0:
            return run<std::uint32_t, std::uint32_t, std::uint32_t>(of);
        case 1:
            return run<double, Bytes<12, 4>, std::int64_t>(of);
        case 2:
            return run<kogge::half, std::uint64_t, std::int32_t>(of);
        default:
            return run<float, std::uint64_t, std::uint64_t>(of);
    }
}

}  // namespace fuzz
