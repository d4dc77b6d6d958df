/* Operations with errors: a call of something unknown stands for each, and errors of several steps
 * become one list. */
#include "stablehlo/refused.h"

#include <stdlib.h>

#include "stablehlo/edit.h"

static const char target[] = "refused";

static void drop_uses(hlo_mlir_op *op, void *context) {
    (void)context;
    for (uint32_t i = 0; i < op->operand_count; i++) hlo_mlir_set_operand(op, i, NULL);
}

/* An async_start has one collective inside, and a call is none: it goes with it. */
static hlo_mlir_op *whole_of(hlo_mlir_op *op) {
    hlo_mlir_op *around = op->block ? op->block->region->op : NULL;
    bool is_start = around && around->id == HLO_MLIR_OP_STABLEHLO_ASYNC_START;
    return is_start ? around : op;
}

void hlo_refused_leave(hlo_mlir_module *module, hlo_mlir_op *wrong) {
    hlo_mlir_op *op = whole_of(wrong);
    for (uint32_t i = 0; i < op->region_count; i++) hlo_mlir_walk(&op->regions[i], drop_uses, NULL);
    op->region_count = 0;
    op->id = HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL;
    op->name = hlo_mlir_name_of(op->id);
    op->attr_count = 0;
    op->attrs = NULL;
    hlo_mlir_attr *name = HLO_NEW(&module->arena, hlo_mlir_attr);
    *name = (hlo_mlir_attr){.kind = HLO_MLIR_STRING, .at = op->at};
    name->u.text = hlo_str_from(target);
    hlo_mlir_set_attr(module, op, "call_target_name", name);
    hlo_mlir_attr *effect = HLO_NEW(&module->arena, hlo_mlir_attr);
    *effect = (hlo_mlir_attr){.kind = HLO_MLIR_BOOL, .at = op->at, .u.i = 1};
    hlo_mlir_set_attr(module, op, "has_side_effect", effect);
}

bool hlo_refused_go_on(hlo_stablehlo *s, const hlo_mlir_op *op) {
    hlo_diags unheard;
    hlo_diags *diags = s->diags;
    if (hlo_diags_full(diags)) return false;
    hlo_diags_init(&unheard);
    s->has_refused = true;
    s->diags = &unheard;
    s->carried = (hlo_carried){0};
    for (uint32_t i = 0; i < op->result_count; i++) {
        s->failed = false;
        s->attrs.n = s->operands.n = 0;
        const hlo_shape *shape = hlo_stablehlo_shape(s, op->results[i].type);
        op->results[i].made = NULL;
        if (!shape) continue;
        hlo_stablehlo_push_text(s, HLO_ATTR_CUSTOM_CALL_TARGET, hlo_str_from(target));
        op->results[i].made = hlo_stablehlo_make_of(s, HLO_OP_CUSTOM_CALL, shape, NULL, 0);
    }
    s->failed = false;
    s->attrs.n = s->operands.n = 0;
    s->diags = diags;
    hlo_diags_drop(&unheard);
    return true;
}

/* ---- order ---- */

typedef struct {
    const hlo_diag *diag;
    uint32_t number; /* in which they were found */
} found;

static int by_place(const void *a, const void *b) {
    const found *x = a, *y = b;
    if (x->diag->span.lo != y->diag->span.lo) return x->diag->span.lo < y->diag->span.lo ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

void hlo_refused_begin(hlo_diags *list, const hlo_diags *of) {
    hlo_diags_init(list);
    list->max_errors = of->max_errors;
    list->file = of->file;
    list->hints = of->hints;
    list->hints_context = of->hints_context;
}

void hlo_refused_merge(hlo_diags *diags, hlo_diags *earlier, hlo_diags *later) {
    HLO_LIST(found) all = {0};
    hlo_diags *lists[] = {earlier, later};
    for (int i = 0; i < 2; i++)
        for (const hlo_diag *d = lists[i]->first; d; d = d->next)
            hlo_list_push(&all, (found){d, all.n});
    uint32_t lost = earlier->errors + later->errors;
    for (uint32_t i = 0; i < all.n; i++) lost -= all.v[i].diag->severity == HLO_ERROR;
    if (all.n) qsort(all.v, all.n, sizeof *all.v, by_place);
    for (uint32_t i = 0; i < all.n; i++) {
        hlo_span at = all.v[i].diag->span;
        bool follows = i && at.hi && at.lo == all.v[i - 1].diag->span.lo;
        if (!follows) hlo_diags_append_one(diags, all.v[i].diag);
    }
    diags->errors += lost;
    diags->is_cut |= earlier->is_cut || later->is_cut;
    hlo_list_free(&all);
    for (int i = 0; i < 2; i++) hlo_diags_drop(lists[i]);
}
