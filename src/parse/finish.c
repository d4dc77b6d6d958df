/* Completes one instruction: src/form checks and completes the draft that was read, and gets the
 * places of its parts. */
#include "parse/finish.h"

#include "form/form.h"
#include "ir/places.h"

/* ---- places ---- */

static hlo_span attr_at(const hlo_draft *draft, const hlo_pending *pending, hlo_attr_id id) {
    const hlo_attr *attr = hlo_draft_attr(draft, id);
    if (!attr || !attr->at) return pending->opcode_at;
    return (hlo_span){attr->at, attr->at + (uint32_t)strlen(hlo_attr_table[id].text)};
}

/* The opcode when it is not to be found. */
static hlo_span first_operand_at(const hlo_parser *p, const hlo_pending *pending) {
    hlo_span name = pending->at.hi ? pending->at : pending->opcode_at;
    hlo_span at = hlo_place_of_operand(p->module, name, 0);
    return at.lo == name.lo ? pending->opcode_at : at;
}

static hlo_span place(const hlo_draft *draft, hlo_part part) {
    HLO_ASSERT(part >= HLO_PART_NAME);
    const hlo_reading *r = draft->context;
    const hlo_pending *pending = r->pending;
    switch (part) {
    case HLO_PART_NAME: return pending->at;
    case HLO_PART_AROUND: return hlo_instruction_at(r->p);
    case HLO_PART_SHAPE: return draft->shape ? pending->shape_at : pending->opcode_at;
    case HLO_PART_OPCODE: return pending->opcode_at;
    case HLO_PART_OPERANDS: return (hlo_span){pending->open_at, pending->closed_at.hi};
    case HLO_PART_FIRST_OPERAND: return first_operand_at(r->p, pending);
    case HLO_PART_CLOSE: return pending->closed_at;
    case HLO_PART_AFTER_OPERANDS:
        return (hlo_span){pending->closed_at.hi, pending->closed_at.hi + 1};
    case HLO_PART_NEXT: return r->next;
    default: return attr_at(draft, pending, (hlo_attr_id)(part - HLO_PART_ATTR));
    }
}

static void error(const hlo_draft *draft, hlo_rule rule, hlo_part part, const char *message) {
    const hlo_reading *r = draft->context;
    hlo_error(draft->diags, rule, r->p->source, place(draft, part), "%s", message);
}

static const hlo_draft_host host = {error, place};

/* ---- what XLA's parser copies to other instructions ---- */

/* Attributes of any link of an asynchronous chain that also are the wrapped instruction's: the last
 * one wins. */
static void copy_to_wrapped(const hlo_instr *link, hlo_instr *root) {
    static const hlo_attr_id copied[] = {HLO_ATTR_METADATA, HLO_ATTR_ORIGIN,
                                         HLO_ATTR_BACKEND_CONFIG, HLO_ATTR_FRONTEND_ATTRIBUTES,
                                         HLO_ATTR_STATISTICS};
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        const hlo_attr *attr = hlo_instr_attr(link, copied[i]);
        if (attr) hlo_instr_set_attr(root, *attr);
    }
}

static void spread_thread(hlo_parser *p, hlo_instr *start) {
    p->made.has_async = true;
    p->made.has_threads |= hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD) != NULL;
    if (p->made.has_threads) hlo_form_spread_thread(start);
}

static void tell_body(hlo_parser *p, hlo_instr *link) {
    hlo_instr *start =
        hlo_async_start_of(link->opcode == HLO_OP_ASYNC_DONE ? hlo_operand(link, 0) : link);
    if (start && hlo_async_body(start)->root) copy_to_wrapped(link, hlo_async_body(start)->root);
    if (start == link) spread_thread(p, start);
}

static void tell_others(hlo_parser *p, hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_PARAMETER: hlo_list_push(&p->stacks.parameters, instr); break;
    case HLO_OP_GET_TUPLE_ELEMENT: hlo_form_inherit_origin(instr); break;
    case HLO_OP_ASYNC_START:
    case HLO_OP_ASYNC_UPDATE:
    case HLO_OP_ASYNC_DONE: tell_body(p, instr); break;
    default: break;
    }
}

/* ---- the instruction ---- */

hlo_instr *hlo_finish_instruction(hlo_parser *p, hlo_pending *pending, hlo_name *name,
                                  hlo_span next) {
    hlo_reading reading = {p, pending, next};
    HLO_ASSERT(pending->operand_base <= p->stacks.operands.n &&
               pending->attr_base <= p->stacks.attrs.n);
    hlo_draft *draft = &pending->draft;
    hlo_settle_sugar(p, pending);
    draft->origin = HLO_DRAFT_OF_TEXT;
    draft->computation = hlo_scope_now(p)->computation;
    draft->name = name;
    draft->operands = p->stacks.operands.v + pending->operand_base;
    draft->operand_count = p->stacks.operands.n - pending->operand_base;
    draft->attrs = p->stacks.attrs.v + pending->attr_base;
    draft->attr_count = p->stacks.attrs.n - pending->attr_base;
    draft->attr_capacity = p->stacks.attrs.capacity - pending->attr_base;
    draft->at = pending->at.hi > pending->at.lo ? pending->at : pending->opcode_at;
    draft->diags = p->diags;
    draft->host = &host;
    draft->context = &reading;
    hlo_instr *instr =
        pending->sugar ? hlo_finish_async_sugar(p, pending->sugar, draft) : hlo_form_make(draft);
    if (!instr) return NULL;
    instr->at = pending->at;
    tell_others(p, instr);
    return instr;
}
