/* The module of a program with its plans written on it, as frontend attributes that any tool reads
 * and hlo-dot draws. */
#include <stdlib.h>

#include "eval/program/plan.h"
#include "ir/plan_keys.h"

enum { KERNEL, MEMORY, OVER, STEP, NOTES };
static const char *const keys[NOTES] = {HLO_PLAN_KERNEL, HLO_PLAN_MEMORY, HLO_PLAN_OVER,
                                        HLO_PLAN_STEP};

/* A step of a plan, and its instruction in the module that is written on. */
typedef struct {
    const hlo_plan *plan;
    uint32_t number;
    hlo_instr *instr;
} planned_step;

/* ---- notes ---- */

static hlo_str note_text(const planned_step *s, const hlo_buf *text) {
    hlo_arena *arena = &s->instr->parent->module->arena;
    return (hlo_str){hlo_arena_copy(arena, text->data, text->len), (uint32_t)text->len, false};
}

/* The number of the step whose memory the result takes. */
static uint32_t step_taken(const hlo_plan *plan, const hlo_plan_step *step) {
    return plan->operand_steps[step->operands + (uint32_t)__builtin_ctz(step->takes)];
}

/* Where the result is; where it takes an operand's memory, that of the first one that had it. */
static void put_memory(hlo_buf *to, const planned_step *s) {
    const hlo_plan_step *step = &s->plan->steps[s->number];
    while (s->plan->has_memory && step->takes) step = &s->plan->steps[step_taken(s->plan, step)];
    hlo_step_put_result(to, s->plan, step);
}

static void put_note(hlo_buf *to, const planned_step *s, int which) {
    const hlo_plan_step *step = &s->plan->steps[s->number];
    switch (which) {
    case KERNEL: hlo_buf_cstr(to, hlo_step_kernel(step)); return;
    case MEMORY: put_memory(to, s); return;
    case STEP: hlo_buf_printf(to, "%u", s->number); return;
    }
    if (!s->plan->has_memory || !step->takes) return;
    const hlo_name *name = s->plan->steps[step_taken(s->plan, step)].instr->name;
    hlo_buf_bytes(to, name->ptr, name->len);
}

/* ---- attributes ---- */

static bool is_note(hlo_str key) {
    for (int which = 0; which < NOTES; which++)
        if (hlo_str_is(key, keys[which])) return true;
    return false;
}

static int by_key(const void *a, const void *b) {
    const hlo_frontend_entry *x = a, *y = b;
    return hlo_str_compare(x->key, y->key);
}

/* Next to the frontend attributes that are there. */
static void write_notes(const planned_step *s) {
    const hlo_attr *given = hlo_instr_attr(s->instr, HLO_ATTR_FRONTEND_ATTRIBUTES);
    uint32_t count = given ? given->u.frontend->n : 0;
    hlo_frontend *notes = hlo_arena_alloc(&s->instr->parent->module->arena,
                                          sizeof *notes + (count + NOTES) * sizeof *notes->v);
    hlo_buf text = HLO_BUF_INIT;
    notes->n = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_note(given->u.frontend->v[i].key)) notes->v[notes->n++] = given->u.frontend->v[i];
    for (int which = 0; which < NOTES; which++) {
        text.len = 0;
        put_note(&text, s, which);
        if (!text.len) continue;
        hlo_str key = {keys[which], (uint32_t)strlen(keys[which]), false};
        notes->v[notes->n++] = (hlo_frontend_entry){key, note_text(s, &text)};
    }
    hlo_buf_free(&text);
    qsort(notes->v, notes->n, sizeof *notes->v, by_key);
    hlo_instr_set_attr(s->instr,
                       (hlo_attr){.id = HLO_ATTR_FRONTEND_ATTRIBUTES, .u.frontend = notes});
}

/* Steps are instructions of the computation, whose copy has the same ones in the same order. */
static void note_plan(const hlo_plan *plan, hlo_computation *of, hlo_computation *copy) {
    planned_step *steps = hlo_calloc(of->instr_count, sizeof *steps);
    hlo_number_instructions(of);
    for (uint32_t k = 0; k < plan->count; k++)
        steps[plan->steps[k].instr->index] = (planned_step){.plan = plan, .number = k};
    planned_step *step = steps;
    for (hlo_instr *instr = copy->first; instr; instr = instr->next, step++) {
        step->instr = instr;
        if (step->plan) write_notes(step);
    }
    hlo_free(steps);
}

hlo_module *hlo_program_planned_module(const hlo_program *program) {
    hlo_module *copy = hlo_module_clone(program->module);
    const hlo_plan **plans = hlo_calloc(program->module->next_id + 1u, sizeof *plans);
    for (uint32_t n = 0; n < program->plan_count; n++)
        if (program->plans[n]->computation)
            plans[program->plans[n]->computation->id] = program->plans[n];
    hlo_computation *to = copy->first;
    for (hlo_computation *from = program->module->first; from; from = from->next, to = to->next)
        if (plans[from->id]) note_plan(plans[from->id], from, to);
    hlo_free(plans);
    return copy;
}
