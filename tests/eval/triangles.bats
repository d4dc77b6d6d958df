# Triangular systems: the fast engine gives what the reference engine computes, over sizes around tiles and strips, sides,
# triangles and orders; the same bits for any number of threads.

load ../lib
load both_engines

setup() {
    cd "$BATS_TEST_TMPDIR"
    start
    parameters=0
}

# system TYPE N M [BATCH]: op(a) x = b and x op(a) = b with all attributes, for the same well-conditioned triangles.
system() {
    local type=$1 n=$2 m=$3 batch=${4:+$4,} first=0 one=1 ten=12 side b
    [ -z "${4:-}" ] || first=1
    [[ $type != c* ]] || ten='(12, 1)'
    local a=$type[$batch$n,$n] c=$count
    body+="  p.$c = $a parameter($((parameters++)))
  i.$c = s32[$batch$n,$n] iota(), iota_dimension=$first
  j.$c = s32[$batch$n,$n] iota(), iota_dimension=$((first + 1))
  d.$c = pred[$batch$n,$n] compare(i.$c, j.$c), direction=EQ
  ten.$c = $type[] constant($ten)
  tens.$c = $a broadcast(ten.$c), dimensions={}
  small.$c = $a divide(p.$c, tens.$c)
  large.$c = $a add(small.$c, tens.$c)
  a.$c = $a select(d.$c, large.$c, small.$c)
"
    for side in true false; do
        b=$type[$batch$n,$m]
        [ $side = true ] || b=$type[$batch$m,$n]
        body+="  b.$side.$c = $b parameter($((parameters++)))"$'\n'
        for lower in true false; do
            for order in NO_TRANSPOSE TRANSPOSE ADJOINT; do
                for unit in true false; do
                    count=$((count + 1))
                    body+="  x.$count = $b triangular-solve(a.$c, b.$side.$c), left_side=$side, lower=$lower, transpose_a=$order, unit_diagonal=$unit"$'\n'
                    types+=", $b" names+=", x.$count"
                done
            done
        done
    done
    count=$((count + 1))
}

systems() { # TYPE OPTION...
    local type=$1
    shift
    system "$type" 1 1
    system "$type" 3 5 2
    system "$type" 8 16
    system "$type" 9 17 3
    system "$type" 33 70
    system "$type" 100 40 2
    system "$type" 64 1
    system "$type" 17 0
    both "$@"
}

@test "triangular systems of f32" {
    systems f32 --rtol=1e-6 --atol=1e-7
}

@test "triangular systems of f64" {
    systems f64 --rtol=1e-13 --atol=1e-14
}

@test "triangular systems of c64" {
    systems c64 --rtol=1e-6 --atol=1e-7
}
