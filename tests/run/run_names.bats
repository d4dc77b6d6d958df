# hlo-run's inputs and results by name: names that a framework gives, keys that match nothing, --watch.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >jax.hlo <<'H'
HloModule jit_f
FileNames
1 "/home/me/model.py"

FunctionNames
1 "loss"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=4 end_column=20}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY main.2 {
  params__g__.1 = f32[2] parameter(0), metadata={op_name="params[\'g\']"}
  x.1 = f32[2] parameter(1), metadata={op_name="x"}
  y.1 = f32[2] parameter(2)
  y.2 = f32[2] parameter(3)
  mul.3 = f32[2] multiply(params__g__.1, x.1)
  sub.4 = f32[2] subtract(mul.3, y.1), metadata={op_name="jit(f)/sub"}
  log.5 = f32[2] log(sub.4), metadata={op_name="jit(f)/log" stack_frame_id=1}
  ROOT out.6 = f32[2] add(log.5, y.2)
}
H
    printf '[3, 4]' >g.json
    printf '[1, 2]' >one.json
    printf '[0, 0]' >zero.json
    rest="--input y.1=zero.json --input y.2=zero.json"
    want="f32[2] {1.09861231, 2.07944155}"
}

# prints TEXT OPTION...
prints() {
    local text=$1
    shift
    expect_status 0 hlo-run jax.hlo "$@"
    [ "$(cat "$out")" = "$text" ] || fail "$*: $(cat "$out")"
}

# refuses STATUS MESSAGE OPTION...
refuses() {
    local status=$1 message=$2
    shift 2
    expect_status "$status" hlo-run jax.hlo "$@"
    expect_text "$err" "$message"
    [ ! -s "$out" ] || fail "$*: $(cat "$out")"
}

@test "--input takes the names of the program that was traced" {
    for name in "params['g']" params__g__ params__g__.1 %params__g__.1 'params["g"]'; do
        # shellcheck disable=SC2086 # options and their values
        prints "$want" --input "$name=g.json" --input x=one.json $rest
    done
    # shellcheck disable=SC2086
    prints "$want" --input "params['g']=g.json" --input x.1=one.json $rest
    # shellcheck disable=SC2086
    refuses 2 "'y' is ambiguous: it matches 2 parameters" --input y=g.json
    expect_text "$err" "hint: its parameters are params__g__.1 (params['g']), x.1, y.1, y.2"
    for name in g params 'x{0}' x. .1 ''; do
        if [ -n "$name" ]; then refuses 2 "the module has no parameter '$name'" --input "$name=g.json"; fi
    done
    refuses 2 "input 0 of 4, 'params__g__.1' f32[2] (params['g']), is not given" --input x=one.json
    [ "$(grep -c hint "$err")" = 1 ] || fail "$(cat "$err")"
}

@test "--input-dir takes the same names from archives, objects and directories" {
    printf '{"params[%sg%s]": [3, 4], "x": [1, 2], "y.1": [0, 0], "y.2": [0, 0]}' "'" "'" >in.json
    prints "$want" --input-dir in.json
    mkdir in
    printf 'HloModule m\nENTRY e { ROOT p = f32[2] parameter(0) }\n' >v.hlo
    hlo-run v.hlo g.json -o in/params__g__.npy
    hlo-run v.hlo one.json -o in/x.npy
    hlo-run v.hlo zero.json -o in/in2.npy
    hlo-run v.hlo zero.json -o in/y.2.npy
    prints "$want" --input-dir in
    prints "f32[2] {1, 2}" --only=x.1 --input-dir in
    printf '{"x": [1, 2], "x.1": [3, 4]}' >twice.json
    refuses 2 "input 1 is given twice, by x.1 too" --input-dir twice.json --inputs=ones
    printf '{"y": [1, 2]}' >either.json
    refuses 2 "'y' is ambiguous: it matches 2 parameters" --input-dir either.json --inputs=ones
}

@test "keys that match no parameter are never replaced by made-up values" {
    printf '{"g": [3, 4], "bias": [1, 2], "x": [1, 2]}' >in.json
    for fill in --inputs=ones --inputs=hash; do
        refuses 2 "in.json has 'g', 'bias', which are no input, and no array for input 0 of 4, 'params__g__.1' f32[2] (params['g']), and 2 more [input]" \
            --input-dir in.json $fill
    done
    refuses 3 "there is no in0.npy in in.json" --input-dir in.json
    expect_text "$err" "found 'g', 'bias'"
    printf '{"x": [1, 2]}' >part.json
    expect_status 0 hlo-run jax.hlo --input-dir part.json --inputs=ones
    [ ! -s "$err" ] || fail "$(cat "$err")"
    printf 'HloModule m\nENTRY e { ROOT p = f32[2] parameter(0) }\n' >v.hlo
    hlo-run v.hlo g.json -o results.npz
    refuses 2 "results.npz has 'out0', which is no input" --input-dir results.npz --inputs=ones
    mkdir in
    hlo-run v.hlo g.json -o in/weights.npy
    refuses 2 "in has 'weights', which is no input" --input-dir in --inputs=ones
    printf '{"in0": [3, 4], "in1": [1, 2], "in2": [0, 0], "in3": [0, 0], "in4": [1, 1]}' >many.json
    refuses 2 "in4 of many.json is one input too many: the module takes 4" --input-dir many.json
    printf '{"in0": [3, 4], "in1": [1, 2], "in2": [0, 0], "in3": [0, 0], "dropout": 1, "out0": [1, 1]}' >more.json
    prints "$want" --input-dir more.json
    expect_text "$err" "warning: more.json has 'dropout', which is no input"
}

@test "an archive with one array, or with one of that name, is an input" {
    printf '{"anything": [3, 4]}' >only.json
    printf '{"x": [1, 2], "w": [0, 0]}' >two.json
    # shellcheck disable=SC2086
    prints "$want" --input "params['g']=only.json" --input x=two.json $rest
    refuses 3 "there is no in0, out0 or arr_0 in two.json" --input "params['g']=two.json"
}

@test "--expect with keys that match no result" {
    ones="--inputs=ones --input x=g.json"
    printf '{"logits": [1, 2]}' >want.json
    # shellcheck disable=SC2086
    expect_status 1 hlo-run jax.hlo $ones --expect want.json
    expect_text "$err" "error: there is no out0 in want.json, for f32[2]"
    expect_text "$err" "hint: want.json has 'logits'; results are called out0, out1 and so on, or arr_0"
    # shellcheck disable=SC2086
    hlo-run jax.hlo $ones -o want.json
    sed 's/^}/, "out1": [1, 2], "note": 1}/' want.json >more.json
    # shellcheck disable=SC2086
    expect_status 1 hlo-run jax.hlo $ones --expect more.json
    expect_text "$err" "error: more.json has 'out1', and the module gives 1 result"
    expect_text "$out" "out0: 2 elements agree"
    sed 's/^}/, "in0": [1, 2], "note": 1}/' want.json >more.json
    # shellcheck disable=SC2086
    expect_status 0 hlo-run jax.hlo $ones --expect more.json
    expect_text "$err" "warning: more.json has 'note', which is no result"
    # shellcheck disable=SC2086
    hlo-run jax.hlo $ones -o want.npy
    # shellcheck disable=SC2086
    expect_status 0 hlo-run jax.hlo $ones --expect want.npy
    [ "$(cat "$out")" = "out0: 2 elements agree" ] || fail "$(cat "$out")"
}

@test "--expect counts one element as one" {
    printf 'HloModule m\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n' >one.hlo
    echo '{"out0": 1}' >same.json
    echo '{"out0": 2}' >other.json
    expect_status 0 hlo-run one.hlo --expect same.json
    [ "$(cat "$out")" = "out0: 1 element agrees" ] || fail "$(cat "$out")"
    expect_status 1 hlo-run one.hlo --expect other.json
    expect_text "$out" "out0: 1 of 1 element differs"
}

@test "--break-on-nan reports the first index, the source line of the stack frame, and the operand there" {
    expect_status 1 hlo-run jax.hlo --inputs=ones --input y.1=g.json --break-on-nan
    expect_text "$err" "jax.hlo:21:3: error: 'log.5' (log) produces 2 NaN [run]"
    expect_text "$err" "note: the first NaN is at [0]"
    expect_text "$err" "note: it is computed by /home/me/model.py:12:4 (loss), jit(f)/log"
    expect_text "$err" "note: operand 'sub.4' has min -3 max -2 mean -2.5 nan 0; -2 at [0]"
    printf '[1, 2]' >two.json
    expect_status 1 hlo-run jax.hlo --inputs=ones --input y.1=two.json --break-on-nan
    expect_text "$err" "note: the first NaN is at [1]"
}

@test "--break-on-inf stops where the first infinity is made" {
    expect_status 0 hlo-run jax.hlo --inputs=ones --break-on-nan
    expect_status 1 hlo-run jax.hlo --inputs=ones --break-on-inf
    expect_text "$err" "error: 'log.5' (log) produces 2 inf [run]"
    expect_text "$err" "note: the first inf is at [0]"
    expect_text "$err" "operand 'sub.4' has min 0 max 0 mean 0 nan 0; 0 at [0]"
    cat >masked.hlo <<'H'
HloModule masked
ENTRY e {
  x = f32[2,2] parameter(0)
  low = f32[] constant(-inf)
  lows = f32[2,2] broadcast(low), dimensions={}
  most = f32[2,2] maximum(x, lows)
  big = f32[2,2] constant({ { 1, 2 }, { 3e38, 4 } })
  product = f32[2,2] multiply(big, big)
  ROOT both = (f32[2,2], f32[2,2]) tuple(most, product)
}
H
    expect_status 1 hlo-run masked.hlo --inputs=ones --break-on-inf
    expect_text "$err" "error: 'product' (multiply) produces 1 inf [run]"
    expect_text "$err" "note: the first inf is at [1,0]"
    expect_text "$err" "operand 'big' has min 1 max 3e+38 mean 7.5e+37 nan 0; 3e+38 at [1,0]"
}

@test "--watch limits what is traced and dumped" {
    expect_status 0 hlo-run jax.hlo --inputs=ones --trace-values --watch 'sub*' --watch '*/log'
    [ "$(cut -d ' ' -f 1 "$err" | tr '\n' ' ')" = "sub.4 log.5 " ] || fail "$(cat "$err")"
    expect_status 0 hlo-run jax.hlo --inputs=ones --dump-values=all --watch 'mul.?'
    [ "$(ls all)" = mul.3.npy ] || fail "$(ls all)"
    loop=$HLO_ROOT/tests/run/loop.hlo
    expect_status 0 hlo-run "$loop" --inputs=ones --trace-values --watch 'loop/1/*'
    [ "$(grep -c '^loop/1/' "$err")" = "$(wc -l <"$err")" ] || fail "$(cat "$err")"
    [ -s "$err" ] || fail "nothing is shown"
    expect_status 0 hlo-run "$loop" --inputs=ones --trace-values --watch y
    [ "$(cut -d ' ' -f 1 "$err" | tr '\n' ' ')" = "loop/0/y loop/1/y loop/2/y " ] || fail "$(cat "$err")"
    refuses 2 "no instruction has a name or op_name like 'dot*'" --inputs=ones --trace-values --watch 'dot*'
}

@test "--watch with a pattern that is like nothing: the nearest name; like nothing that ran: a warning" {
    loop=$HLO_ROOT/tests/run/loop.hlo
    while read -r pattern hint; do
        expect_status 2 hlo-run "$loop" --inputs=ones --trace-values --watch "$pattern"
        expect_text "$err" "did you mean '$hint'?"
    done <<'END'
tirp trip
strat* start*
loop/1/stpe loop/1/step
END
    expect_status 0 hlo-run "$loop" --inputs=ones --repeat=2 --trace-values --watch 'loop/4/*' --watch 'loop/2/*'
    expect_text "$err" "warning: no instruction that ran has a path or op_name like 'loop/4/*'"
    [ "$(grep -c warning "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 0 hlo-run "$loop" --inputs=ones --watch 'loop/4/*'
    [ ! -s "$err" ] || fail "nothing is shown, so nothing is missing: $(cat "$err")"
}

@test "a terminal is not filled by default" {
    needs_terminal
    cat >large.hlo <<'H'
HloModule large
ENTRY e {
  a = s32[1001] iota(), iota_dimension=0
  b = s32[1000] iota(), iota_dimension=0
  ROOT r = (s32[1001], s32[1000]) tuple(a, b)
}
H
    script -qec "hlo-run large.hlo" /dev/null >shown </dev/null 3>&-
    expect_text shown "(s32[1001], s32[1000]) ( {...}, {0, 1, 2"
    expect_text shown "arrays of more than 1000 elements are {...} on a terminal; --print-limit=0 shows them"
    script -qec "hlo-run --print-limit=0 large.hlo" /dev/null >shown </dev/null 3>&-
    expect_text shown "999, 1000}"
    script -qec "hlo-run large.hlo 2>/dev/null | cat" /dev/null >shown </dev/null 3>&-
    expect_text shown "999, 1000}"
    expect_status 0 hlo-run large.hlo
    expect_text "$out" "999, 1000}"
    [ ! -s "$err" ] || fail "$(cat "$err")"
}

@test "unknown custom calls name --stub-custom-calls" {
    printf 'HloModule m\nENTRY e { ROOT c = f32[2] custom-call(), custom_call_target="mine" }\n' >call.hlo
    expect_status 1 hlo-run call.hlo
    expect_text "$err" "calls the unknown target \"mine\""
    expect_text "$err" "hint: load its library with --custom-call-library, or replace its result by zeros with --stub-custom-calls=zeros"
    expect_status 0 hlo-run call.hlo --stub-custom-calls=zeros
}
