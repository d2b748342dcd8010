// kogge-test: EMULATED GPU HOST
#include "kogge/calls/reduce_by_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using kogge::equal_to;
using kogge::plus;

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> list{0, 1, 2, 33, 1023, 1024, 2049, 30001, 70001, 140001};
    if (!small()) list.push_back(450001);
    return list;
}

struct Odd12 {
    std::uint32_t a, b, c;
};
struct SameFirst {
    KOGGE_HOST_DEVICE bool operator()(const Odd12& x, const Odd12& y) const { return x.a == y.a; }
};

/// Keys in runs of 1 to 2·mean − 1 items, or in one run for a mean of 0. Neighbouring runs differ.
template <class Key>
std::vector<Key> keys_in_runs(std::size_t n, std::size_t mean) {
    Random random(n + mean);
    std::vector<Key> keys;
    for (std::uint64_t run = 0; keys.size() < n; ++run) {
        const std::size_t length = mean == 0 ? n : 1 + random() % (2 * mean - 1);
        Key key{};
        if constexpr (std::is_same_v<Key, Odd12>) key.a = static_cast<std::uint32_t>(run);
        else key = static_cast<Key>(run % 2 == 0 ? random() % 50 : 50 + random() % 50);
        keys.resize(std::min(n, keys.size() + length), key);
    }
    if constexpr (std::is_same_v<Key, Odd12>)
        for (std::size_t i = 0; i < n; ++i) keys[i].b = static_cast<std::uint32_t>(i);  // tells which one is written
    return keys;
}

template <class Key, class Sum>
struct Expected {
    std::vector<Key> keys;
    std::vector<Sum> sums;
};
template <class Sum, class Key, class Value, class Op, class Equal>
Expected<Key, Sum> expected(const std::vector<Key>& keys, const std::vector<Value>& values, Op op, Equal equal) {
    Expected<Key, Sum> want;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto value = static_cast<Sum>(values[i]);
        if (i > 0 && equal(keys[i - 1], keys[i])) {
            want.sums.back() = static_cast<Sum>(op(want.sums.back(), value));
        } else {
            want.keys.push_back(keys[i]);
            want.sums.push_back(value);
        }
    }
    return want;
}
/// What stands in front is `want`, and nobody has written behind it.
template <class T>
::testing::AssertionResult begins_with(const Array<T>& array, const std::vector<T>& want) {
    std::vector<T> all = want;
    all.resize(array.get().size(), Array<T>::poison());
    return same(array.get(), all);
}

template <class Sum, class Key, class Value, class Op, class Equal>
void check(const std::vector<Key>& keys, const std::vector<Value>& values, Op op, Equal equal) {
    const std::size_t n = keys.size();
    const auto want = expected<Sum>(keys, values, op, equal);
    const std::uint64_t runs = want.keys.size();
    const kogge::exec how{.where = kWhere};
    const Array<Key> keys_in(keys, n % 3);
    const Array<Value> values_in(values, n % 2);
    Array<Key> keys_out(n, 1), again(n);
    Array<Sum> sums(n), more(n, 1);
    Array<std::uint64_t> count(1);
    EXPECT_EQ(kogge::reduce_by_key(keys_in.data(), values_in.data(), keys_out.data(), sums.data(), n, op, equal, how),
              runs);
    EXPECT_TRUE(begins_with(keys_out, want.keys));
    EXPECT_TRUE(begins_with(sums, want.sums));
    kogge::reduce_by_key(keys_in.data(), values_in.data(), again.data(), more.data(), count.data(), n, op, equal, how);
    EXPECT_EQ(count.get()[0], runs);
    EXPECT_TRUE(begins_with(again, want.keys));
    EXPECT_TRUE(begins_with(more, want.sums));
}

/// With rings, and without, so that waves, pipelines and tiles have their turn.
template <class Checks>
void on_each_device(const Checks& checks) {
    for (const std::size_t shared_bytes : {std::size_t{0}, std::size_t{99} << 10}) {
        SCOPED_TRACE(shared_bytes > 0 ? "a device without rings" : "a device with rings");
        const Pretending device(2, shared_bytes);
        checks();
        if (!may_pretend()) return;
    }
}

TEST(ReduceByKey, RunsOfEveryLength) {
    on_each_device([] {
        for (const std::size_t n : sizes())
            for (const std::size_t mean : {0, 1, 3, 100, 5000}) {
                SCOPED_TRACE(std::to_string(n) + " items in runs of " + std::to_string(mean));
                check<std::uint32_t>(keys_in_runs<std::uint32_t>(n, mean), random_items<std::uint32_t>(n), plus{},
                                     equal_to{});
            }
    });
}
TEST(ReduceByKey, OtherTypes) {
    on_each_device([] {
        for (const std::size_t n : {1024, 20001, 140001}) {
            SCOPED_TRACE(n);
            check<std::uint8_t>(keys_in_runs<std::uint8_t>(n, 5), random_items<std::uint8_t>(n), plus{}, equal_to{});
            check<std::uint64_t>(keys_in_runs<std::uint64_t>(n, 5), random_items<std::uint64_t>(n), plus{}, equal_to{});
            check<std::uint64_t>(keys_in_runs<std::uint32_t>(n, 40), random_items<std::uint8_t>(n), plus{}, equal_to{});
            check<std::uint16_t>(keys_in_runs<std::uint64_t>(n, 2), random_items<std::uint32_t>(n), plus{}, equal_to{});
            check<float>(keys_in_runs<std::uint32_t>(n, 5), random_items<float>(n), kogge::maximum{}, equal_to{});
            check<std::uint32_t>(keys_in_runs<Odd12>(n, 5), random_items<std::uint32_t>(n), plus{}, SameFirst{});
        }
    });
}
TEST(ReduceByKey, MoreRunsThanRoom) {
    // Positions of heads, of two bytes each, stand where values stood; keys are held some rows at a time.
    on_each_device([] {
        for (const std::size_t n : {20001, 140001})
            for (const std::size_t mean : {1, 2}) {
                SCOPED_TRACE(std::to_string(n) + " items in runs of " + std::to_string(mean));
                const auto bytes = random_items<std::uint8_t>(n);
                check<std::uint8_t>(keys_in_runs<std::uint8_t>(n, mean), bytes, plus{}, equal_to{});
                check<std::uint8_t>(keys_in_runs<std::uint64_t>(n, mean), bytes, plus{}, equal_to{});
                check<std::uint8_t>(keys_in_runs<Odd12>(n, mean), bytes, plus{}, SameFirst{});
                check<std::uint16_t>(keys_in_runs<Odd12>(n, mean), random_items<std::uint16_t>(n), plus{}, SameFirst{});
                check<std::uint64_t>(keys_in_runs<std::uint8_t>(n, mean), random_items<std::uint64_t>(n), plus{},
                                     equal_to{});
                check<std::uint32_t>(keys_in_runs<std::uint64_t>(n, mean), bytes, plus{}, equal_to{});
            }
    });
}
TEST(ReduceByKey, KeepsTheOrder) {
    on_each_device([] {
        for (const std::size_t n : {1024, 20001, 140001}) {
            std::vector<Bicyclic> brackets(n);
            std::vector<Matrix> matrices(n);
            Random random(n);
            for (auto& item : brackets) item = random() % 2 == 0 ? Bicyclic{1, 0} : Bicyclic{0, 1};
            for (auto& item : matrices) item = {static_cast<std::uint32_t>(random()), 1, 1, 3};
            for (const std::size_t mean : {0, 1, 3, 700}) {
                check<Bicyclic>(keys_in_runs<std::uint32_t>(n, mean), brackets, JoinBrackets{}, equal_to{});
                check<Matrix>(keys_in_runs<std::uint32_t>(n, mean), matrices, Multiply{}, equal_to{});
            }
        }
    });
}

struct Thirds {
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return static_cast<std::uint32_t>(i / 3); }
};
struct Ones {
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t) const { return 1; }
};
struct Forgets {
    struct Place {
        KOGGE_HOST_DEVICE const Place& operator=(std::uint32_t) const { return *this; }
    };
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t) const { return {}; }
};
TEST(ReduceByKey, ItemsThatAreNoArrays) {
    on_each_device([] {
        for (const std::size_t n : {1, 1000, 20001, 140001}) {
            const std::uint64_t runs = (n + 2) / 3;
            const auto values = random_items<std::uint32_t>(n);
            const Array<std::uint32_t> in(values);
            std::vector<std::uint32_t> keys(n), counts(runs, 3), numbers(runs);
            for (std::size_t i = 0; i < n; ++i) keys[i] = Thirds{}[i];
            for (std::size_t i = 0; i < runs; ++i) numbers[i] = static_cast<std::uint32_t>(i);
            counts.back() = static_cast<std::uint32_t>(n - 3 * (runs - 1));
            const auto want = expected<std::uint32_t>(keys, values, plus{}, equal_to{});
            Array<std::uint32_t> keys_out(n), sums(n), lengths(n), alone(n);
            const Array<std::uint32_t> keys_in(keys);
            EXPECT_EQ(kogge::reduce_by_key(Thirds{}, in.data(), keys_out.data(), sums.data(), n), runs);
            EXPECT_TRUE(begins_with(keys_out, numbers));
            EXPECT_TRUE(begins_with(sums, want.sums));
            EXPECT_EQ(kogge::reduce_by_key(keys_in.data(), Ones{}, keys_out.data(), lengths.data(), n), runs);
            EXPECT_TRUE(begins_with(lengths, counts));
            EXPECT_EQ(kogge::reduce_by_key(Thirds{}, in.data(), Forgets{}, alone.data(), n), runs);
            EXPECT_TRUE(begins_with(alone, want.sums));
        }
    });
}

struct Close {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return b - a <= 1; }
};
TEST(ReduceByKey, FormsAndNeighbours) {
    const std::vector<std::uint32_t> keys = {1, 2, 3, 4, 9, 10, 10, 7};
    const Array<std::uint32_t> in(keys);
    Array<std::uint32_t> out(keys.size()), sums(keys.size());
    Array<std::uint64_t> runs(1);
    const kogge::exec how{.where = kWhere};
    EXPECT_EQ(kogge::reduce_by_key(in.data(), in.data(), out.data(), sums.data(), keys.size(), plus{}, Close{}), 3u);
    EXPECT_TRUE(begins_with(out, {1, 9, 7}));
    EXPECT_TRUE(begins_with(sums, {10, 29, 7}));
    EXPECT_EQ(kogge::reduce_by_key(in.data(), in.data(), out.data(), sums.data(), kogge::count_at(runs.data()),
                                   keys.size(), kogge::maximum{}, how),
              7u);
    EXPECT_EQ(runs.get()[0], 7u);
    EXPECT_EQ(kogge::reduce_by_key(in.data(), in.data(), out.data(), sums.data(), keys.size(), how), 7u);
    EXPECT_EQ(kogge::reduce_by_key(in.data(), in.data(), out.data(), sums.data(), keys.size(), plus{}, how), 7u);
    kogge::reduce_by_key(in.data(), in.data(), out.data(), sums.data(), runs.data(), keys.size(), how);
    kogge::reduce_by_key(in.data(), in.data(), out.data(), sums.data(), runs.data(), 0, how);
    EXPECT_EQ(runs.get()[0], 0u);
}

TEST(ReduceByKey, FloatsAreTheSameFromRunToRun) {
    on_each_device([] {
        const std::size_t n = 140001;
        std::vector<float> values(n);
        Random random(n);
        for (float& value : values) value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-53);
        const Array<float> in(values);
        const Array<std::uint32_t> keys(keys_in_runs<std::uint32_t>(n, 3000));
        Array<std::uint32_t> keys_out(n);
        Array<float> sums(n);
        kogge::reduce_by_key(keys.data(), in.data(), keys_out.data(), sums.data(), n);
        const auto want = sums.get();
        for (int run = 0; run < 3; ++run) {
            kogge::reduce_by_key(keys.data(), in.data(), keys_out.data(), sums.data(), n, {.host_threads = run + 1});
            EXPECT_TRUE(same(sums.get(), want));
        }
    });
}

#if KOGGE_KERNELS
TEST(ReduceByKey, OfADeviceCount) {
    on_each_device([] {
        for (const std::size_t bound : {std::size_t{50000}, std::size_t{140001}}) {
            const auto keys = keys_in_runs<std::uint32_t>(bound, 7);
            const auto values = random_items<std::uint32_t>(bound);
            const Array<std::uint32_t> keys_in(keys), values_in(values);
            for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1024}, std::uint64_t{31234},
                                          std::uint64_t{bound} + 5}) {
                const auto end = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(n, bound));
                const auto want =
                    expected<std::uint32_t>(std::vector(keys.begin(), keys.begin() + end),
                                            std::vector(values.begin(), values.begin() + end), plus{}, equal_to{});
                const Array<std::uint64_t> number(std::vector<std::uint64_t>{n});
                Array<std::uint32_t> keys_out(bound), sums(bound);
                Array<std::uint64_t> runs(1);
                kogge::reduce_by_key(keys_in.data(), values_in.data(), keys_out.data(), sums.data(), runs.data(),
                                     kogge::device_count{number.data(), bound});
                EXPECT_EQ(runs.get()[0], want.keys.size());
                EXPECT_TRUE(begins_with(keys_out, want.keys)) << n;
                EXPECT_TRUE(begins_with(sums, want.sums)) << n;
            }
        }
    });
}
#endif

TEST(ReduceByKeyErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(1000);
    Array<std::uint32_t> in(items), out(1000), sums(1000);
    std::uint64_t* const no_count = nullptr;
    std::uint32_t* const nowhere = nullptr;
    const auto call = [&](const std::uint32_t* keys, std::uint32_t* keys_out, std::uint32_t* to) {
        return code_of([&] { kogge::reduce_by_key(keys, in.data(), keys_out, to, 9); });
    };
    EXPECT_EQ(call(in.data(), in.data() + 8, sums.data()), kogge::errc::overlap);
    EXPECT_EQ(call(in.data(), out.data(), out.data()), kogge::errc::overlap);
    EXPECT_EQ(call(nowhere, out.data(), sums.data()), kogge::errc::invalid_argument);
    EXPECT_EQ(call(in.data(), nowhere, sums.data()), kogge::errc::invalid_argument);
    EXPECT_EQ(call(in.data(), out.data(), nowhere), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::reduce_by_key(in.data(), in.data(), out.data(), sums.data(), no_count, 9); }),
              kogge::errc::invalid_argument);
    EXPECT_TRUE(same(in.get(), items));
    EXPECT_TRUE(begins_with(out, {}));
    EXPECT_TRUE(begins_with(sums, {}));
}

}  // namespace
