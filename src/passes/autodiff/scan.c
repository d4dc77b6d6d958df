/* A scan as a loop, which has a gradient: see prepared.h. */
#include "passes/autodiff/prepared.h"
#include "passes/pipeline/expression.h"

/* Operands are inputs, then carried values; results are outputs, then carried values. */
typedef struct {
    hlo_computation *computation;
    uint32_t inputs, outputs, carries;
    int64_t dimension, steps;
    bool is_reverse;
} scan_form;

static const hlo_shape *part_of(const hlo_shape *shape, uint32_t i) {
    return hlo_shape_is_tuple(shape) ? shape->elements[i] : shape;
}

static uint32_t part_count(const hlo_shape *shape) {
    return hlo_shape_is_tuple(shape) ? shape->rank : 1;
}

static scan_form form_of(const hlo_instr *scan) {
    uint32_t carries = (uint32_t)hlo_attr_int(scan, HLO_ATTR_NUM_CARRIES);
    scan_form form = {.computation = hlo_called(scan, 0),
                      .inputs = scan->operand_count - carries,
                      .outputs = part_count(scan->shape) - carries,
                      .carries = carries,
                      .dimension = hlo_attr_ints(scan, HLO_ATTR_DIMENSIONS)->v[0],
                      .is_reverse = hlo_attr_int(scan, HLO_ATTR_IS_REVERSE) != 0};
    const hlo_shape *first = form.inputs ? hlo_operand(scan, 0)->shape : part_of(scan->shape, 0);
    form.steps = first->dims[form.dimension];
    return form;
}

/* Arrays of sizes that do not change. */
static bool is_plain(const hlo_instr *scan) {
    bool plain = !scan->shape->dynamic;
    for (uint32_t i = 0; i < scan->operand_count; i++)
        plain &= hlo_shape_is_array(hlo_operand(scan, i)->shape) &&
                 !hlo_operand(scan, i)->shape->dynamic;
    for (uint32_t i = 0; i < part_count(scan->shape); i++)
        plain &= hlo_shape_is_array(part_of(scan->shape, i));
    return plain;
}

/* The computation takes and gives numbers of the very types: it might be of another precision. */
static bool has_types(const hlo_instr *scan, const scan_form *form) {
    const hlo_shape *given = form->computation->root->shape;
    bool has = true;
    for (uint32_t i = 0; i < scan->operand_count; i++)
        has &= form->computation->parameters[i]->shape->type == hlo_operand(scan, i)->shape->type;
    for (uint32_t i = 0; i < form->outputs + form->carries; i++)
        has &= part_of(given, i)->type == part_of(scan->shape, i)->type;
    for (uint32_t i = 0; i < form->carries; i++)
        has &= part_of(given, form->outputs + i)->type ==
               hlo_operand(scan, form->inputs + i)->shape->type;
    return has;
}

/* Starts of the slice at the place, one for each dimension. */
static hlo_instr **starts_at(hlo_rewriter *r, const scan_form *form, hlo_instr *place,
                             uint32_t rank) {
    hlo_instr **starts = hlo_malloc((rank + 1u) * sizeof *starts);
    hlo_instr *zero = hlo_build_integer(r, place->shape, 0);
    for (uint32_t d = 0; d < rank; d++) starts[d] = d == form->dimension ? place : zero;
    return starts;
}

static hlo_instr *slice_at(hlo_rewriter *r, const scan_form *form, hlo_instr *a, hlo_instr *place,
                           const hlo_shape *slice) {
    uint32_t rank = a->shape->rank;
    hlo_instr **starts = starts_at(r, form, place, rank);
    int64_t *sizes = hlo_malloc((rank + 1u) * sizeof *sizes);
    for (uint32_t d = 0; d < rank; d++) sizes[d] = d == form->dimension ? 1 : a->shape->dims[d];
    hlo_instr *part = hlo_build_dynamic_slice(r, a, starts, sizes);
    hlo_free(starts);
    hlo_free(sizes);
    return hlo_emit_unary(r, HLO_OP_RESHAPE, slice, part);
}

static hlo_instr *with_slice(hlo_rewriter *r, const scan_form *form, hlo_instr *a, hlo_instr *slice,
                             hlo_instr *place) {
    uint32_t rank = a->shape->rank;
    hlo_instr **starts = starts_at(r, form, place, rank);
    int64_t *sizes = hlo_malloc((rank + 1u) * sizeof *sizes);
    for (uint32_t d = 0; d < rank; d++) sizes[d] = d == form->dimension ? 1 : a->shape->dims[d];
    hlo_instr *part = hlo_build_reshape(r, slice, sizes, rank);
    hlo_instr *out = hlo_build_dynamic_update(r, a, part, starts);
    hlo_free(starts);
    hlo_free(sizes);
    return out;
}

static hlo_instr *results_of_step(hlo_rewriter *r, const scan_form *form, hlo_instr *place,
                                  hlo_instr *const *carried, hlo_instr *const *inputs) {
    uint32_t n = form->inputs + form->carries;
    hlo_instr **args = hlo_malloc((n + 1u) * sizeof *args);
    for (uint32_t i = 0; i < form->inputs; i++)
        args[i] = slice_at(r, form, inputs[i], place, form->computation->parameters[i]->shape);
    for (uint32_t i = 0; i < form->carries; i++) args[form->inputs + i] = carried[i];
    hlo_instr *results = hlo_build_call(r, form->computation, args, n);
    hlo_free(args);
    return results;
}

static hlo_instr *place_of_iteration(hlo_rewriter *r, const scan_form *form, hlo_instr *iteration) {
    if (!form->is_reverse) return iteration;
    hlo_instr *last = hlo_build_integer(r, iteration->shape, form->steps - 1);
    return hlo_build_binary(r, HLO_OP_SUBTRACT, last, iteration);
}

/* State: outputs, carried values, inputs. */
static void step(hlo_rewriter *r, hlo_instr *iteration, hlo_instr **state, uint32_t n,
                 void *context) {
    const scan_form *form = context;
    (void)n;
    hlo_instr *place = place_of_iteration(r, form, iteration), **carried = state + form->outputs;
    hlo_instr *results = results_of_step(r, form, place, carried, carried + form->carries);
    bool is_tuple = hlo_shape_is_tuple(results->shape);
    for (uint32_t i = 0; i < form->outputs + form->carries; i++) {
        hlo_instr *result = is_tuple ? hlo_emit_element(r, results, i) : results;
        state[i] = i < form->outputs ? with_slice(r, form, state[i], result, place) : result;
    }
}

static hlo_instr *looped(hlo_rewriter *r, const hlo_instr *scan, scan_form *form) {
    uint32_t results = form->outputs + form->carries, n = 0;
    hlo_instr **state = hlo_malloc((results + form->inputs + 1u) * sizeof *state);
    for (uint32_t i = 0; i < form->outputs; i++)
        state[n++] = hlo_build_integer(r, part_of(scan->shape, i), 0);
    for (uint32_t i = 0; i < form->carries; i++) state[n++] = hlo_operand(scan, form->inputs + i);
    for (uint32_t i = 0; i < form->inputs; i++) state[n++] = hlo_operand(scan, i);
    hlo_instr *loop = hlo_build_whole_loop(r, form->steps, state, n, step, form);
    hlo_free(state);
    return loop;
}

hlo_instr *hlo_scan_as_loop(hlo_rewriter *r, hlo_instr *scan) {
    if (!is_plain(scan)) return NULL;
    scan_form form = form_of(scan);
    if (form.steps < 1 || form.steps > INT32_MAX || !has_types(scan, &form)) return NULL;
    hlo_instr *loop = looped(r, scan, &form);
    HLO_ASSERT(scan->opcode == HLO_OP_SCAN);
    if (!hlo_shape_is_tuple(scan->shape))
        return hlo_build_as(hlo_emit_element(r, loop, 1), scan->shape);
    hlo_instr **parts = hlo_malloc(scan->shape->rank * sizeof *parts);
    for (uint32_t i = 0; i < scan->shape->rank; i++)
        parts[i] = hlo_build_as(hlo_emit_element(r, loop, i + 1), scan->shape->elements[i]);
    hlo_instr *tuple = hlo_emit_tuple(r, parts, scan->shape->rank);
    hlo_free(parts);
    return tuple;
}
