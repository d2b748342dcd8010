// kogge demo: how the bytes of a machine are shared among its files. Sort, compact and scan on real input, each checked
// against the system's own tools.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/demo_check.hpp"
#include "failure.hpp"
#include "io/files.hpp"
#include "io/numbers.hpp"
#include "kogge/partition.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"

namespace kogge::command {
namespace {

constexpr std::uint64_t kListed = 10;

struct Timings {
    double list = 0, sort = 0, compact = 0, scan = 0, copies = 0;
    std::string machine;
};

void sort_compact_scan(Machine& machine, const FileList& files, DemoResult& result, Timings& timings) {
    const std::uint64_t n = files.sizes.size();
    result.sizes = files.sizes;
    result.files.resize(n);
    for (std::uint64_t i = 0; i < n; ++i) result.files[i] = static_cast<std::uint32_t>(i);
    result.large.resize(n);
    result.cumulative.resize(n);

    Placed<std::uint64_t> sizes(machine, result.sizes.data(), n);
    Placed<std::uint32_t> indices(machine, result.files.data(), n);
    Placed<std::uint64_t> large(machine, result.large.data(), n, false);
    Placed<std::uint64_t> cumulative(machine, result.cumulative.data(), n, false);
    const exec how = machine.how();
    std::uint64_t kept = 0;
    timings.sort = machine.time([&] { radix_sort_pairs(sizes.data(), indices.data(), n, {.order = descending}, how); });
    timings.compact = machine.time([&] {
        const compare<std::uint64_t> above{relation::greater, kLargeBytes};
        kept = compact(sizes.data(), large.data(), n, above, how);
    });
    timings.scan = machine.time([&] { inclusive_scan(sizes.data(), cumulative.data(), n, plus{}, how); });
    sizes.fetch(n);
    indices.fetch(n);
    large.fetch(kept);
    cumulative.fetch(n);
    result.large.resize(kept);
    timings.copies = machine.copy_seconds();
    timings.machine = machine.name();
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    const double value = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", value);
    return text;
}

std::string files_text(std::uint64_t n) { return with_separators(n) + (n == 1 ? " file" : " files"); }

/// File names may hold anything, and a terminal obeys some of it.
std::string printable(const std::string& path) {
    std::string text;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02x", byte);
        if (byte < ' ' || byte == 0x7f) text += code;
        else text += c;
    }
    return text;
}

void print_found(const FileList& files, const DemoResult& result, const Timings& timings) {
    std::string left_out;
    const auto add = [&](std::uint64_t count, const std::string& what, const char* one, const char* several) {
        if (count == 0) return;
        left_out += (left_out.empty() ? "" : ", ") + with_separators(count) + " " + what + (count == 1 ? one : several);
    };
    add(files.further_links, "further hard link", "", "s");
    add(files.unreadable_directories, "unreadable director", "y", "ies");
    add(files.other_file_systems, "mounted file system", "", "s");
    add(files.vanished, "vanished file", "", "s");
    const std::uint64_t total = result.cumulative.back();
    std::printf("  files    %s%s\n", with_separators(result.sizes.size()).c_str(),
                left_out.empty() ? "" : (" (left out: " + left_out + ")").c_str());
    std::printf("  bytes    %s (%s)\n", with_separators(total).c_str(), readable_bytes(total).c_str());
    std::printf("  backend  %s\n\n", timings.machine.c_str());
}

void print_timings(const Timings& timings) {
    const auto line = [](const char* step, double seconds) {
        std::printf("  %-58s %10s\n", step, readable_time(seconds).c_str());
    };
    line("look up the sizes of all files", timings.list);
    line("sort by size, the paths' indices beside (radix_sort_pairs)", timings.sort);
    line("keep the sizes above 1 MiB (compact)", timings.compact);
    line("add up the bytes (inclusive_scan)", timings.scan);
    if (timings.copies > 0) line("copies to the device and back", timings.copies);
}

void print_largest(const FileList& files, const DemoResult& result) {
    const std::uint64_t total = result.cumulative.back();
    const std::uint64_t listed = std::min<std::uint64_t>(kListed, result.sizes.size());
    const int width = std::max(5, static_cast<int>(with_separators(result.sizes.front()).size()));
    std::printf("\n  the largest %s\n  %*s  %7s  %10s  path\n", files_text(listed).c_str(), width, "bytes", "share",
                "cumulative");
    for (std::uint64_t i = 0; i < listed; ++i)
        std::printf("  %*s  %7s  %10s  %s\n", width, with_separators(result.sizes[i]).c_str(),
                    percent(result.sizes[i], total).c_str(), percent(result.cumulative[i], total).c_str(),
                    printable(files.paths[result.files[i]]).c_str());
}

void print_shares(const DemoResult& result) {
    const std::uint64_t n = result.sizes.size(), total = result.cumulative.back(), large = result.large.size();
    std::printf("\n");
    for (const std::uint64_t part : {1, 10, 50}) {
        const std::uint64_t first = std::max<std::uint64_t>(1, n * part / 100);
        std::printf("  the largest %2d %% of %s hold %s of the bytes\n", static_cast<int>(part), files_text(n).c_str(),
                    percent(result.cumulative[first - 1], total).c_str());
    }
    std::printf("  the %s above 1 MiB (%s of all) hold %s of the bytes\n", files_text(large).c_str(),
                percent(large, n).c_str(), percent(large == 0 ? 0 : result.cumulative[large - 1], total).c_str());
    const auto half = std::find_if(result.cumulative.begin(), result.cumulative.end(),
                                   [&](std::uint64_t bytes) { return bytes >= total - bytes; });
    const auto first = static_cast<std::uint64_t>(half - result.cumulative.begin()) + 1;
    std::printf("  half of the bytes are in the largest %s\n\n", first == 1 ? "file" : files_text(first).c_str());
}

}  // namespace

void run_demo(const DemoSettings& settings) {
    std::printf("kogge demo: how the bytes below %s are shared among the files\n\n", printable(settings.root).c_str());
    std::fflush(stdout);
    Timings timings;
    const Stopwatch watch;
    const FileList files = list_files(settings.root);
    timings.list = watch.seconds();
    if (files.sizes.empty())
        throw Failure("there are no files below '" + settings.root + "'", "choose another directory with --root");
    DemoResult result;
    run_on_machine(settings.machine, [&](Machine& machine) { sort_compact_scan(machine, files, result, timings); });
    print_found(files, result, timings);
    print_timings(timings);
    print_largest(files, result);
    print_shares(result);
    std::fflush(stdout);
    check_demo(files.sizes, result);
}

}  // namespace kogge::command
