# Fourier transforms: the fast engine gives what the reference engine computes by the definition, over lengths of all
# kinds, numbers of lines around those that are transformed together, and dimensions; the same bits for any number of
# threads and on every instruction set.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR"
    body= types= names= count=0
}

# transform COMPLEX REAL DIMS RANK: all four kinds of the last RANK dimensions.
transform() {
    local dims=${3//,/ } lengths half last=${3##*,}
    lengths=$(rev <<<"$dims" | cut -d' ' -f"1-$4" | rev)
    half=${3%"$last"}$((last / 2 + 1))
    body+="  c.$count = $1[$3] parameter($((3 * count)))"$'\n'
    body+="  r.$count = $2[$3] parameter($((3 * count + 1)))"$'\n'
    body+="  h.$count = $1[$half] parameter($((3 * count + 2)))"$'\n'
    local kind
    for kind in "FFT $1[$3] c" "IFFT $1[$3] c" "RFFT $1[$half] r" "IRFFT $2[$3] h"; do
        read -r word type operand <<<"$kind"
        body+="  $word.$count = $type fft($operand.$count), fft_type=$word, fft_length={${lengths// /,}}"$'\n'
        types+=", $type" names+=", $word.$count"
    done
    count=$((count + 1))
}

# both OPTION...: by both engines, on one and three threads, on all instruction sets.
both() {
    printf 'HloModule fft\n\nENTRY main {\n%s  ROOT all = (%s) tuple(%s)\n}\n' "$body" "${types#, }" "${names#, }" >m.hlo
    same_ways --inputs=hash "$@" m.hlo -- threads=1 threads=3 isa=all ~engine=reference
}

# Powers of two and their multiples; small factors; primes whose transform is a convolution.
lengths="1 2 3 4 5 6 7 8 9 11 12 13 14 15 16 17 22 26 30 31 37 49 60 64 77 81 100 127 128 143 192 256 320 331 448 512"
boxes="8,8|7,9|16,20|5,64|64,3|3,4,5|2,64,7|2,3,17|4,6,8|2,3,5,6"

shapes() { # COMPLEX REAL
    local n dims
    for n in $lengths; do
        for dims in "$n" "3,$n" "19,$n" "2,4,$n"; do
            # Lines that are together, and the reference engine's work by the square of the length: all by `make check-whole`.
            [ "$n" -le 128 ] || [ "$dims" = "3,$n" ] || is_whole || continue
            transform "$1" "$2" "$dims" 1
        done
    done
    for dims in ${boxes//|/ }; do
        transform "$1" "$2" "$dims" 2
        [[ $dims != *,*,* ]] || transform "$1" "$2" "$dims" 3
    done
}

@test "transforms of c64 and f32" {
    shapes c64 f32
    both --rtol=1e-6 --atol=2e-6
}

@test "transforms of c128 and f64" {
    shapes c128 f64
    both --rtol=1e-13 --atol=1e-12
}

# one_number N AT: the spectrum of a line that is 1 at one place is e^(-2 pi i k AT / N), and goes back to it.
one_number() {
    cat >line.hlo <<END
HloModule line

max {
  p = f64[] parameter(0)
  q = f64[] parameter(1)
  ROOT r = f64[] maximum(p, q)
}

ENTRY main {
  k = s64[2,$1] iota(), iota_dimension=1
  place = s64[] constant($2)
  places = s64[2,$1] broadcast(place), dimensions={}
  is_there = pred[2,$1] compare(k, places), direction=EQ
  real = f64[2,$1] convert(is_there)
  zero = f64[] constant(0)
  zeros = f64[2,$1] broadcast(zero), dimensions={}
  line = c128[2,$1] complex(real, zeros)
  spectrum = c128[2,$1] fft(line), fft_type=FFT, fft_length={$1}
  turns = s64[2,$1] multiply(k, places)
  n = s64[] constant($1)
  ns = s64[2,$1] broadcast(n), dimensions={}
  rest = s64[2,$1] remainder(turns, ns)
  part = f64[2,$1] convert(rest)
  step = f64[] constant($(awk "BEGIN { printf \"%.17g\", -2 * atan2(0, -1) / $1 }"))
  steps = f64[2,$1] broadcast(step), dimensions={}
  angle = f64[2,$1] multiply(part, steps)
  c = f64[2,$1] cosine(angle)
  s = f64[2,$1] sine(angle)
  wanted = c128[2,$1] complex(c, s)
  off = c128[2,$1] subtract(spectrum, wanted)
  offs = f64[2,$1] abs(off)
  largest = f64[] reduce(offs, zero), dimensions={0,1}, to_apply=max
  back = c128[2,$1] fft(spectrum), fft_type=IFFT, fft_length={$1}
  lost = c128[2,$1] subtract(back, line)
  losts = f64[2,$1] abs(lost)
  largest_lost = f64[] reduce(losts, zero), dimensions={0,1}, to_apply=max
  sum = f64[] add(largest, largest_lost)
  limit = f64[] constant(4e-15)
  ROOT is_near = pred[] compare(sum, limit), direction=LT
}
END
    expect_status 0 hlo-run line.hlo
    expect_text "$out" true
}

@test "long lines, of powers of two and of other factors" {
    one_number 16384 5
    one_number 32768 1234
    one_number 65536 40001
    one_number 59049 40001
    one_number 40000 399
    for dims in 32768 3,32768 59049 20011; do transform c64 f32 "$dims" 1; done
    transform c64 f32 3,20000 2
    printf 'HloModule fft\n\nENTRY main {\n%s  ROOT all = (%s) tuple(%s)\n}\n' "$body" "${types#, }" "${names#, }" >m.hlo
    expect_status 0 hlo-run --inputs=hash --threads=1 --print-limit=0 --output-dir=one.npz m.hlo
    expect_status 0 hlo-run --inputs=hash --threads=3 --print-limit=0 --output-dir=three.npz m.hlo
    cmp one.npz three.npz || fail "three threads give other bits"
}

@test "what is between dimensions stands where the result will" {
    # 2 MiB of operand and result each, less than 1 MiB for lines.
    for kind in FFT IFFT; do
        echo "HloModule m ENTRY e { p = c64[512,512] parameter(0) ROOT t = c64[512,512] fft(p), fft_type=$kind, fft_length={512,512} }" >plane.hlo
        expect_status 0 hlo-run --inputs=ones --threads=1 --memory-limit=5M --output-dir=plane.npz plane.hlo
    done
    echo "HloModule m ENTRY e { p = f32[512,512] parameter(0) ROOT t = c64[512,257] fft(p), fft_type=RFFT, fft_length={512,512} }" >plane.hlo
    expect_status 0 hlo-run --inputs=ones --threads=1 --memory-limit=3M --output-dir=plane.npz plane.hlo
}
