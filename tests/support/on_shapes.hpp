// Tests that run once on a device of each compute capability, with few multiprocessors: TEST_P(Shapes, …).
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/device_shapes.hpp"
#include "support/pretending.hpp"

namespace tests {

class Shapes : public ::testing::TestWithParam<kogge::device_properties> {
protected:
    void SetUp() override {
        before_ = kogge::simt::current_properties();
        pretend(shrunk(GetParam()));
    }
    void TearDown() override { pretend(before_); }

private:
    kogge::device_properties before_;
};
INSTANTIATE_TEST_SUITE_P(Devices, Shapes, ::testing::ValuesIn(device_shapes()), [](const auto& device) {
    return "sm_" + std::to_string(10 * device.param.compute_major + device.param.compute_minor);
});

}  // namespace tests
