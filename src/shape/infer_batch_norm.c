/* Shapes of the three batch normalisations. */
#include "shape/rules.h"

/* What an operand is: as large as the first, or a vector with one entry for each feature. XLA looks
 * only at the first dimension of some vectors. */
typedef enum { WHOLE, VECTOR, FIRST_DIMENSION } norm_extent;

typedef struct {
    const char *name;
    norm_extent extent;
} norm_role;

static bool check_vector(hlo_inference *in, uint32_t i, const norm_role *role, int64_t features) {
    HLO_ASSERT(i < in->n);
    const hlo_shape *vector = in->operands[i];
    bool fits = role->extent == VECTOR ? vector->rank == 1 : vector->rank >= 1;
    if (fits && hlo_sizes_compatible(vector->dims[0], features)) return true;
    return hlo_refuse(in, HLO_RULE_BATCH_NORM_FEATURE, (int)i,
                      "operand %u, %s, is %s and must be a vector of %lld features", i, role->name,
                      hlo_infer_text(in, vector), (long long)features);
}

static bool check_norm(hlo_inference *in, const norm_role *roles, int64_t *feature) {
    if (!hlo_expect_arrays(in)) return false;
    const hlo_shape *operand = in->operands[0];
    *feature = hlo_infer_int(in, HLO_ATTR_FEATURE_INDEX);
    if (*feature < 0 || *feature >= operand->rank)
        return hlo_refuse(in, HLO_RULE_BATCH_NORM_FEATURE, HLO_AT(FEATURE_INDEX),
                          "feature_index is %lld and operand 0, %s, has the rank %u",
                          (long long)*feature, hlo_infer_text(in, operand), operand->rank);
    if (!hlo_expect_elements(in, 0)) return false;
    for (uint32_t i = 1; i < in->n; i++) {
        const hlo_shape *other = in->operands[i];
        if (!hlo_types_agree(other->type, operand->type))
            return hlo_refuse(
                in, HLO_RULE_OPERAND_TYPES, (int)i,
                "operand 0 is %s and operand %u, %s, is %s: their element types differ",
                hlo_infer_text(in, operand), i, roles[i].name, hlo_infer_text(in, other));
        bool is_whole = roles[i].extent == WHOLE;
        if (!is_whole && !check_vector(in, i, &roles[i], operand->dims[*feature])) return false;
        if (is_whole && !hlo_shapes_same_dimensions(other, operand))
            return hlo_refuse(in, HLO_RULE_OPERAND_DIMENSIONS, (int)i,
                              "operand 0 is %s and operand %u, %s, is %s: their dimensions differ",
                              hlo_infer_text(in, operand), i, roles[i].name,
                              hlo_infer_text(in, other));
    }
    return true;
}

/* The operand's shape and two vectors of features. */
static const hlo_shape *with_vectors(hlo_inference *in, int64_t feature) {
    const hlo_shape *operand = in->operands[0];
    hlo_dims dims = hlo_dims_new(in, 1);
    dims.size[0] = operand->dims[feature];
    dims.dynamic[0] = hlo_dim_is_dynamic(operand, (uint32_t)feature);
    const hlo_shape *vector = hlo_make_array(in, (hlo_type)operand->type, dims);
    const hlo_shape *elements[] = {operand, vector, vector};
    return vector ? hlo_make_tuple(in, elements, 3) : NULL;
}

const hlo_shape *hlo_infer_batch_norm_training(hlo_inference *in) {
    static const norm_role roles[] = {{"operand", WHOLE}, {"scale", VECTOR}, {"offset", VECTOR}};
    int64_t feature;
    return check_norm(in, roles, &feature) ? with_vectors(in, feature) : NULL;
}

const hlo_shape *hlo_infer_batch_norm_inference(hlo_inference *in) {
    static const norm_role roles[] = {{"operand", WHOLE},
                                      {"scale", VECTOR},
                                      {"offset", VECTOR},
                                      {"mean", FIRST_DIMENSION},
                                      {"variance", FIRST_DIMENSION}};
    int64_t feature;
    return check_norm(in, roles, &feature) ? in->operands[0] : NULL;
}

const hlo_shape *hlo_infer_batch_norm_grad(hlo_inference *in) {
    static const norm_role roles[] = {{"operand", WHOLE},
                                      {"scale", VECTOR},
                                      {"mean", VECTOR},
                                      {"variance", VECTOR},
                                      {"the gradient of the output", WHOLE}};
    int64_t feature;
    return check_norm(in, roles, &feature) ? with_vectors(in, feature) : NULL;
}
