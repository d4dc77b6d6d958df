# hlo-dot: the graph of a module as Graphviz text, and as a picture when Graphviz is there.

load ../lib
load ../cases

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
    cpu_seconds 60 $reader graph.dot >drawn 2>complaints || return
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
    expect_text graph.dot 'label="f: kLoop fusion\lf32[4]{0}\l"'
    expect_text graph.dot 'operand 1 = f32[] 0'
    expect_text graph.dot 'peripheries=2'
    expect_text graph.dot 'style=dashed'
    expect_text graph.dot 'reducer: add'
    ! grep -q 'label="add' graph.dot
    expect_text graph.dot 'parameter 0: x'
    expect_text graph.dot 'scope/f\ng.py:3'
    expect_text graph.dot 'dir/source.py:7'
    expect_text graph.dot 'big: constant\nf32[16]{0} {...}'
    expect_text graph.dot 'URL="g.py#L3"'
    expect_text graph.dot 'URL="dir/source.py#L7"'
    expect_text graph.dot 'operand 1 = f32[4] 0.5'
    # The fusion's cluster lies in the entry's.
    awk '/label="ENTRY/ { inside = 1 } /^}/ { inside = 0 } inside && /f: kLoop fusion/ { found = 1 }
        END { exit !found }' graph.dot
    hlo-dot --edges=shape m.hlo >graph.dot
    expect_text graph.dot 'headlabel="f32[4]{0}"'
}

# nodes FILE: the titles of the nodes, sorted
nodes() {
    sed -n 's/^n[0-9]* \[label="\(parameter [0-9]*: \)\{0,1\}\([^:\\"]*\).*/\2/p' "$1" | sort | xargs
}

# node FILE NAME: the node of an instruction; edges FILE: all of them by the names of their ends
node() {
    sed -n 's/^\(n[0-9]*\) \[label="\(parameter [0-9]*: \)\{0,1\}'"$2"'[:\\].*/\1/p' "$1"
}

edges() {
    awk '/^n[0-9]+ \[label="/ { name = $0; sub(/^[^"]*"(parameter [0-9]*: )?/, "", name); sub(/[:\\"].*/, "", name); of[$1] = name }
        /^n[0-9]+ -> / { print of[$1] ">" of[$3] }' "$1" | sort | xargs
}

fused='HloModule fused
inner {
  i = f32[4] parameter(0)
  ROOT e = f32[4] exponential(i)
}
body {
  p = f32[4] parameter(0)
  q = f32[4] parameter(1)
  unused = f32[4] parameter(2)
  in = f32[4] fusion(q), kind=kLoop, calls=inner
  s = f32[4] subtract(in, p)
  m = f32[4] multiply(s, q)
  ROOT both = (f32[4], f32[4]) tuple(s, m)
}
whole {
  w = f32[4] parameter(0)
  c = f32[4] cosine(w)
  ROOT pair = (f32[4], f32[4]) tuple(w, c)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] sine(x)
  f = (f32[4], f32[4], f32[4]) fusion(x, y, y), kind=kLoop, calls=body
  first = f32[4] get-tuple-element(f), index=0
  second = f32[4] get-tuple-element(f), index=1
  d = f32[4] divide(second, first)
  ROOT r = (f32[4], f32[4]) fusion(d), kind=kLoop, calls=whole
}
'

@test "a fusion is a cluster in its place: edges run past its parameters and its tuple" {
    printf %s "$fused" | sed 's/(f32\[4\], f32\[4\], f32\[4\]) fusion/(f32[4], f32[4]) fusion/' >m.hlo
    for layout in dot fast; do
        hlo-dot --layout=$layout m.hlo >graph.dot
        # No node for a fusion, its parameters and a tuple that is taken apart.
        [ "$(nodes graph.dot)" = "c d e m pair s x y" ]
        [ "$(edges graph.dot)" = "c>pair d>c d>pair e>s m>d s>d s>m x>s x>y y>e y>m" ] || fail "$(edges graph.dot)"
        ! grep -q 'style=dotted' graph.dot
        ! command -v dot >/dev/null || draws --layout=$layout m.hlo || fail "$(cat complaints)"
    done
    # The inner cluster in the outer one in the entry's; d's operands have numbers, in their order.
    hlo-dot m.hlo | grep -oE '^subgraph|^}|label="(ENTRY main|f: kLoop fusion|in: kLoop fusion|r: kLoop fusion)' |
        paste -sd ' ' | grep -q 'subgraph label="ENTRY main subgraph label="f: kLoop fusion subgraph label="in: kLoop fusion } }'
    hlo-dot m.hlo >graph.dot
    d=$(node graph.dot d)
    grep -q "^$(node graph.dot m) -> $d .*headlabel=\"0\"" graph.dot
    grep -q "^$(node graph.dot s) -> $d .*headlabel=\"1\"" graph.dot
    # What is left of edge labels when there is one operand: nothing.
    ! grep "^$(node graph.dot x) -> $(node graph.dot y) " graph.dot | grep -q headlabel
    # Control dependencies of fusions end at their bodies' results; a whole tuple is a node.
    sed 's/calls=whole/calls=whole, control-predecessors={f}/' m.hlo | hlo-dot >graph.dot
    grep -q "^$(node graph.dot both) -> $(node graph.dot pair) \[style=dashed" graph.dot
    # Nothing of the body, and the fusion is a node.
    hlo-dot --depth=0 m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "d f r x y" ]
}

@test "trivial computations are lines, others are named by what they are for" {
    cat >m.hlo <<'END'
HloModule lines
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(b, a)
}
minus {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] subtract(b, a)
}
replace {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = pred[] compare(a, b), direction=LT, type=TOTALORDER
}
both {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  s = f32[] add(a, c)
  m = f32[] maximum(b, d)
  ROOT t = (f32[], f32[]) tuple(s, m)
}
far {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  n = f32[] negate(a)
  ROOT s = f32[] add(n, b)
}
ENTRY main {
  x = f32[8] parameter(0)
  i = s32[2,1] parameter(1)
  u = f32[2] parameter(2)
  zero = f32[] constant(0)
  sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  wrong = f32[] reduce(x, zero), dimensions={0}, to_apply=minus
  own = f32[] reduce(x, zero), dimensions={0}, to_apply=far
  two = (f32[], f32[]) reduce(x, x, zero, zero), dimensions={0}, to_apply=both
  order = f32[8] sort(x), dimensions={0}, to_apply=less
  new = f32[8] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=replace
  ROOT t = (f32[], f32[], f32[], (f32[], f32[]), f32[8], f32[8]) tuple(sum, wrong, own, two, order, new)
}
END
    hlo-dot m.hlo >graph.dot
    for line in 'reducer: add\n' 'reducer: subtract(b, a)' 'reducer: (add, maximum)' 'comparator: a < b in total order' 'update: b\n\|update: b"' 'label="reducer of own: far"'; do
        grep -q -e "${line//\\n/\\\\n}" graph.dot || fail "no $line: $(cat graph.dot)"
    done
    [ "$(grep -c '^subgraph' graph.dot)" = 2 ]
    # A requested one is drawn.
    hlo-dot --computation=far m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "a.5 b.5 n s.4" ]
    hlo-dot --computation=minus m.hlo >graph.dot
    [ "$(nodes graph.dot | wc -w)" = 3 ]
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

@test "printable characters of any script stand in labels and pages as themselves, not as octal escapes" {
    # Not printable: a mark that turns the direction, an incomplete character, a control character.
    cat >m.hlo <<'H'
HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] custom-call(x), custom_call_target="größe_大小"
  ROOT z = f32[] custom-call(y), custom_call_target="\342\202\254 \\303\\251 \342\200\256 \342\202 \001"
}
H
    hlo-dot m.hlo >graph.dot
    expect_text graph.dot 'custom_call_target=\"größe_大小\"'
    expect_text graph.dot 'custom_call_target=\"€ \\\\303\\\\251 \\342\\200\\256 \\342\\202 \\001\"'
    hlo-dot -o page.html m.hlo
    sed -n '/id="data">$/,/^<.script>$/p' page.html | sed '1d;$d' >data.json
    for shown in 'größe_大小' '€ \\303\\251 \342\200\256 \342\202 \001'; do
        jq -e --arg shown "custom_call_target=\"$shown\"" '[.text[] | select(contains($shown))] | length == 1' data.json >/dev/null || fail "$shown"
    done
}

@test "one computation, the entry only, a legend" {
    printf %s "$every_feature" >m.hlo
    hlo-dot --computation=add m.hlo >graph.dot
    expect_text graph.dot 'label="add\lcalled by 2 instructions\l"'
    [ "$(grep -c subgraph graph.dot)" = 1 ]
    hlo-dot --entry-only m.hlo >graph.dot
    [ "$(grep -c subgraph graph.dot)" = 2 ]
    expect_text graph.dot 'reducer: add'
    hlo-dot --legend m.hlo >graph.dot
    expect_text graph.dot 'label="reduction"'
    expect_status 2 hlo-dot --computation=nobody m.hlo
    expect_text "$err" "no computation named 'nobody'"
}

@test "the ending of --output selects the format, unless --format does" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    printf '%s' "$good_module" >m.hlo
    for name in m.dot m.svg m.png m.pdf m.txt m; do hlo-dot -o $name m.hlo; done
    hlo-dot m.hlo | tee m.want | cmp - m.dot
    cmp m.want m.txt
    cmp m.want m
    grep -q '<svg' m.svg
    head -c 4 m.png | grep -qa PNG
    head -c 4 m.pdf | grep -qa PDF
    hlo-dot --format=dot -o m.svg m.hlo
    cmp m.want m.svg
}

@test "backslashes in metadata do not become Graphviz' escapes in tooltips" {
    cat >m.hlo <<'H'
HloModule m
ENTRY e {
  p = f32[4] parameter(0), metadata={op_name="a\\N b\\G" source_file="C:\\Nets\\new.py" source_line=3}
  ROOT r = f32[4] negate(p)
}
H
    hlo-dot m.hlo >graph.dot
    expect_text graph.dot 'tooltip="p: parameter\na∖N b∖G\nC:∖Nets∖new.py:3"'
    ! command -v dot >/dev/null || hlo-dot -T svg m.hlo | grep -qF 'C:∖Nets∖new.py:3' || fail "$(hlo-dot -T svg m.hlo)"
}

@test "pictures: svg, png and pdf; no other format" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    printf %s "$good_module" >good.hlo
    hlo-dot -T svg good.hlo | grep -q '<svg'
    [ "$(hlo-dot -T png good.hlo | head -c 4 | tail -c 3)" = PNG ]
    [ "$(hlo-dot -T pdf good.hlo | head -c 4)" = %PDF ]
    expect_status 2 hlo-dot -T gif good.hlo
    expect_status 3 hlo-dot -T svg -o /dev/full good.hlo
    expect_text "$err" "cannot write /dev/full: No space left on device"
    # its program draws the same
    hlo-dot good.hlo | dot -Tsvg | cmp - <(hlo-dot -T svg good.hlo)
}

# graphviz_is C...: a library of this C code precedes Graphviz'.
graphviz_is() {
    mkdir -p other
    printf '#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n%s\n' "$1" >other/gvc.c
    cc -shared -fPIC -o other/libgvc.so.6 other/gvc.c
}

@test "a Graphviz that is missing, broken, fails, dies or is left alone" {
    printf %s "$good_module" >good.hlo
    mkdir other
    export LD_LIBRARY_PATH=$PWD/other
    echo "no library" >other/libgvc.so.6
    expect_status 3 hlo-dot -T svg -o none.svg good.hlo
    expect_text "$err" "cannot load Graphviz' library"
    expect_text "$err" "Graphviz: $PWD/other/libgvc.so.6: "
    expect_text "$err" "install the package graphviz"
    [ ! -e none.svg ]
    command -v cc >/dev/null || skip "no C compiler"
    calls='void *gvContext(void) { BEGIN; return "x"; } void *agread(void *f, void *d) { return "x"; }
        int gvLayout(void *c, void *g, const char *e) { return 0; }
        int gvRender(void *c, void *g, const char *f, FILE *to) { fputs("partial", to); return WHAT; }'
    graphviz_is 'int nothing;'
    expect_status 3 hlo-dot -T svg -o none.svg good.hlo
    expect_text "$err" "undefined symbol: gvContext"
    graphviz_is "#define BEGIN fputs(\"no plug-in\", stderr)
        #define WHAT -1
        $calls"
    expect_status 3 hlo-dot -T svg -o none.svg good.hlo
    expect_text "$err" "Graphviz cannot draw this graph"
    expect_text "$err" "Graphviz: no plug-in"
    graphviz_is "#define BEGIN abort()
        #define WHAT 0
        $calls"
    expect_status 3 hlo-dot -T svg -o none.svg good.hlo
    expect_text "$err" "Graphviz was killed by signal 6"
    [ ! -e none.svg ]
    # it ends with a parent that is killed
    graphviz_is "#define BEGIN fprintf(fopen(\"child\", \"w\"), \"%d\", getpid()), fflush(NULL), sleep(100)
        #define WHAT 0
        $calls"
    hlo-dot -T svg good.hlo >/dev/null 2>&1 &
    parent=$!
    until [ -s child ]; do sleep 0.02; done
    kill -9 "$parent"
    wait "$parent" || true
    for _ in {1..100}; do
        if ! kill -0 "$(<child)" 2>/dev/null || grep -q 'State:.Z' "/proc/$(<child)/status"; then return; fi
        sleep 0.02
    done
    fail "the child lives on"
}

@test "Graphviz reads the graphs of bundled modules without a warning" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    begin_cases
    for module in $(one_of 4 "$HLO_ROOT"/tests/parse/printing/*.in.hlo "$HLO_ROOT"/tests/golden/models/*/module.hlo); do
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
    cpu_seconds 10 hlo-dot chain.hlo >graph.dot
    [ "$(grep -c -- ' -> ' graph.dot)" -ge 79999 ]
}

# A loop, a call, tuples, shardings.
looped='HloModule looped
helper {
  h = f32[4] parameter(0)
  ROOT n = f32[4] negate(h)
}
condition {
  cs = (s32[], f32[4]) parameter(0)
  ci = s32[] get-tuple-element(cs), index=0
  limit = s32[] constant(3)
  ROOT less = pred[] compare(ci, limit), direction=LT
}
body {
  bs = (s32[], f32[4]) parameter(0)
  bi = s32[] get-tuple-element(bs), index=0
  one = s32[] constant(1)
  next = s32[] add(bi, one)
  bx = f32[4] get-tuple-element(bs), index=1
  called = f32[4] call(bx), to_apply=helper
  ROOT bt = (s32[], f32[4]) tuple(next, called)
}
ENTRY main {
  x = f32[4] parameter(0), sharding={replicated}
  zero = s32[] constant(0)
  a = f32[4] abs(x), sharding={devices=[2]<=[2]}
  b = f32[4] cosine(a), sharding={devices=[2]<=[2]}
  side = f32[4] sine(a)
  t = (s32[], f32[4]) tuple(zero, b)
  loop = (s32[], f32[4]) while(t), condition=condition, body=body
  out = f32[4] get-tuple-element(loop), index=1
  ROOT sum = f32[4] add(out, side)
}
'

@test "elements of tuples are labels of edges, unless they are asked for" {
    printf %s "$looped" >m.hlo
    hlo-dot m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "a b bs bt cs less loop n next side sum t x" ]
    expect_text graph.dot 'taillabel="[1]"'
    hlo-dot --layout=fast m.hlo >graph.dot
    expect_text graph.dot ' label="[1]"'
    hlo-dot --expand-tuples m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "a b bi bs bt bx ci cs less loop n next out side sum t x" ]
    # A loop's tuple with many users has no edges: users state which element they take.
    sed 's/one)$/bi)/; s/  one = .*/  b2 = s32[] get-tuple-element(bs), index=0\n  b3 = f32[4] get-tuple-element(bs), index=1\n  o = f32[4] abs(b3)/; s/add(bi, bi)/add(bi, b2)/' m.hlo >wide.hlo
    hlo-dot wide.hlo >graph.dot
    [ "$(nodes graph.dot)" = "a b bt cs less loop n next o side sum t x" ]
    expect_text graph.dot 'operand 0 = bs[1] f32[4]'
    expect_text graph.dot 'body of loop: body'
    expect_text graph.dot 'condition of loop: condition'
}

passing='HloModule passing
halve {
  a = f32[4] parameter(0)
  b = f32[] parameter(1)
  wide = f32[4] broadcast(b), dimensions={}
  ROOT d = f32[4] divide(a, wide)
}
less {
  l = f32[4] parameter(0)
  r = f32[4] parameter(1)
  n = f32[4] parameter(2)
  s = f32[4] subtract(l, r)
  ROOT m = f32[4] multiply(s, n)
}
both {
  u = f32[4] parameter(0)
  three = f32[] constant(3)
  e = f32[4] exponential(u)
  ROOT pair = (f32[], f32[4]) tuple(three, e)
}
body {
  st = (s32[], f32[4], f32[4], f32[]) parameter(0)
  i = s32[] get-tuple-element(st), index=0
  x = f32[4] get-tuple-element(st), index=1
  y = f32[4] get-tuple-element(st), index=2
  z = f32[] get-tuple-element(st), index=3
  two = f32[] constant(2)
  fixed = f32[4] constant({1, 2, 3, 4})
  h = f32[4] fusion(x, two), kind=kLoop, calls=halve
  c = f32[4] call(y, fixed, h), to_apply=less
  p = (f32[], f32[4]) call(c), to_apply=both
  p0 = f32[] get-tuple-element(p), index=0
  p1 = f32[4] get-tuple-element(p), index=1
  w = f32[] add(z, p0)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[4], f32[4], f32[]) tuple(j, p1, y, w)
}
cond {
  st = (s32[], f32[4], f32[4], f32[]) parameter(0)
  i = s32[] get-tuple-element(st), index=0
  n = s32[] constant(9)
  ROOT lt = pred[] compare(i, n), direction=LT
}
ENTRY main {
  a = (s32[], f32[4], f32[4], f32[]) parameter(0)
  ROOT loop = (s32[], f32[4], f32[4], f32[]) while(a), condition=cond, body=body
}
'

@test "labels have what fusions and calls pass on: constants, and elements of a loop's tuple" {
    printf %s "$passing" >m.hlo
    hlo-dot m.hlo >graph.dot
    expect_text graph.dot 'label="wide: broadcast\nf32[4]{0}\ndimensions={}\noperand 0 = f32[] 2"'
    expect_text graph.dot 'label="d: divide\nf32[4]{0}\noperand 0 = st[1] f32[4]"'
    expect_text graph.dot 'label="s: subtract\nf32[4]{0}\noperand 0 = st[2] f32[4]\noperand 1 = f32[4] {1, 2, 3, 4}"'
    # Out of a body, too: a constant that is an element of its result.
    expect_text graph.dot 'label="w: add\nf32[]\noperand 0 = st[3] f32[]\noperand 1 = f32[] 3"'
    hlo-dot --expand-tuples m.hlo >graph.dot
    expect_text graph.dot 'label="wide: broadcast\nf32[4]{0}\ndimensions={}\noperand 0 = f32[] 2"'
    expect_text graph.dot 'label="s: subtract\nf32[4]{0}\noperand 1 = f32[4] {1, 2, 3, 4}"'
    [[ " $(edges graph.dot) " == *" x>d y>s "* ]] || fail "$(edges graph.dot)"
    # All of a body is drawn, and not what its caller has as operands.
    hlo-dot --around=m --radius=1 m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "m p s … 1 operand … 1 operand … 2 users" ] || fail "$(nodes graph.dot)"
}

# shows_operands MODULE OPTION...: every node of the drawing shows each of its operands once.
shows_operands() {
    hlo-dot "${@:2}" "$1" >graph.dot || { bad "$*" "not drawn"; return; }
    faults=$(awk -f "$HLO_ROOT/tests/graph/dot_operands.awk" printed.hlo graph.dot)
    if [[ $faults =~ ^[1-9][0-9]*$ ]]; then ok; else bad "$*" "$faults"; fi
}

@test "every operand of every node is an edge, a line of the label, or counted in an ellipsis" {
    printf %s "$passing" >passing.hlo
    begin_cases
    for module in passing.hlo "$HLO_ROOT"/examples/jax/dumps/*.txt \
        "$HLO_ROOT"/tests/golden/models/{autoencoder-sgd-loop,beam-search,cnn-batch-norm-train-step,gru-gradient,switch-in-scan}/module.hlo; do
        hlo-opt "$module" >printed.hlo
        centres=$(awk '/^ +%/ { name[++n] = substr($1, 2) } END { for (k = 1; k <= 3; k++) print name[int(n * k / 4)] }' printed.hlo)
        for tuples in "" --expand-tuples; do
            for layout in dot fast; do shows_operands "$module" --layout=$layout $tuples; done
            shows_operands "$module" --max-nodes=20 $tuples
            for centre in $centres; do
                for radius in 1 2 3; do shows_operands "$module" --around="$centre" --radius=$radius $tuples; done
            done
        done
    done
    end_cases
}

@test "--around, --from and --to, --depth, --collapse-while" {
    printf %s "$looped" >m.hlo
    hlo-dot --around=a --radius=1 m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "a b side x … 1 user … 1 user" ]
    expect_text graph.dot 'ENTRY main (4 of 9 instructions)'
    grep 'label="a: abs' graph.dot | grep -q 'penwidth=4'
    [ "$(grep -c penwidth=4 graph.dot)" = 1 ]
    hlo-dot --around=a --up=0 m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "a b loop side sum t … 1 operand … 1 operand … 1 user" ]
    hlo-dot --around=sum --radius=0 --up=2 m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "a loop side sum t … 1 operand … 1 operand … 1 user" ]
    # From the inside of a fusion's place out of it: a negate of a parameter is a step from its operand.
    hlo-dot --around=n --up=3 --down=1 m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "bs bt n … 1 operand … 1 user" ] || fail "$(nodes graph.dot)"
    hlo-dot --around=%x --radius=0 m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "x … 1 user" ]
    # Out of the loop's body again: through its root.
    hlo-dot --from=bx --to=sum m.hlo >graph.dot
    [ "$(nodes graph.dot | sed 's/ ….*//')" = "bt bx loop n sum" ]
    [[ " $(nodes graph.dot) " != *" side "* ]]
    hlo-dot --from=x --to=h m.hlo >graph.dot
    [[ " $(nodes graph.dot) " == *" h "* ]]
    hlo-dot --depth=0 m.hlo >graph.dot
    [ "$(grep -c subgraph graph.dot)" = 1 ]
    hlo-dot --depth=1 m.hlo >graph.dot
    [ "$(grep -c subgraph graph.dot)" = 3 ]
    hlo-dot --depth=2 m.hlo >graph.dot
    [ "$(grep -c subgraph graph.dot)" = 4 ]
    hlo-dot --collapse-while m.hlo >graph.dot
    [ "$(grep -c subgraph graph.dot)" = 1 ]
    expect_text graph.dot 'condition=%condition'
    expect_status 2 hlo-dot --around=nobody m.hlo
    expect_text "$err" "no instruction named 'nobody'"
    expect_status 2 hlo-dot --from=sum --to=x m.hlo
    expect_text "$err" "no path leads from 'sum' to 'x'"
    expect_status 2 hlo-dot --from=x m.hlo
    expect_text "$err" "--from and --to require each other"
    for option in radius=2 up=1 down=0; do
        expect_status 2 hlo-dot "--$option" m.hlo
        expect_text "$err" "--radius, --up and --down require --around"
    done
    expect_status 2 hlo-dot --entry-only --around=x m.hlo
    expect_text "$err" "mutually exclusive"
}

@test "--max-nodes keeps expensive nodes and reports the omitted ones" {
    printf %s "$looped" >m.hlo
    hlo-dot --max-nodes=3 --entry-only m.hlo >graph.dot
    [ "$(nodes graph.dot)" = "loop side sum … 1 operand … 1 operand" ]
    expect_text graph.dot 'ENTRY main (4 of 9 instructions)' # the fourth is the element that an edge is
    hlo-dot --max-nodes=100 m.hlo >graph.dot
    hlo-dot m.hlo | cmp - graph.dot
}

@test "--color-by=sharding: the same sharding, the same colour" {
    printf %s "$looped" >m.hlo
    hlo-dot --color-by=sharding --legend m.hlo >graph.dot
    [ "$(grep 'label="[ab]:' graph.dot | grep -o 'fillcolor="[^"]*"' | sort -u | wc -l)" = 1 ]
    expect_text graph.dot 'label="sharding={devices=[2]<=[2]}"'
    expect_text graph.dot 'label="no sharding"'
}

@test "--max-nodes prefers what is dear to what is cheap, and parameters come last" {
    cat >m.hlo <<'END'
HloModule m
ENTRY main {
  p0 = f32[64,64] parameter(0)
  p1 = f32[64,64] parameter(1)
  s = f32[64,64] sine(p0)
  d = f32[64,64] dot(s, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  k = f32[] parameter(2)
  n = f32[] negate(k)
  ROOT t = (f32[64,64], f32[], f32[64,64], f32[64,64]) tuple(d, n, p0, p1)
}
END
    for wanted in "t" "d t" "d s t" "d n s t"; do
        hlo-dot --max-nodes="$(wc -w <<<"$wanted")" m.hlo >graph.dot
        [ "$(nodes graph.dot | sed 's/ ….*//')" = "$wanted" ] || fail "$wanted: $(nodes graph.dot)"
    done
}

@test "--color-by=device: one device, several, all" {
    printf %s "$looped" | sed 's/sharding={devices=\[2\]<=\[2\]}/sharding={maximal device=1}/' >m.hlo
    hlo-dot --color-by=device --legend m.hlo >graph.dot
    [ "$(grep -E 'label="([ab]:|device 1")' graph.dot | grep -o 'fillcolor="[^"]*"' | sort | uniq -c | xargs)" = '3 fillcolor=#ffe1b3' ]
    expect_text graph.dot 'label="the whole on every device"'
    sed 's/maximal device=1}/maximal device=17}/; s/{replicated}/{maximal device=1}/' m.hlo |
        hlo-dot --color-by=device --legend >graph.dot
    expect_text graph.dot 'label="devices 1 and 17"'
}

@test "--color-by=device: a stripe for each part, up to eight; more are grey" {
    for tiles in '[2]<=[2] 0:1' '[2]1,0 1:0' '[2,2]<=[2,2]T(1,0)~last_tile_dim_replicate 0:2:1:3' '[8]<=[8] 0:1:2:3:4:5:6:7'; do
        colours=$(sed 's/.* //; s/0/#bcd6f2/; s/1$/#ffe1b3/; s/1:/#ffe1b3:/; s/:2/:#d4eac8/; s/:3/:#f6c5bd/; s/:4/:#d9c8ec/; s/:5/:#fff2a8/; s/:6/:#c7ebe8/; s/:7/:#f3d3e4/' <<<"$tiles")
        tiles=${tiles% *}
        printf %s "$looped" | sed "s/{devices=\[2\]<=\[2\]}/{devices=${tiles/\~/ }}/; s/{replicated}/{devices=${tiles/\~/ }}/" >m.hlo
        for layout in dot fast; do
            hlo-dot --color-by=device --legend --layout=$layout m.hlo >graph.dot
            [ "$(grep 'label="[ab]:' graph.dot | grep -cF "fillcolor=\"$colours\"")" = 2 ] || fail "$tiles: $(grep 'label="[ab]:' graph.dot)"
            [ "$(grep 'label="[ab]:' graph.dot | grep -c 'style="striped"')" = 2 ]
            grep 'label="parameter 0: x' graph.dot | grep -q 'style="striped,bold"'
            expect_text graph.dot 'label="parts on several devices"'
            expect_text graph.dot 'label="device 1"'
            ! command -v dot >/dev/null || draws --color-by=device --legend --layout=$layout m.hlo || fail "$(cat complaints)"
        done
    done
    printf %s "$looped" | sed 's/\[2\]<=\[2\]/[9]<=[9]/' | hlo-dot --color-by=device --legend >graph.dot
    [ "$(grep 'label="[ab]:' graph.dot | grep -c 'fillcolor="#c8c8c8"')" = 2 ]
    expect_text graph.dot 'label="parts on more than 8 devices, or manual"'
    ! grep -q 'label="parts on several' graph.dot
    # As many as a text can name, and a mesh.
    printf %s "$looped" | sed 's/\[2\]<=\[2\]/[1073741824]<=[1073741824]/' | hlo-dot --color-by=device | grep -q 'label="a:.*#c8c8c8'
    printf %s "$looped" | sed "s/{devices=\[2\]<=\[2\]}/{mesh['x'=2,'y'=2], [{'y'}]}/" | hlo-dot --color-by=device |
        grep -q 'label="a:.*fillcolor="#bcd6f2:#d4eac8:#ffe1b3:#f6c5bd"'
}

@test "the legend stands below the graph" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    printf %s "$looped" >m.hlo
    for layout in dot fast; do
        hlo-dot --layout=$layout --legend m.hlo >graph.dot
        dot -Tplain graph.dot | awk -v legend="$(grep -oE '^n[0-9]+ \[label="(elementwise|transcendental|control flow|parameter, constant|tuple")' graph.dot | sed 's/ .*//' | xargs)" '
            BEGIN { split(legend, v, " "); for (i in v) of[v[i]] = 1 }
            /^node/ { if ($2 in of) { if (low == "" || $4 > low) low = $4 } else if (high == "" || $4 < high) high = $4 }
            END { exit !(low < high) }' || fail "$layout"
    done
}

@test "--color-by=plan: one colour per buffer, and kernels in labels" {
    cat >m.hlo <<'END'
HloModule m
ENTRY main {
  x = f32[64] parameter(0)
  a = f32[64] sine(x)
  f = f32[64] tanh(a)
  g = f32[64] reverse(f), dimensions={0}
  ROOT r = f32[64] add(f, g)
}
END
    hlo-run --print-plan=module --threads=1 m.hlo | hlo-dot --color-by=plan --legend >graph.dot
    expect_text graph.dot 'label="f: tanh\nf32[64]{0}\nstep 2: unary\nbuffer 0 of a"'
    colour() { grep "label=\"$1" graph.dot | grep -o 'fillcolor="[^"]*"'; }
    [ "$(colour a:)" = "$(colour f:)" ]
    [ "$(colour a:)" = "$(colour 'buffer 0,')" ]
    [ "$(colour g:)" = "$(colour 'buffer 1,')" ]
    [ "$(colour a:)" != "$(colour g:)" ]
    # Without a plan no node has a colour of the palette.
    hlo-dot --color-by=plan --legend m.hlo >graph.dot
    expect_text graph.dot 'label="no buffer of a plan"'
    [ "$(colour a:)" = 'fillcolor="#ffffff"' ]
    # More buffers than colours: they serve again.
    { echo "HloModule many"; echo "ENTRY main {"; echo "  x = f32[64] parameter(0)"
        for k in {0..19}; do echo "  n$k = f32[64] tan(x), frontend_attributes={plan_memory=\"buffer $k\"}"; done
        echo "  ROOT r = ($(for k in {0..19}; do printf 'f32[64]%s' "$([ "$k" = 19 ] || echo ,)"; done)) tuple($(for k in {0..19}; do printf 'n%s%s' "$k" "$([ "$k" = 19 ] || echo ,)"; done))"
        echo "}"; } >m.hlo
    hlo-dot --color-by=plan --legend m.hlo >graph.dot
    [ "$(colour n16:)" = "$(colour n0:)" ]
    [ "$(grep -c 'label="buffer [0-9]*, ' graph.dot)" = 16 ]
    # A plan_memory of another form is no buffer.
    sed 's/buffer 3"/buffer x"/' m.hlo | hlo-dot --color-by=plan >graph.dot
    [ "$(colour n3:)" = 'fillcolor="#ffffff"' ]
}

@test "--url" {
    printf %s "$every_feature" >m.hlo
    hlo-dot --url='https://host/{file}?line={line}' m.hlo >graph.dot
    expect_text graph.dot 'URL="https://host/g.py?line=3"'
    sed 's/g\.py/javascript:alert(1)/' m.hlo >evil.hlo
    hlo-dot evil.hlo >graph.dot
    ! grep -q 'URL="javascript' graph.dot
}

@test "--layout=fast: every node has a place, no two lie on each other" {
    printf %s "$looped" >looped.hlo
    begin_cases
    for module in looped.hlo "$HLO_ROOT"/tests/golden/models/*/module.hlo; do
        hlo-dot --layout=fast --legend "$module" >graph.dot
        faults=$(awk -f "$HLO_ROOT/tests/graph/dot_geometry.awk" graph.dot | sed \$d)
        if [ -z "$faults" ]; then ok; else
            bad "$module" "$faults"
        fi
    done
    end_cases
    if command -v dot >/dev/null; then
        hlo-dot -T svg --layout=fast looped.hlo >m.svg 2>complaints
        [ ! -s complaints ]
        expect_text m.svg '</svg>'
    fi
}

@test "--layout=fast: numbers of operands above a wide tuple do not lie on each other" {
    { echo "HloModule wide"; echo "ENTRY main {"
        for ((i = 0; i < 120; i++)); do echo "  p_$i = f32[] parameter($i)"; done
        echo "  ROOT t = ($(printf 'f32[], %.0s' {1..119})f32[]) tuple($(printf 'p_%s, ' {0..118})p_119)"
        echo "}"; } >m.hlo
    for edges in number shape; do
        hlo-dot --layout=fast --edges=$edges m.hlo >graph.dot
        [ "$(awk -f "$HLO_ROOT/tests/graph/dot_geometry.awk" graph.dot)" = "121 0" ] || fail "$(awk -f "$HLO_ROOT/tests/graph/dot_geometry.awk" graph.dot)"
        # Some have space, and edges without a label state their number in the tooltip.
        [ "$(grep -c headlabel= graph.dot)" -gt 8 ] || fail "$(grep -c headlabel= graph.dot) labels"
        [ "$(grep -c '\\noperand [0-9]* of t"' graph.dot)" = 120 ]
    done
}

@test "a drawing of more than 5,000 nodes: a note names -T html" {
    chain() {
        printf 'HloModule chain\nENTRY main {\n  x_0 = f32[] parameter(0)\n'
        for ((i = 1; i < $1; i++)); do echo "  x_$i = f32[] negate(x_$((i - 1)))"; done
        printf '  ROOT r = f32[] negate(x_%d)\n}\n' "$(($1 - 1))"
    }
    chain 5000 >m.hlo
    expect_status 0 hlo-dot m.hlo
    [ "$(cat "$err")" = "hlo-dot: note: the drawing has 5001 nodes; -T html writes a page to search and open" ] || fail "$(cat "$err")"
    expect_status 0 hlo-dot -T html m.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    # Nodes count, not instructions.
    expect_status 0 hlo-dot --around=r m.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    chain 4999 >m.hlo
    expect_status 0 hlo-dot m.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
}

# A hundred layers, each with a separate weight and bias: x = x * w + b.
deep_module() {
    echo "HloModule deep"
    echo "ENTRY main {"
    echo "  l_0 = f32[64,64] parameter(0)"
    for ((i = 1; i <= 100; i++)); do
        echo "  w_$i = f32[64,64] parameter($((2 * i - 1)))"
        echo "  b_$i = f32[64] parameter($((2 * i)))"
        echo "  t_$i = f32[64,64] tanh(w_$i)"
        echo "  m_$i = f32[64,64] dot(t_$i, l_$((i - 1))), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
        echo "  c_$i = f32[64,64] broadcast(b_$i), dimensions={1}"
        echo "  l_$i = f32[64,64] subtract(c_$i, m_$i)"
    done
    echo "}"
}

@test "--layout=fast: a deep network is no wider than its rows" {
    deep_module >m.hlo
    hlo-dot --layout=fast m.hlo >graph.dot
    width=$(sed -n 's/^bb="0,0,\([0-9]*\).*/\1/p' graph.dot | head -n 1)
    [ "$width" -lt 900 ] || fail "$width points"
    # What it is about is nearly a straight line: one layer is below the other.
    awk '/^n[0-9]* \[label="l_[0-9]*:/ { match($0, / pos="[0-9.]*/); x = substr($0, RSTART + 6, RLENGTH - 6)
            if (n++ && (x - last > 60 || last - x > 60)) bad++; last = x }
        END { exit !(n == 100 && bad < 20) }' graph.dot || fail "$(grep -o 'label="l.*pos="[0-9.]*' graph.dot)"
}

@test "--layout=fast: low computations stand in columns beside a high one" {
    { deep_module | sed '/^}/d'
        for k in 1 2 3 4; do echo "  r_$k = f32[64,64] call(l_100), to_apply=f$k"; echo "  s_$k = f32[64,64] call(r_$k), to_apply=f$k"; done
        echo "}"; } >entry
    { head -n 1 entry
        for k in 1 2 3 4; do printf 'f%s {\n  a = f32[64,64] parameter(0)\n  n = f32[64,64] negate(a)\n  ROOT c = f32[64,64] cosine(n)\n}\n' $k; done
        sed 1d entry; } >m.hlo
    hlo-dot --layout=fast m.hlo >graph.dot
    [ "$(grep -A 3 '^subgraph' graph.dot | grep '^bb="8\.' | sed 's/^bb="\([0-9.]*\),.*/\1/' | wc -l)" = 4 ] || fail "$(grep '^bb' graph.dot)"
    [ "$(awk -f "$HLO_ROOT/tests/graph/dot_geometry.awk" graph.dot | wc -l)" = 1 ]
}

@test "--layout=fast: an early result of a fusion leaves it beside what is below" {
    cat >m.hlo <<'END'
HloModule early
body {
  p = f32[4] parameter(0)
  early = f32[4] sine(p)
  n1 = f32[4] negate(early)
  n2 = f32[4] negate(n1)
  n3 = f32[4] negate(n2)
  late = f32[4] negate(n3)
  ROOT both = (f32[4], f32[4]) tuple(early, late)
}
ENTRY main {
  x = f32[4] parameter(0)
  f = (f32[4], f32[4]) fusion(x), kind=kLoop, calls=body
  first = f32[4] get-tuple-element(f), index=0
  second = f32[4] get-tuple-element(f), index=1
  ROOT d = f32[4] divide(first, second)
}
END
    hlo-dot --layout=fast m.hlo >graph.dot
    early=$(node graph.dot early) d=$(node graph.dot d)
    # Where the edge keeps to one x it passes none of the nodes below.
    edge=$(grep "^$early -> $d " graph.dot | grep -o 'pos="[^"]*"')
    [ "$(wc -w <<<"$edge")" -gt 10 ] || fail "$edge"
    for below in n1 n2 n3 late; do
        x=$(grep "^$(node graph.dot $below) \[" graph.dot | sed 's/.* pos="\([0-9]*\).*/\1/')
        tr ' ' '\n' <<<"$edge" | awk -F, -v x="$x" 'NR > 3 && NR < 16 && $1 > x - 20 && $1 < x + 20 { bad = 1 } END { exit bad }' ||
            fail "$below: $edge"
    done
}

@test "the entry computations of real dumps are drawn fast" {
    command -v dot >/dev/null || skip "Graphviz is not installed"
    [ -n "$HLO_CORPUS" ] || skip "no corpus of real dumps"
    begin_cases
    for module in $(one_of 20 "$HLO_CORPUS"/*.hlo); do
        if cpu_seconds 60 hlo-dot -T svg --entry-only --layout=fast -o m.svg "$module" 2>complaints &&
            ! grep -v "note: the drawing has [0-9]* nodes; -T html" complaints && { ! command -v xmllint >/dev/null || xmllint --huge --noout m.svg; }; then
            ok
        else
            bad "$module" "$(cat complaints)"
        fi
    done
    end_cases
}

# A loop of two devices, cut.
two_devices() {
    hlo-opt --passes=lower-control-flow,partition -o parts.hlo "$(cases_of control_flow)/partition-body-op-25-trips/module.hlo"
}

# The node of an instruction of a device: the first or second with the attribute that only it has.
node_with() {
    grep -F "$1" drawing.dot | sed 's/ .*//'
}

@test "the parts of a graph are clusters of their devices, with an edge for each message" {
    two_devices
    for layout in dot fast; do
        expect_status 0 hlo-dot --layout=$layout --legend -o drawing.dot parts.hlo
        head -n 1 drawing.dot | grep -qx 'digraph "partition_body_op_25_trips" {'
        [ "$(grep -A 1 '^subgraph cluster_device_' drawing.dot | grep -c '^label="device [01]"')" = 2 ]
        [ "$(grep -c '{$' drawing.dot)" = "$(grep -c '^}$' drawing.dot)" ]
        for key in '1>0#1' '0>1#2' '0>1#3'; do
            ends=$(grep -F "tooltip=\"$key\"" drawing.dot | grep -o '^n[0-9]* -> n[0-9]* \[style=dashed')
            from=$(node_with "key=\\\"$key\\\"\\nto_device") to=$(node_with "key=\\\"$key\\\"\\nfrom_device")
            [ "$ends" = "$from -> $to [style=dashed" ] || fail "$layout $key: $ends, not $from -> $to"
        done
        [ "$(grep -o '^n[0-9]* \[label' drawing.dot | sort | uniq -d | wc -l)" = 0 ]
        [ "$(grep -o '^subgraph [a-z_0-9]*' drawing.dot | sort | uniq -d | wc -l)" = 0 ]
        [ "$(grep -c 'label="colours"' drawing.dot)" = 1 ]
        ! command -v dot >/dev/null || draws --layout=$layout --legend parts.hlo || fail "$(cat complaints)"
    done
    hlo-dot -o drawing.dot parts.hlo
    [ "$(grep -c '^subgraph cluster_frame_' drawing.dot)" = 2 ]
}

@test "what options select is looked up in every part, and nodes are shared" {
    two_devices
    expect_status 0 hlo-dot --around=sine.15 --radius=1 parts.hlo
    [ "$(grep -c 'label="device' "$out")" = 1 ]
    grep -q 'label="device 1"' "$out"
    expect_status 2 hlo-dot --around=sine.16 parts.hlo
    grep -q "the module has no instruction named 'sine.16'" "$err"
    for limit in 1 2 5; do
        expect_status 0 hlo-dot --max-nodes=$limit parts.hlo
        [ "$(grep '^n[0-9]* \[label' "$out" | grep -vc 'not drawn')" = $limit ] || fail "$(cat "$out")"
        [ "$(grep -c 'label="device' "$out")" = $((limit > 1 ? 2 : 1)) ]
    done
}

# ---- costs ----

hot='HloModule hot
body {
  p = f32[64,64] parameter(0)
  q = f32[64,64] parameter(1)
  m = f32[64,64] multiply(p, q)
  ROOT s = f32[64,64] add(m, q)
}
ENTRY e {
  a = f32[64,64] parameter(0)
  b = f32[64,64] parameter(1)
  d = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[64,64] negate(d)
  ROOT f = f32[64,64] fusion(n, b), kind=kLoop, calls=body
}'

# line_of NAME: the line of the node of that name.
line_of() {
    grep "^n[0-9]* \[label=\"\(parameter [0-9]: $1\\\\n\|$1: \)" graph.dot
}

@test "--heat=flops: the most expensive are the hottest, fusions have the cost of their bodies" {
    printf %s "$hot" >m.hlo
    for layout in dot fast; do
        hlo-dot --heat=flops --legend --layout=$layout m.hlo >graph.dot
        line_of d | grep -F '524 kflop", ' | grep -qF 'fillcolor="#f2695c"'
        line_of n | grep -F '4.1 kflop", ' | grep -qF 'fillcolor="#ffe39a"'
        line_of a | grep -qF 'fillcolor="#ffffff"'
        ! line_of a | grep -q 'flop' || fail "a parameter costs nothing"
        grep -q '^label="f: kLoop fusion.*\\l8.19 kflop\\l"' graph.dot || fail "$(grep '^label' graph.dot)"
        grep -A 1 '^label="f: ' graph.dot | grep -q 'bgcolor="#ffe39a"'
        grep -q 'label="131 kflop and more"' graph.dot
        grep -q 'label="no flops"' graph.dot
        ! command -v dot >/dev/null || draws --heat=flops --legend --layout=$layout m.hlo || fail "$(cat complaints)"
    done
}

@test "--heat=bytes: what happens inside a fusion touches no memory" {
    printf %s "$hot" >m.hlo
    hlo-dot --heat=bytes m.hlo >graph.dot
    line_of d | grep -qF '49.2 kB", '
    ! line_of m | grep -q 'kB' || fail "a fused instruction reads no memory"
    grep -q '^label="f: kLoop fusion.*\\l49.2 kB\\l"' graph.dot
}

@test "--heat: what a custom call costs is unknown, and no part of what calls it" {
    cat >m.hlo <<'H'
HloModule m
body {
  b = f32[4] parameter(0)
  n = f32[4] negate(b)
  a = f32[4] custom-call(n), custom_call_target="foo"
  ROOT c = f32[4] custom-call(a), custom_call_target="foo"
}
ENTRY e {
  p = f32[4] parameter(0)
  ROOT q = f32[4] call(p), to_apply=body
}
H
    for figure in 'flops 4 flop' 'bytes 32 B'; do
        hlo-dot --heat="${figure%% *}" --depth=0 m.hlo >graph.dot
        expect_text graph.dot "to_apply=%body\\n${figure#* }\", tooltip"
    done
    # The page has the same, and -1 for the calls.
    hlo-dot -T html m.hlo >m.html
    expect_text m.html '"flops":[0,4,-1,-1,0,4]'
}

@test "--heat counts loops as a whole where they are closed" {
    printf %s "$looped" >m.hlo
    hlo-dot --heat=flops m.hlo >open.dot
    hlo-dot --heat=flops --collapse-while m.hlo >closed.dot
    ! grep ': while' open.dot | grep -q flop || fail "the body's nodes have the flops"
    grep ': while' closed.dot | grep -q flop || fail "$(cat closed.dot)"
}

@test "--heat=time: seconds of a profile, shared by what ran as one" {
    printf %s "$hot" >m.hlo
    echo '{"instructions": [{"instructions": ["d"], "seconds": 0.75},
        {"instructions": ["m", "s"], "seconds": 0.25}]}' >profile.json
    hlo-dot --heat=time --profile=profile.json --legend m.hlo >graph.dot
    line_of d | grep -qF '750 ms (75 %)"'
    line_of m | grep -qF '125 ms (12 %)"'
    grep -q '^label="f: kLoop fusion.*\\l250 ms (25 %)\\l"' graph.dot || fail "$(grep '^label' graph.dot)"
    grep -q 'label="no self time"' graph.dot
    hlo-run --inputs=hash --profile=real.json m.hlo >/dev/null
    hlo-dot --heat=time --profile=real.json m.hlo >graph.dot
    line_of d | grep -q ' [mun]\{0,1\}s ([0-9.e+]* %)"' || fail "$(line_of d)"
}

@test "--heat=time: profiles of other modules, and files that are none" {
    printf %s "$hot" >m.hlo
    echo '{"instructions": [{"instructions": ["x"], "seconds": 1}]}' >other.json
    expect_status 2 hlo-dot --heat=time --profile=other.json m.hlo
    grep -q "other.json is the profile of another module: this one has no 'x'" "$err"
    echo '{"instructions": [{"instructions": ["x", "d"], "seconds": 1}]}' >half.json
    expect_status 0 hlo-dot --heat=time --profile=half.json m.hlo
    grep -q "half.json: 50 % of the time is of instructions that the module does not have, like 'x'" "$err"
    for text in '{' '[]' '{}' '{"instructions": [1]}' '{"instructions": [{"instructions": [], "seconds": 1}]}' \
        '{"instructions": [{"instructions": ["d"], "seconds": -1}]}' '{"instructions": [{"instructions": [2], "seconds": 1}]}'; do
        echo "$text" >bad.json
        expect_status 2 hlo-dot --heat=time --profile=bad.json m.hlo
        grep -q 'bad.json' "$err" || fail "$text: $(cat "$err")"
    done
    expect_status 3 hlo-dot --heat=time --profile=missing.json m.hlo
    expect_status 2 hlo-dot --heat=time m.hlo
    expect_status 2 hlo-dot --heat=flops --profile=other.json m.hlo
    expect_status 2 hlo-dot --heat=flops --color-by=sharding m.hlo
}

@test "a drawing has one kind of colours, a page has all of them" {
    printf %s "$hot" >m.hlo
    echo '{"instructions": [{"instructions": ["d"], "seconds": 1}]}' >profile.json
    expect_status 2 hlo-dot --diff=m.hlo --heat=time --profile=profile.json m.hlo
    grep -q 'mutually exclusive, except with --format=html' "$err"
    expect_status 2 hlo-dot --profile=profile.json m.hlo
    grep -q -e '--profile requires --heat=time, or --format=html' "$err"
    expect_status 2 hlo-dot -T html --heat=time m.hlo
    grep -q -e '--heat=time requires --profile' "$err"
    while read -r colour options; do
        # shellcheck disable=SC2086 # several options
        expect_status 0 hlo-dot -T html $options m.hlo
        grep -q "\"colour\":$colour," "$out" || fail "$options: $(grep -o '"colour":.' "$out")"
    done <<'END'
5 --heat=bytes
5 --heat=bytes --diff=m.hlo --profile=profile.json
6 --heat=time --profile=profile.json
6 --profile=profile.json
6 --heat=time --profile=profile.json --diff=m.hlo
7 --diff=m.hlo
7 --diff=m.hlo --profile=profile.json
1 --diff=m.hlo --color-by=sharding
END
}

# ---- comparisons ----

@test "--diff: what is changed, only here, only there" {
    printf %s "$hot" >before.hlo
    sed -e 's/n = f32\[64,64\] negate(d)/c = f32[64,64] cosine(b)\n  g = f32[64,64] add(d, c)/' \
        -e 's/fusion(n, b)/fusion(g, b)/' before.hlo >after.hlo
    for layout in dot fast; do
        hlo-dot --diff=before.hlo --legend --layout=$layout after.hlo >graph.dot
        line_of d | grep -qF 'fillcolor="#ececec"'
        line_of c | grep -qF 'fillcolor="#b5e0a8"'
        for text in unchanged 'only in this module' 'only in the other module'; do
            grep -qF "label=\"$text\"" graph.dot || fail "$text: $(cat graph.dot)"
        done
        line_of n | grep -F 'style="filled,dashed"' | grep -qF 'fillcolor="#f6b9b0"'
        from=$(line_of d | sed 's/ .*//') to=$(line_of n | sed 's/ .*//')
        grep -q "^$from -> $to \[style=dashed, color=\"#d98a80\"" graph.dot
        [ "$(grep -c '{$' graph.dot)" = "$(grep -c '^}$' graph.dot)" ]
        ! command -v dot >/dev/null || draws --diff=before.hlo --legend --layout=$layout after.hlo || fail "$(cat complaints)"
    done
    hlo-dot --diff=before.hlo --around=g --radius=1 after.hlo >graph.dot
    line_of n >/dev/null || fail "it is beside what is drawn"
    hlo-dot --diff=before.hlo --around=c --radius=0 after.hlo >graph.dot
    ! line_of n || fail "it is not beside what is drawn"
}

@test "--diff: the same module is unchanged, and names do not count" {
    printf %s "$hot" >before.hlo
    sed 's/\bd\b/other/g' before.hlo >after.hlo
    hlo-dot --diff=before.hlo --legend after.hlo >graph.dot
    [ "$(grep -o 'fillcolor="#[0-9a-f]*"' graph.dot | sort -u)" = 'fillcolor="#ececec"' ]
    hlo-dot --diff=- --legend after.hlo <before.hlo | diff - graph.dot
}

@test "--diff: wrong uses" {
    printf %s "$hot" >m.hlo
    expect_status 2 hlo-dot --diff=m.hlo --heat=flops m.hlo
    expect_status 2 hlo-dot --diff=- - <m.hlo
    expect_status 2 hlo-dot --diff=m.hlo --split-input-file m.hlo
    expect_status 1 hlo-dot --diff=/dev/null m.hlo
    expect_status 3 hlo-dot --diff=missing.hlo m.hlo
    two_devices
    expect_status 2 hlo-dot --diff=m.hlo parts.hlo
    grep -q 'in parts cannot be drawn with their differences' "$err"
}
