// Numbers as text: one a line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "array.hpp"

namespace kogge::command {

/// Without a type, integers become i64 (u64 where that is needed) and anything else f64. Blanks around a number and a
/// missing line end at the end are fine; anything else that is no number fails with its line.
Array parse_text(std::string_view text, std::optional<Type> type, const std::string& name);

}  // namespace kogge::command
