# hlo-diff: instructions are paired by structure. A change in the middle of a module is the only difference, whatever names
# the instructions after it have.

load ../lib
load ../cases

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

teardown_file() {
    sum_cases
}

bundled="gpt-decoder-train-step gru-gradient cnn-batch-norm-train-step dropout-training-loop mlp-gradient implicit-checkpoint-gradient"

# with_modules FUNCTION: calls it with each bundled and real module, printed as printed.hlo.
with_modules() {
    local module
    begin_cases
    for module in $bundled ${HLO_CORPUS:+"$HLO_CORPUS"/*-train-*.hlo}; do
        case $module in */*) ;; *) module=$HLO_ROOT/tests/golden/models/$module/module.hlo ;; esac
        # What {...} stands for cannot be compared with {...}.
        all=--large-constants
        if grep -qF '{...}' "$module"; then all=--no-large-constants; fi
        hlo-opt $all "$module" | sed 's/, metadata={.*}$//' >printed.hlo
        "$1" "$module"
    done
    end_cases
}

# change HOW AT FILE [SHIFT]: see change.awk
change() {
    awk -v how="$1" -v at="$2" -v shift="${4:-0}" -f "$HLO_ROOT/tests/diff/change.awk" "$3" "$3"
}

# renamed FILE: every instruction and computation gets another name.
renamed() {
    sed -E 's/%([A-Za-z_0-9])/%r_\1/g' "$1"
}

# counts EXPECTED MODULE WHAT: the summary of printed.hlo and after.hlo
counts() {
    local got
    got=$(hlo-diff --brief printed.hlo after.hlo) || true
    if [ "$got" = "$1" ]; then ok; else bad "$2" "$3: $got"; fi
}

# one_change MODULE HOW AT EXPECTED: with the names of before, with those of others, and with new ones
one_change() {
    change "$2" "$3" printed.hlo >after.hlo || { skipped "$1" "nothing to change by $2"; return; }
    cp after.hlo kept.hlo
    counts "$4" "$1" "$2 at $3"
    renamed kept.hlo >after.hlo
    counts "$4" "$1" "$2 at $3, names replaced"
    change "$2" "$3" printed.hlo 1 >after.hlo
    counts "$4" "$1" "$2 at $3, names shifted"
}

changed_opcode() {
    one_change "$1" opcode 0.3 '1 changed, 0 added, 0 removed'
}

inserted() {
    one_change "$1" insert 0.6 '0 changed, 1 added, 0 removed'
}

removed() {
    one_change "$1" remove 0.8 '0 changed, 0 added, 1 removed'
}

two_changes() {
    change opcode 0.3 printed.hlo >once.hlo
    change opcode 0.7 once.hlo >after.hlo
    cp after.hlo kept.hlo
    counts '2 changed, 0 added, 0 removed' "$1" "two opcodes"
    renamed kept.hlo >after.hlo
    counts '2 changed, 0 added, 0 removed' "$1" "two opcodes, names replaced"
    change opcode 0.7 once.hlo 1 >after.hlo
    counts '2 changed, 0 added, 0 removed' "$1" "two opcodes, names shifted"
}

@test "one changed opcode is one change, whatever the names" {
    with_modules changed_opcode
}

@test "one inserted instruction is one addition" {
    with_modules inserted
}

@test "one removed instruction is one removal" {
    with_modules removed
}

@test "two changed opcodes are two changes" {
    with_modules two_changes
}

@test "operands are followed from the root into what was replaced on both sides" {
    printf '%s\n' 'HloModule m' 'ENTRY e {' '  x = f32[4] parameter(0)' '  a = f32[4] sine(x)' '  b = f32[4] negate(a)' \
        '  c = f32[4] exponential(b)' '  d = f32[4] add(c, x)' '  ROOT r = f32[4] tanh(d)' '}' >printed.hlo
    # sine and negate made way for three others; the names of b and c are on other instructions now.
    printf '%s\n' 'HloModule m' 'ENTRY e {' '  x = f32[4] parameter(0)' '  c = f32[4] cosine(x)' '  b = f32[4] floor(c)' \
        '  a = f32[4] ceil(b)' '  n = f32[4] exponential(a)' '  d = f32[4] add(n, x)' '  ROOT r = f32[4] tanh(d)' '}' >after.hlo
    expect_status 1 hlo-diff printed.hlo after.hlo
    expect_text "$out" '%e: 2 changed, 1 added, 0 removed'
    expect_text "$out" 'opcode: negate became ceil'
    renamed after.hlo >other.hlo
    [ "$(hlo-diff --brief printed.hlo other.hlo)" = '2 changed, 1 added, 0 removed' ]
}

@test "a computation that is another one is paired with what is called in its place" {
    printf '%s\n' 'HloModule m' 'f {' '  a = f32[] parameter(0)' '  b = f32[] parameter(1)' '  ROOT s = f32[] add(a, b)' '}' \
        'ENTRY e {' '  x = f32[4] parameter(0)' '  z = f32[] constant(0)' '  n = f32[4] negate(x)' \
        '  v = f32[] reduce(n, z), dimensions={0}, to_apply=f' '  ROOT r = f32[] sine(v)' '}' >printed.hlo
    sed -e 's/^f {/g {/; s/to_apply=f/to_apply=g/; s/negate(x)/cosine(x)/' -e 's/  ROOT s = .*/  m = f32[] maximum(b, a)\n  ROOT t = f32[] multiply(m, m)/' \
        printed.hlo >after.hlo
    expect_status 1 hlo-diff printed.hlo after.hlo
    expect_text "$out" 'opcode: negate became cosine'
    expect_text "$out" '  ~ ROOT %s = f32[] add(%a, %b)'
    expect_text "$out" '2 changed, 1 added, 0 removed'
    ! grep -q 'computations:' "$out" || fail "$(cat "$out")"
}

@test "a tuple whose elements are used without it is removed, and nothing is changed" {
    printf '%s\n' 'HloModule m' 'ENTRY e {' '  x = f32[4] parameter(0)' '  y = f32[4] sine(x)' '  t = (f32[4], f32[4]) tuple(x, y)' \
        '  g = f32[4] get-tuple-element(t), index=1' '  ROOT r = f32[4] negate(g)' '}' >before.hlo
    sed '/ t = /d; / g = /d; s/negate(g)/negate(y)/' before.hlo >after.hlo
    expect_status 1 hlo-diff before.hlo after.hlo
    expect_text "$out" '%e: 0 changed, 0 added, 2 removed'
}

@test "an instruction that has the name of one that was removed elsewhere, and looks different, is added" {
    printf '%s\n' 'HloModule m' 'f {' '  a = f32[] parameter(0)' '  n = f32[] sine(a)' '  ROOT s = f32[] negate(n)' '}' \
        'ENTRY e {' '  x = f32[] parameter(0)' '  c = f32[] call(x), to_apply=f' '  ROOT r = f32[] tanh(c)' '}' >before.hlo
    sed '/ n = /d; s/negate(n)/negate(a)/; s/  c = .*/  n = f32[] cosine(x)\n  c = f32[] call(n), to_apply=f/' before.hlo >after.hlo
    expect_status 1 hlo-diff before.hlo after.hlo
    expect_text "$out" '  - %n = f32[] sine(%a)'
    expect_text "$out" '  + %n = f32[] cosine(%x)'
    expect_text "$out" '0 changed, 1 added, 1 removed'
}
