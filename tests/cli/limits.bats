# Small inputs that describe large data: their memory and processor time. No limit here is of the clock.

load ../lib

setup() {
    [ "$(basename "${HLO_BUILD:-build}")" = build ] || skip "the plain build only: sanitizers take address space of their own"
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# within SECONDS MEGABYTES COMMAND...: of processor time and address space.
within() {
    (
        ulimit -v $(($2 << 10))
        ulimit -t "$1"
        shift 2
        exec "$@"
    )
}

# module TEXT: m.hlo with that root.
module() {
    printf 'HloModule m\n\nENTRY e {\n  ROOT c = %s\n}\n' "$1" >m.hlo
}

@test "rows without elements are not printed for ever" {
    for text in 'f32[2147483647,0] constant({...})' 'f32[2147483647,2147483647,2147483647,0] constant({...})'; do
        module "$text"
        for command in "hlo-opt --large-constants" "hlo-run" "hlo-opt --emit=json" "hlo-dot" "hlo-stat" "hlo-opt --pipeline=default"; do
            expect_status 0 within 2 200 $command m.hlo
            [ "$(stat -c %s "$out")" -lt 10000 ] || fail "$command printed $(stat -c %s "$out") bytes"
        done
    done
    expect_status 0 hlo-run m.hlo
    [ "$(cat "$out")" = "f32[2147483647,2147483647,2147483647,0] {...}" ] || fail "$(cat "$out")"
    [ ! -s "$err" ] || fail "nothing is left out: $(cat "$err")"
    # Few of them are as XLA prints them.
    module 'f32[3,0] constant({...})'
    expect_status 0 hlo-run m.hlo
    [ "$(cat "$out")" = "f32[3,0] { {}, {}, {} }" ] || fail "$(cat "$out")"
}

@test "a result of more empty lists than there is space for is no JSON" {
    module 'f32[2147483647,0] constant({...})'
    expect_status 3 within 2 200 hlo-run m.hlo -o x.json
    expect_text "$err" "error: x.json: f32[2147483647,0] would be a list of 2147483647 empty lists [limit]"
    [ ! -e x.json ] || fail "there is a file"
    expect_status 0 within 2 200 hlo-run m.hlo -o x.npy
}

@test "elements that the text does not list are made when somebody needs them" {
    for text in 'u8[1000000000] constant({...})' 'pred[31250,32000] constant({...})' 'u8[1000000000] constant(5)' \
        'u8[1000000000] constant(0)' '(s32[3], f64[100000000]) constant(({1,2,3}, {...}))'; do
        module "$text"
        for command in hlo-verify "hlo-verify --warn=all" hlo-opt "hlo-opt --pipeline=default" hlo-dot hlo-stat; do
            expect_status 0 within 2 300 $command m.hlo
        done
        expect_status 3 within 2 300 hlo-run --memory-limit=100M m.hlo
        expect_text "$err" "and the limit is 100 MiB [limit]"
    done
    # They are what they were: counted from one constant to the next.
    cat >m.hlo <<'HLO'
HloModule m

ENTRY e {
  a = s32[20000] constant({...})
  b = pred[3] constant({...})
  c = s16[40001] constant({...})
  d = f32[70000] constant(7)
  x = s32[2] slice(a), slice={[19998:20000]}
  y = s16[4] slice(c), slice={[0:4]}
  z = f32[2] slice(d), slice={[0:2]}
  ROOT t = tuple(x, b, y, z)
}
HLO
    for command in cat "hlo-opt --pipeline=default --large-constants" "hlo-opt --emit=json" "hlo-opt --emit=proto"; do
        $command m.hlo >n.hlo
        expect_status 0 hlo-run n.hlo
        [ "$(cat "$out")" = "(s32[2], pred[3], s16[4], f32[2]) ( {19998, 19999}, {0, 1, 0}, {20000, 0, 20001, 0}, {7, 0} )" ] ||
            fail "$command: $(cat "$out")"
    done
}

@test "two large constants whose elements are left out are not the same, and stay what they are" {
    cat >m.hlo <<'HLO'
HloModule m

ENTRY e {
  a = s32[20000] constant({...})
  b = s32[20000] constant({...})
  c = s32[20000] constant(3)
  d = s32[20000] constant(3)
  ROOT t = tuple(a, b, c, d)
}
HLO
    expect_status 0 hlo-opt --passes=cse,algsimp m.hlo
    [ "$(grep -c 'constant({...})' "$out")" = 3 ] || fail "$(cat "$out")"
    ! grep -q iota "$out" || fail "its elements are not known: $(cat "$out")"
}

@test "calls that stand for 2^40 instructions are not all inlined" {
    # doubled OPERATION LAST: the last function does OPERATION to the one before twice, and so on.
    doubled() {
        printf 'HloModule m\n\nfn0 {\n  p = f32[] parameter(0)\n  ROOT r = f32[] sine(p)\n}\n'
        for ((i = 1; i <= $2; i++)); do
            printf 'fn%d {\n  p = f32[] parameter(0)\n  on = pred[] constant(true)\n' $i
            printf '  a = f32[] %s\n' "$(printf "$1" p fn$((i - 1)))"
            printf '  ROOT r = f32[] %s\n}\n' "$(printf "$1" a fn$((i - 1)))"
        done
        printf 'ENTRY e {\n  p = f32[] parameter(0)\n  on = pred[] constant(true)\n  ROOT r = f32[] %s\n}\n' "$(printf "$1" p fn$2)"
    }
    for operation in 'call(%s), to_apply=%s' 'map(%s), dimensions={}, to_apply=%s'; do
        doubled "$operation" 39 >m.hlo
        expect_status 0 within 40 1000 hlo-opt --pipeline=default m.hlo -o n.hlo
        expect_text "$err" "warning: some calls, branches and loops are not inlined: more than 2"
        expect_status 0 hlo-verify n.hlo
    done
    doubled 'conditional(on, %s, %s' 39 | sed 's/conditional(on, \([pa]\), \(fn[0-9]*\)/conditional(on, \1, \1), true_computation=\2, false_computation=\2/' >m.hlo
    expect_status 0 within 40 1000 hlo-opt --pipeline=default m.hlo -o n.hlo
    expect_text "$err" "warning: some calls, branches and loops are not inlined: more than 2"
    # What fits is inlined without a word.
    doubled 'call(%s), to_apply=%s' 10 >m.hlo
    expect_status 0 hlo-opt --pipeline=default m.hlo -o n.hlo
    [ ! -s "$err" ] || fail "$(cat "$err")"
    [ "$(grep -c 'sine(' n.hlo)" = 1024 ] || fail "$(grep -c 'sine(' n.hlo) instead of 1024"
}

@test "a chain of concatenates is flattened once" {
    {
        printf 'HloModule m\n\nENTRY e {\n  p = f32[1] parameter(0)\n  d1 = f32[1] negate(p)\n'
        seq 2 16999 | awk '{ printf "  d%d = f32[%d] concatenate(d%d, p), dimensions={0}\n", $1, $1, $1 - 1 }'
        echo "  ROOT r = f32[16999] negate(d16999)"
        echo "}"
    } >m.hlo
    expect_status 0 within 10 200 hlo-opt --passes=algsimp m.hlo -o n.hlo
    [ "$(grep -c concatenate n.hlo)" = 1 ] || fail "$(grep -c concatenate n.hlo) are left"
    {
        printf 'HloModule m\n\nENTRY e {\n  p = f32[20000] parameter(0)\n'
        seq 0 9999 | awk '{ from = 2 * $1 + $1 % 2; printf "  s%d.x = f32[1] slice(p), slice={[%d:%d]}\n", $1, from, from + 1 }'
        echo "  c = f32[10000] concatenate($(seq -s ', ' -f 's%.0f.x' 0 9999)), dimensions={0}"
        echo "  ROOT r = f32[10000] negate(c)"
        echo "}"
    } >m.hlo
    expect_status 0 within 10 200 hlo-opt --passes=algsimp m.hlo -o n.hlo
    expect_text n.hlo "slice={[3:5]}"
    [ "$(grep -c 'slice(' n.hlo)" = 5001 ] || fail "$(grep -c 'slice(' n.hlo) slices"
}

@test "inputs in JSON are not read byte by byte" {
    module 'f32[] parameter(0)'
    sed -i 's/f32\[\]/f32[400000]/' m.hlo
    { printf '[1.5'; yes ', 1.5' | head -n 399999 | tr -d '\n'; printf ']'; } >x.json
    expect_status 0 hlo-run m.hlo x.json -o x.npy
    command -v strace >/dev/null || skip "strace counts reads, and is not there"
    strace -f -c -e trace=read,pread64 -o calls hlo-run m.hlo x.json -o x.npy || skip "strace may not be used here"
    [ "$(awk '$NF == "total" {print $4}' calls)" -lt 200 ] || fail "$(cat calls)"
}

@test "a chain of wide tuples is drawn with fewer bends" {
    {
        printf 'HloModule m\n\nENTRY e {\n  x0 = f32[] parameter(0)\n'
        seq 1499 | awk '{ printf "  x%d = f32[] negate(x%d)\n", $1, $1 - 1 }'
        seq 24 1499 | awk '{
            list = "x" ($1 - 24)
            for (i = $1 - 23; i < $1; i++) list = list ", x" i
            printf "  t%d = tuple(%s, %s, %s, %s)\n", $1, list, list, list, list
        }'
        echo "  ROOT r = f32[] negate(x1499)"
        echo "}"
    } >m.hlo
    expect_status 0 within 10 100 hlo-dot --layout=fast m.hlo -o m.dot
}

@test "arrays without elements take no time, whatever their sizes" {
    cat >m.hlo <<'HLO'
HloModule m

before {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT less = pred[] compare(a, b), direction=LT
}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  s = f32[] sine(a)
  ROOT sum = f32[] add(s, b)
}

ENTRY e {
  a = f32[0,2147483647,2147483647] parameter(0)
  b = f32[2147483647,2147483647,0] transpose(a), dimensions={2,1,0}
  zero = f32[] constant(0)
  x = f32[0,2147483647,2147483647] sort(a), dimensions={0}, to_apply=before
  y = f32[0,2147483647,2147483647] sort(a), dimensions={1}, to_apply=before
  z = f32[2147483647,2147483647,0] sort(b), dimensions={2}, to_apply=before
  r = f32[] reduce(x, zero), dimensions={0,1,2}, to_apply=add
  s = f32[] reduce(z, zero), dimensions={0,1,2}, to_apply=add
  t = f32[] reduce(y, zero), dimensions={0,1,2}, to_apply=add
  ROOT all = tuple(r, s, t)
}
HLO
    for engine in fast reference; do
        expect_status 0 within 2 1000 hlo-run --engine=$engine --inputs=ones --threads=1 m.hlo
        [ "$(cat "$out")" = "(f32[], f32[], f32[]) ( 0, 0, 0 )" ] || fail "$engine: $(cat "$out")"
    done
}

@test "the work of a convolution without results is not counted position by position" {
    cat > m.hlo <<'HLO'
HloModule m

ENTRY entry {
  a = f32[1,4,4,4,0] parameter(0)
  b = f32[2147483647,2,2,0,3] parameter(1)
  ROOT r = f32[1,0,3,3,3] convolution(a, b), window={size=2147483647x2x2}, dim_labels=b012f_012io->b012f
}
HLO
    expect_status 0 within 1 1000 hlo-run --inputs=ones --threads=1 m.hlo
}

@test "arrays that no memory holds are refused, whatever their kernels would compute" {
    local operation engine
    for operation in 'sort(a), dimensions={0}, to_apply=before' 'reduce(a, b), dimensions={0}, to_apply=add' \
        'reverse(a), dimensions={0}' 'negate(a)'; do
        cat >m.hlo <<HLO
HloModule m

add {
  a = s8[] parameter(0)
  b = s8[] parameter(1)
  ROOT sum = s8[] add(a, b)
}

before {
  a = s8[] parameter(0)
  b = s8[] parameter(1)
  ROOT less = pred[] compare(a, b), direction=LT
}

ENTRY e {
  a = s8[9223372036854775807] parameter(0)
  b = s8[] parameter(1)
  ROOT r = $operation
}
HLO
        for engine in fast reference; do
            expect_status 3 hlo-run --engine=$engine --inputs=zeros m.hlo
            expect_text "$err" "error: a run needs memory for an array of 64 PiB or more [limit]"
            expect_status 3 hlo-run --engine=$engine --inputs=zeros --memory-limit=4000000T m.hlo
        done
    done
}

@test "windows whose positions do not fit in 63 bits are refused before anything runs" {
    for window in 'size=1x3 pad=0_0x1_1 lhs_dilate=9223372036854775807x1' 'size=1x3 stride=1x9223372036854775807 pad=0_0x1_1' \
        'size=1x3 pad=0_0x-9223372036854775800_9223372036854775807' 'size=1x2 rhs_dilate=1x4611686018427387904 pad=0_0x0_4611686018427387904'; do
        cat >m.hlo <<HLO
HloModule m

add {
  a = s64[] parameter(0)
  b = s64[] parameter(1)
  ROOT sum = s64[] add(a, b)
}

ENTRY e {
  a = s64[1,5] parameter(0)
  zero = s64[] constant(0)
  ROOT r = reduce-window(a, zero), window={$window}, to_apply=add
}
HLO
        expect_status 0 hlo-verify m.hlo
        for engine in fast reference; do
            expect_status 1 hlo-run --engine=$engine --inputs=ones m.hlo
            expect_text "$err" "'r' (reduce-window) has a window that is too large for the evaluator [unsupported]"
        done
    done
}

# times N TEMPLATE: it N times, %d being the number, the one before and half of it.
times() {
    awk -v n="$1" -v t="$2\n" 'BEGIN { for (i = 1; i <= n; i++) printf(t, i, i - 1, int(i / 2)) }'
}

@test "verifying takes time and memory in proportion to the text" {
    entry=$'ENTRY e {\n  x.0 = f32[8] parameter(0)\n'
    { printf 'HloModule m\n%s' "$entry"; times 300000 '  x.%d = f32[8] add(x.%d, x.%d)'; echo '  ROOT r = f32[8] negate(x.9)'; echo '}'; } >chain.hlo
    { printf 'HloModule m\n%s' "$entry"; times 300000 '  x.%d = f32[%d] iota(), iota_dimension=0'; echo '}'; } >shapes.hlo
    { printf 'HloModule m\n%s' "$entry"; times 300000 '  x.%d = f32[8] negate(x.0), control-predecessors={x.%d}'; echo '}'; } >order.hlo
    { printf 'HloModule m\nENTRY e {\n'; times 300000 '  p.%d = f32[8] parameter(%d)'; echo '}'; } >parameters.hlo
    {
        printf 'HloModule m\nf.0 {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] negate(p)\n}\n'
        times 100000 'f.%d {\n  p = f32[8] parameter(0)\n  a = f32[8] call(p), to_apply=f.0\n  ROOT r = f32[8] negate(a)\n}'
        printf '%s' "$entry"
        times 100000 '  x.%d = f32[8] call(x.%d), to_apply=f.0'
        echo '}'
    } >calls.hlo
    for module in chain shapes order parameters calls; do
        expect_status 0 within 5 300 hlo-verify $module.hlo
    done
    { printf 'HloModule m\n%s' "$entry"; times 100000 '  x.%d = f32[8] add(x.0, y.%d)'; echo '}'; } >names.hlo
    { printf 'HloModule m\n%s' "$entry"; times 100000 '  x.%d = f32[8] call(x.0), to_apply=f.%d'; echo '}'; } >functions.hlo
    { printf 'HloModule m\n%s' "$entry"; times 100000 '  x.%d = f32[9] negate(x.0), metadata={op_name="%d"}'; echo '}'; } >sizes.hlo
    for module in names functions sizes; do
        expect_status 1 within 5 300 hlo-verify $module.hlo
    done
    printf 'HloModule m\n%s  ROOT r = f32[8] add(%%, x.0)\n}\n' "$entry" >percent.hlo
    expect_status 1 within 5 300 hlo-verify percent.hlo
}

@test "hlo-diff takes time in proportion to computations that no call leads to" {
    awk 'BEGIN {
        print "HloModule m\n"
        for (i = 0; i < 50000; i++)
            printf "plus%d {\n  p%d = s32[] parameter(0)\n  k%d = s32[] constant(%d)\n  ROOT r%d = s32[] add(p%d, k%d)\n}\n\n", i, i, i, i, i, i, i
        print "ENTRY e {\n  ROOT c = s32[] constant(1)\n}"
    }' >m.hlo
    sed 's/constant(77)/constant(1)/' m.hlo >n.hlo
    expect_status 1 within 5 300 hlo-diff m.hlo n.hlo
    [ "$(cat "$out")" = '%plus77: 1 changed, 0 added, 0 removed
  ~ %k77 = s32[] constant(77)
      value: 77 became 1' ] || fail "$(cat "$out")"
}

@test "hlo-stat takes memory in proportion to a module" {
    awk 'BEGIN {
        print "HloModule m\n\nENTRY e {\n  n0 = f32[4] parameter(0)"
        for (i = 1; i < 150000; i++)
            printf "  n%d = f32[4] negate(n%d), metadata={op_name=\"a/b%d/negate\"}\n", i, i - 1, i % 7
        print "  ROOT r = f32[4] negate(n149999)\n}"
    }' >m.hlo
    expect_status 0 within 5 280 hlo-stat --show=scopes --exact m.hlo
    expect_text "$out" "a/b6     21428   85712"
}
