#include "io/text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "failure.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"

namespace kogge::command {
namespace {

/// The lines that are not blank, without blanks around them.
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}

    bool next() {
        while (!rest_.empty()) {
            const std::size_t end = rest_.find('\n');
            const std::string_view line = rest_.substr(0, end);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            ++number_;
            const std::size_t first = line.find_first_not_of(" \t\r");
            if (first == std::string_view::npos) continue;
            line_ = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
            return true;
        }
        return false;
    }
    std::string_view line() const { return line_; }
    std::uint64_t number() const { return number_; }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_, line_;
    std::uint64_t number_ = 0;
};

std::string shown(std::string_view line) {
    std::string text(line.substr(0, 40));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
    return "'" + text + (line.size() > 40 ? "…'" : "'");
}

/// What is wrong with a line that should be a number; `wanted` is the type, if it was told.
Failure bad_line(const Lines& lines, Reading reading, std::optional<Type> wanted, const std::string& name) {
    const std::string place = "line " + with_separators(lines.number()) + " of " + name;
    if (reading == Reading::out_of_range)
        return Failure(
            place + ": " + shown(lines.line()) + " is out of the range of " + name_of(wanted.value_or(Type::f64)),
            wanted ? "choose a wider type with --type" : "");
    Lines after(lines.rest());
    double number = 0;
    if (lines.number() == 1 && reading == Reading::none && after.next() &&
        read_number(after.line(), number) != Reading::none && read_number(lines.line(), number) == Reading::none)
        return Failure(place + " is " + shown(lines.line()) + ", a header and no number", "leave it out with --header");
    const bool columns = lines.line().find_first_of(",;\t ") != std::string_view::npos;
    return Failure(place + " is " + shown(lines.line()) + ", not a number" +
                       (wanted ? std::string(" of type ") + name_of(*wanted) : std::string()),
                   columns ? "the text format is one number per line: take one column, as by cut -d, -f2"
                           : "the text format is one number per line");
}

bool is_exact(double number, __int128 integer) { return static_cast<__int128>(number) == integer; }

/// The type for all lines: whether there are fractions, and integers that only some types hold.
Type recognise(Lines lines, const std::string& name) {
    struct Found {
        std::string line;  ///< empty: nothing
        std::uint64_t number = 0;
        void note(const Lines& at) {
            if (line.empty()) *this = {shown(at.line()), at.number()};
        }
    };
    Found negative, large, fraction, precise, beyond;
    while (lines.next()) {
        std::int64_t integer = 0;
        std::uint64_t natural = 0;
        double number = 0;
        const Reading reading = read_number(lines.line(), integer);
        if (reading == Reading::number) {
            if (integer < 0) negative.note(lines);
            if (!is_exact(static_cast<double>(integer), integer)) precise.note(lines);
        } else if (reading == Reading::out_of_range) {
            if (read_number(lines.line(), natural) != Reading::number) {
                beyond.note(lines);
                continue;
            }
            large.note(lines);
            if (!is_exact(static_cast<double>(natural), natural)) precise.note(lines);
        } else if (const Reading wide = read_number(lines.line(), number); wide == Reading::number) {
            fraction.note(lines);
        } else {
            throw bad_line(lines, wide, {}, name);
        }
    }
    const auto place = [&](const Found& found) { return "line " + with_separators(found.number) + " of " + name; };
    if (!beyond.line.empty())
        throw Failure(place(beyond) + ": " + beyond.line + " does not fit 64 bits",
                      "say --type f64 to take it as a floating-point number");
    if (!fraction.line.empty()) {
        if (precise.line.empty()) return Type::f64;
        throw Failure(place(precise) + ": " + precise.line + " has more digits than f64 holds, which " + fraction.line +
                          " in line " + with_separators(fraction.number) + " asks for",
                      "say --type f64 to round it");
    }
    if (!negative.line.empty() && !large.line.empty())
        throw Failure(
            name + " has negative integers, and in line " + with_separators(large.number) + " one above 2^63 − 1",
            "say --type f64 to take all of them as floating-point numbers");
    return large.line.empty() ? Type::i64 : Type::u64;
}

}  // namespace

Array parse_text(std::string_view text, const TextOptions& options, const std::string& name) {
    Lines start(text);
    if (options.header) start.next();
    const Type type = options.type ? *options.type : recognise(start, name);
    auto most = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    if (!text.empty() && text.back() != '\n') ++most;
    require_memory(most * info_of(type).bytes, "reading " + name);
    Array array(type, most);
    std::uint64_t n = 0;
    visit(type, [&]<class T>() {
        T* const to = array.as<T>();
        for (Lines lines = start; lines.next(); ++n) {
            const Reading reading = read_number(lines.line(), to[n]);
            if (reading != Reading::number) throw bad_line(lines, reading, type, name);
            if constexpr (std::is_same_v<T, std::uint8_t>)
                if (type == Type::boolean && to[n] > 1) throw bad_line(lines, Reading::out_of_range, type, name);
        }
    });
    array.shrink(n);
    return array;
}

}  // namespace kogge::command
