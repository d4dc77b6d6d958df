# hlo-run and custom calls: functions of shared libraries that are built here, what they are given and
# give, what is refused; built-in targets that have no golden case.

load ../lib

setup_file() {
    command -v cc >/dev/null || return 0
    cd "$BATS_FILE_TMPDIR"
    cat >library.c <<'C'
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus *status);
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *status, const char *message, size_t size);

/* f32[3,3] of f32[2] and f32[2,3]: row i is x[i % 2] plus the columns' sums. */
void table(void *out, const void **in) {
    const float *x = in[0], (*y)[3] = in[1];
    float(*z)[3] = out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) z[i][j] = x[i % 2] + y[0][j] + y[1][j];
}
/* (s32[2], (f32[], pred[])) of ((s32[2], f32[]), token[]): pointers to pointers. */
void trees(void *out, const void **in) {
    void *const *both = (void *const *)in[0];
    void **result = out, **inner = result[1];
    const int32_t *numbers = both[0];
    ((int32_t *)result[0])[0] = numbers[1];
    ((int32_t *)result[0])[1] = in[1] == NULL ? numbers[0] : -1;
    *(float *)inner[0] = 2 * *(const float *)both[1];
    *(unsigned char *)inner[1] = 7; /* any number that is not 0 is true */
}
/* The bytes of s8[2,3] in the order in which they stand. */
void flat(void *out, const void **in) { memcpy(out, in[0], 6); }
void nothing(void *out, const void **in) { (void)out, (void)in; }
/* Adds to what is there: needs output_to_operand_aliasing. */
void bump(void *out, const void **in) {
    for (int i = 0; i < 3; i++) ((int32_t *)out)[i] += out == in[0] ? 10 : 1000;
}
void half(void *out, const void **in, XlaCustomCallStatus *status) {
    int32_t n = *(const int32_t *)in[0];
    XlaCustomCallStatusSetSuccess(status);
    if (n % 2) XlaCustomCallStatusSetFailure(status, "an odd number, and more", 13);
    *(int32_t *)out = n / 2;
}
void times(void *out, const void **in, const char *opaque, size_t size, XlaCustomCallStatus *status) {
    char text[16] = {0};
    if (size >= sizeof text) XlaCustomCallStatusSetFailure(status, "long", 100);
    else memcpy(text, opaque, size);
    *(int32_t *)out = *(const int32_t *)in[0] * atoi(text);
}
C
    cc -shared -fPIC -o library.so library.c
    printf 'void half(void *out, const void **in) { *(int *)out = *(const int *)in[0] + 100; }\nint other;\n' >second.c
    cc -shared -fPIC -o second.so second.c
    printf 'void missing(void); void f(void *out, const void **in) { missing(); (void)out, (void)in; }\n' >broken.c
    cc -shared -fPIC -o broken.so broken.c
}

setup() {
    command -v cc >/dev/null || skip "no C compiler"
    cd "$BATS_FILE_TMPDIR"
}

# prints EXPECTED OPTION...: the module on standard input prints this.
prints() {
    local expected=$1
    shift
    cat >"$BATS_TEST_TMPDIR/m.hlo"
    expect_status 0 hlo-run "$BATS_TEST_TMPDIR/m.hlo" "$@"
    [ "$(cat "$out")" = "$expected" ] || fail "$(cat "$out")"
}

# refuses STATUS MESSAGE OPTION...: the module on standard input is refused with this message.
refuses() {
    local status=$1 message=$2
    shift 2
    cat >"$BATS_TEST_TMPDIR/m.hlo"
    expect_status "$status" hlo-run "$BATS_TEST_TMPDIR/m.hlo" "$@"
    expect_text "$err" "$message"
    [ ! -s "$out" ] || fail "$(cat "$out")"
}

@test "arrays in, an array out" {
    prints "f32[3,3] { { 51, 71, 91 }, { 52, 72, 92 }, { 51, 71, 91 } }" --custom-call-library library.so <<'H'
HloModule m
ENTRY e {
  x = f32[2] constant({1, 2})
  y = f32[2,3] constant({{10, 20, 30}, {40, 50, 60}})
  ROOT z = f32[3,3] custom-call(x, y), custom_call_target="table"
}
H
}

@test "the function of the operation semantics, as it stands there" {
    command -v c++ >/dev/null || skip "no C++ compiler"
    cat >seed.cc <<'C'
#include <cstdlib>
#define EXPECT_EQ(a, b) ((a) == (b) ? (void)0 : std::abort())
extern "C" void myfunc(void* out, void** in) {
  float (&x)[2] = *static_cast<float(*)[2]>(in[0]);
  float (&y)[2][3] = *static_cast<float(*)[2][3]>(in[1]);
  EXPECT_EQ(1, x[0]);
  EXPECT_EQ(2, x[1]);
  EXPECT_EQ(10, y[0][0]);
  EXPECT_EQ(20, y[0][1]);
  EXPECT_EQ(30, y[0][2]);
  EXPECT_EQ(40, y[1][0]);
  EXPECT_EQ(50, y[1][1]);
  EXPECT_EQ(60, y[1][2]);
  float (&z)[3][3] = *static_cast<float(*)[3][3]>(out);
  z[0][0] = x[1] + y[1][0];
  // ...
}
C
    c++ -shared -fPIC -o seed.so seed.cc
    prints "f32[3,3] { { 42, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }" --custom-call-library=seed.so <<'H'
HloModule m
ENTRY e {
  x = f32[2] constant({1, 2})
  y = f32[2,3] constant({{10, 20, 30}, {40, 50, 60}})
  ROOT z = f32[3,3] custom-call(x, y), custom_call_target="myfunc"
}
H
}

@test "tuples are pointers to pointers, tokens null" {
    prints "(s32[2], (f32[], pred[])) ( {6, 5}, ( 3, true ) )" --custom-call-library library.so <<'H'
HloModule m
ENTRY e {
  n = s32[2] constant({5, 6})
  f = f32[] constant(1.5)
  p = (s32[2], f32[]) tuple(n, f)
  t = token[] after-all()
  ROOT z = (s32[2], (f32[], pred[])) custom-call(p, t), custom_call_target="trees"
}
H
}

@test "arrays stand in the order of their layouts" {
    while IFS='|' read -r in result want; do
        cat >layout.hlo <<H
HloModule m
ENTRY e {
  x = s8[2,3]{1,0} constant({{1,2,3},{4,5,6}})
  y = s8[2,3]$in copy(x)
  ROOT z = s8[2,3]$result custom-call(y), custom_call_target="flat", operand_layout_constraints={s8[2,3]$in}
}
H
        expect_status 0 hlo-run layout.hlo --custom-call-library library.so
        [ "$(cat "$out")" = "s8[2,3] $want" ] || fail "$in to $result: $(cat "$out")"
    done <<'L'
{0,1}|{1,0}|{ { 1, 4, 2 }, { 5, 3, 6 } }
{1,0}|{0,1}|{ { 1, 3, 5 }, { 2, 4, 6 } }
{0,1}|{0,1}|{ { 1, 2, 3 }, { 4, 5, 6 } }
{1,0}|{1,0}|{ { 1, 2, 3 }, { 4, 5, 6 } }
L
    # XLA's parser takes this one, too.
    sed -i 's/operand_layout_constraints={s8\[2,3\]{1,0}}/operand_layout_constraints={s8[2,3]{0,0}}/' layout.hlo
    expect_status 0 hlo-verify layout.hlo
    expect_status 1 hlo-run layout.hlo --custom-call-library library.so
    expect_text "$err" "'z' (custom-call) has a layout constraint that does not name each dimension once [run]"
}

@test "a result that shares the memory of an operand starts as it" {
    prints "s32[3] {11, 12, 13}" --custom-call-library library.so <<'H'
HloModule m
ENTRY e {
  x = s32[3] constant({1, 2, 3})
  ROOT z = s32[3] custom-call(x), custom_call_target="bump", output_to_operand_aliasing={{}: (0, {})}
}
H
}

@test "empty arrays, and results that the function leaves alone" {
    prints "(f32[2], s8[0]) ( {0, 0}, {} )" --custom-call-library library.so <<'H'
HloModule m
ENTRY e {
  x = f32[0,3] constant({})
  ROOT z = (f32[2], s8[0]) custom-call(x), custom_call_target="nothing"
}
H
}

@test "a status that is returned, and the opaque text" {
    half='HloModule m
ENTRY e {
  p = s32[] parameter(0)
  ROOT z = s32[] custom-call(p), custom_call_target="half", api_version=API_VERSION_STATUS_RETURNING
}'
    printf 's32[] 8\n' >eight.txt
    printf 's32[] 7\n' >seven.txt
    prints "s32[] 4" --custom-call-library library.so --input p=eight.txt <<<"$half"
    refuses 1 "'z' (custom-call) has failed: an odd number" --custom-call-library library.so --input p=seven.txt <<<"$half"
    prints "s32[] 42" --custom-call-library library.so <<'H'
HloModule m
ENTRY e {
  p = s32[] constant(6)
  ROOT z = s32[] custom-call(p), custom_call_target="times", backend_config="7", api_version=API_VERSION_STATUS_RETURNING_UNIFIED
}
H
}

@test "libraries are asked in order, and before the built-in targets" {
    half='HloModule m
ENTRY e {
  p = s32[] constant(8)
  ROOT z = s32[] custom-call(p), custom_call_target="half"
}'
    prints "s32[] 108" --custom-call-library second.so --custom-call-library ./library.so <<<"$half"
    printf 'void Sharding(void *out, const void **in) { *(int *)out = -*(const int *)in[0]; }\n' >own.c
    cc -shared -fPIC -o own.so own.c
    prints "s32[] -8" --custom-call-library own.so <<<"${half/half/Sharding}"
}

@test "what cannot be called is refused before the run" {
    call='HloModule m
ENTRY e {
  p = s32[] constant(8)
  ROOT z = s32[] custom-call(p), custom_call_target="TARGET"
}'
    refuses 1 "4:8: error: 'z' (custom-call) calls the unknown target \"nobody\" [unsupported]" \
        --custom-call-library library.so <<<"${call/TARGET/nobody}"
    expect_text "$err" "hint: load its library with --custom-call-library"
    # What a library only depends on is not its own; a variable of libc would be called otherwise.
    refuses 1 'calls the unknown target "free"' --custom-call-library library.so <<<"${call/TARGET/free}"
    printf 'int number = 7; const char words[] = "two words"; int zero;\n' >data.c
    cc -shared -fPIC -o data.so data.c
    for data in number words zero; do
        refuses 1 "calls the unknown target \"$data\"" --custom-call-library data.so <<<"${call/TARGET/$data}"
    done
    refuses 1 'calls the unknown target ""' --custom-call-library library.so <<<"${call/TARGET/}"
    refuses 1 "has API_VERSION_TYPED_FFI" --custom-call-library library.so \
        <<<"${call/'"TARGET"'/'"flat", api_version=API_VERSION_TYPED_FFI'}"
    refuses 3 "cannot load the library ./no-such.so: " --custom-call-library ./no-such.so <<<"$call"
    refuses 3 "cannot load the library library.c: " --custom-call-library library.c <<<"$call"
    refuses 3 "undefined symbol: missing" --custom-call-library broken.so <<<"${call/TARGET/f}"
    prints "s32[] 0" --stub-custom-calls=zeros --custom-call-library library.so <<<"${call/TARGET/nobody}"
    refuses 2 "--stub-custom-calls takes zeros, not 'ones'" --stub-custom-calls=ones <<<"$call"
}

@test "a function that gives something else every time is found by --repeat" {
    printf 'void count(void *out, const void **in) { static int n; (void)in; *(int *)out = ++n; }\n' >count.c
    cc -shared -fPIC -o count.so count.c
    count='HloModule m
ENTRY e {
  ROOT z = s32[] custom-call(), custom_call_target="count"
}'
    prints "s32[] 1" --custom-call-library count.so <<<"$count"
    refuses 1 "error: run 2 differs from the first run in out0[] got 2, expected 1, error 1 [run]" --repeat=3 --custom-call-library count.so <<<"$count"
}

# built_in MESSAGE OPERAND RESULT CALL: a call of a built-in target is refused with this message.
built_in() {
    refuses 1 "'r' (custom-call) $1 [run]" --inputs=ones <<H
HloModule m
ENTRY e {
  p = $2 parameter(0)
  q = f32[3] parameter(1)
  c = f32[4,5] parameter(2)
  ROOT r = $3 custom-call($4, api_version=API_VERSION_TYPED_FFI
}
H
}

@test "built-in targets: operands, results and configurations that do not fit" {
    potrf='p), custom_call_target="lapack_spotrf_ffi"'
    built_in 'has no number "uplo" in its backend_config' "f32[4,4]" "(f32[4,4], s32[])" "$potrf"
    built_in 'has uplo = 75 in its backend_config, which is none of "LU"' "f32[4,4]" "(f32[4,4], s32[])" \
        "$potrf, backend_config=\"{uplo = 75 : ui8}\""
    built_in 'does not have the operands and results of lapack_spotrf_ffi' "f32[4,3]" "(f32[4,4], s32[])" \
        "$potrf, backend_config=\"{uplo = 76 : ui8}\""
    built_in 'does not have the operands and results of lapack_spotrf_ffi' "f64[4,4]" "(f32[4,4], s32[])" \
        "$potrf, backend_config=\"{uplo = 76 : ui8}\""
    built_in 'has sizes that do not match its backend_config' "f32[3,4]" "f32[3,4]" \
        'p, q), custom_call_target="lapack_sorgqr_ffi"'
    built_in 'has a triangle of a different size than the other operand' "f32[3,3]" "f32[4,5]" \
        'p, c), custom_call_target="lapack_strsm_ffi", backend_config="{diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}"'
    built_in 'does not have the result of TopK: values and s32 positions' "f32[4]" "(f32[2], s64[2])" \
        'p), custom_call_target="TopK"'
    built_in 'changes the shape of its operand: the module is not partitioned' "f32[4]" "f32[2]" \
        'p), custom_call_target="ShardBarrierTo"'
    built_in 'takes one operand' "f32[4]" "f32[4]" 'p, p), custom_call_target="Sharding"'
}

@test "a sparse product, and rows that are none" {
    sparse='HloModule m
ENTRY e {
  elements = f32[3] constant({1, 2, 3})
  starts = s32[4] constant({0, 2, 2, 3})
  columns = s32[3] constant({1, 0, 3})
  dense = f32[4,2] constant({{0, 1}, {2, 3}, {4, 5}, {6, 7}})
  ROOT r = f32[3,2] custom-call(elements, starts, columns, dense), custom_call_target="cpu_csr_sparse_dense_ffi", api_version=API_VERSION_TYPED_FFI
}'
    prints "f32[3,2] { { 2, 5 }, { 0, 0 }, { 18, 21 } }" <<<"$sparse"
    for wrong in "0, 2, 2, 4" "0, 2, 1, 3" "-1, 2, 2, 3"; do
        refuses 1 "'r' (custom-call) has rows or columns outside of its operands [run]" <<<"${sparse/0, 2, 2, 3/$wrong}"
    done
    refuses 1 "has rows or columns outside" <<<"${sparse/1, 0, 3/1, 0, 4}"
    refuses 1 "does not have the operands and result of a sparse product" <<<"${sparse//f32\[4,2\]/f64[4,2]}"
}

@test "a tridiagonal system whose pivot vanishes stays finite" {
    prints "f64[2,1] { {-4503599627370495}, {4503599627370496} }" <<'H'
HloModule m
ENTRY e {
  lower = f64[2] constant({0, 1})
  middle = f64[2] constant({1, 1})
  upper = f64[2] constant({1, 0})
  b = f64[2,1] constant({{1}, {2}})
  ROOT x = f64[2,1] custom-call(lower, middle, upper, b), custom_call_target="tridiagonal_solve_perturbed_ffi", api_version=API_VERSION_TYPED_FFI
}
H
    # Every step is rounded to f32.
    prints "f32[3,1] { {5.47619104}, {-1.07142889}, {4.16666698} }" <<'H'
HloModule m
ENTRY e {
  lower = f32[3] constant({0, 0.1, 0.7})
  middle = f32[3] constant({0.3, 0.2, 0.9})
  upper = f32[3] constant({0.6, 0.4, 0})
  b = f32[3,1] constant({{1}, {2}, {3}})
  ROOT x = f32[3,1] custom-call(lower, middle, upper, b), custom_call_target="tridiagonal_solve_perturbed_ffi", api_version=API_VERSION_TYPED_FFI
}
H
    refuses 1 "does not have the operands and result of a tridiagonal solver" <<'H'
HloModule m
ENTRY e {
  d = f64[3] constant({0, 1, 2})
  b = f64[2,1] constant({{1}, {2}})
  ROOT x = f64[2,1] custom-call(d, d, d, b), custom_call_target="tridiagonal_solve_perturbed_ffi"
}
H
}

@test "the Schur form of a matrix with infinities is none: LAPACK would not end" {
    cat >schur.hlo <<'H'
HloModule m

ENTRY main {
  x = f64[] constant(inf)
  a = f64[90,90] broadcast(x), dimensions={}
  s = (f64[90,90], f64[90,90], f64[90], f64[90], s32[], s32[]) custom-call(a), custom_call_target="lapack_dgees_ffi", api_version=API_VERSION_TYPED_FFI, backend_config={mode = 86 : i64, sort = 78 : i64}
  ROOT status = s32[] get-tuple-element(s), index=5
}
H
    expect_status 0 hlo-run schur.hlo
    [ "$(cat "$out")" = "s32[] -4" ] || fail "$(cat "$out")"
}

@test "PadToStatic and SliceToDynamic, which XLA's compiler writes" {
    cat >m.hlo <<'END'
HloModule m
ENTRY e {
  p = f32[5,3] parameter(0)
  rows = s32[] parameter(1)
  columns = s32[] constant(3)
  d = f32[<=5,3] custom-call(p, rows, columns), custom_call_target="SliceToDynamic"
  n = f32[<=5,3] negate(d)
  ROOT s = (f32[5,3], s32[], s32[]) custom-call(n), custom_call_target="PadToStatic"
}
END
    for engine in fast reference; do
        expect_status 0 hlo-run --engine=$engine --inputs=iota m.hlo --input rows=<(echo "s32[] 2")
        expect_text "$out" "( { { -0, -1, -2 }, { -3, -4, -5 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, 2, 3 )"
        expect_status 0 hlo-run --engine=$engine --inputs=iota m.hlo --input rows=<(echo "s32[] 0")
        expect_text "$out" "{ { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, 0, 3 )"
        expect_status 1 hlo-run --engine=$engine --inputs=iota m.hlo --input rows=<(echo "s32[] 6")
        expect_text "$err" "has a size of 6 in dimension 0, expected 0 to 5"
    done
    sed 's/custom-call(p, rows, columns)/custom-call(p, rows)/' m.hlo >few.hlo
    expect_status 1 hlo-run --inputs=iota few.hlo
    expect_text "$err" "does not have the operands of SliceToDynamic"
    sed 's/(f32\[5,3\], s32\[\], s32\[\])/(f32[5,3], s32[])/' m.hlo >few.hlo
    expect_status 1 hlo-run --inputs=iota few.hlo
    expect_text "$err" "does not have the result of PadToStatic"
}

# A call of `target` among operations that a rounding mode changes.
calling() {
    cat <<H
HloModule m
ENTRY e {
  a = f32[4] constant({1, 2, 3, 5})
  c = f32[4] custom-call(a), custom_call_target="$1", custom_call_has_side_effect=true
  t = f32[] constant(3)
  b = f32[4] broadcast(t), dimensions={}
  ROOT d = f32[4] divide(c, b)
}
H
}

@test "functions that change modes of arithmetic, crash or end the program" {
    command -v cc >/dev/null || skip "no C compiler"
    cat >hostile.c <<'C'
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((constructor)) static void start(void) { fesetround(FE_UPWARD); }
void rounds(void *out, const void **in) { fesetround(FE_DOWNWARD); feenableexcept(FE_INEXACT); memcpy(out, in[0], 16); }
void crashes(void *out, const void **in) { (void)out, (void)in, *(volatile int *)8 = 1; }
void aborts(void *out, const void **in) { (void)out, (void)in, abort(); }
void exits(void *out, const void **in) { (void)out, (void)in, exit(0); }
void quits(void *out, const void **in) { (void)out, (void)in, quick_exit(0); }
void forks(void *out, const void **in) {
    int status;
    pid_t child = fork();
    if (!child) exit(5);
    waitpid(child, &status, 0);
    memcpy(out, in[0], 16);
}
C
    cc -D_GNU_SOURCE -shared -fPIC -o hostile.so hostile.c -lm
    calling rounds | sed 's/custom-call(a), .*/copy(a)/' >plain.hlo
    hlo-run --print-limit=0 plain.hlo >plain
    ulimit -c 0
    # Sanitizers end a program that ends itself by a signal once more, in their own way.
    export TSAN_OPTIONS=${TSAN_OPTIONS:-}:handle_segv=0:handle_abort=0 ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0:handle_abort=0
    for target in rounds forks; do
        calling $target >m.hlo
        expect_status 0 hlo-run --print-limit=0 --custom-call-library=hostile.so m.hlo
        diff plain "$out" || fail "$target"
    done
    mkdir results
    while read -r target status what; do
        calling "$target" >"$target.hlo"
        expect_status "$status" hlo-run --custom-call-library=hostile.so --output-dir=results/r.npz "$target.hlo"
        expect_text "$err" "hlo-run: error: $target.hlo:4:3: custom-call 'c' of \"$target\" $what [custom-call]"
        expect_status "$status" hlo-run --custom-call-library=hostile.so "$target.hlo"
        [ ! -s "$out" ] || fail "$target: a result"
        [ -z "$(ls -A results)" ] || fail "$target leaves $(ls -A results)"
    done <<'END'
crashes 139 crashed: SIGSEGV
aborts 134 crashed: SIGABRT
exits 3 ended the program
quits 3 ended the program
END
}
