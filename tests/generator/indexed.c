/* Recipes of gather, scatter, sort and top-k. */
#include "generator/generator.h"

/* ---- gather and scatter ---- */

/* How an operand and its indices hang together: the same for reading and for writing. */
typedef struct {
    const hlo_shape *operand, *indices;
    uint32_t mapped, flat, batching, kept; /* dimensions of each kind */
    int64_t map[MAX_RANK], flattened[MAX_RANK], of_operand[MAX_RANK], of_indices[MAX_RANK];
    int64_t sizes[MAX_RANK];   /* of a slice of the operand */
    int64_t windows[MAX_RANK]; /* of those, the dimensions that are kept */
    int64_t places[MAX_RANK];  /* of the indices without the index vector */
    int64_t vector_dim;
    uint32_t place_count;
} indexing;

static void choose_operand_dims(generator *g, indexing *x) {
    uint32_t rank = x->operand->rank;
    int64_t order[MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) order[i] = i;
    shuffle(g, order, rank);
    x->batching = rank > 1 && one_in(g, 4) ? 1 : 0;
    if (x->batching) x->of_operand[0] = order[--rank];
    x->mapped = (uint32_t)between(g, one_in(g, 12) ? 0 : 1, rank);
    for (uint32_t i = 0; i < x->mapped; i++) x->map[i] = order[i];
    for (uint32_t i = 0; i < x->operand->rank; i++) {
        int64_t size = x->operand->dims[i];
        bool is_batched = x->batching && x->of_operand[0] == i;
        bool is_flat = !is_batched && one_in(g, 2);
        x->sizes[i] = size == 0 ? 0 : is_flat || is_batched ? 1 : between(g, 1, size);
        if (is_flat) x->flattened[x->flat++] = i;
        else if (!is_batched) x->windows[x->kept++] = x->sizes[i];
    }
}

static void choose_indices(generator *g, indexing *x) {
    uint32_t free = (uint32_t)between(g, 0, 2);
    x->place_count = free + x->batching;
    uint32_t batch_at = (uint32_t)roll(g, x->place_count);
    for (uint32_t i = 0; i < x->place_count; i++)
        x->places[i] = between(g, one_in(g, 20) ? 0 : 1, 3);
    if (x->batching) x->places[batch_at] = x->operand->dims[x->of_operand[0]];
    bool is_implicit = x->mapped == 1 && one_in(g, 3);
    x->vector_dim = is_implicit ? x->place_count : (int64_t)roll(g, x->place_count + 1);
    if (x->batching) x->of_indices[0] = batch_at + (!is_implicit && batch_at >= x->vector_dim);
    int64_t dims[MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i <= x->place_count; i++) {
        if (!is_implicit && i == x->vector_dim) dims[rank++] = x->mapped;
        if (i < x->place_count) dims[rank++] = x->places[i];
    }
    x->indices = array_of(g, choose_index_type(g), dims, rank);
}

/* Where the `kept` dimensions of slices go among those of the places. */
static void choose_positions(generator *g, const indexing *x, int64_t *positions, int64_t *dims) {
    uint32_t rank = x->kept + x->place_count, window = 0, place = 0;
    choose_some(g, positions, x->kept, rank);
    for (uint32_t i = 0; i < rank; i++)
        dims[i] =
            window < x->kept && positions[window] == i ? x->windows[window++] : x->places[place++];
}

hlo_instr *generate_gather(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick_static(g, OF_ANY, 1, 4);
    if (!a) return NULL;
    indexing x = {.operand = a->shape};
    choose_operand_dims(g, &x);
    choose_indices(g, &x);
    int64_t positions[2 * MAX_RANK], dims[2 * MAX_RANK];
    if (x.kept + x.place_count > MAX_RANK) return NULL;
    choose_positions(g, &x, positions, dims);
    hlo_attr attrs[] = {
        attr_ints(g, HLO_ATTR_OFFSET_DIMS, positions, x.kept),
        attr_ints(g, HLO_ATTR_COLLAPSED_SLICE_DIMS, x.flattened, x.flat),
        attr_ints(g, HLO_ATTR_START_INDEX_MAP, x.map, x.mapped),
        attr_int(HLO_ATTR_INDEX_VECTOR_DIM, x.vector_dim),
        attr_ints(g, HLO_ATTR_SLICE_SIZES, x.sizes, a->shape->rank),
        attr_ints(g, HLO_ATTR_OPERAND_BATCHING_DIMS, x.of_operand, x.batching),
        attr_ints(g, HLO_ATTR_START_INDICES_BATCHING_DIMS, x.of_indices, x.batching)};
    hlo_instr *operands[2] = {a, pick_index(g, x.indices, -1, 4)};
    if (!operands[1]) return NULL;
    return emit_value(g, opcode, NULL, operands, 2, attrs, x.batching ? 7 : 5, facts_of(g, a));
}

static int64_t product(const int64_t *dims, uint32_t n) {
    int64_t all = 1;
    for (uint32_t i = 0; i < n; i++) all *= dims[i];
    return all;
}

/* The order in which updates of one element are combined is not specified. */
hlo_instr *generate_scatter(generator *g, hlo_opcode opcode) {
    hlo_instr *a = g->scope->scalars ? NULL : pick_static(g, OF_ANY, 1, 4);
    if (!a || g->scope->depth >= MAX_DEPTH) return NULL;
    hlo_type type = (hlo_type)a->shape->type;
    indexing x = {.operand = a->shape};
    choose_operand_dims(g, &x);
    choose_indices(g, &x);
    int64_t positions[2 * MAX_RANK], dims[2 * MAX_RANK];
    /* XLA's simplifier takes index vectors without entries for no indices, and drops the scatter.
     */
    if (x.kept + x.place_count > MAX_RANK || x.mapped == 0) return NULL;
    choose_positions(g, &x, positions, dims);
    hlo_instr *updates = pick_of(g, array_of(g, type, dims, x.kept + x.place_count));
    if (!updates) return NULL;
    facts of_a = facts_of(g, a), of_updates = facts_of(g, updates);
    reduction r = choose_reduction(g, type, of_updates.error > of_a.error ? of_updates : of_a,
                                   product(x.places, x.place_count));
    if (r.need != 0) {
        a = within(g, a, -r.need, r.need);
        updates = within(g, updates, -r.need, r.need);
        double most = r.need * (double)(product(x.places, x.place_count) + 1);
        if (r.opcode == HLO_OP_ADD) r.out.low = -most, r.out.high = most;
    }
    hlo_attr attrs[] = {
        attr_ints(g, HLO_ATTR_UPDATE_WINDOW_DIMS, positions, x.kept),
        attr_ints(g, HLO_ATTR_INSERTED_WINDOW_DIMS, x.flattened, x.flat),
        attr_ints(g, HLO_ATTR_SCATTER_DIMS_TO_OPERAND_DIMS, x.map, x.mapped),
        attr_int(HLO_ATTR_INDEX_VECTOR_DIM, x.vector_dim),
        attr_computation(HLO_ATTR_TO_APPLY, binary_body(g, r.opcode, type)),
        attr_ints(g, HLO_ATTR_INPUT_BATCHING_DIMS, x.of_operand, x.batching),
        attr_ints(g, HLO_ATTR_SCATTER_INDICES_BATCHING_DIMS, x.of_indices, x.batching)};
    hlo_instr *operands[3] = {a, pick_index(g, x.indices, -1, 4), updates};
    return emit_value(g, opcode, NULL, operands, 3, attrs, x.batching ? 7 : 5, r.out);
}

/* ---- sort ---- */

/* Compares the elements of one operand of `count`. */
static hlo_computation *comparator(generator *g, hlo_instr *const *operands, uint32_t count,
                                   uint32_t key) {
    scope s;
    open_scope(g, &s, "comparator", true);
    hlo_instr *sides[2] = {NULL};
    for (uint32_t i = 0; i < 2 * count; i++) {
        hlo_type type = (hlo_type)operands[i / 2]->shape->type;
        hlo_instr *parameter = add_parameter(g, scalar_of(g, type), (facts){0});
        if (i / 2 == key) sides[i % 2] = parameter;
    }
    hlo_attr attrs[2] = {attr_word(HLO_ATTR_DIRECTION, one_in(g, 2) ? "LT" : "GT"),
                         attr_word(HLO_ATTR_TYPE, "TOTALORDER")};
    bool is_float = hlo_type_is_float((hlo_type)operands[key]->shape->type);
    uint32_t n = is_float && one_in(g, 2) ? 2 : 1;
    return close_scope(g, emit(g, HLO_OP_COMPARE, NULL, sides, 2, attrs, n));
}

hlo_instr *generate_sort(generator *g, hlo_opcode opcode) {
    enum { MOST = 3 };
    if (g->scope->scalars || g->scope->depth >= MAX_DEPTH) return NULL;
    hlo_instr *operands[MOST] = {exact(g, pick_static(g, OF_PRED | OF_INTEGER | OF_FLOAT, 1, 4))};
    if (!operands[0]) return NULL;
    uint32_t n = (uint32_t)between(g, 1, MOST);
    for (uint32_t i = 1; i < n; i++) {
        hlo_type type = choose_type(g, OF_PRED | OF_INTEGER | OF_FLOAT);
        operands[i] = exact(g, pick_of(g, like(g, operands[0]->shape, type)));
        if (!operands[i]) return NULL;
    }
    facts f[MOST];
    for (uint32_t i = 0; i < n; i++) f[i] = facts_of(g, operands[i]);
    int64_t dimension = (int64_t)roll(g, operands[0]->shape->rank);
    hlo_attr attrs[3] = {
        attr_ints(g, HLO_ATTR_DIMENSIONS, &dimension, 1), attr_int(HLO_ATTR_IS_STABLE, n > 1),
        attr_computation(HLO_ATTR_TO_APPLY, comparator(g, operands, n, (uint32_t)roll(g, n)))};
    hlo_instr *sorted = emit_value(g, opcode, NULL, operands, n, attrs, 3, f[0]);
    for (uint32_t i = 0; sorted && n > 1 && i < n; i++) {
        hlo_attr index = attr_int(HLO_ATTR_INDEX, i);
        emit_value(g, HLO_OP_GET_TUPLE_ELEMENT, NULL, &sorted, 1, &index, 1, f[i]);
    }
    return sorted;
}

hlo_instr *generate_topk(generator *g, hlo_opcode opcode) {
    if (g->scope->scalars || !g->options.types[HLO_S32]) return NULL;
    hlo_instr *a = exact(g, pick_static(g, OF_INTEGER | OF_FLOAT, 1, 2));
    if (!a) return NULL;
    int64_t last = a->shape->dims[a->shape->rank - 1];
    facts f[2] = {facts_of(g, a), {0, (double)last, 0}};
    hlo_attr attrs[2] = {attr_int(HLO_ATTR_K, between(g, last ? 1 : 0, last)),
                         attr_int(HLO_ATTR_LARGEST, !one_in(g, 3))};
    hlo_instr *both = emit_value(g, opcode, NULL, &a, 1, attrs, 2, (facts){0});
    for (uint32_t i = 0; both && i < 2; i++) {
        hlo_attr index = attr_int(HLO_ATTR_INDEX, i);
        emit_value(g, HLO_OP_GET_TUPLE_ELEMENT, NULL, &both, 1, &index, 1, f[i]);
    }
    return both;
}
