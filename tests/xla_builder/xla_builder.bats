# hlo-xla-builder gives custom calls that name a function of the builder's library its computation, as XLA's tests of that
# library need it; tests/xla-lit runs these.

load ../lib

setup() {
    builder=$HLO_BUILD/tools/hlo-xla-builder
    [ -x "$builder" ] || fail "$builder has not been built: make tests"
    cd "$BATS_TEST_TMPDIR"
}

@test "a custom call gets the computation of the function that it names; the old call stays, as in XLA" {
    sed '/^\/\/ -----/,$d' "$HLO_ROOT/tests/xla_builder/atan.hlo" >in.hlo
    expect_status 0 "$builder" in.hlo
    sed '1,/^\/\/ -----/d' "$HLO_ROOT/tests/xla_builder/atan.hlo" | diff - "$out"
}

@test "what the library has no function for is refused" {
    while IFS='|' read -r target operands message; do
        printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] custom-call(%s), custom_call_target="%s"\n}\n' \
            "$operands" "$target" >in.hlo
        expect_status 1 "$builder" in.hlo
        expect_text "$err" "$message"
    done <<'CASES'
xla_builder.math.Nothing|x|unsupported xla_builder custom call target
xla_builder.math.Atan|x, x|math.Atan expected 1 to 1 operands, but got 2
CASES
}
