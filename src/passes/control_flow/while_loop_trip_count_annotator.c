/* while-loop-trip-count-annotator: writes what is known of a loop's induction variable to its
 * backend_config as XLA's back ends read it, and replaces its final value by a constant. */
#include "passes/control_flow/loop_config.h"
#include "passes/control_flow/loops.h"

/* XLA's annotation covers induction variables that count up from 0 or more. */
static bool is_told_of(const hlo_iterations *iterations) {
    return iterations->init >= 0 && iterations->step > 0 && iterations->count > 0;
}

static const hlo_str *config_of(hlo_rewriter *r, const hlo_iterations *iterations) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_printf(&text, "{\"known_trip_count\":{\"n\":\"%lld\"}", (long long)iterations->count);
    if (is_told_of(iterations))
        hlo_buf_printf(&text, ",\"known_init_step\":{\"init\":\"%lld\",\"step\":\"%lld\"}",
                       (long long)iterations->init, (long long)iterations->step);
    if (iterations->element != HLO_WHOLE_STATE)
        hlo_buf_printf(&text, ",\"known_induction_variable\":{\"tuple_index\":\"%lld\"}",
                       (long long)iterations->element);
    hlo_buf_cstr(&text, ",\"dynamic_variables\":[]}");
    hlo_arena *arena = &r->module->arena;
    hlo_str config = {hlo_arena_copy(arena, text.data, text.len), (uint32_t)text.len, 0};
    hlo_buf_free(&text);
    return hlo_arena_copy(arena, &config, sizeof config);
}

/* After the loop the counter is where it stopped. */
static void forward_counter(hlo_flow_walk *walk, hlo_instr *loop,
                            const hlo_iterations *iterations) {
    hlo_rewriter *r = walk->rewriter;
    int64_t way, end;
    if (iterations->element == HLO_WHOLE_STATE || !is_told_of(iterations) ||
        __builtin_mul_overflow(iterations->count, iterations->step, &way) ||
        __builtin_add_overflow(iterations->init, way, &end))
        return;
    for (hlo_use *use = loop->first_use, *next; use; use = next) {
        next = use->next;
        hlo_instr *reader = use->user;
        bool reads = reader->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
                     hlo_attr_int(reader, HLO_ATTR_INDEX) == iterations->element;
        if (!reads || !hlo_flow_may(walk, HLO_REWRITE_final_counter)) continue;
        hlo_rewriter_aim(r, reader);
        hlo_instr *constant = hlo_emit_filled(r, reader->shape, end);
        walk->changed |= hlo_rewrite_replace(r, HLO_REWRITE_final_counter, reader, constant);
    }
}

/* An existing annotation is kept, unless its trip count differs. */
static bool is_wrong(const hlo_attr *config, const hlo_iterations *iterations) {
    int64_t count;
    return hlo_loop_config_number(config->u.string, "n", &count) && count != iterations->count;
}

static void annotate(hlo_flow_walk *walk, hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    const hlo_attr *old = hlo_instr_attr(loop, HLO_ATTR_BACKEND_CONFIG);
    hlo_iterations iterations;
    if (!hlo_count_iterations(loop, &iterations)) return;
    forward_counter(walk, loop, &iterations);
    bool is_said = old && old->u.string->len && !is_wrong(old, &iterations);
    if (!hlo_flow_may(walk, HLO_REWRITE_annotate_trip_count) || is_said) return;
    const hlo_str *config = config_of(walk->rewriter, &iterations);
    hlo_instr_set_attr(loop, (hlo_attr){.id = HLO_ATTR_BACKEND_CONFIG, .u.string = config});
    hlo_flow_count(walk, HLO_REWRITE_annotate_trip_count, loop);
}

hlo_pass_result hlo_pass_while_loop_trip_count_annotator(const hlo_pass_call *call) {
    return hlo_flow_visit_all(call, HLO_OP_WHILE, HLO_INNER_FIRST, annotate);
}
