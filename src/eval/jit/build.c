/* Putting a loop together: computations are gone through in the order of their plans, calls and
 * fusions inlined, tuples become lists of leaves; whiles and conditionals inside become jumps. A
 * leaf is a word or an array (build_arrays.c). Called by the kernel of while through loop.h. */
#include "eval/jit/build.h"

#include <stdio.h>
#include <string.h>

#include "ir/literal.h"

/* ---- words and operations ---- */

static uint32_t new_word(hlo_jit_builder *b, bool is_vector, bool is_address) {
    hlo_list_push(&b->code.words, (hlo_jit_word){.is_vector = is_vector, .is_address = is_address});
    return b->code.words.n - 1;
}

uint32_t hlo_jit_word_of(hlo_jit_builder *b, hlo_type type) {
    return new_word(b, type == HLO_F32 || type == HLO_F64, false);
}

uint32_t hlo_jit_address_word(hlo_jit_builder *b) {
    return new_word(b, false, true);
}

uint32_t hlo_jit_number(hlo_jit_builder *b, uint64_t bits, bool is_vector) {
    for (uint32_t i = 0; i < b->constants.n; i++) {
        const hlo_jit_constant *it = &b->constants.v[i];
        const hlo_jit_word *word = &b->code.words.v[it->word];
        if (it->bits == bits && word->is_vector == is_vector && !word->is_address) return it->word;
    }
    uint32_t w = new_word(b, is_vector, false);
    b->code.words.v[w].is_set = true;
    hlo_list_push(&b->constants, (hlo_jit_constant){w, bits});
    return w;
}

void hlo_jit_add(hlo_jit_builder *b, hlo_jit_op op) {
    hlo_list_push(&b->code.ops, op);
}

void hlo_jit_move(hlo_jit_builder *b, uint32_t to, uint32_t from) {
    if (to == from) return;
    hlo_jit_add(b, (hlo_jit_op){.kind = HLO_JIT_MOVE, .in = {from}, .in_count = 1, .out = to});
}

uint32_t hlo_jit_stencil(hlo_jit_builder *b, const char *name, hlo_type type, const uint32_t *in,
                         uint32_t count) {
    hlo_jit_op op = {.kind = HLO_JIT_STENCIL, .stencil = hlo_find_stencil(name), .in_count = count};
    if (!op.stencil) return HLO_NO_WORD;
    memcpy(op.in, in, count * sizeof *in);
    op.out = hlo_jit_word_of(b, type);
    hlo_jit_add(b, op);
    return op.out;
}

static uint32_t new_label(hlo_jit_builder *b) {
    return b->code.labels++;
}

static void add_jump(hlo_jit_builder *b, hlo_jit_kind kind, uint32_t label) {
    hlo_jit_add(b, (hlo_jit_op){.kind = kind, .label = label, .out = HLO_NO_WORD});
}

static void add_jump_on(hlo_jit_builder *b, hlo_jit_kind kind, uint32_t word, int32_t number,
                        uint32_t label) {
    hlo_jit_add(b, (hlo_jit_op){.kind = kind,
                                .in = {word},
                                .in_count = 1,
                                .number = number,
                                .label = label,
                                .out = HLO_NO_WORD});
}

const char *hlo_jit_stored(hlo_type type, char *to, size_t capacity) {
    const hlo_type_info *info = &hlo_types[type];
    if (type == HLO_F32 || type == HLO_F64)
        snprintf(to, capacity, type == HLO_F32 ? "float" : "double");
    else
        snprintf(to, capacity, "%sint%u_t", info->class == HLO_CLASS_SIGNED ? "" : "u",
                 8u * info->bytes);
    return to;
}

bool hlo_jit_is_scalar(const hlo_shape *shape) {
    return hlo_shape_elements(shape) == 1 && hlo_types[shape->type].bytes <= 8;
}

bool hlo_jit_can_hold(const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape))
        return hlo_shape_is_array(shape) && !shape->dynamic && hlo_shape_elements(shape) > 0 &&
               hlo_shape_bytes(shape) > 0;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!hlo_jit_can_hold(shape->elements[i])) return false;
    return true;
}

/* ---- leaves ---- */

static hlo_jit_leaves new_leaves(hlo_jit_builder *b, uint32_t count) {
    return (hlo_jit_leaves){count, HLO_NEW_ARRAY(&b->scratch, hlo_jit_leaf, count)};
}

static hlo_jit_leaves copy_leaves(hlo_jit_builder *b, const hlo_jit_leaves *from) {
    hlo_jit_leaves to = new_leaves(b, from->count);
    if (from->count) memcpy(to.v, from->v, from->count * sizeof *to.v);
    return to;
}

/* Shapes of the leaves, in order. */
static const hlo_shape **list_shapes(const hlo_shape *shape, const hlo_shape **to) {
    if (!hlo_shape_is_tuple(shape)) {
        *to = shape;
        return to + 1;
    }
    for (uint32_t i = 0; i < shape->rank; i++) to = list_shapes(shape->elements[i], to);
    return to;
}

static const hlo_shape **leaf_shapes(hlo_jit_builder *b, const hlo_shape *shape) {
    const hlo_shape **shapes =
        HLO_NEW_ARRAY(&b->scratch, const hlo_shape *, hlo_shape_leaf_count(shape));
    list_shapes(shape, shapes);
    return shapes;
}

/* ---- a computation ---- */

static bool build_computation(hlo_jit_builder *b, hlo_computation *computation,
                              const hlo_jit_leaves *arguments, uint32_t count, uint32_t depth,
                              hlo_jit_leaves *result);

static bool build_constant(hlo_jit_builder *b, const hlo_instr *instr, hlo_jit_leaves *result) {
    const hlo_attr *value = hlo_instr_attr(instr, HLO_ATTR_VALUE);
    const hlo_shape *shape = instr->shape;
    if (!value || !hlo_shape_is_array(shape) || hlo_shape_bytes(shape) > HLO_MOST_JIT_COPIED_BYTES)
        return false;
    const void *data = hlo_literal_data(value->u.literal);
    *result = new_leaves(b, 1);
    if (!hlo_jit_is_scalar(shape)) {
        result->v[0] = hlo_jit_fixed_array(b, data, (uint64_t)hlo_shape_bytes(shape));
        return true;
    }
    int64_t bits = 0;
    unsigned unused = 64 - 8u * hlo_types[shape->type].bytes;
    memcpy(&bits, data, hlo_types[shape->type].bytes);
    if (hlo_types[shape->type].class == HLO_CLASS_SIGNED)
        bits = (int64_t)((uint64_t)bits << unused) >> unused;
    bool is_vector = shape->type == HLO_F32 || shape->type == HLO_F64;
    result->v[0] = (hlo_jit_leaf){HLO_NO_STORAGE, hlo_jit_number(b, (uint64_t)bits, is_vector)};
    return true;
}

static void build_tuple(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < step->instr->operand_count; i++) total += step->operands[i].count;
    *result = new_leaves(b, total);
    for (uint32_t i = 0; i < step->instr->operand_count; at += step->operands[i++].count)
        if (step->operands[i].count)
            memcpy(result->v + at, step->operands[i].v,
                   step->operands[i].count * sizeof *result->v);
}

static bool build_element(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    const hlo_shape *tuple = hlo_operand(step->instr, 0)->shape;
    int64_t index = hlo_attr_int(step->instr, HLO_ATTR_INDEX);
    uint32_t first = 0;
    if (!hlo_shape_is_tuple(tuple) || index < 0 || index >= tuple->rank) return false;
    for (int64_t e = 0; e < index; e++) first += hlo_shape_leaf_count(tuple->elements[e]);
    hlo_jit_leaves part = {hlo_shape_leaf_count(tuple->elements[index]),
                           step->operands[0].v + first};
    *result = copy_leaves(b, &part);
    return true;
}

/* One element for all: a leaf that has no memory as long as nobody wants it there. */
static bool build_broadcast(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    const hlo_shape *from = hlo_operand(step->instr, 0)->shape;
    bool is_view = hlo_shape_elements(from) == hlo_shape_elements(step->instr->shape);
    *result = copy_leaves(b, &step->operands[0]);
    return result->v[0].storage == HLO_NO_STORAGE || (is_view && from->rank <= 1);
}

/* Elements in the same order under another shape. */
static bool build_view(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    const hlo_shape *from = hlo_operand(step->instr, 0)->shape, *to = step->instr->shape;
    bool is_array = hlo_shape_is_array(from) && hlo_shape_is_array(to);
    if (step->instr->opcode == HLO_OP_BITCAST &&
        !(is_array && from->plain_layout && to->plain_layout))
        return false;
    if (is_array && (from->type != to->type || hlo_shape_elements(from) != hlo_shape_elements(to)))
        return false;
    *result = copy_leaves(b, &step->operands[0]);
    return true;
}

static bool build_array_step(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    if (!hlo_shape_is_array(step->instr->shape)) return false;
    for (uint32_t i = 0; i < step->instr->operand_count; i++)
        if (step->operands[i].count != 1) return false;
    *result = new_leaves(b, 1);
    switch (step->instr->opcode) {
    case HLO_OP_SLICE: return hlo_jit_slice(b, step, result->v);
    case HLO_OP_DYNAMIC_SLICE: return hlo_jit_dynamic_slice(b, step, result->v);
    case HLO_OP_DYNAMIC_UPDATE_SLICE: return hlo_jit_update(b, step, result->v);
    default: return hlo_jit_elementwise(b, step, result->v);
    }
}

static bool build_step(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaves *result) {
    switch (step->instr->opcode) {
    case HLO_OP_CONSTANT: return build_constant(b, step->instr, result);
    case HLO_OP_TUPLE: build_tuple(b, step, result); return true;
    case HLO_OP_GET_TUPLE_ELEMENT: return build_element(b, step, result);
    case HLO_OP_BROADCAST: return build_broadcast(b, step, result);
    case HLO_OP_COPY:
    case HLO_OP_RESHAPE:
    case HLO_OP_BITCAST:
    case HLO_OP_OPT_BARRIER: return build_view(b, step, result);
    default: return build_array_step(b, step, result);
    }
}

/* ---- loops inside ---- */

/* A leaf of a loop's state: where it is, and what the body makes of it. */
typedef struct {
    const hlo_shape *shape;
    hlo_jit_leaf place;
    bool is_kept; /* it is the same in all iterations */
} state_leaf;

/* Leaves that the body returns as it got them. */
static void find_kept(const hlo_computation *body, state_leaf *state) {
    const hlo_instr *root = body->root;
    const hlo_shape *shape = root->shape;
    if (root->opcode != HLO_OP_TUPLE || body->parameter_count != 1) return;
    for (uint32_t i = 0, first = 0; i < shape->rank; i++) {
        const hlo_instr *element = hlo_operand(root, i);
        uint32_t n = hlo_shape_leaf_count(shape->elements[i]);
        bool is_kept = element->opcode == HLO_OP_GET_TUPLE_ELEMENT &&
                       hlo_operand(element, 0)->opcode == HLO_OP_PARAMETER &&
                       hlo_attr_int(element, HLO_ATTR_INDEX) == i;
        for (uint32_t l = 0; l < n; l++) state[first + l].is_kept = is_kept;
        first += n;
    }
}

static state_leaf *new_state(hlo_jit_builder *b, const hlo_instr *loop) {
    uint32_t count = hlo_shape_leaf_count(loop->shape);
    state_leaf *state = HLO_NEW_ARRAY(&b->scratch, state_leaf, count);
    const hlo_shape **shapes = leaf_shapes(b, loop->shape);
    for (uint32_t i = 0; i < count; i++) state[i].shape = shapes[i];
    find_kept(hlo_called(loop, 0), state);
    return state;
}

/* Moves that happen at once: a source that is the target of another move is read first. */
static void move_words(hlo_jit_builder *b, const uint32_t *to, uint32_t *from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        bool is_target = false;
        for (uint32_t k = 0; k < count; k++) is_target |= k != i && to[k] == from[i];
        if (!is_target || to[i] == from[i]) continue;
        const hlo_jit_word *word = &b->code.words.v[from[i]];
        uint32_t copy = new_word(b, word->is_vector, word->is_address);
        hlo_jit_move(b, copy, from[i]);
        from[i] = copy;
    }
    for (uint32_t i = 0; i < count; i++) hlo_jit_move(b, to[i], from[i]);
}

static bool is_place(const state_leaf *state, uint32_t count, uint32_t storage) {
    for (uint32_t i = 0; i < count; i++)
        if (state[i].place.storage == storage) return true;
    return false;
}

/* The same of arrays. False where they are too large to be copied. */
static bool copy_arrays(hlo_jit_builder *b, const state_leaf *state, hlo_jit_leaves *from) {
    for (uint32_t i = 0; i < from->count; i++) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, from->v[i]);
        if (!it || state[i].is_kept || from->v[i].storage == state[i].place.storage) continue;
        uint64_t bytes = (uint64_t)hlo_shape_bytes(state[i].shape);
        if (bytes > HLO_MOST_JIT_COPIED_BYTES) return false;
        if (!is_place(state, from->count, from->v[i].storage)) continue;
        hlo_jit_leaf copy = hlo_jit_new_array(b, bytes);
        hlo_jit_retain(b, &(hlo_jit_leaves){1, &copy});
        hlo_jit_copy_array(b, copy, from->v[i], bytes);
        hlo_jit_release(b, &(hlo_jit_leaves){1, &from->v[i]});
        from->v[i] = copy;
    }
    for (uint32_t i = 0; i < from->count; i++)
        if (state[i].place.storage != HLO_NO_STORAGE && !state[i].is_kept &&
            from->v[i].storage != state[i].place.storage)
            hlo_jit_copy_array(b, state[i].place, from->v[i],
                               (uint64_t)hlo_shape_bytes(state[i].shape));
    return true;
}

/* What the body made becomes the state; its references end. */
static bool take_over(hlo_jit_builder *b, state_leaf *state, hlo_jit_leaves *made) {
    uint32_t *to = HLO_NEW_ARRAY(&b->scratch, uint32_t, made->count), n = 0;
    uint32_t *from = HLO_NEW_ARRAY(&b->scratch, uint32_t, made->count);
    for (uint32_t i = 0; i < made->count; i++) {
        if (state[i].is_kept) continue;
        bool is_array = state[i].place.storage != HLO_NO_STORAGE;
        if (is_array && made->v[i].storage == HLO_NO_STORAGE) {
            made->v[i] = hlo_jit_shape_in_memory(b, made->v[i], state[i].shape);
            hlo_jit_retain(b, &(hlo_jit_leaves){1, &made->v[i]});
        }
        if (is_array) continue;
        to[n] = state[i].place.word;
        from[n++] = made->v[i].word;
    }
    bool is_good = copy_arrays(b, state, made);
    move_words(b, to, from, n);
    hlo_jit_release(b, made);
    return is_good;
}

static hlo_jit_leaves places_of(hlo_jit_builder *b, const state_leaf *state, uint32_t count) {
    hlo_jit_leaves leaves = new_leaves(b, count);
    for (uint32_t i = 0; i < count; i++) leaves.v[i] = state[i].place;
    return leaves;
}

/* Nothing else takes the memory of the state while the loop is built. */
static void pin(hlo_jit_builder *b, const hlo_jit_leaves *places) {
    for (uint32_t i = 0; i < places->count; i++) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, places->v[i]);
        if (it) it->pins++;
    }
}

static void unpin(hlo_jit_builder *b, const hlo_jit_leaves *places) {
    for (uint32_t i = 0; i < places->count; i++) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, places->v[i]);
        if (it) it->pins--;
    }
}

static void keep_fixed(hlo_jit_builder *b, const state_leaf *state, uint32_t count, bool *was) {
    for (uint32_t i = 0; i < count; i++) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, state[i].place);
        if (!it || !state[i].is_kept) continue;
        was[i] = it->is_fixed;
        it->is_fixed = true;
    }
}

static void end_fixed(hlo_jit_builder *b, const state_leaf *state, uint32_t count,
                      const bool *was) {
    for (uint32_t i = count; i-- > 0;) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, state[i].place);
        if (it && state[i].is_kept) it->is_fixed = was[i];
    }
}

/* The loop, whose state is in its places. The places have a reference each, which the parameter of
 * the body takes: what it changes is changed in place. */
static bool build_iterations(hlo_jit_builder *b, const hlo_instr *loop, state_leaf *state,
                             uint32_t depth) {
    uint32_t start = new_label(b), end = new_label(b), count = hlo_shape_leaf_count(loop->shape);
    hlo_jit_leaves places = places_of(b, state, count), goes_on, made;
    bool *was_fixed = HLO_NEW_ARRAY(&b->scratch, bool, count);
    keep_fixed(b, state, count, was_fixed);
    pin(b, &places);
    add_jump(b, HLO_JIT_LOOP, start);
    hlo_jit_retain(b, &places); /* of the condition, which changes nothing */
    hlo_jit_retain(b, &places);
    if (!build_computation(b, hlo_called(loop, 1), &places, 1, depth, &goes_on)) return false;
    hlo_jit_release(b, &places);
    add_jump_on(b, HLO_JIT_JUMP_IF_FALSE, goes_on.v[0].word, 0, end);
    if (!build_computation(b, hlo_called(loop, 0), &places, 1, depth, &made)) return false;
    if (!take_over(b, state, &made)) return false;
    add_jump(b, HLO_JIT_REPEAT, start);
    add_jump(b, HLO_JIT_LABEL, end);
    unpin(b, &places);
    end_fixed(b, state, count, was_fixed);
    hlo_jit_retain(b, &places);
    return true;
}

/* A place of its own for what the body changes, which begins as the operand's leaf. */
static bool place_leaf(hlo_jit_builder *b, state_leaf *it, hlo_jit_leaf from) {
    hlo_jit_leaf array = from;
    it->place = from;
    if (it->is_kept) return true;
    if (hlo_jit_is_scalar(it->shape)) {
        it->place = (hlo_jit_leaf){HLO_NO_STORAGE, hlo_jit_word_of(b, (hlo_type)it->shape->type)};
        hlo_jit_move(b, it->place.word, from.word);
        return true;
    }
    hlo_jit_storage *storage = hlo_jit_storage_of(b, from);
    if (storage && storage->holders == 1 && !storage->is_fixed) return true;
    if (hlo_shape_bytes(it->shape) > HLO_MOST_JIT_COPIED_BYTES) return false;
    array = hlo_jit_shape_in_memory(b, from, it->shape);
    bool is_made = !storage && hlo_jit_storage_of(b, array)->is_scratch;
    if (!is_made) {
        it->place = hlo_jit_new_array(b, (uint64_t)hlo_shape_bytes(it->shape));
        hlo_jit_copy_array(b, it->place, array, (uint64_t)hlo_shape_bytes(it->shape));
    } else {
        it->place = array;
    }
    hlo_jit_retain(b, &(hlo_jit_leaves){1, &it->place});
    hlo_jit_release(b, &(hlo_jit_leaves){1, &from});
    return true;
}

/* `from`: the operand's leaves, whose references end. The result is where the state is. */
static bool build_while(hlo_jit_builder *b, const hlo_instr *loop, const hlo_jit_leaves *from,
                        uint32_t depth, hlo_jit_leaves *result) {
    state_leaf *state = new_state(b, loop);
    for (uint32_t i = 0; i < from->count; i++)
        if (!place_leaf(b, &state[i], from->v[i])) return false;
    if (!build_iterations(b, loop, state, depth + 1)) return false;
    *result = places_of(b, state, from->count);
    return true;
}

/* ---- conditionals ---- */

/* The branch's result goes where that of all branches is. */
static bool build_branch(hlo_jit_builder *b, const hlo_instr *instr, uint32_t branch,
                         const hlo_jit_leaves *operand, state_leaf *to, uint32_t depth) {
    hlo_jit_leaves made;
    hlo_jit_retain(b, operand);
    hlo_jit_retain(b, operand);
    if (!build_computation(b, hlo_called(instr, branch), operand, 1, depth + 1, &made))
        return false;
    hlo_jit_release(b, operand);
    return take_over(b, to, &made);
}

static state_leaf *new_results(hlo_jit_builder *b, const hlo_instr *instr) {
    uint32_t count = hlo_shape_leaf_count(instr->shape);
    state_leaf *to = HLO_NEW_ARRAY(&b->scratch, state_leaf, count);
    const hlo_shape **shapes = leaf_shapes(b, instr->shape);
    for (uint32_t i = 0; i < count; i++) {
        to[i].shape = shapes[i];
        if (hlo_jit_is_scalar(shapes[i]))
            to[i].place =
                (hlo_jit_leaf){HLO_NO_STORAGE, hlo_jit_word_of(b, (hlo_type)shapes[i]->type)};
        else if (hlo_shape_bytes(shapes[i]) > HLO_MOST_JIT_COPIED_BYTES) return NULL;
        else to[i].place = hlo_jit_new_array(b, (uint64_t)hlo_shape_bytes(shapes[i]));
        hlo_jit_retain(b, &(hlo_jit_leaves){1, &to[i].place});
    }
    return to;
}

/* A predicate chooses the first branch when true; an index out of range the last branch. */
static bool build_conditional(hlo_jit_builder *b, const hlo_jit_step *step, uint32_t depth,
                              hlo_jit_leaves *result) {
    const hlo_instr *instr = step->instr;
    uint32_t branches = hlo_called_count(instr), end = new_label(b);
    bool by_predicate = hlo_operand(instr, 0)->shape->type == HLO_PRED;
    state_leaf *to = new_results(b, instr);
    if (!to || !branches || branches + 1 > instr->operand_count) return false;
    for (uint32_t k = 0; k < branches; k++) {
        uint32_t next = new_label(b);
        bool is_last = k + 1 == branches;
        if (!is_last)
            add_jump_on(b, by_predicate ? HLO_JIT_JUMP_IF_FALSE : HLO_JIT_JUMP_UNLESS,
                        step->operands[0].v[0].word, (int32_t)k, next);
        if (!build_branch(b, instr, k, &step->operands[k + 1], to, depth)) return false;
        if (!is_last) add_jump(b, HLO_JIT_JUMP, end);
        if (!is_last) add_jump(b, HLO_JIT_LABEL, next);
    }
    add_jump(b, HLO_JIT_LABEL, end);
    *result = places_of(b, to, hlo_shape_leaf_count(instr->shape));
    hlo_jit_release(b, result); /* build_values retains it */
    return true;
}

/* ---- computations ---- */

/* A computation that is being gone through. */
typedef struct {
    hlo_jit_builder *b;
    const hlo_plan *plan;
    const hlo_jit_leaves *arguments;
    uint32_t argument_count, depth;
    bool *is_taken;         /* by argument: a parameter has its references */
    hlo_jit_leaves *values; /* by step */
    uint32_t *uses;         /* by step: those still to come */
} walk;

static void drop_operands(walk *w, const hlo_plan_step *step) {
    for (uint32_t i = 0; i < step->instr->operand_count; i++) {
        uint32_t operand = w->plan->operand_steps[step->operands + i];
        if (--w->uses[operand] == 0) hlo_jit_release(w->b, &w->values[operand]);
    }
}

static bool take_argument(walk *w, const hlo_instr *instr, hlo_jit_leaves *result) {
    int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
    if (number < 0 || number >= w->argument_count || w->is_taken[number]) return false;
    w->is_taken[number] = true;
    *result = copy_leaves(w->b, &w->arguments[number]);
    return true;
}

static hlo_computation *inlined(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_FUSION: return hlo_called(instr, 0);
    case HLO_OP_MAP: return hlo_jit_is_scalar(instr->shape) ? hlo_called(instr, 0) : NULL;
    default: return NULL;
    }
}

/* Operands go to what is called, which may change in place what nobody needs after it. */
static bool call_step(walk *w, const hlo_plan_step *step, const hlo_jit_leaves *operands,
                      hlo_jit_leaves *result) {
    uint32_t count = step->instr->operand_count;
    for (uint32_t i = 0; i < count; i++) hlo_jit_retain(w->b, &operands[i]);
    drop_operands(w, step);
    if (step->instr->opcode == HLO_OP_WHILE)
        return build_while(w->b, step->instr, operands, w->depth, result);
    return build_computation(w->b, inlined(step->instr), operands, count, w->depth + 1, result);
}

static bool plain_step(walk *w, const hlo_plan_step *step, const hlo_jit_leaves *operands,
                       hlo_jit_leaves *result) {
    uint32_t count = step->instr->operand_count;
    bool *is_last = HLO_NEW_ARRAY(&w->b->scratch, bool, count);
    for (uint32_t i = 0; i < count; i++)
        is_last[i] = w->uses[w->plan->operand_steps[step->operands + i]] == 1;
    hlo_jit_step it = {step->instr, operands, is_last};
    bool is_good = step->instr->opcode == HLO_OP_CONDITIONAL
                       ? build_conditional(w->b, &it, w->depth, result)
                       : build_step(w->b, &it, result);
    if (!is_good) return false;
    hlo_jit_retain(w->b, result);
    drop_operands(w, step);
    return true;
}

static bool take_step(walk *w, uint32_t k) {
    const hlo_plan_step *step = &w->plan->steps[k];
    const hlo_instr *instr = step->instr;
    hlo_jit_leaves *operands = HLO_NEW_ARRAY(&w->b->scratch, hlo_jit_leaves, instr->operand_count);
    if (++w->b->visits > HLO_MOST_JIT_VISITS || w->b->code.ops.n > HLO_MOST_JIT_OPS ||
        step->has_effect || !hlo_jit_can_hold(instr->shape))
        return false;
    for (uint32_t i = 0; i < instr->operand_count; i++)
        operands[i] = w->values[w->plan->operand_steps[step->operands + i]];
    bool is_call = instr->opcode == HLO_OP_WHILE || inlined(instr);
    bool is_good = instr->opcode == HLO_OP_PARAMETER ? take_argument(w, instr, &w->values[k])
                   : is_call                         ? call_step(w, step, operands, &w->values[k])
                                                     : plain_step(w, step, operands, &w->values[k]);
    w->uses[k] = step->uses;
    if (is_good && !step->uses) hlo_jit_release(w->b, &w->values[k]);
    return is_good;
}

/* The arguments' references end; those of the result are the caller's. */
static bool build_computation(hlo_jit_builder *b, hlo_computation *computation,
                              const hlo_jit_leaves *arguments, uint32_t count, uint32_t depth,
                              hlo_jit_leaves *result) {
    if (depth > HLO_EVAL_MAX_DEPTH) return false;
    const hlo_plan *plan = hlo_making_plan(b->making, computation);
    walk w = {
        .b = b, .plan = plan, .arguments = arguments, .argument_count = count, .depth = depth};
    w.is_taken = HLO_NEW_ARRAY(&b->scratch, bool, count);
    w.values = HLO_NEW_ARRAY(&b->scratch, hlo_jit_leaves, plan->count);
    w.uses = HLO_NEW_ARRAY(&b->scratch, uint32_t, plan->count);
    for (uint32_t k = 0; k < plan->count; k++)
        if (!take_step(&w, k)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!w.is_taken[i]) hlo_jit_release(b, &arguments[i]);
    *result = w.values[plan->root];
    return true;
}

/* ---- the outermost loop ---- */

/* The leaves of operand 0, which is set before the code runs. */
static state_leaf *place_outermost(hlo_jit_builder *b, const hlo_instr *loop) {
    uint32_t count = hlo_shape_leaf_count(loop->shape);
    state_leaf *state = new_state(b, loop);
    for (uint32_t i = 0; i < count; i++) {
        state_leaf *it = &state[i];
        bool is_scalar = hlo_jit_is_scalar(it->shape);
        uint32_t word =
            is_scalar ? hlo_jit_word_of(b, (hlo_type)it->shape->type) : hlo_jit_address_word(b);
        b->code.words.v[word].is_set = true;
        b->code.words.v[word].is_result = is_scalar && !it->is_kept;
        it->place = (hlo_jit_leaf){is_scalar ? HLO_NO_STORAGE : b->storages.n, word};
        if (is_scalar) continue;
        hlo_list_push(&b->storages, (hlo_jit_storage){.word = word,
                                                      .bytes = (uint64_t)hlo_shape_bytes(it->shape),
                                                      .holders = 1});
    }
    return state;
}

static const hlo_loop *finish(hlo_jit_builder *b, const state_leaf *state, uint32_t count,
                              hlo_assembler *code) {
    hlo_loop *loop = HLO_NEW(b->arena, hlo_loop);
    hlo_loop_leaf *leaves = HLO_NEW_ARRAY(b->arena, hlo_loop_leaf, count);
    uint64_t *set = HLO_NEW_ARRAY(b->arena, uint64_t, b->code.words.n);
    for (uint32_t i = 0; i < count; i++) {
        leaves[i] = (hlo_loop_leaf){.word = state[i].place.word, .is_changed = !state[i].is_kept};
        if (state[i].place.storage == HLO_NO_STORAGE)
            leaves[i].bytes = hlo_types[state[i].shape->type].bytes;
    }
    for (uint32_t i = 0; i < b->constants.n; i++)
        set[b->constants.v[i].word] = b->constants.v[i].bits;
    loop->start = hlo_jit_emit(&b->code, code);
    loop->set = set;
    loop->word_count = b->code.words.n;
    loop->leaf_count = count;
    loop->leaves = leaves;
    loop->array_count = b->arrays.n;
    loop->arrays = hlo_arena_copy(b->arena, b->arrays.v, b->arrays.n * sizeof *b->arrays.v);
    return loop;
}

static void free_builder(hlo_jit_builder *b) {
    hlo_list_free(&b->code.ops);
    hlo_list_free(&b->code.words);
    hlo_list_free(&b->storages);
    hlo_list_free(&b->constants);
    hlo_list_free(&b->arrays);
    hlo_arena_free(&b->scratch);
}

const hlo_loop *hlo_prepare_loop(hlo_preparation *p) {
    hlo_program *program = p->making->program;
    const hlo_loop *loop = NULL;
    if (!program->options.code || !hlo_stencil_count || !hlo_jit_can_hold(p->instr->shape) ||
        program->options.one_by_one || program->options.engine == HLO_ENGINE_REFERENCE)
        return NULL;
    hlo_jit_builder b = {.making = p->making, .arena = &program->arena};
    hlo_arena_init(&b.scratch);
    while (b.code.words.n < HLO_FIRST_WORD) new_word(&b, false, false);
    state_leaf *state = place_outermost(&b, p->instr);
    if (build_iterations(&b, p->instr, state, 0)) {
        loop = finish(&b, state, hlo_shape_leaf_count(p->instr->shape), &p->making->code);
        size_t words = (size_t)loop->word_count * sizeof *loop->set;
        p->is_code = true;
        hlo_prepare_scratch(p, (words + 63) / 64 * 64 + b.array_bytes);
    }
    free_builder(&b);
    return loop;
}
