// The options of the subcommands that read their input a piece at a time.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "commands/commands.hpp"
#include "options.hpp"
#include "options_common.hpp"

namespace kogge::command {

inline void add_memory(CLI::App* app, std::uint64_t& memory) {
    add_number(app, "--memory", memory, parse_bytes, "number of bytes, such as 64M or 1G",
               "of the pieces in which the input is read (default: a quarter of what there is, at most 1G)")
        ->type_name("BYTES");
}

inline void add_order(CLI::App* app, nan_order& nan, zero_order& zero) {
    const Choices<kogge::nan_order> nans{{"sign", kogge::nan_order::by_sign},
                                         {"last", kogge::nan_order::last},
                                         {"greatest", kogge::nan_order::greatest}};
    const Choices<kogge::zero_order> zeros{{"negative-first", kogge::zero_order::negative_first},
                                           {"equal", kogge::zero_order::equal}};
    add_choice(app, "--nan", nan, nans,
               "NaNs stand by their sign (default), after everything, or\n"
               "after +∞, which is first in descending order");
    add_choice(app, "--zeros", zero, zeros, "-0 stands before +0 (default), or is its equal");
}

inline void add_top_k(CLI::App& app, TopKSettings& settings) {
    CLI::App* top =
        app.add_subcommand("top-k", "the largest or smallest numbers, in order, without sorting the others");
    add_common(top, settings.common);
    add_count(top, "-k", settings.k, "how many (default: 10); all where there are fewer");
    auto* largest = top->add_flag_callback(
        "--largest", [&] { settings.order.order = kogge::descending; }, "the largest, largest first (default)");
    top->add_flag_callback(
           "--smallest", [&] { settings.order.order = kogge::ascending; }, "the smallest, smallest first")
        ->excludes(largest);
    top->add_flag("--indices", settings.indices, "write where they stand, from 0 on, instead of them");
    add_order(top, settings.order.nans, settings.order.zeros);
    add_memory(top, settings.memory);
    top->footer("Example: kogge top-k -k 20 --column bytes requests.csv");
    set_run(top, settings, run_top_k);
}

inline void add_unique(CLI::App& app, UniqueSettings& settings) {
    CLI::App* unique = app.add_subcommand("unique", "each number once, in order, and how often it is there if wanted");
    add_common(unique, settings.common);
    auto* count = unique->add_flag("-c,--count", settings.counts, "write how often each one is there, too");
    unique
        ->add_option("--count-output", settings.counts_output,
                     "where the counts go, unless they stand beside the numbers in text (default: out.counts.npy "
                     "beside out.npy)")
        ->check(not_empty("file"))
        ->type_name("FILE")
        ->needs(count);
    unique->add_flag_callback(
        "-d,-r,--descending,--reverse", [&] { settings.order.order = kogge::descending; }, "largest first");
    add_order(unique, settings.order.nans, settings.order.zeros);
    add_memory(unique, settings.memory);
    unique->footer("Example: kogge unique --count ports.txt");
    set_run(unique, settings, run_unique);
}

inline void add_histogram(CLI::App& app, HistogramSettings& settings) {
    CLI::App* histogram =
        app.add_subcommand("histogram", "how many numbers lie in each of several bins, plotted or as numbers");
    add_common(histogram, settings.common);
    histogram->add_option("--bins", settings.bins, "how many (default: 20)")
        ->check(between(1, 1 << 24))
        ->type_name("N");
    histogram
        ->add_option("--range", settings.range,
                     "where the first bin begins and the last one ends, which is in it (default: the least and the "
                     "greatest finite number)")
        ->check(not_empty("range"))
        ->type_name("A:B");
    histogram->add_flag("--log", settings.log,
                        "bins whose ends have the same ratio, not the same difference: for positive numbers");
    histogram->add_option("--edges", settings.edges, "write the ends of the bins to this file, one more than bins")
        ->check(not_empty("file"))
        ->type_name("FILE");
    add_memory(histogram, settings.memory);
    histogram->footer(
        "Without -o and --format it plots. Text has a line lower,upper,count for each bin; .npy and raw files have the "
        "counts alone. Example: kogge histogram --bins 40 --range 0:1 scores.npy");
    set_run(histogram, settings, run_histogram);
}

}  // namespace kogge::command
