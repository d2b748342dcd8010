#include "commands/demo_check.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "commands/filter.hpp"
#include "failure.hpp"
#include "io/numbers.hpp"
#include "machine.hpp"

namespace kogge::command {
namespace {

std::string lines_of(const std::vector<std::uint64_t>& numbers) {
    std::string text;
    for (const std::uint64_t number : numbers) text += std::to_string(number) + "\n";
    return text;
}

/// "size index" a line.
template <class IndexOf>
std::string pairs_of(const std::vector<std::uint64_t>& sizes, const IndexOf& index_of) {
    std::string text;
    for (std::uint64_t i = 0; i < sizes.size(); ++i)
        text += std::to_string(sizes[i]) + " " + std::to_string(index_of(i)) + "\n";
    return text;
}

/// Whether the tool makes of `input` what we made of it.
bool agrees(const char* shown, const std::vector<std::string>& words, const std::string& input,
            const std::string& ours) {
    const Stopwatch watch;
    const std::optional<std::string> theirs = run_filter(words, input);
    if (!theirs) {
        std::printf("  check  %-27s NOT DONE: there is no %s on this machine\n", shown, words[0].c_str());
        return false;
    }
    const auto count = static_cast<std::uint64_t>(std::count(ours.begin(), ours.end(), '\n'));
    if (*theirs == ours) {
        std::printf("  check  %-27s the same %s %s (took %s)\n", shown, with_separators(count).c_str(),
                    count == 1 ? "line" : "lines", readable_time(watch.seconds()).c_str());
        return true;
    }
    const auto place = std::mismatch(ours.begin(), ours.end(), theirs->begin(), theirs->end()).first;
    std::printf("  check  %-27s DIFFERS from line %s on\n", shown,
                with_separators(static_cast<std::uint64_t>(std::count(ours.begin(), place, '\n')) + 1).c_str());
    return false;
}

}  // namespace

void check_demo(const std::vector<std::uint64_t>& list, const DemoResult& result) {
    const std::string sorted = lines_of(result.sizes), above = "$1 > " + std::to_string(kLargeBytes);
    bool good = agrees("sort -n -r -s -k 1,1", {"sort", "-n", "-r", "-s", "-k", "1,1"},
                       pairs_of(list, [](std::uint64_t i) { return i; }),
                       pairs_of(result.sizes, [&](std::uint64_t i) { return result.files[i]; }));
    good &= agrees(("awk '" + above + "'").c_str(), {"awk", above}, sorted, lines_of(result.large));
    if (result.cumulative.back() < std::uint64_t{1} << 53) {
        good &= agrees("awk '{ s += $1; print s }'", {"awk", "{ s += $1; printf \"%.0f\\n\", s }"}, sorted,
                       lines_of(result.cumulative));
    } else {
        std::printf("  check  the sums                    NOT DONE: awk counts only to 2^53\n");
        good = false;
    }
    std::fflush(stdout);
    if (!good) throw Failure("the demo's results are not confirmed", "see the lines 'check' above");
}

}  // namespace kogge::command
