/* A module for each operation of each edition, as builder_operations.def lists them: built,
 * verified, and run where one device suffices. */
#include <hlo_builder.h>
#include <math.h>
#include <string.h>

#include "unit/built.h"

/* ---- the letters of the table ---- */

#define B(name) hlo_builder_##name
#define COUNTED(type, ...) HLO_INTS((int64_t)(sizeof((const type[]){__VA_ARGS__}) / sizeof(type)))
/* Vectors of f32 and of s32, a matrix, an array, scalars. */
#define V(...) floats(COUNTED(float, __VA_ARGS__), VALUES(__VA_ARGS__))
#define N(...) ints(COUNTED(int32_t, __VA_ARGS__), NUMBERS(__VA_ARGS__))
#define M(rows, columns, ...) floats(HLO_INTS(rows, columns), VALUES(__VA_ARGS__))
#define A(dims, ...) floats(dims, VALUES(__VA_ARGS__))
#define S(x) hlo_builder_constant_f32(b, x)
#define I(x) hlo_builder_constant_s32(b, x)
#define P(x) hlo_builder_constant_pred(b, x)
#define T(...) hlo_builder_tuple(b, HLO_INSTRS(__VA_ARGS__))
#define GTE(tuple, index) hlo_builder_get_tuple_element(b, tuple, index)
#define LIST HLO_INSTRS
#define EMPTY ((hlo_instrs_list){0, NULL})
#define NONE HLO_NONE
#define PAIR HLO_GROUPS(HLO_INTS(0, 1))
/* Computations. */
#define ADD hlo_builder_reducer(b, "add", HLO_TYPE_F32)
#define MIN hlo_builder_reducer(b, "minimum", HLO_TYPE_F32)
#define GREATER hlo_builder_comparator(b, "GT", (const hlo_element_type[]){HLO_TYPE_F32}, 1)
#define GE greater_or_equal()
#define BOTH both_sums()
#define RUNNING_SUM running_sum()
#define NEGATE negate()
#define PLUS plus
#define BELOW below
/* Of an array: its sum, whether all is true, a matrix's diagonal. */
#define SUM(x) hlo_builder_reduce(b, LIST(x), LIST(S(0)), ADD, HLO_INTS(0))
#define ALL(x)                                                                                  \
    hlo_builder_reduce(b, LIST(x), LIST(P(true)), hlo_builder_reducer(b, "and", HLO_TYPE_PRED), \
                       HLO_INTS(0))
#define DIAGONAL(x) diagonal(x)

static const hlo_instr *s32_parameter(void) {
    return hlo_builder_parameter(b, 0, hlo_builder_shape(b, HLO_TYPE_S32, NONE));
}

static const hlo_computation *below(int32_t limit) {
    hlo_builder_begin(b, "below");
    return hlo_builder_end(b, hlo_builder_lt(b, s32_parameter(), I(limit), NONE));
}

static const hlo_computation *plus(int32_t n) {
    hlo_builder_begin(b, "plus");
    return hlo_builder_end(b, hlo_builder_add(b, s32_parameter(), I(n), NONE));
}

static const hlo_computation *negate(void) {
    hlo_builder_begin(b, "negate");
    return hlo_builder_end(b, hlo_builder_neg(b, s32_parameter()));
}

static const hlo_instr *f32_parameter(int64_t number) {
    return hlo_builder_parameter(b, number, f32(NONE));
}

static const hlo_computation *greater_or_equal(void) {
    hlo_builder_begin(b, "ge");
    const hlo_instr *x = f32_parameter(0), *y = f32_parameter(1);
    return hlo_builder_end(b, hlo_builder_ge(b, x, y, NONE));
}

/* (x0 + x2, x1 + x3). */
static const hlo_computation *both_sums(void) {
    const hlo_instr *x[4];
    hlo_builder_begin(b, "both");
    for (int i = 0; i < 4; i++) x[i] = f32_parameter(i);
    const hlo_instr *first = hlo_builder_add(b, x[0], x[2], NONE);
    return hlo_builder_end(b, T(first, hlo_builder_add(b, x[1], x[3], NONE)));
}

/* (sum, sum) of an element and what was summed before. */
static const hlo_computation *running_sum(void) {
    hlo_builder_begin(b, "step");
    const hlo_instr *x = f32_parameter(0), *before = f32_parameter(1);
    const hlo_instr *sum = hlo_builder_add(b, x, before, NONE);
    return hlo_builder_end(b, T(sum, sum));
}

static const hlo_instr *diagonal(const hlo_instr *x) {
    const hlo_shape *shape = hlo_builder_shape(b, HLO_TYPE_S32, HLO_INTS(2, 2));
    const hlo_instr *row = hlo_builder_iota(b, shape, 0), *column = hlo_builder_iota(b, shape, 1);
    const hlo_instr *on = hlo_builder_eq(b, row, column, NONE);
    const hlo_instr *rest = hlo_builder_broadcast(b, S(0), HLO_INTS(2, 2));
    return hlo_builder_reduce(b, LIST(hlo_builder_select(b, on, x, rest)), LIST(S(0)), ADD,
                              HLO_INTS(1));
}

/* ---- dataflow graphs ---- */

/* 7 or -7. */
static const hlo_instr *both_sides(const hlo_instr *predicate) {
    const hlo_instr *sides = hlo_builder_switch(b, I(7), predicate);
    return hlo_builder_merge(b, LIST(hlo_builder_neg(b, GTE(sides, 0)), GTE(sides, 1)));
}

/* Counts in a loop. */
static const hlo_instr *counted_to(int32_t limit, int64_t parallel) {
    const hlo_instr *zero = hlo_builder_enter(b, I(0), "loop", false, parallel);
    const hlo_instr *end = hlo_builder_enter(b, I(limit), "loop", true, parallel);
    const hlo_instr *i = hlo_builder_merge(b, LIST(zero));
    const hlo_instr *sides = hlo_builder_switch(b, i, hlo_builder_lt(b, i, end, NONE));
    const hlo_instr *one = hlo_builder_enter(b, I(1), "loop", true, parallel);
    const hlo_instr *next = hlo_builder_add(b, GTE(sides, 1), one, NONE);
    hlo_builder_set_back_edge(b, i, hlo_builder_next_iteration(b, next));
    return hlo_builder_exit(b, GTE(sides, 0));
}

/* By a device to itself. */
static const hlo_instr *sent(const hlo_instr *value, const char *key) {
    hlo_builder_edge_send(b, value, key, 0);
    return hlo_builder_edge_recv(b, hlo_instr_shape(value), key, 0);
}

/* The second of two that are pushed. */
static const hlo_instr *popped(const hlo_instr *first, const hlo_instr *second) {
    const hlo_shape *element = f32(HLO_INTS(2));
    const hlo_instr *stack = hlo_builder_stack_create(b, element);
    stack = hlo_builder_stack_push(b, hlo_builder_stack_push(b, stack, first), second);
    return GTE(hlo_builder_stack_pop(b, stack, element), 1);
}

/* ---- the rows ---- */

typedef const hlo_instr *row_function(void);

#define ROW_NAME_OF(line) row_##line
#define ROW_NAME(line) ROW_NAME_OF(line)
#define RUNS(operation, editions, function, expression, value) \
    static const hlo_instr *ROW_NAME(__LINE__)(void) {         \
        return expression;                                     \
    }
#define BUILDS RUNS
#include "unit/builder_operations.def"

#define RUNS(operation, editions, function, expression, value) \
    {operation, editions, value, ROW_NAME(__LINE__), true},
#define BUILDS(operation, editions, function, expression, shape) \
    {operation, editions, shape, ROW_NAME(__LINE__), false},
static const struct {
    const char *operation, *editions, *wanted;
    row_function *make;
    bool is_run;
} rows[] = {
#include "unit/builder_operations.def"
};

int main(void) {
    char what[128];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(what, sizeof what, "%s (%s)", rows[i].operation, rows[i].editions);
        start();
        (rows[i].is_run ? runs : builds)(what, rows[i].make(), rows[i].wanted);
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
