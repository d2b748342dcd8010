// kogge-test: GPU
// A program of a plain C++ file, which the linker sees first, and of this one, by nvcc: the same calls on data of the
// host there and on data of the device here.
#include "support/one_program.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/device_array.hpp"

namespace {

TEST(OneProgram, PlainAndCudaFilesMakeTheSameCalls) {
    const std::vector<int> in{1, 1, 2, 3, 3, 3, 5};
    std::vector<int> out(in.size());
    const auto on_host = one_program::find_on_host(in.data(), in.size(), out.data());
    EXPECT_EQ(on_host.runs, 4u);
    EXPECT_EQ(on_host.odd, 6u);

    kogge::test::DeviceArray<int> items(in), results(in.size(), 0);
    const auto on_device = one_program::find(items.data(), in.size(), results.data());
    EXPECT_EQ(on_device.runs, 4u);
    EXPECT_EQ(on_device.odd, 6u);
}

}  // namespace
