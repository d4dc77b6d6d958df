# hlo-diff: what differs between two modules, whatever they are called.

load lib
load cases

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
    differs '%main:' '  ~ %e = f32[4]{0} exponential(%r)' '      opcode: exponential became cosine' \
        '1 changed, 0 added, 0 removed'
    sed 's/constant(0)/constant(-1.5)/' before.hlo >after.hlo
    differs '%main:' '  ~ %zero = f32[] constant(0)' '      value: 0 became -1.5' '1 changed, 0 added, 0 removed'
    sed 's/add(x, y)/add(x, x)/' before.hlo >after.hlo
    differs '%main:' '  ~ %sum = f32[4,8]{1,0} add(%x, %y)' '      operand 1: %y became %x' \
        '1 changed, 0 added, 0 removed'
    sed 's/constant(0)/constant(0), frontend_attributes={k="v"}/' before.hlo >after.hlo
    differs '%main:' '  ~ %zero = f32[] constant(0)' \
        '      frontend_attributes: nothing became frontend_attributes={k="v"}' '1 changed, 0 added, 0 removed'
    sed 's/maximum/minimum/' before.hlo >after.hlo
    differs '%max:' '  ~ ROOT %m = f32[] maximum(%a, %b)' '      opcode: maximum became minimum' \
        '1 changed, 0 added, 0 removed'
    sed 's/HloModule m/HloModule m, is_scheduled=true/' before.hlo >after.hlo
    differs 'header:' '      is_scheduled: nothing became is_scheduled=true' '1 changed, 0 added, 0 removed'
}

@test "what was put in between, taken out, or called instead" {
    printf %s "$before" >before.hlo
    sed 's/^  e = .*/  n = f32[4] negate(r)\n  e = f32[4] exponential(n)/' before.hlo >after.hlo
    differs '%main:' '  + %n = f32[4]{0} negate(%r)' '0 changed, 1 added, 0 removed'
    mv after.hlo other.hlo
    mv before.hlo after.hlo
    mv other.hlo before.hlo
    differs '%main:' '  - %n = f32[4]{0} negate(%r)' '0 changed, 0 added, 1 removed'
    printf %s "$before" >before.hlo
    sed 's/^ENTRY/unused {\n  ROOT p = f32[] parameter(0)\n}\n\nENTRY/' before.hlo >after.hlo
    differs '+ computation %unused of 1 instructions' \
        '0 changed, 0 added, 0 removed; computations: 1 added, 0 removed'
}

@test "JSON says the same" {
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
@test "what XLA's passes did is told in no more lines than diff needs, and no name is added and removed" {
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

@test "names tell what became of instructions that nothing else connects" {
    printf %s "$before" >before.hlo
    sed 's/sum = f32\[4,8\] add(x, y)/sum = f32[4,8] negate(y)/' before.hlo >after.hlo
    differs '%main:' '  ~ %sum = f32[4,8]{1,0} add(%x, %y)' \
        '      opcode: add became negate; operands: 2 became 1' '1 changed, 0 added, 0 removed'
    # Names that were given anew are no evidence: the structure decides.
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
    differs '%e:' "  ~ %a = f32[$n]{0} constant({...})" '      value: elided on one side' \
        "  ~ %b = f32[$n]{0} constant({...})" '      value: elided on one side' '2 changed, 0 added, 0 removed'
    expect_status 1 hlo-diff --emit=json after.hlo before.hlo
    expect_text "$out" '{"what":"value","from":"{...}","to":"{51, 2'
    # What is left out is not compared, whatever stands before it; small constants are.
    hlo-diff after.hlo after.hlo
    sed 's/^  %a = .*/  %new = f32[5,7] constant({...})\n&/' after.hlo >more.hlo
    expect_status 1 hlo-diff after.hlo more.hlo
    [ "$(tail -n 1 "$out")" = '0 changed, 1 added, 0 removed' ]
    sed 's/{1, 2, 3}/{1, 2, 4}/' after.hlo >other.hlo
    expect_status 1 hlo-diff after.hlo other.hlo
    expect_text "$out" '      value: {1, 2, 3} became {1, 2, 4}'
    [ "$(tail -n 1 "$out")" = '1 changed, 0 added, 0 removed' ]
    # Large ones with their elements, beside others without, are compared.
    sed "s/{5$full}/{...}/" before.hlo >before2.hlo
    sed "s/{$full}/{9,$(seq -s, 2 $n)}/" before2.hlo >after2.hlo
    expect_status 1 hlo-diff before2.hlo after2.hlo
    [ "$(tail -n 1 "$out")" = '1 changed, 0 added, 0 removed' ]
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
    [ "$(tail -n 1 "$out")" = '1 changed, 0 added, 0 removed' ]
    # Of constants, too, and in tuples.
    printf 'HloModule m\nENTRY e {\n  c = f32[2,2]{1,0} constant({{1,2},{3,4}})\n  ROOT t = (f32[2,2]{1,0}) tuple(c)\n}\n' >before.hlo
    sed 's/{1,0}/{0,1}/g' before.hlo >after.hlo
    expect_status 1 hlo-diff before.hlo after.hlo
    expect_status 0 hlo-diff --no-layouts before.hlo after.hlo
}

@test "metadata count when asked" {
    printf %s "$before" >before.hlo
    sed 's/exponential(r)/exponential(r), metadata={op_name="f"}/' before.hlo >after.hlo
    hlo-diff before.hlo after.hlo
    expect_status 1 hlo-diff --metadata before.hlo after.hlo
    expect_text "$out" 'metadata: nothing became metadata={op_name="f"}'
}

@test "bad modules and wrong use" {
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
    [ "$(tail -n 1 got)" = "1 changed, 0 added, 0 removed" ] &&
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
