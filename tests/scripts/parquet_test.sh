#!/usr/bin/env bash
# The line of the manual page that gives the kogge command a column of Parquet, as it stands there, and for Arrow. pip brings
# pyarrow.
set -uo pipefail
source "$(dirname "$0")/tools.sh"

if [ -z "${KOGGE_COMMAND:-}" ]; then
    echo "skipped: this build has no kogge command"
    exit 77
fi
if ! { python3 -m venv "$work/venv" && timeout 100 "$work/venv/bin/pip" install -q --retries 1 pyarrow numpy; } > "$work/pip.log" 2>&1; then
    tail -1 "$work/pip.log"
    echo "skipped: pip brings no pyarrow here"
    exit 77
fi
PATH=$work/venv/bin:$(cd "$(dirname "$KOGGE_COMMAND")" && pwd):$PATH
cd "$work" || exit 2
python3 - << 'END'
import numpy as np, pyarrow as pa, pyarrow.feather, pyarrow.parquet
random = np.random.default_rng(1)
amounts, missing = random.normal(size=300_000), random.random(300_000) < 0.1
table = pa.table({"port": random.integers(-50, 50, 300_000), "amount": pa.array(amounts, mask=missing)})
pyarrow.parquet.write_table(table, "sales.parquet", row_group_size=70_000)
pyarrow.feather.write_feather(table, "sales.arrow")
kept = np.sort(amounts[~missing])
np.savetxt("top.txt", kept[:-21:-1], fmt="%.17g")
np.savetxt("bins.txt", np.histogram(kept, 4, (-2, 2))[0], fmt="%d")
np.savetxt("ports.txt", np.unique(table["port"]), fmt="%d")
END

kogge --man | sed -n '/^\.EX$/,/^\.EE$/ { /^\.E[XE]$/! { s/\\-/-/g; s/\\(aq/'\''/g; p } }' > line.sh
# same NAME COMMAND...: writes the numbers of NAME.txt
same() {
    local name=$1
    shift
    "$@" > "$name.got" 2> "$name.log" || fail "$name: ends with $?: $(cat "$name.log")"
    python3 -c 'import numpy as np, sys; np.testing.assert_array_equal(*map(np.loadtxt, sys.argv[1:]))' "$name.txt" "$name.got" ||
        fail "$name"
}
same top bash -o pipefail line.sh
sed 's/"sales.parquet"/"sales.arrow", format="arrow"/; s/"amount"/"port"/; s/"double"/"int64"/; s/top-k -k 20 --type f64/unique --type i64/' line.sh > arrow.sh
same ports bash -o pipefail arrow.sh
sed 's/top-k -k 20/histogram --bins 4 --range -2:2/; s/--format text/--format raw/' line.sh > bins.sh
bash -o pipefail bins.sh 2> bins.log | python3 -c 'import numpy as np, sys; np.savetxt(sys.stdout, np.frombuffer(sys.stdin.buffer.read(), np.uint64), fmt="%d")' > bins.got
diff bins.txt bins.got || fail "histogram: $(cat bins.log)"

[ "$failures" -eq 0 ]
