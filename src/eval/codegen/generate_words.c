/* Words of a loop's frame, operations on them, and short arrays as vectors. */
#include <stdio.h>
#include <string.h>

#include "eval/codegen/generate.h"

/* ---- words and operations ---- */

uint32_t hlo_jit_new_word(hlo_jit_builder *b, bool is_vector, bool is_address) {
    hlo_list_push(&b->code.words, (hlo_jit_word){.is_vector = is_vector, .is_address = is_address});
    return b->code.words.n - 1;
}

uint32_t hlo_jit_word_of(hlo_jit_builder *b, hlo_type type) {
    return hlo_jit_new_word(b, type == HLO_F32 || type == HLO_F64, false);
}

uint32_t hlo_jit_address_word(hlo_jit_builder *b) {
    return hlo_jit_new_word(b, false, true);
}

uint32_t hlo_jit_number(hlo_jit_builder *b, uint64_t bits, bool is_vector) {
    for (uint32_t i = 0; i < b->constants.n; i++) {
        const hlo_jit_constant *it = &b->constants.v[i];
        const hlo_jit_word *word = &b->code.words.v[it->word];
        bool is_number = !word->is_address && !word->is_wide;
        if (it->bits == bits && word->is_vector == is_vector && is_number) return it->word;
    }
    uint32_t w = hlo_jit_new_word(b, is_vector, false);
    b->code.words.v[w].is_set = true;
    hlo_list_push(&b->constants, (hlo_jit_constant){w, bits});
    return w;
}

const hlo_jit_constant *hlo_jit_constant_of(const hlo_jit_builder *b, uint32_t word) {
    for (uint32_t i = 0; i < b->constants.n; i++)
        if (b->constants.v[i].word == word) return &b->constants.v[i];
    return NULL;
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

uint32_t hlo_jit_new_label(hlo_jit_builder *b) {
    return b->code.labels++;
}

void hlo_jit_jump(hlo_jit_builder *b, hlo_jit_kind kind, uint32_t label) {
    hlo_jit_add(b, (hlo_jit_op){.kind = kind, .label = label, .out = HLO_NO_WORD});
}

void hlo_jit_jump_on(hlo_jit_builder *b, hlo_jit_kind kind, uint32_t word, int32_t number,
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

/* ---- short arrays ---- */

static bool has_vectors(hlo_type type) {
    const hlo_type_info *info = &hlo_types[type];
    bool is_plain = hlo_type_is_integral(type) || type == HLO_F32 || type == HLO_F64;
    return is_plain && info->bytes >= 4 && info->bytes <= 8;
}

uint32_t hlo_jit_vectors(const hlo_jit_builder *b, const hlo_shape *shape) {
    enum { BYTES = 16 };
    if (!b->has_vectors || !hlo_shape_is_array(shape) || !has_vectors((hlo_type)shape->type))
        return 0;
    int64_t bytes = hlo_shape_bytes(shape);
    return bytes % BYTES == 0 && bytes <= HLO_MOST_JIT_VECTORS * BYTES ? (uint32_t)(bytes / BYTES)
                                                                       : 0;
}

hlo_jit_leaf hlo_jit_new_vectors(hlo_jit_builder *b, uint32_t count) {
    hlo_jit_leaf leaf = hlo_jit_word_leaf(b->code.words.n);
    leaf.vectors = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t w = hlo_jit_new_word(b, true, false);
        hlo_jit_new_word(b, false, false);
        b->code.words.v[w].is_wide = b->code.words.v[w + 1].is_wide = true;
    }
    return leaf;
}

/* Vectors that are set before the code begins. */
hlo_jit_leaf hlo_jit_constant_vectors(hlo_jit_builder *b, const void *data, uint32_t count) {
    hlo_jit_leaf leaf = hlo_jit_new_vectors(b, count);
    for (uint32_t w = 0; w < 2 * count; w++) {
        uint64_t bits;
        memcpy(&bits, (const char *)data + w * sizeof bits, sizeof bits);
        hlo_list_push(&b->constants, (hlo_jit_constant){leaf.word + w, bits});
        b->code.words.v[leaf.word + w].is_set = true;
    }
    return leaf;
}

/* The same vector serves for all. */
bool hlo_jit_in_vectors(hlo_jit_builder *b, hlo_jit_leaf *leaf, hlo_type type, uint32_t count) {
    char name[32] = "V_SPREAD_";
    if (leaf->storage != HLO_NO_STORAGE) return false;
    if (leaf->vectors) return leaf->vectors == count;
    uint32_t from = leaf->word;
    const hlo_jit_constant *constant = hlo_jit_constant_of(b, from);
    if (constant) {
        uint64_t low = (uint32_t)constant->bits,
                 bits = hlo_types[type].bytes == 4 ? low | low << 32 : constant->bits;
        *leaf = hlo_jit_constant_vectors(b, (uint64_t[]){bits, bits}, 1);
    } else {
        hlo_jit_stored(type, name + 9, sizeof name - 9);
        hlo_jit_op op = {.kind = HLO_JIT_STENCIL, .stencil = hlo_find_stencil(name)};
        if (!op.stencil) return false;
        *leaf = hlo_jit_new_vectors(b, 1);
        op.in[0] = from, op.in_count = 1, op.out = leaf->word;
        hlo_jit_add(b, op);
    }
    leaf->vectors = count;
    leaf->is_repeated = true;
    return true;
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
