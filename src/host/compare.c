/* Comparing the results of a run with stored ones, with a recorded one, and of one run with
 * another. */
#include "eval/value/distance.h"
#include "host/output.h"
#include "host/recording.h"
#include "host/store.h"
#include "host/whole_tiles.h"

/* What the devices' results of a number are compared with. */
typedef struct {
    bool is_known;
    hlo_whole_result all; /* what the results may be tiles of */
    hlo_run_leaf leaf;    /* a stored array for all devices, of that shape or that of a result */
} stored_result;

/* What all leaves of a result are compared with; `agrees` is the verdict so far. */
typedef struct {
    const hlo_run *all; /* the run of all devices; of stored arrays only */
    const hlo_run *run; /* of the device that is compared */
    hlo_tolerance tolerance;
    hlo_output *report;
    hlo_diags *diags;
    stored_result *stored; /* by number; NULL: none so far */
    uint32_t stored_count;
    hlo_arena arena; /* of these */
    hlo_cleanup forgetting;
    bool agrees;
    bool is_advised;        /* how arrays of all devices are compared */
    uint32_t missing;       /* results without a counterpart */
    uint32_t results;       /* that were compared */
    uint32_t different;     /* of these */
    hlo_output *largest_to; /* or NULL */
    double largest_error;   /* of those that differ */
    hlo_buf largest;        /* where that is */
} comparison;

static hlo_literal literal_of(const hlo_value *value) {
    return (hlo_literal){.shape = value->shape, .data = value->data};
}

static hlo_status begin(comparison *c, const hlo_compare_options *options) {
    hlo_compare_options given = HLO_COMPARE_OPTIONS_INIT;
    hlo_status status = hlo_run_check_result(c->run, c->diags);
    if (status == HLO_OK) status = hlo_take_options(options, &given, sizeof given, c->diags);
    c->tolerance = (hlo_tolerance){given.rtol, given.atol, given.max_ulp, given.auto_rtol};
    c->largest_to = given.largest;
    c->agrees = true;
    return status;
}

static void put_name(hlo_buf *to, const comparison *c, uint32_t number) {
    hlo_buf_printf(to, "out%u", number);
    hlo_run_put_device(to, c->run);
}

/* Of equal differences the first is kept. */
static void note_difference(comparison *c, const char *name, const hlo_comparison *found,
                            const hlo_literal *got, const hlo_literal *expected) {
    bool is_larger = !c->different || found->worst_error > c->largest_error;
    c->different++;
    if (!c->largest_to || !is_larger) return;
    c->largest_error = found->worst_error;
    c->largest.len = 0;
    hlo_buf_cstr(&c->largest, name);
    hlo_worst_element_print(&c->largest, found, got, expected);
}

/* A part of the report: result `number` against an array of its shape. */
static void compare_leaf(comparison *c, uint32_t number, const hlo_literal *expected) {
    hlo_buf name = HLO_BUF_INIT;
    put_name(&name, c, number);
    hlo_buf_char(&name, '\0');
    const hlo_literal got = literal_of(c->run->outputs[number]);
    hlo_comparison found = hlo_compare_arrays(&got, expected, &c->tolerance);
    hlo_comparison_print(&c->report->buf, name.data, &found, &got, expected);
    c->results++;
    if (found.different) note_difference(c, name.data, &found, &got, expected);
    hlo_buf_free(&name);
    c->agrees &= found.different == 0;
}

/* The part of the report about a result without one to compare with, which an error reports. */
static void pass_over(comparison *c, uint32_t number) {
    put_name(&c->report->buf, c, number);
    hlo_buf_lit(&c->report->buf, ": not compared\n");
    c->agrees = false;
}

static hlo_status verdict(comparison *c, hlo_status status) {
    if (c->largest_to && c->different)
        hlo_buf_printf(&c->largest_to->buf, "%.*s; %u of %u result%s differ%s\n",
                       (int)c->largest.len, c->largest.data, c->different, c->results,
                       c->results == 1 ? "" : "s", c->different == 1 ? "s" : "");
    hlo_buf_free(&c->largest);
    return status == HLO_OK && !c->agrees ? HLO_BAD_MODULE : status;
}

/* ---- stored arrays ---- */

static stored_result *stored_of(comparison *c, uint32_t number) {
    if (!c->stored) {
        c->stored = hlo_calloc(c->run->output_count, sizeof *c->stored);
        c->stored_count = c->run->output_count;
    }
    HLO_ASSERT(number < c->stored_count);
    stored_result *s = &c->stored[number];
    if (!s->is_known) s->all = hlo_run_whole_result(&c->arena, c->all, number);
    s->is_known = true;
    return s;
}

static void forget_stored(void *context) {
    comparison *c = context;
    for (uint32_t i = 0; i < c->stored_count; i++) hlo_run_forget_input(&c->stored[i].leaf);
}

static bool is_whole(const stored_result *s, const hlo_run_leaf *leaf) {
    return s->all.tiling && leaf->shape == s->all.shape;
}

/* A stored array of all devices, or else one of the shape of the device's result. */
static hlo_status read_array(comparison *c, hlo_store *store, uint32_t number, stored_result *s,
                             hlo_run_leaf *to, bool *found) {
    const hlo_shape *own = c->run->outputs[number]->shape;
    if (s->all.tiling) {
        hlo_diags unheard;
        hlo_diags_init(&unheard);
        to->shape = s->all.shape;
        hlo_store_read_number(store, "out", number, to, found, &unheard);
        hlo_diags_drop(&unheard);
        if (to->value) return HLO_OK;
    }
    to->shape = own;
    return hlo_store_read_number(store, "out", number, to, found, c->diags);
}

/* Of what was read, which may be the leaf's: its tile, or all. */
static hlo_status take_part(comparison *c, uint32_t number, const stored_result *s,
                            const hlo_run_leaf *read, hlo_run_leaf *leaf) {
    bool is_tile = is_whole(s, read);
    leaf->shape = c->run->outputs[number]->shape;
    if (is_tile)
        return hlo_run_cut_result(c->all, c->run->number, number, s->all.tiling, read->value, leaf,
                                  c->diags);
    if (read != leaf) hlo_run_put_input(leaf, hlo_value_retain(read->value), NULL);
    return HLO_OK;
}

/* After an array of another shape, which may be the result of all devices. */
static void advise(comparison *c, uint32_t number) {
    if (hlo_module_int(c->all->module, HLO_ATTR_NUM_PARTITIONS) < 2) return;
    c->is_advised = true;
    if (!c->all->whole) hlo_advise(c->diags, HLO_ADVICE_WHOLE);
    else if (c->all->whole_module)
        hlo_hint(c->diags,
                 "of which array out%u is a tile, the module before it was partitioned states",
                 number);
    else
        hlo_hint(
            c->diags,
            "the module before it was partitioned has no sharding for out%u that gives such tiles; "
            "out_shardings of jax.jit states one",
            number);
}

/* Arrays that devices have in common are read once. */
static hlo_status read_stored(comparison *c, hlo_store *store, uint32_t number,
                              hlo_run_leaf *expected, bool *found) {
    stored_result *s = stored_of(c, number);
    hlo_run_leaf *common = &s->leaf;
    bool is_common = c->all->device_count > 1 && !hlo_store_has_own(store, "out", number);
    *found =
        is_common && common->value && (is_whole(s, common) || common->shape == expected->shape);
    if (*found) return take_part(c, number, s, common, expected);
    hlo_run_leaf *to = is_common && !common->value ? common : expected;
    hlo_status status = read_array(c, store, number, s, to, found);
    if (status == HLO_OK && *found) return take_part(c, number, s, to, expected);
    if (status == HLO_BAD_USE && !c->is_advised) advise(c, number);
    return status;
}

/* `expected` starts with the shape that the array must have, and gets the stored one. Only what
 * cannot be read ends the comparison. */
static hlo_status compare_stored(comparison *c, hlo_store *store, uint32_t number,
                                 hlo_run_leaf *expected) {
    bool found;
    hlo_status status = read_stored(c, store, number, expected, &found);
    if (status != HLO_OK && status != HLO_BAD_USE) return status;
    if (status == HLO_OK && found) {
        const hlo_literal wanted = literal_of(expected->value);
        compare_leaf(c, number, &wanted);
        return HLO_OK;
    }
    pass_over(c, number);
    if (status != HLO_OK) return HLO_OK;
    c->missing++;
    hlo_error(c->diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "there is no out%u in %s, for %s",
              number, store->path,
              hlo_shape_name(&c->diags->arena, c->run->outputs[number]->shape));
    return HLO_OK;
}

static void forget_input(void *leaf) {
    hlo_run_forget_input(leaf);
}

static hlo_status compare_and_forget(comparison *c, hlo_store *store, uint32_t number) {
    hlo_run_leaf expected = {.shape = c->run->outputs[number]->shape};
    hlo_cleanup forgetting;
    hlo_cleanup_add(&forgetting, forget_input, &expected);
    hlo_status status = compare_stored(c, store, number, &expected);
    hlo_cleanup_remove(&forgetting);
    hlo_run_forget_input(&expected);
    return status;
}

/* ---- arrays without a result ---- */

/* Where the results of a run are, its inputs may be too. */
static void sort_out(comparison *c, const hlo_store *store, const hlo_store_keys *keys,
                     hlo_store_keys *unmatched, hlo_store_keys *surplus) {
    uint32_t number;
    for (uint32_t i = 0; i < keys->n; i++) {
        hlo_str key = keys->v[i];
        bool is_result = hlo_store_is_number(store, key, "out", &number);
        if (is_result && number >= c->run->output_count) hlo_list_push(surplus, key);
        if (!is_result && !hlo_store_is_number(store, key, "in", &number))
            hlo_list_push(unmatched, key);
    }
}

static void report_keys(comparison *c, const char *path, const hlo_store_keys *unmatched,
                        const hlo_store_keys *surplus) {
    hlo_buf names = HLO_BUF_INIT;
    hlo_store_put_keys(&names, surplus->n ? surplus : unmatched);
    uint32_t count = c->run->output_count;
    if (surplus->n) {
        hlo_error(c->diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "%s has %.*s, and the module gives %u result%s", path, (int)names.len, names.data,
                  count, count == 1 ? "" : "s");
        c->agrees = false;
    } else if (c->missing && unmatched->n) {
        hlo_hint(c->diags, "%s has %.*s; results are called out0, out1 and so on, or arr_0", path,
                 (int)names.len, names.data);
    } else if (unmatched->n) {
        hlo_warning(c->diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                    "%s has %.*s, which %s no result", path, (int)names.len, names.data,
                    unmatched->n == 1 ? "is" : "are");
    }
    hlo_buf_free(&names);
}

static hlo_status check_keys(comparison *c, hlo_store *store) {
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_store_keys keys = {0}, unmatched = {0}, surplus = {0};
    hlo_status status = hlo_store_list(store, &arena, c->diags, &keys);
    sort_out(c, store, &keys, &unmatched, &surplus);
    if (status == HLO_OK) report_keys(c, store->path, &unmatched, &surplus);
    hlo_list_free(&keys);
    hlo_list_free(&unmatched);
    hlo_list_free(&surplus);
    hlo_arena_free(&arena);
    return status;
}

static hlo_status compare_device(comparison *c, hlo_store *store, const hlo_run *run) {
    hlo_status status = HLO_OK;
    c->run = run;
    store->device = run->number;
    for (uint32_t k = 0; k < run->output_count && status == HLO_OK; k++)
        status = compare_and_forget(c, store, k);
    return status;
}

hlo_status hlo_run_compare(const hlo_run *run, const char *path, const hlo_compare_options *options,
                           hlo_output *report, hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(report);
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, report);
    HLO_REQUIRE(diags, path);
    comparison c = {
        .all = run, .run = run, .report = report, .diags = diags, .largest = HLO_BUF_INIT};
    hlo_status status = begin(&c, options);
    if (status != HLO_OK) return status;
    hlo_store store;
    hlo_arena_init(&c.arena);
    hlo_cleanup_add(&c.forgetting, forget_stored, &c);
    status = hlo_store_open(path, diags, &store);
    for (uint32_t d = 0; d < run->device_count && status == HLO_OK; d++)
        status = compare_device(&c, &store, hlo_run_of_device(run, d));
    if (status == HLO_OK) status = check_keys(&c, &store);
    hlo_store_close(&store);
    hlo_cleanup_remove(&c.forgetting);
    forget_stored(&c);
    hlo_free(c.stored);
    hlo_arena_free(&c.arena);
    return verdict(&c, status);
}

/* ---- the recorded result ---- */

static void compare_recorded(comparison *c, uint32_t number) {
    const hlo_shape *shape = c->run->outputs[number]->shape;
    const hlo_literal *expected = hlo_recorded_result(c->run->module, number);
    if (expected && hlo_shape_compatible(expected->shape, shape)) {
        compare_leaf(c, number, expected);
        return;
    }
    pass_over(c, number);
    hlo_error(c->diags, HLO_RULE_RUN, NULL, (hlo_span){0}, "out%u is %s, recorded was %s", number,
              hlo_shape_name(&c->diags->arena, shape),
              expected ? hlo_shape_name(&c->diags->arena, expected->shape) : "nothing");
}

hlo_status hlo_run_compare_recording(const hlo_run *run, const hlo_compare_options *options,
                                     hlo_output *report, hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(report);
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, report);
    comparison c = {.run = run, .report = report, .diags = diags, .largest = HLO_BUF_INIT};
    hlo_status status = begin(&c, options);
    for (uint32_t k = 0; k < run->output_count && status == HLO_OK; k++) compare_recorded(&c, k);
    return verdict(&c, status);
}

/* ---- one run with another ---- */

/* Whether the results are, bit for bit, the leaves of an earlier result. */
static bool is_same(const hlo_run *run, hlo_value *const *earlier, uint32_t *number) {
    for (*number = 0; *number < run->output_count; ++*number) {
        const hlo_value *a = run->outputs[*number], *b = earlier[*number];
        int64_t bytes = hlo_shape_bytes(a->shape);
        if (a->shape != b->shape && !hlo_shape_compatible(a->shape, b->shape)) return false;
        if (bytes > 0 && memcmp(a->data, b->data, (size_t)bytes) != 0) return false;
    }
    return true;
}

/* The results of the first run: of each device that this process has the result of, and their
 * leaves, `stride` for each. All is allocated before the next run, which a call without memory
 * undoes. */
typedef struct {
    hlo_value **results, **leaves;
    uint32_t stride;
} first_run;

/* `out0.r1[2] got 3, expected 4, error 1`; of zeros and NaNs whose bits differ, the name alone. */
static void put_change(hlo_buf *to, const hlo_run *device, const hlo_value *earlier,
                       uint32_t number) {
    const hlo_literal got = literal_of(device->outputs[number]), first = literal_of(earlier);
    hlo_buf_printf(to, "out%u", number);
    hlo_run_put_device(to, device);
    if (!hlo_shape_compatible(got.shape, first.shape)) return;
    hlo_comparison found = hlo_compare_arrays(&got, &first, &(hlo_tolerance){0});
    if (found.different) hlo_worst_element_print(to, &found, &got, &first);
}

static void refuse_run(const hlo_run *device, uint64_t count, const hlo_value *earlier,
                       uint32_t number, hlo_diags *diags) {
    hlo_buf change = HLO_BUF_INIT;
    put_change(&change, device, earlier, number);
    hlo_error(diags, HLO_RULE_RUN, NULL, (hlo_span){0},
              "run %llu differs from the first run in %.*s", (unsigned long long)count,
              (int)change.len, change.data);
    hlo_buf_free(&change);
}

static hlo_status check_again(const hlo_run *run, uint64_t count, const first_run *first,
                              hlo_diags *diags) {
    for (uint32_t d = 0; d < run->device_count; d++) {
        const hlo_run *device = hlo_run_of_device(run, d);
        uint32_t number;
        if (is_same(device, first->leaves + (size_t)d * first->stride, &number)) continue;
        refuse_run(device, count, first->leaves[(size_t)d * first->stride + number], number, diags);
        return HLO_BAD_MODULE;
    }
    return HLO_OK;
}

static hlo_status run_again(hlo_run *run, uint64_t count, const first_run *first,
                            hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (uint64_t i = 2; i <= count && status == HLO_OK; i++) {
        status = hlo_run_execute(run, diags);
        if (status != HLO_OK) return status;
        status = check_again(run, i, first, diags);
        hlo_status all = hlo_world_agree(run->world, status, NULL);
        if (status == HLO_OK) status = all;
    }
    return status;
}

static first_run keep_first(const hlo_run *run) {
    uint32_t devices = run->device_count;
    first_run first = {hlo_calloc(devices, sizeof *first.results), NULL, 0};
    for (uint32_t d = 0; d < devices; d++) {
        uint32_t outputs = hlo_run_of_device(run, d)->output_count;
        if (outputs > first.stride) first.stride = outputs;
    }
    first.leaves = hlo_calloc((size_t)devices * first.stride, sizeof *first.leaves);
    for (uint32_t d = 0; d < devices; d++) {
        hlo_value *result = hlo_run_of_device(run, d)->result;
        if (!result) continue;
        first.results[d] = hlo_value_retain(result);
        hlo_leaf_values(result, first.leaves + (size_t)d * first.stride);
    }
    return first;
}

hlo_status hlo_run_repeat(hlo_run *run, uint64_t count, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    hlo_status status = hlo_run_execute(run, diags);
    if (status != HLO_OK || count < 2) return status;
    first_run first = keep_first(run);
    status = run_again(run, count, &first, diags);
    for (uint32_t d = 0; d < run->device_count; d++) hlo_value_release(first.results[d]);
    hlo_free(first.leaves);
    hlo_free(first.results);
    return status;
}
