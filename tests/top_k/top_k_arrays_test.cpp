// kogge-test: EMULATED GPU HOST
// Top-k with several arrays of values, and of segments with a k each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/calls/segmented_top_k.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
using kogge::arrays;
using kogge::each_k;
using kogge::rows_of;

const kogge::exec how{.where = kWhere};

struct Wide {
    std::uint64_t words[3];
};

/// The indices of the first k of keys[begin … end), the greatest first.
std::vector<std::uint64_t> first_of(const std::vector<std::uint32_t>& keys, std::uint64_t begin, std::uint64_t end,
                                    std::uint64_t k) {
    std::vector<std::uint64_t> order(end - begin);
    std::iota(order.begin(), order.end(), begin);
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return keys[a] > keys[b]; });
    order.resize(std::min<std::uint64_t>(k, order.size()));
    return order;
}
template <class T>
std::vector<T> taken(const std::vector<T>& items, const std::vector<std::uint64_t>& order) {
    std::vector<T> out;
    for (const std::uint64_t i : order) out.push_back(items[i]);
    return out;
}

// By comparison, by selection, and by a sort.
TEST(TopKArrays, SeveralArrays) {
    for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{300, 40}, {20000, 100}, {20000, 9000}}) {
        SCOPED_TRACE(std::to_string(k) + " of " + std::to_string(n));
        auto keys = random_items<std::uint32_t>(n);
        for (auto& key : keys) key %= 5000;
        const auto bytes = random_items<std::uint8_t>(n, 2);
        const auto words = random_items<std::uint16_t>(n, 3);
        const auto wides = random_items<Wide>(n, 4);
        const auto order = first_of(keys, 0, n, k);
        const Array<std::uint32_t> in(keys);
        const Array<std::uint8_t> a(bytes, 1);
        const Array<std::uint16_t> b(words, 1);
        const Array<Wide> c(wides);
        Array<std::uint32_t> out(k);
        Array<std::uint8_t> a_out(k, 1);
        Array<std::uint16_t> b_out(k, 1);
        Array<Wide> c_out(k);
        kogge::top_k_pairs(in.data(), out.data(), arrays(a.data(), b.data(), c.data()),
                           arrays(a_out.data(), b_out.data(), c_out.data()), n, k, {.ordered = false}, how);
        EXPECT_TRUE(same(out.get(), taken(keys, order))) << "in order all the same";
        EXPECT_TRUE(same(a_out.get(), taken(bytes, order)));
        EXPECT_TRUE(same(b_out.get(), taken(words, order)));
        EXPECT_TRUE(same(c_out.get(), taken(wides, order)));
    }
}
TEST(TopKArrays, Plan) {
    const kogge::top_k_shape one{.key_bytes = 4, .end_bit = 32, .value_bytes = 8};
    const kogge::top_k_shape two{.key_bytes = 4, .end_bit = 32, .value_bytes = 8, .value_arrays = 2};
    const auto device = kogge::h200_properties();
    EXPECT_EQ(kogge::plan_top_k(20000, 9000, two, device).launches,
              kogge::plan_top_k(20000, 9000, one, device).launches + 1);
    EXPECT_EQ(kogge::plan_top_k(20000, 90, two, device).launches, 1);
}
TEST(TopKArrays, Overlap) {
    Array<std::uint32_t> keys(std::vector<std::uint32_t>(100)), out(std::size_t{10}), values(std::size_t{20});
    const Array<std::uint32_t> more(std::vector<std::uint32_t>(100));
    const auto call = [&](std::uint32_t* first, std::uint32_t* second) {
        kogge::top_k_pairs(keys.data(), out.data(), arrays(more.data(), more.data()), arrays(first, second), 100, 10,
                           {}, how);
    };
    EXPECT_EQ(code_of([&] { call(values.data(), values.data() + 9); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { call(values.data(), out.data()); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { call(values.data(), nullptr); }), kogge::errc::invalid_argument);
    EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(10, Array<std::uint32_t>::poison())));
    call(values.data(), values.data() + 10);
}

/// Segments of any lengths, with a k each and two arrays.
void check_each(const std::vector<std::uint64_t>& begins, const std::vector<std::uint64_t>& ends,
                const std::vector<std::uint64_t>& counts, std::uint64_t most, std::uint64_t length) {
    const std::size_t n = ends.back();
    SCOPED_TRACE(std::to_string(begins.size()) + " segments, " + std::to_string(most));
    auto keys = random_items<std::uint32_t>(n, n);
    for (auto& key : keys) key %= 3000;
    const auto values = random_items<std::uint16_t>(n, 3);
    const std::size_t places = begins.size() * most;
    std::vector<std::uint32_t> want(places, Array<std::uint32_t>::poison()), want_at = want;
    std::vector<std::uint16_t> want_values(places, Array<std::uint16_t>::poison());
    for (std::size_t s = 0; s < begins.size(); ++s) {
        const auto order = first_of(keys, begins[s], ends[s], std::min(counts[s], most));
        for (std::size_t i = 0; i < order.size(); ++i) {
            want[s * most + i] = keys[order[i]];
            want_at[s * most + i] = static_cast<std::uint32_t>(order[i] - begins[s]);
            want_values[s * most + i] = values[order[i]];
        }
    }
    const Array<std::uint32_t> in(keys);
    const Array<std::uint16_t> with(values);
    const Array<std::uint64_t> offsets(begins), each(counts);
    Array<std::uint32_t> out(places), at(places), pairs_out(places), keys_with(places);
    Array<std::uint16_t> with_out(places), second(places);
    const each_k k(each.data(), most);
    if (length > 0) {
        const rows_of rows{length, begins.size()};
        kogge::segmented_top_k(in.data(), out.data(), rows, k, {}, how);
        kogge::segmented_arg_top_k(in.data(), keys_with.data(), at.data(), rows, k, {}, how);
        kogge::segmented_top_k_pairs(in.data(), pairs_out.data(), arrays(with.data(), with.data()),
                                     arrays(with_out.data(), second.data()), rows, k, {}, how);
    } else {
        const std::uint64_t* const from = offsets.data();
        kogge::segmented_top_k(in.data(), out.data(), n, from, begins.size(), k, {}, how);
        kogge::segmented_arg_top_k(in.data(), keys_with.data(), at.data(), n, from, begins.size(), k, {}, how);
        kogge::segmented_top_k_pairs(in.data(), pairs_out.data(), arrays(with.data(), with.data()),
                                     arrays(with_out.data(), second.data()), n, from, begins.size(), k, {}, how);
    }
    EXPECT_TRUE(same(out.get(), want)) << "keys";
    EXPECT_TRUE(same(at.get(), want_at)) << "indices";
    EXPECT_TRUE(same(keys_with.get(), want)) << "keys beside indices";
    EXPECT_TRUE(same(pairs_out.get(), want)) << "keys beside values";
    EXPECT_TRUE(same(with_out.get(), want_values)) << "values";
    EXPECT_TRUE(same(second.get(), want_values)) << "values of the second array";
}
TEST(SegmentedTopKEach, RowsAndSegments) {
    const std::vector<std::uint64_t> counts{3, 0, 40, 1, 17, 1000, 39};
    for (const std::uint64_t length : {50u, 900u, 6000u, 40000u}) {
        std::vector<std::uint64_t> begins, ends;
        for (std::uint64_t s = 0; s < counts.size(); ++s)
            begins.push_back(s * length), ends.push_back((s + 1) * length);
        if (length == 40000 && small()) continue;
        check_each(begins, ends, counts, 40, length);
        check_each(begins, ends, counts, 40, 0);
        if (length >= 900) check_each(begins, ends, counts, 300, length);
    }
    check_each({0, 5, 5, 800, 830, 7000, 7001}, {5, 5, 800, 830, 7000, 7001, 20000}, counts, 40, 0);
}
TEST(SegmentedTopKEach, Refuses) {
    const Array<std::uint32_t> in(std::vector<std::uint32_t>(100));
    const Array<std::uint64_t> counts(std::vector<std::uint64_t>(10));
    Array<std::uint32_t> out(std::size_t{100});
    const auto code = [&](const std::function<void()>& call) {
        const auto result = code_of(call);
        EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(100, Array<std::uint32_t>::poison())));
        return result;
    };
    const std::uint64_t* const none = nullptr;
    EXPECT_EQ(code([&] {
                  kogge::segmented_top_k(in.data(), out.data(), rows_of{10, 10}, each_k(none, 5), {}, how);
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(code([&] {
                  kogge::segmented_top_k(in.data(), out.data(), rows_of{10, 10}, each_k(counts.data(), 11), {}, how);
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(
        code_of([&] {
            Array<std::uint64_t> both(std::vector<std::uint64_t>(30));
            kogge::segmented_top_k(both.data(), both.data() + 20, rows_of{10, 2}, each_k(both.data() + 21, 2), {}, how);
        }),
        kogge::errc::overlap);
    kogge::segmented_top_k(in.data(), out.data(), rows_of{10, 10}, each_k(counts.data(), 5), {}, how);
    EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(100, Array<std::uint32_t>::poison()))) << "each is 0";
}

}  // namespace
