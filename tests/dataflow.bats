# Dataflow graphs as texts: what the parser and the verifier refuse, and what comes back as it was.

load lib

@test "graphs that break a rule are refused at the line that breaks it" {
    cd "$HLO_ROOT/tests/dataflow/bad"
    count=0
    while IFS=$'\t' read -r file line rule; do
        [ "$file" != file ] || continue
        expect_status 1 hlo-verify "$file"
        head -n 1 "$err" | grep -q "^$file:$line:" || fail "$file:$line: $rule" "$(cat "$err")"
        count=$((count + 1))
    done <bad.tsv
    [ "$count" -ge 23 ]
    expect_status 0 hlo-verify good.hlo
}

@test "a text of several devices is a graph in parts; several other modules are none" {
    cd "$BATS_TEST_TMPDIR"
    sed -n '/----- good/,$p' "$HLO_ROOT/docs/rules/edge-pair.hlo" >parts.hlo
    expect_status 0 hlo-opt --passes= parts.hlo
    cp "$out" once.hlo
    [ "$(grep -c ^HloModule once.hlo)" = 2 ]
    expect_status 0 hlo-opt --passes= once.hlo
    cmp once.hlo "$out"
    sed 's/, is_dataflow=true//' parts.hlo >modules.hlo
    expect_status 1 hlo-verify modules.hlo
    sed '/^HloModule m.device1/,$ s/edge-recv/no-recv/' parts.hlo >broken.hlo
    expect_status 1 hlo-verify broken.hlo
    grep -q '^broken.hlo:13:14: ' "$err" || fail "$(cat "$err")"
}

@test "device=3 is a maximal sharding, in graphs only" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' 'HloModule m, is_dataflow=true' 'ENTRY e {' '  ROOT x = f32[] parameter(0), device=3' '}' >graph.hlo
    expect_status 0 hlo-opt --passes= graph.hlo
    grep -q 'sharding={maximal device=3}' "$out"
    sed 's/, is_dataflow=true//' graph.hlo >module.hlo
    expect_status 1 hlo-verify module.hlo
    grep -q 'unknown-attribute' "$err"
}
