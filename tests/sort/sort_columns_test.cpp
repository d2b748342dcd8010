// kogge-test: EMULATED GPU HOST
// Sorts by several columns, against a stable sort by comparison.
#include "kogge/calls/sort_columns.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "kogge/calls/scratch_bytes.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/tables.hpp"

namespace {

using namespace tests;
using kogge::arrays;
using kogge::errc;
using kogge::null_order;
using kogge::uint128;

struct Three {
    std::uint8_t byte[3];
};

/// A column and its mask where the backend looks for them.
template <class Key>
struct Placed {
    Array<Key> keys;
    Array<std::uint32_t> mask;
    kogge::column_options options;

    explicit Placed(const TestColumn<Key>& column) : keys(column.keys), mask(column.mask()), options(column.options) {
        if (!column.valid.empty()) options.valid = mask.data();
    }
    kogge::sort_column<Key> column() { return kogge::column(keys.data(), options); }
    kogge::sort_column<const Key> only_read() const { return kogge::column(keys.data(), options); }
};

/// All forms of the calls on a table.
template <class... Keys>
void check_table(std::uint64_t n, const TestColumn<Keys>&... columns) {
    SCOPED_TRACE(std::to_string(n) + " rows");
    const auto rows = order_of_rows(n, columns...);
    const std::vector<std::uint32_t> narrow(rows.begin(), rows.end());
    const auto values = random_items<std::uint32_t>(n, 1);
    const auto wide = random_items<std::uint64_t>(n, 2);
    const auto odd = random_items<Three>(n, 3);
    const auto on_table = [&](const auto& call) {
        std::tuple<std::unique_ptr<Placed<Keys>>...> placed{std::make_unique<Placed<Keys>>(columns)...};
        std::apply([&](auto&... each) { call(*each...); }, placed);
    };
    const auto expect_sorted = [&](auto&... sorted) {
        (static_cast<void>([&] { EXPECT_TRUE(same(sorted.get(), rows_in_order(columns.keys, rows))); }()), ...);
    };
    on_table([&](auto&... each) {
        Array<std::uint32_t> indices(n);
        Array<std::int64_t> others(n);
        kogge::argsort(kogge::columns(each.only_read()...), indices.data(), n);
        EXPECT_TRUE(same(indices.get(), narrow));
        kogge::argsort(kogge::columns(each.column()...), others.data(), n, kogge::exec{});
        EXPECT_TRUE(same(others.get(), std::vector<std::int64_t>(rows.begin(), rows.end())));
        (static_cast<void>([&] { EXPECT_TRUE(same(each.keys.get(), columns.keys)); }()), ...);
    });
    on_table([&](auto&... each) {
        kogge::radix_sort(kogge::columns(each.column()...), n);
        expect_sorted(each.keys...);
    });
    on_table([&](auto&... each) {
        Array<std::uint32_t> moved(values);
        kogge::radix_sort_pairs(kogge::columns(each.column()...), moved.data(), n);
        expect_sorted(each.keys...);
        EXPECT_TRUE(same(moved.get(), rows_in_order(values, rows)));
    });
    if (sparing()) return;
    on_table([&](auto&... each) {
        Array<Three> first(odd);
        Array<std::uint64_t> second(wide);
        kogge::radix_sort_pairs(kogge::columns(each.column()...), arrays(first.data(), second.data()), n);
        expect_sorted(each.keys...);
        EXPECT_TRUE(same(first.get(), rows_in_order(odd, rows)));
        EXPECT_TRUE(same(second.get(), rows_in_order(wide, rows)));
    });
    on_table([&](auto&... each) {
        std::tuple<std::unique_ptr<Array<Keys>>...> outputs{std::make_unique<Array<Keys>>(columns.keys.size())...};
        const Array<std::uint64_t> from(wide);
        Array<std::uint64_t> to(n);
        std::apply(
            [&](auto&... out) {
                kogge::radix_sort(kogge::columns(each.only_read()...), arrays(out->data()...), n);
                expect_sorted(*out...);
                kogge::radix_sort_pairs(kogge::columns(each.only_read()...), arrays(out->data()...), from.data(),
                                        to.data(), n);
                expect_sorted(*out...);
            },
            outputs);
        EXPECT_TRUE(same(to.get(), rows_in_order(wide, rows)));
        (static_cast<void>([&] { EXPECT_TRUE(same(each.keys.get(), columns.keys)); }()), ...);
    });
}

std::vector<std::uint64_t> sizes() {
    if (sparing()) return {0, 1, 1000};
    if (small()) return {0, 1, 33, 1000};
    return {0, 1, 33, 1000, 5000, 40000};
}

template <class Key>
TestColumn<Key> column_of(std::uint64_t n, std::uint64_t seed, const kogge::column_options& options = {}) {
    return {few_keys<Key>(n, seed), {}, options};
}
template <class Key>
TestColumn<Key> with_nulls(std::uint64_t n, std::uint64_t seed, const kogge::column_options& options = {}) {
    return {few_keys<Key>(n, seed), some_valid(n, seed + 100), options};
}

TEST(SortColumns, InCodesOf32Bits) {
    for (const std::uint64_t n : sizes()) {
        check_table(n, column_of<std::uint16_t>(n, 1), column_of<std::int16_t>(n, 2, {.order = kogge::descending}));
        check_table(n, column_of<std::int8_t>(n, 2), column_of<std::uint8_t>(n, 3));
    }
}

TEST(SortColumns, InCodesOf64Bits) {
    for (const std::uint64_t n : sizes()) {
        check_table(n, column_of<std::uint32_t>(n, 1), column_of<std::int32_t>(n, 2));
        check_table(n, column_of<float>(n, 1, {.order = kogge::descending}), column_of<std::uint16_t>(n, 2));
    }
}

TEST(SortColumns, InCodesOf128Bits) {
    for (const std::uint64_t n : sizes()) {
        check_table(n, column_of<std::int64_t>(n, 1), column_of<double>(n, 2));
        check_table(n, column_of<std::uint8_t>(n, 1), column_of<std::uint64_t>(n, 2), column_of<std::uint32_t>(n, 3));
    }
}

TEST(SortColumns, ByOneColumn) {
    for (const std::uint64_t n : sizes()) {
        check_table(n, column_of<uint128>(n, 1, {.order = kogge::descending}));
        check_table(n, with_nulls<float>(n, 1, {.nans = kogge::nan_order::greatest}));
    }
}

// More bits than one code has.
TEST(SortColumns, InSeveralPasses) {
    for (const std::uint64_t n : sizes()) {
        check_table(n, column_of<std::uint64_t>(n, 1), column_of<std::int64_t>(n, 2), column_of<std::uint64_t>(n, 3));
        check_table(n, column_of<std::uint8_t>(n, 1), column_of<uint128>(n, 2), column_of<std::uint16_t>(n, 3));
        check_table(n, with_nulls<std::uint64_t>(n, 1), with_nulls<double>(n, 2, {.order = kogge::descending}),
                    with_nulls<std::int32_t>(n, 3, {.nulls = null_order::first}), column_of<uint128>(n, 4),
                    column_of<std::uint64_t>(n, 5));
    }
}

// A key of 128 bits and whether it is null.
TEST(SortColumns, OfWideNullKeys) {
    for (const std::uint64_t n : sizes())
        for (const null_order nulls : {null_order::first, null_order::last}) {
            check_table(n, with_nulls<uint128>(n, 1, {.order = kogge::descending, .nulls = nulls}));
            check_table(n, column_of<std::uint8_t>(n, 2), with_nulls<uint128>(n, 1, {.valid_from = 3, .nulls = nulls}),
                        column_of<std::uint16_t>(n, 3));
        }
}

// More columns than are packed at once.
TEST(SortColumns, OfManyColumns) {
    const std::uint64_t n = small() ? 600 : 3000;
    const auto low = [&](std::uint64_t seed) {
        return column_of<std::uint8_t>(n, seed, {.begin_bit = 2, .end_bit = 4});
    };
    check_table(n, low(1), low(2), low(3), low(4), low(5), low(6), low(7), low(8), low(9), low(10), low(11), low(12),
                low(13), low(14), low(15), low(16), low(17), low(18));
}

// No bit counts, also behind the last one.
TEST(SortColumns, OfEmptyBitRanges) {
    for (const int bit : {0, 5, 64})
        check_table(700, column_of<std::uint64_t>(700, 1, {.begin_bit = bit, .end_bit = bit}),
                    with_nulls<std::uint64_t>(700, 2, {.begin_bit = bit, .end_bit = bit}),
                    column_of<std::uint8_t>(700, 3));
}

// A bool counts one bit.
TEST(SortColumns, OfBools) {
    const std::uint64_t n = 900;
    for (const kogge::sort_order order : {kogge::ascending, kogge::descending}) {
        const auto flags = [&](std::uint64_t seed, kogge::sort_order by) {
            TestColumn<std::uint8_t> column = column_of<std::uint8_t>(n, seed, {.order = by});
            for (std::uint8_t& flag : column.keys) flag &= 1;
            return column;
        };
        const auto a = flags(1, order), b = flags(2, kogge::ascending);
        const auto c = column_of<std::uint64_t>(n, 3);
        const auto rows = order_of_rows(n, a, b), by_all = order_of_rows(n, a, c, b);
        const auto bools = [](Array<std::uint8_t>& bytes) { return reinterpret_cast<bool*>(bytes.data()); };
        Array<std::uint8_t> first(a.keys), second(b.keys);
        Array<std::uint64_t> third(c.keys);
        Array<std::uint32_t> indices(n);
        kogge::argsort(kogge::columns(kogge::column(bools(first), a.options), third.data(), bools(second)),
                       indices.data(), n);
        EXPECT_TRUE(same(indices.get(), std::vector<std::uint32_t>(by_all.begin(), by_all.end())));
        kogge::radix_sort(kogge::columns(kogge::column(bools(first), a.options), bools(second)), n);
        EXPECT_TRUE(same(first.get(), rows_in_order(a.keys, rows)));
        EXPECT_TRUE(same(second.get(), rows_in_order(b.keys, rows)));
    }
}

TEST(SortColumns, WithNulls) {
    for (const std::uint64_t n : sizes())
        for (const null_order nulls : {null_order::first, null_order::last})
            for (const kogge::sort_order order : {kogge::ascending, kogge::descending}) {
                check_table(n, with_nulls<std::int32_t>(n, 1, {.order = order, .nulls = nulls}),
                            with_nulls<std::uint16_t>(n, 2, {.valid_from = 37, .nulls = nulls}));
                check_table(n, with_nulls<std::uint64_t>(n, 1, {.order = order, .valid_from = 1, .nulls = nulls}),
                            column_of<std::int8_t>(n, 2));
            }
}

TEST(SortColumns, OfFloats) {
    const std::uint64_t n = small() ? 900 : 5000;
    for (const kogge::sort_order order : {kogge::ascending, kogge::descending})
        for (const auto zeros : {kogge::zero_order::negative_first, kogge::zero_order::equal})
            for (const auto nans : {kogge::nan_order::by_sign, kogge::nan_order::last, kogge::nan_order::greatest}) {
                const kogge::column_options options{.order = order, .zeros = zeros, .nans = nans};
                check_table(n, column_of<float>(n, 1, options), column_of<std::uint8_t>(n, 2));
                check_table(n, column_of<double>(n, 1, options), column_of<float>(n, 2, options));
            }
}

TEST(SortColumns, OfBitRanges) {
    const std::uint64_t n = small() ? 900 : 5000;
    const auto of = [&](int begin, int end, kogge::sort_order order = kogge::ascending) {
        return TestColumn<std::uint32_t>{random_items<std::uint32_t>(n, 7), {}, {order, begin, end}};
    };
    const auto of_wide = [&](int begin, int end) {
        return TestColumn<std::uint64_t>{few_keys<std::uint64_t>(n, 8), {}, {kogge::ascending, begin, end}};
    };
    check_table(n, of(0, 3), of_wide(5, 40));
    check_table(n, of(30, 32, kogge::descending), of_wide(60, 64));
    check_table(n, of(4, 4), of_wide(64, 64));  // nothing to sort by
    check_table(n, of(4, 4), column_of<std::uint16_t>(n, 1));
    check_table(n, of(2, 4), of_wide(0, 64), of(5, 9), of_wide(0, 60));
}

enum class Color : std::int8_t { red = -1, green, blue };
TEST(SortColumns, OfEnumerations) {
    const std::uint64_t n = 700;
    std::vector<Color> colors(n);
    Random random(1);
    for (Color& color : colors) color = static_cast<Color>(static_cast<int>(random() % 3) - 1);
    check_table(n, TestColumn<Color>{colors, {}, {}}, column_of<std::uint64_t>(n, 2));
}

// arrays(…) as columns of the same options.
TEST(SortColumns, OfArrays) {
    const std::uint64_t n = small() ? 900 : 5000;
    const kogge::column_options descending{.order = kogge::descending};
    const auto a = column_of<std::uint32_t>(n, 1, descending);
    const auto b = column_of<std::int32_t>(n, 2, descending);
    const auto rows = order_of_rows(n, a, b);
    const std::vector<std::uint32_t> narrow(rows.begin(), rows.end());
    const auto values = random_items<std::uint64_t>(n);
    Array<std::uint32_t> first(a.keys), first_out(n), indices(n);
    Array<std::int32_t> second(b.keys), second_out(n);
    Array<std::uint64_t> moved(values), moved_out(n);
    const kogge::sort_options options{.order = kogge::descending};
    const auto in = arrays(static_cast<const std::uint32_t*>(first.data()), second.data());
    const auto out = arrays(first_out.data(), second_out.data());
    const auto expect = [&](const auto& of_first, const auto& of_second) {
        EXPECT_TRUE(same(of_first.get(), rows_in_order(a.keys, rows)));
        EXPECT_TRUE(same(of_second.get(), rows_in_order(b.keys, rows)));
    };
    kogge::argsort(in, indices.data(), n, options);
    EXPECT_TRUE(same(indices.get(), narrow));
    kogge::radix_sort(in, out, n, options);
    expect(first_out, second_out);
    kogge::radix_sort_pairs(in, out, moved.data(), moved_out.data(), n, options);
    expect(first_out, second_out);
    EXPECT_TRUE(same(moved_out.get(), rows_in_order(values, rows)));
    kogge::radix_sort_pairs(arrays(first.data(), second.data()), moved.data(), n, options);
    expect(first, second);
    EXPECT_TRUE(same(moved.get(), rows_in_order(values, rows)));

    // exec behind the arguments.
    const auto up = order_of_rows(n, column_of<std::uint32_t>(n, 1), column_of<std::int32_t>(n, 2));
    Array<std::uint32_t> again(a.keys);
    Array<std::int32_t> beside(b.keys);
    kogge::argsort(arrays(again.data(), beside.data()), indices.data(), n, kogge::exec{});
    EXPECT_TRUE(same(indices.get(), std::vector<std::uint32_t>(up.begin(), up.end())));
    kogge::radix_sort(arrays(again.data(), beside.data()), out, n, kogge::exec{});
    EXPECT_TRUE(same(first_out.get(), rows_in_order(a.keys, up)));
    kogge::radix_sort_pairs(arrays(again.data(), beside.data()), out, indices.data(), indices.data(), n, kogge::exec{});
    EXPECT_TRUE(same(second_out.get(), rows_in_order(b.keys, up)));
    Array<std::uint32_t> place(n);
    kogge::radix_sort_pairs(arrays(again.data(), beside.data()), place.data(), n, kogge::exec{});
    kogge::radix_sort(arrays(again.data(), beside.data()), n, kogge::exec{});
    EXPECT_TRUE(same(again.get(), rows_in_order(a.keys, up)));
    EXPECT_TRUE(same(beside.get(), rows_in_order(b.keys, up)));
}

// Several rows per thread of a grid that goes around.
TEST(SortColumns, OfManyRows) {
    const std::uint64_t n = small() ? 20000 : 300000;
    check_table(n, column_of<std::uint32_t>(n, 1), with_nulls<std::uint64_t>(n, 2));
    check_table(n, TestColumn<std::uint32_t>{random_items<std::uint32_t>(n, 3), {}, {}},
                TestColumn<std::uint32_t>{random_items<std::uint32_t>(n, 4), {}, {}});
}

// One array may be two columns of an argsort, not of a sort in place.
TEST(SortColumns, OneArrayTwice) {
    const std::uint64_t n = 500;
    const auto a = column_of<std::uint32_t>(n, 1, {.begin_bit = 16});
    TestColumn<std::uint32_t> b{a.keys, {}, {.order = kogge::descending}};
    Array<std::uint32_t> keys(a.keys), indices(n);
    kogge::argsort(kogge::columns(kogge::column(keys.data(), a.options), kogge::column(keys.data(), b.options)),
                   indices.data(), n);
    const auto rows = order_of_rows(n, a, b);
    EXPECT_TRUE(same(indices.get(), std::vector<std::uint32_t>(rows.begin(), rows.end())));
    EXPECT_EQ(code_of([&] { kogge::radix_sort(arrays(keys.data(), keys.data()), n); }), errc::overlap);
    EXPECT_TRUE(same(keys.get(), a.keys));
}

TEST(SortColumns, Refuses) {
    const std::uint64_t n = 500;
    const auto a = random_items<std::uint32_t>(n), b = random_items<std::uint32_t>(n, 2);
    Array<std::uint32_t> first(a), second(b), out(n), mask(std::vector<std::uint32_t>(20, 5));
    Array<std::int32_t> indices(n);
    std::uint32_t* const none = nullptr;
    const auto refused = [&](errc code, const std::function<void()>& call) {
        EXPECT_EQ(code_of(call), code);
        EXPECT_TRUE(same(first.get(), a));
        EXPECT_TRUE(same(second.get(), b));
        EXPECT_TRUE(same(out.get(), std::vector(n, Array<std::uint32_t>::poison())));
        EXPECT_TRUE(same(indices.get(), std::vector(n, Array<std::int32_t>::poison())));
    };
    const auto both = arrays(first.data(), second.data());
    refused(errc::invalid_argument, [&] { kogge::radix_sort(both, n, {.end_bit = 33}); });
    refused(errc::invalid_argument, [&] { kogge::argsort(both, indices.data(), n, {.begin_bit = 9, .end_bit = 8}); });
    refused(errc::invalid_argument, [&] { kogge::argsort(arrays(first.data(), none), indices.data(), n); });
    refused(errc::invalid_argument, [&] { kogge::radix_sort_pairs(both, none, n); });
    refused(errc::invalid_argument, [&] { kogge::argsort(both, indices.data(), std::uint64_t{1} << 32); });
    refused(errc::overlap, [&] { kogge::argsort(both, first.data(), n); });
    refused(errc::overlap, [&] { kogge::radix_sort_pairs(both, first.data(), n); });
    refused(errc::overlap, [&] { kogge::radix_sort(both, arrays(second.data(), out.data()), n); });
    refused(errc::overlap, [&] { kogge::radix_sort(both, arrays(out.data(), out.data()), n); });
    refused(errc::overlap, [&] {
        kogge::radix_sort(kogge::columns(kogge::column(first.data(), {.valid = second.data()}), second.data()), n);
    });
    if constexpr (!kOnDevice) {
        const std::uint64_t number = n;
        refused(errc::invalid_argument, [&] {
            kogge::radix_sort(both, kogge::device_count{&number, n}, {}, {.where = kogge::backend::host});
        });
    }
    // Nothing is read of what is not there.
    kogge::radix_sort(arrays(none, none), 0);
    kogge::argsort(arrays(none, none), static_cast<std::uint32_t*>(nullptr), 0);
    kogge::argsort(kogge::columns(kogge::column(none, {.valid = mask.data()})), none, 0);
}

#if KOGGE_KERNELS

TEST(SortColumns, CountsOnTheDevice) {
    const std::uint64_t bound = small() ? 2000 : 30000;
    for (const std::uint64_t n : {std::uint64_t{0}, bound / 3, bound, bound + 7}) {
        const std::uint64_t rows_counted = std::min(n, bound);
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{n});
        const kogge::device_count count{number.data(), bound};
        const auto a = column_of<std::uint64_t>(bound, 1);
        const auto b = column_of<std::int64_t>(bound, 2), c = column_of<std::int64_t>(bound, 3);
        const auto values = random_items<std::uint32_t>(bound);
        for (const bool in_passes : {false, true}) {
            const auto rows = in_passes ? order_of_rows(rows_counted, a, b, c) : order_of_rows(rows_counted, a, b);
            Array<std::uint64_t> first(a.keys);
            Array<std::int64_t> second(b.keys), third(c.keys);
            Array<std::uint32_t> indices(bound), moved(values);
            std::vector<std::uint32_t> want(bound, Array<std::uint32_t>::poison());
            std::copy(rows.begin(), rows.end(), want.begin());
            if (in_passes) {
                const auto keys = arrays(first.data(), second.data(), third.data());
                kogge::argsort(keys, indices.data(), count);
                kogge::radix_sort_pairs(keys, moved.data(), count);
                EXPECT_TRUE(same(third.get(), rows_in_order(c.keys, rows)));
            } else {
                const auto keys = arrays(first.data(), second.data());
                kogge::argsort(keys, indices.data(), count);
                kogge::radix_sort_pairs(keys, moved.data(), count);
            }
            EXPECT_TRUE(same(indices.get(), want));
            EXPECT_TRUE(same(first.get(), rows_in_order(a.keys, rows)));
            EXPECT_TRUE(same(second.get(), rows_in_order(b.keys, rows)));
            EXPECT_TRUE(same(moved.get(), rows_in_order(values, rows)));
        }
    }
}

// A workspace of scratch_bytes is enough, one of a byte less is not; so is a limit.
TEST(SortColumns, ScratchIsExact) {
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{700}, std::uint64_t{small() ? 5000u : 100000u}}) {
        Array<std::uint64_t> a(few_keys<std::uint64_t>(n, 1)), b(few_keys<std::uint64_t>(n, 2)),
            c(few_keys<std::uint64_t>(n, 3));
        Array<std::uint32_t> d(few_keys<std::uint32_t>(n, 4)), e(few_keys<std::uint32_t>(n, 5)), indices(n);
        Array<Three> odd(random_items<Three>(n));
        const auto wide = arrays(a.data(), b.data(), c.data());
        const auto narrow = arrays(d.data(), e.data());
        const std::function<void(const kogge::exec&)> calls[] = {
            [&](const kogge::exec& how) { kogge::argsort(wide, indices.data(), n, how); },
            [&](const kogge::exec& how) { kogge::argsort(narrow, indices.data(), n, how); },
            [&](const kogge::exec& how) { kogge::radix_sort(narrow, n, how); },
            [&](const kogge::exec& how) { kogge::radix_sort(wide, n, how); },
            [&](const kogge::exec& how) { kogge::radix_sort_pairs(narrow, indices.data(), n, how); },
            [&](const kogge::exec& how) { kogge::radix_sort_pairs(wide, odd.data(), n, how); },
            [&](const kogge::exec& how) { kogge::radix_sort_pairs(narrow, odd.data(), n, how); },
        };
        for (const auto& call : calls) {
            SCOPED_TRACE(&call - calls);
            const std::size_t bytes = kogge::scratch_bytes(call);
            EXPECT_GT(bytes, n * 8);
            Array<std::byte> space(bytes);
            EXPECT_EQ(code_of([&] { call({.space = {space.data(), bytes - 1}}); }), errc::out_of_memory);
            call({.space = {space.data(), bytes}});
            call({.scratch_limit = bytes});
            // The least that is asked for suffices.
            std::size_t least = 0;
            try {
                call({.scratch_limit = 1});
                ADD_FAILURE() << "a byte is enough";
            } catch (const kogge::error& failure) {
                const std::string text = failure.what();
                least = std::stoull(text.substr(text.find("at least ") + 9));
            }
            EXPECT_LE(least, bytes);
            EXPECT_EQ(code_of([&] { call({.scratch_limit = least - 1}); }), errc::out_of_memory);
            call({.scratch_limit = least});
        }
        kogge::simt::synchronize(nullptr);
        const auto null_arrays = [&](const kogge::exec& how) {
            std::uint64_t* const none = nullptr;
            kogge::radix_sort_pairs(arrays(none, none, none), none, n, how);
        };
        Array<std::uint64_t> values(n);
        const auto arrays_that_exist = [&](const kogge::exec& how) {
            kogge::radix_sort_pairs(wide, values.data(), n, how);
        };
        EXPECT_EQ(kogge::scratch_bytes(null_arrays), kogge::scratch_bytes(arrays_that_exist));
    }
}

#endif

}  // namespace
