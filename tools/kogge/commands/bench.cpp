// kogge bench: a row of the benchmarks, of the user's own shape. The benchmark programs time it, check it and say it;
// this names the row and becomes the program.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "machine.hpp"

namespace kogge::command {
namespace {

const char* family(BenchCall call) {
    if (call == BenchCall::sort) return "radix_sort";
    return call == BenchCall::scan ? "scan" : "partition";
}

std::filesystem::path program_for(const BenchSettings& settings) {
    const bool on_device = choose_machine({settings.where}).where() == backend::device;
    const std::string name = on_device ? std::string(family(settings.call)) + "_bench_gpu" : "host_bench_host";
    std::filesystem::path folder = settings.programs;
    if (folder.empty()) {
        std::error_code unknown;
        folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path().parent_path() / "bench";
    }
    return folder / name;
}

std::string kept_case(const BenchSettings& settings) {
    char text[32];
    std::snprintf(text, sizeof text, "kept_%g", settings.kept);
    return std::string(text) + (settings.clustered ? "_clustered" : "");
}

}  // namespace

std::string bench_row(const BenchSettings& settings) {
    const std::string type = name_of(settings.type);
    switch (settings.call) {
        case BenchCall::sort:
            if (settings.pairs) return "radix_sort_pairs/" + type + '+' + type + '/' + settings.distribution;
            return (settings.indices ? "argsort/" : "radix_sort/") + type + '/' + settings.distribution;
        case BenchCall::scan:
            return (settings.exclusive ? "exclusive_scan/" : "inclusive_scan/") + type + '/' + settings.op;
        case BenchCall::compact:
            return (settings.flags ? "compact_flags/" : "compact/") + type + '/' + kept_case(settings);
        case BenchCall::partition:
            return "partition/" + type + '/' + kept_case(settings);
        case BenchCall::split:
            return "split/" + type + "/bins_" + std::to_string(settings.bins);
    }
    return {};
}

void run_bench(const BenchSettings& settings) {
    const std::string program = program_for(settings).string();
    if (::access(program.c_str(), X_OK) != 0)
        throw system_failure("kogge bench runs the benchmark programs, which an installed command lacks: " + program,
                             "tools/dev bench --quick builds them, in build/*/bench of kogge's sources; name that "
                             "folder with --programs");
    const std::string row = "--row=" + bench_row(settings), size = "--n=" + settings.n;
    ::execl(program.c_str(), "kogge bench", row.c_str(), size.c_str(), static_cast<char*>(nullptr));
    throw system_failure(program);
}

}  // namespace kogge::command
