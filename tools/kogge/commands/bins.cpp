#include "commands/bins.hpp"

#include <algorithm>
#include <string_view>

#include "failure.hpp"
#include "io/numbers.hpp"

namespace kogge::command {
namespace {

/// Integers of 64 bits without rounding, and numbers of type double.
std::optional<Wide> parse_wide(std::string_view text) {
    if (const auto integer = parse_number<std::int64_t>(text)) return static_cast<Wide>(*integer);
    if (const auto natural = parse_number<std::uint64_t>(text)) return static_cast<Wide>(*natural);
    if (const auto number = parse_number<double>(text)) return static_cast<Wide>(*number);
    return std::nullopt;
}

Wide edge_between(const Range& range, Wide part, bool log) {
    const Wide edge = log ? range.lower * std::exp(std::log(range.upper / range.lower) * part)
                          : range.lower + (range.upper - range.lower) * part;
    return std::clamp(static_cast<Wide>(static_cast<double>(edge)), range.lower, range.upper);
}

}  // namespace

Range parse_range(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string_view all = text;
    const auto lower = parse_wide(all.substr(0, std::min(colon, all.size())));
    const auto upper = colon == std::string::npos ? std::nullopt : parse_wide(all.substr(colon + 1));
    if (!lower || !upper) throw usage_failure("--range '" + text + "' is no range", "write it as --range 0:100");
    if (!std::isfinite(*lower) || !std::isfinite(*upper))
        throw usage_failure("--range '" + text + "' is not finite", "leave it out to take all finite numbers");
    if (!(*lower < *upper))
        throw usage_failure("--range '" + text + "' is empty: it does not begin below its end",
                            "write the lesser number first, as in --range 0:100");
    return {*lower, *upper};
}

Bins::Bins(const Range& range, std::uint32_t bins, bool log) {
    if (log && !(range.lower > 0))
        throw usage_failure("--log needs a range of positive numbers, and it begins at " +
                                number_text(static_cast<double>(range.lower)),
                            "write it as --range 1:1000");
    edges_.resize(std::size_t{bins} + 1);
    edges_.front() = range.lower;
    edges_.back() = range.upper;
    for (std::uint32_t i = 1; i < bins; ++i)
        edges_[i] = std::max(edges_[i - 1], edge_between(range, static_cast<Wide>(i) / static_cast<Wide>(bins), log));
}

Bins Bins::of_items(const std::optional<Range>& items, std::uint32_t bins, bool log) {
    if (!items) return {log ? Range{1, 10} : Range{0, 1}, bins, log};
    if (items->lower < items->upper) return {*items, bins, log};
    const Wide middle = items->lower;
    return {log ? Range{middle / 2, middle * 2} : Range{middle - 0.5L, middle + 0.5L}, bins, log};
}

std::string Bins::edge_text(std::uint64_t i) const {
    const Wide edge = edges_[i];
    if (edge == std::trunc(edge) && edge >= -0x1p63L && edge < 0x1p63L)
        return number_text(static_cast<std::int64_t>(edge));
    if (edge == std::trunc(edge) && edge > 0 && edge < 0x1p64L) return number_text(static_cast<std::uint64_t>(edge));
    return number_text(static_cast<double>(edge));
}

std::uint32_t Bins::bin_of(Wide item) const {
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), item);
    const auto bin = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(above - edges_.begin() - 1, 0));
    return std::min(bin, size() - 1);
}

}  // namespace kogge::command
