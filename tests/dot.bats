# hlo-dot: the graph of a module as Graphviz text, and as a picture when Graphviz is there.

load lib
load cases

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

teardown_file() {
    sum_cases
}

# draws MODULE [OPTION...]: Graphviz draws the text without a word. Larger graphs are only read: their
# layout takes long.
draws() {
    local reader="dot -Tsvg"
    hlo-dot "$@" >graph.dot || return
    [ "$(grep -c fillcolor graph.dot)" -lt 150 ] || reader=nop
    timeout 60 $reader graph.dot >drawn 2>complaints || return
    [ ! -s complaints ]
}

every_feature='HloModule features
FileNames
1 "dir/source.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
fused {
  p = f32[4] parameter(0)
  half = f32[] constant(0.5)
  halves = f32[4] broadcast(half), dimensions={}
  ROOT m = f32[4] multiply(p, halves)
}
ENTRY main {
  x = f32[4] parameter(0), metadata={op_name="a\"b<&>\\n\303\251\001\377" stack_frame_id=1}
  big = f32[16] constant({1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16})
  f = f32[4] fusion(x), kind=kLoop, calls=fused, metadata={op_name="scope/f" source_file="g.py" source_line=3}
  zero = f32[] constant(0)
  r = f32[] reduce(f, zero), dimensions={0}, to_apply=add
  r2 = f32[] reduce(big, zero), dimensions={0}, to_apply=add, control-predecessors={r}
  cc = f32[] custom-call(r), custom_call_target="quote \" and \\ back", backend_config="{x"
  ROOT t = (f32[], f32[], f32[]) tuple(r, r2, cc)
}
'

@test "clusters, inlined constants, roots, links, dashed dependencies, tooltips" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    printf %s "$every_feature" >m.hlo
    draws m.hlo || fail "$(cat complaints)"
    expect_text graph.dot 'label="ENTRY main"'
    expect_text graph.dot 'label="fused (fusion)"'
    expect_text graph.dot 'operand 1 = f32[] 0'
    expect_text graph.dot 'peripheries=2'
    expect_text graph.dot 'style=dashed'
    expect_text graph.dot 'headlabel="to_apply"'
    expect_text graph.dot 'headlabel="calls"'
    expect_text graph.dot 'parameter 0: x'
    expect_text graph.dot 'scope/f\ng.py:3'
    expect_text graph.dot 'dir/source.py:7'
    expect_text graph.dot 'big: constant\nf32[16]{0} {...}'
    # The fusion's cluster lies in the entry's.
    awk '/label="ENTRY/ { inside = 1 } /^}/ { inside = 0 } inside && /fused \(fusion\)/ { found = 1 }
        END { exit !found }' graph.dot
}

@test "labels are escaped for any bytes" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    printf %s "$every_feature" >m.hlo
    hlo-dot -T svg m.hlo >m.svg
    expect_text m.svg '</svg>'
    expect_text m.svg 'a&quot;b&lt;&amp;&gt;'
    if command -v xmllint >/dev/null; then xmllint --noout m.svg; fi
    if command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' m.svg
    fi
}

@test "one computation, the entry only, a legend" {
    printf %s "$every_feature" >m.hlo
    hlo-dot --computation=add m.hlo >graph.dot
    expect_text graph.dot 'label="add"'
    [ "$(grep -c subgraph graph.dot)" = 1 ]
    hlo-dot --entry-only m.hlo >graph.dot
    [ "$(grep -c subgraph graph.dot)" = 2 ]
    expect_text graph.dot 'to_apply=%add'
    hlo-dot --legend m.hlo >graph.dot
    expect_text graph.dot 'label="reduction"'
    expect_status 2 hlo-dot --computation=nobody m.hlo
    expect_text "$err" "no computation named 'nobody'"
}

@test "pictures: svg, png and pdf; no other format" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    printf %s "$good_module" >good.hlo
    hlo-dot -T svg good.hlo | grep -q '<svg'
    [ "$(hlo-dot -T png good.hlo | head -c 4 | tail -c 3)" = PNG ]
    [ "$(hlo-dot -T pdf good.hlo | head -c 4)" = %PDF ]
    expect_status 2 hlo-dot -T gif good.hlo
    mkdir empty
    PATH=$HLO_BIN:$BATS_TEST_TMPDIR/empty expect_status 3 "$HLO_BIN/hlo-dot" -T svg good.hlo
    expect_text "$err" "cannot run Graphviz' program dot"
}

@test "Graphviz reads the graph of every bundled module without a warning" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    begin_cases
    for module in "$HLO_ROOT"/tests/printing/*.in.hlo "$HLO_ROOT"/tests/golden/models/*/module.hlo; do
        if draws "$module"; then ok; else bad "$module" "$(cat complaints)"; fi
    done
    end_cases
}

@test "a module of 40,000 instructions is drawn in linear time" {
    awk 'BEGIN {
        print "HloModule m\n\nENTRY main {\n  x = f32[] parameter(0)\n  n0 = f32[] negate(x)"
        for (i = 1; i < 40000; i++) printf "  n%d = f32[] add(n%d, n%d)\n", i, i - 1, i / 2
        print "}"
    }' >chain.hlo
    SECONDS=0
    hlo-dot chain.hlo >graph.dot
    [ "$(grep -c -- ' -> ' graph.dot)" -ge 79999 ]
    [ $SECONDS -lt 5 ]
}
