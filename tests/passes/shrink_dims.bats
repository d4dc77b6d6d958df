# shrink-dims: which sizes are divided with which, what stays as it is and why, and what becomes of attributes and constants.

load ../lib

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# shrink OPTIONS: the module of standard input, which runs then, too; its lines in `said`.
shrink() {
    cat >in.hlo
    hlo-opt --passes="shrink-dims{$1}" --verify-each in.hlo >out.hlo 2>said || fail "$(cat said)"
    hlo-run --inputs=hash -o /dev/null out.hlo >/dev/null 2>ran || fail "$(cat out.hlo ran)"
}

# has TEXT...: each is in the result.
has() {
    local text
    for text; do grep -qF -- "$text" out.hlo || fail "no '$text' in:" "$(cat out.hlo said)"; done
}

# keeps SIZE REASON: a warning about each.
keeps() {
    grep -qE "warning: shrink-dims: a dimension of size $1 of .* stays as it is: $2" said || fail "no '$1 ... $2' in:" "$(cat said)"
}

# entry LINE...: a module of these instructions.
entry() {
    printf 'HloModule m\nadd { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }\nENTRY main {\n'
    printf '  %s\n' "$@"
    printf '}\n'
}

@test "what depends on a size is divided with it: products, sums, moved and reshaped dimensions" {
    entry 'x = f32[4,128,512] parameter(0)' 'w = f32[512,8,64] parameter(1)' \
        'd = f32[4,128,8,64] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}' \
        't = f32[4,8,64,128] transpose(d), dimensions={0,2,3,1}' \
        'r = f32[4,512,128] reshape(t)' 'zero = f32[] constant(0)' \
        'ROOT s = f32[4,512] reduce(r, zero), dimensions={2}, to_apply=add' | shrink 'factor=8,least=64'
    has '%x = f32[4,16,64]{2,1,0} parameter(0)' '%w = f32[64,8,8]{2,1,0} parameter(1)' 'f32[4,16,8,8]{3,2,1,0} dot' \
        'f32[4,8,8,16]{3,2,1,0} transpose' 'f32[4,64,16]{2,1,0} reshape' 'ROOT %s.1 = f32[4,64]{1,0} reduce' \
        'entry_computation_layout={(f32[4,16,64]{2,1,0}, f32[64,8,8]{2,1,0})->f32[4,64]{1,0}}'
    [ ! -s said ] || fail "$(cat said)"
}

@test "parts of a dimension: multiples of the factor, a margin, a fixed part at either end, every second element" {
    entry 'x = f32[128] parameter(0)' 'half = f32[64] slice(x), slice={[64:128]}' 'next = f32[127] slice(x), slice={[1:128]}' \
        'first = f32[3] slice(x), slice={[0:3]}' 'last = f32[1] slice(x), slice={[127:128]}' 'even = f32[64] slice(x), slice={[1:128:2]}' \
        'zero = f32[] constant(0)' 'back = f32[128] pad(next, zero), padding=1_0' 'wide = f32[128] pad(half, zero), padding=64_0' \
        'end = f32[128] pad(last, zero), padding=127_0' 'spread = f32[128] pad(even, zero), padding=1_0_1' \
        'more = f32[129] concatenate(x, last), dimensions={0}' 'both = f32[192] concatenate(x, half), dimensions={0}' \
        'ROOT t = (f32[128], f32[128], f32[128], f32[128], f32[129], f32[192], f32[3]) tuple(back, wide, end, spread, more, both, first)' |
        shrink 'factor=8,least=64'
    has '%half = f32[8]{0} slice(%x), slice={[8:16]}' '%next = f32[15]{0} slice(%x), slice={[1:16]}' \
        '%first = f32[3]{0} slice(%x), slice={[0:3]}' '%last = f32[1]{0} slice(%x), slice={[15:16]}' \
        '%even = f32[8]{0} slice(%x), slice={[1:16:2]}' '%back = f32[16]{0} pad(%next, %zero), padding=1_0' \
        '%wide = f32[16]{0} pad(%half, %zero), padding=8_0' '%end = f32[16]{0} pad(%last, %zero), padding=15_0' \
        '%spread = f32[16]{0} pad(%even, %zero), padding=1_0_1' 'f32[17]{0} concatenate(%x, %last)' 'f32[24]{0} concatenate(%x, %half)'
}

@test "sizes in attributes: dynamic slices, gather, scatter, fft; topk keeps how many it returns" {
    entry 'x = f32[640,128] parameter(0)' 'i = s32[] parameter(1)' 'ids = s32[96,1] parameter(2)' 'c = c64[128] parameter(3)' 'zero = s32[] constant(0)' \
        'row = f32[1,128] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,128}' \
        'g = f32[96,128] gather(x, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}' \
        'sc = f32[640,128] scatter(x, ids, g), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add' \
        'f = c64[128] fft(c), fft_type=FFT, fft_length={128}' 'top = (f32[640,5], s32[640,5]) topk(x), k=5, largest=true' \
        'ROOT t = (f32[1,128], f32[640,128], c64[128], (f32[640,5], s32[640,5])) tuple(row, sc, f, top)' | shrink 'factor=8,least=64'
    has 'f32[1,16]{1,0} dynamic-slice(%x, %i, %zero), dynamic_slice_sizes={1,16}' 'slice_sizes={1,16}' 'f32[80,16]{1,0} scatter' \
        'fft_length={16}' '(f32[80,5]{1,0}, s32[80,5]{1,0}) topk(%x), k=5' '%ids = s32[12,1]{1,0} parameter(2)'
}

@test "convolutions with a group for each feature, and their gradients; windows of all elements" {
    entry 'x = f32[2,9,9,64] parameter(0)' 'k = f32[3,3,1,128] parameter(1)' \
        'c = f32[2,7,7,128] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=64' \
        'y = f32[2,7,7,64] slice(c), slice={[0:2], [0:7], [0:7], [0:64]}' \
        'g = f32[3,3,1,64] convolution(x, y), window={size=7x7}, dim_labels=f01b_i01o->01bf, batch_group_count=64' \
        'a = f32[128,3] parameter(2)' 'zero = f32[] constant(0)' \
        'up = f32[128,3] reduce-window(a, zero), window={size=128x1 pad=127_0x0_0}, to_apply=add' \
        'all = f32[1,3] reduce-window(a, zero), window={size=128x1}, to_apply=add' \
        'ROOT t = (f32[2,7,7,128], f32[3,3,1,64], f32[128,3], f32[1,3]) tuple(c, g, up, all)' | shrink 'factor=8,least=64'
    has 'f32[2,7,7,16]{3,2,1,0} convolution' 'feature_group_count=8' 'f32[3,3,1,8]{3,2,1,0} convolution' 'batch_group_count=8' \
        'window={size=16x1 pad=15_0x0_0}' 'f32[1,3]{1,0} reduce-window(%a, %zero), window={size=16x1}'
}

@test "loops, branches, calls and fusions have one size on both sides; aliases, too" {
    shrink 'factor=4,least=64' <<'H'
HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
cond { s = (f32[64], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=1 n = s32[] constant(64) ROOT l = pred[] compare(i, n), direction=LT }
body {
  s = (f32[64], s32[]) parameter(0)
  v = f32[64] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (f32[64], s32[]) tuple(v, j)
}
left { a = f32[64] parameter(0) ROOT n = f32[64] negate(a) }
right { b = f32[64] parameter(0) ROOT c = f32[64] copy(b) }
fused { b = f32[64] parameter(0) ROOT c = f32[64] sine(b) }
ENTRY main {
  x = f32[64] parameter(0)
  zero = s32[] constant(0)
  init = (f32[64], s32[]) tuple(x, zero)
  w = (f32[64], s32[]) while(init), condition=cond, body=body
  v = f32[64] get-tuple-element(w), index=0
  p = pred[] parameter(1)
  k = f32[64] conditional(p, v, v), true_computation=left, false_computation=right
  f = f32[64] fusion(k), kind=kLoop, calls=fused
  ROOT t = (f32[64], f32[64]) tuple(k, f)
}
H
    ! grep -q 'f32\[64\]' out.hlo || fail "$(cat out.hlo)"
    has 'constant(64)' 'input_output_alias={ {0}: (0, {}, may-alias) }' # a number is no size: the loop runs as often
}

@test "constants are those of the smallest indices; layouts and {...} stay" {
    entry 'c = s32[2,64]{0,1} constant({{'"$(seq -s, 0 63)"'},{'"$(seq -s, 100 163)"'}})' 'x = f32[64,64] constant({...})' \
        'ROOT t = (s32[2,64]{0,1}, f32[64,64]) tuple(c, x)' | shrink 'factor=16,least=64'
    has 's32[2,4]{0,1} constant({ { 0, 1, 2, 3 }, { 100, 101, 102, 103 } })' 'f32[4,4]{1,0} constant({...})'
}

@test "constants that are tuples, empty slices, and indices in one array" {
    entry 'c = (s32[8], (f32[], s32[2])) constant(({0,1,2,3,4,5,6,7}, (5, {6, 7})))' 'x = f32[64,128] parameter(0)' \
        'none = f32[0,128] slice(x), slice={[40:40], [0:128]}' 'i = s32[8] get-tuple-element(c), index=0' \
        'ROOT t = (f32[0,128], s32[8], (s32[8], (f32[], s32[2]))) tuple(none, i, c)' >in.hlo
    hlo-opt --passes='shrink-dims{factor=2,least=8}' --large-constants in.hlo >out.hlo
    hlo-verify out.hlo
    has '(s32[4]{0}, (f32[], s32[2]{0})) constant(( {0, 1, 2, 3}, ( 5, {6, 7} ) ))' 'f32[0,64]{1,0} slice(%x), slice={[8:8], [0:64]}'
    entry 'x = f32[4,128] parameter(0)' 'i = s32[2] parameter(1)' 'ROOT r = f32[1,64] dynamic-slice(x, i), dynamic_slice_sizes={1,64}' >in.hlo
    hlo-opt --passes='shrink-dims{factor=2,least=2}' --verify-each in.hlo >out.hlo 2>said || fail "$(cat said)"
    has '%i = s32[2]{0} parameter(1)'
}

@test "what cannot be divided stays, with the place and the reason" {
    entry 'x = f32[100,128] parameter(0)' 'y = f32[8,64] parameter(1)' 'u = f32[64] custom-call(y), custom_call_target="none"' \
        'g = f32[3,64]{1,0} constant({...})' 'r = f32[192] reshape(g)' 'q = f32[48,4] reshape(r)' 'z = f32[1,256,1,1] parameter(2)' \
        'k = f32[5,1,1,1] parameter(3)' 'v = f32[1,252,1,1] convolution(z, k), window={size=5x1}, dim_labels=b01f_01io->b01f' \
        'ROOT t = (f32[100,128], f32[48,4], f32[1,252,1,1], f32[64]) tuple(x, q, v, u)' >in.hlo
    hlo-opt --passes='shrink-dims' --verify-each in.hlo >out.hlo 2>said || fail "$(cat said)"
    keeps 100 "it is no multiple of the factor \(parameter 'x'\)"
    keeps 64 "a custom call takes or gives it \(custom-call 'u'\)"
    keeps 256 "it is a spatial dimension of a convolution \(convolution 'v'\)"
    has '%x = f32[100,16]{1,0} parameter(0)' '%y = f32[8,64]{1,0} parameter(1)' '%z = f32[1,256,1,1]{3,2,1,0} parameter(2)' 'f32[3,8]{1,0} constant({...})' 'f32[6,4]{1,0} reshape'
    grep -q '^in.hlo:[0-9]*:[0-9]*: warning' said || fail "no place: $(cat said)"
}

@test "named sizes are divided or refused; a product is divided in its largest part" {
    entry 'x = f32[96,64] parameter(0)' 'r = f32[4,24,64] reshape(x)' 'ROOT n = f32[4,24,64] negate(r)' >in.hlo
    hlo-opt --passes='shrink-dims{factor=2,sizes=96}' --verify-each in.hlo >out.hlo
    has '%x = f32[48,64]{1,0}' 'f32[4,12,64]'
    hlo-opt --passes='shrink-dims{factor=16,sizes=4,64}' in.hlo >out.hlo 2>said && fail "4 was divided by 16"
    expect_text said "in.hlo:"
    expect_text said "error: shrink-dims: a dimension of size 4 of 'r' stays as it is: it is no multiple of the factor (negate 'n')"
    for options in factor=1 least=0 factor=3000000000; do
        expect_status 1 hlo-opt --passes="shrink-dims{$options}" in.hlo
        expect_text "$err" "shrink-dims"
    done
}

@test "tiles of a sharding, and devices of an exchange, divide what is left" {
    cat >in.hlo <<'H'
HloModule m, num_partitions=8
ENTRY main {
  x = f32[64,256] parameter(0), sharding={devices=[4,2]<=[8]}
  a = f32[256] parameter(1), sharding={devices=[8]<=[8]}
  n = f32[64,256] negate(x), sharding={devices=[4,2]<=[8]}
  p = f32[16,128] parameter(2), sharding={replicated}
  q = f32[16,128] all-to-all(p), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={1}
  ROOT t = (f32[64,256], f32[16,128], f32[256]) tuple(n, q, a)
}
H
    hlo-opt --passes='shrink-dims{factor=32}' --verify-each in.hlo >out.hlo 2>said
    has 'f32[64,8]' 'f32[16,128]' '%a = f32[8]'
    keeps 64 "the new size is no multiple of the tiles of its sharding"
    keeps 128 "the new size is no multiple of the tiles of its sharding"
}

@test "operations without a rule keep the sizes around them" {
    entry 'x = f32[64,128] parameter(0)' 'z = f32[] constant(0)' \
        'w = f32[64,128] reduce-window(x, z), window={size=1x3 pad=0_0x1_1}, to_apply=add' 'ROOT n = f32[64,128] negate(w)' | shrink ''
    has 'f32[8,128]'
    keeps 128 "windows go over it"
    entry 'x = f32[64] parameter(0)' 'k = token[] after-all()' 'ROOT o = token[] outfeed(x, k), outfeed_shape=f32[64]' >in.hlo
    hlo-opt --passes=shrink-dims --verify-each in.hlo >out.hlo 2>said
    keeps 64 "no rule is known for an operation that takes or gives it \(outfeed 'o'\)"
}

@test "the instructions of dumps stay, with their names" {
    [ -n "$HLO_CORPUS" ] || skip "there is no corpus of dumps (HLO_CORPUS)"
    for name in qwen3_14b-1gpu-prefill_jit mixtral_8x7b-8gpu-prefill_jit gpt_j_6b-1gpu-predict_step; do
        hlo-opt --passes='shrink-dims{factor=8},shrink-dims{factor=8}' --verify-each "$HLO_CORPUS/$name.hlo" >out.hlo 2>said || fail "$name" "$(cat said)"
        hlo-opt --passes= "$HLO_CORPUS/$name.hlo" >in.hlo
        for file in in out; do sed -E -e 's/[a-z][a-z0-9]*\[[0-9,]*\](\{[^}]*\})?//g' -e 's/(slice|slice_sizes|padding)=(\{[^}]*\}|[^ ,]*)//g' -e '/constant\(/d' $file.hlo >$file.txt; done
        cmp in.txt out.txt || fail "$name" "$(diff in.txt out.txt | head -n 6)"
    done
    hlo-run --inputs=hash-positive -o /dev/null out.hlo >/dev/null || fail "the toy does not run"
}
