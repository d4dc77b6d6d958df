# Reductions by one instruction: the fast engine gives what the reference engine computes element by element, over rows,
# columns and dimensions between, around the edges of vectors, blocks, parts and groups, in all types; the same bits on any
# number of threads and for every instruction set.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    start
}

start() {
    unset numbers
    declare -gA numbers=()
    regions= body= types= names= count=0
}

# both OPTION...: m.hlo by both engines; the options set the tolerance.
both() {
    printf 'HloModule reductions\n\n%sENTRY main {\n%s  ROOT all = (%s) tuple(%s)\n}\n' "$regions" "$body" "${types#, }" "${names#, }" >m.hlo
    same_ways --inputs=hash "$@" m.hlo -- threads=1 threads=3 isa=all ~engine=reference
    start
}

# kept DIMS REDUCED: the dimensions that stay, to $kept.
kept() {
    local d=0 dim
    kept=
    for dim in ${1//,/ }; do
        [[ ",$2," == *",$d,"* ]] || kept+=",$dim"
        d=$((d + 1))
    done
    kept=${kept#,}
}

# reduce TYPE OPCODE INIT DIMS REDUCED
reduce() {
    local operand=p.$1.${4//,/x}
    if [ -z "${numbers[$operand]:-}" ]; then
        body+="  $operand = $1[$4] parameter(${#numbers[@]})"$'\n'
        numbers[$operand]=there
    fi
    count=$((count + 1))
    kept "$4" "$5"
    regions+="by.$count {
  a.$count = $1[] parameter(0)
  b.$count = $1[] parameter(1)
  ROOT r.$count = $1[] $2(a.$count, b.$count)
}

"
    body+="  i.$count = $1[] constant($3)
  o.$count = $1[$kept] reduce($operand, i.$count), dimensions={$5}, to_apply=by.$count
"
    types+=", $1[$kept]" names+=", o.$count"
}

# Rows, columns, middles; lengths around vectors of any width, blocks of 1024, parts of 65536, groups of short rows.
shapes="1 0|7 0|64 0|1023 0|70001 0|5,1 1|3,0 1|0,3 1|1,6 0|9,3 1|5,7 1|5,8 1|5,15 1|6,31 1|4,32 1|4,65 1|3,255 1|3,257 1|2,1024 1|2,1025 1|3,2100 1
    2,66000 1|3,5 0|64,3 0|701,3 0|129,17 0|100,64 0|70,128 0|9,129 0|200,1025 0|2000,40 0|4,33000 0|3,4,5 1|50,2,3 1|3,90,7 1|2,130,1030 1
    3,4,5 0,2|4,3,70 0,2|5,3,2,7 1,3|3,2,5,4 0,2|2,3,4 0,1,2|1,1,4 0,1|2,1,5 1|6,300,1,4 0,2"

# by TYPE OPCODE INIT
by() {
    local shape
    while read -r shape; do
        # shellcheck disable=SC2086 # dimensions
        reduce "$1" "$2" "$3" $shape
    done < <(tr '|' '\n' <<<"$shapes" | sed 's/^ *//')
}

@test "sums of floats" {
    by f32 add 0.5
    both --rtol=1e-6 --atol=1e-4
    by f64 add -3
    both --rtol=1e-12 --atol=1e-10
    by bf16 add 1
    both --rtol=1e-2 --atol=1e-2
    by f16 add 1
    both --rtol=1e-3 --atol=1e-3
    by f8e4m3fn add 1
    both --rtol=1e-1 --atol=1e-1
}

@test "products of floats" {
    shapes="7 0|33 0|64 0|5,9 1|5,66 1|100,3 0|70,128 0|3,9,7 1|3,4,5 0,2"
    by f32 multiply 2
    by f64 multiply 2
    both --rtol=1e-4 --atol=1e-30
    by bf16 multiply 2
    by f16 multiply 2
    both --rtol=2e-2 --atol=1e-30
}

@test "extremes of floats" {
    for type in f32 f64 bf16 f16 f8e5m2; do
        by $type maximum -inf
        both --rtol=0 --atol=0
        by $type minimum 0.25
        both --rtol=0 --atol=0
    done
}

@test "integers, bits and predicates" {
    for type in s8 s16 s32 s64 u8 u16 u32 u64 s4 u2; do
        by $type add 1
        both --rtol=0 --atol=0
    done
    shapes="300 0|5,9 1|5,70 1|4,600 1|300,3 0|70,128 0|9,300 0|3,90,7 1|3,4,5 0,2"
    for type in s8 s16 s32 s64 u8 u16 u32 u64; do
        for opcode in multiply maximum minimum and or xor; do by $type $opcode 1; done
        both --rtol=0 --atol=0
    done
    for opcode in and or xor maximum minimum add multiply; do by pred $opcode true; done
    both --rtol=0 --atol=0
}

@test "complex numbers" {
    by c64 add '(1, 2)'
    both --rtol=1e-4 --atol=1e-3
    by c128 add '(1, 2)'
    both --rtol=1e-12 --atol=1e-10
    shapes="7 0|33 0|5,9 1|30,3 0|3,9,7 1|3,4,5 0,2"
    by c64 multiply '(1, 0)'
    both --rtol=1e-3 --atol=1e-6
}

# nan wins wherever it is, and +0 is above -0: places are first, last and between, of rows and of columns.
@test "nan, infinities and signs of zeros" {
    for type in f32 f64 bf16 f16; do
        for opcode in maximum minimum; do
            for special in nan inf -inf -0 many; do
                body= regions= types= names= count=0 others=-0
                [ $special = many ] && others=-2 special=nan # between numbers
                for at in 0 1 15 16 40 255 256 300; do
                    count=$((count + 1))
                    regions+="by.$count {
  a = $type[] parameter(0)
  b = $type[] parameter(1)
  ROOT r = $type[] $opcode(a, b)
}

"
                    body+="  at.$count = s32[] constant($at)
  ats.$count = s32[2,301] broadcast(at.$count), dimensions={}
  is.$count = pred[2,301] compare(place, ats.$count), direction=EQ
  x.$count = $type[2,301] select(is.$count, special, zeros)
  y.$count = $type[301,2] transpose(x.$count), dimensions={1,0}
  rows.$count = $type[2] reduce(x.$count, zero), dimensions={1}, to_apply=by.$count
  columns.$count = $type[2] reduce(y.$count, zero), dimensions={0}, to_apply=by.$count
"
                    types+=", $type[2], $type[2]" names+=", rows.$count, columns.$count"
                done
                printf 'HloModule special\n\n%sENTRY main {
  place = s32[2,301] iota(), iota_dimension=1
  zero = %s[] constant(-0)
  other = %s[] constant(%s)
  one = %s[] constant(%s)
  zeros = %s[2,301] broadcast(other), dimensions={}
  special = %s[2,301] broadcast(one), dimensions={}
%s  ROOT all = (%s) tuple(%s)\n}\n' "$regions" $type $type $others $type $special $type $type "$body" "${types#, }" "${names#, }" >m.hlo
                expect_status 0 hlo-run --print-limit=0 --engine=reference m.hlo
                mv out expected
                for isa in sse2 avx2 avx512; do
                    HLO_ISA=$isa hlo-run --print-limit=0 m.hlo >got 2>err || continue
                    cmp expected got || fail "$type $opcode of $special, $isa: $(diff expected got)"
                done
            done
        done
    done
}

# several TYPE DIMS REDUCED RESULT OPCODE...: a reduce of an operand for each opcode, of which the third is the first again.
several() {
    local type=$1 dims=$2 reduced=$3 result=$4 opcode k=0 before= after= leaves= results= operands= inits= is=
    shift 4
    for opcode; do
        k=$((k + 1))
        before+=", a.$k: $type[]" after+=", b.$k: $type[]" results+=", $type[]" leaves+=", $type[$result]" is+=", r.$k"
        regions+="  r.$k = $type[] $opcode(a.$k, b.$k)"$'\n'
        operands+=", p.$((k % 2))" inits+=", i.$k"
        body+="  i.$k = $type[] constant($k)"$'\n'
    done
    printf 'HloModule several\n\nby (%s) -> (%s) {\n%s%s\n  ROOT all = (%s) tuple(%s)\n}\n\n' "${before#, }$after" "${results#, }" \
        "$(k=0; for opcode; do k=$((k + 1)); printf '  a.%s = %s[] parameter(%s)\n  b.%s = %s[] parameter(%s)\n' $k $type $((k - 1)) $k $type $((k - 1 + $#)); done)"$'\n' \
        "$regions" "${results#, }" "${is#, }" >m.hlo
    printf 'ENTRY main {\n  p.0 = %s[%s] parameter(0)\n  p.1 = %s[%s] parameter(1)\n%s  ROOT all = (%s) reduce(%s%s), dimensions={%s}, to_apply=by\n}\n' \
        $type $dims $type $dims "$body" "${leaves#, }" "${operands#, }" "$inits" $reduced >>m.hlo
    body= regions=
}

@test "several operands, each by its own instruction" {
    for type in f32 bf16 s32 f64; do
        for shape in "7 0 " "1024,70 0 70" "70,2100 1 70" "3,66000 1 3" "5,7,9 1 5,9" "5,7,9 0,2 7" "0,3 0 3"; do
            # shellcheck disable=SC2086 # dimensions
            for opcodes in "minimum maximum" "add multiply" "maximum add minimum"; do
                read -r dims reduced result <<<"$shape"
                several $type $dims $reduced "$result" $opcodes
                same_ways --inputs=hash --rtol=1e-4 --atol=5e-2 m.hlo -- threads=1 threads=3 isa=all ~engine=reference
            done
        done
    done
}

# fused CLUSTERS: m.hlo, in which one operand is computed of the other, has so many clusters where fusions are made of it, nothing else
# that computes or reduces if there is one, and the same bits.
fused() {
    sed -i '/ p\.0 = /d; s/ p\.1 = \([^ ]*\) parameter(1)/ p.1 = \1 parameter(0)\n  p.0 = \1 negate(p.1)/' m.hlo
    expect_status 0 hlo-opt --passes='fusion{split_reductions=true},tuple-simplifier,dce' m.hlo
    mv "$out" fused.hlo
    expect_status 0 hlo-run --print-plan fused.hlo
    awk '/^plan /{ n++ } n < 2' "$out" >plan.txt
    [ "$(grep -c ' cluster ' plan.txt)" -eq "$1" ] || fail "$(cat m.hlo plan.txt)"
    [ "$1" -eq 0 ] || ! grep -q ' unary ' plan.txt || fail "$(cat m.hlo plan.txt)"
    same_ways --inputs=hash m.hlo -- as-written of=fused.hlo,as-written,threads=1 of=fused.hlo,as-written,threads=3
}

# Rows, long ones, columns, middles and all elements; sums of small floats are rounded after each element, and stay.
@test "several operands of which one is computed are reduced in clusters" {
    for type in f32 f64 s32 u8 bf16; do
        for shape in "70,2100 1 70" "3,66000 1 3" "1024,70 0 70" "12,90,70 1 12,70" "150000 0 " "5,7,900 1,2 5"; do
            read -r dims reduced result <<<"$shape"
            several $type $dims $reduced "$result" minimum maximum
            fused 1
            several $type $dims $reduced "$result" maximum add minimum
            fused $([ $type = bf16 ] && echo 0 || echo 1)
        done
    done
    several f32 30,20,9 0,2 20 minimum maximum # no rows, nor columns
    fused 0
    several f32 700,9000 0 9000 add add # accumulators of all columns are too many for the first cache
    fused 0
    several f32 700,1000 0 1000 add add
    fused 1
}

@test "operands that are reduced at once are not copied" {
    several f32 1000,1000 1 1000 minimum maximum
    expect_status 0 hlo-run --print-plan m.hlo
    bytes=$(sed -n '1s/.*(at least \([0-9]*\)).*/\1/p' "$out")
    [ "${bytes:-9999999}" -lt 100000 ] || fail "$(cat "$out")"
}

# any TYPE DIMS REDUCED: by computations of several instructions, of one operand and of two; their order is seen in the bits.
any() {
    kept "$2" "$3"
    cat <<END
HloModule any

one {
  a = $1[] parameter(0)
  b = $1[] parameter(1)
  most = $1[] maximum(a, b)
  least = $1[] minimum(a, b)
  third = $1[] constant(3)
  part = $1[] divide(least, third)
  ROOT r = $1[] add(most, part)
}

two {
  a = $1[] parameter(0)
  n = s32[] parameter(1)
  b = $1[] parameter(2)
  m = s32[] parameter(3)
  more = pred[] compare(a, b), direction=LT
  greater = $1[] select(more, b, a)
  step = s32[] constant(3)
  grown = s32[] multiply(n, step)
  sum = s32[] subtract(m, grown)
  ROOT r = ($1[], s32[]) tuple(greater, sum)
}

ENTRY main {
  x = $1[$2] parameter(0)
  y = s32[$2] parameter(1)
  i = $1[] constant(2)
  j = s32[] constant(5)
  first = $1[$kept] reduce(x, i), dimensions={$3}, to_apply=one
  pair = ($1[$kept], s32[$kept]) reduce(x, y, i, j), dimensions={$3}, to_apply=two
  p = $1[$kept] get-tuple-element(pair), index=0
  q = s32[$kept] get-tuple-element(pair), index=1
  ROOT both = ($1[$kept], s32[$kept], $1[$kept]) tuple(p, q, first)
}
END
}

@test "rows, columns and middles by any computation, one element after the other" {
    for type in f32 bf16 f64 s8 s64; do
        for shape in "7 0" "3,5 1" "2,1 1" "700,130 1" "513,257 1" "1025,3 1" "1,300 1" "40,3,50 1,2" "2,4,300 2" "9,1,31 1,2" "300,7 0" "3,40,5 1" "0,3 1" "3,0 1"; do
            read -r dims reduced <<<"$shape"
            any $type $dims $reduced >m.hlo
            same_ways --inputs=hash m.hlo -- threads=1 threads=3 ~engine=reference
        done
    done
}

@test "rows that any computation reduces are not copied whole" {
    any f32 2000,2000 1 >m.hlo
    expect_status 0 hlo-run --print-plan m.hlo
    bytes=$(sed -n '1s/.*(at least \([0-9]*\)).*/\1/p' "$out")
    [ "${bytes:-9999999}" -lt 3000000 ] || fail "$(cat "$out")"
}

# Sums of f32 are exact but for the last rounding and that of a few numbers at a time: XLA's are off by up to 1.5 to 2.5
# times 2^-24 of the sum of magnitudes, where all of the numbers are positive.
@test "sums of many numbers are as near to the exact ones as XLA's" {
    local size kept reduced
    while read -r size kept reduced; do
        cat > m.hlo <<END
HloModule errors

add.f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

add.f64 {
  a = f64[] parameter(0)
  b = f64[] parameter(1)
  ROOT s = f64[] add(a, b)
}

and {
  a = pred[] parameter(0)
  b = pred[] parameter(1)
  ROOT s = pred[] and(a, b)
}

ENTRY main {
  x = f32[$size] parameter(0)
  four = f32[] constant(4)
  fours = f32[$size] broadcast(four), dimensions={}
  scaled = f32[$size] multiply(x, fours)
  e = f32[$size] exponential(scaled)
  zero = f32[] constant(0)
  sums = f32[$kept] reduce(e, zero), dimensions={$reduced}, to_apply=add.f32
  wide = f64[$size] convert(e)
  wide.zero = f64[] constant(0)
  exact = f64[$kept] reduce(wide, wide.zero), dimensions={$reduced}, to_apply=add.f64
  found = f64[$kept] convert(sums)
  difference = f64[$kept] subtract(found, exact)
  error = f64[$kept] abs(difference)
  unit = f64[] constant(8.94e-8)
  units = f64[$kept] broadcast(unit), dimensions={}
  limit = f64[$kept] multiply(exact, units)
  near = pred[$kept] compare(error, limit), direction=LE
  yes = pred[] constant(true)
  ROOT all = pred[] reduce(near, yes), dimensions={0}, to_apply=and
}
END
        expect_status 0 hlo-run --inputs=hash m.hlo
        expect_text "$out" true
    done <<<"64,8192 64 1
1,1000000 1 1
100,256 100 1
100,511 100 1
8192,64 64 0
50176,64 64 0
8195,128 128 0"
}
