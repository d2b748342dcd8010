// kogge-test: HOST
// What kernels have been allowed is known to all threads, and never becomes less; and which devices they run on as
// planned.
#include "../../lib/runtime/grants.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../../lib/runtime/compiled_for.hpp"

namespace {

TEST(Grants, AreAskedForOnceAndGrow) {
    kogge::simt::Grants grants;
    const int kernels[2] = {};
    std::vector<std::size_t> asked;
    const auto require = [&](int kernel, std::uint64_t context, std::size_t amount) {
        grants.require(kernels + kernel, context, amount, [&](std::size_t all) { asked.push_back(all); });
    };
    for (const std::size_t amount : {7, 5, 7, 9, 8, 1}) require(0, 0, amount);
    EXPECT_EQ(asked, (std::vector<std::size_t>{7, 9}));
    require(0, 1, 3);
    require(1, 0, 4);
    EXPECT_EQ(asked, (std::vector<std::size_t>{7, 9, 3, 4}));
}

TEST(Grants, ThatAreRefusedAreAskedForAgain) {
    kogge::simt::Grants grants;
    int asked = 0;
    const auto refuse = [&](std::size_t) {
        ++asked;
        throw std::runtime_error("refused");
    };
    EXPECT_THROW(grants.require(&asked, 0, 5, refuse), std::runtime_error);
    EXPECT_THROW(grants.require(&asked, 0, 5, refuse), std::runtime_error);
    EXPECT_EQ(asked, 2);
}

// As a driver does, asking replaces the limit.
TEST(Grants, OfOneThreadAreNotTakenByAnother) {
    kogge::simt::Grants grants;
    std::atomic<std::size_t> limit{0}, too_little{0};
    const auto launch = [&](std::size_t amount) {
        grants.require(&limit, 0, amount, [&](std::size_t all) { limit = all; });
        if (amount > limit) ++too_little;
    };
    launch(100);
    std::thread([&] { launch(60); }).join();
    launch(100);
    EXPECT_EQ(limit, 100u);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 1000; ++i) launch((t * 7919 + i * 104729) % 5000);
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(too_little, 0u);
}

TEST(CompiledFor, DevicesOfBulkCopiesNeedCodeThatHasThem) {
    using kogge::simt::code_for, kogge::simt::runs_as_planned;
    const std::vector<int> older{750, 800}, mixed{750, 900}, newer{800, 1000}, none;
    EXPECT_EQ(code_for(860, mixed), 750);
    EXPECT_EQ(code_for(1000, mixed), 900);
    EXPECT_EQ(code_for(900, newer), 800);
    EXPECT_EQ(code_for(900, none), 0);
    for (const int device : {750, 860, 890}) EXPECT_TRUE(runs_as_planned(device, older)) << device;
    for (const int device : {900, 1000}) {
        EXPECT_TRUE(runs_as_planned(device, mixed)) << device;
        EXPECT_FALSE(runs_as_planned(device, older)) << device;
    }
    EXPECT_FALSE(runs_as_planned(900, newer)) << "its code for sm_80";
    EXPECT_TRUE(runs_as_planned(1000, newer));
}

}  // namespace
