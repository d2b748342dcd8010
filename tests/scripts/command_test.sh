#!/usr/bin/env bash
# The kogge command, as tests/command/command_test.py sees it from outside.
set -euo pipefail
if [ -z "${KOGGE_COMMAND:-}" ]; then
    echo "skipped: this build has no kogge command"
    exit 77
fi
if ! command -v python3 > /dev/null; then
    echo "skipped: there is no python3"
    exit 77
fi
exec python3 -B "${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/command/command_test.py" "$@"
