// One column of text whose lines have several fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kogge::command {

/// What --column and --delimiter say.
struct ColumnChoice {
    std::string column;             ///< a number from 1 on, or a name in the first line; empty: lines are one field
    std::optional<char> delimiter;  ///< a blank: any run of blanks; absent: found out from the first line
};

/// Fields stand between delimiters and may be quoted ("1,234" is one field; "" in it is a quote), but do not go on in
/// the next line.
class Column {
public:
    Column() = default;
    explicit Column(const ColumnChoice& choice);

    bool is_whole_line() const { return choice_.column.empty(); }
    /// By its name, which stands in a title.
    bool has_title() const { return by_name_; }
    /// Learns the delimiter and the place of a name from the first line. `name` is the file's, for messages.
    void learn(std::string_view first_line, const std::string& name);
    /// Whether a line's last field ends in it.
    bool is_complete(std::string_view line) const;
    /// The field of a line, without the blanks and the quotes around it; nothing where the line is too short for it.
    std::optional<std::string_view> field(std::string_view line, bool& is_complete) const;
    /// "column 2" or "column 'size'".
    std::string text() const;

private:
    ColumnChoice choice_;
    bool by_name_ = false;
    std::optional<std::uint64_t> number_;  ///< from 1 on
    char delimiter_ = ',';
};

}  // namespace kogge::command
