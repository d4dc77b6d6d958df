# partition: graphs cut over devices, by their texts. What the parts compute is held against the cases' values by
# control_flow/run.sh, what they send in a run by dataflow_trace.bats.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    flow=$(cases_of control_flow)
}

# contract GRAPH PARTS: the graph that the parts make when what was cut is joined again.
contract() {
    awk -f "$HLO_ROOT/tests/flow/partition_contract.awk" "$1" "$2" | LC_ALL=C sort
}

# expect_whole GRAPH OPTIONS: cut so, the graph passes hlo-verify, and its parts make the graph again.
expect_whole() {
    hlo-opt --large-constants --passes="partition$2" -o parts.hlo "$1" || fail "$1 $2 is not cut"
    hlo-verify parts.hlo || fail "$1 $2"
    contract "$1" "$1" >whole
    contract "$1" parts.hlo >contracted
    [ -s whole ] && diff whole contracted || fail "$1 $2"
}

@test "parts without cut edges and control loops are the graph: as placed, and randomly over two and three devices" {
    count=0
    for case in $(one_of 5 "$flow"/*/dataflow.hlo); do
        hlo-opt --large-constants --passes= -o graph.hlo "$case"
        for options in '' '{devices=2,random_seed=1}' '{devices=3,random_seed=2}'; do
            expect_whole graph.hlo "$options"
            count=$((count + 1))
        done
    done
    [ "$count" -ge "$(whole 600 120)" ]
}

@test "the same of graphs with stacks: pushes and pops of one stack are on one device" {
    for case in g-while-power-seven-trips g-nested-triangle g-cond-in-while-data g-while-cross; do
        hlo-opt --large-constants --passes=lower-control-flow -o graph.hlo "$flow/$case/gradient.hlo"
        for seed in 1 2 3; do expect_whole graph.hlo "{devices=3,random_seed=$seed}"; done
        ! grep -q 'opaque\[\] edge-' parts.hlo || fail "$case: a handle is sent"
    done
}

@test "what is compared finds an operand, a result, a key and a control edge that are others" {
    cat >graph.hlo <<'END'
HloModule m, is_dataflow=true

ENTRY %main (x: f32[], y: f32[]) -> (f32[], f32[]) {
  %x = f32[] parameter(0), sharding={maximal device=0}
  %y = f32[] parameter(1), sharding={maximal device=1}
  %s = f32[] subtract(%x, %y), sharding={maximal device=1}
  %c = f32[] cosine(%x), sharding={maximal device=1}, control-predecessors={%y}
  ROOT %t = (f32[], f32[]) tuple(%s, %c)
}
END
    expect_whole graph.hlo ''
    for change in 's/subtract(%edge-recv, %y)/subtract(%y, %edge-recv)/' 's/results="0,1"/results="1,0"/' \
        's/, control-predecessors={%y}//' '/edge-send/s/0>1#1/0>1#7/'; do
        sed "$change" parts.hlo >changed.hlo
        ! cmp -s parts.hlo changed.hlo || fail "$change changes nothing: $(cat parts.hlo)"
        contract graph.hlo changed.hlo >contracted
        ! cmp -s whole contracted || fail "$change is not seen"
    done
}

# The loop of two devices of section 5.3: what is computed elsewhere, its operand and the predicate.
@test "a loop over two devices has three cuts; constants are cut before they enter" {
    hlo-opt --passes=lower-control-flow,partition -o parts.hlo "$flow/partition-body-op-25-trips/module.hlo"
    [ "$(grep -c 'edge-recv(.*control-predecessors' parts.hlo)" = 3 ] || fail "$(cat parts.hlo)"
    awk '/edge-recv\(/ && !/control-predecessors/ { root[$1] = 1 }
        / enter\(.*is_constant=true/ { sub(/.*enter\(/, ""); sub(/\).*/, ""); if (/edge-recv/ && !root[$0]) exit 1 }' parts.hlo
}

@test "a device that only has the constants of a loop has nothing of the loop" {
    cat >graph.hlo <<'END'
HloModule count, is_dataflow=true

ENTRY main {
  zero = s32[] constant(0), device=1
  one = s32[] constant(1)
  ten = s32[] constant(10)
  one.in = s32[] enter(one), frame_name="while", is_constant=true
  ten.in = s32[] enter(ten), frame_name="while", is_constant=true
  i.enter = s32[] enter(zero), frame_name="while", parallel_iterations=7
  i.merge = s32[] merge(i.enter, i.next)
  p = pred[] compare(i.merge, ten.in), direction=LT
  i.switch = (s32[], s32[]) switch(i.merge, p)
  i.true = s32[] get-tuple-element(i.switch), index=1
  i.plus = s32[] add(i.true, one.in)
  i.next = s32[] next-iteration(i.plus)
  i.false = s32[] get-tuple-element(i.switch), index=0
  ROOT i.exit = s32[] exit(i.false)
}
END
    hlo-opt --passes= -o printed.hlo graph.hlo
    expect_whole printed.hlo ''
    sed '/device1/,$d' parts.hlo >first.hlo
    ! grep -q 'enter\|merge\|recv' first.hlo || fail "$(cat first.hlo)"
    [ "$(grep -c 'edge-send' first.hlo)" = 2 ]
    # With the addition, it counts the iterations, as many at once as the loop.
    sed 's/add(i.true, one.in)/&, device=0/' graph.hlo | hlo-opt --passes= -o printed.hlo -
    expect_whole printed.hlo ''
    sed '/device1/,$d' parts.hlo >first.hlo
    [ "$(grep -c ' merge(' first.hlo)" = 1 ] && grep -q 'parallel_iterations=7' first.hlo || fail "$(cat first.hlo)"
    expect_status 0 hlo-run parts.hlo
    grep -qx 's32\[\] 10' "$out" || fail "$(cat "$out")"
}

@test "the loop that counts in an inner frame starts with that of the frame around" {
    hlo-opt --passes=lower-control-flow,partition -o parts.hlo "$flow/partition-inner-loop-elsewhere/module.hlo"
    sed -n '/device1/,$p' parts.hlo >second.hlo
    awk '/ constant\(/ { zero[$1] = 1 }
        / enter\(/ && /parallel_iterations/ { source = $0; sub(/.*enter\(/, "", source); sub(/\).*/, "", source); of[$1] = source }
        / merge\(/ { operand = $0; sub(/.*merge\(/, "", operand); sub(/,.*/, "", operand); start[$1] = of[operand] }
        END { for (m in start) if (start[m] in start) inner++; else if (start[m] in zero) outer++; exit !(inner == 1 && outer == 1) }' second.hlo ||
        fail "$(cat second.hlo)"
}

# Control edges that are cut, in a frame and to a constant that enters on another device, too.
controls='HloModule controls, is_dataflow=true

ENTRY main {
  n = s32[] parameter(0), device=0
  x = s32[] parameter(1), device=1
  one = s32[] constant(1), device=0
  slow = s32[] multiply(x, x), device=1
  n.in = s32[] enter(n), frame_name="w", is_constant=true, control-predecessors={slow}
  one.in = s32[] enter(one), frame_name="w", is_constant=true
  i.enter = s32[] enter(one), frame_name="w"
  i = s32[] merge(i.enter, i.next)
  p = pred[] compare(i, n.in), direction=LT
  i.switch = (s32[], s32[]) switch(i, p)
  i.true = s32[] get-tuple-element(i.switch), index=1
  other = s32[] add(i.true, n.in), device=1
  i.plus = s32[] add(i.true, one.in), device=0, control-predecessors={other}
  i.next = s32[] next-iteration(i.plus)
  i.false = s32[] get-tuple-element(i.switch), index=0
  i.exit = s32[] exit(i.false)
  ROOT t = (s32[], s32[]) tuple(i.exit, slow)
}
'

@test "a control edge that is cut sends a number after its predecessor, for its successor to wait for" {
    printf %s "$controls" | hlo-opt --passes= -o graph.hlo -
    expect_whole graph.hlo ''
    # i.plus waits for a recv; the number that is sent waits for other; both copies of n.in wait for slow.
    grep -q '%i.plus = .*control-predecessors={%edge-recv' parts.hlo || fail "$(cat parts.hlo)"
    grep -q 'constant(0), control-predecessors={%other}' parts.hlo || fail "$(cat parts.hlo)"
    [ "$(grep 'is_constant=true' parts.hlo | grep -c 'control-predecessors')" = 2 ] || fail "$(cat parts.hlo)"
    for n in 0 1 5; do
        printf %s "$controls" | sed "s/parameter(0)/constant($n)/; s/parameter(1)/constant(3)/" >values.hlo
        expect_status 0 hlo-run values.hlo
        cp "$out" whole.txt
        hlo-opt --passes=partition -o parts.hlo values.hlo
        expect_status 0 hlo-run --threads=2 parts.hlo
        cmp whole.txt "$out" || fail "$n: $(cat "$out")"
    done
    for seed in 1 2 3 4 5 6 7 8; do expect_whole graph.hlo "{devices=3,random_seed=$seed}"; done
}

@test "a switch is on the device of its sharding, directly and through its text" {
    for case in "$flow"/partition-*/module.hlo; do
        hlo-opt --passes=lower-control-flow,partition -o once.hlo "$case"
        hlo-opt --passes=lower-control-flow "$case" | hlo-opt --passes=partition -o twice.hlo -
        cmp once.hlo twice.hlo || fail "$case"
    done
    cat >graph.hlo <<'END'
HloModule m, is_dataflow=true

ENTRY main {
  p = pred[] parameter(0), device=0
  x = f32[] parameter(1), device=0
  s = (f32[], f32[]) switch(x, p), device=2
  t = f32[] get-tuple-element(s), index=1
  f = f32[] get-tuple-element(s), index=0
  ROOT m = f32[] merge(f, t), device=1
}
END
    hlo-opt --passes=partition -o parts.hlo graph.hlo
    [ "$(grep -c ^HloModule parts.hlo)" = 3 ]
    sed -n '/device2/,$p' parts.hlo | grep -q ' switch(' || fail "$(cat parts.hlo)"
}

@test "parameters keep their numbers, and a part lists its results" {
    cat >graph.hlo <<'END'
HloModule m, is_dataflow=true

ENTRY main {
  a = f32[] parameter(0), device=0
  b = f32[] parameter(1), device=1
  c = f32[] parameter(2), device=0
  ROOT t = (f32[], f32[], f32[]) tuple(c, b, a)
}
END
    hlo-opt --passes=partition -o parts.hlo graph.hlo
    grep -q '%b = f32\[\] parameter(1)' parts.hlo
    grep -q 'tuple(%c, %a), frontend_attributes={results="0,2"}' parts.hlo || fail "$(cat parts.hlo)"
    grep -q 'tuple(%b), frontend_attributes={results="1"}' parts.hlo
}

@test "devices that are too many, and options out of range, are errors" {
    for device in 4096 4294967295 4294967296 9223372036854775807; do
        printf '%s\n' 'HloModule m, is_dataflow=true' 'ENTRY e {' "  ROOT x = f32[] parameter(0), device=$device" '}' >graph.hlo
        expect_status 1 hlo-opt --passes=partition graph.hlo
        grep -q "^graph.hlo:3:.*'x' is on device $device.*4096 devices.*\[limit\]" "$err" || fail "$(cat "$err")"
    done
    sed -i 's/device=.*/device=2/' graph.hlo
    for options in devices=-1 devices=4097 devices=4294967298 devices=2,random_seed=-1; do
        expect_status 1 hlo-opt --passes="partition{$options}" graph.hlo
        grep -q 'of partition is from 0 to' "$err" || fail "$(cat "$err")"
    done
    expect_status 0 hlo-opt --passes='partition{devices=5}' graph.hlo
    [ "$(grep -c ^HloModule "$out")" = 5 ]
}

@test "only graphs are cut, once; a graph in parts takes no other pass, and is no message" {
    printf %s "$controls" >graph.hlo
    hlo-opt --passes=partition -o parts.hlo graph.hlo
    expect_status 0 hlo-opt --passes=partition,partition graph.hlo
    cmp parts.hlo "$out"
    expect_status 1 hlo-opt --passes=partition,cse graph.hlo
    expect_text "$err" 'cse does not support dataflow graphs'
    tiny_loop >loop.hlo
    expect_status 1 hlo-opt --passes=partition loop.hlo
    expect_text "$err" 'run lower-control-flow first'
    for form in json proto; do
        expect_status 2 hlo-opt --passes=partition --emit=$form graph.hlo
        expect_text "$err" 'a partitioned dataflow graph is several modules, which only the text form supports'
        [ ! -s "$out" ]
    done
}
