/* dynamic_padder: arrays whose sizes are known at run time become arrays of their bounds, and their
 * sizes scalars that are computed in parallel. The program keeps its signature: sizes are taken
 * from its parameters, and given to its results. */
#include "analysis/call_graph.h"
#include "passes/expand/dynamic_padder/padded.h"

/* A copy of a computation whose parameters and root are packed where these shapes are dynamic: of
 * loops, conditionals, calls and fusions that hand such arrays on. It takes and gives (array,
 * size...) instead. */
struct hlo_padding_job {
    hlo_padding_job *next;
    const hlo_computation *original;
    hlo_computation *copy;
    const hlo_shape *root;
    const hlo_shape *parameters[];
};

/* ---- packed values: (array, size of each dynamic dimension) for arrays with dynamic dimensions
 * ---- */

static uint32_t dynamic_count(const hlo_shape *array) {
    uint32_t n = 0;
    for (uint32_t d = 0; array->is_dynamic && d < array->rank; d++) n += array->is_dynamic[d] != 0;
    return n;
}

static const hlo_shape *packed_shape(hlo_padder *p, const hlo_shape *shape) {
    hlo_shapes_table *table = &p->r->module->shapes;
    if (!shape->dynamic) return shape;
    bool is_array = hlo_shape_is_array(shape);
    uint32_t n = is_array ? 1 + dynamic_count(shape) : shape->rank;
    const hlo_shape **elements = HLO_NEW_ARRAY(&p->arena, const hlo_shape *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        elements[i] = !is_array ? packed_shape(p, shape->elements[i])
                      : i == 0  ? hlo_padded_shape(p, shape)
                                : hlo_shape_scalar(table, HLO_S32);
    return hlo_shape_tuple(table, elements, n);
}

static hlo_instr *pack(hlo_padder *p, const hlo_instr *instr, const hlo_padded *x,
                       const hlo_shape *shape);

static hlo_instr *refuse(hlo_padder *p, const hlo_instr *instr, const char *why) {
    hlo_padding_refuse(p, instr, why);
    return NULL;
}

static hlo_instr *pack_array(hlo_padder *p, const hlo_instr *instr, const hlo_padded *x,
                             const hlo_shape *shape) {
    uint32_t n = 0;
    hlo_instr **parts = HLO_NEW_ARRAY(&p->arena, hlo_instr *, shape->rank + 1u);
    parts[n++] = x->data;
    for (uint32_t d = 0; d < shape->rank; d++) {
        bool is_dynamic = shape->is_dynamic && shape->is_dynamic[d];
        if (is_dynamic) parts[n++] = hlo_padded_size(p, x, d);
        else if (hlo_has_size(x, d))
            return refuse(p, instr, "forwards a dynamic size that is not in its shape");
    }
    return n == 1 ? x->data : hlo_emit_tuple(p->r, parts, n);
}

/* The value in the shape of packed_shape, for `instr`; NULL after an error. */
static hlo_instr *pack(hlo_padder *p, const hlo_instr *instr, const hlo_padded *x,
                       const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return pack_array(p, instr, x, shape);
    if (x->data && !shape->dynamic) return x->data;
    hlo_instr **parts = HLO_NEW_ARRAY(&p->arena, hlo_instr *, shape->rank + 1u);
    for (uint32_t i = 0; i < shape->rank; i++) {
        parts[i] = pack(p, instr, hlo_padded_element(p, x, i), shape->elements[i]);
        if (!parts[i]) return NULL;
    }
    return hlo_emit_tuple(p->r, parts, shape->rank);
}

static hlo_padded *unpack(hlo_padder *p, hlo_instr *packed, const hlo_shape *shape) {
    if (!shape->dynamic) return hlo_padded_new(p, packed, NULL);
    if (hlo_shape_is_tuple(shape)) {
        hlo_padded **elements = HLO_NEW_ARRAY(&p->arena, hlo_padded *, shape->rank + 1u);
        for (uint32_t i = 0; i < shape->rank; i++)
            elements[i] = unpack(p, hlo_emit_element(p->r, packed, i), shape->elements[i]);
        return hlo_padded_tuple(p, elements, shape->rank);
    }
    hlo_instr **sizes = hlo_padded_sizes(p, shape->rank), *data = hlo_emit_element(p->r, packed, 0);
    uint32_t n = 1;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (shape->is_dynamic[d]) sizes[d] = hlo_emit_element(p->r, packed, n++);
    return hlo_padded_new(p, data, sizes);
}

/* The shape with the dynamic dimensions of both. */
static const hlo_shape *united(hlo_padder *p, const hlo_shape *a, const hlo_shape *b) {
    if (a == b || !b->dynamic || !hlo_shape_compatible(a, b)) return a;
    if (!a->dynamic) return b;
    hlo_shapes_table *table = &p->r->module->shapes;
    if (hlo_shape_is_tuple(a)) {
        const hlo_shape **elements = HLO_NEW_ARRAY(&p->arena, const hlo_shape *, a->rank + 1u);
        for (uint32_t i = 0; i < a->rank; i++)
            elements[i] = united(p, a->elements[i], b->elements[i]);
        return hlo_shape_tuple(table, elements, a->rank);
    }
    uint8_t *marks = HLO_NEW_ARRAY(&p->arena, uint8_t, a->rank + 1u);
    for (uint32_t d = 0; d < a->rank; d++) marks[d] = a->is_dynamic[d] || b->is_dynamic[d];
    return hlo_shape_array(table, (hlo_type)a->type, a->dims, a->rank, marks,
                           a->layout->minor_to_major, a->layout->parts);
}

/* ---- control flow ---- */

static bool is_job(const hlo_padding_job *job, const hlo_computation *original,
                   const hlo_shape *const *parameters, const hlo_shape *root) {
    bool same = job->original == original && job->root == root;
    for (uint32_t i = 0; same && i < original->parameter_count; i++)
        same = job->parameters[i] == parameters[i];
    return same;
}

/* The copy that will be made of the computation for these shapes. */
static hlo_computation *packed_copy(hlo_padder *p, hlo_computation *original,
                                    const hlo_shape *const *parameters, const hlo_shape *root) {
    uint32_t n = original->parameter_count;
    bool is_static = !root->dynamic;
    for (uint32_t i = 0; i < n; i++) is_static &= !parameters[i]->dynamic;
    if (is_static) return original;
    for (hlo_padding_job *job = p->jobs; job; job = job->next)
        if (is_job(job, original, parameters, root)) return job->copy;
    hlo_padding_job *job = hlo_arena_zero(&p->arena, sizeof *job + n * sizeof job->parameters[0]);
    job->original = original;
    job->root = root;
    job->copy = hlo_computation_clone(original, "padded");
    memcpy(job->parameters, parameters, n * sizeof *parameters);
    if (p->last_job) p->last_job->next = job;
    else p->jobs = job;
    if (!p->unfinished) p->unfinished = job;
    p->last_job = job;
    return job->copy;
}

/* A loop's state has one shape, a call's and a conditional's results too: the union of the dynamic
 * dimensions of all values passed there. */
static const hlo_shape *result_shape(hlo_padder *p, const hlo_instr *instr) {
    const hlo_shape *shape = instr->shape;
    const hlo_computation *called;
    bool is_loop = instr->opcode == HLO_OP_WHILE;
    for (uint32_t k = 0; (called = hlo_called(instr, k)); k++) {
        if (!is_loop || k == 0) shape = united(p, shape, called->root->shape);
        if (is_loop) shape = united(p, shape, called->parameters[0]->shape);
    }
    bool keeps = is_loop || instr->opcode == HLO_OP_OPT_BARRIER;
    return keeps ? united(p, shape, hlo_operand(instr, 0)->shape) : shape;
}

/* The operand that becomes parameter i of the k-th called computation. */
static uint32_t operand_for(const hlo_instr *instr, uint32_t k, uint32_t i) {
    HLO_ASSERT(i < instr->operand_count || k > 0);
    return instr->opcode == HLO_OP_CONDITIONAL ? k + 1 : i;
}

static hlo_computation *packed_callee(hlo_padder *p, hlo_instr *instr, uint32_t k,
                                      const hlo_shape *result) {
    hlo_computation *called = hlo_called(instr, k);
    bool is_loop = instr->opcode == HLO_OP_WHILE;
    const hlo_shape **shapes =
        HLO_NEW_ARRAY(&p->arena, const hlo_shape *, called->parameter_count + 1u);
    for (uint32_t i = 0; i < called->parameter_count; i++) {
        const hlo_shape *given = hlo_operand(instr, operand_for(instr, k, i))->shape;
        shapes[i] = is_loop ? result : united(p, called->parameters[i]->shape, given);
    }
    const hlo_shape *root = is_loop && k == 1 ? called->root->shape : result;
    return packed_copy(p, called, shapes, root);
}

/* The shape in which operand i is passed. */
static const hlo_shape *operand_shape(hlo_padder *p, const hlo_instr *instr, uint32_t i,
                                      const hlo_shape *result) {
    const hlo_shape *own = hlo_operand(instr, i)->shape;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_OPT_BARRIER:
    case HLO_OP_WHILE: return result;
    case HLO_OP_CALL:
    case HLO_OP_FUSION: /* which may have operands that no parameter is for */
        if (i >= hlo_called(instr, 0)->parameter_count) return own;
        return united(p, hlo_called(instr, 0)->parameters[i]->shape, own);
    case HLO_OP_CONDITIONAL:
        return i ? united(p, hlo_called(instr, i - 1)->parameters[0]->shape, own) : own;
    default: return own;
    }
}

/* call, fusion, while, conditional, opt-barrier: operands and results are packed. */
static hlo_padded *pad_packed(hlo_padder *p, hlo_instr *instr) {
    uint32_t n = instr->operand_count, callees = hlo_called_count(instr);
    const hlo_shape *result = result_shape(p, instr);
    hlo_instr **operands = HLO_NEW_ARRAY(&p->arena, hlo_instr *, n + 1);
    hlo_computation **copies = HLO_NEW_ARRAY(&p->arena, hlo_computation *, callees + 1);
    for (uint32_t k = 0; k < callees; k++) copies[k] = packed_callee(p, instr, k, result);
    for (uint32_t i = 0; i < n; i++) {
        operands[i] =
            pack(p, instr, hlo_padded_operand(p, instr, i), operand_shape(p, instr, i, result));
        if (!operands[i]) return NULL;
    }
    hlo_instr *made = hlo_emit_like(p->r, instr, packed_shape(p, result), operands, n);
    hlo_set_called(p->r, made, copies);
    return unpack(p, made, result);
}

/* ---- one instruction ---- */

static hlo_padding_rule *const rules[HLO_OP_COUNT] = {
    [HLO_OP_ADD_DEPENDENCY] = hlo_pad_same,
    [HLO_OP_ALL_REDUCE] = hlo_pad_same,
    [HLO_OP_BITCAST] = hlo_pad_same,
    [HLO_OP_BITCAST_CONVERT] = hlo_pad_bitcast_convert,
    [HLO_OP_BROADCAST] = hlo_pad_broadcast,
    [HLO_OP_CALL] = pad_packed,
    [HLO_OP_CONCATENATE] = hlo_pad_concatenate,
    [HLO_OP_CONDITIONAL] = pad_packed,
    [HLO_OP_CONVOLUTION] = hlo_pad_convolution,
    [HLO_OP_COPY] = hlo_pad_same,
    [HLO_OP_DOT] = hlo_pad_dot,
    [HLO_OP_DYNAMIC_RESHAPE] = hlo_pad_dynamic_reshape,
    [HLO_OP_DYNAMIC_SLICE] = hlo_pad_dynamic_slice,
    [HLO_OP_DYNAMIC_UPDATE_SLICE] = hlo_pad_dynamic_update_slice,
    [HLO_OP_FUSION] = pad_packed,
    [HLO_OP_GATHER] = hlo_pad_gather,
    [HLO_OP_GET_DIMENSION_SIZE] = hlo_pad_get_dimension_size,
    [HLO_OP_GET_TUPLE_ELEMENT] = hlo_pad_element,
    [HLO_OP_MAP] = hlo_pad_elementwise,
    [HLO_OP_OPT_BARRIER] = pad_packed,
    [HLO_OP_PAD] = hlo_pad_pad,
    [HLO_OP_REDUCE] = hlo_pad_reduce,
    [HLO_OP_REDUCE_WINDOW] = hlo_pad_reduce_window,
    [HLO_OP_RESHAPE] = hlo_pad_reshape,
    [HLO_OP_REVERSE] = hlo_pad_reverse,
    [HLO_OP_SCATTER] = hlo_pad_scatter,
    [HLO_OP_SELECT_AND_SCATTER] = hlo_pad_select_and_scatter,
    [HLO_OP_SET_DIMENSION_SIZE] = hlo_pad_set_dimension_size,
    [HLO_OP_SLICE] = hlo_pad_slice,
    [HLO_OP_SORT] = hlo_pad_sort,
    [HLO_OP_TOPK] = hlo_pad_topk,
    [HLO_OP_TRANSPOSE] = hlo_pad_transpose,
    [HLO_OP_TUPLE] = hlo_pad_tuple,
    [HLO_OP_WHILE] = pad_packed,
};

static bool is_unbounded(const hlo_shape *shape) {
    bool unbounded = false;
    if (hlo_shape_is_array(shape))
        for (uint32_t d = 0; d < shape->rank; d++) unbounded |= shape->dims[d] == HLO_UNBOUNDED;
    else if (hlo_shape_is_tuple(shape))
        for (uint32_t i = 0; i < shape->rank; i++) unbounded |= is_unbounded(shape->elements[i]);
    return unbounded;
}

/* A buffer has the memory of its bound: data of fewer elements has no place in it. */
static bool has_buffer(const hlo_instr *instr) {
    bool has = instr->shape->type == HLO_BUFFER;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        has |= hlo_operand(instr, i)->shape->type == HLO_BUFFER;
    return has;
}

static hlo_padded *convert(hlo_padder *p, hlo_instr *instr) {
    hlo_padding_rule *rule = rules[instr->opcode];
    if (!rule && (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE)) rule = hlo_pad_elementwise;
    if (is_unbounded(instr->shape))
        return hlo_padding_refuse(p, instr, "has an unbounded dimension");
    if (instr->shape->type == HLO_BUFFER) rule = NULL; /* whose array is another's */
    if (!rule) return hlo_padding_refuse(p, instr, "is not supported with dynamic dimensions");
    if (has_buffer(instr))
        return hlo_padding_refuse(p, instr, "has a buffer and dynamic dimensions");
    if (hlo_is_tied(p->r, instr))
        return hlo_padding_refuse(p, instr, "has dynamic dimensions and control dependencies");
    return rule(p, instr);
}

/* ---- the edges of the program ---- */

/* The whole of an array that comes from outside: its sizes, and all of its bound. */
static hlo_padded *opened(hlo_padder *p, hlo_instr *given) {
    hlo_rewriter *r = p->r;
    const hlo_shape *shape = given->shape;
    if (!shape->dynamic) return hlo_padded_new(p, given, NULL);
    if (hlo_shape_is_tuple(shape)) {
        hlo_padded **elements = HLO_NEW_ARRAY(&p->arena, hlo_padded *, shape->rank + 1u);
        for (uint32_t i = 0; i < shape->rank; i++)
            elements[i] = opened(p, hlo_emit_element(r, given, i));
        return hlo_padded_tuple(p, elements, shape->rank);
    }
    hlo_instr **sizes = hlo_padded_sizes(p, shape->rank), *data = given;
    uint8_t *marks = HLO_NEW_ARRAY(&p->arena, uint8_t, shape->rank + 1u);
    memcpy(marks, shape->is_dynamic, shape->rank);
    const hlo_shape *s32 = hlo_shape_scalar(&r->module->shapes, HLO_S32);
    for (int64_t d = 0; d < shape->rank; d++) {
        if (!shape->is_dynamic[d]) continue;
        hlo_attr dimension = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &d, 1);
        sizes[d] = hlo_emit(r, HLO_OP_GET_DIMENSION_SIZE, s32, &given, 1, &dimension, 1);
        marks[d] = 0;
        const hlo_shape *fewer =
            hlo_shape_array(&r->module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                            marks, shape->layout->minor_to_major, shape->layout->parts);
        hlo_instr *bound = hlo_padded_number(p, shape->dims[d]);
        data = hlo_emit(r, HLO_OP_SET_DIMENSION_SIZE, fewer, (hlo_instr *[]){data, bound}, 2,
                        &dimension, 1);
    }
    return hlo_padded_new(p, data, sizes);
}

/* The value as an instruction of `shape`, which has run-time sizes, for the program's result. */
static hlo_instr *closed(hlo_padder *p, const hlo_instr *root, const hlo_padded *x,
                         const hlo_shape *shape) {
    hlo_rewriter *r = p->r;
    if (hlo_shape_is_tuple(shape)) {
        if (x->data && !shape->dynamic) return x->data;
        hlo_instr **parts = HLO_NEW_ARRAY(&p->arena, hlo_instr *, shape->rank + 1u);
        for (uint32_t i = 0; i < shape->rank; i++) {
            parts[i] = closed(p, root, hlo_padded_element(p, x, i), shape->elements[i]);
            if (!parts[i]) return NULL;
        }
        return hlo_build_as(hlo_emit_tuple(r, parts, shape->rank), shape);
    }
    hlo_instr *data = x->data;
    uint8_t *marks = HLO_NEW_ARRAY(&p->arena, uint8_t, shape->rank + 1u);
    for (int64_t d = 0; d < shape->rank; d++) {
        bool is_dynamic = shape->is_dynamic && shape->is_dynamic[d];
        if (!is_dynamic && hlo_has_size(x, d))
            return refuse(p, root, "has a dynamic size that is not in the shape of the result");
        if (!is_dynamic) continue;
        marks[d] = 1;
        hlo_attr dimension = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, &d, 1);
        const hlo_shape *more =
            hlo_shape_array(&r->module->shapes, (hlo_type)shape->type, shape->dims, shape->rank,
                            marks, shape->layout->minor_to_major, shape->layout->parts);
        hlo_instr *size = hlo_padded_size(p, x, d);
        data = hlo_emit(r, HLO_OP_SET_DIMENSION_SIZE, more, (hlo_instr *[]){data, size}, 2,
                        &dimension, 1);
    }
    return data;
}

/* ---- computations ---- */

static bool has_dynamic_edge(const hlo_computation *c) {
    bool dynamic = c->root->shape->dynamic;
    for (uint32_t i = 0; i < c->parameter_count; i++) dynamic |= c->parameters[i]->shape->dynamic;
    return dynamic;
}

/* Run-time sizes come or go in the instruction itself. */
static bool mentions_sizes(const hlo_instr *instr) {
    bool dynamic = instr->shape->dynamic;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        dynamic |= hlo_operand(instr, i)->shape->dynamic;
    const hlo_computation *called;
    for (uint32_t k = 0; rules[instr->opcode] == pad_packed && (called = hlo_called(instr, k)); k++)
        dynamic |= has_dynamic_edge(called);
    return dynamic || instr->opcode == HLO_OP_SET_DIMENSION_SIZE;
}

static bool is_known(const hlo_padder *p, const hlo_instr *instr) {
    bool known = false;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_instr *operand = hlo_operand(instr, i);
        known |= operand->index && p->known[operand->index];
    }
    return known;
}

/* What opened and closed leave at the edges of the program. What comes from a parameter by edges
 * alone has the mark. */
static bool is_edge(const hlo_instr *instr, uint32_t mark) {
    const hlo_instr *from = instr->operand_count ? hlo_operand(instr, 0) : NULL;
    bool goes_out = instr->parent->root == instr;
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_PARAMETER: return true;
    case HLO_OP_GET_TUPLE_ELEMENT:
    case HLO_OP_GET_DIMENSION_SIZE: return from->mark == mark;
    case HLO_OP_SET_DIMENSION_SIZE:
        if (from->mark == mark) return true;
        for (const hlo_use *use = instr->first_use; use; use = use->next)
            goes_out |=
                use->user->opcode == HLO_OP_TUPLE || use->user->opcode == HLO_OP_SET_DIMENSION_SIZE;
        return goes_out;
    case HLO_OP_TUPLE:
        for (const hlo_use *use = instr->first_use; use; use = use->next)
            goes_out |= use->user->opcode == HLO_OP_TUPLE;
        return goes_out;
    default: return false;
    }
}

/* Whether there is anything but edges. */
static bool has_work(const hlo_computation *c) {
    bool is_entry = c == c->module->entry;
    uint32_t mark = hlo_module_new_mark(c->module);
    for (hlo_instr *i = c->first; i; i = i->next) {
        if (mentions_sizes(i) && !(is_entry && is_edge(i, mark))) return true;
        const hlo_instr *from = i->operand_count ? hlo_operand(i, 0) : NULL;
        bool hands_on =
            (i->opcode == HLO_OP_GET_TUPLE_ELEMENT || i->opcode == HLO_OP_SET_DIMENSION_SIZE) &&
            from->mark == mark;
        if (i->opcode == HLO_OP_PARAMETER || hands_on) i->mark = mark;
    }
    return false;
}

static void hand_on(hlo_padder *p, hlo_instr *instr) {
    const hlo_attr *metadata = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    for (size_t i = 0; metadata && i < p->r->fresh.n; i++)
        if (!hlo_instr_attr(p->r->fresh.v[i], HLO_ATTR_METADATA))
            hlo_instr_set_attr(p->r->fresh.v[i], *metadata);
}

/* The replacement of a parameter; the target is the instruction after it. */
static hlo_padded *edge(hlo_padder *p, hlo_instr *parameter, const hlo_padding_job *job) {
    hlo_rewriter *r = p->r;
    if (!job) return opened(p, parameter);
    int64_t number = hlo_attr_int(parameter, HLO_ATTR_PARAMETER_NUMBER);
    const hlo_shape *shape = job->parameters[number];
    hlo_attr attr = hlo_attr_of_int(HLO_ATTR_PARAMETER_NUMBER, number);
    hlo_instr *packed = hlo_emit(r, HLO_OP_PARAMETER, packed_shape(p, shape), NULL, 0, &attr, 1);
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    return unpack(p, packed, shape);
}

/* Whether sizes are of dimensions that s32 can count. */
static bool has_small_sizes(const hlo_padded *x) {
    bool small = true;
    for (uint32_t i = 0; !x->data && i < x->n; i++) small &= has_small_sizes(x->elements[i]);
    for (uint32_t d = 0; x->sizes && d < x->data->shape->rank; d++)
        small &= !x->sizes[d] || x->data->shape->dims[d] <= INT32_MAX;
    return small;
}

/* Makes the padded value of an instruction that needs one; false after an error. */
static bool visit(hlo_padder *p, hlo_instr *instr, const hlo_padding_job *job) {
    bool is_parameter = instr->opcode == HLO_OP_PARAMETER;
    if (is_parameter) {
        int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
        if (!(job ? job->parameters[number] : instr->shape)->dynamic) return true;
        if (!job && !instr->first_use) return true; /* perhaps the result: it stays what it is */
    } else if (!mentions_sizes(instr) && !is_known(p, instr)) {
        return true;
    }
    hlo_rewriter_aim(p->r, is_parameter && instr->next ? instr->next : instr);
    hlo_padded *x = is_parameter ? edge(p, instr, job) : convert(p, instr);
    if (!x) return false;
    if (!has_small_sizes(x)) return refuse(p, instr, "has a dynamic dimension beyond s32");
    hand_on(p, instr);
    p->known[instr->index] = x;
    return true;
}

/* New instructions without users, and old ones that were replaced by a padded value. */
static void sweep(hlo_padder *p, hlo_computation *c, bool keeps_parameters) {
    for (hlo_instr *i = c->last, *before; i; i = before) {
        before = i->prev;
        bool is_old = i->index && p->known[i->index];
        bool may_go = i->opcode != HLO_OP_PARAMETER || (is_old && !keeps_parameters);
        if ((i->index && !is_old) || i->first_use || i == c->root || !may_go) continue;
        hlo_instr_remove(i);
        i->parent = NULL;
    }
    if (!keeps_parameters) hlo_computation_index_parameters(c);
}

static bool has_sizes(const hlo_padded *x) {
    bool sized = x->sizes != NULL;
    for (uint32_t i = 0; !x->data && i < x->n; i++) sized |= has_sizes(x->elements[i]);
    return sized;
}

/* Users of a value without run-time sizes read what was made in its place. */
static void replace_static(hlo_padder *p, hlo_instr *instr) {
    const hlo_padded *x = p->known[instr->index];
    if (instr->opcode == HLO_OP_PARAMETER || instr->shape->dynamic || has_sizes(x)) return;
    hlo_instr *made = pack(p, instr, x, instr->shape);
    if (!made->index && made->opcode != HLO_OP_PARAMETER) hlo_build_as(made, instr->shape);
    if (made->shape == instr->shape) hlo_instr_replace_all_uses(instr, made);
}

static bool finish_root(hlo_padder *p, hlo_computation *c, const hlo_padding_job *job) {
    hlo_instr *root = c->root;
    hlo_padded *x = root->index ? p->known[root->index] : NULL;
    hlo_rewriter_aim(p->r, c->last);
    if (!x && job && job->root->dynamic) x = hlo_padded_new(p, root, NULL);
    if (!x || (!job && root->opcode == HLO_OP_PARAMETER)) return true;
    hlo_instr *made = job ? pack(p, root, x, job->root) : closed(p, root, x, root->shape);
    if (!made) return false;
    hand_on(p, root);
    c->root = job ? made : hlo_build_as(made, root->shape);
    return true;
}

static bool pad_computation(hlo_padder *p, hlo_computation *c, const hlo_padding_job *job) {
    uint32_t n = 0;
    for (hlo_instr *i = c->first; i; i = i->next) i->index = ++n;
    hlo_instr **old = hlo_malloc((n + 1u) * sizeof *old);
    p->known = hlo_calloc(n + 1u, sizeof *p->known);
    for (hlo_instr *i = c->first; i; i = i->next) old[i->index] = i;
    bool good = true;
    for (uint32_t k = 1; good && k <= n; k++) {
        good = visit(p, old[k], job);
        if (good && p->known[k]) replace_static(p, old[k]);
    }
    good = good && finish_root(p, c, job);
    if (good) sweep(p, c, !job);
    hlo_free(p->known);
    hlo_free(old);
    return good;
}

/* The computation, and the copies that it asks for. */
static bool pad_with_copies(hlo_padder *p, hlo_computation *c) {
    if (!pad_computation(p, c, NULL)) return false;
    bool good = true;
    for (hlo_padding_job *job = p->unfinished; good && job; job = p->unfinished = job->next)
        good = pad_computation(p, job->copy, job);
    return good;
}

/* A refused module stays as it was: copies of computations may be half done by then. */
static hlo_pass_result pad_module(hlo_padder *p, const hlo_pass_call *call,
                                  const hlo_call_graph *graph) {
    hlo_module *backup = NULL;
    hlo_pass_result result = HLO_UNCHANGED;
    for (uint32_t n = 0; n < graph->count && result != HLO_PASS_FAILED; n++) {
        hlo_computation *c = graph->order[n];
        bool is_own = c == call->module->entry || !has_dynamic_edge(c);
        if (!is_own || c->is_async_body || !has_work(c)) continue;
        if (!hlo_rewrite_allowed(p->r, HLO_REWRITE_static_sizes)) break;
        if (!backup) backup = hlo_module_clone(call->module);
        hlo_rewrite_count(p->r, HLO_REWRITE_static_sizes, c->name);
        result = pad_with_copies(p, c) ? HLO_CHANGED : HLO_PASS_FAILED;
    }
    if (result == HLO_PASS_FAILED) hlo_module_restore(call->module, backup);
    hlo_module_free(backup);
    return result;
}

hlo_pass_result hlo_pass_dynamic_padder(const hlo_pass_call *call) {
    hlo_padder p = {.r = call->rewriter, .diags = call->diags};
    hlo_call_graph graph;
    hlo_arena_init(&p.arena);
    hlo_call_graph_init(&graph, call->module);
    hlo_pass_result result = pad_module(&p, call, &graph);
    hlo_call_graph_free(&graph);
    hlo_arena_free(&p.arena);
    if (result == HLO_CHANGED) hlo_remove_unreachable(call->module);
    return result;
}
