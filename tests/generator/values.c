/* Values: making instructions, what is known about their elements, finding operands and bringing
 * them into a domain. */
#include <math.h>

#include "generator/generator.h"
#include "ir/float_types.h"
#include "shape/infer.h"

/* ---- facts ---- */

facts facts_of(const generator *g, const hlo_instr *instr) {
    return g->known.v[instr->index];
}

void set_facts(generator *g, hlo_instr *instr, facts f) {
    g->known.v[instr->index] = f;
}

facts facts_of_type(hlo_type type) {
    const hlo_type_info *info = &hlo_types[type];
    if (info->class == HLO_CLASS_PRED) return (facts){0, 1, 0};
    if (info->class == HLO_CLASS_SIGNED)
        return (facts){-ldexp(1, info->bits - 1), ldexp(1, info->bits - 1) - 1, 0};
    if (info->class == HLO_CLASS_UNSIGNED) return (facts){0, ldexp(1, info->bits) - 1, 0};
    return (facts){-type_reach(type), type_reach(type), 0};
}

facts rounded(hlo_type type, facts f, double steps) {
    f.error += steps * type_epsilon(type) * largest_of(f);
    return f;
}

static void remember(generator *g, hlo_instr *instr, facts f) {
    instr->index = g->known.n;
    hlo_list_push(&g->known, f);
}

/* ---- making ---- */

static hlo_name *new_name(generator *g, const char *base) {
    char text[64];
    snprintf(text, sizeof text, "%s.%u", base, ++g->names);
    return hlo_module_intern_copy(g->module, hlo_str_from(text));
}

static void append(scope *s, hlo_instr *instr) {
    hlo_list_push(&s->values, instr);
}

/* Whether the options exclude the operation on these operands, or with this result. */
static bool is_excluded(const generator *g, hlo_opcode opcode, hlo_instr *const *operands,
                        uint32_t operand_count, const hlo_shape *shape) {
    const bool *excluded = g->options.excluded[opcode];
    for (uint32_t i = 0; i < operand_count; i++)
        if (excluded[operands[i]->shape->type]) return true;
    return excluded[shape->type];
}

hlo_instr *emit_value(generator *g, hlo_opcode opcode, const hlo_shape *stated,
                      hlo_instr *const *operands, uint32_t operand_count, const hlo_attr *attrs,
                      uint32_t attr_count, facts f) {
    for (uint32_t i = 0; i < operand_count; i++)
        if (!operands[i]) return NULL;
    hlo_diags refusals;
    hlo_diags_init(&refusals);
    hlo_draft draft = {.computation = g->scope->computation,
                       .opcode = opcode,
                       .shape = stated,
                       .operands = operands,
                       .operand_count = operand_count,
                       .attrs = (hlo_attr *)(uintptr_t)attrs,
                       .attr_count = attr_count,
                       .diags = &refusals};
    const hlo_shape *shape = hlo_infer(&draft, false);
    hlo_diags_drop(&refusals);
    if (!shape || (stated && !hlo_shape_compatible(stated, shape))) return NULL;
    if (is_excluded(g, opcode, operands, operand_count, shape)) return NULL;
    if (hlo_shape_is_array(shape) && f.error > type_error_limit((hlo_type)shape->type) &&
        !g->options.any_values)
        return NULL;
    hlo_instr *instr =
        hlo_instr_new(g->scope->computation, opcode, shape, new_name(g, hlo_ops[opcode].text),
                      operands, operand_count, attrs, attr_count);
    remember(g, instr, f);
    append(g->scope, instr);
    return instr;
}

hlo_instr *emit(generator *g, hlo_opcode opcode, const hlo_shape *stated,
                hlo_instr *const *operands, uint32_t operand_count, const hlo_attr *attrs,
                uint32_t attr_count) {
    facts f = {0};
    for (uint32_t i = 0; i < operand_count; i++) {
        if (!operands[i]) return NULL;
        facts of = facts_of(g, operands[i]);
        if (i == 0) f = of;
        f.low = of.low < f.low ? of.low : f.low;
        f.high = of.high > f.high ? of.high : f.high;
        f.error = of.error > f.error ? of.error : f.error;
    }
    return emit_value(g, opcode, stated, operands, operand_count, attrs, attr_count, f);
}

/* ---- new values ---- */

static void put_real(hlo_type type, char *at, double value) {
    unsigned bytes = hlo_types[type].bytes;
    hlo_set_element_bits(at, bytes, hlo_float_encode(type, value));
}

/* Halves and quarters, which every float type of more than a bit or two holds. */
static double some_real(generator *g, hlo_type type) {
    if (type == HLO_F8E8M0FNU) return ldexp(1, (int)between(g, -2, 2));
    return (double)between(g, -8, 8) / 4;
}

static int64_t some_integer(generator *g, hlo_type type) {
    facts f = facts_of_type(type);
    switch (roll(g, 8)) {
    case 0: return (int64_t)(uint64_t)roll(g, UINT64_MAX); /* any bits */
    case 1:
        return hlo_types[type].class == HLO_CLASS_SIGNED ? INT64_MIN >> (64 - hlo_types[type].bits)
                                                         : -1;
    default: return f.high < 9 ? between(g, 0, (int64_t)f.high) : between(g, f.low < 0 ? -9 : 0, 9);
    }
}

static hlo_instr *constant_of(generator *g, hlo_literal *literal, facts f) {
    hlo_type type = (hlo_type)literal->shape->type;
    if (literal->data)
        hlo_elements_normalise(type, literal->data, hlo_shape_elements(literal->shape));
    hlo_attr value = {.id = HLO_ATTR_VALUE, .u.literal = literal};
    return emit_value(g, HLO_OP_CONSTANT, literal->shape, NULL, 0, &value, 1, f);
}

static hlo_instr *some_constant(generator *g, const hlo_shape *shape) {
    hlo_literal *literal = hlo_literal_new(&g->module->arena, shape);
    hlo_type type = (hlo_type)shape->type, part = hlo_type_part(type);
    unsigned bytes = hlo_types[part].bytes;
    int64_t n = hlo_shape_elements(shape) * (hlo_type_is_complex(type) ? 2 : 1);
    char *at = literal->data;
    for (int64_t i = 0; i < n; i++, at += bytes) {
        if (hlo_type_is_float(part)) put_real(part, at, some_real(g, part));
        else hlo_set_element_bits(at, bytes, (uint64_t)some_integer(g, type));
    }
    facts f = hlo_type_is_float(part) ? (facts){-2, 2, 0} : facts_of_type(type);
    if (type == HLO_F8E8M0FNU) f = (facts){0.25, 4, 0};
    return constant_of(g, literal, f);
}

hlo_instr *constant_int(generator *g, hlo_type type, int64_t value) {
    hlo_literal *literal = hlo_literal_new(&g->module->arena, scalar_of(g, type));
    hlo_set_element_bits(literal->data, hlo_types[type].bytes, (uint64_t)value);
    return constant_of(g, literal, (facts){(double)value, (double)value, 0});
}

hlo_instr *constant_real(generator *g, hlo_type type, double value) {
    if (!hlo_type_is_float(hlo_type_part(type))) return constant_int(g, type, (int64_t)value);
    hlo_literal *literal = hlo_literal_new(&g->module->arena, scalar_of(g, type));
    put_real(hlo_type_part(type), literal->data, value);
    return constant_of(g, literal, (facts){value, value, 0});
}

hlo_instr *constant_indices(generator *g, const hlo_shape *shape, int64_t low, int64_t high) {
    hlo_literal *literal = hlo_literal_new(&g->module->arena, shape);
    unsigned bytes = hlo_types[shape->type].bytes;
    int64_t n = hlo_shape_elements(shape);
    if (hlo_types[shape->type].class == HLO_CLASS_UNSIGNED && low < 0) low = 0;
    for (int64_t i = 0; i < n; i++)
        hlo_set_element_bits((char *)literal->data + i * bytes, bytes,
                             (uint64_t)between(g, low, high < low ? low : high));
    return constant_of(g, literal, facts_of_type((hlo_type)shape->type));
}

hlo_instr *constant_numbers(generator *g, const hlo_shape *shape, const int64_t *numbers) {
    hlo_literal *literal = hlo_literal_new(&g->module->arena, shape);
    hlo_type type = (hlo_type)shape->type;
    unsigned bytes = hlo_types[type].bytes;
    int64_t n = hlo_shape_elements(shape);
    facts f = {0};
    for (int64_t i = 0; i < n; i++) {
        double number = (double)numbers[i];
        char *at = (char *)literal->data + i * bytes;
        if (hlo_type_is_float(type)) put_real(type, at, number);
        else hlo_set_element_bits(at, bytes, (uint64_t)numbers[i]);
        f.low = number < f.low ? number : f.low;
        f.high = number > f.high ? number : f.high;
    }
    return constant_of(g, literal, f);
}

hlo_instr *broadcast_scalar(generator *g, hlo_instr *scalar, const hlo_shape *shape) {
    hlo_attr none = attr_ints(g, HLO_ATTR_DIMENSIONS, NULL, 0);
    return emit(g, HLO_OP_BROADCAST, shape, &scalar, 1, &none, 1);
}

/* The numbers of hlo-run --inputs=random. */
static hlo_instr *new_parameter(generator *g, const hlo_shape *shape) {
    hlo_type type = (hlo_type)shape->type;
    bool is_small = hlo_types[type].bits <= 2 || type == HLO_PRED;
    facts f = hlo_type_is_float(hlo_type_part(type)) ? (facts){-1, 1, 0}
                                                     : (facts){0, is_small ? 1 : 3, 0};
    if (is_small && hlo_types[type].class == HLO_CLASS_SIGNED) f = facts_of_type(type);
    return add_parameter(g, shape, f);
}

static hlo_instr *new_iota(generator *g, const hlo_shape *shape) {
    uint32_t dimension = (uint32_t)roll(g, shape->rank);
    double last = (double)shape->dims[dimension] - 1;
    if (last > type_reach((hlo_type)shape->type)) return NULL;
    hlo_attr attr = attr_int(HLO_ATTR_IOTA_DIMENSION, dimension);
    return emit_value(g, HLO_OP_IOTA, shape, NULL, 0, &attr, 1, (facts){0, last < 0 ? 0 : last, 0});
}

hlo_instr *fresh(generator *g, const hlo_shape *shape) {
    hlo_type type = (hlo_type)shape->type;
    hlo_instr *made = NULL;
    bool may_be_parameter = g->scope->depth == 0 && type != HLO_F8E8M0FNU;
    if (may_be_parameter && !one_in(g, 3)) return new_parameter(g, shape);
    if (shape->rank && is_of(type, OF_NUMBER) && type != HLO_F8E8M0FNU && one_in(g, 3))
        made = new_iota(g, shape);
    if (!made && shape->rank && one_in(g, 2))
        made = broadcast_scalar(g, some_constant(g, scalar_of(g, type)), shape);
    return made ? made : some_constant(g, shape);
}

/* ---- finding values ---- */

static bool fits(const generator *g, const hlo_instr *value, unsigned classes, uint32_t least_rank,
                 uint32_t most_rank) {
    const hlo_shape *shape = value->shape;
    return hlo_shape_is_array(shape) && is_of((hlo_type)shape->type, classes) &&
           (!shape->dynamic || g->options.dynamic) && shape->rank >= least_rank &&
           shape->rank <= most_rank && g->options.types[shape->type];
}

static hlo_instr *find(generator *g, unsigned classes, uint32_t least_rank, uint32_t most_rank,
                       bool also_dynamic) {
    const scope *s = g->scope;
    hlo_instr *found = NULL;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < s->values.n; i++) {
        hlo_instr *value = s->values.v[i];
        if (!fits(g, value, classes, least_rank, most_rank)) continue;
        if (value->shape->dynamic && !also_dynamic) continue;
        /* Unused ones come first. */
        uint64_t weight = value->first_use ? 1 : 4;
        seen += weight;
        if (roll(g, seen) < weight) found = value;
    }
    return found;
}

static hlo_instr *find_or_make(generator *g, unsigned classes, uint32_t least_rank,
                               uint32_t most_rank, bool also_dynamic) {
    hlo_instr *found = one_in(g, 5) ? NULL : find(g, classes, least_rank, most_rank, also_dynamic);
    if (found) return found;
    hlo_type type = choose_type(g, classes);
    return type == HLO_TYPE_COUNT ? NULL : fresh(g, choose_shape(g, type, least_rank, most_rank));
}

hlo_instr *pick(generator *g, unsigned classes, uint32_t least_rank, uint32_t most_rank) {
    return find_or_make(g, classes, least_rank, most_rank, true);
}

hlo_instr *pick_static(generator *g, unsigned classes, uint32_t least_rank, uint32_t most_rank) {
    return find_or_make(g, classes, least_rank, most_rank, false);
}

hlo_instr *pick_of(generator *g, const hlo_shape *shape) {
    const scope *s = g->scope;
    hlo_instr *found = NULL;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < s->values.n; i++)
        if (s->values.v[i]->shape == shape && roll(g, ++seen) == 0) found = s->values.v[i];
    return found && !one_in(g, 5) ? found : fresh(g, shape->dynamic ? shape->bare : shape);
}

hlo_instr *pick_index(generator *g, const hlo_shape *shape, int64_t low, int64_t high) {
    if (one_in(g, 2)) return constant_indices(g, shape, low, high);
    hlo_instr *index = pick_of(g, shape);
    /* XLA's simplifier takes constants beyond the largest signed number for negative ones. */
    hlo_type type = (hlo_type)shape->type;
    if (!is_of(type, OF_UNSIGNED)) return index;
    return within(g, index, 0, nextafter(ldexp(1, hlo_types[type].bits - 1), 0));
}

/* ---- domains ---- */

hlo_instr *exact(generator *g, hlo_instr *value) {
    if (!value || g->options.any_values || facts_of(g, value).error == 0) return value;
    return fresh(g, value->shape->bare);
}

static hlo_instr *within_parts(generator *g, hlo_instr *value, double low, double high) {
    hlo_instr *parts[2] = {emit(g, HLO_OP_REAL, NULL, &value, 1, NULL, 0),
                           emit(g, HLO_OP_IMAG, NULL, &value, 1, NULL, 0)};
    for (int i = 0; i < 2; i++) parts[i] = within(g, parts[i], low, high);
    return emit(g, HLO_OP_COMPLEX, NULL, parts, 2, NULL, 0);
}

hlo_instr *within(generator *g, hlo_instr *value, double low, double high) {
    if (!value) return NULL;
    facts f = facts_of(g, value);
    if (g->options.any_values || (f.low >= low && f.high <= high)) return value;
    hlo_type type = (hlo_type)value->shape->type;
    if (hlo_type_is_complex(type)) return within_parts(g, value, low, high);
    if (type == HLO_PRED) return value;
    if (hlo_type_is_integral(type)) {
        facts whole = facts_of_type(type);
        low = ceil(low < whole.low ? whole.low : low);
        high = floor(high > whole.high ? whole.high : high);
    }
    hlo_instr *operands[3] = {constant_real(g, type, low), value, constant_real(g, type, high)};
    facts clamped = {f.low > low ? f.low : low, f.high < high ? f.high : high, f.error};
    if (clamped.low > clamped.high) clamped.low = low, clamped.high = high;
    return emit_value(g, HLO_OP_CLAMP, NULL, operands, 3, NULL, 0, clamped);
}

hlo_instr *tame(generator *g, hlo_instr *value, double share) {
    if (!value) return NULL;
    double reach = type_reach((hlo_type)value->shape->type) / share;
    bool is_real = hlo_type_is_float(hlo_type_part((hlo_type)value->shape->type));
    return is_real ? within(g, value, -reach, reach) : value;
}
