// The counts of a histogram, summed over the pieces of an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commands/bins.hpp"
#include "io/array.hpp"
#include "machine.hpp"

namespace kogge::command {

/// What has no bin.
struct LeftOut {
    std::uint64_t below = 0, above = 0, nan = 0;
    std::uint64_t sum() const { return below + above + nan; }
};

/// The least and the greatest finite item, with `positive` of those above 0.
class Extremes {
public:
    explicit Extremes(bool positive) : positive_(positive) {}
    void look_at(const Array& items);
    const std::optional<Range>& range() const { return range_; }

private:
    bool positive_;
    std::optional<Range> range_;
};

class Tally {
public:
    explicit Tally(const Bins& bins);
    void add(MachineRuns& machine, const Array& items);

    /// u64, of each bin.
    const Array& counts() const { return counts_; }
    const LeftOut& left_out() const { return left_out_; }
    std::uint64_t items() const { return items_; }
    double seconds() const { return seconds_; }

private:
    template <class T>
    void add_typed(MachineRuns& machine, const T* items, std::uint64_t n);

    const Bins& bins_;
    Array counts_, of_piece_;
    LeftOut left_out_;
    std::uint64_t items_ = 0;
    double seconds_ = 0;
};

}  // namespace kogge::command
