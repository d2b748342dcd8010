// What the families of runs share.
#pragma once

#include <vector>

#include "fuzz/kept.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/runs.hpp"

namespace fuzz {

/// Equal but for their two lowest bits.
struct NearlyEqual {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
        return a / 4 == b / 4;
    }
};

/// The places among the first n at which runs begin.
template <class T, class Equal>
std::vector<std::uint64_t> heads_of(const std::vector<T>& items, std::uint64_t n, Equal equal) {
    std::vector<std::uint64_t> heads;
    for (std::uint64_t i = 0; i < n; ++i)
        if (i == 0 || !equal(items[i - 1], items[i])) heads.push_back(i);
    return heads;
}
template <class T>
std::vector<T> at_heads(const std::vector<T>& items, const std::vector<std::uint64_t>& heads) {
    std::vector<T> firsts;
    for (const std::uint64_t head : heads) firsts.push_back(items[head]);
    return firsts;
}

/// The fold of each run's values, of the first n.
template <class Sum, class Value, class Op>
std::vector<Sum> sums_of_runs(const std::vector<Value>& values, const std::vector<std::uint64_t>& heads,
                              std::uint64_t n, Op op) {
    std::vector<Sum> sums;
    for (std::size_t r = 0; r < heads.size(); ++r) {
        const std::uint64_t end = r + 1 < heads.size() ? heads[r + 1] : n;
        sums.push_back(static_cast<Sum>(values[heads[r]]));
        for (std::uint64_t i = heads[r] + 1; i < end; ++i)
            sums.back() = static_cast<Sum>(op(sums.back(), static_cast<Sum>(values[i])));
    }
    return sums;
}

inline Plan plan_of(const Case& of, const Count& count, const kogge::runs_shape& shape) {
    return plan_of([&] {
        return kogge::plan_runs(count.bound, shape, kogge::simt::properties_of(of.how().stream)).scratch_bytes;
    });
}

}  // namespace fuzz
