/* Loops whose state is a list of values (XLA's loops.h): condition and body are functions of the
 * caller. */
#include "build/lib/scalars.h"

#include <stdio.h>

/* ---- computations ---- */

typedef struct {
    const hlo_shape *state;
    size_t count;
    const char *name;
} loop_shape;

static void split_into(hlo_builder *b, hlo_term tuple, hlo_term *parts, size_t count) {
    for (size_t i = 0; i < count; i++)
        parts[i] = hlo_builder_get_tuple_element(b, tuple, (int64_t)i);
}

/* Opens a computation of the state, which does not carry what the caller's instructions carry. */
static hlo_term *open_part(hlo_builder *b, const loop_shape *loop, const char *part) {
    char name[256];
    snprintf(name, sizeof name, "%s_%s", loop->name, part);
    hlo_builder_begin_scope(b);
    *b->scope = (hlo_builder_scope){.outer = b->scope->outer};
    hlo_builder_begin(b, name);
    hlo_term *values = HLO_NEW_ARRAY(&b->module->arena, hlo_term, loop->count + 1);
    hlo_builder_set_name(b, "parameter");
    split_into(b, hlo_builder_parameter(b, 0, loop->state), values, loop->count);
    return values;
}

static const hlo_computation *close_part(hlo_builder *b, hlo_term root) {
    const hlo_computation *c = hlo_builder_failed(b) || !root ? NULL : hlo_builder_end(b, root);
    hlo_builder_end_scope(b);
    return c;
}

static const hlo_computation *build_condition(hlo_builder *b, const loop_shape *loop,
                                              hlo_lib_loop_condition *condition, void *context) {
    hlo_term *values = open_part(b, loop, "condition");
    if (hlo_builder_failed(b)) return NULL;
    return close_part(b, condition(b, values, loop->count, context));
}

static const hlo_computation *build_body(hlo_builder *b, const loop_shape *loop,
                                         hlo_lib_loop_body *body, void *context) {
    hlo_term *values = open_part(b, loop, "body");
    if (hlo_builder_failed(b)) return NULL;
    hlo_term *updated = HLO_NEW_ARRAY(&b->module->arena, hlo_term, loop->count + 1);
    if (!body(b, values, updated, loop->count, context) && !hlo_builder_failed(b))
        hlo_builder_misuse(b, "the body of loop '%s' failed", loop->name);
    return close_part(b, hlo_builder_tuple(b, (hlo_instrs_list){loop->count, updated}));
}

bool hlo_lib_while_loop(hlo_builder *b, hlo_lib_loop_condition *condition, hlo_lib_loop_body *body,
                        hlo_instrs_list initial, const char *name, void *context,
                        const hlo_instr **results) {
    HLO_BUILDER_CALL(b, false);
    if (!condition || !body || !name || (initial.count && !results))
        hlo_builder_misuse(b, "%s: an argument is NULL", __func__);
    if (!hlo_builder_has_list(b, __func__, initial)) return false;
    hlo_term state = hlo_builder_tuple(b, initial);
    if (!state) return false;
    loop_shape loop = {state->shape, initial.count, name};
    const hlo_computation *test = build_condition(b, &loop, condition, context);
    const hlo_computation *step = test ? build_body(b, &loop, body, context) : NULL;
    hlo_term done = step ? hlo_builder_while(b, test, step, state) : NULL;
    if (!done) return false;
    split_into(b, done, results, initial.count);
    return !hlo_builder_failed(b);
}

/* ---- loops over an index ---- */

typedef struct {
    int64_t iterations;
    hlo_type type;
    hlo_lib_index_body *body;
    void *context;
} index_loop;

static hlo_term is_below(hlo_builder *b, const hlo_term *values, size_t count, void *context) {
    const index_loop *loop = context;
    (void)count;
    hlo_term limit = hlo_lib_integer(b, loop->type, loop->iterations);
    return hlo_builder_lt(b, values[0], limit, (hlo_int_list){0, NULL});
}

static bool step(hlo_builder *b, const hlo_term *values, hlo_term *updated, size_t count,
                 void *context) {
    const index_loop *loop = context;
    hlo_term one = hlo_lib_integer(b, loop->type, 1);
    updated[0] = hlo_builder_add(b, values[0], one, (hlo_int_list){0, NULL});
    return loop->body(b, values[0], values + 1, updated + 1, count - 1, loop->context);
}

bool hlo_lib_for_each_index(hlo_builder *b, int64_t iterations, hlo_element_type type,
                            hlo_lib_index_body *body, hlo_instrs_list initial, const char *name,
                            void *context, const hlo_instr **results) {
    HLO_BUILDER_CALL(b, false);
    if (!body || !name || (initial.count && !results))
        hlo_builder_misuse(b, "%s: an argument is NULL", __func__);
    else if (!hlo_element_type_bytes(type) || !hlo_type_is_integral(hlo_builder_type(type)))
        hlo_builder_misuse(b, "%s: type %d is no integer's", __func__, (int)type);
    if (!hlo_builder_has_list(b, __func__, initial)) return false;
    index_loop loop = {iterations, hlo_builder_type(type), body, context};
    size_t n = initial.count + 1;
    hlo_term *values = HLO_NEW_ARRAY(&b->module->arena, hlo_term, n);
    hlo_term *done = HLO_NEW_ARRAY(&b->module->arena, hlo_term, n);
    values[0] = hlo_lib_integer(b, loop.type, 0);
    for (size_t i = 1; i < n; i++) values[i] = initial.values[i - 1];
    if (!hlo_lib_while_loop(b, is_below, step, (hlo_instrs_list){n, values}, name, &loop, done))
        return false;
    for (size_t i = 1; i < n; i++) results[i - 1] = done[i];
    return true;
}
