/* One instruction from its HloInstructionProto, driven by attr_fields.def: a function for each form
 * of value, then the draft that src/form checks and completes. */
#include "proto/from_instr.h"

#include "form/form.h"
#include "ir/valid_name.h"
#include "proto/extension.h"
#include "proto/nans.h"

typedef struct {
    hlo_reader *r;
    const hlo_node *node; /* the instruction's */
    const hlo_attr_field *row;
    const hlo_node *around; /* the message that has the field; NULL: it is not there */
    const hlo_proto_field *field;
    const hlo_draft *draft;
} reading;

/* Fills value->u; *given: whether the instruction has the attribute. */
typedef bool read_form(const reading *in, hlo_attr *value, bool *given);

static const hlo_node *value_node(const reading *in) {
    return in->around ? hlo_node_get(in->around, in->field) : NULL;
}

static hlo_arena *arena_of(const reading *in) {
    return &in->r->module->arena;
}

static const hlo_attr_info *info_of(const reading *in) {
    return &hlo_attr_table[in->row->attr];
}

static bool is_missing(const reading *in) {
    return hlo_node_bad(in->r, in->node, HLO_RULE_MISSING_ATTRIBUTE, "%s is missing",
                        in->field->json_name);
}

/* ---- numbers ---- */

/* What is not printed when it has its default need not be kept. */
static bool is_kept(const reading *in, int64_t value) {
    return info_of(in)->printed != HLO_PRINT_UNLESS_DEFAULT || value != info_of(in)->fallback;
}

static bool keep_int(const reading *in, int64_t i, hlo_attr *value, bool *given) {
    value->u.i = i;
    *given = is_kept(in, i);
    if (info_of(in)->kind != HLO_KIND_WORD || hlo_word_text(info_of(in)->words, i)) return true;
    const hlo_node *node = value_node(in);
    if (!node) return is_missing(in);
    return hlo_node_bad(in->r, node, HLO_RULE_ATTRIBUTE_VALUE, "%lld is not a value of %s",
                        (long long)i, in->field->json_name);
}

static bool read_int(const reading *in, hlo_attr *value, bool *given) {
    return keep_int(in, in->around ? hlo_node_int(in->around, in->field) : 0, value, given);
}

static bool read_count(const reading *in, hlo_attr *value, bool *given) {
    int64_t i = hlo_node_int(in->around, in->field);
    return keep_int(in, i < 1 ? 1 : i, value, given);
}

static bool read_positive(const reading *in, hlo_attr *value, bool *given) {
    value->u.i = hlo_node_int(in->around, in->field);
    if (value->u.i <= 0)
        value->u.i = hlo_node_int(in->node, HLO_F(HloInstructionProto, all_reduce_id));
    *given = value->u.i > 0;
    return true;
}

static bool read_present(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *node = value_node(in);
    *given = node != NULL;
    if (node) value->u.i = node->u.i;
    return true;
}

static bool read_first(const reading *in, hlo_attr *value, bool *given) {
    size_t n = hlo_node_number_count(in->around, in->field);
    *given = n == 1;
    if (n == 1) value->u.i = hlo_node_number(in->around, in->field, 0);
    if (n == 1 || (n == 0 && !in->row->always)) return true;
    return hlo_node_bad(in->r, in->node, HLO_RULE_ATTRIBUTE_VALUE,
                        "%s has %zu values, expected one", in->field->json_name, n);
}

static bool read_tri_state(const reading *in, hlo_attr *value, bool *given) {
    value->u.i = hlo_node_int(in->around, in->field) == 1;
    return *given = true;
}

static bool read_real(const reading *in, hlo_attr *value, bool *given) {
    value->u.f = hlo_node_real(in->around, in->field);
    return *given = true;
}

/* ---- texts ---- */

static bool read_text(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *around = in->around;
    const hlo_proto_field *field = in->field;
    if (in->row->attr == HLO_ATTR_BACKEND_CONFIG) {
        const hlo_node *payload =
            hlo_node_get(in->node, HLO_F(HloInstructionProto, backend_config_payload));
        if (payload && !hlo_node_has(payload, HLO_F(Payload, id))) {
            around = payload;
            field = HLO_F(Payload, value);
        }
    }
    *given = hlo_node_text(around, field).len || info_of(in)->printed == HLO_PRINT_ALWAYS;
    if (!*given) return true;
    value->u.string = hlo_from_text(in->r, around, field);
    if (in->row->attr == HLO_ATTR_BACKEND_CONFIG)
        value->u.string = hlo_kept_config(&in->r->module->arena, value->u.string);
    return true;
}

static bool read_thread(const reading *in, hlo_attr *value, bool *given) {
    value->u.string = hlo_from_text(in->r, in->around, in->field);
    *given = value->u.string->len && !hlo_str_is(*value->u.string, "main");
    return true;
}

static bool read_word(const reading *in, hlo_attr *value, bool *given) {
    hlo_str text = hlo_node_text(in->around, in->field);
    const hlo_word_info *word = hlo_word_find(info_of(in)->words, text);
    *given = true;
    if (word) value->u.i = word->number;
    const hlo_node *node = value_node(in);
    if (word) return true;
    if (!node) return is_missing(in);
    hlo_node_bad(in->r, node, HLO_RULE_ATTRIBUTE_VALUE, "'%.*s' is not a value of %s",
                 (int)(text.len < 80 ? text.len : 80), text.ptr, in->field->json_name);
    const hlo_nearest search = hlo_word_nearest(info_of(in)->words, text);
    hlo_hint_nearest(in->r->diags, &search);
    return false;
}

static bool read_compare_type(const reading *in, hlo_attr *value, bool *given) {
    return !value_node(in) || read_word(in, value, given);
}

/* ---- lists ---- */

static bool read_ints(const reading *in, hlo_attr *value, bool *given) {
    static const hlo_ints none = {0};
    bool empty = !in->around || !hlo_node_number_count(in->around, in->field);
    value->u.ints = empty ? &none : hlo_from_ints(in->r, in->around, in->field);
    *given = !empty || (in->row->always && info_of(in)->printed != HLO_PRINT_UNLESS_DEFAULT);
    return true;
}

/* One for each operand that can have one: filled up or cut, as XLA does. */
static bool read_precisions(const reading *in, hlo_attr *value, bool *given) {
    uint32_t have = in->around ? (uint32_t)hlo_node_number_count(in->around, in->field) : 0;
    uint32_t n = in->draft->opcode == HLO_OP_CUSTOM_CALL ? in->draft->operand_count : 2;
    hlo_ints *list = hlo_ints_new(arena_of(in), n);
    for (uint32_t i = 0; i < n && i < have; i++) {
        list->v[i] = hlo_node_number(in->around, in->field, i);
        *given |= list->v[i] != 0;
        if (!hlo_word_text(HLO_WORDS_PRECISION, list->v[i]))
            return hlo_node_bad(in->r, value_node(in), HLO_RULE_ATTRIBUTE_VALUE,
                                "%lld is not a precision", (long long)list->v[i]);
    }
    value->u.ints = list;
    return true;
}

static bool read_pairs(const reading *in, hlo_attr *value, bool *given) {
    uint32_t n = hlo_node_count(in->around, in->field), i = 0;
    hlo_int_lists *lists = hlo_arena_alloc(arena_of(in), sizeof *lists + n * sizeof lists->v[0]);
    lists->n = n;
    for (const hlo_node *pair = value_node(in); pair; pair = pair->next) {
        int64_t two[] = {hlo_node_int(pair, HLO_F(SourceTarget, source)),
                         hlo_node_int(pair, HLO_F(SourceTarget, target))};
        lists->v[i++] = hlo_ints_from(arena_of(in), two, 2);
    }
    value->u.int_lists = lists;
    return *given = true;
}

static uint32_t rank_of(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) ? shape->rank : 0;
}

/* The flat list cut into one list for each slice: those of an array, or of every element of a tuple
 * in turn, as many of each. */
static bool read_permute_slices(const reading *in, hlo_attr *value, bool *given) {
    uint32_t n = (uint32_t)hlo_node_number_count(in->around, in->field);
    if (!n) return true;
    const hlo_shape *sliced = in->draft->operand_count ? in->draft->operands[0]->shape : NULL;
    uint32_t parts = sliced && hlo_shape_is_tuple(sliced) ? sliced->rank : 1;
    uint64_t total = 0;
    for (uint32_t i = 0; sliced && i < parts; i++)
        total += rank_of(hlo_shape_is_tuple(sliced) ? sliced->elements[i] : sliced);
    if (!total || n % total || in->draft->operand_count != 4)
        return hlo_node_bad(in->r, value_node(in), HLO_RULE_ATTRIBUTE_VALUE,
                            "%u slice sizes do not fit the operands", n);
    uint32_t times = n / (uint32_t)total, made = 0, at = 0;
    const hlo_ints *flat = hlo_from_ints(in->r, in->around, in->field);
    hlo_int_lists *lists =
        hlo_arena_alloc(arena_of(in), sizeof *lists + (size_t)parts * times * sizeof lists->v[0]);
    for (uint32_t i = 0; i < parts; i++)
        for (uint32_t k = 0; k < times; k++) {
            uint32_t rank = rank_of(hlo_shape_is_tuple(sliced) ? sliced->elements[i] : sliced);
            lists->v[made++] = hlo_ints_from(arena_of(in), flat->v + at, rank);
            at += rank;
        }
    lists->n = made;
    value->u.int_lists = lists;
    return *given = true;
}

static bool read_slice(const reading *in, hlo_attr *value, bool *given) {
    uint32_t n = hlo_node_count(in->around, in->field), i = 0;
    hlo_slice *slice = hlo_arena_alloc(arena_of(in), sizeof *slice + n * sizeof slice->v[0]);
    slice->n = n;
    for (const hlo_node *d = value_node(in); d; d = d->next, i++) {
        slice->v[i].start = hlo_node_int(d, HLO_F(HloInstructionProto_SliceDimensions, start));
        slice->v[i].limit = hlo_node_int(d, HLO_F(HloInstructionProto_SliceDimensions, limit));
        slice->v[i].stride = hlo_node_int(d, HLO_F(HloInstructionProto_SliceDimensions, stride));
    }
    value->u.slice = slice;
    return *given = true;
}

static bool read_aliasing(const reading *in, hlo_attr *value, bool *given) {
    uint32_t n = hlo_node_count(in->around, in->field), i = 0;
    hlo_aliasing *list = hlo_arena_zero(arena_of(in), sizeof *list + n * sizeof list->v[0]);
    list->n = n;
    for (const hlo_node *a = value_node(in); a; a = a->next, i++) {
        list->v[i].output =
            hlo_from_ints(in->r, a, HLO_F(OutputOperandAliasing, output_shape_index));
        list->v[i].parameter = hlo_node_int(a, HLO_F(OutputOperandAliasing, operand_index));
        list->v[i].index =
            hlo_from_ints(in->r, a, HLO_F(OutputOperandAliasing, operand_shape_index));
    }
    value->u.aliasing = list;
    *given = n != 0;
    return true;
}

static bool read_predecessors(const reading *in, hlo_attr *value, bool *given) {
    uint32_t n = (uint32_t)hlo_node_number_count(in->around, in->field);
    hlo_instrs *list = hlo_arena_alloc(arena_of(in), sizeof *list + n * sizeof list->v[0]);
    list->n = n;
    for (uint32_t i = 0; i < n; i++) {
        int64_t id = hlo_node_number(in->around, in->field, i);
        list->v[i] = hlo_id_map_find(&in->r->instrs, hlo_local_id(id));
        if (!list->v[i])
            return hlo_node_bad(in->r, value_node(in), HLO_RULE_UNKNOWN_NAME,
                                "no earlier instruction of the computation has the id %lld",
                                (long long)id);
    }
    value->u.instructions = list;
    *given = n != 0;
    return true;
}

/* ---- messages ---- */

/* The forms whose message one function of from_values.h reads: given when the message is there. */
#define READ_MESSAGE(name, member, function)                            \
    static bool name(const reading *in, hlo_attr *value, bool *given) { \
        const hlo_node *node = value_node(in);                          \
        if (!node) return true;                                         \
        value->u.member = function(in->r, node);                        \
        *given = true;                                                  \
        return value->u.member != NULL;                                 \
    }
READ_MESSAGE(read_literal, literal, hlo_from_literal)
READ_MESSAGE(read_shape, shape, hlo_from_shape)
READ_MESSAGE(read_dim_labels, dim_labels, hlo_from_dim_labels)
READ_MESSAGE(read_padding, padding, hlo_from_padding)
READ_MESSAGE(read_origin, origin, hlo_from_origin)

/* XLA looks at the layouts of what is computed, and not at these. */
static bool read_constraints(const reading *in, hlo_attr *value, bool *given) {
    if (!hlo_node_int(in->node, HLO_F(HloInstructionProto, constrain_layout))) return true;
    in->r->takes_any_order = true;
    value->u.shapes = hlo_from_shapes(in->r, in->around, in->field);
    in->r->takes_any_order = false;
    *given = true;
    return value->u.shapes != NULL;
}

static bool read_window(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *node = value_node(in);
    if (!node) return true;
    value->u.window = hlo_from_window(in->r, node);
    *given = value->u.window->n || !in->row->always;
    return true;
}

static bool read_sparsity(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *node = value_node(in);
    if (!node) return true;
    value->u.sparsity = hlo_from_sparsity(in->r, node);
    *given = value->u.sparsity->lhs.given || value->u.sparsity->rhs.given;
    return true;
}

static bool read_groups(const reading *in, hlo_attr *value, bool *given) {
    if (in->field != HLO_F(HloInstructionProto, collective_device_list))
        return true; /* all at once */
    value->u.groups = hlo_from_groups(in->r, in->node);
    *given = true;
    return value->u.groups != NULL;
}

/* Entry and exit change places: see to_instr.c. */
static bool read_domain(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *entry =
        hlo_node_get(in->node, HLO_F(HloInstructionProto, domain_entry_sharding));
    const hlo_node *exit = hlo_node_get(in->node, HLO_F(HloInstructionProto, domain_exit_sharding));
    if (in->field != HLO_F(HloInstructionProto, domain_entry_sharding) || !entry || !exit)
        return true;
    hlo_domain *domain = HLO_NEW(arena_of(in), hlo_domain);
    domain->entry = hlo_from_sharding(in->r, exit);
    domain->exit = domain->entry ? hlo_from_sharding(in->r, entry) : NULL;
    value->u.domain = domain;
    *given = true;
    return domain->exit != NULL;
}

static bool read_sharding(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *node = value_node(in);
    if (!node) return true;
    value->u.sharding = hlo_from_sharding(in->r, node);
    *given = true;
    return value->u.sharding != NULL;
}

/* The nans of the literal, which was read before; they are no attribute of the program. */
static bool take_nans(const reading *in, const hlo_node *node, hlo_frontend *frontend) {
    for (uint32_t i = 0; i < frontend->n; i++) {
        if (!hlo_str_is(frontend->v[i].key, HLO_NANS_KEY)) continue;
        hlo_str text = frontend->v[i].value;
        frontend->n--;
        memmove(&frontend->v[i], &frontend->v[i + 1], (frontend->n - i) * sizeof frontend->v[0]);
        for (uint32_t k = 0; k < in->r->attrs.n; k++)
            if (in->r->attrs.v[k].id == HLO_ATTR_VALUE &&
                !hlo_nans_read(text, in->r->attrs.v[k].u.literal))
                return hlo_node_bad(in->r, node, HLO_RULE_ATTRIBUTE_VALUE,
                                    HLO_NANS_KEY " is not LEAF:INDEX=BITS, ...");
        return true;
    }
    return true;
}

static bool read_frontend(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *node = value_node(in);
    if (!node || !hlo_node_has(node, HLO_F(FrontendAttributes, map))) return true;
    hlo_frontend *frontend = hlo_from_frontend(in->r, node);
    if (!frontend) return false;
    value->u.frontend = frontend;
    if (in->draft->opcode == HLO_OP_CONSTANT && !take_nans(in, node, frontend)) return false;
    hlo_take_extensions(in->r, in->draft->opcode, frontend);
    *given = frontend->n != 0;
    return true;
}

static bool read_statistics(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *node = value_node(in);
    if (!node || !hlo_node_has(node, HLO_F(StatisticsViz, statistics))) return true;
    value->u.statistics = hlo_from_statistics(in->r, node);
    return *given = value->u.statistics != NULL;
}

static bool read_accuracy(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *node = value_node(in);
    if (!node) return true;
    value->u.accuracy = hlo_from_accuracy(in->r, node);
    if (!value->u.accuracy) return false;
    *given = value->u.accuracy->is_tolerance || value->u.accuracy->mode != 0;
    return true;
}

static bool read_metadata(const reading *in, hlo_attr *value, bool *given) {
    const hlo_node *node = value_node(in);
    if (!node) return true;
    hlo_metadata *metadata = hlo_from_metadata(in->r, node);
    if (metadata->stack_frame) hlo_list_push(&in->r->framed, metadata);
    value->u.metadata = metadata;
    *given = !hlo_metadata_is_empty(metadata);
    return true;
}

/* Most attributes are absent from most instructions: their forms are not asked then. */
static const struct {
    read_form *read;
    enum { READS_ANYWAY, NEEDS_FIELD, NEEDS_CONTENT } needs;
} forms[HLO_FORM_COUNT_OF_FORMS] = {
#define HLO_FORM(id, writer, reader, needs) [HLO_FORM_##id] = {reader, needs},
#include "proto/forms.def"
#undef HLO_FORM
};

/* Does a row whose field is absent, or an empty message, set nothing? */
static bool says_nothing(const hlo_attr_field *row, const hlo_node *message) {
    if (forms[row->form].needs == READS_ANYWAY) return false;
    const hlo_node *node = hlo_node_get(message, &hlo_fields[row->path[0]]);
    return !node || (forms[row->form].needs == NEEDS_CONTENT && hlo_node_is_empty(node));
}

static bool read_attrs(hlo_reader *r, const hlo_node *node, const hlo_draft *draft) {
    uint32_t n;
    const hlo_attr_field *const *rows = hlo_instr_fields(&r->fields, draft->opcode, &n);
    r->attrs.n = 0;
    r->back_edge = (hlo_str){0};
    for (uint32_t i = 0; i < n; i++) {
        if (!forms[rows[i]->form].read || says_nothing(rows[i], node)) continue;
        reading in = {r, node, rows[i], node, hlo_attr_field_of(rows[i]), draft};
        for (uint32_t d = 0; d + 1 < rows[i]->depth && in.around; d++)
            in.around = hlo_node_get(in.around, &hlo_fields[rows[i]->path[d]]);
        hlo_attr value = {.id = rows[i]->attr};
        bool given = false;
        if (!forms[rows[i]->form].read(&in, &value, &given)) return false;
        if (given) hlo_list_push(&r->attrs, value);
    }
    return true;
}

/* ---- name, operands, called computations ---- */

hlo_name *hlo_from_name(hlo_reader *r, hlo_str text) {
    if (!hlo_is_valid_name(text))
        return hlo_module_intern(r->module, hlo_valid_name(&r->module->arena, text));
    bool is_fetched = r->fetched.text == text.ptr && r->fetched.len == text.len;
    uint32_t hash = is_fetched ? r->fetched.hash : hlo_name_hash(text.ptr, text.len);
    return hlo_module_intern_hashed(r->module, hlo_reader_keep(r, text), hash);
}

static bool read_name(hlo_reader *r, const hlo_node *node, hlo_draft *draft) {
    const hlo_node *at = hlo_node_get(node, HLO_F(HloInstructionProto, name));
    if (!at || !at->u.text.len)
        return hlo_node_bad(r, node, HLO_RULE_MESSAGE, "an instruction requires a name");
    draft->name = hlo_from_name(r, at->u.text);
    if (r->has_lines) draft->at = (hlo_span){at->at, at->end};
    if (!draft->name->uses++) return true;
    return hlo_node_bad(r, at, HLO_RULE_DUPLICATE_NAME, "instruction '%.*s' is defined twice",
                        (int)(draft->name->len < 120 ? draft->name->len : 120), draft->name->ptr);
}

static bool read_opcode(hlo_reader *r, const hlo_node *node, hlo_draft *draft) {
    hlo_str text = hlo_node_text(node, HLO_F(HloInstructionProto, opcode));
    draft->opcode = hlo_op_from_text(text.ptr, text.len);
    if (draft->opcode != HLO_OP_COUNT) return true;
    const hlo_node *at = hlo_node_get(node, HLO_F(HloInstructionProto, opcode));
    hlo_node_bad(r, at ? at : node, HLO_RULE_UNKNOWN_OPCODE, "unknown opcode '%.*s'",
                 (int)(text.len < 80 ? text.len : 80), text.ptr);
    const hlo_nearest search = hlo_op_nearest(text.ptr, text.len);
    hlo_hint_nearest(r->diags, &search);
    return false;
}

static bool read_operands(hlo_reader *r, const hlo_node *node, hlo_draft *draft) {
    const hlo_proto_field *field = HLO_F(HloInstructionProto, operand_ids);
    size_t n = hlo_node_number_count(node, field);
    r->operands.n = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t id = hlo_node_number(node, field, i);
        hlo_instr *operand = hlo_id_map_find(&r->instrs, hlo_local_id(id));
        if (!operand)
            return hlo_node_bad(r, hlo_node_get(node, field), HLO_RULE_UNKNOWN_NAME,
                                "no earlier instruction of the computation has the id %lld",
                                (long long)id);
        hlo_list_push(&r->operands, operand);
    }
    draft->operands = r->operands.v;
    draft->operand_count = r->operands.n;
    return true;
}

static hlo_computation *called(hlo_reader *r, const hlo_node *node, uint32_t k) {
    const hlo_proto_field *field = HLO_F(HloInstructionProto, called_computation_ids);
    int64_t id = hlo_node_number(node, field, k);
    hlo_computation *c = hlo_id_map_find(&r->computations, id);
    if (!c)
        hlo_node_bad(r, hlo_node_get(node, field), HLO_RULE_UNKNOWN_NAME,
                     "no earlier computation has the id %lld", (long long)id);
    return c;
}

/* The attributes of an opcode that hold computations, in the order in which they are called. */
static uint32_t calling_attrs(const hlo_draft *draft, hlo_attr_id attrs[4]) {
    uint32_t n = 0;
    if (draft->opcode == HLO_OP_CONDITIONAL) {
        bool pred = draft->operand_count && draft->operands[0]->shape->type == HLO_PRED;
        attrs[n++] = pred ? HLO_ATTR_TRUE_COMPUTATION : HLO_ATTR_BRANCH_COMPUTATIONS;
        if (pred) attrs[n++] = HLO_ATTR_FALSE_COMPUTATION;
    } else if (draft->opcode == HLO_OP_CUSTOM_CALL) {
        attrs[n++] = HLO_ATTR_CALLED_COMPUTATIONS;
    } else if (draft->opcode == HLO_OP_WHILE) {
        attrs[n++] = HLO_ATTR_BODY;
        attrs[n++] = HLO_ATTR_CONDITION;
    } else {
        for (const uint16_t *a = hlo_ops[draft->opcode].attrs; *a != HLO_ATTR_COUNT && n < 4; a++)
            if (hlo_attr_table[*a & HLO_ATTR_MASK].kind == HLO_KIND_COMPUTATION &&
                !(*a & HLO_ATTR_DROPPED))
                attrs[n++] = (hlo_attr_id)(*a & HLO_ATTR_MASK);
    }
    return n;
}

static bool read_computation_list(hlo_reader *r, const hlo_node *node, hlo_attr_id id, uint32_t n) {
    hlo_computations *list =
        hlo_arena_alloc(&r->module->arena, sizeof *list + n * sizeof list->v[0]);
    list->n = n;
    for (uint32_t i = 0; i < n; i++)
        if (!(list->v[i] = called(r, node, i))) return false;
    hlo_attr value = {.id = (uint16_t)id, .u.computations = list};
    if (n) hlo_list_push(&r->attrs, value);
    return true;
}

static bool read_called(hlo_reader *r, const hlo_node *node, const hlo_draft *draft) {
    hlo_attr_id attrs[4];
    uint32_t wanted = calling_attrs(draft, attrs);
    uint32_t n =
        (uint32_t)hlo_node_number_count(node, HLO_F(HloInstructionProto, called_computation_ids));
    if (wanted == 1 && hlo_attr_table[attrs[0]].kind == HLO_KIND_COMPUTATIONS)
        return read_computation_list(r, node, attrs[0], n);
    if (n != wanted && wanted)
        return hlo_node_bad(r, node, HLO_RULE_MISSING_ATTRIBUTE,
                            "%s calls %u computations, %u are given", hlo_ops[draft->opcode].text,
                            wanted, n);
    for (uint32_t k = 0; k < wanted; k++) {
        hlo_attr value = {.id = (uint16_t)attrs[k], .u.computation = called(r, node, k)};
        if (!value.u.computation) return false;
        hlo_list_push(&r->attrs, value);
    }
    return true;
}

/* ---- the instruction ---- */

typedef struct {
    hlo_reader *r;
    const hlo_node *node;
} message;

/* At the whole message, whatever part is wrong. */
static void report(const hlo_draft *draft, hlo_rule rule, hlo_part part, const char *text) {
    const message *m = draft->context;
    (void)part;
    hlo_node_bad(m->r, m->node, rule, "%s", text);
}

static const hlo_draft_host host = {report, NULL};

static bool remember(hlo_reader *r, const hlo_node *node, hlo_instr *instr) {
    int64_t id = hlo_node_int(node, HLO_F(HloInstructionProto, id));
    instr->index = (uint32_t)hlo_local_id(id);
    hlo_read_instr read = {instr, hlo_local_id(id)};
    r->is_read_in_order &= !r->read.n || r->read.v[r->read.n - 1].id < read.id;
    hlo_list_push(&r->read, read);
    if (instr->opcode == HLO_OP_PARAMETER) hlo_list_push(&r->parameters, instr);
    if (r->back_edge.len) hlo_list_push(&r->back_edges, (hlo_read_back_edge){instr, r->back_edge});
    if (instr->opcode == HLO_OP_ASYNC_START) hlo_list_push(&r->async_starts, instr);
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT) hlo_form_inherit_origin(instr);
    const hlo_node *payload =
        hlo_node_get(node, HLO_F(HloInstructionProto, backend_config_payload));
    if (payload && hlo_node_has(payload, HLO_F(Payload, id))) {
        hlo_read_payload wanted = {instr, NULL, hlo_node_int(payload, HLO_F(Payload, id)),
                                   payload->at};
        hlo_list_push(&r->payloads, wanted);
    }
    if (id >= 0 && hlo_id_map_add(&r->instrs, read.id, instr)) return true;
    return hlo_node_bad(r, node, HLO_RULE_DUPLICATE_NAME,
                        id < 0 ? "the id %lld is negative"
                               : "another instruction of the computation has the id %lld",
                        (long long)id);
}

bool hlo_from_instr(hlo_reader *r, const hlo_node *node) {
    message context = {r, node};
    hlo_draft draft = {.computation = r->computation,
                       .origin = HLO_DRAFT_OF_MESSAGE,
                       .diags = r->diags,
                       .host = &host,
                       .context = &context};
    const hlo_node *shape = hlo_node_get(node, HLO_F(HloInstructionProto, shape));
    if (!read_opcode(r, node, &draft) || !read_name(r, node, &draft)) return false;
    if (!shape)
        return hlo_node_bad(r, node, HLO_RULE_SHAPE_REQUIRED, "an instruction requires a shape");
    draft.shape = hlo_from_shape(r, shape);
    if (!draft.shape || !read_operands(r, node, &draft) || !read_attrs(r, node, &draft) ||
        !read_called(r, node, &draft))
        return false;
    draft.attrs = r->attrs.v;
    draft.attr_count = r->attrs.n;
    draft.attr_capacity = r->attrs.capacity;
    hlo_instr *instr = hlo_form_make(&draft);
    return instr && remember(r, node, instr);
}
