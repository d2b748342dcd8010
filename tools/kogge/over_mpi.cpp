#include "over_mpi.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "failure.hpp"
#include "io/numbers.hpp"

namespace kogge::command {

bool is_one_of_many() {
    // Of Open MPI and PRRTE, of MPICH's Hydra, and of MVAPICH.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
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
