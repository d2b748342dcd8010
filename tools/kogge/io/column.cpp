#include "io/column.hpp"

#include <algorithm>
#include <vector>

#include "failure.hpp"
#include "io/numbers.hpp"

namespace kogge::command {
namespace {

/// A line's fields, one after the other.
class Fields {
public:
    Fields(std::string_view line, char delimiter) : rest_(line), delimiter_(delimiter) {
        if (delimiter_ == ' ') skip_blanks();
        more_ = delimiter_ != ' ' || !rest_.empty();
    }

    /// The next field, as it stands in the line.
    std::optional<std::string_view> next() {
        if (!more_) return std::nullopt;
        const std::size_t end = find_end();
        const std::string_view field = rest_.substr(0, end);
        more_ = end < rest_.size();
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        if (delimiter_ == ' ') {
            skip_blanks();
            more_ = !rest_.empty();
        }
        return field;
    }
    /// Reads the others, and tells whether the last one ends in the line; words between blanks may begin with a quote.
    bool end_in_line() {
        if (delimiter_ == ' ') return true;
        if (rest_.find('"') != std::string_view::npos)
            while (next()) continue;
        return !is_open_;
    }

private:
    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

    std::size_t find_end() {
        const std::size_t start = std::min(rest_.find_first_not_of(' '), rest_.size());
        bool quoted = start < rest_.size() && rest_[start] == '"';
        for (std::size_t i = quoted ? start + 1 : start; i < rest_.size(); ++i) {
            if (quoted) quoted = rest_[i] != '"' || (i + 1 < rest_.size() && rest_[i + 1] == '"' && ++i);
            else if (rest_[i] == delimiter_ || (delimiter_ == ' ' && rest_[i] == '\t')) return i;
        }
        is_open_ = quoted;
        return rest_.size();
    }

    std::string_view rest_;
    char delimiter_;
    bool more_;
    bool is_open_ = false;
};

/// Without the blanks around it, and the quotes.
std::string_view content(std::string_view field) {
    const std::size_t first = field.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    field = field.substr(first, field.find_last_not_of(" \t") - first + 1);
    if (field.size() > 1 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    return field;
}

std::string unquoted(std::string_view field) {
    std::string text(content(field));
    for (std::size_t place = 0; (place = text.find("\"\"", place)) != std::string::npos; ++place) text.erase(place, 1);
    return text;
}

/// What there is most of, or blanks.
char likely_delimiter(std::string_view line) {
    char likely = ' ';
    std::size_t most = 1;
    for (const char candidate : {'\t', ',', ';', '|'}) {
        Fields fields(line, candidate);
        std::size_t count = 0;
        while (fields.next()) ++count;
        if (count > most) {
            most = count;
            likely = candidate;
        }
    }
    return likely;
}

}  // namespace

Column::Column(const ColumnChoice& choice) : choice_(choice) {
    by_name_ = choice_.column.find_first_not_of("0123456789") != std::string::npos;
    if (is_whole_line() || by_name_) return;
    number_ = parse_number<std::uint64_t>(choice_.column);
    if (!number_ || *number_ == 0)
        throw usage_failure("--column " + choice_.column + " is no column", "they are counted from 1 on");
}

void Column::learn(std::string_view first_line, const std::string& name) {
    if (is_whole_line()) return;
    delimiter_ = choice_.delimiter ? *choice_.delimiter : likely_delimiter(first_line);
    if (number_) return;
    std::vector<std::string> titles;
    for (Fields fields(first_line, delimiter_); const auto field = fields.next();) titles.push_back(unquoted(*field));
    const auto found = std::find(titles.begin(), titles.end(), choice_.column);
    if (found == titles.end()) {
        std::string all;
        for (const std::string& title : titles) all += (all.empty() ? "" : ", ") + title;
        if (all.size() > 200) all = all.substr(0, 200) + "…";
        throw Failure(name + " has no " + text(), "its columns are " + all + "; --column also takes a number");
    }
    if (std::find(found + 1, titles.end(), choice_.column) != titles.end())
        throw Failure(name + " has more than one " + text(), "say which one by its number, from 1 on");
    number_ = static_cast<std::uint64_t>(found - titles.begin()) + 1;
}

std::optional<std::string_view> Column::field(std::string_view line, bool& is_complete) const {
    Fields fields(line, delimiter_);
    std::optional<std::string_view> found = fields.next();
    for (std::uint64_t i = 1; found && i < number_.value_or(1); ++i) found = fields.next();
    is_complete = fields.end_in_line();
    return found ? std::optional(content(*found)) : std::nullopt;
}

bool Column::is_complete(std::string_view line) const {
    return is_whole_line() || Fields(line, delimiter_).end_in_line();
}

std::string Column::text() const { return by_name_ ? "column '" + choice_.column + "'" : "column " + choice_.column; }

}  // namespace kogge::command
