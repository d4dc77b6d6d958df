# hlo-run --profile, --chrome-trace, --roofline: what is measured, under which names, and where it goes. Times
# themselves are not tested.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat >loop.hlo <<'HLO'
HloModule loop

body {
  s = (s32[], f32[300,300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[300,300] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  curve = f32[300,300] tanh(x)
  sum = f32[300,300] add(curve, x)
  product = f32[300,300] dot(sum, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[300,300]) tuple(next, product)
}

cond {
  s = (s32[], f32[300,300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT less = pred[] compare(i, n), direction=LT
}

ENTRY main {
  x = f32[300,300] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[300,300]) tuple(zero, x)
  ROOT loop.1 = (s32[], f32[300,300]) while(start), condition=cond, body=body
}
HLO
}

# row JSON NAME: the row of the instruction.
row() {
    jq -e --arg name "$2" '.instructions[] | select(.instructions | index($name))' "$1" || fail "no row of $2" "$(cat "$1")"
}

@test "--profile counts calls, bytes and flops of each instruction, under the module's names" {
    expect_status 0 hlo-run --inputs=hash --threads=2 --repeat=3 --profile=p.json -o result.npz loop.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    [ "$(jq .runs p.json)" = 3 ]
    row p.json product >product.json
    [ "$(jq -c '[.calls, .flops, .bytes, .transcendentals, .kernel]' product.json)" = '[12,54000000,1080000,0,"dot"]' ] ||
        fail "$(cat product.json)"
    row p.json curve >curve.json
    [ "$(jq -c '[.kernel, .instructions, .calls, .transcendentals]' curve.json)" = '["cluster",["curve","sum"],12,90000]' ] ||
        fail "$(cat curve.json)"
    row p.json loop.1 >loop.json
    [ "$(jq -c '[.calls, .flops, .seconds < .total_seconds]' loop.json)" = '[3,null,true]' ] || fail "$(cat loop.json)"
    [ "$(jq '[.instructions[].seconds] | . == (sort | reverse)' p.json)" = true ] || fail "not the longest first"
    [ "$(jq '[.machine.flops_per_second, .machine.memory[].bytes_per_second] | all(. > 1e6)' p.json)" = true ] ||
        fail "$(jq .machine p.json)"
    expect_status 0 hlo-run --inputs=hash --threads=2 -o plain.npz loop.hlo
    cmp result.npz plain.npz
}

@test "a profiled run on one thread adds up, and as written it has the instructions one by one" {
    expect_status 0 hlo-run --inputs=hash --threads=1 --profile=json --as-written --output-dir results loop.hlo
    jq -e '(([.instructions[].seconds] | add) + .between_seconds - .seconds) | fabs < 1e-6' "$err" || fail "$(cat "$err")"
    row "$err" curve >curve.json
    [ "$(jq -c '[.kernel, .instructions]' curve.json)" = '["unary",["curve"]]' ] || fail "$(cat curve.json)"
    [ "$(jq -c '[.instructions[] | select(.name == "less") | .calls]' "$err")" = '[5]' ] || fail "$(cat "$err")"
}

@test "the machine is measured for any number of threads" {
    for threads in 1 200 1024; do
        expect_status 0 hlo-run --inputs=hash --threads=$threads --profile --output-dir results loop.hlo
        grep -qE "^measured in [0-9]+ ms, $threads threads?, " "$err" || fail "$(cat "$err")"
    done
}

@test "the table goes to standard error or a file, and results go where they went" {
    expect_status 0 hlo-run --inputs=hash --profile --print-limit=1 loop.hlo
    expect_text "$out" "(s32[], f32[300,300]) ( 4, {...} )"
    expect_text "$err" "1 run, "
    expect_text "$err" "measured in "
    grep -qE '^ +4 .* cluster +curve \+ sum$' "$err" || fail "$(cat "$err")"
    grep -qE '^ +4 .* dot +product$' "$err" || fail "$(cat "$err")"
    # Its own time is short: it may share a row with others.
    grep -qE '^ +1 .* - +- +- +while +loop\.1$' "$err" || grep -q 'shorter instructions$' "$err" || fail "$(cat "$err")"
    expect_status 0 hlo-run --inputs=hash --bench=2 --profile=table.txt loop.hlo
    [ "$(wc -l <"$err")" -eq 1 ] || fail "$(cat "$err")"
    expect_text table.txt "2 runs, "
    expect_status 3 hlo-run --inputs=hash --profile=no/such/folder/p.json loop.hlo
    ! hlo-run --help-all | grep -q 'profile=json' || fail "its value can be left out"
    hlo-run --help-all | grep -qF -- '--profile[=json|FILE]'
}

@test "--chrome-trace has complete events, within each other on each thread, with iterations" {
    expect_status 0 hlo-run --inputs=hash --threads=2 --chrome-trace=trace.json --output-dir results loop.hlo
    jq -e '.traceEvents | map(select(.ph == "X")) | length > 20 and all(.ts >= 0 and .dur >= 0 and .pid == 1 and (.tid | . >= 0))' \
        trace.json || fail "$(head -n 20 trace.json)"
    [ "$(jq -c '[.traceEvents[] | select(.name == "body") | .args.iteration]' trace.json)" = '[0,1,2,3]' ] || fail "iterations"
    [ "$(jq -c '[.traceEvents[] | select(.name == "curve + sum" and .args.kernel == "cluster")] | length' trace.json)" -ge 4 ] ||
        fail "$(grep curve trace.json)"
    jq -e '[.traceEvents[] | select(.ph == "M" and .name == "thread_name")] | length >= 1' trace.json
    # Of a track, an event that begins within another ends within it.
    jq -e '[.traceEvents[] | select(.ph == "X")] | group_by(.tid) | all(
        [.[] | {from: .ts, to: (.ts + .dur)}] | sort_by(.from, -.to) |
        . as $all | all(range(length - 1); . as $i | $all[$i + 1].from >= $all[$i].to - 0.002 or $all[$i + 1].to <= $all[$i].to + 0.002))' \
        trace.json || fail "events overlap"
    [ "$(jq .otherData.events_left_out trace.json)" = 0 ]
}

@test "--roofline draws each instruction that moves or computes" {
    expect_status 0 hlo-run --inputs=hash --roofline=roof.svg --output-dir results loop.hlo
    if command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' roof.svg || fail "no XML"
    fi
    expect_text roof.svg "<title>product: "
    expect_text roof.svg "<title>curve + sum: "
    ! grep -qE 'nan|inf' roof.svg || fail "$(grep -E 'nan|inf' roof.svg)"
}
