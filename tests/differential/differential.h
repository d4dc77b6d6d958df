/* The differential fuzzer: valid modules, made by mutation, must mean one thing in all ways that
 * the tools have to run, rewrite, print and partition them. What its parts share. */
#ifndef TESTS_DIFFERENTIAL_H
#define TESTS_DIFFERENTIAL_H

#include <hlo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- decisions of one case, by its number ---- */

typedef struct {
    uint64_t state;
} dice;

static inline uint64_t throw(dice * d, uint64_t sides) {
    d->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = d->state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return sides ? (z ^ z >> 31) % sides : 0;
}

/* ---- corpus.c: what is mutated ---- */

/* A text of at most MUTANT_BYTES, not NUL-terminated. */
enum { MUTANT_BYTES = 1 << 16 };
typedef struct {
    char bytes[MUTANT_BYTES];
    size_t len;
} mutant_text;

/* Remembers the modules below a directory, or one file: texts of at most 16 KB. */
void corpus_add(const char *path);
size_t corpus_size(void);
void corpus_free(void);

/* A text that the verifier accepts and that is small enough to run: a module of the corpus or of
 * the generator, often after mutations. False when none came out within some tries. */
bool make_mutant(dice *d, mutant_text *to);
/* Of a file; false when it cannot be read or is too long. */
bool read_text(const char *path, mutant_text *to);
/* A verified module of the text; NULL, and errors in `diags`, otherwise. */
hlo_module *read_mutant(const mutant_text *text, hlo_diags *diags);

/* ---- nest.c: the same program, one level deeper ---- */

enum { NESTINGS = 6 };
extern const char *const nesting_names[NESTINGS];
/* The text of a module whose entry calls the entry of `module` in the given way; false when that
 * way has no form for it. */
bool nest(hlo_module *module, unsigned nesting, mutant_text *to);

/* ---- shard.c: the same program for several devices ---- */

/* The text of `module` for so many partitions, with random shardings; false when it is for several
 * devices or has shardings already. */
bool shard(hlo_module *module, uint32_t devices, dice *d, mutant_text *to);

/* ---- noise.c ---- */

/* NANS: only the signs that NaN have. ENGINES: what they compute in other ways, each as good as the
 * other: functions, sums, what consists of sums, products of complex numbers. PASSES: also what
 * passes that keep values within rounding put in another order. */
typedef enum { NOISE_OF_NANS, NOISE_OF_ENGINES, NOISE_OF_PASSES, NOISE_KINDS } noise_kind;

/* By the number, in pairs of opposites; half of them make zeros of what nearly is. Computations of
 * single elements are left. */
void add_noise(hlo_module *module, noise_kind kind, uint32_t number);

/* ---- results.c: runs and their results ---- */

typedef struct {
    hlo_run *run;     /* NULL: refused, failed or cut */
    hlo_diags *diags; /* why */
    hlo_status status;
    uint8_t **inputs; /* perturbed ones, borrowed by the run */
    uint32_t input_count;
} result;

/* How inputs are made: by the number, the same for every run of a case; the last rule is that of
 * special ones. */
enum { INPUT_RULES = 7 };

/* `perturbation` 0: inputs are as they are made; else each finite float moves to a neighbour,
 * chosen by the number. */
result run_case(hlo_module *module, hlo_run_options how, uint64_t inputs, uint32_t perturbation);
/* Whether they are infinities, NaN, zeros of both signs and the like. */
bool inputs_are_special(uint64_t inputs);
/* With the inputs of a run of one device, which it borrows for all of its devices. */
result run_again(hlo_module *module, hlo_run_options how, const result *like);
void drop_result(result *r);

/* By how much each result may differ when sums are rounded in another order: what small changes of
 * inputs, constants and rounded results did to it. Complex results of special inputs are not
 * compared: a product of infinities depends on its formula. */
typedef struct {
    bool is_special, is_known;
    bool is_exact;         /* other results are equal to the bit */
    bool depends_on_steps; /* where only one of two results is finite, they may differ */
    double *atol;          /* by leaf; infinity: nothing can be compared */
    uint32_t count;
} sensitivity;

sensitivity measure_sensitivity(const mutant_text *text, const result *wanted, uint64_t inputs,
                                noise_kind kind);
void drop_sensitivity(sensitivity *s);

/* Whether all devices have the results of the only device of `wanted`, or those of the same number;
 * with `near`, within it and the rounding of types. The first leaf that differs goes to *leaf. */
bool same_results(const result *got, const result *wanted, const sensitivity *near, uint32_t *leaf);

/* Writes which results differ, by how much and where. */
void print_differences(const result *got, const result *wanted);

/* ---- losses.c ---- */

void lose_what_messages_lose(hlo_module *module);
/* Whether XLA can read the message that it writes: operands of send-done and recv-done are their
 * starts, slices of a collective-permute have a size for each dimension, and layouts of recovery
 * modules are permutations. */
bool can_be_a_message(const hlo_module *module);

/* ---- what is not compared ---- */

/* Comparisons that a module or its inputs leave without a meaning are counted by their reason. */
#define EXCUSES(X)                                                  \
    X(NO_MESSAGE, "messages of what XLA cannot read from one")      \
    X(SIZES, "results with what is beyond run-time sizes")          \
    X(JUMPS, "results that rounding changes by more than rounding") \
    X(SLOW, "other runs of modules that run long")                  \
    X(STEPS, "infinities and NaN of Fourier transforms and triangular solves")
#define EXCUSE(id, meaning) EXCUSE_##id,
typedef enum { EXCUSES(EXCUSE) EXCUSE_COUNT } excuse_id;
#undef EXCUSE

/* By checks.c; the program points it to memory that its processes share. */
extern uint64_t *excused;
static inline void excuse(excuse_id id) {
    excused[id]++;
}

/* ---- checks.c ---- */

/* All comparisons of a text: those that the dice choose, or all with NULL. `stage` is kept up to
 * date for the report of a crash. Returns whether nothing was found; findings are printed. */
bool check_text(const mutant_text *text, dice *d, char *stage, size_t stage_size);
enum { STAGE_BYTES = 256 };

#endif
