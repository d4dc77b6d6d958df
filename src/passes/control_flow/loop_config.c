/* The backend_config of loops: see loop_config.h. */
#include "passes/control_flow/loop_config.h"

#include "base/text.h"

/* The text with another number in the place of those digits, in the module's arena. */
static const hlo_str *exchanged(hlo_module *module, const hlo_str *old, hlo_str place,
                                int64_t number) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_bytes(&text, old->ptr, (size_t)(place.ptr - old->ptr));
    hlo_buf_int(&text, number);
    const char *end = place.ptr + place.len;
    hlo_buf_bytes(&text, end, (size_t)(old->ptr + old->len - end));
    hlo_str new_text = {hlo_arena_copy(&module->arena, text.data, text.len), (uint32_t)text.len,
                        old->plain};
    hlo_buf_free(&text);
    return hlo_arena_copy(&module->arena, &new_text, sizeof new_text);
}

void hlo_loop_config_renumber(hlo_rewriter *r, hlo_instr *loop, uint32_t all, const bool *keep,
                              const int64_t *numbers) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    const hlo_attr *config = hlo_instr_attr(loop, HLO_ATTR_BACKEND_CONFIG);
    int64_t index;
    if (!config) return;
    hlo_str place = hlo_loop_config_digits(config->u.string, "tuple_index");
    if (!hlo_int_from_text(place, &index)) return;
    if (index >= all || !keep[index]) {
        hlo_instr_remove_attr(loop, HLO_ATTR_BACKEND_CONFIG);
    } else if (numbers[index] != index) {
        const hlo_str *text = exchanged(r->module, config->u.string, place, numbers[index]);
        hlo_instr_set_attr(loop, (hlo_attr){.id = HLO_ATTR_BACKEND_CONFIG, .u.string = text});
    }
}
