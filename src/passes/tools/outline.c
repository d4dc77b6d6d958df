/* outline: instructions that are named, or whose op_names have a common prefix, become a separate
 * computation that is called in their place. What lies between them goes along, and constants that
 * they read. */
#include "analysis/call_graph.h"
#include "analysis/reachability.h"
#include "passes/pipeline/emit.h"

typedef struct {
    const hlo_pass_call *call;
    hlo_computation *from, *to;
    bool *members;       /* by hlo_instr.index of `from` */
    hlo_instr **copies;  /* in `to`: of members, constants, and parameters for the other operands */
    hlo_instr_list args; /* of the call */
    hlo_instr_list outputs;
} outlining;

static hlo_pass_result fail(const hlo_pass_call *call, const hlo_instr *at, const char *what,
                            hlo_str name) {
    hlo_source *source = at && at->at.hi ? call->module->source : NULL;
    hlo_error(call->diags, HLO_RULE_PIPELINE, source, at ? at->at : (hlo_span){0, 0},
              "outline: %s '%.*s'", what, (int)name.len, name.ptr);
    return HLO_PASS_FAILED;
}

static hlo_str name_of(const hlo_instr *instr) {
    return (hlo_str){instr->name->ptr, instr->name->len, 0};
}

/* ---- the new computation ---- */

static hlo_instr *new_parameter(outlining *o, hlo_instr *operand) {
    hlo_list_push(&o->args, operand);
    return hlo_parameter_new(o->to, operand->shape, "parameter", (int64_t)o->args.n - 1);
}

static hlo_instr *copied_operand(outlining *o, hlo_instr *operand) {
    hlo_instr **copy = &o->copies[operand->index];
    if (*copy) return *copy;
    *copy = operand->opcode == HLO_OP_CONSTANT ? hlo_instr_clone(operand, o->to, NULL, 0)
                                               : new_parameter(o, operand);
    return *copy;
}

static void copy_member(outlining *o, hlo_instr *instr) {
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    for (uint32_t k = 0; k < instr->operand_count; k++)
        operands[k] = copied_operand(o, hlo_operand(instr, k));
    hlo_instr *copy = hlo_instr_clone(instr, o->to, operands, instr->operand_count);
    hlo_instr_take_name(copy, instr->name);
    o->copies[instr->index] = copy;
    hlo_free(operands);
}

static bool is_output(const outlining *o, const hlo_instr *instr) {
    bool used = instr == o->from->root;
    for (const hlo_use *use = instr->first_use; use && !used; use = use->next)
        used = !o->members[use->user->index];
    return used;
}

static hlo_instr *new_root(outlining *o) {
    size_t n = o->outputs.n;
    if (n == 1) return o->copies[o->outputs.v[0]->index];
    const hlo_shape **shapes = hlo_malloc((n + 1) * sizeof *shapes);
    hlo_instr **parts = hlo_malloc((n + 1) * sizeof *parts);
    for (size_t i = 0; i < n; i++) {
        parts[i] = o->copies[o->outputs.v[i]->index];
        shapes[i] = parts[i]->shape;
    }
    hlo_module *module = o->from->module;
    hlo_name *name = hlo_fresh_name(module, "tuple");
    name->uses++;
    const hlo_shape *shape = hlo_shape_tuple(&module->shapes, shapes, (uint32_t)n);
    hlo_instr *root = hlo_instr_new(o->to, HLO_OP_TUPLE, shape, name, parts, (uint32_t)n, NULL, 0);
    hlo_free(shapes);
    hlo_free(parts);
    return root;
}

static void fill_outlined(outlining *o) {
    for (hlo_instr *i = o->from->first; i; i = i->next) {
        if (!o->members[i->index]) continue;
        copy_member(o, i);
        if (is_output(o, i)) hlo_list_push(&o->outputs, i);
    }
    o->to->root = new_root(o);
    o->to->execution_thread = o->from->execution_thread;
    hlo_computation_index_parameters(o->to);
}

/* ---- the call ---- */

static void tell_origin(const outlining *o, hlo_instr *call) {
    const char *prefix = HLO_TEXT_OPTION(o->call, OUTLINE, prefix);
    if (!prefix[0]) return;
    hlo_arena *arena = &o->from->module->arena;
    hlo_metadata *metadata = HLO_NEW(arena, hlo_metadata);
    hlo_str text = hlo_str_from(prefix);
    metadata->op_name = (hlo_str){hlo_arena_copy(arena, text.ptr, text.len), text.len, text.plain};
    hlo_instr_set_attr(call, (hlo_attr){.id = HLO_ATTR_METADATA, .u.metadata = metadata});
}

/* Users of the outputs now use the call's results, and are moved after it. */
static void put_call(outlining *o, hlo_instr *last) {
    hlo_rewriter *r = o->call->rewriter;
    hlo_attr callee = {.id = HLO_ATTR_TO_APPLY, .u.computation = o->to};
    bool *late = hlo_reach_users(o->from, o->members);
    hlo_rewriter_aim(r, last);
    hlo_instr *call =
        hlo_emit(r, HLO_OP_CALL, o->to->root->shape, o->args.v, (uint32_t)o->args.n, &callee, 1);
    tell_origin(o, call);
    hlo_instr_list results = {0};
    for (size_t i = 0; i < o->outputs.n; i++)
        hlo_list_push(&results, o->outputs.n == 1 ? call : hlo_emit_element(r, call, (int64_t)i));
    /* New instructions are inserted just before `last`; their number is 0. */
    for (hlo_instr *i = o->from->first, *next; i != last; i = next) {
        next = i->next;
        if (i == call) break;
        if (late[i->index] && !o->members[i->index]) hlo_instr_move_before(i, last);
    }
    for (size_t i = 0; i < o->outputs.n; i++)
        hlo_instr_replace_all_uses(o->outputs.v[i], results.v[i]);
    hlo_list_free(&results);
    hlo_free(late);
}

/* Members, and constants that only they read. */
static void remove_members(outlining *o, hlo_instr *last) {
    for (hlo_instr *i = last, *before; i; i = before) {
        before = i->prev;
        bool is_member = i->index && o->members[i->index];
        bool is_spare = i->opcode == HLO_OP_CONSTANT && i->index && o->copies[i->index] &&
                        !i->first_use && i != o->from->root;
        if (!is_member && !is_spare) continue;
        hlo_instr_remove(i);
        i->parent = NULL;
    }
}

/* ---- what to outline ---- */

/* Numbers from 1: new instructions have 0. */
static void number(hlo_computation *c) {
    uint32_t n = 0;
    for (hlo_instr *i = c->first; i; i = i->next) i->index = ++n;
}

/* One call, as outlining leaves it; or the computation does nothing else, and is no program. */
static bool is_outlined(const hlo_computation *c, const bool *members) {
    const hlo_instr *member = NULL;
    bool all = c != c->module->entry, one = true;
    for (const hlo_instr *i = c->first; i; i = i->next) {
        if (!members[i->index]) continue;
        one &= !member;
        member = i;
    }
    if (one && member && member->opcode == HLO_OP_CALL) return true;
    for (const hlo_instr *i = c->first; i && all; i = i->next)
        all = members[i->index] || i->opcode == HLO_OP_PARAMETER || i->opcode == HLO_OP_CONSTANT ||
              (i == c->root && i->opcode == HLO_OP_TUPLE);
    return all;
}

static hlo_name *computation_name(const hlo_pass_call *call) {
    const char *given = HLO_TEXT_OPTION(call, OUTLINE, name);
    hlo_str name = hlo_str_from(given[0] ? given : "outlined");
    char *copy = hlo_arena_zero(&call->module->arena, name.len + 1u);
    memcpy(copy, name.ptr, name.len);
    return hlo_fresh_name(call->module, copy);
}

static hlo_pass_result outline(const hlo_pass_call *call, hlo_computation *c, bool *members) {
    hlo_instr *last = NULL;
    hlo_reach_close(c, members);
    for (hlo_instr *i = c->first; i; i = i->next) {
        if (!members[i->index]) continue;
        last = i;
        if (hlo_is_tied(call->rewriter, i))
            return fail(call, i, "control dependencies tie", name_of(i));
    }
    if (!last || is_outlined(c, members)) return HLO_UNCHANGED;
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_outlined)) return HLO_UNCHANGED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_outlined, last->name);
    outlining o = {.call = call, .from = c, .members = members};
    o.copies = hlo_calloc(c->instr_count + 2u, sizeof *o.copies);
    o.to = hlo_computation_new(call->module, computation_name(call));
    fill_outlined(&o);
    put_call(&o, last);
    remove_members(&o, last);
    hlo_free(o.copies);
    hlo_list_free(&o.args);
    hlo_list_free(&o.outputs);
    return HLO_CHANGED;
}

/* The scope /a/b holds /a/b and /a/b/c, not /a/bc. */
static bool is_in_scope(const hlo_instr *instr, hlo_str prefix) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    hlo_str name = attr ? attr->u.metadata->op_name : (hlo_str){"", 0, 0};
    if (name.len < prefix.len || memcmp(name.ptr, prefix.ptr, prefix.len) != 0) return false;
    return name.len == prefix.len || name.ptr[prefix.len] == '/' ||
           prefix.ptr[prefix.len - 1] == '/';
}

static bool is_separator(char c) {
    return c == ' ' || c == ',' || c == '%';
}

/* The next name of the list at *at; empty at its end. */
static hlo_str next_name(const char **at) {
    while (is_separator(**at)) ++*at;
    const char *from = *at;
    while (**at && !is_separator(**at)) ++*at;
    return (hlo_str){from, (uint32_t)(*at - from), 0};
}

static hlo_instr *find(const hlo_module *module, hlo_str name) {
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            if (hlo_str_equal(name, name_of(i))) return i;
    return NULL;
}

static hlo_pass_result outline_named(const hlo_pass_call *call) {
    const char *at = HLO_TEXT_OPTION(call, OUTLINE, instructions);
    hlo_computation *c = NULL;
    bool *members = NULL;
    hlo_pass_result result = HLO_UNCHANGED;
    for (hlo_str name = next_name(&at); name.len && result == HLO_UNCHANGED;
         name = next_name(&at)) {
        hlo_instr *instr = find(call->module, name);
        if (!instr) {
            result = fail(call, NULL, "the module has no instruction", name);
        } else if (instr->opcode == HLO_OP_PARAMETER) {
            result = fail(call, instr, "a parameter has no producer", name);
        } else if (c && instr->parent != c) {
            result = fail(call, instr, "another computation than that of the first has", name);
        } else if (instr->parent->is_fusion_body || instr->parent->is_async_body) {
            result = fail(call, instr, "a computation that cannot call another has", name);
        } else {
            if (!c) number(instr->parent);
            if (!c) members = hlo_calloc(instr->parent->instr_count + 2u, sizeof *members);
            c = instr->parent;
            members[instr->index] = true;
        }
    }
    if (c && result == HLO_UNCHANGED) result = outline(call, c, members);
    hlo_free(members);
    return result;
}

/* Computations that run as a whole: others hold what is applied to elements. */
static bool runs_as_whole(const hlo_call_graph *graph, const hlo_computation *c) {
    const hlo_instr *caller = graph->caller[c->id];
    if (c->is_fusion_body || c->is_async_body) return false;
    return c == c->module->entry || (caller && hlo_info(caller)->class == HLO_CLASS_CONTROL);
}

static hlo_pass_result outline_scope(const hlo_pass_call *call) {
    hlo_str prefix = hlo_str_from(HLO_TEXT_OPTION(call, OUTLINE, prefix));
    hlo_call_graph graph;
    hlo_pass_result result = HLO_UNCHANGED;
    bool found = false;
    hlo_call_graph_init(&graph, call->module);
    for (uint32_t n = 0; n < graph.count && result != HLO_PASS_FAILED; n++) {
        hlo_computation *c = graph.order[n];
        if (!runs_as_whole(&graph, c)) continue;
        number(c);
        bool *members = hlo_calloc(c->instr_count + 2u, sizeof *members), any = false;
        for (const hlo_instr *i = c->first; i; i = i->next) {
            members[i->index] = i->opcode != HLO_OP_PARAMETER && is_in_scope(i, prefix);
            any |= members[i->index];
        }
        hlo_pass_result one = any ? outline(call, c, members) : HLO_UNCHANGED;
        if (one != HLO_UNCHANGED) result = one;
        found |= any;
        hlo_free(members);
    }
    hlo_call_graph_free(&graph);
    return found ? result : fail(call, NULL, "no instruction comes from", prefix);
}

hlo_pass_result hlo_pass_outline(const hlo_pass_call *call) {
    if (HLO_TEXT_OPTION(call, OUTLINE, instructions)[0]) return outline_named(call);
    if (HLO_TEXT_OPTION(call, OUTLINE, prefix)[0]) return outline_scope(call);
    return HLO_UNCHANGED;
}
