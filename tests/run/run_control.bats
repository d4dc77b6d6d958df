# What hlo-run does around a run: parts of it, looking inside, limits, interruption, measuring.

load ../lib

setup() {
    modules=$HLO_ROOT/tests/run
    results=$BATS_TEST_TMPDIR/results
}

@test "--only runs what one instruction needs" {
    expect_status 0 hlo-run --inputs=ones --only=first "$modules/loop.hlo"
    [ "$(cat "$out")" = "(s32[], f32[2]) ( 0, {1, 1} )" ] || fail "$(cat "$out")"
    expect_status 0 hlo-run --only=%zero "$modules/loop.hlo"
    [ "$(cat "$out")" = "s32[] 0" ] || fail "$(cat "$out")"
    expect_status 2 hlo-run --only=loop "$modules/loop.hlo"
    expect_text "$err" "error: input 0 of 2, 'start' f32[2], is not given [input]"
    ! grep -q "input 1" "$err" || fail "the other input is not needed: $(cat "$err")"
    expect_status 2 hlo-run --inputs=ones --only=nobody "$modules/loop.hlo"
    expect_text "$err" "error: there is no instruction 'nobody' [input]"
}

# gives VALUE NAME: --only=NAME of inside.hlo.
gives() {
    expect_status 0 hlo-run --inputs=ones --only="$2" "$modules/inside.hlo"
    [ "$(cat "$out")" = "$1" ] || fail "$2: $(cat "$out") instead of $1"
}

# gives_none STATUS MESSAGE NAME
gives_none() {
    expect_status "$1" hlo-run --inputs=ones --only="$3" "$modules/inside.hlo"
    expect_text "$err" "$2"
    [ ! -s "$out" ] || fail "$(cat "$out")"
}

@test "--only inside loops, calls, fusions and branches: by path, or where it runs first" {
    gives "f32[2] {2, 2}" y
    gives "f32[2] {2, 2}" loop/y
    gives "f32[2] {8, 8}" loop/2/y
    gives "f32[2] {3, 3}" %loop/1/unused
    gives "pred[] false" loop/3/goes_on
    gives "f32[2] {9, 9}" outer/inner/deep
    gives "f32[2] {9, 9}" deep
    gives "f32[2] {8, 8}" branches/less
    gives_none 1 "'y' does not run with these inputs, or not in that caller [run]" loop/3/y
    gives_none 1 "'more' does not run with these inputs, or not in that caller [run]" more
    gives_none 2 "'c' has no single value: 'total' (reduce) applies its computation to many elements at once" c
    gives_none 2 "'total/c' has no single value" total/c
    gives_none 2 "there is no instruction 'lonely' that runs: its computation is not called" lonely
    for name in loop/x/y loop/ /y loop/2 outer/deep loop/99999999999999999999/nobody; do
        gives_none 2 "there is no instruction '$name' [input]" $name
    done
}

@test "--dump-values writes every instruction's value, by caller and trip" {
    expect_status 0 hlo-run --inputs=ones --dump-values="$results" "$modules/loop.hlo"
    for file in start.npy 'first{1}.npy' loop/0/y.npy loop/2/root.npy loop/3/goes_on.npy 'loop/1/t{0}.npy' \
        'loop{1}.npy' twice/sum.npy twice.npy; do
        [ -f "$results/$file" ] || fail "$file is missing: $(cd "$results" && find . -type f)"
    done
    [ "$(find "$results" -type f | wc -l)" = 65 ] || fail "$(find "$results" -type f | wc -l) files"
    [ "$(tail -c 8 "$results/loop/1/y.npy" | od -An -tx1)" = " 00 00 80 bf 00 00 80 bf" ]
    expect_status 3 hlo-run --inputs=ones --dump-values=/dev/null/x "$modules/loop.hlo"
    expect_text "$err" "error: cannot make /dev/null/x: Not a directory [system]"
}

@test "--trace-values names instructions by caller and trip" {
    expect_status 0 hlo-run --inputs=ones --trace-values "$modules/loop.hlo"
    expect_text "$err" "loop/1/y f32[2]: min -1 max -1 mean -1 nan 0"
    expect_text "$err" "loop/1/root f32[2]: nan 2"
    expect_text "$err" "loop/3/goes_on pred[]: min 0 max 0 mean 0 nan 0"
    expect_text "$err" "twice/sum f32[2]: nan 2"
    [ "$(wc -l <"$err")" = 17 ] || fail "$(wc -l <"$err") lines"
    # What computes nothing is shown where it is selected.
    expect_status 0 hlo-run --inputs=ones --trace-values --watch='*' "$modules/loop.hlo"
    expect_text "$err" "start f32[2]: min 1 max 1 mean 1 nan 0"
    [ "$(wc -l <"$err")" = 53 ] || fail "$(wc -l <"$err") lines"
}

@test "--break-on-nan names the first instruction that makes one, the loop's trip and the operands" {
    for threads in 1 4; do
        expect_status 1 hlo-run --inputs=ones --threads=$threads --break-on-nan "$modules/loop.hlo"
        expect_text "$err" "loop.hlo:12:3: error: 'root' (sqrt) produces 2 NaN in loop/1 [run]"
        expect_text "$err" "note: operand 'y' has min -1 max -1 mean -1 nan 0"
    done
}

@test "runs that are repeated start from the seed" {
    expect_status 0 hlo-run --repeat=3 --seed=5 "$modules/random.hlo"
    expect_status 0 hlo-run --seed=5 "$modules/random.hlo"
    cp "$out" "$results"
    expect_status 0 hlo-run --repeat=2 --seed=5 "$modules/random.hlo"
    cmp "$out" "$results"
    expect_status 0 hlo-run --seed=6 "$modules/random.hlo"
    ! cmp -s "$out" "$results" || fail "the seed makes no difference"
}

@test "--memory-limit refuses a run that needs more before it begins" {
    expect_status 3 hlo-run --inputs=ones --threads=1 --memory-limit=100M "$modules/products.hlo"
    expect_text "$err" "products.hlo:7:3: error: a run needs 183 MiB at once, inputs among them (61.0 MiB), and the limit is 100 MiB [limit]"
    expect_text "$err" "hint: --memory-limit sets the limit"
    expect_status 0 hlo-run --inputs=ones --memory-limit=1KiB "$modules/random.hlo"
    for size in 100X -5 '' 12Gi 0.5; do
        expect_status 2 hlo-run --memory-limit="$size" "$modules/random.hlo"
        expect_text "$err" "hlo-run: --memory-limit takes a size such as 500M or 16G, not '$size'"
    done
    for size in 0 1e30 9000000T; do
        expect_status 2 hlo-run --memory-limit="$size" "$modules/random.hlo"
        expect_text "$err" "hlo-run: --memory-limit=$size is out of range: 1 to 9223372036854775807"
    done
}

@test "--memory-limit counts unused inputs and scratch memory" {
    cat >"$BATS_TEST_TMPDIR/unused.hlo" <<'HLO'
HloModule unused

ENTRY e {
  a = f32[8000000] parameter(0)
  ROOT b = f32[] parameter(1)
}
HLO
    expect_status 3 hlo-run --inputs=ones --memory-limit=1M "$BATS_TEST_TMPDIR/unused.hlo"
    expect_text "$err" "error: a run needs 30.5 MiB at once, inputs among them (30.5 MiB), and the limit is 1.00 MiB [limit]"
    expect_status 0 hlo-run --inputs=ones --memory-limit=1M --only=b "$BATS_TEST_TMPDIR/unused.hlo"
    # Sorting by a comparator needs places besides the elements.
    cat >"$BATS_TEST_TMPDIR/sort.hlo" <<'HLO'
HloModule sort

before {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] sine(a)
  ROOT less = pred[] compare(c, b), direction=LT
}

ENTRY e {
  a = f32[1000000] parameter(0)
  ROOT s = f32[1000000] sort(a), dimensions={0}, to_apply=before
}
HLO
    expect_status 3 hlo-run --inputs=ones --memory-limit=9M "$BATS_TEST_TMPDIR/sort.hlo"
    expect_status 0 hlo-run --inputs=ones --threads=2 --memory-limit=100M "$BATS_TEST_TMPDIR/sort.hlo"
}

# interrupt SIGNAL STATUS ARGUMENT...: hlo-run ends soon after the signal, with the status, and leaves nothing.
interrupt() {
    local signal=$1 wanted=$2 status=0 start
    shift 2
    hlo-run "$@" --output-dir "$results" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
    local run=$!
    sleep 0.7
    start=$(date +%s%N)
    kill "-$signal" $run
    wait $run || status=$?
    [ $status = "$wanted" ] || fail "status $status: $(cat "$BATS_TEST_TMPDIR/err")"
    [ $(($(date +%s%N) - start)) -lt 20000000000 ] || fail "it took too long"
    [ ! -e "$results" ] || fail "there are results"
}

@test "an interrupted run ends at once, by the signal, without results" {

    interrupt INT 130 --inputs=hash "$modules/products.hlo"
    for threads in 1 4; do
        interrupt TERM 143 --inputs=hash --threads=$threads "$modules/products.hlo"
        interrupt TERM 143 --inputs=zeros --threads=$threads "$modules/endless.hlo"
        # On a busy machine it may not reach a step's end in time to report it.
        [ ! -s "$BATS_TEST_TMPDIR/err" ] || expect_text "$BATS_TEST_TMPDIR/err" "was interrupted [system]"
    done
}

# ended_by SIGNAL NUMBER COMMAND...: the command, which takes long, gets the signal after 0.3 s of processor time and
# ends by it before it has used ten: a busy machine, or a sanitizer, may deliver the signal late. Under nohup programs
# ignore HUP, as they should: not here.
ended_by() {
    local signal=$1 number=$2 status=0 used=0 pid
    shift 2
    (ulimit -t 10 && exec env --default-signal=HUP "$@") >/dev/null 2>"$BATS_TEST_TMPDIR/err" 3>&- &
    pid=$!
    while [ "$used" -lt 30 ] && [ -e /proc/$pid ]; do
        sleep 0.02
        used=$(awk '{print $14 + $15}' /proc/$pid/stat) || break
    done
    kill "-$signal" $pid || fail "it ended too early: $* $(cat "$BATS_TEST_TMPDIR/err")"
    wait $pid || status=$?
    [ $status = $((128 + number)) ] || fail "status $status: $* $(cat "$BATS_TEST_TMPDIR/err")"
}

@test "kernels that cannot be stopped, and printing, end with the program" {
    [ "$(basename "$HLO_BUILD")" != tsan ] || skip "ThreadSanitizer keeps signals until the C library is called"
    cd "$BATS_TEST_TMPDIR"
    module() { printf 'HloModule m\n\nENTRY e {\n  a = %s parameter(0)\n  ROOT c = %s\n}\n' "$2" "$3" >"$1.hlo"; }
    module dot 'f32[3000,3000]' 'f32[3000,3000] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}'
    module solve 'f64[3000,3000]' 'f64[3000,3000] triangular-solve(a, a), left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE'
    module print 'f64[20000000]' 'f64[20000000] copy(a)'
    for signal in TERM:15 INT:2; do
        ended_by ${signal%:*} ${signal#*:} hlo-run --threads=1 --inputs=ones --engine=reference dot.hlo
        ended_by ${signal%:*} ${signal#*:} hlo-run --threads=1 --inputs=ones solve.hlo
        ended_by ${signal%:*} ${signal#*:} hlo-run --threads=1 --inputs=hash print.hlo
    done
    # By the time, or by a second signal: nothing is left of what was being written.
    mkdir results
    ended_by TERM 15 hlo-run --threads=1 --inputs=hash print.hlo -o results/x.json
    printf 'HloModule m\n\nENTRY e {\n  ROOT c = u8[900000000] constant({...})\n}\n' >many.hlo
    for signal in TERM:15 HUP:1; do
        ended_by ${signal%:*} ${signal#*:} hlo-opt --large-constants many.hlo -o results/x.hlo
        ended_by ${signal%:*} ${signal#*:} hlo-opt --emit=json many.hlo -o results/x.json
    done
    [ -z "$(ls -A results)" ] || fail "left: $(ls -A results)"
}

@test "a long run reports progress on a terminal" {
    needs_terminal
    timeout -s TERM 120 script -qec "hlo-run --inputs=zeros $modules/endless.hlo" /dev/null >"$results" </dev/null 2>&1 3>&- &
    local watched=$!
    for ((tries = 0; tries < 1000; tries++)); do
        if grep -q "instruction 2" "$results"; then break; fi
        sleep 0.1
    done
    kill "$watched"
    wait "$watched" || true
    expect_text "$results" "instruction 2 of 2: loop"
    timeout -s TERM 3 hlo-run --inputs=zeros "$modules/endless.hlo" 2>"$results" 3>&- || true
    ! grep -q "instruction 2" "$results" || fail "a file sees it too"
}

# cannot_run MESSAGE: the module on standard input is refused, or fails, with this message.
cannot_run() {
    cat >"$BATS_TEST_TMPDIR/m.hlo"
    expect_status 1 hlo-run --inputs=ones "$BATS_TEST_TMPDIR/m.hlo"
    expect_text "$err" "$1"
    [ ! -s "$out" ] || fail "$(cat "$out")"
}

@test "what has no meaning on its operands is an error with the operation and its place" {
    cannot_run "m.hlo:4:8: error: 'r' (rng-bit-generator) takes a state of u64[2] or u64[3] and returns bits, with or without the new state [unsupported]" <<'H'
HloModule m
ENTRY e {
  s = u64[4] parameter(0)
  ROOT r = (u64[4], u32[4]) rng-bit-generator(s), algorithm=rng_philox
}
H
    cannot_run "'r' (rng-bit-generator) takes a state of u64[2] and returns bits, with or without the new state [unsupported]" <<'H'
HloModule m
ENTRY e {
  s = u64[3] parameter(0)
  ROOT r = (u64[3], u32[4]) rng-bit-generator(s), algorithm=rng_three_fry
}
H
    cannot_run "'r' (fft) has the length 6 for dimension 1 of c64[2,4] [fft-length]" <<'H'
HloModule m
ENTRY e {
  x = c64[2,4] parameter(0)
  ROOT r = c64[2,4] fft(x), fft_type=FFT, fft_length={6}
}
H
    cannot_run "'r' (fft) has the length 0 for dimension 0 of c64[4,2] [fft-length]" <<'H'
HloModule m
ENTRY e {
  x = c64[4,2] parameter(0)
  ROOT r = c64[4,2] fft(x), fft_type=IFFT, fft_length={0,2}
}
H
    cannot_run "'r' (topk) does not support elements of type c64 [unsupported]" <<'H'
HloModule m
ENTRY e {
  x = c64[4] parameter(0)
  ROOT r = (c64[2], s32[2]) topk(x), k=2, largest=true
}
H
    cannot_run "is in a computation called more than 200 levels deep [limit]" < <(
        printf 'HloModule m\nlevel0 { ROOT p = f32[] parameter(0) }\n'
        for ((i = 1; i < 205; i++)); do
            printf 'level%d {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=level%d\n}\n' $i $((i - 1))
        done
        printf 'ENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=level204\n}\n'
    )
}

# refused_by_both MODULE TEXT: neither engine runs it, and the message contains TEXT.
refused_by_both() {
    local engine
    for engine in fast reference; do
        expect_status 1 hlo-run --inputs=iota --engine=$engine "$1"
        expect_text "$err" "$2"
    done
}

@test "dimensions of gather and scatter with two roles are refused by both engines" {
    refused_by_both "$HLO_ROOT/tests/fuzz/run/scatter-batching-and-inserted.hlo" \
        "has dimension 1 of its operand both as a batching dimension and as one that windows lack [run]"
    refused_by_both "$HLO_ROOT/tests/fuzz/run/gather-batching-of-index-vectors.hlo" \
        "has the index vectors' dimension 1 as a batching dimension [run]"
}

@test "a scatter into arrays of different sizes, or of such updates, is refused by both engines" {
    updates=$HLO_ROOT/tests/fuzz/run/scatter-updates-of-two-sizes.hlo
    sed 's/p4 = s32\[7,1\]/p4 = s32[7,5]/; s/p1 = s32\[10,5\]/p1 = s32[3,5]/; s/(f32\[10,5\], s32\[10,5\]) scatter/(f32[10,5], s32[3,5]) scatter/' "$updates" >"$BATS_TEST_TMPDIR/arrays.hlo"
    refused_by_both "$updates" "'r' (scatter) has operands 3 and 4 of different sizes [run]"
    refused_by_both "$BATS_TEST_TMPDIR/arrays.hlo" "'r' (scatter) has operands 0 and 1 of different sizes [run]"
}

@test "an instruction that cannot be executed is not folded either" {
    cat >"$BATS_TEST_TMPDIR/fold.hlo" <<'H'
HloModule m
ENTRY e {
  x = c64[4] constant({(1,0),(2,0),(3,0),(4,0)})
  ROOT r = c64[4] fft(x), fft_type=FFT, fft_length={0}
}
H
    expect_status 0 hlo-opt --passes=constant_folding "$BATS_TEST_TMPDIR/fold.hlo"
    expect_text "$out" "fft(%x), fft_type=FFT, fft_length={0}"
}

@test "a limit of file sizes leaves the old results, whole, and nothing else" {
    cat >"$BATS_TEST_TMPDIR/large.hlo" <<'H'
HloModule large
ENTRY e {
  n = f32[] parameter(0)
  ROOT r = (f32[1000000], f32[10]) tuple(a, b)
}
H
    sed -i 's/^  ROOT/  a = f32[1000000] broadcast(n), dimensions={}\n  b = f32[10] broadcast(n), dimensions={}\n  ROOT/' \
        "$BATS_TEST_TMPDIR/large.hlo"
    for form in "$results" "$results.npz" "$results.json" "$results.txt"; do
        expect_status 0 hlo-run --inputs=ones -o "$form" "$BATS_TEST_TMPDIR/large.hlo"
        before=$(find "$BATS_TEST_TMPDIR" -type f -not -name err -not -name out -exec cksum {} + | sort)
        (ulimit -f 100 && expect_status 3 hlo-run --inputs=zeros -o "$form" "$BATS_TEST_TMPDIR/large.hlo")
        expect_text "$BATS_TEST_TMPDIR/err" "File too large"
        [ "$before" = "$(find "$BATS_TEST_TMPDIR" -type f -not -name err -not -name out -exec cksum {} + | sort)" ] || fail "$form has changed"
    done
}

@test "--bench reports what the bench contract requires" {
    expect_status 0 hlo-run --inputs=ones --only=last --bench=5 --bench-json="$results" "$modules/loop.hlo"
    local number='[0-9]+(\.[0-9]+)?'
    grep -qE "^\{\"parse_s\": $number, \"prepare_s\": $number, \"first_run_s\": $number, \"run_median_s\": $number, \"run_min_s\": $number, \"peak_bytes\": [1-9][0-9]*\}$" \
        "$results" || fail "$(cat "$results")"
    expect_status 0 hlo-run --inputs=ones --bench=1 "$modules/loop.hlo"
    [[ $(tail -n 1 "$err") == '{"parse_s":'* ]] || fail "$(cat "$err")"
    [ ! -s "$out" ] || fail "the result is printed"
    expect_status 2 hlo-run --inputs=ones --bench=0 "$modules/loop.hlo"
    expect_status 3 hlo-run --inputs=ones --bench=1 --bench-json=/nowhere/x.json "$modules/loop.hlo"
    expect_text "$err" "cannot write /nowhere/x.json: No such file or directory"
}

@test "operands of other sizes than the verifier looks at are refused by both engines" {
    local found=$HLO_ROOT/tests/fuzz/run
    refused_by_both "$found/norm-of-vectors-without-elements.hlo" "'r' (batch-norm-inference) has f32[5,0] as operand 3, not a vector of 5 features [batch-norm-feature]"
    refused_by_both "$found/dynamic-reshape-by-vectors.hlo" "'r' (dynamic-reshape) has s32[0] as operand 1, not a scalar [dynamic-reshape-sizes]"
    refused_by_both "$found/ragged-rows-of-two-sizes.hlo" "'n' (ragged-all-to-all) sends rows of f32[8,4] to f32[8,1], which has other rows [run]"
    refused_by_both "$found/permute-offsets-of-different-forms.hlo" "has (s32[], s32[]) as offsets in f32[4,5], not an integer for each dimension of every slice [permute-buffers]"
    refused_by_both "$found/permute-offsets-without-elements.hlo" "has (s32[0], s32[0]) as offsets in f32[4,5], not an integer for each"
    refused_by_both "$found/permute-offsets-of-tokens.hlo" "has ((token[], token[])) as offsets in f32[4,5], not an integer for each"
    refused_by_both "$found/convolution-with-a-sparse-kernel.hlo" "'r' (convolution) has a sparse operand [unsupported]"
}

# printed_by_both TEXT OPTION...: what both engines print.
printed_by_both() {
    local engine text=$1
    shift
    for engine in fast reference; do
        expect_status 0 hlo-run --engine=$engine "$@"
        [ "$(cat "$out")" = "$text" ] || fail "$engine: $(cat "$out")"
    done
}

@test "slices of buffers are updated by both engines" {
    printed_by_both "f32[4,3] { { 0, 1, 2 }, { 3, 4, 5 }, { 0, 0, 0 }, { 0, 0, 0 } }" --inputs=iota "$HLO_ROOT/tests/fuzz/run/update-of-a-created-buffer.hlo"
    printed_by_both "f32[4,3] { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } }" --inputs=ones "$HLO_ROOT/tests/fuzz/run/update-of-a-buffer.hlo"
}

@test "a dot of arrays without run-time sizes has none, by both engines" {
    printed_by_both "u8[<=3,2] { { 4, 4 }, { 4, 4 }, { 4, 4 } }" --inputs=ones "$HLO_ROOT/tests/fuzz/run/dot-of-bounded-dimensions.hlo"
}

@test "select-and-scatter finds nothing between the elements of a dilated operand" {
    printed_by_both "f32[3] {1, 3, 5}" "$modules/select-and-scatter-dilated.hlo"
}

@test "large matrices of which there are none need no memory" {
    printed_by_both "f32[0,1000000,1000000] {  }" --inputs=ones "$HLO_ROOT/tests/fuzz/run/cholesky-of-no-large-matrices.hlo"
}

@test "--bench reports the memory of the program, not of the one that started it" {
    command -v python3 >/dev/null || skip "no python3"
    grep -q '^VmHWM:' /proc/self/status || skip "the system does not say"
    [ "$(basename "$HLO_BUILD")" = build ] || skip "the plain build only: sanitizers take memory of their own"
    python3 -c 'import subprocess, sys
memory = bytearray(300 << 20)
subprocess.run(sys.argv[1:], check=True)' hlo-run --inputs=ones --bench=1 --bench-json="$results.json" "$modules/loop.hlo"
    [ "$(jq .peak_bytes "$results.json")" -lt 100000000 ] || fail "$(cat "$results.json")"
}

@test "a fusion needs the memory of its operands and its result, not that of each instruction in it" {
    cd "$BATS_TEST_TMPDIR"
    { # 4 MiB in, 4 MiB out, and numbers of 4 MiB in between that are there at once one by one
        printf 'HloModule m\nENTRY e {\n  x = f32[1048576] parameter(0)\n'
        for i in 1 2 3 4 5 6 7 8; do printf '  c%d = f32[] constant(%d)\n  b%d = f32[1048576] broadcast(c%d), dimensions={}\n  m%d = f32[1048576] multiply(x, b%d)\n' $i $i $i $i $i $i; done
        printf '  sum1 = f32[1048576] add(m1, m2)\n'
        for i in 2 3 4 5 6 7; do printf '  sum%d = f32[1048576] add(sum%d, m%d)\n' $i $((i - 1)) $((i + 1)); done
        printf '  ROOT r = f32[1048576] tanh(sum7)\n}\n'
    } >chain.hlo
    expect_status 0 hlo-run --inputs=ones --threads=1 --memory-limit=9M --output-dir results chain.hlo
    expect_status 3 hlo-run --inputs=ones --threads=1 --memory-limit=9M --output-dir results --as-written chain.hlo
    expect_text "$err" "a run needs"
    expect_status 3 hlo-run --inputs=ones --threads=1 --memory-limit=7M --output-dir results chain.hlo
}
