#!/usr/bin/env bats
# Inputs that once gave a wrong result, a crash or endless work: INDEX.tsv has a row for each check.
# Columns: file, command (bash, in this folder, "$f" is the file), exit status, pattern (grep -E) that the output matches.

load ../lib
load ../cases

teardown_file() { sum_cases; }

# The pattern is looked for in both streams; `!PATTERN` must not be found.
check_row() {
    local f=$1 command=$2 wanted=$3 pattern=$4 status=0
    out=$BATS_TEST_TMPDIR/out
    (cd "$BATS_TEST_DIRNAME" && f=$f TMP=$BATS_TEST_TMPDIR within 120 bash -o pipefail -c "$command") \
        >"$out" 2>&1 </dev/null || status=$?
    if [ "$status" != "$wanted" ]; then
        bad "$f" "status $status instead of $wanted: $command: $(head -n 5 "$out")"
    elif [ "${pattern#!}" != "$pattern" ] && grep -qE -e "${pattern#!}" "$out"; then
        bad "$f" "prints what it must not (${pattern#!}): $command: $(head -n 5 "$out")"
    elif [ "${pattern#!}" = "$pattern" ] && ! grep -qE -e "$pattern" "$out"; then
        bad "$f" "does not print $pattern: $command: $(head -n 5 "$out")"
    else
        ok
    fi
}

@test "inputs that failed once give their right answers" {
    begin_cases
    while IFS=$'\t' read -r f command wanted pattern; do
        case $f in '#'* | '') continue ;; esac
        check_row "$f" "$command" "$wanted" "$pattern"
    done <"$BATS_TEST_DIRNAME/INDEX.tsv"
    end_cases
}

@test "each input has a row" {
    listed=$(cut -f 1 "$BATS_TEST_DIRNAME/INDEX.tsv" | sort -u)
    for f in "$BATS_TEST_DIRNAME"/*; do
        name=$(basename "$f")
        [[ $name == INDEX.tsv || $name == *.bats ]] || grep -qxF -e "$name" <<<"$listed" || fail "no row of INDEX.tsv: $name"
    done
}
