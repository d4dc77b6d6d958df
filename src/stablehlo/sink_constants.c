/* Constants move to their uses: into the regions of control flow, and into the bodies of
 * reductions and the like, since computations of HLO cannot refer to outer values. */
#include "stablehlo/edit.h"
#include "stablehlo/prepare.h"

/* A constant that uses in one region share. */
typedef struct {
    hlo_mlir_value *constant;
    hlo_mlir_value *copy; /* NULL: it was moved there itself */
} sunk;

typedef struct {
    hlo_mlir_module *module;
    hlo_mlir_region *region;
    HLO_LIST(sunk) all;
    hlo_hash by_constant; /* numbers of `all`, from 1 */
} sinking;

static sunk *find(sinking *s, const hlo_mlir_value *constant) {
    hlo_hash_each (number, &s->by_constant, hlo_hash_pointer(constant, 0))
        if (s->all.v[number - 1].constant == constant) return &s->all.v[number - 1];
    return NULL;
}

static void add(sinking *s, hlo_mlir_value *constant, hlo_mlir_value *copy) {
    hlo_list_push(&s->all, (sunk){constant, copy});
    hlo_hash_add(&s->by_constant, hlo_hash_pointer(constant, 0), s->all.n);
}

/* Whether the value is defined outside of the region. */
static bool is_outer(const hlo_mlir_value *value, const hlo_mlir_region *region) {
    for (const hlo_mlir_region *at = hlo_mlir_region_of(value); at;
         at = at->op->block ? at->op->block->region : NULL)
        if (at == region) return false;
    return true;
}

static void sink(sinking *s, hlo_mlir_op *user, uint32_t i) {
    hlo_mlir_value *constant = hlo_mlir_operand(user, i);
    hlo_mlir_op *op = constant->op;
    if (!op || !hlo_mlir_is_constant(op) || !is_outer(constant, s->region)) return;
    hlo_mlir_block *block = s->region->first;
    const sunk *before = find(s, constant);
    if (before) {
        hlo_mlir_set_operand(user, i, before->copy);
        if (!constant->first_use) hlo_mlir_remove(op);
    } else if (hlo_mlir_has_one_use(constant)) {
        hlo_mlir_move(op, block, block->first);
        add(s, constant, NULL);
    } else {
        hlo_mlir_op *copy = hlo_mlir_clone(s->module, op, block, block->first);
        add(s, constant, &copy->results[0]);
        hlo_mlir_set_operand(user, i, &copy->results[0]);
    }
}

static void visit_user(hlo_mlir_op *op, void *context) {
    for (uint32_t i = 0; i < op->operand_count; i++) sink(context, op, i);
}

static void visit_op(hlo_mlir_op *op, void *context) {
    sinking *s = context;
    for (uint32_t i = 0; i < op->region_count; i++) {
        s->region = &op->regions[i];
        s->all.n = 0;
        hlo_hash_clear(&s->by_constant);
        hlo_mlir_walk(s->region, visit_user, s);
    }
}

void hlo_stablehlo_sink_constants(hlo_mlir_module *module) {
    sinking s = {.module = module};
    if (!module->with_regions) return;
    hlo_mlir_walk_functions(module, visit_op, &s);
    hlo_list_free(&s.all);
    hlo_hash_free(&s.by_constant);
}
