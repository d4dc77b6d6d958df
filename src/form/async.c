/* Chains of async-start, async-update and async-done: what each must agree on with its start
 * (docs/text-format.md). Called through the table of steps.c, and by the parser for the sugar of
 * such chains. */
#include "form/refuse.h"
#include "form/steps.h"

/* Chains are as long as the text makes them: this walks, it does not recurse. */
hlo_instr *hlo_async_start_of(hlo_instr *link) {
    while (link->opcode == HLO_OP_ASYNC_UPDATE && link->operand_count) link = hlo_operand(link, 0);
    return link->opcode == HLO_OP_ASYNC_START ? link : NULL;
}

hlo_computation *hlo_async_body(const hlo_instr *start) {
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

static bool disagree(const hlo_draft *d, const hlo_instr *start, const char *what) {
    hlo_form_refuse_op(d, HLO_RULE_ASYNC, HLO_PART_OPCODE, what);
    hlo_form_note_instr(d, start, "the start is here");
    return false;
}

bool hlo_form_check_async_thread(hlo_draft *d, const hlo_instr *start) {
    const hlo_attr *mine = hlo_draft_attr(d, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    const hlo_attr *theirs = hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    if (!mine || hlo_str_equal(*mine->u.string, theirs ? *theirs->u.string : HLO_STR("main")))
        return true;
    return disagree(d, start, "async_execution_thread= names another thread than the start");
}

bool hlo_form_async_link(hlo_draft *d) {
    if (!hlo_form_check_async_operand(d, d->opcode == HLO_OP_ASYNC_UPDATE)) return false;
    const hlo_instr *start = hlo_async_start_of(d->operands[0]);
    if (!start) return true;
    const hlo_attr *calls = hlo_draft_attr(d, HLO_ATTR_CALLS);
    if (calls && calls->u.computation != hlo_async_body(start))
        return disagree(d, start, "calls= names another computation than the start");
    return hlo_form_check_async_thread(d, start);
}
