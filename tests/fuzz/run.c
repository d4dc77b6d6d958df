/* libFuzzer target: what the verifier accepts is run by both engines, or refused by both with a
 * reason: no kernel reads or writes beyond its operands for any attributes and indices, and
 * where all is exact both have the same results. A second run by the fast engine, for which fresh
 * memory holds something else, has the results of the first. HLO_FUZZ_ELEMENTS is the most elements
 * of an array (4096), HLO_FUZZ_MILLISECONDS the processor time after which a run is interrupted
 * (200). Mutants are made by mutator.c. Built and run by `make fuzz`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <hlo.h>

#include "base/fresh.h"
#include "fuzz/accepted.h"
#include "ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 1 << 26 };

/* ---- inputs ---- */

enum { MOST_INPUTS = 64 };

/* Zero, -1, the least and the greatest number, 1, -2: indices that are in no array. */
static void put_extreme(uint8_t *element, size_t size, size_t kind) {
    memset(element, kind % 2 ? 0xff : 0, size);
    if (kind == 2) element[size - 1] = 0x80;
    if (kind == 3) element[size - 1] = 0x7f;
    if (kind == 4) element[0] = 1;
    if (kind == 5) element[0] = 0xfe;
}

/* The run borrows the array, which is returned; NULL when there are no elements. */
static uint8_t *set_extremes(hlo_run *run, uint32_t leaf, size_t seed, hlo_diags *diags) {
    hlo_array array;
    if (hlo_run_input(run, 0, leaf, diags, &array) != HLO_OK) return NULL;
    size_t bytes = hlo_array_bytes(&array), size = hlo_element_type_bytes(array.type);
    uint8_t *data = bytes ? malloc(bytes) : NULL;
    if (!data) return NULL;
    for (size_t i = 0; i < bytes / size; i++)
        put_extreme(data + i * size, size, (i / 3 * 5 + i + seed + leaf) % 6);
    array.data = data;
    hlo_run_set_input(run, 0, leaf, &array, diags);
    return data;
}

/* ---- the run of one engine ---- */

typedef struct {
    hlo_status status;
    bool is_cut; /* interrupted, or beyond a limit: no finding about the module */
    hlo_diags *diags;
    hlo_output *result;
} outcome;

static hlo_run *running;
static volatile sig_atomic_t is_late;

static void interrupt(int number) {
    (void)number;
    is_late = 1;
    hlo_run_interrupt(running);
}

static void set_alarm(int64_t milliseconds) {
    struct itimerval timer = {
        .it_value = {milliseconds / 1000, (suseconds_t)(milliseconds % 1000 * 1000)}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* Reading all results lets sanitizers find elements that were never written. */
static void execute(hlo_run *run, hlo_input_fill fill, extent limit, outcome *to) {
    to->status = hlo_run_fill_inputs(run, fill, 1, to->diags);
    if (to->status != HLO_OK) return;
    running = run;
    is_late = 0;
    signal(SIGPROF, interrupt);
    set_alarm(fuzz_setting("HLO_FUZZ_MILLISECONDS", 200));
    to->status = hlo_run_execute(run, to->diags);
    set_alarm(0);
    to->is_cut = is_late;
    if (to->status == HLO_OK && limit == PRINTED)
        hlo_run_write_literal(run, 0, to->result, to->diags);
}

static void run_prepared(hlo_run *run, size_t seed, extent limit, outcome *to) {
    static const hlo_input_fill fills[] = {HLO_FILL_HASH, HLO_FILL_ZEROS, HLO_FILL_ONES,
                                           HLO_FILL_IOTA, HLO_FILL_RANDOM};
    uint8_t *extremes[MOST_INPUTS] = {0};
    for (uint32_t i = 0; seed % 3 == 0 && i < MOST_INPUTS && i < hlo_run_input_count(run); i++)
        extremes[i] = set_extremes(run, i, seed, to->diags);
    execute(run, fills[seed % (sizeof fills / sizeof *fills)], limit, to);
    hlo_run_free(run);
    for (size_t i = 0; i < MOST_INPUTS; i++) free(extremes[i]);
}

static outcome run_engine(hlo_module *module, hlo_engine engine, size_t seed, extent limit) {
    outcome to = {.diags = hlo_diags_create(0), .result = hlo_output_to_memory()};
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    options.threads = 1;
    options.engine = engine;
    options.memory.limit = MEMORY;
    hlo_run *run = NULL;
    to.status = hlo_run_prepare(module, &options, to.diags, &run);
    if (to.status == HLO_OK && limit > ONLY_PREPARED) run_prepared(run, seed, limit, &to);
    else hlo_run_free(run);
    if (to.status != HLO_OK && to.diags->errors == 0) __builtin_trap(); /* without a reason */
    to.is_cut |= to.status == HLO_BAD_SYSTEM || hlo_diags_rule_count(to.diags, HLO_RULE_LIMIT);
    return to;
}

/* ---- both engines ---- */

static void print_outcome(const char *engine, const outcome *o) {
    size_t n;
    const char *result = hlo_output_bytes(o->result, &n);
    fprintf(stderr, "%s: %.*s\n", engine, (int)n, result);
    hlo_diags_render(o->diags, stderr, false);
}

/* Marks of bounded dimensions are left out: a computation that is called may have them where the
 * call does not. */
static size_t without_marks(char *text, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (text[i] != '<' && text[i] != '=') text[kept++] = text[i];
    return kept;
}

static bool same_results(const outcome *a, const outcome *b) {
    const outcome *both[] = {a, b};
    char *texts[2];
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        const char *bytes = hlo_output_bytes(both[i]->result, &n[i]);
        texts[i] = malloc(n[i] + 1);
        if (n[i]) memcpy(texts[i], bytes, n[i]);
        n[i] = without_marks(texts[i], n[i]);
    }
    bool same = n[0] == n[1] && memcmp(texts[0], texts[1], n[0]) == 0;
    for (int i = 0; i < 2; i++) free(texts[i]);
    return same;
}

static void compare(const hlo_module *module, const outcome *fast, const outcome *reference) {
    if (fast->is_cut || reference->is_cut) return;
    if (fast->status == reference->status &&
        (fast->status != HLO_OK || same_results(fast, reference) || !is_exact(module)))
        return;
    print_outcome("fast", fast);
    print_outcome("reference", reference);
    __builtin_trap(); /* the engines differ */
}

/* Elements beyond lost run-time sizes are undefined; the state of generators is the process's.
 */
static bool is_repeatable(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (loses_sizes(i) || i->opcode == HLO_OP_RNG_GET_AND_UPDATE_STATE) return false;
    return true;
}

static void compare_again(const hlo_module *module, const outcome *first, const outcome *again) {
    if (first->is_cut || again->is_cut || !is_repeatable(module)) return;
    if (first->status == again->status && (first->status != HLO_OK || same_results(first, again)))
        return;
    print_outcome("first", first);
    print_outcome("again", again);
    __builtin_trap(); /* the result depends on what memory held */
}

static void drop(outcome *o) {
    hlo_diags_free(o->diags);
    hlo_output_free(o->result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = accepted_module((const char *)data, size, diags);
    hlo_diags_free(diags);
    extent limit = module ? module_extent(module) : NOT_TRIED;
    if (limit != NOT_TRIED) {
        atomic_store(&hlo_fresh_pattern, HLO_FRESH_NAN);
        outcome fast = run_engine(module, HLO_ENGINE_FAST, size, limit);
        atomic_store(&hlo_fresh_pattern, HLO_FRESH_BYTES);
        outcome reference = run_engine(module, HLO_ENGINE_REFERENCE, size, limit);
        outcome again = run_engine(module, HLO_ENGINE_FAST, size, limit);
        compare(module, &fast, &reference);
        compare_again(module, &fast, &again);
        drop(&fast);
        drop(&reference);
        drop(&again);
    }
    hlo_module_free(module);
    return 0;
}
