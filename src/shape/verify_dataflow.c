/* Rules of dataflow graphs and of stacks: static frames, loops, pairs of edges between devices, and
 * handles that are used once. */
#include "base/list.h"
#include "ir/frames.h"
#include "shape/verifier.h"

static void report_fault(void *context, hlo_rule rule, const hlo_instr *instr,
                         const hlo_instr *other, const char *message) {
    hlo_verify_fail(context, rule, instr, "%s", message);
    if (other) hlo_verify_note(context, other, "the other is here");
}

/* ---- loops ---- */

/* A merge with a next-iteration has one operand besides, an enter of the same frame. */
static void check_loop_merge(hlo_verifier *v, const hlo_static_frames *frames,
                             const hlo_instr *merge) {
    HLO_ASSERT(merge->opcode == HLO_OP_MERGE);
    const hlo_instr *next = hlo_back_edge(merge), *enter = hlo_operand(merge, 0);
    if (merge->operand_count != 1 || enter->opcode != HLO_OP_ENTER)
        hlo_verify_fail(v, HLO_RULE_LOOP, merge,
                        "a loop is merged from one enter and one next-iteration");
    else if (hlo_attr_int(enter, HLO_ATTR_IS_CONSTANT))
        hlo_verify_fail(v, HLO_RULE_LOOP, merge, "the enter is constant");
    else if (frames->of[next->index] != frames->of[enter->index])
        hlo_verify_fail(v, HLO_RULE_LOOP, merge, "the next-iteration is in another frame");
    else if (!hlo_shape_compatible(next->shape, merge->shape))
        hlo_verify_fail(v, HLO_RULE_FLOW_VALUE, merge, "the next iteration's value is %s, not %s",
                        hlo_verify_text(v, next->shape), hlo_verify_text(v, merge->shape));
}

static void check_merge(hlo_verifier *v, const hlo_static_frames *frames, const hlo_instr *merge) {
    HLO_ASSERT(merge->opcode == HLO_OP_MERGE);
    if (hlo_is_loop_merge(merge)) check_loop_merge(v, frames, merge);
    else if (merge->operand_count < 2)
        hlo_verify_fail(v, HLO_RULE_LOOP, merge, "there is one value to merge, not two or more");
}

static void check_frames(hlo_verifier *v, const hlo_static_frames *frames) {
    for (uint32_t i = 1; i < frames->count; i++) {
        const hlo_static_frame *frame = &frames->v[i];
        if (!frame->variable_count)
            hlo_verify_fail(v, HLO_RULE_LOOP, frame->enter,
                            "the frame has no enter that is not constant");
        else if (!frame->next_count)
            hlo_verify_fail(v, HLO_RULE_LOOP, frame->enter, "the frame has no next-iteration");
    }
}

/* ---- uses ---- */

/* The pair is no value that flows. */
static void check_switch_users(hlo_verifier *v, const hlo_instr *decides) {
    HLO_ASSERT(decides->opcode == HLO_OP_SWITCH);
    for (const hlo_use *use = decides->first_use; use; use = use->next)
        if (use->user->opcode != HLO_OP_GET_TUPLE_ELEMENT)
            hlo_verify_fail(v, HLO_RULE_SWITCH_READ, use->user,
                            "a switch is read by get-tuple-element only");
    if (decides == decides->parent->root)
        hlo_verify_fail(v, HLO_RULE_SWITCH_READ, decides, "the pair is no result");
}

static void check_instr(hlo_verifier *v, const hlo_static_frames *frames, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_MERGE) check_merge(v, frames, instr);
    if (instr->opcode == HLO_OP_SWITCH) check_switch_users(v, instr);
}

/* ---- edges between devices ---- */

typedef HLO_LIST(const hlo_instr *) edge_ends;

static hlo_str key_of(const hlo_instr *end) {
    return *hlo_instr_attr(end, HLO_ATTR_KEY)->u.string;
}

static const hlo_shape *carried(const hlo_instr *end) {
    return end->opcode == HLO_OP_EDGE_SEND ? hlo_operand(end, 0)->shape : end->shape;
}

/* The end of the other kind with the same key; *count: how many ends of this kind have it. */
static const hlo_instr *other_end(const edge_ends *ends, const hlo_instr *end, uint32_t *count) {
    const hlo_instr *other = NULL;
    *count = 0;
    for (uint32_t i = 0; i < ends->n; i++) {
        if (!hlo_str_equal(key_of(ends->v[i]), key_of(end))) continue;
        if (ends->v[i]->opcode == end->opcode) ++*count;
        else other = ends->v[i];
    }
    return other;
}

static void check_edge(hlo_verifier *v, const edge_ends *ends, const hlo_instr *end) {
    uint32_t count;
    const hlo_instr *other = other_end(ends, end, &count);
    if (count > 1) {
        hlo_verify_fail(v, HLO_RULE_EDGE_PAIR, end, "%u have the same key", count);
    } else if (!other) {
        hlo_verify_fail(v, HLO_RULE_EDGE_PAIR, end, "there is no %s with this key",
                        end->opcode == HLO_OP_EDGE_SEND ? "edge-recv" : "edge-send");
    } else if (!hlo_shape_same_array(carried(end), carried(other))) {
        hlo_verify_fail(v, HLO_RULE_EDGE_PAIR, end, "%s is sent, %s is received",
                        hlo_verify_text(v, carried(end)), hlo_verify_text(v, carried(other)));
    }
}

static void collect_ends(const hlo_module *module, edge_ends *ends) {
    for (const hlo_instr *i = module->entry->first; i; i = i->next)
        if (i->opcode == HLO_OP_EDGE_SEND || i->opcode == HLO_OP_EDGE_RECV) hlo_list_push(ends, i);
}

static void check_edges(hlo_verifier *v) {
    edge_ends ends = {0};
    for (const hlo_module *m = v->first; m; m = m->next_device) collect_ends(m, &ends);
    for (uint32_t i = 0; i < ends.n; i++)
        if (ends.v[i]->parent->module == v->module) check_edge(v, &ends, ends.v[i]);
    hlo_list_free(&ends);
}

/* ---- the graph ---- */

/* The text is refused before; messages and builders come here. */
void hlo_verify_dataflow_header(hlo_verifier *v) {
    if (hlo_module_flag(v->module, HLO_ATTR_IS_DATAFLOW)) return;
    for (const hlo_computation *c = v->module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (hlo_info(i)->flags & HLO_OP_IS_DATAFLOW)
                hlo_verify_fail(v, HLO_RULE_DATAFLOW_HEADER, i,
                                "the header of the module has no is_dataflow=true");
}

void hlo_verify_dataflow(hlo_verifier *v) {
    hlo_computation *entry = v->module->entry;
    if (!hlo_module_flag(v->module, HLO_ATTR_IS_DATAFLOW)) return;
    hlo_static_frames frames = hlo_static_frames_find(v->module, report_fault, v);
    for (const hlo_instr *i = entry->first; i && !v->failed; i = i->next)
        check_instr(v, &frames, i);
    if (!v->failed) check_frames(v, &frames);
    if (frames.of[entry->root->index])
        hlo_verify_fail(v, HLO_RULE_FRAME, entry->root, "the result is inside of a frame");
    hlo_static_frames_free(&frames);
    check_edges(v);
}

/* ---- stacks ---- */

static bool is_handle(const hlo_instr *instr) {
    return instr->shape->type == HLO_OPAQUE;
}

static bool changes_stack(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_STACK_PUSH || instr->opcode == HLO_OP_STACK_POP;
}

static bool is_same_element(const hlo_instr *a, const hlo_instr *b) {
    return a->opcode == HLO_OP_GET_TUPLE_ELEMENT && b->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
           hlo_operand(a, 0) == hlo_operand(b, 0) &&
           hlo_attr_int(a, HLO_ATTR_INDEX) == hlo_attr_int(b, HLO_ATTR_INDEX);
}

/* Follows the users of `handle`; *change is the one that changed the stack, or NULL before. */
static bool check_users(hlo_verifier *v, const hlo_instr *handle, const hlo_instr **change) {
    for (const hlo_use *use = handle->first_use; use; use = use->next) {
        if (*change) {
            hlo_verify_fail(v, HLO_RULE_STACK_HANDLE, use->user,
                            "the handle is of a stack that was changed since");
            hlo_verify_note(v, *change, "it is changed here");
            return false;
        }
        if (changes_stack(use->user)) *change = use->user;
    }
    return true;
}

/* The first of the instructions that take the same element checks all of them. */
static void check_elements(hlo_verifier *v, const hlo_instr *handle) {
    const hlo_instr *change = NULL;
    bool is_first = true, is_good = true;
    for (const hlo_use *use = hlo_operand(handle, 0)->first_use; use && is_good; use = use->next) {
        if (!is_same_element(use->user, handle)) continue;
        if (is_first && use->user != handle) return;
        is_first = false;
        is_good = check_users(v, use->user, &change);
    }
}

/* A push or pop changes the stack, so that nothing else may use the handle that it was given,
 * whichever instruction took it out of a tuple. */
static void check_handle(hlo_verifier *v, const hlo_instr *handle) {
    const hlo_instr *change = NULL;
    if (!is_handle(handle)) return;
    if (handle->opcode == HLO_OP_GET_TUPLE_ELEMENT) check_elements(v, handle);
    else check_users(v, handle, &change);
}

void hlo_verify_stacks(hlo_verifier *v) {
    for (const hlo_computation *c = v->module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) check_handle(v, i);
}
