// kogge-test: HOST
// What plans choose by: of which row of the table, and that there is one for everything.
#include "../../lib/tuning/tuning.hpp"

#include <gtest/gtest.h>

namespace {

using namespace kogge::grid;

TEST(Tuning, TakesTheNarrowestItemsThatAreNoNarrower) {
    const Tuned rows[] = {{Choice::scan_block_rows, 2, 10},
                          {Choice::scan_cluster_rows, 1, 20},
                          {Choice::scan_block_rows, 4, 30},
                          {Choice::scan_block_rows, 16, 40}};
    const auto value = [&](std::size_t item_bytes) {
        return find_tuned(rows, Choice::scan_block_rows, item_bytes)->value;
    };
    EXPECT_EQ(value(1), 10u);
    EXPECT_EQ(value(2), 10u);
    EXPECT_EQ(value(3), 30u);
    EXPECT_EQ(value(4), 30u);
    EXPECT_EQ(value(12), 40u);
    EXPECT_EQ(value(16), 40u);
    EXPECT_EQ(value(100), 40u) << "none is as wide";
    EXPECT_FALSE(find_tuned(rows, Choice::tile_blocks, 4).has_value());
}

TEST(Tuning, HasAValueForEveryChoice) {
    for (int i = 0; i < kChoices; ++i)
        for (const std::size_t item_bytes : {1, 4, 100}) EXPECT_GT(chosen(static_cast<Choice>(i), item_bytes), 0u) << i;
}

}  // namespace
