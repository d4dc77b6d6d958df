/* Making clusters: every instruction of a fused computation becomes a step for each view that its
 * users have of it. Why this is not the compiler of scalar programs: see scalar_compile.c. */
#include "base/pool.h"
#include "eval/kernels/cluster/cluster_program.h"

/* Above these the computation is run as any other. */
enum { MAX_STEPS = 512, MAX_DEPTH = 600 };

/* An instruction under a view, and the register that has its lanes. */
typedef struct {
    const hlo_instr *instr;
    hlo_cluster_grain grain; /* of the view's lanes: TILE, or ROWS */
    hlo_cluster_view view;
    uint32_t reg;
} seen;

typedef struct {
    hlo_arena *arena;
    int64_t elements, row;       /* row: elements of one; 0: none has been met */
    hlo_cluster_columns columns; /* of sinks */
    bool plain;                  /* functions of the mathematical library */
    const hlo_cluster_product *product;
    hlo_cluster_step steps[MAX_STEPS];
    hlo_cluster_register registers[2 * MAX_STEPS];
    seen seen[2 * MAX_STEPS];
    const hlo_instr *folded[MAX_STEPS]; /* what depends on folded rows */
    hlo_cluster_result *results;        /* of the leaves that are no sinks */
    hlo_cluster_sink *sinks;
    hlo_cluster_extremes *extremes;
    uint32_t step_count, register_count, seen_count, folded_count, depth;
    uint32_t result_count, sink_count, extreme_count;
    uint32_t scattered; /* bit i: lanes are at other places of operand i */
} compiler;

static bool compile(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                    hlo_cluster_view view, uint32_t *reg);

static bool is_scalar_view(hlo_cluster_view view) {
    return view.count == 1;
}

static int64_t elements_of(const hlo_instr *instr) {
    return hlo_shape_elements(instr->shape);
}

static int64_t lanes_of(const compiler *c, hlo_cluster_grain grain) {
    return grain == HLO_OF_ROWS ? c->elements / c->row : c->elements;
}

/* Each lane of the grain. */
static hlo_cluster_view own_view(const compiler *c, hlo_cluster_grain grain) {
    return (hlo_cluster_view){1, lanes_of(c, grain)};
}

static bool is_own_view(const compiler *c, hlo_cluster_grain grain, hlo_cluster_view view) {
    return view.count == lanes_of(c, grain);
}

static bool is_full(const compiler *c) {
    return c->register_count == 2 * MAX_STEPS;
}

static uint32_t new_register(compiler *c, hlo_type type, hlo_cluster_grain grain,
                             hlo_cluster_place place, uint32_t number) {
    c->registers[c->register_count] =
        (hlo_cluster_register){.type = type, .grain = grain, .place = place, .number = number};
    return c->register_count++;
}

/* The next step, which fills a new register; NULL when there are too many. */
static hlo_cluster_step *new_step(compiler *c, hlo_cluster_work work, hlo_cluster_grain grain,
                                  hlo_cluster_view view, hlo_type type, uint32_t *reg) {
    if (c->step_count == MAX_STEPS || is_full(c)) return NULL;
    hlo_cluster_step *step = &c->steps[c->step_count++];
    *reg = new_register(c, type, grain, HLO_IN_MEMORY, 0);
    *step = (hlo_cluster_step){.work = work, .grain = grain, .view = view, .out = *reg};
    return step;
}

/* One that needs nothing of the cluster's lanes. */
static hlo_cluster_step *new_source(compiler *c, hlo_cluster_work work, hlo_cluster_grain grain,
                                    hlo_cluster_view view, hlo_type type, uint32_t *reg) {
    return new_step(c, work, is_scalar_view(view) ? HLO_OF_RUN : grain, view, type, reg);
}

/* ---- sources ---- */

static bool compile_parameter(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                              hlo_cluster_view view, uint32_t *reg) {
    HLO_ASSERT(instr->opcode == HLO_OP_PARAMETER);
    uint32_t number = (uint32_t)hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
    hlo_type type = (hlo_type)instr->shape->type;
    if (is_own_view(c, grain, view) && !is_scalar_view(view)) {
        if (is_full(c)) return false;
        *reg = new_register(c, type, grain, HLO_IN_OPERAND, number);
        return true;
    }
    hlo_cluster_step *step = new_source(c, HLO_CLUSTER_SPREAD, grain, view, type, reg);
    if (step) step->operand = number;
    return step;
}

static bool compile_constant(compiler *c, const hlo_instr *instr, hlo_cluster_view view,
                             uint32_t *reg) {
    HLO_ASSERT(instr->opcode == HLO_OP_CONSTANT);
    const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    hlo_cluster_step *step =
        new_source(c, HLO_CLUSTER_SPREAD, HLO_OF_RUN, view, (hlo_type)instr->shape->type, reg);
    if (step) step->constant = hlo_literal_data(value->u.literal);
    return step;
}

static bool compile_iota(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                         hlo_cluster_view view, uint32_t *reg) {
    HLO_ASSERT(instr->opcode == HLO_OP_IOTA);
    int64_t d = hlo_attr_int(instr, HLO_ATTR_IOTA_DIMENSION);
    hlo_type type = (hlo_type)instr->shape->type;
    hlo_cluster_view numbers = {view.inner * hlo_elements_after(instr->shape, d),
                                instr->shape->dims[d]};
    hlo_cluster_step *step = new_source(c, HLO_CLUSTER_COUNT, grain, numbers, type, reg);
    if (!step) return false;
    step->lanes = hlo_lanes_of_convert(HLO_S64, type);
    return true;
}

static bool is_parameter(const void *context, const hlo_instr *instr) {
    (void)context;
    return instr->opcode == HLO_OP_PARAMETER;
}

static uint32_t number_of(const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    return (uint32_t)hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
}

/* Other tiles read the operand too: the result is not written over it. */
static uint32_t scattered(compiler *c, const hlo_instr *parameter) {
    uint32_t number = number_of(parameter);
    if (number < 32) c->scattered |= UINT32_C(1) << number;
    return number;
}

static void number_boxes(compiler *c, hlo_cluster_boxes *boxes) {
    for (uint32_t b = 0; b < boxes->count; b++)
        boxes->box[b].number = scattered(c, boxes->box[b].operand);
}

static void set_fill(hlo_cluster_step *step, const hlo_instr *fill) {
    if (fill->opcode == HLO_OP_PARAMETER) step->operand = number_of(fill);
    else step->constant = hlo_literal_data(hlo_instr_attr(fill, HLO_ATTR_VALUE)->u.literal);
}

static bool compile_gather(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                           hlo_cluster_view view, uint32_t *reg) {
    HLO_ASSERT(instr->opcode == HLO_OP_GATHER);
    const hlo_instr *operand = hlo_cluster_operand(instr, 0);
    const hlo_instr *indices = hlo_cluster_operand(instr, 1);
    if (!is_own_view(c, grain, view) || view.inner != 1 || !is_parameter(NULL, operand) ||
        !is_parameter(NULL, indices))
        return false;
    hlo_cluster_step *step =
        new_step(c, HLO_CLUSTER_GATHER, grain, view, (hlo_type)instr->shape->type, reg);
    if (!step) return false;
    step->gather =
        hlo_cluster_gather_of(c->arena, instr, scattered(c, operand), scattered(c, indices));
    return true;
}

static bool compile_part(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                         hlo_cluster_view view, uint32_t *reg) {
    hlo_cluster_boxes boxes;
    if (instr->opcode == HLO_OP_GATHER) return compile_gather(c, instr, grain, view, reg);
    if (!is_own_view(c, grain, view) || view.inner != 1 ||
        !hlo_cluster_find_boxes(instr, is_parameter, NULL, &boxes))
        return false;
    hlo_cluster_step *step =
        new_step(c, HLO_CLUSTER_PARTS, grain, view, (hlo_type)instr->shape->type, reg);
    if (!step) return false;
    number_boxes(c, &boxes);
    if (boxes.fill) set_fill(step, boxes.fill);
    step->boxes = hlo_arena_copy(c->arena, &boxes, sizeof boxes);
    return true;
}

/* All elements of the product. */
static bool compile_product(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                            hlo_cluster_view view, uint32_t *reg) {
    if (grain != HLO_OF_TILE || !is_own_view(c, grain, view) || view.inner != 1 || is_full(c))
        return false;
    *reg = new_register(c, (hlo_type)instr->shape->type, grain, HLO_IN_PRODUCT, 0);
    return true;
}

/* ---- views ---- */

static bool compile_broadcast(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                              hlo_cluster_view view, uint32_t *reg) {
    HLO_ASSERT(instr->opcode == HLO_OP_BROADCAST);
    const hlo_instr *operand = hlo_operand(instr, 0);
    int64_t inner;
    if (!hlo_broadcast_inner(instr, &inner)) return false;
    hlo_cluster_view of_operand = {view.inner * inner, elements_of(operand)};
    return compile(c, operand, grain, of_operand, reg);
}

/* ---- rows ---- */

/* Whether a lane for each of `count` rows of so many elements is of use to the cluster's elements:
 * all rows have one length. */
static bool take_rows(compiler *c, int64_t count) {
    if (!c->row && !c->columns.count && count < c->elements && c->elements % count == 0 &&
        hlo_fold_shape_of(c->elements / count, 1).parts == 1)
        c->row = c->elements / count;
    return c->row && c->elements / c->row == count;
}

static bool is_folded(const compiler *c, const hlo_instr *instr) {
    for (uint32_t i = 0; i < c->folded_count; i++)
        if (c->folded[i] == instr) return true;
    return false;
}

/* What costs more than moving an element is computed once a row and repeated for its elements. */
static bool compile_repeated(compiler *c, const hlo_instr *instr, hlo_cluster_view view,
                             uint32_t *reg) {
    uint32_t row;
    if (!take_rows(c, view.count) || (view.inner != c->row && view.count > 1)) return false;
    if (!compile(c, instr, HLO_OF_ROWS, own_view(c, HLO_OF_ROWS), &row)) return false;
    hlo_cluster_step *step =
        new_step(c, HLO_CLUSTER_REPEAT, HLO_OF_TILE, view, (hlo_type)instr->shape->type, reg);
    if (!step) return false;
    step->in[0] = row;
    step->arity = 1;
    return true;
}

/* What the fold reads: the reduce's operand, or what that only widens or squares. */
static bool compile_folded(compiler *c, const hlo_instr *reduce, hlo_fold *fold, uint32_t *in) {
    const hlo_instr *elements = hlo_operand(reduce, 0);
    if (!hlo_fold_find(fold, reduce, 0, false)) return false;
    if (hlo_fold_through(fold, elements)) elements = hlo_operand(elements, 0);
    return compile(c, elements, HLO_OF_TILE, own_view(c, HLO_OF_TILE), in);
}

/* Lanes as those of another type. */
static bool compile_converted(compiler *c, hlo_cluster_grain grain, hlo_cluster_view view,
                              hlo_type to, uint32_t *reg) {
    uint32_t in = *reg;
    hlo_type from = c->registers[in].type;
    if (from == to) return true;
    hlo_cluster_step *step = new_step(c, HLO_CLUSTER_LANES, grain, view, to, reg);
    if (!step) return false;
    step->in[0] = in;
    step->arity = 1;
    step->lanes = hlo_lanes_of_convert(from, to);
    return step->lanes.run;
}

/* The initial value together with each row's accumulator, as hlo_fold_finish does it. */
static bool compile_end(compiler *c, const hlo_instr *reduce, const hlo_fold *fold, uint32_t sums,
                        uint32_t *reg) {
    hlo_cluster_view of_run = {1, 1}, view = own_view(c, HLO_OF_ROWS);
    uint32_t first;
    if (!compile(c, hlo_operand(reduce, 1), HLO_OF_TILE, of_run, &first) ||
        !compile_converted(c, HLO_OF_RUN, of_run, fold->type, &first))
        return false;
    hlo_cluster_step *step = new_step(c, HLO_CLUSTER_LANES, HLO_OF_ROWS, view, fold->type, reg);
    if (!step) return false;
    step->in[0] = first;
    step->in[1] = sums;
    step->arity = 2;
    step->lanes = fold->lanes;
    return compile_converted(c, HLO_OF_ROWS, view, (hlo_type)reduce->shape->type, reg);
}

static bool compile_fold(compiler *c, const hlo_instr *instr, uint32_t *reg) {
    hlo_fold *fold = HLO_NEW(c->arena, hlo_fold);
    uint32_t in, sums;
    if (!compile_folded(c, instr, fold, &in)) return false;
    hlo_cluster_view view = own_view(c, HLO_OF_ROWS);
    hlo_cluster_step *step = new_step(c, HLO_CLUSTER_FOLD, HLO_OF_TILE, view, fold->type, &sums);
    if (!step) return false;
    c->registers[sums].grain = HLO_OF_ROWS;
    step->in[0] = in;
    step->arity = 1;
    step->fold = fold;
    return compile_end(c, instr, fold, sums, reg);
}

static bool compile_reduce(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                           hlo_cluster_view view, uint32_t *reg) {
    if (grain == HLO_OF_TILE) return compile_repeated(c, instr, view, reg);
    return is_own_view(c, grain, view) && compile_fold(c, instr, reg);
}

/* ---- elementwise instructions ---- */

static bool compile_elementwise(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                                hlo_cluster_view view, uint32_t *reg) {
    hlo_lanes lanes;
    uint32_t in[HLO_LANES_MAX_OPERANDS] = {0};
    bool is_of_run = is_scalar_view(view) && !is_folded(c, instr);
    if (!is_of_run && !is_own_view(c, grain, view))
        return grain == HLO_OF_TILE && compile_repeated(c, instr, view, reg);
    if (!hlo_lanes_find(instr, c->plain, &lanes)) return false;
    for (uint32_t i = 0; i < lanes.arity; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        hlo_cluster_view of_operand = {view.inner, elements_of(operand)};
        if (!compile(c, operand, grain, of_operand, &in[i])) return false;
    }
    hlo_cluster_step *step = new_step(c, HLO_CLUSTER_LANES, is_of_run ? HLO_OF_RUN : grain, view,
                                      (hlo_type)instr->shape->type, reg);
    if (!step) return false;
    step->lanes = lanes;
    step->arity = lanes.arity;
    memcpy(step->in, in, sizeof in);
    return true;
}

static bool compile_new(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                        hlo_cluster_view view, uint32_t *reg) {
    if (instr->opcode == HLO_OP_PARAMETER) return compile_parameter(c, instr, grain, view, reg);
    if (c->product && instr == c->product->instr)
        return compile_product(c, instr, grain, view, reg);
    switch (hlo_cluster_role_of(instr)) {
    case HLO_CLUSTER_NEVER: return false;
    case HLO_CLUSTER_SOURCE:
        return instr->opcode == HLO_OP_IOTA ? compile_iota(c, instr, grain, view, reg)
                                            : compile_constant(c, instr, view, reg);
    case HLO_CLUSTER_MOVE:
        return instr->opcode == HLO_OP_BROADCAST
                   ? compile_broadcast(c, instr, grain, view, reg)
                   : compile(c, hlo_operand(instr, 0), grain, view, reg);
    case HLO_CLUSTER_PART: return compile_part(c, instr, grain, view, reg);
    case HLO_CLUSTER_WORK: return compile_elementwise(c, instr, grain, view, reg);
    case HLO_CLUSTER_REDUCE: return compile_reduce(c, instr, grain, view, reg);
    case HLO_CLUSTER_COLUMNS:
    case HLO_CLUSTER_EXTREME: return false;
    }
    HLO_UNREACHABLE();
    return false;
}

static bool is_same(const seen *s, const hlo_instr *instr, hlo_cluster_grain grain,
                    hlo_cluster_view view) {
    return s->instr == instr && s->grain == grain && s->view.count == view.count &&
           (view.count == 1 || s->view.inner == view.inner);
}

static bool compile(compiler *c, const hlo_instr *instr, hlo_cluster_grain grain,
                    hlo_cluster_view view, uint32_t *reg) {
    if (!hlo_shape_is_array(instr->shape) || instr->shape->is_dynamic) return false;
    if (is_scalar_view(view) && !is_folded(c, instr)) grain = HLO_OF_TILE; /* the same of both */
    for (uint32_t s = 0; s < c->seen_count; s++) {
        if (!is_same(&c->seen[s], instr, grain, view)) continue;
        *reg = c->seen[s].reg;
        return true;
    }
    if (c->depth == MAX_DEPTH || c->seen_count == 2 * MAX_STEPS) return false;
    c->depth++;
    bool ok = compile_new(c, instr, grain, view, reg);
    c->depth--;
    if (!ok || c->seen_count == 2 * MAX_STEPS) return false;
    c->seen[c->seen_count++] = (seen){instr, grain, view, *reg};
    return true;
}

/* ---- the computation ---- */

static bool has_folded_operand(const compiler *c, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (is_folded(c, hlo_operand(instr, i))) return true;
    return false;
}

static bool note_row(compiler *c, const hlo_instr *reduce) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    int64_t row = hlo_cluster_row_of(reduce);
    if (c->row && c->row != row) return false;
    c->row = row;
    if (!hlo_shape_is_tuple(reduce->shape)) c->folded[c->folded_count++] = reduce;
    return true;
}

static bool note_columns(compiler *c, const hlo_instr *reduce) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    hlo_cluster_columns columns = hlo_cluster_columns_of(reduce);
    if (c->columns.count && !hlo_cluster_same_columns(c->columns, columns)) return false;
    c->columns = columns;
    return true;
}

/* All reductions are of the same elements, and of rows or of columns of one length. */
static bool note_reduction(compiler *c, const hlo_instr *reduce) {
    HLO_ASSERT(reduce->opcode == HLO_OP_REDUCE);
    hlo_cluster_role role = hlo_cluster_role_of(reduce);
    if (role == HLO_CLUSTER_NEVER) return false;
    int64_t elements = elements_of(hlo_operand(reduce, 0));
    if (c->elements && c->elements != elements) return false;
    c->elements = elements;
    return role == HLO_CLUSTER_COLUMNS ? note_columns(c, reduce) : note_row(c, reduce);
}

/* Finds reductions, and what depends on folded rows. Operands come before their users. */
static bool find_folded(compiler *c, const hlo_computation *computation) {
    for (const hlo_instr *i = computation->first; i; i = i->next) {
        if (c->folded_count == MAX_STEPS) return false;
        if (i->opcode == HLO_OP_REDUCE) {
            if (!note_reduction(c, i)) return false;
        } else if (has_folded_operand(c, i)) c->folded[c->folded_count++] = i;
    }
    return hlo_cluster_accepts(c->elements, c->row, c->columns);
}

static const hlo_instr *leaf_of(const hlo_instr *root, uint32_t i) {
    return root->opcode == HLO_OP_TUPLE ? hlo_operand(root, i) : root;
}

/* Without reductions the longest leaf has the cluster's elements. */
static bool find_elements(compiler *c, const hlo_instr *root, uint32_t count) {
    if (!find_folded(c, root->parent)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const hlo_shape *leaf = leaf_of(root, i)->shape;
        if (hlo_cluster_role_of(leaf_of(root, i)) == HLO_CLUSTER_EXTREME) continue;
        if (!hlo_shape_is_array(leaf) || hlo_shape_elements(leaf) < 1) return false;
        bool is_known = c->row || c->columns.count;
        if (!is_known && hlo_shape_elements(leaf) > c->elements)
            c->elements = hlo_shape_elements(leaf);
    }
    return c->elements > 0;
}

/* ---- results ---- */

/* Its initial value is the same in all of a run. */
static bool find_init(const hlo_instr *instr, hlo_cluster_init *init) {
    *init = (hlo_cluster_init){.type = (hlo_type)instr->shape->type};
    if (instr->opcode == HLO_OP_PARAMETER) {
        init->operand = number_of(instr);
        return true;
    }
    const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    if (instr->opcode != HLO_OP_CONSTANT || !value) return false;
    init->constant = hlo_literal_data(value->u.literal);
    return true;
}

/* A step that gives nothing to others. */
static hlo_cluster_step *new_sink_step(compiler *c, hlo_cluster_work work, hlo_type type,
                                       uint32_t in, uint32_t number) {
    uint32_t out;
    hlo_cluster_step *step = new_step(c, work, HLO_OF_TILE, own_view(c, HLO_OF_TILE), type, &out);
    if (!step) return NULL;
    c->registers[out].place = HLO_NOWHERE;
    step->in[0] = in;
    step->arity = 1;
    step->sink = number;
    return step;
}

static bool compile_sink(compiler *c, const hlo_instr *instr, uint32_t leaf) {
    hlo_fold *fold = HLO_NEW(c->arena, hlo_fold);
    hlo_cluster_sink *sink = &c->sinks[c->sink_count];
    uint32_t in;
    *sink = (hlo_cluster_sink){.fold = fold, .leaf = leaf, .result = (hlo_type)instr->shape->type};
    sink->shape = hlo_fold_shape_of(c->columns.length, c->columns.count);
    sink->arrays = c->elements / c->columns.length / c->columns.count;
    if (!find_init(hlo_operand(instr, 1), &sink->init) || !compile_folded(c, instr, fold, &in))
        return false;
    hlo_cluster_step *step = new_sink_step(c, HLO_CLUSTER_SINK, fold->type, in, c->sink_count);
    if (!step) return false;
    step->fold = fold;
    c->sink_count++;
    return true;
}

/* Positions are not computed. */
static bool compile_extremes(compiler *c, const hlo_instr *instr, uint32_t leaf) {
    hlo_cluster_extremes *to = &c->extremes[c->extreme_count];
    const hlo_instr *values = hlo_operand(instr, 0);
    hlo_type type = (hlo_type)values->shape->type;
    uint32_t in;
    *to = (hlo_cluster_extremes){.extreme = hlo_extreme_new(c->arena, instr), .leaf = leaf};
    return find_init(hlo_operand(instr, 2), &to->init[0]) &&
           find_init(hlo_operand(instr, 3), &to->init[1]) &&
           compile(c, values, HLO_OF_TILE, own_view(c, HLO_OF_TILE), &in) &&
           new_sink_step(c, HLO_CLUSTER_EXTREMES, type, in, c->extreme_count++);
}

/* One of the cluster's elements, or of its rows. */
static bool compile_leaf(compiler *c, const hlo_instr *leaf, uint32_t i) {
    hlo_cluster_result *result = &c->results[c->result_count++];
    *result = (hlo_cluster_result){.leaf = i, .of_rows = elements_of(leaf) != c->elements};
    if (result->of_rows && !take_rows(c, elements_of(leaf))) return false;
    hlo_cluster_grain grain = result->of_rows ? HLO_OF_ROWS : HLO_OF_TILE;
    return compile(c, leaf, grain, own_view(c, grain), &result->reg);
}

static bool compile_results(compiler *c, const hlo_instr *root, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const hlo_instr *leaf = leaf_of(root, i);
        hlo_cluster_role role = hlo_cluster_role_of(leaf);
        bool ok = role == HLO_CLUSTER_COLUMNS   ? compile_sink(c, leaf, i)
                  : role == HLO_CLUSTER_EXTREME ? compile_extremes(c, leaf, i)
                                                : compile_leaf(c, leaf, i);
        if (!ok) return false;
    }
    return true;
}

/* ---- making ---- */

static int64_t unit_of(const compiler *c) {
    if (c->sink_count) return c->sinks[0].shape.part * c->columns.count;
    if (c->row) return c->row;
    return c->product && c->product->handed_on ? c->product->unit : 1;
}

/* Where the product is, and whether its parts are whole units of the cluster. */
static const hlo_cluster_product *place_product(hlo_preparation *p, const compiler *c) {
    if (!c->product) return NULL;
    hlo_cluster_product *product = hlo_arena_copy(p->arena, c->product, sizeof *c->product);
    const hlo_shape *leaf = p->instr->shape;
    product->in_leaf = !hlo_shape_is_tuple(leaf) && hlo_shape_elements(leaf) == c->elements &&
                       hlo_types[leaf->type].bytes == hlo_types[product->shape->type].bytes;
    if (!product->in_leaf)
        product->at = hlo_prepare_scratch(p, (size_t)hlo_shape_bytes(product->shape));
    if (c->sink_count || (c->row && product->unit % c->row)) product->handed_on = 0;
    return product;
}

static hlo_cluster *finish_cluster(hlo_preparation *p, const compiler *c) {
    hlo_cluster *cluster = HLO_NEW_STATE(p, hlo_cluster);
    cluster->product = place_product(p, c);
    cluster->elements = c->elements;
    cluster->row = c->row;
    cluster->unit = unit_of(c);
    cluster->array = c->sink_count ? c->columns.length * c->columns.count : c->elements;
    cluster->step_count = c->step_count;
    cluster->register_count = c->register_count;
    cluster->registers = HLO_NEW_ARRAY(p->arena, hlo_cluster_register, 2 * c->register_count + 1);
    memcpy(cluster->registers, c->registers, c->register_count * sizeof *c->registers);
    cluster->steps = HLO_NEW_ARRAY(p->arena, hlo_cluster_step, 2 * c->step_count + 1);
    memcpy(cluster->steps, c->steps, c->step_count * sizeof *c->steps);
    cluster->results = c->results;
    cluster->result_count = c->result_count;
    cluster->sinks = c->sinks;
    cluster->extremes = c->extremes;
    cluster->is_tuple = hlo_called(p->instr, 0)->root->opcode == HLO_OP_TUPLE;
    cluster->sink_count = c->sink_count;
    cluster->moves = hlo_move_chosen();
    for (uint32_t i = 0; i < c->sink_count; i++) {
        hlo_cluster_sink *sink = &c->sinks[i];
        int64_t sums = sink->arrays * sink->shape.parts * hlo_fold_width(&sink->shape);
        sink->at = hlo_prepare_scratch(p, (size_t)sums * hlo_fold_bytes(sink->fold));
    }
    hlo_place_cluster(p, cluster);
    return cluster;
}

/* A tuple's leaves are written while operands are still read, and rows while others are. */
static void set_result(hlo_preparation *p, const compiler *c, const hlo_cluster *cluster) {
    const hlo_shape *shape = p->instr->shape;
    bool is_whole = !hlo_shape_is_tuple(shape) && hlo_shape_elements(shape) == cluster->elements;
    bool may_overwrite = is_whole && !cluster->product; /* whose operands are read to the end */
    p->result = may_overwrite ? HLO_RESULT_OVERWRITE : HLO_RESULT_FRESH;
    p->overwrites &= ~c->scattered;
}

const hlo_cluster *hlo_prepare_cluster(hlo_preparation *p) {
    const hlo_instr *root = hlo_called(p->instr, 0)->root;
    uint32_t count = root->opcode == HLO_OP_TUPLE ? root->operand_count : 1;
    if (!count) return NULL;
    compiler *c = hlo_calloc(1, sizeof *c);
    c->arena = p->arena;
    c->plain = hlo_prepare_plain(p);
    c->results = HLO_NEW_ARRAY(p->arena, hlo_cluster_result, count);
    c->sinks = HLO_NEW_ARRAY(p->arena, hlo_cluster_sink, count);
    c->extremes = HLO_NEW_ARRAY(p->arena, hlo_cluster_extremes, count);
    bool ok = hlo_prepare_cluster_product(p, &c->product) && find_elements(c, root, count) &&
              compile_results(c, root, count);
    hlo_cluster *cluster = ok ? finish_cluster(p, c) : NULL;
    if (!ok) p->scratch_bytes = p->piece_bytes = 0; /* what a product took */
    if (cluster) set_result(p, c, cluster);
    hlo_free(c);
    return cluster;
}
