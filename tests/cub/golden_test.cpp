// kogge-test: EMULATED HOST
// Our results have the digests of CUB's, which a GPU recorded for the same seeded inputs. On a GPU cub_scan_test,
// cub_partition_test and cub_radix_sort_test compare both libraries' results of these inputs, and the digests.
#include "support/golden.hpp"

#include <gtest/gtest.h>

#include "support/reference_cases.hpp"

namespace {

using namespace tests;

template <class Cases>
void check(const char* primitive, Cases cases) {
    Digests ours;
    cases([&](const std::string& name, const auto& result) { ours[name] = digest_of(result); });
    ASSERT_FALSE(ours.empty());
    expect_digests(ours, read_digests(primitive));
}

TEST(Golden, Scan) {
    check("scan", [](auto report) { scan_cases<Ours>(report); });
}
TEST(Golden, Partition) {
    check("partition", [](auto report) { partition_cases<Ours>(report); });
}
TEST(Golden, RadixSort) {
    check("radix_sort", [](auto report) { sort_cases<Ours>(report); });
}

}  // namespace
