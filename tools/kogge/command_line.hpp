// The command line of the programs, which differ in how they sort.
#pragma once

#include "commands/commands.hpp"
#include "failure.hpp"

namespace kogge::command {

/// Reads the options, runs the subcommand and returns the program's exit code. `sort_keys` is what kogge sort calls.
int run_command_line(int count, char** words, void (*sort_keys)(const SortSettings&));

/// The exception that is being handled, in the command's words. A reader that has gone stays what it is.
Failure failure_in_flight();
/// Says it on standard error; returns the exit code.
int report(const Failure& failure);
/// Both; a reader that has gone ends the program quietly.
int report_exception();

}  // namespace kogge::command
