// The main function of a benchmark program: options, Google Benchmark as the runner, the record beside it.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/record.hpp"

namespace bench {

struct Options {
    bool quick = false;                ///< --quick: the rows of the README's table only
    std::vector<std::uint64_t> sizes;  ///< --n=SIZE, which can be repeated: all rows of these sizes
    std::string out;                   ///< --out=FOLDER: where the record goes; nowhere by default
    std::string commit;                ///< --commit=NAME: of the record, by default commit_name()
};

/// Removes the options that are ours from the command line; Google Benchmark takes the rest.
inline Options take_options(int& count, char** arguments) {
    Options options;
    int kept = 1;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--quick") options.quick = true;
        else if (word.rfind("--n=", 0) == 0) options.sizes.push_back(parse_size(word.substr(4)));
        else if (word.rfind("--out=", 0) == 0) options.out = word.substr(6);
        else if (word.rfind("--commit=", 0) == 0) options.commit = word.substr(9);
        else arguments[kept++] = arguments[i];
    }
    count = kept;
    arguments[kept] = nullptr;
    if (options.commit.empty()) options.commit = commit_name();
    return options;
}

/// The rows of a run, and how many of them failed.
class Record {
public:
    void add(const Row& row) {
        rows_.push_back(row);
        if (!row.checked) ++failed_;
    }
    void add_failure() { ++failed_; }
    const std::vector<Row>& rows() const { return rows_; }
    int failed() const { return failed_; }

private:
    std::vector<Row> rows_;
    int failed_ = 0;
};

/// Why a row cannot be measured here, which is no failure: too little memory, or work that no graph can hold.
struct LeftOut : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Registers a row with Google Benchmark, whose one iteration shows our median.
inline void add_row(Record& record, const std::string& name, std::function<Row()> measure) {
    const auto run = [&record, measure = std::move(measure)](benchmark::State& state) {
        Row row;
        try {
            row = measure();
        } catch (const LeftOut& reason) {
            state.SkipWithError((std::string("left out: ") + reason.what()).c_str());
            return;
        } catch (const std::exception& failure) {
            record.add_failure();
            state.SkipWithError(failure.what());
            return;
        }
        for (auto _ : state) state.SetIterationTime(row.ours_us * 1e-6);
        state.counters["rival_us"] = row.cub_us;
        state.counters["copy_us"] = row.copy_us;
        state.counters["ratio"] = row.cub_us / row.ours_us;
        state.counters["spread"] = row.spread;
        if (!row.checked) state.SetLabel("WRONG RESULT");
        record.add(row);
    };
    benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(1)->Unit(benchmark::kMicrosecond);
}

/// Runs what is registered and writes the record, if it is wanted. Fails when a check failed.
inline int run_rows(const Record& record, const Options& options, const Setting& setting) {
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    std::map<std::string, std::vector<Row>> files;
    if (!options.out.empty())
        for (const Row& row : record.rows()) files[file_of(row.primitive)].push_back(row);
    for (const auto& [file, rows] : files)
        std::printf("%zu rows in %s\n", rows.size(), write_record(options.out, file, rows, setting).string().c_str());
    if (record.failed() > 0) std::printf("%d rows failed or have WRONG RESULTS\n", record.failed());
    return record.failed() > 0 ? 1 : 0;
}

}  // namespace bench
