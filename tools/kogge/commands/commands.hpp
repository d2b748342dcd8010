// The subcommands, and what they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/array.hpp"
#include "io/input.hpp"
#include "kogge/keys.hpp"
#include "kogge/operators.hpp"
#include "machine.hpp"

namespace kogge::command {

struct CommonOptions {
    std::string input = "-";
    std::string output = "-";
    std::optional<Type> type;
    std::optional<Format> input_format;
    std::optional<Format> output_format;
    bool header = false;
    bool count = false;  ///< how many results there are, instead of them
    MachineChoice machine;
    bool verify = false;
    bool quiet = false;
};

struct SortSettings {
    CommonOptions common;
    sort_options order;
    bool indices = false;
    bool unique = false;
    std::string values;  ///< --with; empty: none
    std::optional<Type> values_type;
    std::string values_output;  ///< --with-output; empty: beside the output
};

struct CompactSettings {
    CommonOptions common;
    std::string where;
    bool indices = false;
};

enum class ScanOperator { sum, max, min };

struct ScanSettings {
    CommonOptions common;
    ScanOperator op = ScanOperator::sum;
    bool exclusive = false;
    std::string init;  ///< empty: none
    std::optional<Type> accumulate;
};

struct InfoSettings {
    std::string plan;  ///< sort, compact or scan; empty: none
    Type type = Type::u32;
    std::optional<Type> values;
    std::uint64_t n = std::uint64_t{1} << 28;
    std::uint64_t scratch_limit = kNoLimit;
    std::string device_like;  ///< empty: this machine's device, or an H200 where there is none
};

enum class BenchCall { sort, scan, compact, partition, split };

struct BenchSettings {
    BenchCall call = BenchCall::sort;
    Type type = Type::u32;
    std::string n = "2^24";
    std::string distribution = "uniform";
    bool pairs = false, indices = false;
    std::string op = "sum";
    bool exclusive = false;
    double kept = 50;
    bool clustered = false, flags = false;
    int bins = 256;
    backend where = backend::automatic;
    std::string programs;  ///< folder; empty: bench beside the command's own
};

struct DemoSettings {
    std::string root = "/usr";
    MachineChoice machine;
};

void run_sort(const SortSettings& settings);
void run_compact(const CompactSettings& settings);
void run_scan(const ScanSettings& settings);
void run_info(const InfoSettings& settings);
void run_bench(const BenchSettings& settings);
void run_demo(const DemoSettings& settings);

/// The benchmarks' name of what is to be timed: radix_sort/u32/uniform.
std::string bench_row(const BenchSettings& settings);

/// The format that the result is written in: as told, as the output's name says, or as the input had it; a count is
/// text.
Format output_format(const CommonOptions& options, const std::string& path, Format input);

/// Writes the array, or with --count its size, to where the options say, at once.
void write_result(const CommonOptions& options, const Array& array, Format format, const std::string& what);
/// The array, or with --count an array of its size.
const Array& result_or_count(const CommonOptions& options, const Array& array, Array& count);

/// One line on standard error, unless --quiet: what was done, how fast, where, and whether it was verified.
struct Report {
    std::string done;  ///< "sorted 1,000,000 u32"
    std::uint64_t items;
    const char* unit;
    double seconds;
    double copy_seconds;
    std::string machine;
};
void print_report(const CommonOptions& options, const Report& report);

}  // namespace kogge::command
