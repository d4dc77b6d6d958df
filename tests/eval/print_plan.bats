# hlo-run --print-plan: steps, kernels, buffers, what shares memory.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat >plan.hlo <<'END'
HloModule plan

half {
  a = f32[64] parameter(0)
  h = f32[] constant(0.5)
  w = f32[64] broadcast(h), dimensions={}
  s = f32[64] sine(a)
  p = f32[64] power(s, w)
  ROOT m = f32[64] multiply(p, w)
}

ENTRY main {
  x = f32[64] parameter(0)
  a = f32[64] sine(x)
  b = f32[64] power(a, x)
  c = f32[64] negate(b)
  d = f32[64] call(c), to_apply=half
  e = f32[128] concatenate(d, a), dimensions={0}
  f = f32[128] tanh(e)
  g = f32[128] reverse(f), dimensions={0}
  ROOT r = f32[128] add(f, g)
}
END
}

@test "--print-plan prints steps, buffers, and what shares memory" {
    [ "$(basename "$HLO_BUILD")" = build ] || skip "the plain build only: sanitizers keep arrays apart"
    expect_status 0 hlo-run --print-plan plan.hlo
    diff "$out" - <<'END' || fail "another plan"
plan main: 9 steps, 512 bytes (at least 512), others 768 bytes
     step  instruction  kernel                result
        0  x            parameter             argument
        1  a.1          unary                 buffer 0
        2  b            binary                buffer 1
        3  c            unary                 over b
        4  d            call_computation      of its callee
        5  e            concatenate           buffer 4
        6  f            unary                 over e
        7  g            reverse               buffer 5
        8  r            binary                over f
   buffer          offset           bytes     from       to  use
        0               0             256        1        5  result
        1             256             256        2        4  result
        2             own             256        4        5  returned
        3             own             256        4        4  inside
        4             own             512        5        8  result
        5               0             512        7        8  result    after 1, 0
plan half: 6 steps, 0 bytes (at least 0), others 256 bytes
     step  instruction  kernel                result
        0  a            parameter             argument
        1  s            unary                 over a
        2  h            constant              constant
        3  w            broadcast             buffer 0
        4  p            binary                over s
        5  m            binary                over w
   buffer          offset           bytes     from       to  use
        0             own             256        3        5  result
run: 1536 bytes at once, 256 of them inputs
END
}

@test "--print-plan reads no inputs, and writes to a file" {
    expect_status 0 hlo-run --print-plan -o plan.txt plan.hlo missing.npy
    [ ! -s "$out" ] || fail "$(cat "$out")"
    expect_text plan.txt "bytes at once, 256 of them inputs"
}

@test "where the limit leaves no space for a frame's memory, results have their own" {
    expect_status 0 hlo-run --print-plan --memory-limit=1400 plan.hlo
    expect_text "$out" "plan main: 9 steps"
    expect_text "$out" "        1  a.1          unary                 own memory"
    ! grep -q buffer "$out" || fail "$(cat "$out")"
    expect_status 3 hlo-run --print-plan --memory-limit=500 plan.hlo
    expect_text "$err" "a run needs"
}

@test "the reference engine has a plan too, and several threads run without its memory" {
    expect_status 0 hlo-run --print-plan --engine=reference plan.hlo
    expect_text "$out" "        3  c            unary                 buffer 2"
    cat >wide.hlo <<'END'
HloModule wide
ENTRY e {
  x = f32[512,512] parameter(0)
  a = f32[512,512] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[512,512] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT t = (f32[512,512], f32[512,512]) tuple(a, b)
}
END
    expect_status 0 hlo-run --print-plan wide.hlo
    expect_text "$out" ", concurrent steps, each with own memory"
}

@test "the module with its plan: the same steps, kernels and memory, with existing frontend attributes" {
    sed 's/sine(x)/&, frontend_attributes={plan_step="99",z="1",b="2"}/' plan.hlo >told.hlo
    hlo-run --print-plan=module --threads=1 told.hlo >planned.hlo
    expect_text planned.hlo 'frontend_attributes={b="2",plan_kernel="unary",plan_memory="buffer 0",plan_step="1",z="1"}'
    hlo-run --print-plan --threads=1 told.hlo | sed -n '/^plan main/,/^ *buffer /p' |
        awk '$1 ~ /^[0-9]+$/ { print $2, $3, $1 }' | sort >steps
    sed -n '/^ENTRY/,$s/.*%\([a-z.0-9]*\) = .*plan_kernel="\([^"]*\)".*plan_step="\([0-9]*\)".*/\1 \2 \3/p' planned.hlo | sort >noted
    cmp steps noted
    # The result of c takes the memory that b has.
    of() { sed -n "s/.*%$1 = .*plan_memory=\"\([^\"]*\)\".*/\1/p" planned.hlo; }
    [ "$(of b)" = "$(of c)" ] || fail "b: $(of b), c: $(of c)"
    expect_text planned.hlo 'plan_over="b"'
    hlo-verify planned.hlo
    hlo-run --inputs=ones planned.hlo >one
    hlo-run --inputs=ones plan.hlo | cmp - one
    # A planned module is planned again.
    hlo-run --print-plan=module --threads=1 planned.hlo | cmp - planned.hlo
    expect_status 2 hlo-run --print-plan=json plan.hlo
    expect_text "$err" "--print-plan takes module, not 'json'"
}
