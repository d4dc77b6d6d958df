# Modules of which pages are made, and the browser that opens them: used by page.bats and by tests/browser after `load lib`.

sample='HloModule sample
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
fused {
  p = f32[4,4] parameter(0)
  two = f32[] constant(2)
  twos = f32[4,4] broadcast(two), dimensions={}
  ROOT m = f32[4,4] multiply(p, twos)
}
cond {
  c = (s32[], f32[4,4]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(7)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  d = (s32[], f32[4,4]) parameter(0)
  j = s32[] get-tuple-element(d), index=0
  one = s32[] constant(1)
  k = s32[] add(j, one)
  v = f32[4,4] get-tuple-element(d), index=1
  w = f32[4,4] sine(v)
  ROOT next = (s32[], f32[4,4]) tuple(k, w)
}
ENTRY main {
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  f = f32[4,4] fusion(x), kind=kLoop, calls=fused
  dot.1 = f32[4,4] dot(f, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="scope/product" source_file="model.py" source_line=12}
  half = f32[] constant(0.5)
  r = f32[4] reduce(dot.1, half), dimensions={0}, to_apply=add
  zero = s32[] constant(0)
  t = (s32[], f32[4,4]) tuple(zero, dot.1)
  loop = (s32[], f32[4,4]) while(t), condition=cond, body=body
  e = f32[4,4] get-tuple-element(loop), index=1
  ROOT out = (f32[4], f32[4,4]) tuple(r, e)
}
'

hostile='HloModule hostile
ENTRY main {
  x = f32[2] parameter(0)
  y = f32[2] custom-call(x), custom_call_target="quote \" and \\ back", metadata={op_name="</script><script>window.stolen=1</script><img src=x onerror=window.stolen=2><!--\001\377" source_file="javascript:window.stolen=3" source_line=3}
  ROOT z = f32[2] negate(y)
}
'

# after: the sample with an instruction more in the entry, one more in the loop, another constant in the fusion, other
# dimensions, and without what the reduction summed up.
make_after() {
    printf %s "$sample" | sed -e 's/constant(2)/constant(3)/' -e 's/w = f32\[4,4\] sine(v)/w0 = f32[4,4] cosine(v)\n  w = f32[4,4] sine(w0)/' \
        -e 's/^  dot.1 = \(.*\)dot(f, y)/  neg = f32[4,4] negate(y)\n  dot.1 = \1dot(f, neg)/' -e 's/half), dimensions={0}/half), dimensions={1}/'
}

needs_browser() {
    command -v python3 >/dev/null || skip "no python3"
    for browser in chromium chromium-browser google-chrome; do
        if command -v "$browser" >/dev/null; then return; fi
    done
    skip "no chromium: make deps-browser"
}

# drives FILE=CASE,...: the output of drives.py is shown when it fails; 4: the browser does not start.
drives() {
    local status=0
    PYTHONDONTWRITEBYTECODE=1 python3 "$HLO_ROOT/tests/graph/page/drives.py" "$@" >said || status=$?
    cat said
    [ "$status" != 4 ] || skip "$(tail -n 1 said)"
    [ "$status" = 0 ] || fail "see above"
}
