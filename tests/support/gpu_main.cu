// The main of GPU tests: on a machine without a GPU the whole program is one skipped test.
#include <gtest/gtest.h>

#include <cstdio>

#include "kogge/simt/runtime.hpp"
#include "support/pretending.hpp"

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (kogge::simt::device_count() == 0) {
        std::puts("skipped: this machine has no CUDA device");
        constexpr int kSkipped = 77;  // what ctest takes for "skipped"
        return kSkipped;
    }
    if (tests::small()) tests::pretend_small_device();
    return RUN_ALL_TESTS();
}
