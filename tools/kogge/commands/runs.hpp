// Distinct numbers in order, with how often each one was met: of pieces of an input, and merged.
#pragma once

#include <vector>

#include "io/array.hpp"
#include "kogge/keys.hpp"

namespace kogge::command {

/// In the order that they were made by, without equals.
struct Run {
    Array items;
    Array counts;  ///< u64; empty where they are not wanted

    std::uint64_t size() const { return items.size(); }
};

/// The run of items that are in order: of equal ones the first. Half of what is equal differs in bits where zeros are
/// equal or NaNs last.
Run make_run(const Array& sorted, const sort_options& order, bool counts, int threads);

/// Of equal items that of `a` stays.
Run merge_runs(const Run& a, const Run& b, const sort_options& order);

/// Runs one after the other, merged as they come so that each is more than twice as large as the one after it: every
/// item is merged a logarithmic number of times.
class RunStack {
public:
    explicit RunStack(const sort_options& order) : order_(order) {}
    void add(Run run);
    /// All that were added, one at least, as one.
    Run take();

private:
    void merge_last_two();
    sort_options order_;
    std::vector<Run> runs_;
};

}  // namespace kogge::command
