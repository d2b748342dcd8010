// kogge-test: EMULATED GPU HOST
// What every call does with bad arguments, with none, and when memory runs out on its way: an error, and no byte
// changed.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
using Word = std::uint32_t;
using Number = std::uint64_t;

constexpr std::uint64_t kItems = 20000, kBins = 10;

struct Odd {
    KOGGE_HOST_DEVICE bool operator()(Word item) const { return item % 2 == 1; }
};
/// For which the library has device code, where it does not matter what decides.
constexpr kogge::compare<Word> kLow{kogge::relation::less, 1u << 31};
struct OddNumber {
    KOGGE_HOST_DEVICE bool operator()(Number item) const { return item % 2 == 1; }
};
struct Bin {
    KOGGE_HOST_DEVICE std::uint32_t operator()(Word item) const { return item % kBins; }
};
struct TwoEach {
    KOGGE_HOST_DEVICE Number operator()(Number) const { return 2; }
};
struct MakeWord {
    KOGGE_HOST_DEVICE Word operator()(Number item, Number k) const { return static_cast<Word>(item * 2 + k); }
};
struct Three {
    std::uint8_t bytes[3];
};

/// A pointer that a call takes, its bytes for n items, whether the call writes there, and whether the data decide how
/// much.
struct Argument {
    std::size_t bytes;
    bool written;
    bool open_ended = false;
};
/// A call of n items on the pointers that are given, in the order of `arguments`. Pairs that may be the same array are
/// listed in `same`.
struct Call {
    std::string name;
    std::vector<Argument> arguments;
    std::vector<std::pair<std::size_t, std::size_t>> same;
    std::function<void(const std::vector<void*>&, kogge::item_count n)> run;
};

template <class T>
T* as(void* pointer) {
    return static_cast<T*>(pointer);
}
template <class T>
const T* in(void* pointer) {
    return static_cast<const T*>(pointer);
}
using Pointers = std::vector<void*>;

constexpr kogge::exec kHow{.where = kWhere};

std::vector<Call> calls() {
    const std::size_t words = kItems * sizeof(Word), numbers = kItems * sizeof(Number);
    return {
        {"inclusive_scan",
         {{words, false}, {words, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::inclusive_scan(in<Word>(p[0]), as<Word>(p[1]), n, kogge::plus{}, kHow);
         }},
        {"exclusive_scan to wider sums",
         {{words, false}, {numbers, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::exclusive_scan(in<Word>(p[0]), as<Number>(p[1]), n, Number{1}, kogge::plus{}, kHow);
         }},
        {"reverse_inclusive_scan",
         {{words, false}, {words, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::reverse_inclusive_scan(in<Word>(p[0]), as<Word>(p[1]), n, kogge::plus{}, {}, kHow);
         }},
        {"reverse_inclusive_scan in place",
         {{words, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::reverse_inclusive_scan(as<Word>(p[0]), as<Word>(p[0]), n, kogge::plus{}, {}, kHow);
         }},
        {"compact of two arrays",
         {{words, false}, {numbers, false}, {words, true, true}, {numbers, true, true}},
         {{0, 2}, {1, 3}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::compact(kogge::arrays(in<Word>(p[0]), in<Number>(p[1])),
                            kogge::arrays(as<Word>(p[2]), as<Number>(p[3])), n, Odd{}, kHow);
         }},
        {"inclusive_scan_by_key",
         {{words, false}, {words, false}, {words, true}},
         {{1, 2}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::inclusive_scan_by_key(in<Word>(p[0]), in<Word>(p[1]), as<Word>(p[2]), n, kogge::plus{},
                                          kogge::equal_to{}, kHow);
         }},
        {"exclusive_scan_by_key",
         {{words, false}, {words, false}, {words, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::exclusive_scan_by_key(in<Word>(p[0]), in<Word>(p[1]), as<Word>(p[2]), n, 3u, kogge::plus{},
                                          kogge::equal_to{}, kHow);
         }},
        {"inclusive_segmented_scan",
         {{words, false}, {8, false}, {words, true}},
         {{0, 2}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::inclusive_segmented_scan(in<Word>(p[0]), as<Word>(p[2]), n, in<Number>(p[1]), n.bound() > 0 ? 1 : 0,
                                             kogge::plus{}, kHow);
         }},
        {"exclusive_segmented_scan",
         {{words, false}, {8, false}, {words, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::exclusive_segmented_scan(in<Word>(p[0]), as<Word>(p[2]), n, in<Number>(p[1]), n.bound() > 0 ? 1 : 0,
                                             5u, kogge::plus{}, kHow);
         }},
        {"compact",
         {{words, false}, {words, true, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) { kogge::compact(in<Word>(p[0]), as<Word>(p[1]), n, kLow, kHow); }},
        {"compact without waiting",
         {{words, false}, {words, true, true}, {8, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) {
             if (n.bound() > 0) kogge::compact(in<Word>(p[0]), as<Word>(p[1]), as<Number>(p[2]), n, kLow, kHow);
         }},
        {"compact_flags by bits",
         {{words, false}, {kItems / 8, false}, {words, true, true}},
         {{0, 2}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::compact_flags(in<Word>(p[0]), kogge::bit_mask(in<Word>(p[1])), as<Word>(p[2]), n, kHow);
         }},
        {"compact_flags",
         {{words, false}, {kItems, false}, {words, true, true}},
         {{0, 2}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::compact_flags(in<Word>(p[0]), in<std::uint8_t>(p[1]), as<Word>(p[2]), n, kHow);
         }},
        {"compact_stencil",
         {{words, false}, {numbers, false}, {words, true, true}},
         {{0, 2}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::compact_stencil(in<Word>(p[0]), in<Number>(p[1]), as<Word>(p[2]), n, OddNumber{}, kHow);
         }},
        {"compact_stencil of two arrays, to a count that is returned as well",
         {{words, false},
          {kItems * 3, false},
          {words, true, true},
          {kItems * 3, true, true},
          {numbers, false},
          {8, true}},
         {{0, 2}, {1, 3}},
         [](const Pointers& p, kogge::item_count n) {
             if (n.bound() > 0)
                 kogge::compact_stencil(kogge::arrays(in<Word>(p[0]), in<Three>(p[1])), in<Number>(p[4]),
                                        kogge::arrays(as<Word>(p[2]), as<Three>(p[3])),
                                        kogge::count_at(as<Number>(p[5])), n, OddNumber{}, kHow);
         }},
        {"partition",
         {{words, false}, {words, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::partition(in<Word>(p[0]), as<Word>(p[1]), n, kLow, kHow);
         }},
        {"partition without waiting",
         {{words, false}, {words, true}, {8, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) {
             if (n.bound() > 0) kogge::partition(in<Word>(p[0]), as<Word>(p[1]), as<Number>(p[2]), n, kLow, kHow);
         }},
        {"partition to two outputs",
         {{words, false}, {words, true, true}, {words, true, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::partition(in<Word>(p[0]), kogge::two_outputs<Word>{as<Word>(p[1]), as<Word>(p[2])}, n, kLow, kHow);
         }},
        {"split",
         {{words, false}, {words, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::split(in<Word>(p[0]), as<Word>(p[1]), n, kBins, Bin{}, kHow);
         }},
        {"split_pairs",
         {{words, false}, {kItems * 3, false}, {words, true}, {kItems * 3, true}, {(kBins + 1) * 8, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::split_pairs(in<Word>(p[0]), in<Three>(p[1]), as<Word>(p[2]), as<Three>(p[3]),
                                n.bound() > 0 ? as<Number>(p[4]) : nullptr, n, kBins, Bin{}, kHow);
         }},
        {"emit",
         {{2 * words, true}, {(kItems + 1) * 8, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::emit(as<Word>(p[0]), 2 * n.bound(), n, TwoEach{}, MakeWord{},
                         n.bound() > 0 ? as<Number>(p[1]) : nullptr, kHow);
         }},
        {"emit without waiting",
         {{2 * words, true}, {8, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             if (n.bound() > 0)
                 kogge::emit(as<Word>(p[0]), 2 * n.bound(), as<Number>(p[1]), n, TwoEach{}, MakeWord{}, kHow);
         }},
        {"compact_indices",
         {{numbers, false}, {words, true, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::compact_indices(in<Number>(p[0]), as<Word>(p[1]), n, OddNumber{}, kHow);
         }},
        {"partition_stencil",
         {{words, false}, {numbers, false}, {words, true}},
         {{0, 2}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::partition_stencil(in<Word>(p[0]), in<Number>(p[1]), as<Word>(p[2]), n, OddNumber{}, kHow);
         }},
        {"partition_flags to two outputs",
         {{words, false}, {kItems, false}, {words, true, true}, {words, true, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::partition_flags(in<Word>(p[0]), in<std::uint8_t>(p[1]),
                                    kogge::two_outputs<Word>{as<Word>(p[2]), as<Word>(p[3])}, n, kHow);
         }},
        {"unique",
         {{words, false}, {words, true, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::unique(in<Word>(p[0]), as<Word>(p[1]), n, kogge::equal_to{}, kHow);
         }},
        {"unique without waiting",
         {{words, false}, {words, true, true}, {8, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) {
             if (n.bound() > 0) kogge::unique(in<Word>(p[0]), as<Word>(p[1]), as<Number>(p[2]), n, {}, kHow);
         }},
        {"unique_by_key",
         {{words, false}, {kItems * 3, false}, {words, true, true}, {kItems * 3, true, true}},
         {{0, 2}, {1, 3}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::unique_by_key(in<Word>(p[0]), in<Three>(p[1]), as<Word>(p[2]), as<Three>(p[3]), n,
                                  kogge::equal_to{}, kHow);
         }},
        {"run_length_encode without waiting",
         {{words, false}, {words, true, true}, {numbers, true, true}, {8, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             if (n.bound() > 0)
                 kogge::run_length_encode(in<Word>(p[0]), as<Word>(p[1]), as<Number>(p[2]), as<Number>(p[3]), n, {},
                                          kHow);
         }},
        {"radix_sort",
         {{words, false}, {words, true}},
         {{0, 1}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::radix_sort(in<Word>(p[0]), as<Word>(p[1]), n, {}, kHow);
         }},
        {"radix_sort_pairs",
         {{words, false}, {numbers, false}, {words, true}, {numbers, true}},
         {{0, 2}, {1, 3}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::radix_sort_pairs(in<Word>(p[0]), as<Word>(p[2]), in<Number>(p[1]), as<Number>(p[3]), n, {}, kHow);
         }},
        {"radix_sort_pairs of gathered values",
         {{words, true}, {kItems * 3, true}, {numbers, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::radix_sort_pairs(as<Word>(p[0]), kogge::arrays(as<Three>(p[1]), as<Number>(p[2])), n, {}, kHow);
         }},
        {"segmented_sort",
         {{words, false}, {8, false}, {words, true}},
         {{0, 2}},
         [](const Pointers& p, kogge::item_count n) {
             kogge::segmented_sort(in<Word>(p[0]), as<Word>(p[2]), n, in<Number>(p[1]), n.bound() > 0 ? 1 : 0, {},
                                   kHow);
         }},
        {"segmented_sort_pairs of gathered values",
         {{words, true}, {8, false}, {kItems * 3, true}, {numbers, true}},
         {},
         [](const Pointers& p, kogge::item_count n) {
             kogge::segmented_sort_pairs(as<Word>(p[0]), kogge::arrays(as<Three>(p[2]), as<Number>(p[3])), n,
                                         in<Number>(p[1]), n.bound() > 0 ? 1 : 0, {}, kHow);
         }},
        {"argsort",
         {{words, false}, {words, true}},
         {},
         [](const Pointers& p, kogge::item_count n) { kogge::argsort(in<Word>(p[0]), as<Word>(p[1]), n, {}, kHow); }},
    };
}

/// Memory for a call's arguments, each in a place of its own, filled.
struct Memory {
    explicit Memory(const Call& call) {
        std::size_t total = 0;
        for (const Argument& argument : call.arguments) {
            starts.push_back(total);
            total += (argument.bytes + 15) / 16 * 16 + 16;
        }
        before = random_items<std::uint8_t>(total, 7);
        // Segment offsets and emit's are numbers: 0 is valid as any of them.
        if (call.name.find("segmented") != std::string::npos)
            std::fill_n(before.begin() + static_cast<std::ptrdiff_t>(starts[1]), 8, std::uint8_t{0});
        array.emplace(before);
    }
    Pointers pointers() {
        Pointers list;
        for (const std::size_t start : starts) list.push_back(array->data() + start);
        return list;
    }
    bool unchanged() const { return array->get() == before; }
    std::vector<std::size_t> starts;
    std::vector<std::uint8_t> before;
    std::optional<Array<std::uint8_t>> array;
};

TEST(Arguments, ThatOverlapAreErrors) {
    for (const Call& call : calls()) {
        Memory memory(call);
        for (std::size_t a = 0; a < call.arguments.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) {
                if (!call.arguments[a].written && !call.arguments[b].written) continue;
                SCOPED_TRACE(call.name + ", arguments " + std::to_string(b) + " and " + std::to_string(a));
                // The last byte-aligned place of one that still touches the other, and the same place.
                for (const std::size_t inside :
                     {std::size_t{0}, std::size_t{8}, call.arguments[b].bytes / 16 * 16 - 16}) {
                    const bool may = inside == 0 && std::count(call.same.begin(), call.same.end(), std::pair{b, a}) > 0;
                    if (may || inside >= call.arguments[b].bytes) continue;
                    if (call.arguments[b].open_ended && inside > 0) continue;  // it may end before
                    Pointers pointers = memory.pointers();
                    pointers[a] = static_cast<std::uint8_t*>(pointers[b]) + inside;
                    EXPECT_EQ(code_of([&] { call.run(pointers, kItems); }), kogge::errc::overlap) << inside;
                }
            }
        EXPECT_TRUE(memory.unchanged()) << call.name;
    }
}

TEST(Arguments, ThatAreNullAreErrorsWhereThereAreItems) {
    for (const Call& call : calls()) {
        Memory memory(call);
        for (std::size_t a = 0; a < call.arguments.size(); ++a) {
            // Offsets are optional.
            const bool optional = (call.name == "split_pairs" && a == 4) || (call.name == "emit" && a == 1);
            if (optional) continue;
            Pointers pointers = memory.pointers();
            pointers[a] = nullptr;
            EXPECT_EQ(code_of([&] { call.run(pointers, kItems); }), kogge::errc::invalid_argument)
                << call.name << ", argument " << a;
        }
        EXPECT_TRUE(memory.unchanged()) << call.name;
        EXPECT_NO_THROW(call.run(Pointers(call.arguments.size(), nullptr), 0)) << call.name << " of nothing";
        EXPECT_EQ(code_of([&] { call.run(memory.pointers(), Number{1} << 62); }), kogge::errc::invalid_argument)
            << call.name;
    }
}

// A count that the device holds is read by all that a call launches.
TEST(Arguments, CountsThatACallWritesOrTheDeviceCannotReachAreErrors) {
    if (!kOnDevice) GTEST_SKIP() << "counts live on a device";
    const Number on_host = kItems;
    for (const Call& call : calls()) {
        Memory memory(call);
        const Pointers pointers = memory.pointers();
        const auto code = [&](const void* count) {
            return code_of([&] {
                call.run(pointers, kogge::device_count{in<Number>(const_cast<void*>(count)), kItems});
            });
        };
        for (std::size_t a = 0; a < call.arguments.size(); ++a)
            for (const std::size_t inside : {std::size_t{0}, (call.arguments[a].bytes - 8) / 8 * 8}) {
                if (!call.arguments[a].written || (call.arguments[a].open_ended && inside > 0)) continue;
                EXPECT_EQ(code(static_cast<std::uint8_t*>(pointers[a]) + inside), kogge::errc::overlap)
                    << call.name << ", argument " << a << ", byte " << inside;
            }
        EXPECT_EQ(code(&on_host), kogge::errc::unreachable) << call.name;
        EXPECT_TRUE(memory.unchanged()) << call.name;
    }
}

#if KOGGE_EMULATED
TEST(Allocations, MayFailOneAfterTheOther) {
    namespace emulator = kogge::simt::emulator;
    for (const Call& call : calls()) {
        Memory memory(call);
        const auto live = emulator::statistics().live_allocations;
        bool done = false;
        for (std::uint64_t k = 0; !done; ++k) {
            SCOPED_TRACE(call.name + ", allocation " + std::to_string(k));
            ASSERT_LT(k, 10u);
            const auto before = emulator::statistics().allocations;
            emulator::fail_allocation(k);
            try {
                call.run(memory.pointers(), kItems);
                done = true;
            } catch (const kogge::error& failure) {
                EXPECT_EQ(failure.code(), kogge::errc::out_of_memory);
                EXPECT_TRUE(memory.unchanged());
            }
            kogge::simt::synchronize(nullptr);  // memory goes back in the stream's order
            EXPECT_EQ(emulator::statistics().live_allocations, live);
            EXPECT_TRUE(!done || emulator::statistics().allocations - before <= k);
        }
        emulator::fail_allocation(0);  // the one that waits is used up here
        EXPECT_EQ(code_of([] { kogge::buffer<Word> used(1, kogge::backend::device); }), kogge::errc::out_of_memory);
    }
}
#endif

}  // namespace
