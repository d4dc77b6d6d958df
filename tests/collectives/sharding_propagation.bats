# sharding-propagation: sharding_propagation/NAME.hlo is a module of one family of operations, a line `// -----`, and
# the result of XLA. `// option: A=B` gives an option.

load ../lib
load ../cases

teardown_file() {
    sum_cases
}

@test "shardings spread as XLA spreads them" {
    cd "$HLO_ROOT/tests/collectives/sharding_propagation"
    begin_cases
    for module in *.hlo; do
        option=$(sed -n 's|^// option: ||p' "$module")
        sed '/^\/\/ -----$/,$d' "$module" >"$BATS_TEST_TMPDIR/before.hlo"
        sed '1,/^\/\/ -----$/d' "$module" >"$BATS_TEST_TMPDIR/after.hlo"
        if said=$(hlo-opt --verify-each --passes="sharding-propagation{$option}" "$BATS_TEST_TMPDIR/before.hlo" 2>&1 |
            diff "$BATS_TEST_TMPDIR/after.hlo" - 2>&1); then
            ok "$module"
        else
            bad "$module" "$said"
        fi
    done
    end_cases
}

@test "what has spread stays: a second run changes nothing" {
    cd "$HLO_ROOT/tests/collectives/sharding_propagation"
    begin_cases
    for module in *.hlo; do
        # Barriers are gone the second time, and marks against merging are metadata, which is removed first.
        case $module in barriers.hlo | cse_prevention.hlo) continue ;; esac
        option=$(sed -n 's|^// option: ||p' "$module")
        sed '1,/^\/\/ -----$/d' "$module" >"$BATS_TEST_TMPDIR/after.hlo"
        if said=$(hlo-opt --passes="sharding-propagation{$option}" "$BATS_TEST_TMPDIR/after.hlo" 2>&1 |
            diff "$BATS_TEST_TMPDIR/after.hlo" - 2>&1); then
            ok "$module"
        else
            bad "$module" "$said"
        fi
    done
    end_cases
}

# refuses TEXT: the pass fails on m.hlo with TEXT.
refuses() {
    expect_status 1 hlo-opt --passes=sharding-propagation "$BATS_TEST_TMPDIR/m.hlo"
    grep -qF "$1" "$err" || fail "$(cat "$err")"
}

# module HEADER LINE...: the entry of m.hlo has these lines.
module() {
    printf 'HloModule m%s\nENTRY main {\n' "$1" >"$BATS_TEST_TMPDIR/m.hlo"
    shift
    printf '  %s\n' "$@" >>"$BATS_TEST_TMPDIR/m.hlo"
    echo '}' >>"$BATS_TEST_TMPDIR/m.hlo"
}

@test "a named sharding that tiles cannot express is refused" {
    module ', num_partitions=2' "x = f32[8] parameter(0), sharding={mesh['a'=2], [{}], unreduced=max{'a'}}" 'ROOT y = f32[8] negate(x)'
    refuses "sharding-propagation: the sharding of 'x' has a reduction of unreduced values, which tiles cannot express"
}

@test "shardings of more devices than can be written out are refused" {
    module '' 'x = f32[8] parameter(0), sharding={devices=[33554432]<=[33554432]}' 'ROOT y = f32[8] negate(x)'
    refuses "the sharding of 'x' has more than 2^24 devices, which are not supported"
}

@test "annotations must be complete" {
    module '' 'x = f32[8] parameter(0)' 'y = f32[8] custom-call(x), custom_call_target="Sharding"' 'ROOT z = f32[8] negate(y)'
    refuses "sharding-propagation: 'y' is an annotation without sharding"
    module '' 'x = f32[8] parameter(0)' \
        'y = f32[8] custom-call(x), custom_call_target="Sharding", sharding={replicated}, backend_config="unspecified=[0]"' \
        'ROOT z = f32[8] negate(y)'
    refuses "sharding-propagation: 'y' has a backend_config that is not unspecified_dims=[1,2,...]"
}

@test "members of a shard group have one shape" {
    module '' 'x = f32[8] parameter(0)' 'y = f32[4] parameter(1)' 'a = f32[8] negate(x)' 'b = f32[4] negate(y)' \
        'c = f32[8] custom-call(a), custom_call_target="Sharding", sharding={unknown shard_as 3}' \
        'd = f32[4] custom-call(b), custom_call_target="Sharding", sharding={unknown shard_as 3}' \
        'ROOT t = (f32[8], f32[4]) tuple(c, d)'
    refuses 'has another shape than the others in its shard group'
}

@test "the header's lists have an entry for each parameter or result, or one" {
    module ', allow_spmd_sharding_propagation_to_parameters={true,true}' 'x = f32[8] parameter(0)' 'ROOT y = f32[8] negate(x)'
    refuses 'allow_spmd_sharding_propagation_to_parameters has 2 entries; expected one, or one for each parameter'
    module ', allow_spmd_sharding_propagation_to_output={true,true}' 'x = f32[8] parameter(0)' 'ROOT y = f32[8] negate(x)'
    refuses 'allow_spmd_sharding_propagation_to_output has 2 entries; expected one, because the result is not a tuple'
}

@test "a loop that uses a channel is on one device" {
    sed '/^\/\/ -----$/,$d; s/index=0$/index=0, sharding={maximal device=0}/' \
        "$HLO_ROOT/tests/collectives/sharding_propagation/devices_of_loops.hlo" >"$BATS_TEST_TMPDIR/m.hlo"
    refuses "'i' is on device 0, but 'recv', which uses a channel in the same loop, is on device 1"
}

@test "without shardings nothing changes" {
    module '' 'x = f32[8] parameter(0)' 'y = f32[8] negate(x)' 'ROOT z = f32[8] abs(y)'
    hlo-opt "$BATS_TEST_TMPDIR/m.hlo" >"$BATS_TEST_TMPDIR/as-is"
    hlo-opt --passes=sharding-propagation "$BATS_TEST_TMPDIR/m.hlo" | diff "$BATS_TEST_TMPDIR/as-is" -
}

@test "annotations stay where the pass may not turn them into copies" {
    module '' 'x = f32[8] parameter(0)' 'y = f32[8] negate(x)' \
        'z = f32[8] custom-call(y), custom_call_target="Sharding", sharding={devices=[2]<=[2]}' 'ROOT w = f32[8] abs(z)'
    expect_status 0 hlo-opt --passes='sharding-propagation{annotation_to_copy=false}' "$BATS_TEST_TMPDIR/m.hlo"
    grep -qF '%y = f32[8]{0} negate(%x), sharding={devices=[2]<=[2]}' "$out"
    grep -qF '%z = f32[8]{0} custom-call(%y), custom_call_target="Sharding", sharding={devices=[2]<=[2]}' "$out"
}

# XLA leaves the ends of such a loop apart, and its own verifier then refuses the module.
@test "a loop, its body's root and its parameters have one sharding when all has spread" {
    cat >"$BATS_TEST_TMPDIR/m.hlo" <<'EOF'
HloModule m, num_partitions=4
halve {
  s = (f32[8,4]) parameter(0)
  x = f32[8,4] get-tuple-element(s), index=0, sharding={devices=[2,2]<=[4]}
  y = f32[8,4] negate(x)
  ROOT t = (f32[8,4]) tuple(y)
}
go {
  s = (f32[8,4]) parameter(0)
  x = f32[8,4] get-tuple-element(s), index=0
  zero = f32[] constant(0)
  first = f32[1,1] slice(x), slice={[0:1], [0:1]}
  scalar = f32[] reshape(first)
  ROOT more = pred[] compare(scalar, zero), direction=GT
}
ENTRY main {
  init = (f32[8,4]) parameter(0)
  ROOT loop = (f32[8,4]) while(init), condition=go, body=halve, sharding={{replicated}}
}
EOF
    expect_status 0 hlo-opt --verify-each --passes=sharding-propagation "$BATS_TEST_TMPDIR/m.hlo"
    for name in s s.1 loop t; do
        grep -qE "%$name = .*, sharding=\{\{devices=\[2,2\]<=\[4\]\}\}$" "$out" || fail "$name: $(cat "$out")"
    done
    grep -qF 'ROOT %copy = (f32[8,4]{1,0}) copy(%loop), sharding={{replicated}}' "$out"

    # A loop inside the entry keeps what it was given; so do the ends.
    sed -i 's/ROOT loop/loop/; /loop =/a\  ROOT z = f32[8,4] get-tuple-element(loop), index=0' "$BATS_TEST_TMPDIR/m.hlo"
    expect_status 0 hlo-opt --verify-each --passes=sharding-propagation "$BATS_TEST_TMPDIR/m.hlo"
    for name in s s.1 loop t; do
        grep -qE "%$name = .*, sharding=\{\{replicated\}\}$" "$out" || fail "$name: $(cat "$out")"
    done
}

@test "a loop that ends the body of another one has its sharding" {
    cat >"$BATS_TEST_TMPDIR/m.hlo" <<'EOF'
HloModule m, num_partitions=2
inner {
  x = f32[8,4] parameter(0)
  ROOT y = f32[8,4] negate(x), sharding={devices=[1,2]<=[2]}
}
never {
  x = f32[8,4] parameter(0)
  ROOT no = pred[] constant(false)
}
outer {
  x = f32[8,4] parameter(0)
  ROOT loop = f32[8,4] while(x), condition=never, body=inner
}
ENTRY main {
  x = f32[8,4] parameter(0)
  loop = f32[8,4] while(x), condition=never, body=outer, sharding={devices=[2,1]<=[2]}
  ROOT z = f32[8,4] negate(loop)
}
EOF
    expect_status 0 hlo-opt --verify-each --passes=sharding-propagation "$BATS_TEST_TMPDIR/m.hlo"
    grep -qF 'ROOT %y = f32[8,4]{1,0} negate(%x), sharding={devices=[2,1]<=[2]}' "$out" || fail "$(cat "$out")"
}

@test "the branches of a conditional follow a result that cannot be cut evenly" {
    cat >"$BATS_TEST_TMPDIR/m.hlo" <<'EOF'
HloModule m, num_partitions=4, allow_spmd_sharding_propagation_to_output={true}
yes {
  x = f32[6] parameter(0)
  ROOT y = f32[6] negate(x)
}
no {
  x = f32[6] parameter(0)
  ROOT y = f32[6] abs(x)
}
ENTRY main {
  p = pred[] parameter(0)
  x = f32[6] parameter(1), sharding={devices=[4]<=[4]}
  ROOT chosen = f32[6] conditional(p, x, x), true_computation=yes, false_computation=no
}
EOF
    expect_status 0 hlo-opt --verify-each --passes=sharding-propagation "$BATS_TEST_TMPDIR/m.hlo"
    grep -qF 'ROOT %y = f32[6]{0} negate(%x), sharding={replicated}' "$out" || fail "$(cat "$out")"
    grep -qF 'ROOT %y.1 = f32[6]{0} abs(%x.1), sharding={replicated}' "$out" || fail "$(cat "$out")"
}
