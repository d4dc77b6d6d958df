/* Every attribute as XLA prints it (docs/text-format.md, 2.2, 4.3 and 7): one table that gives for
 * each kind of value its spelling and when it is left out. The longer kinds are in
 * print_values.c and sharding_print.c. */
#include "ir/print_attr.h"
#include "ir/print_values.h"

/* `, name=`, ready to be copied. */
static const struct {
    const char *text;
    size_t len;
} openings[HLO_ATTR_COUNT] = {
#define HLO_ATTR(id, text, ...) [HLO_ATTR_##id] = {", " text "=", sizeof(", " text "=") - 1},
#include "ir/attrs.def"
#undef HLO_ATTR
};

/* ---- plain kinds ---- */

static void print_bool(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    if (attr->u.i) hlo_buf_lit(to, "true");
    else hlo_buf_lit(to, "false");
}

static void print_int(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_buf_int(to, attr->u.i);
}

static void print_float(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_print_six_digits(to, attr->u.f);
}

static void print_string(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    if (attr->id == HLO_ATTR_ASYNC_EXECUTION_THREAD) hlo_print_unescaped(to, *attr->u.string);
    else hlo_buf_quoted(to, *attr->u.string);
}

static void print_config(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_print_config(to, *attr->u.string);
}

static void print_word_number(hlo_buf *to, hlo_word_set set, int64_t number) {
    const char *word = hlo_word_text(set, number);
    if (word) hlo_buf_cstr(to, word);
    else hlo_buf_int(to, number);
}

static void print_word(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    print_word_number(to, hlo_attr_table[attr->id].words, attr->u.i);
}

static void print_words(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < attr->u.ints->n; i++) {
        if (i) hlo_buf_char(to, ',');
        print_word_number(to, hlo_attr_table[attr->id].words, attr->u.ints->v[i]);
    }
    hlo_buf_char(to, '}');
}

static void print_bools(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < attr->u.ints->n; i++) {
        if (i) hlo_buf_char(to, ',');
        hlo_buf_cstr(to, attr->u.ints->v[i] ? "true" : "false");
    }
    hlo_buf_char(to, '}');
}

static void print_ints(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_print_ints(to, attr->u.ints);
}

static void print_int_lists(hlo_buf *to, const hlo_int_lists *lists) {
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; lists && i < lists->n; i++) {
        if (i) hlo_buf_char(to, ',');
        hlo_print_ints(to, lists->v[i]);
    }
    hlo_buf_char(to, '}');
}

static void print_list_of_ints(hlo_buf *to, const hlo_attr *attr,
                               const hlo_print_options *options) {
    (void)options;
    print_int_lists(to, attr->u.int_lists);
}

/* ---- references ---- */

static void print_name(hlo_buf *to, const hlo_name *name, const hlo_print_options *options) {
    if (options->percent) hlo_buf_char(to, '%');
    hlo_buf_bytes(to, name->ptr, name->len);
}

static void print_computation(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    print_name(to, attr->u.computation->name, options);
}

static void print_computations(hlo_buf *to, const hlo_attr *attr,
                               const hlo_print_options *options) {
    const hlo_computations *list = attr->u.computations;
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < list->n; i++) {
        if (i) hlo_buf_lit(to, ", ");
        print_name(to, list->v[i]->name, options);
    }
    hlo_buf_char(to, '}');
}

static void print_instructions(hlo_buf *to, const hlo_attr *attr,
                               const hlo_print_options *options) {
    const hlo_instrs *list = attr->u.instructions;
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < list->n; i++) {
        if (i) hlo_buf_lit(to, ", ");
        print_name(to, list->v[i]->name, options);
    }
    hlo_buf_char(to, '}');
}

/* ---- shapes and literals ---- */

static void print_shape(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_shape_print(to, attr->u.shape, true);
}

static void print_shapes(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    const hlo_shapes *list = attr->u.shapes;
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < list->n; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_shape_print(to, list->v[i], true);
    }
    hlo_buf_char(to, '}');
}

static void print_program_shape(hlo_buf *to, const hlo_attr *attr,
                                const hlo_print_options *options) {
    (void)options;
    const hlo_program_shape *shape = attr->u.program_shape;
    hlo_buf_lit(to, "{(");
    for (uint32_t i = 0; i < shape->parameters->n; i++) {
        hlo_print_separator(to, i);
        hlo_shape_print(to, shape->parameters->v[i], true);
    }
    hlo_buf_lit(to, ")->");
    hlo_shape_print(to, shape->result, true);
    hlo_buf_char(to, '}');
}

static void print_literal(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_print_shaped_literal(to, attr->u.literal);
}

/* ---- shardings and groups ---- */

static void print_sharding(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    hlo_sharding_print(to, attr->u.sharding, options->metadata);
}

static void print_domain(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_buf_lit(to, "{kind=\"sharding\", entry=");
    hlo_sharding_print(to, attr->u.domain->entry, false);
    hlo_buf_lit(to, ", exit=");
    hlo_sharding_print(to, attr->u.domain->exit, false);
    hlo_buf_char(to, '}');
}

static void print_groups(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    const hlo_groups *groups = attr->u.groups;
    if (!options->fingerprint || groups->form == HLO_GROUPS_LIST) {
        hlo_groups_print(to, groups);
        return;
    }
    hlo_arena arena;
    hlo_arena_init(&arena);
    print_int_lists(to, hlo_groups_expand(&arena, groups));
    hlo_arena_free(&arena);
}

/* ---- the longer kinds, and the table ---- */

#define VALUE_PRINTER(kind)                                      \
    static void print_##kind(hlo_buf *to, const hlo_attr *attr,  \
                             const hlo_print_options *options) { \
        (void)options;                                           \
        hlo_print_##kind(to, attr->u.kind);                      \
    }
VALUE_PRINTER(frontend)
VALUE_PRINTER(statistics)
VALUE_PRINTER(accuracy)
VALUE_PRINTER(origin)
VALUE_PRINTER(recovery)
VALUE_PRINTER(debug)
VALUE_PRINTER(metadata)
VALUE_PRINTER(window)
VALUE_PRINTER(dim_labels)
VALUE_PRINTER(padding)
VALUE_PRINTER(slice)
VALUE_PRINTER(sparsity)

static void print_aliasing(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    if (attr->id == HLO_ATTR_INPUT_OUTPUT_ALIAS) hlo_print_input_output_alias(to, attr->u.aliasing);
    else hlo_print_operand_aliasing(to, attr->u.aliasing);
}

static void print_donors(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    (void)options;
    hlo_print_donors(to, attr->u.aliasing);
}

/* ---- when the default is given ---- */

static bool is_fallback(const hlo_attr *attr) {
    return attr->u.i == hlo_attr_table[attr->id].fallback;
}

static bool is_default_string(const hlo_attr *attr) {
    if (attr->id == HLO_ATTR_ASYNC_EXECUTION_THREAD) return hlo_str_is(*attr->u.string, "main");
    return attr->u.string->len == 0;
}

static bool is_all_zero(const hlo_attr *attr) {
    for (uint32_t i = 0; i < attr->u.ints->n; i++)
        if (attr->u.ints->v[i]) return false;
    return true;
}

/* A list of flags has the one entry false by default; an empty one was not given. */
static bool is_one_false(const hlo_attr *attr) {
    return attr->u.ints->n <= 1 && is_all_zero(attr);
}

/* Lists of all kinds begin with their count. */
static bool is_empty(const hlo_attr *attr) {
    uint32_t n;
    memcpy(&n, attr->u.any, sizeof n);
    return n == 0;
}

static bool has_no_statistic(const hlo_attr *attr) {
    return attr->u.statistics->n == 0;
}

static bool has_no_sparsity(const hlo_attr *attr) {
    return !attr->u.sparsity->lhs.given && !attr->u.sparsity->rhs.given;
}

static bool is_default_accuracy(const hlo_attr *attr) {
    return !attr->u.accuracy->is_tolerance && attr->u.accuracy->mode == 0;
}

/* Lines and columns alone are not worth an attribute. */
static bool is_little_metadata(const hlo_attr *attr) {
    const hlo_metadata *m = attr->u.metadata;
    return !m->op_name.len && !m->op_type.len && !m->source_file.len && !m->scheduling_name.len &&
           !m->stack_frame && !m->payload.ptr;
}

static const struct {
    void (*print)(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options);
    bool (*is_default)(const hlo_attr *attr); /* NULL: no value of the kind is one */
} kinds[HLO_KIND_COUNT] = {
#define HLO_KIND(id, member, token, printer, is_left_out, sample) \
    [HLO_KIND_##id] = {print_##printer, is_left_out},
#include "ir/kinds.def"
};

/* ---- the entry points ---- */

static bool is_switched_off(const hlo_attr *attr, const hlo_print_options *options) {
    switch (attr->id) {
    case HLO_ATTR_METADATA: return !options->metadata;
    case HLO_ATTR_BACKEND_CONFIG: return !options->backend_config;
    case HLO_ATTR_CONTROL_PREDECESSORS: return !options->control_predecessors;
    case HLO_ATTR_INFEED_CONFIG:
    case HLO_ATTR_OUTFEED_CONFIG:
    case HLO_ATTR_PARAMETER_REPLICATION: return options->fingerprint;
    default: return false;
    }
}

bool hlo_attr_is_default(const hlo_attr *attr) {
    HLO_ASSERT(attr->id < HLO_ATTR_COUNT);
    const hlo_attr_info *info = &hlo_attr_table[attr->id];
    return info->printed == HLO_PRINT_UNLESS_DEFAULT && kinds[info->kind].is_default &&
           kinds[info->kind].is_default(attr);
}

static bool is_left_out(const hlo_attr *attr) {
    return hlo_attr_table[attr->id].printed == HLO_PRINT_NEVER || hlo_attr_is_default(attr);
}

static void print(hlo_buf *to, const hlo_attr *attr, const hlo_print_options *options) {
    HLO_ASSERT(attr->id < HLO_ATTR_COUNT);
    size_t comma = attr->id == HLO_ATTR_DEBUG_ATTRIBUTES ? 2 : 0; /* which begins a line */
    if (comma) hlo_buf_lit(to, ",\n");
    hlo_buf_bytes(to, openings[attr->id].text + comma, openings[attr->id].len - comma);
    kinds[hlo_attr_table[attr->id].kind].print(to, attr, options);
}

void hlo_attr_print(const hlo_attr *attr, const hlo_print_options *options, hlo_buf *to) {
    if (!is_switched_off(attr, options) && !is_left_out(attr)) print(to, attr, options);
}

void hlo_attr_print_value(const hlo_attr *attr, const hlo_print_options *options, hlo_buf *to) {
    HLO_ASSERT(attr->id < HLO_ATTR_COUNT);
    kinds[hlo_attr_table[attr->id].kind].print(to, attr, options);
}

void hlo_attr_print_of(const hlo_instr *instr, const hlo_attr *attr,
                       const hlo_print_options *options, hlo_buf *to) {
    if (attr->id == HLO_ATTR_WINDOW && instr->opcode == HLO_OP_CUSTOM_CALL)
        print(to, attr, options);
    else hlo_attr_print(attr, options, to);
}
