# Dataflow graphs as texts: what the parser and the verifier refuse, and what round-trips.

load ../lib

@test "graphs that break a rule are refused at the line that breaks it" {
    cd "$HLO_ROOT/tests/flow/dataflow/bad"
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

@test "a loop that no result needs does not run, but where a trace shows it" {
    cd "$BATS_TEST_TMPDIR"
    cat >dead.hlo <<'END'
HloModule dead
body {
  p = (s64[], f32[2]) parameter(0)
  i = s64[] get-tuple-element(p), index=0
  x = f32[2] get-tuple-element(p), index=1
  one = s64[] constant(1)
  next = s64[] add(i, one)
  y = f32[2] sine(x)
  ROOT t = (s64[], f32[2]) tuple(next, y)
}
condition {
  p = (s64[], f32[2]) parameter(0)
  i = s64[] get-tuple-element(p), index=0
  end = s64[] constant(1000000000000)
  ROOT more = pred[] compare(i, end), direction=LT
}
ENTRY main {
  x = f32[2] parameter(0)
  zero = s64[] constant(0)
  start = (s64[], f32[2]) tuple(zero, x)
  unused = (s64[], f32[2]) while(start), condition=condition, body=body
  ROOT r = f32[2] negate(x)
}
END
    expect_status 0 within 60 "$HLO_BIN/hlo-run" --executor=dataflow --inputs=ones dead.hlo
    expect_text "$out" 'f32[2] {-1, -1}'
    sed -i 's/1000000000000/3/' dead.hlo
    expect_status 0 hlo-run --executor=dataflow --inputs=ones --trace=events.json dead.hlo
    expect_text events.json '"y", "tag": "unused/2"'
}
