/* Dynamic slices and updates whose indices are taken modulo the dimensions, as the edition of 2018
 * has it: in terms of concatenates. */
#include <stdio.h>

#include "legacy/old_text.h"

/* The operand of a dynamic slice: its shape, and by dimension the name of the start. */
typedef struct {
    hlo_span type;
    hlo_old_numbers sizes;
    const char *starts[HLO_OLD_MOST_DIMENSIONS];
} wrapped;

/* One start, as s64 (u64 where it is that), between 0 and the size. */
static const char *put_remainder(hlo_old_text *t, const hlo_old_statement *s, const char *start,
                                 const char *type, int64_t size) {
    const char *n = hlo_old_before(t, s, "wrap_size", "%s[] constant(%lld)", type, (long long)size);
    const char *rest =
        hlo_old_before(t, s, "wrap_rest", "%s[] remainder(%%%s, %%%s)", type, start, n);
    if (type[0] == 'u') return rest;
    const char *above = hlo_old_before(t, s, "wrap_above", "%s[] add(%%%s, %%%s)", type, rest, n);
    return hlo_old_before(t, s, "wrap_start", "%s[] remainder(%%%s, %%%s)", type, above, n);
}

/* The type that starts are computed in. */
static const char *wide_type(const hlo_old_text *t, hlo_span index) {
    return hlo_old_is(t, hlo_old_element_type(t, index), "u64") ? "u64" : "s64";
}

/* The operand that is the start along dimension `dim`, or that element of the one that all are. */
static const char *put_start(hlo_old_text *t, const hlo_old_statement *s, uint32_t first,
                             uint32_t dim) {
    hlo_span shape = hlo_old_operand_shape(t, s, first, (hlo_span){s->shape.lo, s->shape.lo});
    const char *wide = wide_type(t, shape);
    if (hlo_old_rank(t, shape) == 0)
        return hlo_old_before(t, s, "wrap_index", "%s[] convert(%.*s)", wide,
                              HLO_OLD(t, s->operands[first + dim].all));
    hlo_span type = hlo_old_element_type(t, shape);
    const char *part =
        hlo_old_before(t, s, "wrap_part", "%.*s[1] slice(%.*s), slice={[%u:%u]}", HLO_OLD(t, type),
                       HLO_OLD(t, s->operands[first].all), dim, dim + 1);
    const char *scalar =
        hlo_old_before(t, s, "wrap_part", "%.*s[] reshape(%%%s)", HLO_OLD(t, type), part);
    return hlo_old_before(t, s, "wrap_index", "%s[] convert(%%%s)", wide, scalar);
}

/* Whether the operands from `first` on are of integer types. */
static bool has_integer_starts(const hlo_old_text *t, const hlo_old_statement *s, uint32_t first) {
    for (uint32_t i = first; i < s->operand_count; i++) {
        hlo_span type = hlo_old_element_type(
            t, hlo_old_operand_shape(t, s, i, (hlo_span){s->shape.lo, s->shape.lo}));
        if (type.hi == type.lo || !strchr("su", t->text[type.lo])) return false;
    }
    return true;
}

/* False: a size is not known, or the operands are not those of such a slice. */
static bool read_wrapped(hlo_old_text *t, const hlo_old_statement *s, uint32_t first, wrapped *w) {
    hlo_span nowhere = {s->shape.lo, s->shape.lo}, shape = hlo_old_operand_shape(t, s, 0, nowhere);
    w->type = hlo_old_element_type(t, shape);
    w->sizes = hlo_old_sizes(t, shape);
    hlo_span index =
        s->operand_count > first ? hlo_old_operand_shape(t, s, first, nowhere) : nowhere;
    hlo_old_numbers starts = hlo_old_sizes(t, index);
    bool is_vector = starts.n == 1 && s->operand_count == first + 1 && starts.v[0] == w->sizes.n;
    bool are_scalars = starts.n == 0 && s->operand_count == first + (uint32_t)w->sizes.n;
    for (int i = 0; i < w->sizes.n; i++)
        if (w->sizes.v[i] < 1) return false;
    return w->sizes.n > 0 && (is_vector || are_scalars) && has_integer_starts(t, s, first);
}

static void put_starts(hlo_old_text *t, const hlo_old_statement *s, uint32_t first, wrapped *w) {
    hlo_span shape = hlo_old_operand_shape(t, s, first, (hlo_span){s->shape.lo, s->shape.lo});
    for (int i = 0; i < w->sizes.n; i++)
        w->starts[i] = put_remainder(t, s, put_start(t, s, first, (uint32_t)i), wide_type(t, shape),
                                     w->sizes.v[i]);
}

static const char *slice_text(hlo_old_text *t, const hlo_old_numbers *sizes, int dim,
                              int64_t limit) {
    char *text = hlo_arena_alloc(&t->arena, (size_t)sizes->n * 32), *to = text;
    for (int i = 0; i < sizes->n; i++)
        to += sprintf(to, "%s[0:%lld]", i ? "," : "", (long long)(i == dim ? limit : sizes->v[i]));
    return text;
}

/* The array `x` with `more[i]` elements of its beginning after its end, in each dimension. */
static const char *put_repeated(hlo_old_text *t, const hlo_old_statement *s, const wrapped *w,
                                const char *x, const int64_t *more) {
    hlo_old_numbers sizes = w->sizes;
    for (int i = 0; i < sizes.n; i++) {
        if (!more[i]) continue;
        const char *limits = slice_text(t, &sizes, i, more[i]);
        sizes.v[i] = more[i];
        const char *part =
            hlo_old_before(t, s, "wrap_begin", "%.*s[%s] slice(%s), slice={%s}",
                           HLO_OLD(t, w->type), hlo_old_numbers_text(t, &sizes), x, limits);
        sizes.v[i] = w->sizes.v[i] + more[i];
        const char *both =
            hlo_old_before(t, s, "wrap_around", "%.*s[%s] concatenate(%s, %%%s), dimensions={%d}",
                           HLO_OLD(t, w->type), hlo_old_numbers_text(t, &sizes), x, part, i);
        x = hlo_old_with_percent(t, both);
    }
    return x;
}

static const char *starts_text(hlo_old_text *t, const wrapped *w) {
    size_t n = 1;
    for (int i = 0; i < w->sizes.n; i++) n += strlen(w->starts[i]) + 3;
    char *text = hlo_arena_alloc(&t->arena, n), *to = text;
    for (int i = 0; i < w->sizes.n; i++) to += sprintf(to, ", %%%s", w->starts[i]);
    return text;
}

static void refuse_wrapped(hlo_old_text *t, const hlo_old_statement *s) {
    hlo_old_refuse(t, s->opcode,
                   "the edition of 2018 wraps indices around the dimensions: expected an array of "
                   "known, nonzero dimensions and an integer index for each");
}

void hlo_old_wrapped_slice(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "dynamic-slice")) continue;
        wrapped w;
        hlo_old_numbers taken = hlo_old_numbers_of(t, s, "dynamic_slice_sizes");
        bool good = read_wrapped(t, s, 1, &w) && taken.n == w.sizes.n;
        for (int i = 0; good && i < taken.n; i++) {
            good = taken.v[i] > 0 && taken.v[i] <= w.sizes.v[i];
            taken.v[i]--;
        }
        hlo_old_found(t, s->opcode);
        if (!good) {
            refuse_wrapped(t, s);
            continue;
        }
        put_starts(t, s, 1, &w);
        const char *around = put_repeated(t, s, &w, hlo_old_operand_text(t, s, 0), taken.v);
        hlo_old_set_operands(t, s, "%s%s", around, starts_text(t, &w));
    }
}

/* `x` turned so that the elements at the starts are first. */
static const char *put_turned(hlo_old_text *t, const hlo_old_statement *s, const wrapped *w,
                              const char *x) {
    int64_t more[HLO_OLD_MOST_DIMENSIONS];
    for (int i = 0; i < w->sizes.n; i++) more[i] = w->sizes.v[i] - 1;
    const char *sizes = hlo_old_numbers_text(t, &w->sizes);
    return hlo_old_before(
        t, s, "wrap_turned", "%.*s[%s] dynamic-slice(%s%s), dynamic_slice_sizes={%s}",
        HLO_OLD(t, w->type), sizes, put_repeated(t, s, w, x, more), starts_text(t, w), sizes);
}

/* The starts that turn an array back. */
static void put_back_starts(hlo_old_text *t, const hlo_old_statement *s, wrapped *w,
                            const char *type) {
    for (int i = 0; i < w->sizes.n; i++) {
        const char *n = hlo_old_before(t, s, "wrap_size", "%s[] constant(%lld)", type,
                                       (long long)w->sizes.v[i]);
        const char *back =
            hlo_old_before(t, s, "wrap_back", "%s[] subtract(%%%s, %%%s)", type, n, w->starts[i]);
        w->starts[i] =
            hlo_old_before(t, s, "wrap_start", "%s[] remainder(%%%s, %%%s)", type, back, n);
    }
}

static const char *zeros_text(hlo_old_text *t, const hlo_old_statement *s, int n) {
    const char *zero = hlo_old_before(t, s, "wrap_zero", "s64[] constant(0)");
    char *text = hlo_arena_alloc(&t->arena, (strlen(zero) + 3) * (size_t)n + 1), *to = text;
    for (int i = 0; i < n; i++) to += sprintf(to, ", %%%s", zero);
    return text;
}

static void translate_update(hlo_old_text *t, const hlo_old_statement *s, wrapped *w) {
    hlo_span shape = hlo_old_operand_shape(t, s, 2, (hlo_span){s->shape.lo, s->shape.lo});
    const char *sizes = hlo_old_numbers_text(t, &w->sizes);
    put_starts(t, s, 2, w);
    const char *turned = put_turned(t, s, w, hlo_old_operand_text(t, s, 0));
    const char *updated = hlo_old_before(
        t, s, "wrap_updated", "%.*s[%s] dynamic-update-slice(%%%s, %.*s%s)", HLO_OLD(t, w->type),
        sizes, turned, HLO_OLD(t, s->operands[1].all), zeros_text(t, s, w->sizes.n));
    put_back_starts(t, s, w, wide_type(t, shape));
    const char *back = put_turned(t, s, w, hlo_old_with_percent(t, updated));
    hlo_old_edit(t, s->opcode, "copy");
    hlo_old_set_operands(t, s, "%%%s", back);
}

void hlo_old_wrapped_update(hlo_old_text *t) {
    HLO_OLD_EACH(t, s) {
        if (!hlo_old_is(t, s->opcode, "dynamic-update-slice")) continue;
        wrapped w;
        hlo_old_found(t, s->opcode);
        if (read_wrapped(t, s, 2, &w)) translate_update(t, s, &w);
        else refuse_wrapped(t, s);
    }
}
