# tests/printing: odd but legal modules and XLA's exact print of each; modules that XLA rejects.

load lib
load cases

setup() {
    cd "$HLO_ROOT/tests/printing" || return 1
}

teardown_file() {
    sum_cases
}

# print_of FILE [OPTION...]: our text to $text, or what went wrong; final line breaks do not count.
print_of() {
    local file=$1
    shift
    text=$(hlo-opt --passes= "$@" "$file" 2>&1)
}

# same_as FILE: whether $text is what the file holds; else the first difference to $why.
same_as() {
    local wanted
    wanted=$(cat "$1")
    [ "$text" != "$wanted" ] || return 0
    why=$(diff <(printf '%s\n' "$wanted") <(printf '%s\n' "$text") | head -n 4)
    return 1
}

@test "lines that were copied out of a computation are a module" {
    cd "$BATS_TEST_TMPDIR"
    body='  %c = f32[4]{0} negate(%a)
  ROOT %d = f32[4]{0} abs(%c)
'
    printf '  %%a = f32[4]{0} parameter(0)\n%s' "$body" | hlo-opt >want
    printf '  %%a = f32[4]{0} parameter(0)\n%s}\n' "$body" | hlo-opt | cmp - want
    printf '%s' "$body" | sed 's/negate(/&f32[4] /' | hlo-opt | cmp - want
    expect_status 1 hlo-opt <(printf '%s}\n' "$body")
    expect_text "$err" "1:25: error: no earlier instruction is named 'a' [unknown-name]"
    expect_text "$err" 'hint: a line `a = SHAPE parameter(N)` before these makes it a parameter'
    [ "$(grep -c error: "$err")" = 1 ] || fail "$(cat "$err")"
}

@test "each module prints as XLA prints it" {
    begin_cases
    for module in *.in.hlo; do
        name=${module%.in.hlo}
        if ! print_of "$module"; then bad "$name" "$text"
        elif same_as "$name.out.hlo"; then ok
        else bad "$name" "$why"; fi
    done
    end_cases
}

@test "printing what was printed changes nothing, where XLA can say that" {
    begin_cases
    while IFS=$'\t' read -r name _ stable; do
        case $stable in
        fixed) first=$name.out.hlo ;;
        second)
            print_of "$name.out.hlo"
            printf '%s\n' "$text" >"$BATS_TEST_TMPDIR/second.hlo"
            first=$BATS_TEST_TMPDIR/second.hlo
            ;;
        *) continue ;; # what XLA itself cannot read again
        esac
        if ! print_of "$first"; then bad "$name" "$text"
        elif same_as "$first"; then ok
        else bad "$name" "$why"; fi
    done <INDEX.tsv
    end_cases
}

@test "the other styles print as XLA's options do" {
    begin_cases
    for style in short canonical fingerprint; do
        for wanted in opt_*."$style".hlo; do
            name=${wanted%."$style".hlo}
            if ! print_of "$name.in.hlo" --print="$style"; then bad "$name $style" "$text"
            elif same_as "$wanted"; then ok
            else bad "$name $style" "$why"; fi
        done
    done
    end_cases
}

@test "what XLA rejects is rejected, with a position" {
    begin_cases
    for module in rejects/*.hlo; do
        case $module in # what the parser takes knowingly: tests/known-differences.md
        rejects/comp_headerless_with_signature.hlo | rejects/op_topk_is_stable_newer_source.hlo | rejects/op_replica_id_type_crash.hlo) continue ;;
        esac
        status=0
        print_of "$module" || status=$?
        if [ $status != 1 ]; then bad "$module" "status $status"
        elif ! [[ $text =~ :[0-9]+:[0-9]+:\ error: ]]; then bad "$module" "no position: $text"
        else ok; fi
    done
    end_cases
}
