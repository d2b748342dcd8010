// The first keys of an array of which each rank holds a part.
#include "fuzz/distributed_ranks.hpp"
#include "fuzz/families.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/sorts.hpp"
#include "kogge/distributed/top_k.hpp"

namespace fuzz {
namespace {

namespace distributed = kogge::distributed;

enum class Form { keys, pairs, indices };

template <class Key, class Value, class Index>
void run(Case& of) {
    Ranks ranks(of);
    const bool left_out = of.one_in(4);
    const kogge::sort_options sorted =
        left_out ? kogge::sort_options(kogge::top_k_options{}) : sort_options_of<Key>(of);
    const kogge::top_k_options options{sorted.order, sorted.begin_bit, sorted.end_bit, sorted.zeros, sorted.nans};
    const Form form = of.pick({Form::keys, Form::pairs, Form::indices});
    const std::uint64_t n = ranks.n(), k = of.below(of.one_in(2) ? n + 1 : std::min<std::uint64_t>(n, 70) + 1);
    of.say("k ", k, form == Form::keys ? " keys," : form == Form::pairs ? " pairs," : " indices,");
    const auto keys = any_values<Key>(of, n);
    const auto values = any_values<Value>(of, n);
    const auto in = ranks.inputs(keys);
    const auto values_in = ranks.inputs(values);
    const std::vector<std::uint64_t> room(ranks.size(), k), none(ranks.size());
    const auto out = ranks.outputs<Key>(room);
    const auto values_out = ranks.outputs<Value>(form == Form::pairs ? room : none);
    const auto indices = ranks.outputs<Index>(form == Form::indices ? room : none);
    const auto call_with = [&](kogge::communicator& all, std::size_t r, const Key* from, std::uint64_t most,
                               const kogge::exec& how) {
        const Count& items = ranks.item_count(r);
        in_form(left_out, options, how, [&](const auto&... last) {
            if (form == Form::keys) distributed::top_k(all, from, out[r], items, most, last...);
            else if (form == Form::indices) distributed::arg_top_k(all, from, out[r], indices[r], items, most, last...);
            else distributed::top_k_pairs(all, from, out[r], values_in[r], values_out[r], items, most, last...);
        });
    };
    const auto call = [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
        call_with(all, r, in[r], k, how);
    };
    if (ranks.refused_one(call)) return;
    const std::size_t wrong = ranks.any_rank();
    if (ranks.count(wrong) > 0 && of.one_in(16))
        return ranks.refuse(kogge::errc::invalid_argument, wrong, "null for the keys",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                call_with(all, r, r == wrong ? nullptr : in[r], k, how);
                            });
    if (wrong > 0 && k > 0 && of.one_in(16))
        return ranks.refuse(kogge::errc::invalid_argument, wrong, "a k that differs",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                call_with(all, r, in[r], r == wrong ? k - 1 : k, how);
                            });
    ranks.run(call);
    if (!ranks.ran()) return;
    auto places = sorted_places(keys, n, sorted);
    places.resize(k);
    ranks.expect_alike("keys", out, gathered(keys, places));
    if (form == Form::pairs) ranks.expect_alike("values", values_out, gathered(values, places));
    if (form == Form::indices) ranks.expect_alike("indices", indices, std::vector<Index>(places.begin(), places.end()));
}

}  // namespace

void distributed_top_k(Case& of) {
    if (of.one_in(3)) run<std::uint32_t, Bytes<12, 4>, std::uint64_t>(of);
    else if (of.one_in(2)) run<double, std::uint8_t, std::int64_t>(of);
    else run<float, std::uint64_t, std::uint64_t>(of);
}

}  // namespace fuzz
