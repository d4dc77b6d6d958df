/* Removing what nothing uses in bodies of fusions: see fusion_bodies.h. */
#include "passes/pipeline/fusion_bodies.h"

#include "analysis/call_graph.h"
#include "passes/pipeline/emit.h"
#include "passes/pipeline/relay.h"

/* ---- operands ---- */

void hlo_drop_parameters(hlo_computation *body, const bool *needed) {
    uint32_t kept = 0;
    for (uint32_t n = 0; n < body->parameter_count; n++) {
        hlo_instr *parameter = body->parameters[n];
        if (!needed[n]) {
            hlo_instr_remove(parameter);
            parameter->parent = NULL;
            continue;
        }
        if (kept != n)
            hlo_instr_set_attr(parameter, (hlo_attr){.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = kept});
        body->parameters[kept++] = parameter;
    }
    body->parameter_count = kept;
}

/* The number that an operand has among those that stay. */
static int64_t new_number(const bool *needed, int64_t old) {
    int64_t number = 0;
    for (int64_t n = 0; n < old; n++) number += needed[n];
    return number;
}

static void renumber_aliases(hlo_instr *fusion, const bool *needed) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    const hlo_attr *attr = hlo_instr_attr(fusion, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    if (!attr) return;
    const hlo_aliasing *old = attr->u.aliasing;
    hlo_aliasing *kept = hlo_arena_copy(&fusion->parent->module->arena, old,
                                        sizeof *old + old->n * sizeof old->v[0]);
    kept->n = 0;
    for (uint32_t i = 0; i < old->n; i++) {
        if (!needed[old->v[i].parameter]) continue;
        kept->v[kept->n] = old->v[i];
        kept->v[kept->n++].parameter = new_number(needed, old->v[i].parameter);
    }
    hlo_instr_remove_attr(fusion, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    if (kept->n)
        hlo_instr_set_attr(
            fusion, (hlo_attr){.id = HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING, .u.aliasing = kept});
}

void hlo_drop_fusion_operands(hlo_instr *fusion, const bool *needed) {
    HLO_ASSERT(fusion->opcode == HLO_OP_FUSION);
    renumber_aliases(fusion, needed);
    hlo_drop_parameters(hlo_called(fusion, 0), needed);
    hlo_instr_keep_operands(fusion, needed);
}

/* ---- bodies ---- */

typedef struct {
    hlo_call_graph graph;
    hlo_rewriter *rewriter;
} cleaning;

static bool is_unused(const hlo_instr *instr) {
    return !instr->first_use && instr->parent->root != instr;
}

static bool is_left_over(const hlo_instr *instr) {
    return is_unused(instr) && !hlo_may_be_unused_in_fusion(instr);
}

/* Effects of called computations stay: see hold. */
static bool goes(const cleaning *c, const hlo_instr *instr) {
    return is_left_over(instr) &&
           (hlo_instr_has_side_effect(instr) || !hlo_call_graph_effect(&c->graph, instr));
}

/* Instructions stand in definition order, so that users go before their operands. What waited for
 * one that goes waits for what that waited for. */
static void clean_body(cleaning *c, hlo_computation *body) {
    hlo_instr_list gone = {0};
    hlo_relays relays = {0};
    for (hlo_instr *i = body->last, *before; i; i = before) {
        before = i->prev;
        if (!goes(c, i)) continue;
        if (hlo_is_tied(c->rewriter, i)) hlo_list_push(&gone, i);
        if (i->opcode == HLO_OP_PARAMETER) continue;
        hlo_instr_remove(i);
        i->parent = NULL;
    }
    while (gone.n) hlo_relay_removed(&relays, hlo_list_pop(&gone));
    hlo_relay_successors(&relays, c->rewriter, body);
    hlo_list_free(&gone);
}

/* What calls an effect may be unused elsewhere, but not here: it goes with the root through a
 * barrier. */
static void hold(cleaning *c, hlo_computation *body) {
    hlo_rewriter *r = c->rewriter;
    hlo_instr_list held = {0};
    hlo_list_push(&held, body->root);
    for (hlo_instr *i = body->first; i; i = i->next)
        if (is_left_over(i) && i->opcode != HLO_OP_PARAMETER) hlo_list_push(&held, i);
    if (held.n > 1) {
        hlo_instr *place = hlo_open_end(r, body);
        hlo_instr *all = hlo_emit_tuple(r, held.v, (uint32_t)held.n);
        hlo_instr *barrier = hlo_emit_unary(r, HLO_OP_OPT_BARRIER, all->shape, all);
        body->root = hlo_emit_element(r, barrier, 0);
        hlo_close_end(place);
        r->fresh.n = 0;
    }
    hlo_list_free(&held);
}

static void drop_parameters(const cleaning *c, hlo_computation *body) {
    hlo_instr *fusion = hlo_call_graph_fusion(&c->graph, body);
    if (!fusion || !fusion->parent || fusion->operand_count < body->parameter_count) return;
    uint32_t all = fusion->operand_count, count = 0;
    bool *needed = hlo_calloc(all ? all : 1, sizeof *needed);
    hlo_instr_list worklist = {0};
    for (uint32_t n = 0; n < body->parameter_count; n++) {
        needed[n] = !is_unused(body->parameters[n]);
        if (needed[n]) count++;
        else hlo_list_push(&worklist, hlo_operand(fusion, n));
    }
    for (uint32_t n = body->parameter_count; n < all; n++) needed[n] = true;
    if (count < body->parameter_count) {
        hlo_drop_fusion_operands(fusion, needed);
        /* Bodies of fusions are cleaned anyway. */
        if (!fusion->parent->is_fusion_body) hlo_remove_unused(c->rewriter, &c->graph, &worklist);
    }
    hlo_list_free(&worklist);
    hlo_free(needed);
}

static bool has_leftovers(const hlo_computation *body) {
    for (const hlo_instr *i = body->first; i; i = i->next)
        if (is_left_over(i)) return true;
    return false;
}

void hlo_clean_fusions(hlo_module *module) {
    hlo_computation *body = module->first;
    while (body && !(body->is_fusion_body && has_leftovers(body))) body = body->next;
    if (!body) return;
    bool enabled[HLO_REWRITE_COUNT] = {0};
    hlo_rewrite_log log = {.limit = 0};
    hlo_rewriter rewriter;
    cleaning c = {.rewriter = &rewriter};
    hlo_rewriter_init(&rewriter, module, enabled, &log);
    hlo_call_graph_init(&c.graph, module);
    for (uint32_t n = c.graph.count; n-- > 0;) { /* callees first */
        body = c.graph.order[n];
        if (!body->is_fusion_body) continue;
        clean_body(&c, body);
        hold(&c, body);
        drop_parameters(&c, body);
    }
    hlo_call_graph_free(&c.graph);
    hlo_rewriter_free(&rewriter);
}
