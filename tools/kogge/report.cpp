#include <cstdio>

#include "commands.hpp"
#include "numbers.hpp"

namespace kogge::command {

Format output_format(const CommonOptions& options, const std::string& path, Format input) {
    if (options.output_format) return *options.output_format;
    return format_of_path(path).value_or(input);
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
