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
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    install_signal_handlers();
    if (rank > 0) {
        Progress::silence();
        if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    }
    int status;
    try {
        if (ranks == 1)
            throw Failure("mpirun has started several processes, which kogge-mpi sees as one each",
                          "start it with the mpirun of the MPI that it was built with");
        status = run_command_line(count, words, run_ranked_sort);
    } catch (...) {
        const Failure failure = failure_in_flight();
        status = rank == 0 ? report(failure) : failure.exit_code;
    }
    MPI_Finalize();
    return status;
}
