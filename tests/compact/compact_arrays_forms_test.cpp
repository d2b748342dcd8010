// kogge-test: EMULATED GPU
// Compaction of several arrays by one kernel: a wave of them, or a ring whose stages hold a tile of all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kogge/compact_arrays.hpp"
#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using Shape = kogge::compact_arrays_shape;
using Byte = std::uint8_t;
using Half = std::uint16_t;
using Word = std::uint32_t;
using Number = std::uint64_t;
struct alignas(16) Wide {
    Number words[2];
};
struct Three {
    Byte bytes[3];
};

kogge::compact_plan plan_of(std::size_t n, const Shape& shape) {
    return kogge::plan_compact_arrays(n, shape, kogge::simt::current_properties());
}
enum class Form { wave, ring, tickets };
constexpr Form kForms[] = {Form::wave, Form::ring, Form::tickets};
/// The first number of whole tiles tried that one kernel takes: a wave of several blocks, a ring in one launch, or one
/// whose tiles are drawn as tickets. 0: this device has no rings.
std::size_t least_of(const Shape& shape, Form form) {
    for (std::size_t n = 500; n < std::size_t{1} << 30; n += n / 8) {
        const auto plan = plan_of(n, shape);
        const bool is_it = form == Form::wave ? is_wave(plan) && plan.blocks > 1
                                              : is_pipelined(plan) && is_cooperative(plan) == (form == Form::ring);
        if (plan.arrays > 1 && is_it) return plan.tiles * plan.tile_items;
    }
    return 0;
}
std::string name_of(Form form) { return form == Form::wave ? "wave" : form == Form::ring ? "ring" : "ring, tickets"; }

/// An item is kept whose first byte is below the limit.
struct FirstByteBelow {
    Word limit;
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& item) const {
        return *reinterpret_cast<const Byte*>(&item) < limit;
    }
};

/// One of the arrays: `own` is its own output.
template <class T>
struct Column {
    std::vector<T> items;
    Array<T> in, out, own;
    Column(std::size_t n, std::uint64_t seed, std::size_t in_from = 0, std::size_t out_from = 0)
        : items(random_items<T>(n, seed)), in(items, in_from), out(n, out_from), own(items, in_from) {}

    void check(const std::vector<bool>& keeps) const {
        std::vector<T> want;
        for (std::size_t i = 0; i < items.size(); ++i)
            if (keeps[i]) want.push_back(items[i]);
        std::vector<T> got = own.get();
        got.resize(want.size());
        EXPECT_TRUE(same(got, want)) << "in place";
        EXPECT_TRUE(same(in.get(), items)) << "the input";
        want.resize(items.size(), Array<T>::poison());  // nothing is written behind them
        EXPECT_TRUE(same(out.get(), want));
    }
};

/// call(in, out, count) keeps the items of the columns that `decides` says.
template <class Decides, class Call, class... T>
void check(std::size_t n, const Decides& decides, const Call& call, Column<T>&... columns) {
    std::vector<bool> keeps(n);
    for (std::size_t i = 0; i < n; ++i) keeps[i] = decides(i);
    const auto kept = static_cast<std::uint64_t>(std::count(keeps.begin(), keeps.end(), true));
    Array<Number> count(1), count_in_place(1);
    call(kogge::arrays(std::as_const(columns.in).data()...), kogge::arrays(columns.out.data()...), count.data());
    const auto own = kogge::arrays(columns.own.data()...);
    call(own, own, count_in_place.data());
    EXPECT_EQ(count.get()[0], kept);
    EXPECT_EQ(count_in_place.get()[0], kept);
    (columns.check(keeps), ...);
}
/// By a predicate of the first of two columns or more.
template <class First, class... T>
void check_predicate(std::size_t n, Word limit, Column<First>& first, Column<T>&... others) {
    const FirstByteBelow keep{limit};
    check(
        n, [&](std::size_t i) { return keep(first.items[i]); },
        [&](const auto& in, const auto& out, Number* count) { kogge::compact(in, out, count, n, keep); }, first,
        others...);
}

constexpr Word kNone = 0, kFew = 3, kHalf = 128, kAll = 256;

TEST(CompactArraysForms, AtTheEdgesOfTiles) {
    const Pretending device(1);
    for (const Form form : {Form::wave, Form::ring}) {
        const std::size_t least = least_of({{4, 8}}, form);
        if (least == 0) GTEST_SKIP() << "no rings here";
        for (const std::size_t n : {least - 1, least, least + 1, least + 5, least + 191, least + 3000})
            for (const Word limit : {kNone, kHalf, kAll}) {
                SCOPED_TRACE(name_of(form) + ", " + std::to_string(n) + ", " + std::to_string(limit));
                Column<Word> x(n, 1);
                Column<Number> y(n, 2);
                check_predicate(n, limit, x, y);
            }
    }
}

TEST(CompactArraysForms, AtAnyAddress) {
    const Pretending device(1);
    for (int places = 0; places < 32; ++places) {
        const Form form = places < 16 ? Form::wave : Form::ring;
        const std::size_t least = least_of({{4, 4, 2}}, form), n = least + 77;
        if (least == 0) GTEST_SKIP() << "no rings here";
        const auto from = [&](int array, std::size_t by) { return (places >> array & 1) != 0 ? by : 0; };
        for (const Word limit : {kFew, kHalf, kAll}) {
            if (small() && limit == kAll) continue;
            SCOPED_TRACE(name_of(form) + ", " + std::to_string(places) + ", " + std::to_string(limit));
            Column<Word> x(n, 1, from(0, 1), from(3, 3)), y(n, 2, from(1, 3), from(3, 2));
            Column<Half> z(n, 3, from(2, 5), from(3, 7));
            check_predicate(n, limit, x, y, z);
        }
    }
}

/// In each form, of columns of these types.
template <class... T>
void check_types() {
    for (const Form form : kForms) {
        if (small() && form == Form::tickets) continue;
        const std::size_t n = least_of({{sizeof(T)...}}, form) + 33;
        SCOPED_TRACE(name_of(form) + ", " + std::to_string(n));
        EXPECT_EQ(plan_of(n, {{sizeof(T)...}}).arrays, static_cast<int>(sizeof...(T)));
        const auto with = [&](auto&&... columns) { check_predicate(n, kHalf, columns...); };
        [&]<std::size_t... a>(std::index_sequence<a...>) { with(Column<T>(n, a)...); }
        (std::index_sequence_for<T...>{});
    }
}
TEST(CompactArraysForms, OfItemsOfManySizes) {
    const Pretending device(1);
    if (least_of({{4, 4}}, Form::ring) == 0) GTEST_SKIP() << "no rings here";
    check_types<Word, Word>();
    check_types<Byte, Byte>();
    check_types<Byte, Byte, Byte, Byte, Byte, Byte, Byte>();  // rows of fewer items than of one array of bytes
    check_types<Number, Number, Number>();
    check_types<Wide, Word>();
    check_types<Byte, Half, Word, Number>();
    check_types<Number, Wide, Wide, Wide>();
    check_types<Wide, Wide, Wide, Wide, Wide>();
}

TEST(CompactArraysForms, ByAStencilOrBits) {
    const Pretending device(1);
    for (const Form form : kForms) {
        const std::size_t least = least_of({{4, 8}, 2}, form);
        if (least == 0) GTEST_SKIP() << "no rings here";
        for (const std::size_t n : {least - 31, least + 100})
            for (const std::size_t from : {0, 3}) {
                SCOPED_TRACE(name_of(form) + ", " + std::to_string(n) + " from " + std::to_string(from));
                const auto items = random_items<Half>(n, 7);
                const auto words = random_items<Word>((n + 31) / 32, 8);  // bits past the last item are set, too
                const Array<Half> stencil(items, from);
                const Array<Word> mask(words, from);
                Column<Word> x(n, 1), x_too(n, 1);
                Column<Number> y(n, 2), y_too(n, 2);
                check(
                    n, [&](std::size_t i) { return FirstByteBelow{kHalf}(items[i]); },
                    [&](const auto& in, const auto& out, Number* count) {
                        kogge::compact_stencil(in, stencil.data(), out, count, n, FirstByteBelow{kHalf});
                    },
                    x, y);
                check(
                    n, [&](std::size_t i) { return (words[i / 32] >> i % 32 & 1) != 0; },
                    [&](const auto& in, const auto& out, Number* count) {
                        kogge::compact_flags(in, kogge::bit_mask(mask.data()), out, count, n);
                    },
                    x_too, y_too);
            }
    }
}

TEST(CompactArraysForms, OfANumberOnTheDevice) {
    const Pretending device(1);
    for (const Form form : kForms) {
        const std::size_t most = least_of({{4, 8}}, form) + 500;
        if (most == 500) GTEST_SKIP() << "no rings here";
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{6000}, most / 2, most}) {
            SCOPED_TRACE(name_of(form) + ", " + std::to_string(n) + " of " + std::to_string(most));
            const Array<Number> number(std::vector<Number>{n});
            Column<Word> x(most, 1);
            Column<Number> y(most, 2);
            const FirstByteBelow keep{kHalf};
            check(
                most, [&](std::size_t i) { return i < n && keep(x.items[i]); },
                [&](const auto& in, const auto& out, Number* count) {
                    kogge::compact(in, out, count, kogge::device_count(number.data(), most), keep);
                },
                x, y);
        }
    }
}

TEST(CompactArraysForms, WavesOfABlockAClusterOrAGrid) {
    const Pretending device(small() ? 5 : 20);
    bool forms[3] = {};
    for (const std::size_t n : {1u, 31u, 600u, 4'100u, 20'011u, 70'013u}) {
        if (small() && n > 10'000) continue;
        const auto plan = plan_of(n, {{4, 8, 1}});
        if (!is_wave(plan)) continue;
        forms[wave_of(plan).cluster ? 1 : is_cooperative(plan) ? 2 : 0] = true;
        SCOPED_TRACE(std::to_string(n));
        const auto bytes = random_items<Byte>(n, 4);
        const Array<Byte> flags(bytes, n % 3);
        Column<Word> x(n, 1), x_too(n, 1);
        Column<Number> y(n, 2), y_too(n, 2);
        Column<Byte> z(n, 3), z_too(n, 3);
        check_predicate(n, kHalf, x, y, z);
        check(
            n, [&](std::size_t i) { return bytes[i] != 0; },
            [&](const auto& in, const auto& out, Number* count) {
                kogge::compact_flags(in, flags.data(), out, count, n);
            },
            x_too, y_too, z_too);
    }
    EXPECT_TRUE(forms[0]);
#if KOGGE_EMULATED
    EXPECT_TRUE(forms[1] && (forms[2] || small()));
#endif
}

TEST(CompactArraysForms, OthersGoOneByOne) {
    const Pretending device(1);
    const std::size_t n = least_of({{4, 8}}, Form::ring) + 9;
    if (n == 9) GTEST_SKIP() << "no rings here";
    EXPECT_EQ(plan_of(n, {{4, 3}}).arrays, 1) << "items of 3 bytes";
    EXPECT_EQ(plan_of(n, {{4, 4}, 3}).arrays, 1) << "a stencil of 3 bytes";
    EXPECT_EQ(plan_of(n, {{16, 16, 16, 16, 16}, 1}).arrays, 1) << "81 bytes";
    EXPECT_EQ(plan_of(n, {{4, 8}, 0, true}).arrays, 1) << "byte flags";
    EXPECT_EQ(plan_of(n, {{4}}).arrays, 1) << "one array";
    EXPECT_EQ(plan_of(1000, {{4, 8}, 0, false, true}).arrays, 1) << "in a file that nvcc does not compile";
    EXPECT_EQ(plan_of(1000, {{4, 8}, 0, true}).arrays, 2) << "byte flags in a wave";
    Column<Word> x(n, 1), x_too(n, 1);
    Column<Number> y(n, 2);
    Column<Three> z(n, 3);
    check_predicate(n, kHalf, x, z);
    const auto bytes = random_items<Byte>(n, 4);
    const Array<Byte> flags(bytes);
    check(
        n, [&](std::size_t i) { return bytes[i] != 0; },
        [&](const auto& in, const auto& out, Number* count) { kogge::compact_flags(in, flags.data(), out, count, n); },
        x_too, y);
}

TEST(CompactArraysForms, ScratchIsAsPlanned) {
    const Pretending device(1);
    const std::size_t large = least_of({{4, 8}}, Form::tickets) + 9;
    if (large == 9) GTEST_SKIP() << "no rings here";
    for (const std::size_t n : {large, std::size_t{1000}}) {
        const std::size_t bytes = plan_of(n, {{4, 8}}).scratch_bytes;
        const FirstByteBelow keep{kHalf};
        Array<Byte> space(bytes);
        const auto call = [&](std::size_t given) {
            return [&, given](const auto& in, const auto& out, Number* count) {
                kogge::exec how;
                how.space = {space.data(), given};
                kogge::compact(in, out, count, n, keep, how);
            };
        };
        Column<Word> x(n, 1);
        Column<Number> y(n, 2);
        Array<Number> count(1);
        EXPECT_EQ(code_of([&] {
                      call(bytes - 1 - kogge::detail::kScratchAlignment)(kogge::arrays(x.own.data(), y.own.data()),
                                                                         kogge::arrays(x.own.data(), y.own.data()),
                                                                         count.data());
                  }),
                  kogge::errc::out_of_memory);
        check(
            n, [&](std::size_t i) { return keep(x.items[i]); }, call(bytes), x, y);
    }
}

}  // namespace
