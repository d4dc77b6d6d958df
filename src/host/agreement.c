/* Whether the processes of a job agree on how they were started: what all must have in common,
 * compared before the first execution, and which of them differ. */
#include <hlo/version.h>

#include "host/parameters.h"

/* ---- what is compared ---- */

/* A number that stands for what the process has; 0: it does not have it, which is no difference. */
typedef uint64_t digest(const hlo_run *run);

static uint64_t not_zero(uint64_t number) {
    return number ? number : 1;
}

static uint64_t digest_of_version(const hlo_run *run) {
    (void)run;
    return not_zero(hlo_hash_bytes(hlo_version(), strlen(hlo_version())));
}

/* Of the text: processes identify instructions by their places, and edges likewise. */
static uint64_t digest_of(hlo_module *module, const hlo_print_options *options) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, options, &text);
    uint64_t hash = hlo_hash_bytes(text.data, text.len);
    hlo_buf_free(&text);
    return not_zero(hash);
}

static uint64_t digest_of_module(const hlo_run *run) {
    return digest_of(run->graph ? run->graph : run->module, &hlo_print_default);
}

/* What is run, whose instructions the processes name to each other. */
static uint64_t digest_of_form(const hlo_run *run) {
    static const hlo_print_options without_constants = {.result_layouts = true};
    return digest_of(run->copy.module ? run->copy.module : run->module, &without_constants);
}

static uint64_t digest_of_seed(const hlo_run *run) {
    return not_zero(hlo_hash_mix(run->device_options.seed, 1));
}

static uint64_t digest_of_assignment(const hlo_run *run) {
    if (!run->assignment) return 1;
    return not_zero(hlo_hash_bytes(run->assignment, run->device_count * sizeof *run->assignment));
}

static uint64_t digest_of_transfers(const hlo_run *run) {
    return run->program_options.handshake ? 2 : 1;
}

static uint64_t digest_of_input(const hlo_run *run, uint32_t leaf) {
    const hlo_value *value = (run->whole ? run->whole : run)->inputs[leaf].value;
    if (!value) return 0;
    return not_zero(hlo_hash_bytes(value->data, (size_t)hlo_shape_bytes(value->shape)));
}

/* Of all devices together, or of device 0, whose inputs all devices have that were given none. */
static uint64_t digest_of_inputs(const hlo_run *run) {
    uint64_t all = 1;
    for (uint32_t leaf = 0; leaf < run->input_count; leaf++) {
        uint64_t one = digest_of_input(run, leaf);
        if (!one) return 0;
        all = hlo_hash_mix(all, one);
    }
    return not_zero(all);
}

/* In the order of causes: what differs first may be why what follows does. */
static const struct {
    const char *what; /* after "the processes of the job" */
    digest *digest;
} rows[] = {
    {"are of different versions of the program", digest_of_version},
    {"run different modules", digest_of_module},
    {"run different forms of the module, which the engine and what is observed decide",
     digest_of_form},
    {"have different device assignments", digest_of_assignment},
    {"have different modes of transfers", digest_of_transfers},
    {"have different seeds", digest_of_seed},
    {"have different inputs", digest_of_inputs},
};

/* ---- comparing: all processes make the same calls ---- */

/* Whether this process has something else than rank 0. */
static bool differs(hlo_world *world, uint64_t own) {
    uint64_t first = world->transport->agree(world->transport, hlo_world_rank(world) ? 0 : own);
    return own && first && own != first;
}

static bool any(hlo_world *world, bool own) {
    return world->transport->agree(world->transport, own) != 0;
}

/* `ranks 1, 3 and 4 differ`. */
static void put_ranks(hlo_buf *to, hlo_world *world, bool own) {
    enum { SHOWN = 16 };
    uint32_t ranks = hlo_world_size(world), count = 0, n = 0;
    bool *differ = hlo_calloc(ranks, sizeof *differ);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        differ[rank] = any(world, own && rank == hlo_world_rank(world));
        count += differ[rank];
    }
    hlo_buf_cstr(to, count > 1 ? "ranks " : "rank ");
    for (uint32_t rank = 0; rank < ranks && n < SHOWN; rank++) {
        if (!differ[rank]) continue;
        hlo_buf_printf(to, "%s%u", !n ? "" : n + 1 < count ? ", " : " and ", rank);
        n++;
    }
    if (count > SHOWN) hlo_buf_printf(to, " and %u more", count - SHOWN);
    hlo_buf_cstr(to, count > 1 ? " differ" : " differs");
    hlo_free(differ);
}

static void report(hlo_run *run, const char *what, bool own, hlo_diags *diags) {
    hlo_buf ranks = HLO_BUF_INIT;
    put_ranks(&ranks, run->world, own);
    if (!hlo_world_rank(run->world))
        hlo_error(diags, HLO_RULE_EXCHANGE, run->module->source, (hlo_span){0},
                  "the processes of the job %s: %.*s from rank 0", what, (int)ranks.len,
                  ranks.data);
    hlo_buf_free(&ranks);
}

static void note_first_input(hlo_run *run, hlo_diags *diags) {
    for (uint32_t leaf = 0; leaf < run->input_count; leaf++) {
        if (!any(run->world, differs(run->world, digest_of_input(run, leaf)))) continue;
        if (hlo_world_rank(run->world)) return;
        hlo_buf name = HLO_BUF_INIT;
        hlo_run_put_input_name(&name, run, leaf);
        hlo_note(diags, NULL, (hlo_span){0}, "input %u of %u, %.*s, is the first that differs",
                 leaf, run->input_count, (int)name.len, name.data);
        hlo_buf_free(&name);
        return;
    }
}

hlo_status hlo_run_compare_processes(hlo_run *run, hlo_diags *diags) {
    if (run->knows_others) return HLO_OK;
    hlo_status status = HLO_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == HLO_OK; i++) {
        bool own = differs(run->world, rows[i].digest(run));
        if (!any(run->world, own)) continue;
        report(run, rows[i].what, own, diags);
        if (rows[i].digest == digest_of_inputs) note_first_input(run, diags);
        status = HLO_BAD_MODULE;
    }
    run->knows_others = status == HLO_OK;
    return status;
}
