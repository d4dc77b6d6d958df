# Threads of hlo-run: any number of them gives the same bits and the same errors.

load ../lib

same_bits() {
    local threads
    expect_status 0 hlo-run --inputs=hash --seed=7 --threads=1 --output-dir "$BATS_TEST_TMPDIR/1" "$@"
    for threads in 2 3 8; do
        expect_status 0 hlo-run --inputs=hash --seed=7 --threads=$threads \
            --output-dir "$BATS_TEST_TMPDIR/$threads" "$@"
        diff -r "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/$threads" || fail "$threads threads differ"
    done
}

@test "kernels give the same bits with any number of threads" {
    same_bits "$HLO_ROOT/tests/eval/threads/kernels.hlo"
}

@test "scatters, random numbers and batches give the same bits with any number of threads" {
    same_bits "$HLO_ROOT/tests/eval/threads/batches.hlo"
}

@test "independent instructions give the same bits with any number of threads" {
    same_bits "$HLO_ROOT/tests/eval/threads/independent.hlo"
}

@test "runs of one process give the same bits with threads" {
    expect_status 0 hlo-run --inputs=hash --threads=4 --repeat=5 --print-limit=4 \
        "$HLO_ROOT/tests/eval/threads/kernels.hlo"
}

@test "the error is that of the first instruction that fails, with any number of threads" {
    local threads
    for threads in 1 2 3 8; do
        expect_status 1 hlo-run --inputs=ones --threads=$threads "$HLO_ROOT/tests/eval/threads/failing.hlo"
        expect_text "$err" "failing.hlo:17:3: error: 'first' (fft) has operand 0 with a run-time size of 1"
        [ "$(grep -c error: "$err")" = 1 ] || fail "more than one error: $(cat "$err")"
    done
}

@test "a number of threads is a number from 1 on" {
    expect_status 2 hlo-run --threads=0 "$HLO_ROOT/tests/eval/threads/kernels.hlo"
    expect_text "$err" "--threads"
    expect_status 2 hlo-run --threads=many "$HLO_ROOT/tests/eval/threads/kernels.hlo"
    expect_text "$err" "--threads"
}
