/* Gathered rows as sources of a cluster: see cluster_gather.h. */
#include "eval/fuse/cluster_gather.h"

/* Rows of the result follow each other; with one row there is no distance. */
static bool are_rows(const hlo_walk *places, int64_t row_bytes) {
    return !places->empty &&
           (places->rank == 0 || (places->rank == 1 && places->stride[0][0] == row_bytes));
}

/* False: no cluster takes it, or the kernel of gather reports it. `memory`: for the windows. */
static bool find_rows(const hlo_instr *gather, hlo_cluster_gather *found, void *memory) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    const hlo_shape *operand = hlo_operand(gather, 0)->shape;
    hlo_indexed_windows_dims dims = {.numbers = hlo_index_dims_of(gather)};
    found->bytes = hlo_element_bytes(operand);
    hlo_indexed_windows_init(&found->windows, &dims, operand, hlo_operand(gather, 1)->shape,
                             gather->shape, found->bytes, memory);
    int64_t row_bytes = hlo_window_row_bytes(&found->windows.window, found->bytes);
    if (!row_bytes || !are_rows(&found->windows.places, row_bytes)) return false;
    found->row = row_bytes / found->bytes;
    found->count = hlo_shape_elements(gather->shape) / found->row;
    return hlo_walk_start(&found->windows.places);
}

static size_t windows_bytes(const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    hlo_indexed_windows_dims dims = {.numbers = hlo_index_dims_of(gather)};
    return hlo_indexed_windows_bytes(&dims, hlo_operand(gather, 0)->shape,
                                     hlo_operand(gather, 1)->shape, gather->shape);
}

bool hlo_cluster_gathers_rows(const hlo_instr *gather) {
    HLO_ASSERT(gather->opcode == HLO_OP_GATHER);
    const hlo_indexed_windows_dims dims = {.numbers = hlo_index_dims_of(gather)};
    const hlo_shape *operand = hlo_operand(gather, 0)->shape;
    if (hlo_shape_elements(operand) < 1 || hlo_shape_elements(gather->shape) < 1 ||
        dims.numbers.operand_batching->n || dims.numbers.indices_batching->n)
        return false;
    hlo_cluster_gather found;
    void *memory = hlo_malloc(windows_bytes(gather) + 1);
    bool are_found = find_rows(gather, &found, memory) && found.row >= HLO_SHORTEST_ROW;
    hlo_free(memory);
    return are_found;
}

const hlo_cluster_gather *hlo_cluster_gather_of(hlo_arena *arena, const hlo_instr *gather,
                                                uint32_t operand, uint32_t indices) {
    hlo_cluster_gather *found = HLO_NEW(arena, hlo_cluster_gather);
    find_rows(gather, found, hlo_arena_alloc(arena, windows_bytes(gather)));
    found->operand = operand;
    found->indices = indices;
    return found;
}

/* ---- elements ---- */

enum { ROWS_AT_ONCE = 64, ROWS_AHEAD = 4 };

typedef struct {
    const char *data;
    char *to;
    int64_t from, left; /* elements of the first row that are not taken; to be taken */
} taking;

/* Takes of rows [0, rows), of which more are known. */
static void take_rows(const hlo_cluster_gather *g, taking *t, const int64_t *starts, int64_t rows,
                      int64_t known) {
    const hlo_move_set *moves = hlo_move_chosen();
    for (int64_t i = 0; i < rows; i++, t->from = 0) {
        int64_t n = g->row - t->from < t->left ? g->row - t->from : t->left;
        if (!t->from && i + ROWS_AHEAD < known)
            hlo_fetch_row(t->data + starts[i + ROWS_AHEAD], g->row * g->bytes);
        moves->copy(t->to, t->data + starts[i] + t->from * g->bytes, n * g->bytes);
        t->to += n * g->bytes;
        t->left -= n;
    }
}

void hlo_cluster_take_gathered(const hlo_cluster_gather *gather, const hlo_call *call, char *to,
                               int64_t at, size_t n) {
    int64_t starts[ROWS_AT_ONCE + ROWS_AHEAD], place = at / gather->row;
    const hlo_value *indices = call->in[gather->indices];
    taking t = {call->in[gather->operand]->data, to, at % gather->row, (int64_t)n};
    for (int64_t rows; t.left; place += rows) {
        rows = (t.from + t.left - 1) / gather->row + 1;
        if (rows > ROWS_AT_ONCE) rows = ROWS_AT_ONCE;
        int64_t known = rows + ROWS_AHEAD, others = gather->count - place;
        if (known > others) known = others;
        hlo_find_clamped_starts(&gather->windows, &gather->windows.places, place, known, indices,
                                starts);
        take_rows(gather, &t, starts, rows, known);
    }
}
