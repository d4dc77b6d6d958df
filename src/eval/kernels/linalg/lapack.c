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
    const char *name;
    const char *letters; /* what its value may be; NULL: any number */
} flag_rule;

typedef struct {
    const char *signatures[2]; /* of real and of complex element types */
    const char *in_place;
    flag_rule flags[HLO_LAPACK_FLAGS];
} lapack_rule;

static const lapack_rule rules[HLO_LAPACK_COUNT] = {
#define HLO_LAPACK(id, real, complex, in_place, ...) \
    [HLO_LAPACK_##id] = {{real, complex}, in_place, {__VA_ARGS__}},
#include "analysis/lapack.def"
#undef HLO_LAPACK
};

/* ---- signatures ---- */

/* One operand or result: its element type and the letters of its dimensions after the batch. */
typedef struct {
    hlo_type type;
    char dims[2]; /* 0: no such dimension */
} lapack_part;

typedef struct {
    hlo_lapack_call call;
    bool bound[26];
    int letter; /* 0 to 3: s d c z */
    const hlo_shape *batch;
    uint32_t batch_rank;
    uint32_t operand_count, result_count;
    lapack_part operands[HLO_LAPACK_OPERANDS], results[HLO_LAPACK_RESULTS];
} lapack_job;

static hlo_type part_type(char kind, int letter) {
    static const hlo_type own[4] = {HLO_F32, HLO_F64, HLO_C64, HLO_C128};
    switch (kind) {
    case 'T': return own[letter];
    case 'R': return own[letter & 1];
    case 'C': return own[letter | 2];
    default: return HLO_S32;
    }
}

static void read_signature(lapack_job *job, const char *text) {
    bool results = false;
    while (*text) {
        lapack_part part = {.type = part_type(*text++, job->letter)};
        for (int i = 0; i < 2 && *text >= 'a' && *text <= 'z'; i++) part.dims[i] = *text++;
        if (results) job->results[job->result_count++] = part;
        else job->operands[job->operand_count++] = part;
        if (*text == '>') results = true;
        if (*text) text++;
    }
}

static uint32_t core_rank(const lapack_part *part) {
    return part->dims[0] ? part->dims[1] ? 2 : 1 : 0;
}

static void bind(lapack_job *job, char letter, int32_t size) {
    job->call.sizes[letter - 'a'] = size;
    job->bound[letter - 'a'] = true;
}

/* Sizes that follow from others, as soon as those are known. */
static void bind_derived(lapack_job *job) {
    int32_t m = hlo_lapack_size(&job->call, 'm'), n = hlo_lapack_size(&job->call, 'n');
    if (job->bound['m' - 'a'] && job->bound['n' - 'a']) bind(job, 'k', m < n ? m : n);
    if (job->bound['n' - 'a']) bind(job, 's', n > 0 ? n - 1 : 0);
}

/* Whether the shape fits the part; binds the letters that are new. */
static bool fits(lapack_job *job, const lapack_part *part, const hlo_shape *shape) {
    uint32_t core = core_rank(part);
    if (!hlo_shape_is_array(shape) || shape->type != part->type ||
        shape->rank != job->batch_rank + core)
        return false;
    for (uint32_t d = 0; d < job->batch_rank; d++)
        if (shape->dims[d] != job->batch->dims[d]) return false;
    for (uint32_t d = 0; d < core; d++) {
        int64_t size = shape->dims[job->batch_rank + d];
        char letter = part->dims[d];
        if (size > INT32_MAX || size < 0) return false;
        if (!job->bound[letter - 'a']) bind(job, letter, (int32_t)size);
        else if (hlo_lapack_size(&job->call, letter) != size) return false;
        bind_derived(job);
    }
    return true;
}

static const hlo_shape *result_shape(const hlo_instr *instr, uint32_t i) {
    return hlo_shape_is_tuple(instr->shape) ? instr->shape->elements[i] : instr->shape;
}

static bool shapes_fit(lapack_job *job, const hlo_instr *instr) {
    uint32_t results = hlo_shape_is_tuple(instr->shape) ? instr->shape->rank : 1;
    if (instr->operand_count != job->operand_count || results != job->result_count ||
        hlo_shape_is_tuple(instr->shape) != (job->result_count > 1))
        return false;
    const hlo_shape *first = hlo_operand(instr, 0)->shape;
    if (!hlo_shape_is_array(first) || first->rank < core_rank(&job->operands[0])) return false;
    job->batch = first;
    job->batch_rank = first->rank - core_rank(&job->operands[0]);
    for (uint32_t i = 0; i < job->operand_count; i++)
        if (!fits(job, &job->operands[i], hlo_operand(instr, i)->shape)) return false;
    for (uint32_t i = 0; i < job->result_count; i++)
        if (!fits(job, &job->results[i], result_shape(instr, i))) return false;
    return true;
}

/* ---- flags ---- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool starts_with(const char *at, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

bool hlo_lapack_number(hlo_str text, const char *name, int64_t *number) {
    const char *end = text.ptr + text.len;
    size_t n = strlen(name);
    for (const char *at = text.ptr; (size_t)(end - at) > n; at++) {
        if (memcmp(at, name, n) != 0 || is_word(at[n]) || (at > text.ptr && is_word(at[-1])))
            continue;
        at += n;
        while (at < end && (*at == ' ' || *at == '=')) at++;
        *number = starts_with(at, end, "true");
        if (*number || starts_with(at, end, "false")) return true;
        if (at == end || *at < '0' || *at > '9') return false;
        for (*number = 0; at < end && *at >= '0' && *at <= '9' && *number < INT32_MAX; at++)
            *number = *number * 10 + (*at - '0');
        return true;
    }
    return false;
}

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
static const char *read_flags(hlo_preparation *p, const flag_rule *flags, int64_t *values) {
    const hlo_attr *config = hlo_instr_attr(p->instr, HLO_ATTR_BACKEND_CONFIG);
    for (int i = 0; i < HLO_LAPACK_FLAGS && flags[i].name; i++) {
        const flag_rule *flag = &flags[i];
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

static int letter_of(const hlo_str *target) {
    return (int)(strchr("sdcz", target->ptr[strlen("lapack_")]) - "sdcz");
}

bool hlo_lapack_fits(hlo_lapack_id id, const hlo_instr *call) {
    lapack_job job = {.letter =
                          letter_of(hlo_instr_attr(call, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string)};
    read_signature(&job, rules[id].signatures[job.letter >= 2]);
    return shapes_fit(&job, call);
}

/* Reads the call by its rule; NULL, or what is wrong with it. */
static const char *read_call(hlo_preparation *p, const lapack_rule *rule, lapack_job *job) {
    const hlo_str *target = hlo_instr_attr(p->instr, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string;
    job->letter = letter_of(target);
    read_signature(job, rule->signatures[job->letter >= 2]);
    if (!shapes_fit(job, p->instr))
        return say(p, "does not have the operands and results of %.*s", (int)target->len,
                   target->ptr);
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

static extent extent_of(const lapack_job *job, const lapack_part *part) {
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
static size_t copy_bytes(const lapack_job *job, const lapack_part *part) {
    return ((size_t)matrix_bytes(extent_of(job, part)) + 64 + 63) / 64 * 64;
}

static size_t bytes_of_copies(const lapack_job *job) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < job->operand_count; i++) bytes += copy_bytes(job, &job->operands[i]);
    for (uint32_t i = 0; i < job->result_count; i++) bytes += copy_bytes(job, &job->results[i]);
    return bytes;
}

static void place_copies(lapack_job *job, char *memory) {
    for (uint32_t i = 0; i < job->operand_count; i++) {
        job->call.in[i] = memory;
        memory += copy_bytes(job, &job->operands[i]);
    }
    for (uint32_t i = 0; i < job->result_count; i++) {
        job->call.out[i] = memory;
        memory += copy_bytes(job, &job->results[i]);
    }
}

/* ---- running ---- */

static hlo_value *result_part(hlo_value *result, uint32_t i) {
    return result->elements ? result->elements[i] : result;
}

/* Loads matrix `number` of the batch: operands, and results as they start. */
static void load(lapack_job *job, const char *in_place, hlo_value *const *args, int64_t number) {
    for (uint32_t i = 0; i < job->operand_count; i++) {
        extent e = extent_of(job, &job->operands[i]);
        to_columns(job->call.in[i], (const char *)args[i]->data + number * matrix_bytes(e), e);
    }
    for (uint32_t i = 0; i < job->result_count; i++) {
        size_t bytes = (size_t)matrix_bytes(extent_of(job, &job->results[i]));
        if (*in_place) memcpy(job->call.out[i], job->call.in[*in_place++ - '0'], bytes);
        else memset(job->call.out[i], 0, bytes);
    }
}

static void store(const lapack_job *job, hlo_value *result, int64_t number, int32_t status) {
    uint32_t last = job->result_count - 1;
    for (uint32_t i = 0; i <= last; i++) {
        extent e = extent_of(job, &job->results[i]);
        char *to = (char *)result_part(result, i)->data + number * matrix_bytes(e);
        bool is_status =
            i == last && job->results[i].type == HLO_S32 && !core_rank(&job->results[i]);
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

/* Runs matrices of the batch, on copies of its own. */
static void run_matrices(void *context, int64_t first, int64_t last) {
    lapack_batch *batch = context;
    const lapack_state *state = batch->state;
    lapack_job job = state->job;
    char *memory = hlo_work_take(&state->of_piece, batch->call);
    bool complete = true;
    place_copies(&job, memory);
    for (int64_t i = first; i < last && complete && !hlo_pool_is_stopped(); i++) {
        load(&job, rules[state->id].in_place, batch->call->in, i);
        int32_t status = hlo_lapack_run(state->id, job.letter, &job.call);
        complete = status > HLO_LAPACK_NO_MEMORY;
        store(&job, batch->call->out, i, status);
    }
    hlo_work_leave(&state->of_piece, batch->call, memory);
    if (!complete) atomic_store(&batch->lacks_memory, true);
}

/* About how long a matrix takes: routines of n rows and columns need n * n * n steps or more. */
static int64_t matrix_cost(const lapack_job *job) {
    double cost = 1000;
    for (uint32_t i = 0; i < job->operand_count; i++) {
        extent e = extent_of(job, &job->operands[i]);
        double shorter = (double)(e.rows < e.columns ? e.rows : e.columns);
        cost += (double)e.rows * (double)e.columns * shorter;
    }
    return cost < HLO_PIECE_COST ? (int64_t)cost : HLO_PIECE_COST;
}

static const char *prepare_lapack(hlo_preparation *p, hlo_lapack_id id) {
    lapack_state *state = HLO_NEW_STATE(p, lapack_state);
    lapack_job *job = &state->job;
    const char *problem = read_call(p, &rules[id], job);
    if (problem) return problem;
    if (!sizes_are_sound(job, id)) return "has sizes that do not match its backend_config";
    state->id = id;
    state->count = 1;
    for (uint32_t d = 0; d < job->batch_rank; d++) state->count *= job->batch->dims[d];
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
    static const lapack_rule rule = {
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
