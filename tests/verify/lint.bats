# Lint beyond the examples of docs/rules (which rules.bats runs): options, suppression, and for each
# rule what it must find and what it must let pass.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# lint RULE HEADER BODY: the names of the lines that the rule finds, in a module of that entry.
lint() {
    printf 'HloModule m%s\n%s\n' "$2" "$3" >module.hlo
    hlo-verify -q module.hlo || fail "not valid: $(hlo-verify module.hlo 2>&1)"
    hlo-verify --warn="$1" --format=json module.hlo | sed -n 's/^{"file":"[^"]*","line":\([0-9]*\),.*/\1/p' |
        while read -r line; do sed -n "${line}p" module.hlo | sed -E 's/^ *(ROOT )?([a-z_0-9.]+).*/\2/'; done | paste -sd' '
}

# finds RULE NAMES BODY [HEADER]
finds() {
    got=$(lint "$1" "${4:-}" "$3")
    [ "$got" = "$2" ] || fail "$1 finds '$got' instead of '$2'" "$3"
}

sum='sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}'

@test "off by default; --warn, --error, --suppress, all, lists, and which goes first" {
    printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] copy(x)\n  ROOT z = f32[2] negate(x)\n}\n' >m.hlo
    expect_status 0 hlo-verify m.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    expect_status 0 hlo-verify --warn=all -v m.hlo
    expect_text "$err" "m.hlo:4:3: warning: copy: it is unused [dead-code]"
    expect_text "$err" "[identity-operation]"
    expect_text "$out" "2 warnings"
    expect_status 1 hlo-verify --error=dead-code m.hlo
    expect_text "$err" "m.hlo:4:3: error: copy: it is unused [dead-code]"
    ! grep -q identity "$err" || fail "$(cat "$err")"
    expect_status 1 hlo-verify --warn=all --error dead-code m.hlo
    expect_status 0 hlo-verify --suppress=dead-code,identity-operation --error=all m.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    expect_status 0 hlo-verify --error=dead-code --suppress=all m.hlo
    expect_status 0 hlo-verify --warn=recommended m.hlo
    expect_text "$err" "[dead-code]"
    ! grep -q identity "$err" || fail "$(cat "$err")"
    expect_status 0 hlo-verify --warn=all --suppress=recommended m.hlo
    expect_text "$err" "[identity-operation]"
    ! grep -q dead-code "$err" || fail "$(cat "$err")"
    expect_status 2 hlo-verify --warn=recomended m.hlo
    expect_text "$err" "did you mean 'recommended'?"
    expect_status 2 hlo-verify --warn m.hlo
    expect_text "$err" "hint: hlo-verify --list-rules | grep lint has the rules; recommended and all are sets of them"
    expect_status 2 hlo-verify --warn=no-such-rule m.hlo
    expect_text "$err" "unknown rule 'no-such-rule'"
    expect_status 2 hlo-verify --suppress=dot-batch m.hlo
    expect_text "$err" "'dot-batch' is not a lint rule: it cannot be disabled"
    expect_text "$err" "hint: hlo-verify --list-rules | grep lint has the rules"
    ! grep -q "did you mean" "$err" || fail "$(cat "$err")"
    expect_status 2 hlo-verify --warn=syntax m.hlo
    expect_text "$err" "'syntax' is not a lint rule ["
    ! grep -q "did you mean" "$err" || fail "$(cat "$err")"
}

@test "--max-errors: that many of each rule, and how many more there are" {
    { printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n'
      for i in $(seq 30); do echo "  a$i = f32[2] copy(x)"; done
      printf '  ROOT z = f32[2] negate(x)\n}\n'; } >many.hlo
    for how in warn error; do
        hlo-verify --$how=dead-code,identity-operation many.hlo >said 2>&1 || [ $how = error ]
        for rule in dead-code identity-operation; do
            [ "$(grep -c "\[$rule\]" said)" = 20 ] || fail "$(cat said)"
            expect_text said "note: $rule: 10 more are not shown (--max-errors)"
        done
        hlo-verify --$how=dead-code --max-errors=29 many.hlo >said 2>&1 || [ $how = error ]
        expect_text said "note: dead-code: 1 more is not shown (--max-errors)"
    done
    expect_status 0 hlo-verify -v --warn=dead-code --max-errors=1 many.hlo
    expect_text "$out" "30 warnings"
    # What lint finds in one module takes no room from the errors of the next one.
    { cat many.hlo; printf '// -----\nHloModule n\nENTRY e { ROOT x = f32[] nonsense() }\n'; } >two.hlo
    expect_status 1 hlo-verify --error=all --max-errors=2 --split-input-file two.hlo
    expect_text "$err" "[unknown-opcode]"
}

@test "suppression by a frontend attribute of the instruction, of a computation's root, of the module" {
    body='ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] copy(x), frontend_attributes={hlo_lint_suppress="%s"}
  ROOT z = f32[2] negate(x)
}'
    for list in dead-code all 'identity-operation, dead-code'; do
        finds dead-code "" "${body/\%s/$list}"
    done
    for list in dead-cod identity-operation ''; do
        finds dead-code "y" "${body/\%s/$list}"
    done
    finds dead-code "" "${body/\%s/}" ', frontend_attributes={hlo_lint_suppress="dead-code"}'
    finds dead-code "" 'f {
  p = f32[] parameter(0)
  ROOT q = f32[] negate(p), frontend_attributes={hlo_lint_suppress="dead-code"}
}
ENTRY e { ROOT x = f32[2] parameter(0) }'
}

@test "dead-code: chains and uncalled computations, not side effects and what must come before" {
    finds dead-code "f y z" 'f {
  p = f32[] parameter(0)
  ROOT q = f32[] negate(p)
}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] copy(x)
  z = f32[2] negate(y)
  w = f32[2] abs(x)
  t = token[] after-all()
  o = token[] outfeed(w, t), outfeed_shape=f32[2]
  b = f32[2] floor(x)
  ROOT r = f32[2] ceil(x), control-predecessors={b}
}'
}

@test "dead-code: elements of tuples that are computed, through calls; not state, what one operation makes, and boundaries" {
    finds dead-code "sum squares shaped" 'body {
  s = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  unread = f32[2] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[2] iota(), iota_dimension=0
  ROOT t = (s32[], f32[2]) tuple(next, x)
}
cond {
  cs = (s32[], f32[2]) parameter(0)
  ci = s32[] get-tuple-element(cs), index=0
  ten = s32[] constant(10)
  ROOT go = pred[] compare(ci, ten), direction=LT
}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT l = pred[] compare(a, b), direction=LT
}
inner {
  p = f32[2] parameter(0)
  q = f32[2] add(p, p)
  r = f32[2] multiply(p, p)
  ROOT u = (f32[2], f32[2], f32[2]) tuple(q, p, r)
}
outer {
  o = f32[2] parameter(0)
  ROOT v = (f32[2], f32[2], f32[2]) call(o), to_apply=inner
}
ENTRY e {
  init = (s32[], f32[2]) parameter(0)
  loop = (s32[], f32[2]) while(init), condition=cond, body=body
  state = f32[2] get-tuple-element(loop), index=1
  n = s32[] get-tuple-element(loop), index=0
  y = f32[2] get-tuple-element(init), index=1
  k = s32[2] iota(), iota_dimension=0
  sorted = (f32[2], s32[2]) sort(y, k), dimensions={0}, to_apply=less
  places = s32[2] get-tuple-element(sorted), index=1
  z = f32[2] get-tuple-element(sorted), index=0
  parts = (f32[2], f32[2], f32[2]) call(z), to_apply=outer
  sum = f32[2] get-tuple-element(parts), index=0
  same = f32[2] get-tuple-element(parts), index=1
  other = f32[2] get-tuple-element(parts), index=0
  squares = f32[2] get-tuple-element(parts), index=2
  edge = f32[2] reshape(z), sharding={replicated}
  bare = f32[2] reshape(z)
  shaped = f32[2,1] reshape(z)
  ROOT w = (s32[], f32[2], f32[2]) tuple(n, z, other)
}'
    # A chain that is longer than what the rule follows is let pass.
    finds dead-code "c" "$(printf 'f.0 {\n  p.0 = f32[] parameter(0)\n  n = f32[] negate(p.0)\n  ROOT t = (f32[]) tuple(n)\n}\n'
        for i in $(seq 20); do printf 'f.%d {\n  p.%d = f32[] parameter(0)\n  ROOT r.%d = (f32[]) call(p.%d), to_apply=f.%d\n}\n' $i $i $i $i $((i - 1)); done
        printf 'ENTRY e {\n  x = f32[] parameter(0)\n  c = (f32[]) call(x), to_apply=f.20\n  unread = f32[] get-tuple-element(c), index=0\n  ROOT y = f32[] negate(x)\n}')"
}

@test "unused-parameter: of the entry and of called functions, not of reducers and loops" {
    finds unused-parameter "q y" 'f {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT s = f32[] negate(p)
}
first {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] negate(a)
}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  z = f32[] constant(0)
  r = f32[] reduce(x, z), dimensions={0}, to_apply=first
  ROOT w = f32[] call(r, r), to_apply=f
}'
}

@test "duplicate-computation: what differs in an attribute, a shape or a callee is different" {
    finds duplicate-computation "f.2 h.2" 'f.1 { a = f32[] parameter(0)
  ROOT b = f32[] negate(a), metadata={op_name="x"} }
f.2 { c = f32[] parameter(0)
  ROOT d = f32[] negate(c) }
f.3 { e = f32[] parameter(0)
  ROOT g = f32[] abs(e) }
f.4 { p = f64[] parameter(0)
  ROOT q = f64[] negate(p) }
h.1 { i = f32[] parameter(0)
  ROOT j = f32[] call(i), to_apply=f.1 }
h.2 { k = f32[] parameter(0)
  ROOT l = f32[] call(k), to_apply=f.2 }
h.3 { m = f32[] parameter(0)
  ROOT n = f32[] call(m), to_apply=f.3 }
ENTRY main {
  x = f32[] parameter(0)
  y = f64[] parameter(1)
  s = f32[] call(x), to_apply=h.1
  t = f32[] call(s), to_apply=h.2
  u = f32[] call(t), to_apply=h.3
  v = f64[] call(y), to_apply=f.4
  ROOT w = (f32[], f64[]) tuple(u, v)
}'
}

@test "duplicate-computation: one message for all copies, at the first that does not suppress it" {
    body=
    for i in 1 2 3 4 5; do body+="f.$i { a.$i = f32[] parameter(0)
  ROOT b.$i = f32[] negate(a.$i)%$i% }
"; done
    body+='ENTRY main {
  x = f32[] parameter(0)
  s.1 = f32[] call(x), to_apply=f.1
  s.2 = f32[] call(s.1), to_apply=f.2
  s.3 = f32[] call(s.2), to_apply=f.3
  s.4 = f32[] call(s.3), to_apply=f.4
  ROOT s.5 = f32[] call(s.4), to_apply=f.5
}'
    finds duplicate-computation "f.2" "$(sed 's/%.%//' <<<"$body")"
    hlo-verify --warn=duplicate-computation module.hlo >out 2>&1
    expect_text out "module.hlo:4:1: warning: 'f.2': it is equal to 'f.1', and so do 3 more [duplicate-computation]"
    expect_text out "module.hlo:2:1: note: the first one"
    finds duplicate-computation "f.3" "$(sed 's/%2%/, frontend_attributes={hlo_lint_suppress="all"}/; s/%.%//' <<<"$body")"
    hlo-verify --warn=duplicate-computation module.hlo >out 2>&1
    expect_text out "'f.1', and so do 2 more"
}

@test "f64-in-f32-model: where f64 comes from; silent for models that have it" {
    body='ENTRY e {
  x = %s[2] parameter(0)
  c = f64[] constant(1)
  b = f64[2] broadcast(c), dimensions={}
  w = f64[2] convert(x)
  s = f64[2] add(w, b)
  ROOT r = %s[2] convert(s)
}'
    finds f64-in-f32-model "c w" "${body//\%s/f32}"
    finds f64-in-f32-model "" "${body//\%s/s32}"
    finds f64-in-f32-model "" 'ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = f64[2] convert(x)
}'
}

@test "large-constant: the size is an option" {
    body='ENTRY e {
  c = f32[4] constant({1, 2, 3, 4})
  ROOT r = f32[4] negate(c)
}'
    finds large-constant "" "$body"
    expect_status 1 hlo-verify --error=large-constant --large-constant=15 module.hlo
    expect_text "$err" "f32[4] takes 16 bytes, more than 15"
    expect_status 0 hlo-verify --error=large-constant --large-constant=16 module.hlo
}

@test "unread-padding: low, high and interior padding against slices with strides" {
    body='ENTRY e {
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  p = f32[%s] pad(x, z), padding=%s
  ROOT s = f32[%s] slice(p), slice={[%s]}
}'
    try() {
        # shellcheck disable=SC2059 # the body is the format
        finds unread-padding "$1" "$(printf "$body" "$2" "$3" "$4" "$5")"
    }
    try p 7 1_2 4 1:5
    try p 7 1_2 2 1:5:3
    try "" 7 1_2 5 0:5
    try "" 7 1_2 5 1:6
    try p 7 0_0_1 4 0:7:2
    try p 7 0_0_1 1 2:3
    try "" 7 0_0_1 2 1:5:2
    try "" 7 0_0_1 2 0:2
    try "" 4 0_0 4 0:4
}

@test "identity-operation: to the same shape, neutral constants; not what changes layout, order or type" {
    finds identity-operation "same reshaped moved all nothing one plus minus times by same_layout" 'ENTRY e {
  x = f32[2,2] parameter(0)
  z = f32[] constant(0)
  zs = f32[2,2] broadcast(z), dimensions={}
  ones = f32[2,2] constant({{1, 1}, {1, 1}})
  u = f32[] constant(1)
  us = f32[2,2] broadcast(u), dimensions={}
  same = f32[2,2] convert(x)
  reshaped = f32[2,2] reshape(same)
  moved = f32[2,2] transpose(reshaped), dimensions={0,1}
  all = f32[2,2] slice(moved), slice={[0:2], [0:2]}
  nothing = f32[2,2] pad(all, z), padding=0_0x0_0
  one = f32[2,2] concatenate(nothing), dimensions={0}
  plus = f32[2,2] add(zs, one)
  minus = f32[2,2] subtract(plus, zs)
  times = f32[2,2] multiply(minus, us)
  by = f32[2,2] divide(times, us)
  same_layout = f32[2,2] copy(by)
  ok.1 = f32[2,2] transpose(same_layout), dimensions={1,0}
  ok.2 = f32[2,2]{0,1} copy(ok.1)
  ok.3 = f32[2,2] copy(ok.2)
  ok.4 = f32[2,2] subtract(zs, ok.3)
  ok.5 = f32[2,2] divide(us, ok.4)
  ok.6 = f32[2,2] reverse(ok.5), dimensions={0}
  ok.7 = s32[2,2] bitcast-convert(ok.6)
  ok.8 = f32[2,2] convert(ok.7)
  ROOT r = f32[2,2] multiply(ok.8, zs)
}'
}

@test "identity-operation: not what carries a sharding, nor copies of a scheduled module" {
    body='ENTRY e {
  x = f32[4] parameter(0)
  a = f32[4] copy(x), sharding={devices=[2]<=[2]}
  b = f32[4] reshape(a), sharding={replicated}
  c = f32[4] copy(b)
  ROOT d = f32[4] reshape(c)
}'
    finds identity-operation "c d" "$body" ", num_partitions=2"
    finds identity-operation "d" "$body" ", num_partitions=2, is_scheduled=true"
}

@test "replicated-all-reduce: constants, replicated parameters, results over all; not subgroups and ids" {
    finds replicated-all-reduce "again of_constant of_parameter" "$sum"'
ENTRY e {
  x = f32[] parameter(0)
  p = f32[] parameter(1), parameter_replication={true}
  once = f32[] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=sum
  more = f32[] negate(once)
  again = f32[] all-reduce(more), replica_groups={}, to_apply=sum
  c = f32[] constant(2)
  of_constant = f32[] all-reduce(c), replica_groups={{0,1},{2,3}}, to_apply=sum
  of_parameter = f32[] all-reduce(p), replica_groups={}, to_apply=sum
  half = f32[] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=sum
  whole = f32[] all-reduce(half), replica_groups={}, to_apply=sum
  id = u32[] replica-id()
  number = f32[] convert(id)
  of_id = f32[] all-reduce(number), replica_groups={}, to_apply=sum
  ROOT r = (f32[], f32[], f32[], f32[], f32[]) tuple(again, of_constant, of_parameter, whole, of_id)
}' ', replica_count=4'
}

@test "unbounded-while: counters up and down against constants and carried bounds, either side, and" {
    body='body {
  s = (s32[], s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  x = f32[] get-tuple-element(s), index=2
  step = s32[] constant(%s)
  next = s32[] add(i, step)
  y = f32[] negate(x)
  ROOT t = (s32[], s32[], f32[]) tuple(next, n, y)
}
cond {
  cs = (s32[], s32[], f32[]) parameter(0)
  ci = s32[] get-tuple-element(cs), index=0
  cn = s32[] get-tuple-element(cs), index=1
  cx = f32[] get-tuple-element(cs), index=2
  zero = f32[] constant(0)
  ten = s32[] constant(10)
  far = pred[] compare(cx, zero), direction=NE
  ROOT go = pred[] %s
}
ENTRY e {
  init = (s32[], s32[], f32[]) parameter(0)
  ROOT w = (s32[], s32[], f32[]) while(init), condition=cond, body=body%s
}'
    try() {
        # shellcheck disable=SC2059 # the body is the format
        finds unbounded-while "$1" "$(printf "$body" "$2" "$3" "$4")"
    }
    try "" 1 'compare(ci, ten), direction=LT'
    try "" -2 'compare(ten, ci), direction=LT'
    try "" 1 'compare(ci, cn), direction=LT'
    try "w" 0 'compare(ci, cn), direction=LT'
    try "w" 1 'compare(cn, ten), direction=LT'
    try "w" 1 'compare(cx, zero), direction=LT'
    try "w" 1 'compare(cx, zero), direction=LT' ', backend_config={"other":1}'
    try "" 1 'compare(cx, zero), direction=LT' ', backend_config={"known_trip_count":{"n":"7"}}'
    body=${body/ROOT go = pred[] %s/few = pred[] compare(ci, ten), direction=LT
  ROOT go = pred[] and(far, few)%s}
    try "" 1 ''
}

@test "unbounded-while: trips that can be counted are known, whatever the step is read from" {
    body='body {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  by = s32[] get-tuple-element(s), index=1
  next = s32[] add(i, by)
  ROOT t = (s32[], s32[]) tuple(next, by)
}
cond {
  cs = (s32[], s32[]) parameter(0)
  ci = s32[] get-tuple-element(cs), index=0
  ten = s32[] constant(10)
  ROOT go = pred[] compare(ci, ten), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  by = s32[] %s
  init = (s32[], s32[]) tuple(zero, by)
  ROOT w = (s32[], s32[]) while(init), condition=cond, body=body
}'
    # shellcheck disable=SC2059 # the body is the format
    finds unbounded-while "" "$(printf "$body" 'constant(3)')"
    # shellcheck disable=SC2059
    finds unbounded-while "w" "$(printf "$body" 'parameter(0)')"
}

@test "unordered-scatter: overwriting and rounding, unless indices are unique or combine exactly" {
    body='f {
  a = %s[] parameter(0)
  b = %s[] parameter(1)
  ROOT c = %s[] %s
}
ENTRY e {
  x = %s[8] parameter(0)
  i = s32[%s,1] parameter(1)
  u = %s[%s] parameter(2)
  ROOT s = %s[8] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f%s
}'
    try() {
        # shellcheck disable=SC2059 # the body is the format
        finds unordered-scatter "$1" "$(printf "$body" "$2" "$2" "$2" "$3" "$2" "$4" "$2" "$4" "$2" "${5:-}")"
    }
    try s f32 'add(a, b)' 3
    try s f32 'subtract(a, b)' 3
    try s s32 'subtract(a, b)' 3
    try "" f32 'add(a, b)' 1
    try "" f32 'add(a, b)' 3 ', unique_indices=true'
    try "" s32 'add(a, b)' 3
    try "" f32 'maximum(b, a)' 3
    try s f32 'maximum(b, b)' 3
    body=${body/u = %s/w = %s[] constant(2)
  u = %s}
    body=${body/parameter(2)/broadcast(w), dimensions=\{\}}
    try() { # every update is 2
        # shellcheck disable=SC2059 # the body is the format
        finds unordered-scatter "$1" "$(printf "$body" f32 f32 f32 "$2" f32 3 f32 f32 3 f32 "")"
    }
    try "" 'add(a, b)'
    try "" 'subtract(a, b)'
    body='f {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
ENTRY e {
  x = f32[6,8] parameter(0)
  i = s32[6,%s,1] parameter(1)
  u = f32[6,%s] parameter(2)
  ROOT s = f32[6,8] scatter(x, i, u), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=f
}'
    # shellcheck disable=SC2059 # the body is the format
    finds unordered-scatter s "$(printf "$body" 3 3)"
    # shellcheck disable=SC2059 # the body is the format
    finds unordered-scatter "" "$(printf "$body" 1 1)"
}

@test "lossy-round-trip: through moves and wider types; not what loses nothing" {
    finds lossy-round-trip "back far whole again" 'ENTRY e {
  x = f32[2] parameter(0)
  i = s32[2] parameter(1)
  n = bf16[2] convert(x)
  moved = bf16[1,2] reshape(n)
  back = f32[1,2] convert(moved)
  w = f64[2] convert(x)
  h = f16[2] convert(w)
  far = f32[2] convert(h)
  t = f32[2] convert(i)
  whole = s32[2] convert(t)
  d = f64[2] convert(i)
  ok.1 = s32[2] convert(d)
  again = f32[2] convert(n)
  k = bf16[2] negate(n)
  ok.3 = f32[2] convert(k)
  ROOT r = (f32[1,2], f32[2], s32[2], s32[2], f32[2], f32[2]) tuple(back, far, whole, ok.1, ok.3, again)
}'
}

@test "layout-copy: copies, reshapes, elementwise operands, the entry; not what makes its own layout" {
    finds layout-copy "c e" 'ENTRY main {
  x = f32[4,6]{1,0} parameter(0)
  c = f32[4,6]{0,1} copy(x)
  b = f32[] constant(1)
  bs = f32[4,6]{1,0} broadcast(b), dimensions={}
  d = f32[4,6]{0,1} add(c, bs)
  e = f32[4,6]{0,1} add(d, x)
  one = f32[1,4,6]{0,1,2} reshape(e)
  ROOT r = f32[4,6]{0,1} negate(e)
}'
    finds layout-copy "s" 'ENTRY main {
  x = f32[4,6]{0,1} parameter(0)
  t = f32[2,2,6]{1,0,2} reshape(x)
  s = f32[24] reshape(x)
  ROOT r = (f32[2,2,6]{1,0,2}, f32[24]) tuple(t, s)
}'
    finds layout-copy "x r" 'ENTRY main {
  x = f32[4,6]{1,0} parameter(0)
  ROOT r = f32[4,6]{1,0} negate(x)
}' ', entry_computation_layout={(f32[4,6]{0,1})->f32[4,6]{0,1}}'
}

@test "needless-upcast: both operands from one narrower float type" {
    body='ENTRY e {
  a = %s[4,8] parameter(0)
  b = %s[4,8] parameter(1)
  wa = f32[4,8] convert(a)
  wb = f32[4,8] convert(b)
  tb = f32[8,4] transpose(wb), dimensions={1,0}
  ROOT d = f32[4,4] dot(wa, tb), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}'
    try() {
        # shellcheck disable=SC2059 # the body is the format
        finds needless-upcast "$1" "$(printf "$body" "$2" "$3")"
    }
    try d bf16 bf16
    try d f8e4m3fn f8e4m3fn
    try "" bf16 f16
    try "" f64 f64
    try "" s8 s8
}

@test "docs/evidence/lint.tsv has lint rules alone, and of a sample of the dumps what is found today" {
    hlo-verify --list-rules | awk '$2 == "lint" { print $1 }' >rules
    wrong=$(awk -F '\t' -v OFS='\t' 'NR == FNR { rules[$1]; next } FNR > 1 && $2 != "-" && !($2 in rules)' rules "$HLO_ROOT/docs/evidence/lint.tsv")
    [ -z "$wrong" ] || fail "$wrong"
    [ -d "$HLO_CORPUS" ] || skip "no corpus"
    mkdir sample
    ln -s $(one_of 5 "$HLO_CORPUS"/*.hlo) sample
    "$HLO_ROOT/tools/lint-rates" "$HLO_BIN" sample >found
    [ "$(cut -f1 found | uniq | wc -l)" -gt 5 ] || fail "$(cat found)"
    cut -f1 found | uniq >names
    awk -F '\t' 'NR == FNR { names[$1]; next } $1 in names' names "$HLO_ROOT/docs/evidence/lint.tsv" | diff - found ||
        fail "run tools/lint-rates, and make docs"
}

@test "real dumps lint in well under a second each" {
    [ -d "$HLO_CORPUS" ] || skip "no corpus"
    hlo-verify --quiet --warn=all "$HLO_CORPUS"
}
