/* Attributes of drafts, and instructions from drafts: see draft.h. */
#include "ir/draft.h"

void hlo_draft_add(hlo_draft *draft, hlo_attr attr) {
    HLO_ASSERT(!hlo_draft_attr(draft, (hlo_attr_id)attr.id));
    if (draft->attr_count == draft->attr_capacity) {
        uint32_t capacity = draft->attr_capacity * 2 + 8;
        hlo_attr *more = HLO_NEW_ARRAY(&draft->computation->module->arena, hlo_attr, capacity);
        if (draft->attr_count) memcpy(more, draft->attrs, draft->attr_count * sizeof *more);
        draft->attrs = more;
        draft->attr_capacity = capacity;
    }
    draft->attrs[draft->attr_count++] = attr;
}

void hlo_draft_set(hlo_draft *draft, hlo_attr_id id, const void *value) {
    hlo_attr *old = hlo_draft_attr(draft, id);
    if (old) old->u.any = value;
    else hlo_draft_add(draft, (hlo_attr){.id = (uint16_t)id, .u.any = value});
}

void hlo_draft_drop(hlo_draft *draft, hlo_attr_id id) {
    hlo_attr *attr = hlo_draft_attr(draft, id);
    if (!attr) return;
    HLO_ASSERT(attr >= draft->attrs && attr < draft->attrs + draft->attr_count);
    size_t after = (size_t)(draft->attrs + draft->attr_count - (attr + 1));
    memmove(attr, attr + 1, after * sizeof *attr);
    draft->attr_count--;
}

/* What an instruction calls knows what kind of body it is. */
static void mark_called(const hlo_instr *instr) {
    bool fusion = instr->opcode == HLO_OP_FUSION;
    if (!fusion && instr->opcode != HLO_OP_ASYNC_START) return;
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        if (hlo_attr_table[instr->attrs[i].id].kind != HLO_KIND_COMPUTATION) continue;
        if (fusion) instr->attrs[i].u.computation->is_fusion_body = true;
        else instr->attrs[i].u.computation->is_async_body = true;
    }
}

hlo_instr *hlo_draft_make(const hlo_draft *draft) {
    hlo_instr *instr =
        hlo_instr_new(draft->computation, draft->opcode, draft->shape, draft->name, draft->operands,
                      draft->operand_count, draft->attrs, draft->attr_count);
    instr->at = draft->at;
    mark_called(instr);
    return instr;
}
