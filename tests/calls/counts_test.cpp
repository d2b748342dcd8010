// kogge-test: EMULATED GPU HOST
// Every call that counts, in its three forms: the number is returned, goes to a place without waiting, or both.
#include "kogge/types/counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
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
using kogge::count_at;

constexpr kogge::exec kHow{.where = kWhere};

struct Odd {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(T item) const {
        return item % 2 == 1;
    }
};
struct OneOrTwo {
    KOGGE_HOST_DEVICE Number operator()(Number item) const { return 1 + item % 2; }
};
struct Make {
    KOGGE_HOST_DEVICE Word operator()(Number item, Number k) const { return static_cast<Word>(3 * item + k); }
};

/// Words whose runs are a few items long, and other arrays of as many items.
struct Inputs {
    std::vector<Word> words;
    std::vector<std::uint8_t> flags;
    explicit Inputs(std::uint64_t n) : words(random_items<Word>(n)), flags(random_items<std::uint8_t>(n, 2)) {
        for (Word& word : words) word %= 3;
        for (std::uint8_t& flag : flags) flag %= 3;
    }
};
struct Arrays {
    Array<Word> in, out, other;
    Array<Number> numbers, count;
    Array<std::uint8_t> flags;
    explicit Arrays(const Inputs& inputs)
        : in(inputs.words),
          out(2 * inputs.words.size()),
          other(inputs.words.size()),
          numbers(inputs.words.size() + 1),
          count(1),
          flags(inputs.flags) {}
    auto results() const { return std::tuple(in.get(), out.get(), other.get(), numbers.get()); }
};

Number odd_words(const Inputs& inputs, std::size_t n) {
    return static_cast<Number>(
        std::count_if(inputs.words.begin(), inputs.words.begin() + static_cast<std::ptrdiff_t>(n), Odd{}));
}
Number odd_flags(const Inputs& inputs, std::size_t n) {
    return static_cast<Number>(
        std::count_if(inputs.flags.begin(), inputs.flags.begin() + static_cast<std::ptrdiff_t>(n), Odd{}));
}
Number set_flags(const Inputs& inputs, std::size_t n) {
    return n - static_cast<Number>(
                   std::count(inputs.flags.begin(), inputs.flags.begin() + static_cast<std::ptrdiff_t>(n), 0));
}
Number runs_of(const Inputs& inputs, std::size_t n) {
    Number runs = 0;
    for (std::size_t i = 0; i < n; ++i) runs += i == 0 || inputs.words[i] != inputs.words[i - 1] ? 1 : 0;
    return runs;
}
Number outputs_of(const Inputs&, std::size_t n) { return n + n / 2; }

/// The forms of one call on arrays, and the number that it finds.
struct Call {
    const char* name;
    std::function<Number(Arrays&, kogge::item_count)> returns;
    std::function<Number(Arrays&, kogge::item_count, count_at)> both;
    std::function<void(Arrays&, kogge::item_count, Number*)> writes;
    std::function<Number(const Inputs&, std::size_t)> expected;
};
/// `call` takes arrays, n, and a place or none.
template <class Function>
Call make_call(const char* name, Function call, Number (*expected)(const Inputs&, std::size_t)) {
    using kogge::item_count;
    static_assert(std::same_as<std::invoke_result_t<Function, Arrays&, item_count>, Number>);
    static_assert(std::same_as<std::invoke_result_t<Function, Arrays&, item_count, count_at>, Number>);
    static_assert(std::same_as<std::invoke_result_t<Function, Arrays&, item_count, Number*>, void>);
    return {name, call, call, call, expected};
}

const std::vector<Call>& calls() {
    static const std::vector<Call> list{
        make_call(
            "compact",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::compact(a.in.data(), a.out.data(), place..., n, Odd{}, kHow);
            },
            odd_words),
        make_call(
            "compact_flags",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::compact_flags(a.in.data(), a.flags.data(), a.out.data(), place..., n, kHow);
            },
            set_flags),
        make_call(
            "compact_stencil",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::compact_stencil(a.in.data(), a.flags.data(), a.out.data(), place..., n, Odd{}, kHow);
            },
            odd_flags),
        make_call(
            "partition",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::partition(a.in.data(), a.out.data(), place..., n, Odd{}, kHow);
            },
            odd_words),
        make_call(
            "partition to two outputs",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::partition(a.in.data(), kogge::two_outputs<Word>{a.out.data(), a.other.data()}, place...,
                                        n, Odd{}, kHow);
            },
            odd_words),
        make_call(
            "compact of two arrays",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::compact(kogge::arrays(a.in.data(), a.flags.data()),
                                      kogge::arrays(a.out.data(), reinterpret_cast<std::uint8_t*>(a.other.data())),
                                      place..., n, Odd{}, kHow);
            },
            odd_words),
        make_call(
            "compact_flags of two arrays",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::compact_flags(kogge::arrays(a.in.data(), a.in.data()), a.flags.data(),
                                            kogge::arrays(a.out.data(), a.other.data()), place..., n, kHow);
            },
            set_flags),
        make_call(
            "compact_stencil of two arrays",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::compact_stencil(kogge::arrays(a.in.data(), a.in.data()), a.flags.data(),
                                              kogge::arrays(a.out.data(), a.other.data()), place..., n, Odd{}, kHow);
            },
            odd_flags),
        make_call(
            "emit",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::emit(a.out.data(), 2 * n.bound(), place..., n, OneOrTwo{}, Make{}, kHow);
            },
            outputs_of),
        make_call(
            "emit with offsets",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::emit(a.out.data(), 2 * n.bound(), place..., n, OneOrTwo{}, Make{}, a.numbers.data(),
                                   kHow);
            },
            outputs_of),
        make_call(
            "unique",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::unique(a.in.data(), a.out.data(), place..., n, kogge::equal_to{}, kHow);
            },
            runs_of),
        make_call(
            "unique_by_key",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::unique_by_key(a.in.data(), a.in.data(), a.out.data(), a.other.data(), place..., n,
                                            kogge::equal_to{}, kHow);
            },
            runs_of),
        make_call(
            "run_length_encode",
            [](Arrays& a, kogge::item_count n, auto... place) {
                return kogge::run_length_encode(a.in.data(), a.out.data(), a.numbers.data(), place..., n,
                                                kogge::equal_to{}, kHow);
            },
            runs_of),
    };
    return list;
}

/// All forms of a call on `items` items say the number for n of them, and leave the same.
void check_forms(const Call& call, std::size_t items, const kogge::item_count& n, std::size_t number) {
    SCOPED_TRACE(std::string(call.name) + " of " + std::to_string(number));
    const Inputs inputs(items);
    const Number want = call.expected(inputs, number);
    Arrays returned(inputs), written(inputs), both(inputs);
    EXPECT_EQ(call.returns(returned, n), want);
    call.writes(written, n, written.count.data());
    EXPECT_EQ(written.count.get()[0], want);
    EXPECT_EQ(call.both(both, n, count_at(both.count.data())), want);
    EXPECT_EQ(both.count.get()[0], want);
    EXPECT_EQ(written.results(), returned.results());
    EXPECT_EQ(both.results(), returned.results());
}

// Of one launch, and on one multiprocessor of many tiles.
TEST(Counts, GoWhereTheyAreWanted) {
    const Pretending device(1);
    for (const Call& call : calls())
        for (const std::size_t n : {0u, 1u, 5003u, 100'003u})
            if (n < 10'000 || !small()) check_forms(call, n, n, n);
}

#if KOGGE_KERNELS
TEST(Counts, OfADeviceCount) {
    for (const Call& call : calls())
        for (const std::size_t n : {0u, 1u, 3001u, 5003u}) {
            const Array<Number> number(std::vector<Number>{n});
            check_forms(call, 5003, kogge::device_count{number.data(), 5003}, n);
        }
}
#endif

TEST(Counts, PlacesThatAreNoneChangeNothing) {
    const Inputs inputs(1000);
    for (const Call& call : calls()) {
        SCOPED_TRACE(call.name);
        Arrays arrays(inputs);
        const auto before = arrays.results();
        const auto code = [&](Number* place) {
            const kogge::errc both = code_of([&] { call.both(arrays, 1000, count_at(place)); });
            EXPECT_EQ(code_of([&] { call.writes(arrays, 1000, place); }), both);
            return both;
        };
        EXPECT_EQ(code(nullptr), kogge::errc::invalid_argument);
        EXPECT_EQ(code_of([&] { call.both(arrays, 0, count_at(nullptr)); }), kogge::errc::invalid_argument);
        EXPECT_EQ(code(reinterpret_cast<Number*>(arrays.out.data())), kogge::errc::overlap);
        if (call.name != std::string("emit") && call.name != std::string("emit with offsets")) {
            EXPECT_EQ(code(reinterpret_cast<Number*>(arrays.in.data() + 998)), kogge::errc::overlap);
        }
        if constexpr (kOnDevice) {
            Number on_host = 7;
            EXPECT_EQ(code(&on_host), kogge::errc::unreachable);
            EXPECT_EQ(on_host, 7u);
        }
        EXPECT_EQ(arrays.results(), before);
    }
}

}  // namespace
