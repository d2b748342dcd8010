#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"

namespace kogge::command {

InputOptions input_of(const CommonOptions& options,
                      std::function<std::uint64_t(std::uint64_t n, std::size_t item_bytes)> memory) {
    return {options.input, options.type, options.input_format, options.header, options.column, std::move(memory)};
}

Format output_format(const CommonOptions& options, const std::string& path, Format input) {
    if (options.output_format) return *options.output_format;
    return format_of_path(path).value_or(options.count ? Format::text : input);
}

void check_ending(const CommonOptions& options, const std::string& path) {
    if (options.output_format || format_of_path(path) || !is_file_to_be(path)) return;
    const std::string end = std::filesystem::path(path).extension();
    if (end.size() < 2 || std::isalpha(static_cast<unsigned char>(end[1])) == 0) return;  // a date, a version
    throw usage_failure("'" + path + "' ends with '" + end + "', which is none of " + kFormatEndings,
                        "choose one of them, or say --format npy, raw or text");
}

const Array& result_or_count(const CommonOptions& options, const Array& array, Array& count) {
    if (!options.count) return array;
    count = Array(Type::u64, 1);
    *count.as<std::uint64_t>() = array.size();
    return count;
}

std::string second_path(const CommonOptions& options, const SecondResult& result) {
    const std::string& output = options.output;
    const std::string second = result.second;
    if (!result.given.empty()) {
        if (are_one_place(output, result.given))
            throw usage_failure(std::string("the ") + result.first + " and the " + second + " cannot both go to " +
                                    (is_standard_output(output) ? "standard output" : "'" + output + "'"),
                                "name another file for one of them");
        check_ending(options, result.given);
        return result.given;
    }
    if (!is_file_to_be(output))
        throw usage_failure(
            std::string(result.option) + " writes a second result, and " +
                (is_standard_output(output) ? "standard output" : "'" + output + "'") + " takes only one",
            std::string("say where they go: -o out.npy ") + result.option + "-output " + second + ".npy");
    const std::size_t dot = output.rfind('.'), slash = output.rfind('/');
    const bool has_end = dot != std::string::npos && dot != 0 && (slash == std::string::npos || dot > slash + 1);
    return has_end ? output.substr(0, dot) + "." + second + output.substr(dot) : output + "." + second;
}

std::uint64_t piece_items(std::uint64_t memory, std::size_t bytes_per_item) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
    if (memory == 0) memory = std::min(kMost, available_memory() / 4);
    return std::max<std::uint64_t>(1, memory / bytes_per_item);
}

void write_result(const CommonOptions& options, const Array& array, Format format, const std::string& what) {
    Array count;
    Output output(options.output);
    write_array(output, result_or_count(options, array, count), format, what);
    output.finish();
    output.publish();
}

void print_report(const CommonOptions& options, const Report& report) {
    if (options.quiet) return;
    std::string line = report.done + " in " + readable_time(report.seconds) + " (" +
                       readable_rate(report.items, report.seconds, report.unit) + ", " + report.machine;
    if (report.copy_seconds > 0) line += "; copies " + readable_time(report.copy_seconds);
    line += options.verify ? "), verified" : ")";
    std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace kogge::command
