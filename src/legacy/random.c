/* Random numbers of a distribution that rng has no more. */
#include "legacy/old_text.h"

/* `[sizes]` of the result. */
static hlo_span result_sizes(const hlo_old_text *t, const hlo_old_statement *s) {
    uint32_t open = hlo_old_element_type(t, s->shape).hi;
    return (hlo_span){open, hlo_old_brackets_end(t, open)};
}

static bool is_bernoulli(const hlo_old_text *t, const hlo_old_statement *s) {
    const hlo_old_attr *attr = hlo_old_attribute(t, s, "distribution");
    hlo_span type = hlo_old_element_type(t, s->shape);
    return attr && hlo_old_is(t, s->opcode, "rng") && type.hi > type.lo &&
           hlo_old_is(t, attr->value, "rng_bernoulli");
}

/* One where a number between 0 and 1 is less than the mean. */
static void put_bernoulli(hlo_old_text *t, const hlo_old_statement *s) {
    hlo_span sizes = result_sizes(t, s);
    hlo_span mean = hlo_old_operand_shape(t, s, 0, (hlo_span){s->shape.lo, s->shape.lo});
    hlo_span type = hlo_old_element_type(t, mean);
    const char *zero = hlo_old_before(t, s, "rng_zero", "%.*s[] constant(0)", HLO_OLD(t, type));
    const char *one = hlo_old_before(t, s, "rng_one", "%.*s[] constant(1)", HLO_OLD(t, type));
    const char *number =
        hlo_old_before(t, s, "rng_number", "%.*s%.*s rng(%%%s, %%%s), distribution=rng_uniform",
                       HLO_OLD(t, type), HLO_OLD(t, sizes), zero, one);
    const char *means =
        hlo_old_before(t, s, "rng_mean", "%.*s%.*s broadcast(%.*s), dimensions={}",
                       HLO_OLD(t, type), HLO_OLD(t, sizes), HLO_OLD(t, s->operands[0].all));
    const char *less =
        hlo_old_before(t, s, "rng_less", "pred%.*s compare(%%%s, %%%s), direction=LT",
                       HLO_OLD(t, sizes), number, means);
    hlo_old_edit(t, s->opcode, "convert");
    hlo_old_set_operands(t, s, "%%%s", less);
    hlo_old_remove_attr(t, hlo_old_attribute(t, s, "distribution"));
}

void hlo_old_bernoulli(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!is_bernoulli(t, s)) continue;
        hlo_span nowhere = {s->shape.lo, s->shape.lo};
        hlo_span mean = s->operand_count == 1 ? hlo_old_operand_shape(t, s, 0, nowhere) : nowhere;
        hlo_span type = hlo_old_element_type(t, mean);
        hlo_old_found(t, s->opcode);
        bool is_mean = hlo_old_is_float(t, type) && hlo_old_rank(t, mean) == 0;
        hlo_span drawn = hlo_old_element_type(t, s->shape);
        bool is_of_2018 = hlo_old_is(t, type, "f32") && hlo_old_is(t, drawn, "u32");
        if (!is_mean)
            hlo_old_refuse(t, s->opcode, "expected the mean, a scalar float, as the only operand");
        else if (t->dialect == HLO_DIALECT_2018 && !is_of_2018)
            hlo_old_refuse(
                t, s->opcode,
                "the edition of 2018 defines u32 results for a mean of f32: found %.*s for %.*s",
                HLO_OLD(t, drawn), HLO_OLD(t, type));
        else put_bernoulli(t, s);
    }
}
