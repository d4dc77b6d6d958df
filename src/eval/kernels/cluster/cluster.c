/* Running clusters, group by group and tile by tile. */
#include "eval/kernels/cluster/cluster.h"

#include "base/math.h"
#include "base/pool.h"
#include "eval/kernels/cluster/cluster_code.h"

static size_t bytes_of(hlo_type type) {
    return hlo_types[type].bytes;
}

/* ---- sources ---- */

static void fill_with_element(const hlo_move_set *moves, char *to, const char *from, size_t bytes,
                              size_t n) {
    moves->row[hlo_cell_number((uint32_t)bytes)](to, (int64_t)bytes, from, 0, (int64_t)n);
}

static size_t least(int64_t a, size_t b) {
    return (uint64_t)a < b ? (size_t)a : b;
}

/* Rows of `count` elements one after the other. */
static void spread_rows(const hlo_move_set *moves, char *to, const char *from, size_t bytes,
                        int64_t count, int64_t at, size_t n) {
    for (size_t k = 0, m; k < n; k += m, at = 0) {
        m = least(count - at, n - k);
        moves->copy(to + k * bytes, from + (size_t)at * bytes, (int64_t)(m * bytes));
    }
}

/* Each element `inner` times. */
static void spread_elements(const hlo_move_set *moves, char *to, const char *from, size_t bytes,
                            hlo_cluster_view view, int64_t at, size_t n) {
    int64_t element = at / view.inner % view.count, left = view.inner - at % view.inner;
    for (size_t k = 0, m; k < n; k += m, left = view.inner) {
        m = least(left, n - k);
        fill_with_element(moves, to + k * bytes, from + (size_t)element * bytes, bytes, m);
        element = element + 1 == view.count ? 0 : element + 1;
    }
}

static void spread(const hlo_move_set *moves, const hlo_call *call, const hlo_cluster_step *step,
                   hlo_type type, char *to, int64_t at, size_t n) {
    const char *from = step->constant ? step->constant : call->in[step->operand]->data;
    size_t bytes = bytes_of(type);
    if (step->view.count == 1) fill_with_element(moves, to, from, bytes, n);
    else if (step->view.inner == 1)
        spread_rows(moves, to, from, bytes, step->view.count, at % step->view.count, n);
    else spread_elements(moves, to, from, bytes, step->view, at, n);
}

static void take_boxes(const hlo_move_set *moves, const hlo_call *call,
                       const hlo_cluster_step *step, size_t bytes, char *to, int64_t at, size_t n) {
    const void *fill =
        step->constant || !step->boxes->fill ? step->constant : call->in[step->operand]->data;
    const hlo_cluster_taking taking = {step->boxes, moves, call, fill, (uint32_t)bytes};
    hlo_cluster_take_boxes(&taking, to, at, n);
}

/* Runs of one number, or of numbers that follow each other, for no more than a block. */
static void count_block(const hlo_cluster_step *step, char *to, int64_t at, size_t n) {
    int64_t numbers[HLO_LANES_BLOCK], inner = step->view.inner, count = step->view.count;
    int64_t number = at / inner % count, left = inner - at % inner, rises = inner == 1;
    for (size_t k = 0, m; k < n; k += m, left = inner) {
        m = least(rises ? count - number : left, n - k);
        for (size_t i = 0; i < m; i++) numbers[k + i] = number + (rises ? (int64_t)i : 0);
        number = rises || number + 1 == count ? 0 : number + 1;
    }
    step->lanes.run(&step->lanes, to, (const void *[]){numbers}, n);
}

static void count(const hlo_cluster_step *step, char *to, int64_t at, size_t n) {
    for (size_t k = 0, m; k < n; k += m) {
        m = least(HLO_LANES_BLOCK, n - k);
        count_block(step, to + k * bytes_of(step->lanes.to), at + (int64_t)k, m);
    }
}

/* ---- rows ---- */

/* What is computed at a time: the elements from `at` on, the first of which has the number `first`
 * in its group, and the rows that they are, or are of. Of a group: all of its elements. */
typedef struct {
    int64_t at, first;
    size_t n, rows;
} part;

/* The lanes of a tile's rows among those of its group. */
static char *rows_of(const hlo_cluster *cluster, char *lanes, size_t bytes, part of) {
    return lanes + of.first / cluster->row * (int64_t)bytes;
}

/* Each row's lane for its elements. */
static void repeat(const hlo_cluster *cluster, hlo_type type, char *to, char *of_group, part of) {
    size_t bytes = bytes_of(type), n = of.n / of.rows;
    const char *from = rows_of(cluster, of_group, bytes, of);
    for (size_t r = 0; r < of.rows; r++)
        fill_with_element(cluster->moves, to + r * n * bytes, from + r * bytes, bytes, n);
}

/* A long row is folded tile by tile, as the kernel of reduce does it block by block. */
static void fold(const hlo_cluster *cluster, const hlo_fold *fold, char *of_group, const char *from,
                 part of) {
    _Alignas(16) char more[HLO_LANES_MAX_BYTES];
    char *to = rows_of(cluster, of_group, hlo_fold_bytes(fold), of);
    bool goes_on = of.first % cluster->row;
    hlo_fold_rows(fold, goes_on ? more : to, from, (int64_t)of.rows, (int64_t)(of.n / of.rows));
    if (goes_on) hlo_fold_combine(fold, to, more, 1);
}

/* ---- sinks ---- */

static const hlo_value *leaf_of(const hlo_cluster *cluster, const hlo_call *call, uint32_t i) {
    return cluster->is_tuple ? call->out->elements[i] : call->out;
}

static char *leaf_at(const hlo_cluster *cluster, const hlo_call *call, uint32_t i) {
    return leaf_of(cluster, call, i)->data;
}

static int64_t units_of_array(const hlo_cluster *cluster) {
    HLO_ASSERT(cluster->group > 0);
    return (cluster->array + cluster->unit - 1) / cluster->unit;
}

/* The number of the unit that element `at` is in, and where a unit begins. */
static int64_t unit_at(const hlo_cluster *cluster, int64_t at) {
    return at / cluster->array * units_of_array(cluster) + at % cluster->array / cluster->unit;
}

static int64_t start_of_unit(const hlo_cluster *cluster, int64_t unit) {
    int64_t units = units_of_array(cluster);
    return hlo_smaller(unit / units * cluster->array + unit % units * cluster->unit,
                       cluster->elements);
}

/* The accumulators of part p. */
static char *sums_of(const hlo_call *call, const hlo_cluster_sink *sink, int64_t p) {
    size_t bytes = (size_t)hlo_fold_width(&sink->shape) * hlo_fold_bytes(sink->fold);
    return (char *)call->scratch + sink->at + (size_t)p * bytes;
}

static void sink_tile(const hlo_cluster *cluster, const hlo_call *call, uint32_t number,
                      const char *from, part of) {
    const hlo_cluster_sink *sink = &cluster->sinks[number];
    int64_t at = of.at % cluster->array, p = unit_at(cluster, of.at);
    hlo_fold_more(sink->fold, &sink->shape, sums_of(call, sink, p), from, at % cluster->unit,
                  (int64_t)of.n);
}

static void end_part(const hlo_cluster *cluster, const hlo_call *call, int64_t p) {
    for (uint32_t i = 0; i < cluster->sink_count; i++) {
        const hlo_cluster_sink *sink = &cluster->sinks[i];
        int64_t rows = sink->shape.reduced - p % sink->shape.parts * sink->shape.part;
        if (rows > sink->shape.part) rows = sink->shape.part;
        hlo_fold_groups(sink->fold, &sink->shape, sums_of(call, sink, p), rows);
    }
}

typedef struct {
    const hlo_cluster_sink *sink;
    const hlo_call *call;
    char *to;
} sink_end;

/* n columns of an array from number `first` on, of all its parts together. */
static void end_array(const sink_end *e, char *to, int64_t array, int64_t first, int64_t n) {
    const hlo_cluster_sink *sink = e->sink;
    int64_t parts = sink->shape.parts;
    size_t at = (size_t)first * hlo_fold_bytes(sink->fold);
    char *sums = sums_of(e->call, sink, array * parts) + at;
    for (int64_t p = 1; p < parts; p++)
        hlo_fold_combine(sink->fold, sums, sums_of(e->call, sink, array * parts + p) + at, n);
    const void *init = hlo_cluster_init_of(&sink->init, e->call);
    hlo_fold_end end = {sink->fold, sink->init.type, sink->result, init};
    hlo_fold_finish(&end, to, sums, n);
}

/* Columns [first, last) of all arrays. */
static void end_columns(void *context, int64_t first, int64_t last) {
    const sink_end *e = context;
    int64_t columns = e->sink->shape.inner;
    for (int64_t at = first, n; at < last; at += n) {
        n = hlo_smaller(columns - at % columns, last - at);
        end_array(e, e->to + (size_t)at * bytes_of(e->sink->result), at / columns, at % columns, n);
    }
}

/* ---- extreme elements of rows ---- */

static void take_extremes(const hlo_cluster *cluster, const hlo_call *call, uint32_t number,
                          const char *from, part of) {
    const hlo_cluster_extremes *x = &cluster->extremes[number];
    hlo_value *const *pair = leaf_of(cluster, call, x->leaf)->elements;
    int64_t first = of.at % cluster->row, row = of.at / cluster->row;
    hlo_extreme_rows rows = {.elements = from,
                             .count = (int64_t)of.rows,
                             .n = (int64_t)(of.n / of.rows),
                             .first = first,
                             .starts = !first};
    for (int i = 0; i < 2; i++) {
        size_t bytes = bytes_of(x->init[i].type);
        rows.init[i] = hlo_cluster_init_of(&x->init[i], call);
        rows.best[i] = (char *)pair[i]->data + row * (int64_t)bytes;
    }
    hlo_extreme_of_rows(x->extreme, &rows);
}

/* ---- steps ---- */

static void run_lanes(const hlo_cluster_step *step, char **lanes, const part *of) {
    const void *in[HLO_LANES_MAX_OPERANDS]; /* those that the step lacks are register 0 */
    for (uint32_t i = 0; i < HLO_LANES_MAX_OPERANDS; i++) in[i] = lanes[step->in[i]];
    size_t n = step->grain == HLO_OF_ROWS ? of->rows : step->grain == HLO_OF_ONE ? 1 : of->n;
    step->lanes.run(&step->lanes, lanes[step->out], in, n);
}

static void run_other(const hlo_cluster *cluster, const hlo_call *call,
                      const hlo_cluster_step *step, char **lanes, part of) {
    bool is_of_rows = step->grain == HLO_OF_ROWS;
    char *to = lanes[step->out];
    void *in[HLO_LANES_MAX_OPERANDS];
    hlo_type type = cluster->registers[step->out].type;
    int64_t at = is_of_rows ? of.at / cluster->row : of.at;
    size_t n = is_of_rows ? of.rows : step->grain == HLO_OF_ONE ? 1 : of.n;
    for (uint32_t i = 0; i < step->arity; i++) in[i] = lanes[step->in[i]];
    switch (step->work) {
    case HLO_CLUSTER_SPREAD: spread(cluster->moves, call, step, type, to, at, n); break;
    case HLO_CLUSTER_PARTS:
        take_boxes(cluster->moves, call, step, bytes_of(type), to, at, n);
        break;
    case HLO_CLUSTER_GATHER: hlo_cluster_take_gathered(step->gather, call, to, at, n); break;
    case HLO_CLUSTER_COUNT: count(step, to, at, n); break;
    case HLO_CLUSTER_LANES: break; /* run_lanes */
    case HLO_CLUSTER_FILL: fill_with_element(cluster->moves, to, in[0], bytes_of(type), n); break;
    case HLO_CLUSTER_REPEAT: repeat(cluster, type, to, in[0], of); break;
    case HLO_CLUSTER_FOLD: fold(cluster, step->fold, to, in[0], of); break;
    case HLO_CLUSTER_SINK: sink_tile(cluster, call, step->sink, in[0], of); break;
    case HLO_CLUSTER_EXTREMES: take_extremes(cluster, call, step->sink, in[0], of); break;
    }
}

/* What the pieces of one run share. */
typedef struct {
    const hlo_cluster *cluster;
    hlo_call *call;
    char *product; /* where it is; NULL: there is none */
} cluster_run;

static cluster_run start_run(const hlo_cluster *cluster, hlo_call *call) {
    char *product = cluster->product ? hlo_cluster_product_at(cluster->product, call) : NULL;
    return (cluster_run){cluster, call, product};
}

static void run_code(const char *at, char **lanes, size_t n) {
    hlo_cluster_code *code;
    memcpy(&code, &at, sizeof code);
    code(lanes, n);
}

static void run_steps(const cluster_run *run, char **lanes, part of, uint32_t first, uint32_t end) {
    HLO_ASSERT(first <= end && end <= run->cluster->step_count);
    const char *code = hlo_call_code(run->call);
    for (uint32_t s = first; s < end; s++) {
        const hlo_cluster_step *step = &run->cluster->steps[s];
        if (step->code_end && code) {
            run_code(code + step->code, lanes, of.n);
            s = step->code_end - 1;
        } else if (step->work == HLO_CLUSTER_LANES) run_lanes(step, lanes, &of);
        else run_other(run->cluster, run->call, step, lanes, of);
    }
}

/* Where the lanes of a part are that are not at one place of the memory. */
static void set_lanes(const cluster_run *run, char *memory, hlo_cluster_grain grain, part of) {
    const hlo_cluster *cluster = run->cluster;
    const hlo_cluster_moving *moving = &cluster->moving[grain];
    char **lanes = (char **)memory;
    int64_t at = grain == HLO_OF_ROWS ? of.at / cluster->row : of.at;
    for (uint32_t i = 0; i < moving->count; i++) {
        uint32_t r = moving->registers[i];
        const hlo_cluster_register *reg = &cluster->registers[r];
        size_t offset = (size_t)(reg->period ? at % reg->period : at) * bytes_of(reg->type);
        if (reg->place == HLO_IN_OPERAND)
            lanes[r] = (char *)run->call->in[reg->number]->data + offset;
        else if (reg->place == HLO_IN_PRODUCT) lanes[r] = run->product + offset;
        else if (reg->place == HLO_IN_RESULT)
            lanes[r] = leaf_at(cluster, run->call, reg->number) + offset;
        else if (reg->place == HLO_IN_ROWS)
            lanes[r] = rows_of(cluster, lanes[reg->number], bytes_of(reg->type), of);
        else lanes[r] = memory + reg->at + (size_t)of.first * cluster->widest;
    }
}

static void fetch(const char *from, const char *end) {
    enum { LINE = 64 };
    for (; from < end; from += LINE) __builtin_prefetch(from, 0, 2);
}

/* Prefetches the lines of operands and results that the next group has, a share of them in each
 * level: the processor does not do so beyond a page, which a row often is, nor while it
 * computes. */
static void fetch_next(const hlo_cluster *cluster, char *const *lanes, size_t group, size_t n,
                       uint32_t level) {
    const hlo_cluster_moving *moving = &cluster->moving[HLO_OF_TILE];
    for (uint32_t i = 0; i < moving->count; i++) {
        const hlo_cluster_register *reg = &cluster->registers[moving->registers[i]];
        size_t bytes = bytes_of(reg->type), share = n * bytes / cluster->level_count;
        if (reg->place == HLO_IN_MEMORY || reg->place == HLO_IN_ROWS || reg->period) continue;
        const char *next = lanes[moving->registers[i]] + group * bytes + level * share;
        fetch(next, next + share);
    }
}

/* Leaves that no step wrote: copies of operands, scalars and other leaves. */
static void copy_results(const cluster_run *run, char **lanes, bool of_rows, part of) {
    const hlo_cluster *cluster = run->cluster;
    int64_t at = of_rows ? of.at / cluster->row : of.at;
    size_t n = of_rows ? of.rows : of.n;
    for (uint32_t i = 0; i < cluster->result_count; i++) {
        const hlo_cluster_result *result = &cluster->results[i];
        const hlo_cluster_register *reg = &cluster->registers[result->reg];
        if (result->of_rows != of_rows ||
            (reg->place == HLO_IN_RESULT && reg->number == result->leaf))
            continue;
        char *to = leaf_at(cluster, run->call, result->leaf) + (size_t)at * bytes_of(reg->type);
        const char *from = lanes[result->reg];
        if (cluster->streams && !of_rows)
            cluster->moves->stream(to, from, (int64_t)(n * bytes_of(reg->type)));
        else if (to != from) memcpy(to, from, n * bytes_of(reg->type));
    }
}

/* ---- groups ---- */

/* How many rows so many elements of a tile or group are, or are of. */
static size_t rows_in(const hlo_cluster *cluster, size_t n) {
    size_t row = (size_t)cluster->row;
    return n < row ? 1 : row ? n / row : 0;
}

static void run_tiles(const cluster_run *run, char *memory, part group, uint32_t l) {
    const hlo_cluster *cluster = run->cluster;
    const hlo_cluster_level *level = &cluster->levels[l];
    char **lanes = (char **)memory;
    bool is_last = l + 1 == cluster->level_count;
    part tile = group;
    for (size_t k = 0; k < group.n; k += tile.n) {
        tile.at = group.at + (int64_t)k;
        tile.first = (int64_t)k;
        tile.n = group.n - k < cluster->tile ? group.n - k : cluster->tile;
        tile.rows = rows_in(cluster, tile.n);
        set_lanes(run, memory, HLO_OF_TILE, tile);
        if (cluster->fetches) fetch_next(cluster, lanes, group.n, tile.n, l);
        run_steps(run, lanes, tile, k ? level->first_of_tile : level->first_of_group, level->end);
        if (is_last) copy_results(run, lanes, false, tile);
    }
}

static void run_group(const cluster_run *run, char *memory, part group) {
    const hlo_cluster *cluster = run->cluster;
    char **lanes = (char **)memory;
    if (cluster->row) set_lanes(run, memory, HLO_OF_ROWS, group);
    for (uint32_t l = 0; l < cluster->level_count; l++) {
        const hlo_cluster_level *level = &cluster->levels[l];
        run_steps(run, lanes, group, level->first_of_rows, level->first_of_group);
        bool is_last = l + 1 == cluster->level_count;
        if (is_last || level->first_of_group < level->end) run_tiles(run, memory, group, l);
    }
    if (cluster->row) copy_results(run, lanes, true, group);
}

/* Elements [first, last), by groups. */
static void run_groups(const cluster_run *run, char *memory, int64_t first, int64_t last) {
    HLO_ASSERT(first >= 0 && first <= last);
    const hlo_cluster *cluster = run->cluster;
    part group = {0};
    for (int64_t at = first; at < last && !hlo_pool_is_stopped(); at += (int64_t)group.n) {
        group.at = at;
        group.n = least(last - at, cluster->group);
        group.rows = rows_in(cluster, group.n);
        run_group(run, memory, group);
    }
}

/* Elements [from, end): units. */
static void run_units(const cluster_run *run, char *memory, int64_t from, int64_t end) {
    HLO_ASSERT(from >= 0 && from <= end);
    const hlo_cluster *cluster = run->cluster;
    char **lanes = (char **)memory;
    for (uint32_t r = 0; r < cluster->register_count; r++)
        lanes[r] = memory + cluster->registers[r].at;
    part of_run = {.n = least(end - from, cluster->tile)};
    run_steps(run, lanes, of_run, 0, cluster->first_of_level);
    for (int64_t at = from, next; at < end; at = next) {
        next = cluster->sink_count ? start_of_unit(cluster, unit_at(cluster, at) + 1) : end;
        run_groups(run, memory, at, next);
        end_part(cluster, run->call, unit_at(cluster, at));
    }
    if (cluster->streams) hlo_end_stream();
}

void hlo_run_cluster_part(const hlo_cluster *cluster, hlo_call *call, char *memory, int64_t first,
                          int64_t last) {
    HLO_ASSERT(first >= 0 && first <= last);
    cluster_run run = start_run(cluster, call);
    run_units(&run, memory + cluster->product->memory, first, last);
}

/* Of the units that the cluster has not followed. */
static void run_range(void *context, int64_t first, int64_t last) {
    const cluster_run *run = context;
    const hlo_cluster *cluster = run->cluster;
    int64_t before = unit_at(cluster, hlo_cluster_handed_on(cluster));
    int64_t from = start_of_unit(cluster, before + first);
    int64_t end = start_of_unit(cluster, before + last);
    char *memory = hlo_work_take(&cluster->work, run->call);
    size_t others = cluster->product && !cluster->work.is_one ? cluster->product->memory : 0;
    run_units(run, memory + others, from, end);
    hlo_work_leave(&cluster->work, run->call, memory);
}

bool hlo_run_cluster(const hlo_cluster *cluster, hlo_call *call) {
    cluster_run run = start_run(cluster, call);
    if (cluster->product && !hlo_run_cluster_product(cluster, call)) return false;
    int64_t units = unit_at(cluster, cluster->elements - 1) + 1 -
                    unit_at(cluster, hlo_cluster_handed_on(cluster));
    hlo_parallel(units, hlo_grain(cluster->unit), run_range, &run);
    for (uint32_t i = 0; i < cluster->sink_count; i++) {
        const hlo_cluster_sink *sink = &cluster->sinks[i];
        sink_end end = {sink, call, leaf_at(cluster, call, sink->leaf)};
        hlo_parallel(sink->arrays * sink->shape.inner, hlo_grain(sink->shape.parts), end_columns,
                     &end);
    }
    return true;
}
