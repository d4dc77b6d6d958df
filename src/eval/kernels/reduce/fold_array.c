/* Reductions of whole arrays, stage after stage: see fold_array.h. Dimensions that are neighbours
 * and both kept or both reduced are one; each stage reduces the innermost of the reduced ones,
 * until none is there: the elements that are folded together are then neighbours or columns. */
#include "eval/kernels/reduce/fold_array.h"

#include "base/pool.h"
#include "eval/kernel/strides.h"
#include "eval/kernels/reduce/fold.h"

/* Elements that one thread folds at a time. */
enum { PIECE = 1 << 15 };
/* Operands. */
enum { MOST = 8 };

typedef struct {
    hlo_fold fold;
    int64_t outer;
    hlo_fold_shape shape;
    bool is_last;
    size_t parts_at;   /* in scratch memory: accumulators by [outer, part, inner] */
    size_t results_at; /* unless it is the last one: by [outer, inner] */
} stage;

/* Of one operand. */
typedef struct {
    hlo_type result;
    int64_t elements; /* of the result */
    uint32_t stages;
    stage *stage;
} fold_array;

struct hlo_fold_arrays {
    bool is_empty; /* nothing is reduced: results are the initial values */
    bool at_once;  /* the stages of all are of the same elements */
    uint32_t count;
    fold_array *array;
};

/* A run of one stage. */
typedef struct {
    const stage *stage;
    const fold_array *array;
    const char *elements;
    char *parts, *results; /* `results` of the last one: the result's elements */
    const hlo_value *init;
} fold_run;

/* Of the stages of several arrays, of the same sizes: a piece of the work is done for all of them,
 * so that what they read is in the caches where it is the same. */
typedef struct {
    fold_run *run;
    uint32_t count;
} fold_runs;

/* ---- parts ---- */

static void fold_part(const fold_run *run, int64_t i) {
    const stage *s = run->stage;
    size_t array = (size_t)(s->shape.reduced * s->shape.inner) * hlo_fold_from_bytes(&s->fold);
    size_t part = (size_t)s->shape.inner * hlo_fold_bytes(&s->fold);
    hlo_fold_part(&s->fold, &s->shape, run->parts + (size_t)i * part,
                  run->elements + (size_t)(i / s->shape.parts) * array, i % s->shape.parts);
}

static void fold_parts(void *context, int64_t first, int64_t last) {
    const fold_runs *runs = context;
    for (int64_t i = first; i < last; i++)
        for (uint32_t k = 0; k < runs->count; k++) fold_part(&runs->run[k], i);
}

/* ---- results, a block of accumulators at a time ---- */

static int64_t grain_for(int64_t elements) {
    return elements < PIECE ? PIECE / (elements ? elements : 1) : 1;
}

/* Columns [first, last) of array number `outer`, from its parts. */
static void join_parts(const fold_run *run, char *sums, int64_t outer, int64_t first,
                       int64_t last) {
    const stage *s = run->stage;
    size_t bytes = hlo_fold_bytes(&s->fold), part = (size_t)s->shape.inner * bytes;
    const char *from = run->parts + (size_t)(outer * s->shape.parts) * part + (size_t)first * bytes;
    memcpy(sums, from, (size_t)(last - first) * bytes);
    for (int64_t p = 1; p < s->shape.parts; p++)
        hlo_fold_combine(&s->fold, sums, from + (size_t)p * part, last - first);
}

static void fold_columns_of(const fold_run *run, char *sums, int64_t outer, int64_t first,
                            int64_t last) {
    const stage *s = run->stage;
    if (s->shape.parts > 1) {
        join_parts(run, sums, outer, first, last);
        return;
    }
    const char *elements = run->elements + (size_t)(outer * s->shape.reduced * s->shape.inner) *
                                               hlo_fold_from_bytes(&s->fold);
    if (s->shape.group > 1) hlo_fold_part(&s->fold, &s->shape, sums, elements, 0);
    else hlo_fold_part_columns(&s->fold, &s->shape, sums, elements, 0, first, last);
}

/* Whole arrays, one after the other. */
static void fold_arrays(const fold_run *run, char *sums, int64_t first, int64_t count) {
    const stage *s = run->stage;
    const hlo_fold_shape *shape = &s->shape;
    size_t from_bytes = hlo_fold_from_bytes(&s->fold), bytes = hlo_fold_bytes(&s->fold);
    const char *elements =
        run->elements + (size_t)(first * shape->reduced * shape->inner) * from_bytes;
    if (shape->parts == 1 && shape->inner == 1) {
        hlo_fold_rows(&s->fold, sums, elements, count, shape->reduced);
        return;
    }
    if (shape->parts == 1 && shape->group == 1) {
        hlo_fold_columns(&s->fold,
                         &(hlo_fold_columns_call){count, shape->reduced, shape->inner, elements,
                                                  shape->reduced * shape->inner, shape->inner, sums,
                                                  shape->inner, true, hlo_fold_adds(shape)});
        return;
    }
    for (int64_t i = 0; i < count; i++)
        fold_columns_of(run, sums + (size_t)(i * shape->inner) * bytes, first + i, 0, shape->inner);
}

static void give_sums(const fold_run *run, char *sums, int64_t at, int64_t n) {
    const stage *s = run->stage;
    if (!s->is_last) {
        size_t bytes = hlo_fold_bytes(&s->fold);
        memcpy(run->results + (size_t)at * bytes, sums, (size_t)n * bytes);
        return;
    }
    hlo_fold_end end = {&s->fold, (hlo_type)run->init->shape->type, run->array->result,
                        run->init->data};
    int64_t unit = hlo_fold_unit(&s->fold, end.result);
    hlo_fold_finish(&end, run->results + (size_t)(at / unit) * hlo_types[end.result].bytes, sums,
                    n);
}

/* How many arrays that fit a block are folded at a time. */
static int64_t most_arrays(const fold_runs *runs) {
    const hlo_fold_shape *shape = &runs->run->stage->shape;
    int64_t most = HLO_FOLD_RESULTS / shape->inner;
    int64_t cached = grain_for(shape->reduced * shape->inner);
    return runs->count > 1 && cached < most ? cached : most;
}

static void fold_several(void *context, int64_t first, int64_t last) {
    _Alignas(64) char sums[HLO_FOLD_RESULTS * HLO_LANES_MAX_BYTES];
    const fold_runs *runs = context;
    int64_t inner = runs->run->stage->shape.inner, most = most_arrays(runs);
    for (int64_t i = first, n; i < last; i += n) {
        n = last - i < most ? last - i : most;
        for (uint32_t k = 0; k < runs->count; k++) {
            fold_arrays(&runs->run[k], sums, i, n);
            give_sums(&runs->run[k], sums, i * inner, n * inner);
        }
    }
}

static int64_t blocks_of(const stage *s) {
    return (s->shape.inner + HLO_FOLD_RESULTS - 1) / HLO_FOLD_RESULTS;
}

/* Blocks of the columns of longer ones. */
static void fold_blocks(void *context, int64_t first, int64_t last) {
    _Alignas(64) char sums[HLO_FOLD_RESULTS * HLO_LANES_MAX_BYTES];
    const fold_runs *runs = context;
    int64_t blocks = blocks_of(runs->run->stage), inner = runs->run->stage->shape.inner;
    for (int64_t i = first; i < last; i++) {
        int64_t outer = i / blocks, from = i % blocks * HLO_FOLD_RESULTS;
        int64_t end = from + HLO_FOLD_RESULTS < inner ? from + HLO_FOLD_RESULTS : inner;
        for (uint32_t k = 0; k < runs->count; k++) {
            fold_columns_of(&runs->run[k], sums, outer, from, end);
            give_sums(&runs->run[k], sums, outer * inner + from, end - from);
        }
    }
}

/* ---- stages ---- */

static void run_stage(fold_runs *runs) {
    const stage *s = runs->run->stage;
    const hlo_fold_shape *shape = &s->shape;
    int64_t rows = shape->parts == 1 ? shape->reduced : shape->parts;
    if (shape->parts > 1)
        hlo_parallel(s->outer * shape->parts, grain_for(shape->part * shape->inner), fold_parts,
                     runs);
    if (shape->inner <= HLO_FOLD_RESULTS)
        hlo_parallel(s->outer, grain_for(rows * shape->inner), fold_several, runs);
    else
        hlo_parallel(s->outer * blocks_of(s), grain_for(rows * HLO_FOLD_RESULTS), fold_blocks,
                     runs);
}

/* ---- a run ---- */

static void fill_with_init(const fold_array *array, const hlo_value *init, hlo_value *out) {
    _Alignas(16) char first[HLO_LANES_MAX_BYTES];
    hlo_convert_elements((hlo_type)init->shape->type, array->result, init->data, first, 1);
    hlo_fill_elements(out->data, first, hlo_types[array->result].bytes, array->elements);
}

/* Its run of stage i, which reads what the one before it has computed. */
static void start_stage(fold_run *run, uint32_t i, const hlo_call *call, const hlo_value *out) {
    if (i) run->elements = run->results;
    run->stage = &run->array->stage[i];
    run->parts = (char *)call->scratch + run->stage->parts_at;
    run->results = run->stage->is_last ? out->data : (char *)call->scratch + run->stage->results_at;
}

static void run_stages(fold_runs *runs, const hlo_call *call, hlo_value *const *results) {
    for (uint32_t i = 0; i < runs->run->array->stages; i++) {
        for (uint32_t k = 0; k < runs->count; k++) start_stage(&runs->run[k], i, call, results[k]);
        run_stage(runs);
    }
}

void hlo_run_fold_arrays(const hlo_fold_arrays *arrays, const hlo_call *call,
                         hlo_value *const *results) {
    fold_run run[MOST];
    uint32_t n = arrays->count;
    for (uint32_t i = 0; i < n; i++) {
        const hlo_value *init = call->in[n + i];
        run[i] =
            (fold_run){.array = &arrays->array[i], .elements = call->in[i]->data, .init = init};
        if (arrays->is_empty) fill_with_init(run[i].array, init, results[i]);
    }
    if (arrays->is_empty) return;
    uint32_t together = arrays->at_once ? n : 1;
    for (uint32_t i = 0; i < n; i += together)
        run_stages(&(fold_runs){run + i, together}, call, results + i);
}

/* ---- preparing it ---- */

/* Dimensions of more than one element, neighbours of one kind together, outermost first. */
typedef struct {
    int64_t size;
    bool is_reduced;
} dimension;

static void add_dimension(dimension *to, uint32_t *n, int64_t size, bool is_reduced) {
    if (size == 1) return;
    if (*n && to[*n - 1].is_reduced == is_reduced) to[*n - 1].size *= size;
    else to[(*n)++] = (dimension){size, is_reduced};
}

static int64_t product(const dimension *dimensions, uint32_t first, uint32_t last) {
    int64_t elements = 1;
    for (uint32_t d = first; d < last; d++) elements *= dimensions[d].size;
    return elements;
}

static stage *add_stage(hlo_preparation *p, fold_array *array, const hlo_fold *fold, int64_t outer,
                        hlo_fold_shape shape) {
    stage *s = &array->stage[array->stages++];
    *s = (stage){.fold = *fold, .outer = outer, .shape = shape};
    if (array->stages > 1) s->fold = hlo_fold_of_accumulators(fold);
    size_t bytes = (size_t)(outer * shape.inner) * hlo_fold_bytes(fold);
    if (shape.parts > 1) s->parts_at = hlo_prepare_scratch(p, bytes * (size_t)shape.parts);
    return s;
}

/* Reduces the innermost of the reduced ones; the number of those that remain. */
static uint32_t reduce_innermost(hlo_preparation *p, fold_array *array, const hlo_fold *fold,
                                 dimension *dimensions, uint32_t n) {
    uint32_t d = n - 1;
    while (!dimensions[d].is_reduced) d--;
    int64_t inner = product(dimensions, d + 1, n), outer = product(dimensions, 0, d);
    stage *s = add_stage(p, array, fold, outer, hlo_fold_shape_of(dimensions[d].size, inner));
    s->is_last = d < 2;
    if (!s->is_last)
        s->results_at = hlo_prepare_scratch(p, (size_t)(outer * inner) * hlo_fold_bytes(fold));
    uint32_t left = d;
    for (uint32_t k = d + 1; k < n; k++)
        add_dimension(dimensions, &left, dimensions[k].size, dimensions[k].is_reduced);
    return left;
}

static bool is_any_reduced(const dimension *dimensions, uint32_t n) {
    for (uint32_t d = 0; d < n; d++)
        if (dimensions[d].is_reduced) return true;
    return false;
}

static void prepare_stages(hlo_preparation *p, fold_array *array, const hlo_fold *fold,
                           const bool *reduced) {
    const hlo_shape *x = hlo_operand(p->instr, 0)->shape;
    dimension *dimensions = HLO_NEW_ARRAY(p->arena, dimension, x->rank + 1);
    uint32_t n = 0;
    for (uint32_t d = 0; d < x->rank; d++) add_dimension(dimensions, &n, x->dims[d], reduced[d]);
    add_dimension(dimensions, &n, hlo_fold_unit(fold, array->result), false);
    array->stage = HLO_NEW_ARRAY(p->arena, stage, n + 1);
    if (!is_any_reduced(dimensions, n)) { /* one row of what is kept */
        hlo_fold_shape shape = {1, product(dimensions, 0, n), .part = 1, .parts = 1, .group = 1};
        add_stage(p, array, fold, 1, shape)->is_last = true;
    }
    while (is_any_reduced(dimensions, n)) n = reduce_innermost(p, array, fold, dimensions, n);
}

static bool prepare_folds(hlo_preparation *p, hlo_fold *folds, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_fold_find(&folds[i], p->instr, i, hlo_prepare_plain(p))) return false;
    return true;
}

const hlo_fold_arrays *hlo_prepare_fold_arrays(hlo_preparation *p, const bool *reduced) {
    uint32_t n = p->instr->operand_count / 2;
    int64_t elements = hlo_shape_elements(hlo_operand(p->instr, 0)->shape);
    hlo_fold folds[MOST];
    if (n > MOST || !prepare_folds(p, folds, n)) return NULL;
    hlo_fold_arrays *arrays = HLO_NEW_STATE(p, hlo_fold_arrays);
    arrays->count = n;
    arrays->array = HLO_NEW_ARRAY(p->arena, fold_array, n);
    arrays->is_empty = elements <= 0 || elements >= INT64_MAX / HLO_LANES_MAX_BYTES;
    arrays->at_once = true;
    for (uint32_t i = 0; i < n; i++) {
        fold_array *array = &arrays->array[i];
        const hlo_shape *result = hlo_shape_part(p->instr->shape, i);
        array->result = (hlo_type)result->type;
        array->elements = hlo_shape_elements(result);
        if (!arrays->is_empty) prepare_stages(p, array, &folds[i], reduced);
        arrays->at_once &= hlo_fold_unit(&folds[i], array->result) == 1;
    }
    return arrays;
}
