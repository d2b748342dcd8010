#!/usr/bin/env bash
# mpi_ranks.sh PROGRAM: runs its scenarios as four processes. Where mpirun starts none, the test is skipped.
set -uo pipefail
program=$1
# Open MPI: also as root, and on fewer processors than processes; other MPIs do not look at these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

if ! command -v mpirun > /dev/null || ! timeout 60 mpirun -n 2 true > /dev/null 2>&1; then
    echo "skipped: mpirun starts no processes here"
    exit 77
fi
status=0
for scenario in sort faults late throws; do
    if ! timeout 120 mpirun -n 4 "$program" $scenario; then
        echo "failed: $scenario"
        status=1
    fi
done
# A killed rank must not leave the others waiting: mpirun ends them all, and says so.
timeout 60 mpirun -n 4 "$program" killed > /dev/null 2>&1
ended=$?
if [ $ended -eq 0 ] || [ $ended -eq 124 ]; then
    echo "failed: killed, with status $ended"
    status=1
fi
exit $status
