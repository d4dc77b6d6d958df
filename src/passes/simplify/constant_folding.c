/* constant_folding: the evaluator computes what depends on constants alone; the result becomes a
 * constant. Operands are constants, broadcasts of them, or iotas. Broadcasts and iotas themselves
 * stay, since they are small; is_foldable_op lists what else stays. */
#include "analysis/cost.h"
#include "analysis/match.h"
#include "eval/run/thread.h"
#include "eval/value/value_memory.h"
#include "passes/pipeline/emit.h"
#include "shape/verify.h"

typedef struct {
    const hlo_pass_call *call;
    hlo_call_graph graph;
    bool *is_foldable; /* by computation id: all that is in it may be evaluated here */
    hlo_cost *costs;
    hlo_diags unheard; /* what the evaluator cannot do is not folded */
    bool changed;
} folding;

/* ---- what may be folded ---- */

/* Kernels trust the types of their operands. */
static bool has_kernel(const folding *f, const hlo_instr *instr) {
    return !f->call->module->is_lenient || hlo_has_plain_shapes(instr);
}

/* Loops, random numbers, transforms, calls of foreign code and all that communicates with hosts or
 * other devices stay. */
static bool is_foldable_op(const folding *f, const hlo_instr *instr) {
    if (!has_kernel(f, instr)) return false;
    switch ((hlo_op_class)hlo_info(instr)->class) {
    case HLO_CLASS_RANDOM:
    case HLO_CLASS_COLLECTIVE:
    case HLO_CLASS_HOST: return false;
    default: break;
    }
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_FFT:
    case HLO_OP_WHILE:
    case HLO_OP_AFTER_ALL:
    case HLO_OP_ADD_DEPENDENCY:
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_DOMAIN:
    case HLO_OP_CUSTOM_CALL:
    case HLO_OP_FUSION:
    case HLO_OP_ASYNC_START:
    case HLO_OP_ASYNC_UPDATE:
    case HLO_OP_ASYNC_DONE: return false;
    default: return !instr->shape->dynamic;
    }
}

static bool callees_are_foldable(const folding *f, const hlo_instr *instr) {
    const hlo_computation *called;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++)
        if (!f->is_foldable[called->id]) return false;
    return true;
}

/* Callees come first. */
static void find_foldable(folding *f) {
    for (uint32_t n = f->graph.count; n-- > 0;) {
        const hlo_computation *c = f->graph.order[n];
        bool foldable = !f->graph.has_side_effect[c->id];
        for (const hlo_instr *i = c->first; i && foldable; i = i->next)
            foldable = is_foldable_op(f, i) && callees_are_foldable(f, i);
        f->is_foldable[c->id] = foldable;
    }
}

static bool is_known(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_CONSTANT || instr->opcode == HLO_OP_IOTA ||
           (instr->opcode == HLO_OP_BROADCAST && hlo_operand(instr, 0)->opcode == HLO_OP_CONSTANT);
}

static bool can_be_folded(const folding *f, const hlo_instr *instr) {
    bool some_constant = false;
    int64_t elements = hlo_shape_elements(instr->shape),
            most = HLO_OPTION(f->call, CONSTANT_FOLDING, max_elements);
    if (elements < 0 || elements > most) return false;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        int64_t n = hlo_shape_elements(operand->shape);
        if (!is_known(operand) || n < 0 || n > most || operand->shape->dynamic) return false;
        some_constant |= operand->opcode == HLO_OP_CONSTANT;
    }
    return some_constant;
}

static bool may_be_folded(const folding *f, const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER:
    case HLO_OP_CONSTANT:
    case HLO_OP_BROADCAST:
    case HLO_OP_IOTA:
    case HLO_OP_COPY: return false;
    default: break;
    }
    return hlo_shape_is_array(instr->shape) && can_be_folded(f, instr) &&
           is_foldable_op(f, instr) && !hlo_instr_has_side_effect(instr) &&
           callees_are_foldable(f, instr) &&
           hlo_instr_cost(instr, f->costs).flops <=
               (double)HLO_OPTION(f->call, CONSTANT_FOLDING, max_flops);
}

/* ---- folding ---- */

static hlo_value *run_program(folding *f, const hlo_program *program, hlo_value *const *args,
                              uint32_t count) {
    hlo_device *device = hlo_device_new(program, NULL);
    hlo_thread *thread = hlo_thread_new(device, NULL, &f->unheard);
    hlo_value *value = hlo_thread_run(thread, args, count);
    if (hlo_thread_lacks_memory(thread))
        hlo_out_of_memory_for("a constant"); /* not to be seen in the result */
    hlo_thread_free(thread);
    hlo_device_free(device);
    return value;
}

/* NULL when the evaluator cannot do it, or may not: the value is too large. */
static hlo_value *run_instr(folding *f, const hlo_instr *instr, hlo_value *const *args) {
    hlo_program_options options = {.max_bytes = 1 << 30, .plain_functions = true};
    if (!has_kernel(f, instr)) return NULL;
    hlo_program *program = hlo_program_of_instr(f->call->module, instr, &options, &f->unheard);
    hlo_value *value = program ? run_program(f, program, args, instr->operand_count) : NULL;
    hlo_program_free(program);
    return value;
}

/* Iotas and broadcasts that are operands are computed for the fold only, and stay instructions.
 * What a text elides has no value: a fold of it would look like one. */
static hlo_value *value_of(folding *f, const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_CONSTANT) {
        if (hlo_literal_is_elided(hlo_constant_of(instr))) return NULL;
        hlo_value *value = hlo_value_from_literal(hlo_constant_of(instr));
        if (!value) hlo_out_of_memory_for("a constant");
        return value;
    }
    if (instr->opcode == HLO_OP_IOTA) return run_instr(f, instr, NULL);
    hlo_value *operand = value_of(f, hlo_operand(instr, 0));
    hlo_value *value = operand ? run_instr(f, instr, &operand) : NULL;
    hlo_value_release(operand);
    return value;
}

static hlo_value *evaluate(folding *f, const hlo_instr *instr) {
    uint32_t n = instr->operand_count;
    hlo_value **args = hlo_calloc(n + 1, sizeof *args), *value = NULL;
    bool good = true;
    for (uint32_t i = 0; i < n; i++) good &= (args[i] = value_of(f, hlo_operand(instr, i))) != NULL;
    if (good) value = run_instr(f, instr, args);
    for (uint32_t i = 0; i < n; i++) hlo_value_release(args[i]);
    hlo_free(args);
    return value;
}

static void fold(folding *f, hlo_instr *instr) {
    hlo_rewriter *r = f->call->rewriter;
    if (!hlo_rewrite_allowed(r, HLO_REWRITE_fold_constant) || hlo_is_tied(r, instr)) return;
    hlo_value *value = evaluate(f, instr);
    if (value && !value->sizes) {
        hlo_literal *literal = hlo_literal_new_raw(&r->module->arena, instr->shape);
        int64_t bytes = hlo_shape_bytes(instr->shape);
        if (bytes > 0) memcpy(literal->data, value->data, (size_t)bytes);
        hlo_rewriter_aim(r, instr);
        hlo_instr *constant = hlo_emit_constant(r, literal);
        f->changed |= hlo_rewrite_replace(r, HLO_REWRITE_fold_constant, instr, constant);
    }
    hlo_value_release(value);
}

hlo_pass_result hlo_pass_constant_folding(const hlo_pass_call *call) {
    folding f = {.call = call};
    hlo_diags_init(&f.unheard);
    hlo_call_graph_init(&f.graph, call->module);
    f.is_foldable = hlo_calloc(call->module->next_id + 1u, sizeof *f.is_foldable);
    f.costs = hlo_computation_costs(&f.graph);
    find_foldable(&f);
    for (uint32_t n = f.graph.count; n-- > 0 && !hlo_rewriter_is_done(call->rewriter);) {
        hlo_computation *c = f.graph.order[n];
        if (c->is_fusion_body) continue;
        for (hlo_instr *i = c->first, *next; i; i = next) {
            next = i->next;
            if (may_be_folded(&f, i)) fold(&f, i);
        }
    }
    hlo_free(f.is_foldable);
    hlo_free(f.costs);
    hlo_call_graph_free(&f.graph);
    hlo_diags_drop(&f.unheard);
    return f.changed ? HLO_CHANGED : HLO_UNCHANGED;
}
