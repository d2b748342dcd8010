// kogge-test: EMULATED GPU
// Compaction by byte flags in a ring, where warps fetch only what they need of the items: nothing, the pieces around
// kept items, or all of a stretch, which then leaves item by item or packed.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kogge/partition.hpp"
#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;

/// The first size tried that a ring takes, in one launch or with tiles drawn as tickets; 0: this device has no rings.
template <class T>
std::size_t ring_size(bool by_tickets) {
    for (std::size_t n = 20'000; n < std::size_t{1} << 32; n += n / 8) {
        const auto plan = kogge::plan_compact(n, sizeof(T), false, false, kogge::simt::current_properties());
        if (is_pipelined(plan) && draws_tickets(plan) == by_tickets) return n + 5;
    }
    return 0;
}

/// `mark` writes whether each item is kept: in one loop, as rings take tens of millions of bytes.
struct Shape {
    std::string name;
    std::function<void(std::vector<std::uint8_t>& is_kept)> mark;
    Shape(const char* of, auto keeps)
        : name(of), mark([keeps](std::vector<std::uint8_t>& is_kept) {
              for (std::size_t i = 0; i < is_kept.size(); ++i) is_kept[i] = keeps(i);
          }) {}
};
/// Tiles of 40 KiB, stretches of 2560 bytes and pieces of 16 bytes.
std::vector<Shape> shapes(std::size_t n, std::size_t item_bytes) {
    const std::size_t tile = 40960 / item_bytes, piece = 16 / item_bytes;
    const auto one_in = [](std::uint64_t share) { return [share](std::size_t i) { return Random(i)() % share == 0; }; };
    return {
        {"none", [](std::size_t) { return false; }},
        {"one", [n](std::size_t i) { return i == n / 2; }},
        {"the last", [n](std::size_t i) { return i + 1 == n; }},
        {"the first and the last of each tile",
         [tile](std::size_t i) { return i % tile == 0 || i % tile == tile - 1; }},
        {"0.1 %", one_in(1000)},
        {"1 %", one_in(100)},
        {"1 in 27: many pieces, few items", one_in(27)},
        {"whole pieces", [piece](std::size_t i) { return i / piece % 16 == 3; }},
        {"clusters", [](std::size_t i) { return i / 3000 % 97 == 13; }},
        {"a dense tile among empty ones", [n, tile](std::size_t i) { return i / tile == n / tile / 2; }},
        {"half", one_in(2)},
    };
}

template <class T>
class CompactSparse : public ::testing::Test {};
using Numbers = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(CompactSparse, Numbers);

TYPED_TEST(CompactSparse, AsTheHostDoes) {
    using T = TypeParam;
    const Pretending device(1);
    for (const bool by_tickets : {false, true}) {
        if (small() && by_tickets && sizeof(T) < 4) continue;  // wide ones have a ring of their own there
        const std::size_t n = ring_size<T>(by_tickets);
        if (n == 0) GTEST_SKIP() << "no rings here";
        const auto items = random_items<T>(n, n);
        const Array<T> in(items);
        Array<T> out(n);
        Array<std::uint64_t> count(1);
        for (const Shape& shape : shapes(n, sizeof(T))) {
            SCOPED_TRACE(shape.name + " of " + std::to_string(n));
            std::vector<std::uint8_t> flags(n);
            shape.mark(flags);
            std::vector<T> want(n, Array<T>::poison());  // nothing is written behind the kept ones
            std::size_t kept = 0;
            for (std::size_t i = 0; i < n; ++i) {
                if (flags[i] == 0) continue;
                flags[i] = static_cast<std::uint8_t>(1u << (i % 8));
                want[kept++] = items[i];
            }
            for (const std::size_t flags_from : {0, 3}) {
                const Array<std::uint8_t> marks(flags, flags_from);
                kogge::simt::fill(out.data(), 0x5a, n * sizeof(T), nullptr);
                kogge::compact_flags(in.data(), marks.data(), out.data(), count.data(), n);
                EXPECT_EQ(count.get()[0], kept) << flags_from;
                EXPECT_TRUE(same(out.get(), want)) << flags_from;
            }
        }
    }
}

}  // namespace
