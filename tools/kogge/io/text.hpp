// Numbers as text: one a line, or one column of several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/array.hpp"
#include "io/lines.hpp"

namespace kogge::command {

struct TextOptions {
    std::optional<Type> type;
    bool header = false;  ///< the first line is a title, and left out, as it is where the column has a name
    ColumnChoice column{};
    std::string advice{};  ///< as InputOptions::advice
};

/// The lines after the title, if there is one; `column`, which is that of the lines, learns what the first line tells.
/// Throws for a text without lines where a title was to name a column.
Lines after_title(Lines lines, Column& column, bool header, const std::string& name);

/// The type for all lines: integers become i64, u64 where that is needed, and anything else f64, unless digits of an
/// integer would be lost.
class Recognition {
public:
    /// Goes through all of them.
    void look_at(Lines& lines, const std::string& name);
    Type type(const std::string& name) const;

private:
    struct Found {
        std::string text;  ///< empty: nothing
        std::string place;
        std::uint64_t line = 0;
        bool fits_f64 = false;
        void note(const Lines& at, const std::string& name);
    };
    Found negative_, large_, fraction_, precise_, beyond_;
};

/// Writes the numbers of the next lines, at most so many, to an array of that type; returns how many they are. Blanks
/// around a number, blank lines and a missing line end at the end are fine; anything else that is no number fails with
/// its line.
std::uint64_t parse_lines(Lines& lines, Type type, void* to, std::uint64_t most, const std::string& name);

/// All numbers of a text.
Array parse_text(std::string_view text, const TextOptions& options, const std::string& name);

}  // namespace kogge::command
