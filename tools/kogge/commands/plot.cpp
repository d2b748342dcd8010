#include "commands/plot.hpp"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "io/numbers.hpp"

namespace kogge::command {
namespace {

constexpr int kLeastBar = 4;

std::string print(Wide value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*Lg", digits, value);
    return text;
}

/// Of as few digits as tell them from each other.
std::vector<std::string> labels_of(const Bins& bins) {
    std::vector<std::string> labels(bins.edges().size());
    for (int digits = 3; digits <= 20; ++digits) {
        for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = print(bins.edges()[i], digits);
        const auto same = [&](std::size_t i) {
            return labels[i] == labels[i + 1] && bins.edges()[i] < bins.edges()[i + 1];
        };
        std::size_t i = 0;
        while (i + 1 < labels.size() && !same(i)) ++i;
        if (i + 1 == labels.size()) break;
    }
    return labels;
}

std::string padded(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// A bar of so many eighths of a column, and the blanks after it.
std::string bar(std::uint64_t eighths, int width, bool blocks) {
    const char* const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto whole = static_cast<int>(eighths / 8);
    std::string text;
    for (int i = 0; i < whole; ++i) text += blocks ? "█" : "#";
    const bool has_part = blocks && eighths % 8 > 0;
    if (has_part) text += parts[eighths % 8];
    return text + std::string(static_cast<std::size_t>(width - whole - has_part), ' ');
}

}  // namespace

int terminal_width() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char* const columns = std::getenv("COLUMNS");
    const auto told = columns ? parse_number<std::uint16_t>(columns) : std::nullopt;
    return told && *told > 0 ? *told : 80;
}

bool writes_utf8() {
    setlocale(LC_CTYPE, "");
    return std::string(nl_langinfo(CODESET)) == "UTF-8";
}

std::string plot(const Bins& bins, const Tally& tally, int width, bool blocks) {
    const std::vector<std::string> labels = labels_of(bins);
    const auto* counts = tally.counts().as<std::uint64_t>();
    const std::uint64_t most = *std::max_element(counts, counts + bins.size());
    std::size_t label_width = 0;
    for (const std::string& label : labels) label_width = std::max(label_width, label.size());
    const std::size_t count_width = with_separators(most).size();
    const std::string dots = blocks ? " … " : " .. ";
    const auto used = static_cast<int>(2 * label_width + (blocks ? 3 : 4) + 2 + count_width + 1);
    const int bar_width = std::max(kLeastBar, width - used);
    std::string text;
    for (std::uint32_t b = 0; b < bins.size(); ++b) {
        // What is there is seen, and only the most of all fills the line.
        const auto scaled = static_cast<std::uint64_t>(std::ceil(static_cast<Wide>(counts[b]) * (8 * bar_width) /
                                                                 static_cast<Wide>(std::max<std::uint64_t>(most, 1))));
        const std::uint64_t eighths = blocks ? scaled : (scaled + 7) / 8 * 8;
        text += padded(labels[b], label_width) + dots + padded(labels[b + 1], label_width) + "  " +
                bar(eighths, bar_width, blocks) + " " + padded(with_separators(counts[b]), count_width) + "\n";
    }
    const auto rest = [&](const char* name, std::uint64_t count) {
        if (count > 0) text += std::string(name) + ": " + with_separators(count) + "\n";
    };
    rest("below", tally.left_out().below);
    rest("above", tally.left_out().above);
    rest("NaN", tally.left_out().nan);
    return text;
}

}  // namespace kogge::command
