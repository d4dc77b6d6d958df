/* The last changes before HLO is made: large splats become broadcasts of scalars, broadcasts of
 * unsorted dimensions get a transpose, and bodies that become computations get their constants. */
#include "stablehlo/dense.h"
#include "stablehlo/edit.h"
#include "stablehlo/prepare.h"

/* Splats of fewer elements stay constants. */
enum { LEAST_BROADCAST = 32 };

static hlo_mlir_op *new_unary(hlo_mlir_module *module, hlo_mlir_op *before, hlo_mlir_op_id id,
                              const hlo_mlir_type *type, hlo_mlir_value *operand) {
    hlo_mlir_op *op = hlo_mlir_op_new(module, before->block, before, hlo_mlir_name_of(id),
                                      operand ? 1 : 0, 1, 0, 0);
    op->location = before->location;
    op->results[0].type = type;
    if (operand) hlo_mlir_set_operand(op, 0, operand);
    return op;
}

static void spread_constant(hlo_mlir_module *module, hlo_mlir_op *op) {
    hlo_dense splat;
    const char *const sharding = "mhlo.sharding";
    if (!hlo_dense_from(hlo_mlir_attr_of(op, "value"), &splat) || !splat.is_splat ||
        splat.n < LEAST_BROADCAST)
        return;
    const hlo_mlir_type *type = hlo_mlir_tensor(module, splat.type, 0, NULL);
    hlo_mlir_op *scalar = new_unary(module, op, HLO_MLIR_OP_STABLEHLO_CONSTANT, type, NULL);
    hlo_mlir_set_attr(module, scalar, "value", hlo_dense_reshape(module, &splat, type));
    hlo_mlir_op *spread = new_unary(module, op, HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM,
                                    op->results[0].type, &scalar->results[0]);
    hlo_mlir_set_attr(module, spread, "broadcast_dimensions", hlo_mlir_ints_new(module, 0, NULL));
    if (hlo_mlir_attr_of(op, sharding))
        hlo_mlir_set_attr(module, spread, sharding, hlo_mlir_attr_of(op, sharding));
    hlo_mlir_replace_uses(&op->results[0], &spread->results[0]);
    hlo_mlir_remove(op);
}

/* The order in which the dimensions ascend; `sorted` gets them in it. */
static int64_t *ascending(hlo_mlir_module *module, hlo_mlir_numbers dims, int64_t *sorted) {
    int64_t *order = HLO_NEW_ARRAY(&module->arena, int64_t, dims.n);
    for (uint32_t i = 0; i < dims.n; i++) {
        uint32_t k = i;
        for (; k && sorted[k - 1] > dims.v[i]; k--) {
            sorted[k] = sorted[k - 1];
            order[k] = order[k - 1];
        }
        sorted[k] = dims.v[i];
        order[k] = i;
    }
    return order;
}

static void sort_broadcast(hlo_mlir_module *module, hlo_mlir_op *op) {
    hlo_mlir_numbers dims;
    if (!hlo_mlir_numbers_of(module, op, "broadcast_dimensions", &dims)) return;
    hlo_mlir_value *x = hlo_mlir_operand(op, 0);
    uint32_t sorted_up_to = 1;
    while (sorted_up_to < dims.n && dims.v[sorted_up_to - 1] <= dims.v[sorted_up_to])
        sorted_up_to++;
    if (sorted_up_to >= dims.n || x->type->kind != HLO_MLIR_TENSOR || x->type->rank != dims.n)
        return;
    int64_t *sorted = HLO_NEW_ARRAY(&module->arena, int64_t, dims.n);
    int64_t *order = ascending(module, dims, sorted);
    hlo_mlir_op *transpose = new_unary(module, op, HLO_MLIR_OP_STABLEHLO_TRANSPOSE,
                                       hlo_mlir_permuted(module, x->type, order), x);
    hlo_mlir_set_attr(module, transpose, "permutation", hlo_mlir_ints_new(module, dims.n, order));
    hlo_mlir_set_operand(op, 0, &transpose->results[0]);
    hlo_mlir_set_attr(module, op, "broadcast_dimensions",
                      hlo_mlir_ints_new(module, dims.n, sorted));
}

/* ---- captured constants ---- */

typedef struct {
    hlo_mlir_module *module;
    hlo_mlir_region *region;
    hlo_mlir_op *before; /* the first operation of the region */
    HLO_LIST(hlo_mlir_value *) captured;
} capturing;

static void note_captured(hlo_mlir_op *op, void *context) {
    capturing *c = context;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        hlo_mlir_value *value = hlo_mlir_operand(op, i);
        if (!value->op || !hlo_mlir_is_constant(value->op) ||
            hlo_mlir_is_within(value->op, c->region))
            continue;
        uint32_t k = 0;
        while (k < c->captured.n && c->captured.v[k] != value) k++;
        if (k == c->captured.n) hlo_list_push(&c->captured, value);
    }
}

static void copy_captured(hlo_mlir_module *module, hlo_mlir_op *op) {
    capturing c = {.module = module};
    for (uint32_t i = 0; i < op->region_count; i++) {
        c.region = &op->regions[i];
        if (!c.region->first || !c.region->first->first) continue;
        c.before = c.region->first->first;
        c.captured.n = 0;
        hlo_mlir_walk(c.region, note_captured, &c);
        for (uint32_t k = 0; k < c.captured.n; k++) {
            hlo_mlir_value *value = c.captured.v[k];
            hlo_mlir_op *copy = hlo_mlir_clone(module, value->op, c.region->first, c.before);
            for (hlo_mlir_use *use = value->first_use, *next; use; use = next) {
                next = use->next;
                hlo_mlir_op *user = use->user;
                for (uint32_t r = 0; r < op->region_count; r++)
                    if (hlo_mlir_is_within(user, &op->regions[r])) {
                        hlo_mlir_set_operand(user, (uint32_t)(use - user->operands),
                                             &copy->results[0]);
                        break;
                    }
            }
        }
    }
    hlo_list_free(&c.captured);
}

static void visit(hlo_mlir_op *op, void *context) {
    hlo_mlir_module *module = context;
    if (hlo_mlir_is_constant(op)) {
        spread_constant(module, op);
        return;
    }
    switch (op->id) {
    case HLO_MLIR_OP_STABLEHLO_BROADCAST_IN_DIM: sort_broadcast(module, op); break;
    case HLO_MLIR_OP_STABLEHLO_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_ALL_REDUCE:
    case HLO_MLIR_OP_STABLEHLO_REDUCE_SCATTER:
    case HLO_MLIR_OP_STABLEHLO_REDUCE_WINDOW:
    case HLO_MLIR_OP_STABLEHLO_SCATTER:
    case HLO_MLIR_OP_STABLEHLO_SELECT_AND_SCATTER:
    case HLO_MLIR_OP_STABLEHLO_SORT: copy_captured(module, op); break;
    default: break;
    }
}

void hlo_stablehlo_prepare_export(hlo_mlir_module *module) {
    hlo_mlir_walk_functions(module, visit, module);
}
