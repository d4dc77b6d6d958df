/* The custom calls that JAX makes to LAPACK: shapes and flags are checked against lapack.def, then
 * every matrix of the batch is copied to column-major order, handed to its routine, and back. */
#include "eval/kernels/linalg/lapack.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "eval/kernel/custom_call.h"
#include "eval/kernel/work_memory.h"
#include "eval/kernels/linalg/linalg.h"

typedef struct {
    hlo_lapack_call call;
    hlo_lapack_arrays arrays;
} lapack_job;

/* ---- the call ---- */

static const char *say(hlo_preparation *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *say(hlo_preparation *p, const char *format, ...) {
    enum { BYTES = 256 };
    char *text = hlo_arena_alloc(p->arena, BYTES);
    va_list args;
    va_start(args, format);
    vsnprintf(text, BYTES, format, args);
    va_end(args);
    return text;
}

/* NULL, or what is wrong with the flags. */
static const char *read_flags(hlo_preparation *p, const hlo_lapack_flag_rule *flags,
                              int64_t *values) {
    const hlo_attr *config = hlo_instr_attr(p->instr, HLO_ATTR_BACKEND_CONFIG);
    for (int i = 0; i < HLO_LAPACK_FLAGS && flags[i].name; i++) {
        const hlo_lapack_flag_rule *flag = &flags[i];
        if (!config || !hlo_lapack_number(*config->u.string, flag->name, &values[i]))
            return say(p, "has no number \"%s\" in its backend_config", flag->name);
        if (!flag->letters ||
            (values[i] > 0 && values[i] < 128 && strchr(flag->letters, (char)values[i])))
            continue;
        return say(p, "has %s = %lld in its backend_config, which is none of \"%s\"", flag->name,
                   (long long)values[i], flag->letters);
    }
    return NULL;
}

/* Reads the call by its rule; NULL, or what is wrong with it. */
static const char *read_call(hlo_preparation *p, const hlo_lapack_rule *rule, lapack_job *job) {
    const hlo_str *target = hlo_instr_attr(p->instr, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string;
    if (!hlo_lapack_match(&job->arrays, p->instr, rule))
        return say(p, "does not have the operands and results of %.*s", (int)target->len,
                   target->ptr);
    job->call.sizes = job->arrays.sizes;
    return read_flags(p, rule->flags, job->call.flags);
}

/* What LAPACK itself would stop the program for. */
static bool sizes_are_sound(const lapack_job *job, hlo_lapack_id id) {
    const hlo_lapack_call *call = &job->call;
    int32_t m = hlo_lapack_size(call, 'm'), n = hlo_lapack_size(call, 'n');
    int32_t k = hlo_lapack_size(call, 'k');
    int32_t u = hlo_lapack_size(call, 'u'), v = hlo_lapack_size(call, 'v');
    switch (id) {
    case HLO_LAPACK_orgqr: return hlo_lapack_size(call, 'p') <= n && n <= m;
    case HLO_LAPACK_ormqr:
        return hlo_lapack_size(call, 'p') <= k &&
               m == hlo_lapack_size(call, call->flags[0] ? 'a' : 'b');
    case HLO_LAPACK_gehrd:
        return n == 0
                   ? call->flags[0] == 1 && call->flags[1] == 0
                   : call->flags[0] >= 1 && call->flags[0] <= call->flags[1] && call->flags[1] <= n;
    case HLO_LAPACK_gesdd:
    case HLO_LAPACK_gesvd:
        if (call->flags[0] == 'N') return true;
        return call->flags[0] == 'A' ? u == m && v == n : u == k && v == k;
    default: return true;
    }
}

/* ---- copies in column-major order ---- */

typedef struct {
    int64_t rows, columns, bytes; /* of one matrix, of one element */
} extent;

static extent extent_of(const lapack_job *job, const hlo_lapack_part *part) {
    extent e = {1, 1, hlo_types[part->type].bytes};
    if (part->dims[0]) e.rows = hlo_lapack_size(&job->call, part->dims[0]);
    if (part->dims[1]) e.columns = hlo_lapack_size(&job->call, part->dims[1]);
    return e;
}

static int64_t matrix_bytes(extent e) {
    return e.rows * e.columns * e.bytes;
}

static void to_columns(char *to, const char *from, extent e) {
    for (int64_t i = 0; i < e.rows; i++)
        for (int64_t j = 0; j < e.columns; j++, from += e.bytes)
            memcpy(to + (j * e.rows + i) * e.bytes, from, (size_t)e.bytes);
}

static void to_rows(char *to, const char *from, extent e) {
    for (int64_t i = 0; i < e.rows; i++)
        for (int64_t j = 0; j < e.columns; j++, to += e.bytes)
            memcpy(to, from + (j * e.rows + i) * e.bytes, (size_t)e.bytes);
}

/* ---- memory for one matrix of every operand and result ---- */

/* 64 bytes more, so that none is empty. */
static size_t copy_bytes(const lapack_job *job, const hlo_lapack_part *part) {
    return ((size_t)matrix_bytes(extent_of(job, part)) + 64 + 63) / 64 * 64;
}

static size_t bytes_of_copies(const lapack_job *job) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < job->arrays.operand_count; i++)
        bytes += copy_bytes(job, &job->arrays.operands[i]);
    for (uint32_t i = 0; i < job->arrays.result_count; i++)
        bytes += copy_bytes(job, &job->arrays.results[i]);
    return bytes;
}

static void place_copies(lapack_job *job, char *memory) {
    for (uint32_t i = 0; i < job->arrays.operand_count; i++) {
        job->call.in[i] = memory;
        memory += copy_bytes(job, &job->arrays.operands[i]);
    }
    for (uint32_t i = 0; i < job->arrays.result_count; i++) {
        job->call.out[i] = memory;
        memory += copy_bytes(job, &job->arrays.results[i]);
    }
}

/* ---- running ---- */

static hlo_value *result_part(hlo_value *result, uint32_t i) {
    return result->elements ? result->elements[i] : result;
}

/* Loads matrix `number` of the batch: operands, and results as they start. */
static void load(lapack_job *job, const char *in_place, hlo_value *const *args, int64_t number) {
    for (uint32_t i = 0; i < job->arrays.operand_count; i++) {
        extent e = extent_of(job, &job->arrays.operands[i]);
        to_columns(job->call.in[i], (const char *)args[i]->data + number * matrix_bytes(e), e);
    }
    for (uint32_t i = 0; i < job->arrays.result_count; i++) {
        size_t bytes = (size_t)matrix_bytes(extent_of(job, &job->arrays.results[i]));
        if (*in_place) memcpy(job->call.out[i], job->call.in[*in_place++ - '0'], bytes);
        else memset(job->call.out[i], 0, bytes);
    }
}

static void store(const lapack_job *job, hlo_value *result, int64_t number, int32_t status) {
    uint32_t last = job->arrays.result_count - 1;
    for (uint32_t i = 0; i <= last; i++) {
        extent e = extent_of(job, &job->arrays.results[i]);
        char *to = (char *)result_part(result, i)->data + number * matrix_bytes(e);
        bool is_status = i == last && job->arrays.results[i].type == HLO_S32 &&
                         !hlo_lapack_core_rank(&job->arrays.results[i]);
        if (is_status) memcpy(to, &status, sizeof status);
        else to_rows(to, job->call.out[i], e);
    }
}

typedef struct {
    lapack_job job;
    hlo_lapack_id id;
    int64_t count, grain; /* matrices of the batch, and of a piece */
    hlo_work_memory of_piece;
} lapack_state;

/* A batch that is computed. */
typedef struct {
    const lapack_state *state;
    const hlo_call *call;
    atomic_bool lacks_memory;
} lapack_batch;

/* Runs matrices of the batch, on separate copies. */
static void run_matrices(void *context, int64_t first, int64_t last) {
    lapack_batch *batch = context;
    const lapack_state *state = batch->state;
    lapack_job job = state->job;
    char *memory = hlo_work_take(&state->of_piece, batch->call);
    bool complete = true;
    place_copies(&job, memory);
    for (int64_t i = first; i < last && complete && !hlo_pool_is_stopped(); i++) {
        load(&job, hlo_lapack_rule_of(state->id)->in_place, batch->call->in, i);
        int32_t status = hlo_lapack_run(state->id, job.arrays.letter, &job.call);
        complete = status > HLO_LAPACK_NO_MEMORY;
        store(&job, batch->call->out, i, status);
    }
    hlo_work_leave(&state->of_piece, batch->call, memory);
    if (!complete) atomic_store(&batch->lacks_memory, true);
}

/* About how long a matrix takes: routines of n rows and columns need n * n * n steps or more. */
static int64_t matrix_cost(const lapack_job *job) {
    double cost = 1000;
    for (uint32_t i = 0; i < job->arrays.operand_count; i++) {
        extent e = extent_of(job, &job->arrays.operands[i]);
        double shorter = (double)(e.rows < e.columns ? e.rows : e.columns);
        cost += (double)e.rows * (double)e.columns * shorter;
    }
    return cost < HLO_PIECE_COST ? (int64_t)cost : HLO_PIECE_COST;
}

static const char *prepare_lapack(hlo_preparation *p, hlo_lapack_id id) {
    lapack_state *state = HLO_NEW_STATE(p, lapack_state);
    lapack_job *job = &state->job;
    const char *problem = read_call(p, hlo_lapack_rule_of(id), job);
    if (problem) return problem;
    if (!sizes_are_sound(job, id)) return "has sizes that do not match its backend_config";
    state->id = id;
    state->count = 1;
    for (uint32_t d = 0; d < job->arrays.batch_rank; d++)
        state->count *= job->arrays.batch->dims[d];
    state->grain = hlo_grain(matrix_cost(job));
    state->of_piece = hlo_prepare_work(p, bytes_of_copies(job), state->count == 1);
    p->state = state;
    return NULL;
}

/* Without an error where a routine lacks memory. */
/* Asked here and not in preparing: a module that never gets to the call runs without LAPACK. */
static bool run_lapack(hlo_call *call) {
    const lapack_state *state = call->state;
    const char *missing = hlo_lapack_missing();
    if (missing) return hlo_call_error(call, "needs LAPACK, which cannot be loaded: %s", missing);
    lapack_batch batch = {.state = state, .call = call};
    hlo_parallel(state->count, state->grain, run_matrices, &batch);
    return !atomic_load(&batch.lacks_memory);
}

#define HLO_LAPACK(id, ...)                               \
    static const char *prepare_##id(hlo_preparation *p) { \
        return prepare_lapack(p, HLO_LAPACK_##id);        \
    }                                                     \
    const hlo_target hlo_target_##id = {prepare_##id, run_lapack, true};
#include "analysis/lapack.def"
#undef HLO_LAPACK

/* ---- trsm ---- */

/* The instruction triangular-solve, which knows all that BLAS does but the scale. */
static const char *prepare_trsm(hlo_preparation *p) {
    static const hlo_lapack_rule rule = {
        {"Taa,Tmn>Tmn", "Taa,Tmn>Tmn"},
        "",
        {{"side", "LR"}, {"uplo", "LU"}, {"trans_x", "NTC"}, {"diag", "NU"}}};
    lapack_job job = {0};
    const char *problem = read_call(p, &rule, &job);
    if (problem) return problem;
    const int64_t *flags = job.call.flags;
    hlo_triangle triangle = {.left = flags[0] == 'L',
                             .lower = flags[1] == 'L',
                             .unit_diagonal = flags[3] == 'U',
                             .transposed = flags[2] != 'N',
                             .conjugated = flags[2] == 'C'};
    if (hlo_lapack_size(&job.call, 'a') != hlo_lapack_size(&job.call, triangle.left ? 'm' : 'n'))
        return "has a triangle of a different size than the other operand";
    hlo_prepare_triangular_solve(p, triangle);
    return NULL;
}

static bool run_trsm(hlo_call *call) {
    return hlo_kernel_triangular_solve.run(call);
}

const hlo_target hlo_target_trsm = {prepare_trsm, run_trsm, true};
