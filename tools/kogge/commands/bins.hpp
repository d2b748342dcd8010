// The bins of a histogram: between ends of equal differences, or of equal ratios.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "io/array.hpp"

namespace kogge::command {

/// Holds every item exactly.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64);

struct Range {
    Wide lower, upper;
};

/// "0:100", of two finite numbers, the lesser first. Throws a usage failure.
Range parse_range(const std::string& text);

class Bins {
public:
    /// Of a range that was asked for. Throws a usage failure for `log` and a range that is not above 0.
    Bins(const Range& range, std::uint32_t bins, bool log);
    /// Of items between the least and the greatest, if there are any: one number stands in the middle of its bins.
    static Bins of_items(const std::optional<Range>& items, std::uint32_t bins, bool log);

    std::uint32_t size() const { return static_cast<std::uint32_t>(edges_.size() - 1); }
    /// Ascending, one more than bins; all but the first and the last one are numbers of type double. A bin has what is
    /// not below its lower edge, and below its upper one; the last one has its upper edge, too.
    const std::vector<Wide>& edges() const { return edges_; }
    /// The edges as text: all digits of integers, or as many as tell double from each other.
    std::string edge_text(std::uint64_t i) const;
    /// Of an item that lies between the first and the last edge.
    std::uint32_t bin_of(Wide item) const;

private:
    std::vector<Wide> edges_;
};

/// The least number of type T that is not below the edge, or T's greatest where there is none.
template <class T>
T not_below(Wide edge) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T>) {
        const Wide whole = std::ceil(edge);
        if (whole <= static_cast<Wide>(Limits::min())) return Limits::min();
        return whole >= static_cast<Wide>(Limits::max()) ? Limits::max() : static_cast<T>(whole);
    } else {
        // Conversions of what T does not hold are undefined.
        if (edge > static_cast<Wide>(Limits::max())) return Limits::infinity();
        if (edge < static_cast<Wide>(Limits::lowest())) return Limits::lowest();
        const T nearest = static_cast<T>(edge);
        return static_cast<Wide>(nearest) >= edge ? nearest : std::nextafter(nearest, Limits::infinity());
    }
}

}  // namespace kogge::command
