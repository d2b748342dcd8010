// A rank of tests over MPI, which mpi_ranks.sh runs: mpi_ranks SCENARIO. Ends with 0 if what this rank has seen is
// right.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kogge/distributed/mpi.hpp"
#include "kogge/distributed/radix_sort.hpp"

namespace {

namespace distributed = kogge::distributed;
using Word = std::uint32_t;
using Number = std::uint64_t;
constexpr kogge::communicator_options kOptions{.timeout = std::chrono::minutes(1)};

int failures = 0;
void expect(bool is_right, const char* what, int rank) {
    if (is_right) return;
    std::fprintf(stderr, "rank %d: %s\n", rank, what);
    ++failures;
}

Word key_of(Number i) { return static_cast<Word>((i * 0x9e3779b97f4a7c15u >> 40) % 1000); }

/// Ranks have 1000, 2000, … keys. Every rank computes what all should have.
struct Whole {
    std::vector<Number> begins{0};
    std::vector<Word> keys;
    std::vector<Number> order;
    explicit Whole(int ranks) {
        for (int r = 0; r < ranks; ++r) begins.push_back(begins.back() + 1000 * (static_cast<Number>(r) + 1));
        for (Number i = 0; i < begins.back(); ++i) keys.push_back(key_of(i));
        order.resize(keys.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) { return keys[a] < keys[b]; });
    }
};

void sort_all(kogge::communicator& ranks) {
    const Whole whole(ranks.size());
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    const Number n = whole.begins[rank + 1] - whole.begins[rank], room = whole.keys.size() / size + 1;
    const Word* const own = whole.keys.data() + whole.begins[rank];
    std::vector<Number> values(n), moved(room), indices(room);
    std::iota(values.begin(), values.end(), whole.begins[rank]);
    std::vector<Word> sorted(room);
    const Number got = distributed::radix_sort_pairs(ranks, own, sorted.data(), values.data(), moved.data(), room, n);
    const Number same = distributed::argsort(ranks, own, indices.data(), room, n);
    Number begin = 0;
    for (std::size_t r = 0; r < rank; ++r) begin += whole.keys.size() / size + (r < whole.keys.size() % size);
    bool is_right = got == same && got == whole.keys.size() / size + (rank < whole.keys.size() % size);
    for (Number i = 0; is_right && i < got; ++i)
        is_right = moved[i] == whole.order[begin + i] && indices[i] == moved[i] &&
                   sorted[i] == whole.keys[whole.order[begin + i]];
    expect(is_right, "the sort is wrong", ranks.rank());
}

/// The call throws rank_error with this rank and text.
template <class Call>
void expect_told(kogge::communicator& ranks, int of, const std::string& text, const Call& call) {
    try {
        call();
        expect(false, "nothing was thrown", ranks.rank());
    } catch (const kogge::rank_error& failure) {
        expect(failure.rank() == of && std::string(failure.what()).find(text) != std::string::npos, failure.what(),
               ranks.rank());
    }
}

void run(std::string_view scenario) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (scenario == "sort") {
        sort_all(*kogge::communicator_over_mpi(MPI_COMM_WORLD, kOptions));
        kogge::communicator_options by = kOptions;
        by.message_bytes = 1000;  // several messages per piece
        sort_all(*kogge::communicator_over_mpi(MPI_COMM_WORLD, by));
    } else if (scenario == "faults") {
        const auto ranks = kogge::communicator_over_mpi(MPI_COMM_WORLD, kOptions);
        std::vector<Word> keys(100, 5);
        expect_told(*ranks, 2, "options.begin_bit", [&] {
            distributed::radix_sort(*ranks, keys.data(), keys.size(), {.begin_bit = rank == 2 ? 1 : 0});
        });
        expect_told(*ranks, 1, "exec.scratch_limit", [&] {
            kogge::exec how;
            if (rank == 1) how.scratch_limit = 100;
            distributed::radix_sort(*ranks, keys.data(), keys.size(), how);
        });
        sort_all(*ranks);  // the group is whole
        expect_told(*ranks, 3, "has aborted: enough", [&] {
            if (rank == 3) ranks->abort("enough");
            sort_all(*ranks);
        });
    } else if (scenario == "late") {
        const auto ranks = kogge::communicator_over_mpi(MPI_COMM_WORLD, {.timeout = std::chrono::milliseconds(300)});
        if (rank == 2) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        expect_told(*ranks, 2, "rank 2 of 4 has not answered for 300 ms", [&] { sort_all(*ranks); });
    } else if (scenario == "throws") {
        // It leaves the scope of the communicator by an exception; the others hear of it.
        try {
            const auto ranks = kogge::communicator_over_mpi(MPI_COMM_WORLD, kOptions);
            if (rank == 1) throw 1;
            expect_told(*ranks, 1, "an exception has left it", [&] { sort_all(*ranks); });
        } catch (int) {}
    } else if (scenario == "killed") {
        const auto ranks = kogge::communicator_over_mpi(MPI_COMM_WORLD, kOptions);
        sort_all(*ranks);
        if (rank == 2) std::raise(SIGKILL);
        sort_all(*ranks);
    } else {
        expect(false, "no such scenario", rank);
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    run(argc > 1 ? argv[1] : "");
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
