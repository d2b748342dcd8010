// The manual page, made of the same options that --help lists.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace kogge::command {

/// Text as it stands in a page's source: neither a minus nor a line's first character is taken for something else.
inline std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
        if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else out += c;
    }
    return out;
}

inline std::string man_of_options(const CLI::App& app) {
    std::string page;
    for (const CLI::Option* option : app.get_options()) {
        const bool is_place = !option->nonpositional();
        std::string names;
        for (const char c : is_place ? option->get_name(true) : option->get_name(false, true)) {
            names += c;
            if (c == ',') names += ' ';
        }
        const std::string type = is_place || option->get_items_expected_max() == 0 ? "" : option->get_type_name();
        page += ".TP\n\\fB" + roff(names) + "\\fR" + (type.empty() ? "" : " \\fI" + roff(type) + "\\fR") + "\n" +
                roff(option->get_description()) + "\n";
    }
    return page;
}

/// What a command takes besides options.
inline std::string man_of_places(const CLI::App& app) {
    if (!app.get_subcommands([](const CLI::App*) { return true; }).empty()) return " \\fICALL\\fR";
    std::string places;
    for (const CLI::Option* option : app.get_options())
        if (!option->nonpositional()) places += " [\\fI" + roff(option->get_type_name()) + "\\fR]";
    return places;
}

inline std::string man_of_command(const CLI::App& app, const std::string& name) {
    std::string page = ".SS " + roff(name) + "\n" + roff(app.get_description()) + ".\n" + man_of_options(app);
    if (!app.get_footer().empty()) page += ".PP\n" + roff(app.get_footer()) + "\n";
    for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
        page += man_of_command(*below, name + " " + below->get_name());
    return page;
}

/// The page, for man(1).
inline std::string man_page(const CLI::App& app, const std::string& version) {
    std::string page = ".TH KOGGE 1 \"\" \"kogge " + roff(version) + "\" \"User Commands\"\n.SH NAME\n" +
                       "kogge \\- sort, filter, sum and count numbers\n.SH SYNOPSIS\n";
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        page += ".B kogge " + roff(command->get_name()) + "\n[\\fIOPTION\\fR]..." + man_of_places(*command) + "\n.br\n";
    page +=
        ".SH DESCRIPTION\n" + roff(app.get_description()) + ".\n.SH OPTIONS\n" + man_of_options(app) + ".SH COMMANDS\n";
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        page += man_of_command(*command, command->get_name());
    page +=
        ".SH FILES\n"
        "Text has one number per line: decimal, with a fraction or an exponent if wanted, or a hexadecimal integer "
        "(0x1f). Blank lines and blanks around numbers do not count. Of lines with columns \\-\\-column takes one; "
        "fields may be "
        "quoted, but end in their line.\n"
        ".PP\nOf .npy files arrays of one dimension are read, big\\-endian ones, too; further dimensions may be "
        "of one item.\n"
        ".PP\nThe end of a result's name tells its format: .npy; .bin and .raw; .txt, .text, .csv and .tsv.\n"
        ".PP\nA result appears under its name when all of it is written; on an error, what was there stays. So it is a "
        "new file: symbolic links to it are followed, and other hard links of the old one keep what was there.\n"
        ".SH PARQUET AND ARROW\n"
        "A column comes from pyarrow, which pip installs, through a pipe, a batch at a time:\n.PP\n.EX\n"
        "python3 \\-c \\(aqimport sys, pyarrow.dataset as d\n"
        "batches = d.dataset(\"sales.parquet\").to_batches(columns=[\"amount\"])\n"
        "sys.stdout.buffer.writelines(b[0].drop_null().cast(\"double\").to_numpy() for b in batches)\\(aq |\n"
        "kogge top\\-k \\-k 20 \\-\\-type f64 \\-\\-input\\-format raw \\-\\-format text\n.EE\n.PP\n"
        "Nulls are left out. \"double\" is f64; integers are cast to \"int64\" for i64, \"uint32\" for u32 and so on. "
        "The dataset may be a folder of files; of Arrow and Feather files it is "
        "d.dataset(\"sales.arrow\", format=\"arrow\"). The same goes for unique, histogram and sort. Where Python may "
        "fail halfway, set \\-o pipefail.\n"
        ".SH EXIT STATUS\n0: all is written. 1: something failed. 2: wrong usage. When the reader of standard "
        "output leaves, SIGPIPE ends the command.\n";
    return page;
}

}  // namespace kogge::command
