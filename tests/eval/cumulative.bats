# Cumulative sums, products, extremes and logic: the fast engine, which combines blocks, gives what the reference engine
# computes window by window: to the last bit where nothing is rounded.

load ../lib
load elements

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# running OPERATION TYPE DIMS DIMENSION WAY INIT [OPTION...]
running() {
    local operation=$1 type=$2 dims=$3 dimension=$4 way=$5 init=$6 n=1 d k=0 size= pad=
    for d in ${dims//,/ }; do
        n=$((n * d))
        if [ $k != "$dimension" ]; then size+=x1 pad+=x0_0
        elif [ "$way" = forward ]; then size+=x$d pad+=x$((d - 1))_0
        else size+=x$d pad+=x0_$((d - 1)); fi
        k=$((k + 1))
    done
    shift 6
    body=
    values x "$type" "$dims" "$n" 1 "$NAN"
    cat >m.hlo <<END
HloModule running

combine {
  a = $type[] parameter(0)
  b = $type[] parameter(1)
  ROOT r = $type[] $operation(a, b)
}

ENTRY main {
$body  start = $type[] constant($init)
  ROOT sums = $type[$dims] reduce-window(x, start), window={size=${size#x} pad=${pad#x}}, to_apply=combine
}
END
    same_ways "$@" m.hlo -- threads=1 threads=3 ~engine=reference
}

@test "extremes, integers and logic, along each dimension, both ways" {
    NAN=1
    for way in forward backward; do
        for type in f32 bf16 f64 f8e5m2 s32 u8 s64; do
            running maximum $type 3,700 1 $way 0
            running minimum $type 700,3 0 $way 0
            running maximum $type 4,40,5 1 $way 1
        done
        for type in s32 u8 s4 u64; do
            running add $type 1100 0 $way 3
            running multiply $type 600,2 0 $way 1
            running xor $type 2,513 1 $way 0
        done
        running or pred 2,513 1 $way false
        running and pred 513,2 0 $way true
        running add f32 2,1 1 $way 0
        running add f32 1,2,600 0 $way 0
    done
}

@test "sums and products of floats" {
    NAN=0
    for way in forward backward; do
        for type in f32 f16 bf16 f64; do
            running add $type 2,1100 1 $way 1 --rtol=auto
            running add $type "300,$(whole 600 150)" 0 $way 1 --rtol=auto
            running multiply $type 2,100 1 $way 1 --rtol=auto
        done
    done
}
