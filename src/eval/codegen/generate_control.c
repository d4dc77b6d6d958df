/* Loops and conditionals of a loop: where their state is, and how a leaf that the body made becomes
 * the state. */
#include "eval/codegen/generate.h"

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

/* ---- loops inside ---- */

/* Leaves that the body returns as it got them. */
static void find_kept(const hlo_computation *body, hlo_jit_state *state) {
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

hlo_jit_state *hlo_jit_new_state(hlo_jit_builder *b, const hlo_instr *loop) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    uint32_t count = hlo_shape_leaf_count(loop->shape);
    hlo_jit_state *state = HLO_NEW_ARRAY(&b->scratch, hlo_jit_state, count);
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
        uint32_t copy = word->is_wide ? hlo_jit_new_vectors(b, 1).word
                                      : hlo_jit_new_word(b, word->is_vector, word->is_address);
        hlo_jit_move(b, copy, from[i]);
        from[i] = copy;
    }
    for (uint32_t i = 0; i < count; i++) hlo_jit_move(b, to[i], from[i]);
}

static bool is_place(const hlo_jit_state *state, uint32_t count, uint32_t storage) {
    for (uint32_t i = 0; i < count; i++)
        if (state[i].place.storage == storage) return true;
    return false;
}

/* The same of arrays. False where they are too large to be copied. */
static bool copy_arrays(hlo_jit_builder *b, const hlo_jit_state *state, hlo_jit_leaves *from) {
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

/* Moves that happen at once. */
typedef struct {
    uint32_t *to, *from, n;
} moves;

static void plan_moves(moves *m, hlo_jit_leaf to, hlo_jit_leaf from) {
    for (uint32_t k = 0; k < to.vectors + !to.vectors; k++) {
        m->to[m->n] = hlo_jit_vector(to, k);
        m->from[m->n++] = hlo_jit_vector(from, k);
    }
}

/* A leaf as its place has it: in memory, in vectors or in a word. False when it cannot be. */
static bool suit_place(hlo_jit_builder *b, const hlo_jit_state *to, hlo_jit_leaf *made) {
    if (to->place.vectors)
        return hlo_jit_in_vectors(b, made, (hlo_type)to->shape->type, to->place.vectors);
    if (made->vectors) return false;
    if (to->place.storage == HLO_NO_STORAGE) return made->storage == HLO_NO_STORAGE;
    if (made->storage != HLO_NO_STORAGE) return true;
    *made = hlo_jit_shape_in_memory(b, *made, to->shape);
    hlo_jit_retain(b, &(hlo_jit_leaves){1, made});
    return true;
}

/* What the body made becomes the state; its references end. */
static bool take_over(hlo_jit_builder *b, hlo_jit_state *state, hlo_jit_leaves *made) {
    uint32_t most = HLO_MOST_JIT_VECTORS * made->count;
    moves m = {HLO_NEW_ARRAY(&b->scratch, uint32_t, most),
               HLO_NEW_ARRAY(&b->scratch, uint32_t, most), 0};
    for (uint32_t i = 0; i < made->count; i++) {
        if (state[i].is_kept) continue;
        if (!suit_place(b, &state[i], &made->v[i])) return false;
        if (state[i].place.storage == HLO_NO_STORAGE) plan_moves(&m, state[i].place, made->v[i]);
    }
    bool is_good = copy_arrays(b, state, made);
    move_words(b, m.to, m.from, m.n);
    hlo_jit_release(b, made);
    return is_good;
}

static hlo_jit_leaves places_of(hlo_jit_builder *b, const hlo_jit_state *state, uint32_t count) {
    hlo_jit_leaves leaves = hlo_jit_new_leaves(b, count);
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

static void keep_fixed(hlo_jit_builder *b, const hlo_jit_state *state, uint32_t count, bool *was) {
    for (uint32_t i = 0; i < count; i++) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, state[i].place);
        if (!it || !state[i].is_kept) continue;
        was[i] = it->is_fixed;
        it->is_fixed = true;
    }
}

static void end_fixed(hlo_jit_builder *b, const hlo_jit_state *state, uint32_t count,
                      const bool *was) {
    for (uint32_t i = count; i-- > 0;) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, state[i].place);
        if (it && state[i].is_kept) it->is_fixed = was[i];
    }
}

/* The loop, whose state is in its places. The places have a reference each, which the parameter of
 * the body takes: what it changes is changed in place. */
bool hlo_jit_iterations(hlo_jit_builder *b, const hlo_instr *loop, hlo_jit_state *state,
                        uint32_t depth) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    uint32_t start = hlo_jit_new_label(b), end = hlo_jit_new_label(b),
             count = hlo_shape_leaf_count(loop->shape);
    hlo_jit_leaves places = places_of(b, state, count), goes_on, made;
    bool *was_fixed = HLO_NEW_ARRAY(&b->scratch, bool, count);
    keep_fixed(b, state, count, was_fixed);
    pin(b, &places);
    hlo_jit_jump(b, HLO_JIT_LOOP, start);
    hlo_jit_retain(b, &places); /* of the condition, which changes nothing */
    hlo_jit_retain(b, &places);
    if (!hlo_jit_computation(b, hlo_called(loop, 1), &places, 1, depth, &goes_on)) return false;
    hlo_jit_release(b, &places);
    hlo_jit_jump_on(b, HLO_JIT_JUMP_IF_FALSE, goes_on.v[0].word, 0, end);
    if (!hlo_jit_computation(b, hlo_called(loop, 0), &places, 1, depth, &made)) return false;
    if (!take_over(b, state, &made)) return false;
    hlo_jit_jump(b, HLO_JIT_REPEAT, start);
    hlo_jit_jump(b, HLO_JIT_LABEL, end);
    unpin(b, &places);
    end_fixed(b, state, count, was_fixed);
    hlo_jit_retain(b, &places);
    return true;
}

/* Separate words for a leaf that is not in memory. */
hlo_jit_leaf hlo_jit_new_place(hlo_jit_builder *b, const hlo_shape *shape) {
    uint32_t vectors = hlo_jit_vectors(b, shape);
    return vectors ? hlo_jit_new_vectors(b, vectors)
                   : hlo_jit_word_leaf(hlo_jit_word_of(b, (hlo_type)shape->type));
}

bool hlo_jit_is_in_memory(const hlo_jit_builder *b, const hlo_shape *shape) {
    return !hlo_jit_is_scalar(shape) && !hlo_jit_vectors(b, shape);
}

/* A separate place for an array that the body changes, initially `from`. */
static bool place_array(hlo_jit_builder *b, hlo_jit_state *it, hlo_jit_leaf from) {
    const hlo_jit_storage *storage = hlo_jit_storage_of(b, from);
    uint64_t bytes = (uint64_t)hlo_shape_bytes(it->shape);
    if (storage && storage->holders == 1 && !storage->is_fixed) return true;
    if (bytes > HLO_MOST_JIT_COPIED_BYTES || from.vectors) return false;
    bool is_word = !storage;
    it->place = hlo_jit_shape_in_memory(b, from, it->shape);
    if (!is_word || !hlo_jit_storage_of(b, it->place)->is_scratch) {
        hlo_jit_leaf array = it->place;
        it->place = hlo_jit_new_array(b, bytes);
        hlo_jit_copy_array(b, it->place, array, bytes);
    }
    hlo_jit_retain(b, &(hlo_jit_leaves){1, &it->place});
    hlo_jit_release(b, &(hlo_jit_leaves){1, &from});
    return true;
}

/* Where a leaf of the state is, which begins as the operand's. */
static bool place_leaf(hlo_jit_builder *b, hlo_jit_state *it, hlo_jit_leaf from) {
    uint32_t words[2 * HLO_MOST_JIT_VECTORS];
    moves m = {words, words + HLO_MOST_JIT_VECTORS, 0};
    it->place = from;
    if (it->is_kept) return true;
    if (hlo_jit_is_in_memory(b, it->shape)) return place_array(b, it, from);
    it->place = hlo_jit_new_place(b, it->shape);
    if (!suit_place(b, it, &from)) return false;
    plan_moves(&m, it->place, from);
    move_words(b, m.to, m.from, m.n);
    return true;
}

/* `from`: the operand's leaves, whose references end. The result is where the state is. */
bool hlo_jit_while(hlo_jit_builder *b, const hlo_instr *loop, const hlo_jit_leaves *from,
                   uint32_t depth, hlo_jit_leaves *result) {
    HLO_ASSERT(loop->opcode == HLO_OP_WHILE);
    hlo_jit_state *state = hlo_jit_new_state(b, loop);
    for (uint32_t i = 0; i < from->count; i++)
        if (!place_leaf(b, &state[i], from->v[i])) return false;
    if (!hlo_jit_iterations(b, loop, state, depth + 1)) return false;
    *result = places_of(b, state, from->count);
    return true;
}

/* ---- conditionals ---- */

/* The branch's result goes where that of all branches is. */
static bool build_branch(hlo_jit_builder *b, const hlo_instr *instr, uint32_t branch,
                         const hlo_jit_leaves *operand, hlo_jit_state *to, uint32_t depth) {
    HLO_ASSERT(branch < hlo_called_count(instr));
    hlo_jit_leaves made;
    hlo_jit_retain(b, operand);
    hlo_jit_retain(b, operand);
    if (!hlo_jit_computation(b, hlo_called(instr, branch), operand, 1, depth + 1, &made))
        return false;
    hlo_jit_release(b, operand);
    return take_over(b, to, &made);
}

static hlo_jit_state *new_results(hlo_jit_builder *b, const hlo_instr *instr) {
    uint32_t count = hlo_shape_leaf_count(instr->shape);
    hlo_jit_state *to = HLO_NEW_ARRAY(&b->scratch, hlo_jit_state, count);
    const hlo_shape **shapes = leaf_shapes(b, instr->shape);
    for (uint32_t i = 0; i < count; i++) {
        to[i].shape = shapes[i];
        if (!hlo_jit_is_in_memory(b, shapes[i])) to[i].place = hlo_jit_new_place(b, shapes[i]);
        else if (hlo_shape_bytes(shapes[i]) > HLO_MOST_JIT_COPIED_BYTES) return NULL;
        else to[i].place = hlo_jit_new_array(b, (uint64_t)hlo_shape_bytes(shapes[i]));
        hlo_jit_retain(b, &(hlo_jit_leaves){1, &to[i].place});
    }
    return to;
}

/* A predicate chooses the first branch when true; an index out of range the last branch. */
bool hlo_jit_conditional(hlo_jit_builder *b, const hlo_jit_step *step, uint32_t depth,
                         hlo_jit_leaves *result) {
    const hlo_instr *instr = step->instr;
    uint32_t branches = hlo_called_count(instr), end = hlo_jit_new_label(b);
    bool by_predicate = hlo_operand(instr, 0)->shape->type == HLO_PRED;
    hlo_jit_state *to = new_results(b, instr);
    if (!to || !branches || branches + 1 > instr->operand_count) return false;
    for (uint32_t k = 0; k < branches; k++) {
        uint32_t next = hlo_jit_new_label(b);
        bool is_last = k + 1 == branches;
        if (!is_last)
            hlo_jit_jump_on(b, by_predicate ? HLO_JIT_JUMP_IF_FALSE : HLO_JIT_JUMP_UNLESS,
                            step->operands[0].v[0].word, (int32_t)k, next);
        if (!build_branch(b, instr, k, &step->operands[k + 1], to, depth)) return false;
        if (!is_last) hlo_jit_jump(b, HLO_JIT_JUMP, end);
        if (!is_last) hlo_jit_jump(b, HLO_JIT_LABEL, next);
    }
    hlo_jit_jump(b, HLO_JIT_LABEL, end);
    *result = places_of(b, to, hlo_shape_leaf_count(instr->shape));
    hlo_jit_release(b, result); /* who asked for it retains it */
    return true;
}
