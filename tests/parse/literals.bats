# What text keeps of literals: negative zeros, NaNs, constants that passes make or that a dump elides.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Zeros of both signs in every type that has them, and NaNs with signs and payloads.
all_types() {
    echo 'HloModule types ENTRY e {'
    local n=0 list= names=
    while read -r type elements; do
        printf '  c%d = %s constant(%s)\n' $n "$type" "$elements"
        list+="${list:+, }$type" names+="${names:+, }c$n"
        n=$((n + 1))
    done <<'TYPES'
f64[6] {-0.0, 0, nan, -nan, nan(0x1234), -nan(0x1)}
f32[6] {-0.0, 0, nan, -nan, nan(0x1234), -nan(0x1)}
f16[6] {-0.0, 0, nan, -nan, nan(0x12), -nan(0x1)}
bf16[6] {-0.0, 0, nan, -nan, nan(0x12), -nan(0x1)}
f8e5m2[6] {-0.0, 0, nan, -nan, nan(0x1), -nan(0x1)}
f8e4m3[6] {-0.0, 0, nan, -nan, nan(0x1), -nan(0x1)}
f8e3m4[4] {-0.0, 0, nan, -nan}
f8e4m3fn[4] {-0.0, 0, nan, -nan}
f8e4m3b11fnuz[2] {nan, 0}
f8e5m2fnuz[2] {nan, 0}
f4e2m1fn[2] {-0.0, 0}
c64[4] {(-0.0, 0), (0, -0.0), (1, -nan), (nan, nan)}
c128[4] {(-0.0, 0), (0, -0.0), (1, -nan), (nan, nan)}
f32[] -0.0
f32[2,2] {{-0.0, 1}, {0, -0.0}}
TYPES
    printf '  ROOT t = (%s) tuple(%s)\n}\n' "$list" "$names"
}

@test "--literals=exact writes what reads back to the same bits" {
    all_types >m.hlo
    hlo-opt --emit=json m.hlo >wanted.json
    expect_status 0 hlo-opt --literals=exact -o exact.hlo m.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    hlo-opt --emit=json exact.hlo | cmp - wanted.json
    ! grep -qE '[{( ]-0[,})]' exact.hlo || fail "$(cat exact.hlo)"
    expect_status 0 hlo-diff m.hlo exact.hlo
    sed 's/-0\.0/-0/g' exact.hlo >xla.hlo
    hlo-opt m.hlo 2>/dev/null | cmp - xla.hlo
}

@test "a text that loses a negative zero or a nan has a warning, once" {
    printf 'HloModule m ENTRY e {\n  a = f32[2] constant({1, -0.0})\n  b = f32[] constant(-0.0)\n  ROOT t = (f32[2], f32[]) tuple(a, b)\n}\n' >zero.hlo
    expect_status 0 hlo-opt zero.hlo
    [ "$(grep -c warning "$err")" = 1 ] || fail "$(cat "$err")"
    expect_text "$err" "zero.hlo:2:3: warning: constant 'a' has a negative zero, which is printed as -0, as by XLA, and read as +0 [lossy-text]"
    expect_text "$err" "hint: --literals=exact writes -0.0, which XLA too reads back to the same bits"
    for options in --emit=json --print=canonical --hash --literals=exact; do
        expect_status 0 hlo-opt $options zero.hlo
        [ ! -s "$err" ] || fail "$options" "$(cat "$err")"
    done
    printf 'HloModule m ENTRY e {\n  ROOT a = c64[2] constant({(1, 2), (1, nan(0x1234))})\n}\n' >nan.hlo
    hlo-opt --emit=json nan.hlo | sed 's/1=7fc00000/1=7f801234/' >nan.json
    sed -i 's/"frontendAttributes":{}/&/' nan.json
    printf 'HloModule m ENTRY e {\n  a = f32[] constant(nan(0x1234))\n  z = f32[] constant(1)\n  ROOT c = c64[] complex(z, a)\n}\n' >made.hlo
    expect_status 0 hlo-opt --passes=constant_folding --literals=exact made.hlo
    [ "$(grep -c "warning: the parts of a complex nan of constant .* are not read back to the same bits \[lossy-text\]" "$err")" = 1 ] ||
        fail "$(cat "$err")" "$(cat "$out")"
    expect_text "$err" "hint: JSON and protobuf preserve all bits"
}

@test "results: -0, -0.0 by --literals=exact, and the warning" {
    printf 'HloModule m ENTRY e {\n  x = f32[3] parameter(0)\n  ROOT n = f32[3] negate(x)\n}\n' >m.hlo
    expect_status 0 hlo-run m.hlo <(echo 'f32[3] {0, 1, -2}')
    expect_text "$out" 'f32[3] {-0, -1, 2}'
    expect_text "$err" "warning: a negative zero of the result is printed as -0, which is read as +0 [lossy-text]"
    expect_status 0 hlo-run --literals=exact m.hlo <(echo 'f32[3] {0, 1, -2}')
    expect_text "$out" 'f32[3] {-0.0, -1, 2}'
    [ ! -s "$err" ] || fail "$(cat "$err")"
    cp "$out" n.txt
    expect_status 0 hlo-run --literals=exact m.hlo n.txt
    expect_text "$out" 'f32[3] {0, 1, -2}'
}

@test "what hlo-reduce gives to its test keeps the sign of a zero" {
    printf 'HloModule m ENTRY e {\n  x = f32[2] parameter(0)\n  a = f32[] constant(-0.0)\n  b = f32[2] broadcast(a), dimensions={}\n  d = f32[2] divide(x, b)\n  ROOT n = f32[2] negate(d)\n}\n' >m.hlo
    expect_status 0 hlo-reduce -q --test 'hlo-run --inputs=ones {} | grep -q inf && grep -qF "constant(-0.0)" {}' -o small.hlo m.hlo
    grep -qF 'constant(-0.0)' small.hlo || fail "$(cat small.hlo)"
    expect_status 1 hlo-reduce -q --literals=xla --test 'grep -qF "constant(-0.0)" {}' -o small.hlo m.hlo
}

@test "hlo-verify -v: a float that is written -0" {
    printf 'HloModule m ENTRY e {\n  ROOT a = f32[3] constant({-0.0, 0, -0})\n}\n' >m.hlo
    expect_status 0 hlo-verify -v m.hlo
    expect_text "$out" 'm.hlo:2:38: note: -0 is the integer 0, so that this float is +0, as in XLA; -0.0 is negative'
    expect_status 0 hlo-verify m.hlo
    [ ! -s "$out" ] && [ ! -s "$err" ]
    sed -i 's/f32/s32/; s/-0\.0/0/' m.hlo
    expect_status 0 hlo-verify -v m.hlo
    ! grep -q note "$out" || fail "$(cat "$out")"
}

@test "constants that a pass made are whole, those of a dump as XLA prints them" {
    cat >m.hlo <<'HLO'
HloModule m
ENTRY e {
  a = f32[12] constant({1,2,3,4,5,6,7,8,9,10,11,12})
  b = f32[12] constant({1,1,1,1,1,1,1,1,1,1,1,2})
  s = f32[12] add(a, b)
  x = f32[12] parameter(0)
  m = f32[12] multiply(x, s)
  ROOT r = f32[12] add(m, a)
}
HLO
    expect_status 0 hlo-opt --passes=constant_folding,dce m.hlo
    expect_text "$out" 'constant({2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14})'
    [ "$(grep -cF 'constant({...})' "$out")" = 1 ] || fail "$(cat "$out")"
    expect_status 0 hlo-opt --passes=constant_folding,dce --no-large-constants m.hlo
    [ "$(grep -cF 'constant({...})' "$out")" = 2 ] || fail "$(cat "$out")"
    expect_status 0 hlo-opt --passes=constant_folding,dce --emit=proto -o m.pb m.hlo
    expect_status 0 hlo-opt m.pb
    [ "$(grep -cF 'constant({...})' "$out")" = 2 ] || fail "$(cat "$out")"
    needs_terminal
    script -qec "hlo-opt --passes=constant_folding,dce m.hlo" /dev/null </dev/null >typed
    [ "$(grep -cF 'constant({...})' typed)" = 2 ] || fail "$(cat typed)"
}

@test "elided constants: refused on given inputs, not folded" {
    cat >m.hlo <<'HLO'
HloModule m
ENTRY e {
  x = f32[12] parameter(0)
  a = f32[12] constant({...})
  n = f32[12] negate(a)
  ROOT r = f32[12] add(x, n)
}
HLO
    echo 'f32[12] {0,0,0,0,0,0,0,0,0,0,0,0}' >x.txt
    expect_status 1 hlo-run m.hlo x.txt
    expect_text "$err" 'm.hlo:4:25: error: the elements of 1 constant are elided here (`{...}`), and the result of the given inputs depends on them [input]'
    expect_text "$err" 'XLA_FLAGS=--xla_dump_large_constants'
    [ ! -s "$out" ]
    expect_status 0 hlo-run --elided=fill m.hlo x.txt
    expect_text "$err" 'warning: the elements of 1 constant are elided here'
    expect_status 0 hlo-run --inputs=hash m.hlo
    expect_text "$err" 'warning: the elements of 1 constant are elided here'
    [ "$(grep -c warning "$err")" = 1 ] || fail "$(cat "$err")"
    expect_status 0 hlo-opt --passes=constant_folding,algsimp -o folded.hlo m.hlo
    grep -qF 'constant({...})' folded.hlo || fail "$(cat folded.hlo)"
    expect_status 1 hlo-run folded.hlo x.txt
    expect_status 0 hlo-run --elided=fill --bench 2 --bench-json bench.json m.hlo x.txt
    [ "$(grep -c 'warning: the elements' "$err")" = 1 ] || fail "$(cat "$err")"
}

@test "the recipe of the partitioner at 16 devices, through text" {
    for tiles in '[16,1]<=[16]' '[4,4]<=[16]' '[2,8]<=[16]' '[1,16]<=[16]'; do
        printf 'HloModule net, num_partitions=16\nENTRY main {\n  x = f32[32,16] parameter(0), sharding={replicated}\n' >net.hlo
        printf '  y = f32[32,16] negate(x), sharding={devices=%s}\n' "$tiles" >>net.hlo
        printf '  z = f32[16,32] transpose(y), dimensions={1,0}\n  ROOT r = f32[16,16] dot(z, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}\n}\n' >>net.hlo
        expect_status 0 hlo-run --partitions=1 --inputs=normal -o whole.npz net.hlo
        expect_status 0 hlo-opt --passes=call-inliner,sharding-propagation,spmd-partitioner -o parts.hlo net.hlo
        expect_status 0 hlo-run parts.hlo --inputs=normal --expect whole.npz --rtol=1e-4 --atol=1e-4
        [ "$(grep -c ' 256 elements agree' "$out")" = 16 ] || fail "$tiles" "$(cat "$out")"
    done
}
