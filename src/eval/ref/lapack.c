/* The custom calls that JAX makes to LAPACK: shapes and flags are checked against lapack.def, then
 * every matrix of the batch is copied to column-major order, handed to its routine, and back.
 * Called through custom_calls.def. */
#include "eval/ref/lapack.h"
#include "eval/eval.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "eval/ref/dynamic.h"
#include "eval/ref/strides.h"

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
#include "eval/ref/lapack.def"
#undef HLO_LAPACK
};

/* ---- signatures ---- */

/* One operand or result: its element type and the letters of its dimensions behind the batch. */
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

static bool shapes_fit(lapack_job *job, const hlo_instr *instr, hlo_value *const *args) {
    uint32_t results = hlo_shape_is_tuple(instr->shape) ? instr->shape->rank : 1;
    if (instr->operand_count != job->operand_count || results != job->result_count ||
        hlo_shape_is_tuple(instr->shape) != (job->result_count > 1))
        return false;
    const hlo_shape *first = args[0]->shape;
    if (!hlo_shape_is_array(first) || first->rank < core_rank(&job->operands[0])) return false;
    job->batch = first;
    job->batch_rank = first->rank - core_rank(&job->operands[0]);
    for (uint32_t i = 0; i < job->operand_count; i++)
        if (!fits(job, &job->operands[i], args[i]->shape)) return false;
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

/* The number of `name = NUMBER : TYPE` in a dictionary, 1 or 0 of a bool; false without any. */
static bool read_number(hlo_str text, const char *name, int64_t *number) {
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

static bool read_flags(hlo_eval *eval, const hlo_instr *instr, const flag_rule *flags,
                       int64_t *values) {
    const hlo_attr *config = hlo_instr_attr(instr, HLO_ATTR_BACKEND_CONFIG);
    for (int i = 0; i < HLO_LAPACK_FLAGS && flags[i].name; i++) {
        const flag_rule *flag = &flags[i];
        if (!config || !read_number(*config->u.string, flag->name, &values[i])) {
            hlo_eval_error(eval, instr, "has no number \"%s\" in its backend_config", flag->name);
            return false;
        }
        if (!flag->letters ||
            (values[i] > 0 && values[i] < 128 && strchr(flag->letters, (char)values[i])))
            continue;
        hlo_eval_error(eval, instr, "has %s = %lld in its backend_config, which is none of \"%s\"",
                       flag->name, (long long)values[i], flag->letters);
        return false;
    }
    return true;
}

/* Checks the call against its rule; reports what is wrong. */
static bool prepare(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                    const lapack_rule *rule, lapack_job *job) {
    const hlo_str *target = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string;
    job->letter = (int)(strchr("sdcz", target->ptr[strlen("lapack_")]) - "sdcz");
    read_signature(job, rule->signatures[job->letter >= 2]);
    if (!hlo_operands_are_full(eval->call)) return false;
    if (!shapes_fit(job, instr, args)) {
        hlo_eval_error(eval, instr, "does not have the operands and results of %.*s",
                       (int)target->len, target->ptr);
        return false;
    }
    return read_flags(eval, instr, rule->flags, job->call.flags);
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

/* ---- running ---- */

static void free_copies(lapack_job *job) {
    for (uint32_t i = 0; i < job->operand_count; i++) hlo_free(job->call.in[i]);
    for (uint32_t i = 0; i < job->result_count; i++) hlo_free(job->call.out[i]);
}

/* Room for one matrix of every operand and result; 64 bytes more, so that none is empty. */
static bool allocate_copies(lapack_job *job) {
    bool complete = true;
    for (uint32_t i = 0; i < job->operand_count; i++)
        complete &= (job->call.in[i] = hlo_try_malloc(
                         (size_t)matrix_bytes(extent_of(job, &job->operands[i])) + 64)) != NULL;
    for (uint32_t i = 0; i < job->result_count; i++)
        complete &= (job->call.out[i] = hlo_try_malloc(
                         (size_t)matrix_bytes(extent_of(job, &job->results[i])) + 64)) != NULL;
    if (!complete) free_copies(job);
    return complete;
}

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

/* What all matrices of a batch share. */
typedef struct {
    const lapack_job *job;
    hlo_lapack_id id;
    hlo_value *const *args;
    hlo_value *result;
    atomic_bool lacks_memory;
} lapack_batch;

/* Runs matrices of the batch, on copies of its own. */
static void run_matrices(void *context, int64_t first, int64_t last) {
    lapack_batch *batch = context;
    lapack_job job = *batch->job;
    bool complete = allocate_copies(&job);
    if (complete) {
        for (int64_t i = first; i < last && complete && !hlo_pool_is_stopped(); i++) {
            load(&job, rules[batch->id].in_place, batch->args, i);
            int32_t status = hlo_lapack_run(batch->id, job.letter, &job.call);
            complete = status > HLO_LAPACK_NO_MEMORY;
            store(&job, batch->result, i, status);
        }
        free_copies(&job);
    }
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

/* False when memory is missing. */
static bool run_batch(const lapack_job *job, hlo_lapack_id id, hlo_value *const *args,
                      hlo_value *result) {
    int64_t count = 1;
    for (uint32_t d = 0; d < job->batch_rank; d++) count *= job->batch->dims[d];
    lapack_batch batch = {.job = job, .id = id, .args = args, .result = result};
    hlo_parallel(count, hlo_grain(matrix_cost(job)), run_matrices, &batch);
    return !atomic_load(&batch.lacks_memory);
}

static hlo_value *run_lapack(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                             hlo_lapack_id id) {
    lapack_job job = {0};
    if (!prepare(eval, instr, args, &rules[id], &job)) return NULL;
    if (!sizes_are_sound(&job, id)) {
        hlo_eval_error(eval, instr, "has sizes that do not match its backend_config");
        return NULL;
    }
    const char *missing = hlo_lapack_missing();
    if (missing) {
        hlo_eval_error(eval, instr, "needs LAPACK, which cannot be loaded: %s", missing);
        return NULL;
    }
    hlo_value *result = hlo_value_zeros(instr->shape);
    if (!result || run_batch(&job, id, args, result)) return result;
    hlo_value_release(result);
    return NULL;
}

#define HLO_LAPACK(id, ...)                                                                      \
    hlo_value *hlo_lapack_##id(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) { \
        return run_lapack(eval, instr, args, HLO_LAPACK_##id);                                   \
    }
#include "eval/ref/lapack.def"
#undef HLO_LAPACK

/* ---- trsm ---- */

/* The instruction triangular-solve, which knows all that BLAS does but the scale. */
hlo_value *hlo_lapack_trsm(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args) {
    static const lapack_rule rule = {
        {"Taa,Tmn>Tmn", "Taa,Tmn>Tmn"},
        "",
        {{"side", "LR"}, {"uplo", "LU"}, {"trans_x", "NTC"}, {"diag", "NU"}}};
    lapack_job job = {0};
    if (!prepare(eval, instr, args, &rule, &job)) return NULL;
    const int64_t *flags = job.call.flags;
    bool left = flags[0] == 'L';
    if (hlo_lapack_size(&job.call, 'a') != hlo_lapack_size(&job.call, left ? 'm' : 'n')) {
        hlo_eval_error(eval, instr, "has a triangle of a different size than the other operand");
        return NULL;
    }
    hlo_str word = flags[2] == 'N'   ? HLO_STR("NO_TRANSPOSE")
                   : flags[2] == 'T' ? HLO_STR("TRANSPOSE")
                                     : HLO_STR("ADJOINT");
    hlo_word_set words = hlo_attr_table[HLO_ATTR_TRANSPOSE_A].words;
    hlo_attr attrs[] = {
        {.id = HLO_ATTR_LEFT_SIDE, .u.i = left},
        {.id = HLO_ATTR_LOWER, .u.i = flags[1] == 'L'},
        {.id = HLO_ATTR_TRANSPOSE_A, .u.i = hlo_word_find(words, word)->number},
        {.id = HLO_ATTR_UNIT_DIAGONAL, .u.i = flags[3] == 'U'},
    };
    hlo_instr solve = *instr;
    solve.attrs = attrs;
    solve.attr_count = sizeof attrs / sizeof *attrs;
    return hlo_eval_triangular_solve(eval, &solve, args);
}
