// kogge unique: each number once, in order, and how often it is there. The input is read a piece at a time; each piece
// is sorted where the machine does it, and the distinct numbers of the pieces are merged.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "commands/each_piece.hpp"
#include "commands/runs.hpp"
#include "io/numbers.hpp"
#include "io/output.hpp"
#include "io/rows.hpp"
#include "kogge/radix_sort.hpp"
#include "verify.hpp"

namespace kogge::command {
namespace {

class Unique {
public:
    Unique(const UniqueSettings& settings, OpenInput& input) : settings_(settings), input_(input) {}

    Run find() {
        MachineRuns machine(settings_.common.machine);
        RunStack runs(settings_.order);
        // The piece, the scratch of its sort, and what is distinct of it.
        const std::size_t item = info_of(input_.type()).bytes;
        const std::size_t bytes = 3 * item + (settings_.counts ? sizeof(std::uint64_t) : 0);
        for_each_piece(input_, settings_.memory, bytes, [&](const Array& piece) {
            sort(machine, piece);
            const Stopwatch watch;
            runs.add(make_run(piece, settings_.order, settings_.counts, settings_.common.machine.threads));
            seconds_ += watch.seconds();
            seen_ += piece.size();
        });
        Run all = runs.take();
        report_ = {"found " + with_separators(all.size()) + " distinct of " + with_separators(seen_) + " " +
                       name_of(input_.type()),
                   seen_,
                   "items",
                   seconds_,
                   machine.machine().copy_seconds(),
                   machine.machine().name()};
        return all;
    }
    const Report& report() const { return report_; }

private:
    void sort(MachineRuns& machine, const Array& piece) {
        machine([&](Machine& where) {
            visit(piece.type(), [&]<class T>() {
                Placed<T> items(where, piece.as<T>(), piece.size());
                seconds_ += where.time([&] { radix_sort(items.data(), piece.size(), settings_.order, where.how()); });
                items.fetch(piece.size());
            });
        });
    }

    const UniqueSettings& settings_;
    OpenInput& input_;
    std::uint64_t seen_ = 0;
    double seconds_ = 0;
    Report report_{};
};

/// Beside each other: with a title in .csv and .tsv, else as uniq -c writes them.
void write_counted(Output& output, const Run& run, const std::string& path) {
    const std::optional<char> delimiter = table_delimiter(path);
    const std::string title = delimiter ? std::string("value") + *delimiter + "count\n" : "";
    output.write(title.data(), title.size());
    visit(run.items.type(), [&]<class T>() {
        write_rows(output, run.size(), "the distinct numbers", [&](std::uint64_t i, std::string& text) {
            const std::uint64_t count = run.counts.as<std::uint64_t>()[i];
            const std::string item = number_text(run.items.as<T>()[i]);
            char padded[32];
            std::snprintf(padded, sizeof padded, "%7llu ", static_cast<unsigned long long>(count));
            text += delimiter ? item + *delimiter + number_text(count) : padded + item;
        });
    });
}

}  // namespace

void run_unique(const UniqueSettings& settings) {
    const CommonOptions& common = settings.common;
    OpenInput input(input_of(common), common.verify, "leave --verify out");
    const Format format = output_format(common, common.output, input.format());
    check_output(common.output, format);
    const bool apart = settings.counts && (format != Format::text || !settings.counts_output.empty());
    const std::string counts_path =
        apart ? second_path(common, {settings.counts_output, "numbers", "counts", "--count"}) : "";
    Output output(common.output);
    std::optional<Output> counts_output;
    Unique unique(settings, input);
    const Run run = unique.find();
    if (common.verify) verify_unique(input, settings, run);
    if (settings.counts && !apart) write_counted(output, run, common.output);
    else write_array(output, run.items, format, "the distinct numbers");
    output.finish();
    if (apart) {
        counts_output.emplace(counts_path);
        write_array(*counts_output, run.counts, output_format(common, counts_path, format), "the counts");
        counts_output->finish();
    }
    output.publish();
    if (counts_output) counts_output->publish();
    print_report(common, unique.report());
}

}  // namespace kogge::command
