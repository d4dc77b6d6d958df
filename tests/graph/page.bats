# The page of hlo-dot -T html: what is written, and, in a browser, that it is drawn; tests/browser drives it.

load ../lib
load page/page

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
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

@test "in a browser: a page is drawn, and runs no script of its module" {
    needs_browser
    printf %s "$sample" >m.hlo
    printf %s "$hostile" >hostile.hlo
    for name in m hostile; do hlo-dot -o $name.html $name.hlo; done
    drives m.html=opens hostile.html=hostile
}
