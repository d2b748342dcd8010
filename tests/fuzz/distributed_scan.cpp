// Reductions and scans of an array of which each rank holds a part.
#include "fuzz/distributed_ranks.hpp"
#include "fuzz/families.hpp"
#include "fuzz/reductions.hpp"
#include "fuzz/scans.hpp"
#include "kogge/distributed/reduce.hpp"

namespace fuzz {
namespace {

namespace distributed = kogge::distributed;

template <class T, class Acc, class Op>
void run_reduce(Case& of, Op op) {
    Ranks ranks(of);
    const auto items = items_for<T>(of, ranks.n(), op);
    const bool has_init = of.one_in(2), left_out = of.one_in(2);
    of.say("reduce ", name_of<T>(), has_init ? " from an init," : ",");
    const auto in = ranks.inputs(items);
    Acc init{};
    if (!items.empty()) init = static_cast<Acc>(items[of.below(items.size())]);
    std::vector<Acc> got(ranks.size());
    std::vector<T> got_items(ranks.size());  // what is returned without an initial value
    const auto call = [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
        const Count& n = ranks.item_count(r);
        if (has_init) got[r] = distributed::reduce(all, in[r], n, op, init, how);
        else if (!left_out) got_items[r] = distributed::reduce(all, in[r], n, op, how);
        else if constexpr (std::is_same_v<Op, kogge::plus>) got_items[r] = distributed::reduce(all, in[r], n, how);
        else got_items[r] = distributed::reduce(all, in[r], n, op, how);
    };
    if (ranks.refused_one(call)) return;
    ranks.run(call);
    if (!ranks.ran()) return;
    const Acc want = folded<Acc>(items, 0, items.size(), op, &init);
    const T want_item = folded<T>(items, 0, items.size(), op, static_cast<const T*>(nullptr));
    for (std::size_t r = 0; r < ranks.size(); ++r)
        if (has_init) of.expect_value("the result", got[r], want);
        else of.expect_value("the result", got_items[r], want_item);
}

enum class Scan { inclusive, inclusive_from, exclusive, exclusive_from_nothing };

template <class T, class Sum, class Op>
void run_scan(Case& of, Op op) {
    constexpr bool adds = std::is_same_v<Op, kogge::plus>;
    Ranks ranks(of);
    const auto items = items_for<T>(of, ranks.n(), op);
    const bool in_place = std::is_same_v<T, Sum> && of.one_in(2), left_out = adds && of.one_in(2);
    const Scan form =
        adds ? of.pick({Scan::inclusive, Scan::inclusive_from, Scan::exclusive, Scan::exclusive_from_nothing})
             : of.pick({Scan::inclusive, Scan::inclusive_from, Scan::exclusive});
    of.say(form == Scan::inclusive        ? "inclusive scan, "
           : form == Scan::inclusive_from ? "inclusive scan from an init, "
           : form == Scan::exclusive      ? "exclusive scan, "
                                          : "exclusive scan from 0, ",
           name_of<T>(), " to ", name_of<Sum>(), in_place ? " in place," : ",");
    std::vector<const T*> in;
    std::vector<Sum*> out;
    if constexpr (std::is_same_v<T, Sum>) {
        if (in_place) {
            out = ranks.in_outs(items, ranks.bounds());
            in.assign(out.begin(), out.end());
        }
    }
    if (!in_place) {
        in = ranks.inputs(items);
        out = ranks.outputs<Sum>(ranks.bounds());
    }
    Sum init{};
    if (!items.empty()) init = static_cast<Sum>(items[of.below(items.size())]);
    const auto call_with = [&](kogge::communicator& all, std::size_t r, Sum* to, const kogge::exec& how) {
        const Count& n = ranks.item_count(r);
        if constexpr (adds) {
            if (form == Scan::inclusive && left_out) return distributed::inclusive_scan(all, in[r], to, n, how);
            if (form == Scan::exclusive && left_out) return distributed::exclusive_scan(all, in[r], to, n, init, how);
            if (form == Scan::exclusive_from_nothing) return distributed::exclusive_scan(all, in[r], to, n, how);
        }
        if (form == Scan::inclusive) distributed::inclusive_scan(all, in[r], to, n, op, how);
        else if (form == Scan::inclusive_from) distributed::inclusive_scan(all, in[r], to, n, op, init, how);
        else distributed::exclusive_scan(all, in[r], to, n, init, op, how);
    };
    const auto call = [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
        call_with(all, r, out[r], how);
    };
    if (ranks.refused_one(call)) return;
    const std::size_t wrong = ranks.any_rank();
    if (ranks.count(wrong) > 0 && of.one_in(16))
        return ranks.refuse(kogge::errc::invalid_argument, wrong, "null for the sums",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                call_with(all, r, r == wrong ? nullptr : out[r], how);
                            });
    ranks.run(call);
    if (!ranks.ran()) return;
    const Sum zero{};
    const Sum* const start = form == Scan::inclusive ? nullptr : form == Scan::exclusive_from_nothing ? &zero : &init;
    const bool inclusive = form == Scan::inclusive || form == Scan::inclusive_from;
    ranks.expect("sums", out, scanned<Sum>(items, items.size(), op, start, inclusive), ranks.counts());
    if (!in_place) ranks.expect_untouched("sums", out, ranks.counts(), ranks.bounds());
}

}  // namespace

void distributed_reduce(Case& of) {
    switch (of.below(4)) {
        case 0:
            return run_reduce<std::uint32_t, std::uint64_t>(of, kogge::plus{});
        case 1:
            return run_reduce<float, double>(of, kogge::plus{});
        case 2:
            return run_reduce<std::int16_t, std::int64_t>(of, kogge::maximum{});
        default:
            return run_reduce<Bytes<4>, Bytes<4>>(of, ByteMatrices{});
    }
}

void distributed_scan(Case& of) {
    switch (of.below(4)) {
        case 0:
            return run_scan<std::uint8_t, std::uint64_t>(of, kogge::plus{});
        case 1:
            return run_scan<float, float>(of, kogge::plus{});
        case 2:
            return run_scan<std::int32_t, std::int32_t>(of, kogge::minimum{});
        default:
            return run_scan<Bytes<4>, Bytes<4>>(of, ByteMatrices{});
    }
}

}  // namespace fuzz
