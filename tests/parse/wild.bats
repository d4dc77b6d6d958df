# HLO texts in the wild, outside this project (tests/outside.bash). What XLA reads of
# them is read, and printed with the SHA-256 of XLA's print (wild/xla.tsv); all are verified but those of wild/why.tsv.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

setup_file() {
    if [ -f "$HLO_WILD/modules.tar.gz" ]; then tar -xzf "$HLO_WILD/modules.tar.gz" -C "$BATS_FILE_TMPDIR"; fi
}

@test "what XLA reads is read, and printed as XLA prints it" {
    begin_cases
    if [ ! -f "$HLO_WILD/modules.tar.gz" ]; then
        skipped "all texts" "no texts here: set HLO_WILD"
        end_cases
        return
    fi
    while IFS=$'\t' read -r name said; do
        [ "$said" != reject ] && [ "$said" != crash ] || continue
        if ! hlo-opt --passes= "$BATS_FILE_TMPDIR/$name.hlo" >"$BATS_TEST_TMPDIR/print" 2>"$BATS_TEST_TMPDIR/err"; then
            bad "$name" "$(head -n 1 "$BATS_TEST_TMPDIR/err")"
            continue
        fi
        sum=$(sha256sum <"$BATS_TEST_TMPDIR/print")
        if [ "${sum:0:16}" = "$said" ]; then ok
        elif grep -qF '[lossy-text]' "$BATS_TEST_TMPDIR/err"; then skipped "$name" "XLA's print gives another module back"
        else bad "$name" "prints otherwise than XLA"; fi
    done < <(one_of 3 <"$HLO_ROOT/tests/parse/wild/xla.tsv")
    end_cases
}

# refusals NAME... [OPTION...]: of each text that is refused, its name and the first rule of an error.
refusals() {
    local files=()
    while IFS= read -r name; do files+=("$BATS_FILE_TMPDIR/$name.hlo"); done
    hlo-verify --format=json "$@" "${files[@]}" 2>/dev/null | jq -r 'select(.severity == "error") | [.file, .rule] | @tsv' |
        awk -F'\t' '!seen[$1]++ { sub(".*/", "", $1); sub("[.]hlo$", "", $1); print $1 "\t" $2 }' || true
}

@test "every text is verified but those of wild/why.tsv, by the rule that stands there" {
    begin_cases
    if [ ! -f "$HLO_WILD/wild.tsv" ]; then
        skipped "all verdicts" "no texts here: set HLO_WILD"
        end_cases
        return
    fi
    classes() { awk -F'\t' -v old="$1" 'NR > 1 && ($7 == "b") == old { print $1 }' "$HLO_WILD/wild.tsv"; }
    { classes 1 | refusals --dialect=extended && classes 0 | refusals; } | sort >"$BATS_TEST_TMPDIR/said"
    tail -n +2 "$HLO_ROOT/tests/parse/wild/why.tsv" | cut -f 1,2 | sort >"$BATS_TEST_TMPDIR/known"
    while IFS=$'\t' read -r name rule; do bad "$name" "refused by $rule, which wild/why.tsv does not say"; done < <(comm -23 "$BATS_TEST_TMPDIR/said" "$BATS_TEST_TMPDIR/known")
    while IFS=$'\t' read -r name rule; do bad "$name" "not refused by $rule, as wild/why.tsv says"; done < <(comm -13 "$BATS_TEST_TMPDIR/said" "$BATS_TEST_TMPDIR/known")
    while IFS= read -r _; do ok; done < <(comm -12 "$BATS_TEST_TMPDIR/said" "$BATS_TEST_TMPDIR/known")
    while IFS= read -r _; do ok; done < <(tail -n +2 "$HLO_WILD/wild.tsv" | cut -f 1 | sort | join -v 1 - "$BATS_TEST_TMPDIR/said")
    end_cases
}
