// Ranks that are threads, and arrays of which each holds a part.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/distributed/threads.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace tests {

using Counts = std::vector<std::size_t>;

/// The parts of `items` of such sizes, in order.
template <class T>
std::vector<std::vector<T>> parts_of(const std::vector<T>& items, const Counts& counts) {
    std::vector<std::vector<T>> parts;
    std::size_t begin = 0;
    for (const std::size_t count : counts) {
        parts.emplace_back(items.begin() + static_cast<std::ptrdiff_t>(begin),
                           items.begin() + static_cast<std::ptrdiff_t>(begin + count));
        begin += count;
    }
    return parts;
}
template <class T>
std::vector<T> joined(const std::vector<std::vector<T>>& parts) {
    std::vector<T> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}
inline std::size_t sum_of(const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

/// Even sizes, uneven ones, and ranks without items.
inline std::vector<Counts> shares(std::size_t n) {
    return {{n}, {n / 2, n - n / 2}, {n / 3, 0, n - n / 3 - n / 5, n / 5}, {0, 0, n}, {n, 0, 0, 0, 0}};
}
inline std::string text_of(const Counts& counts) {
    std::string text;
    for (const std::size_t count : counts) text += (text.empty() ? "" : ", ") + std::to_string(count);
    return text + " items";
}

/// Runs body(communicator, rank) on as many threads.
inline void on_ranks(std::size_t ranks, const std::function<void(kogge::communicator&, std::size_t)>& body,
                     const kogge::communicator_options& options = {.timeout = std::chrono::minutes(2)}) {
    kogge::run_on_threads(
        static_cast<int>(ranks), [&](kogge::communicator& all) { body(all, static_cast<std::size_t>(all.rank())); },
        options);
}

/// What a rank's call threw: its code, its rank and its text.
struct Told {
    bool thrown = false;
    kogge::errc code{};
    int rank = -1;
    std::string what;
};
/// Runs call(communicator, rank) on as many threads, each of which must throw; returns what they were told.
inline std::vector<Told> told(std::size_t ranks, const std::function<void(kogge::communicator&, std::size_t)>& call,
                              const kogge::communicator_options& options = {.timeout = std::chrono::minutes(2)}) {
    std::vector<Told> all(ranks);
    on_ranks(
        ranks,
        [&](kogge::communicator& group, std::size_t rank) {
            try {
                call(group, rank);
            } catch (const kogge::rank_error& failure) {
                all[rank] = {true, failure.code(), failure.rank(), failure.what()};
            }
        },
        options);
    return all;
}
/// Whether all ranks were told the same, of this rank.
inline void expect_told(const std::vector<Told>& all, int rank, kogge::errc code, const std::string& text) {
    for (const Told& one : all) {
        ASSERT_TRUE(one.thrown);
        EXPECT_EQ(one.code, code) << one.what;
        EXPECT_EQ(one.rank, rank) << one.what;
        EXPECT_NE(one.what.find(text), std::string::npos) << one.what;
        EXPECT_EQ(one.what, all[0].what);
    }
}

}  // namespace tests
