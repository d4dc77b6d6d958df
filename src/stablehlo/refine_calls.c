/* Calls become what they call, functions that others call first. Between, constants of a function
 * go to its front, equal ones become one, and what nothing uses goes, as in XLA. */
#include "stablehlo/refine.h"

#include "stablehlo/simplify.h"

/* States of a function, in its `place`. */
enum { UNSEEN, OPEN, DONE };

enum { MOST_DEPTH = 1000, MOST_COPIED = 1 << 19 };

typedef struct {
    hlo_mlir_module *module;
    hlo_diags *diags;
    HLO_LIST(hlo_mlir_op *) calls; /* those of open functions; each has its own at the end */
    HLO_LIST(hlo_mlir_op *) functions;
    hlo_hash by_name; /* numbers of them, from 1 */
    uint64_t copied;  /* operations */
    uint32_t depth;
} inlining;

static bool fail(inlining *c, const hlo_mlir_op *op, hlo_rule rule, const char *why) {
    hlo_error(c->diags, rule, c->module->source, op->at, "'%.*s': %s", (int)op->name.len,
              op->name.ptr, why);
    return false;
}

/* ---- between ---- */

static bool canonicalise(hlo_simplifier *s, hlo_mlir_op *op) {
    hlo_dense index;
    if (op->id != HLO_MLIR_OP_STABLEHLO_CASE || !hlo_dense_of(hlo_mlir_operand(op, 0), &index) ||
        !hlo_is_whole(index.element))
        return false;
    int64_t branch = hlo_dense_signed(&index, 0);
    return branch >= 0 && branch < op->region_count && hlo_simplify_inline_case(s, op);
}

static void tidy(inlining *c, hlo_mlir_op *function) {
    static const hlo_simplify_plan plan = {canonicalise, true, 10};
    hlo_simplify_function(c->module, function, &plan);
}

/* ---- one call ---- */

static hlo_mlir_op *callee_of(inlining *c, const hlo_mlir_op *call) {
    const hlo_mlir_attr *callee = hlo_mlir_attr_of(call, "callee");
    if (!callee || callee->kind != HLO_MLIR_SYMBOL) return NULL;
    hlo_str name = callee->u.text;
    hlo_hash_each (number, &c->by_name, (uint32_t)hlo_hash_bytes(name.ptr, name.len)) {
        hlo_mlir_op *function = c->functions.v[number - 1];
        if (hlo_str_equal(hlo_mlir_attr_of(function, "sym_name")->u.text, name)) return function;
    }
    return NULL;
}

/* A call of a function of other types stays, and is an error later. */
static bool may_inline(const hlo_mlir_op *call, const hlo_mlir_op *function) {
    const hlo_mlir_block *block = function->regions[0].first;
    const hlo_mlir_op *end = block->last;
    if (hlo_mlir_attr_of(call, "no_inline") || hlo_mlir_attr_of(function, "no_inline") || !end ||
        end->id != HLO_MLIR_OP_FUNC_RETURN || block->argument_count != call->operand_count ||
        end->operand_count != call->result_count)
        return false;
    for (uint32_t i = 0; i < call->operand_count; i++)
        if (block->arguments[i].type != hlo_mlir_operand(call, i)->type) return false;
    for (uint32_t i = 0; i < call->result_count; i++)
        if (hlo_mlir_operand(end, i)->type != call->results[i].type) return false;
    return true;
}

/* The place of what is called, at the call. An unknown call adds nothing. */
static const hlo_mlir_location *at_call(hlo_mlir_module *module, const hlo_mlir_location *callee,
                                        const hlo_mlir_location *caller) {
    static const hlo_mlir_location unknown = {.kind = HLO_MLIR_UNKNOWN_PLACE};
    if (!caller || caller->kind == HLO_MLIR_UNKNOWN_PLACE) return callee;
    hlo_mlir_location *place = HLO_NEW(&module->arena, hlo_mlir_location);
    place->kind = HLO_MLIR_CALL_PLACE;
    place->first = callee ? callee : &unknown;
    place->caller = caller;
    return place;
}

typedef struct {
    inlining *c;
    const hlo_mlir_location *caller;
} relocation;

static void relocate(hlo_mlir_op *op, void *context) {
    relocation *r = context;
    r->c->copied++;
    op->location = at_call(r->c->module, op->location, r->caller);
    for (uint32_t i = 0; i < op->region_count; i++)
        for (hlo_mlir_block *block = op->regions[i].first; block; block = block->next)
            for (uint32_t k = 0; k < block->argument_count; k++)
                block->arguments[k].location =
                    at_call(r->c->module, block->arguments[k].location, r->caller);
}

static bool inline_call(inlining *c, hlo_mlir_op *call, hlo_mlir_op *function) {
    hlo_mlir_block *block = function->regions[0].first;
    relocation r = {c, call->location};
    for (uint32_t i = 0; i < block->argument_count; i++)
        block->arguments[i].made = hlo_mlir_operand(call, i);
    for (hlo_mlir_op *op = block->first; op != block->last; op = op->next) {
        hlo_mlir_op *copy = hlo_mlir_copy(c->module, op, call->block, call);
        for (uint32_t i = 0; i < copy->region_count; i++)
            hlo_mlir_walk(&copy->regions[i], relocate, &r);
        relocate(copy, &r);
    }
    for (uint32_t i = 0; i < call->result_count; i++) {
        hlo_mlir_value *value = hlo_mlir_operand(block->last, i);
        hlo_mlir_replace_uses(&call->results[i], value->made ? value->made : value);
    }
    hlo_mlir_forget_copies(&function->regions[0]);
    hlo_mlir_remove(call);
    return c->copied <= MOST_COPIED ||
           fail(c, call, HLO_RULE_NESTING, "calls stand for too many operations");
}

/* ---- all calls ---- */

static void note_call(hlo_mlir_op *op, void *context) {
    inlining *c = context;
    if (op->id == HLO_MLIR_OP_FUNC_CALL) hlo_list_push(&c->calls, op);
}

static bool finish_function(inlining *c, hlo_mlir_op *function);

/* The functions that it calls are finished. */
static bool finish_callees(inlining *c, hlo_mlir_op *function) {
    uint32_t base = c->calls.n;
    bool good = true;
    hlo_mlir_walk(&function->regions[0], note_call, c);
    for (uint32_t i = base; i < c->calls.n && good; i++) {
        hlo_mlir_op *call = c->calls.v[i], *callee = callee_of(c, call);
        if (!callee) continue;
        if (callee->place == OPEN)
            good = fail(c, call, HLO_RULE_UNSUPPORTED_STABLEHLO, "the function calls itself");
        else good = finish_function(c, callee);
    }
    c->calls.n = base;
    return good;
}

static bool finish_function(inlining *c, hlo_mlir_op *function) {
    if (function->place == DONE) return true;
    if (c->depth >= MOST_DEPTH)
        return fail(c, function, HLO_RULE_NESTING, "calls nest more than 1000 deep");
    c->depth++;
    function->place = OPEN;
    if (!finish_callees(c, function)) return false;
    tidy(c, function);
    uint32_t base = c->calls.n;
    bool has_changed = false;
    hlo_mlir_walk(&function->regions[0], note_call, c);
    for (uint32_t i = base; i < c->calls.n; i++) {
        hlo_mlir_op *callee = callee_of(c, c->calls.v[i]);
        if (!callee || !may_inline(c->calls.v[i], callee)) continue;
        if (!inline_call(c, c->calls.v[i], callee)) return false;
        has_changed = true;
    }
    c->calls.n = base;
    if (has_changed) tidy(c, function);
    function->place = DONE;
    c->depth--;
    return true;
}

bool hlo_refine_calls(hlo_mlir_module *module, hlo_diags *diags) {
    inlining c = {.module = module, .diags = diags};
    const hlo_mlir_block *top = module->root->regions[0].first;
    for (hlo_mlir_op *op = top ? top->first : NULL; op; op = op->next) {
        const hlo_mlir_attr *name = hlo_mlir_attr_of(op, "sym_name");
        if (op->id != HLO_MLIR_OP_FUNC_FUNC || !op->region_count || !op->regions[0].first ||
            !name || name->kind != HLO_MLIR_STRING)
            continue;
        op->place = UNSEEN;
        hlo_list_push(&c.functions, op);
        hlo_hash_add(&c.by_name, (uint32_t)hlo_hash_bytes(name->u.text.ptr, name->u.text.len),
                     c.functions.n);
    }
    bool good = true;
    for (uint32_t i = 0; i < c.functions.n && good; i++)
        good = finish_function(&c, c.functions.v[i]);
    hlo_list_free(&c.calls);
    hlo_list_free(&c.functions);
    hlo_hash_free(&c.by_name);
    return good;
}
