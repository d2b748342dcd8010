// The main part of a benchmark program: options, Google Benchmark as the runner, the record beside it; or a single row,
// shown in words.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "record.hpp"
#include "rows.hpp"
#include "show.hpp"

namespace bench {

struct Options {
    bool quick = false;          ///< --quick: the rows of the README's table only
    Sizes sizes;                 ///< --n=SIZE, which can be repeated: all rows, at these sizes
    std::optional<RowName> row;  ///< --row=PRIMITIVE/TYPE/CASE: this one, shown in words, at 2^24 items without --n
    std::string out;             ///< --out=FOLDER: where the record goes; nowhere by default
    std::string commit;          ///< --commit=NAME: of the record, by default commit_name()
};

/// Removes the options that are ours from the command line; Google Benchmark takes the rest.
inline Options take_options(int& count, char** arguments) {
    Options options;
    int kept = 1;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--quick") options.quick = true;
        else if (word.rfind("--n=", 0) == 0) options.sizes.push_back(parse_size(word.substr(4)));
        else if (word.rfind("--row=", 0) == 0) options.row = parse_row(word.substr(6));
        else if (word.rfind("--out=", 0) == 0) options.out = word.substr(6);
        else if (word.rfind("--commit=", 0) == 0) options.commit = word.substr(9);
        else arguments[kept++] = arguments[i];
    }
    count = kept;
    arguments[kept] = nullptr;
    if (options.commit.empty()) options.commit = commit_name();
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) throw UsageError("an option is unknown");
    return options;
}

/// Why a row cannot be measured here, which is no failure: too little memory, or work that no graph can hold.
struct LeftOut : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A row without its times, whom it is against, and how to get the times.
struct Planned {
    Row row;
    std::string rival;
    std::function<void(Row&)> measure;
};

struct Program {
    std::vector<RowSet> sets;
    std::function<std::vector<Planned>(const RowName&, std::uint64_t n)> plan;  ///< empty when there is no such row
    Setting setting;
    FileOf file_of_row = file_by_primitive;
};

// ---- all rows ------------------------------------------------------------------------------------------

/// Where the rows of a run go, and how many of them failed.
struct Record {
    std::optional<RecordFiles> files;
    int failed = 0;
};

/// Registers a row with Google Benchmark, whose one iteration shows our median.
inline void add_row(Record& record, const Planned& planned) {
    const auto run = [&record, planned](benchmark::State& state) {
        Row row = planned.row;
        try {
            planned.measure(row);
        } catch (const LeftOut& reason) {
            state.SkipWithError((std::string("left out: ") + reason.what()).c_str());
            return;
        } catch (const std::exception& failure) {
            ++record.failed;
            state.SkipWithError(failure.what());
            return;
        }
        for (auto _ : state) state.SetIterationTime(row.ours_us * 1e-6);
        state.counters["rival_us"] = row.cub_us;
        state.counters["copy_us"] = row.copy_us;
        state.counters["ratio"] = row.cub_us / row.ours_us;
        state.counters["spread"] = row.spread;
        if (!row.checked) {
            state.SetLabel("WRONG RESULT");
            ++record.failed;
        }
        if (record.files) record.files->add(row);
    };
    benchmark::RegisterBenchmark(name_of(planned.row).c_str(), run)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
}

/// Runs the rows that the options choose and writes the record, if it is wanted. Fails when a check failed.
inline int run_rows(const Program& program, const Options& options) {
    Record record;
    if (!options.out.empty()) record.files.emplace(options.out, program.setting, program.file_of_row);
    for (const RowSet& set : program.sets) {
        Sizes sizes = options.quick ? set.quick_sizes : set.sizes;
        if (!sizes.empty() && !options.sizes.empty()) sizes = options.sizes;
        for (const std::string& type : set.types)
            for (const std::string& case_name : set.cases)
                for (const std::uint64_t n : sizes)
                    for (const Planned& planned : program.plan({set.primitive, type, case_name}, n))
                        add_row(record, planned);
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    if (record.files) std::printf("%s", record.files->finish().c_str());
    if (record.failed > 0) std::printf("%d rows failed or have WRONG RESULTS\n", record.failed);
    return record.failed > 0 ? 1 : 0;
}

// ---- one row -------------------------------------------------------------------------------------------

inline int show_rows(const Program& program, const RowName& name, const Sizes& sizes) {
    std::vector<Planned> all;
    for (const std::uint64_t n : sizes) {
        const std::vector<Planned> rows = program.plan(name, n);
        if (rows.empty()) throw no_such_row(name, n, program.sets);
        all.insert(all.end(), rows.begin(), rows.end());
    }
    bool all_right = true;
    std::printf("%s\n", setting_line(program.setting).c_str());
    for (const Planned& planned : all) {
        Row row = planned.row;
        planned.measure(row);
        std::printf("\n%s", shown(row, planned.rival).c_str());
        std::fflush(stdout);
        all_right = all_right && row.checked;
    }
    return all_right ? 0 : 1;
}

/// What is left of a main function: 2 when the command line is at fault.
inline int run_program(int count, char** arguments, const std::function<Program(const Options&)>& make) try {
    const Options options = take_options(count, arguments);
    const Program program = make(options);
    if (!options.row) return run_rows(program, options);
    return show_rows(program, *options.row, options.sizes.empty() ? Sizes{1u << 24} : options.sizes);
} catch (const UsageError& mistake) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], mistake.what());
    return 2;
} catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", arguments[0], failure.what());
    return 1;
}

}  // namespace bench
