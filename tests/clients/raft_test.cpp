// kogge-test: EMULATED GPU HOST
// RAFT's labels, sorted and made unique in place with their number in an int, as MinkowskiEngine's and Gunrock's keys
// are; and its cache's partition of indices by flags.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 12'289;

TEST(Raft, UniqueLabelsInPlace) {
    auto labels = random_items<int>(kItems);
    for (int& label : labels) label %= 1000;
    Array<int> own(labels);
    Array<int> number(1);
    kogge::radix_sort(own.data(), kItems);
    kogge::unique(own.data(), own.data(), number.data(), kItems);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    EXPECT_EQ(number.get()[0], static_cast<int>(labels.size()));
    auto found = own.get();
    found.resize(labels.size());
    EXPECT_TRUE(same(found, labels));
}

TEST(Raft, PartitionOfCacheIndicesByFlags) {
    const auto indices = random_items<int>(kItems);
    auto bytes = random_items<std::uint8_t>(kItems);
    std::vector<int> want, others;
    for (std::size_t i = 0; i < kItems; ++i) {
        bytes[i] %= 2;
        (bytes[i] ? want : others).push_back(indices[i]);
    }
    const auto boundary = static_cast<int>(want.size());
    want.insert(want.end(), others.begin(), others.end());
    const Array<int> in(indices);
    const Array<std::uint8_t> is_cached(bytes);
    Array<int> out(kItems), number(1);
    kogge::partition_flags(in.data(), reinterpret_cast<const bool*>(is_cached.data()), out.data(), number.data(),
                           kItems);
    EXPECT_EQ(number.get()[0], boundary);
    EXPECT_TRUE(same(out.get(), want));
}

}  // namespace
