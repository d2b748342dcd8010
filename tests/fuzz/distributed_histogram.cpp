// Histograms of an array of which each rank holds a part.
#include "fuzz/bins.hpp"
#include "fuzz/distributed_ranks.hpp"
#include "fuzz/families.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/distributed/histogram.hpp"

namespace fuzz {
namespace {

namespace distributed = kogge::distributed;

template <class Sum>
void run(Case& of) {
    Ranks ranks(of);
    const auto items = any_values<std::uint32_t>(of, ranks.n());
    const ChosenBins bins(of, 3000);
    const auto in = ranks.inputs(items);
    const auto bounds = ranks.copies(bins.bounds());
    const std::vector<std::uint64_t> room(ranks.size(), bins.number());
    const auto counts = ranks.outputs<Sum>(room);
    const auto call_with = [&](kogge::communicator& all, std::size_t r, Sum* to, const kogge::exec& how) {
        bins.with(bounds[r], [&](const auto&... given) {
            distributed::histogram(all, in[r], to, ranks.item_count(r), given..., how);
        });
    };
    const auto call = [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
        call_with(all, r, counts[r], how);
    };
    if (ranks.refused_one(call)) return;
    const std::size_t wrong = ranks.any_rank();
    if (of.one_in(16))
        return ranks.refuse(kogge::errc::invalid_argument, wrong, "null for the counts",
                            [&](kogge::communicator& all, std::size_t r, const kogge::exec& how) {
                                call_with(all, r, r == wrong ? nullptr : counts[r], how);
                            });
    ranks.run(call);
    if (!ranks.ran()) return;
    std::vector<Sum> want(bins.number());
    for (const std::uint32_t item : items)
        if (const std::int64_t bin = bins.bin_of(item); bin >= 0) ++want[static_cast<std::size_t>(bin)];
    ranks.expect_alike("counts", counts, want);
}

}  // namespace

void distributed_histogram(Case& of) {
    if (of.one_in(2)) run<std::uint32_t>(of);
    else run<std::int64_t>(of);
}

}  // namespace fuzz
