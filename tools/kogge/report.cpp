#include <cstdio>

#include "commands/commands.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"

namespace kogge::command {

Format output_format(const CommonOptions& options, const std::string& path, Format input) {
    if (options.output_format) return *options.output_format;
    return format_of_path(path).value_or(options.count ? Format::text : input);
}

const Array& result_or_count(const CommonOptions& options, const Array& array, Array& count) {
    if (!options.count) return array;
    count = Array(Type::u64, 1);
    *count.as<std::uint64_t>() = array.size();
    return count;
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
