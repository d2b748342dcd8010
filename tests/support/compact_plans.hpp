// What tests ask of the plans of compactions, runs and emissions.
#pragma once

#include "kogge/plan/compact.hpp"
#include "kogge/plan/emit.hpp"
#include "kogge/plan/runs.hpp"

namespace tests {

inline bool is_wave(const kogge::compact_plan& plan) { return plan.is<kogge::compact_wave>(); }
inline bool is_wave(const kogge::runs_plan& plan) { return plan.is<kogge::runs_wave>(); }
inline bool is_wave(const kogge::emit_plan& plan) { return plan.is<kogge::emit_wave>(); }
inline bool is_pipelined(const kogge::compact_plan& plan) { return plan.is<kogge::compact_pipeline>(); }
inline bool is_pipelined(const kogge::runs_plan& plan) { return plan.is<kogge::runs_pipeline>(); }
inline bool is_compaction(const kogge::runs_plan& plan) { return plan.is<kogge::compact_way>(); }

/// Of another way, one of no rows.
inline kogge::compact_wave wave_of(const kogge::compact_plan& plan) {
    const auto* const way = plan.as<kogge::compact_wave>();
    return way ? *way : kogge::compact_wave{};
}
inline kogge::runs_wave wave_of(const kogge::runs_plan& plan) {
    const auto* const way = plan.as<kogge::runs_wave>();
    return way ? *way : kogge::runs_wave{};
}
inline kogge::emit_wave wave_of(const kogge::emit_plan& plan) {
    const auto* const way = plan.as<kogge::emit_wave>();
    return way ? *way : kogge::emit_wave{};
}

/// Whether the blocks of the wave or of the pipeline are resident at once.
inline bool is_cooperative(const kogge::compact_plan& plan) {
    const auto* const pipeline = plan.as<kogge::compact_pipeline>();
    return pipeline ? pipeline->cooperative : wave_of(plan).cooperative;
}
inline bool is_cooperative(const kogge::runs_plan& plan) {
    const auto* const pipeline = plan.as<kogge::runs_pipeline>();
    return pipeline ? pipeline->cooperative : wave_of(plan).cooperative;
}
template <class Plan>
bool draws_tickets(const Plan& plan) {
    return is_pipelined(plan) && !is_cooperative(plan);
}

}  // namespace tests
