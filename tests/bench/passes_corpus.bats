# bench/passes.py, which counts what computes in our modules and in XLA's: here XLA's is written by hand.
load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    command -v python3 >/dev/null || skip "no python3"
    cat >m.hlo <<'HLO'
HloModule m

ENTRY main {
  x = f32[4] parameter(0)
  e = f32[4] exponential(x)
  a = f32[4] negate(e)
  b = f32[2,2] reshape(e)
  zero = f32[] constant(0)
  zeros = f32[4] broadcast(zero), dimensions={}
  c = f32[4] subtract(a, zeros)
  ROOT t = (f32[4], f32[2,2]) tuple(c, b)
}
HLO
    mkdir kept
    cat >kept/m.xla.txt <<'HLO'
HloModule m, is_scheduled=true

%fused (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0), metadata={op_name="says \") -> {\""}
  %e.1 = f32[4]{0} exponential(%p)
  ROOT %n = f32[4]{0} negate(%e.1), backend_config={"a":[1,{"b":"}"}]}
}

%fused.1 (q: f32[4]) -> f32[2,2] {
  %q = f32[4]{0} parameter(0)
  %e.2 = f32[4]{0} exponential(%q)
  ROOT %r = f32[2,2]{1,0} bitcast(%e.2)
}

%unused (u: f32[4]) -> f32[4] {
  %u = f32[4]{0} parameter(0)
  ROOT %w = f32[4]{0} sine(%u)
}

ENTRY %main (x: f32[4]) -> (f32[4], f32[2,2]) {
  %x = f32[4]{0} parameter(0)
  %f = f32[4]{0} fusion(%x), kind=kLoop, calls=%fused
  %c = f32[4]{0} copy(%f)
  %g = f32[2,2]{1,0} fusion(%x), kind=kLoop, calls=%fused.1
  ROOT %t = (f32[4]{0}, /*index=1*/f32[2,2]{1,0}) tuple(%c, %g)
}
HLO
}

@test "what XLA's fusions duplicate counts twice in count and once in distinct" {
    python3 "$HLO_ROOT/bench/passes.py" "${HLO_BIN%/bin}" --keep kept m.hlo >out 2>err
    # ours: exponential, negate, reshape; XLA's: exponential twice, negate. A reshape is a bitcast in distinct
    grep -q "^| m | 8 | 5 | .* | 3 | 3 | 1.00 | 2 | 2 | 1.00 |$" out || fail "$(cat out err)"
    grep -q "^count: 1.000 on the geometric mean of 1$" out || fail "$(cat out)"
}

@test "opcode by opcode" {
    python3 "$HLO_ROOT/bench/passes.py" "${HLO_BIN%/bin}" --keep kept --list m.hlo >out
    grep -q "^exponential  *1  *2$" out || fail "$(cat out)"
    ! grep -q sine out || fail "what nobody calls counts"
}

@test "the corpus is asked for only when no dump is named" {
    HLO_CORPUS='' python3 "$HLO_ROOT/bench/passes.py" "${HLO_BIN%/bin}" --keep kept --list m.hlo >out
    grep -q "^exponential  *1  *2$" out || fail "$(cat out)"
    ! HLO_CORPUS=none python3 "$HLO_ROOT/bench/passes.py" "${HLO_BIN%/bin}" 2>err || fail "there is no corpus"
    grep -q "^none is not a directory: name dumps, or set HLO_CORPUS$" err || fail "$(cat err)"
}

@test "without jaxlib and without XLA's module it reports that" {
    if python3 -c 'import jaxlib' 2>/dev/null; then skip "python3 has jaxlib"; fi
    python3 "$HLO_ROOT/bench/passes.py" "${HLO_BIN%/bin}" m.hlo >out 2>err
    grep -q "^| m | 8 | 5 | .* | 3 | no jaxlib | | | | |$" out || fail "$(cat out)"
    grep -q "^skipped: XLA, since .* has no jaxlib$" err || fail "$(cat err)"
}
