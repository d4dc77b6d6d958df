/* Memory of frames: buffers that serve at once do not overlap, over all models of tests/golden, and
 * take little more than is needed at once; a second run, and further iterations of a loop, allocate
 * nothing but results, whose blocks are kept; a block is not kept idle where large results are
 * made. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "eval/program/plan.h"
#include "eval/run/thread.h"
#include "eval/value/value_memory.h"
#include "unit/read_text.h"

static int passed, failed, skipped;

static void check(bool good, const char *what, const char *which) {
    if (good) passed++;
    else failed++;
    if (!good) fprintf(stderr, "buffers_test: %s (%s)\n", what, which);
}

/* ---- places ---- */

static bool overlap(const hlo_plan_buffer *a, const hlo_plan_buffer *b) {
    bool in_time = a->first <= b->last && b->first <= a->last;
    return in_time && a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

static bool is_placed(const hlo_plan_buffer *buffer) {
    return buffer->at != HLO_NOT_PLACED && buffer->bytes;
}

static void check_places(const hlo_plan *plan, const char *which) {
    bool apart = true, inside = true;
    for (uint32_t a = 0; a < plan->buffer_count; a++) {
        const hlo_plan_buffer *buffer = &plan->buffers[a];
        if (!is_placed(buffer)) continue;
        inside = inside && buffer->at + buffer->bytes <= plan->bytes && buffer->at % 64 == 0;
        for (uint32_t b = 0; b < a; b++)
            apart = apart && !(is_placed(&plan->buffers[b]) && overlap(buffer, &plan->buffers[b]));
    }
    check(apart, "buffers that serve at once are apart", which);
    check(inside, "buffers are inside of the memory", which);
    check(plan->bytes >= plan->least_bytes, "no less than what is needed", which);
    check(plan->bytes <= plan->least_bytes + plan->least_bytes / 5, "little more than is needed",
          which);
}

/* The root of the entry computation is what the caller gets, and has separate memory. */
static void check_root(const hlo_plan *plan, const char *which) {
    const hlo_plan_step *root = &plan->steps[plan->root];
    bool is_own =
        root->buffers == HLO_NO_BUFFER || plan->buffers[root->buffers].at == HLO_NOT_PLACED;
    check(is_own, "the result is not in the frame's memory", which);
}

static int check_file(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st;
    (void)ftw;
    size_t length = strlen(path);
    if (type != FTW_F || length < 4 || strcmp(path + length - 4, ".hlo") != 0) return 0;
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_open(path);
    hlo_module *module = NULL;
    hlo_program *program = NULL;
    hlo_program_options options = {.stub_custom_calls = true, .max_bytes = UINT64_C(1) << 50};
    if (source && hlo_parse(source, &diags, &module) == HLO_OK)
        program = hlo_program_new(module, &options, &diags);
    for (uint32_t n = 0; program && n < program->plan_count; n++) {
        check_places(program->plans[n], path);
        check_root(program->plans[n], path);
    }
    if (!program) skipped++; /* for several devices, for a host */
    hlo_program_free(program);
    hlo_module_free(module);
    if (source) hlo_source_release(source);
    hlo_diags_drop(&diags);
    return 0;
}

/* ---- allocations ---- */

/* Sanitizers have separate allocators, and only glibc has its functions under second names. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || !defined __GLIBC__
static const bool counts = false;
static long allocations;
#else
static const bool counts = true;
static long allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    allocations++;
    return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}
#endif

typedef struct {
    const char *name;
    long results; /* blocks that the caller gets */
    const char *text;
} allocation_case;

/* A loop runs n times; n is a parameter. */
static const allocation_case cases[] = {
    {"chain", 2,
     "HloModule chain\n"
     "ENTRY e { n = s32[] parameter(0) x = f32[96,96] parameter(1)\n"
     "  a = f32[96,96] sine(x)\n"
     "  b = f32[96,96] tanh(a)\n"
     "  c = f32[96,96] power(b, a)\n"
     "  d = f32[96,96] transpose(c), dimensions={1,0}\n"
     "  ROOT r = f32[96,96] add(d, b) }\n"},
    {"scalars", 1,
     "HloModule scalars\n"
     "body { s = (s32[], s32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  n = s32[] get-tuple-element(s), index=1 x = f32[] get-tuple-element(s), index=2\n"
     "  one = s32[] constant(1) half = f32[] constant(0.5) j = s32[] add(i, one)\n"
     "  y = f32[] multiply(x, half) z = f32[] add(y, x)\n"
     "  ROOT t = (s32[], s32[], f32[]) tuple(j, n, z) }\n"
     "cond { s = (s32[], s32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  n = s32[] get-tuple-element(s), index=1 ROOT p = pred[] compare(i, n), direction=LT }\n"
     "ENTRY e { n = s32[] parameter(0) x = f32[96,96] parameter(1)\n"
     "  zero = s32[] constant(0) one = f32[] constant(1)\n"
     "  s = (s32[], s32[], f32[]) tuple(zero, n, one)\n"
     "  l = (s32[], s32[], f32[]) while(s), condition=cond, body=body\n"
     "  ROOT r = f32[] get-tuple-element(l), index=2 }\n"},
    {"matrices", 2,
     "HloModule matrices\n"
     "half { a = f32[96,96] parameter(0) h = f32[] constant(0.5)\n"
     "  w = f32[96,96] broadcast(h), dimensions={} ROOT m = f32[96,96] multiply(a, w) }\n"
     "same { a = f32[96,96] parameter(0) ROOT m = f32[96,96] negate(a) }\n"
     "body { s = (s32[], s32[], f32[96,96]) parameter(0)\n"
     "  i = s32[] get-tuple-element(s), index=0 n = s32[] get-tuple-element(s), index=1\n"
     "  x = f32[96,96] get-tuple-element(s), index=2\n"
     "  one = s32[] constant(1) j = s32[] add(i, one)\n"
     "  y = f32[96,96] tanh(x)\n"
     "  two = s32[] constant(2) bit = s32[] remainder(i, two)\n"
     "  z = f32[96,96] conditional(bit, y, y), branch_computations={half, same}\n"
     "  h = f32[96,96] call(z), to_apply=half\n"
     "  f = f32[] constant(0.25) w = f32[96,96] broadcast(f), dimensions={}\n"
     "  m = f32[96,96] maximum(h, w) row = f32[1,8] slice(m), slice={[0:1], [0:8]}\n"
     "  u = f32[96,96] dynamic-update-slice(m, row, j, j) v = f32[96,96] multiply(x, w)\n"
     "  k = f32[96,96] subtract(u, v)\n"
     "  ROOT t = (s32[], s32[], f32[96,96]) tuple(j, n, k) }\n"
     "cond { s = (s32[], s32[], f32[96,96]) parameter(0)\n"
     "  i = s32[] get-tuple-element(s), index=0 n = s32[] get-tuple-element(s), index=1\n"
     "  ROOT p = pred[] compare(i, n), direction=LT }\n"
     "ENTRY e { n = s32[] parameter(0) x = f32[96,96] parameter(1) zero = s32[] constant(0)\n"
     "  s = (s32[], s32[], f32[96,96]) tuple(zero, n, x)\n"
     "  l = (s32[], s32[], f32[96,96]) while(s), condition=cond, body=body\n"
     "  ROOT r = f32[96,96] get-tuple-element(l), index=2 }\n"},
};

static hlo_value *number(const hlo_shape *shape, int32_t n) {
    hlo_value *value = hlo_value_zeros(shape);
    memcpy(value->data, &n, sizeof n);
    return value;
}

/* What a run with n iterations allocates. */
static long run(hlo_thread *thread, const hlo_shape *shape, int32_t n, hlo_value *x) {
    hlo_value *arguments[] = {number(shape, n), x};
    long before = allocations;
    hlo_value *result = hlo_thread_run(thread, arguments, 2);
    long count = allocations - before;
    check(result, "runs", "");
    hlo_value_release(result);
    hlo_value_release(arguments[0]);
    return count;
}

/* A loop moves its state from one block to another: the first iterations may allocate both. */
static void test_allocations(const allocation_case *c) {
    hlo_module *module = read_text(c->text);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_program *program = hlo_program_new(module, NULL, &diags);
    hlo_diags_render(&diags, stderr, false);
    check(program && program->plans[0]->has_memory, "its frames have memory", c->name);
    hlo_device *device = hlo_device_new(program, NULL);
    hlo_thread *thread = hlo_thread_new(device, NULL, &diags);
    const hlo_shape *count = module->entry->parameters[0]->shape;
    hlo_value *x = hlo_value_zeros(module->entry->parameters[1]->shape);
    long first = run(thread, count, 4, x), again = run(thread, count, 4, x);
    long longer = run(thread, count, 64, x);
    check(first > again, "the first run allocates what is kept", c->name);
    check(again <= c->results, "the second run allocates its results", c->name);
    check(longer <= again, "further iterations allocate nothing", c->name);
    if (again > c->results || longer > again)
        fprintf(stderr, "%s: %ld, %ld, %ld allocations\n", c->name, first, again, longer);
    hlo_value_release(x);
    hlo_thread_free(thread);
    hlo_device_free(device);
    hlo_program_free(program);
    hlo_diags_drop(&diags);
    hlo_module_free(module);
}

/* ---- pages ---- */

static const char pages_text[] =
    "HloModule pages\n"
    "ENTRY e { x = f32[4194304] parameter(0) ROOT r = f32[4194304] negate(x) }\n";

static long page_faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* The only array that is not the caller's is a result, which the caller releases before the next
 * run: a block that is kept in between. */
static void test_pages(void) {
    hlo_module *module = read_text(pages_text);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_program *program = hlo_program_new(module, NULL, &diags);
    hlo_device *device = hlo_device_new(program, NULL);
    hlo_thread *thread = hlo_thread_new(device, NULL, &diags);
    hlo_literal literal = {.shape = module->entry->parameters[0]->shape};
    literal.data = calloc(4194304, sizeof(float)); /* as a file that is mapped */
    hlo_value *x = hlo_value_from_literal(&literal);
    long faults[4] = {page_faults()};
    for (int run = 1; run < 4; run++) {
        hlo_value_release(hlo_thread_run(thread, &x, 1));
        faults[run] = page_faults();
    }
    check(faults[3] - faults[2] < 4, "a steady run touches no fresh pages", "pages");
    hlo_value_release(x);
    hlo_thread_free(thread);
    hlo_device_free(device);
    hlo_program_free(program);
    hlo_diags_drop(&diags);
    hlo_module_free(module);
    free(literal.data);
}

/* ---- the limit ---- */

/* A block for y would stay while r is made: 12 MiB together with x, where arrays that come and go
 * take 8. Small arrays have a block all the same. */
static const char limit_text[] =
    "HloModule limit\n"
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { x = f32[1048576] parameter(0) y = f32[1048576] sine(x) zero = f32[] constant(0)\n"
    "  s = f32[] reduce(y, zero), dimensions={0}, to_apply=add\n"
    "  ROOT r = f32[1048576] broadcast(s), dimensions={} }\n";

static void test_limit(uint64_t limit, const char *which) {
    hlo_module *module = read_text(limit_text);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_program_options options = {.max_bytes = limit};
    hlo_program *program = hlo_program_new(module, &options, &diags);
    const hlo_plan *plan = program->plans[0];
    check(plan->has_memory && plan->bytes > 0, "small arrays have a block", which);
    check(plan->bytes < 1 << 20, "large arrays that would be idle have none", which);
    uint64_t peak = hlo_program_get_memory(program).peak;
    check(peak < UINT64_C(9) << 20, "the peak is what lives at once", which);
    hlo_program_free(program);
    hlo_diags_drop(&diags);
    hlo_module_free(module);
}

int main(void) {
    const char *root = getenv("HLO_ROOT");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/golden/models", root ? root : ".");
    if (nftw(path, check_file, 16, FTW_PHYS) != 0) {
        fprintf(stderr, "buffers_test: cannot read %s\n", path);
        return 1;
    }
    for (size_t i = 0; counts && i < sizeof cases / sizeof *cases; i++) test_allocations(&cases[i]);
    if (counts) test_pages();
    test_limit(UINT64_C(1) << 40, "1 TiB");
    test_limit(UINT64_C(9) << 20, "9 MiB");
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
