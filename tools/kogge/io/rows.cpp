#include "io/rows.hpp"

#include "progress.hpp"

namespace kogge::command {

std::optional<char> table_delimiter(const std::string& path) {
    const auto ends = [&](const std::string& end) {
        return path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
    };
    if (ends(".csv")) return ',';
    if (ends(".tsv")) return '\t';
    return std::nullopt;
}

void write_rows(Output& output, std::uint64_t n, const std::string& what,
                const std::function<void(std::uint64_t, std::string&)>& add) {
    constexpr std::size_t kRoom = 1 << 16;
    Progress progress("writing " + what, n);
    std::string text;
    std::uint64_t written = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        add(i, text);
        text += '\n';
        if (text.size() < kRoom) continue;
        output.write(text.data(), text.size());
        text.clear();
        progress.advance(i + 1 - written);
        written = i + 1;
    }
    output.write(text.data(), text.size());
}

}  // namespace kogge::command
