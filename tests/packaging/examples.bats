# The programs of examples/, which use nothing but hlo.h: what each prints.

load ../lib

# expect_example NAME: it succeeds without a word on standard error.
expect_example() {
    expect_status 0 "$HLO_BUILD/examples/$1"
    [ ! -s "$err" ] || fail "$1 complains: $(cat "$err")"
}

@test "a training step" {
    expect_example mlp_step
    grep -qx 'loss 1\.8[0-9]* -> 0\.000, w = 0\.50 -1\.00' "$out" || fail "$(cat "$out")"
}

@test "a loop, listed and run" {
    expect_example loop
    expect_text "$out" 'the 50th number: 12586269025'
    expect_text "$out" 'main: '
    if grep -q negate "$out"; then fail "not optimised: $(cat "$out")"; fi
}

@test "a reduction, and the limit of memory" {
    expect_example reduction
    printf '%s\n' 'sums: 1000 2000 3000' 'with 1000 bytes: status 3, 1 error' | diff "$out" -
}

@test "custom calls" {
    expect_example custom_call
    printf '%s\n' 'halves: 1 2 3 4' 'odd numbers: status 1' | diff "$out" -
}

@test "a serving loop" {
    expect_example serving_loop
    echo '400 requests answered' | diff "$out" -
}

@test "each example has a test" {
    for file in "$HLO_ROOT"/examples/*.c; do
        grep -q "expect_example $(basename "$file" .c)\$" "$BATS_TEST_FILENAME" || fail "$file has none"
    done
}
