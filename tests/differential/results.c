/* Runs of a module on made-up inputs, and whether their results are equal, or as near as rounding
 * allows: results that small changes of inputs and constants move may differ by as much. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fresh.h"
#include "differential/differential.h"
#include "ir/ir.h"
#include "unit/same_values.h"

enum { PERTURBATIONS = 3, NOISES = 8, MOST_INPUTS = 64, MEMORY = 1 << 27 };

static hlo_type type_of(const hlo_array *array) {
    const char *name = hlo_element_type_name(array->type);
    return hlo_type_from_text(name, strlen(name));
}

/* ---- neighbours of floats ---- */

/* Whether the bits are a finite number other than 0, which has a neighbour of its kind. */
static bool is_movable(hlo_type type, const uint8_t *element) {
    double number = 0;
    switch (type) {
    case HLO_F32: {
        float f;
        memcpy(&f, element, sizeof f);
        number = (double)f;
        break;
    }
    case HLO_F64: memcpy(&number, element, sizeof number); break;
    case HLO_F16:
    case HLO_BF16: {
        uint16_t bits;
        memcpy(&bits, element, sizeof bits);
        uint16_t exponent = type == HLO_F16 ? 0x7c00 : 0x7f80;
        return (bits & 0x7fff) != 0 && (bits & exponent) != exponent;
    }
    default: return false;
    }
    return isfinite(number) && number != 0;
}

/* The last bit of each float is flipped or left, by the number. Floats of 8 bits and less are left:
 * their neighbours are too far away. */
static void move_elements(hlo_type type, uint8_t *data, size_t bytes, uint32_t perturbation) {
    hlo_type part = hlo_type_part(type);
    size_t size = hlo_type_is_float(part) ? (size_t)hlo_types[part].bytes : 0;
    dice d = {perturbation};
    for (size_t at = 0; size && at + size <= bytes; at += size)
        if (is_movable(part, data + at) && throw(&d, 2)) data[at] ^= 1;
}

static void move_constants(hlo_module *module, uint32_t perturbation) {
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *i = c->first; i; i = i->next) {
            hlo_array array;
            if (i->opcode != HLO_OP_CONSTANT || !hlo_shape_is_array(i->shape)) continue;
            if (!hlo_instr_literal(i, 0, &array)) continue;
            move_elements((hlo_type)i->shape->type, (uint8_t *)(uintptr_t)array.data,
                          hlo_array_bytes(&array), perturbation);
        }
}

/* ---- runs ---- */

bool inputs_are_special(uint64_t inputs) {
    return inputs == INPUT_RULES - 1;
}

/* A mixture of zeros of both signs, infinities, NaN, limits and ordinary numbers. */
static void put_special(hlo_type type, uint8_t *element, size_t size, uint64_t kind) {
    hlo_type part = hlo_type_part(type);
    if (type == HLO_PRED) {
        *element = kind % 2;
        return;
    }
    static const double numbers[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, 3, -2};
    double number = numbers[kind % (sizeof numbers / sizeof *numbers)];
    if (part == HLO_F64) memcpy(element, &number, sizeof number);
    else if (part == HLO_F32) memcpy(element, &(float){(float)number}, sizeof(float));
    else memset(element, kind % 3 == 0 ? 0 : kind % 3 == 1 ? 0xff : 0x01, size);
}

/* Inputs that the result borrows: the run's own ones, moved or replaced. */
static bool replace_input(result *r, uint32_t device, uint32_t leaf, uint64_t inputs,
                          uint32_t perturbation) {
    hlo_array array;
    if (hlo_run_input(r->run, device, leaf, r->diags, &array) != HLO_OK) return false;
    size_t bytes = hlo_array_bytes(&array), size = hlo_element_type_bytes(array.type);
    if (!bytes || !array.data) return true;
    uint8_t *data = memcpy(malloc(bytes), array.data, bytes);
    hlo_type type = type_of(&array);
    dice d = {inputs + leaf};
    bool is_special = inputs_are_special(inputs);
    size_t part = hlo_types[hlo_type_part(type)].bytes ? hlo_types[hlo_type_part(type)].bytes : 1;
    for (size_t at = 0; is_special && at < bytes; at += part < size ? part : size)
        put_special(type, data + at, part < size ? part : size, throw(&d, 30));
    if (perturbation) move_elements(type, data, bytes, perturbation + leaf);
    r->inputs = hlo_realloc(r->inputs, (r->input_count + 1) * sizeof *r->inputs);
    r->inputs[r->input_count++] = data;
    array.data = data;
    return hlo_run_set_input(r->run, device, leaf, &array, r->diags) == HLO_OK;
}

/* Made-up inputs may depend on what the module does with them. */
static bool fill(result *r, uint64_t inputs, uint32_t perturbation) {
    static const hlo_input_fill fills[] = {HLO_FILL_RANDOM, HLO_FILL_UNIFORM, HLO_FILL_HASH,
                                           HLO_FILL_NORMAL, HLO_FILL_ONES,    HLO_FILL_IOTA};
    _Static_assert(sizeof fills / sizeof *fills == INPUT_RULES - 1, "a rule each");
    hlo_input_fill rule = fills[inputs % (INPUT_RULES - 1)];
    if (hlo_run_fill_inputs(r->run, rule, 1, r->diags) != HLO_OK) return false;
    if (!perturbation && !inputs_are_special(inputs)) return true;
    uint32_t devices = hlo_run_device_count(r->run);
    for (uint32_t device = 0; device < devices; device++)
        for (uint32_t leaf = 0; leaf < hlo_run_input_count(r->run); leaf++)
            if (leaf < MOST_INPUTS && !replace_input(r, device, leaf, inputs, perturbation))
                return false;
    return true;
}

static bool borrow(result *r, const result *from) {
    uint32_t devices = hlo_run_device_count(r->run), n = hlo_run_input_count(from->run);
    uint32_t given = hlo_run_device_count(from->run);
    if ((given != 1 && given != devices) || hlo_run_input_count(r->run) != n) return false;
    for (uint32_t device = 0; device < devices; device++)
        for (uint32_t leaf = 0; leaf < n; leaf++) {
            hlo_array array;
            if (hlo_run_input(from->run, given == 1 ? 0 : device, leaf, r->diags, &array) != HLO_OK)
                return false;
            if (array.data && hlo_run_set_input(r->run, device, leaf, &array, r->diags) != HLO_OK)
                return false;
        }
    /* Arrays without elements, and what only the prepared module has. */
    return hlo_run_fill_inputs(r->run, HLO_FILL_ZEROS, 1, r->diags) == HLO_OK;
}

/* Memory that is handed out holds another pattern in each run: bytes of a result that nothing
 * wrote differ between runs. */
static void change_pattern(void) {
    uint64_t old = atomic_load(&hlo_fresh_pattern);
    atomic_store(&hlo_fresh_pattern, old == HLO_FRESH_NAN ? HLO_FRESH_BYTES : HLO_FRESH_NAN);
}

static result prepare(hlo_module *module, hlo_run_options how) {
    result r = {.diags = hlo_diags_create(1)};
    change_pattern();
    how.memory.limit = MEMORY;
    r.status = hlo_run_prepare(module, &how, r.diags, &r.run);
    if (r.status != HLO_OK) r.run = NULL;
    return r;
}

static result execute(result r, bool has_inputs) {
    if (!r.run) return r;
    r.status = has_inputs ? hlo_run_execute(r.run, r.diags) : HLO_BAD_MODULE;
    if (r.status == HLO_OK) return r;
    hlo_run_free(r.run);
    r.run = NULL;
    return r;
}

result run_case(hlo_module *module, hlo_run_options how, uint64_t inputs, uint32_t perturbation) {
    result r = prepare(module, how);
    bool has_inputs = r.run && fill(&r, inputs, perturbation);
    return execute(r, has_inputs);
}

result run_again(hlo_module *module, hlo_run_options how, const result *like) {
    result r = prepare(module, how);
    bool has_inputs = r.run && borrow(&r, like);
    return execute(r, has_inputs);
}

void drop_result(result *r) {
    hlo_run_free(r->run);
    hlo_diags_free(r->diags);
    for (uint32_t i = 0; i < r->input_count; i++) free(r->inputs[i]);
    hlo_free(r->inputs);
    *r = (result){0};
}

/* ---- two arrays of one shape ---- */

typedef struct {
    hlo_arena arena;
    hlo_shapes_table shapes;
    hlo_literal got, wanted;
} literals;

static literals literals_of(hlo_array got, hlo_array wanted) {
    literals of;
    hlo_arena_init(&of.arena);
    hlo_shapes_init(&of.shapes, &of.arena);
    const hlo_shape *shape =
        hlo_shape_array(&of.shapes, type_of(&wanted), wanted.dims, wanted.rank, NULL, NULL, NULL);
    of.got = (hlo_literal){.shape = shape, .data = (void *)(uintptr_t)got.data};
    of.wanted = (hlo_literal){.shape = shape, .data = (void *)(uintptr_t)wanted.data};
    return of;
}

static void drop_literals(literals *of) {
    hlo_shapes_free(&of->shapes);
    hlo_arena_free(&of->arena);
}

/* ---- comparing ---- */

static hlo_array leaf_of(const result *r, uint32_t device, uint32_t leaf) {
    hlo_array array;
    hlo_diags *diags = hlo_diags_create(1);
    if (hlo_run_output(r->run, device, leaf, diags, &array) != HLO_OK) abort();
    hlo_diags_free(diags);
    return array;
}

static bool same_extent(const hlo_array *a, const hlo_array *b) {
    return a->type == b->type && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Whether only one of two is a finite number wherever they differ; so integers differ anywhere. */
static bool differs_in_specials(hlo_array got, hlo_array wanted, double more) {
    literals of = literals_of(got, wanted);
    hlo_tolerance tolerance = tolerance_of(type_of(&wanted), HLO_CLASS_TOLERANCE);
    tolerance.atol += more;
    hlo_comparison c = hlo_compare_arrays(&of.got, &of.wanted, &tolerance);
    drop_literals(&of);
    return c.different == c.hopeless;
}

static bool same_output(hlo_array a, hlo_array b, const sensitivity *near, uint32_t leaf) {
    if (!same_extent(&a, &b)) return false;
    if (!near) return same_leaf(a, b, HLO_CLASS_EXACT, 0);
    double more = leaf < near->count ? near->atol[leaf] : 0;
    if (isinf(more) || (near->is_special && !near->is_exact && hlo_type_is_complex(type_of(&b)))) {
        if (!same_leaf(a, b, HLO_CLASS_TOLERANCE, 0)) excuse(EXCUSE_JUMPS);
        return true;
    }
    if (near->is_exact) return same_leaf(a, b, HLO_CLASS_EXACT, 0);
    if (same_leaf(a, b, HLO_CLASS_TOLERANCE, more)) return true;
    if (!near->depends_on_steps || !differs_in_specials(a, b, more)) return false;
    excuse(EXCUSE_STEPS);
    return true;
}

bool same_results(const result *got, const result *wanted, const sensitivity *near,
                  uint32_t *leaf) {
    uint32_t n = hlo_run_output_count(wanted->run), devices = hlo_run_device_count(got->run);
    uint32_t given = hlo_run_device_count(wanted->run);
    *leaf = 0;
    if (hlo_run_output_count(got->run) != n || (given != 1 && given != devices)) return false;
    for (uint32_t device = 0; device < devices; device++)
        for (*leaf = 0; *leaf < n; ++*leaf) {
            hlo_array a = leaf_of(got, device, *leaf),
                      b = leaf_of(wanted, given == 1 ? 0 : device, *leaf);
            if (!same_output(a, b, near, *leaf)) return false;
        }
    return true;
}

/* ---- reports ---- */

static void print_leaf(hlo_array got, hlo_array wanted, uint32_t device, uint32_t leaf) {
    if (!same_extent(&got, &wanted)) {
        printf("  device %u, result %u: another shape\n", device, leaf);
        return;
    }
    literals of = literals_of(got, wanted);
    hlo_tolerance none = {0};
    hlo_comparison c = hlo_compare_arrays(&of.got, &of.wanted, &none);
    hlo_buf text = HLO_BUF_INIT;
    char name[96];
    snprintf(name, sizeof name, "  device %u, result %u of type %s", device, leaf,
             hlo_element_type_name(wanted.type));
    if (c.different) hlo_comparison_print(&text, name, &c, &of.got, &of.wanted);
    fwrite(text.data, 1, text.len, stdout);
    hlo_buf_free(&text);
    drop_literals(&of);
}

void print_differences(const result *got, const result *wanted) {
    uint32_t n = hlo_run_output_count(wanted->run), devices = hlo_run_device_count(got->run);
    uint32_t given = hlo_run_device_count(wanted->run);
    if (hlo_run_output_count(got->run) != n || (given != 1 && given != devices)) return;
    for (uint32_t device = 0; device < devices; device++)
        for (uint32_t leaf = 0; leaf < n; leaf++)
            print_leaf(leaf_of(got, device, leaf), leaf_of(wanted, given == 1 ? 0 : device, leaf),
                       device, leaf);
}

/* ---- what small changes do ---- */

/* 64 times the greatest distance of two results of one shape; infinity where only one of two is
 * finite, or where the distance is a hundredth of the largest number: digits mean nothing then. So
 * it is for integers that differ at all. */
static double spread(hlo_array a, hlo_array b) {
    literals of = literals_of(a, b);
    hlo_tolerance none = {0};
    hlo_comparison c = hlo_compare_arrays(&of.got, &of.wanted, &none);
    hlo_array_summary numbers = hlo_summarise_array(&of.wanted);
    drop_literals(&of);
    if (c.different == 0) return 0;
    if (c.hopeless) return INFINITY;
    hlo_type type = type_of(&b);
    if (!hlo_type_is_float(type) && !hlo_type_is_complex(type)) return INFINITY;
    double largest = fmax(fabs(numbers.least), fabs(numbers.greatest));
    return c.needed_atol <= largest / 100 ? 64 * c.needed_atol : INFINITY;
}

static void widen(sensitivity *s, const result *moved, const result *wanted) {
    for (uint32_t leaf = 0; leaf < s->count; leaf++) {
        double most = INFINITY;
        hlo_array b = leaf_of(wanted, 0, leaf);
        if (moved->run && hlo_run_output_count(moved->run) == s->count) {
            hlo_array a = leaf_of(moved, 0, leaf);
            if (same_extent(&a, &b)) most = spread(a, b);
        }
        if (!(most <= s->atol[leaf])) s->atol[leaf] = most;
    }
}

/* Widens by a run of the changed module. */
static void widen_by(sensitivity *s, hlo_module *changed, const result *wanted, uint64_t inputs,
                     uint32_t perturbation) {
    hlo_run_options how = HLO_RUN_OPTIONS_INIT;
    how.engine = HLO_ENGINE_REFERENCE;
    how.threads = 1;
    result moved = run_case(changed, how, inputs, perturbation);
    widen(s, &moved, wanted);
    drop_result(&moved);
}

sensitivity measure_sensitivity(const mutant_text *text, const result *wanted, uint64_t inputs,
                                noise_kind kind) {
    sensitivity s = {.count = hlo_run_output_count(wanted->run), .is_known = true};
    s.is_special = inputs_are_special(inputs);
    s.is_exact = kind == NOISE_OF_NANS;
    s.atol = calloc(s.count ? s.count : 1, sizeof *s.atol);
    for (uint32_t i = s.is_exact ? PERTURBATIONS + 1 : 1; i <= PERTURBATIONS + NOISES; i++) {
        hlo_diags *diags = hlo_diags_create(1);
        hlo_module *module = read_mutant(text, diags);
        if (i <= PERTURBATIONS) move_constants(module, i);
        else add_noise(module, kind, i);
        widen_by(&s, module, wanted, inputs, i <= PERTURBATIONS ? i : 0);
        hlo_module_free(module);
        hlo_diags_free(diags);
    }
    return s;
}

void drop_sensitivity(sensitivity *s) {
    free(s->atol);
    *s = (sensitivity){0};
}
