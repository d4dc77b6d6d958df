# Stacks that are kept in a file: same bits, bounded memory, clear errors.

load ../lib

# A loop of 60 trips pushes arrays of 64 KiB, the next one pops them in the opposite order.
stacks() {
    cat <<'END'
HloModule stacks
going_up {
  s = (s32[], f32[128,128], opaque[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(60)
  ROOT lt = pred[] compare(i, n), direction=LT
}
up {
  s = (s32[], f32[128,128], opaque[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[128,128] get-tuple-element(s), index=1
  h = opaque[] get-tuple-element(s), index=2
  pushed = opaque[] stack-push(h, x)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  sine = f32[128,128] sine(x)
  y = f32[128,128] add(x, sine)
  ROOT t = (s32[], f32[128,128], opaque[]) tuple(next, y, pushed)
}
going_down {
  s = (s32[], f32[128,128], opaque[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(0)
  ROOT gt = pred[] compare(i, n), direction=GT
}
down {
  s = (s32[], f32[128,128], opaque[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[128,128] get-tuple-element(s), index=1
  h = opaque[] get-tuple-element(s), index=2
  popped = (opaque[], f32[128,128]) stack-pop(h)
  rest = opaque[] get-tuple-element(popped), index=0
  saved = f32[128,128] get-tuple-element(popped), index=1
  one = s32[] constant(1)
  next = s32[] subtract(i, one)
  cosine = f32[128,128] cosine(saved)
  y = f32[128,128] multiply(x, cosine)
  ROOT t = (s32[], f32[128,128], opaque[]) tuple(next, y, rest)
}
ENTRY main {
  x = f32[128,128] parameter(0)
  zero = s32[] constant(0)
  h = opaque[] stack-create(), element=f32[128,128]
  a = (s32[], f32[128,128], opaque[]) tuple(zero, x, h)
  b = (s32[], f32[128,128], opaque[]) while(a), condition=going_up, body=up
  c = (s32[], f32[128,128], opaque[]) while(b), condition=going_down, body=down
  ROOT r = f32[128,128] get-tuple-element(c), index=1
}
END
}

# run NAME OPTION...: into NAME/out0.npy
run_into() {
    expect_status 0 hlo-run --inputs=hash --output-dir="$1" "${@:2}" stacks.hlo
}

peak() {
    sed -n 's/^stacks: at most \([0-9]*\) bytes.*/\1/p' "$err"
}

@test "results do not depend on the threshold, and memory does" {
    cd "$BATS_TEST_TMPDIR"
    stacks >stacks.hlo
    run_into plain
    for threshold in 4096 300K 1M 100M; do
        run_into "at-$threshold" --swap-threshold=$threshold --swap-dir=.
        cmp plain/out0.npy "at-$threshold/out0.npy"
        [ "$(find . -name 'hlo-swap*' | wc -l)" = 0 ]
        case $threshold in
        300K) [ "$(peak)" -le $((307200 * 5 / 4 + 65536)) ] || fail "$(cat "$err")" ;;
        1M) [ "$(peak)" -le $((1048576 * 5 / 4 + 65536)) ] || fail "$(cat "$err")" ;;
        100M) [ "$(peak)" = $((60 * 65536)) ] || fail "$(cat "$err")" ;;
        esac
    done
}

@test "a directory that is not there, and a threshold that is missing, are errors" {
    cd "$BATS_TEST_TMPDIR"
    stacks >stacks.hlo
    expect_status 3 hlo-run --inputs=hash --swap-threshold=1M --swap-dir=nowhere stacks.hlo
    grep -q 'cannot make a swap file in nowhere: No such file' "$err" || fail "$(cat "$err")"
    expect_status 2 hlo-run --inputs=hash --swap-dir=. stacks.hlo
}

@test "a full file ends the run with an error that names the place" {
    cd "$BATS_TEST_TMPDIR"
    stacks >stacks.hlo
    trap '' XFSZ
    status=0
    (ulimit -f 1024 && exec hlo-run --inputs=hash --swap-threshold=200K --swap-dir=. --output-dir=full stacks.hlo) \
        >full.out 2>full.err || status=$?
    [ "$status" = 3 ] || fail "status $status" "$(cat full.err)"
    grep -q "(stack-push) cannot swap arrays to a file in .: File too large" full.err || fail "$(cat full.err)"
    [ ! -e full ] || [ -z "$(ls full)" ]
}

# A loop whose gradient keeps N arrays of SIZE elements. kept N SIZE
kept() {
    cat <<END
HloModule kept
going {
  s = (s32[], f32[$2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant($1)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[$2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[$2] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[$2] sine(x)
  ROOT t = (s32[], f32[$2]) tuple(next, y)
}
ENTRY main {
  x = f32[$2] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[$2]) tuple(zero, x)
  w = (s32[], f32[$2]) while(t), condition=going, body=body
  ROOT r = f32[$2] get-tuple-element(w), index=1
}
END
}

# limited KIB STATUS MODULE OPTION...: the run ends so, and never holds more than KIB kibibytes.
limited() {
    status=0
    /usr/bin/time -f %M -o used "$HLO_BIN/hlo-run" --inputs=ones --threads=1 --output-dir=results "${@:4}" "$3" >out.txt 2>err.txt || status=$?
    [ "$status" = "$2" ] || fail "status $status of $3 ${*:4}" "$(cat err.txt)"
    [ "$(tail -n 1 used)" -le "$1" ] || fail "$3 ${*:4} used $(tail -n 1 used) KiB"
}

@test "--memory-limit counts what stacks hold, arrays and scalars, with both engines and executors" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time to measure memory"
    [[ $HLO_BUILD != *san* ]] || skip "a sanitizer needs more memory"
    cd "$BATS_TEST_TMPDIR"
    kept 1200 65536 | hlo-opt --passes=autodiff >arrays.hlo
    kept 300000 1 | hlo-opt --passes=autodiff >numbers.hlo
    for module in arrays numbers; do
        hlo-opt --passes=lower-control-flow -o $module.graph.hlo $module.hlo
        for engine in fast reference; do
            limited 36000 3 $module.hlo --memory-limit=20M --engine=$engine
            grep -q "(stack-push) stacks need [0-9]* bytes; the memory limit leaves [0-9]*" err.txt || fail "$(cat err.txt)"
            grep -q "hint: --memory-limit sets the limit; --swap-threshold" err.txt || fail "$(cat err.txt)"
            limited 36000 3 $module.graph.hlo --memory-limit=20M --engine=$engine --executor=dataflow
            grep -q "(stack-push) stacks need [0-9]* bytes" err.txt || fail "$(cat err.txt)"
            grep -q "hint: --memory-limit sets the limit" err.txt || fail "$(cat err.txt)"
        done
    done
    limited 400000 0 numbers.hlo --memory-limit=1G
}

@test "below --memory-limit arrays of stacks are swapped, where a file is allowed" {
    [ -x /usr/bin/time ] || skip "no /usr/bin/time to measure memory"
    [[ $HLO_BUILD != *san* ]] || skip "a sanitizer needs more memory"
    cd "$BATS_TEST_TMPDIR"
    kept 300 65536 | hlo-opt --passes=autodiff >arrays.hlo
    limited 200000 0 arrays.hlo
    cp results/out1.npy expected.npy
    limited 36000 0 arrays.hlo --memory-limit=20M --swap-threshold=1G --swap-dir=.
    cmp results/out1.npy expected.npy
    hlo-opt --passes=lower-control-flow -o graph.hlo arrays.hlo
    limited 36000 0 graph.hlo --executor=dataflow --memory-limit=20M --swap-threshold=1G --swap-dir=.
    cmp results/out1.npy expected.npy
}

@test "what is popped from an empty stack, or in another shape, is an error" {
    cd "$BATS_TEST_TMPDIR"
    stacks | sed 's/n = s32\[\] constant(0)/n = s32[] constant(-1)/' >empty.hlo
    expect_status 1 hlo-run --inputs=hash empty.hlo
    grep -q "(stack-pop) pops from an empty stack" "$err"
    sed 's/popped = (opaque\[\], f32\[128,128\]) stack-pop(h)/popped = (opaque[], f32[64,256]) stack-pop(h)/
         s/saved = f32\[128,128\] get/saved.0 = f32[64,256] get/
         /saved.0 =/a\  saved = f32[128,128] reshape(saved.0)' <(stacks) >other.hlo
    expect_status 1 hlo-run --inputs=hash other.hlo
    grep -q "(stack-pop) pops an array whose shape differs" "$err" || fail "$(cat "$err")"
}

# field NAME: its values in the swap events of trace.jsonl, each with how often it is there.
field() {
    grep '"event": "swap-' trace.jsonl | sed -n "s/.*\"$1\": \(\"[^\"]*\"\|[0-9]*\).*/\1/p" | sort | uniq -c | awk '{ print $1, $2 }'
}

@test "a trace has what is swapped: never in before out, by the stack's name and size" {
    cd "$BATS_TEST_TMPDIR"
    stacks >stacks.hlo
    hlo-opt --passes=lower-control-flow -o graph.hlo stacks.hlo
    stack=$(sed -n 's/^ *%\([^ ]*\) = .* stack-create.*/\1/p' graph.hlo)
    for threads in 1 2; do
        run_into traced --executor=dataflow --threads=$threads --swap-threshold=300K --swap-dir=. --trace=trace.jsonl
        swaps=$(grep -c '"event": "swap-out"' trace.jsonl)
        [ "$swaps" -gt 40 ] && [ "$swaps" -le 60 ] || fail "$swaps"
        [ "$(field bytes | cut -d' ' -f2)" = 65536 ] && [ "$(field node | cut -d' ' -f2)" = "\"$stack\"" ] || fail "$(field node)"
        [ "$(field thread | cut -d' ' -f2)" = $threads ] || fail "$(field thread)"
        awk '/"swap-out"/ { out++ } /"swap-in"/ { back++; if (back > out) bad = 1 } END { exit bad || !back }' trace.jsonl
    done
    run_into traced --executor=dataflow --swap-threshold=300K --swap-dir=. --trace=trace.json --trace-form=chrome
    grep -q '"ph": "X", .*"dur": [0-9.]*, "name": "'"$stack"'", "cat": "swap-in", "args": {"bytes": 65536}}' trace.json
    tail -n 1 trace.json | grep -qx '\]'
    run_into traced --executor=dataflow --trace=trace.jsonl
    [ -z "$(field bytes)" ]
}

@test "an error in a graph names the instruction as the text does" {
    cd "$BATS_TEST_TMPDIR"
    stacks | sed 's/n = s32\[\] constant(0)/n = s32[] constant(-1)/' >empty.hlo
    expect_status 1 hlo-run --executor=dataflow --inputs=hash empty.hlo
    grep -q "'popped' (stack-pop) pops from an empty stack" "$err" || fail "$(cat "$err")"
}

@test "a stack that was changed: its handle may not be taken out of a tuple once more" {
    cd "$BATS_TEST_TMPDIR"
    pops() { # INDEX: of the tuple's element that the second pop takes
        cat <<END
HloModule m
ENTRY main {
  x = f32[] parameter(0)
  one = opaque[] stack-create(), element=f32[]
  two = opaque[] stack-create(), element=f32[]
  a = opaque[] stack-push(one, x)
  b = opaque[] stack-push(two, x)
  t = (opaque[], opaque[]) tuple(a, b)
  first = opaque[] get-tuple-element(t), index=0
  second = opaque[] get-tuple-element(t), index=$1
  p = (opaque[], f32[]) stack-pop(first)
  q = (opaque[], f32[]) stack-pop(second)
  y = f32[] get-tuple-element(p), index=1
  z = f32[] get-tuple-element(q), index=1
  ROOT r = f32[] add(y, z)
}
END
    }
    pops 1 >good.hlo
    expect_status 0 hlo-verify good.hlo
    pops 0 >bad.hlo
    expect_status 1 hlo-verify bad.hlo
    expect_text "$err" 'bad.hlo:12:3: error: stack-pop: the handle is of a stack that was changed since [stack-handle]'
    expect_text "$err" 'bad.hlo:11:3: note: it is changed here'
}
