/* Labels and tooltips of Graphviz nodes, escaped for any bytes. */
#include "graph/model/label.h"

#include <inttypes.h>

#include "analysis/trivial.h"
#include "base/printable.h"
#include "base/uri.h"
#include "ir/plan_keys.h"
#include "ir/program_line.h"

enum {
    NAME_LIMIT = 120,
    SHAPE_LIMIT = 64, /* tuples have long ones: tooltips have all of it */
    ATTRIBUTE_LIMIT = 64,
    CONSTANT_LIMIT = 60,
    METADATA_LIMIT = 1000, /* old Graphviz readers stop at strings of 16 KiB */
};

/* ---- escaping ---- */

/* Graphviz replaces `\N` and the like in tooltips more than once, how often depends on its release:
 * no quoting suffices, so that U+2216, which looks the same, stands there. */
#define BACKSLASH "\\\\"
#define BACKSLASH_OF_TOOLTIPS "\xe2\x88\x96"

static void escape_byte(hlo_buf *out, unsigned char c, const char *backslash) {
    hlo_buf_cstr(out, backslash);
    if (c == '\n') hlo_buf_char(out, 'n');
    else hlo_buf_printf(out, "x%02x", c);
}

static void escape(hlo_buf *out, hlo_str text, size_t limit, const char *backslash) {
    size_t at = 0;
    while (at < text.len) {
        size_t n = hlo_printable(text.ptr + at, text.len - at);
        if (at + (n ? n : 1) > limit) {
            hlo_buf_lit(out, "\xe2\x80\xa6");
            return;
        }
        if (n == 0) escape_byte(out, (unsigned char)text.ptr[at++], backslash);
        else if (text.ptr[at] == '&') hlo_buf_lit(out, "&amp;"), at++;
        else if (text.ptr[at] == '"') hlo_buf_lit(out, "\\\""), at++;
        else if (text.ptr[at] == '\\') hlo_buf_cstr(out, backslash), at++;
        else hlo_buf_bytes(out, text.ptr + at, n), at += n;
    }
}

void hlo_dot_escape(hlo_buf *out, const char *text, size_t len, size_t limit) {
    escape(out, (hlo_str){text, (uint32_t)len, 0}, limit, BACKSLASH);
}

void hlo_dot_escape_name(hlo_buf *out, const hlo_name *name) {
    hlo_dot_escape(out, name->ptr, name->len, NAME_LIMIT);
}

static void escape_str(hlo_buf *out, hlo_str text, size_t limit) {
    hlo_dot_escape(out, text.ptr, text.len, limit);
}

/* ---- labels ---- */

void hlo_dot_shape(hlo_buf *out, const hlo_instr *instr) {
    hlo_str text = hlo_shape_text(&instr->parent->module->shapes, instr->shape);
    escape_str(out, text, SHAPE_LIMIT);
}

static void put_value(hlo_buf *out, const hlo_instr *constant) {
    HLO_ASSERT(constant->opcode == HLO_OP_CONSTANT);
    const hlo_attr *value = hlo_instr_attr(constant, HLO_ATTR_VALUE);
    if (!value || !value->u.literal) return;
    bool is_array = hlo_shape_is_array(constant->shape);
    if (!is_array || hlo_shape_elements(constant->shape) > HLO_DOT_SMALL_CONSTANT) {
        hlo_buf_lit(out, "{...}");
        return;
    }
    hlo_buf text = HLO_BUF_INIT;
    hlo_literal_print(&text, value->u.literal);
    hlo_dot_escape(out, text.data, text.len, CONSTANT_LIMIT);
    hlo_buf_free(&text);
}

bool hlo_dot_name_has_opcode(const hlo_instr *instr) {
    const char *opcode = hlo_info(instr)->text;
    size_t n = strlen(opcode);
    const hlo_name *name = instr->name;
    return name->len >= n && memcmp(name->ptr, opcode, n) == 0 &&
           (name->len == n || name->ptr[n] == '.');
}

static void put_title(hlo_buf *out, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_PARAMETER) {
        hlo_buf_lit(out, "parameter ");
        hlo_buf_int(out, hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER));
        hlo_buf_lit(out, ": ");
    }
    hlo_dot_escape_name(out, instr->name);
    if (instr->opcode != HLO_OP_PARAMETER && !hlo_dot_name_has_opcode(instr)) {
        hlo_buf_lit(out, ": ");
        hlo_buf_cstr(out, hlo_info(instr)->text);
    }
}

static void put_index(hlo_buf *out, const hlo_instr *element) {
    HLO_ASSERT(element->opcode == HLO_OP_GET_TUPLE_ELEMENT);
    hlo_buf_printf(out, "[%" PRId64 "]", hlo_attr_int(element, HLO_ATTR_INDEX));
}

/* A computation that nothing else calls stands beside, with a title that describes it. */
static bool stands_beside(const hlo_dot_selection *s, const hlo_computation *called) {
    return s->callers[called->id] == 1 && s->drawn[called->id];
}

static bool stand_beside(const hlo_dot_selection *s, const hlo_attr *attr) {
    const hlo_attr_info *info = &hlo_attr_table[attr->id];
    if (info->kind == HLO_KIND_COMPUTATION) return stands_beside(s, attr->u.computation);
    if (info->kind != HLO_KIND_COMPUTATIONS) return false;
    for (uint32_t k = 0; k < attr->u.computations->n; k++)
        if (!stands_beside(s, attr->u.computations->v[k])) return false;
    return true;
}

/* Attributes that define what an instruction computes, and how it is sharded. */
static bool is_shown(const hlo_dot_selection *s, const hlo_attr *attr) {
    if (attr->id == HLO_ATTR_INDEX && !s->expand) return true;
    if (attr->id == HLO_ATTR_SHARDING) return true;
    return hlo_attr_table[attr->id].place == HLO_PLACE_OWN && !stand_beside(s, attr);
}

static bool put_line(hlo_buf *out, const hlo_instr *instr, const hlo_attr *attr,
                     const hlo_dot_selection *s) {
    if (hlo_attr_table[attr->id].kind != HLO_KIND_COMPUTATION) return false;
    const hlo_computation *called = attr->u.computation;
    if (!s->is_line[called->id] || s->drawn[called->id]) return false;
    hlo_buf_printf(out, "\\n%s: ", hlo_callee_role(instr, attr->id));
    hlo_describe_trivial(out, instr, called);
    return true;
}

static void put_attribute(hlo_buf *out, const hlo_attr *attr, const char *line) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_attr_print(attr, &hlo_print_default, &text);
    hlo_unescape_characters(&text);
    size_t separator = text.len > 2 && memcmp(text.data, ", ", 2) == 0 ? 2 : 0;
    if (text.len > separator) {
        hlo_buf_cstr(out, line);
        hlo_dot_escape(out, text.data + separator, text.len - separator, ATTRIBUTE_LIMIT);
    }
    hlo_buf_free(&text);
}

static void put_attributes(hlo_buf *out, const hlo_instr *instr, const hlo_dot_selection *s) {
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (!put_line(out, instr, &instr->attrs[i], s) && is_shown(s, &instr->attrs[i]))
            put_attribute(out, &instr->attrs[i], "\\n");
}

/* Without the layout, which operands of one number do not need. */
static void put_short_shape(hlo_buf *out, const hlo_instr *instr) {
    hlo_str text = hlo_shape_text(&instr->parent->module->shapes, instr->shape);
    const char *layout = hlo_shape_is_array(instr->shape) ? memchr(text.ptr, '{', text.len) : NULL;
    if (layout) text.len = (uint32_t)(layout - text.ptr);
    escape_str(out, text, SHAPE_LIMIT);
}

static void put_text_operand(hlo_buf *out, const hlo_instr *operand) {
    if (operand->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
        hlo_dot_escape_name(out, hlo_operand(operand, 0)->name);
        put_index(out, operand);
        hlo_buf_char(out, ' ');
        put_short_shape(out, operand);
        return;
    }
    put_short_shape(out, operand);
    hlo_buf_char(out, ' ');
    put_value(out, operand->opcode == HLO_OP_BROADCAST ? hlo_operand(operand, 0) : operand);
}

static void put_text_operands(hlo_buf *out, const hlo_instr *instr,
                              const hlo_dot_selection *selection) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_dot_source(selection, hlo_operand(instr, i));
        if (hlo_dot_role_of(selection, operand) != HLO_DOT_TEXT) continue;
        hlo_buf_printf(out, "\\noperand %u = ", i);
        put_text_operand(out, operand);
    }
}

void hlo_dot_label(hlo_buf *out, const hlo_instr *instr, const hlo_dot_selection *selection) {
    put_title(out, instr);
    hlo_buf_lit(out, "\\n");
    hlo_dot_shape(out, instr);
    if (instr->opcode == HLO_OP_CONSTANT) {
        hlo_buf_char(out, ' ');
        put_value(out, instr);
    }
    put_attributes(out, instr, selection);
    put_text_operands(out, instr, selection);
}

void hlo_dot_plan(hlo_buf *out, const hlo_instr *instr) {
    static const struct {
        const char *before, *key;
    } notes[] = {{"\\nstep ", HLO_PLAN_STEP},
                 {": ", HLO_PLAN_KERNEL},
                 {"\\n", HLO_PLAN_MEMORY},
                 {" of ", HLO_PLAN_OVER}};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        const hlo_str *note = hlo_frontend_value(instr, notes[i].key);
        if (!note) continue;
        hlo_buf_cstr(out, notes[i].before);
        escape_str(out, *note, NAME_LIMIT);
    }
}

/* Whether an edge that passes it is of an element of what it comes from. */
static bool is_element_of_source(const hlo_dot_selection *s, const hlo_instr *instr) {
    return instr->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
           hlo_dot_passed(s, instr) == hlo_operand(instr, 0);
}

void hlo_dot_element(hlo_buf *out, const hlo_dot_selection *s, const hlo_instr *def) {
    /* Elements of elements: the outermost tuple's first. */
    size_t depth = 0;
    for (const hlo_instr *at = def; at; at = hlo_dot_passed(s, at))
        depth += is_element_of_source(s, at);
    for (size_t k = depth; k > 0; k--) {
        const hlo_instr *at = def;
        for (size_t i = 0; i < k; at = hlo_dot_passed(s, at))
            if (is_element_of_source(s, at) && ++i == k) put_index(out, at);
    }
}

/* ---- titles ---- */

static void put_count(hlo_buf *out, const hlo_computation *c, const hlo_dot_selection *s) {
    if (s->kept_count[c->id] < c->instr_count)
        hlo_buf_printf(out, " (%u of %u instructions)", s->kept_count[c->id], c->instr_count);
}

void hlo_dot_title_in_place(hlo_buf *out, const hlo_instr *caller, const hlo_dot_selection *s) {
    const hlo_computation *body = hlo_called(caller, 0);
    const hlo_attr *kind = hlo_instr_attr(caller, HLO_ATTR_KIND);
    const char *word = kind ? hlo_word_text(HLO_WORDS_FUSION_KIND, kind->u.i) : NULL;
    hlo_dot_escape_name(out, caller->name);
    hlo_buf_printf(out, ": %s%s%s", word ? word : "", word ? " " : "", hlo_info(caller)->text);
    if (caller->opcode == HLO_OP_CALL) {
        hlo_buf_lit(out, " of ");
        hlo_dot_escape_name(out, body->name);
    }
    put_count(out, body, s);
    hlo_buf_lit(out, "\\l");
    hlo_dot_shape(out, caller);
    const hlo_attr *sharding = hlo_instr_attr(caller, HLO_ATTR_SHARDING);
    if (sharding) put_attribute(out, sharding, "\\l");
    hlo_buf_lit(out, "\\l");
}

void hlo_dot_label_lone(hlo_buf *out, const hlo_instr *instr) {
    hlo_dot_escape_name(out, instr->name);
    hlo_buf_printf(out, ": %s\\n", hlo_info(instr)->text);
    hlo_dot_shape(out, instr);
}

/* `body of while.6: `; branches of conditionals have their numbers. */
static void put_role(hlo_buf *out, const hlo_instr *caller, const hlo_computation *c) {
    for (uint32_t i = 0; i < caller->attr_count; i++) {
        const hlo_attr *attr = &caller->attrs[i];
        const hlo_attr_info *info = &hlo_attr_table[attr->id];
        if (info->kind == HLO_KIND_COMPUTATION && attr->u.computation == c)
            hlo_buf_printf(out, "%s of ", hlo_callee_role(caller, attr->id));
        for (uint32_t k = 0; info->kind == HLO_KIND_COMPUTATIONS && k < attr->u.computations->n;
             k++)
            if (attr->u.computations->v[k] == c)
                hlo_buf_printf(out, "%s %u of ",
                               attr->id == HLO_ATTR_BRANCH_COMPUTATIONS ? "branch" : info->text, k);
    }
    hlo_dot_escape_name(out, caller->name);
    hlo_buf_lit(out, ": ");
}

void hlo_dot_title(hlo_buf *out, const hlo_computation *c, const hlo_dot_selection *s) {
    if (c == c->module->entry) hlo_buf_lit(out, "ENTRY ");
    if (s->callers[c->id] == 1) put_role(out, s->caller[c->id], c);
    hlo_dot_escape_name(out, c->name);
    put_count(out, c, s);
    if (s->callers[c->id] > 1)
        hlo_buf_printf(out, "\\lcalled by %u instructions\\l", s->callers[c->id]);
    if (!hlo_str_is(c->execution_thread, "main")) {
        hlo_buf_cstr(out, s->callers[c->id] > 1 ? "thread " : "\\lthread ");
        escape_str(out, c->execution_thread, 60);
        hlo_buf_lit(out, "\\l");
    }
}

/* ---- tooltips ---- */

static void escape_tooltip(hlo_buf *out, hlo_str text, size_t limit) {
    escape(out, text, limit, BACKSLASH_OF_TOOLTIPS);
}

void hlo_dot_tooltip_name(hlo_buf *out, const hlo_name *name) {
    escape_tooltip(out, (hlo_str){name->ptr, name->len, 0}, NAME_LIMIT);
}

void hlo_dot_tooltip(hlo_buf *out, const hlo_instr *instr) {
    hlo_dot_tooltip_name(out, instr->name);
    hlo_buf_lit(out, ": ");
    hlo_buf_cstr(out, hlo_info(instr)->text);
    const hlo_metadata *metadata = hlo_metadata_of(instr);
    if (metadata && metadata->op_name.len) {
        hlo_buf_lit(out, "\\n");
        escape_tooltip(out, metadata->op_name, METADATA_LIMIT);
    }
    hlo_program_line at = hlo_instr_program_line(instr);
    if (!at.file.len) return;
    hlo_buf_lit(out, "\\n");
    escape_tooltip(out, at.file, METADATA_LIMIT);
    if (at.line > 0) hlo_buf_printf(out, ":%" PRId32, at.line);
}

/* The address itself, without regard for Graphviz. */
static void fill_template(hlo_buf *out, hlo_program_line at, const char *template) {
    static const char file[] = "{file}", line[] = "{line}";
    while (*template) {
        if (strncmp(template, file, sizeof file - 1) == 0) {
            if (hlo_uri_has_scheme(at.file)) hlo_uri_put_address(out, at.file);
            else hlo_uri_put_path(out, at.file);
            template += sizeof file - 1;
        } else if (strncmp(template, line, sizeof line - 1) == 0) {
            hlo_buf_int(out, at.line);
            template += sizeof line - 1;
        } else {
            size_t n = 1 + strcspn(template + 1, "{");
            hlo_uri_put_address(out, (hlo_str){template, (uint32_t)n, 0});
            template += n;
        }
    }
}

/* Some releases of Graphviz write addresses as they are: they hold no quotes and no angle brackets
 * here, and a `&` is an entity already. */
bool hlo_dot_url(hlo_buf *out, const hlo_instr *instr, const char *template) {
    hlo_program_line at = hlo_instr_program_line(instr);
    if (!at.file.len || at.file.len > METADATA_LIMIT || !hlo_uri_is_place(at.file)) return false;
    if (!template) template = at.line > 0 ? "{file}#L{line}" : "{file}";
    hlo_buf url = HLO_BUF_INIT;
    fill_template(&url, at, template);
    hlo_dot_escape(out, url.data, url.len, url.len);
    hlo_buf_free(&url);
    return true;
}
