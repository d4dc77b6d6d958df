/* Dots and convolutions: which dimensions are batch, contracted and free, and the shardings that
 * operands and results give each other. */
#include "passes/spmd/sharding_rules_ops.h"

#include "base/text.h"

/* ---- dimensions ---- */

static void add(hlo_product_dim_list *list, int64_t lhs, int64_t rhs, int64_t output) {
    list->v[list->n++] = (hlo_product_dim){{lhs, rhs}, output};
}

static void read_dot(hlo_product_dims *d, const hlo_instr *dot) {
    HLO_ASSERT(dot->opcode == HLO_OP_DOT);
    static const hlo_attr_id ids[2][2] = {{HLO_ATTR_LHS_BATCH_DIMS, HLO_ATTR_LHS_CONTRACTING_DIMS},
                                          {HLO_ATTR_RHS_BATCH_DIMS, HLO_ATTR_RHS_CONTRACTING_DIMS}};
    const hlo_ints *batch[2], *contracting[2];
    for (int i = 0; i < 2; i++) {
        batch[i] = hlo_attr_ints(dot, ids[i][0]);
        contracting[i] = hlo_attr_ints(dot, ids[i][1]);
    }
    for (uint32_t i = 0; i < batch[0]->n; i++) add(&d->batch, batch[0]->v[i], batch[1]->v[i], i);
    for (uint32_t i = 0; i < contracting[0]->n; i++)
        add(&d->contracting, contracting[0]->v[i], contracting[1]->v[i], -1);
    int64_t output = batch[0]->n;
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < d->rank[side]; i++) {
            if (hlo_ints_contain(batch[side], i) || hlo_ints_contain(contracting[side], i))
                continue;
            add(&d->free[side], side ? -1 : i, side ? i : -1, output++);
        }
}

static bool has_padding(const hlo_window_dim *w) {
    return w->pad_low != 0 || w->pad_high != 0;
}

static int64_t at_least_one(int64_t n) {
    return n < 1 ? 1 : n;
}

/* A batch dimension as a spatial one: window and dilated operand meet in one place at a time. */
static bool is_batch(const hlo_window_dim *w, int64_t lhs) {
    int64_t less = at_least_one(lhs - 1);
    if (lhs != w->size) return false;
    if (lhs == w->base_dilation && !has_padding(w) && !w->reversed)
        return (w->stride == less && w->window_dilation == 1) ||
               (w->window_dilation == less && w->stride == 1);
    return w->pad_high == lhs - 1 && w->pad_low == lhs - 1 && w->reversed &&
           w->window_dilation == 1 && w->stride == lhs && w->base_dilation == lhs - 1;
}

static hlo_product_dim_list *role_of(hlo_product_dims *d, const hlo_window_dim *w, int64_t lhs,
                                     int64_t rhs) {
    bool dilated = w->base_dilation != 1 || w->window_dilation != 1;
    if (is_batch(w, lhs)) return &d->batch;
    if (lhs == w->size && !dilated && !has_padding(w) && !w->reversed) return &d->contracting;
    if (dilated || w->stride != 1) return &d->spatial;
    if (rhs == 1 && w->size == 1 && !has_padding(w) && !w->reversed) return &d->free[0];
    if (lhs == 1 && w->size == rhs && w->pad_high == rhs - 1 && w->pad_low == rhs - 1 &&
        w->reversed)
        return &d->free[1];
    return &d->spatial;
}

static void read_convolution(hlo_product_dims *d, const hlo_instr *conv) {
    const hlo_dim_labels *labels = hlo_instr_attr(conv, HLO_ATTR_DIM_LABELS)->u.dim_labels;
    const hlo_attr *window = hlo_instr_attr(conv, HLO_ATTR_WINDOW);
    add(&d->free[0], labels->input_batch, -1, labels->output_batch);
    add(&d->free[1], -1, labels->kernel_output_feature, labels->output_feature);
    add(&d->contracting, labels->input_feature, labels->kernel_input_feature, -1);
    for (uint32_t i = 0; i < labels->n && window; i++) {
        int64_t lhs = labels->input_spatial[i], rhs = labels->kernel_spatial[i];
        hlo_product_dim_list *role =
            role_of(d, &window->u.window->v[i], hlo_operand(conv, 0)->shape->dims[lhs],
                    hlo_operand(conv, 1)->shape->dims[rhs]);
        add(role, lhs, rhs, labels->output_spatial[i]);
    }
}

hlo_product_dims hlo_product_dims_of(hlo_arena *arena, const hlo_instr *product) {
    hlo_product_dims d = {.output_rank = 0};
    hlo_product_dim_list *lists[] = {&d.batch, &d.contracting, &d.spatial, &d.free[0], &d.free[1]};
    d.rank[0] = hlo_operand(product, 0)->shape->rank;
    d.rank[1] = hlo_operand(product, 1)->shape->rank;
    d.output_rank = product->shape->rank;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        lists[i]->v = HLO_NEW_ARRAY(arena, hlo_product_dim, d.rank[0] + d.rank[1] + 1);
    if (product->opcode == HLO_OP_DOT) read_dot(&d, product);
    else read_convolution(&d, product);
    return d;
}

/* ---- shardings ---- */

/* Where each dimension of an array comes from, -1: from nowhere; there are three arrays. */
enum { OUTPUT = 2 };

static int64_t place_in(const hlo_product_dim *dim, int array) {
    return array == OUTPUT ? dim->output : dim->side[array];
}

static void map_list(hlo_ints *from, const hlo_product_dim_list *list, int to, int of) {
    for (uint32_t i = 0; i < list->n; i++)
        if (place_in(&list->v[i], to) >= 0)
            from->v[place_in(&list->v[i], to)] = place_in(&list->v[i], of);
}

static hlo_ints *map_of(hlo_arena *arena, uint32_t rank) {
    hlo_ints *from = hlo_ints_new(arena, rank);
    for (uint32_t i = 0; i < rank; i++) from->v[i] = -1;
    return from;
}

static void push_places(hlo_ints *to, const hlo_product_dim_list *list, int array) {
    for (uint32_t i = 0; i < list->n; i++)
        if (place_in(&list->v[i], array) >= 0) to->v[to->n++] = place_in(&list->v[i], array);
}

static hlo_ints *no_places(hlo_arena *arena, const hlo_product_dims *d) {
    hlo_ints *list = hlo_ints_new(arena, d->rank[0] + d->rank[1] + d->output_rank);
    list->n = 0;
    return list;
}

const hlo_sharding *hlo_product_from_operand(hlo_arena *arena, const hlo_product_dims *d,
                                             uint32_t operand, const hlo_sharding *s) {
    int side = (int)operand;
    hlo_ints *lost = no_places(arena, d);
    push_places(lost, &d->contracting, side);
    push_places(lost, &d->free[1 - side], side); /* spatial ones of size 1 */
    hlo_ints *from = map_of(arena, d->output_rank);
    map_list(from, &d->batch, OUTPUT, side);
    map_list(from, &d->free[side], OUTPUT, side);
    return hlo_sharding_mapped(arena, hlo_sharding_replicate(arena, s, lost), from->v, from->n);
}

static const hlo_sharding *operand_from_result(hlo_arena *arena, const hlo_product_dims *d,
                                               int side, const hlo_sharding *result) {
    hlo_ints *lost = no_places(arena, d);
    push_places(lost, &d->free[1 - side], OUTPUT);
    push_places(lost, &d->contracting, OUTPUT);
    hlo_ints *from = map_of(arena, d->rank[side]);
    map_list(from, &d->batch, side, OUTPUT);
    map_list(from, &d->free[side], side, OUTPUT);
    return hlo_sharding_mapped(arena, hlo_sharding_replicate(arena, result, lost), from->v,
                               from->n);
}

static const hlo_sharding *operand_from_other(hlo_arena *arena, const hlo_product_dims *d, int side,
                                              const hlo_sharding *other) {
    hlo_ints *lost = no_places(arena, d);
    push_places(lost, &d->free[1 - side], 1 - side);
    push_places(lost, &d->free[side], 1 - side);
    hlo_ints *from = map_of(arena, d->rank[side]);
    map_list(from, &d->batch, side, 1 - side);
    map_list(from, &d->contracting, side, 1 - side);
    return hlo_sharding_mapped(arena, hlo_sharding_replicate(arena, other, lost), from->v, from->n);
}

const hlo_sharding *hlo_product_to_operand(hlo_arena *arena, const hlo_product_dims *d,
                                           uint32_t operand, const hlo_sharding *result,
                                           const hlo_sharding *other, bool may_combine) {
    const hlo_sharding *found = result ? operand_from_result(arena, d, (int)operand, result) : NULL;
    if (!found) found = hlo_sharding_replicated(arena, NULL);
    if (!other || hlo_sharding_is(other, HLO_SHARDING_MAXIMAL)) return found;
    const hlo_sharding *second = operand_from_other(arena, d, (int)operand, other);
    if (second && hlo_sharding_combine(arena, found, &second, may_combine)) return second;
    return found;
}

/* ---- custom calls ---- */

uint32_t hlo_call_batch_dims(const hlo_instr *call) {
    HLO_ASSERT(call->opcode == HLO_OP_CUSTOM_CALL);
    const hlo_str *text = hlo_frontend_value(call, "num_batch_dims");
    int64_t n;
    if (!text || !hlo_int_from_text(*text, &n) || n <= 0) return 0;
    for (uint32_t i = 0; i < call->operand_count; i++) {
        const hlo_shape *operand = hlo_operand(call, i)->shape;
        if (!hlo_shape_is_array(operand) || operand->rank < n) return 0;
    }
    for (uint32_t i = 0; i < hlo_shape_part_count(call->shape); i++) {
        const hlo_shape *result = hlo_shape_part(call->shape, i);
        if (!hlo_shape_is_array(result) || result->rank < n) return 0;
    }
    return (uint32_t)n;
}
