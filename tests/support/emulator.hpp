// Running kernels on the emulator to see whether it reports them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "kogge/error.hpp"
#include "kogge/simt/device.cuh"
#include "kogge/simt/emulator.hpp"
#include "kogge/simt/runtime.hpp"
#include "support/device_array.hpp"

namespace kogge::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
inline constexpr std::uint64_t kSeeds = kThreadSanitizer ? 10 : 200;

/// Runs a kernel to its end; what was reported, empty when nothing was.
template <class... Parameters>
std::string report_of(void (*kernel)(Parameters...), const simt::LaunchShape& shape,
                      std::type_identity_t<Parameters>... arguments) {
    try {
        simt::launch(kernel, shape, arguments...);
        simt::synchronize(nullptr);
    } catch (const error& failure) {
        EXPECT_EQ(failure.code(), errc::device);
        EXPECT_EQ(failure.device_code(), 719);  // cudaErrorLaunchFailure
        return failure.what();
    }
    return {};
}

/// Calls `check(seed)` under seeds 1.. with various numbers of workers and resident blocks.
template <class Check>
void for_each_seed(Check check, std::uint64_t seeds = kSeeds) {
    const simt::emulator::Config before = simt::emulator::config();
    for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
        simt::emulator::configure({.seed = seed,
                                   .workers = 1 + static_cast<std::uint32_t>(seed % 2),
                                   .resident = 1 + static_cast<std::uint32_t>(seed % 3)});
        check(seed);
    }
    simt::emulator::configure(before);
}

/// "file:line" of the one line of a source file that has "<name>" in a comment, as reports write it.
inline std::string place_of(const std::string& name, const char* file = __builtin_FILE()) {
    std::ifstream source(file);
    EXPECT_TRUE(source) << "cannot read " << file;
    std::string line;
    for (int number = 1; std::getline(source, line); ++number)
        if (const auto comment = line.find("//"); comment != std::string::npos)
            if (line.find("<" + name + ">", comment) != std::string::npos)
                return std::string(file) + ":" + std::to_string(number);
    ADD_FAILURE() << "no line of " << file << " is marked <" << name << ">";
    return {};
}

inline void expect_mentions(const std::string& report, const std::string& text) {
    EXPECT_NE(report.find(text), std::string::npos) << "the report is: '" << report << "', without: " << text;
}

}  // namespace kogge::test
