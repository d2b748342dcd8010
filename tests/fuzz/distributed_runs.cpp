// Runs of an array of which each rank holds a part: the first item of each, and sums by key.
#include "fuzz/distributed_ranks.hpp"
#include "fuzz/families.hpp"
#include "fuzz/runs.hpp"
#include "kogge/distributed/runs.hpp"

namespace fuzz {
namespace {

namespace distributed = kogge::distributed;

/// How many of the runs begin on each rank.
std::vector<std::uint64_t> runs_of_ranks(const Ranks& ranks, const std::vector<std::uint64_t>& heads) {
    std::vector<std::uint64_t> runs(ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r)
        runs[r] = static_cast<std::uint64_t>(std::count_if(heads.begin(), heads.end(), [&](std::uint64_t head) {
            return head >= ranks.begin(r) && head < ranks.begin(r) + ranks.count(r);
        }));
    return runs;
}

template <class T, class Equal>
void unique(Case& of, Equal equal) {
    constexpr bool plain = std::is_same_v<Equal, kogge::equal_to>;
    Ranks ranks(of);
    const auto items = any_values<T>(of, ranks.n());
    const bool left_out = plain && of.one_in(2);
    of.say("unique ", name_of<T>(), ",");
    const auto in = ranks.inputs(items);
    const auto out = ranks.outputs<T>(ranks.bounds());
    std::vector<std::uint64_t> got(ranks.size());
    const auto call_with = [&](kogge::communicator& all, std::size_t r, const T* from, const kogge::exec& how) {
        const Count& n = ranks.item_count(r);
        if (left_out) got[r] = distributed::unique(all, from, out[r], n, how);
        else got[r] = distributed::unique(all, from, out[r], n, equal, how);
    };
    const auto call = [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
        call_with(all, r, in[r], how);
    };
    if (ranks.refused_one(call)) return;
    const std::size_t wrong = ranks.any_rank();
    if (ranks.count(wrong) > 0 && of.one_in(16))
        return ranks.refuse(kogge::errc::overlap, wrong, "results over items",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                call_with(all, r, r == wrong ? out[r] : in[r], how);
                            });
    ranks.run(call);
    if (!ranks.ran()) return;
    const auto heads = heads_of(items, items.size(), equal);
    const auto runs = runs_of_ranks(ranks, heads);
    for (std::size_t r = 0; r < ranks.size(); ++r) of.expect_number("a rank's number of runs", got[r], runs[r]);
    ranks.expect("items", out, at_heads(items, heads), runs);
    ranks.expect_untouched("items", out, runs, ranks.bounds());
}

/// Associative, and keeps the first item.
struct First {
    template <class T>
    KOGGE_HOST_DEVICE T operator()(const T& a, const T&) const {
        return a;
    }
};

template <class Key, class Value, class Sum, class Op, class Equal>
void sums(Case& of, Op op, Equal equal) {
    constexpr bool plain = std::is_same_v<Equal, kogge::equal_to>;
    Ranks ranks(of);
    const auto keys = any_values<Key>(of, ranks.n());
    const auto values = summable_values<Value>(of, ranks.n());
    const bool left_out = plain && of.one_in(2);
    of.say(name_of<Key>(), " keys, ", name_of<Value>(), " to ", name_of<Sum>(), ",");
    const auto in = ranks.inputs(keys);
    const auto from = ranks.inputs(values);
    const auto out = ranks.outputs<Key>(ranks.bounds());
    const auto to = ranks.outputs<Sum>(ranks.bounds());
    std::vector<std::uint64_t> got(ranks.size());
    const auto call_with = [&](kogge::communicator& all, std::size_t r, Sum* results, const kogge::exec& how) {
        const Count& n = ranks.item_count(r);
        const auto by = [&](const auto&... last) {
            return distributed::reduce_by_key(all, in[r], from[r], out[r], results, n, last...);
        };
        if (!left_out) got[r] = by(op, equal, how);
        else if constexpr (std::is_same_v<Op, kogge::plus>) got[r] = by(how);
        else got[r] = by(op, how);
    };
    const auto call = [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
        call_with(all, r, to[r], how);
    };
    if (ranks.refused_one(call)) return;
    const std::size_t wrong = ranks.any_rank();
    if (ranks.count(wrong) > 0 && of.one_in(16))
        return ranks.refuse(kogge::errc::invalid_argument, wrong, "null for the sums",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                call_with(all, r, r == wrong ? nullptr : to[r], how);
                            });
    ranks.run(call);
    if (!ranks.ran()) return;
    const auto heads = heads_of(keys, keys.size(), equal);
    const auto runs = runs_of_ranks(ranks, heads);
    for (std::size_t r = 0; r < ranks.size(); ++r) of.expect_number("a rank's number of runs", got[r], runs[r]);
    ranks.expect("keys", out, at_heads(keys, heads), runs);
    ranks.expect("sums", to, sums_of_runs<Sum>(values, heads, keys.size(), op), runs);
    ranks.expect_untouched("keys", out, runs, ranks.bounds());
    ranks.expect_untouched("sums", to, runs, ranks.bounds());
}

}  // namespace

void distributed_unique(Case& of) {
    if (of.one_in(3)) unique<std::uint8_t>(of, kogge::equal_to{});
    else if (of.one_in(2)) unique<double>(of, kogge::equal_to{});
    else unique<std::uint32_t>(of, NearlyEqual{});
}

void distributed_reduce_by_key(Case& of) {
    if (of.one_in(3)) sums<std::uint8_t, std::uint8_t, std::uint64_t>(of, kogge::plus{}, kogge::equal_to{});
    else if (of.one_in(2)) sums<std::uint32_t, float, float>(of, kogge::plus{}, NearlyEqual{});
    else sums<std::uint16_t, std::uint64_t, std::uint64_t>(of, First{}, kogge::equal_to{});
}

}  // namespace fuzz
