/* Inputs from a directory, an archive or an object that has arrays by name. No array that is there
 * is passed over while an input stays without a value. */
#include "host/parameters.h"
#include "host/store.h"

typedef struct {
    hlo_run *run;
    hlo_store *store;
    hlo_diags *diags;
    hlo_arena arena; /* of names */
    hlo_store_keys keys, unmatched;
    bool *is_given; /* leaf by leaf: by others than the store */
    uint32_t found; /* arrays of the store that are inputs */
    bool is_record; /* the store has the results of the run, too */
} reading;

static bool is_set(const reading *r, uint32_t leaf) {
    return r->run->inputs[leaf].value != NULL;
}

/* ---- by number ---- */

static hlo_status read_numbers(reading *r) {
    for (uint32_t leaf = 0; leaf < r->run->input_count; leaf++) {
        bool found;
        r->is_given[leaf] = is_set(r, leaf);
        if (r->is_given[leaf]) continue;
        hlo_status status =
            hlo_store_read_number(r->store, "in", leaf, &r->run->inputs[leaf], &found, r->diags);
        if (status != HLO_OK) return hlo_run_explain_tiles(r->run, leaf, status, r->diags);
    }
    return HLO_OK;
}

/* ---- by name ---- */

static hlo_status read_name(reading *r, hlo_str key, uint32_t leaf) {
    bool found;
    r->found++;
    if (r->is_given[leaf]) return HLO_OK;
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_str(&name, key);
    hlo_buf_char(&name, '\0');
    hlo_status status = is_set(r, leaf) ? hlo_run_refuse_twice(leaf, name.data, r->diags)
                                        : hlo_store_read(r->store, name.data, &r->run->inputs[leaf],
                                                         &found, r->diags);
    hlo_buf_free(&name);
    return status;
}

static hlo_status refuse_ambiguous(reading *r, hlo_str key, uint32_t count) {
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_str(&name, key);
    hlo_buf_char(&name, '\0');
    hlo_status status = hlo_run_refuse_name(r->run, name.data, count, r->diags);
    hlo_buf_free(&name);
    return status;
}

static hlo_status read_key(reading *r, hlo_str key) {
    uint32_t number;
    hlo_input_place at;
    bool is_number = hlo_store_is_number(r->store, key, "in", &number);
    r->found += is_number && number < r->run->input_count;
    if (is_number && number < r->run->input_count) return HLO_OK;
    uint32_t count = hlo_run_find_input(r->run, key, &at);
    if (count > 1) return refuse_ambiguous(r, key, count);
    if (count && hlo_shape_is_array(at.shape)) return read_name(r, key, at.leaf);
    hlo_list_push(&r->unmatched, key);
    if (!is_number) return HLO_OK;
    hlo_error(r->diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
              "%.*s of %s is one input too many: the module takes %u", (int)key.len, key.ptr,
              r->store->path, r->run->input_count);
    return HLO_BAD_USE;
}

/* ---- unused arrays, missing inputs ---- */

/* Where the inputs of a run are, its results may be too. */
static void forgive_results(reading *r) {
    uint32_t kept = 0, number;
    for (uint32_t i = 0; i < r->unmatched.n; i++)
        if (!hlo_store_is_number(r->store, r->unmatched.v[i], "out", &number))
            r->unmatched.v[kept++] = r->unmatched.v[i];
    r->unmatched.n = kept;
}

/* `input 1 of 3, 'b' f32[2]`, and how many more have no value. */
static void put_missing(hlo_buf *to, const reading *r, uint32_t leaf) {
    uint32_t more = 0;
    hlo_buf_printf(to, "input %u of %u, ", leaf, r->run->input_count);
    hlo_run_put_input_name(to, r->run, leaf);
    for (uint32_t i = leaf + 1; i < r->run->input_count; i++) more += !is_set(r, i);
    if (more) hlo_buf_printf(to, ", and %u more", more);
}

static hlo_status refuse_missing(reading *r, uint32_t leaf, bool may_miss) {
    hlo_buf keys = HLO_BUF_INIT, input = HLO_BUF_INIT;
    hlo_store_put_keys(&keys, &r->unmatched);
    put_missing(&input, r, leaf);
    int key_length = (int)keys.len, input_length = (int)input.len;
    if (may_miss) {
        hlo_error(r->diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "%s has %.*s, which %s no input, and no array for %.*s", r->store->path,
                  key_length, keys.data, r->unmatched.n == 1 ? "is" : "are", input_length,
                  input.data);
        hlo_hint(r->diags, "names of inputs are those of the parameters, or in0, in1 and so on");
    } else {
        hlo_error(r->diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "there is no in%u.npy in %s", leaf,
                  r->store->path);
        if (keys.len)
            hlo_hint(r->diags, "no array for %.*s; found %.*s", input_length, input.data,
                     key_length, keys.data);
        else hlo_hint(r->diags, "no array for %.*s", input_length, input.data);
    }
    hlo_buf_free(&keys);
    hlo_buf_free(&input);
    return may_miss ? HLO_BAD_USE : HLO_BAD_SYSTEM;
}

static void warn_of_unmatched(reading *r) {
    hlo_buf keys = HLO_BUF_INIT;
    hlo_store_put_keys(&keys, &r->unmatched);
    hlo_warning(r->diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "%s has %.*s, which %s no input",
                r->store->path, (int)keys.len, keys.data, r->unmatched.n == 1 ? "is" : "are");
    hlo_buf_free(&keys);
}

static hlo_status judge(reading *r, bool may_miss) {
    uint32_t leaf = 0;
    while (leaf < r->run->input_count && is_set(r, leaf)) leaf++;
    bool is_complete = leaf == r->run->input_count;
    if (r->is_record || r->found || is_complete) forgive_results(r);
    if (!is_complete && (!may_miss || r->unmatched.n)) return refuse_missing(r, leaf, may_miss);
    if (r->unmatched.n) warn_of_unmatched(r);
    return HLO_OK;
}

/* ---- all of it ---- */

static hlo_status read_all(reading *r, bool may_miss) {
    hlo_status status = read_numbers(r);
    if (status == HLO_OK) status = hlo_store_list(r->store, &r->arena, r->diags, &r->keys);
    for (uint32_t i = 0; i < r->keys.n && status == HLO_OK; i++) status = read_key(r, r->keys.v[i]);
    return status == HLO_OK ? judge(r, may_miss) : status;
}

/* What names the device. */
static hlo_status read_own(hlo_run *run, hlo_store *store, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    bool found;
    store->device = run->number;
    for (uint32_t leaf = 0; leaf < run->input_count && status == HLO_OK; leaf++)
        if (!run->inputs[leaf].value)
            status = hlo_store_read_number(store, "in", leaf, &run->inputs[leaf], &found, diags);
    return status;
}

static hlo_status read_store(hlo_run *run, const char *path, bool may_miss, bool is_record,
                             hlo_diags *diags) {
    hlo_store store;
    hlo_status status = hlo_store_open(path, diags, &store);
    if (status != HLO_OK) return status;
    reading r = {.run = run, .store = &store, .diags = diags, .is_record = is_record};
    hlo_arena_init(&r.arena);
    r.is_given = hlo_calloc(run->input_count, sizeof *r.is_given);
    status = read_all(&r, may_miss);
    store.is_shared = false;
    for (uint32_t d = 1; d < run->device_count && status == HLO_OK; d++)
        status = read_own(hlo_run_of_device(run, d), &store, diags);
    hlo_list_free(&r.keys);
    hlo_list_free(&r.unmatched);
    hlo_free(r.is_given);
    hlo_arena_free(&r.arena);
    hlo_store_close(&store);
    return status;
}

/* ---- the interface ---- */

hlo_status hlo_run_read_inputs(hlo_run *run, const char *path, bool may_miss, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, path);
    return read_store(hlo_run_with_inputs(run), path, may_miss, false, diags);
}

hlo_status hlo_run_read_record(hlo_run *run, const char *path, bool may_miss, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, path);
    return read_store(run, path, may_miss, true, diags);
}
