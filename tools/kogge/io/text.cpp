#include "io/text.hpp"

#include <algorithm>
#include <limits>

#include "failure.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"

namespace kogge::command {
namespace {

std::string shown(std::string_view line) {
    std::string text(line.substr(0, 40));
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
    return "'" + text + (line.size() > 40 ? "…'" : "'");
}

/// What is wrong with a line that should have a number; `wanted` is the type, if it was told.
Failure bad_line(const Lines& lines, Reading reading, std::optional<Type> wanted, const std::string& name) {
    const std::string_view field = lines.field(name);
    const std::string place = lines.place(name);
    if (reading == Reading::out_of_range)
        return Failure(place + ": " + shown(field) + " is out of the range of " + name_of(wanted.value_or(Type::f64)),
                       wanted ? "choose a wider type with --type" : "");
    Lines after(lines.rest(), lines.column());
    double number = 0;
    const bool may_be_title = field.find_first_of("0123456789+-.") != 0;
    if (lines.number() == 1 && reading == Reading::none && may_be_title && after.next() &&
        read_number(after.field(name), number) != Reading::none && read_number(field, number) == Reading::none)
        return Failure(place + " is " + shown(field) + ", a header and no number", "leave it out with --header");
    std::string hint;
    if (lines.column().is_whole_line())
        hint = field.find_first_of(",;|\t \"") != std::string_view::npos
                   ? "the text format is one number per line: take one column with --column, by its number or its name"
                   : "the text format is one number per line";
    return Failure(place + " is " + shown(field) + ", not a number" +
                       (wanted ? std::string(" of type ") + name_of(*wanted) : std::string()),
                   hint);
}

bool is_exact(double number, __int128 integer) { return static_cast<__int128>(number) == integer; }

}  // namespace

Lines after_title(Lines lines, Column& column, bool header, const std::string& name) {
    Lines first = lines;
    if (!first.next()) {
        if (column.has_title()) throw Failure(name + " is empty: it has no " + column.text());
        return lines;
    }
    column.learn(first.whole(), name);
    first.check_complete(name);
    return header || column.has_title() ? first : lines;
}

void Recognition::Found::note(const Lines& at, const std::string& name) {
    if (!text.empty()) return;
    double number = 0;
    const std::string_view field = at.field(name);
    *this = {shown(field), at.place(name), at.number(), read_number(field, number) == Reading::number};
}

void Recognition::look_at(Lines& lines, const std::string& name) {
    while (lines.next()) {
        const std::string_view field = lines.field(name);
        std::int64_t integer = 0;
        std::uint64_t natural = 0;
        double number = 0;
        const Reading reading = read_number(field, integer);
        if (reading == Reading::number) {
            if (integer < 0) negative_.note(lines, name);
            if (!is_exact(static_cast<double>(integer), integer)) precise_.note(lines, name);
        } else if (reading == Reading::out_of_range) {
            if (read_number(field, natural) != Reading::number) {
                beyond_.note(lines, name);
                continue;
            }
            large_.note(lines, name);
            if (!is_exact(static_cast<double>(natural), natural)) precise_.note(lines, name);
        } else if (const Reading wide = read_number(field, number); wide == Reading::number) {
            fraction_.note(lines, name);
        } else {
            throw bad_line(lines, wide, {}, name);
        }
    }
}

Type Recognition::type(const std::string& name) const {
    if (!beyond_.text.empty())
        throw Failure(beyond_.place + ": " + beyond_.text + " does not fit 64 bits",
                      beyond_.fits_f64 ? "say --type f64 to take it as a floating-point number" : "");
    if (!fraction_.text.empty()) {
        if (precise_.text.empty()) return Type::f64;
        throw Failure(precise_.place + ": " + precise_.text + " has more digits than f64 holds, which " +
                          fraction_.text + " in line " + with_separators(fraction_.line) + " asks for",
                      "say --type f64 to round it");
    }
    if (!negative_.text.empty() && !large_.text.empty())
        throw Failure(
            name + " has negative integers, and in line " + with_separators(large_.line) + " one above 2^63 − 1",
            "say --type f64 to take all of them as floating-point numbers");
    return large_.text.empty() ? Type::i64 : Type::u64;
}

std::uint64_t parse_lines(Lines& lines, Type type, void* to, std::uint64_t most, const std::string& name) {
    std::uint64_t n = 0;
    visit(type, [&]<class T>() {
        T* const items = static_cast<T*>(to);
        for (; n < most && lines.next(); ++n) {
            const Reading reading = read_number(lines.field(name), items[n]);
            if (reading != Reading::number) throw bad_line(lines, reading, type, name);
            if constexpr (std::is_same_v<T, std::uint8_t>)
                if (type == Type::boolean && items[n] > 1) throw bad_line(lines, Reading::out_of_range, type, name);
        }
    });
    return n;
}

Array parse_text(std::string_view text, const TextOptions& options, const std::string& name) {
    Column column(options.column);
    Lines lines = after_title(Lines(text, column), column, options.header, name);
    Recognition found;
    Lines looked_at = lines;
    if (!options.type) found.look_at(looked_at, name);
    const Type type = options.type ? *options.type : found.type(name);
    auto most = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    if (!text.empty() && text.back() != '\n') ++most;
    require_memory(most * info_of(type).bytes, "reading " + name, options.advice);
    Array array(type, most);
    array.shrink(parse_lines(lines, type, array.data(), most, name));
    return array;
}

}  // namespace kogge::command
