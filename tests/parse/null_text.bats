# No program prints the C library's text for a null pointer.

load ../lib

# no_null INPUT PROGRAM...: neither output has (null).
no_null() {
    local input=$1 status=0
    shift
    "$@" <"$input" >got 2>&1 || status=$?
    [ "$status" -le 3 ] || fail "status $status: $* <$input" "$(head -n 5 got)"
    ! grep -aqF '(null)' got || fail "$* <$input" "$(grep -aF '(null)' got | head -n 3)"
}

@test "texts and messages of the tests" {
    cd "$BATS_TEST_TMPDIR"
    local inputs=("$HLO_ROOT"/tests/parse/printing/*.in.hlo "$HLO_ROOT"/tests/parse/messages/*.hlo)
    [ ${#inputs[@]} -gt 100 ] || fail "${#inputs[@]} inputs"
    for ((i = 0; i < ${#inputs[@]}; i += 4)); do # a quarter of them, the programs in turn
        case $((i / 4 % 4)) in
        0) no_null "${inputs[i]}" hlo-dot --edges=shape - ;;
        1) no_null "${inputs[i]}" hlo-dot --layout=fast --legend - ;;
        2) no_null "${inputs[i]}" hlo-verify -v - ;;
        3) no_null "${inputs[i]}" hlo-opt --print=short - ;;
        esac
    done
}

# A module in JSON, a field a line; every line of it is left out once, and every text is emptied.
@test "messages with missing and empty fields" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' 'HloModule m' 'f {' '  ROOT p = f32[] parameter(0)' '}' 'ENTRY e {' \
        '  x = f32[2]{0} parameter(0), metadata={op_name="n" source_file="s" source_line=1}, sharding={replicated}' \
        '  y = f32[2] map(x), dimensions={0}, to_apply=f, frontend_attributes={k="v"}' \
        '  ROOT c = f32[2] custom-call(y), custom_call_target="t", backend_config="b"' '}' >m.hlo
    hlo-opt --emit=json --pretty m.hlo >m.json
    local lines
    lines=$(wc -l <m.json)
    [ "$lines" -gt 60 ] || fail "$lines lines"
    for ((n = 2; n < lines; n++)); do
        sed "${n}d" m.json >less.json
        sed "${n}s/: \"[^\"]*\"/: \"\"/" m.json >empty.json
        no_null less.json hlo-dot -
        no_null empty.json hlo-dot -
        no_null empty.json hlo-opt -
    done
}
