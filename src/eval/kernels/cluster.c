/* Running clusters, tile by tile. Called by the kernel of fusion; cluster_compile.c makes them. */
#include "eval/kernels/cluster.h"

#include "base/pool.h"
#include "eval/kernels/cluster_program.h"
#include "eval/kernels/move_kernels.h"

static size_t bytes_of(hlo_type type) {
    return hlo_types[type].bytes;
}

/* ---- sources ---- */

#define FILL(T)                                           \
    {                                                     \
        T element, *lane = (T *)to;                       \
        memcpy(&element, from, sizeof element);           \
        for (size_t k = 0; k < n; k++) lane[k] = element; \
        break;                                            \
    }

static void fill(char *to, const char *from, size_t bytes, size_t n) {
    switch (bytes) {
    case 1: memset(to, *from, n); break;
    case 2: FILL(uint16_t)
    case 4: FILL(uint32_t)
    case 8: FILL(uint64_t)
    default:
        for (size_t k = 0; k < n; k++) memcpy(to + k * bytes, from, bytes);
    }
}

static size_t least(int64_t a, size_t b) {
    return (uint64_t)a < b ? (size_t)a : b;
}

/* Rows of `count` elements one after the other. */
static void spread_rows(char *to, const char *from, size_t bytes, int64_t count, int64_t at,
                        size_t n) {
    for (size_t k = 0, m; k < n; k += m, at = 0) {
        m = least(count - at, n - k);
        memcpy(to + k * bytes, from + (size_t)at * bytes, m * bytes);
    }
}

/* Each element `inner` times. */
static void spread_elements(char *to, const char *from, size_t bytes, hlo_cluster_view view,
                            int64_t at, size_t n) {
    int64_t element = at / view.inner % view.count, left = view.inner - at % view.inner;
    for (size_t k = 0, m; k < n; k += m, left = view.inner) {
        m = least(left, n - k);
        fill(to + k * bytes, from + (size_t)element * bytes, bytes, m);
        element = element + 1 == view.count ? 0 : element + 1;
    }
}

static void spread(const hlo_call *call, const hlo_cluster_step *step, hlo_type type, char *to,
                   int64_t at, size_t n) {
    const char *from = step->constant ? step->constant : call->in[step->operand]->data;
    size_t bytes = bytes_of(type);
    if (step->view.count == 1) fill(to, from, bytes, n);
    else if (step->view.inner == 1)
        spread_rows(to, from, bytes, step->view.count, at % step->view.count, n);
    else spread_elements(to, from, bytes, step->view, at, n);
}

/* Where the row is that the given number of elements precede, in the operand; *place: its number
 * along each dimension outside of rows. */
static int64_t find_row(const hlo_cluster_rows *rows, int64_t at, int64_t *place) {
    int64_t number = at / rows->size[0], from = rows->first;
    for (uint32_t d = 1; d < rows->rank; d++) {
        place[d] = number % rows->size[d];
        number /= rows->size[d];
        from += place[d] * rows->stride[d];
    }
    return from;
}

static int64_t next_row(const hlo_cluster_rows *rows, int64_t from, int64_t *place) {
    for (uint32_t d = 1; d < rows->rank; d++) {
        from += rows->stride[d];
        if (++place[d] < rows->size[d]) return from;
        place[d] = 0;
        from -= rows->size[d] * rows->stride[d];
    }
    return from;
}

static void take_rows(const hlo_call *call, const hlo_cluster_step *step, size_t bytes, char *to,
                      int64_t at, size_t n) {
    const hlo_cluster_rows *rows = &step->rows;
    const char *data = call->in[step->operand]->data;
    int64_t place[HLO_CLUSTER_DIMS], from = find_row(rows, at, place), in_row = at % rows->size[0];
    for (size_t k = 0, m; k < n; k += m, in_row = 0, from = next_row(rows, from, place)) {
        m = least(rows->size[0] - in_row, n - k);
        memcpy(to + k * bytes, data + (size_t)(from + in_row) * bytes, m * bytes);
    }
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

/* ---- tiles ---- */

/* The tile's part of an operand or of a leaf of the result. */
static char *place_of(const hlo_call *call, const hlo_cluster_register *reg, char *memory,
                      int64_t at) {
    size_t offset = (size_t)at * bytes_of(reg->type);
    switch (reg->place) {
    case HLO_IN_OPERAND: return (char *)call->in[reg->number]->data + offset;
    case HLO_IN_RESULT:
        return (char *)(call->out->elements ? call->out->elements[reg->number] : call->out)->data +
               offset;
    default: return memory + reg->at;
    }
}

static void run_step(const hlo_cluster *cluster, const hlo_call *call, uint32_t s, char **lanes,
                     int64_t at, size_t n) {
    const hlo_cluster_step *step = &cluster->steps[s];
    char *to = lanes[step->out];
    const void *in[HLO_LANES_MAX_OPERANDS];
    switch (step->work) {
    case HLO_CLUSTER_SPREAD:
        spread(call, step, cluster->registers[step->out].type, to, at, n);
        break;
    case HLO_CLUSTER_ROWS:
        take_rows(call, step, bytes_of(cluster->registers[step->out].type), to, at, n);
        break;
    case HLO_CLUSTER_COUNT: count(step, to, at, n); break;
    case HLO_CLUSTER_LANES:
        for (uint32_t i = 0; i < step->lanes.arity; i++) in[i] = lanes[step->in[i]];
        step->lanes.run(&step->lanes, to, in, n);
        break;
    }
}

/* Leaves that no step wrote: copies of operands, scalars and other leaves. */
static void copy_results(const hlo_cluster *cluster, const hlo_call *call, char **lanes, int64_t at,
                         size_t n) {
    for (uint32_t i = 0; i < cluster->result_count; i++) {
        const hlo_cluster_register *reg = &cluster->registers[cluster->results[i]];
        if (reg->place == HLO_IN_RESULT && reg->number == i) continue;
        hlo_cluster_register leaf = {.type = reg->type, .place = HLO_IN_RESULT, .number = i};
        char *to = place_of(call, &leaf, NULL, at);
        const char *from = lanes[cluster->results[i]];
        if (cluster->streams)
            hlo_moves_chosen()->stream(to, from, (int64_t)(n * bytes_of(reg->type)));
        else if (to != from) memcpy(to, from, n * bytes_of(reg->type));
    }
}

/* What the pieces of one run share. */
typedef struct {
    const hlo_cluster *cluster;
    hlo_call *call;
} cluster_run;

static void run_tile(const cluster_run *run, char *memory, int64_t at, size_t n) {
    const hlo_cluster *cluster = run->cluster;
    char **lanes = (char **)memory;
    for (uint32_t r = 0; r < cluster->register_count; r++)
        if (cluster->registers[r].place != HLO_IN_MEMORY)
            lanes[r] = place_of(run->call, &cluster->registers[r], memory, at);
    for (uint32_t s = cluster->first_of_tile; s < cluster->step_count; s++)
        run_step(cluster, run->call, s, lanes, at, n);
    copy_results(cluster, run->call, lanes, at, n);
}

static void run_range(void *context, int64_t first, int64_t last) {
    const cluster_run *run = context;
    const hlo_cluster *cluster = run->cluster;
    char *memory = hlo_work_take(&cluster->work, run->call), **lanes = (char **)memory;
    for (uint32_t r = 0; r < cluster->register_count; r++)
        lanes[r] = memory + cluster->registers[r].at;
    size_t widest = least(last - first, cluster->tile), n;
    for (uint32_t s = 0; s < cluster->first_of_tile; s++)
        run_step(cluster, run->call, s, lanes, 0, widest);
    for (int64_t at = first; at < last && !hlo_pool_is_stopped(); at += (int64_t)n) {
        n = least(last - at, cluster->tile);
        run_tile(run, memory, at, n);
    }
    if (cluster->streams) hlo_end_stream();
    hlo_work_leave(&cluster->work, run->call, memory);
}

bool hlo_run_cluster(const hlo_cluster *cluster, hlo_call *call) {
    cluster_run run = {cluster, call};
    hlo_parallel(cluster->elements, HLO_PIECE_COST, run_range, &run);
    return true;
}
