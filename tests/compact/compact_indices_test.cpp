// kogge-test: EMULATED GPU HOST
// Indices of what is kept: by byte flags, bool, bits, another input's flags, a stencil and the index itself, on every
// way that a compaction of their size takes.
#include "kogge/calls/compact_indices.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
const kogge::exec kHow{.where = kWhere};

struct Shape {
    std::string name;
    std::function<bool(std::size_t)> keeps;
};
std::vector<Shape> shapes(std::size_t n) {
    const auto one_in = [](std::uint64_t share) { return [share](std::size_t i) { return Random(i)() % share == 0; }; };
    return {
        {"none", [](std::size_t) { return false; }},
        {"all", [](std::size_t) { return true; }},
        {"the last", [n](std::size_t i) { return i + 1 == n; }},
        {"1 %", one_in(100)},
        {"half", one_in(2)},
        {"stretches", [](std::size_t i) { return i / 3000 % 7 == 3; }},
    };
}

struct IsSetIn {
    const std::uint8_t* flags;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i) const { return flags[i] != 0; }
};
struct IsLarge {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(T x) const {
        return x > T(0.5f);
    }
};
/// Flags that stand in no array.
struct FlagsOf {
    const std::uint8_t* flags;
    KOGGE_HOST_DEVICE bool operator[](std::uint64_t i) const { return flags[i] != 0; }
};

/// What stands in front is `want`, and nothing has been written behind it.
template <class T>
::testing::AssertionResult begins_with(const Array<T>& array, const std::vector<T>& want) {
    std::vector<T> all = want;
    all.resize(array.get().size(), Array<T>::poison());
    return same(array.get(), all);
}

template <class Index>
void check(std::size_t n, const Shape& shape, std::size_t offset) {
    SCOPED_TRACE(shape.name + " of " + std::to_string(n));
    std::vector<std::uint8_t> flags(n);
    std::vector<std::uint32_t> bits(n / 32 + 1, 0);
    std::vector<float> stencil(n);
    std::vector<Index> want;
    for (std::size_t i = 0; i < n; ++i) {
        if (!shape.keeps(i)) continue;
        flags[i] = static_cast<std::uint8_t>(1u << (i % 8));
        bits[i / 32] |= 1u << (i % 32);
        stencil[i] = 1.0f;
        want.push_back(static_cast<Index>(i));
    }
    if (n % 32 != 0) bits[n / 32] |= ~0u << (n % 32);  // past the last item: ignored
    const Array<std::uint8_t> marks(flags, offset);
    const Array<std::uint32_t> words(bits);
    const Array<float> from(stencil, offset);
    const auto expect = [&](const std::function<std::uint64_t(Index*)>& call, const char* form) {
        Array<Index> out(n, offset);
        EXPECT_EQ(call(out.data()), want.size()) << form;
        EXPECT_TRUE(begins_with(out, want)) << form;
    };
    using kogge::compact_indices;
    expect([&](Index* out) { return compact_indices(marks.data(), out, n, kHow); }, "flags");
    expect([&](Index* out) { return compact_indices(kogge::bit_mask(words.data()), out, n, kHow); }, "bits");
    expect([&](Index* out) { return compact_indices(from.data(), out, n, IsLarge{}, kHow); }, "stencil");
    if constexpr (std::is_same_v<Index, std::int64_t>) {  // items of other sizes that indices are as wide as
        const Array<double> wide(std::vector<double>(stencil.begin(), stencil.end()), offset);
        const Array<std::uint16_t> narrow(std::vector<std::uint16_t>(stencil.begin(), stencil.end()), offset);
        expect([&](Index* out) { return compact_indices(wide.data(), out, n, IsLarge{}, kHow); }, "a wide stencil");
        expect([&](Index* out) { return compact_indices(narrow.data(), out, n, IsLarge{}, kHow); }, "a narrow stencil");
    }
    expect([&](Index* out) { return compact_indices(kogge::positions{}, out, n, IsSetIn{marks.data()}, kHow); },
           "by the index");
    expect([&](Index* out) { return compact_indices(FlagsOf{marks.data()}, out, n, kHow); }, "flags of no array");
    expect([&](Index* out) { return kogge::compact(kogge::positions{}, out, n, IsSetIn{marks.data()}, kHow); },
           "positions that are kept");
    Array<std::uint64_t> count(1);
    expect(
        [&](Index* out) {
            compact_indices(marks.data(), out, count.data(), n, kHow);
            return count.get()[0];
        },
        "with a place");
    expect(
        [&](Index* out) {
            return compact_indices(from.data(), out, kogge::count_at(count.data()), n, IsLarge{}, kHow);
        },
        "with a place, returned");
    EXPECT_EQ(count.get()[0], want.size());
}

TEST(CompactIndices, OfEverySize) {
    for (const std::size_t n : {0, 1, 31, 33, 511, 2049, 20481})
        for (const Shape& shape : shapes(n)) check<std::uint32_t>(n, shape, n % 3);
}

TEST(CompactIndices, OfEveryIndexType) {
    for (const Shape& shape : shapes(9001)) {
        check<std::int64_t>(9001, shape, 0);
        check<std::int32_t>(9001, shape, 1);
        check<long long>(9001, shape, 0);
        check<std::uint16_t>(9001, shape, 1);
    }
}

#if KOGGE_KERNELS
/// A size that takes the way asked for: a pipeline in one launch, or with tickets, or tiles. 0: this device has none.
template <class Index>
std::size_t size_of(const std::function<bool(const kogge::compact_plan&)>& takes) {
    for (std::size_t n = 20'000; n < std::size_t{1} << 30; n += n / 8)
        if (takes(kogge::plan_compact(n, sizeof(Index), false, false, kogge::simt::current_properties()))) return n + 5;
    return 0;
}

template <class Index>
void check_rings() {
    const Pretending device(1);
    for (const bool by_tickets : {false, true}) {
        if (small() && by_tickets) continue;
        const std::size_t n =
            size_of<Index>([&](const auto& plan) { return is_pipelined(plan) && draws_tickets(plan) == by_tickets; });
        if (n == 0) GTEST_SKIP() << "no rings here";
        for (const Shape& shape : shapes(n)) check<Index>(n, shape, by_tickets ? 0 : 3);
    }
}
TEST(CompactIndices, InARing) {
    check_rings<std::uint32_t>();
    check_rings<std::uint64_t>();
}

TEST(CompactIndices, InTiles) {
    const Pretending few(1);
    if (may_pretend()) {
        kogge::device_properties device = kogge::simt::current_properties();
        device.compute_major = 8;
        pretend(device);  // `few` puts back what was
    }
    const auto is_tiles = [](const kogge::compact_plan& plan) { return plan.is<kogge::compact_tiles>(); };
    const std::size_t n = size_of<std::uint32_t>(is_tiles);
    if (n == 0) GTEST_SKIP() << "this device has rings";
    for (const Shape& shape : shapes(n)) check<std::uint32_t>(n, shape, 1);
    check<std::int64_t>(n, shapes(n)[4], 0);
}

TEST(CompactIndices, OfADeviceCount) {
    const std::size_t bound = 50'000;
    const Array<std::uint8_t> flags(std::vector<std::uint8_t>(bound, 1));
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{31'234}}) {
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{n});
        Array<std::uint32_t> out(bound);
        Array<std::uint64_t> count(1);
        std::vector<std::uint32_t> want(n);
        for (std::size_t i = 0; i < n; ++i) want[i] = static_cast<std::uint32_t>(i);
        kogge::compact_indices(flags.data(), out.data(), count.data(), kogge::device_count{number.data(), bound}, kHow);
        EXPECT_EQ(count.get()[0], n);
        EXPECT_TRUE(begins_with(out, want));
    }
}
#endif

struct IsOddIndex {
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i) const { return i % 2 == 1; }
};
TEST(CompactIndicesErrors, AreFoundBeforeAnythingChanges) {
    const Array<std::uint8_t> flags(std::vector<std::uint8_t>(1000, 1));
    Array<std::uint8_t> bytes(1000);
    Array<std::uint32_t> out(1000);
    const auto refuses = [&](kogge::errc code, const std::function<void()>& call) { EXPECT_EQ(code_of(call), code); };
    using kogge::compact_indices;
    using kogge::errc;
    refuses(errc::invalid_argument, [&] { compact_indices(flags.data(), bytes.data(), 257, kHow); });
    refuses(errc::invalid_argument,
            [&] { compact_indices(flags.data(), reinterpret_cast<std::int8_t*>(bytes.data()), 129, kHow); });
    refuses(errc::invalid_argument,
            [&] { compact_indices(kogge::positions{}, out.data(), (std::uint64_t{1} << 32) + 1, IsOddIndex{}, kHow); });
    refuses(errc::invalid_argument, [&] { compact_indices(flags.data(), static_cast<int*>(nullptr), 9, kHow); });
    refuses(errc::invalid_argument,
            [&] { compact_indices(static_cast<const std::uint8_t*>(nullptr), out.data(), 9, kHow); });
    refuses(errc::overlap,
            [&] { compact_indices(reinterpret_cast<const std::uint8_t*>(out.data()), out.data(), 9, kHow); });
    refuses(errc::overlap,
            [&] { compact_indices(flags.data(), out.data(), reinterpret_cast<std::uint64_t*>(out.data()), 9, kHow); });
    EXPECT_TRUE(begins_with(bytes, {}));
    EXPECT_TRUE(begins_with(out, {}));
    EXPECT_EQ(compact_indices(flags.data(), bytes.data(), 256, kHow), 256u);
}

}  // namespace
