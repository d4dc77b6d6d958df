# autodiff: gradients as text, what is refused, and central differences.

load lib

@test "the program gets cotangents and returns gradients of the chosen parameters" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  n = s32[] parameter(1)
  p = ((f32[2], s32[]), f32[2]) parameter(2)
  a = (f32[2], s32[]) get-tuple-element(p), index=0
  b = f32[2] get-tuple-element(a), index=0
  c = f32[2] multiply(x, b)
  ROOT r = ((f32[2], s32[]), f32[2]) tuple(a, c)
}
END
    expect_status 0 hlo-opt --passes=autodiff m.hlo
    grep -q 'ENTRY .*(x: f32\[2\], n: s32\[\], p: ((f32\[2\], s32\[\]), f32\[2\]), cotangent: f32\[2\], cotangent.1: f32\[2\]) -> (f32\[2\], s32\[\], f32\[2\], f32\[2\], ((f32\[2\]), f32\[2\]))' "$out" ||
        fail "$(cat "$out")"
    expect_status 0 hlo-opt --passes='autodiff{wrt=0}' m.hlo
    grep -q -- '-> (f32\[2\], s32\[\], f32\[2\], f32\[2\])' "$out" || fail "$(cat "$out")"
    expect_status 1 hlo-opt --passes='autodiff{wrt=1}' m.hlo
    grep -q 'parameter 1 has no floating array' "$err"
    expect_status 1 hlo-opt --passes='autodiff{wrt=0,3}' m.hlo
    grep -q 'there is no parameter 3' "$err"
}

@test "an operation without gradient is an error with the path over it" {
    cd "$BATS_TEST_TMPDIR"
    cat >m.hlo <<'END'
HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  a = f32[2] sine(x)
  b = (f32[2], s32[]) custom-call(a), custom_call_target="someone"
  c = f32[2] get-tuple-element(b), index=0
  ROOT d = f32[2] add(c, y)
}
END
    expect_status 1 hlo-opt --passes=autodiff m.hlo
    grep -q "^m.hlo:6:3: error: operation 'custom-call' of 'b' has no gradient \[gradient\]" "$err" || fail "$(cat "$err")"
    grep -q "the result depends on a parameter by: d <- c <- b <- a <- x" "$err" || fail "$(cat "$err")"
    expect_status 0 hlo-opt --passes='autodiff{wrt=1}' m.hlo
}
