/* The generator of random modules: what its recipes share. A recipe makes one instruction of an
 * opcode, and whatever else that takes: operands, called computations, values within a domain. */
#ifndef GENERATOR_H
#define GENERATOR_H

#include "base/list.h"
#include "ir/ir.h"

enum { MAX_RANK = 6, MAX_DEPTH = 3 };

/* What a module may hold. */
typedef struct {
    uint64_t seed;
    uint32_t size;    /* instructions requested of recipes in the entry */
    int64_t elements; /* of one array, at most */
    bool any_values;  /* no care is taken that results agree (see facts) */
    bool dynamic;     /* bounded dynamic dimensions */
    bool fences;      /* opt-barriers everywhere */
    bool effects;     /* infeeds and outfeeds, in the order of one chain of tokens */
    bool opcodes[HLO_OP_COUNT];
    bool types[HLO_TYPE_COUNT];
    bool excluded[HLO_OP_COUNT][HLO_TYPE_COUNT]; /* operations on some types */
} generator_options;

/* What is known about the elements of a value when inputs are those of hlo-run --inputs=random:
 * both parts of a complex number lie in [low, high], and two right implementations are at most
 * `error` apart. Only an exact value (error 0) may be compared, rounded or used as an index, and
 * no error grows beyond what its type admits; that is what makes results comparable. */
typedef struct {
    double low, high, error;
} facts;

/* A computation under construction with the values that later instructions may use. */
typedef struct scope {
    hlo_computation *computation;
    struct scope *outer;
    HLO_LIST(hlo_instr *) values;
    uint32_t depth;
    bool scalars;     /* bodies of reduce, map and their like: scalars only */
    hlo_instr *token; /* of the last effect; NULL: effects have no place here */
} scope;

typedef struct {
    generator_options options;
    hlo_module *module;
    scope *scope;
    uint64_t dice;
    HLO_LIST(facts) known; /* by hlo_instr.index */
    uint32_t names;
} generator;

/* ---- module.c ---- */

/* Every operation and type, of the default size. */
generator_options generator_defaults(uint64_t seed);
/* The module of the seed; free with hlo_module_free. Verification is the caller's. */
hlo_module *generate_module(const generator_options *options);
/* Why no instruction of the opcode is ever made; NULL: some are. */
const char *generator_refusal(hlo_opcode opcode);

/* Instructions of random opcodes in the current scope, up to `count`. */
void generate_steps(generator *g, uint32_t count);

/* ---- dice.c ---- */

uint64_t roll(generator *g, uint64_t sides); /* 0 .. sides - 1 */
static inline int64_t between(generator *g, int64_t low, int64_t high) {
    return low + (int64_t)roll(g, (uint64_t)(high - low) + 1);
}
static inline bool one_in(generator *g, uint64_t n) {
    return roll(g, n) == 0;
}
void shuffle(generator *g, int64_t *v, uint32_t n);
/* `n` different numbers below `limit` in ascending order. */
void choose_some(generator *g, int64_t *out, uint32_t n, uint32_t limit);

/* ---- types and shapes: shapes.c ---- */

enum { /* sets of type classes */
       OF_PRED = 1 << HLO_CLASS_PRED,
       OF_SIGNED = 1 << HLO_CLASS_SIGNED,
       OF_UNSIGNED = 1 << HLO_CLASS_UNSIGNED,
       OF_FLOAT = 1 << HLO_CLASS_FLOAT,
       OF_COMPLEX = 1 << HLO_CLASS_COMPLEX,
       OF_INTEGER = OF_SIGNED | OF_UNSIGNED,
       OF_NUMBER = OF_INTEGER | OF_FLOAT | OF_COMPLEX,
       OF_ANY = OF_PRED | OF_NUMBER,
};
/* A type of these classes that the options admit, common ones more often; HLO_TYPE_COUNT: none. */
hlo_type choose_type(generator *g, unsigned classes);
/* One of HLO's own index types. */
hlo_type choose_index_type(generator *g);
static inline bool is_of(hlo_type type, unsigned classes) {
    return classes >> hlo_types[type].class & 1;
}
const hlo_shape *choose_shape(generator *g, hlo_type type, uint32_t least_rank, uint32_t most_rank);
const hlo_shape *array_of(generator *g, hlo_type type, const int64_t *dims, uint32_t rank);
static inline const hlo_shape *like(generator *g, const hlo_shape *shape, hlo_type type) {
    return hlo_shape_with_type(&g->module->shapes, shape, type);
}
const hlo_shape *scalar_of(generator *g, hlo_type type);

/* What numbers of a type may come to, and how large an error may grow. */
double type_epsilon(hlo_type type);
double type_reach(hlo_type type);
double type_error_limit(hlo_type type);

/* ---- values: values.c ---- */

facts facts_of(const generator *g, const hlo_instr *instr);
void set_facts(generator *g, hlo_instr *instr, facts f);
static inline double largest_of(facts f) {
    double a = f.low < 0 ? -f.low : f.low, b = f.high < 0 ? -f.high : f.high;
    return a > b ? a : b;
}
/* `f` with the error of rounding to the type once, `steps` epsilons wide. */
facts rounded(hlo_type type, facts f, double steps);

/* An instruction whose shape is inferred (`stated` where the opcode requires one, else NULL) and
 * which later ones may use; NULL when the rules of shapes refuse it. */
hlo_instr *emit(generator *g, hlo_opcode opcode, const hlo_shape *stated,
                hlo_instr *const *operands, uint32_t operand_count, const hlo_attr *attrs,
                uint32_t attr_count);
/* The same with facts: NULL also when the error passes the limit of the type. */
hlo_instr *emit_value(generator *g, hlo_opcode opcode, const hlo_shape *stated,
                      hlo_instr *const *operands, uint32_t operand_count, const hlo_attr *attrs,
                      uint32_t attr_count, facts f);
/* Integers wrap; so whatever is computed with them may be any number of the type. */
facts facts_of_type(hlo_type type);

/* A value that the scope has, or a new one. */
hlo_instr *pick(generator *g, unsigned classes, uint32_t least_rank, uint32_t most_rank);
hlo_instr *pick_of(generator *g, const hlo_shape *shape);
hlo_instr *pick_static(generator *g, unsigned classes, uint32_t least_rank, uint32_t most_rank);
/* A new parameter, constant, iota or broadcast. */
hlo_instr *fresh(generator *g, const hlo_shape *shape);
hlo_instr *constant_int(generator *g, hlo_type type, int64_t value);
hlo_instr *constant_real(generator *g, hlo_type type, double value);
/* A constant of small integers low..high, each element its own. */
hlo_instr *constant_indices(generator *g, const hlo_shape *shape, int64_t low, int64_t high);
/* Indices low..high, or a value of the scope. */
hlo_instr *pick_index(generator *g, const hlo_shape *shape, int64_t low, int64_t high);
/* One of these numbers, which the real type holds, for each element. */
hlo_instr *constant_numbers(generator *g, const hlo_shape *shape, const int64_t *numbers);
/* The shape with other dimensions for as many elements: the prime factors dealt out again. */
const hlo_shape *regrouped(generator *g, const hlo_shape *from);
hlo_instr *broadcast_scalar(generator *g, hlo_instr *scalar, const hlo_shape *shape);

/* The value if it is exact, else another of its shape that is. */
hlo_instr *exact(generator *g, hlo_instr *value);
/* The value, clamped when it may be outside. */
hlo_instr *within(generator *g, hlo_instr *value, double low, double high);
/* Within what its type may come to, divided by `share`. */
hlo_instr *tame(generator *g, hlo_instr *value, double share);

/* ---- computations: bodies.c ---- */

enum { MOST_OPERANDS = 3, BODY_SIZE = 5 };
/* Whether the scope is too deep in others for one with arrays inside it. */
bool is_too_deep(const generator *g);
/* Up to `most` values of the scope for a called computation; returns how many. */
uint32_t pick_operands(generator *g, hlo_instr **operands, uint32_t most);
/* NULL when the tuple is. */
hlo_instr *element_of(generator *g, hlo_instr *tuple, uint32_t i, facts f);

/* Starts a computation; open scopes nest. `scalars` are those of a body over scalars. */
void open_scope(generator *g, scope *s, const char *name, bool scalars);
hlo_instr *add_parameter(generator *g, const hlo_shape *shape, facts f);
/* Ends it. */
hlo_computation *close_scope(generator *g, hlo_instr *root);
/* A body root(a, b) of one binary operation on scalars. */
hlo_computation *binary_body(generator *g, hlo_opcode opcode, hlo_type type);
/* A random operation under which the type's numbers have sums, to reduce `n` of them: its opcode,
 * neutral element and what comes out of values that `in` describes (which are to be made to lie
 * within `need` before). */
typedef struct {
    hlo_opcode opcode;
    double neutral; /* infinities stand for the least and greatest number */
    double need;    /* the largest magnitude that operands may have; 0: any */
    facts out;
} reduction;
reduction choose_reduction(generator *g, hlo_type type, facts in, int64_t n);
hlo_instr *neutral_element(generator *g, hlo_type type, const reduction *r);

/* ---- effects: effects.c ---- */

/* Whether the next body has effects: it then takes and returns a token. */
bool shall_have_effects(generator *g);
/* Starts the chain of tokens in the entry computation, when effects are wanted. */
void start_effects(generator *g);
const hlo_shape *token_shape(generator *g);

/* ---- fusions: fusions.c ---- */

/* A fusion without arithmetic: results are the operands themselves, copies of them, and their
 * elements under other dimensions. NULL: an operand has no such result. */
hlo_instr *forwarding_fusion(generator *g, hlo_instr *const *operands, uint32_t n);
/* The elements of what the fusion returns, itself or from the end of an asynchronous call of it,
 * as values of the scope; returns `made`. */
hlo_instr *take_apart(generator *g, const hlo_instr *fusion, hlo_instr *made);

/* ---- attributes: attributes.c ---- */

hlo_attr attr_int(hlo_attr_id id, int64_t value);
hlo_attr attr_real(hlo_attr_id id, double value);
hlo_attr attr_word(hlo_attr_id id, const char *word);
hlo_attr attr_ints(generator *g, hlo_attr_id id, const int64_t *v, uint32_t n);
hlo_attr attr_computation(hlo_attr_id id, hlo_computation *computation);
hlo_attr attr_text(generator *g, hlo_attr_id id, const char *text);
hlo_attr attr_window(generator *g, const hlo_window_dim *dims, uint32_t n);

/* ---- recipes: one per shape rule ---- */

/* Makes an instruction of the opcode; NULL when the dice offered nothing that fits. */
typedef hlo_instr *recipe(generator *g, hlo_opcode opcode);
#define RECIPE(rule) recipe generate_##rule;
#define NO_RECIPE(rule, why)
#include "generator/recipes.def"
#undef RECIPE
#undef NO_RECIPE

#endif
