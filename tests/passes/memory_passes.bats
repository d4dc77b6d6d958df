# Passes that order, repeat or copy instructions for the sake of memory: hlo-memory-scheduler,
# rematerialization.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# peak FILE: the most bytes at a time.
peak() {
    hlo-opt --passes= --stats --format=json "$1" 2>&1 >"$BATS_TEST_TMPDIR/unused" | jq 'select(.quantity == "peak bytes").before'
}

# order FILE: names of the entry's instructions in order, on a line.
order() {
    awk '/^ENTRY/ { on = 1; next } /^}/ { on = 0 } on && / = / { sub(/^ *(ROOT )?%/, ""); printf "%s%s", sep, $1; sep = " " }' "$1"
}

# Two products, each of an array that is large and a result that is small.
wide='HloModule wide
add { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }
ENTRY main {
  x = f32[64] parameter(0)
  zero = f32[] constant(0)
  a = f32[64,64] broadcast(x), dimensions={0}
  b = f32[64,64] broadcast(x), dimensions={1}
  c = f32[64,64] negate(b)
  sa = f32[64] reduce(a, zero), dimensions={1}, to_apply=add
  sb = f32[64] reduce(b, zero), dimensions={1}, to_apply=add
  sc = f32[64] reduce(c, zero), dimensions={1}, to_apply=add
  ROOT t = (f32[64], f32[64], f32[64]) tuple(sa, sb, sc)
}
'

# ---- hlo-memory-scheduler ----

@test "scheduler: what is large is used before the next large array is made" {
    printf %s "${wide/wide/wide, is_scheduled=true}" >in.hlo
    hlo-opt --passes=hlo-memory-scheduler in.hlo >out.hlo
    expect_text out.hlo "HloModule wide, is_scheduled=true"
    hlo-verify out.hlo
    # 16384 bytes for each large array: two of them for c, and not all three
    [ "$(peak in.hlo)" -gt $((3 * 16384)) ] || fail "before: $(peak in.hlo)"
    [ "$(peak out.hlo)" -lt $((2 * 16384 + 2048)) ] || fail "after: $(peak out.hlo)" "$(cat out.hlo)"
    hlo-opt --passes=hlo-memory-scheduler out.hlo | cmp - out.hlo
}

@test "scheduler: control dependencies and effects keep their order" {
    cat >in.hlo <<'H'
HloModule m, is_scheduled=true
ENTRY main {
  x = f32[64] parameter(0)
  small = f32[] constant(1)
  big = f32[64,64] broadcast(x), dimensions={0}
  one = f32[2] custom-call(big), custom_call_target="one", custom_call_has_side_effect=true
  two = f32[2] custom-call(small), custom_call_target="two", custom_call_has_side_effect=true
  last = f32[64,64] broadcast(small), dimensions={}, control-predecessors={two}
  first = f32[64] negate(x), control-predecessors={last}
  ROOT t = (f32[64,64], f32[64]) tuple(last, first)
}
H
    hlo-opt --passes=hlo-memory-scheduler in.hlo >out.hlo
    hlo-verify out.hlo
    got=$(order out.hlo | tr ' ' '\n' | grep -xE 'one|two|last|first' | tr '\n' ' ')
    [ "$got" = "one two last first " ] || fail "$got"
}

@test "a run follows the schedule" {
    for first in a b; do
        second=$(echo $first | tr ab ba)
        cat >in.hlo <<H
HloModule m, is_scheduled=true
ENTRY main {
  one = s32[] constant(1)
  two = s32[] constant(2)
  ta = token[] after-all()
  tb = token[] after-all()
  $first = token[] outfeed($([ $first = a ] && echo one, ta || echo two, tb)), outfeed_shape=s32[]
  $second = token[] outfeed($([ $second = a ] && echo one, ta || echo two, tb)), outfeed_shape=s32[]
  ROOT r = token[] after-all(a, b)
}
H
        hlo-run in.hlo --outfeed=got.npy >/dev/null
        # Two arrays of one element, which each ends with.
        size=$(($(wc -c <got.npy) / 2))
        got=$(od -An -td4 -j$((size - 4)) -N4 got.npy)$(od -An -td4 -j$((2 * size - 4)) -N4 got.npy)
        [ "$(echo $got)" = "$([ $first = a ] && echo 1 2 || echo 2 1)" ] || fail "$first first: $got"
    done
}

@test "scheduler: a module without an entry, dead code, scalars, empty arrays" {
    cat >in.hlo <<'H'
HloModule m
ENTRY main {
  x = f32[0] parameter(0)
  dead = f32[8] iota(), iota_dimension=0
  y = f32[0] negate(x)
  ROOT z = f32[0] add(y, x)
}
H
    hlo-opt --passes=hlo-memory-scheduler in.hlo >out.hlo
    hlo-verify out.hlo
    expect_text out.hlo "iota()"
}

# ---- rematerialization ----

# a is used at once, and again when two others have come.
long='HloModule long, is_scheduled=true
ENTRY main {
  x = f32[100] parameter(0)
  a = f32[100] negate(x)
  b = f32[100] exponential(a)
  c = f32[100] sine(b)
  ROOT d = f32[] dot(c, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
}
'

# remat LIMIT < MODULE: to out.hlo; messages to err.
remat() {
    cat >in.hlo
    hlo-opt --passes="rematerialization{memory_limit=$1}" in.hlo >out.hlo 2>err
    hlo-verify out.hlo
}

@test "rematerialization: what is used late is computed again, below the limit" {
    printf %s "$long" | remat 1204
    [ "$(order out.hlo)" = "x a b c a.remat d" ] || fail "$(order out.hlo)"
    [ "$(peak in.hlo) $(peak out.hlo)" = "1600 1204" ] || fail "$(peak in.hlo) $(peak out.hlo)"
    [ ! -s err ] || fail "$(cat err)"
    hlo-opt --passes='rematerialization{memory_limit=1204}' out.hlo | cmp - out.hlo
}

@test "rematerialization: no more than the limit requires" {
    for limit in 1600 9223372036854775807; do
        printf %s "$long" | remat $limit
        [ "$(order out.hlo)" = "x a b c d" ] || fail "$(order out.hlo)"
    done
    printf %s "$long" >in.hlo
    hlo-opt --passes=rematerialization in.hlo | cmp - out.hlo
    hlo-opt --passes='rematerialization{memory_limit=1204,min_remat_size=401}' in.hlo 2>err | cmp - out.hlo
}

@test "rematerialization: a limit that cannot be kept is a warning, with what was reached" {
    printf %s "$long" | remat 800
    expect_text err "warning: rematerialization: peak memory is 1204 bytes, above memory_limit, 800; before it was 1600"
}

@test "rematerialization: a module without a schedule gets one only with the first change" {
    printf %s "${long/, is_scheduled=true/}" | remat 1600
    ! grep -q is_scheduled out.hlo || fail "$(cat out.hlo)"
    printf %s "${long/, is_scheduled=true/}" | remat 1204
    expect_text out.hlo is_scheduled=true
}

@test "rematerialization: a result that nothing needs yet moves to its first use" {
    printf %s "${long/exponential(a)/exponential(x)}" | remat 1204
    [ "$(order out.hlo)" = "x b c a.remat d" ] || fail "$(order out.hlo)"
}

@test "rematerialization: names of what is computed a second time and a third" {
    sed 's/ROOT d/d/; s/^}$/  e = f32[100] broadcast(d), dimensions={}\n  f = f32[100] tan(e)\n  ROOT g = f32[] dot(f, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n}/' <<<"$long" | remat 1204
    [ "$(order out.hlo)" = "x a b c a.remat d e f a.remat2 g" ] || fail "$(order out.hlo)"
}

@test "rematerialization: not what would keep more in memory" {
    # a needs w, which is as large and would have to stay
    sed 's/a = f32\[100\] negate(x)/w = f32[100] tanh(x)\n  a = f32[100] negate(w)/' <<<"$long" | remat 1204
    [ "$(order out.hlo)" = "x w a b c d" ] || fail "$(order out.hlo)"
}

@test "rematerialization: not effects, calls, random numbers, collectives, tied or updated arrays" {
    for a in 'custom-call(x), custom_call_target="f"' 'rng(zero, one), distribution=rng_uniform' \
        'call(x), to_apply=f' 'all-reduce(x), to_apply=add' 'negate(x), control-predecessors={x}' 'copy(x)'; do
        cat >in.hlo <<H
HloModule m, is_scheduled=true
f { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }
add { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }
ENTRY main {
  x = f32[100] parameter(0)
  zero = f32[] constant(0)
  one = f32[] constant(1)
  a = f32[100] $a
  b = f32[100] exponential(a)
  c = f32[100] sine(b)
  ROOT d = f32[] dot(c, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
}
H
        hlo-opt --passes='rematerialization{memory_limit=1212}' in.hlo >out.hlo 2>err
        ! grep -q remat out.hlo || fail "$a:" "$(cat out.hlo)"
    done
}

@test "rematerialization: bodies of loops, within what their callers leave" {
    cat >loop.hlo <<'H'
HloModule m, is_scheduled=true
body {
  s = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[100] get-tuple-element(s), index=1
  a = f32[100] negate(x)
  b = f32[100] exponential(a)
  c = f32[100] sine(b)
  d = f32[] dot(c, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  e = f32[100] broadcast(d), dimensions={}
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[100]) tuple(j, e)
}
condition {
  s = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT l = pred[] compare(i, n), direction=LT
}
ENTRY main {
  zero = s32[] constant(0)
  x = f32[100] parameter(0)
  t = (s32[], f32[100]) tuple(zero, x)
  w = (s32[], f32[100]) while(t), condition=condition, body=body
  ROOT y = f32[100] get-tuple-element(w), index=1
}
H
    before=$(peak loop.hlo)
    remat $((before - 396)) <loop.hlo
    [ ! -s err ] || fail "$(cat err)"
    [ "$(peak out.hlo)" = $((before - 396)) ] || fail "$before $(peak out.hlo)"
    expect_text out.hlo '%a.remat = '
}

@test "rematerialization: a copy of a fusion has its own body" {
    cat >fusion.hlo <<'H'
HloModule m, is_scheduled=true
f { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }
ENTRY main {
  x = f32[100] parameter(0)
  a = f32[100] fusion(x), kind=kLoop, calls=f
  b = f32[100] exponential(a)
  c = f32[100] sine(b)
  ROOT d = f32[] dot(c, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
}
H
    remat 1204 <fusion.hlo
    expect_text out.hlo 'a.remat = f32[100]{0} fusion(%x), kind=kLoop, calls=%f.remat'
}
