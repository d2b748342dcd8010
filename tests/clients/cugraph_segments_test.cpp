// kogge-test: GPU HOST
// cugraph's wrapper of a segmented sort: size_t begins and ends apart, or CSR offsets.
#include <gtest/gtest.h>

#include <vector>

#include "kogge/segmented_sort.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/spans.hpp"

namespace {

using namespace tests;

void check(bool descending) {
    const std::uint64_t n = 9000;
    const std::vector<std::uint64_t> begins{0, 100, 6500, 6501, 8999}, ends{100, 6400, 6500, 8000, 9000};
    const auto keys = random_items<std::uint32_t>(n);
    const auto values = random_items<std::uint64_t>(n, 2);
    const Array<std::uint64_t> from(begins), to(ends);
    const Array<std::uint32_t> in(keys);
    const Array<std::uint64_t> with(values);
    Array<std::uint32_t> out(n);
    Array<std::uint64_t> with_out(n);
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n,
                                kogge::segments_of(from.data(), to.data(), begins.size()),
                                {.order = descending ? kogge::descending : kogge::ascending});
    std::vector<std::uint32_t> sorted(n, Array<std::uint32_t>::poison());
    std::vector<std::uint64_t> moved(n, Array<std::uint64_t>::poison());
    for (std::size_t s = 0; s < begins.size(); ++s) {
        std::uint64_t place = begins[s];
        for (const std::uint64_t i : places_in_order({begins[s], ends[s]}, [&](auto a, auto b) {
                 return descending ? keys[a] > keys[b] : keys[a] < keys[b];
             })) {
            sorted[place] = keys[i];
            moved[place++] = values[i];
        }
    }
    EXPECT_TRUE(same(out.get(), sorted));
    EXPECT_TRUE(same(with_out.get(), moved));
}

TEST(Cugraph, SegmentsBetweenTwoSpans) {
    check(false);
    check(true);
}

}  // namespace
