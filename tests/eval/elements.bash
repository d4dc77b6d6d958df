# Arrays whose elements a module makes itself: many of them equal; of floats infinities, NaNs and zeros of both signs.
# Loaded by tests that compare engines on them.

# bits TYPE: how the elements of a type are made of bits: the word, the bits that are any, and those that are all there or
# not, twice: of floats, sign and one of the mantissa, exponents of infinity and of 1.
bits() {
    case $1 in
    f64) bits="u64 9225623836668461056 9218868437227405312 4607182418800017408" ;;
    f32) bits="u32 2151677952 2139095040 1065353216" ;;
    f16) bits="u16 33280 31744 15360" ;;
    bf16) bits="u16 32832 32640 16256" ;;
    s64 | u64) bits="u64 9223372036854775815 0 4294967296" ;;
    s32 | u32) bits="u32 2147483655 0 65536" ;;
    s16 | u16) bits="u16 32775 0 256" ;;
    pred) bits="u8 1 0 0" ;;
    *) bits="u8 255 0 0" ;;
    esac
}

# values NAME TYPE DIMS N SALT [NAN]: $body gets N elements, of which many are equal; NAN=0: none is NaN.
values() {
    local name=$1 type=$2 dims=$3 n=$4 word any all one
    bits "$type"
    read -r word any all one <<<"$bits"
    [ "${6:-1}" != 0 ] || all=0
    body+="  $name.i = u32[$n] iota(), iota_dimension=0
  $name.c = u32[] constant($((2654435761 + 2 * $5)))
  $name.cs = u32[$n] broadcast($name.c), dimensions={}
  $name.m = u32[$n] multiply($name.i, $name.cs)
  $name.s = u32[] constant(15)
  $name.ss = u32[$n] broadcast($name.s), dimensions={}
  $name.r = u32[$n] shift-right-logical($name.m, $name.ss)
  $name.x = u32[$n] xor($name.m, $name.r)
  $name.h = u32[$n] multiply($name.x, $name.cs)
"
    local wide="$word[$n]" part sum=$name.b0
    body+="  $name.w = $wide convert($name.h)
  $name.half = $word[] constant($((${word#u} / 2)))
  $name.halves = $wide broadcast($name.half), dimensions={}
  $name.up = $wide shift-left($name.w, $name.halves)
  $name.b = $wide xor($name.w, $name.up)
"
    for part in "0 $any" "1 $all" "2 $one"; do
        body+="  $name.n${part% *} = $word[] constant(${part#* })
  $name.ns${part% *} = $wide broadcast($name.n${part% *}), dimensions={}
"
    done
    body+="  $name.b0 = $wide and($name.b, $name.ns0)
"
    for part in 1 2; do
        body+="  $name.sh$part = u32[] constant($((20 + part)))
  $name.shs$part = u32[$n] broadcast($name.sh$part), dimensions={}
  $name.hs$part = u32[$n] shift-right-logical($name.h, $name.shs$part)
  $name.u$part = u32[] constant(1)
  $name.us$part = u32[$n] broadcast($name.u$part), dimensions={}
  $name.bit$part = u32[$n] and($name.hs$part, $name.us$part)
  $name.bits$part = $wide convert($name.bit$part)
  $name.a$part = $wide multiply($name.bits$part, $name.ns$part)
  $name.b$part = $wide xor($sum, $name.a$part)
"
        sum=$name.b$part
    done
    case $type in
    pred) body+="  $name.v = pred[$n] convert($sum)"$'\n' ;;
    s1 | s2 | s4 | u1 | u2 | u4) body+="  $name.v = $type[$n] convert($sum)"$'\n' ;;
    f4e* | f6e*) body+="  $name.e = s8[$n] bitcast-convert($sum)
  $name.v = $type[$n] convert($name.e)"$'\n' ;;
    *) body+="  $name.v = $type[$n] bitcast-convert($sum)"$'\n' ;;
    esac
    body+="  $name = $type[$dims] reshape($name.v)"$'\n'
}
