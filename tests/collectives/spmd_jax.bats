# Sharded programs as JAX lowers them, for Shardy and for GSPMD, divided by our passes and by XLA's partitioner
# (tests/collectives/spmd/jax_programs.py): every device has what XLA gives it, and sends at most 1.5 times the bytes, and all
# programs together no more than XLA's.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    programs=$HLO_ROOT/tests/collectives/spmd
}

# bytes_sent FILE: by a device, in all collectives.
bytes_sent() {
    hlo-opt --communication --format=json "$1" | jq -s 'map(select(.table == "exchanges").bytes_sent) | add // 0'
}

# compare NAME DEVICES BYTES: a line `NAME DEVICES OURS BYTES` of `sent`, too.
compare() {
    local ours
    hlo-opt --passes="shardy-xla,sharding-propagation,spmd-partitioner{partitions=$2}" --verify-each "$programs/jax/$1.hlo" >"$1.hlo" 2>said || {
        bad "$1" "$(head -n 3 said)"
        return
    }
    ours=$(bytes_sent "$1.hlo")
    echo "$1 $2 $ours $3" >>sent
    if [ $((ours * 2)) -gt $(($3 * 3)) ]; then bad "$1" "a device sends $ours bytes, $3 in what XLA makes"; else ok; fi
    if hlo-run --inputs=normal --seed=3 --expect="$programs/jax/$1.npz" --rtol=1e-3 --atol=1e-5 "$1.hlo" >said 2>&1; then
        ok
    else
        bad "$1" "$(grep -v ' ok' said | head -n 5)"
    fi
}

# table: of docs/evidence/partitioned-programs.md, from the lines of `sent`.
table() {
    awk 'BEGIN { print "| program | devices | bytes sent | by XLA | ratio |"; print "| --- | --- | --- | --- | --- |" }
        { ratio = $4 ? sprintf("%.2f", $3 / $4) : $3 ? "-" : "1.00"; printf "| %s | %d | %d | %d | %s |\n", $1, $2, $3, $4, ratio }
        $3 && $4 { logs += log($3 / $4); n++ }
        END { printf "\nGeometric mean of the %d ratios of programs that send something: %.3f.\n", n, exp(logs / n) }' sent
}

@test "values and bytes of programs that XLA divided, too" {
    begin_cases
    while IFS=$'\t' read -r name devices bytes; do
        compare "$name" "$devices" "$bytes"
    done < <(grep -v '^#' "$programs/jax.tsv")
    [ $((cases_passed + cases_failed)) -ge 120 ] || bad jax.tsv "has too few programs"
    page=$HLO_ROOT/docs/evidence/partitioned-programs.md
    table >made
    mean=$(sed -n 's/^Geometric mean.*: \(.*\)\.$/\1/p' made)
    if awk -v mean="$mean" 'BEGIN { exit !(mean > 0 && mean <= 1) }'; then ok; else bad "all programs" "the geometric mean is $mean"; fi
    if [ -n "${HLO_BLESS:-}" ]; then
        { sed '/^| program/,$d' "$page" && cat made; } >page && cp page "$page"
    fi
    if sed -n '/^| program/,$p' "$page" | diff - made >said; then ok; else bad "$page" "$(<said)"; fi
    end_cases
}

# What was written down is what this XLA makes, too.
@test "XLA makes of the programs what is written down" {
    python=${HLO_PYTHON:-python3}
    version=$("$python" -c 'import jaxlib; print(jaxlib.__version__)' 2>/dev/null) || skip "python3 has no JAX"
    grep -q "jaxlib $version\$" "$programs/jax.tsv" || skip "XLA is that of jaxlib $version, and another was written down"
    mkdir jax
    cp "$programs/jax_programs.py" .
    "$python" jax_programs.py "$HLO_BIN" 2>said >made || fail "$(tail -n 3 said)"
    diff <(grep -v '^#' "$programs/jax.tsv") made
}
