#include "io/lines.hpp"

#include "io/numbers.hpp"

namespace kogge::command {

std::string_view without_mark(std::string_view text) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.substr(text.substr(0, mark.size()) == mark ? mark.size() : 0);
}

bool Lines::next() {
    if (number_ == 0) rest_ = without_mark(rest_);
    // A tab may stand between two fields that are empty.
    const char* const blanks = column_->is_whole_line() ? " \t\r" : " \r";
    while (!rest_.empty()) {
        const std::size_t end = rest_.find('\n');
        whole_ = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++number_;
        if (whole_.find_first_not_of(blanks) == std::string_view::npos) continue;
        whole_ = whole_.substr(0, whole_.find_last_not_of('\r') + 1);
        return true;
    }
    return false;
}

std::string_view Lines::field(const std::string& name) const {
    if (column_->is_whole_line()) {
        const std::size_t first = whole_.find_first_not_of(" \t\r");
        return whole_.substr(first, whole_.find_last_not_of(" \t\r") - first + 1);
    }
    bool is_complete = true;
    const std::optional<std::string_view> found = column_->field(whole_, is_complete);
    if (!is_complete) throw incomplete(name);
    if (!found) throw Failure("line " + with_separators(number_) + " of " + name + " has no " + column_->text());
    if (found->empty())
        throw Failure(place(name) + " is empty", "leave such lines out first, as by awk -F, '$2 != \"\"'");
    return *found;
}

void Lines::check_complete(const std::string& name) const {
    if (!column_->is_complete(whole_)) throw incomplete(name);
}

Failure Lines::incomplete(const std::string& name) const {
    return Failure("line " + with_separators(number_) + " of " + name + " has a quoted field that does not end in it",
                   "remove line breaks within fields first, or cut the column out");
}

std::string Lines::place(const std::string& name) const {
    const std::string line = "line " + with_separators(number_) + " of " + name;
    return column_->is_whole_line() ? line : column_->text() + " in " + line;
}

}  // namespace kogge::command
