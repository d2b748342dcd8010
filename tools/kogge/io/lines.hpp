// The lines of a text, and the number that is wanted of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "io/column.hpp"

namespace kogge::command {

/// A text without the byte order mark that some programs write before it.
std::string_view without_mark(std::string_view text);

class Lines {
public:
    /// `number`: how many lines stand before the text.
    Lines(std::string_view text, const Column& column, std::uint64_t number = 0)
        : rest_(text), column_(&column), number_(number) {}

    /// Goes to the next line that is not blank.
    bool next();
    /// The line as it is, without what ends it.
    std::string_view whole() const { return whole_; }
    /// The wanted field without blanks around it. Throws where the line has none; `name` is the file's, for messages.
    std::string_view field(const std::string& name) const;
    /// Throws where a quoted field of the line goes on in the next one, which would be taken for a line of its own.
    void check_complete(const std::string& name) const;
    std::uint64_t number() const { return number_; }
    const Column& column() const { return *column_; }
    std::string_view rest() const { return rest_; }
    /// "line 5 of 'file'", or "column 2 in line 5 of 'file'".
    std::string place(const std::string& name) const;

private:
    Failure incomplete(const std::string& name) const;

    std::string_view rest_, whole_;
    const Column* column_;
    std::uint64_t number_;
};

}  // namespace kogge::command
