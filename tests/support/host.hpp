// What the tests of the host backend share.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kogge/error.hpp"
#include "kogge/host/machine/threads.hpp"
#include "support/small.hpp"

namespace host_tests {

namespace host = kogge::host;

/// For a split of keys alone.
struct NoValue {};
inline constexpr NoValue* no_values = nullptr;

inline constexpr int kThreads[] = {1, 2, 3, 7};
/// Those, or one of them where sizes shrink.
inline std::span<const int> thread_counts() {
    return tests::small() ? std::span(kThreads).subspan(2, 1) : std::span(kThreads);
}
/// So many items, or a quarter where sizes shrink.
inline std::uint64_t many(std::uint64_t n) { return tests::small() ? n / 4 : n; }
inline constexpr std::uint64_t kSizes[] = {0,     1,     2,     15,    16,    17,     1000,   16383,  16400,
                                           16401, 16404, 65552, 65553, 65554, 131072, 131092, 200001, 1000000};

template <class T>
std::vector<T> random_items(std::uint64_t n, std::uint64_t seed = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> words(n * sizeof(T) / 8 + 1);
    for (std::uint64_t& word : words) word = random();
    std::vector<T> items(n);
    if (n > 0) std::memcpy(static_cast<void*>(items.data()), words.data(), n * sizeof(T));
    return items;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The code of the kogge::error that a call throws.
inline kogge::errc code_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const kogge::error& failure) {
        return failure.code();
    }
    throw std::logic_error("nothing was thrown");
}

}  // namespace host_tests
