// What mpirun starts several times.
#pragma once

namespace kogge::command {

/// Whether mpirun has started this process as one of several: itself, not through a script.
bool is_one_of_many();

/// Goes on as the program kogge-mpi, which stands beside this one and is linked to MPI. Throws where there is none.
void become_kogge_mpi(char** words);

}  // namespace kogge::command
