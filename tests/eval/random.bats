# Random bits of the generators: those of every instruction set, of any number of threads, and of the arithmetic that
# rng-bit-generator-expander writes for them, are the same.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# generator ALGORITHM STATE TYPE[DIMS]: a module, m.hlo. The state's numbers are separated by commas.
generator() {
    local words
    words=$(awk -F, '{ print NF }' <<<"$2")
    cat >m.hlo <<END
HloModule random

ENTRY main {
  state = u64[$words] constant({$2})
  ROOT bits = (u64[$words], $3) rng-bit-generator(state), algorithm=$1
}
END
}

# same: bits by the kernel on one thread and three and for each instruction set, and by the expanded text.
same() {
    expect_status 0 hlo-run --threads=1 --print-limit=0 --output-dir=one.npz m.hlo
    expect_status 0 hlo-run --threads=3 --print-limit=0 --output-dir=three.npz m.hlo
    cmp one.npz three.npz || fail "three threads give other bits: $(cat m.hlo)"
    expect_status 0 hlo-opt --passes=rng-bit-generator-expander m.hlo -o expanded.hlo
    ! grep -q rng-bit-generator expanded.hlo || fail "not expanded: $(cat m.hlo)"
    expect_status 0 hlo-run --print-limit=0 --output-dir=expanded.npz expanded.hlo
    cmp one.npz expanded.npz || fail "the expanded text gives other bits: $(cat m.hlo)"
    instruction_sets
    for set in "${sets[@]}"; do
        expect_status 0 hlo-run --isa="$set" --print-limit=0 --output-dir="$set.npz" m.hlo
        cmp one.npz "$set.npz" || fail "$set gives other bits: $(cat m.hlo)"
    done
}

# Around a block of counters, pairs along any dimension, one left over; counters whose low halves pass 2^32 and 2^64.
@test "Threefry" {
    for shape in 'u32[1]' 'u32[511]' 'u32[513]' 's32[5,300]' 'f32[4,5,7]' 'u32[3,5,257]' 'u32[2,1000]' 'u8[700]' 'u16[3,301]' \
        'u64[257]' 's64[3,100]' 'u32[100000]'; do
        for state in 7,0 1311768467463790320,4294967200; do
            generator rng_three_fry "$state" "$shape"
            same
        done
    done
}

@test "Philox" {
    for shape in 'u32[1]' 'u32[1023]' 'u32[1025]' 's32[5,300]' 'f32[7]' 'u8[1030]' 'u16[3,301]' 'u64[513]' 's64[3,101]' \
        'u32[100000]'; do
        for state in 7,0 1311768467463790320,18446744073709551500 9,4294967200,5 9,18446744073709551600,4294967295; do
            generator rng_philox "$state" "$shape"
            same
        done
    done
}
