/* Shapes of scan: inputs and outputs are sliced along one dimension, carries are passed on. */
#include "shape/rules.h"

typedef struct {
    hlo_signature step;
    uint32_t inputs, outputs, carries;
    const hlo_shape *const *roots; /* what the step returns: outputs, then carries */
    uint32_t root_count;
    int64_t dimension, size;
} scan;

/* The elements of a tuple, or the shape itself as the only one. */
static const hlo_shape *const *parts_of(const hlo_shape *const *shape, uint32_t *n) {
    bool tuple = hlo_shape_is_tuple(*shape);
    *n = tuple ? (*shape)->rank : 1;
    return tuple ? (*shape)->elements : shape;
}

static bool read_counts(hlo_inference *in, scan *s) {
    if (!hlo_infer_callee(in, HLO_ATTR_TO_APPLY, &s->step) ||
        !hlo_infer_single(in, HLO_ATTR_DIMENSIONS, &s->dimension))
        return false;
    int64_t carries = hlo_infer_int(in, HLO_ATTR_NUM_CARRIES);
    s->roots = parts_of(&s->step.result, &s->root_count);
    if (s->step.n != in->n)
        return hlo_refuse(in, HLO_RULE_SCAN_SIGNATURE, HLO_AT(TO_APPLY),
                          "%s has %s and the scan %s", s->step.name,
                          hlo_infer_count_text(in, s->step.n, "parameter"),
                          hlo_infer_count_text(in, in->n, "operand"));
    if (carries < 0 || carries > in->n || carries > s->root_count)
        return hlo_refuse(in, HLO_RULE_SCAN_SIGNATURE, HLO_AT(NUM_CARRIES),
                          "num_carries is %lld, with %s and %s of %s", (long long)carries,
                          hlo_infer_count_text(in, in->n, "operand"),
                          hlo_infer_count_text(in, s->root_count, "result"), s->step.name);
    s->carries = (uint32_t)carries;
    s->inputs = in->n - s->carries;
    s->outputs = s->root_count - s->carries;
    if (s->inputs == 0 && s->outputs == 0)
        return hlo_refuse(in, HLO_RULE_SCAN_SIGNATURE, HLO_AT(NUM_CARRIES),
                          "all operands and results are carries");
    return true;
}

/* How many steps there are: the size of the scanned dimension, of the first input or else output.
 */
static bool read_size(hlo_inference *in, scan *s) {
    const hlo_shape *first = NULL;
    uint32_t results = 0;
    if (s->inputs) {
        first = in->operands[0];
    } else if (in->stated) {
        const hlo_shape *const *parts = parts_of(&in->stated, &results);
        if (results) first = parts[0];
    }
    if (!first)
        return hlo_refuse(in, HLO_RULE_SHAPE_REQUIRED, HLO_NOWHERE,
                          "the result shape must be written where there is no input");
    if (hlo_shape_is_array(first) && s->dimension >= 0 && s->dimension < first->rank) {
        s->size = first->dims[s->dimension];
        return true;
    }
    return hlo_refuse(in, HLO_RULE_SCAN_SIGNATURE, HLO_AT(DIMENSIONS), "%s has no dimension %lld",
                      hlo_infer_text(in, first), (long long)s->dimension);
}

/* An array without its dimension `d`; NULL without an error when it has none of the scan's size. */
static const hlo_shape *slice_of(hlo_inference *in, const scan *s, const hlo_shape *whole) {
    HLO_ASSERT(s->dimension >= 0);
    if (!hlo_shape_is_array(whole) || s->dimension >= whole->rank) return NULL;
    if (whole->dims[s->dimension] != s->size) return NULL;
    hlo_dims dims = hlo_dims_new(in, whole->rank);
    dims.rank = 0;
    for (uint32_t i = 0; i < whole->rank; i++)
        if (i != s->dimension) hlo_dims_push(&dims, whole->dims[i], hlo_dim_is_dynamic(whole, i));
    return hlo_make_array(in, (hlo_type)whole->type, dims);
}

static unsigned ignored(const hlo_inference *in) {
    return in->any_precision ? HLO_IGNORE_FP_PRECISION : 0;
}

static bool check_operands(hlo_inference *in, const scan *s) {
    HLO_ASSERT(s->inputs <= in->n);
    for (uint32_t i = 0; i < in->n; i++) {
        const hlo_shape *wanted = in->operands[i];
        if (i < s->inputs) wanted = slice_of(in, s, wanted);
        if (!wanted)
            return hlo_refuse(in, HLO_RULE_SCAN_SIGNATURE, (int)i,
                              "operand %u is %s and dimension %lld must have the size %lld", i,
                              hlo_infer_text(in, in->operands[i]), (long long)s->dimension,
                              (long long)s->size);
        if (!hlo_shapes_compatible(wanted, s->step.parameters[i], ignored(in)))
            return hlo_refuse(in, HLO_RULE_SCAN_SIGNATURE, (int)i,
                              "parameter %u of %s is %s and gets %s of operand %u", i, s->step.name,
                              hlo_infer_text(in, s->step.parameters[i]), hlo_infer_text(in, wanted),
                              i);
    }
    for (uint32_t i = 0; i < s->carries; i++)
        if (!hlo_shapes_compatible(s->step.parameters[s->inputs + i], s->roots[s->outputs + i],
                                   ignored(in)))
            return hlo_refuse(in, HLO_RULE_SCAN_SIGNATURE, HLO_AT(TO_APPLY),
                              "%s takes carry %u as %s and returns it as %s", s->step.name, i,
                              hlo_infer_text(in, s->step.parameters[s->inputs + i]),
                              hlo_infer_text(in, s->roots[s->outputs + i]));
    return true;
}

/* The slice's layout with dimension `at` new, next to (major of) the one whose place it takes. NULL
 * where the slice's is no permutation. */
static const int64_t *grown_order(hlo_inference *in, const hlo_shape *slice, uint32_t at) {
    HLO_ASSERT(at <= slice->rank && slice->layout);
    int64_t *order = HLO_NEW_ARRAY(&in->scratch, int64_t, 2 * (size_t)slice->rank + 1);
    uint32_t n = 0;
    if (at == slice->rank) order[n++] = at;
    for (uint32_t i = 0; i < slice->rank; i++) {
        int64_t d = slice->layout->minor_to_major[i];
        if (d < 0 || d >= slice->rank) return NULL;
        order[n++] = d >= at ? d + 1 : d;
        if (d == at) order[n++] = at;
    }
    return n == slice->rank + 1 ? order : NULL;
}

static const hlo_shape *grown(hlo_inference *in, const scan *s, const hlo_shape *slice) {
    HLO_ASSERT(s->size >= 0 || s->size == HLO_UNBOUNDED);
    uint32_t at = (uint32_t)s->dimension;
    if (!hlo_shape_is_array(slice) || s->dimension > slice->rank)
        return hlo_infer_fail(in, HLO_RULE_SCAN_SIGNATURE, HLO_AT(TO_APPLY),
                              "%s returns %s, which cannot be a slice along dimension %lld",
                              s->step.name, hlo_infer_text(in, slice), (long long)s->dimension);
    hlo_dims dims = hlo_dims_new(in, slice->rank + 1);
    for (uint32_t i = 0; i < dims.rank; i++)
        dims.size[i] = i == at ? s->size : slice->dims[i < at ? i : i - 1];
    if (!hlo_make_array(in, (hlo_type)slice->type, dims)) return NULL; /* too large */
    return hlo_shape_array(&in->module->shapes, (hlo_type)slice->type, dims.size, dims.rank, NULL,
                           grown_order(in, slice, at), NULL);
}

const hlo_shape *hlo_infer_scan(hlo_inference *in) {
    scan s;
    if (!read_counts(in, &s) || !read_size(in, &s)) return NULL;
    if (in->stated && !check_operands(in, &s)) return NULL;
    const hlo_shape **results = HLO_NEW_ARRAY(&in->scratch, const hlo_shape *, s.root_count);
    for (uint32_t i = 0; i < s.root_count; i++) {
        results[i] = i < s.outputs ? grown(in, &s, s.roots[i]) : s.roots[i];
        if (!results[i]) return NULL;
    }
    return hlo_shape_is_tuple(s.step.result) ? hlo_make_tuple(in, results, s.root_count)
                                             : results[0];
}
