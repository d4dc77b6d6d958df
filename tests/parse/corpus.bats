# Real dumps, outside this project (tests/outside.bash). What we print
# for each of them has the SHA-256 of what XLA prints (corpus.tsv), and reads back to the same.

load ../lib
load ../cases

# XLA's print of these is not its print of that print: functions get other numbers in the stack frames,
# because instructions are numbered in source order and printed in post-order. The second print stays.
settle_later="colabfold-8gpu-apply_fn.hlo"

teardown_file() {
    sum_cases
}

# XLA's own second print of these differs from its first (tests/known-differences.md).
settles_later() {
    [ "$1" = colabfold-8gpu-apply_fn.hlo ]
}

# prints_again FILE FIRST SECOND: the print in FIRST prints the same, by way of SECOND.
prints_again() {
    hlo-opt --passes= "$2" >"$3" 2>&1 || return
    if [[ " $settle_later " == *" $1 "* ]]; then
        cp "$3" "$2"
        hlo-opt --passes= "$2" >"$3" 2>&1 || return
    fi
    cmp -s "$2" "$3"
}

@test "dumps print as XLA prints them, and again the same" {
    begin_cases
    if [ ! -f "$HLO_CORPUS/corpus.tsv" ]; then
        skipped "all dumps" "no corpus here: set HLO_CORPUS"
        end_cases
        return
    fi
    cd "$HLO_CORPUS"
    while IFS=$'\t' read -r file _ verdict _ _ wanted _; do
        [ "$file" != file ] || continue
        first=$BATS_TEST_TMPDIR/first.hlo second=$BATS_TEST_TMPDIR/second.hlo
        if ! hlo-opt --passes= "$file" >"$first" 2>"$BATS_TEST_TMPDIR/err"; then
            bad "$file" "$(head -n 3 "$BATS_TEST_TMPDIR/err")"
            continue
        fi
        sum=$(sha256sum <"$first")
        # The text that XLA rejects is newer than that XLA: it has no sum.
        if [ "$verdict" = accept ] && [ "${sum%% *}" != "$wanted" ]; then
            bad "$file" "prints with SHA-256 ${sum%% *}, XLA with $wanted"
        elif ! hlo-opt --passes= "$first" >"$second" 2>&1; then
            bad "$file" "what was printed cannot be read: $(head -n 3 "$second")"
        elif settles_later "$file" && hlo-opt --passes= "$second" | cmp -s "$second" -; then
            ok
        elif ! cmp -s "$first" "$second"; then
            bad "$file" "what was printed prints differently: $(cmp "$first" "$second" 2>&1)"
        else
            ok
        fi
    done <corpus.tsv
    end_cases
}
