/* Errors about operations without a gradient, with the path that leads from the result over them to
 * a parameter. */
#include "passes/autodiff/scope.h"

/* A leaf on the path, and the scope that it is in. */
typedef struct {
    const hlo_scope *scope;
    const hlo_instr *instr;
    uint32_t leaf;
} place;

typedef HLO_LIST(const hlo_instr *) path;

static bool is_active(place at) {
    return hlo_scope_leaves(at.scope, at.instr)[at.leaf].is_active;
}

/* ---- towards the result ---- */

/* The instruction from which a cotangent came; out of a loop or branch, what runs it. */
static place user_of(place at) {
    const hlo_leaf *leaves = hlo_scope_leaves(at.scope, at.instr);
    uint32_t n = hlo_scope_leaf_count(at.scope, at.instr);
    for (uint32_t i = 0; i < n; i++)
        if (leaves[i].from) return (place){at.scope, leaves[i].from, 0};
    return (place){at.scope->parent, at.scope->caller, 0};
}

static void add_users(path *to, place at) {
    path found = {0};
    for (at = user_of(at); at.instr; at = user_of(at)) hlo_list_push(&found, at.instr);
    while (found.n) hlo_list_push(to, hlo_list_pop(&found));
    hlo_list_free(&found);
}

/* ---- towards a parameter ---- */

static place any_active_of(const hlo_scope *scope, const hlo_instr *value) {
    place at = {scope, value, 0};
    uint32_t n = hlo_scope_leaf_count(scope, value);
    while (at.leaf < n && !is_active(at)) at.leaf++;
    return at.leaf < n ? at : (place){0};
}

/* A parameter of a loop or a branch is what the caller gives it; an element of a state that starts
 * as something else comes from the iteration before. */
static place argument_of(place at) {
    const hlo_instr *caller = at.scope->caller;
    if (!caller) return (place){0};
    uint32_t operand = at.scope->kind == HLO_SCOPE_BRANCH ? at.scope->branch + 1 : 0;
    place outside = {at.scope->parent, hlo_operand(caller, operand), at.leaf};
    return is_active(outside) ? outside : (place){at.scope, at.scope->forward->root, at.leaf};
}

static place operand_of(place at) {
    place next = {at.scope, NULL, at.leaf};
    if (at.instr->opcode == HLO_OP_PARAMETER) return argument_of(at);
    if (at.instr->opcode == HLO_OP_TUPLE) {
        next.instr = hlo_operand(at.instr, hlo_operand_of_leaf(at.instr, &next.leaf));
    } else if (at.instr->opcode == HLO_OP_GET_TUPLE_ELEMENT) {
        next.instr = hlo_operand(at.instr, 0);
        next.leaf +=
            hlo_shape_leaves_before(next.instr->shape, hlo_attr_int(at.instr, HLO_ATTR_INDEX));
    }
    for (uint32_t i = 0; !next.instr && i < at.instr->operand_count; i++)
        next = any_active_of(at.scope, hlo_operand(at.instr, i));
    return next;
}

/* Elements of a state may depend on each other in a cycle: a path that long is useless. */
static void add_operands(path *to, place at) {
    enum { LONGEST = 4096 };
    for (int steps = 0; at.instr && steps < LONGEST; steps++, at = operand_of(at))
        hlo_list_push(to, at.instr);
}

/* ---- the error ---- */

/* Of a long path both ends. */
static void print_path(const path *names, hlo_buf *to) {
    enum { SHOWN = 12 };
    for (uint32_t i = 0; i < names->n; i++) {
        if (names->n > 2 * SHOWN && i == SHOWN) {
            hlo_buf_printf(to, " <- (%u more)", names->n - 2 * SHOWN);
            i = names->n - SHOWN;
        }
        const hlo_name *name = names->v[i]->name;
        hlo_buf_printf(to, "%s%.*s", i ? " <- " : "", (int)name->len, name->ptr);
    }
}

static void note_path(hlo_gradient *g, const hlo_instr *instr) {
    path names = {0};
    hlo_buf text = HLO_BUF_INIT;
    add_users(&names, (place){g->scope, instr, 0});
    add_operands(&names, any_active_of(g->scope, instr));
    print_path(&names, &text);
    hlo_note(g->diags, NULL, (hlo_span){0, 0}, "the result depends on a parameter through: %.*s",
             (int)text.len, text.data);
    hlo_buf_free(&text);
    hlo_list_free(&names);
}

bool hlo_gradient_refuse(hlo_gradient *g, const hlo_instr *instr, const char *why) {
    hlo_module *module = g->r->module;
    hlo_error(g->diags, HLO_RULE_GRADIENT, module->source, instr->at, "operation '%s' of %s %s",
              hlo_info(instr)->text, hlo_name_quoted(&module->arena, instr->name), why);
    note_path(g, instr);
    return false;
}
