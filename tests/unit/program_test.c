/* Programs and their devices: one program run by four devices in four threads at once must give
 * each of them the bits that it gets alone, and a step without memory must end the run whichever
 * thread it runs in. Under ThreadSanitizer nothing that the devices share may race. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"
#include "eval/kernel/lanes_isa.h"
#include "eval/kernels/moves/move_kernels.h"
#include "eval/program/plan.h"
#include "eval/run/thread.h"
#include "eval/value/value_memory.h"
#include "ir/fill.h"
#include "unit/read_text.h"
#include "unit/value_bytes.h"

enum { DEVICES = 4, ITERATIONS = 8, SIZE = 48 };

static int passed, failed;

static void check(bool good, const char *what, uint32_t which) {
    if (good) passed++;
    else failed++;
    if (!good) fprintf(stderr, "program_test: %s (%u)\n", what, which);
}

/* Everything that is separate for a device (generators, a host, a channel, its number), and kernels
 * with prepared states, scratch memory and called computations. */
static const char text[] =
    "HloModule devices\n"
    "decay { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    "  half = f32[] constant(0.5) h = f32[] multiply(a, half) ROOT r = f32[] add(h, b) }\n"
    "by_size { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    "  i = s32[] parameter(2) j = s32[] parameter(3)\n"
    "  x = f32[] abs(a) y = f32[] abs(b) ROOT less = pred[] compare(x, y), direction=LT }\n"
    "blend { a = f32[] parameter(0) b = f32[] parameter(1)\n"
    "  s = f32[] sine(a) ROOT r = f32[] subtract(s, b) }\n"
    "body { s = (s32[], f32[48,48], f32[48,48]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  v = f32[48,48] get-tuple-element(s), index=1\n"
    "  w = f32[48,48] get-tuple-element(s), index=2\n"
    "  one = s32[] constant(1) next = s32[] add(i, one)\n"
    "  t = token[] after-all()\n"
    "  fed = (f32[48,48], token[]) infeed(t)\n"
    "  new = f32[48,48] get-tuple-element(fed), index=0\n"
    "  d = f32[48,48] dot(v, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  e = f32[48,48] dot(new, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
    "  sum = f32[48,48] add(d, e)\n"
    "  zero = f32[] constant(0) fifth = f32[] constant(0.2)\n"
    "  noise = f32[48,48] rng(zero, fifth), distribution=rng_uniform\n"
    "  moved = f32[48,48] add(sum, noise) bounded = f32[48,48] tanh(moved)\n"
    "  row = f32[48] reduce(bounded, zero), dimensions={1}, to_apply=decay\n"
    "  out = token[] outfeed(row, t), outfeed_shape=f32[48]\n"
    "  ROOT r = (s32[], f32[48,48], f32[48,48]) tuple(next, bounded, w) }\n"
    "cond { s = (s32[], f32[48,48], f32[48,48]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0 n = s32[] constant(8)\n"
    "  ROOT less = pred[] compare(i, n), direction=LT }\n"
    "ENTRY e { w = f32[48,48] parameter(0) x = f32[48,48] parameter(1)\n"
    "  me = u32[] replica-id()\n"
    "  state = u64[2] rng-get-and-update-state(), delta=7\n"
    "  bits = (u64[2], u32[48,48]) rng-bit-generator(state), algorithm=rng_philox\n"
    "  t = token[] after-all()\n"
    "  sent = (f32[48,48], u32[], token[]) send(x, t), channel_id=5\n"
    "  done = token[] send-done(sent), channel_id=5\n"
    "  asked = (f32[48,48], u32[], token[]) recv(done), channel_id=5\n"
    "  got = (f32[48,48], token[]) recv-done(asked), channel_id=5\n"
    "  y = f32[48,48] get-tuple-element(got), index=0\n"
    "  zero = s32[] constant(0) nought = f32[] constant(0)\n"
    "  start = (s32[], f32[48,48], f32[48,48]) tuple(zero, y, w)\n"
    "  loop = (s32[], f32[48,48], f32[48,48]) while(start), condition=cond, body=body\n"
    "  v = f32[48,48] get-tuple-element(loop), index=1\n"
    "  column = f32[48] reduce(v, nought), dimensions={0}, to_apply=decay\n"
    "  numbers = s32[48,48] iota(), iota_dimension=1\n"
    "  sorted = (f32[48,48], s32[48,48]) sort(v, numbers), dimensions={1}, to_apply=by_size\n"
    "  mapped = f32[48,48] map(v, w), dimensions={0,1}, to_apply=blend\n"
    "  square = f32[48,48] dot(mapped, v), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
    "  image = f32[1,48,48,1] reshape(mapped)\n"
    "  corner = f32[3,6] slice(w), slice={[0:3], [0:6]}\n"
    "  filters = f32[3,3,1,2] reshape(corner)\n"
    "  seen = f32[1,48,48,2] convolution(image, filters), window={size=3x3 pad=1_1x1_1},\n"
    "    dim_labels=b01f_01io->b01f\n"
    "  wide = f32[144,144] pad(v, nought), padding=48_48x48_48\n"
    "  a = f32[144,144] dot(wide, wide), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  b = f32[144,144] dot(wide, wide), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
    "  c = f32[144,144] subtract(a, b)\n"
    "  ROOT r = (u32[], (u64[2], u32[48,48]), f32[48], (f32[48,48], s32[48,48]), f32[48,48],\n"
    "    f32[1,48,48,2], f32[144,144]) tuple(me, bits, column, sorted, square, seen, c) }\n";

/* ---- arrays and hosts ---- */

static hlo_value *made_up(const hlo_shape *shape, uint64_t seed) {
    hlo_value *value = hlo_value_new(shape);
    hlo_literal literal = {.shape = shape, .data = value->data};
    hlo_fill_literal(&literal, HLO_FILL_RANDOM, seed, 0, -1);
    return value;
}

/* What one device is given and what it leaves. */
typedef struct {
    const hlo_program *program;
    hlo_value *weights, *input; /* weights are shared by the devices */
    pthread_barrier_t *start;   /* NULL: alone */
    uint32_t number, threads;
    uint32_t fed; /* arrays taken by infeeds */
    hlo_buf left; /* by outfeeds and as results */
} place;

static hlo_value *take(void *context, const hlo_instr *instr, const hlo_shape *shape) {
    (void)instr;
    place *at = context;
    return made_up(shape, 1000 * at->number + at->fed++);
}

static bool give(void *context, const hlo_instr *instr, hlo_value *value) {
    (void)instr;
    put_value_bytes(&((place *)context)->left, value);
    return true;
}

static bool has_host(void *context, const hlo_instr *instr) {
    (void)context;
    return instr->opcode == HLO_OP_INFEED || instr->opcode == HLO_OP_OUTFEED;
}

/* ---- devices ---- */

static void run_once(place *at, hlo_thread *thread) {
    hlo_value *result = hlo_thread_run(thread, (hlo_value *[]){at->weights, at->input}, 2);
    if (result) put_value_bytes(&at->left, result);
    hlo_value_release(result);
}

/* Two runs, the second of which goes on with the generators of the first, and a third that repeats
 * the first. */
static void *run_device(void *place_) {
    place *at = place_;
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_pool *pool = at->threads ? hlo_pool_new(at->threads) : NULL, *before = hlo_pool_enter(pool);
    hlo_device_options options = {.number = at->number,
                                  .seed = 17 + at->number,
                                  .take = take,
                                  .give = give,
                                  .host_context = at};
    hlo_device *device = hlo_device_new(at->program, &options);
    hlo_thread *thread = hlo_thread_new(device, pool, &diags);
    if (at->start) pthread_barrier_wait(at->start);
    for (int run = 0; run < 3; run++) {
        at->fed = 0;
        if (run == 2) hlo_device_rewind(device);
        run_once(at, thread);
    }
    hlo_diags_render(&diags, stderr, false);
    hlo_thread_free(thread);
    hlo_device_free(device);
    hlo_pool_leave(before);
    hlo_pool_free(pool);
    hlo_diags_drop(&diags);
    return NULL;
}

static void set_up(place *places, const hlo_program *program, const hlo_computation *entry) {
    hlo_value *weights = made_up(entry->parameters[0]->shape, 1);
    hlo_value_share(weights);
    for (uint32_t d = 0; d < DEVICES; d++)
        places[d] = (place){.program = program,
                            .weights = d ? hlo_value_retain(weights) : weights,
                            .input = made_up(entry->parameters[1]->shape, 2 + d),
                            .number = d,
                            .left = HLO_BUF_INIT};
}

static void clear(place *places) {
    for (uint32_t d = 0; d < DEVICES; d++) {
        hlo_value_release(places[d].weights);
        hlo_value_release(places[d].input);
        hlo_buf_free(&places[d].left);
    }
}

static bool same_bytes(const hlo_buf *a, const hlo_buf *b) {
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* Devices of one program, each in a separate thread with a pool of `threads`; 0: none. */
static void run_at_once(place *places, uint32_t threads) {
    pthread_t running[DEVICES];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, DEVICES);
    for (uint32_t d = 0; d < DEVICES; d++) {
        places[d].start = &start;
        places[d].threads = threads;
        places[d].left.len = 0;
        if (pthread_create(&running[d], NULL, run_device, &places[d]) != 0) abort();
    }
    for (uint32_t d = 0; d < DEVICES; d++) pthread_join(running[d], NULL);
    pthread_barrier_destroy(&start);
}

/* A device's three runs leave equally many bytes; the test would see nothing if the devices, or the
 * state that they go on with, made no difference. */
static void check_alone(const place *places, uint32_t d) {
    const hlo_buf *left = &places[d].left;
    size_t run = left->len / 3, fed = 4 * SIZE * ITERATIONS;
    check(run > fed + 4 * SIZE * SIZE && left->len % 3 == 0, "a device runs three times", d);
    check(memcmp(left->data, left->data + run, run) != 0, "the second run draws new numbers", d);
    check(memcmp(left->data, left->data + 2 * run, run) == 0, "a rewound device repeats itself", d);
    if (d) check(!same_bytes(left, &places[d - 1].left), "devices differ", d);
}

static void test_devices(hlo_program *program, const hlo_computation *entry) {
    place alone[DEVICES], together[DEVICES];
    set_up(alone, program, entry);
    set_up(together, program, entry);
    for (uint32_t d = 0; d < DEVICES; d++) run_device(&alone[d]);
    for (uint32_t d = 0; d < DEVICES; d++) check_alone(alone, d);
    for (uint32_t turn = 0; turn < 6; turn++) {
        run_at_once(together, turn % 3);
        for (uint32_t d = 0; d < DEVICES; d++)
            check(same_bytes(&alone[d].left, &together[d].left), "as when it runs alone", d);
    }
    clear(together);
    clear(alone);
}

static void test_one_program(void) {
    hlo_module *module = read_text(text);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_program_options options = {.has_host = has_host}; /* each device is the only one */
    hlo_program *program = hlo_program_new(module, &options, &diags);
    hlo_diags_render(&diags, stderr, false);
    check(program, "the program is made", 0);
    if (program) check(program->plans[0]->followers, "it has steps that can run at once", 0);
    if (program) test_devices(program, module->entry);
    hlo_program_free(program);
    hlo_diags_drop(&diags);
    hlo_module_free(module);
}

/* ---- steps without memory ---- */

/* Two heavy steps that do not depend on each other, and then what the thread that ends the later
 * one runs: with several threads that is the owner of the run in some runs and not in others. */
static const char steps_text[] =
    "HloModule steps\n"
    "ENTRY e { w = f32[128,128] parameter(0)\n"
    "  a = f32[128,128] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  b = f32[128,128] dot(w, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
    "  c = f32[128,128] subtract(a, b)\n"
    "  t = token[] after-all()\n"
    "  fed = (f32[128,128], token[]) infeed(t)\n"
    "  x = f32[128,128] get-tuple-element(fed), index=0\n"
    "  ROOT sum = f32[128,128] add(c, x) }\n";

/* As an allocator that finds no memory. Whichever thread it is in, moves are those of the program's
 * instruction set, the plainest. */
static hlo_value *take_none(void *context, const hlo_instr *instr, const hlo_shape *shape) {
    (void)instr;
    check(hlo_move_chosen() == hlo_lanes_set_at(0)->move, "kernels looked up in a run", 0);
    if (*(bool *)context) hlo_out_of_memory(4321);
    return made_up(shape, 3);
}

/* Unwinding frees all that is made here, so nothing is freed after it. */
static bool runs_steps(hlo_pool *pool, bool lacks_memory, hlo_diags *diags) {
    HLO_API_CALL(diags) {
        hlo_pool_leave(NULL);
        return false;
    }
    hlo_module *module = read_text(steps_text);
    hlo_pool_enter(pool);
    hlo_program_options options = {.has_host = has_host};
    hlo_isa_find(hlo_isa_name(0), &options.isa);
    hlo_program *program = hlo_program_new(module, &options, diags);
    check(program->plans[0]->followers, "the steps can run at once", 0);
    hlo_device_options hosts = {.take = take_none, .host_context = &lacks_memory};
    hlo_device *device = hlo_device_new(program, &hosts);
    hlo_thread *thread = hlo_thread_new(device, pool, diags);
    hlo_value *w = made_up(module->entry->parameters[0]->shape, 1);
    hlo_value *result = hlo_thread_run(thread, &w, 1);
    bool ran = result;
    hlo_value_release(result);
    hlo_value_release(w);
    hlo_thread_free(thread);
    hlo_device_free(device);
    hlo_program_free(program);
    hlo_pool_leave(NULL);
    hlo_module_free(module);
    return ran;
}

static void test_missing_memory(uint32_t threads) {
    hlo_pool *pool = hlo_pool_new(threads);
    hlo_diags *diags = hlo_diags_create(0);
    for (uint32_t turn = 0; turn < 30; turn++)
        check(!runs_steps(pool, true, diags) && !hlo_pool_variant(),
              "a step without memory ends the run", threads);
    check(hlo_diags_error_count(diags) == 30, "each failure is one error", threads);
    check(runs_steps(pool, false, diags), "the pool works on", threads);
    hlo_diags_free(diags);
    hlo_pool_free(pool);
}

int main(void) {
    test_one_program();
    test_missing_memory(1);
    test_missing_memory(4);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
