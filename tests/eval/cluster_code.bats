# Clusters as machine code: the same bits as their steps (--jit=0), for every operation that is code.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Bits of special numbers: zeros, ones, infinities, NaNs quiet and signaling, with signs and payloads, the least and the
# greatest ones, and some of no kind.
specials="0, -2147483648, 1065353216, -1082130432, 2139095040, -8388608, 2143289344, -4194304, 2143289411, 2139095041, \
1, -2147483647, 8388607, 2139095039, 1078530011, 31"

# cluster: a module whose fusion is read from stdin, a line NAME = SHAPE OPERATION(OPERANDS) each, of all triples of
# special numbers `a`, `b`, `c` and integers `i`, `j`, with N for the dimensions. Names that begin with r are results. With
# nans=one they have one kind of NaNs only: which of two a sum or a product gives is the compiler's choice.
cluster() {
    local name type roots='' shapes='' ends='' outs='' k=0
    { cat
        echo "rij = s32[N] xor(i, j)"
        echo "rabc = f32[N] clamp(a, b, c)"; } | sed 's/\[N\]/[16,16,17]/g; s/^/  /' > body.txt
    while read -r name _ type _; do
        [[ $name = r* ]] || continue
        roots+=", $name" shapes+=", $type" outs+=", o$k"
        ends+="  g$k = $type get-tuple-element(all), index=$k"$'\n'
        ends+="  e$k = pred[16,16,17] compare(g$k, g$k), direction=EQ"$'\n'
        ends+="  q$k = ${type%%[*}[] constant($([ "${type:0:1}" = s ] && echo 0 || echo nan))"$'\n'
        ends+="  l$k = $type broadcast(q$k), dimensions={}"$'\n'
        ends+="  o$k = $type select(e$k, g$k, l$k)"$'\n'
        k=$((k + 1))
    done < body.txt
    cat << END
HloModule operations
fused {
  a = f32[16,16,17] parameter(0)
  b = f32[16,16,17] parameter(1)
  c = f32[16,16,17] parameter(2)
  i = s32[16,16,17] parameter(3)
  j = s32[16,16,17] parameter(4)
$(cat body.txt)
  ROOT results = (${shapes#, }) tuple(${roots#, })
}
ENTRY main {
  k = s32[16] constant({$specials})
  more = s32[17] constant({$specials, 7})
  x = f32[16] bitcast-convert(k)
  y = f32[17] bitcast-convert(more)
  a = f32[16,16,17] broadcast(x), dimensions={0}
  b = f32[16,16,17] broadcast(x), dimensions={1}
  c = f32[16,16,17] broadcast(y), dimensions={2}
  i = s32[16,16,17] broadcast(k), dimensions={0}
  j = s32[16,16,17] broadcast(more), dimensions={2}
END
    if [ "${nans:-all}" = one ]; then
        echo "  all = (${shapes#, }) fusion(a, b, c, i, j), kind=kLoop, calls=fused"
        echo "$ends  ROOT outs = (${shapes#, }) tuple(${outs#, })"
    else
        echo "  ROOT all = (${shapes#, }) fusion(a, b, c, i, j), kind=kLoop, calls=fused"
    fi
    echo "}"
}

# same MODULE [OPTION...]: the same bits with and without code, which some fusion of it has where kernels are of AVX2 or more.
same() {
    local module=$1 isa
    shift
    for isa in "${sets[@]}"; do
        hlo-run --jit=1 --isa="$isa" --print-plan --as-written "$@" "$module" > plan.txt 2> err.txt || fail "$(cat err.txt)"
        case $isa in
            avx*) grep -q ' cluster .*, by code' plan.txt || fail "$isa: $(cat plan.txt)" ;;
            *) ! grep -q 'by code' plan.txt || fail "$isa: $(cat plan.txt)" ;;
        esac
        same_ways "$@" "$module" -- "jit=0,isa=$isa,as-written" "isa=$isa,as-written,threads=1" "isa=$isa,as-written,threads=2"
    done
}

# Skips the test where clusters have no code; the tests check which of them have it.
needs_cluster_code() {
    needs_code
    instruction_sets
    [[ " ${sets[*]} " = *" avx2 "* ]] || skip "this machine has no AVX2"
}

@test "every operation on every pair of special numbers" {
    needs_cluster_code
    local op k=0
    { echo "shift = s32[] constant(5)"
    echo "count = s32[N] broadcast(shift), dimensions={}"
    for op in subtract divide maximum minimum; do
        k=$((k + 1))
        echo "ra$k = f32[N] $op(a, b)"
        echo "rb$k = f32[N] $op(b, c)"
        echo "rc$k = f32[N] $op(a, a)"
    done
    for op in abs negate sqrt rsqrt; do echo "r$op = f32[N] $op(a)"; done
    echo "rclamp = f32[N] clamp(a, b, c)"
    echo "u = u32[N] bitcast-convert(a)"
    echo "v = u32[N] bitcast-convert(c)"
    echo "m = f32[N] bitcast-convert(j)"
    echo "rm = f32[N] maximum(m, b)"
    echo "rfloat = f32[N] convert(j)"
    for op in add subtract multiply and or xor maximum minimum shift-left shift-right-logical shift-right-arithmetic; do
        echo "r$op = s32[N] $op(i, j)"
        echo "ru$op = u32[N] $op(u, v)"
        echo "rs$op = s32[N] $op(i, count)"
    done
    for op in EQ NE GE GT LE LT; do
        echo "pi$op = pred[N] compare(i, j), direction=$op"
        echo "pu$op = pred[N] compare(u, v), direction=$op"
        echo "ri$op = s32[N] select(pi$op, i, count)"
        echo "rcu$op = u32[N] select(pu$op, u, v)"
        echo "p$op = pred[N] compare(a, b), direction=$op"
        echo "r$op = f32[N] select(p$op, a, c)"
        echo "n$op = pred[N] not(p$op)"
        echo "rn$op = s32[N] convert(n$op)"
    done
    echo "both = pred[N] and(pLT, pNE)"
    echo "either = pred[N] or(nGE, pEQ)"
    echo "rboth = s32[N] select(both, i, j)"
    echo "reither = s32[N] convert(either)"; } | cluster > operations.hlo
    same operations.hlo
    for op in add multiply; do
        echo "ra$op = f32[N] $op(a, b)"
        echo "rb$op = f32[N] $op(c, a)"
    done | nans=one cluster > sums.hlo
    same sums.hlo
}

@test "every operation with special constants" {
    needs_cluster_code
    local op number k=0 nans=one
    for number in 0 -0 1.5 inf nan -nan; do
        { echo "one = f32[] constant($number)"
            echo "all = f32[N] broadcast(one), dimensions={}"
            for op in add subtract multiply divide maximum minimum; do
                k=$((k + 1))
                echo "ra$k = f32[N] $op(a, all)"
                echo "rb$k = f32[N] $op(all, a)"
            done
            echo "rlow = f32[N] clamp(all, a, b)"
            echo "rhigh = f32[N] clamp(a, b, all)"
            echo "p = pred[N] compare(a, all), direction=GT"
            echo "rx = f32[N] select(p, all, b)"
            echo "ry = f32[N] select(p, a, all)"; } | cluster > constants.hlo
        same constants.hlo
    done
}

@test "pairs of operations" {
    needs_cluster_code
    local first second k=0 nans=one
    { for first in add subtract multiply maximum; do
        for second in add subtract multiply maximum minimum; do
            k=$((k + 1))
            echo "x$k = f32[N] $first(a, b)"
            echo "rx$k = f32[N] $second(x$k, c)"
            echo "y$k = f32[N] $first(b, a)"
            echo "ry$k = f32[N] $second(c, y$k)"
            echo "z$k = f32[N] $first(a, c)"
            echo "rz$k = f32[N] $second(z$k, z$k)"
        done
    done; } | cluster > pairs.hlo
    same pairs.hlo
}

@test "more values than vectors, and predicates that others read" {
    needs_cluster_code
    local k
    { for k in {1..40}; do
        echo "one$k = f32[] constant($k.25)"
        echo "all$k = f32[N] broadcast(one$k), dimensions={}"
        echo "x$k = f32[N] multiply(a, all$k)"
    done
    echo "sum0 = f32[N] add(b, c)"
    for k in {1..40}; do echo "sum$k = f32[N] subtract(sum$((k - 1)), x$((41 - k)))"; done
    for k in {1..9}; do echo "p$k = pred[N] compare(x$k, b), direction=LT"; done
    echo "t0 = f32[N] add(sum40, c)"
    for k in {1..9}; do echo "t$k = f32[N] select(p$k, t$((k - 1)), x$k)"; done
    echo "e = f32[N] exponential(t9)"
    echo "f = f32[N] add(e, sum40)"
    echo "g = f32[N] multiply(f, t3)"
    echo "h = f32[N] add(g, e)"
    echo "q = pred[N] compare(h, sum20), direction=GT"
    echo "rq = pred[N] not(q)"
    echo "rh = f32[N] add(h, g)"; } | cluster > many.hlo
    same many.hlo
}

@test "arrays of any length, and over an operand" {
    needs_cluster_code
    local n
    for n in 2 15 16 17 255 1000 100003; do
        cat > sizes.hlo << END
HloModule sizes
fused {
  x = f32[$n] parameter(0)
  y = f32[$n] parameter(1)
  a = f32[$n] add(x, y)
  b = f32[$n] sqrt(a)
  c = f32[$n] maximum(b, x)
  ROOT d = f32[$n] subtract(c, y)
}
ENTRY main {
  x = f32[$n] parameter(0)
  y = f32[$n] parameter(1)
  z = f32[$n] negate(x)
  ROOT f = f32[$n] fusion(z, y), kind=kLoop, calls=fused
}
END
        same sizes.hlo --inputs=hash
    done
}

@test "rows and their sums" {
    needs_cluster_code
    cat > rows.hlo << 'END'
HloModule rows
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
fused {
  x = f32[301,77] parameter(0)
  w = f32[77] parameter(1)
  zero = f32[] constant(0)
  s = f32[301] reduce(x, zero), dimensions={1}, to_apply=sum
  m = f32[301,77] broadcast(s), dimensions={0}
  v = f32[301,77] broadcast(w), dimensions={1}
  d = f32[301,77] subtract(x, m)
  q = f32[301,77] multiply(d, v)
  r = f32[301,77] maximum(q, x)
  ROOT t = f32[301,77] divide(r, m)
}
ENTRY main {
  x = f32[301,77] parameter(0)
  w = f32[77] parameter(1)
  ROOT f = f32[301,77] fusion(x, w), kind=kLoop, calls=fused
}
END
    same rows.hlo --inputs=hash
}
