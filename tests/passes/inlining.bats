#!/usr/bin/env bats
# Origins of instructions after call-inliner, and what statistics and reports on values show of calls that remain.
# tests/passes/inlining has XLA's results, and the script that made them.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    data=$HLO_ROOT/tests/passes/inlining
}

@test "names and stack frames of calls are put before those of what is inlined, as XLA does it" {
    expect_status 0 hlo-opt --verify-each --passes=call-inliner,dce "$data/calls.hlo"
    grep -E '^[0-9]+ \{file_location_id=' "$out" | cmp - "$data/frames.txt"
    grep -o 'op_name="[^"]*"' "$out" | sort -u >names
    [ -z "$(sort "$data/names.txt" | comm -23 - <(sort names))" ] ||
        fail "XLA has, and we do not: $(sort "$data/names.txt" | comm -23 - <(sort names))"
    # A reader numbers frames by their first use; then nothing changes, and JSON and protobuf have them.
    hlo-opt "$out" >again.hlo
    hlo-opt --passes=call-inliner,dce again.hlo | cmp - again.hlo
    for form in json proto; do hlo-opt --emit=$form again.hlo | hlo-opt - | cmp - again.hlo; done
}

# inlined CALL BODY: metadata of the root after a call with one metadata is replaced by a body with the other.
inlined() {
    cat >one.hlo <<HLO
HloModule one
f { p = f32[] parameter(0) ROOT n = f32[] negate(p)$2 }
ENTRY main { x = f32[] parameter(0) c = f32[] call(x), to_apply=f$1 ROOT z = f32[] abs(c) }
HLO
    hlo-opt --passes=call-inliner one.hlo | sed -n 's/^ *%n[.0-9]* = .*negate(%x)//p'
}

@test "which names are put before which" {
    name() { [ -z "$1" ] || printf ', metadata={op_name="%s"}' "$1"; }
    while IFS='|' read -r call body wanted; do
        got=$(inlined "$(name "$call")" "$(name "$body")")
        [ "$got" = "$(name "$wanted")" ] || fail "$call around $body: '$got' instead of '$(name "$wanted")'"
    done <<'LINES'
jit(f)|mul|jit(f)/mul
jit(f)||jit(f)
|mul|mul
jit(f)/|/mul/|jit(f)/mul
jit(f)|jit(f)/mul|jit(f)/mul
jit(f)|jit(f)|jit(f)
/|mul|mul
LINES
    long=$(printf 'a%.0s' $(seq 1000))
    [ "$(inlined "$(name "$long")" "$(name "$(printf 'b%.0s' $(seq 24))")")" = "$(name "$(printf 'b%.0s' $(seq 24))")" ]
    [ "$(inlined "$(name "$long")" "$(name "$(printf 'b%.0s' $(seq 23))")")" = "$(name "$long/$(printf 'b%.0s' $(seq 23))")" ]
}

@test "loops and branches get the names of calls that hold them; reductions keep theirs" {
    cat >held.hlo <<'HLO'
HloModule held
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b), metadata={op_name="add"} }
body { i = f32[4] parameter(0) ROOT n = f32[4] negate(i), metadata={op_name="neg"} }
condition { i = f32[4] parameter(0) ROOT c = pred[] constant(false) }
f {
  p = f32[4] parameter(0)
  w = f32[4] while(p), condition=condition, body=body
  z = f32[] constant(0)
  ROOT r = f32[] reduce(w, z), dimensions={0}, to_apply=add
}
ENTRY main { x = f32[4] parameter(0) ROOT c = f32[] call(x), to_apply=f, metadata={op_name="jit(f)"} }
HLO
    expect_status 0 hlo-opt --verify-each --passes=call-inliner,dce held.hlo
    expect_text "$out" '%n = f32[4]{0} negate(%i), metadata={op_name="jit(f)/neg"}'
    expect_text "$out" '%i = f32[4]{0} parameter(0), metadata={op_name="jit(f)"}'
    expect_text "$out" 'constant(false), metadata={op_name="jit(f)"}'
    expect_text "$out" 'add(%a, %b), metadata={op_name="add"}'
}

@test "composites are inlined, their keys go; other attributes, configured calls and origins" {
    cat >composite.hlo <<'HLO'
HloModule composite
f { p = f32[] parameter(0) m = f32[] abs(p), origin={{"m"}} ROOT n = f32[] negate(m), origin={{"n"}} }
ENTRY main {
  x = f32[] parameter(0)
  a = f32[] call(x), to_apply=f, is_composite=true, frontend_attributes={composite.attributes={},composite.name="m.f",composite.version="1",other="kept"}
  b = f32[] call(a), to_apply=f, origin={{"call"}}
  ROOT c = f32[] call(b), to_apply=f, backend_config="configured"
}
HLO
    expect_status 0 hlo-opt --verify-each --passes=call-inliner composite.hlo
    if grep -q 'composite\.' "$out"; then fail "$(cat "$out")"; fi
    sed -n '/^ENTRY/,$p' "$out" >entry
    expect_text entry 'negate(%m.1), frontend_attributes={other="kept"}'
    expect_text entry 'origin={{"call/m"}}'
    expect_text entry 'origin={{"call/n"}}'
    [ "$(grep -c origin entry)" = 2 ] || fail "$(cat entry)"
    expect_text entry 'backend_config="configured"'
    expect_status 0 hlo-opt --verify-each --passes='call-inliner{inline_configured=true}' composite.hlo
    [ "$(grep -c 'call(' "$out")" = 0 ] || fail "$(cat "$out")"
    expect_status 0 hlo-opt --verify-each --passes='call-inliner{inline_composites=false}' composite.hlo
    expect_text "$out" 'is_composite=true, frontend_attributes={composite.attributes={},composite.name="m.f",composite.version="1",other="kept"}'
}

@test "scopes of a module with calls: those that all callers of a function are in" {
    expect_status 0 hlo-stat --show=scopes --format=csv "$data/calls.hlo"
    for scope in 'jit(f)/layer' 'jit(f)/layer/jit(_where)' 'jit(f)/while/body/closed_call' 'jit(f)/while/body'; do
        grep -qF "$scope," "$out" || fail "no scope $scope: $(cat "$out")"
    done
    if grep -qE '^"?(layer|mul)' "$out"; then fail "$(cat "$out")"; fi
}

@test "a NaN is reported with the scopes of the calls that led to it" {
    expect_status 1 hlo-run --break-on-nan "$data/calls.hlo" <(echo 'f32[4,4] { { 0.5, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } }') \
        <(echo 'f32[4,4] { { 1, 1, 1, 1 }, { 1, 1, 1, 1 }, { 1, 1, 1, 1 }, { 1, 1, 1, 1 } }')
    grep -q 'it is computed by model.py:[0-9]*:[0-9]* (g), jit(f)/jit(g)/log' "$err" || fail "$(cat "$err")"
}

# inlines_to LINES: what is in the entry after call-inliner of in.hlo; the form stays through JSON, protobuf and dce.
inlines_to() {
    hlo-opt --verify-each --passes=call-inliner,dce in.hlo >out.hlo
    sed -n '/^ENTRY/,$ s/%//gp' out.hlo | sed -n 's/^ *\(ROOT \)\?\([a-z0-9.]*\) = .*control-predecessors={\(.*\)}/\2 after \3/p' >got
    diff - got || fail "$(cat out.hlo)"
    for form in json proto; do hlo-opt --emit=$form out.hlo | hlo-opt - | cmp - out.hlo; done
}

@test "control dependencies of calls and in what they call are relayed, as XLA does it" {
    cat >in.hlo <<'HLO'
HloModule relayed
both { p = f32[] parameter(0) q = f32[] parameter(1) a = f32[] negate(p)
  b = f32[] exponential(q), control-predecessors={a, p}
  ROOT r = f32[] add(a, b) }
outer { s = f32[] parameter(0) u = f32[] abs(s) v = f32[] call(s, s), to_apply=both, control-predecessors={u}
  ROOT w = f32[] multiply(u, v) }
ENTRY main { x = f32[] parameter(0)
  z = f32[] sine(x)
  c = f32[] call(x), to_apply=outer, control-predecessors={z}
  e = f32[] call(c, z), to_apply=both, control-predecessors={c}
  d = f32[] cosine(x), control-predecessors={e, z, c, x}
  ROOT t = (f32[], f32[]) tuple(d, e), control-predecessors={e} }
HLO
    inlines_to <<'LINES'
u.1 after z
a.2 after u.1, z
b.2 after a.2, x, u.1, z
r.2 after u.1, z
w.1 after z
a.3 after w.1
b.3 after a.3, w.1
r.3 after w.1
d after z, x, w.1, r.3
t after r.3
LINES
    # What returns an argument: its successors wait for the argument, and for what the call waited for.
    cat >in.hlo <<'HLO'
HloModule passed_on
second { p = f32[] parameter(0) ROOT q = f32[] parameter(1) }
ENTRY main { x = f32[] parameter(0) y = f32[] parameter(1)
  a = f32[] negate(y)
  c = f32[] call(x, y), to_apply=second, control-predecessors={a}
  e = f32[] call(c, x), to_apply=second, control-predecessors={c}
  ROOT d = f32[] add(e, c), control-predecessors={e} }
HLO
    inlines_to <<'LINES'
d after x, y, a
LINES
    # Effects that the result does not wait for come before what waited for the call.
    cat >in.hlo <<'HLO'
HloModule effects
writes { p = f32[] parameter(0) t = token[] after-all() o = token[] outfeed(p, t) ROOT r = f32[] negate(p) }
ENTRY main { x = f32[] parameter(0) y = f32[] parameter(1)
  c = f32[] call(x), to_apply=writes
  t = token[] after-all()
  o = token[] outfeed(y, t), control-predecessors={c}
  e = f32[] call(y), to_apply=writes, control-predecessors={o}
  ROOT d = f32[] add(c, e) }
HLO
    inlines_to <<'LINES'
o.1 after r.1, o.2
t.3 after o.1
o.3 after o.1
r.2 after o.1
LINES
    # What only a copy waits for stays, though no use is left; so does a parameter's part in the order.
    cat >in.hlo <<'HLO'
HloModule unused
one { p = f32[] parameter(0) a = f32[] negate(p) ROOT r = f32[] exponential(a) t = token[] after-all()
  o = token[] outfeed(p, t), control-predecessors={r} }
two { p = f32[] parameter(0) t = token[] after-all() k = f32[] constant(4) o = token[] outfeed(k, t), control-predecessors={p}
  ROOT n = f32[] constant(3) }
ENTRY main { x = f32[] parameter(0)
  c = f32[] call(x), to_apply=one
  m = f32[] negate(x)
  e = f32[] call(c), to_apply=two
  ROOT f = f32[] call(m), to_apply=two }
HLO
    inlines_to <<'LINES'
o.2 after r.1
o.3 after r.1
o.4 after m
LINES
}

@test "branches with control dependencies take the place of conditionals that take them" {
    cat >in.hlo <<'HLO'
HloModule branches
taken { p = f32[] parameter(0) a = f32[] negate(p) ROOT b = f32[] sine(p), control-predecessors={a, p} }
other { q = f32[] parameter(0) ROOT c = f32[] cosine(q) }
ENTRY main { x = f32[] parameter(0)
  is = pred[] constant(true)
  ROOT r = f32[] conditional(is, x, x), true_computation=taken, false_computation=other }
HLO
    expect_status 0 hlo-opt --verify-each --passes=simplify-conditional,dce in.hlo
    expect_text "$out" 'sine(%x), control-predecessors={%a.1, %x}'
    ! grep -q conditional "$out" || fail "$(cat "$out")"
}
