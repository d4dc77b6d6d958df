/* The printer: a module as XLA's text, byte for byte (docs/text-format.md, 2 to 4, 8 and 9).
 * Attribute values are printed in print_attr.c, literals in literal_print.c. */
#include "ir/async_text.h"
#include "ir/print_attr.h"
#include "ir/print_parts.h"

const hlo_print_options hlo_print_default = {.percent = true,
                                             .signatures = true,
                                             .metadata = true,
                                             .backend_config = true,
                                             .control_predecessors = true,
                                             .operand_index_comments = true,
                                             .result_layouts = true,
                                             .made_constants = true};
const hlo_print_options hlo_print_short = {
    .large_constants = true, .backend_config = true, .result_layouts = true};
const hlo_print_options hlo_print_canonical = {
    .operand_shapes = true, .result_layouts = true, .canonical = true};
const hlo_print_options hlo_print_fingerprint = {
    .operand_shapes = true, .result_layouts = true, .canonical = true, .fingerprint = true};

enum { FINGERPRINT_INTEGERS = 500000 };

/* What is the same for a whole module. */
typedef struct {
    const hlo_print_options *options;
    hlo_buf *to;
    hlo_module *module;
    hlo_instr **order; /* space for the largest computation's instructions */
    uint32_t indent;   /* of the computation that is being printed, in levels */
} printer;

static void put_indent(printer *p, uint32_t levels) {
    for (uint32_t i = 0; i < levels; i++) hlo_buf_lit(p->to, "  ");
}

static void put_name(printer *p, const hlo_instr *instr) {
    HLO_ASSERT(!p->options->canonical || instr->index < instr->parent->instr_count);
    if (p->options->canonical) {
        hlo_buf_lit(p->to, "tmp_");
        hlo_buf_uint(p->to, instr->index);
        return;
    }
    if (p->options->percent) hlo_buf_char(p->to, '%');
    hlo_buf_bytes(p->to, instr->name->ptr, instr->name->len);
}

static void put_shape(printer *p, const hlo_shape *shape) {
    if (p->options->result_layouts) hlo_buf_str(p->to, hlo_shape_text(&p->module->shapes, shape));
    else hlo_shape_print(p->to, shape, false);
}

/* ---- constants ---- */

/* Are all elements the number 0 (or 1) of their type? */
static bool all_elements_are(const hlo_literal *literal, char digit) {
    hlo_type type = (hlo_type)literal->shape->type;
    int64_t n = hlo_shape_elements(literal->shape);
    size_t size = hlo_types[type].bytes;
    if (hlo_literal_is_huge(literal) && literal->implied->is_elided) return false;
    const char *data = hlo_literal_data(literal);
    for (int64_t i = 1; i < n; i++)
        if (memcmp(data, data + (size_t)i * size, size) != 0) return false;
    if (n <= 0) return n == 0;
    if (type == HLO_PRED) return *data == digit - '0';
    hlo_buf text = HLO_BUF_INIT;
    hlo_element_print(&text, type, data);
    bool same = text.len == 1 && text.data[0] == digit;
    hlo_buf_free(&text);
    return same;
}

/* Prints 0 or 1 for a constant of nothing else; else returns whether to print its elements. */
static bool fingerprint_constant(printer *p, const hlo_literal *literal) {
    if (all_elements_are(literal, '0')) hlo_buf_char(p->to, '0');
    else if (all_elements_are(literal, '1')) hlo_buf_char(p->to, '1');
    else
        return hlo_type_is_integral((hlo_type)literal->shape->type) &&
               hlo_shape_elements(literal->shape) <= FINGERPRINT_INTEGERS;
    return false;
}

bool hlo_literal_is_shown(const hlo_literal *literal, const hlo_print_options *options) {
    if (options->large_constants || (options->made_constants && !literal->is_read)) return true;
    return hlo_shape_is_array(literal->shape) &&
           hlo_shape_elements(literal->shape) <= HLO_SHOWN_ELEMENTS;
}

static void put_constant(printer *p, const hlo_instr *instr) {
    const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    const hlo_literal *literal = value ? value->u.literal : NULL;
    if (!literal) {
        hlo_buf_lit(p->to, "{...}");
        return;
    }
    bool array = hlo_shape_is_array(literal->shape);
    bool shown = hlo_literal_is_shown(literal, p->options);
    if (p->options->fingerprint && array) {
        size_t before = p->to->len;
        shown = fingerprint_constant(p, literal);
        if (p->to->len != before) return;
    }
    if (!shown) hlo_buf_lit(p->to, "{...}");
    else if (p->options->exact_literals) hlo_literal_print_exactly(p->to, literal);
    else hlo_literal_print(p->to, literal);
}

/* ---- instructions ---- */

/* With elements of tuples as numbers after the tuple: the instruction that is no such element, and
 * the path from it. */
static void put_path(printer *p, const hlo_instr *def) {
    if (!p->options->compact_gte || def->opcode != HLO_OP_GET_TUPLE_ELEMENT) {
        put_name(p, def);
        return;
    }
    put_path(p, hlo_operand(def, 0));
    hlo_buf_char(p->to, '#');
    hlo_buf_int(p->to, hlo_attr_int(def, HLO_ATTR_INDEX));
}

static void put_operand(printer *p, uint32_t i, const hlo_instr *def) {
    if (i) hlo_buf_lit(p->to, ", ");
    if (i && i % 5 == 0 && p->options->operand_index_comments)
        hlo_buf_printf(p->to, "/*index=%u*/", i);
    if (p->options->operand_shapes) {
        put_shape(p, def->shape);
        hlo_buf_char(p->to, ' ');
    }
    put_path(p, def);
}

static void put_operands(printer *p, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) put_operand(p, i, hlo_operand(instr, i));
    const hlo_instr *next = hlo_back_edge(instr);
    if (next) put_operand(p, instr->operand_count, next);
}

static void put_parentheses(printer *p, const hlo_instr *instr) {
    hlo_buf_char(p->to, '(');
    if (instr->opcode == HLO_OP_PARAMETER)
        hlo_buf_int(p->to, hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER));
    else if (instr->opcode == HLO_OP_CONSTANT) put_constant(p, instr);
    else put_operands(p, instr);
    hlo_buf_char(p->to, ')');
}

static void put_body(printer *p, hlo_computation *c);

/* A canonical print shows the bodies of called computations where they are called. */
static bool put_inline_bodies(printer *p, const hlo_attr *attr) {
    HLO_ASSERT(attr->id < HLO_ATTR_COUNT);
    hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
    if (kind != HLO_KIND_COMPUTATION && kind != HLO_KIND_COMPUTATIONS) return false;
    bool list = kind == HLO_KIND_COMPUTATIONS;
    if (list && attr->u.computations->n == 0) return true;
    hlo_buf_printf(p->to, ", %s=%s\n", hlo_attr_table[attr->id].text, list ? "{" : "");
    uint32_t n = list ? attr->u.computations->n : 1;
    p->indent++;
    for (uint32_t i = 0; i < n; i++) {
        if (i) hlo_buf_lit(p->to, ",\n");
        put_body(p, list ? attr->u.computations->v[i] : attr->u.computation);
    }
    HLO_ASSERT(p->indent > 0);
    p->indent--;
    if (list) {
        hlo_buf_char(p->to, '\n');
        put_indent(p, p->indent + 1);
        hlo_buf_char(p->to, '}');
    }
    return true;
}

static bool is_printed(const printer *p, hlo_attr_id id) {
    if (id == HLO_ATTR_METADATA) return p->options->metadata;
    if (id == HLO_ATTR_BACKEND_CONFIG) return p->options->backend_config;
    if (id == HLO_ATTR_CONTROL_PREDECESSORS) return p->options->control_predecessors;
    if (!p->options->fingerprint) return true;
    return id != HLO_ATTR_INFEED_CONFIG && id != HLO_ATTR_OUTFEED_CONFIG &&
           id != HLO_ATTR_PARAMETER_REPLICATION;
}

static void put_attr(printer *p, const hlo_instr *instr, const hlo_attr *attr) {
    if (hlo_attr_table[attr->id].place == HLO_PLACE_PARENS || !is_printed(p, (hlo_attr_id)attr->id))
        return;
    if (p->options->canonical && put_inline_bodies(p, attr)) return;
    hlo_attr_print_of(instr, attr, p->options, p->to);
}

/* Metadata, origin and configuration of the wrapped instruction are the start's, and its frontend
 * attributes when it has some; its other attributes are printed on the line of the start. */
static void put_sugared_attrs(printer *p, const hlo_instr *instr, const hlo_instr *inner) {
    if (instr->opcode == HLO_OP_ASYNC_START) {
        const hlo_attr *thread = hlo_instr_attr(instr, HLO_ATTR_ASYNC_EXECUTION_THREAD);
        if (thread) put_attr(p, instr, thread);
        for (uint32_t i = 0; i < inner->attr_count; i++)
            if (!hlo_async_stays_inside(instr, (hlo_attr_id)inner->attrs[i].id))
                put_attr(p, inner, &inner->attrs[i]);
    }
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        hlo_attr_id id = (hlo_attr_id)instr->attrs[i].id;
        if (id == HLO_ATTR_ASYNC_EXECUTION_THREAD || id == HLO_ATTR_CALLS) continue;
        put_attr(p, instr, &instr->attrs[i]);
    }
}

static void put_instr(printer *p, const hlo_instr *instr) {
    const hlo_instr *inner = hlo_async_short_form(instr);
    put_name(p, instr);
    hlo_buf_lit(p->to, " = ");
    put_shape(p, instr->shape);
    hlo_buf_char(p->to, ' ');
    if (inner) {
        hlo_buf_cstr(p->to, hlo_info(inner)->text);
        hlo_buf_cstr(p->to, hlo_info(instr)->text + strlen("async"));
    } else {
        hlo_buf_cstr(p->to, hlo_info(instr)->text);
    }
    put_parentheses(p, instr);
    if (inner) put_sugared_attrs(p, instr, inner);
    else
        for (uint32_t i = 0; i < instr->attr_count; i++) put_attr(p, instr, &instr->attrs[i]);
}

void hlo_instr_print(const hlo_instr *instr, const hlo_print_options *options, hlo_buf *to) {
    printer p = {.options = options, .to = to, .module = instr->parent->module};
    put_instr(&p, instr);
}

/* ---- computations ---- */

static void put_thread(printer *p, const hlo_computation *c) {
    if (hlo_str_is(c->execution_thread, "main") || p->options->fingerprint) return;
    hlo_buf_lit(p->to, ", execution_thread=");
    hlo_print_unescaped(p->to, c->execution_thread);
}

static bool is_hidden(const printer *p, const hlo_instr *instr) {
    return p->options->compact_gte && instr->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
           instr != instr->parent->root;
}

/* `{`, the instructions, `}`: p->order is used up by each level in turn, so it is refilled. */
static void put_braces(printer *p, hlo_computation *c) {
    hlo_instr **order = p->order;
    if (p->indent) order = hlo_malloc(c->instr_count * sizeof *order);
    uint32_t n = hlo_run_order(c, order);
    hlo_buf_lit(p->to, "{\n");
    for (uint32_t i = 0; i < n; i++) {
        if (is_hidden(p, order[i])) continue;
        put_indent(p, p->indent + 1);
        if (order[i] == c->root) hlo_buf_lit(p->to, "ROOT ");
        put_instr(p, order[i]);
        hlo_buf_char(p->to, '\n');
    }
    put_indent(p, p->indent);
    hlo_buf_char(p->to, '}');
    if (p->indent) hlo_free(order);
    put_thread(p, c);
}

static void put_body(printer *p, hlo_computation *c) {
    put_indent(p, p->indent);
    put_braces(p, c);
}

static void put_signature(printer *p, const hlo_computation *c) {
    hlo_buf_char(p->to, '(');
    for (uint32_t i = 0; i < c->parameter_count; i++) {
        HLO_ASSERT(c->parameters[i] && c->parameters[i]->opcode == HLO_OP_PARAMETER);
        if (i) hlo_buf_lit(p->to, ", ");
        hlo_buf_bytes(p->to, c->parameters[i]->name->ptr, c->parameters[i]->name->len);
        hlo_buf_lit(p->to, ": ");
        hlo_shape_print(p->to, c->parameters[i]->shape, false);
    }
    hlo_buf_lit(p->to, ") -> ");
    hlo_shape_print(p->to, c->root->shape, false);
    hlo_buf_char(p->to, ' ');
}

static void put_computation(printer *p, hlo_computation *c) {
    if (c == p->module->entry) hlo_buf_lit(p->to, "ENTRY ");
    if (!p->options->fingerprint) {
        if (p->options->percent) hlo_buf_char(p->to, '%');
        hlo_buf_bytes(p->to, c->name->ptr, c->name->len);
        hlo_buf_char(p->to, ' ');
    }
    if (p->options->signatures) put_signature(p, c);
    put_braces(p, c);
    hlo_buf_char(p->to, '\n');
}

/* ---- modules ---- */

static void put_stack_frames(printer *p) {
    const hlo_stack_frames *f = &p->module->frames;
    if (!f->frame_count || !p->options->metadata) return;
    hlo_buf_lit(p->to, "FileNames\n");
    for (uint32_t i = 0; i < f->file_count; i++) {
        hlo_buf_printf(p->to, "%u ", i + 1);
        hlo_buf_quoted(p->to, f->files[i]);
        hlo_buf_char(p->to, '\n');
    }
    hlo_buf_lit(p->to, "\nFunctionNames\n");
    for (uint32_t i = 0; i < f->function_count; i++) {
        hlo_buf_printf(p->to, "%u ", i + 1);
        hlo_buf_quoted(p->to, f->functions[i]);
        hlo_buf_char(p->to, '\n');
    }
    hlo_buf_lit(p->to, "\nFileLocations\n");
    for (uint32_t i = 0; i < f->location_count; i++) {
        const hlo_file_location *row = &f->locations[i];
        hlo_buf_printf(p->to,
                       "%u {file_name_id=%u function_name_id=%u line=%d end_line=%d column=%d "
                       "end_column=%d}\n",
                       i + 1, row->file, row->function, row->line, row->end_line, row->column,
                       row->end_column);
    }
    hlo_buf_lit(p->to, "\nStackFrames\n");
    for (uint32_t i = 0; i < f->frame_count; i++)
        hlo_buf_printf(p->to, "%u {file_location_id=%u parent_frame_id=%u}\n", i + 1,
                       f->frames[i].location, f->frames[i].parent + 1);
    hlo_buf_lit(p->to, "\n\n");
}

static void put_header(printer *p) {
    hlo_buf_lit(p->to, "HloModule ");
    if (!p->options->fingerprint) hlo_buf_str(p->to, p->module->name);
    for (uint32_t i = 0; i < p->module->attr_count; i++)
        hlo_attr_print(&p->module->attrs[i], p->options, p->to);
    hlo_buf_lit(p->to, "\n\n");
}

static uint32_t largest_computation(const hlo_module *module) {
    uint32_t most = 0;
    for (const hlo_computation *c = module->first; c; c = c->next)
        if (c->instr_count > most) most = c->instr_count;
    return most;
}

static void number_canonically(printer *p) {
    for (hlo_computation *c = p->module->first; c; c = c->next) {
        uint32_t n = hlo_run_order(c, p->order);
        for (uint32_t i = 0; i < n; i++) p->order[i]->index = i;
    }
}

/* Leaves out the computations whose instructions stand on the lines of their async-starts. */
static uint32_t drop_hidden(const hlo_module *module, hlo_computation **order, uint32_t n) {
    bool *hidden = NULL;
    for (const hlo_computation *c = module->first; c; c = c->next)
        if (c->is_async_body && !hidden) hidden = hlo_calloc(module->next_id + 1u, sizeof *hidden);
    if (!hidden) return n;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            const hlo_instr *inner =
                i->opcode == HLO_OP_ASYNC_START ? hlo_async_short_form(i) : NULL;
            if (inner) hidden[inner->parent->id] = true;
        }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!hidden[order[i]->id]) order[kept++] = order[i];
    hlo_free(hidden);
    return kept;
}

static void print_one(hlo_module *module, const hlo_print_options *options, hlo_buf *to) {
    printer p = {.options = options, .to = to, .module = module};
    p.order = hlo_malloc(largest_computation(module) * sizeof *p.order);
    hlo_computation **order = hlo_malloc(module->computation_count * sizeof *order);
    uint32_t n = hlo_print_order(module, order);
    if (options->canonical) number_canonically(&p);
    if (options->fingerprint) { /* in module order */
        n = 0;
        for (hlo_computation *c = module->first; c; c = c->next) order[n++] = c;
    }
    n = drop_hidden(module, order, n);
    put_header(&p);
    put_stack_frames(&p);
    for (uint32_t i = 0; i < n; i++) {
        if (i) hlo_buf_char(to, '\n');
        put_computation(&p, order[i]);
    }
    hlo_free(order);
    hlo_free(p.order);
}

/* Parts of a dataflow graph follow each other. */
void hlo_module_print(hlo_module *module, const hlo_print_options *options, hlo_buf *to) {
    for (; module; module = module->next_device) {
        print_one(module, options, to);
        if (module->next_device) hlo_buf_char(to, '\n');
    }
}
