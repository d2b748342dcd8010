// The options, and which subcommand runs.
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "io/output.hpp"
#include "man.hpp"
#include "options_common.hpp"
#include "options_pieces.hpp"

namespace kogge::command {
namespace {

void add_sort(CLI::App& app, SortSettings& settings, void (*run)(const SortSettings&)) {
    CLI::App* sort = app.add_subcommand("sort", "sort numbers, with values beside them if wanted (stable)");
    add_common(sort, settings.common);
    sort->add_flag_callback(
        "-d,-r,--descending,--reverse", [&] { settings.order.order = kogge::descending; }, "largest first");
    auto* with = sort->add_option("--with", settings.values, "values that move with the keys, one for each")
                     ->check(not_empty("file"))
                     ->type_name("FILE");
    add_type(sort, "--with-type", settings.values_type, "of the values, where they are raw binary")->needs(with);
    sort->add_option("--with-output", settings.values_output,
                     "where they go (default: sorted.values.npy beside sorted.npy)")
        ->check(not_empty("file"))
        ->type_name("FILE")
        ->needs(with);
    sort->add_flag("--indices", settings.indices, "write the indices that would sort the numbers instead (argsort)")
        ->excludes(with);
    sort->add_flag("-u,--unique", settings.unique, "of equal keys only the first, with its value or its index");
    add_count_flag(sort, settings.common, "write how many keys there are instead of them")->excludes(with);
    sort->add_option("--begin-bit", settings.order.begin_bit, "first bit of the key that counts")
        ->check(between(0, 64))
        ->type_name("BIT");
    sort->add_option("--end-bit", settings.order.end_bit, "one past the last (default: all bits)")
        ->check(between(0, 64))
        ->type_name("BIT");
    add_order(sort, settings.order.nans, settings.order.zeros);
    add_number(
        sort, "--memory", settings.memory, parse_bytes, "number of bytes, such as 64M or 1G",
        "the most to take (default: what there is); more is sorted in parts, which are merged from temporary files")
        ->type_name("BYTES");
    sort->add_option("-T,--temporary-directory", settings.directory,
                     "where these files are (default: $TMPDIR, or /tmp); they have no names")
        ->check(not_empty("directory"))
        ->type_name("DIRECTORY");
    sort->add_option("--resume", settings.resume,
                     "keep sorted parts there; the same command goes on with them if it was interrupted")
        ->check(not_empty("directory"))
        ->type_name("DIRECTORY");
    sort->parse_complete_callback([&order = settings.order] {
        if (order.end_bit >= 0 && order.begin_bit > order.end_bit)
            throw usage_failure("--begin-bit " + std::to_string(order.begin_bit) + " is above --end-bit " +
                                    std::to_string(order.end_bit),
                                "bits count from 0, the lowest; --end-bit is one past the last that counts");
    });
    sort->footer("Example: kogge sort keys.npy -o sorted.npy --descending --with values.npy");
    set_run(sort, settings, run);
}

void add_compact(CLI::App& app, CompactSettings& settings) {
    CLI::App* compact = app.add_subcommand("compact", "keep the numbers that satisfy a comparison, in their order");
    add_common(compact, settings.common);
    compact
        ->add_option("--where", settings.where,
                     "the comparison: < <= > >= == or != and a number, which may end in K, M, G or T (of 1024)")
        ->required()
        ->type_name("'>N'");
    compact->add_flag("--indices", settings.indices,
                      "write the indices of the kept numbers, from 0 on, instead of them");
    add_count_flag(compact, settings.common, "write how many numbers are kept instead of them");
    compact->footer("Example: kogge compact sizes.txt --where '>1048576'");
    set_run(compact, settings, run_compact);
}

void add_scan(CLI::App& app, ScanSettings& settings) {
    CLI::App* scan = app.add_subcommand("scan", "running sums, maxima or minima");
    add_common(scan, settings.common);
    const Choices<ScanOperator> operators{
        {"sum", ScanOperator::sum}, {"max", ScanOperator::max}, {"min", ScanOperator::min}};
    add_choice(scan, "--op", settings.op, operators, "what to run (default: sum)");
    scan->add_flag("--exclusive", settings.exclusive, "each place holds what comes before it");
    scan->add_option("--init", settings.init, "the value to begin with")->check(not_empty("number"))->type_name("X");
    add_type(scan, "--accumulate", settings.accumulate,
             "type of the results (default: 64 bits for sums of integers, f32 for f16, else as the input)");
    scan->footer("Example: kogge scan --op max --exclusive levels.npy -o before.npy");
    set_run(scan, settings, run_scan);
}

void add_info(CLI::App& app, InfoSettings& settings) {
    CLI::App* info = app.add_subcommand("info", "what this machine has, and what a call would do on a device");
    auto* plan = info->add_option("--plan", settings.plan, "print the plan of a call: sort, compact or scan")
                     ->check(CLI::IsMember({"sort", "compact", "scan"}))
                     ->type_name("CALL");
    add_type(info, "--type", settings.type, "of the items (default: u32)")->needs(plan);
    add_count(info, "--n", settings.n, "how many items (default: 2^28)")->needs(plan);
    add_type(info, "--with", settings.values, "type of the values that move with the keys of a sort")->needs(plan);
    add_number(info, "--scratch-limit", settings.scratch_limit, parse_count,
               "number of bytes, such as 1000000, 1e6 or 2^20", "the most bytes of scratch that a sort may take")
        ->needs(plan)
        ->type_name("BYTES");
    info->add_option("--device-like", settings.device_like,
                     "a card that need not be here: A100, \"RTX 4090\", sm_90, … (default: this machine's, else H200)")
        ->check(not_empty("card"))
        ->type_name("NAME");
    info->footer("Example: kogge info --plan sort --type u32 --n 2^28 --device-like H100");
    info->callback([&] { run_info(settings); });
}

void add_demo(CLI::App& app, DemoSettings& settings) {
    CLI::App* demo = app.add_subcommand(
        "demo", "sort, compact and scan the sizes of all files of this machine, and check the result");
    demo->add_option("--root", settings.root, "directory to look below (default: /usr)")->type_name("DIRECTORY");
    add_machine(demo, settings.machine);
    demo->callback([&] { run_demo(settings); });
}

void add_bench(CLI::App& app, BenchSettings& settings) {
    CLI::App* bench =
        app.add_subcommand("bench", "time one call beside CUB's on a GPU, or std::'s and Thrust's on the host");
    bench->require_subcommand(1);
    const auto add_call = [&](BenchCall call, const char* name, const char* help) {
        CLI::App* of_call = bench->add_subcommand(name, help);
        add_type(of_call, "--type", settings.type, "of the items (default: u32)");
        of_call->add_option("--n", settings.n, "how many: 1000000 or 2^20 (default: 2^24)")->type_name("N");
        const Choices<kogge::backend> backends{
            {"auto", kogge::backend::automatic}, {"host", kogge::backend::host}, {"device", kogge::backend::device}};
        add_choice(of_call, "--backend", settings.where, backends,
                   "what to time (default: auto, the device if there is one)");
        of_call
            ->add_option("--programs", settings.programs, "the folder of the benchmark programs (default: the build's)")
            ->check(not_empty("folder"))
            ->type_name("FOLDER");
        of_call->callback([&settings, call] {
            settings.call = call;
            run_bench(settings);
        });
        return of_call;
    };
    const auto named = [](const std::vector<const char*>& names) {
        Choices<std::string> choices;
        for (const char* name : names) choices.emplace_back(name, name);
        return choices;
    };
    CLI::App* sort = add_call(BenchCall::sort, "sort", "a radix sort");
    add_choice(
        sort, "--dist", settings.distribution,
        named({"uniform", "and_skewed", "values_16", "one_value", "sorted", "reversed", "low32", "shared_prefix"}),
        "of the keys (default: uniform)");
    auto* pairs = sort->add_flag("--pairs", settings.pairs, "with values of the same type");
    sort->add_flag("--indices", settings.indices, "the indices that would sort the keys (argsort)")->excludes(pairs);
    CLI::App* scan = add_call(BenchCall::scan, "scan", "running sums, maxima or minima");
    add_choice(scan, "--op", settings.op, named({"sum", "max", "min"}), "what to run (default: sum)");
    scan->add_flag("--exclusive", settings.exclusive, "each place holds what comes before it");
    CLI::App* compact = add_call(BenchCall::compact, "compact", "keeping the items that satisfy a predicate");
    compact->add_flag("--flags", settings.flags, "by flags, not by a predicate");
    for (CLI::App* keeps :
         {compact, add_call(BenchCall::partition, "partition", "the same, with the others behind them")}) {
        keeps->add_option("--kept", settings.kept, "how many of a hundred items satisfy the predicate (default: 50)")
            ->check(CLI::Range(0.0, 100.0).description(""))
            ->type_name("PERCENT");
        keeps->add_flag("--clustered", settings.clustered, "they come in runs");
    }
    add_call(BenchCall::split, "split", "sorting into bins by the highest bits")
        ->add_option("--bins", settings.bins, "how many: a power of two to 4096 (default: 256)")
        ->check(between(2, 4096))
        ->type_name("N");
    bench->footer("Example: kogge bench sort --type u32 --n 2^28");
}

Failure no_command(const std::string& what) {
    return usage_failure(what,
                         "there are sort, compact, scan, top-k, unique, histogram, info, bench and demo; kogge help "
                         "tells more");
}

/// `kogge help sort` asks for what `kogge sort --help` does.
std::vector<std::string> words_of(int count, char** words) {
    std::vector<std::string> all(words + 1, words + count);
    if (!all.empty() && all.front() == "help") {
        all.erase(all.begin());
        all.emplace_back("--help");
    }
    return all;
}

int flush_output() {
    if (std::fflush(stdout) == 0) return 0;
    if (errno == EPIPE) throw ReaderGone("cannot write to standard output: its reader has gone");
    throw Failure("cannot write to standard output");
}

}  // namespace

int run_command_line(int count, char** words, void (*sort_keys)(const SortSettings&)) {
    CLI::App app("kogge: sort, filter, sum and count numbers, on a GPU where there is one", "kogge");
    SortSettings sort;
    CompactSettings compact;
    ScanSettings scan;
    TopKSettings top_k;
    UniqueSettings unique;
    HistogramSettings histogram;
    InfoSettings info;
    BenchSettings bench;
    DemoSettings demo;
    app.set_version_flag("--version", "kogge " KOGGE_VERSION);
    app.require_subcommand(0, 1);
    add_sort(app, sort, sort_keys);
    add_compact(app, compact);
    add_scan(app, scan);
    add_top_k(app, top_k);
    add_unique(app, unique);
    add_histogram(app, histogram);
    add_info(app, info);
    add_bench(app, bench);
    add_demo(app, demo);
    app.footer(
        "kogge COMMAND --help tells more, e.g. kogge sort --help; kogge --man | man -l - tells of Parquet, too.");
    app.add_flag_callback(
        "--man", [&] { throw CLI::CallForHelp(); }, "print the manual page, for man -l");
    std::vector<std::string> all = words_of(count, words);
    if (all == std::vector<std::string>{"--man"}) {
        std::fputs(man_page(app, KOGGE_VERSION).c_str(), stdout);
        return flush_output();
    }
    const std::string first = all.empty() ? "" : all.front();
    const auto is_first = [&](const CLI::App* command) { return command->get_name() == first; };
    if (first.substr(0, 1) != "-" && !first.empty() && app.get_subcommands(is_first).empty())
        throw no_command("'" + first + "' is no command");
    try {
        std::reverse(all.begin(), all.end());  // as the parser wants them
        app.parse(std::move(all));
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) {
            app.exit(problem);
            return flush_output();
        }
        const auto chosen = app.get_subcommands();
        throw usage_failure(problem.what(), "kogge " + (chosen.empty() ? "" : chosen[0]->get_name() + " ") +
                                                "--help lists the options");
    }
    if (app.get_subcommands().empty()) throw no_command("no command");
    return flush_output();
}

Failure failure_in_flight() {
    try {
        throw;
    } catch (const ReaderGone&) {
        throw;
    } catch (const Failure& failure) {
        return failure;
    } catch (const kogge::error& problem) {
        std::string what = problem.what();
        if (what.rfind("kogge::", 0) == 0) what.erase(0, 7);
        return Failure(what, "", problem.code() == kogge::errc::invalid_argument ? kExitUsage : kExitFailure);
    } catch (const std::bad_alloc&) {
        return Failure("out of memory", "work on parts that fit, or on a machine with more memory");
    } catch (const std::exception& problem) {
        return Failure(problem.what());
    }
}

int report(const Failure& failure) {
    std::fprintf(stderr, "kogge: %s\n", failure.what());
    if (!failure.hint.empty()) std::fprintf(stderr, "  hint: %s\n", failure.hint.c_str());
    return failure.exit_code;
}

int report_exception() {
    try {
        return report(failure_in_flight());
    } catch (const ReaderGone& gone) {
        end_by_broken_pipe();
        return report(gone);
    }
}

}  // namespace kogge::command
