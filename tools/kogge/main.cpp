// The kogge command.
#include <string_view>

#include "command_line.hpp"
#include "io/descriptor.hpp"
#include "io/output.hpp"
#include "over_mpi.hpp"

int main(int count, char** words) {
    using namespace kogge::command;
    open_standard_streams();
    install_signal_handlers();
    try {
        if (count > 1 && std::string_view(words[1]) == "sort" && is_one_of_many()) become_kogge_mpi(words);
        return run_command_line(count, words, run_sort);
    } catch (...) {
        return report_exception();
    }
}
