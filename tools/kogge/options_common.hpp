// The options that most subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace kogge::command {

inline void add_machine(CLI::App* app, MachineChoice& machine) {
    const Choices<kogge::backend> backends{
        {"auto", kogge::backend::automatic}, {"host", kogge::backend::host}, {"device", kogge::backend::device}};
    add_choice(app, "--backend", machine.where, backends,
               "where to run (default: auto, the device where there is one)");
    app->add_option("--threads", machine.threads, "threads of the host (default: all)")
        ->check(between(1, 1024))
        ->type_name("N");
}

/// One character, or \\t for a tab.
inline CLI::Option* add_delimiter(CLI::App* app, std::optional<char>& delimiter) {
    const auto is_one = [](const std::string& text) {
        return text.size() == 1 || text == "\\t" ? std::string() : "'" + text + "' is no single character, nor \\t";
    };
    return app
        ->add_option_function<std::string>(
            "--delimiter", [&delimiter](const std::string& text) { delimiter = text == "\\t" ? '\t' : text.front(); },
            "what stands between columns (default: the tab, comma, ; or | that the first line has, or blanks)")
        ->check(CLI::Validator(is_one, ""))
        ->type_name("CHARACTER");
}

inline void add_common(CLI::App* app, CommonOptions& common) {
    const Choices<Format> formats{{"npy", Format::npy}, {"raw", Format::raw}, {"text", Format::text}};
    app->add_option("input", common.input,
                    "a .npy file, raw binary, or text with a number a line, or columns; - is standard input")
        ->type_name("FILE");
    app->add_option("-o,--output", common.output, "where the result goes (default: standard output)")
        ->check(not_empty("file"))
        ->type_name("FILE");
    add_type(app, "--type", common.type, "of the items: " + all_type_names());
    add_choice(app, "--input-format", common.input_format, formats, "of the input (default: by name and content)");
    add_choice(app, "--format", common.output_format, formats, "of the result (default: by its name, or as the input)");
    app->add_flag("--header", common.header, "the first line of text is a title: leave it out");
    CLI::Option* column =
        app->add_option("--column", common.column.column,
                        "which of several columns of text: its number, from 1 on, or its name in the first line")
            ->check(not_empty("column"))
            ->type_name("COLUMN");
    add_delimiter(app, common.column.delimiter)->needs(column);
    app->add_flag("--verify", common.verify, "check the result by simple, independent code before it is written");
    app->add_flag("-q,--quiet", common.quiet, "no line of throughput, no progress bar");
    add_machine(app, common.machine);
}

/// What the subcommand does, once all options are known.
template <class Settings>
void set_run(CLI::App* app, const Settings& settings, void (*run)(const Settings&)) {
    app->callback([&settings, run] {
        check_ending(settings.common, settings.common.output);
        if (settings.common.quiet) Progress::silence();
        run(settings);
    });
}

inline CLI::Option* add_count_flag(CLI::App* app, CommonOptions& common, const std::string& help) {
    return app->add_flag("-c,--count", common.count, help);
}

}  // namespace kogge::command
