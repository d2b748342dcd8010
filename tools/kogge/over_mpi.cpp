#include "over_mpi.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "io/numbers.hpp"

namespace kogge::command {

bool is_one_of_many() {
    // Open MPI and PRRTE, MPICH's Hydra, Slurm. Only what they start themselves: programs inherit the variables.
    const std::string_view launchers[] = {"orted",   "prted",   "mpirun", "mpiexec",
                                          "orterun", "prterun", "hydra_", "slurmstepd"};
    std::string parent;
    std::getline(std::ifstream("/proc/" + std::to_string(getppid()) + "/comm"), parent);
    const auto starts = [&](std::string_view name) { return parent.compare(0, name.size(), name) == 0; };
    if (std::none_of(std::begin(launchers), std::end(launchers), starts)) return false;
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
        if (const char* const size = std::getenv(name)) return parse_number<std::uint32_t>(size).value_or(1) > 1;
    return false;
}

void become_kogge_mpi(char** words) {
    std::error_code unknown;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown);
    const std::string program = (own.parent_path() / "kogge-mpi").string();
    execv(program.c_str(), words);
    throw system_failure("mpirun has started several processes, and '" + program + "' does not start",
                         "a build with MPI has it (libopenmpi-dev)");
}

}  // namespace kogge::command
