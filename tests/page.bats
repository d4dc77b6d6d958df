# The page of hlo-dot -T html: what is written, and, in a browser, what is on the screen. Times are measured by
# `make check-browser`; nothing here depends on them.

load lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

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

needs_browser() {
    command -v python3 >/dev/null || skip "no python3"
    for browser in chromium chromium-browser google-chrome; do
        if command -v "$browser" >/dev/null; then return; fi
    done
    skip "no chromium: make deps-browser"
}

# drives FILE=CASE,...: what drives.py says is shown when it fails; 4: the browser does not start.
drives() {
    local status=0
    PYTHONDONTWRITEBYTECODE=1 python3 "$HLO_ROOT/tests/page/drives.py" "$@" >said || status=$?
    cat said
    [ "$status" != 4 ] || skip "$(tail -n 1 said)"
    [ "$status" = 0 ] || fail "see above"
}

# data_of FILE: the JSON in a page.
data_of() {
    sed -n '/^<script type="application\/json" id="data">$/,/^<\/script>$/p' "$1" | sed '1d;$d'
}

@test "one file with the data of the module, nothing from elsewhere" {
    printf %s "$sample" >m.hlo
    expect_status 0 hlo-dot -T html m.hlo
    cp "$out" by_format.html
    expect_status 0 hlo-dot -o by_ending.html m.hlo
    cmp by_format.html by_ending.html
    ! grep -qE '(src|href)="?(https?:)?//|@import|url\(' by_format.html || fail "the page loads something"
    data_of by_format.html >data.json
    jq -e '.names | length == 29 or error("instructions: \(length)")' data.json >/dev/null || fail "$(jq -c .names data.json)"
    jq -e '.computations | map(.name) == ["add", "fused", "cond", "body", "main"]' data.json >/dev/null
    jq -e '[.entries, .runs] == [[4], [1, 1, 8, 7, 1]]' data.json >/dev/null || fail "$(jq -c '[.entries, .runs]' data.json)"
    # Costs are those that hlo-opt --stats adds up.
    jq -e '.flops[.names | index("dot.1")] == 128' data.json >/dev/null
    jq -e 'all(.computations[]; (.boxes | length % 5) == 0)' data.json >/dev/null
}

@test "any bytes: names cannot end the script, and are shown as in messages" {
    printf %s "$hostile" >m.hlo
    expect_status 0 hlo-dot -T html m.hlo
    [ "$(grep -c '</script>' "$out")" = "$(grep -c '</script>' "$HLO_ROOT/src/page/page.html")" ]
    data_of "$out" | jq -e '.strings | any(contains("</script><script>window.stolen=1"))' >/dev/null
    data_of "$out" | jq -e '.strings | any(contains("\\x01\\xff"))' >/dev/null
}

@test "options: what is opened first, and what has no meaning in a page" {
    printf %s "$sample" >m.hlo
    expect_status 0 hlo-dot -T html --computation=body m.hlo
    [ "$(data_of "$out" | jq -c .start)" = '{"computation":3,"instruction":-1}' ]
    expect_status 0 hlo-dot -T html --around=dot.1 --expand-tuples --color-by=sharding --legend --url='https://h/{file}' m.hlo
    [ "$(data_of "$out" | jq -c '[.start.instruction == (.names | index("dot.1")), .colour, .url, (.form | index(2))]')" = '[true,1,"https://h/{file}",null]' ]
    expect_status 2 hlo-dot -T html --around=dot.7 m.hlo
    expect_text "$err" "the module has no instruction named 'dot.7'"
    expect_status 2 hlo-dot -T html --computation=bodi m.hlo
    expect_text "$err" "the module has no computation named 'bodi'"
    for option in "--from=x --to=r" --depth=1 --max-nodes=3 "--around=x --radius=2" --collapse-while --layout=dot --edges=shape; do
        # shellcheck disable=SC2086 # two options
        expect_status 2 hlo-dot -T html -o refused.html $option m.hlo
        expect_text "$err" "has no meaning in a page"
        [ ! -e refused.html ] || fail "$option left a file"
    done
    expect_status 2 hlo-dot -T html --split-input-file m.hlo
    expect_text "$err" "a page holds one module"
}

@test "a module that does not verify has a page, without costs" {
    printf 'HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[3] add(x, x)\n}\n' >m.hlo
    expect_status 0 hlo-dot -T html m.hlo
    [ "$(data_of "$out" | jq -c '[.flops, .runs]')" = '[[],[]]' ]
}

@test "parts of a dataflow graph have one page" {
    tiny_loop >m.hlo
    expect_status 0 hlo-opt --passes=lower-control-flow m.hlo
    cp "$out" graph.hlo
    expect_status 0 hlo-dot -T html graph.hlo
    data_of "$out" | jq -e '.back | length > 0' >/dev/null
}

@test "in a browser: drawing, selection, opening in place, loops" {
    needs_browser
    printf %s "$sample" >m.hlo
    hlo-dot -o m.html m.hlo
    drives m.html=opens,selects,opens_in_place,opens_loops
}

@test "in a browser: search, keys, mouse, dark mode" {
    needs_browser
    printf %s "$sample" >m.hlo
    hlo-dot -o m.html m.hlo
    drives m.html=searches,keys,moves,dark
}

@test "in a browser: names that attack the page" {
    needs_browser
    printf %s "$hostile" >m.hlo
    hlo-dot -o m.html m.hlo
    drives m.html=hostile
}

@test "in a browser: real dumps and odd modules without an error" {
    needs_browser
    echo 'HloModule one ENTRY e { ROOT c = f32[] constant(1) }' >one.hlo
    tiny_loop >loop.hlo
    hlo-opt --passes=lower-control-flow loop.hlo >graph.hlo
    pages=()
    files=(one.hlo graph.hlo)
    [ -z "$HLO_CORPUS" ] || files+=("$HLO_CORPUS"/bench-{mha_block*,dlrm*train*,diffrax*,u4*}.hlo)
    for file in "${files[@]}"; do
        page=$(basename "$file" .hlo).html
        hlo-dot -o "$page" "$file"
        pages+=("$page=corpus")
    done
    drives "${pages[@]}"
    [ -n "$HLO_CORPUS" ] || skip "no corpus: two small modules only"
}
