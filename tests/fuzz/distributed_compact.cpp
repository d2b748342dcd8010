// Compactions of an array of which each rank holds a part, and even shares of it.
#include "fuzz/distributed_ranks.hpp"
#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/distributed/compact.hpp"

namespace fuzz {
namespace {

namespace distributed = kogge::distributed;

template <class T, bool may_compare>
void run(Case& of) {
    Ranks ranks(of);
    const auto items = any_values<T>(of, ranks.n());
    const bool compacts = may_compare && of.one_in(2);
    of.say(compacts ? "compact " : "rebalance ", name_of<T>(), ",");
    const auto in = ranks.inputs(items);
    const auto with = [&](const auto& predicate) {
        std::vector<T> want;
        for (const T& item : items)
            if (!compacts || predicate(item)) want.push_back(item);
        const auto room = ranks.room_for_even(want.size());
        const auto out = ranks.template outputs<T>(room);
        std::vector<std::uint64_t> got(ranks.size());
        const auto call_with = [&](kogge::communicator& all, std::size_t r, const T* from, std::uint64_t capacity,
                                   const kogge::exec& how) {
            const Count& n = ranks.item_count(r);
            if constexpr (may_compare)
                if (compacts) {
                    got[r] = distributed::compact(all, from, out[r], capacity, n, predicate, how);
                    return;
                }
            got[r] = distributed::rebalance(all, from, out[r], capacity, n, how);
        };
        const auto call = [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
            call_with(all, r, in[r], room[r], how);
        };
        if (ranks.refused_one(call)) return;
        const std::size_t wrong = ranks.any_rank();
        const std::uint64_t least = want.size() / ranks.size();
        if (least > 0 && of.one_in(16))
            return ranks.refuse(kogge::errc::invalid_argument, wrong, "too little room",
                                [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                    call_with(all, r, in[r], r == wrong ? least - 1 : room[r], how);
                                });
        if (ranks.count(wrong) > 0 && room[wrong] > 0 && of.one_in(16))
            return ranks.refuse(kogge::errc::overlap, wrong, "results over items",
                                [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                    call_with(all, r, r == wrong ? out[r] : in[r], room[r], how);
                                });
        ranks.run(call);
        if (!ranks.ran()) return;
        ranks.expect_even(got, want.size());
        ranks.expect("items", out, want, got);
        ranks.expect_untouched("items", out, got, room);
    };
    if constexpr (may_compare) with(comparison(of, items));
    else with([](const T&) { return true; });
}

}  // namespace

void distributed_compact(Case& of) {
    if (of.one_in(3)) run<std::uint32_t, true>(of);
    else if (of.one_in(2)) run<double, true>(of);
    else run<Bytes<3>, false>(of);
}

}  // namespace fuzz
