# Programs with very many of one thing are read in time that grows as they do: each takes one or two seconds, and would
# take a minute where each thing is compared with all others.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# grows KIND N: a program of that kind (growth.awk) is read.
grows() {
    awk -v kind="$1" -v n="$2" -f "$HLO_ROOT/tests/stablehlo/growth.awk" >"$1.mlir" || fail "no program $1" || return
    expect_status 0 within 10 hlo-verify "$1.mlir" || fail "$1: $(head -n 3 "$err")"
    rm "$1.mlir"
}

@test "operations in a block, uses of a value, operands, parameters, results" {
    grows chain 200000
    grows uses 200000
    grows operands 500000
    grows dead-operands 500000
    grows parameters 200000
}

@test "functions, aliases of locations, constants, reductions" {
    grows functions 100000
    grows aliases 200000
    grows constants 100000
    grows reductions 100000
}

@test "values that a region uses from outside, values of a loop" {
    grows captured 300000
    grows loop 100000
}
