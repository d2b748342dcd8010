// kogge-mpi: what `mpirun -n 2 kogge sort big.npy -o sorted.npy` becomes. Every process is a rank; the first one
// speaks.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include "command_line.hpp"
#include "io/output.hpp"
#include "mpi/ranked_sort.hpp"
#include "progress.hpp"

int main(int count, char** words) {
    using namespace kogge::command;
    MPI_Init(&count, &words);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    install_signal_handlers();
    if (rank > 0) {
        Progress::silence();
        if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    }
    int status;
    try {
        if (count < 2 || std::string(words[1]) != "sort")
            throw usage_failure("several processes only sort", "start kogge without mpirun, or say kogge sort");
        status = run_command_line(count, words, run_ranked_sort);
    } catch (...) {
        const Failure failure = failure_in_flight();
        status = rank == 0 ? report(failure) : failure.exit_code;
    }
    MPI_Finalize();
    return status;
}
