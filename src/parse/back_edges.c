/* Graphs of dataflow: their opcodes need is_dataflow=true in the header, and a merge may name the
 * next-iteration that feeds it before that is defined. */
#include "parse/back_edges.h"

/* ---- opcodes ---- */

bool hlo_is_dataflow_text(const hlo_parser *p) {
    for (uint32_t i = 0; i < p->made.header.n; i++)
        if (p->made.header.v[i].id == HLO_ATTR_IS_DATAFLOW) return p->made.header.v[i].u.i != 0;
    return false;
}

void hlo_check_dataflow_opcode(hlo_parser *p) {
    hlo_pending *pending = hlo_current(p);
    if (!(hlo_ops[pending->draft.opcode].flags & HLO_OP_IS_DATAFLOW) || hlo_is_dataflow_text(p))
        return;
    hlo_parse_error(p, HLO_RULE_DATAFLOW_HEADER, pending->opcode_at,
                    "%s needs is_dataflow=true in the header of the module",
                    hlo_ops[pending->draft.opcode].text);
    pending->poisoned = true;
}

/* ---- edges ---- */

bool hlo_take_forward_operand(hlo_parser *p, hlo_name *name, hlo_span at) {
    hlo_pending *pending = hlo_current(p);
    if (pending->draft.opcode != HLO_OP_MERGE || pending->sugar || pending->forward) return false;
    pending->forward = name;
    pending->forward_at = at;
    return true;
}

void hlo_note_forward_operand(hlo_parser *p, const hlo_pending *pending, hlo_instr *merge) {
    if (!pending->forward) return;
    hlo_forward_edge edge = {merge, pending->forward, pending->forward_at};
    hlo_list_push(&p->stacks.forward, edge);
}

static void not_an_iteration(hlo_parser *p, const hlo_forward_edge *edge, const hlo_instr *def) {
    hlo_parse_error(p, HLO_RULE_BACK_EDGE, edge->at,
                    "'%.*s' is defined later and is not a next-iteration", (int)edge->name->len,
                    edge->name->ptr);
    hlo_note(p->diags, p->source, def->at, "it is %s", hlo_info(def)->text);
}

static void resolve(hlo_parser *p, const hlo_forward_edge *edge) {
    HLO_ASSERT(edge->merge->opcode == HLO_OP_MERGE);
    hlo_instr *def = hlo_find_instr(p, edge->name);
    if (!def) hlo_unknown_instruction(p, edge->name, edge->at);
    else if (def->opcode == HLO_OP_NEXT_ITERATION) hlo_instr_set_back_edge(edge->merge, def);
    else if (def != &hlo_poison) not_an_iteration(p, edge, def);
}

/* Where the next-iteration stands before the merge. */
static void turn_operand(hlo_instr *merge) {
    HLO_ASSERT(merge->opcode == HLO_OP_MERGE);
    for (uint32_t i = 0; i < merge->operand_count && !hlo_back_edge(merge); i++) {
        hlo_instr *def = hlo_operand(merge, i);
        if (def->opcode != HLO_OP_NEXT_ITERATION) continue;
        bool *keep = hlo_malloc(merge->operand_count * sizeof *keep);
        for (uint32_t k = 0; k < merge->operand_count; k++) keep[k] = k != i;
        hlo_instr_keep_operands(merge, keep);
        hlo_free(keep);
        hlo_instr_set_back_edge(merge, def);
    }
}

void hlo_resolve_forward_operands(hlo_parser *p, const hlo_scope *scope) {
    HLO_ASSERT(p->stacks.forward.n >= scope->forward_base);
    for (uint32_t i = scope->forward_base; i < p->stacks.forward.n; i++)
        resolve(p, &p->stacks.forward.v[i]);
    p->stacks.forward.n = scope->forward_base;
    if (!hlo_is_dataflow_text(p)) return;
    for (hlo_instr *i = scope->computation->first; i; i = i->next)
        if (i->opcode == HLO_OP_MERGE) turn_operand(i);
}
