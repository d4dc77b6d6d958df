/* How both reports describe what differs in a pair: see aspect.h. */
#include "diff/aspect.h"

#include "ir/program_line.h"

void hlo_diff_put_instr(const hlo_diff *d, const hlo_instr *instr, hlo_buf *out) {
    hlo_print_options options = hlo_print_short;
    options.percent = true;
    options.metadata = false;
    options.large_constants = false;
    options.result_layouts = d->settings.layouts;
    hlo_instr_print(instr, &options, out);
}

void hlo_diff_put_name(hlo_buf *out, const hlo_name *name) {
    hlo_buf_char(out, '%');
    hlo_buf_bytes(out, name->ptr, name->len);
}

static void put_shape(hlo_buf *out, const hlo_instr *instr) {
    hlo_buf_str(out, hlo_shape_text(&instr->parent->module->shapes, instr->shape));
}

/* The place that the frame's number stands for: the text does not show it. */
static void put_frame(hlo_buf *out, const hlo_instr *instr, const hlo_attr *attr) {
    if (!instr || attr->id != HLO_ATTR_METADATA || !attr->u.metadata->stack_frame) return;
    hlo_program_line at = hlo_instr_program_line(instr);
    if (at.file.len) hlo_buf_printf(out, " (%.*s:%d)", (int)at.file.len, at.file.ptr, at.line);
}

static void put_attr(hlo_buf *out, const hlo_instr *instr, const hlo_attr *attr) {
    if (!attr) {
        hlo_buf_lit(out, "nothing");
        return;
    }
    if (attr->id == HLO_ATTR_VALUE) {
        if (hlo_literal_is_elided(attr->u.literal)) hlo_buf_lit(out, "{...}");
        else hlo_literal_print(out, attr->u.literal);
        return;
    }
    if (attr->id == HLO_ATTR_BACK_EDGE) {
        hlo_diff_put_name(out, attr->u.instructions->v[0]->name);
        return;
    }
    hlo_buf text = HLO_BUF_INIT;
    hlo_attr_print(attr, &hlo_print_default, &text);
    size_t skip = text.len > 2 && memcmp(text.data, ", ", 2) == 0 ? 2 : 0;
    if (text.len == skip) hlo_buf_printf(out, "%s=(default)", hlo_attr_table[attr->id].text);
    else hlo_buf_bytes(out, text.data + skip, text.len - skip);
    hlo_buf_free(&text);
    put_frame(out, instr, attr);
}

static void put_place(hlo_buf *out, const hlo_instr *instr) {
    if (!instr->prev) {
        hlo_buf_lit(out, "first");
        return;
    }
    hlo_buf_lit(out, "after ");
    hlo_diff_put_name(out, instr->prev->name);
}

void hlo_diff_put_what(hlo_buf *out, hlo_diff_aspect aspect, uint32_t number, const hlo_attr *a,
                       const hlo_attr *b) {
    switch (aspect) {
    case HLO_DIFF_COMPUTATION: hlo_buf_lit(out, "computation"); break;
    case HLO_DIFF_OPCODE: hlo_buf_lit(out, "opcode"); break;
    case HLO_DIFF_SHAPE: hlo_buf_lit(out, "shape"); break;
    case HLO_DIFF_OPERAND: hlo_buf_printf(out, "operand %u", number); break;
    case HLO_DIFF_OPERAND_COUNT: hlo_buf_lit(out, "operands"); break;
    case HLO_DIFF_ATTRIBUTE: hlo_buf_cstr(out, hlo_attr_table[(a ? a : b)->id].text); break;
    case HLO_DIFF_CALLEE: hlo_buf_printf(out, "called computation %u", number); break;
    case HLO_DIFF_ROOT: hlo_buf_lit(out, "root"); break;
    case HLO_DIFF_THREAD: hlo_buf_lit(out, "execution_thread of the computation"); break;
    case HLO_DIFF_PLACE: hlo_buf_lit(out, "place in the schedule"); break;
    }
}

void hlo_diff_put_side(hlo_buf *out, const hlo_instr *instr, hlo_diff_aspect aspect,
                       uint32_t number, const hlo_attr *attr, bool is_root) {
    const hlo_computation *called;
    switch (aspect) {
    case HLO_DIFF_COMPUTATION: hlo_diff_put_name(out, instr->parent->name); break;
    case HLO_DIFF_OPCODE: hlo_buf_cstr(out, hlo_info(instr)->text); break;
    case HLO_DIFF_SHAPE: put_shape(out, instr); break;
    case HLO_DIFF_OPERAND: hlo_diff_put_name(out, hlo_operand(instr, number)->name); break;
    case HLO_DIFF_OPERAND_COUNT: hlo_buf_printf(out, "%u", instr->operand_count); break;
    case HLO_DIFF_ATTRIBUTE: put_attr(out, instr, attr); break;
    case HLO_DIFF_CALLEE:
        called = hlo_called(instr, number);
        if (called) hlo_diff_put_name(out, called->name);
        else hlo_buf_lit(out, "none");
        break;
    case HLO_DIFF_ROOT: hlo_buf_cstr(out, is_root ? "yes" : "no"); break;
    case HLO_DIFF_THREAD: hlo_buf_str(out, instr->parent->execution_thread); break;
    case HLO_DIFF_PLACE: put_place(out, instr); break;
    }
}
