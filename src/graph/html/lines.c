/* The lines of a box, and its size: see lines.h. */
#include "graph/html/lines.h"

#include <math.h>

#include "analysis/trivial.h"
#include "base/printable.h"
#include "graph/layout/text_width.h"
#include "graph/model/label.h"

enum {
    LINE_LENGTH = 46, /* characters: longer lines are cut; the panel shows all */
    MOST_LINES = 5,
    SHAPE_LENGTH = 46, /* as in the scripts: scene.js */
    NAME_LENGTH = 40,
    FONT = 11, /* pixels */
    LINE_HEIGHT = 14,
    PADDING = 18,
    MARGIN = 9,
    SIGN = 15, /* that opens a box, before the text */
};

typedef struct {
    hlo_buf *out;
    uint32_t count, left_out;
} lines;

/* The byte at which character number `count` begins; n: there are no more. */
static size_t after_characters(const char *text, size_t n, size_t count) {
    size_t at = 0;
    for (; at < n && count; count--) {
        at++;
        while (at < n && ((unsigned char)text[at] & 0xc0) == 0x80) at++;
    }
    return at;
}

static void put_cut(hlo_buf *out, const char *text, size_t n, size_t limit) {
    hlo_buf shown = HLO_BUF_INIT;
    hlo_put_printable(&shown, text, n);
    size_t cut = after_characters(shown.data, shown.len, limit);
    if (cut < shown.len) cut = after_characters(shown.data, shown.len, limit - 1);
    hlo_buf_bytes(out, shown.data, cut);
    if (cut < shown.len) hlo_buf_lit(out, "\xe2\x80\xa6");
    hlo_buf_free(&shown);
}

static void put_line(lines *l, const hlo_buf *text) {
    if (l->count++ >= MOST_LINES) {
        l->left_out++;
        return;
    }
    put_cut(l->out, text->data, text->len, LINE_LENGTH);
    hlo_buf_char(l->out, '\n');
}

/* ---- what is in them ---- */

static bool put_applied(hlo_buf *text, const hlo_instr *instr, const hlo_attr *attr) {
    if (hlo_attr_table[attr->id].kind != HLO_KIND_COMPUTATION) return false;
    const hlo_computation *called = attr->u.computation;
    if (!hlo_is_trivial(called)) return true; /* the box can be opened: nothing to add */
    hlo_buf_printf(text, "%s: ", hlo_callee_role(instr, attr->id));
    hlo_describe_trivial(text, instr, called);
    return true;
}

static bool is_shown(const hlo_attr *attr) {
    hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
    return kind != HLO_KIND_COMPUTATIONS &&
           (hlo_attr_table[attr->id].place == HLO_PLACE_OWN || attr->id == HLO_ATTR_SHARDING);
}

static void put_attributes(lines *l, const hlo_instr *instr) {
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        text.len = 0;
        if (!is_shown(&instr->attrs[i])) continue;
        if (!put_applied(&text, instr, &instr->attrs[i])) {
            hlo_attr_print(&instr->attrs[i], &hlo_print_default, &text);
            hlo_unescape_characters(&text);
            if (text.len > 2) memmove(text.data, text.data + 2, text.len -= 2); /* `, ` */
        }
        if (text.len) put_line(l, &text);
    }
    hlo_buf_free(&text);
}

static void put_value(hlo_buf *out, const hlo_instr *constant) {
    HLO_ASSERT(constant->opcode == HLO_OP_CONSTANT);
    const hlo_attr *value = hlo_instr_attr(constant, HLO_ATTR_VALUE);
    bool is_known = value && value->u.literal && hlo_shape_is_array(constant->shape) &&
                    hlo_shape_elements(constant->shape) <= HLO_SHOWN_ELEMENTS;
    if (is_known) hlo_literal_print(out, value->u.literal);
    else hlo_buf_lit(out, "{...}");
}

static void put_inlined(lines *l, const hlo_page_model *m, const hlo_instr *instr) {
    hlo_buf text = HLO_BUF_INIT;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_page_operand(m, instr, i);
        if (!hlo_page_is_inlined(m, operand)) continue;
        text.len = 0;
        hlo_buf_printf(&text, "operand %u = ", i);
        bool is_spread = operand->opcode == HLO_OP_BROADCAST;
        put_value(&text, is_spread ? hlo_page_operand(m, operand, 0) : operand);
        if (is_spread) hlo_buf_lit(&text, " everywhere");
        put_line(l, &text);
    }
    hlo_buf_free(&text);
}

void hlo_page_put_lines(hlo_buf *out, const hlo_page_model *m, const hlo_instr *instr) {
    lines l = {.out = out};
    if (instr->opcode == HLO_OP_CONSTANT) {
        hlo_buf text = HLO_BUF_INIT;
        put_value(&text, instr);
        put_line(&l, &text);
        hlo_buf_free(&text);
    }
    put_attributes(&l, instr);
    put_inlined(&l, m, instr);
    if (l.left_out) hlo_buf_printf(out, "\xe2\x80\xa6 %u more\n", l.left_out);
}

/* ---- sizes ---- */

/* The measure takes what is escaped for Graphviz: `shown` has nothing but printable characters. */
static double width_of(const char *shown, size_t n) {
    hlo_buf label = HLO_BUF_INIT;
    for (size_t i = 0; i < n; i++) {
        if (shown[i] == '\\') hlo_buf_char(&label, '\\');
        hlo_buf_char(&label, shown[i]);
    }
    hlo_buf_char(&label, 0);
    double width = hlo_dot_text_extent(label.data).width * (double)FONT / 1000;
    hlo_buf_free(&label);
    return width;
}

static double width_of_text(const char *text) {
    return width_of(text, strlen(text));
}

/* The opcode is bold, which is wider; a name that does not begin with it follows after blanks. */
static double title_width(const hlo_instr *instr) {
    static const double bold = 1.18;
    hlo_buf name = HLO_BUF_INIT;
    put_cut(&name, instr->name->ptr, instr->name->len, NAME_LENGTH);
    double opcode = width_of_text(hlo_info(instr)->text);
    double width = width_of(name.data, name.len) + opcode * bold;
    width += hlo_dot_name_has_opcode(instr) ? -opcode : width_of_text("  ");
    hlo_buf_free(&name);
    return width;
}

static double shape_width(const hlo_instr *instr) {
    hlo_buf shape = HLO_BUF_INIT;
    hlo_str text = hlo_shape_text(&instr->parent->module->shapes, instr->shape);
    put_cut(&shape, text.ptr, text.len, SHAPE_LENGTH);
    double width = width_of(shape.data, shape.len);
    hlo_buf_free(&shape);
    return width;
}

hlo_page_size hlo_page_box_size(const hlo_page_model *m, const hlo_instr *instr,
                                const hlo_buf *text) {
    double width = fmax(title_width(instr), shape_width(instr));
    uint32_t count = 2 + hlo_page_can_open(instr);
    for (size_t at = 0; at < text->len; count++) {
        const char *end = memchr(text->data + at, '\n', text->len - at);
        size_t n = (size_t)(end - text->data) - at;
        width = fmax(width, width_of(text->data + at, n));
        at += n + 1;
    }
    /* How many instructions; of a comparison also how many of them differ. */
    if (hlo_page_can_open(instr))
        width =
            fmax(width, SIGN + width_of_text(m->extras->changes ? "00000 instructions, 0000 differ"
                                                                : "00000 instructions"));
    return (hlo_page_size){(uint16_t)(width + PADDING), (uint16_t)(count * LINE_HEIGHT + MARGIN)};
}

bool hlo_page_can_open(const hlo_instr *instr) {
    for (uint32_t k = 0, n = hlo_called_count(instr); k < n; k++)
        if (!hlo_is_trivial(hlo_called(instr, k))) return true;
    return false;
}
