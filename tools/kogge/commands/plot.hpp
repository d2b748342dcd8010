// A histogram as bars in a terminal.
#pragma once

#include <string>

#include "commands/tally.hpp"

namespace kogge::command {

/// The columns of the terminal that standard output is, or what COLUMNS says, or 80.
int terminal_width();

/// Lines of at most `width` columns, if that is enough for the numbers: the ends of each bin, its bar and its count,
/// and what has no bin. With `blocks` bars are of U+2588 and its eighths, else of #.
std::string plot(const Bins& bins, const Tally& tally, int width, bool blocks);

/// Whether the locale's character set is UTF-8.
bool writes_utf8();

}  // namespace kogge::command
