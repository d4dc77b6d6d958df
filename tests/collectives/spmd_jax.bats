# Sharded programs as JAX lowers them, divided by our passes and by XLA's partitioner (tests/collectives/spmd/jax_programs.py): every device
# has what XLA gives it, and sends at most 1.2 times the bytes.

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

# compare NAME DEVICES BYTES
compare() {
    local ours
    hlo-opt --passes="sharding-propagation,spmd-partitioner{partitions=$2}" --verify-each "$programs/jax/$1.hlo" >"$1.hlo" 2>said || {
        bad "$1" "$(head -n 3 said)"
        return
    }
    ours=$(bytes_sent "$1.hlo")
    if [ $((ours * 5)) -gt $(($3 * 6)) ]; then bad "$1" "a device sends $ours bytes, $3 in what XLA makes"; else ok; fi
    if hlo-run --inputs=normal --seed=3 --expect="$programs/jax/$1.npz" --rtol=1e-3 --atol=1e-5 "$1.hlo" >said 2>&1; then
        ok
    else
        bad "$1" "$(grep -v ' ok' said | head -n 5)"
    fi
}

@test "values and bytes of programs that XLA divided, too" {
    begin_cases
    while IFS=$'\t' read -r name devices bytes; do
        compare "$name" "$devices" "$bytes"
    done < <(grep -v '^#' "$programs/jax.tsv")
    [ $((cases_passed + cases_failed)) -ge 40 ] || bad jax.tsv "has too few programs"
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
