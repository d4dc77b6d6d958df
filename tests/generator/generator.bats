# hlo-generate: what it makes is valid, runs, and is the same for the same seed; and it shrinks.

load ../lib

setup() {
    generate=$HLO_BUILD/tools/hlo-generate
    [ -x "$generate" ] || fail "$generate has not been built: make tests"
    cd "$BATS_TEST_TMPDIR"
}

@test "generated modules verify; printed twice they are the same" {
    for how in --values=safe --values=any --dynamic --fences --effects "--size=80 --elements=2000"; do
        # shellcheck disable=SC2086 # several options
        expect_status 0 "$generate" --seed=1000 --count=150 $how
        cp "$out" modules.hlo
        expect_status 0 hlo-verify --split-input-file modules.hlo
        print="hlo-opt --passes= --split-input-file --large-constants"
        $print modules.hlo >printed.hlo # in the order of computations that XLA prints after reading
        $print printed.hlo | cmp printed.hlo -
    done
}

@test "generated modules run" {
    "$generate" --seed=1 --count=100 --output-dir=.
    "$generate" --seed=2001 --count=50 --values=any --output-dir=.
    for module in *.hlo; do
        expect_status 0 hlo-run --inputs=random "$module"
    done
}

@test "a seed decides; every operation is generated or has a reason" {
    "$generate" --seed=7 --size=40 >first.hlo
    "$generate" --seed=7 --size=40 >second.hlo
    cmp first.hlo second.hlo
    "$generate" --seed=8 --size=40 >third.hlo
    ! cmp -s first.hlo third.hlo
    "$generate" --seed=1 --count=1500 >all.hlo
    "$generate" --seed=1 --count=200 --dynamic >>all.hlo
    "$generate" --seed=1 --count=50 --effects >>all.hlo
    # What an opcode is spelled like with and without the sugar of asynchronous calls.
    grep -oE ' [a-z][a-z0-9-]*\(' all.hlo | sort -u | tr -d ' (' >made
    missing=
    while IFS=$'\t' read -r name why; do
        case $name in async-*) name=negate-${name#async-} ;; esac
        if [ -z "$why" ] && ! grep -qx -e "$name" made; then missing+=" $name"; fi
    done < <("$generate" --list)
    [ -z "$missing" ] || fail "never generated:$missing"
}

@test "only the operations and types that were asked for" {
    "$generate" --seed=1 --count=50 --ops=add,multiply --types=f32,s32 >some.hlo
    ! grep -qE ' (f64|s64|bf16|pred)\[' some.hlo
    grep -oE ' [a-z][a-z0-9-]*\(' some.hlo | sort -u | tr -d ' (' | tr '\n' ' ' >made
    [ "$(cat made)" = "add broadcast clamp constant iota multiply parameter tuple " ] || fail "$(cat made)"
    "$generate" --seed=1 --count=50 --without=add,sort >some.hlo
    ! grep -qE ' (sort)\(' some.hlo
    expect_status 2 "$generate" --ops=addd
    expect_text "$err" "what is this (see --help): --ops=addd"
}

@test "a failing module shrinks to what fails" {
    "$generate" --seed=1 --size=60 --ops=tanh,add,reduce,while,fusion,tuple,concatenate >large.hlo
    grep -q 'tanh(' large.hlo || fail "no tanh to look for"
    cat >no-tanh <<'END'
#!/bin/sh
hlo-verify "$1" && ! grep -q 'tanh(' "$1"
END
    chmod +x no-tanh
    expect_status 0 "$generate" --shrink=large.hlo -- ./no-tanh
    cp "$out" small.hlo
    [ "$(grep -c ' = ' small.hlo)" -le 3 ] || fail "$(cat small.hlo)"
    expect_text small.hlo "tanh("
    expect_status 0 hlo-verify small.hlo
    expect_status 1 "$generate" --shrink=large.hlo -- true
    expect_text "$err" "the command does not fail on large.hlo"
}
