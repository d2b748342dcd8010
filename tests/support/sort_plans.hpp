// What tests ask of the plans of sorts.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/plan/radix_sort.hpp"

namespace tests {

inline bool is_resident(const kogge::radix_sort_plan& plan) { return plan.is<kogge::resident_sort>(); }
inline std::uint32_t launches_per_pass(const kogge::radix_sort_plan& plan) {
    const auto* const way = plan.as<kogge::pass_sort>();
    return way ? way->launches_per_pass : 0;
}
inline bool is_pipelined(const kogge::radix_sort_plan& plan) {
    const auto* const way = plan.as<kogge::pass_sort>();
    return way && way->pipelined;
}
inline bool is_plain_passes(const kogge::radix_sort_plan& plan) {
    const auto* const way = plan.as<kogge::pass_sort>();
    return way && !way->pipelined;
}
inline bool is_by_prefix(const kogge::radix_sort_plan& plan) {
    const auto* const way = plan.as<kogge::pass_sort>();
    return way && way->prefix;
}
/// Without any, one of no threads.
inline kogge::span_plan spans_of(const kogge::radix_sort_plan& plan) {
    const auto* const way = plan.as<kogge::pass_sort>();
    return way && way->prefix && way->prefix->spans ? *way->prefix->spans : kogge::span_plan{};
}
inline bool checks_order(const kogge::radix_sort_plan& plan) {
    const auto* const resident = plan.as<kogge::resident_sort>();
    return resident && resident->checks_order;
}
/// The largest launch, as far as its plan says it.
inline kogge::launch_size launch_of(const kogge::radix_sort_plan& plan) {
    return std::visit(
        [](const auto& way) {
            using Way = std::remove_cvref_t<decltype(way)>;
            if constexpr (std::is_same_v<Way, kogge::copy_way>) return kogge::launch_size{};
            else if constexpr (std::is_same_v<Way, kogge::counting_sort>) return way.count;
            else if constexpr (std::is_same_v<Way, kogge::pass_sort>) return way.pass;
            else return way.launch;
        },
        plan.way);
}

}  // namespace tests
