// Sorts by several columns with host threads: sorts of packed codes.
#pragma once

#include "kogge/detail/sort_columns.hpp"

namespace kogge::host {
void sort_columns(const kogge::detail::ColumnSort& sort, int threads);
}  // namespace kogge::host
