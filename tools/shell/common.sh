# Shared by tools/dev and its helpers: messages, and what this machine has.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_root=${KOGGE_BUILD_ROOT:-$root/build}
command_name=tools/dev

say() { printf '== %s\n' "$*"; }
note() { printf 'note: %s\n' "$*"; }
die() {
    printf '%s: %s\n' "$command_name" "$*" >&2
    exit 1
}

has_nvcc() { [ -n "${CUDACXX:-}" ] || command -v nvcc > /dev/null; }
# grep reads to the end: with -q it leaves at the first line, and a second one kills the writer, which pipefail reports.
has_gpu() { command -v nvidia-smi > /dev/null && nvidia-smi -L 2> /dev/null | grep '^GPU ' > /dev/null; }

# As many jobs as there are cores; with nvcc no more than memory can hold, at 2 GB each.
job_count() {
    local jobs kilobytes limit
    jobs=$(nproc)
    if has_nvcc; then
        kilobytes=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
        limit=$(cat /sys/fs/cgroup/memory.max 2> /dev/null || echo max)
        if [ "$limit" != max ] && [ $((limit / 1024)) -lt "$kilobytes" ]; then kilobytes=$((limit / 1024)); fi
        limit=$((kilobytes / 2000000))
        if [ "$limit" -lt 1 ]; then limit=1; fi
        if [ "$limit" -lt "$jobs" ]; then jobs=$limit; fi
    fi
    echo "${KOGGE_JOBS:-$jobs}"
}
