// kogge-test: EMULATED GPU
// The same bits from every run, while another stream sorts: what goes where must not depend on which block comes first.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/repeats.hpp"
#include "support/sort_plans.hpp"

namespace {

using namespace tests;
namespace simt = kogge::simt;
using Word = std::uint32_t;
using Number = std::uint64_t;

struct Odd {
    KOGGE_HOST_DEVICE bool operator()(Word item) const { return item % 2 == 1; }
};
struct Modulo {
    Word bins;
    KOGGE_HOST_DEVICE Word operator()(Word item) const { return item % bins; }
};
/// Runs of 20 items on average.
struct Continues {
    KOGGE_HOST_DEVICE bool operator()(Word, Word item) const { return item % 20 != 0; }
};
struct UpToThree {
    const Word* items;
    KOGGE_HOST_DEVICE Number operator()(Number i) const { return items[i] % 4; }
};
struct Make {
    const Word* items;
    KOGGE_HOST_DEVICE Word operator()(Number i, Number k) const { return items[i] + static_cast<Word>(k); }
};

/// The first number of items tried that satisfies a condition on their plan, or the last one.
std::size_t size_of(const std::function<bool(std::size_t)>& condition) {
    std::size_t n = 20'000;
    while (!condition(n) && n < 100'000'000) n += n / 8;
    return n + 3;
}
kogge::compact_plan compact_of(std::size_t n, bool keep_rejected = false) {
    return kogge::plan_compact(n, sizeof(Word), keep_rejected, false, simt::current_properties());
}
kogge::runs_plan runs_of(std::size_t n) {
    return kogge::plan_runs(n, {sizeof(Word), kogge::runs_output::lengths}, simt::current_properties());
}
kogge::radix_sort_plan split_of(std::size_t n, bool pairs) {
    kogge::radix_sort_shape shape{.key_bytes = sizeof(Word), .end_bit = 8, .in_place = false};
    if (pairs) shape.values.push_back({sizeof(Word), sizeof(Word)});
    return kogge::plan_split(n, shape, simt::current_properties());
}
template <class Plan>
bool is_grid_wave(const Plan& plan) {
    return is_wave(plan) && is_cooperative(plan);
}
template <class Plan>
bool is_one_launch(const Plan& plan) {
    return is_pipelined(plan) && is_cooperative(plan);
}

/// Numbers behind so many words.
Number* numbers_behind(Word* out, std::size_t words) { return reinterpret_cast<Number*>(out + (words + 1) / 2 * 2); }

class Repeats : public ::testing::Test {
protected:
    Repeats() : stream_(simt::create_stream()), load_(simt::create_stream()) {}
    ~Repeats() override {
        simt::synchronize(load_);
        simt::destroy_stream(load_);
        simt::destroy_stream(stream_);
    }
    /// call(out, how) fills some of so many words in the same way each time.
    void check(const std::string& name, std::size_t words,
               const std::function<void(Word* out, const kogge::exec& how)>& call) {
        const auto on_unwritten = [&](Word* out, const kogge::exec& how) {
            simt::fill(out, 0x5a, words * sizeof(Word), how.stream);
            call(out, how);
        };
        const auto sort_beside = [&](int run) {
            if (run % 4 == 0) kogge::radix_sort(busy_.data(), sorted_.data(), kBusy / (1 + run % 7), {.stream = load_});
        };
        constexpr bool emulated = KOGGE_EMULATED;
        EXPECT_EQ(differences_of_runs<Word>(words, stream_, on_unwritten, sort_beside, emulated || small() ? 2 : 300),
                  0u)
            << name;
    }

    static constexpr std::size_t kBusy = KOGGE_EMULATED ? 10'000 : 3'000'000;
    const Pretending device_{1};
    kogge::stream_t stream_, load_;
    const Array<Word> busy_{random_items<Word>(kBusy, 9)};
    Array<Word> sorted_{kBusy};
};

TEST_F(Repeats, Compactions) {
    for (const std::size_t n : {size_of([](auto n) { return is_grid_wave(compact_of(n)); }),
                                size_of([](auto n) { return is_one_launch(compact_of(n)); }),
                                size_of([](auto n) { return draws_tickets(compact_of(n)); })}) {
        const Array<Word> in(random_items<Word>(n));
        auto few = random_items<std::uint8_t>(n, 2);
        for (auto& flag : few) flag = flag % 100 == 0;
        const Array<std::uint8_t> flags(few);
        const std::string items = " of " + std::to_string(n);
        check("compact" + items, n + 3, [&](Word* out, const kogge::exec& how) {
            kogge::compact(in.data(), out, numbers_behind(out, n), n, Odd{}, how);
        });
        check("compact_flags" + items, n + 3, [&](Word* out, const kogge::exec& how) {
            kogge::compact_flags(in.data(), flags.data(), out, numbers_behind(out, n), n, how);
        });
    }
}

// What a wave counts and reads again, and what is counted by a kernel of its own.
TEST_F(Repeats, PartitionsIntoOneOutput) {
    for (const std::size_t n : {size_of([](auto n) { return wave_of(compact_of(n, true)).counted_batches > 0; }),
                                size_of([](auto n) { return is_pipelined(compact_of(n, true)); })}) {
        const Array<Word> in(random_items<Word>(n));
        check("partition of " + std::to_string(n), n + 3, [&](Word* out, const kogge::exec& how) {
            kogge::partition(in.data(), out, numbers_behind(out, n), n, Odd{}, how);
        });
    }
}

TEST_F(Repeats, Splits) {
    for (const std::size_t n : {std::size_t{5000}, size_of([](auto n) { return is_resident(split_of(n, false)); }),
                                size_of([](auto n) { return is_pipelined(split_of(n, true)); }),
                                size_of([](auto n) { return is_pipelined(split_of(n, false)); })})
        for (const Word bins : {10u, 1000u}) {
            const Array<Word> in(random_items<Word>(n)), values(random_items<Word>(n, 2));
            const std::string items = " of " + std::to_string(n) + " into " + std::to_string(bins);
            check("split" + items, n + 1 + 2 * (bins + 1), [&](Word* out, const kogge::exec& how) {
                kogge::split(in.data(), out, numbers_behind(out, n), n, bins, Modulo{bins}, how);
            });
            check("split_pairs" + items, 2 * n, [&](Word* out, const kogge::exec& how) {
                kogge::split_pairs(in.data(), values.data(), out, out + n, n, bins, Modulo{bins}, how);
            });
        }
}

TEST_F(Repeats, Emissions) {
    for (const std::size_t n :
         {std::size_t{30'000}, KOGGE_EMULATED || small() ? std::size_t{100'000} : std::size_t{5'000'000}}) {
        const Array<Word> in(random_items<Word>(n));
        check("emit of " + std::to_string(n), 3 * n + 1 + 2 * (n + 2), [&](Word* out, const kogge::exec& how) {
            Number* const offsets = numbers_behind(out, 3 * n);
            kogge::emit(out, 3 * n, offsets + n + 1, n, UpToThree{in.data()}, Make{in.data()}, offsets, how);
        });
    }
}

TEST_F(Repeats, Runs) {
    for (const std::size_t n : {size_of([](auto n) { return is_grid_wave(runs_of(n)); }),
                                size_of([](auto n) { return is_one_launch(runs_of(n)); }),
                                size_of([](auto n) { return draws_tickets(runs_of(n)); })}) {
        const Array<Word> in(random_items<Word>(n));
        const std::string items = " of " + std::to_string(n);
        check("unique" + items, n + 3, [&](Word* out, const kogge::exec& how) {
            kogge::unique(in.data(), out, numbers_behind(out, n), n, Continues{}, how);
        });
        check("run_length_encode" + items, 2 * n + 3, [&](Word* out, const kogge::exec& how) {
            kogge::run_length_encode(in.data(), out, out + n, numbers_behind(out, 2 * n), n, Continues{}, how);
        });
    }
}

// Many keys are equal, and their values tell them apart.
TEST_F(Repeats, SortsOfPairs) {
    std::vector<std::size_t> sizes{9000, 60'000};
    if (!KOGGE_EMULATED && !small()) sizes.insert(sizes.end(), {1'000'000, 8'000'000});
    for (const std::size_t n : sizes) {
        auto many = random_items<Word>(n);
        for (Word& key : many) key = key % 1000 * 0x01000193u;
        const Array<Word> keys(many), values(random_items<Word>(n, 2));
        std::vector<Number> starts;
        for (Number at = 0; at < n; at += 1 + at * at % 20'011) starts.push_back(at);
        const Array<Number> offsets(starts);
        const std::string items = " of " + std::to_string(n);
        check("radix_sort_pairs" + items, 2 * n, [&](Word* out, const kogge::exec& how) {
            kogge::radix_sort_pairs(keys.data(), out, values.data(), out + n, n, {}, how);
        });
        check("argsort" + items, n,
              [&](Word* out, const kogge::exec& how) { kogge::argsort(keys.data(), out, n, {}, how); });
        check("segmented_sort_pairs" + items, 2 * n, [&](Word* out, const kogge::exec& how) {
            kogge::segmented_sort_pairs(keys.data(), out, values.data(), out + n, n, offsets.data(), starts.size(), {},
                                        how);
        });
    }
}

}  // namespace
