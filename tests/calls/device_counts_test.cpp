// kogge-test: EMULATED GPU
// A count on the device that is above its bound is taken as the bound, by every call: nothing past it is read, written
// or counted.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using Word = std::uint32_t;
using Number = std::uint64_t;

struct Odd {
    KOGGE_HOST_DEVICE bool operator()(Word item) const { return item % 2 == 1; }
};
struct Bin {
    KOGGE_HOST_DEVICE Word operator()(Word item) const { return item % 10; }
};
struct OneOrTwo {
    KOGGE_HOST_DEVICE Number operator()(Number item) const { return 1 + item % 2; }
};
struct Make {
    KOGGE_HOST_DEVICE Word operator()(Number item, Number k) const { return static_cast<Word>(3 * item + k); }
};

struct Arrays {
    Array<Word> in, keys, out, other;
    Array<Number> numbers, count;
    Array<Number> starts;
    explicit Arrays(std::uint64_t n)
        : in(random_items<Word>(n)),
          keys([n] {
              auto few = random_items<Word>(n, 2);
              for (Word& key : few) key %= 2;
              return few;
          }()),
          out(2 * n),
          other(n),
          numbers(n + 1),
          count(1),
          starts(std::vector<Number>{0, n / 3, n / 2}) {}
    auto results() const {
        return std::pair(std::vector{in.get(), out.get(), other.get()}, std::vector{numbers.get(), count.get()});
    }
};
struct Call {
    const char* name;
    std::function<void(Arrays&, kogge::item_count)> run;
};

const Call kCalls[] = {
    {"inclusive_scan", [](Arrays& a, auto n) { kogge::inclusive_scan(a.in.data(), a.out.data(), n); }},
    {"inclusive_scan, two_level",
     [](Arrays& a, auto n) {
         kogge::inclusive_scan(a.in.data(), a.out.data(), n, kogge::plus{}, {.grid = kogge::two_level});
     }},
    {"reverse_inclusive_scan", [](Arrays& a, auto n) { kogge::reverse_inclusive_scan(a.in.data(), a.out.data(), n); }},
    {"inclusive_scan_by_key",
     [](Arrays& a, auto n) { kogge::inclusive_scan_by_key(a.keys.data(), a.in.data(), a.out.data(), n); }},
    {"inclusive_segmented_scan",
     [](Arrays& a, auto n) { kogge::inclusive_segmented_scan(a.in.data(), a.out.data(), n, a.starts.data(), 3); }},
    {"compact", [](Arrays& a, auto n) { kogge::compact(a.in.data(), a.out.data(), a.count.data(), n, Odd{}); }},
    {"compact_stencil",
     [](Arrays& a, auto n) {
         kogge::compact_stencil(a.in.data(), a.keys.data(), a.out.data(), kogge::count_at(a.count.data()), n, Odd{});
     }},
    {"partition", [](Arrays& a, auto n) { kogge::partition(a.in.data(), a.out.data(), a.count.data(), n, Odd{}); }},
    {"partition to two outputs",
     [](Arrays& a, auto n) {
         kogge::partition(a.in.data(), kogge::two_outputs<Word>{a.out.data(), a.other.data()}, a.count.data(), n,
                          Odd{});
     }},
    {"split", [](Arrays& a, auto n) { kogge::split(a.in.data(), a.out.data(), a.numbers.data(), n, 10, Bin{}); }},
    {"emit",
     [](Arrays& a, auto n) {
         kogge::emit(a.out.data(), 2 * n.bound(), a.count.data(), n, OneOrTwo{}, Make{}, a.numbers.data(),
                     {.where = kWhere});
     }},
    {"unique", [](Arrays& a, auto n) { kogge::unique(a.keys.data(), a.out.data(), a.count.data(), n); }},
    {"run_length_encode",
     [](Arrays& a, auto n) {
         kogge::run_length_encode(a.keys.data(), a.out.data(), a.numbers.data(), a.count.data(), n);
     }},
    {"radix_sort", [](Arrays& a, auto n) { kogge::radix_sort(a.in.data(), n); }},
    {"radix_sort_pairs", [](Arrays& a, auto n) { kogge::radix_sort_pairs(a.keys.data(), a.in.data(), n); }},
    {"argsort", [](Arrays& a, auto n) { kogge::argsort(a.in.data(), a.other.data(), n); }},
    {"segmented_sort", [](Arrays& a, auto n) { kogge::segmented_sort(a.in.data(), n, a.starts.data(), 3); }},
};

// On two multiprocessors: sizes for one launch, and for rings and passes of many tiles.
TEST(DeviceCounts, AboveTheirBoundAreTheBound) {
    const Pretending device(2);
    for (const Call& call : kCalls)
        for (const std::uint64_t bound : {std::uint64_t{5'003}, std::uint64_t{200'003}}) {
            if (small() && bound > 100'000) continue;
            SCOPED_TRACE(std::string(call.name) + " of " + std::to_string(bound));
            Arrays want(bound);
            call.run(want, bound);
            const auto expected = want.results();
            for (const Number count : {bound + 1, 2 * bound, ~Number{0}}) {
                Arrays got(bound);
                const Array<Number> number(std::vector<Number>{count});
                call.run(got, kogge::device_count{number.data(), bound});
                EXPECT_EQ(got.results(), expected) << count;
            }
        }
}

TEST(DeviceCounts, ThatAreCheckedAreErrorsAboveTheirBound) {
    constexpr std::uint64_t bound = 5'003;
    for (const Call& call : kCalls) {
        SCOPED_TRACE(call.name);
        Arrays got(bound);
        const auto before = got.results();
        for (const Number count : {bound + 1, ~Number{0}}) {
            const Array<Number> number(std::vector<Number>{count});
            try {
                call.run(got, kogge::device_count{number.data(), bound, true});
                ADD_FAILURE() << "no error for " << count;
            } catch (const kogge::error& error) {
                EXPECT_EQ(error.code(), kogge::errc::invalid_argument);
                EXPECT_NE(std::string(error.what()).find(std::to_string(count)), std::string::npos) << error.what();
            }
        }
        EXPECT_EQ(got.results(), before);
        Arrays want(bound);
        call.run(want, Number{4'000});
        const Array<Number> number(std::vector<Number>{4'000});
        call.run(got, kogge::device_count{number.data(), bound, true});
        EXPECT_EQ(got.results(), want.results());
    }
}

}  // namespace
