# hlo-diff: what differs between two modules, whatever they are called.

load ../lib
load ../cases

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

teardown_file() {
    sum_cases
}

before='HloModule m

max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}

ENTRY main {
  x = f32[4,8] parameter(0)
  y = f32[4,8] parameter(1)
  zero = f32[] constant(0)
  sum = f32[4,8] add(x, y)
  r = f32[4] reduce(sum, zero), dimensions={1}, to_apply=max
  e = f32[4] exponential(r)
  ROOT t = (f32[4], f32[4,8]) tuple(e, sum)
}
'

# differs EXPECTED...: the lines that hlo-diff prints for before.hlo and after.hlo
differs() {
    local status=0
    hlo-diff before.hlo after.hlo >got || status=$?
    [ $status = 1 ] || fail "status $status" "$(cat got)"
    printf '%s\n' "$@" | diff - got
}

# renamed FILE: every instruction and computation gets another name, and metadata
renamed() {
    sed -E 's/%([A-Za-z_0-9])/%r_\1/g; s/op_name="[^"]*"/op_name="another"/g' "$1"
}

@test "the same module is no different, whatever its names, order and metadata" {
    printf %s "$before" >before.hlo
    hlo-opt before.hlo >printed.hlo
    renamed printed.hlo >after.hlo
    [ -z "$(hlo-diff before.hlo after.hlo)" ]
    [ "$(hlo-diff --emit=json before.hlo after.hlo)" = \
        '{"same":true,"header":[],"computations":[],"removed_computations":[],"added_computations":[]}' ]
    grep -v '  zero = ' before.hlo | awk '{ print } /  x = / { print "  zero = f32[] constant(0)" }' >after.hlo
    hlo-diff before.hlo after.hlo
    hlo-opt before.hlo | hlo-diff before.hlo -
}

@test "changed opcode, shape, attribute, operand, constant" {
    printf %s "$before" >before.hlo
    sed 's/exponential/cosine/' before.hlo >after.hlo
    differs '%main: 1 changed, 0 added, 0 removed' '  ~ %e = f32[4]{0} exponential(%r)' '      opcode: exponential became cosine'
    sed 's/constant(0)/constant(-1.5)/' before.hlo >after.hlo
    differs '%main: 1 changed, 0 added, 0 removed' '  ~ %zero = f32[] constant(0)' '      value: 0 became -1.5'
    sed 's/add(x, y)/add(x, x)/' before.hlo >after.hlo
    differs '%main: 1 changed, 0 added, 0 removed' '  ~ %sum = f32[4,8]{1,0} add(%x, %y)' '      operand 1: %y became %x'
    sed 's/constant(0)/constant(0), frontend_attributes={k="v"}/' before.hlo >after.hlo
    differs '%main: 1 changed, 0 added, 0 removed' '  ~ %zero = f32[] constant(0)' \
        '      frontend_attributes: nothing became frontend_attributes={k="v"}'
    sed 's/maximum/minimum/' before.hlo >after.hlo
    differs '%max: 1 changed, 0 added, 0 removed' '  ~ ROOT %m = f32[] maximum(%a, %b)' '      opcode: maximum became minimum'
    sed 's/HloModule m/HloModule m, is_scheduled=true/' before.hlo >after.hlo
    differs 'header:' '      is_scheduled: nothing became is_scheduled=true' '1 changed, 0 added, 0 removed'
}

@test "what was put in between, taken out, or called instead" {
    printf %s "$before" >before.hlo
    sed 's/^  e = .*/  n = f32[4] negate(r)\n  e = f32[4] exponential(n)/' before.hlo >after.hlo
    differs '%main: 0 changed, 1 added, 0 removed' '  + %n = f32[4]{0} negate(%r)'
    mv after.hlo other.hlo
    mv before.hlo after.hlo
    mv other.hlo before.hlo
    differs '%main: 0 changed, 0 added, 1 removed' '  - %n = f32[4]{0} negate(%r)'
    printf %s "$before" >before.hlo
    sed 's/^ENTRY/unused {\n  ROOT p = f32[] parameter(0)\n}\n\nENTRY/' before.hlo >after.hlo
    differs '+ computation %unused of 1 instructions' \
        '0 changed, 0 added, 0 removed; computations: 1 added, 0 removed'
}

@test "JSON has the same" {
    printf %s "$before" >before.hlo
    sed 's/exponential/cosine/; s/add(x, y)/add(x, x)/' before.hlo >after.hlo
    expect_status 1 hlo-diff --emit=json before.hlo after.hlo
    expect_text "$out" '{"from":"e","to":"e","differences":[{"what":"opcode","from":"exponential","to":"cosine"}]}'
    expect_text "$out" '{"what":"operand 1","from":"%y","to":"%x"}'
    if command -v jq >/dev/null; then
        [ "$(jq '.computations[0].changed | length' "$out")" = 2 ]
    fi
}

# diff/NAME holds a module before and after something that XLA did to it: before.hlo and after.hlo, without metadata.
@test "differences of XLA's passes need no more lines than diff, and no name is both added and removed" {
    begin_cases
    for pair in "$HLO_ROOT"/tests/diff/*/; do
        name=$(basename "$pair")
        hlo-diff "$pair/before.hlo" "$pair/after.hlo" >got || true
        diff "$pair/before.hlo" "$pair/after.hlo" >plain || true
        sed -n 's/^  - \(ROOT \)\{0,1\}\(%[^ ]*\).*/\2/p' got | sort >removed
        sed -n 's/^  + \(ROOT \)\{0,1\}\(%[^ ]*\).*/\2/p' got | sort >added
        if [ ! -s got ]; then
            bad "$name" "no difference"
        elif [ "$(wc -l <got)" -gt "$(wc -l <plain)" ]; then
            bad "$name" "$(wc -l <got) lines, and diff has $(wc -l <plain)"
        elif [ -n "$(comm -12 removed added)" ]; then
            bad "$name" "removed and added: $(comm -12 removed added | tr '\n' ' ')"
        else
            ok
        fi
    done
    end_cases
}

@test "names match instructions that nothing else matches" {
    printf %s "$before" >before.hlo
    sed 's/sum = f32\[4,8\] add(x, y)/sum = f32[4,8] negate(y)/' before.hlo >after.hlo
    differs '%main: 1 changed, 0 added, 0 removed' '  ~ %sum = f32[4,8]{1,0} add(%x, %y)' \
        '      opcode: add became negate; operands: 2 became 1'
    # Exchanged names are no evidence: the structure decides.
    sed 's/\<e\>/s/g; s/\<sum\>/e/g; s/\<s\>/sum/g' before.hlo >after.hlo
    hlo-diff before.hlo after.hlo
    # A computation that is called by something else now, and an instruction that moved into another one.
    sed 's/  ROOT m = .*/  n = f32[] negate(a)\n  ROOT m = f32[] maximum(n, b)/' before.hlo >moved.hlo
    sed 's/^max {/old {\n  ROOT p = f32[] parameter(0)\n}\n\n&/' moved.hlo >before.hlo
    sed '/^  n = f32/d; s/maximum(n, b)/maximum(a, b)/; s/^  ROOT p = .*/  p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)/' \
        before.hlo >after.hlo
    hlo-diff before.hlo after.hlo >got || true
    expect_text got 'computation: %max became %old'
    expect_text got '2 changed, 0 added, 0 removed'
}

@test "constants without elements: elided on one side, or the same" {
    local n=11 full
    full=$(seq -s, 1 $n)
    printf '%s\n' 'HloModule m' 'ENTRY e {' "  a = f32[$n] constant({$full})" "  b = f32[$n] constant({5$full})" \
        '  c = f32[3] constant({1, 2, 3})' "  s = f32[$n] sine(a)" \
        "  ROOT t = (f32[$n], f32[$n], f32[3]) tuple(s, b, c)" '}' >before.hlo
    hlo-opt before.hlo >after.hlo
    grep -q 'constant({...})' after.hlo
    differs '%e: 2 changed, 0 added, 0 removed' "  ~ %a = f32[$n]{0} constant({...})" '      value: elided on one side' \
        "  ~ %b = f32[$n]{0} constant({...})" '      value: elided on one side'
    expect_status 1 hlo-diff --emit=json after.hlo before.hlo
    expect_text "$out" '{"what":"value","from":"{...}","to":"{51, 2'
    # What is left out is not compared, whatever stands before it; small constants are.
    hlo-diff after.hlo after.hlo
    sed 's/^  %a = .*/  %new = f32[5,7] constant({...})\n&/' after.hlo >more.hlo
    expect_status 1 hlo-diff after.hlo more.hlo
    expect_text "$out" ': 0 changed, 1 added, 0 removed'
    sed 's/{1, 2, 3}/{1, 2, 4}/' after.hlo >other.hlo
    expect_status 1 hlo-diff after.hlo other.hlo
    expect_text "$out" '      value: {1, 2, 3} became {1, 2, 4}'
    expect_text "$out" ': 1 changed, 0 added, 0 removed'
    # Large ones with their elements, beside others without, are compared.
    sed "s/{5$full}/{...}/" before.hlo >before2.hlo
    sed "s/{$full}/{9,$(seq -s, 2 $n)}/" before2.hlo >after2.hlo
    expect_status 1 hlo-diff before2.hlo after2.hlo
    expect_text "$out" ': 1 changed, 0 added, 0 removed'
    expect_text "$out" '      value: {1, 2, '
}

@test "--brief counts" {
    printf %s "$before" >before.hlo
    sed 's/exponential/cosine/' before.hlo >after.hlo
    expect_status 1 hlo-diff --brief before.hlo after.hlo
    [ "$(cat "$out")" = '1 changed, 0 added, 0 removed' ]
    expect_status 1 hlo-diff -q --emit=json before.hlo after.hlo
    [ "$(cat "$out")" = '{"same":false,"changed":1,"added":0,"removed":0,"added_computations":0,"removed_computations":0}' ]
    expect_status 0 hlo-diff --brief before.hlo before.hlo
    [ ! -s "$out" ]
}

@test "layouts count unless they shall not" {
    printf %s "$before" >before.hlo
    sed 's/x = f32\[4,8\] /x = f32[4,8]{0,1} /' before.hlo >after.hlo
    expect_status 1 hlo-diff before.hlo after.hlo
    expect_text "$out" 'shape: f32[4,8]{1,0} became f32[4,8]{0,1}'
    expect_text "$out" 'entry_computation_layout: '
    expect_status 0 hlo-diff --no-layouts before.hlo after.hlo
    sed 's/exponential/cosine/' after.hlo >other.hlo
    expect_status 1 hlo-diff --no-layouts before.hlo other.hlo
    expect_text "$out" '  ~ %e = f32[4] exponential(%r)'
    expect_text "$out" ': 1 changed, 0 added, 0 removed'
    # Of constants, too, and in tuples.
    printf 'HloModule m\nENTRY e {\n  c = f32[2,2]{1,0} constant({{1,2},{3,4}})\n  ROOT t = (f32[2,2]{1,0}) tuple(c)\n}\n' >before.hlo
    sed 's/{1,0}/{0,1}/g' before.hlo >after.hlo
    expect_status 1 hlo-diff before.hlo after.hlo
    expect_status 0 hlo-diff --no-layouts before.hlo after.hlo
}

@test "one computation that differs has the sum in its heading; several, a header and lone computations have it at the end" {
    printf %s "$before" >before.hlo
    sed 's/^  e = .*/  n = f32[4] negate(r)\n&/' before.hlo >after.hlo
    differs '%main: 0 changed, 1 added, 0 removed' '  + %n = f32[4]{0} negate(%r)'
    hlo-opt before.hlo >plain.before
    hlo-opt after.hlo | diff plain.before - >plain || true
    [ "$(hlo-diff before.hlo after.hlo | wc -l)" = "$(wc -l <plain)" ]
    sed -i 's/maximum/minimum/' after.hlo
    differs '%main:' '  + %n = f32[4]{0} negate(%r)' '%max:' '  ~ ROOT %m = f32[] maximum(%a, %b)' \
        '      opcode: maximum became minimum' '1 changed, 1 added, 0 removed'
    sed 's/HloModule m/HloModule m, num_partitions=2/; s/exponential/cosine/' before.hlo >after.hlo
    differs 'header:' '      num_partitions: nothing became num_partitions=2' '%main:' \
        '  ~ %e = f32[4]{0} exponential(%r)' '      opcode: exponential became cosine' '2 changed, 0 added, 0 removed'
}

# shuffled FILE...: the two lines before ROOT change places, and names.
shuffled() {
    sed -E 's/\<v\>/#/g; s/\<w\>/v/g; s/#/w/g' "$1" |
        awk '/^  (v|w) = /{ if (kept) print; else kept = $0; next } kept && !done && !/^  [vw] = / { print kept; done = 1 } { print }'
}

@test "control predecessors are compared, of the instructions that they name" {
    printf '%s\n' 'HloModule m' 'ENTRY e {' '  x = f32[4] parameter(0)' '  w = f32[4] sine(x)' '  v = f32[4] sine(x)' \
        '  y = f32[4] negate(x), control-predecessors={w}' '  z = f32[4] subtract(w, v)' \
        '  ROOT t = (f32[4], f32[4]) tuple(z, y)' '}' >before.hlo
    sed 's/, control-predecessors={w}//' before.hlo >after.hlo
    differs '%e: 1 changed, 0 added, 0 removed' '  ~ %y = f32[4]{0} negate(%x)' \
        '      control-predecessors: control-predecessors={%w} became nothing'
    # w and v compute the same, but one is not the other.
    for wanted in v w,v x; do
        sed "s/predecessors={w}/predecessors={$wanted}/" before.hlo >after.hlo
        hlo-diff before.hlo after.hlo >got && fail "$wanted is no difference"
        expect_text got "control-predecessors={%w} became control-predecessors={%${wanted//,/, %}}"
        [ "$(grep -c '^  ~' got)" = 1 ] || fail "$(cat got)"
    done
    expect_status 1 hlo-diff --format=json before.hlo after.hlo
    expect_text "$out" '"what":"control-predecessors","from":"control-predecessors={%w}"'
    # Other names, another order.
    shuffled before.hlo >after.hlo
    ! cmp -s before.hlo after.hlo || fail "nothing was shuffled"
    hlo-diff before.hlo after.hlo || fail "$(cat after.hlo)"
    # In computations that change places.
    printf '%s\n' 'HloModule m' 'f {' '  p = f32[] parameter(0)' '  a = f32[] sine(p)' \
        '  ROOT b = f32[] cosine(p), control-predecessors={a}' '}' 'g {' '  p.1 = f32[] parameter(0)' \
        '  a.1 = f32[] sine(p.1)' '  ROOT b.1 = f32[] cosine(p.1)' '}' 'ENTRY e {' '  x = f32[] parameter(0)' \
        '  c = f32[] call(x), to_apply=f' '  d = f32[] call(x), to_apply=g' '  ROOT t = f32[] subtract(c, d)' '}' >before.hlo
    sed 's/to_apply=f/to_apply=h/; s/to_apply=g/to_apply=f/; s/to_apply=h/to_apply=g/' before.hlo >after.hlo
    expect_status 1 hlo-diff before.hlo after.hlo
}

@test "one run of what has an effect is not another, even if both look the same" {
    printf '%s\n' 'HloModule m' 'ENTRY e {' '  x = f32[] parameter(0)' '  w = f32[4] rng(x, x), distribution=rng_uniform' \
        '  v = f32[4] rng(x, x), distribution=rng_uniform' '  ROOT z = f32[4] subtract(w, v)' '}' >before.hlo
    shuffled before.hlo >after.hlo
    hlo-diff before.hlo after.hlo
    sed 's/(w, v)/(w, w)/' before.hlo >after.hlo
    differs '%e: 1 changed, 0 added, 0 removed' '  ~ ROOT %z = f32[4]{0} subtract(%w, %v)' '      operand 1: %v became %w'
    sed -i 's/rng(x, x), distribution=rng_uniform/broadcast(x), dimensions={}/' before.hlo after.hlo
    hlo-diff before.hlo after.hlo # a value is a value
}

@test "schedules count when asked, threads always, defaults that are written never" {
    printf '%s\n' 'HloModule m, is_scheduled=true' 'ENTRY e {' '  x = f32[4] parameter(0)' '  w = f32[4] sine(x)' \
        '  v = f32[4] cosine(x)' '  y = f32[4] negate(x)' '  ROOT t = (f32[4], f32[4], f32[4]) tuple(w, v, y)' '}' >before.hlo
    awk '/ w = /{ kept = $0; next } { print } / y = /{ print kept }' before.hlo >after.hlo
    hlo-diff before.hlo after.hlo
    expect_status 1 hlo-diff --schedule before.hlo after.hlo
    printf '%s\n' '%e: 1 changed, 0 added, 0 removed' '  ~ %w = f32[4]{0} sine(%x)' \
        '      place in the schedule: after %x became after %y' | diff - "$out"
    sed -i 's/, is_scheduled=true/, is_scheduled=false, replica_count=1/' before.hlo after.hlo
    expect_status 0 hlo-diff --schedule before.hlo after.hlo
    sed 's/, is_scheduled.*//' after.hlo >bare.hlo
    hlo-diff after.hlo bare.hlo
    printf '%s\n' 'HloModule m' 'f {' '  ROOT p = f32[] parameter(0)' '}' 'ENTRY e {' '  x = f32[] parameter(0)' \
        '  ROOT c = f32[] call(x), to_apply=f' '}' >before.hlo
    sed '4s/}/}, execution_thread="other"/' before.hlo >after.hlo
    differs '%f: 1 changed, 0 added, 0 removed' '  ~ ROOT %p = f32[] parameter(0)' \
        '      execution_thread of the computation: main became other'
}

@test "--metadata compares stack frames by content, origins and statistics" {
    printf '%s\n' 'HloModule m' '' 'FileNames' '1 "a.py"' '' 'FunctionNames' '1 "f"' '' 'FileLocations' \
        '1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}' \
        '2 {file_name_id=1 function_name_id=1 line=4 end_line=4 column=1 end_column=2}' '' 'StackFrames' \
        '1 {file_location_id=1 parent_frame_id=1}' '2 {file_location_id=2 parent_frame_id=1}' '' 'ENTRY e {' \
        '  ROOT x = f32[4] parameter(0), metadata={op_name="x" stack_frame_id=1}' '}' >before.hlo
    sed 's/ line=3 end_line=3/ line=5 end_line=5/' before.hlo >after.hlo
    hlo-diff before.hlo after.hlo
    expect_status 1 hlo-diff --metadata before.hlo after.hlo
    expect_text "$out" 'stack_frame_id=1} (a.py:3) became metadata={op_name="x" stack_frame_id=1} (a.py:5)'
    # Tables in another order.
    sed -E 's/ line=3 end_line=3/ line=_ end_line=_/; s/ line=4 end_line=4/ line=3 end_line=3/; s/=_/=4/g; s/stack_frame_id=1/stack_frame_id=2/' \
        before.hlo >after.hlo
    expect_status 0 hlo-diff --metadata before.hlo after.hlo
    sed 's/, metadata={.*/, statistics={visualizing_index=0,a=1}/' before.hlo >after.hlo
    sed 's/, metadata={.*//' before.hlo >bare.hlo
    hlo-diff bare.hlo after.hlo
    expect_status 1 hlo-diff --metadata bare.hlo after.hlo
    expect_text "$out" 'statistics: nothing became statistics={visualizing_index=0,a=1}'
}

@test "metadata count when asked" {
    printf %s "$before" >before.hlo
    sed 's/exponential(r)/exponential(r), metadata={op_name="f"}/' before.hlo >after.hlo
    hlo-diff before.hlo after.hlo
    expect_status 1 hlo-diff --metadata before.hlo after.hlo
    expect_text "$out" 'metadata: nothing became metadata={op_name="f"}'
}

@test "bad modules and wrong use" {
    expect_status 2 hlo-diff - - </dev/null
    expect_text "$err" "only one of the modules can be standard input"
    printf %s "$before" >before.hlo
    printf %s "$bad_module" >bad.hlo
    expect_status 1 hlo-diff before.hlo bad.hlo
    expect_text "$err" "bad.hlo:3:14: error"
    expect_status 2 hlo-diff before.hlo
    expect_text "$err" "expected two modules, got 1"
    expect_status 3 hlo-diff before.hlo missing.hlo
}

# The line of an add of arrays; nothing where there is none.
line_of_add() {
    grep -nE ' = [a-z0-9]+\[[0-9,]+\]\S* add\(' "$1" | head -n 1 | cut -d: -f1
}

# planted MODULE LINE: the add there becomes a subtract, everything gets another name, and the report
# has exactly that.
planted() {
    sed "$2s/ add(/ subtract(/" "$1" >changed.hlo
    renamed changed.hlo >after.hlo
    hlo-diff "$1" after.hlo >got
    grep -q ': 1 changed, 0 added, 0 removed$' got &&
        grep -q ' opcode: add became subtract$' got
}

@test "a planted change, and only that, is found in bundled and real modules" {
    begin_cases
    for module in "$HLO_ROOT"/tests/golden/models/*/module.hlo ${HLO_CORPUS:+"$HLO_CORPUS"/*-train-*.hlo}; do
        # What {...} stands for cannot be compared with {...}.
        all=--large-constants
        if grep -qF '{...}' "$module"; then all=--no-large-constants; fi
        hlo-opt $all "$module" >printed.hlo
        hlo-diff printed.hlo "$module" >same || { bad "$module" "differs from itself"; continue; }
        line=$(line_of_add printed.hlo)
        if [ -z "$line" ]; then
            skipped "$module" "no add of arrays to change"
        elif planted printed.hlo "$line"; then
            ok
        else
            bad "$module" "$(tail -n 5 got)"
        fi
    done
    end_cases
}

@test "which of two equal computations is left out does not depend on where memory lies" {
    cat >two.hlo <<'END'
HloModule m

a { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] add(x, y) }

b { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] add(x, y) }

ENTRY e {
  p = f32[4,8] parameter(0)
  z = f32[] constant(0)
  q = f32[4] reduce(p, z), dimensions={1}, to_apply=a
  r = f32[8] reduce(p, z), dimensions={0}, to_apply=b
  ROOT t = (f32[4], f32[8]) tuple(q, r)
}
END
    sed '/^b {/d; s/to_apply=b/to_apply=a/' two.hlo >one.hlo
    expect_status 1 hlo-diff two.hlo one.hlo
    cp "$out" first
    for ((i = 0; i < 16; i++)); do
        expect_status 1 hlo-diff two.hlo one.hlo
        cmp first "$out" || fail "run $i differs"
    done
}
