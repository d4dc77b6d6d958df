# tools/respell writes modules differently. Another spelling (blanks, comments, order of attributes,
# explicit defaults, names without %, other numerals, operand shapes) must not change what is printed;
# one attribute dropped or changed must.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

setup() {
    respell=$HLO_BUILD/tools/respell
    [ -x "$respell" ] || fail "$respell has not been built: make tests"
    cd "$HLO_ROOT/tests" || return 1
}

# A sample of the printed modules that print the same again, and of the models: of about 270.
modules() {
    all_modules | one_of 2
}

all_modules() {
    awk -F '\t' '$3 == "fixed" { print "parse/printing/" $1 ".out.hlo" }' parse/printing/INDEX.tsv
    printf '%s\n' golden/models/*/module.hlo
}

# printed MODULE: its default print to $plain, a file.
printed() {
    plain=$BATS_TEST_TMPDIR/plain.hlo
    hlo-opt --passes= "$1" >"$plain" 2>"$BATS_TEST_TMPDIR/err"
}

@test "another spelling prints the same" {
    begin_cases
    other=$BATS_TEST_TMPDIR/other.hlo again=$BATS_TEST_TMPDIR/again.hlo
    while read -r module; do
        printed "$module" || { bad "$module" "$(head -n 2 "$BATS_TEST_TMPDIR/err")"; continue; }
        for seed in 1 2; do
            if ! "$respell" spelling $seed <"$plain" >"$other"; then bad "$module $seed" "respell failed"
            elif ! hlo-opt --passes= "$other" >"$again" 2>"$BATS_TEST_TMPDIR/err"; then
                bad "$module $seed" "is refused: $(head -n 3 "$BATS_TEST_TMPDIR/err")"
            elif ! cmp -s "$plain" "$again"; then
                bad "$module $seed" "prints differently: $(diff "$plain" "$again" | head -n 4)"
            else ok; fi
        done
    done < <(modules)
    end_cases
}

@test "another attribute value prints differently or is refused" {
    begin_cases
    other=$BATS_TEST_TMPDIR/other.hlo again=$BATS_TEST_TMPDIR/again.hlo
    while read -r module; do
        printed "$module" || { bad "$module" "$(head -n 2 "$BATS_TEST_TMPDIR/err")"; continue; }
        for seed in 1 2 3; do
            status=0
            change=$("$respell" value $seed 2>&1 <"$plain" >"$other") || continue # has no attribute
            hlo-opt --passes= "$other" >"$again" 2>"$BATS_TEST_TMPDIR/err" || status=$?
            if [ $status -gt 1 ]; then bad "$module $seed" "status $status after: $change"
            elif [ $status = 0 ] && cmp -s "$plain" "$again"; then bad "$module $seed" "prints the same: $change"
            else ok; fi
        done
    done < <(modules)
    end_cases
}
