# The page of hlo-dot -T html: what is written, and, in a browser, what is on the screen. Times are measured by
# `make check-browser`; nothing here depends on them.

load ../lib

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
    [ "$(grep -c '</script>' "$out")" = "$(grep -c '</script>' "$HLO_ROOT/src/graph/html/page.html")" ]
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
        expect_text "$err" "not supported with format html"
        [ ! -e refused.html ] || fail "$option left a file"
    done
    expect_status 2 hlo-dot -T html --split-input-file m.hlo
    expect_text "$err" "a page has one module"
}

@test "--diff: differences are marked and described as by hlo-diff" {
    printf %s "$sample" >before.hlo
    make_after >after.hlo
    expect_status 0 hlo-dot -T html --diff=before.hlo after.hlo
    data_of "$out" >data.json
    marked() { jq -c "[.names[.change | to_entries[] | select(.value == $1) | .key]]" data.json; }
    [ "$(marked 1)" = '["two","r"]' ] || fail "changed: $(marked 1)"
    [ "$(marked 2)" = '["w0","neg"]' ] || fail "added: $(marked 2)"
    [ "$(jq -c '[.lone_in, .lone_edges, .was, .header_differences]' data.json)" = '[[],[],[],0]' ]
    said() { jq -r '.differences as $d | range(0; $d | length; 2) as $k | .names[$d[$k]] + ": " + .line_strings[$d[$k + 1]]' data.json; }
    [ "$(said)" = $'two: value: 2 became 3\n\nr: dimensions: dimensions={0} became dimensions={1}' ] || fail "$(said)"
    # A constant that changed has a box: its users are the same.
    jq -e '.form[.names | index("two")] == 0' data.json >/dev/null
    jq -e '.form[.names | index("half")] == 1' data.json >/dev/null
    hlo-diff before.hlo after.hlo >differences.txt || true
    grep -qF 'value: 2 became 3' differences.txt
}

@test "--diff: what only the other module has stands in the counterparts of its computations" {
    make_after >before.hlo
    printf %s "$sample" >after.hlo
    expect_status 0 hlo-dot -T html --diff=before.hlo after.hlo
    data_of "$out" >data.json
    [ "$(jq -c '[.names[29:], [.computations[.lone_in[]].name]]' data.json)" = '[["w0","neg"],["body","main"]]' ] || fail "$(jq -c '[.names[29:], .lone_in]' data.json)"
    # Its operands are the counterparts, and so are its users.
    edges() { jq -c '.lone_edges as $e | [range(0; $e | length; 2) as $k | .names[$e[$k], $e[$k + 1]]]' data.json; }
    [ "$(edges)" = '["w0","w","neg","dot.1"]' ] || fail "$(edges)"
    jq -e '(.flops | length) == (.names | length) and .flops[-1] == 16' data.json >/dev/null
    jq -e '.computations[4].boxes | [.[range(0; length; 5)]] | max == 30 - 18' data.json >/dev/null || fail "$(jq -c '.computations[4]' data.json)"
}

@test "--diff: computations that only the other module has are there, with what calls them" {
    printf %s "$sample" >before.hlo
    sed -e '/calls=fused/d' -e 's/dot(f, y)/dot(x, y)/' -e '/^fused {/,/^}/d' before.hlo >after.hlo
    expect_status 0 hlo-dot -T html --diff=before.hlo after.hlo
    data_of "$out" >data.json
    jq -e '.computations[-1].name == "fused" and .computations[-1].first == (.change | length)' data.json >/dev/null
    # The removed fusion calls it.
    jq -e '.calls as $c | .names[$c[-3]] == "f" and $c[-1] == (.computations | length) - 1 and $c[-3] >= (.change | length)' data.json >/dev/null || fail "$(jq -c .calls data.json)"
    expect_status 0 hlo-dot -T html --diff=after.hlo before.hlo
    data_of "$out" | jq -e '.change[.names | index("m")] == 2' >/dev/null
    # Of one that became something else the panel leads to what it called.
    sed -e 's/f = f32.*calls=fused/f = f32[4,4] cosine(x)/' -e '/^fused {/,/^}/d' before.hlo >after.hlo
    expect_status 0 hlo-dot -T html --diff=before.hlo after.hlo
    data_of "$out" | jq -e '.before_calls == [(.names | index("f")), (.computations | length) - 1]' >/dev/null
}

@test "--diff: renamed instructions, headers, and the same module" {
    printf 'HloModule a\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] add(x, x)\n}\n' >before.hlo
    printf 'HloModule b, replica_count=2\nENTRY other {\n  x = f32[2] parameter(0)\n  ROOT z = f32[2] add(x, x)\n}\n' >after.hlo
    expect_status 0 hlo-dot -T html --diff=before.hlo after.hlo
    data_of "$out" >data.json
    [ "$(jq -c '[.change, .strings[.before_names[1]], .strings[.was[1]]]' data.json)" = '[[0,0],"y","main"]' ] || fail "$(cat data.json)"
    jq -re '.line_strings[.header_differences]' data.json | grep -q replica_count
    expect_status 0 hlo-dot -T html --diff=before.hlo before.hlo
    data_of "$out" | jq -e '[.change, .differences, .header_differences] == [[0,0],[],0]' >/dev/null
}

@test "--diff: any bytes, broken costs and other options" {
    printf %s "$hostile" >m.hlo
    printf 'HloModule m\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT y = f32[3] add(x, x)\n}\n' >broken.hlo
    for pair in "m broken" "broken m" "broken broken"; do
        read -r before after <<<"$pair"
        expect_status 0 hlo-dot -T html --diff=$before.hlo $after.hlo
        data_of "$out" | jq -e .change >/dev/null
        [ "$(grep -c '</script>' "$out")" = "$(grep -c '</script>' "$HLO_ROOT/src/graph/html/page.html")" ]
    done
    expect_status 0 hlo-dot -T html --diff=broken.hlo --around=z --expand-tuples m.hlo
    data_of "$out" | jq -e '.start.instruction == (.names | index("z"))' >/dev/null
    expect_status 2 hlo-dot -T html --diff=broken.hlo --max-nodes=3 m.hlo
    expect_text "$err" "not supported with format html"
    expect_status 2 hlo-dot -T html --diff=broken.hlo --split-input-file m.hlo
    expect_status 3 hlo-dot -T html -o none.html --diff=missing.hlo m.hlo
    [ ! -e none.html ]
}

@test "--profile: seconds of instructions, of computations, and of what was not measured" {
    printf %s "$sample" >m.hlo
    echo '{"instructions": [{"instructions": ["dot.1"], "seconds": 0.75}, {"instructions": ["w", "k"], "seconds": 0.25},
        {"instructions": ["x"], "seconds": 0}]}' >profile.json
    expect_status 0 hlo-dot -T html --profile=profile.json m.hlo
    data_of "$out" >data.json
    of() { jq -c "[.seconds, .own_seconds] | map(.[$(jq ".names | index(\"$1\")" data.json)])" data.json; }
    [ "$(of dot.1) $(of x) $(of y) $(of loop) $(of w)" = "[0.75,0.75] [0,0] [-1,-1] [0.25,-1] [0.125,0.125]" ] ||
        fail "$(of dot.1) $(of x) $(of y) $(of loop) $(of w)"
    [ "$(jq -c '[.total_seconds, .all_seconds]' data.json)" = '[[-1,-1,-1,0.25,1],1]' ] || fail "$(jq -c .total_seconds data.json)"
    expect_status 0 hlo-dot -T html m.hlo
    data_of "$out" | jq -e 'has("seconds") or has("change") | not' >/dev/null
    echo '{"instructions": [{"instructions": ["zebra"], "seconds": 1}]}' >other.json
    expect_status 2 hlo-dot -T html -o none.html --profile=other.json m.hlo
    expect_text "$err" "other.json is the profile of another module"
    [ ! -e none.html ]
}

@test "costs of a scheduled module are those of its instructions" {
    printf %s "$sample" | sed 's/^HloModule sample/&, is_scheduled=true/' >m.hlo
    expect_status 0 hlo-dot -T html m.hlo
    data_of "$out" | jq -e '.flops[.names | index("dot.1")] == 128 and .flops[.names | index("x")] == 0' >/dev/null
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

@test "in a browser: no text of a real dump is wider than its box, in the page and as SVG" {
    needs_browser
    for dump in "$HLO_ROOT"/examples/jax/dumps/*.txt "${HLO_CORPUS:-.}"/vit-train-train_step.hlo; do
        [ -e "$dump" ] || continue
        name=${dump##*/}
        hlo-dot -o "$name.html" "$dump"
        hlo-dot --layout=fast -o "$name.svg" "$dump"
        cases+=("$name.html=fits" "$name.svg=fits_svg")
    done
    drives "${cases[@]}"
}

@test "in a browser: search, keys, mouse, dark mode" {
    needs_browser
    printf %s "$sample" >m.hlo
    hlo-dot -o m.html m.hlo
    drives m.html=searches,keys,moves,dark
}

@test "in a browser: a comparison" {
    needs_browser
    printf %s "$sample" >before.hlo
    make_after >after.hlo
    hlo-dot --diff=before.hlo -o added.html after.hlo
    hlo-dot --diff=after.hlo -o removed.html before.hlo
    sed -e '/calls=fused/d' -e 's/dot(f, y)/dot(x, y)/' -e '/^fused {/,/^}/d' before.hlo >without.hlo
    hlo-dot --diff=before.hlo -o without.html without.hlo
    hlo-dot --diff=before.hlo -o same.html before.hlo
    drives added.html=added,steps,searches_differences,dark_differences removed.html=removed without.html=removed_fusion same.html=no_differences
}

@test "in a browser: times of a profile" {
    needs_browser
    printf %s "$sample" >m.hlo
    echo '{"instructions": [{"instructions": ["dot.1"], "seconds": 0.75}, {"instructions": ["w", "k"], "seconds": 0.25}]}' >profile.json
    hlo-dot --profile=profile.json -o m.html m.hlo
    drives m.html=times
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
