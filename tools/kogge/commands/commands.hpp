// The subcommands, and what they share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "io/array.hpp"
#include "io/input.hpp"
#include "kogge/keys.hpp"
#include "kogge/operators.hpp"
#include "kogge/top_k.hpp"
#include "machine.hpp"

namespace kogge::command {

struct CommonOptions {
    std::string input = "-";
    std::string output = "-";
    std::optional<Type> type;
    std::optional<Format> input_format;
    std::optional<Format> output_format;
    bool header = false;
    ColumnChoice column;
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
    std::uint64_t memory = 0;   ///< the most to take; 0: what there is
    std::string directory;      ///< of temporary files; empty: see temporary_directory
    std::string resume;         ///< the directory that keeps sorted runs; empty: nothing is kept
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

struct TopKSettings {
    CommonOptions common;
    top_k_options order;
    std::uint64_t k = 10;
    bool indices = false;
    std::uint64_t memory = 0;  ///< see piece_items
};

struct UniqueSettings {
    CommonOptions common;
    sort_options order;
    bool counts = false;
    std::string counts_output;  ///< empty: beside the output
    std::uint64_t memory = 0;
};

struct HistogramSettings {
    CommonOptions common;
    std::uint32_t bins = 20;
    std::string range;  ///< "a:b"; empty: from the least item to the greatest
    bool log = false;
    std::string edges;  ///< where the edges go; empty: nowhere
    std::uint64_t memory = 0;
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
/// The same by way of temporary files, in as much memory as the settings say.
void run_external_sort(const SortSettings& settings);
void run_compact(const CompactSettings& settings);
void run_scan(const ScanSettings& settings);
void run_top_k(const TopKSettings& settings);
void run_unique(const UniqueSettings& settings);
void run_histogram(const HistogramSettings& settings);
void run_info(const InfoSettings& settings);
void run_bench(const BenchSettings& settings);
void run_demo(const DemoSettings& settings);

/// The benchmarks' name of what is to be timed: radix_sort/u32/uniform.
std::string bench_row(const BenchSettings& settings);

/// The input that the options name. `memory`: see InputOptions.
InputOptions input_of(const CommonOptions& options,
                      std::function<std::uint64_t(std::uint64_t n, std::size_t item_bytes)> memory = {});

/// The format that the result is written in: as told, as the output's name says, or as the input had it; a count is
/// text.
Format output_format(const CommonOptions& options, const std::string& path, Format input);

/// Fails where the name of a file to be written ends with what is no format's, and no option says the format.
void check_ending(const CommonOptions& options, const std::string& path);

/// Writes the array, or with --count its size, to where the options say, at once.
void write_result(const CommonOptions& options, const Array& array, Format format, const std::string& what);
/// The array, or with --count an array of its size.
const Array& result_or_count(const CommonOptions& options, const Array& array, Array& count);

/// A result that is written beside the output.
struct SecondResult {
    std::string given;   ///< where it goes; empty: beside the output
    const char* first;   ///< what the output has: keys
    const char* second;  ///< values: sorted.npy → sorted.values.npy
    const char* option;  ///< --with, which asks for it, and --with-output says where it goes
};
std::string second_path(const CommonOptions& options, const SecondResult& result);

/// How many items a piece has when a call needs so many bytes for each item of it: as many as `memory` holds, which is
/// what --memory says, or, if that is 0, a part of what there is.
std::uint64_t piece_items(std::uint64_t memory, std::size_t bytes_per_item);

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
