// Text of several columns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "io/output.hpp"

namespace kogge::command {

/// What stands between the columns of a file of that name: of .csv and .tsv; these have a title.
std::optional<char> table_delimiter(const std::string& path);

/// Writes n rows, without publishing them: add(i, text) appends row i to the text, without a line end.
void write_rows(Output& output, std::uint64_t n, const std::string& what,
                const std::function<void(std::uint64_t, std::string&)>& add);

}  // namespace kogge::command
