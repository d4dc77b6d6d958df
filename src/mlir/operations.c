/* Actions for operations: scopes of values, blocks and regions, the results of an operation by the
 * types after its colon. */
#include "mlir/forms.h"

#include "base/text.h"

static hlo_mlir_open_op *current(hlo_mlir_parser *p) {
    HLO_ASSERT(p->open.n);
    return &p->open.v[p->open.n - 1];
}

static hlo_mlir_block *open_block(hlo_mlir_parser *p) {
    return p->blocks.n ? p->blocks.v[p->blocks.n - 1] : NULL;
}

/* ---- names of values ---- */

static uint32_t name_number(hlo_mlir_parser *p, hlo_str text) {
    uint32_t hash = (uint32_t)hlo_hash_bytes(text.ptr, text.len);
    hlo_hash_each (number, &p->value_names_by_hash, hash)
        if (hlo_str_equal(p->value_names.v[number - 1].text, text)) return number - 1;
    hlo_list_push(&p->value_names, (hlo_mlir_name){.text = text});
    hlo_hash_add(&p->value_names_by_hash, hash, p->value_names.n);
    return p->value_names.n - 1;
}

static void define(hlo_mlir_parser *p, hlo_str text, hlo_span at, hlo_mlir_value *first,
                   uint32_t count) {
    uint32_t number = name_number(p, text);
    hlo_mlir_name *name = &p->value_names.v[number];
    if (name->value) {
        hlo_mlir_error(p, HLO_RULE_DUPLICATE_NAME, at, "'%%%.*s' is defined twice", (int)text.len,
                       text.ptr);
        hlo_note(p->diags, p->source, (hlo_span){name->value->at, name->value->at + text.len + 1},
                 "it is defined here");
        return;
    }
    hlo_list_push(&p->shadowed, (hlo_mlir_shadowed){number, name->value, name->count});
    name->value = first;
    name->count = count;
}

/* `name#3` is the fourth of a group. */
static hlo_mlir_value *find(hlo_mlir_parser *p, hlo_str text, hlo_span at) {
    const char *hash = memchr(text.ptr, '#', text.len);
    hlo_str base = {text.ptr, hash ? (uint32_t)(hash - text.ptr) : text.len, 0};
    uint64_t index = 0;
    const char *digits = hash ? hash + 1 : NULL;
    if (hash && !hlo_digits(&digits, text.ptr + text.len, UINT32_MAX, &index)) index = UINT32_MAX;
    uint32_t number = name_number(p, base); /* which may move the names */
    const hlo_mlir_name *name = &p->value_names.v[number];
    if (!name->value) {
        hlo_mlir_error(p, HLO_RULE_UNKNOWN_NAME, at, "nothing defines '%%%.*s' before",
                       (int)base.len, base.ptr);
        hlo_nearest search = hlo_nearest_to(base.ptr, base.len);
        for (uint32_t i = 0; i < p->value_names.n; i++)
            if (p->value_names.v[i].value)
                hlo_nearest_try(&search, p->value_names.v[i].text.ptr, p->value_names.v[i].text.len,
                                false);
        hlo_hint_nearest(p->diags, &search);
        return NULL;
    }
    if (index >= name->count) {
        hlo_mlir_error(p, HLO_RULE_UNKNOWN_NAME, at, "'%%%.*s' has %u results, numbered from 0",
                       (int)base.len, base.ptr, name->count);
        return NULL;
    }
    return name->value + index;
}

void hlo_mlir_push_operand(hlo_mlir_parser *p, hlo_str name, hlo_span at) {
    hlo_mlir_value *value = find(p, name, at);
    if (!value) return;
    hlo_list_push(&p->operands, value);
    hlo_list_push(&p->operand_places, at);
}

/* ---- parts of the open operation ---- */

void hlo_mlir_begin_op(hlo_mlir_parser *p, hlo_str name, hlo_span at) {
    if (hlo_str_is(name, "return")) name = HLO_STR("func.return");
    if (hlo_str_is(name, "call")) name = HLO_STR("func.call");
    hlo_mlir_begin_op_as(p, hlo_mlir_op_from_name(name), name, at);
}

void hlo_mlir_begin_op_as(hlo_mlir_parser *p, hlo_mlir_op_id id, hlo_str name, hlo_span at) {
    hlo_mlir_open_op op = {.name = name,
                           .id = id,
                           .at = at,
                           .block = open_block(p),
                           .items = p->items.n,
                           .operands = p->operands.n,
                           .attrs = p->attrs.n,
                           .regions = p->regions.n,
                           .types = p->types.n,
                           .arguments = p->arguments.n,
                           .argument_attrs = p->argument_attrs.n,
                           .result_attrs = p->result_attrs.n,
                           .names = p->names_taken,
                           .names_end = p->names.n};
    p->names_taken = p->names.n;
    hlo_list_push(&p->open, op);
}

void hlo_mlir_push_item(hlo_mlir_parser *p, hlo_mlir_item item) {
    hlo_list_push(&p->items, item);
}

void hlo_mlir_push_attr_item(hlo_mlir_parser *p, const hlo_mlir_attr *attr) {
    hlo_list_push(&p->items,
                  (hlo_mlir_item){.kind = HLO_MLIR_ITEM_ATTR, .at = attr->at, .attr = attr});
}

void hlo_mlir_add_attr(hlo_mlir_parser *p, hlo_str key, const hlo_mlir_attr *value, hlo_span at) {
    enum { MOST = 10000 }; /* each is compared with all before it */
    if (p->attrs.n - current(p)->attrs >= MOST) {
        hlo_mlir_error(p, HLO_RULE_SYNTAX, at, "the operation has more than %d attributes", MOST);
        return;
    }
    for (uint32_t i = current(p)->attrs; i < p->attrs.n; i++) {
        if (!hlo_str_equal(p->attrs.v[i].key, key)) continue;
        hlo_mlir_error(p, HLO_RULE_DUPLICATE_ATTRIBUTE, at, "the attribute '%.*s' is given twice",
                       (int)key.len, key.ptr);
        return;
    }
    hlo_list_push(&p->attrs, (hlo_mlir_named){key, value, at.lo});
}

void hlo_mlir_add_attrs(hlo_mlir_parser *p, const hlo_mlir_attr *dict) {
    if (!dict || p->failed) return;
    if (dict->kind != HLO_MLIR_DICT) {
        hlo_mlir_error(p, HLO_RULE_SYNTAX, dict->at, "attributes of an operation have names");
        return;
    }
    for (uint32_t i = 0; i < dict->list.n && !p->failed; i++) {
        hlo_mlir_named entry = dict->list.v[i];
        hlo_mlir_add_attr(p, entry.key, entry.value,
                          (hlo_span){entry.at, entry.at + entry.key.len});
    }
}

void hlo_mlir_push_braces(hlo_mlir_parser *p, const hlo_mlir_attr *braces) {
    if (p->failed) return;
    hlo_mlir_open_op *open = &p->open.v[p->open.n - 1];
    bool begins = open->id != HLO_MLIR_OP_COUNT && p->items.n == open->items &&
                  *hlo_mlir_ops[open->id].words == ':';
    if (begins && (braces->kind == HLO_MLIR_LIST || !braces->list.n)) {
        hlo_mlir_push_attr_item(p, braces);
        return;
    }
    if (open->has_dict)
        hlo_mlir_error(p, HLO_RULE_SYNTAX, braces->at, "the attributes of '%.*s' are given twice",
                       (int)open->name.len, open->name.ptr);
    open->has_dict = true;
    hlo_mlir_add_attrs(p, braces);
}

/* ---- regions ---- */

static bool is_too_deep(hlo_mlir_parser *p) {
    if (p->scopes.n < HLO_MLIR_MOST_NESTED) return false;
    hlo_mlir_error(p, HLO_RULE_NESTING, p->token_at, "regions nest too deep");
    return true;
}

void hlo_mlir_begin_region(hlo_mlir_parser *p) {
    if (is_too_deep(p)) return;
    hlo_mlir_region *region = HLO_NEW(p->arena, hlo_mlir_region);
    hlo_list_push(&p->regions, region);
    hlo_list_push(&p->scopes, p->shadowed.n);
    hlo_list_push(&p->blocks, NULL); /* until a block begins */
}

void hlo_mlir_end_region(hlo_mlir_parser *p) {
    uint32_t kept = hlo_list_pop(&p->scopes);
    while (p->shadowed.n > kept) {
        hlo_mlir_shadowed last = hlo_list_pop(&p->shadowed);
        p->value_names.v[last.name].value = last.value;
        p->value_names.v[last.name].count = last.count;
    }
    (void)hlo_list_pop(&p->blocks);
}

void hlo_mlir_push_argument(hlo_mlir_parser *p, hlo_str name, hlo_span at,
                            const hlo_mlir_type *type, const hlo_mlir_location *location) {
    hlo_list_push(&p->arguments,
                  (hlo_mlir_value){.type = type, .name = name, .at = at.lo, .location = location});
}

/* The arguments that are waiting, which are those of the operation whose region this is. */
void hlo_mlir_begin_block(hlo_mlir_parser *p) {
    hlo_mlir_region *region = p->regions.v[p->regions.n - 1];
    uint32_t base = p->open.n ? current(p)->arguments : 0, n = p->arguments.n - base;
    hlo_mlir_block *block = hlo_mlir_block_new(p->module, region, n);
    for (uint32_t i = 0; i < n; i++) {
        hlo_mlir_value *made = &block->arguments[i];
        const hlo_mlir_value *read = &p->arguments.v[base + i];
        made->type = read->type;
        made->name = read->name;
        made->at = read->at;
        made->location = read->location;
        if (read->name.len)
            define(p, read->name, (hlo_span){read->at, read->at + read->name.len + 1}, made, 1);
    }
    p->arguments.n = base;
    p->blocks.v[p->blocks.n - 1] = block;
}

/* ---- results ---- */

static const char *plural(uint32_t n) {
    return n == 1 ? "" : "s";
}

/* Names of results stand before the operation; without them results have no names. */
static void name_results(hlo_mlir_parser *p, const hlo_mlir_open_op *open, hlo_mlir_op *op) {
    uint32_t named = 0;
    for (uint32_t i = open->names; i < open->names_end; i++) named += p->names.v[i].count;
    if (named == 0) return;
    if (named != op->result_count) {
        hlo_mlir_error(p, HLO_RULE_RESULT_FORM, open->at,
                       "'%.*s' has %u result%s, and %u name%s stand%s before it",
                       (int)open->name.len, open->name.ptr, op->result_count,
                       plural(op->result_count), named, plural(named), named == 1 ? "s" : "");
        return;
    }
    uint32_t at = 0;
    for (uint32_t i = open->names; i < open->names_end; i++) {
        hlo_mlir_result_name name = p->names.v[i];
        for (uint32_t k = 0; k < name.count; k++) {
            op->results[at + k].name = name.text;
            op->results[at + k].at = name.at;
        }
        define(p, name.text, (hlo_span){name.at, name.at + name.text.len + 1}, &op->results[at],
               name.count);
        at += name.count;
    }
}

/* With an arrow the types before it are those of the operands. */
static bool check_operand_types(hlo_mlir_parser *p, const hlo_mlir_open_op *open,
                                const hlo_mlir_type *const *types, uint32_t n) {
    uint32_t count = p->operands.n - open->operands;
    if (n != count) {
        hlo_mlir_error(p, HLO_RULE_OPERAND_COUNT, open->at,
                       "'%.*s' has %u operand%s and %u type%s of operands", (int)open->name.len,
                       open->name.ptr, count, plural(count), n, plural(n));
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_value *value = p->operands.v[open->operands + i];
        if (value->type == types[i]) continue;
        hlo_mlir_error(p, HLO_RULE_OPERAND_SHAPE, p->operand_places.v[open->operands + i],
                       "this value is a %.*s; the operation takes it as a %.*s",
                       (int)value->type->text.len, value->type->text.ptr, (int)types[i]->text.len,
                       types[i]->text.ptr);
        return false;
    }
    return true;
}

/* Without an arrow an operation of one result has one type, a select that of its predicate too. */
static bool check_type_count(hlo_mlir_parser *p, const hlo_mlir_open_op *open, uint32_t n) {
    if (open->id == HLO_MLIR_OP_COUNT || hlo_mlir_ops[open->id].results != HLO_MLIR_RESULTS_ONE)
        return true;
    uint32_t wanted = open->id == HLO_MLIR_OP_STABLEHLO_SELECT ? 2 : 1;
    if (n == wanted) return true;
    hlo_mlir_error(p, HLO_RULE_SYNTAX, open->at,
                   "'%.*s' has %u type%s after its colon; without an arrow it has %u",
                   (int)open->name.len, open->name.ptr, n, plural(n), wanted);
    return false;
}

/* The state of random numbers, whose type the text leaves out. */
static bool push_state_type(hlo_mlir_parser *p, uint32_t *first, uint32_t *count) {
    static const int64_t words = 2;
    hlo_mlir_type state = {.kind = HLO_MLIR_TENSOR, .element = HLO_U64, .rank = 1, .dims = &words};
    hlo_list_push(&p->types, hlo_mlir_type_of(p->module, &state));
    *first = p->types.n - 1;
    *count = 1;
    return true;
}

/* Which of the types after the colon are results: where the list begins, and how many. */
static bool find_results(hlo_mlir_parser *p, const hlo_mlir_open_op *open, hlo_mlir_signature types,
                         uint32_t *first, uint32_t *count) {
    uint32_t n = p->types.n - types.base;
    *first = p->types.n;
    *count = 0;
    bool has_row = open->id != HLO_MLIR_OP_COUNT;
    if (!types.is_given && has_row && hlo_mlir_ops[open->id].types == HLO_MLIR_TYPES_STATE)
        return push_state_type(p, first, count);
    if (!types.is_given) return true;
    if (types.results >= 0) {
        *count = (uint32_t)types.results;
        *first = p->types.n - *count;
        return check_operand_types(p, open, p->types.v + types.base, n - *count);
    }
    switch (has_row ? hlo_mlir_ops[open->id].results : HLO_MLIR_RESULTS_ALL) {
    case HLO_MLIR_RESULTS_NONE: return check_operand_types(p, open, p->types.v + types.base, n);
    case HLO_MLIR_RESULTS_ALL: *count = n; break;
    case HLO_MLIR_RESULTS_ONE: *count = n ? 1 : 0; break;
    }
    *first = p->types.n - *count;
    return check_type_count(p, open, n);
}

static hlo_mlir_op *make_op(hlo_mlir_parser *p, const hlo_mlir_open_op *open,
                            const hlo_mlir_type *const *types, uint32_t results,
                            const hlo_mlir_location *location) {
    uint32_t operands = p->operands.n - open->operands, attrs = p->attrs.n - open->attrs;
    uint32_t regions = p->regions.n - open->regions;
    hlo_mlir_op *op = hlo_mlir_op_new_as(p->module, open->block, NULL, open->id, open->name,
                                         operands, results, attrs, regions);
    op->at = open->at;
    op->location = location ? location : hlo_mlir_implicit_location(p, open->at.lo);
    for (uint32_t i = 0; i < operands; i++)
        hlo_mlir_set_operand(op, i, p->operands.v[open->operands + i]);
    for (uint32_t i = 0; i < results; i++) op->results[i].type = types[i];
    if (attrs) memcpy(op->attrs, p->attrs.v + open->attrs, attrs * sizeof *op->attrs);
    for (uint32_t i = 0; i < regions; i++) {
        op->regions[i] = *p->regions.v[open->regions + i];
        op->regions[i].op = op;
        for (hlo_mlir_block *b = op->regions[i].first; b; b = b->next) b->region = &op->regions[i];
    }
    return op;
}

void hlo_mlir_end_op(hlo_mlir_parser *p, hlo_mlir_signature types,
                     const hlo_mlir_location *location) {
    if (p->failed) return;
    hlo_mlir_open_op open = hlo_list_pop(&p->open);
    uint32_t first, count;
    if (!find_results(p, &open, types, &first, &count)) return;
    hlo_mlir_op *op = make_op(p, &open, p->types.v + first, count, location);
    p->operands.n = p->operand_places.n = open.operands;
    p->attrs.n = open.attrs;
    p->regions.n = open.regions;
    p->types.n = open.types;
    p->argument_attrs.n = open.argument_attrs;
    p->result_attrs.n = open.result_attrs;
    name_results(p, &open, op);
    p->names.n = p->names_taken = open.names;
    if (!open.block) hlo_list_push(&p->outermost, op);
}

/* ---- forms of single operations ---- */

/* The type of a constant without one: that of its number. */
static const hlo_mlir_type *constant_type(hlo_mlir_parser *p, const hlo_mlir_attr *value) {
    if (value->type) return value->type;
    hlo_type type = value->kind == HLO_MLIR_FLOAT ? HLO_F64 : HLO_S64;
    return hlo_mlir_type_of(p->module, &(hlo_mlir_type){.kind = HLO_MLIR_SCALAR, .element = type});
}

void hlo_mlir_end_constant(hlo_mlir_parser *p, const hlo_mlir_attr *value,
                           const hlo_mlir_location *location) {
    if (p->failed) return;
    hlo_mlir_add_attr(p, HLO_STR("value"), value, value->at);
    hlo_mlir_signature types = {p->types.n, -1, true};
    hlo_list_push(&p->types, constant_type(p, value));
    hlo_mlir_end_op(p, types, location);
}

/* %argument = %value of a loop: the argument's type is known after the colon. */
void hlo_mlir_push_loop_value(hlo_mlir_parser *p, hlo_mlir_result_name argument, hlo_str value,
                              hlo_span at) {
    hlo_mlir_push_argument(p, argument.text, (hlo_span){argument.at, argument.at}, NULL, NULL);
    hlo_mlir_push_operand(p, value, at);
}

void hlo_mlir_loop_types(hlo_mlir_parser *p, uint32_t base) {
    const hlo_mlir_open_op *open = current(p);
    uint32_t n = p->types.n - base;
    if (!check_operand_types(p, open, p->types.v + base, n)) return;
    for (uint32_t i = 0; i < n; i++)
        p->arguments.v[open->arguments + i].type = p->types.v[base + i];
    /* both regions have them */
    for (uint32_t i = 0; i < n; i++)
        hlo_list_push(&p->loop_arguments, p->arguments.v[open->arguments + i]);
    p->arguments.n = open->arguments;
}

void hlo_mlir_loop_arguments(hlo_mlir_parser *p) {
    uint32_t n = p->operands.n - current(p)->operands, base = p->loop_arguments.n - n;
    for (uint32_t i = 0; i < n; i++) hlo_list_push(&p->arguments, p->loop_arguments.v[base + i]);
}

void hlo_mlir_end_loop(hlo_mlir_parser *p, const hlo_mlir_location *location) {
    if (p->failed) return;
    uint32_t n = p->operands.n - current(p)->operands, base = p->types.n;
    p->loop_arguments.n -= n;
    for (uint32_t i = 0; i < n; i++)
        hlo_list_push(&p->types, p->operands.v[current(p)->operands + i]->type);
    hlo_mlir_end_op(p, (hlo_mlir_signature){base, -1, true}, location);
}

void hlo_mlir_expect_word(hlo_mlir_parser *p, hlo_str word, hlo_span at, const char *wanted) {
    if (!hlo_str_is(word, wanted))
        hlo_mlir_error(p, HLO_RULE_SYNTAX, at, "expected '%s' here", wanted);
}

static void add_segments(hlo_mlir_parser *p, const char *key, int64_t first, int64_t second) {
    int64_t *v = HLO_NEW_ARRAY(p->arena, int64_t, 2), count = 2;
    hlo_mlir_type type = {.kind = HLO_MLIR_TENSOR, .element = HLO_S32, .rank = 1, .dims = &count};
    hlo_span at = current(p)->at;
    hlo_mlir_attr *attr = hlo_mlir_attr_new(p, HLO_MLIR_INTS, at);
    v[0] = first;
    v[1] = second;
    attr->type = hlo_mlir_type_of(p->module, &type);
    attr->u.ints.n = 2;
    attr->u.ints.v = v;
    hlo_mlir_add_attr(p, hlo_str_from(key), attr, at);
}

void hlo_mlir_end_scan(hlo_mlir_parser *p, uint32_t inputs, hlo_mlir_signature types,
                       const hlo_mlir_location *location) {
    if (p->failed) return;
    int64_t carries = p->operands.n - inputs, first = inputs - current(p)->operands;
    if (types.results < carries) {
        hlo_mlir_error(
            p, HLO_RULE_RESULT_FORM, current(p)->at,
            "'mhlo.scan' has a result for each of its inits, and those of outputs before");
        return;
    }
    add_segments(p, "operandSegmentSizes", first, carries);
    add_segments(p, "resultSegmentSizes", types.results - carries, carries);
    hlo_mlir_end_op(p, types, location);
}

/* (%input init: %value): inputs come first, then the values. */
void hlo_mlir_push_reduce_pair(hlo_mlir_parser *p, hlo_str input, hlo_span input_at, hlo_str init,
                               hlo_span init_at) {
    hlo_mlir_push_operand(p, input, input_at);
    if (!p->failed) hlo_mlir_push_operand(p, init, init_at);
}

static void order_pairs(hlo_mlir_parser *p) {
    uint32_t base = current(p)->operands, n = p->operands.n - base, half = n / 2;
    for (uint32_t i = 0; i < n; i++) {
        hlo_list_push(&p->operands, p->operands.v[base + i]);
        hlo_list_push(&p->operand_places, p->operand_places.v[base + i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = base + (i % 2 ? half + i / 2 : i / 2);
        p->operands.v[to] = p->operands.v[base + n + i];
        p->operand_places.v[to] = p->operand_places.v[base + n + i];
    }
    p->operands.n = p->operand_places.n = base + n;
}

void hlo_mlir_add_dimensions(hlo_mlir_parser *p, hlo_str word, hlo_span at,
                             const hlo_mlir_attr *list) {
    if (!hlo_str_is(word, "dimensions"))
        hlo_mlir_error(p, HLO_RULE_SYNTAX, at, "expected 'dimensions ='");
    else hlo_mlir_add_attr(p, word, list, at);
    order_pairs(p);
}

void hlo_mlir_order_reducer_arguments(hlo_mlir_parser *p) {
    uint32_t base = current(p)->arguments, n = p->arguments.n - base, half = n / 2;
    for (uint32_t i = 0; i < n; i++) hlo_list_push(&p->arguments, p->arguments.v[base + i]);
    for (uint32_t i = 0; i < n; i++)
        p->arguments.v[base + (i % 2 ? half + i / 2 : i / 2)] = p->arguments.v[base + n + i];
    p->arguments.n = base + n;
}

static const hlo_mlir_type *element_tensor(hlo_mlir_parser *p, const hlo_mlir_type *of) {
    hlo_mlir_type type = {.kind = HLO_MLIR_TENSOR, .element = of->element, .other = of->other};
    return hlo_mlir_type_of(p->module, &type);
}

void hlo_mlir_add_reducer(hlo_mlir_parser *p, hlo_str name, hlo_span at, hlo_mlir_signature types,
                          const hlo_mlir_location *location) {
    const hlo_mlir_open_op *open = current(p);
    uint32_t n = p->operands.n - open->operands;
    if (p->failed) return;
    if (n != 2 || p->operands.v[open->operands]->type->kind != HLO_MLIR_TENSOR ||
        hlo_mlir_op_from_name(name) == HLO_MLIR_OP_COUNT) {
        if (n != 2)
            hlo_mlir_error(p, HLO_RULE_SYNTAX, at, "a reduction of several arrays has a region");
        else hlo_mlir_unknown_operation(p, name, at);
        return;
    }
    const hlo_mlir_type *in = element_tensor(p, p->operands.v[open->operands + 1]->type), *out = in;
    if (types.results == 1 && p->types.v[p->types.n - 1]->kind == HLO_MLIR_TENSOR)
        out = element_tensor(p, p->types.v[p->types.n - 1]);
    in = out;
    hlo_mlir_region *region = HLO_NEW(p->arena, hlo_mlir_region);
    hlo_mlir_block *block = hlo_mlir_block_new(p->module, region, 2);
    hlo_mlir_op *apply = hlo_mlir_op_new(p->module, block, NULL, name, 2, 1, 0, 0);
    apply->at = at;
    apply->location = location;
    apply->results[0].type = out;
    for (uint32_t i = 0; i < 2; i++) {
        block->arguments[i].type = in;
        block->arguments[i].at = at.lo;
        block->arguments[i].location = location;
        hlo_mlir_set_operand(apply, i, &block->arguments[i]);
    }
    hlo_mlir_op *end =
        hlo_mlir_op_new(p->module, block, NULL, HLO_STR("stablehlo.return"), 1, 0, 0, 0);
    end->at = at;
    end->location = location;
    hlo_mlir_set_operand(end, 0, &apply->results[0]);
    hlo_list_push(&p->regions, region);
}

/* ---- functions ---- */

void hlo_mlir_push_function_argument(hlo_mlir_parser *p, hlo_str name, hlo_span at,
                                     const hlo_mlir_type *type, const hlo_mlir_attr *attrs,
                                     const hlo_mlir_location *location) {
    hlo_mlir_push_argument(p, name, at, type, location);
    hlo_list_push(&p->types, type);
    hlo_list_push(&p->argument_attrs, attrs);
}

void hlo_mlir_push_function_result(hlo_mlir_parser *p, const hlo_mlir_type *type,
                                   const hlo_mlir_attr *attrs) {
    hlo_list_push(&p->types, type);
    hlo_list_push(&p->result_attrs, attrs);
}

/* A list of dictionaries, one for each argument or result, if one has attributes. */
static void add_attr_list(hlo_mlir_parser *p, hlo_str key, const hlo_mlir_attr *const *attrs,
                          uint32_t n, hlo_span at) {
    bool any = false;
    for (uint32_t i = 0; i < n; i++) any |= attrs[i] != NULL;
    if (!any) return;
    uint32_t base = p->named.n;
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_attr *dict =
            attrs[i] ? attrs[i]
                     : hlo_mlir_list_attr(p, HLO_MLIR_DICT, at, '{', (hlo_str){0}, p->named.n);
        hlo_mlir_push_named(p, (hlo_str){0}, dict, dict->at);
    }
    hlo_mlir_add_attr(p, key, hlo_mlir_list_attr(p, HLO_MLIR_LIST, at, '[', (hlo_str){0}, base),
                      at);
}

void hlo_mlir_end_function(hlo_mlir_parser *p, hlo_str name, hlo_span at, uint32_t results,
                           const hlo_mlir_location *location) {
    if (p->failed) return;
    const hlo_mlir_open_op *open = current(p);
    uint32_t base = open->types;
    hlo_mlir_type type = {.kind = HLO_MLIR_FUNCTION,
                          .element = HLO_TYPE_COUNT,
                          .part_count = p->types.n - base,
                          .inputs = results - base,
                          .parts = p->types.v + base};
    hlo_mlir_add_attr(p, HLO_STR("sym_name"), hlo_mlir_text_attr(p, HLO_MLIR_STRING, at, name), at);
    hlo_mlir_add_attr(p, HLO_STR("function_type"),
                      hlo_mlir_type_attr(p, at, hlo_mlir_type_of(p->module, &type)), at);
    add_attr_list(p, HLO_STR("arg_attrs"), p->argument_attrs.v + open->argument_attrs,
                  p->argument_attrs.n - open->argument_attrs, at);
    add_attr_list(p, HLO_STR("res_attrs"), p->result_attrs.v + open->result_attrs,
                  p->result_attrs.n - open->result_attrs, at);
    p->arguments.n = open->arguments;
    p->types.n = base;
    hlo_mlir_end_op(p, (hlo_mlir_signature){.base = base, .results = -1}, location);
}

/* ---- the whole ---- */

void hlo_mlir_end_file(hlo_mlir_parser *p) {
    if (p->failed) return;
    for (uint32_t i = 0; i < p->aliases.n; i++)
        if (!p->aliases.v[i].is_defined) {
            hlo_str name = p->aliases.v[i].text;
            uint32_t at = p->aliases.v[i].used_at;
            hlo_mlir_error(p, HLO_RULE_UNKNOWN_NAME, (hlo_span){at, at + name.len},
                           "no alias '%.*s' is defined", (int)name.len, name.ptr);
            return;
        }
    for (uint32_t i = 0; i < p->resources.n; i++)
        if (!p->resources.v[i]->literal) {
            hlo_str name = hlo_mlir_text_of(p->resources.v[i]);
            hlo_mlir_error(p, HLO_RULE_UNKNOWN_NAME, p->resources.v[i]->at,
                           "the file has no resource '%.*s'", (int)name.len, name.ptr);
            return;
        }
    if (p->outermost.n == 1 && p->outermost.v[0]->id == HLO_MLIR_OP_BUILTIN_MODULE) {
        p->module->root = p->outermost.v[0];
        return;
    }
    hlo_mlir_op *root =
        hlo_mlir_op_new(p->module, NULL, NULL, HLO_STR("builtin.module"), 0, 0, 0, 1);
    hlo_mlir_block *block = hlo_mlir_block_new(p->module, &root->regions[0], 0);
    for (uint32_t i = 0; i < p->outermost.n; i++) hlo_mlir_append(p->outermost.v[i], block);
    p->module->root = root;
}
