# Passes over loops: what their options do, and what keeps them from doing anything.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# loop START LIMIT DIRECTION STEP [TYPE]: sine in a loop with a counter.
loop() {
    local t=${5:-s32}
    cat <<HLO
HloModule m
body {
  state = ($t[], f32[2]) parameter(0)
  i = $t[] get-tuple-element(state), index=0
  by = $t[] constant($4)
  next = $t[] add(i, by)
  x = f32[2] get-tuple-element(state), index=1
  y = f32[2] sine(x)
  ROOT out = ($t[], f32[2]) tuple(next, y)
}
condition {
  state = ($t[], f32[2]) parameter(0)
  i = $t[] get-tuple-element(state), index=0
  end = $t[] constant($2)
  ROOT more = pred[] compare(i, end), direction=$3
}
ENTRY main {
  x = f32[2] parameter(0)
  start = $t[] constant($1)
  init = ($t[], f32[2]) tuple(start, x)
  ROOT loop = ($t[], f32[2]) while(init), condition=condition, body=body
}
HLO
}

@test "while-loop-trip-count-annotator: rounds of counters, up to the ends of their types" {
    while read -r trips args; do
        # shellcheck disable=SC2086
        loop $args | hlo-opt --passes=while-loop-trip-count-annotator >out.hlo
        got=$(sed -n 's/.*known_trip_count":{"n":"\([0-9]*\)".*/\1/p' out.hlo)
        [ "${got:-unknown}" = "$trips" ] || fail "$args: $got rounds, not $trips"
    done <<'CASES'
10 0 10 LT 1
11 0 10 LE 1
4 0 10 LT 3
0 10 10 LT 1
0 11 10 LE -1
10 10 0 GT -1
11 10 0 GE -1
5 10 0 NE -2
0 7 7 NE 1
unknown 10 0 NE -3
unknown 0 10 LT -1
unknown 0 10 LT 0
1 3 3 EQ 5
0 3 4 EQ 5
25 0 250 LT 10 u8
unknown 0 255 LE 1 u8
unknown 0 250 LT 100 u8
unknown 0 127 LE 1 s8
255 -128 127 LT 1 s8
9223372036854775807 0 9223372036854775807 LT 1 s64
unknown -9223372036854775808 9223372036854775807 LT 1 s64
unknown 0 9223372036854775807 LE 1 s64
CASES
}

@test "while_loop_unroller: by a factor, rounds that are left over stand before the loop" {
    loop 0 7 LT 1 >in.hlo
    hlo-run --inputs=hash in.hlo >wanted
    for factor in 2 3 7; do
        hlo-opt --passes="while_loop_unroller{unroll_factor=$factor},dce" in.hlo >out.hlo
        [ "$(grep -c 'sine(' out.hlo)" = $((factor + 7 % factor)) ] || fail "factor $factor:" "$(cat out.hlo)"
        [ "$(grep -c 'while(' out.hlo)" = 1 ]
        hlo-run --inputs=hash out.hlo | cmp - wanted
    done
    for options in unroll_factor=1 unroll_factor=8 trip_count_threshold=6 instruction_count_threshold=7 \
        expand_factor_threshold=48 unroll_factor=9223372036854775807; do
        hlo-opt --passes="while_loop_unroller{$options}" in.hlo >out.hlo
        [ "$(grep -c 'sine(' out.hlo)" = 1 ] || fail "$options:" "$(cat out.hlo)"
    done
}

@test "passes over loops leave effects, control dependencies and run-time sizes alone" {
    passes=simplify-while-loops,while_loop_unroller,while-loop-invariant-code-motion
    passes+=,while-loop-constant-sinking,while-loop-trip-count-annotator
    loop 0 3 LT 1 | sed 's/  ROOT out =/  t = token[] after-all()\n  o = token[] outfeed(y, t), outfeed_shape=f32[2]\n&/' >effect.hlo
    loop 0 3 LT 1 | sed 's/y = f32\[2\] sine(x)/&, control-predecessors={next}/' >inside.hlo
    loop 0 1 LT 1 | sed 's/ROOT loop = \(.*\)/n = f32[2] negate(x)\n  ROOT loop = \1, control-predecessors={n}/' >outside.hlo
    for module in effect inside outside; do
        hlo-opt --passes="$passes" $module.hlo | grep -v '^HloModule' >out.hlo
        grep -q 'while(' out.hlo || fail "$module:" "$(cat out.hlo)"
        [ "$(grep -c 'sine(' out.hlo)" = 1 ] || fail "$module:" "$(cat out.hlo)"
    done
    loop 0 3 LT 1 | sed 's/f32\[2\]/f32[<=2]/g' >dynamic.hlo
    hlo-opt dynamic.hlo >before.hlo
    hlo-opt --passes="$passes" dynamic.hlo | cmp - before.hlo
}

@test "while-loop-invariant-code-motion: size, reshapes, constants, a frontend attribute" {
    cat >in.hlo <<'HLO'
HloModule m
body {
  state = (s32[], f32[2], f32[8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  by = s32[] constant(1)
  next = s32[] add(i, by)
  x = f32[2] get-tuple-element(state), index=1
  sum = f32[8] get-tuple-element(state), index=2
  row = f32[2,1] reshape(x)
  wide = f32[2,1] cosine(row)
  longer = f32[2,4] broadcast(x), dimensions={0}
  flat = f32[8] reshape(longer)
  pad = f32[8] sine(flat)
  zero = f32[] constant(0)
  padded = f32[8] pad(x, zero), padding=0_6
  a = f32[8] add(sum, pad)
  b = f32[8] add(a, padded)
  ROOT out = (s32[], f32[2], f32[8]) tuple(next, x, b)
}
condition {
  state = (s32[], f32[2], f32[8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  end = s32[] constant(5)
  ROOT more = pred[] compare(i, end), direction=LT
}
ENTRY main {
  x = f32[2] parameter(0)
  y = f32[8] parameter(1)
  start = s32[] constant(0)
  init = (s32[], f32[2], f32[8]) tuple(start, x, y)
  ROOT loop = (s32[], f32[2], f32[8]) while(init), condition=condition, body=body
}
HLO
    pass=while-loop-invariant-code-motion
    in_main() { hlo-opt --passes="$pass$1" in.hlo | sed -n '/^ENTRY/,$p' | grep -c " $2("; }
    [ "$(in_main '' sine)" = 1 ]
    [ "$(in_main '' pad)" = 1 ]
    [ "$(in_main '{hoist_size_inflation_ratio=2}' pad)" = 0 ]
    [ "$(in_main '{hoist_size_inflation_ratio=4}' pad)" = 1 ]
    [ "$(in_main '{hoist_other=false}' sine)" = 0 ]
    [ "$(in_main '{hoist_other=false,hoist_reshapes=true}' reshape)" -ge 1 ]
    [ "$(in_main '{hoist_other=false,hoist_constants=true}' constant)" = 3 ]
    hlo-run --inputs=hash in.hlo >wanted
    hlo-opt --passes="$pass{hoist_constants=true,hoist_reshapes=true}" in.hlo >out.hlo
    hlo-run --inputs=hash out.hlo | cmp - wanted
    sed -i 's/while(init).*/&, frontend_attributes={_xla_disable_loop_instr_hoisting="true"}/' in.hlo
    [ "$(in_main '' sine)" = 0 ]
}

@test "the backend_config of a loop stays valid" {
    cat >in.hlo <<'HLO'
HloModule m

cond {
  p = (f32[2], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=1
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}

body {
  p = (f32[2], s32[]) parameter(0)
  x = f32[2] get-tuple-element(p), index=0
  y = f32[2] negate(x)
  i = s32[] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (f32[2], s32[]) tuple(y, j)
}

ENTRY main {
  x = f32[2] parameter(0)
  zero = s32[] constant(0)
  t = (f32[2], s32[]) tuple(x, zero)
  w = (f32[2], s32[]) while(t), condition=cond, body=body, backend_config={"known_trip_count":{"n":"99"}}
  ROOT i = s32[] get-tuple-element(w), index=1
}
HLO
    # Another count is a wrong one; the same count stays as it was written.
    expect_status 0 hlo-opt --passes='while-loop-trip-count-annotator{final_counter=false}' in.hlo
    expect_text "$out" '"known_trip_count":{"n":"5"}'
    expect_text "$out" '"tuple_index":"1"'
    cp "$out" told.hlo
    expect_status 0 hlo-opt --passes='while-loop-trip-count-annotator{final_counter=false}' told.hlo
    cmp -s "$out" told.hlo || fail "$(cat "$out")"
    # The counter gets another place in the state.
    expect_status 0 hlo-opt --passes=simplify-while-loops told.hlo
    expect_text "$out" '(s32[]) while('
    expect_text "$out" '"known_trip_count":{"n":"5"}'
    expect_text "$out" '"tuple_index":"0"'
}

@test "while-loop-invariant-code-motion leaves a generator that no engine runs in a loop that may not run" {
    generator_loop() { # STATE RESULT ALGORITHM
        cat <<HLO
HloModule m
body {
  state = ($1, s32[]) parameter(0)
  key = $1 get-tuple-element(state), index=0
  drawn = $2 rng-bit-generator(key), algorithm=$3
  bits = u32[4] get-tuple-element(drawn), index=1
  first = u32[1] slice(bits), slice={[0:1]}
  word = u32[] reshape(first)
  by = s32[] convert(word)
  i = s32[] get-tuple-element(state), index=1
  next = s32[] add(i, by)
  ROOT out = ($1, s32[]) tuple(key, next)
}
condition {
  state = ($1, s32[]) parameter(0)
  i = s32[] get-tuple-element(state), index=1
  zero = s32[] constant(0)
  ROOT more = pred[] compare(i, zero), direction=LT
}
ENTRY main {
  key = $1 parameter(0)
  start = s32[] parameter(1)
  init = ($1, s32[]) tuple(key, start)
  ROOT loop = ($1, s32[]) while(init), condition=condition, body=body
}
HLO
    }
    in_main() { # FILE: generators and calls in the entry computation after the pass
        hlo-opt --passes=while-loop-invariant-code-motion "$1" >moved.hlo
        sed -n '/^ENTRY/,$p' moved.hlo | grep -c ' rng-bit-generator(\| call('
    }
    generator_loop 'u64[2]' '(u64[2], u32[4])' rng_three_fry >taken.hlo
    [ "$(in_main taken.hlo)" = 1 ]
    generator_loop 'u64[3]' '(u64[3], u32[4])' rng_three_fry >words.hlo
    generator_loop 'u32[2]' '(u32[2], u32[4])' rng_default >type.hlo
    sed '/^body/i f {\n  key = u64[2] parameter(0)\n  drawn = (u64[2], u32[4]) custom-call(key), custom_call_target="lapack_sgesdd_ffi"\n  ROOT bits = u32[4] get-tuple-element(drawn), index=1\n}\ng {\n  key = u64[2] parameter(0)\n  ROOT bits = u32[4] call(key), to_apply=f\n}' taken.hlo |
        sed '/^body/,/^}/{ / drawn = /d; s/get-tuple-element(drawn), index=1/call(key), to_apply=g/ }' >called.hlo
    for name in words type called; do
        [ "$(in_main $name.hlo)" = 0 ] || fail "$(cat moved.hlo)"
        expect_status 0 hlo-run --inputs=ones moved.hlo
    done
}

# The outfeed reads an element of the state then, which is before the parameter in the text: build/debug asserts its order.
@test "while-loop-invariant-code-motion: the parameter precedes the users of what is moved" {
    cat >early.hlo <<'HLO'
HloModule early
body {
  numbers = f32[4] iota(), iota_dimension=0
  moved = f32[4] cosine(numbers)
  order = token[] after-all()
  out = token[] outfeed(moved, order), outfeed_shape=f32[4]{0}
  state = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[4] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[4] add(x, moved)
  ROOT result = (s32[], f32[4]) tuple(next, y)
}
condition {
  state = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  end = s32[] constant(3)
  ROOT more = pred[] compare(i, end), direction=LT
}
ENTRY main {
  i = s32[] parameter(0)
  x = f32[4] parameter(1)
  init = (s32[], f32[4]) tuple(i, x)
  ROOT loop = (s32[], f32[4]) while(init), condition=condition, body=body
}
HLO
    expect_status 0 hlo-opt --passes=while-loop-invariant-code-motion,dce -o moved.hlo early.hlo
    for module in early moved; do
        expect_status 0 hlo-run --as-written --inputs=zeros --outfeed="$module.npy" --output-dir="$module.npz" "$module.hlo"
    done
    grep -q 'outfeed(%get-tuple-element' moved.hlo
    cmp early.npy moved.npy
    cmp early.npz moved.npz
}
