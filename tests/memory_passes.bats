# Passes that order, repeat or copy instructions for the sake of memory: hlo-memory-scheduler.

load lib

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
        python3 - $first <<'P'
import sys
data = open("got.npy", "rb").read()
values = [data[i] for i in range(len(data)) if data[i] in (1, 2) and data[i + 1:i + 4] == b"\0\0\0"][-2:]
wanted = [1, 2] if sys.argv[1] == "a" else [2, 1]
assert values == wanted, values
P
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
