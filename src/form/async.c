/* Chains of async-start, async-update and async-done: what each must agree on with its start
 * (docs/text-format.md). */
#include "base/list.h"
#include "form/refuse.h"
#include "form/steps.h"

/* Chains are as long as the text makes them: this walks, it does not recurse. */
hlo_instr *hlo_async_start_of(hlo_instr *link) {
    while (link->opcode == HLO_OP_ASYNC_UPDATE && link->operand_count) link = hlo_operand(link, 0);
    return link->opcode == HLO_OP_ASYNC_START ? link : NULL;
}

hlo_computation *hlo_async_body(const hlo_instr *start) {
    HLO_ASSERT(start->opcode == HLO_OP_ASYNC_START);
    return hlo_instr_attr(start, HLO_ATTR_CALLS)->u.computation;
}

static bool is_link(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_ASYNC_START || instr->opcode == HLO_OP_ASYNC_UPDATE;
}

/* An update may bind more operands after the first. */
bool hlo_form_check_async_operand(hlo_draft *d, bool is_update) {
    uint32_t n = d->operand_count;
    if ((n == 1 || (is_update && n > 1)) && is_link(d->operands[0])) return true;
    if (hlo_form_is_message(d))
        return hlo_form_refuse(d, HLO_RULE_ASYNC, HLO_PART_FIRST_OPERAND,
                               "the operand of %s is %s, not %s", hlo_form_op(d)->text,
                               hlo_ops[HLO_OP_ASYNC_START].text, hlo_info(d->operands[0])->text);
    hlo_form_refuse(d, HLO_RULE_ASYNC, HLO_PART_OPCODE, "%s",
                    is_update ? "the first operand of an async update is an async start or update"
                              : "the operand of an async done is one async start or update");
    hlo_form_note_refusal(d, HLO_PART_NEXT);
    return false;
}

/* XLA before 2026 had no chains in which shapes change; what they bind late is the verifier's
 * business. */
bool hlo_form_check_async_update(hlo_draft *d) {
    hlo_instr *before = d->operands[0];
    const hlo_instr *start = hlo_async_start_of(before);
    bool binds_late = d->operand_count > 1 || !start || start->shape != before->shape;
    if (!hlo_form_is_text(d) || binds_late || d->shape == before->shape) return true;
    hlo_shape_texts texts = hlo_form_texts(d, d->shape, before->shape);
    hlo_form_refuse(d, HLO_RULE_ASYNC_SHAPE, HLO_PART_SHAPE, "%s is %s, and its operand is %s",
                    hlo_form_op(d)->text, texts.first, texts.second);
    hlo_form_note_instr(d, before, "the operand is here");
    hlo_form_note_refusal(d, HLO_PART_AFTER_OPERANDS);
    return false;
}

/* ---- threads ---- */

typedef HLO_LIST(hlo_computation *) worklist;

static void reach(worklist *list, hlo_computation *c, uint32_t mark) {
    if (c->mark == mark) return;
    c->mark = mark;
    hlo_list_push(list, c);
}

static void set_thread_of(hlo_instr *start, const hlo_attr *thread) {
    HLO_ASSERT(start->opcode == HLO_OP_ASYNC_START);
    if (thread) hlo_instr_set_attr(start, *thread);
    else hlo_instr_remove_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD);
}

void hlo_form_spread_thread(hlo_instr *start) {
    const hlo_attr *thread = hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    uint32_t mark = hlo_module_new_mark(start->parent->module);
    worklist list = {0};
    reach(&list, hlo_async_body(start), mark);
    while (list.n) {
        HLO_ASSERT(list.n > 0);
        hlo_computation *c = list.v[--list.n];
        c->execution_thread = thread ? *thread->u.string : HLO_STR("main");
        for (hlo_instr *i = c->first; i; i = i->next) {
            if (i->opcode == HLO_OP_ASYNC_START) set_thread_of(i, thread);
            for (uint32_t k = 0; k < hlo_called_count(i); k++) reach(&list, hlo_called(i, k), mark);
        }
    }
    hlo_list_free(&list);
}

static bool disagree(const hlo_draft *d, const hlo_instr *start, const char *attribute,
                     hlo_str mine, hlo_str theirs) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_printf(&text, "%s=%.*s differs from that of the start, %.*s", attribute, (int)mine.len,
                   mine.ptr, (int)theirs.len, theirs.ptr);
    hlo_buf_char(&text, '\0');
    hlo_form_refuse_op(d, HLO_RULE_ASYNC, HLO_PART_OPCODE, text.data);
    hlo_buf_free(&text);
    hlo_form_note_instr(d, start, "the start is here");
    return false;
}

bool hlo_form_check_async_thread(hlo_draft *d, const hlo_instr *start) {
    const hlo_attr *mine = hlo_draft_attr(d, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    const hlo_attr *theirs = hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    const hlo_str thread = theirs ? *theirs->u.string : HLO_STR("main");
    if (!mine || hlo_str_equal(*mine->u.string, thread)) return true;
    return disagree(d, start, "async_execution_thread", *mine->u.string, thread);
}

static hlo_str name_of(const hlo_computation *computation) {
    return (hlo_str){computation->name->ptr, computation->name->len, 0};
}

bool hlo_form_async_link(hlo_draft *d) {
    if (!hlo_form_check_async_operand(d, d->opcode == HLO_OP_ASYNC_UPDATE)) return false;
    const hlo_instr *start = hlo_async_start_of(d->operands[0]);
    if (!start) return true;
    const hlo_attr *calls = hlo_draft_attr(d, HLO_ATTR_CALLS);
    if (calls && calls->u.computation != hlo_async_body(start))
        return disagree(d, start, "calls", name_of(calls->u.computation),
                        name_of(hlo_async_body(start)));
    return hlo_form_check_async_thread(d, start);
}
