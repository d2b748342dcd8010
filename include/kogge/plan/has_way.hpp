// Plans whose member `way` is a variant: one struct per algorithm.
#pragma once

#include <variant>

namespace kogge {

/// The questions that such plans answer. Plan: the deriving one.
template <class Plan>
struct has_way {
    template <class Way>
    bool is() const {
        return std::holds_alternative<Way>(static_cast<const Plan&>(*this).way);
    }
    /// The way, or null if the call takes another way.
    template <class Way>
    const Way* as() const {
        return std::get_if<Way>(&static_cast<const Plan&>(*this).way);
    }
};

}  // namespace kogge
