/* Making and editing instructions; operand edges and lists of uses are kept in step here and
 * nowhere else. */
#include "ir/ir.h"

static const hlo_ints no_ints = {0};

const hlo_ints *hlo_attr_ints(const hlo_instr *instr, hlo_attr_id id) {
    HLO_ASSERT(hlo_attr_is_integers(id));
    const hlo_attr *attr = hlo_instr_attr(instr, id);
    return attr && attr->u.ints ? attr->u.ints : &no_ints;
}

static const hlo_str *value_of(const hlo_attr *attr, const char *key) {
    for (uint32_t i = 0; attr && i < attr->u.frontend->n; i++)
        if (hlo_str_is(attr->u.frontend->v[i].key, key)) return &attr->u.frontend->v[i].value;
    return NULL;
}

const hlo_str *hlo_frontend_value(const hlo_instr *instr, const char *key) {
    return value_of(hlo_instr_attr(instr, HLO_ATTR_FRONTEND_ATTRIBUTES), key);
}

const hlo_str *hlo_module_frontend_value(const hlo_module *module, const char *key) {
    return value_of(hlo_module_attr(module, HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES), key);
}

bool hlo_calls_target(const hlo_instr *instr, const char *target) {
    if (instr->opcode != HLO_OP_CUSTOM_CALL) return false;
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET);
    return attr && hlo_str_is(*attr->u.string, target);
}

/* ---- uses ---- */

static void add_use(hlo_use *use, hlo_instr *def) {
    HLO_ASSERT(use->user && def->parent);
    HLO_ASSERT(!def->last_use == !def->first_use);
    HLO_ASSERT(!def->last_use || !def->last_use->next);
    use->def = def;
    use->next = NULL;
    use->prev = def->last_use;
    if (def->last_use) def->last_use->next = use;
    else def->first_use = use;
    def->last_use = use;
}

static void drop_use(hlo_use *use) {
    hlo_instr *def = use->def;
    HLO_ASSERT(!use->prev ? def->first_use == use : use->prev->next == use);
    HLO_ASSERT(!use->next ? def->last_use == use : use->next->prev == use);
    if (use->prev) use->prev->next = use->next;
    else def->first_use = use->next;
    if (use->next) use->next->prev = use->prev;
    else def->last_use = use->prev;
    use->def = NULL;
    use->next = use->prev = NULL;
}

/* ---- making ---- */

static void append(hlo_computation *c, hlo_instr *instr) {
    HLO_ASSERT(!c->last == !c->first && (!c->last || !c->last->next));
    instr->parent = c;
    instr->prev = c->last;
    if (c->last) c->last->next = instr;
    else c->first = instr;
    c->last = instr;
    c->instr_count++;
}

/* Insertion sort into printed order: lists are short and mostly sorted already. */
static void sort_attrs(hlo_opcode opcode, hlo_attr *attrs, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        hlo_attr moving = attrs[i];
        unsigned order = hlo_op_attr_order(opcode, (hlo_attr_id)moving.id);
        uint32_t at = i;
        for (; at && hlo_op_attr_order(opcode, (hlo_attr_id)attrs[at - 1].id) > order; at--)
            attrs[at] = attrs[at - 1];
        attrs[at] = moving;
    }
}

hlo_instr *hlo_instr_new(hlo_computation *c, hlo_opcode opcode, const hlo_shape *shape,
                         hlo_name *name, hlo_instr *const *operands, uint32_t operand_count,
                         const hlo_attr *attrs, uint32_t attr_count) {
    HLO_ASSERT(opcode < HLO_OP_COUNT && attr_count <= UINT16_MAX);
    size_t operand_bytes = operand_count * sizeof(hlo_use), attr_bytes = attr_count * sizeof *attrs;
    hlo_instr *instr =
        hlo_arena_alloc(&c->module->arena, sizeof *instr + operand_bytes + attr_bytes);
    memset(instr, 0, sizeof *instr);
    instr->shape = shape;
    instr->name = name;
    instr->opcode = (uint16_t)opcode;
    instr->operand_count = operand_count;
    instr->operands = (hlo_use *)(instr + 1);
    for (uint32_t i = 0; i < operand_count; i++) {
        instr->operands[i].user = instr;
        add_use(&instr->operands[i], operands[i]);
    }
    instr->attr_count = (uint16_t)attr_count;
    instr->attrs = (hlo_attr *)((char *)instr->operands + operand_bytes);
    if (attr_count) {
        memcpy(instr->attrs, attrs, attr_bytes);
        if (attr_count > 1) sort_attrs(opcode, instr->attrs, attr_count);
    }
    append(c, instr);
    return instr;
}

/* ---- editing ---- */

static void unlink_instr(hlo_instr *instr) {
    hlo_computation *c = instr->parent;
    HLO_ASSERT(!instr->prev ? c->first == instr : instr->prev->next == instr);
    HLO_ASSERT(!instr->next ? c->last == instr : instr->next->prev == instr);
    HLO_ASSERT(c->instr_count > 0);
    if (instr->prev) instr->prev->next = instr->next;
    else c->first = instr->next;
    if (instr->next) instr->next->prev = instr->prev;
    else c->last = instr->prev;
    instr->prev = instr->next = NULL;
    c->instr_count--;
}

void hlo_instr_move_before(hlo_instr *instr, hlo_instr *place) {
    HLO_ASSERT(!place->prev ? place->parent->first == place : place->prev->next == place);
    if (instr == place) return;
    unlink_instr(instr);
    hlo_computation *c = place->parent;
    instr->next = place;
    instr->prev = place->prev;
    if (place->prev) place->prev->next = instr;
    else c->first = instr;
    place->prev = instr;
    instr->parent = c;
    c->instr_count++;
}

void hlo_instr_set_operand(hlo_instr *instr, uint32_t i, hlo_instr *def) {
    HLO_ASSERT(i < instr->operand_count && instr->operands[i].user == instr);
    drop_use(&instr->operands[i]);
    add_use(&instr->operands[i], def);
}

/* An edge that moves to another place of the operand array keeps its place in the list of uses. */
static void move_use(hlo_use *to, const hlo_use *from) {
    HLO_ASSERT(from->def && from->user);
    *to = *from;
    if (to->prev) to->prev->next = to;
    else to->def->first_use = to;
    if (to->next) to->next->prev = to;
    else to->def->last_use = to;
}

void hlo_instr_add_operands(hlo_instr *instr, hlo_instr *const *defs, uint32_t count) {
    uint32_t n = instr->operand_count;
    hlo_use *more = HLO_NEW_ARRAY(&instr->parent->module->arena, hlo_use, n + count);
    for (uint32_t i = 0; i < n; i++) move_use(&more[i], &instr->operands[i]);
    for (uint32_t i = 0; i < count; i++) {
        more[n + i].user = instr;
        add_use(&more[n + i], defs[i]);
    }
    instr->operands = more;
    instr->operand_count = n + count;
}

void hlo_instr_keep_operands(hlo_instr *instr, const bool *keep) {
    uint32_t kept = 0;
    HLO_ASSERT(kept <= instr->operand_count);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        if (!keep[i]) drop_use(&instr->operands[i]);
        else if (kept++ != i) move_use(&instr->operands[kept - 1], &instr->operands[i]);
    }
    instr->operand_count = kept;
}

/* Control predecessors are attribute values: rewrite those that name `old`. */
static void replace_control_uses(hlo_instr *old, hlo_instr *new_def) {
    hlo_computation *c = old->parent;
    for (hlo_instr *i = c->first; i; i = i->next) {
        const hlo_attr *attr = hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS);
        if (!attr) continue;
        const hlo_instrs *before = attr->u.instructions;
        bool names_old = false;
        for (uint32_t k = 0; k < before->n; k++) names_old |= before->v[k] == old;
        if (!names_old) continue;
        size_t bytes = sizeof *before + before->n * sizeof before->v[0];
        hlo_instrs *after = hlo_arena_copy(&c->module->arena, before, bytes);
        for (uint32_t k = 0; k < after->n; k++)
            if (after->v[k] == old) after->v[k] = new_def;
        hlo_attr value = *attr;
        value.u.instructions = after;
        hlo_instr_set_attr(i, value);
    }
}

void hlo_instr_replace_operand_uses(hlo_instr *old, hlo_instr *new_def) {
    HLO_ASSERT(old != new_def);
    while (old->first_use) {
        hlo_use *use = old->first_use;
        drop_use(use);
        add_use(use, new_def);
    }
    if (old->parent->root == old) old->parent->root = new_def;
}

void hlo_instr_replace_all_uses(hlo_instr *old, hlo_instr *new_def) {
    if (old == new_def) return;
    hlo_instr_replace_operand_uses(old, new_def);
    replace_control_uses(old, new_def);
}

void hlo_instr_remove(hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (instr->operands[i].def) drop_use(&instr->operands[i]);
    unlink_instr(instr);
}

void hlo_instr_set_back_edge(hlo_instr *merge, hlo_instr *next_iteration) {
    HLO_ASSERT(merge->opcode == HLO_OP_MERGE && next_iteration->opcode == HLO_OP_NEXT_ITERATION);
    hlo_instrs *list =
        hlo_arena_alloc(&merge->parent->module->arena, sizeof *list + sizeof list->v[0]);
    list->n = 1;
    list->v[0] = next_iteration;
    hlo_instr_set_attr(merge, (hlo_attr){.id = HLO_ATTR_BACK_EDGE, .u.instructions = list});
}

void hlo_instr_set_attr(hlo_instr *instr, hlo_attr value) {
    HLO_ASSERT(value.id < HLO_ATTR_COUNT);
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        if (instr->attrs[i].id == value.id) {
            instr->attrs[i] = value;
            return;
        }
    }
    hlo_attr *attrs = HLO_NEW_ARRAY(&instr->parent->module->arena, hlo_attr, instr->attr_count + 1);
    if (instr->attr_count) memcpy(attrs, instr->attrs, instr->attr_count * sizeof *attrs);
    attrs[instr->attr_count++] = value;
    instr->attrs = attrs;
    sort_attrs((hlo_opcode)instr->opcode, attrs, instr->attr_count);
}

void hlo_instr_remove_attr(hlo_instr *instr, hlo_attr_id id) {
    uint16_t kept = 0;
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (instr->attrs[i].id != id) instr->attrs[kept++] = instr->attrs[i];
    instr->attr_count = kept;
}

/* ---- called computations ---- */

/* XLA lists the body of a while before its condition, although text has the condition first. */
static const hlo_attr *computation_attr(const hlo_instr *instr, uint32_t k) {
    if (instr->opcode == HLO_OP_WHILE)
        return k < 2 ? hlo_instr_attr(instr, k == 0 ? HLO_ATTR_BODY : HLO_ATTR_CONDITION) : NULL;
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        hlo_attr_kind kind = hlo_attr_table[instr->attrs[i].id].kind;
        if (kind != HLO_KIND_COMPUTATION && kind != HLO_KIND_COMPUTATIONS) continue;
        if (k-- == 0) return &instr->attrs[i];
    }
    return NULL;
}

hlo_computation *hlo_called(const hlo_instr *instr, uint32_t k) {
    const hlo_attr *attr;
    for (uint32_t a = 0; (attr = computation_attr(instr, a)); a++) {
        if (hlo_attr_table[attr->id].kind == HLO_KIND_COMPUTATION) {
            if (k-- == 0) return attr->u.computation;
        } else if (k < attr->u.computations->n) {
            return attr->u.computations->v[k];
        } else {
            k -= attr->u.computations->n;
        }
    }
    return NULL;
}

uint32_t hlo_called_count(const hlo_instr *instr) {
    uint32_t n = 0;
    const hlo_attr *attr;
    for (uint32_t a = 0; (attr = computation_attr(instr, a)); a++)
        n += hlo_attr_table[attr->id].kind == HLO_KIND_COMPUTATION ? 1 : attr->u.computations->n;
    return n;
}
