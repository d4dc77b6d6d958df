/* Recipes of products of matrices and windows, of linear algebra and Fourier transforms. */
#include <math.h>

#include "generator/generator.h"

/* Types that products are taken of. */
static hlo_type choose_factor_type(generator *g) {
    hlo_type type = choose_type(g, OF_NUMBER);
    for (int again = 0; again < 8 && type != HLO_TYPE_COUNT; again++) {
        bool is_coarse = hlo_type_is_float(type) && type_epsilon(type) > 0.2;
        if (hlo_types[type].bits >= 8 && !is_coarse && type != HLO_F8E8M0FNU) return type;
        type = choose_type(g, OF_NUMBER);
    }
    return HLO_TYPE_COUNT;
}

/* Factors small enough for sums of `n` products. */
static hlo_instr *factor(generator *g, hlo_instr *a, double n) {
    if (!a || !hlo_type_is_float(hlo_type_part((hlo_type)a->shape->type))) return a;
    double reach = sqrt(type_reach(hlo_type_part((hlo_type)a->shape->type)) / (2 * n));
    return within(g, a, -reach, reach);
}

/* Sums of n products, of two parts each when complex. */
static facts products(hlo_type type, facts a, facts b, double n) {
    if (!hlo_type_is_float(hlo_type_part(type))) return facts_of_type(type);
    double terms = hlo_type_is_complex(type) ? 2 * n : n;
    double most = terms * largest_of(a) * largest_of(b);
    facts f = {-most, most, terms * (a.error * largest_of(b) + b.error * largest_of(a))};
    return rounded(hlo_type_part(type), f, 2 * terms + 2);
}

/* ---- dot ---- */

enum { MOST_DOT_DIMS = 2 };

typedef struct {
    int64_t dims[MAX_RANK], contracting[MOST_DOT_DIMS], batch[1];
    uint32_t rank;
} dot_side;

/* Contracting dimensions of `sizes`, batch ones and free ones, in any order. */
static void choose_side(generator *g, dot_side *side, const int64_t *sizes, uint32_t contracting,
                        int64_t batch_size, uint32_t batch) {
    int64_t order[MAX_RANK];
    uint32_t free = (uint32_t)between(g, 0, 2);
    side->rank = contracting + batch + free;
    for (uint32_t i = 0; i < side->rank; i++) order[i] = i;
    shuffle(g, order, side->rank);
    for (uint32_t i = 0; i < side->rank; i++) side->dims[i] = between(g, one_in(g, 30) ? 0 : 1, 4);
    for (uint32_t i = 0; i < contracting; i++) {
        side->contracting[i] = order[i];
        side->dims[order[i]] = sizes[i];
    }
    if (!batch) return;
    side->batch[0] = order[contracting];
    side->dims[order[contracting]] = batch_size;
}

hlo_instr *generate_dot(generator *g, hlo_opcode opcode) {
    hlo_type type = choose_factor_type(g);
    if (type == HLO_TYPE_COUNT || g->scope->scalars) return NULL;
    uint32_t contracting = (uint32_t)between(g, one_in(g, 8) ? 0 : 1, MOST_DOT_DIMS);
    uint32_t batch = (uint32_t)roll(g, 2);
    int64_t sizes[MOST_DOT_DIMS], batch_size = between(g, 1, 3);
    double n = 1;
    for (uint32_t i = 0; i < contracting; i++) n *= (double)(sizes[i] = between(g, 1, 5));
    dot_side side[2];
    hlo_instr *operands[2];
    for (int i = 0; i < 2; i++) {
        choose_side(g, &side[i], sizes, contracting, batch_size, batch);
        operands[i] = factor(g, pick_of(g, array_of(g, type, side[i].dims, side[i].rank)), n);
        if (!operands[i]) return NULL;
    }
    hlo_attr attrs[4] = {
        attr_ints(g, HLO_ATTR_LHS_CONTRACTING_DIMS, side[0].contracting, contracting),
        attr_ints(g, HLO_ATTR_RHS_CONTRACTING_DIMS, side[1].contracting, contracting),
        attr_ints(g, HLO_ATTR_LHS_BATCH_DIMS, side[0].batch, batch),
        attr_ints(g, HLO_ATTR_RHS_BATCH_DIMS, side[1].batch, batch)};
    return emit_value(g, opcode, NULL, operands, 2, attrs, batch ? 4 : 2,
                      products(type, facts_of(g, operands[0]), facts_of(g, operands[1]), n));
}

/* Rows of the left side belong to groups, one after the other; each group has its own right side.
 */
hlo_instr *generate_ragged_dot(generator *g, hlo_opcode opcode) {
    hlo_type type = choose_factor_type(g);
    if (type == HLO_TYPE_COUNT || g->scope->scalars) return NULL;
    int64_t m = between(g, 1, 5), k = between(g, 1, 4), n = between(g, 1, 4);
    int64_t groups = between(g, 1, 3), zero = 0, one = 1;
    const int64_t left[2] = {m, k}, right[3] = {groups, k, n};
    hlo_instr *operands[3] = {factor(g, pick_of(g, array_of(g, type, left, 2)), (double)k),
                              factor(g, pick_of(g, array_of(g, type, right, 3)), (double)k),
                              constant_indices(g, array_of(g, HLO_S32, &groups, 1), 0, m / groups)};
    if (!operands[0] || !operands[1]) return NULL;
    hlo_attr attrs[4] = {attr_ints(g, HLO_ATTR_LHS_CONTRACTING_DIMS, &one, 1),
                         attr_ints(g, HLO_ATTR_RHS_CONTRACTING_DIMS, &one, 1),
                         attr_ints(g, HLO_ATTR_LHS_RAGGED_DIMS, &zero, 1),
                         attr_ints(g, HLO_ATTR_RHS_GROUP_DIMS, &zero, 1)};
    return emit_value(
        g, opcode, NULL, operands, 3, attrs, 4,
        products(type, facts_of(g, operands[0]), facts_of(g, operands[1]), (double)k));
}

/* Each side has a scale per row and block of its contracting dimension. */
hlo_instr *generate_scaled_dot(generator *g, hlo_opcode opcode) {
    hlo_type type = one_in(g, 2) ? HLO_F8E4M3FN : HLO_BF16;
    if (!g->options.types[type] || !g->options.types[HLO_BF16] || g->scope->scalars) return NULL;
    int64_t blocks = between(g, 1, 2), k = 32 * blocks,
            rows[2] = {between(g, 1, 3), between(g, 1, 3)};
    int64_t one = 1;
    hlo_instr *operands[4];
    for (int i = 0; i < 2; i++) {
        const int64_t dims[2] = {rows[i], k}, scales[2] = {rows[i], blocks};
        operands[i] = factor(g, pick_of(g, array_of(g, type, dims, 2)), 4 * (double)k);
        operands[2 + i] = broadcast_scalar(g, constant_real(g, HLO_BF16, one_in(g, 2) ? 0.5 : 2),
                                           array_of(g, HLO_BF16, scales, 2));
        if (!operands[i]) return NULL;
    }
    hlo_attr attrs[2] = {attr_ints(g, HLO_ATTR_LHS_CONTRACTING_DIMS, &one, 1),
                         attr_ints(g, HLO_ATTR_RHS_CONTRACTING_DIMS, &one, 1)};
    facts f = products(HLO_BF16, facts_of(g, operands[0]), facts_of(g, operands[1]), (double)k);
    f.low *= 4, f.high *= 4, f.error *= 4;
    const int64_t dims[2] = {rows[0], rows[1]};
    return emit_value(g, opcode, array_of(g, HLO_BF16, dims, 2), operands, 4, attrs, 2, f);
}

/* ---- convolution ---- */

enum { MOST_SPATIAL = 2, CONV_RANK = MOST_SPATIAL + 2 };

typedef struct {
    uint32_t spatial;
    int64_t groups, batch_groups, batch, features, outputs;
    hlo_window_dim window[MOST_SPATIAL];
    int64_t sizes[MOST_SPATIAL];
} convolution;

static void choose_convolution(generator *g, convolution *c) {
    c->spatial = (uint32_t)between(g, 0, MOST_SPATIAL);
    c->groups = one_in(g, 4) ? 2 : 1;
    c->batch_groups = c->groups == 1 && one_in(g, 6) ? 2 : 1;
    c->features = c->groups * between(g, 1, 3);
    c->outputs = c->groups * c->batch_groups * between(g, 1, 2);
    c->batch = c->batch_groups * between(g, 1, 2);
    for (uint32_t i = 0; i < c->spatial; i++) {
        c->sizes[i] = between(g, 2, 5);
        hlo_window_dim d = {.size = between(g, 1, 3),
                            .stride = between(g, 1, 2),
                            .base_dilation = one_in(g, 4) ? 2 : 1,
                            .window_dilation = one_in(g, 4) ? 2 : 1,
                            .reversed = one_in(g, 5)};
        d.pad_low = between(g, one_in(g, 5) ? -1 : 0, 2);
        d.pad_high = between(g, one_in(g, 5) ? -1 : 0, 2);
        c->window[i] = d;
    }
}

/* Two roles and the spatial dimensions, dealt to positions; sizes by role go to `dims`. */
static void deal(generator *g, uint32_t spatial, const int64_t *sizes, int64_t *roles,
                 int64_t *dims) {
    for (uint32_t i = 0; i < spatial + 2; i++) roles[i] = i;
    if (!one_in(g, 3)) shuffle(g, roles, spatial + 2);
    for (uint32_t i = 0; i < spatial + 2 && dims; i++) dims[roles[i]] = sizes[i];
}

hlo_instr *generate_convolution(generator *g, hlo_opcode opcode) {
    hlo_type type = choose_factor_type(g);
    if (type == HLO_TYPE_COUNT || g->scope->scalars) return NULL;
    convolution c;
    choose_convolution(g, &c);
    int64_t input[CONV_RANK] = {c.batch, c.features};
    int64_t kernel[CONV_RANK] = {c.features / c.groups, c.outputs};
    double n = (double)kernel[0];
    for (uint32_t i = 0; i < c.spatial; i++) {
        input[2 + i] = c.sizes[i];
        kernel[2 + i] = c.window[i].size;
        n *= (double)c.window[i].size;
    }
    int64_t *roles = hlo_arena_alloc(&g->module->arena, 3 * CONV_RANK * sizeof *roles);
    int64_t dims[2][CONV_RANK];
    deal(g, c.spatial, input, roles, dims[0]);
    deal(g, c.spatial, kernel, roles + CONV_RANK, dims[1]);
    deal(g, c.spatial, NULL, roles + (size_t)2 * CONV_RANK, NULL);
    const int64_t *in = roles, *of = roles + CONV_RANK, *out = of + CONV_RANK;
    hlo_dim_labels *labels = HLO_NEW(&g->module->arena, hlo_dim_labels);
    *labels = (hlo_dim_labels){c.spatial, in[0],  in[1],  of[0],  of[1],
                               out[0],    out[1], in + 2, of + 2, out + 2};
    hlo_instr *operands[2];
    for (int i = 0; i < 2; i++) {
        operands[i] = factor(g, pick_of(g, array_of(g, type, dims[i], c.spatial + 2)), n);
        if (!operands[i]) return NULL;
    }
    hlo_attr attrs[4] = {{.id = HLO_ATTR_DIM_LABELS, .u.dim_labels = labels},
                         attr_int(HLO_ATTR_FEATURE_GROUP_COUNT, c.groups),
                         attr_int(HLO_ATTR_BATCH_GROUP_COUNT, c.batch_groups),
                         attr_window(g, c.window, c.spatial)};
    return emit_value(g, opcode, NULL, operands, 2, attrs, 4,
                      products(type, facts_of(g, operands[0]), facts_of(g, operands[1]), n));
}

/* ---- linear algebra ---- */

static hlo_type choose_linalg_type(generator *g) {
    static const hlo_type types[] = {HLO_F32, HLO_F64, HLO_C64, HLO_C128};
    for (int attempt = 0; attempt < 8; attempt++) {
        hlo_type type = types[roll(g, sizeof types / sizeof *types)];
        if (g->options.types[type] && g->options.types[HLO_S32] && g->options.types[HLO_PRED])
            return type;
    }
    return HLO_TYPE_COUNT;
}

/* Square matrices, 4 on the diagonal and small elsewhere: they have every decomposition. */
static hlo_instr *well_conditioned(generator *g, const hlo_shape *shape) {
    hlo_type type = (hlo_type)shape->type;
    const hlo_shape *places = like(g, shape, HLO_S32);
    hlo_attr row = attr_int(HLO_ATTR_IOTA_DIMENSION, shape->rank - 2);
    hlo_attr column = attr_int(HLO_ATTR_IOTA_DIMENSION, shape->rank - 1);
    hlo_instr *iotas[2] = {emit(g, HLO_OP_IOTA, places, NULL, 0, &row, 1),
                           emit(g, HLO_OP_IOTA, places, NULL, 0, &column, 1)};
    hlo_attr eq = attr_word(HLO_ATTR_DIRECTION, "EQ");
    hlo_instr *values[3] = {emit(g, HLO_OP_COMPARE, NULL, iotas, 2, &eq, 1),
                            broadcast_scalar(g, constant_real(g, type, 4), shape),
                            within(g, pick_of(g, shape), -0.25, 0.25)};
    if (!values[2]) return NULL;
    facts f = {-0.25, 4, facts_of(g, values[2]).error};
    return emit_value(g, HLO_OP_SELECT, NULL, values, 3, NULL, 0, f);
}

static const hlo_shape *choose_square(generator *g, hlo_type type) {
    int64_t n = between(g, 1, 5), dims[3] = {between(g, 1, 2), n, n};
    bool has_batch = one_in(g, 2);
    return array_of(g, type, has_batch ? dims : dims + 1, has_batch ? 3 : 2);
}

/* The other triangle holds whatever the implementation leaves there: it is masked out. */
static hlo_instr *triangle(generator *g, hlo_instr *a, bool is_lower) {
    const hlo_shape *shape = a->shape, *places = like(g, shape, HLO_S32);
    hlo_attr row = attr_int(HLO_ATTR_IOTA_DIMENSION, shape->rank - 2);
    hlo_attr column = attr_int(HLO_ATTR_IOTA_DIMENSION, shape->rank - 1);
    hlo_instr *iotas[2] = {emit(g, HLO_OP_IOTA, places, NULL, 0, &row, 1),
                           emit(g, HLO_OP_IOTA, places, NULL, 0, &column, 1)};
    hlo_attr direction = attr_word(HLO_ATTR_DIRECTION, is_lower ? "GE" : "LE");
    hlo_instr *zero = constant_real(g, (hlo_type)shape->type, 0);
    hlo_instr *values[3] = {emit(g, HLO_OP_COMPARE, NULL, iotas, 2, &direction, 1), a,
                            broadcast_scalar(g, zero, shape)};
    return emit_value(g, HLO_OP_SELECT, NULL, values, 3, NULL, 0, facts_of(g, a));
}

hlo_instr *generate_cholesky(generator *g, hlo_opcode opcode) {
    hlo_type type = choose_linalg_type(g);
    if (type == HLO_TYPE_COUNT || g->scope->scalars) return NULL;
    hlo_instr *a = well_conditioned(g, choose_square(g, type));
    if (!a) return NULL;
    bool is_lower = one_in(g, 2);
    hlo_attr attr = attr_int(HLO_ATTR_LOWER, is_lower);
    facts f = {-1, 2.5, 8 * facts_of(g, a).error};
    a = emit_value(g, opcode, NULL, &a, 1, &attr, 1, rounded(hlo_type_part(type), f, 32));
    return a ? triangle(g, a, is_lower) : NULL;
}

hlo_instr *generate_triangular_solve(generator *g, hlo_opcode opcode) {
    static const char *const transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    hlo_type type = choose_linalg_type(g);
    if (type == HLO_TYPE_COUNT || g->scope->scalars) return NULL;
    hlo_instr *operands[2] = {well_conditioned(g, choose_square(g, type)), NULL};
    if (!operands[0]) return NULL;
    uint32_t rank = operands[0]->shape->rank;
    int64_t dims[3];
    for (uint32_t i = 0; i < rank; i++) dims[i] = operands[0]->shape->dims[i];
    bool is_left = one_in(g, 2);
    dims[is_left ? rank - 1 : rank - 2] = between(g, 1, 3);
    operands[1] = within(g, pick_of(g, array_of(g, type, dims, rank)), -8, 8);
    if (!operands[1]) return NULL;
    hlo_attr attrs[4] = {attr_int(HLO_ATTR_LEFT_SIDE, is_left),
                         attr_int(HLO_ATTR_LOWER, one_in(g, 2)),
                         attr_int(HLO_ATTR_UNIT_DIAGONAL, one_in(g, 4)),
                         attr_word(HLO_ATTR_TRANSPOSE_A, transposes[roll(g, 3)])};
    double most = 8 * largest_of(facts_of(g, operands[1]));
    facts f = {-most, most,
               64 * facts_of(g, operands[0]).error + 8 * facts_of(g, operands[1]).error};
    return emit_value(g, opcode, NULL, operands, 2, attrs, 4, rounded(hlo_type_part(type), f, 32));
}

/* ---- fft ---- */

hlo_instr *generate_fft(generator *g, hlo_opcode opcode) {
    static const char *const kinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    unsigned kind = (unsigned)roll(g, 4);
    bool is_double = one_in(g, 3);
    hlo_type real = is_double ? HLO_F64 : HLO_F32, both = is_double ? HLO_C128 : HLO_C64;
    if (!g->options.types[real] || !g->options.types[both] || g->scope->scalars) return NULL;
    uint32_t n = (uint32_t)between(g, 1, 3), rank = n + (uint32_t)roll(g, 2);
    int64_t dims[4], length[3];
    double count = 1;
    for (uint32_t i = 0; i < rank; i++) dims[i] = between(g, 1, 5);
    for (uint32_t i = 0; i < n; i++) {
        length[i] = dims[rank - n + i];
        count *= (double)length[i];
    }
    if (kind == 3) dims[rank - 1] = length[n - 1] / 2 + 1;
    hlo_instr *a = pick_of(g, array_of(g, kind == 2 ? real : both, dims, rank));
    a = within(g, a, -4, 4);
    if (!a) return NULL;
    hlo_attr attrs[2] = {attr_word(HLO_ATTR_FFT_TYPE, kinds[kind]),
                         attr_ints(g, HLO_ATTR_FFT_LENGTH, length, n)};
    double most = 2 * count * largest_of(facts_of(g, a));
    facts f = rounded(real, (facts){-most, most, 2 * count * facts_of(g, a).error}, 16);
    return emit_value(g, opcode, NULL, &a, 1, attrs, 2, f);
}
