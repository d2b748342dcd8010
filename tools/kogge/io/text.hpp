// Numbers as text: one a line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/array.hpp"

namespace kogge::command {

struct TextOptions {
    std::optional<Type> type;
    bool header = false;  ///< the first line is a title, and left out
};

/// Without a type, integers become i64 (u64 where that is needed) and anything else f64, unless digits of an integer
/// would be lost. Blanks around a number, blank lines and a missing line end at the end are fine; anything else that is
/// no number fails with its line.
Array parse_text(std::string_view text, const TextOptions& options, const std::string& name);

}  // namespace kogge::command
