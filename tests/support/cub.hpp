// What the comparisons with CUB share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "support/backend.hpp"
#include "support/golden.hpp"
#include "support/reference_cases.hpp"

namespace tests {

/// Calls a CUB algorithm, call(temporary, bytes), for the size of its temporary memory and then for its work.
template <class Call>
void run_cub(Call call) {
    std::size_t bytes = 0;
    ASSERT_EQ(call(static_cast<void*>(nullptr), bytes), cudaSuccess);
    Array<std::uint8_t> temporary(bytes > 0 ? bytes : 1);
    ASSERT_EQ(call(static_cast<void*>(temporary.data()), bytes), cudaSuccess);
    kogge::simt::synchronize(nullptr);
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& items) {
    const auto* const data = reinterpret_cast<const std::byte*>(items.data());
    return {data, data + items.size() * sizeof(T)};
}

/// Both libraries' results of all cases are the same bytes, and CUB's have the recorded digests. `cases` calls its
/// second argument with (name, result) for the library that is its first.
template <class Library, class Cases>
void compare_with_cub(const char* primitive, Cases cases) {
    Digests digests;
    std::map<std::string, std::vector<std::byte>> theirs;
    cases(Library{}, [&](const std::string& name, const auto& result) {
        digests[name] = digest_of(result);
        theirs[name] = bytes_of(result);
    });
    std::size_t compared = 0;
    cases(Ours{}, [&](const std::string& name, const auto& result) {
        ++compared;
        EXPECT_TRUE(same(bytes_of(result), theirs[name])) << name;
    });
    EXPECT_GT(compared, 0u);
    EXPECT_EQ(compared, digests.size());
    if (const char* const folder = std::getenv("KOGGE_RECORD_GOLDEN")) write_digests(folder, primitive, digests);
    else expect_digests(digests, read_digests(primitive));
}

}  // namespace tests
