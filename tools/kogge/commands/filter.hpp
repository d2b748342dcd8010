// Other programs as filters.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kogge::command {

/// Runs a program in the C locale with `input` on its standard input; returns its standard output, or nothing when
/// there is no such program. Throws when the program fails.
std::optional<std::string> run_filter(const std::vector<std::string>& words, const std::string& input);

}  // namespace kogge::command
