#include "text.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "failure.hpp"
#include "memory.hpp"
#include "numbers.hpp"

namespace kogge::command {
namespace {

/// Takes the next line off `rest`, without blanks around it.
std::string_view take_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::string shown(std::string_view line) {
    std::string text(line.substr(0, 40));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
    return "'" + text + (line.size() > 40 ? "…'" : "'");
}

Failure bad_line(const std::string& name, std::uint64_t number, std::string_view line, const std::string& wanted) {
    const std::string place = "line " + with_separators(number) + " of " + name;
    if (line.empty()) return Failure(place + " is empty", "the text format is one number a line");
    return Failure(place + " is " + shown(line) + ", not " + wanted,
                   line.front() == '+' ? "write numbers without a plus sign" : "the text format is one number a line");
}

Type recognise(std::string_view rest, const std::string& name) {
    bool negative = false, large = false;
    std::uint64_t large_line = 0;
    for (std::uint64_t number = 1; !rest.empty(); ++number) {
        const std::string_view line = take_line(rest);
        if (const auto value = parse_number<std::int64_t>(line)) {
            negative |= *value < 0;
        } else if (parse_number<std::uint64_t>(line)) {
            if (!large) large_line = number;
            large = true;
        } else if (!parse_number<double>(line)) {
            throw bad_line(name, number, line, "a number");
        } else if (line.find_first_not_of("-0123456789") == std::string_view::npos) {
            throw Failure(
                "line " + with_separators(number) + " of " + name + ": " + shown(line) + " does not fit 64 bits",
                "say --type f64 to take it as a floating-point number");
        } else {
            return Type::f64;
        }
    }
    if (negative && large)
        throw Failure(
            name + " has negative integers, and in line " + with_separators(large_line) + " one above 2^63 − 1",
            "say --type f64 to take all of them as floating-point numbers");
    return large ? Type::u64 : Type::i64;
}

}  // namespace

Array parse_text(std::string_view text, std::optional<Type> wanted, const std::string& name) {
    const Type type = wanted ? *wanted : recognise(text, name);
    auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    if (!text.empty() && text.back() != '\n') ++lines;
    require_memory(lines * info_of(type).bytes, "reading " + name);
    Array array(type, lines);
    visit(type, [&]<class T>() {
        T* to = array.as<T>();
        for (std::uint64_t i = 0; i < lines; ++i) {
            const std::string_view line = take_line(text);
            const std::optional<T> value = parse_number<T>(line);
            if (!value || (type == Type::boolean && line != "0" && line != "1"))
                throw bad_line(name, i + 1, line, std::string("a number of type ") + name_of(type));
            to[i] = *value;
        }
    });
    return array;
}

}  // namespace kogge::command
