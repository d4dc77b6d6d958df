/* Loops as graphs: an enter, a merge, a switch, a next-iteration and an exit for each element of
 * the state; an enter alone for one that the body hands on. */
#include "ir/sharding.h"
#include "passes/dataflow/lower.h"

typedef struct {
    bool is_invariant;
    int64_t device; /* that the body reads it on; HLO_NO_DEVICE: unspecified */
    const hlo_shape *shape;
    hlo_flow_leaf *start, *result;
    hlo_instr *enter, *merge, *yes, *no;
    hlo_flow_leaf *inside; /* as the condition, then as the body sees it */
} element;

typedef struct {
    const hlo_flow_scope *scope;
    hlo_instr *instr;
    const hlo_str *name;
    element *elements;
    uint32_t count;
    hlo_flow_leaf **state; /* of condition and body: elements[i].inside */
    hlo_flow_region condition, body;
    hlo_flow_choice choice;
    hlo_instr *first; /* the first merge */
} loop;

/* ---- which elements are handed on ---- */

/* The operand of a tuple that holds the leaf, whose number becomes that in the operand. */
static hlo_instr *part_of_tuple(const hlo_instr *tuple, uint32_t *leaf) {
    uint32_t i = 0;
    for (uint32_t n; i < tuple->operand_count; i++, *leaf -= n) {
        n = hlo_shape_leaf_count(hlo_operand(tuple, i)->shape);
        if (*leaf < n) break;
    }
    return hlo_operand(tuple, i);
}

/* The instruction, other than tuples and their elements, whose leaf that one is. */
static const hlo_instr *origin_of_leaf(const hlo_instr *instr, uint32_t *leaf) {
    for (;;) {
        if (instr->opcode == HLO_OP_TUPLE) {
            instr = part_of_tuple(instr, leaf);
        } else if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
            const hlo_instr *tuple = hlo_operand(instr, 0);
            *leaf += hlo_shape_leaves_before(tuple->shape, hlo_attr_int(instr, HLO_ATTR_INDEX));
            instr = tuple;
        } else {
            return instr;
        }
    }
}

/* By the text of the body, whatever it computes; one element at least changes. */
static void find_invariants(const loop *p) {
    const hlo_computation *body = hlo_called(p->instr, 0);
    bool all = true;
    for (uint32_t i = 0; i < hlo_shape_leaf_count(p->instr->shape); i++) {
        uint32_t leaf = i;
        const hlo_instr *origin = origin_of_leaf(body->root, &leaf);
        p->elements[i].is_invariant = origin->opcode == HLO_OP_PARAMETER && leaf == i;
        all &= p->elements[i].is_invariant;
    }
    if (all) p->elements[0].is_invariant = false;
}

static void find_devices(const loop *p) {
    const hlo_computation *body = hlo_called(p->instr, 0);
    for (uint32_t i = 0; i < p->count; i++) p->elements[i].device = HLO_NO_DEVICE;
    for (const hlo_instr *i = body->last; i; i = i->prev) {
        const hlo_attr *sharding = hlo_instr_attr(i, HLO_ATTR_SHARDING);
        int64_t device = sharding ? hlo_sharding_device_of(sharding->u.sharding) : HLO_NO_DEVICE;
        if (device == HLO_NO_DEVICE || i->opcode != HLO_OP_GET_TUPLE_ELEMENT ||
            hlo_shape_is_tuple(i->shape))
            continue;
        uint32_t leaf = 0;
        if (origin_of_leaf(i, &leaf)->opcode == HLO_OP_PARAMETER) p->elements[leaf].device = device;
    }
}

/* ---- the frame ---- */

/* The name of the loop, with a number when the loop is copied once more. */
static const hlo_str *frame_name(hlo_lowering *l, hlo_instr *instr) {
    hlo_module *module = l->r->module;
    const hlo_name *name = instr->name;
    if (instr->mark == l->seen) {
        char *text = hlo_arena_zero(&l->scratch, name->len + 1u);
        memcpy(text, name->ptr, name->len);
        name = hlo_take_fresh_name(module, text);
    }
    instr->mark = l->seen;
    hlo_str *frame = HLO_NEW(&module->arena, hlo_str);
    *frame = (hlo_str){name->ptr, name->len, 0};
    return frame;
}

static void enter_element(hlo_lowering *l, const loop *p, element *e, const hlo_instrs *after) {
    hlo_instr *start = hlo_flow_dying(l, e->start);
    e->enter =
        (e->is_invariant ? hlo_flow_constant_enter : hlo_flow_variable_enter)(l, start, p->name);
    hlo_flow_lay_out(e->enter, e->shape);
    if (e->device != HLO_NO_DEVICE) hlo_flow_place(l, e->enter, e->device);
    hlo_flow_wait(l, e->enter, after);
}

static void merge(hlo_lowering *l, loop *p, element *e) {
    if (e->is_invariant) {
        e->inside = hlo_flow_value(l, &p->condition, e->enter);
        return;
    }
    e->merge = hlo_flow_merge(l, &e->enter, 1);
    e->inside = hlo_flow_value(l, &p->condition, e->merge);
    if (!p->first) p->first = e->merge;
}

static void decide(hlo_lowering *l, loop *p, element *e) {
    if (e->is_invariant) {
        e->inside = hlo_flow_invariant(l, &p->body, e->enter);
        return;
    }
    hlo_instr *decided = hlo_flow_switch(l, e->merge, p->choice.predicate);
    e->no = hlo_flow_element(l, decided, 0);
    e->yes = hlo_flow_element(l, decided, 1);
    e->inside = hlo_flow_value(l, &p->body, e->yes);
    if (!p->body.pivot) p->body.pivot = e->yes;
}

static void iterate(hlo_lowering *l, element *e, hlo_flow_leaf *result) {
    if (e->is_invariant) return;
    hlo_instr *next = hlo_flow_primitive(l, HLO_OP_NEXT_ITERATION, hlo_flow_dying(l, result));
    hlo_flow_place(l, next, hlo_flow_device(l, e->merge));
    hlo_instr_set_back_edge(e->merge, next);
}

static void leave(hlo_lowering *l, const loop *p, element *e) {
    e->result = e->start;
    if (e->is_invariant) return;
    hlo_instr *exit = hlo_flow_primitive(l, HLO_OP_EXIT, e->no);
    if (e->merge == p->first) {
        hlo_flow_carry(p->instr, exit);
        hlo_flow_set_form(exit, p->instr->shape);
    }
    e->result = hlo_flow_value(l, p->scope->region, exit);
}

/* ---- computations ---- */

static hlo_flow_leaf **walk(hlo_lowering *l, loop *p, hlo_computation *c, hlo_flow_region *region) {
    for (uint32_t i = 0; i < p->count; i++) p->state[i] = p->elements[i].inside;
    return hlo_flow_walk(l, c, &p->state, region, NULL);
}

/* One that a conditional of the condition asks too would make that a part of the body. */
static hlo_instr *own_predicate(hlo_lowering *l, hlo_instr *predicate) {
    for (const hlo_use *use = predicate->first_use; use; use = use->next)
        if (use->user->opcode == HLO_OP_SWITCH && use == &use->user->operands[1])
            return hlo_flow_primitive(l, HLO_OP_COPY, predicate);
    return predicate;
}

static bool condition(hlo_lowering *l, loop *p) {
    p->condition = (hlo_flow_region){
        .kind = HLO_FLOW_CONDITION, .outer = p->scope->region, .frame = p->name, .pivot = p->first};
    hlo_flow_leaf **result = walk(l, p, hlo_called(p->instr, 1), &p->condition);
    if (result) p->choice.predicate = own_predicate(l, hlo_flow_dying(l, result[0]));
    return result != NULL;
}

static bool body(hlo_lowering *l, loop *p) {
    p->body = (hlo_flow_region){
        .kind = HLO_FLOW_BODY, .outer = &p->condition, .choice = &p->choice, .side = 1};
    for (uint32_t i = 0; i < p->count; i++) decide(l, p, &p->elements[i]);
    hlo_flow_leaf **result = walk(l, p, hlo_called(p->instr, 0), &p->body);
    if (!result) return false;
    uint32_t leaves = hlo_shape_leaf_count(p->instr->shape);
    for (uint32_t i = 0; i < p->count; i++)
        iterate(l, &p->elements[i], i < leaves ? result[i] : p->elements[i].inside);
    return true;
}

/* ---- the loop ---- */

/* A loop with an empty state iterates over a token. */
static hlo_flow_leaf *token(hlo_lowering *l, const loop *p) {
    return hlo_flow_literal(l, p->scope->region, hlo_flow_token(l));
}

static void prepare(hlo_lowering *l, loop *p) {
    uint32_t leaves = hlo_shape_leaf_count(p->instr->shape);
    p->count = leaves ? leaves : 1;
    p->name = frame_name(l, p->instr);
    p->elements = HLO_NEW_ARRAY(&l->scratch, element, p->count);
    p->state = HLO_NEW_ARRAY(&l->scratch, hlo_flow_leaf *, p->count);
    hlo_flow_leaf **starts = hlo_flow_operand(p->scope, p->instr, 0);
    const hlo_shape *const *shapes = hlo_flow_shapes(l, p->instr->shape);
    for (uint32_t i = 0; i < p->count; i++) {
        p->elements[i].start = i < leaves ? starts[i] : token(l, p);
        p->elements[i].shape = i < leaves ? shapes[i] : hlo_shape_token(&l->r->module->shapes);
    }
    find_invariants(p);
    find_devices(p);
}

hlo_flow_leaf **hlo_flow_loop(hlo_lowering *l, const hlo_flow_scope *scope, hlo_instr *instr,
                              const hlo_instrs *after) {
    loop *p = HLO_NEW(&l->scratch, loop);
    *p = (loop){.scope = scope, .instr = instr};
    prepare(l, p);
    for (uint32_t i = 0; i < p->count; i++) enter_element(l, p, &p->elements[i], after);
    for (uint32_t i = 0; i < p->count; i++) merge(l, p, &p->elements[i]);
    if (!condition(l, p) || !body(l, p)) return NULL;
    for (uint32_t i = 0; i < p->count; i++) leave(l, p, &p->elements[i]);
    hlo_flow_leaf **results = HLO_NEW_ARRAY(&l->scratch, hlo_flow_leaf *, p->count);
    for (uint32_t i = 0; i < p->count; i++) results[i] = p->elements[i].result;
    return results;
}
