// The scratch of histograms.
#include "kogge/histogram/scratch.hpp"
#include "kogge/histogram/shape.hpp"

namespace kogge::grid {

HistogramMemory carve_histogram(detail::Carver& carver, const histogram_plan& plan) {
    HistogramMemory memory;
    const auto* const way = plan.as<histogram_blocks>();
    if (!way || !way->tickets) return memory;
    constexpr std::uint32_t words = kHistogramTickets * kHistogramTicketStep;
    memory.tickets = carver.take<std::uint32_t>(words);
    memory.tickets_bytes = words * sizeof(std::uint32_t);
    return memory;
}

}  // namespace kogge::grid
