/* The profile of a run as a list of instructions, and the public functions for it. */
#include "host/profile.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/cost.h"
#include "host/output.h"

static const double NANO = 1e-9;

/* ---- names ---- */

static const char *text_of(hlo_arena *arena, const hlo_name *name) {
    char *text = hlo_arena_alloc(arena, name->len + 1u);
    memcpy(text, name->ptr, name->len);
    text[name->len] = '\0';
    return text;
}

typedef HLO_LIST(const hlo_instr *) instr_list;

static void add_once(instr_list *list, const hlo_instr *instr) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i] == instr) return;
    hlo_list_push(list, instr);
}

/* What passes made and what only names an operand or a number stands for nothing. */
static bool computes(const hlo_instr *instr) {
    return instr->opcode != HLO_OP_PARAMETER && instr->opcode != HLO_OP_CONSTANT &&
           instr->opcode != HLO_OP_TUPLE && instr->opcode != HLO_OP_GET_TUPLE_ELEMENT;
}

static void find_origins(const hlo_run *run, const hlo_instr *instr, instr_list *list) {
    const hlo_instr *origin = hlo_program_origin(run->program, instr);
    bool is_made = instr->opcode == HLO_OP_FUSION && run->copy.module &&
                   (origin == instr || origin->opcode != HLO_OP_FUSION);
    if (!is_made) {
        add_once(list, origin);
        return;
    }
    for (const hlo_instr *i = hlo_called(instr, 0)->first; i; i = i->next) {
        bool has_origin = hlo_program_origin(run->program, i) != i;
        if (computes(i) && (has_origin || i->opcode == HLO_OP_FUSION)) find_origins(run, i, list);
    }
}

static void name_instr(hlo_profile_list *list, const hlo_run *run, const hlo_profiled_step *step,
                       hlo_profile_row *row) {
    instr_list origins = {0};
    find_origins(run, step->instr, &origins);
    const char **names = hlo_arena_alloc(&list->arena, (origins.n + 1u) * sizeof *names);
    for (uint32_t i = 0; i < origins.n; i++) names[i] = text_of(&list->arena, origins.v[i]->name);
    row->size = sizeof *row;
    row->name = text_of(&list->arena, step->instr->name);
    row->opcode = hlo_info(step->instr)->text;
    row->computation = text_of(&list->arena, step->computation->name);
    row->kernel = step->kernel;
    row->origins = names;
    row->origin_count = origins.n;
    hlo_list_free(&origins);
}

void hlo_profile_name_step(hlo_profile_list *list, const hlo_run *run, uint32_t number,
                           hlo_profile_row *row) {
    hlo_profiled_step step = hlo_profile_step(run->profile, number);
    name_instr(list, run, &step, row);
}

void hlo_profile_put_label(hlo_buf *to, const hlo_profile_row *row) {
    for (size_t i = 0; i < row->origin_count; i++) {
        if (i) hlo_buf_lit(to, " + ");
        hlo_buf_cstr(to, row->origins[i]);
    }
    if (!row->origin_count) hlo_buf_cstr(to, row->name);
}

/* ---- costs ---- */

static void put_cost(hlo_profile_row *row, const hlo_profiled_step *step, const hlo_cost *costs) {
    hlo_cost cost = {NAN, NAN, NAN};
    if (!step->calls) cost = hlo_instr_cost(step->instr, costs);
    bool is_known = !(cost.flops < 0 || cost.bytes < 0);
    row->flops = is_known ? cost.flops : NAN;
    row->transcendentals = is_known ? cost.transcendentals : NAN;
    row->bytes = is_known ? cost.bytes : NAN;
}

double hlo_profile_operations(const hlo_profile_row *row) {
    return row->flops + row->transcendentals;
}

double hlo_profile_reach(const hlo_profile_row *row, const hlo_roofline *roof) {
    if (isnan(row->bytes) || row->total_seconds <= 0) return NAN;
    double least = hlo_roofline_seconds(roof, row->bytes, row->flops);
    return least * (double)row->calls / row->total_seconds;
}

/* ---- the list ---- */

static int by_time(const void *a_, const void *b_) {
    const hlo_profile_row *a = a_, *b = b_;
    if (a->seconds != b->seconds) return a->seconds < b->seconds ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void add_row(hlo_profile_list *list, const hlo_run *run, uint32_t number,
                    const hlo_cost *costs) {
    hlo_times times = hlo_profile_step_times(run->profile, number);
    if (!times.calls) return;
    hlo_profile_row *row = &list->rows[list->count++];
    hlo_profiled_step step = hlo_profile_step(run->profile, number);
    name_instr(list, run, &step, row);
    row->calls = times.calls;
    row->seconds = (double)times.own * NANO;
    row->total_seconds = (double)times.total * NANO;
    put_cost(row, &step, costs);
    list->all += row->seconds;
}

void hlo_profile_list_make(hlo_profile_list *list, const hlo_run *run) {
    uint32_t steps = hlo_profile_steps(run->profile);
    hlo_call_graph graph;
    *list = (hlo_profile_list){.run = hlo_profile_run_times(run->profile)};
    hlo_arena_init(&list->arena);
    list->rows = hlo_calloc(steps + 1u, sizeof *list->rows);
    list->between = list->all = (double)list->run.own * NANO;
    hlo_call_graph_init(&graph, run->copy.module ? run->copy.module : run->module);
    hlo_cost *costs = hlo_computation_costs(&graph);
    for (uint32_t k = 0; k < steps; k++) add_row(list, run, k, costs);
    hlo_free(costs);
    hlo_call_graph_free(&graph);
    qsort(list->rows, list->count, sizeof *list->rows, by_time);
}

void hlo_profile_list_free(hlo_profile_list *list) {
    hlo_free(list->rows);
    hlo_arena_free(&list->arena);
}

/* ---- public functions ---- */

static hlo_status need_profile(const hlo_run *run, hlo_diags *diags) {
    if (run->profile) return HLO_OK;
    if (run->profiles) return hlo_run_no_memory(diags, "a profile: the run has lost its own");
    return hlo_misuse(diags, "the run has no profile: set hlo_run_options.watch.profile");
}

hlo_status hlo_run_visit_profile(const hlo_run *run, hlo_profile_visitor *visit, void *context,
                                 hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, visit);
    hlo_status status = need_profile(run, diags);
    if (status != HLO_OK) return status;
    hlo_profile_list list;
    hlo_profile_list_make(&list, run);
    hlo_unwind_state outside = hlo_unwind_suspend();
    for (uint32_t i = 0; i < list.count && visit(context, &list.rows[i]); i++) continue;
    hlo_unwind_resume(outside);
    hlo_profile_list_free(&list);
    return HLO_OK;
}

void hlo_run_clear_profile(hlo_run *run) {
    if (run && run->profile) hlo_profile_clear(run->profile);
}

/* Once for a run, so that all forms that are written compare with the same. */
static const hlo_roofline *roof_of(hlo_run *run) {
    if (!run->roof.threads) run->roof = hlo_roofline_measure(run->pool, run->program_options.isa);
    return &run->roof;
}

hlo_status hlo_run_write_profile(hlo_run *run, hlo_profile_form form, hlo_output *output,
                                 hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, output);
    hlo_status status = need_profile(run, diags);
    if (status != HLO_OK) return status;
    hlo_profile_list list;
    hlo_profile_list_make(&list, run);
    switch (form) {
    case HLO_PROFILE_TABLE: hlo_profile_put_table(&output->buf, &list, roof_of(run)); break;
    case HLO_PROFILE_JSON: hlo_profile_put_json(&output->buf, &list, roof_of(run)); break;
    case HLO_PROFILE_TRACE: hlo_profile_put_trace(&output->buf, run); break;
    case HLO_PROFILE_ROOFLINE: hlo_profile_put_roofline(&output->buf, &list, roof_of(run)); break;
    default:
        hlo_profile_list_free(&list);
        return hlo_misuse(diags, "%d is not a form of a profile", (int)form);
    }
    hlo_profile_list_free(&list);
    return HLO_OK;
}
