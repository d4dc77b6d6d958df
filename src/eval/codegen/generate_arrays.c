/* Arrays in loops: where their elements are, which results are written over operands, and the
 * operations on elements and slices. */
#include <stdio.h>
#include <string.h>

#include "eval/codegen/generate.h"

/* ---- where elements are ---- */

hlo_jit_storage *hlo_jit_storage_of(hlo_jit_builder *b, hlo_jit_leaf leaf) {
    return leaf.storage == HLO_NO_STORAGE ? NULL : &b->storages.v[leaf.storage];
}

static hlo_jit_leaf leaf_of(hlo_jit_builder *b, uint32_t storage) {
    return (hlo_jit_leaf){.storage = storage, .word = b->storages.v[storage].word};
}

/* Memory that is free again, or new memory. */
hlo_jit_leaf hlo_jit_new_array(hlo_jit_builder *b, uint64_t bytes) {
    for (uint32_t s = 0; s < b->storages.n; s++) {
        const hlo_jit_storage *it = &b->storages.v[s];
        if (it->is_scratch && !it->holders && !it->pins && it->bytes == bytes) return leaf_of(b, s);
    }
    uint32_t word = hlo_jit_address_word(b);
    b->code.words.v[word].is_set = true;
    hlo_list_push(&b->arrays, (hlo_loop_array){word, b->array_bytes, bytes});
    b->array_bytes += (bytes + 63) / 64 * 64;
    hlo_list_push(&b->storages,
                  (hlo_jit_storage){.word = word, .bytes = bytes, .is_scratch = true});
    return leaf_of(b, b->storages.n - 1);
}

hlo_jit_leaf hlo_jit_fixed_array(hlo_jit_builder *b, const void *data, uint64_t bytes) {
    uint32_t word = hlo_jit_address_word(b);
    b->code.words.v[word].is_set = true;
    hlo_list_push(&b->constants, (hlo_jit_constant){word, (uintptr_t)data});
    hlo_list_push(&b->storages, (hlo_jit_storage){.word = word, .bytes = bytes, .is_fixed = true});
    return leaf_of(b, b->storages.n - 1);
}

void hlo_jit_retain(hlo_jit_builder *b, const hlo_jit_leaves *leaves) {
    for (uint32_t i = 0; i < leaves->count; i++) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, leaves->v[i]);
        if (it) it->holders++;
    }
}

void hlo_jit_release(hlo_jit_builder *b, const hlo_jit_leaves *leaves) {
    for (uint32_t i = 0; i < leaves->count; i++) {
        hlo_jit_storage *it = hlo_jit_storage_of(b, leaves->v[i]);
        if (it) it->holders--;
    }
}

/* ---- lane functions of copies ---- */

static void copy_bytes(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    (void)lanes;
    memcpy(out, in[0], n);
}

static void repeat_element(const hlo_lanes *lanes, void *out, const void *const *in, size_t n) {
    size_t bytes = hlo_types[lanes->to].bytes;
    for (size_t k = 0; k < n; k++) memcpy((char *)out + k * bytes, in[0], bytes);
}

static void add_lanes(hlo_jit_builder *b, const hlo_lanes *lanes, size_t n, uint32_t out,
                      const uint32_t *in) {
    hlo_jit_op op = {.kind = HLO_JIT_LANES, .lane_count = n, .out = out, .in_count = lanes->arity};
    op.lanes = hlo_arena_copy(b->arena, lanes, sizeof *lanes);
    memcpy(op.in, in, lanes->arity * sizeof *in);
    hlo_jit_add(b, op);
}

static void copy_at(hlo_jit_builder *b, uint32_t to, uint32_t from, uint64_t bytes) {
    add_lanes(b, &(hlo_lanes){.run = copy_bytes, .arity = 1}, bytes, to, &from);
}

void hlo_jit_copy_array(hlo_jit_builder *b, hlo_jit_leaf to, hlo_jit_leaf from, uint64_t bytes) {
    copy_at(b, to.word, from.word, bytes);
}

/* Elements that are all the same: made once where they are constant. */
hlo_jit_leaf hlo_jit_in_memory(hlo_jit_builder *b, hlo_jit_leaf leaf, hlo_type type, int64_t n) {
    if (leaf.storage != HLO_NO_STORAGE) return leaf;
    hlo_lanes fill = {.run = repeat_element, .arity = 1, .to = type};
    size_t count = (size_t)n, bytes = count * hlo_types[type].bytes;
    const hlo_jit_constant *constant = hlo_jit_constant_of(b, leaf.word);
    if (constant) {
        void *data = hlo_arena_aligned(b->arena, bytes, 64);
        repeat_element(&fill, data, (const void *[]){&constant->bits}, count);
        return hlo_jit_fixed_array(b, data, bytes);
    }
    hlo_jit_leaf array = hlo_jit_new_array(b, bytes);
    add_lanes(b, &fill, count, array.word, &leaf.word);
    return array;
}

/* ---- elementwise ---- */

static const char *upper(const char *text, char *to, size_t capacity) {
    size_t i = 0;
    for (; text[i] && i + 1 < capacity; i++) {
        char c = text[i];
        to[i] = c == '-' ? '_' : c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    to[i] = 0;
    return to;
}

/* The name that a stencil of the lane function has, if there is one: see stencils/stencil.h. */
static bool stencil_name(const hlo_instr *instr, const hlo_lanes *lanes, char *name, size_t n) {
    static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
    char op[40], from[16], to[16];
    upper(hlo_types[lanes->from].text, from, sizeof from);
    upper(hlo_types[lanes->to].text, to, sizeof to);
    switch (instr->opcode) {
    case HLO_OP_CONVERT: snprintf(name, n, "CONVERT_%s_%s", from, to); return true;
    case HLO_OP_SELECT:
        snprintf(name, n, "SELECT_%s",
                 lanes->to == HLO_F32   ? "float"
                 : lanes->to == HLO_F64 ? "double"
                                        : "uint64_t");
        return true;
    case HLO_OP_COMPARE:
        snprintf(name, n, "%s_%s", directions[lanes->direction],
                 hlo_jit_stored(lanes->from, op, sizeof op));
        return !hlo_type_is_complex(lanes->from) &&
               lanes->run == hlo_lanes_compare(lanes->direction, false, lanes->from);
    default:
        snprintf(name, n, "%s_%s", upper(hlo_info(instr)->text, op, sizeof op), from);
        return lanes->from == lanes->to;
    }
}

static uint32_t scalar_result(hlo_jit_builder *b, const hlo_instr *instr, const hlo_lanes *lanes,
                              const uint32_t *in) {
    char name[64];
    if (stencil_name(instr, lanes, name, sizeof name)) {
        uint32_t out = hlo_jit_stencil(b, name, lanes->to, in, lanes->arity);
        if (out != HLO_NO_WORD) return out;
    }
    uint32_t out = hlo_jit_word_of(b, lanes->to);
    add_lanes(b, lanes, 1, out, in);
    return out;
}

bool hlo_jit_is_dying(hlo_jit_builder *b, const hlo_jit_step *step, uint32_t i) {
    const hlo_jit_storage *it = hlo_jit_storage_of(b, step->operands[i].v[0]);
    return it && step->is_last[i] && it->holders == 1 && !it->is_fixed;
}

static hlo_jit_leaf array_result(hlo_jit_builder *b, const hlo_jit_step *step,
                                 const hlo_lanes *lanes) {
    const hlo_shape *shape = step->instr->shape;
    unsigned bytes = hlo_types[lanes->to].bytes;
    for (uint32_t i = 0; i < lanes->arity; i++)
        if (hlo_types[lanes->operands[i]].bytes == bytes && hlo_jit_is_dying(b, step, i))
            return step->operands[i].v[0];
    return hlo_jit_new_array(b, (uint64_t)hlo_shape_bytes(shape));
}

/* Holds the operands that are made for this step until its result has a place. */
static bool elementwise_arrays(hlo_jit_builder *b, const hlo_jit_step *step, const hlo_lanes *lanes,
                               hlo_jit_leaf *result) {
    int64_t n = hlo_shape_elements(step->instr->shape);
    hlo_jit_leaf in[HLO_MOST_JIT_OPERANDS];
    uint32_t words[HLO_MOST_JIT_OPERANDS];
    hlo_jit_leaves held = {lanes->arity, in};
    if (n > HLO_MOST_JIT_LANES) return false;
    for (uint32_t i = 0; i < lanes->arity; i++) {
        hlo_jit_leaf operand = step->operands[i].v[0];
        int64_t elements = hlo_shape_elements(hlo_operand(step->instr, i)->shape);
        if (elements != n && operand.storage != HLO_NO_STORAGE) return false;
        in[i] = hlo_jit_in_memory(b, operand, lanes->operands[i], n);
        hlo_jit_retain(b, &(hlo_jit_leaves){1, &in[i]});
        words[i] = in[i].word;
    }
    hlo_jit_release(b, &held);
    *result = array_result(b, step, lanes);
    add_lanes(b, lanes, (size_t)n, result->word, words);
    return true;
}

/* Each vector by the stencil for vectors, of which comparisons, choices and conversions have none.
 */
static bool elementwise_vectors(hlo_jit_builder *b, const hlo_jit_step *step,
                                const hlo_lanes *lanes, hlo_jit_leaf *result) {
    uint32_t count = hlo_jit_vectors(b, step->instr->shape);
    hlo_jit_leaf in[HLO_MOST_JIT_OPERANDS];
    char name[64] = "V_";
    if (!count || lanes->from != lanes->to ||
        !stencil_name(step->instr, lanes, name + 2, sizeof name - 2))
        return false;
    hlo_jit_op op = {.kind = HLO_JIT_STENCIL, .stencil = hlo_find_stencil(name)};
    if (!op.stencil) return false;
    for (uint32_t i = 0; i < lanes->arity; i++) {
        in[i] = step->operands[i].v[0];
        if (!hlo_jit_in_vectors(b, &in[i], lanes->to, count)) return false;
    }
    *result = hlo_jit_new_vectors(b, count);
    op.in_count = lanes->arity;
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < lanes->arity; i++) op.in[i] = hlo_jit_vector(in[i], k);
        op.out = hlo_jit_vector(*result, k);
        hlo_jit_add(b, op);
    }
    return true;
}

/* Where all operands are one element each, or repeat one, so does the result. */
bool hlo_jit_elementwise(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result) {
    hlo_lanes lanes;
    uint32_t words[HLO_LANES_MAX_OPERANDS];
    bool is_scalar = hlo_types[step->instr->shape->type].bytes <= 8, has_vectors = false;
    if (!hlo_lanes_find(step->instr, hlo_planner_is_plain(b->planner), &lanes)) return false;
    for (uint32_t i = 0; i < lanes.arity; i++) {
        is_scalar = is_scalar && step->operands[i].v[0].storage == HLO_NO_STORAGE;
        has_vectors = has_vectors || step->operands[i].v[0].vectors;
        words[i] = step->operands[i].v[0].word;
    }
    if (has_vectors) return elementwise_vectors(b, step, &lanes, result);
    if (!is_scalar) return elementwise_arrays(b, step, &lanes, result);
    *result = hlo_jit_word_leaf(scalar_result(b, step->instr, &lanes, words));
    return true;
}

/* ---- slices ---- */

/* Whether the elements of a window of the array follow each other. */
static bool is_contiguous(const hlo_shape *array, const hlo_shape *window) {
    uint32_t d = 0;
    if (window->rank != array->rank) return false;
    while (d < window->rank && window->dims[d] == 1) d++;
    for (d++; d < window->rank; d++)
        if (window->dims[d] != array->dims[d]) return false;
    return true;
}

/* Whether the slice takes every element on its way. */
static bool is_dense(const hlo_instr *instr) {
    const hlo_attr *slices = hlo_instr_attr(instr, HLO_ATTR_SLICE);
    for (uint32_t d = 0; slices && d < slices->u.slice->n && d < instr->shape->rank; d++)
        if (slices->u.slice->v[d].stride != 1 && instr->shape->dims[d] != 1) return false;
    return true;
}

bool hlo_jit_is_known(const hlo_jit_step *step) {
    const hlo_shape *shape = step->instr->shape;
    switch (step->instr->opcode) {
    case HLO_OP_SLICE:
    case HLO_OP_DYNAMIC_SLICE:
        return step->operands[0].v[0].storage == HLO_NO_STORAGE ||
               (is_contiguous(hlo_operand(step->instr, 0)->shape, shape) && is_dense(step->instr));
    case HLO_OP_DYNAMIC_UPDATE_SLICE:
        return is_contiguous(shape, hlo_operand(step->instr, 1)->shape);
    default:
        return hlo_info(step->instr)->flags & HLO_OP_IS_ELEMENTWISE &&
               hlo_shape_elements(shape) <= HLO_MOST_JIT_LANES;
    }
}

static int64_t stride_of(const hlo_shape *array, uint32_t dimension) {
    HLO_ASSERT(dimension < array->rank);
    int64_t stride = hlo_types[array->type].bytes;
    for (uint32_t d = dimension + 1; d < array->rank; d++) stride *= array->dims[d];
    return stride;
}

/* Where the window of operand 0 begins, in bytes. HLO_NO_WORD: not known to this. */
static uint32_t window_offset(hlo_jit_builder *b, const hlo_jit_step *step, const hlo_shape *window,
                              uint32_t first_start) {
    const hlo_shape *array = hlo_operand(step->instr, 0)->shape;
    uint32_t offset = hlo_jit_number(b, 0, false);
    if (step->instr->operand_count != first_start + array->rank) return HLO_NO_WORD;
    for (uint32_t d = 0; d < array->rank && offset != HLO_NO_WORD; d++) {
        int64_t last = array->dims[d] - window->dims[d];
        const hlo_shape *start = hlo_operand(step->instr, first_start + d)->shape;
        char type[16], name[32];
        if (!last) continue;
        if (!hlo_jit_is_scalar(start)) return HLO_NO_WORD;
        snprintf(name, sizeof name, "START_%s",
                 hlo_jit_stored((hlo_type)start->type, type, sizeof type));
        uint32_t index = hlo_jit_stencil(b, name, HLO_S64,
                                         (uint32_t[]){step->operands[first_start + d].v[0].word,
                                                      hlo_jit_number(b, (uint64_t)last, false)},
                                         2);
        if (index == HLO_NO_WORD) return HLO_NO_WORD;
        uint32_t stride = hlo_jit_number(b, (uint64_t)stride_of(array, d), false);
        offset = hlo_jit_stencil(b, "OFFSET", HLO_S64, (uint32_t[]){index, stride, offset}, 3);
    }
    return offset;
}

/* base + offset */
static uint32_t address_at(hlo_jit_builder *b, uint32_t base, uint32_t offset) {
    uint32_t word = hlo_jit_stencil(b, "ADDRESS", HLO_U64, (uint32_t[]){base, offset}, 2);
    if (word != HLO_NO_WORD) b->code.words.v[word].is_address = true;
    return word;
}

/* The elements of the window that begins at the offset. */
static bool read_window(hlo_jit_builder *b, const hlo_jit_step *step, uint32_t offset,
                        hlo_jit_leaf *result) {
    const hlo_shape *window = step->instr->shape, *array = hlo_operand(step->instr, 0)->shape;
    hlo_jit_leaf from = step->operands[0].v[0];
    if (offset == HLO_NO_WORD || !is_contiguous(array, window)) return false;
    if (hlo_jit_is_scalar(window)) {
        char name[32] = "LOAD_";
        hlo_jit_stored((hlo_type)window->type, name + 5, sizeof name - 5);
        uint32_t word =
            hlo_jit_stencil(b, name, (hlo_type)window->type, (uint32_t[]){from.word, offset}, 2);
        *result = hlo_jit_word_leaf(word);
        return word != HLO_NO_WORD;
    }
    uint64_t bytes = (uint64_t)hlo_shape_bytes(window);
    if (bytes > HLO_MOST_JIT_COPIED_BYTES) return false;
    *result = hlo_jit_new_array(b, bytes);
    copy_at(b, result->word, address_at(b, from.word, offset), bytes);
    return true;
}

/* Of one element, or of many that are the same, any part is the same. */
static bool is_word(const hlo_jit_step *step, hlo_jit_leaf *result) {
    *result = step->operands[0].v[0];
    return result->storage == HLO_NO_STORAGE;
}

bool hlo_jit_dynamic_slice(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result) {
    if (is_word(step, result)) return true;
    return read_window(b, step, window_offset(b, step, step->instr->shape, 1), result);
}

bool hlo_jit_slice(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result) {
    const hlo_attr *slices = hlo_instr_attr(step->instr, HLO_ATTR_SLICE);
    const hlo_shape *array = hlo_operand(step->instr, 0)->shape;
    int64_t offset = 0;
    if (is_word(step, result)) return true;
    if (!slices || slices->u.slice->n != array->rank) return false;
    for (uint32_t d = 0; d < array->rank; d++)
        offset += slices->u.slice->v[d].start * stride_of(array, d);
    return read_window(b, step, hlo_jit_number(b, (uint64_t)offset, false), result);
}

/* ---- updates ---- */

static bool write_window(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf to) {
    const hlo_shape *window = hlo_operand(step->instr, 1)->shape;
    uint32_t offset = window_offset(b, step, window, 2);
    if (offset == HLO_NO_WORD || !is_contiguous(step->instr->shape, window)) return false;
    if (hlo_jit_is_scalar(window)) {
        char name[32] = "STORE_";
        hlo_jit_stored((hlo_type)window->type, name + 6, sizeof name - 6);
        hlo_jit_op op = {.kind = HLO_JIT_STENCIL, .stencil = hlo_find_stencil(name), .in_count = 3};
        op.in[0] = to.word;
        op.in[1] = offset;
        op.in[2] = step->operands[1].v[0].word;
        op.out = HLO_NO_WORD;
        if (op.stencil) hlo_jit_add(b, op);
        return op.stencil;
    }
    hlo_jit_leaf from = hlo_jit_shape_in_memory(b, step->operands[1].v[0], window);
    uint64_t bytes = (uint64_t)hlo_shape_bytes(window);
    if (bytes > HLO_MOST_JIT_COPIED_BYTES) return false;
    copy_at(b, address_at(b, to.word, offset), from.word, bytes);
    return true;
}

/* In place when nothing else needs the array as it was. */
bool hlo_jit_update(hlo_jit_builder *b, const hlo_jit_step *step, hlo_jit_leaf *result) {
    const hlo_shape *shape = step->instr->shape;
    uint64_t bytes = (uint64_t)hlo_shape_bytes(shape);
    if (hlo_jit_is_scalar(shape)) {
        *result = step->operands[1].v[0];
        return true;
    }
    *result = step->operands[0].v[0];
    if (!hlo_jit_is_dying(b, step, 0)) {
        if (bytes > HLO_MOST_JIT_COPIED_BYTES) return false;
        hlo_jit_leaf from = hlo_jit_shape_in_memory(b, *result, shape);
        *result = hlo_jit_new_array(b, bytes);
        if (result->storage != from.storage) hlo_jit_copy_array(b, *result, from, bytes);
    }
    const hlo_jit_leaves held = {1, result};
    hlo_jit_retain(b, &held);
    bool is_done = write_window(b, step, *result);
    hlo_jit_release(b, &held);
    return is_done;
}
