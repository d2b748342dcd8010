#include "fuzz/distributed_ranks.hpp"

#include <chrono>
#include <exception>
#include <optional>

#include "kogge/distributed/threads.hpp"

namespace fuzz {

Ranks::Ranks(Case& of) : of_(of) {
    const std::size_t ranks = 1 + of.below(5);
    const bool mixed = kOnDevice && of.one_in(3);
    for (std::size_t r = 0; r < ranks; ++r)
        places_.push_back(kOnDevice && !(mixed && of.one_in(2)) ? Memory::Place::device : Memory::Place::host);
    choose_counts(ranks);
    choose_how();
}

void Ranks::choose_counts(std::size_t ranks) {
    const std::uint64_t n = of_.below(of_.one_in(3) ? 12 : of_.one_in(2) ? 300 : 5000);
    std::vector<std::uint64_t> cuts;
    const bool even = of_.one_in(3);
    for (std::size_t r = 1; r < ranks; ++r)
        cuts.push_back(even ? n * r / ranks : !cuts.empty() && of_.one_in(3) ? cuts.back() : of_.some_of(n));
    std::sort(cuts.begin(), cuts.end());
    begins_ = cuts;
    begins_.insert(begins_.begin(), 0);
    begins_.push_back(n);
    of_.say(ranks, " ranks of ");
    for (std::size_t r = 0; r < ranks; ++r) {
        const std::uint64_t count = begins_[r + 1] - begins_[r];
        counts_.push_back({count, count, {}});
        of_.say(count, places_[r] == Memory::Place::host && kOnDevice ? " (host)," : ",");
        if (places_[r] == Memory::Place::host || !of_.one_in(4)) continue;
        of_.memory().set_place(places_[r]);
        counts_[r].bound += of_.below(9);
        counts_[r].on_device =
            kogge::device_count{of_.memory().input(std::vector<std::uint64_t>{count}), counts_[r].bound};
    }
}

void Ranks::choose_how() {
    for (std::size_t r = 0; r < size(); ++r) {
        const bool on_host = places_[r] == Memory::Place::host;
        kogge::exec how;
        if (!on_host) how.stream = of_.how().stream;
        how.host_threads = of_.pick({0, 1, 2, 3});
        if (of_.one_in(2)) how.where = on_host ? kogge::backend::host : kogge::backend::device;
        how_.push_back(how);
    }
}

std::vector<std::uint64_t> Ranks::counts() const {
    std::vector<std::uint64_t> all;
    for (const Count& count : counts_) all.push_back(count.n);
    return all;
}
std::vector<std::uint64_t> Ranks::bounds() const {
    std::vector<std::uint64_t> all;
    for (const Count& count : counts_) all.push_back(count.bound);
    return all;
}

std::vector<std::uint64_t> Ranks::room_for_even(std::uint64_t all) {
    std::vector<std::uint64_t> room;
    for (std::size_t r = 0; r < size(); ++r) room.push_back((all + size() - 1) / size() + of_.below(3));
    return room;
}
void Ranks::expect_even(const std::vector<std::uint64_t>& got, std::uint64_t all) const {
    for (const std::uint64_t items : got)
        if (items < all / size() || items > (all + size() - 1) / size())
            of_.fail("a rank has " + std::to_string(items) + " of " + std::to_string(all) + " items");
    of_.expect_number("the number of all ranks' items", std::accumulate(got.begin(), got.end(), std::uint64_t{0}), all);
}

void Ranks::together(const Call& call) {
    std::vector<std::exception_ptr> thrown(size());
    std::vector<std::string> texts(size());
    const auto on_rank = [&](kogge::communicator& ranks) {
        const auto rank = static_cast<std::size_t>(ranks.rank());
        try {
            call(ranks, rank, how_[rank]);
        } catch (const std::exception& failure) {
            thrown[rank] = std::current_exception();
            texts[rank] = failure.what();
        }
    };
    kogge::run_on_threads(static_cast<int>(size()), on_rank, {.timeout = std::chrono::seconds(60)});
    if constexpr (kOnDevice) kogge::simt::synchronize(nullptr);
    for (std::size_t r = 1; r < size(); ++r)
        if (texts[r] != texts[0])
            of_.fail("rank " + std::to_string(r) + " is told \"" + texts[r] + "\", and rank 0 \"" + texts[0] + "\"");
    if (thrown[0]) std::rethrow_exception(thrown[0]);
}

void Ranks::run(const Call& call) {
    if (of_.one_in(10)) {
        const std::size_t rank = any_rank();
        how_[rank].scratch_limit = of_.below(of_.one_in(2) ? 3000 : 300'000);
        of_.say("rank ", rank, " within ", how_[rank].scratch_limit, " bytes,");
        ran_ = of_.try_to([&] { together(call); });
    } else if (kOnDevice && of_.one_in(8)) {
        const FailingAllocation failing(of_, 12);
        ran_ = of_.try_to([&] { together(call); });
    } else {
        together(call);
    }
}

void Ranks::refuse(kogge::errc code, std::size_t rank, const std::string& why, const Call& call) {
    of_.refuse(code, why, [&](const kogge::exec&) {
        try {
            together(call);
        } catch (const kogge::rank_error& told) {
            of_.expect_number("the rank whose fault it is", static_cast<std::uint64_t>(told.rank()), rank);
            throw;
        }
    });
}

bool Ranks::refused_one(const Call& call) {
    if (!of_.one_in(16)) return false;
    const std::size_t wrong = any_rank();
    of_.memory().set_place(places_[wrong]);
    void* const space = of_.memory().space(256, 0);
    refuse(kogge::errc::invalid_argument, wrong, "a workspace",
           [&](kogge::communicator& ranks, std::size_t rank, kogge::exec how) {
               if (rank == wrong) how.space = {space, 256};
               call(ranks, rank, how);
           });
    return true;
}

}  // namespace fuzz
