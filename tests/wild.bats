# HLO texts in the wild, outside this project: ../shared/wild or the directory that HLO_WILD names. What XLA reads of
# them is read, and printed with the SHA-256 of XLA's print (wild/xla.tsv); what it verified in class a-verify, too.

load lib
load cases

teardown_file() {
    sum_cases
}

setup_file() {
    export HLO_WILD=${HLO_WILD:-$HLO_ROOT/../shared/wild}
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
        if [ "${sum:0:16}" = "$said" ]; then ok; else bad "$name" "prints otherwise than XLA"; fi
    done <"$HLO_ROOT/tests/wild/xla.tsv"
    end_cases
}

@test "what was verified, or what XLA's verifier takes, is verified" {
    begin_cases
    if [ ! -f "$HLO_WILD/wild.tsv" ]; then
        skipped "all verdicts" "no texts here: set HLO_WILD"
        end_cases
        return
    fi
    while IFS=$'\t' read -r name _ _ _ _ _ class _; do
        case $class in ok | print-differs | a-verify) ;; *) continue ;; esac
        if hlo-verify "$BATS_FILE_TMPDIR/$name.hlo" 2>"$BATS_TEST_TMPDIR/err"; then ok
        else bad "$name" "$(head -n 1 "$BATS_TEST_TMPDIR/err")"; fi
    done <"$HLO_WILD/wild.tsv"
    end_cases
}
