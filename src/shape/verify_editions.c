/* What editions of the operation semantics demand beyond XLA (editions.def), of texts that are read
 * as one of them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "shape/verifier.h"

/* The numbers of words.def. */
enum { RNG_NORMAL = 2 };
enum { RNG_DEFAULT, RNG_THREE_FRY, RNG_PHILOX };

enum { EDITION_2018 = 1, EDITION_2019 = 2, EDITION_2024 = 4, EDITION_2025 = 8, EDITIONS = 15 };

static const hlo_shape *shape_of(const hlo_instr *instr, uint32_t operand) {
    HLO_ASSERT(operand < instr->operand_count);
    return hlo_operand(instr, operand)->shape;
}

static const char *type_text(const hlo_shape *shape) {
    return hlo_types[shape->type].text;
}

static const char *say(hlo_verifier *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *say(hlo_verifier *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char text[256];
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return hlo_arena_copy(&v->scratch, text, strlen(text) + 1);
}

/* ---- operands ---- */

static const char *demand_tokens(hlo_verifier *v, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (shape_of(instr, i)->type != HLO_TOKEN)
            return say(v, "expected tokens as operands, found %s",
                       hlo_verify_text(v, shape_of(instr, i)));
    return NULL;
}

static const char *demand_integers(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_shape *shape = shape_of(instr, 0);
    hlo_type_class class = hlo_types[shape->type].class;
    if (class == HLO_CLASS_SIGNED || class == HLO_CLASS_UNSIGNED) return NULL;
    return say(v, "expected integers, found %s", type_text(shape));
}

static const char *demand_one_type(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_shape *lhs = shape_of(instr, 0), *rhs = shape_of(instr, 1);
    if (lhs->type == rhs->type) return NULL;
    return say(v, "expected operands of one element type, found %s and %s", type_text(lhs),
               type_text(rhs));
}

static const char *demand_vectors_or_matrices(hlo_verifier *v, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (shape_of(instr, i)->rank < 1 || shape_of(instr, i)->rank > 2)
            return say(v, "expected vectors or matrices, found %s",
                       hlo_verify_text(v, shape_of(instr, i)));
    return NULL;
}

/* The arrays among the operands, which for reductions and scatters have initial values or updates
 * of the same number. */
static uint32_t array_count(const hlo_instr *instr) {
    HLO_ASSERT(instr->operand_count > 0);
    return instr->opcode == HLO_OP_SORT ? instr->operand_count : instr->operand_count / 2;
}

static const char *demand_one_array(hlo_verifier *v, const hlo_instr *instr) {
    uint32_t n = array_count(instr);
    return n <= 1 ? NULL : say(v, "expected one array, found %u", n);
}

static const char *demand_keys_and_values(hlo_verifier *v, const hlo_instr *instr) {
    uint32_t n = array_count(instr);
    return n <= 2 ? NULL : say(v, "expected keys and values, found %u arrays", n);
}

/* Of the first half but one: operands, indices, updates. */
static const char *demand_one_shape(hlo_verifier *v, const hlo_instr *instr) {
    for (uint32_t i = 1; i < instr->operand_count / 2; i++)
        if (!hlo_shapes_same_dimensions(shape_of(instr, 0), shape_of(instr, i)))
            return say(v, "expected operands of the same dimensions, found %s and %s",
                       hlo_verify_text(v, shape_of(instr, 0)),
                       hlo_verify_text(v, shape_of(instr, i)));
    return NULL;
}

/* ---- data ---- */

static const char *demand_flat_data(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_shape *data = instr->shape->elements[0];
    for (uint32_t i = 0; hlo_shape_is_tuple(data) && i < data->rank; i++)
        if (hlo_shape_is_tuple(data->elements[i]))
            return say(v, "expected an array or a tuple of arrays, found %s",
                       hlo_verify_text(v, data));
    return NULL;
}

static const char *demand_slice_sizes(hlo_verifier *v, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->shape->rank; i++)
        if (instr->shape->dims[i] == 0)
            return say(v, "expected sizes above 0, found %s", hlo_verify_text(v, instr->shape));
    return NULL;
}

static const char *demand_update_sizes(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_shape *update = shape_of(instr, 1);
    for (uint32_t i = 0; i < update->rank; i++)
        if (update->dims[i] == 0)
            return say(v, "expected an update of sizes above 0, found %s",
                       hlo_verify_text(v, update));
    return NULL;
}

/* The innermost dimensions of the real or complex side that is the longer one. */
static const char *demand_lengths(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_ints *lengths = hlo_instr_attr(instr, HLO_ATTR_FFT_LENGTH)->u.ints;
    bool is_inverse_real = hlo_types[instr->shape->type].class == HLO_CLASS_FLOAT;
    const hlo_shape *side = is_inverse_real ? instr->shape : shape_of(instr, 0);
    for (uint32_t i = 0; i < lengths->n && i < side->rank; i++) {
        int64_t size = side->dims[side->rank - lengths->n + i];
        if (lengths->v[i] != size)
            return say(v,
                       "expected the sizes of the innermost dimensions as lengths, found %lld "
                       "where the size is %lld",
                       (long long)lengths->v[i], (long long)size);
    }
    return NULL;
}

/* ---- transfers ---- */

static const char *demand_array_data(hlo_verifier *v, const hlo_instr *instr) {
    if (hlo_shape_is_array(shape_of(instr, 0))) return NULL;
    return say(v, "expected an array as data, found %s", hlo_verify_text(v, shape_of(instr, 0)));
}

/* ---- computations and random numbers ---- */

static const char *demand_no_side_effects(hlo_verifier *v, const hlo_instr *instr) {
    if (!hlo_attr_int(instr, HLO_ATTR_CUSTOM_CALL_HAS_SIDE_EFFECT)) return NULL;
    return say(v, "expected a function without side effects, found custom_call_has_side_effect");
}

static const char *demand_reducer(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_computation *reducer = hlo_called(instr, 0);
    const hlo_shape *result = reducer->root->shape;
    bool combines = reducer->parameter_count == 2 && hlo_shape_is_scalar(result);
    for (uint32_t i = 0; combines && i < 2; i++)
        combines = hlo_shapes_compatible(reducer->parameters[i]->shape, result, 0);
    if (!combines)
        return say(v, "expected a computation of two scalars and a scalar of one type, found %s",
                   hlo_verify_name(v, reducer->name));
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (shape_of(instr, i)->type != result->type)
            return say(v, "expected a computation of the element type %s, found one of %s",
                       type_text(shape_of(instr, i)), type_text(result));
    return NULL;
}

static const char *demand_random_types(hlo_verifier *v, const hlo_instr *instr) {
    bool is_normal = hlo_attr_int(instr, HLO_ATTR_DISTRIBUTION) == RNG_NORMAL;
    hlo_type type = (hlo_type)instr->shape->type;
    if (type == HLO_F32 || (!is_normal && (type == HLO_S32 || type == HLO_U32))) return NULL;
    return say(v, "expected %s, found %s", is_normal ? "f32" : "f32, s32 or u32",
               type_text(instr->shape));
}

static const char *demand_state(hlo_verifier *v, const hlo_instr *instr) {
    static const int64_t words[] = {[RNG_THREE_FRY] = 2, [RNG_PHILOX] = 3};
    int64_t algorithm = hlo_attr_int(instr, HLO_ATTR_RNG_ALGORITHM);
    const hlo_shape *state = shape_of(instr, 0);
    if (!hlo_shape_is_tuple(instr->shape))
        return say(v, "expected the state and the data as result, found %s",
                   hlo_verify_text(v, instr->shape));
    if (algorithm == RNG_DEFAULT) return NULL;
    if (state->type == HLO_U64 && state->rank == 1 && state->dims[0] == words[algorithm])
        return NULL;
    return say(v, "expected the state u64[%d], found %s", (int)words[algorithm],
               hlo_verify_text(v, state));
}

/* ---- the table ---- */

static const struct {
    hlo_opcode opcode;
    unsigned editions;
    const char *(*demand)(hlo_verifier *v, const hlo_instr *instr);
} demands[] = {
#define HLO_EDITION(opcode, editions, function) {HLO_OP_##opcode, editions, demand_##function},
#include "shape/editions.def"
#undef HLO_EDITION
};

static const int years[] = {2018, 2019, 2024, 2025};

/* The edition that the text, as it was written, is of, from 0; -1: none. */
static int edition_of(const hlo_verifier *v) {
    hlo_span nowhere = {0, 0};
    const hlo_source *source =
        v->module->source ? hlo_source_written(v->module->source, &nowhere) : NULL;
    return source && source->dialect >= HLO_DIALECT_2018 ? source->dialect - HLO_DIALECT_2018 : -1;
}

bool hlo_verify_is_of_edition(const hlo_verifier *v) {
    return edition_of(v) >= 0;
}

bool hlo_verify_edition(hlo_verifier *v, const hlo_instr *instr) {
    int edition = edition_of(v);
    if (edition < 0) return true;
    for (size_t i = 0; i < sizeof demands / sizeof *demands; i++) {
        if (demands[i].opcode != instr->opcode || !(demands[i].editions >> edition & 1)) continue;
        const char *problem = demands[i].demand(v, instr);
        if (problem)
            return hlo_verify_fail(v, HLO_RULE_OLD_FORM, instr, "%s by the edition of %d", problem,
                                   years[edition]);
    }
    return true;
}

/* ---- channels of the module ---- */

/* Those to and from the host, which no edition has, may share one. */
static bool has_own_channel(const hlo_instr *instr) {
    return (instr->opcode == HLO_OP_SEND || instr->opcode == HLO_OP_RECV) &&
           hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID) &&
           !hlo_attr_int(instr, HLO_ATTR_IS_HOST_TRANSFER);
}

static int by_channel(const void *a, const void *b) {
    const hlo_instr *x = *(const hlo_instr *const *)a, *y = *(const hlo_instr *const *)b;
    int64_t c = hlo_attr_int(x, HLO_ATTR_CHANNEL_ID), d = hlo_attr_int(y, HLO_ATTR_CHANNEL_ID);
    if (x->opcode != y->opcode) return x->opcode < y->opcode ? -1 : 1;
    if (c != d) return c < d ? -1 : 1;
    return (x->at.lo > y->at.lo) - (x->at.lo < y->at.lo);
}

void hlo_verify_edition_channels(hlo_verifier *v) {
    HLO_LIST(const hlo_instr *) transfers = {0};
    if (!hlo_verify_is_of_edition(v)) return;
    for (const hlo_computation *c = v->module->first; c; c = c->next)
        for (const hlo_instr *instr = c->first; instr; instr = instr->next)
            if (has_own_channel(instr)) hlo_list_push(&transfers, instr);
    if (transfers.n > 1) qsort(transfers.v, transfers.n, sizeof *transfers.v, by_channel);
    for (size_t i = 1; i < transfers.n; i++) {
        const hlo_instr *first = transfers.v[i - 1], *other = transfers.v[i];
        if (first->opcode != other->opcode ||
            hlo_attr_int(first, HLO_ATTR_CHANNEL_ID) != hlo_attr_int(other, HLO_ATTR_CHANNEL_ID))
            continue;
        hlo_verify_fail(v, HLO_RULE_OLD_FORM, other,
                        "expected a channel for each pair of send and recv, found that of %s by "
                        "the edition of %d",
                        hlo_verify_name(v, first->name), years[edition_of(v)]);
    }
    hlo_free(transfers.v);
}
