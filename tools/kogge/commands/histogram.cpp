// kogge histogram: how many numbers lie in each bin. The input is read a piece at a time; where no range is given, it
// is read once before, for the least and the greatest number.
#include <cstdint>
#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "commands/each_piece.hpp"
#include "commands/plot.hpp"
#include "commands/tally.hpp"
#include "failure.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "io/rows.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

constexpr std::size_t kWidened = 4;  // bytes of an item that is counted in a wider type

template <class F>
void each_piece(OpenInput& input, const HistogramSettings& settings, const F& f) {
    for_each_piece(input, settings.memory, info_of(input.type()).bytes + kWidened, f);
}

Bins choose_bins(const HistogramSettings& settings, const std::optional<Range>& range, OpenInput& input) {
    if (range) return {*range, settings.bins, settings.log};
    Extremes extremes(settings.log);
    each_piece(input, settings, [&](const Array& piece) { extremes.look_at(piece); });
    input.pieces().rewind();
    return Bins::of_items(extremes.range(), settings.bins, settings.log);
}

Array edges_of(const Bins& bins) {
    Array edges(Type::f64, bins.edges().size());
    for (std::uint64_t i = 0; i < edges.size(); ++i) edges.as<double>()[i] = static_cast<double>(bins.edges()[i]);
    return edges;
}

void write_table(Output& output, const Bins& bins, const Array& counts, char delimiter) {
    const std::string title = std::string("lower") + delimiter + "upper" + delimiter + "count\n";
    output.write(title.data(), title.size());
    write_rows(output, bins.size(), "the bins", [&](std::uint64_t i, std::string& text) {
        text += bins.edge_text(i) + delimiter + bins.edge_text(i + 1) + delimiter +
                number_text(counts.as<std::uint64_t>()[i]);
    });
}

Report report_of(const Tally& tally, const Bins& bins, Type type, const Machine& machine) {
    const std::string bin_count = with_separators(bins.size()) + (bins.size() == 1 ? " bin" : " bins");
    std::string done = "counted " + with_separators(tally.items()) + " " + name_of(type) + " in " + bin_count;
    const LeftOut& out = tally.left_out();
    std::string rest;
    const auto add = [&](std::uint64_t count, const char* what) {
        if (count > 0) rest += (rest.empty() ? "" : ", ") + with_separators(count) + what;
    };
    add(out.below, " below them");
    add(out.above, " above them");
    add(out.nan, " NaN");
    if (!rest.empty()) done += " (left out: " + rest + ")";
    return {done, tally.items(), "items", tally.seconds(), machine.copy_seconds(), machine.name()};
}

}  // namespace

void run_histogram(const HistogramSettings& settings) {
    const CommonOptions& common = settings.common;
    const std::optional<Range> range =
        settings.range.empty() ? std::nullopt : std::optional(parse_range(settings.range));
    if (range) Bins(*range, 1, settings.log);  // is refused before the input is opened
    if (!settings.edges.empty() && are_one_place(common.output, settings.edges))
        throw usage_failure("the counts and the edges cannot both go to " +
                                (is_standard_output(common.output) ? "standard output" : "'" + common.output + "'"),
                            "name another file for one of them");
    check_ending(common, settings.edges);
    OpenInput input(input_of(common), !range || common.verify,
                    range ? "leave --verify out" : "say --range, so that it is read only once");
    const bool plots = common.output == "-" && !common.output_format;
    const Format format = output_format(common, common.output, Format::text);
    check_output(common.output, format);
    Output output(common.output);
    std::optional<Output> edges_output;
    if (!settings.edges.empty()) edges_output.emplace(settings.edges);
    const Bins bins = choose_bins(settings, range, input);
    MachineRuns machine(common.machine);
    Tally tally(bins);
    each_piece(input, settings, [&](const Array& piece) { tally.add(machine, piece); });
    if (common.verify) verify_histogram(input, settings, bins, tally);
    if (plots) {
        const std::string bars = plot(bins, tally, terminal_width(), writes_utf8());
        output.write(bars.data(), bars.size());
    } else if (format == Format::text) {
        write_table(output, bins, tally.counts(), table_delimiter(common.output).value_or(','));
    } else {
        write_array(output, tally.counts(), format, "the counts");
    }
    output.finish();
    if (edges_output) {
        write_array(*edges_output, edges_of(bins), output_format(common, settings.edges, format), "the edges");
        edges_output->finish();
    }
    output.publish();
    if (edges_output) edges_output->publish();
    print_report(common, report_of(tally, bins, input.type(), machine.machine()));
}

}  // namespace kogge::command
