/* What is compared of one module: its texts and messages, both engines with every setting that may
 * change no bit, the dataflow executor, cut graphs, deeper nestings, and results of passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/match.h"
#include "differential/differential.h"
#include "eval/kernel/isa.h"
#include "fuzz/accepted.h"
#include "ir/ir.h"
#include "passes/pipeline/pipeline.h"
#include "proto/proto.h"

typedef struct {
    const mutant_text *text;
    hlo_module *module;
    dice *dice; /* NULL: everything */
    uint64_t inputs;
    char *stage;
    size_t stage_size;
    result wanted; /* of the reference engine */
    result fast;   /* as written, on one thread */
    sensitivity near[NOISE_KINDS];
    bool is_good;
    bool loses_digits;        /* as text */
    bool is_pure, is_defined; /* no state and no effects; see accepted.h */
    bool is_any;              /* what is beyond run-time sizes is in results */
    bool is_slow;
} subject;

/* ---- reports ---- */

static void enter(subject *s, const char *stage, const char *detail) {
    snprintf(s->stage, s->stage_size, "%s%s%s", stage, *detail ? ": " : "", detail);
}

static void found(subject *s, const char *what, hlo_diags *diags) {
    s->is_good = false;
    printf("%s: %s\n", s->stage, what);
    if (diags) hlo_diags_render(diags, stdout, false);
    fflush(stdout);
}

static bool chosen(subject *s, uint64_t one_in) {
    return !s->dice || throw(s->dice, one_in) == 0;
}

/* ---- forms ---- */

static void write_text(hlo_module *module, hlo_buf *to) {
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    style.exact_literals = true;
    to->len = 0;
    hlo_module_print(module, &style, to);
}

static hlo_module *read_bytes(subject *s, const hlo_buf *bytes) {
    hlo_diags *diags = hlo_diags_create(3);
    hlo_source *source = hlo_source_from_text("form", bytes->data, bytes->len);
    hlo_module *module = NULL;
    if (hlo_read_module(source, diags, &module) != HLO_OK) {
        found(s, "cannot be read back", diags);
        module = NULL;
    }
    hlo_source_free(source);
    hlo_diags_free(diags);
    return module;
}

static void print_difference(const hlo_buf *a, const hlo_buf *b) {
    size_t at = 0;
    while (at < a->len && at < b->len && a->data[at] == b->data[at]) at++;
    size_t from = at < 80 ? 0 : at - 80;
    printf("  %.*s\n  %.*s\n", (int)(a->len - from < 160 ? a->len - from : 160), a->data + from,
           (int)(b->len - from < 160 ? b->len - from : 160), b->data + from);
}

static void same_module(subject *s, hlo_module *a, hlo_module *b) {
    char hashes[2][HLO_HASH_SIZE] = {"", ""};
    hlo_diags *diags = hlo_diags_create(1);
    hlo_module_hash(a, hashes[0], diags);
    hlo_module_hash(b, hashes[1], diags);
    hlo_diags_free(diags);
    if (strcmp(hashes[0], hashes[1]) == 0) return;
    hlo_buf texts[2] = {HLO_BUF_INIT, HLO_BUF_INIT};
    found(s, "is another module when read back", NULL);
    write_text(a, &texts[0]);
    write_text(b, &texts[1]);
    print_difference(&texts[0], &texts[1]);
    hlo_buf_free(&texts[0]);
    hlo_buf_free(&texts[1]);
}

/* What was read from a text is printed as the same text. XLA's first print may be in an order that
 * its second one changes, and elided constants have values in it: it is read before. */
static void check_text_again(subject *s, hlo_module *module) {
    hlo_buf first = HLO_BUF_INIT, second = HLO_BUF_INIT;
    write_text(module, &first);
    hlo_module *again = read_bytes(s, &first);
    if (again) {
        write_text(again, &second);
        if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0) {
            found(s, "is another text when read back", NULL);
            print_difference(&first, &second);
        }
    }
    hlo_module_free(again);
    hlo_buf_free(&first);
    hlo_buf_free(&second);
}

/* Of a separate module, as far as messages keep it. */
static void check_message(subject *s, const hlo_buf *text, hlo_proto_form form) {
    hlo_buf bytes = HLO_BUF_INIT;
    hlo_diags *diags = hlo_diags_create(3);
    hlo_module *module = read_bytes(s, text), *again = NULL;
    if (module && hlo_proto_write(module, HLO_AS_MODULE_PROTO, form, &bytes, diags) == HLO_OK)
        again = read_bytes(s, &bytes);
    else if (module && form == HLO_PROTO_WIRE) found(s, "cannot be written", diags);
    if (again) {
        lose_what_messages_lose(module);
        lose_what_messages_lose(again);
        same_module(s, module, again);
    }
    hlo_module_free(module);
    hlo_module_free(again);
    hlo_diags_free(diags);
    hlo_buf_free(&bytes);
}

/* Returns the module of the text; NULL after a finding. */
static hlo_module *check_forms(subject *s, hlo_module *module, const char *of) {
    hlo_buf text = HLO_BUF_INIT;
    enter(s, "text", of);
    write_text(module, &text);
    hlo_module *again = read_bytes(s, &text);
    if (again) check_text_again(s, again);
    if (again && !can_be_a_message(module)) {
        excuse(EXCUSE_NO_MESSAGE);
    } else if (again) {
        enter(s, "JSON", of);
        check_message(s, &text, HLO_PROTO_JSON);
        enter(s, "protobuf", of);
        check_message(s, &text, HLO_PROTO_WIRE);
        enter(s, "text protobuf", of);
        check_message(s, &text, HLO_PROTO_PBTXT);
    }
    hlo_buf_free(&text);
    return again;
}

/* ---- results ---- */

typedef bool property(const hlo_instr *instr);

static bool has_one(const hlo_module *module, property *is) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (is(i)) return true;
    return false;
}

/* Whether results for infinities and NaN depend on the steps of the computation: also on whether
 * they meet the zeros that stand for elements beyond run-time sizes. */
static bool depends_on_steps(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_FFT:
    case HLO_OP_TRIANGULAR_SOLVE: return true;
    case HLO_OP_CONVOLUTION:
    case HLO_OP_DOT:
        return hlo_operand(instr, 0)->shape->dynamic || hlo_operand(instr, 1)->shape->dynamic;
    default: return false;
    }
}

static const sensitivity *near(subject *s, noise_kind kind) {
    if (!s->near[kind].is_known)
        s->near[kind] = measure_sensitivity(s->text, &s->wanted, s->inputs, kind);
    s->near[kind].depends_on_steps =
        inputs_are_special(s->inputs) && has_one(s->module, depends_on_steps);
    return &s->near[kind];
}

/* `how`: to the bit but for the signs of NaN, or as near as engines are, or passes leave results.
 */
typedef enum { TO_THE_BIT, WITHIN_ENGINES, WITHIN_PASSES } closeness;

static void compare(subject *s, const result *got, const result *wanted, closeness how) {
    static const noise_kind kinds[] = {NOISE_OF_NANS, NOISE_OF_ENGINES, NOISE_OF_PASSES};
    static const sensitivity none = {0};
    uint32_t leaf = 0;
    if (!got->run) {
        if (got->status != HLO_BAD_SYSTEM) found(s, "does not run", got->diags);
        return;
    }
    if (same_results(got, wanted, how == TO_THE_BIT ? NULL : &none, &leaf)) return;
    if (s->is_any) {
        excuse(EXCUSE_SIZES);
        return;
    }
    if (s->is_slow) return; /* dozens of runs measure what rounding may do */
    if (same_results(got, wanted, near(s, kinds[how]), &leaf)) return;
    char what[64];
    snprintf(what, sizeof what, "result %u differs", leaf);
    found(s, what, NULL);
    print_differences(got, wanted);
}

static hlo_run_options one_thread(void) {
    hlo_run_options how = HLO_RUN_OPTIONS_INIT;
    how.threads = 1;
    how.as_written = true;
    return how;
}

static void check_runs_too(subject *s) {
    if (!s->fast.run && s->fast.status != HLO_BAD_SYSTEM) found(s, "does not run", s->fast.diags);
}

/* Of the engines. */
static closeness closeness_of(const subject *s) {
    return is_exact(s->module) ? TO_THE_BIT : WITHIN_ENGINES;
}

/* The share of the time of a case that has passed since `began`; 0: a case has no end. */
static double share_of_time(const subject *s, clock_t began) {
    struct rlimit limit;
    if (!s->dice || getrlimit(RLIMIT_CPU, &limit) != 0) return 0;
    return (double)(clock() - began) / CLOCKS_PER_SEC / (double)limit.rlim_cur;
}

/* Both engines run it, or neither. */
static bool check_engines(subject *s) {
    hlo_run_options how = one_thread();
    how.engine = HLO_ENGINE_REFERENCE;
    enter(s, "reference engine", "");
    clock_t began = clock();
    s->wanted = run_case(s->module, how, s->inputs, 0);
    double share = share_of_time(s, began);
    s->is_slow = share > 1. / 60; /* some dozens of such runs are too many */
    if (s->is_slow) excuse(EXCUSE_SLOW);
    if (share > 1. / 4) return false; /* what is no faster would pass for endless */
    how.engine = HLO_ENGINE_FAST;
    enter(s, "fast engine", "");
    s->fast = s->wanted.run ? run_again(s->module, how, &s->wanted)
                            : run_case(s->module, how, s->inputs, 0);
    if (s->wanted.run && !s->is_defined) check_runs_too(s);
    else if (s->wanted.run) compare(s, &s->fast, &s->wanted, closeness_of(s));
    else if (s->fast.run && s->wanted.status != HLO_BAD_SYSTEM)
        found(s, "runs what the reference engine refuses", s->wanted.diags);
    return s->wanted.run && s->fast.run;
}

/* ---- settings that change no bit ---- */

static bool is_graph(const hlo_module *module) {
    return hlo_module_attr(module, HLO_ATTR_IS_DATAFLOW) != NULL;
}

/* The pipeline of runs fuses what is worth it; here everything is that can be. */
#define FUSE_ALL ",fusion{min_elements=2,min_loop_elements=2,split_reductions=true},dce"

static void check_fused(subject *s) {
    if (is_graph(s->module)) return; /* which those passes refuse */
    hlo_diags *diags = hlo_diags_create(3);
    hlo_module *module = read_mutant(s->text, diags);
    hlo_buf passes = HLO_BUF_INIT;
    hlo_buf_printf(&passes, "%s%s", hlo_named_pipeline_at(HLO_PIPELINE_RUN)->passes, FUSE_ALL);
    hlo_buf_char(&passes, '\0');
    enter(s, "fused", "");
    if (hlo_pipeline_run(module, passes.data, diags) != HLO_OK) {
        found(s, "cannot be fused", diags);
    } else {
        hlo_run_options how = one_thread();
        how.threads = chosen(s, 2) ? 1 : 2;
        result got = run_again(module, how, &s->wanted);
        compare(s, &got, &s->fast, TO_THE_BIT);
        drop_result(&got);
    }
    hlo_buf_free(&passes);
    hlo_module_free(module);
    hlo_diags_free(diags);
}

/* The module of the text computes the same. */
static void check_printed(subject *s, hlo_module *again) {
    enter(s, "text", "run");
    result got = run_again(again, one_thread(), &s->wanted);
    compare(s, &got, &s->fast, TO_THE_BIT);
    drop_result(&got);
}

static void check_setting(subject *s, const char *name, hlo_run_options how, const result *wanted,
                          closeness near) {
    enter(s, "fast engine", name);
    result got = run_again(s->module, how, &s->wanted);
    compare(s, &got, wanted, near);
    drop_result(&got);
}

static void check_settings(subject *s) {
    hlo_run_options how = one_thread();
    how.threads = 4;
    if (chosen(s, 3)) check_setting(s, "four threads", how, &s->fast, TO_THE_BIT);
    how = one_thread();
    how.as_written = false;
    if (chosen(s, 2)) check_setting(s, "prepared", how, &s->fast, TO_THE_BIT);
    how.threads = 2;
    if (chosen(s, 3)) check_setting(s, "prepared, two threads", how, &s->fast, TO_THE_BIT);
    how = one_thread();
    how.no_jit = true;
    if (chosen(s, 3)) check_setting(s, "without generated code", how, &s->fast, TO_THE_BIT);
    if (chosen(s, 2)) check_fused(s);
    for (uint32_t i = 0; hlo_isa_name(i); i++) {
        how = one_thread();
        how.isa = hlo_isa_name(i);
        if (s->is_defined && chosen(s, 6))
            check_setting(s, how.isa, how, &s->wanted, closeness_of(s));
    }
}

/* ---- as a graph ---- */

/* Graphs run each of their nodes, also what nothing needs: a run of what they are made of leaves
 * that out, whatever it is. dce keeps annotations of shardings. */
static const char WHAT_RUNS[] = "dce,sharding-remover,dce";

static hlo_module *what_runs(const subject *s) {
    hlo_diags *diags = hlo_diags_create(3);
    hlo_module *module = read_mutant(s->text, diags);
    hlo_pipeline *pipeline = NULL;
    bool changed;
    if (hlo_pipeline_parse("pipeline", WHAT_RUNS, diags, &pipeline) != HLO_OK) abort();
    if (!is_graph(module) && hlo_pipeline_execute(pipeline, module, diags, &changed) != HLO_OK) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_pipeline_free(pipeline);
    hlo_diags_free(diags);
    return module;
}

static void check_dataflow(subject *s, uint32_t devices) {
    hlo_run_options how = one_thread();
    how.graph.executor = HLO_EXECUTOR_DATAFLOW;
    how.graph.devices = devices;
    how.threads = 2;
    how.graph.parallel_iterations = s->dice ? throw(s->dice, 5) : 0;
    enter(s, "dataflow executor", devices ? "cut" : "whole");
    hlo_module *module = what_runs(s); /* check_passes reports where there is none */
    if (!module) return;
    result got = run_again(module, how, &s->wanted);
    /* The executor names what it does not run. */
    if (got.run || got.diags->errors == 0) compare(s, &got, &s->fast, TO_THE_BIT);
    drop_result(&got);
    hlo_module_free(module);
}

/* ---- nested ---- */

/* XLA prints six digits of epsilon. */
static bool loses_digits(const hlo_instr *instr) {
    const hlo_attr *epsilon = hlo_instr_attr(instr, HLO_ATTR_EPSILON);
    char text[64];
    if (epsilon) snprintf(text, sizeof text, "%g", epsilon->u.f);
    return epsilon && (float)strtod(text, NULL) != (float)epsilon->u.f;
}

static bool has_state(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_RNG || instr->opcode == HLO_OP_RNG_GET_AND_UPDATE_STATE ||
           hlo_instr_has_side_effect(instr);
}

static void check_nested(subject *s, unsigned nesting) {
    static mutant_text text;
    enter(s, "nested", nesting_names[nesting]);
    if (!nest(s->module, nesting, &text)) return;
    hlo_diags *diags = hlo_diags_create(3);
    hlo_module *module = read_mutant(&text, diags);
    if (module) {
        hlo_run_options how = one_thread();
        how.as_written = chosen(s, 2);
        result got = run_again(module, how, &s->wanted);
        if (got.run || nesting_names[nesting][0] != 'f') compare(s, &got, &s->fast, TO_THE_BIT);
        drop_result(&got);
    }
    hlo_module_free(module);
    hlo_diags_free(diags);
}

/* ---- for several devices ---- */

static void check_sharded(subject *s, uint32_t devices) {
    static mutant_text text;
    char passes[128];
    dice fixed = {devices};
    snprintf(passes, sizeof passes,
             "call-inliner,sharding-propagation,spmd-partitioner{partitions=%u}", devices);
    enter(s, "partitioned", devices == 2 ? "2" : "4");
    if (!shard(s->module, devices, s->dice ? s->dice : &fixed, &text)) return;
    hlo_diags *diags = hlo_diags_create(3);
    hlo_module *module = read_mutant(&text, diags);
    hlo_diags_clear(diags);
    /* The partitioner names what it has no form for. */
    if (module && hlo_pipeline_run(module, passes, diags) == HLO_OK) {
        result got = run_again(module, one_thread(), &s->wanted);
        compare(s, &got, &s->wanted, closeness_of(s));
        drop_result(&got);
    } else if (module && diags->errors == 0) {
        found(s, "fails without a reason", NULL);
    }
    hlo_module_free(module);
    hlo_diags_free(diags);
}

/* ---- passes ---- */

/* Passes that refuse some modules by name: all but those of graphs refuse graphs, differentiation,
 * those of graphs and of shardings, and what has no form with dimensions that are known at run time
 * only. */
static bool may_refuse(const hlo_module *module, const char *passes) {
    if (is_graph(module) || strcmp(passes, "spmd") == 0) return true;
    const hlo_pass_info *pass = hlo_pass_find(hlo_str_from(passes));
    return pass &&
           (pass->group == HLO_GROUP_AUTODIFF || pass->group == HLO_GROUP_DATAFLOW ||
            pass->group == HLO_GROUP_SPMD || hlo_pass_id_of(pass) == HLO_PASS_DYNAMIC_PADDER);
}

/* Handles of one stack in two places of a tuple are two for the verifier, until a pass makes them
 * one. Excused where the run fails, too. */
static bool shares_a_stack(const subject *s, const hlo_diags *diags) {
    return !s->wanted.run && diags->counts && diags->counts[HLO_RULE_STACK_HANDLE];
}

/* copy-insertion names a buffer that would have to be copied. */
static bool needs_two_buffers(const char *name, const hlo_diags *diags) {
    const hlo_pass_info *pass = hlo_pass_find(hlo_str_from(name));
    return pass && hlo_pass_id_of(pass) == HLO_PASS_COPY_INSERTION && diags->errors == 1 &&
           diags->counts[HLO_RULE_BUFFER_USE] == 1;
}

/* Graphs run as one device or in parts, not as the replicas of a header; and state is drawn from in
 * the order of their nodes. */
static bool is_other_graph(const subject *s, const char *name) {
    const hlo_pass_info *pass = hlo_pass_find(hlo_str_from(name));
    return pass && pass->group == HLO_GROUP_DATAFLOW &&
           (!s->is_pure || hlo_run_device_count(s->wanted.run) > 1);
}

static void check_rewritten(subject *s, hlo_module *module, const char *name,
                            hlo_pass_class class) {
    hlo_module_free(check_forms(s, module, name));
    enter(s, "passes", name);
    if (!s->wanted.run || !s->is_defined || s->is_slow || class == HLO_CLASS_SIGNATURE ||
        class == HLO_CLASS_VALUES)
        return;
    if (is_other_graph(s, name)) return;
    hlo_run_options how = one_thread();
    how.engine = HLO_ENGINE_REFERENCE;
    result got = run_again(module, how, &s->wanted);
    compare(s, &got, &s->wanted, class == HLO_CLASS_EXACT ? TO_THE_BIT : WITHIN_PASSES);
    drop_result(&got);
    how.engine = HLO_ENGINE_FAST;
    how.as_written = chosen(s, 2);
    enter(s, "passes, fast engine", name);
    got = run_again(module, how, &s->wanted);
    compare(s, &got, &s->wanted, class == HLO_CLASS_EXACT ? closeness_of(s) : WITHIN_PASSES);
    drop_result(&got);
}

/* Graphs run all nodes, and starts of collectives run although nothing needs them: they have an
 * effect, which collectives have not. */
static bool runs_all(const hlo_module *module, const char *name) {
    const hlo_pass_info *pass = hlo_pass_find(hlo_str_from(name));
    return pass && !is_graph(module) &&
           (pass->group == HLO_GROUP_DATAFLOW ||
            hlo_pass_id_of(pass) == HLO_PASS_ASYNC_COLLECTIVE_CREATOR);
}

static void check_passes(subject *s, const char *name, const char *passes) {
    hlo_diags *diags = hlo_diags_create(3);
    hlo_module *module = read_mutant(s->text, diags);
    hlo_pipeline *pipeline = NULL;
    hlo_pipeline_options options = HLO_PIPELINE_OPTIONS_INIT;
    bool changed = false;
    char whole[4096];
    options.verify_each = HLO_ON;
    enter(s, "passes", name);
    if (runs_all(s->module, name)) snprintf(whole, sizeof whole, "%s,%s", WHAT_RUNS, passes);
    else snprintf(whole, sizeof whole, "%s", passes);
    if (hlo_pipeline_parse("pipeline", whole, diags, &pipeline) != HLO_OK) abort();
    if (hlo_pipeline_execute_with(pipeline, module, &options, diags, &changed) != HLO_OK) {
        if (!may_refuse(s->module, name) && !shares_a_stack(s, diags) &&
            !needs_two_buffers(name, diags))
            found(s, "fails", diags);
    } else if (changed) {
        check_rewritten(s, module, name, hlo_pipeline_class(pipeline));
    }
    hlo_pipeline_free(pipeline);
    hlo_module_free(module);
    hlo_diags_free(diags);
}

static void check_all_passes(subject *s) {
    const hlo_named_pipeline *named;
    for (size_t i = 0; i < HLO_PASS_COUNT; i++)
        if (chosen(s, HLO_PASS_COUNT / 4)) check_passes(s, hlo_passes[i].name, hlo_passes[i].name);
    for (size_t i = 0; (named = hlo_named_pipeline_at(i)); i++)
        if (chosen(s, 4)) check_passes(s, named->name, named->passes);
}

/* ---- one module ---- */

static void check_runs(subject *s) {
    if (!check_engines(s) || s->is_slow) return;
    check_settings(s);
    if (s->is_pure && s->is_defined && chosen(s, 3)) check_dataflow(s, 0);
    if (s->is_pure && s->is_defined && chosen(s, 6)) check_dataflow(s, 2);
    if (s->is_pure && s->is_defined && !s->loses_digits && chosen(s, 3))
        check_sharded(s, chosen(s, 2) ? 2 : 4);
    for (unsigned i = 0; s->is_pure && !s->loses_digits && i < NESTINGS; i++)
        if (chosen(s, NESTINGS)) check_nested(s, i);
}

/* With one rule of inputs. */
static bool check_inputs(const mutant_text *text, dice *d, uint64_t inputs, char *stage,
                         size_t stage_size) {
    subject s = {.text = text, .dice = d, .stage = stage, .stage_size = stage_size};
    hlo_diags *diags = hlo_diags_create(3);
    s.is_good = true;
    s.inputs = inputs;
    enter(&s, "reading", "");
    s.module = read_mutant(text, diags);
    if (s.module) {
        s.is_pure = !has_one(s.module, has_state);
        s.is_any = has_one(s.module, loses_sizes);
        s.is_defined = is_defined(s.module);
        s.loses_digits = has_one(s.module, loses_digits);
        hlo_module *again = check_forms(&s, s.module, "");
        check_runs(&s);
        if (again && s.fast.run && !s.loses_digits && !s.is_slow) check_printed(&s, again);
        hlo_module_free(again);
        check_all_passes(&s);
    }
    drop_result(&s.wanted);
    drop_result(&s.fast);
    for (size_t i = 0; i < NOISE_KINDS; i++) drop_sensitivity(&s.near[i]);
    hlo_module_free(s.module);
    hlo_diags_free(diags);
    return s.is_good;
}

bool check_text(const mutant_text *text, dice *d, char *stage, size_t stage_size) {
    bool is_good = true;
    if (d) return check_inputs(text, d, throw(d, INPUT_RULES), stage, stage_size);
    for (uint64_t inputs = 0; inputs < INPUT_RULES; inputs++)
        is_good &= check_inputs(text, NULL, inputs, stage, stage_size);
    return is_good;
}
