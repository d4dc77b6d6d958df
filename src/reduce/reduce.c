/* Making a module smaller: edits from coarse to fine, each on a copy of the smallest module so far,
 * which a test accepts or not; repeated until no edit succeeds.
 *
 * Every edit that is kept has fewer instructions, or as many and fewer elements in their results,
 * or as many of both and a shorter text: so it ends. */
#include "parse/parse.h"
#include "reduce/edit.h"
#include "shape/verify.h"

typedef struct {
    int edit;
    uint32_t at, size;
} place;

typedef struct {
    hlo_module *module;
    hlo_buf text;
    size_t instructions;
    double elements; /* of all results */
    uint64_t hash;
    place from;
} candidate;

typedef struct {
    const hlo_reduce_options *options;
    hlo_reduction *result;
    candidate best;
    candidate *batch;
    uint32_t batch_size, batch_count;
    HLO_LIST(uint64_t) seen; /* hashes of texts */
    hlo_hash seen_by_hash;   /* numbers of those, from 1 */
    bool is_stopped;
} search;

/* ---- texts that were there before ---- */

static bool is_seen(const search *s, uint64_t hash) {
    for (uint32_t i = 0; i < s->batch_count; i++)
        if (s->batch[i].hash == hash) return true;
    hlo_hash_each (number, &s->seen_by_hash, hash)
        if (s->seen.v[number - 1] == hash) return true;
    return false;
}

static void remember(search *s, uint64_t hash) {
    hlo_list_push(&s->seen, hash);
    hlo_hash_add(&s->seen_by_hash, hash, s->seen.n);
}

/* ---- candidates ---- */

static void forget(candidate *c) {
    if (c->module) hlo_module_free(c->module);
    hlo_buf_free(&c->text);
    *c = (candidate){.text = HLO_BUF_INIT};
}

/* Tests get all that the module is, down to the sign of a zero. */
static void print(const search *s, hlo_module *module, candidate *to) {
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    style.exact_literals = !s->options->xla_literals;
    module->is_rewritten = true;
    hlo_module_print(module, &style, &to->text);
    to->hash = hlo_hash_bytes(to->text.data, to->text.len) | 1;
}

static double count_elements(const hlo_module *module) {
    double all = 0;
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            for (uint32_t k = 0; k < hlo_shape_leaf_count(i->shape); k++) {
                const hlo_shape *leaf = hlo_shape_leaf(i->shape, k);
                if (hlo_shape_is_array(leaf)) all += (double)hlo_shape_elements(leaf);
            }
    return all;
}

/* The text is read again, so that what is tested is what others will read. */
static bool read_back(candidate *c) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("candidate", c->text.data, c->text.len);
    bool good = source && hlo_parse(source, &diags, &c->module) == HLO_OK &&
                hlo_verify(c->module, &diags) == HLO_OK;
    hlo_source_close(source);
    hlo_diags_drop(&diags);
    if (good) c->instructions = hlo_module_describe(c->module).instructions;
    if (good) c->elements = count_elements(c->module);
    return good;
}

static bool is_smaller(const candidate *a, const candidate *b) {
    if (a->instructions != b->instructions) return a->instructions < b->instructions;
    if (a->elements != b->elements) return a->elements < b->elements;
    return a->text.len < b->text.len;
}

static bool is_promising(search *s, candidate *c) {
    if (is_seen(s, c->hash)) return false;
    if (read_back(c) && is_smaller(c, &s->best)) return true;
    remember(s, c->hash);
    return false;
}

static bool make_candidate(search *s, place from, candidate *out) {
    *out = (candidate){.text = HLO_BUF_INIT, .from = from};
    hlo_module *copy = hlo_module_clone(s->best.module);
    hlo_signature before = hlo_edit_signature(copy);
    bool good = hlo_edits[from.edit].apply(copy, from.at, from.size) && hlo_edit_tidy(copy, before);
    if (good) print(s, copy, out);
    hlo_module_free(copy);
    if (good && is_promising(s, out)) return true;
    forget(out);
    return false;
}

/* ---- where to try ---- */

static void begin_edit(const search *s, place *p, int edit) {
    *p = (place){.edit = edit};
    if (edit == HLO_EDIT_COUNT) return;
    uint32_t n = hlo_edits[edit].count(s->best.module);
    p->size = n && hlo_edits[edit].how == HLO_EDIT_SINGLES ? 1 : n;
}

/* Skips positions beyond the end of the best module; false at the end of the pass over all edits.
 */
static bool settle(const search *s, place *p) {
    while (p->edit < HLO_EDIT_COUNT) {
        const hlo_edit *edit = &hlo_edits[p->edit];
        if (p->size && p->at < edit->count(s->best.module)) return true;
        p->at = 0;
        p->size = p->size > 1 ? p->size / 2 : 0;
        if (!p->size) begin_edit(s, p, p->edit + 1);
    }
    return false;
}

static void go_on(place *p) {
    bool is_tail = hlo_edits[p->edit].how == HLO_EDIT_TAIL;
    p->at = is_tail || UINT32_MAX - p->at < p->size ? UINT32_MAX : p->at + p->size;
}

/* ---- testing ---- */

/* At most as many as there may still be tests. */
static uint32_t free_batch_slots(const search *s) {
    uint64_t most = s->options->max_tests, done = s->result->tests;
    if (!most) return s->batch_size;
    uint64_t left = most > done ? most - done : 0;
    return left < s->batch_size ? (uint32_t)left : s->batch_size;
}

static int ask(search *s) {
    hlo_candidate *asked = hlo_calloc(s->batch_count, sizeof *asked);
    for (uint32_t i = 0; i < s->batch_count; i++)
        asked[i] =
            (hlo_candidate){s->batch[i].text.data, s->batch[i].text.len, s->batch[i].instructions};
    hlo_unwind_state state = hlo_unwind_suspend();
    int chosen = s->options->test(s->options->context, asked, (int)s->batch_count);
    hlo_unwind_resume(state);
    hlo_free(asked);
    return chosen;
}

/* Those after the chosen one do not count: alone they would not have been asked about. */
static bool test_batch(search *s, place *next) {
    int chosen = s->batch_count ? ask(s) : HLO_REDUCE_NONE;
    s->is_stopped = chosen < HLO_REDUCE_NONE;
    uint32_t counted = chosen >= 0 ? (uint32_t)chosen + 1 : s->batch_count;
    for (uint32_t i = 0; i < counted && !s->is_stopped; i++) {
        s->result->tests++;
        remember(s, s->batch[i].hash);
    }
    if (chosen >= 0) {
        candidate old = s->best;
        s->best = s->batch[chosen];
        s->batch[chosen] = old;
        *next = s->best.from;
    }
    for (uint32_t i = 0; i < s->batch_count; i++) forget(&s->batch[i]);
    s->batch_count = 0;
    return chosen >= 0;
}

static bool run_pass(search *s) {
    place p;
    bool changed = false, more = true;
    begin_edit(s, &p, 0);
    while (!s->is_stopped) {
        uint32_t capacity = free_batch_slots(s);
        if (!capacity) {
            s->is_stopped = true;
            break;
        }
        while (s->batch_count < capacity && (more = settle(s, &p))) {
            s->batch_count += make_candidate(s, p, &s->batch[s->batch_count]);
            go_on(&p);
        }
        if (!more && !s->batch_count) break;
        if (test_batch(s, &p)) changed = true;
    }
    return changed;
}

/* ---- the whole ---- */

static hlo_status begin(search *s, hlo_module *module, hlo_diags *diags) {
    hlo_status status = hlo_verify(module, diags);
    if (status != HLO_OK) return status;
    candidate *first = &s->batch[0];
    *first = (candidate){.text = HLO_BUF_INIT};
    print(s, module, first);
    hlo_source *source = hlo_source_from_text("module", first->text.data, first->text.len);
    if (!source) {
        hlo_error(diags, HLO_RULE_LIMIT, NULL, (hlo_span){0}, "the module's text is too long");
        status = HLO_BAD_SYSTEM;
    } else {
        status = hlo_parse(source, diags, &first->module);
        hlo_source_close(source);
    }
    if (status != HLO_OK) {
        forget(first);
        return status;
    }
    first->instructions = hlo_module_describe(first->module).instructions;
    first->elements = count_elements(first->module);
    s->result->instructions_before = first->instructions;
    s->batch_count = 1;
    place unused;
    if (test_batch(s, &unused) || s->is_stopped) return HLO_OK;
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0},
              "the unchanged module does not pass the test");
    return HLO_BAD_MODULE;
}

hlo_status hlo_reduce(hlo_module *module, const hlo_reduce_options *options, hlo_diags *diags,
                      hlo_reduction *out) {
    HLO_API_CALL(diags) {
        if (out) *out = (hlo_reduction){0};
        return HLO_BAD_SYSTEM;
    }
    if (out) *out = (hlo_reduction){0};
    HLO_REQUIRE(diags, out);
    HLO_REQUIRE(diags, module);
    if (!hlo_module_is_usable(module, diags)) return HLO_BAD_USE;
    hlo_reduce_options given = HLO_REDUCE_OPTIONS_INIT;
    if (hlo_take_options(options, &given, sizeof given, diags) != HLO_OK) return HLO_BAD_USE;
    if (!given.test) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "a test is required");
        return HLO_BAD_USE;
    }
    search s = {.options = &given, .result = out, .batch_size = given.batch};
    if (!s.batch_size) s.batch_size = 1;
    s.best.text = HLO_BUF_INIT;
    s.batch = hlo_calloc(s.batch_size, sizeof *s.batch);
    hlo_status status = begin(&s, module, diags);
    if (status == HLO_OK && !s.is_stopped) {
        while (run_pass(&s) && !s.is_stopped) continue;
        out->instructions_after = s.best.instructions;
        out->is_done = !s.is_stopped;
    }
    forget(&s.best);
    hlo_free(s.batch);
    hlo_list_free(&s.seen);
    hlo_hash_free(&s.seen_by_hash);
    return status;
}
