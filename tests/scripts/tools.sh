# What the script tests of the Python programs in tools/ share: they count failures, and report them at the end.

KOGGE_SOURCE_DIR=${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
tools=$KOGGE_SOURCE_DIR/tools
if ! command -v python3 > /dev/null; then
    echo "no python3: this is not tested"
    exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# expect STATUS TEXT COMMAND...: its output, in $output, must hold TEXT. $case_name says what fails.
expect() {
    local expected=$1 text=$2 status=0
    shift 2
    output=$("$@" 2>&1) || status=$?
    [ "$status" -eq "$expected" ] || fail "$case_name: status $status: $output"
    [[ $output == *"$text"* ]] || fail "$case_name: without '$text': $output"
}
