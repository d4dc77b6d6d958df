/* Copies of bodies in the place of calls: see inline.h. */
#include "passes/pipeline/inline.h"

#include "analysis/call_graph.h"
#include "ir/call_metadata.h"
#include "passes/pipeline/emit.h"
#include "passes/pipeline/relay.h"
#include "shape/compatible.h"
#include "shape/infer.h"

/* ---- arguments ---- */

/* Whether the instruction of the body still has its shape. */
static bool takes_one(const hlo_instr *user, const hlo_instr *caller, uint32_t first) {
    hlo_instr **operands = hlo_malloc((user->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < user->operand_count; i++) {
        hlo_instr *operand = hlo_operand(user, i);
        if (operand->opcode == HLO_OP_PARAMETER)
            operand = hlo_operand(
                caller, first + (uint32_t)hlo_attr_int(operand, HLO_ATTR_PARAMETER_NUMBER));
        operands[i] = operand;
    }
    hlo_diags unheard;
    hlo_diags_init(&unheard);
    hlo_draft draft = {.computation = user->parent,
                       .name = user->name,
                       .opcode = (hlo_opcode)user->opcode,
                       .shape = user->shape,
                       .operands = operands,
                       .operand_count = user->operand_count,
                       .attrs = user->attrs,
                       .attr_count = user->attr_count,
                       .diags = &unheard};
    const hlo_shape *shape = hlo_infer(&draft, true);
    bool fits = shape && hlo_shapes_compatible(shape, user->shape, HLO_IGNORE_FP_PRECISION);
    hlo_diags_drop(&unheard);
    hlo_free(operands);
    return fits;
}

bool hlo_inline_accepts(const hlo_computation *body, const hlo_instr *caller, uint32_t first) {
    for (uint32_t i = 0; i < body->parameter_count; i++) {
        const hlo_instr *parameter = body->parameters[i];
        const hlo_shape *given = hlo_operand(caller, first + i)->shape;
        if (!given->dynamic || given == parameter->shape) continue;
        for (const hlo_use *use = parameter->first_use; use; use = use->next)
            if (!takes_one(use->user, caller, first)) return false;
    }
    return true;
}

/* ---- bodies ---- */

static void copy_control(hlo_rewriter *r, const hlo_instr *from, hlo_instr *to,
                         hlo_instr *const *copies) {
    const hlo_attr *control = hlo_instr_attr(from, HLO_ATTR_CONTROL_PREDECESSORS);
    if (!control || control->u.instructions->n == 0) return;
    const hlo_instrs *old = control->u.instructions;
    hlo_instr_list list = {0};
    for (uint32_t i = 0; i < old->n; i++) hlo_list_push(&list, copies[old->v[i]->index]);
    hlo_set_control_predecessors(r, to, &list);
    hlo_list_free(&list);
}

static hlo_instr *copy_one(hlo_rewriter *r, hlo_instr *instr, hlo_instr *const *copies) {
    hlo_instr **operands = hlo_malloc((instr->operand_count + 1u) * sizeof *operands);
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = hlo_emit_as_read(r, instr, i, copies[hlo_operand(instr, i)->index]);
    hlo_instr *copy = hlo_instr_clone(instr, r->target->parent, operands, instr->operand_count);
    hlo_instr_own_body(copy, "clone");
    hlo_instr_move_before(copy, r->target);
    hlo_list_push(&r->fresh, copy);
    hlo_free(operands);
    copy_control(r, instr, copy, copies);
    return copy;
}

bool hlo_inline_fits(hlo_rewriter *r, const hlo_computation *body) {
    enum { SMALL = 1 << 18, TIMES = 16 };
    hlo_rewrite_log *log = r->log;
    if (!log->most_inlined) {
        log->most_inlined = SMALL;
        for (const hlo_computation *c = r->module->first; c; c = c->next)
            log->most_inlined += TIMES * (uint64_t)c->instr_count;
    }
    bool fits = body->instr_count <= log->most_inlined - log->inlined;
    if (!fits) log->inlining_ended = true;
    return fits;
}

void hlo_inline_count(hlo_rewriter *r, const hlo_computation *body) {
    if (r->log) r->log->inlined += body->instr_count;
}

/* Instructions stand in definition order, so that the copies of operands are there. */
hlo_instr *hlo_inline_body(hlo_rewriter *r, hlo_computation *body, hlo_instr *const *args) {
    hlo_inline_count(r, body);
    hlo_number_instructions(body);
    hlo_instr **copies = hlo_calloc(body->instr_count + 1u, sizeof *copies);
    for (hlo_instr *i = body->first; i; i = i->next) {
        if (i->opcode == HLO_OP_PARAMETER)
            copies[i->index] = args[hlo_attr_int(i, HLO_ATTR_PARAMETER_NUMBER)];
        else copies[i->index] = copy_one(r, i, copies);
    }
    hlo_instr *root = copies[body->root->index];
    hlo_free(copies);
    return root;
}

/* `value` NULL: any. */
static bool has_value(const hlo_instr *call, const char *key, const char *value) {
    const hlo_str *said = hlo_frontend_value(call, key);
    return said && (!value || hlo_str_is(*said, value));
}

/* xla_late means: not before a compiler's last passes. */
bool hlo_is_noinline(const hlo_instr *call) {
    return has_value(call, "inlineable", "false") || has_value(call, "inlineable", "xla_late");
}

bool hlo_is_in_scheduling_group(const hlo_instr *instr) {
    return has_value(instr, "_scheduling_group_id", NULL);
}

/* ---- calls ---- */

/* Calls that lead to another thread keep their computation; a configuration is for a compiler that
 * makes something else of the call. */
static bool may_be_inlined(const hlo_inlining *in, const hlo_instr *call) {
    const hlo_computation *body = hlo_called(call, 0);
    bool is_composite = hlo_attr_int(call, HLO_ATTR_IS_COMPOSITE) != 0;
    if (!in->takes_configured && hlo_instr_attr(call, HLO_ATTR_BACKEND_CONFIG)) return false;
    if (call->opcode != HLO_OP_CALL || !body || !body->root || hlo_is_noinline(call)) return false;
    if (call->parent->is_async_body) return false; /* nothing but the call belongs there */
    if (is_composite ? !in->takes_composite : !in->takes_plain) return false;
    return hlo_str_equal(body->execution_thread, call->parent->execution_thread) &&
           body->parameter_count == call->operand_count && body->root->shape == call->shape;
}

bool hlo_ties_parameters(const hlo_computation *body) {
    for (uint32_t i = 0; i < body->parameter_count; i++) {
        const hlo_attr *control =
            hlo_instr_attr(body->parameters[i], HLO_ATTR_CONTROL_PREDECESSORS);
        if (control && control->u.instructions->n) return true;
    }
    return false;
}

/* What names the composite would be inherited by what it consists of. */
static void drop_composite_keys(hlo_instr *call) {
    static const char *const keys[] = {"composite.attributes", "composite.name",
                                       "composite.version"};
    const hlo_attr *attr = hlo_instr_attr(call, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (!attr || !hlo_attr_int(call, HLO_ATTR_IS_COMPOSITE)) return;
    const hlo_frontend *old = attr->u.frontend;
    hlo_frontend *kept =
        hlo_arena_copy(&call->parent->module->arena, old, sizeof *old + old->n * sizeof old->v[0]);
    kept->n = 0;
    for (uint32_t i = 0; i < old->n; i++) {
        bool goes = false;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            goes |= hlo_str_is(old->v[i].key, keys[k]);
        if (!goes) kept->v[kept->n++] = old->v[i];
    }
    hlo_instr_remove_attr(call, HLO_ATTR_FRONTEND_ATTRIBUTES);
    if (kept->n)
        hlo_instr_set_attr(call,
                           (hlo_attr){.id = HLO_ATTR_FRONTEND_ATTRIBUTES, .u.frontend = kept});
}

static const hlo_origin *first_leaf(const hlo_origin *origin) {
    while (origin && origin->form == HLO_ORIGIN_TUPLE)
        origin = origin->n ? origin->elements[0] : NULL;
    return origin;
}

/* A copy of the tree in which the names of arrays come after that of the call. */
static const hlo_origin *origin_within(hlo_arena *arena, hlo_str call, const hlo_origin *origin) {
    hlo_origin *made = hlo_arena_copy(arena, origin, sizeof *origin);
    if (origin->form == HLO_ORIGIN_LEAF) {
        char *name = hlo_arena_alloc(arena, call.len + 1u + origin->name.len);
        memcpy(name, call.ptr, call.len);
        name[call.len] = '/';
        memcpy(name + call.len + 1, origin->name.ptr, origin->name.len);
        made->name = (hlo_str){name, call.len + 1 + origin->name.len, 0};
    }
    if (origin->form != HLO_ORIGIN_TUPLE) return made;
    const hlo_origin **elements = HLO_NEW_ARRAY(arena, const hlo_origin *, origin->n);
    for (uint32_t i = 0; i < origin->n; i++)
        elements[i] = origin_within(arena, call, origin->elements[i]);
    made->elements = elements;
    return made;
}

/* Arrays of the original program are known by the calls that led to them: where that of this one
 * is not known, neither are those. */
static void place_origin(const hlo_instr *call, hlo_instr *copy) {
    const hlo_attr *own = hlo_instr_attr(copy, HLO_ATTR_ORIGIN);
    const hlo_attr *outer = hlo_instr_attr(call, HLO_ATTR_ORIGIN);
    if (!own || (outer && outer->u.origin->form == HLO_ORIGIN_SYNTHETIC)) return;
    const hlo_origin *leaf = outer ? first_leaf(outer->u.origin) : NULL;
    if (!leaf || leaf->form != HLO_ORIGIN_LEAF) {
        hlo_instr_remove_attr(copy, HLO_ATTR_ORIGIN);
    } else if (leaf->name.len && own->u.origin->form != HLO_ORIGIN_SYNTHETIC) {
        hlo_arena *arena = &copy->parent->module->arena;
        hlo_attr attr = {.id = HLO_ATTR_ORIGIN};
        attr.u.origin = origin_within(arena, leaf->name, own->u.origin);
        hlo_instr_set_attr(copy, attr);
    }
}

/* Origins and metadata of the copies, from their own and those of the call. */
static void place_copies(const hlo_inlining *in, hlo_frame_rows *rows, const hlo_instr *call) {
    static const hlo_metadata none;
    hlo_rewriter *r = in->pass->rewriter;
    const hlo_attr *attr = hlo_instr_attr(call, HLO_ATTR_METADATA);
    const hlo_metadata *metadata = attr ? attr->u.metadata : &none;
    for (size_t i = 0; i < r->fresh.n; i++) {
        place_origin(call, r->fresh.v[i]);
        hlo_metadata_within(rows, metadata, r->fresh.v[i]);
    }
    r->keeps_metadata = true;
}

/* What goes on through the calls of a module. */
typedef struct {
    const hlo_inlining *in;
    hlo_call_graph graph;
    hlo_frame_rows rows;
    hlo_relays relays; /* of the calls of a computation that are gone */
} inliner;

static bool inline_call(inliner *n, hlo_instr *call) {
    const hlo_inlining *in = n->in;
    hlo_rewriter *r = in->pass->rewriter;
    hlo_computation *body = hlo_called(call, 0);
    if (!hlo_rewrite_allowed(r, in->id) || hlo_ties_parameters(body) ||
        !hlo_inline_accepts(body, call, 0) || !hlo_inline_fits(r, body))
        return false;
    hlo_instr **args = hlo_malloc((call->operand_count + 1u) * sizeof *args);
    for (uint32_t i = 0; i < call->operand_count; i++) args[i] = hlo_operand(call, i);
    hlo_rewriter_aim(r, call);
    hlo_instr *root = hlo_inline_body(r, body, args);
    hlo_free(args);
    bool is_tied = hlo_is_tied(r, call);
    if (is_tied) hlo_relay_call(&n->relays, r, &n->graph, call, root);
    place_copies(in, &n->rows, call);
    const hlo_attr *keys = hlo_instr_attr(call, HLO_ATTR_FRONTEND_ATTRIBUTES);
    hlo_attr kept = keys ? *keys : (hlo_attr){0};
    drop_composite_keys(call);
    bool good = hlo_rewrite_replace_tied(r, in->id, call, root);
    HLO_ASSERT(good || (call->parent && hlo_called(call, 0)));
    if (!good && keys) hlo_instr_set_attr(call, kept);
    if (is_tied && !good) hlo_relay_withdraw(&n->relays);
    r->keeps_metadata = false;
    return good;
}

hlo_pass_result hlo_inline_calls(const hlo_inlining *in) {
    const hlo_pass_call *pass = in->pass;
    inliner all = {.in = in};
    bool changed = false;
    int64_t size = 0;
    hlo_call_graph_init(&all.graph, pass->module);
    hlo_computation **order = all.graph.order;
    for (uint32_t n = 0; n < all.graph.count; n++) size += order[n]->instr_count;
    for (uint32_t n = all.graph.count; n-- > 0;) {
        for (hlo_instr *i = order[n]->first, *next; i; i = next) {
            next = i->next;
            if (!may_be_inlined(in, i)) continue;
            size += hlo_called(i, 0)->instr_count;
            if (size > in->most) break;
            changed |= inline_call(&all, i);
        }
        hlo_relay_successors(&all.relays, pass->rewriter, order[n]);
    }
    if (size > in->most)
        hlo_warning(
            pass->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0},
            "%s: some calls are not inlined, the module would have more than %lld instructions",
            hlo_passes[pass->pass].name, (long long)in->most);
    hlo_frame_rows_free(&all.rows);
    hlo_call_graph_free(&all.graph);
    return changed ? HLO_CHANGED : HLO_UNCHANGED;
}
