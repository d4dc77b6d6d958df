/* One attribute as a separate text: `add(), sharding={replicated}`. */
#include "hlo_grammar.h"
#include "parse/parser.h"

/* What the attribute belongs to stands before it, so that messages show it. */
static hlo_source *source_of(hlo_opcode opcode, const char *name, const char *text,
                             uint32_t *comma) {
    hlo_buf line = HLO_BUF_INIT;
    hlo_buf_cstr(&line, opcode == HLO_OP_COUNT ? "HloModule module" : hlo_ops[opcode].text);
    if (opcode != HLO_OP_COUNT) hlo_buf_lit(&line, "()");
    *comma = (uint32_t)line.len;
    hlo_buf_lit(&line, ", ");
    hlo_buf_cstr(&line, name);
    hlo_buf_char(&line, '=');
    hlo_buf_cstr(&line, text);
    hlo_source *source = hlo_source_from_text("attribute", line.data, line.len);
    hlo_buf_free(&line);
    return source;
}

/* The only one that was read; the grammar takes more. */
static const hlo_attr *only(hlo_parser *p) {
    bool of_module = p->made.attributes_of == HLO_OP_COUNT;
    uint32_t n = of_module ? p->made.header.n : p->stacks.attrs.n;
    const hlo_attr *attr = of_module ? p->made.header.v : p->stacks.attrs.v;
    if (n == 1) return attr;
    if (p->diags->errors == p->recovery.errors)
        hlo_parse_error(p, HLO_RULE_SYNTAX, p->made.end_at, "one attribute is expected here");
    return NULL;
}

static bool names_others(hlo_parser *p, const hlo_attr *attr) {
    HLO_ASSERT(attr->id < HLO_ATTR_COUNT);
    hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
    if (kind != HLO_KIND_COMPUTATION && kind != HLO_KIND_COMPUTATIONS &&
        kind != HLO_KIND_INSTRUCTIONS)
        return false;
    hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, p->made.end_at,
                    "%s= has no text form: its values are handles", hlo_attr_table[attr->id].text);
    return true;
}

static bool read(hlo_parser *p, hlo_module *to, hlo_attr *out) {
    uint32_t errors = p->diags->errors;
    bool failed = hlo_yyparse(p) != 0;
    const hlo_attr *attr = failed || p->diags->errors != errors ? NULL : only(p);
    if (!attr || names_others(p, attr)) return false;
    *out = hlo_attr_import(&to->arena, &to->shapes, attr);
    out->at = 0;
    return true;
}

bool hlo_parse_attribute(hlo_opcode opcode, const char *name, const char *text, hlo_module *to,
                         hlo_diags *diags, hlo_attr *out) {
    uint32_t comma;
    hlo_source *source = source_of(opcode, name, text, &comma);
    hlo_parser *p = hlo_parser_new(source, diags);
    hlo_module *module = p->module;
    p->made.attributes_of = opcode;
    hlo_scan_begin_attributes(p, comma, opcode == HLO_OP_COUNT);
    bool good = read(p, to, out);
    hlo_parser_free(p);
    hlo_module_free(module);
    hlo_source_close(source);
    return good;
}
