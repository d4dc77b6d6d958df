/* What rewrites.def claims of values, on numbers at which rewrites go wrong. Every rewrite is
 * applied alone to the module of its test, tests/passes/rewrites/NAME.hlo, as it is and with its
 * floats of each other type; both modules run on the same inputs, made of special values. What they
 * compute must agree: bit by bit where the row is EXACT (any nan is equal to any other), within its
 * bound and with all infinities, nans and signs of zeros where it is ROUNDING. A row of FAST_MATH
 * must be wrong somewhere, or its kind would be too weak.
 *
 *   build/tests/special_values_test [NAME...]    HLO_SHOW=1: the worst distance of each row, too
 *
 * First lines of the module may be remarks: `// sums: REASON` that terms are added in another
 * order, which HLO leaves open: they all have one sign then (`positive, ...`: that of a positive
 * initial value), so that no order cancels or overflows before another; `// ulps: N REASON` for
 * another bound of a row that rounds; `// special: no, REASON` that the claim is about ordinary
 * numbers; `// fast: REASON` that a row of FAST_MATH may be right here. */
#include <ctype.h>
#include <stdlib.h>

#include <hlo.h>

#include "one_rewrite.h"
#include "special_values.h"

static int skipped;
static const char *variant; /* the type of the floats, or "as it is" */

enum { ROUNDS = 160, MOST_ROUNDS = 800, ULPS = 4 };
/* Devices share the rounds, for each has separate values; no fewer than this. */
enum { LEAST_ROUNDS = 28 };

/* ---- inputs ---- */

/* What one round fills arrays with: SAME: one value everywhere in each array; PAIRED: all pairs of
 * values of two arrays, in some rounds; MIXED: any; ONE: one special value among ordinary ones;
 * POSITIVE, NEGATIVE: any of that sign, and nan. */
typedef enum { PAIRED, SAME, PAIRED_TOO, MIXED, ONE, POSITIVE, NEGATIVE, MODES } fill_mode;

static uint64_t state;
static unsigned draw(unsigned below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((state >> 33) % below);
}

static unsigned draw_value(fill_mode mode, bool special) {
    if (mode == ONE && !special) return draw(ORDINARY_COUNT);
    unsigned v = draw(SPECIAL_COUNT);
    if (mode == POSITIVE) v &= ~1u;
    if (mode == NEGATIVE && v != SPECIAL_COUNT - 1) v |= 1u;
    return v;
}

static void put(unsigned char *to, uint64_t bits, unsigned bytes) {
    memcpy(to, &bits, bytes);
}

/* `first` is how many elements earlier rounds had, `leaf` the number of the array. */
static unsigned paired_value(uint64_t first, size_t i, uint32_t leaf) {
    uint64_t n = first + i;
    if (leaf > 1) return draw(SPECIAL_COUNT);
    return (unsigned)((leaf ? n / SPECIAL_COUNT + n : n) % SPECIAL_COUNT);
}

static void fill_floats(const float_form *form, unsigned char *data, size_t n, fill_mode mode,
                        uint64_t first, uint32_t leaf) {
    uint64_t values[SPECIAL_COUNT];
    special_bits(form, values);
    bool is_paired = mode == PAIRED || mode == PAIRED_TOO;
    unsigned same = draw_value(MIXED, true);
    size_t chosen = n ? draw((unsigned)n) : 0;
    for (size_t i = 0; i < n; i++) {
        unsigned v = mode == SAME ? same
                     : is_paired  ? paired_value(first, i, leaf)
                                  : draw_value(mode, i == chosen);
        put(data + i * form->bytes, values[v], form->bytes);
    }
}

/* Small ones, which indices and counts of loops stand. */
static void fill_integers(unsigned bytes, unsigned char *data, size_t n, bool extremes) {
    for (size_t i = 0; i < n; i++) {
        uint64_t value = draw(6);
        if (extremes && draw(2)) {
            uint64_t top = (uint64_t)1 << (bytes * 8 - 1);
            uint64_t choices[] = {0, 1, UINT64_MAX, top, top - 1, top + 1};
            value = choices[draw(6)];
        }
        put(data + i * bytes, value, bytes);
    }
}

typedef struct {
    hlo_run *before, *after;
    bool extremes;    /* integers of any size: no loop counts by them */
    bool same_on_all; /* devices: the module gives them the same parameters */
    uint64_t *leaf_state;
    uint64_t paired; /* arrays of a parameter that had paired values so far */
    unsigned char **inputs;
    uint32_t count;
} pair;

/* Sets a leaf of both; false when the type is left to what fills the rest. */
static void set_leaf(pair *p, uint32_t device, uint32_t leaf, fill_mode mode) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_array array;
    float_form form;
    if (hlo_run_input(p->before, device, leaf, diags, &array) != HLO_OK) abort();
    const char *name = hlo_element_type_name(array.type);
    hlo_type type = hlo_type_from_text(name, strlen(name));
    size_t bytes = hlo_array_bytes(&array), each = hlo_element_type_bytes(array.type);
    unsigned char **place = &p->inputs[device * p->count + leaf];
    bool is_float = form_of(hlo_type_part(type), &form);
    if (p->same_on_all && device) state = p->leaf_state[leaf];
    p->leaf_state[leaf] = state;
    if (each && bytes && (is_float || (hlo_type_is_integral(type) && hlo_types[type].bits >= 8))) {
        if (!*place) *place = hlo_malloc(bytes);
        size_t n = bytes / form.bytes;
        uint64_t first = p->paired + (p->same_on_all ? 0 : device);
        if (is_float) fill_floats(&form, *place, n, mode, first * n, leaf);
        else fill_integers((unsigned)each, *place, bytes / each, p->extremes);
        array.data = *place;
        if (hlo_run_set_input(p->before, device, leaf, &array, diags) != HLO_OK ||
            hlo_run_set_input(p->after, device, leaf, &array, diags) != HLO_OK)
            abort();
    }
    hlo_diags_free(diags);
}

/* Whether both ran. */
static bool run_round(pair *p, fill_mode mode, bool *before_ran) {
    hlo_diags *diags = hlo_diags_create(1);
    for (uint32_t d = 0; d < hlo_run_device_count(p->before); d++)
        for (uint32_t leaf = 0; leaf < p->count; leaf++) set_leaf(p, d, leaf, mode);
    if (mode == PAIRED || mode == PAIRED_TOO)
        p->paired += p->same_on_all ? 1 : hlo_run_device_count(p->before);
    bool good = hlo_run_fill_inputs(p->before, HLO_FILL_UNIFORM, 1, diags) == HLO_OK &&
                hlo_run_fill_inputs(p->after, HLO_FILL_UNIFORM, 1, diags) == HLO_OK;
    *before_ran = good && hlo_run_execute(p->before, diags) == HLO_OK;
    good = *before_ran && hlo_run_execute(p->after, diags) == HLO_OK;
    hlo_diags_free(diags);
    return good;
}

/* ---- results ---- */

typedef struct {
    bool same, class_kept;
    uint64_t ulps;
    uint64_t got, wanted;
} verdict;

static uint64_t element(const void *data, size_t i, unsigned bytes) {
    uint64_t bits = 0;
    memcpy(&bits, (const unsigned char *)data + i * bytes, bytes);
    return bits;
}

static void note(verdict *v, distance d, uint64_t got, uint64_t wanted) {
    bool worse = (v->class_kept && !d.class_kept) ||
                 (v->class_kept == d.class_kept && d.ulps > v->ulps) || (v->same && !d.same);
    if (worse) {
        v->got = got;
        v->wanted = wanted;
    }
    v->same &= d.same;
    v->class_kept &= d.class_kept;
    if (d.ulps > v->ulps) v->ulps = d.ulps;
}

static void compare_leaf(verdict *v, hlo_array got, hlo_array wanted) {
    float_form form;
    const char *name = hlo_element_type_name(wanted.type);
    hlo_type type = hlo_type_from_text(name, strlen(name));
    size_t bytes = hlo_array_bytes(&wanted);
    if (got.type != wanted.type || hlo_array_bytes(&got) != bytes) {
        v->same = v->class_kept = false;
    } else if (form_of(hlo_type_part(type), &form)) {
        for (size_t i = 0; i < bytes / form.bytes; i++) {
            uint64_t a = element(got.data, i, form.bytes), b = element(wanted.data, i, form.bytes);
            note(v, distance_of(&form, a, b), a, b);
        }
    } else if (bytes && memcmp(got.data, wanted.data, bytes) != 0) {
        v->same = v->class_kept = false;
    }
}

static void compare_results(verdict *v, const pair *p) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_array got, wanted;
    for (uint32_t d = 0; d < hlo_run_device_count(p->before); d++)
        for (uint32_t leaf = 0; leaf < hlo_run_output_count(p->before); leaf++) {
            if (hlo_run_output(p->after, d, leaf, diags, &got) != HLO_OK ||
                hlo_run_output(p->before, d, leaf, diags, &wanted) != HLO_OK)
                abort();
            compare_leaf(v, got, wanted);
        }
    hlo_diags_free(diags);
}

/* ---- a module, before and after ---- */

static hlo_run *prepare(hlo_module *module) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_run *run = NULL;
    options.threads = 1;
    if (hlo_run_prepare(module, &options, diags, &run) != HLO_OK) run = NULL;
    hlo_diags_free(diags);
    return run;
}

/* Enough for all pairs of special values in the module as it is, unless arrays are small. */
static int rounds_of(hlo_run *run) {
    hlo_diags *diags = hlo_diags_create(1);
    size_t most = 1;
    for (uint32_t leaf = 0; leaf < hlo_run_input_count(run); leaf++) {
        hlo_array array;
        if (hlo_run_input(run, 0, leaf, diags, &array) != HLO_OK) abort();
        size_t each = hlo_element_type_bytes(array.type);
        size_t n = each ? hlo_array_bytes(&array) / each : 0;
        if (n > most) most = n;
    }
    hlo_diags_free(diags);
    size_t rounds = SPECIAL_COUNT * SPECIAL_COUNT * MODES / 2 / most;
    bool many = hlo_run_input_count(run) > 1 && strcmp(variant, "as it is") == 0;
    if (!many || rounds < ROUNDS) rounds = ROUNDS;
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    rounds /= hlo_run_device_count(run);
    return rounds < LEAST_ROUNDS ? LEAST_ROUNDS : (int)rounds;
}

static bool has_loops(const hlo_module *module) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next)
            if (i->opcode == HLO_OP_WHILE || i->opcode == HLO_OP_SET_DIMENSION_SIZE) return true;
    return false;
}

/* False when it cannot be run. */
static bool compare_modules(const hlo_source *source, hlo_module *before, hlo_module *after,
                            verdict *v) {
    hlo_str sums = remark(source, "// sums: ");
    bool positive = sums.len && strncmp(sums.ptr, "positive", 8) == 0;
    pair p = {.before = prepare(before),
              .after = prepare(after),
              .extremes = !has_loops(before),
              .same_on_all = strstr(source->text, "parameter_replication") != NULL};
    int ran = 0;
    *v = (verdict){.same = true, .class_kept = true};
    state = 1;
    if (p.before && p.after && hlo_run_input_count(p.before) == hlo_run_input_count(p.after)) {
        p.count = hlo_run_input_count(p.before);
        uint32_t all = p.count * hlo_run_device_count(p.before);
        p.inputs = hlo_calloc(all + 1, sizeof *p.inputs);
        p.leaf_state = hlo_calloc(p.count + 1, sizeof *p.leaf_state);
        int rounds = rounds_of(p.before);
        for (int round = 0; round < rounds; round++) {
            fill_mode mode = !sums.len               ? (fill_mode)(round % MODES)
                             : round % 2 || positive ? POSITIVE
                                                     : NEGATIVE;
            bool before_ran;
            if (run_round(&p, mode, &before_ran)) compare_results(v, &p);
            else if (before_ran) v->same = v->class_kept = false;
            ran += before_ran;
        }
        for (uint32_t i = 0; i < all; i++) hlo_free(p.inputs[i]);
        hlo_free(p.inputs);
        hlo_free(p.leaf_state);
    }
    hlo_run_free(p.before);
    hlo_run_free(p.after);
    return ran > 0;
}

static bool is_good(const verdict *v, hlo_rewrite_kind kind, uint64_t bound) {
    return kind == HLO_KIND_EXACT ? v->same : v->class_kept && v->ulps <= bound;
}

/* Adds to *wrong whether values go beyond rounding. */
static void check_variant(hlo_source *source, bool *compared, bool *beyond) {
    uint64_t fired = 0;
    bool is_original = strcmp(variant, "as it is") == 0;
    hlo_module *before = read_module(source, !is_original), *after = read_module(source, true);
    verdict v;
    hlo_str ulps = remark(source, "// ulps: ");
    uint64_t bound = ulps.len ? (uint64_t)atoi(ulps.ptr) : ULPS;
    hlo_rewrite_kind kind = hlo_rewrites[id].kind;
    if (before && after && apply_rewrite(after, source, &fired) && fired &&
        compare_modules(source, before, after, &v)) {
        *compared = true;
        *beyond |= !is_good(&v, HLO_KIND_ROUNDING, bound);
        bool good = kind == HLO_KIND_FAST_MATH || is_good(&v, kind, bound);
        good ? passed++ : failed++;
        if (!good || getenv("HLO_SHOW"))
            printf("%s, %s, floats %s: %s, %llu ulps; worst: got %llx instead of %llx\n",
                   hlo_rewrites[id].name, hlo_rewrite_kind_name(kind), variant,
                   v.same         ? "every bit"
                   : v.class_kept ? "rounds"
                                  : "BEYOND",
                   (unsigned long long)v.ulps, (unsigned long long)v.got,
                   (unsigned long long)v.wanted);
    }
    hlo_module_free(before);
    hlo_module_free(after);
}

/* ---- the same module with floats of another type ---- */

static const char *const float_names[] = {"bf16", "f16", "f32", "f64"};

/* The length of the name of a float type at `at`, which begins a word and is followed by '['. */
static size_t float_name_at(const char *text, const char *at) {
    if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) return 0;
    for (size_t k = 0; k < 4; k++) {
        size_t n = strlen(float_names[k]);
        if (strncmp(at, float_names[k], n) == 0 && at[n] == '[') return n;
    }
    return 0;
}

/* The numbers of the constant at `at` with an imaginary part each; the length of its text, or 0. */
static size_t put_complex_constant(hlo_buf *to, const char *at) {
    const char *from = at, *end = strchr(at, ')');
    if (strncmp(at, "constant(", 9) != 0 || !end || strcspn(at + 9, "(") < (size_t)(end - at - 9))
        return 0;
    hlo_buf_cstr(to, "constant(");
    for (at += 9; at < end;) {
        size_t n = strcspn(at, "{}, )");
        if (n) hlo_buf_printf(to, "(%.*s, 0)", (int)n, at);
        else hlo_buf_char(to, *at);
        at += n ? n : 1;
    }
    hlo_buf_char(to, ')');
    return (size_t)(end + 1 - from);
}

/* NULL when that is the text itself. */
static hlo_source *with_floats(const hlo_source *source, const char *type) {
    hlo_buf text = HLO_BUF_INIT;
    bool other = false, is_complex = strcmp(type, "c64") == 0, is_of_floats = false;
    for (const char *at = source->text; at < source->text + source->len;) {
        size_t n = float_name_at(source->text, at);
        other |= n && (n != strlen(type) || strncmp(at, type, n) != 0);
        size_t c = is_complex && is_of_floats ? put_complex_constant(&text, at) : 0;
        if (*at == '=') is_of_floats = float_name_at(source->text, at + 2) > 0;
        if (n) hlo_buf_cstr(&text, type);
        else if (!c) hlo_buf_char(&text, *at);
        at += n ? n : c ? c : 1;
    }
    hlo_source *made = other ? hlo_source_from_text(type, text.data, text.len) : NULL;
    hlo_buf_free(&text);
    return made;
}

static void check_module(const char *path, hlo_source **parts, size_t count) {
    (void)path, (void)count;
    hlo_source *source = parts[0];
    bool compared = false, beyond = false;
    hlo_pass_class class = hlo_passes[hlo_rewrites[id].pass].class;
    if (class == HLO_CLASS_SIGNATURE || hlo_rewrites[id].kind == HLO_KIND_OTHER ||
        remark(source, "// special: no, ").len) {
        skipped++;
        return;
    }
    variant = "as it is";
    check_variant(source, &compared, &beyond);
    for (size_t k = 0; k < 5; k++) {
        static const char *const types[] = {"bf16", "f16", "f32", "f64", "c64"};
        hlo_source *made = with_floats(source, types[k]);
        variant = types[k];
        bool cancels = k == 4 && remark(source, "// sums: ").len; /* products of complex numbers */
        if (made && !cancels) check_variant(made, &compared, &beyond);
        if (made) hlo_source_release(made);
    }
    if (hlo_rewrites[id].kind == HLO_KIND_FAST_MATH && !remark(source, "// fast: ").len)
        check(beyond, "fast-math, but within rounding");
    skipped += !compared;
    if (!compared && getenv("HLO_SHOW")) printf("%s: not run\n", hlo_rewrites[id].name);
}

/* The table of passes does not contradict that of rewrites. */
static void check_passes(void) {
    for (int k = 0; k < HLO_REWRITE_COUNT; k++) {
        const hlo_pass_info *pass = &hlo_passes[hlo_rewrites[k].pass];
        bool is_exact = hlo_rewrites[k].kind == HLO_KIND_EXACT;
        bool has_option = hlo_pass_find_option(pass, hlo_str_from("fast_math")) >= 0;
        id = (hlo_rewrite_id)k;
        check((is_exact || pass->class != HLO_CLASS_EXACT) &&
                  (hlo_rewrites[k].kind != HLO_KIND_FAST_MATH || has_option),
              "the row of its pass is exact or has no fast_math");
    }
}

int main(int argc, char **argv) {
    check_rows(argc, argv, check_module);
    if (argc <= 1) check_passes();
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
