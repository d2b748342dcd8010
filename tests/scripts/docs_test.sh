#!/usr/bin/env bash
# The pages of the documentation site, before Sphinx sees them: Doxygen has nothing to complain about, and what the headers
# say and declare is there. Needs Doxygen.
set -uo pipefail

KOGGE_SOURCE_DIR=${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
if ! command -v doxygen > /dev/null || ! command -v python3 > /dev/null; then
    echo "no Doxygen, so no pages"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pages=$folder/source
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# holds PAGE TEXT...: all of the texts, each in a line
holds() {
    local text
    for text in "${@:2}"; do
        grep -qF -- "$text" "$pages/$1" || fail "$1 lacks: $text"
    done
}

if ! PYTHONDONTWRITEBYTECODE=1 "$KOGGE_SOURCE_DIR/tools/docs/site.py" "$folder" --pages; then
    fail "Doxygen warns"
fi
holds cpp/calls/radix_sort.rst '#include <kogge/radix_sort.hpp>' 'aliasing' \
    '.. cpp:function:: template <class Key> void kogge::radix_sort(Key *keys, item_count n, const sort_options &options={}' \
    '   Sorts keys[0 … n) in place.' 'requires (' 'kogge::argsort'
holds cpp/vocabulary/exec.rst '.. cpp:enum-class:: kogge::backend' '#. Arrays with items in ordinary or pinned host memory' \
    '   .. cpp:var:: workspace space' '      used instead of ``scratch`` if set' '.. cpp:class:: kogge::item_count'
holds cpp/calls/scratch_bytes.rst '.. code-block:: cpp' 'kogge::scratch_bytes([&](const kogge::exec& how) {'
holds cpp/plans/typed.rst 'plan_radix_sort'
holds cpp/out_of_core/radix_sort.rst '#include <kogge/out_of_core/radix_sort.hpp>' 'kogge::out_of_core::radix_sort_pairs('
holds cpp/distributed/radix_sort.rst 'keys, values' "    as radix\\_sort's; one array of values." 'kogge::distributed::argsort('
holds cpp/distributed.rst '/include/kogge/distributed/README' '/cpp/distributed/communicator'
holds c.rst '``tests/examples/host.rs``' '.. code-block:: rust' '   fn kogge_version() -> *const c_char;' '.. c:enum:: kogge_status' '.. c:function:: kogge_status kogge_argsort(const void *keys' 'Runs of equal neighbours' \
    '   the number of items, in device memory: read when the work runs'
holds python/functions.rst '.. py:function:: sort(x: A, *,' 'Sorts along the last dimension'
holds index.md '# kogge' 'maintainers'
if grep -rnE 'kogge::(detail|grid)::[A-Za-z_]+( |$)' "$pages/cpp" | grep -E '\.\. cpp:(class|struct)'; then
    fail "the pages show what is the library's own"
fi
# Each header that callers include has a page, and each call one that declares something.
for header in $(sed -nE 's/^#include "kogge\/([a-z_\/]+)\.hpp".*/\1/p' "$KOGGE_SOURCE_DIR/include/kogge/kogge.hpp"); do
    ls "$pages"/cpp/*/"${header##*/}.rst" > /dev/null || fail "$header.hpp has no page"
done
for page in "$pages"/cpp/calls/*.rst; do
    grep -q '^.. cpp:function::' "$page" || fail "${page##*/} declares no function"
done

[ "$failures" -eq 0 ]
