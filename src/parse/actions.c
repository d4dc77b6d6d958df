/* What the grammar does as computations and instructions begin and end: scopes of names, operands
 * on stacks, roots. */
#include "base/text.h"
#include "form/form.h"
#include "parse/back_edges.h"
#include "parse/suggest.h"

#include <stdio.h>

const hlo_instr hlo_poison = {.opcode = HLO_OP_PARAMETER};

static int shown(const hlo_name *name) {
    return (int)(name->len > 120 ? 120 : name->len);
}

/* ---- names ---- */

hlo_instr *hlo_find_instr(hlo_parser *p, const hlo_name *name) {
    return name->scope == hlo_scope_now(p)->number ? name->bound : NULL;
}

/* In a nested body the outer meaning of a name comes back when the body ends. */
void hlo_bind_instr(hlo_parser *p, hlo_name *name, hlo_instr *instr) {
    HLO_ASSERT(p->stacks.scopes.n > 0);
    if (p->stacks.scopes.n > 1) {
        hlo_shadowed old = {name, name->scope, name->bound};
        hlo_list_push(&p->stacks.shadowed, old);
    }
    name->scope = hlo_scope_now(p)->number;
    name->bound = instr;
}

static bool is_reserved(const hlo_name *name) {
    if (name->len >= 2 && name->ptr[0] == '_' && name->ptr[1] == '_')
        return name->len < 6 || memcmp(name->ptr, "__xla_", 6) != 0;
    return name->len <= 13 && name->ptr[0] != 'r' &&
           hlo_type_from_text(name->ptr, name->len) != HLO_TYPE_COUNT;
}

static void check_name(hlo_parser *p, const hlo_name *name, hlo_span at) {
    const hlo_instr *first = hlo_find_instr(p, name);
    if (first) {
        hlo_parse_error(p, HLO_RULE_DUPLICATE_NAME, at, "instruction '%.*s' is defined twice",
                        shown(name), name->ptr);
        if (first != &hlo_poison) hlo_note(p->diags, p->source, first->at, "it was defined here");
    } else if (is_reserved(name)) {
        hlo_parse_error(p, HLO_RULE_RESERVED_NAME, at,
                        "'%.*s' cannot be the name of an instruction", shown(name), name->ptr);
        hlo_hint(p->diags, "call it '%s%.*s%s'", name->ptr[0] == '_' ? "a" : "",
                 shown(name) - (name->ptr[0] == '_'), name->ptr + (name->ptr[0] == '_'),
                 name->ptr[0] == '_' ? "" : "_");
    }
}

/* One error for all uses of a name, and none where a broken statement may have defined it. */
bool hlo_unknown_instruction(hlo_parser *p, hlo_name *name, hlo_span at) {
    const hlo_scope *scope = hlo_scope_now(p);
    if (scope->lost_names || name->scope == scope->number) return false;
    hlo_parse_error(p, HLO_RULE_UNKNOWN_NAME, at, "no earlier instruction is named '%.*s'",
                    shown(name), name->ptr);
    if (p->made.is_single)
        hlo_hint(p->diags,
                 "in the text of a single instruction, each operand is preceded by its shape");
    else if (p->made.is_bare)
        hlo_hint(p->diags,
                 "to define it as a parameter, add a line `%.*s = SHAPE parameter(N)` before these",
                 shown(name), name->ptr);
    else hlo_suggest_instruction(p, name, at);
    hlo_bind_instr(p, name, NULL);
    return true;
}

hlo_computation *hlo_find_computation(hlo_parser *p, hlo_name *name, hlo_span at) {
    if (!name->computation && !p->recovery.lost_computations) {
        hlo_parse_error(p, HLO_RULE_UNKNOWN_NAME, at, "no earlier computation is named '%.*s'",
                        shown(name), name->ptr);
        hlo_suggest_computation(p, name);
        name->computation = p->recovery.missing;
    }
    bool known =
        name->computation != p->recovery.broken && name->computation != p->recovery.missing;
    return known ? name->computation : NULL;
}

/* Notes one more instruction of that name: only when some name would change are names made unique.
 */
void hlo_count_name(hlo_parser *p, hlo_name *name) {
    if (name->uses++) {
        p->made.names_clash = true;
        return;
    }
    hlo_name_form form = hlo_name_form_of(name);
    if (form == HLO_NAME_RESPELT) p->made.names_clash = true;
    if (form == HLO_NAME_DOT_ZERO) hlo_list_push(&p->made.dot_zero, name);
}

/* ---- computations ---- */

static void push_scope(hlo_parser *p, hlo_name *name, hlo_span at, bool entry) {
    hlo_computation *c = hlo_computation_new(p->module, name);
    c->at = at;
    hlo_scope scope = {.computation = c,
                       .number = ++p->made.next_scope,
                       .shadowed_base = p->stacks.shadowed.n,
                       .pending_base = p->stacks.pending.n,
                       .parameter_base = p->stacks.parameters.n,
                       .forward_base = p->stacks.forward.n,
                       .name = name,
                       .name_at = at,
                       .is_entry = entry,
                       .errors = p->diags->errors};
    hlo_list_push(&p->stacks.scopes, scope);
}

void hlo_begin_computation(hlo_parser *p, const hlo_span *entry, hlo_name *name, hlo_span at) {
    HLO_ASSERT(p->stacks.pending.n == 0 || p->stacks.scopes.n > 0);
    p->stacks.pending.n = p->stacks.operands.n = p->stacks.attrs.n =
        0; /* of a broken computation before */
    p->stacks.scopes.n = p->stacks.shadowed.n = p->stacks.parameters.n = 0;
    p->stacks.forward.n = 0;
    p->stacks.pointers.n = p->stacks.ints.n = 0;
    if (name->computation && name->computation != p->recovery.missing) {
        hlo_parse_error(p, HLO_RULE_DUPLICATE_NAME, at, "computation '%.*s' is defined twice",
                        shown(name), name->ptr);
        if (name->computation != p->recovery.broken)
            hlo_note(p->diags, p->source, name->computation->at, "it was defined here");
    }
    if (entry && p->made.has_entry)
        hlo_parse_error(p, HLO_RULE_ENTRY, *entry,
                        "a module has one entry computation; this is a second one");
    p->made.has_entry |= entry != NULL;
    push_scope(p, name, at, entry != NULL);
}

void hlo_begin_nested_body(hlo_parser *p, hlo_span at) {
    p->frames.out_of_order = true;
    push_scope(p, hlo_module_intern(p->module, HLO_STR("_")), at, false);
    hlo_scope_now(p)->is_nested = true;
}

void hlo_set_result(hlo_parser *p, const hlo_shape *result, hlo_span at) {
    hlo_scope_now(p)->result = result;
    hlo_scope_now(p)->result_at = at;
}

static void restore_names(hlo_parser *p, const hlo_scope *scope) {
    HLO_ASSERT(p->stacks.shadowed.n >= scope->shadowed_base);
    while (p->stacks.shadowed.n > scope->shadowed_base) {
        const hlo_shadowed *old = &p->stacks.shadowed.v[--p->stacks.shadowed.n];
        old->name->scope = old->scope;
        old->name->bound = old->bound;
    }
}

/* Module order is the order in which bodies end. */
static void move_to_end(hlo_parser *p, hlo_computation *c) {
    HLO_ASSERT(c->prev ? c->prev->next == c : p->module->first == c);
    if (c->next) {
        hlo_computation_remove(c);
        c->prev = p->module->last;
        p->module->last->next = c;
        p->module->last = c;
        p->module->computation_count++;
    }
    c->id = p->made.closed++;
}

/* The place of a parameter's number, or of its name in a single instruction, which numbers them
 * itself. */
static hlo_span number_at(const hlo_parser *p, const hlo_instr *parameter) {
    uint32_t at = hlo_instr_attr(parameter, HLO_ATTR_PARAMETER_NUMBER)->at, end = at;
    while (hlo_is_digit(p->scan.begin[end])) end++;
    return at ? (hlo_span){at, end} : parameter->at;
}

static void repeated_number(hlo_parser *p, const hlo_instr *first, const hlo_instr *second) {
    hlo_parse_error(p, HLO_RULE_PARAMETER_NUMBERS, number_at(p, second),
                    "this computation has a parameter %lld already",
                    (long long)hlo_attr_int(second, HLO_ATTR_PARAMETER_NUMBER));
    hlo_note(p->diags, p->source, first->at, "it is here");
    hlo_note_after(p, number_at(p, second).hi);
}

static void missing_number(hlo_parser *p, const hlo_scope *scope, const hlo_instr *beyond,
                           hlo_span close) {
    uint32_t n = scope->computation->parameter_count;
    hlo_parse_error(p, HLO_RULE_PARAMETER_NUMBERS, scope->is_nested ? close : scope->name_at,
                    "the parameters are not numbered 0 to %u", n - 1);
    hlo_note(p->diags, p->source, beyond->at, "parameter %lld of %u is here",
             (long long)hlo_attr_int(beyond, HLO_ATTR_PARAMETER_NUMBER), n);
}

/* A device's part of a dataflow graph has some of its parameters, in the order of their numbers. */
static bool sort_parameters(hlo_parser *p, const hlo_scope *scope) {
    uint32_t n = p->stacks.parameters.n - scope->parameter_base;
    hlo_instr **parameters = p->stacks.parameters.v + scope->parameter_base;
    const hlo_instr *repeated = hlo_computation_sort_parameters(scope->computation, parameters, n);
    if (repeated) repeated_number(p, repeated, repeated);
    return !repeated;
}

/* Puts the parameters that were read into place; false after reporting gaps or repeats. */
static bool index_parameters(hlo_parser *p, const hlo_scope *scope, hlo_span close) {
    if (scope->is_entry && hlo_is_dataflow_text(p)) return sort_parameters(p, scope);
    uint32_t n = p->stacks.parameters.n - scope->parameter_base;
    hlo_computation *c = scope->computation;
    c->parameters = HLO_NEW_ARRAY(p->arena, hlo_instr *, n);
    c->parameter_count = n;
    const hlo_instr *beyond = NULL;
    bool repeated = false;
    for (uint32_t i = 0; i < n; i++) {
        hlo_instr *parameter = p->stacks.parameters.v[scope->parameter_base + i];
        int64_t number = hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
        if (number >= n) {
            beyond = parameter;
        } else if (c->parameters[number]) {
            repeated_number(p, c->parameters[number], parameter);
            repeated = true;
        } else {
            HLO_ASSERT(number >= 0 && !c->parameters[number]);
            c->parameters[number] = parameter;
        }
    }
    if (beyond && !repeated) missing_number(p, scope, beyond, close);
    return !beyond && !repeated;
}

static bool check_computation(hlo_parser *p, const hlo_scope *scope, hlo_span close) {
    hlo_computation *c = scope->computation;
    if (scope->result && !hlo_shape_compatible(scope->result, c->root->shape)) {
        hlo_parse_error(
            p, HLO_RULE_SIGNATURE, scope->result_at, "the signature's result is %s, the root is %s",
            hlo_shape_name(p->arena, scope->result), hlo_shape_name(p->arena, c->root->shape));
        hlo_note(p->diags, p->source, c->root->at, "the root is here");
    }
    return index_parameters(p, scope, close);
}

hlo_computation *hlo_end_computation(hlo_parser *p, hlo_span close) {
    hlo_scope scope = *hlo_scope_now(p);
    hlo_computation *c = scope.computation;
    hlo_resolve_forward_operands(p, &scope);
    c->root = scope.root ? scope.root : c->last;
    if (p->made.is_single && scope.is_entry)
        c->id = p->made.closed++; /* there the entry comes first */
    else move_to_end(p, c);
    bool whole = p->diags->errors == scope.errors && !scope.is_broken && c->root;
    if (whole) whole = check_computation(p, &scope, close);
    if (scope.is_entry) p->module->entry = c;
    restore_names(p, &scope);
    p->stacks.parameters.n = scope.parameter_base;
    HLO_ASSERT(p->stacks.scopes.n > 0 && p->stacks.parameters.n >= scope.parameter_base);
    p->stacks.scopes.n--;
    if (!scope.is_nested) scope.name->computation = whole ? c : p->recovery.broken;
    p->made.last = c;
    return whole ? c : NULL;
}

void hlo_set_execution_thread(hlo_parser *p, const hlo_str *thread) {
    if (p->made.last) p->made.last->execution_thread = *thread;
    p->made.has_threads = true;
}

/* ---- instructions ---- */

static void push_pending(hlo_parser *p, hlo_name *name, hlo_span at, bool root) {
    hlo_pending *pending = hlo_list_add(&p->stacks.pending);
    *pending = (hlo_pending){.name = name,
                             .at = at,
                             .is_root = root,
                             .operand_base = p->stacks.operands.n,
                             .attr_base = p->stacks.attrs.n,
                             .errors = p->diags->errors};
}

void hlo_begin_instruction(hlo_parser *p, hlo_name *name, hlo_span at, const hlo_span *root) {
    hlo_scope *scope = hlo_scope_now(p);
    if (name) check_name(p, name, at);
    if (root && scope->has_root)
        hlo_parse_error(p, HLO_RULE_ROOT, *root, "this computation has a ROOT already");
    scope->has_root |= root != NULL;
    push_pending(p, name, at, root != NULL);
}

/* The opcode token reaches to its parenthesis; the word is shorter when blanks stand between. */
static size_t opcode_length(const hlo_parser *p, hlo_span at) {
    HLO_ASSERT(at.lo <= at.hi);
    uint32_t n = at.hi - at.lo - 1;
    const char *text = p->scan.begin + at.lo;
    while (n && strchr(" \t\r\n/*", text[n - 1])) n--;
    return n;
}

void hlo_set_opcode(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at, int op, hlo_span at) {
    hlo_pending *pending = hlo_current(p);
    pending->draft.shape = shape;
    pending->shape_at = shape_at;
    pending->draft.opcode = (hlo_opcode)(op & 0xffff);
    pending->sugar = (hlo_sugar)(op >> 16);
    pending->opcode_at = (hlo_span){at.lo, at.lo + (uint32_t)opcode_length(p, at)};
    pending->open_at = at.hi - 1;
    if (!pending->name && !pending->at.hi) pending->at = at;
    hlo_check_dataflow_opcode(p);
}

/* A computation, or a parameter that is not in the text, may have a name that no instruction can
 * have: XLA respells it. */
hlo_name *hlo_respelled(hlo_parser *p, hlo_name *name) {
    if (!is_reserved(name)) return name;
    bool underscores = name->ptr[0] == '_';
    uint32_t size = name->len + !underscores;
    char *text = hlo_arena_alloc(p->arena, size);
    memcpy(text, name->ptr, name->len);
    if (underscores) text[0] = 'a';
    else text[name->len] = '_';
    return hlo_module_intern(p->module, (hlo_str){text, size, 0});
}

static hlo_instr *new_parameter(hlo_parser *p, hlo_name *name, const hlo_shape *shape,
                                hlo_span at) {
    hlo_computation *c = hlo_scope_now(p)->computation;
    hlo_attr number = {.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = p->made.single_parameters++};
    hlo_name *spelled = hlo_respelled(p, name);
    hlo_instr *parameter = hlo_instr_new(c, HLO_OP_PARAMETER, shape, spelled, NULL, 0, &number, 1);
    parameter->at = at;
    hlo_list_push(&p->stacks.parameters, parameter);
    hlo_count_name(p, spelled);
    hlo_bind_instr(p, name, parameter);
    return parameter;
}

/* In a single instruction XLA first takes the opcode of a nested one for the name of a parameter.
 */
static void take_word_for_name(hlo_parser *p, const hlo_shape *shape, hlo_opcode op, hlo_span at) {
    hlo_name *name = hlo_module_intern(p->module, hlo_str_from(hlo_ops[op].text));
    if (!hlo_find_instr(p, name)) new_parameter(p, name, shape, at);
}

/* False after an error that ends the whole instruction. */
bool hlo_begin_nested_instruction(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at, int op,
                                  hlo_span at) {
    if (p->stacks.pending.n > HLO_MAX_NESTING) {
        hlo_parse_error(p, HLO_RULE_NESTING, at, "operands nest more than %d deep",
                        HLO_MAX_NESTING);
        hlo_note_instruction(p);
        hlo_skip(p);
        return false;
    }
    if (p->made.is_single && shape) take_word_for_name(p, shape, (hlo_opcode)(op & 0xffff), at);
    push_pending(p, NULL, at, false);
    hlo_set_opcode(p, shape, shape_at, op, at);
    return true;
}

void hlo_begin_statement(hlo_parser *p, const hlo_span *root_at) {
    const hlo_statement *s = &p->fast.statement;
    if (root_at && s->is_root)
        hlo_parse_error(p, HLO_RULE_SYNTAX, s->root_at, "expected a name, found 'ROOT' again");
    hlo_begin_instruction(p, s->name, s->at, s->is_root ? &s->root_at : root_at);
    hlo_pending *pending = hlo_current(p);
    pending->draft.shape = s->shape;
    pending->shape_at = s->shape_at;
    pending->draft.opcode = (hlo_opcode)(s->opcode & 0xffff);
    pending->sugar = (hlo_sugar)(s->opcode >> 16);
    pending->opcode_at = (hlo_span){s->opcode_at.lo, s->opcode_at.hi - 1};
    pending->open_at = s->opcode_at.hi - 1;
    hlo_check_dataflow_opcode(p);
}

void hlo_poison_pending(hlo_parser *p) {
    hlo_current(p)->poisoned = true;
}

void hlo_set_parameter_number(hlo_parser *p, int64_t number, hlo_span at) {
    hlo_pending *pending = hlo_current(p);
    HLO_ASSERT(pending->draft.opcode < HLO_OP_COUNT);
    if (hlo_ops[pending->draft.opcode].parens != HLO_PARENS_NUMBER || pending->sugar) {
        hlo_parse_error(p, HLO_RULE_SYNTAX, at, "the operands of %s are instructions, not numbers",
                        hlo_ops[pending->draft.opcode].text);
        pending->poisoned = true;
        return;
    }
    hlo_attr attr = {.id = HLO_ATTR_PARAMETER_NUMBER, .at = at.lo, .u.i = number};
    if (number < 0 || number > UINT32_MAX) {
        hlo_parse_error(p, HLO_RULE_PARAMETER_NUMBERS, at,
                        "a parameter number is not negative and has 32 bits");
        hlo_note_after(p, at.hi);
    }
    hlo_list_push(&p->stacks.attrs, attr);
}

void hlo_set_literal(hlo_parser *p, hlo_literal *literal, hlo_span at) {
    hlo_attr attr = {.id = HLO_ATTR_VALUE, .at = at.lo, .u.literal = literal};
    hlo_list_push(&p->stacks.attrs, attr);
}

/* ---- operands ---- */

/* The operand was found, or is NULL: checks its shape, where that is written. */
static void push_operand(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at,
                         const hlo_name *name, hlo_instr *instr) {
    HLO_ASSERT(p->stacks.pending.n > 0);
    bool found = instr && instr != &hlo_poison;
    if (found && shape && !hlo_shape_compatible(shape, instr->shape)) {
        hlo_parse_error(p, HLO_RULE_OPERAND_SHAPE, shape_at, "operand '%.*s' is written as %s",
                        shown(name), name->ptr, hlo_shape_name(p->arena, shape));
        hlo_note(p->diags, p->source, instr->at, "it is %s here",
                 hlo_shape_name(p->arena, instr->shape));
    }
    if (found) hlo_list_push(&p->stacks.operands, instr);
    else hlo_poison_pending(p);
}

void hlo_add_operand(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at, hlo_name *name,
                     hlo_span at) {
    hlo_instr *instr = hlo_find_instr(p, name);
    if (!instr && (p->made.is_single || p->made.is_bare) && shape)
        instr = new_parameter(p, name, shape, at);
    if (!instr && hlo_take_forward_operand(p, name, at)) return;
    if (!instr) hlo_unknown_instruction(p, name, at);
    push_operand(p, shape, shape_at, name, instr);
}

/* ---- elements of tuples as operands ---- */

static hlo_name *joined_name(hlo_parser *p, const hlo_name *tuple, char mark, int64_t index) {
    char number[32];
    int digits = snprintf(number, sizeof number, "%c%lld", mark, (long long)index);
    char *text = hlo_arena_alloc(p->arena, tuple->len + (uint32_t)digits);
    memcpy(text, tuple->ptr, tuple->len);
    memcpy(text + tuple->len, number, (size_t)digits);
    hlo_str joined = {text, tuple->len + (uint32_t)digits, 0};
    return hlo_module_intern(p->module, joined);
}

static hlo_instr *new_element(hlo_parser *p, hlo_instr *tuple, hlo_name *name, int64_t index,
                              hlo_span at) {
    HLO_ASSERT(hlo_shape_is_tuple(tuple->shape) && index >= 0 && index < tuple->shape->rank);
    hlo_attr attr = {.id = HLO_ATTR_INDEX, .u.i = index};
    hlo_instr *element = hlo_instr_new(hlo_scope_now(p)->computation, HLO_OP_GET_TUPLE_ELEMENT,
                                       tuple->shape->elements[index], name, &tuple, 1, &attr, 1);
    element->at = at;
    hlo_count_name(p, name);
    hlo_form_inherit_origin(element);
    return element;
}

static bool has_element(hlo_parser *p, const hlo_instr *tuple, int64_t index, hlo_span at) {
    bool is_tuple = hlo_shape_is_tuple(tuple->shape);
    if (is_tuple && index >= 0 && index < tuple->shape->rank) return true;
    hlo_parse_error(p, HLO_RULE_TUPLE_INDEX, at, "%s has no element %lld",
                    hlo_shape_name(p->arena, tuple->shape), (long long)index);
    return false;
}

/* The same element of the same operand is made once. `key` is what the text calls it, `name` what
 * it is called then: with underscores. */
void hlo_add_element_operand(hlo_parser *p, const hlo_shape *shape, hlo_span shape_at,
                             hlo_name *name, hlo_span at, uint32_t base) {
    hlo_instr *instr = hlo_find_instr(p, name);
    hlo_name *key = name, *spelled = name;
    if (!instr) hlo_unknown_instruction(p, name, at);
    for (uint32_t i = base; i < p->stacks.ints.n && instr && instr != &hlo_poison; i++) {
        int64_t index = p->stacks.ints.v[i];
        hlo_instr *tuple = has_element(p, instr, index, at) ? instr : NULL;
        key = joined_name(p, key, '#', index);
        spelled = joined_name(p, spelled, '_', index);
        instr = tuple ? hlo_find_instr(p, key) : NULL;
        if (!tuple || instr) continue;
        instr = new_element(p, tuple, spelled, index, at);
        hlo_bind_instr(p, key, instr);
    }
    p->stacks.ints.n = base;
    push_operand(p, shape, shape_at, key, instr);
}

void hlo_add_named_operands(hlo_parser *p) {
    for (uint32_t i = 0; i < p->fast.operands.n; i++) {
        const hlo_named_operand *operand = &p->fast.operands.v[i];
        hlo_instr *instr = hlo_find_instr(p, operand->name);
        if (instr && instr != &hlo_poison) hlo_list_push(&p->stacks.operands, instr);
        else hlo_add_operand(p, NULL, operand->at, operand->name, operand->at);
    }
}

/* A single instruction may give an operand's shape alone: a parameter `_N` of that shape. In a
 * module XLA's parser skips it: the information about the operand is lost when the next one is
 * valid. */
void hlo_add_unnamed_operand(hlo_parser *p, const hlo_shape *shape, hlo_span at) {
    if (!p->made.is_single && !p->made.is_bare) return;
    if (p->made.is_bare) {
        hlo_parse_error(p, HLO_RULE_SYNTAX, at, "a name must follow the operand's shape");
        hlo_poison_pending(p);
        return;
    }
    char text[32];
    snprintf(text, sizeof text, "_%u", p->made.single_parameters);
    hlo_name *name = hlo_module_intern_copy(p->module, hlo_str_from(text));
    hlo_list_push(&p->stacks.operands, new_parameter(p, name, shape, at));
}

static hlo_name *anonymous_name(hlo_parser *p, hlo_opcode op) {
    HLO_ASSERT(op < HLO_OP_COUNT);
    char text[128];
    unsigned n = p->made.anonymous[op]++;
    if (n) snprintf(text, sizeof text, "%s.anon.%u", hlo_ops[op].text, n);
    else snprintf(text, sizeof text, "%s.anon", hlo_ops[op].text);
    return hlo_module_intern_copy(p->module, hlo_str_from(text));
}

static void pop_pending(hlo_parser *p) {
    HLO_ASSERT(p->stacks.pending.n > 0);
    hlo_pending *pending = hlo_current(p);
    p->stacks.operands.n = pending->operand_base;
    p->stacks.attrs.n = pending->attr_base;
    p->stacks.pending.n--;
}

/* An error inside nested operands names the innermost of them. */
static void note_operand(hlo_parser *p, const hlo_pending *pending) {
    if (p->diags->errors == pending->errors || p->diags->errors == p->recovery.operand_noted)
        return;
    p->recovery.operand_noted = p->diags->errors;
    hlo_note(p->diags, p->source, (hlo_span){pending->shape_at.lo, pending->opcode_at.hi},
             "in this operand");
}

void hlo_add_nested_operand(hlo_parser *p, hlo_span at) {
    hlo_pending *pending = hlo_current(p);
    hlo_name *name = anonymous_name(p, pending->draft.opcode);
    hlo_span after = {at.hi, at.hi};
    bool broken = pending->poisoned || hlo_current_is_broken(p);
    hlo_instr *instr = broken ? NULL : hlo_finish_instruction(p, pending, name, after);
    if (!instr) note_operand(p, hlo_current(p));
    pop_pending(p);
    if (instr) {
        hlo_count_name(p, name);
        hlo_list_push(&p->stacks.operands, instr);
    } else {
        hlo_poison_pending(p);
    }
}

void hlo_end_instruction(hlo_parser *p, hlo_span next) {
    hlo_pending *pending = hlo_current(p);
    hlo_name *name = pending->name;
    bool is_root = pending->is_root;
    if (p->recovery.note_end) hlo_note_refusal(p, next);
    p->recovery.note_end = false;
    if (!name) name = hlo_module_intern(p->module, HLO_STR("_"));
    bool broken = pending->poisoned || hlo_current_is_broken(p);
    hlo_instr *instr = broken ? NULL : hlo_finish_instruction(p, pending, name, next);
    hlo_bind_instr(p, name, instr ? instr : (hlo_instr *)&hlo_poison);
    if (instr) {
        hlo_note_forward_operand(p, pending, instr);
        hlo_count_name(p, name);
        if (is_root) hlo_scope_now(p)->root = instr;
    } else {
        hlo_scope_now(p)->is_broken = true;
    }
    pop_pending(p);
}

/* ---- texts without computations ---- */

/* The lines of a text are the entry's. */
void hlo_begin_bare_body(hlo_parser *p) {
    p->made.is_bare = true;
    hlo_name *name = hlo_module_intern(p->module, HLO_STR("main"));
    hlo_begin_computation(p, &p->made.empty_at, name, p->made.empty_at);
}

void hlo_begin_single(hlo_parser *p) {
    p->made.is_single = true;
    push_scope(p, hlo_module_intern(p->module, HLO_STR("_")), p->made.empty_at, true);
}

void hlo_begin_attributes(hlo_parser *p) {
    hlo_opcode opcode = p->made.attributes_of;
    hlo_attr graph = {.id = HLO_ATTR_IS_DATAFLOW, .u.i = 1};
    if (opcode == HLO_OP_COUNT) return;
    hlo_begin_single(p);
    if (hlo_ops[opcode].flags & HLO_OP_IS_DATAFLOW) hlo_list_push(&p->made.header, graph);
    hlo_span at = {0, (uint32_t)strlen(hlo_ops[opcode].text) + 1};
    hlo_begin_instruction(p, NULL, at, NULL);
    hlo_set_opcode(p, NULL, at, hlo_opcode_token(opcode, HLO_PLAIN_OP), at);
}

void hlo_end_single(hlo_parser *p, hlo_span at) {
    hlo_attr scheduled = {.id = HLO_ATTR_IS_SCHEDULED, .u.i = 1};
    hlo_end_computation(p, at);
    hlo_list_push(&p->made.header, scheduled);
    hlo_finish_module(p, HLO_STR("_"));
}
