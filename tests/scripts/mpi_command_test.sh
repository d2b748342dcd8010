#!/usr/bin/env bash
# The kogge command as mpirun starts it several times, as tests/command/over_mpi_test.py sees it from outside.
set -euo pipefail
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
if [ -z "${KOGGE_COMMAND:-}" ] || ! [ -x "$(dirname "$KOGGE_COMMAND")/kogge-mpi" ]; then
    echo "skipped: this build has no kogge-mpi"
    exit 77
fi
if ! command -v python3 > /dev/null || ! command -v mpirun > /dev/null || ! timeout 60 mpirun -n 2 true > /dev/null 2>&1; then
    echo "skipped: there is no python3, or mpirun starts no processes here"
    exit 77
fi
cd "${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests"
exec python3 -B -m unittest command.over_mpi_test "$@"
