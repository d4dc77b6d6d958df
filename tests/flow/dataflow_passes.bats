# lower-control-flow and raise-control-flow, also one after the other, and what they refuse.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

both=lower-control-flow,raise-control-flow
# What the two take away by the way: calls, tuples in tuples, dead elements of states and operands, equal instructions.
plain='call-inliner,fix(tuple-simplifier,simplify-while-loops{rewrites=false,loop_invariant_result=true,loop_invariant_in_state=true}'
plain+=',dce{control_flow=true},cse),strip-metadata{frontend_attributes=true,backend_config=true,shardings=true},canonicalize-names'

# Modules in which an operand of a branch or an element of a state is not read, or an index has one branch: they come
# back without, as an array where one element is left of a tuple.
dead=" cond-branches-ignore-operands-false cond-branches-ignore-operands-true cond-guards-division
 g-cond-constant-branch-false g-cond-constant-branch-true g-while-collatz-weights hand-body-is-identity
 hand-index-conditional-one-branch invariant-unused while-in-condition "

# comes_back FILE NAME: whether the module that comes back is the same, and nothing changes the second time.
comes_back() {
    local why once=$BATS_TEST_TMPDIR/once.hlo twice=$BATS_TEST_TMPDIR/twice.hlo
    if ! why=$(hlo-opt --large-constants --passes=$both -o "$once" "$1" 2>&1 && hlo-verify -q "$once" 2>&1); then
        bad "$2" "$why"
    elif ! why=$(hlo-opt --large-constants --passes=$both -o "$twice" "$once" && hlo-diff "$once" "$twice" 2>&1); then
        bad "$2" "the second time: $why"
    elif [[ $dead == *[[:space:]]$2[[:space:]]* ]]; then
        ok
    elif ! why=$(hlo-opt --large-constants --passes="$plain" -o "$BATS_TEST_TMPDIR/wanted.hlo" "$1" &&
        hlo-opt --large-constants --passes="$plain" "$once" | hlo-diff --no-layouts "$BATS_TEST_TMPDIR/wanted.hlo" - 2>&1); then
        bad "$2" "$why"
    else
        ok
    fi
}

# judge_raised PASSES TEXT: the results of a sample of the cases, of which TEXT.hlo went through the passes, are those expected.
judge_raised() {
    local case name why work=$BATS_TEST_TMPDIR/$2
    mkdir "$work"
    for case in $(one_of 2 "$(cases_of control_flow)"/*/); do
        name=$(basename "$case")
        if [ ! -f "$case/$2.hlo" ]; then continue; fi
        mkdir -p "$work/$name"
        ln -s "$case"/*.npy "$case/case.json" "$work/$name"
        if why=$(hlo-opt --large-constants --passes="$1" -o "$work/$name/module.hlo" "$case/$2.hlo" 2>&1); then
            echo "$work/$name $work/$name/results"
        else
            bad "$name" "$why"
        fi
    done >"$work.list"
    "$HLO_BUILD/tools/golden_run" <"$work.list" >"$work.ran"
    while IFS=$'\t' read -r case why; do
        if [ -z "$why" ]; then echo "$case $case/results"; else bad "$(basename "$case")" "$why"; fi
    done <"$work.ran" | tee "$work.good" | "$HLO_BUILD/tools/npy_compare" >"$work.judged"
    while IFS=$'\t' read -r case why; do if [ -z "$why" ]; then ok; else bad "$(basename "$case")" "$why"; fi; done <"$work.judged"
    [ "$(wc -l <"$work.list")" = "$(wc -l <"$work.judged")" ] || bad "$2" "not all of them ran"
}

@test "modules that were lowered and raised compute what they did" {
    begin_cases
    judge_raised $both module
    end_cases
}

@test "graphs that others have lowered are raised" {
    begin_cases
    judge_raised raise-control-flow dataflow
    end_cases
}

@test "what is lowered and raised is the same module" {
    begin_cases
    for file in $(one_of 4 "$(cases_of control_flow)"/*/{module,gradient}.hlo); do
        name=$(basename "${file%/*}")
        comes_back "$file" "$name"
    done
    for file in $(grep -lE ' (while|conditional)\(' "$HLO_ROOT"/tests/golden/models/*/module.hlo); do
        comes_back "$file" "models/$(basename "${file%/*}")"
    done
    end_cases
}

@test "real dumps that were lowered and raised are the same module" {
    [ -n "${HLO_CORPUS:-}" ] || skip "no corpus"
    begin_cases
    for file in $(grep -lE ' (while|conditional)\(' "$HLO_CORPUS"/*.hlo | one_of 4); do comes_back "$file" "$(basename "$file")"; done
    end_cases
}

# lowered: the graph of m.hlo, to lowered.hlo.
lowered() {
    expect_status 0 hlo-opt --passes=lower-control-flow m.hlo
    cp "$out" lowered.hlo
    expect_status 0 hlo-verify lowered.hlo
}

@test "an invariant enters once, a variable iterates; the limit is an option with either spelling" {
    cd "$BATS_TEST_TMPDIR"
    sed '/^\/\/ -----/,$d' "$HLO_ROOT/tests/passes/rewrites/lowered.hlo" >m.hlo
    lowered
    [ "$(grep -c 'next-iteration(' lowered.hlo)" = 2 ]
    [ "$(grep -c ' merge(%.*next-iteration' lowered.hlo)" = 2 ]
    [ "$(grep -c ' exit(' lowered.hlo)" = 2 ]
    grep -q ' enter(%w.*is_constant=true' lowered.hlo
    for name in parallel_iterations parallel-iterations; do
        expect_status 0 hlo-opt --passes="lower_control_flow{$name=3}" m.hlo
        grep -q 'parallel_iterations=3' "$out" || fail "$(cat "$out")"
    done
    expect_status 1 hlo-opt --passes='lower-control-flow{parallel_iterations=0}' m.hlo
    expect_text "$err" "parallel_iterations is 0 and must be 1 or more"
}

@test "branches of an index are merged at once, and raised to a conditional with an index" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
a {
  ROOT x = f32[] parameter(0)
}
b {
  x = f32[] parameter(0)
  ROOT y = f32[] negate(x)
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[] parameter(1)
  two = f32[] conditional(i, x, x), branch_computations={a, b}
  ROOT four = f32[] conditional(i, x, two, two, x), branch_computations={b, a, b, a}
}
END
    lowered
    grep -q 'merge(%[^,]*, %[^,]*, %[^,]*, %[^,]*)' lowered.hlo || fail "$(cat lowered.hlo)"
    expect_status 0 hlo-opt --passes=raise-control-flow lowered.hlo
    [ "$(grep -c 'branch_computations={' "$out")" = 2 ] || fail "$(cat "$out")"
    ! grep -q 'compare(' "$out" || fail "$(cat "$out")"
    # A predicate that compares is another thing: false is merged first.
    cat >m.hlo <<'END'
HloModule m
a {
  ROOT x = f32[] parameter(0)
}
b {
  x = f32[] parameter(0)
  ROOT y = f32[] negate(x)
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[] parameter(1)
  zero = s32[] constant(0)
  p = pred[] compare(i, zero), direction=EQ
  ROOT c = f32[] conditional(p, x, x), true_computation=a, false_computation=b
}
END
    expect_status 0 hlo-opt --passes=$both m.hlo
    grep -q 'true_computation=' "$out" || fail "$(cat "$out")"
}

@test "conditionals of one predicate stay apart, though one needs what the other gives" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
a {
  x = f32[2] parameter(0)
  ROOT y = f32[2] negate(x)
}
b {
  x = f32[2] parameter(0)
  ROOT y = f32[2] exponential(x)
}
ENTRY e {
  p = pred[] parameter(0)
  x = f32[2] parameter(1)
  one = f32[2] conditional(p, x, x), true_computation=a, false_computation=b
  two = f32[2] conditional(p, one, x), true_computation=a, false_computation=b
  alone = f32[2] conditional(p, x, x), true_computation=b, false_computation=a
  ROOT r = (f32[2], f32[2], f32[2]) tuple(one, two, alone)
}
END
    expect_status 0 hlo-opt --passes=$both m.hlo
    [ "$(grep -c ' conditional(' "$out")" = 3 ] || fail "$(cat "$out")"
}

@test "raising restores nested tuples, devices, control predecessors and attributes of loops" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
c {
  s = ((s32[], f32[2]), (f32[2])) parameter(0)
  t = (s32[], f32[2]) get-tuple-element(s), index=0
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(5)
  ROOT lt = pred[] compare(i, n), direction=LT
}
b {
  s = ((s32[], f32[2]), (f32[2])) parameter(0)
  t = (s32[], f32[2]) get-tuple-element(s), index=0
  u = (f32[2]) get-tuple-element(s), index=1
  i = s32[] get-tuple-element(t), index=0
  x = f32[2] get-tuple-element(t), index=1, sharding={maximal device=2}
  y = f32[2] get-tuple-element(u), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  a = f32[2] sine(x)
  z = f32[2] add(x, y), control-predecessors={a}
  v = (s32[], f32[2]) tuple(j, z)
  w = (f32[2]) tuple(a)
  ROOT r = ((s32[], f32[2]), (f32[2])) tuple(v, w)
}
ENTRY e {
  x = f32[2] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[2]) tuple(zero, x)
  u = (f32[2]) tuple(x)
  start = ((s32[], f32[2]), (f32[2])) tuple(t, u)
  first = f32[2] cosine(x)
  loop = ((s32[], f32[2]), (f32[2])) while(start), condition=c, body=b, control-predecessors={first}, metadata={op_name="f/while"}, backend_config={"known_trip_count":{"n":"5"}}
  v = (f32[2]) get-tuple-element(loop), index=1
  last = f32[2] tanh(x), control-predecessors={loop}
  ROOT r = ((f32[2]), f32[2], f32[2]) tuple(v, first, last)
}
END
    lowered
    grep -q 'enter(%x.*sharding={maximal device=2}' lowered.hlo || fail "$(cat lowered.hlo)"
    expect_status 0 hlo-opt --passes=raise-control-flow lowered.hlo
    cp "$out" raised.hlo
    for text in '= ((s32\[\], f32\[2\]{0}), (f32\[2\]{0})) while(.*control-predecessors={%first}, metadata={op_name="f/while"}, backend_config=' \
        ' tanh(%x[0-9.]*), control-predecessors={%loop}' ' add(.*control-predecessors={%a}' \
        'get-tuple-element(.*sharding={maximal device=2}'; do
        grep -q "$text" raised.hlo || fail "$text" "$(cat raised.hlo)"
    done
    ! grep -q frontend_attributes raised.hlo || fail "$(cat raised.hlo)"
    hlo-run --inputs=random m.hlo >wanted
    hlo-run --inputs=random raised.hlo | cmp wanted -
    hlo-run --inputs=random --executor=dataflow m.hlo | cmp wanted -
}

@test "what has an effect and reads nothing stays where it is" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
c {
  i = s32[] parameter(0)
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
yes {
  u = () parameter(0)
  r = u32[] partition-id()
  ROOT s = s32[] convert(r)
}
no {
  u = () parameter(0)
  ROOT s = s32[] constant(1)
}
b {
  i = s32[] parameter(0)
  seven = s32[] constant(7)
  p = pred[] compare(i, seven), direction=GT
  none = () tuple()
  k = s32[] conditional(p, none, none), true_computation=yes, false_computation=no
  ROOT j = s32[] add(i, k)
}
ENTRY e {
  i = s32[] parameter(0)
  ROOT w = s32[] while(i), condition=c, body=b
}
END
    lowered
    grep -q 'partition-id(), control-predecessors={' lowered.hlo || fail "$(cat lowered.hlo)"
    expect_status 0 hlo-opt --passes=raise-control-flow lowered.hlo
    cp "$out" raised.hlo
    grep -q 'partition-id()$' raised.hlo || fail "$(cat raised.hlo)"
    [ "$(hlo-run --inputs=zeros raised.hlo)" = "$(hlo-run --inputs=zeros m.hlo)" ]
    [ "$(hlo-run --inputs=zeros --executor=dataflow m.hlo)" = "$(hlo-run --inputs=zeros m.hlo)" ]
}

@test "a loop without state, a condition that uses its own predicate, an empty body" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
stop {
  u = () parameter(0)
  ROOT f = pred[] constant(false)
}
same {
  ROOT u = () parameter(0)
}
yes {
  i = s32[] parameter(0)
  ROOT t = token[] after-all()
}
asks {
  i = s32[] parameter(0)
  n = s32[] constant(3)
  lt = pred[] compare(i, n), direction=LT
  t = token[] conditional(lt, i, i), true_computation=yes, false_computation=yes
  ROOT r = pred[] compare(i, n), direction=LT
}
own {
  i = s32[] parameter(0)
  n = s32[] constant(3)
  lt = pred[] compare(i, n), direction=LT
  t = token[] conditional(lt, i, i), true_computation=yes, false_computation=yes
  d = pred[] add-dependency(lt, t)
  ROOT r = pred[] and(lt, d)
}
root {
  i = s32[] parameter(0)
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
  t = token[] conditional(lt, i, i), true_computation=yes, false_computation=yes
}
step {
  i = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT j = s32[] add(i, one)
}
ENTRY e {
  i = s32[] parameter(0)
  none = () tuple()
  never = () while(none), condition=stop, body=same
  a = s32[] while(i), condition=asks, body=step
  b = s32[] while(i), condition=own, body=step
  c = s32[] while(i), condition=root, body=step
  ROOT r = (s32[], s32[], s32[]) tuple(a, b, c)
}
END
    lowered
    expect_status 0 hlo-opt --passes=raise-control-flow lowered.hlo
    cp "$out" raised.hlo
    expect_status 0 hlo-verify raised.hlo
    hlo-run --inputs=zeros m.hlo >wanted
    hlo-run --inputs=zeros raised.hlo | cmp wanted -
    hlo-run --inputs=zeros --executor=dataflow m.hlo | cmp wanted -
}

@test "what is no node of a graph is named, and the module stays what it was" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  s = (f32[2], f32[2], u32[]) copy-start(x)
  ROOT y = f32[2] copy-done(s)
}
END
    expect_status 1 hlo-opt --passes=lower-control-flow m.hlo
    grep -q '^m.hlo:4:3: error: copy-start: .* \[dataflow-node\]$' "$err" || fail "$(cat "$err")"
    # 2^40 instructions, and calls that nest deeper than a stack.
    {
        echo HloModule m
        echo 'call0 { ROOT x = f32[] parameter(0) }'
        for i in $(seq 40); do
            echo "call$i { x = f32[] parameter(0) y = f32[] call(x), to_apply=call$((i - 1)) ROOT z = f32[] call(y), to_apply=call$((i - 1)) }"
        done
        echo 'ENTRY e { x = f32[] parameter(0) ROOT y = f32[] call(x), to_apply=call40 }'
    } >many.hlo
    expect_status 1 hlo-opt --passes=lower-control-flow many.hlo
    grep -q 'call: the inlined graph would have more than [0-9]* instructions; max_growth sets the limit \[limit\]' "$err" || fail "$(cat "$err")"
    {
        echo HloModule m
        echo 'call0 { ROOT x = f32[] parameter(0) }'
        seq 5000 | awk '{ printf "call%d { x = f32[] parameter(0) ROOT y = f32[] call(x), to_apply=call%d }\n", $1, $1 - 1 }'
        echo 'ENTRY e { x = f32[] parameter(0) ROOT y = f32[] call(x), to_apply=call5000 }'
    } >deep.hlo
    expect_status 1 hlo-opt --passes=lower-control-flow deep.hlo
    grep -q 'call: calls nest deeper than 200 \[limit\]' "$err" || fail "$(cat "$err")"
}

@test "other passes refuse graphs, and graphs are not lowered again" {
    cd "$BATS_TEST_TMPDIR"
    sed '1,/^\/\/ -----/d' "$HLO_ROOT/tests/passes/rewrites/lowered.hlo" >g.hlo
    for pass in lower-control-flow dce cse algsimp; do
        expect_status 1 hlo-opt --passes=$pass g.hlo
        expect_text "$err" "$pass does not support dataflow graphs"
        expect_text "$err" "hint: run it before lower-control-flow, or after raise-control-flow"
    done
    expect_status 0 hlo-opt --passes=strip-metadata g.hlo
    expect_status 0 hlo-opt --passes=raise-control-flow,dce,raise-control-flow,lower-control-flow g.hlo
}

# refused LINE MESSAGE: raising the graph that is read fails there.
refused() {
    { printf 'HloModule m, is_dataflow=true\nENTRY e {\n' && cat && echo '}'; } >g.hlo
    expect_status 0 hlo-verify g.hlo
    expect_status 1 hlo-opt --passes=raise-control-flow g.hlo
    grep -q "^g.hlo:$1:[0-9]*: error: $2.* \[dataflow-structure\]$" "$err" || fail "$2" "$(cat "$err")"
}

@test "graphs that are no loops and conditionals are refused at a node" {
    cd "$BATS_TEST_TMPDIR"
    refused 7 'merge: its values are not from both sides of one predicate' <<'END'
  p = pred[] parameter(0)
  x = f32[] parameter(1)
  s = (f32[], f32[]) switch(x, p)
  t = f32[] get-tuple-element(s), index=1
  ROOT m = f32[] merge(t, x)
END
    refused 9 'add: it uses values of mutually exclusive branches' <<'END'
  p = pred[] parameter(0)
  x = f32[] parameter(1)
  s = (f32[], f32[]) switch(x, p)
  f = f32[] get-tuple-element(s), index=0
  t = f32[] get-tuple-element(s), index=1
  m = f32[] merge(f, t)
  a = f32[] add(f, t)
  ROOT r = f32[] add(m, m)
END
    refused 6 'get-tuple-element: the result is inside a branch' <<'END'
  p = pred[] parameter(0)
  x = f32[] parameter(1)
  s = (f32[], f32[]) switch(x, p)
  ROOT t = f32[] get-tuple-element(s), index=1
END
    refused 10 'switch: the loop.s predicate controls neither a merge nor a constant' <<'END'
  x = s32[] parameter(0)
  n = s32[] parameter(1)
  i = s32[] enter(x), frame_name="w"
  k = s32[] enter(n), frame_name="w", is_constant=true
  m = s32[] merge(i, o)
  p = pred[] compare(m, k), direction=LT
  d = s32[] add(m, k)
  s = (s32[], s32[]) switch(d, p)
  t = s32[] get-tuple-element(s), index=1
  f = s32[] get-tuple-element(s), index=0
  o = s32[] next-iteration(t)
  ROOT r = s32[] exit(f)
END
    refused 6 'switch: a branch depends on the result of the conditional' <<'END'
  p = pred[] parameter(0)
  x = f32[] parameter(1)
  y = f32[] parameter(2)
  s = (f32[], f32[]) switch(x, p)
  f = f32[] get-tuple-element(s), index=0
  t = f32[] get-tuple-element(s), index=1
  m = f32[] merge(f, t)
  u = (f32[], f32[]) switch(m, p)
  v = f32[] get-tuple-element(u), index=0
  w = f32[] get-tuple-element(u), index=1
  a = f32[] add(f, v)
  b = f32[] add(t, w)
  ROOT r = f32[] merge(a, b)
END
}

@test "graphs in another order, and branches that read without a switch, are raised" {
    cd "$BATS_TEST_TMPDIR"
    cat >g.hlo <<'END'
HloModule m, is_dataflow=true
ENTRY e {
  p = pred[] parameter(0)
  x = f32[2] parameter(1)
  y = f32[2] parameter(2)
  s = (f32[2], f32[2]) switch(x, p)
  u = (f32[2], f32[2]) switch(y, p)
  st = f32[2] get-tuple-element(s), index=1
  uf = f32[2] get-tuple-element(u), index=0
  sf = f32[2] get-tuple-element(s), index=0
  a = f32[2] add(st, y)
  b = f32[2] multiply(uf, x)
  m = f32[2] merge(a, sf)
  ut = f32[2] get-tuple-element(u), index=1
  n = f32[2] merge(ut, b)
  ROOT r = (f32[2], f32[2]) tuple(m, n)
}
END
    expect_status 0 hlo-opt --passes=raise-control-flow g.hlo
    cp "$out" raised.hlo
    [ "$(grep -c ' conditional(' raised.hlo)" = 1 ] || fail "$(cat raised.hlo)"
    hlo-run --inputs=random g.hlo >wanted
    hlo-run --inputs=random raised.hlo | cmp wanted -
    # An enter after the exit, of a value that a branch made.
    cat >g.hlo <<'END'
HloModule m, is_dataflow=true
ENTRY e {
  p = pred[] parameter(0)
  x = s32[] parameter(1)
  n = s32[] parameter(2)
  s = (s32[], s32[]) switch(x, p)
  st = s32[] get-tuple-element(s), index=1
  sf = s32[] get-tuple-element(s), index=0
  i = s32[] enter(st), frame_name="w"
  big = s32[] constant(100)
  k = s32[] enter(big), frame_name="w", is_constant=true
  m = s32[] merge(i, o)
  go = pred[] compare(m, k), direction=LT
  w = (s32[], s32[]) switch(m, go)
  wt = s32[] get-tuple-element(w), index=1
  wf = s32[] get-tuple-element(w), index=0
  done = s32[] exit(wf)
  t = (s32[], s32[]) switch(n, p)
  tt = s32[] get-tuple-element(t), index=1
  step = s32[] enter(tt), frame_name="w", is_constant=true
  a = s32[] maximum(wt, step)
  one = s32[] constant(13)
  by = s32[] enter(one), frame_name="w", is_constant=true
  b = s32[] add(a, by)
  o = s32[] next-iteration(b)
  r2 = s32[] negate(done)
  ROOT r = s32[] merge(sf, r2)
}
END
    expect_status 0 hlo-opt --passes=raise-control-flow g.hlo
    cp "$out" raised.hlo
    grep -q 'while(' raised.hlo
    for seed in 1 2 3; do
        hlo-run --inputs=random --seed=$seed g.hlo >wanted
        hlo-run --inputs=random --seed=$seed raised.hlo | cmp wanted -
    done
}

@test "autodiff takes graphs: raises them before and lowers them after, and leaves one as it was that has no gradient" {
    cd "$BATS_TEST_TMPDIR"
    count=0
    for graph in "$(cases_of control_flow)"/*/dataflow.hlo; do
        [ -e "${graph%/*}/gradient.hlo" ] || continue
        hlo-opt --passes=raise-control-flow,autodiff,lower-control-flow "$graph" >want || continue
        hlo-opt --passes=autodiff --verify-each "$graph" >have || fail "$graph"
        cmp want have || fail "$graph has another gradient"
        count=$((count + 1))
    done
    [ $count -ge 60 ] || fail "$count graphs have a gradient"
    expect_status 1 hlo-opt --passes=raise-control-flow,autodiff,lower-control-flow "$HLO_ROOT/tests/flow/dataflow/no-gradient.hlo"
    want=$(grep error "$err")
    expect_status 1 hlo-opt --passes=autodiff "$HLO_ROOT/tests/flow/dataflow/no-gradient.hlo"
    expect_text "$err" "$want"
}

@test "a limit of rewrites that ends while a pass has a graph raised leaves the graph as it was" {
    cd "$BATS_TEST_TMPDIR"
    for graph in "$(cases_of control_flow)"/*/dataflow.hlo; do
        [ -e "${graph%/*}/gradient.hlo" ] || continue
        hlo-opt --passes=autodiff "$graph" >whole 2>err && break
    done
    hlo-opt "$graph" >before
    for limit in 0 1 2 3 4 5 6 8 12 1000; do
        hlo-opt --passes=autodiff --pass-limit=$limit --verify-each "$graph" >after || fail "limit $limit"
        cmp -s after before || cmp after whole || fail "limit $limit"
    done
    cmp after whole
}

@test "loops over scalars can stay, where they are and what they compute; others become frames" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
below { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(5) ROOT r = pred[] compare(i, n), direction=LT }
halve { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 x = f32[] get-tuple-element(p), index=1
  one = s32[] constant(1) j = s32[] add(i, one) h = f32[] constant(0.5) y = f32[] multiply(x, h) ROOT t = (s32[], f32[]) tuple(j, y) }
outer_below { p = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(4) ROOT r = pred[] compare(i, n), direction=LT }
outer { p = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(p), index=0 v = f32[3] get-tuple-element(p), index=1
  one = s32[] constant(1) j = s32[] add(i, one) zero = s32[] constant(0) x = f32[] convert(j) s = (s32[], f32[]) tuple(zero, x)
  inner = (s32[], f32[]) while(s), condition=below, body=halve y = f32[] get-tuple-element(inner), index=1
  w = f32[3] broadcast(y), dimensions={} a = f32[3] add(v, w) ROOT t = (s32[], f32[3]) tuple(j, a) }
taken { x = f32[] parameter(0) zero = s32[] constant(0) s = (s32[], f32[]) tuple(zero, x)
  l = (s32[], f32[]) while(s), condition=below, body=halve ROOT y = f32[] get-tuple-element(l), index=1 }
same { ROOT x = f32[] parameter(0) }
ENTRY e { v = f32[3] parameter(0) x = f32[] parameter(1) p = pred[] parameter(2) zero = s32[] constant(0)
  s = (s32[], f32[3]) tuple(zero, v) l = (s32[], f32[3]) while(s), condition=outer_below, body=outer
  w = f32[3] get-tuple-element(l), index=1 c = f32[] conditional(p, x, x), true_computation=taken, false_computation=same
  ROOT r = (f32[3], f32[]) tuple(w, c) }
END
    hlo-opt --passes='lower-control-flow{keep_scalar_loops}' m.hlo >g.hlo
    [ "$(grep -c ' while(' g.hlo)" = 2 ] || fail "$(cat g.hlo)"
    [ "$(grep -c ' next-iteration(' g.hlo)" = 2 ] || fail "$(cat g.hlo)"
    hlo-opt --passes=raise-control-flow g.hlo >raised.hlo
    for inputs in zeros ones; do
        hlo-run --inputs=$inputs m.hlo >wanted
        for run in g.hlo raised.hlo '--executor=dataflow m.hlo' '--executor=dataflow --lower-scalar-loops m.hlo'; do
            hlo-run --inputs=$inputs $run | cmp - wanted || fail "$run"
        done
    done
}
