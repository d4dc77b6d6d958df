/* Which values are in vectors while a cluster's code is put: see cluster_coder.h. */
#include <string.h>

#include "eval/codegen/cluster/cluster_coder.h"

enum { FIRST_POINTER = R8, POINTERS = 4 };
enum { TAIL_MASK = 7, MASKS = 0x7e }; /* of registers that are masks: the others */
static const uint32_t bits_of[] = {
    [HLO_CODE_SIGN] = 0x80000000,    [HLO_CODE_MAGNITUDE] = 0x7fffffff,
    [HLO_CODE_ONE_F32] = 0x3f800000, [HLO_CODE_ONE_S32] = 1,
    [HLO_CODE_ALL] = UINT32_MAX,     [HLO_CODE_NANS] = 0x11,
};

/* ---- memory ---- */

/* Memory of the piece begins with the pointers to the registers' lanes, which rdi has. */
static hlo_vector_operand memory_of(hlo_coder *c, uint32_t r) {
    const hlo_cluster_register *reg = &c->cluster->registers[r];
    hlo_vector_operand memory = {
        .is_memory = true, .is_one = hlo_coder_is_one(c, r), .number = RDI};
    if (reg->place == HLO_IN_MEMORY && !reg->is_long) {
        memory.at = (uint32_t)reg->at;
        return memory;
    }
    if (c->pointer[r] == HLO_NO_VECTOR && c->pointer_count < POINTERS)
        c->pointer[r] = (uint8_t)(FIRST_POINTER + c->pointer_count++);
    memory.number = c->pointer[r] == HLO_NO_VECTOR ? RAX : c->pointer[r];
    if (memory.number == RAX) hlo_put_pointer(&c->code, RAX, r * (uint32_t)sizeof(char *));
    return memory;
}

/* ---- vectors ---- */

/* The last ones, from the end on; where masks are vectors the tail's comes before them. */
static uint8_t vector_of_bits(const hlo_coder *c, hlo_code_bits bits) {
    return (uint8_t)(c->code.set->vectors - 1 - bits);
}

uint8_t hlo_coder_tail(const hlo_coder *c) {
    return c->code.set->has_masks ? TAIL_MASK : vector_of_bits(c, HLO_CODE_NO_BITS);
}

static uint32_t free_vectors(const hlo_coder *c) {
    uint32_t vectors = UINT32_MAX >> (32 - c->code.set->vectors);
    for (uint32_t bits = 0; bits < HLO_CODE_NO_BITS; bits++)
        if (c->kept >> bits & 1) vectors &= ~(1u << vector_of_bits(c, bits));
    return c->code.set->has_masks ? vectors : vectors & ~(1u << hlo_coder_tail(c));
}

void hlo_coder_forget(hlo_coder *c) {
    uint32_t n = c->cluster->register_count;
    c->free = free_vectors(c);
    c->fewest_free = c->code.set->vectors;
    c->pointer_count = 0;
    c->is_full = false;
    memset(c->is_held, 0, n * sizeof *c->is_held);
    memset(c->pointer, HLO_NO_VECTOR, n);
    memset(c->vector, HLO_NO_VECTOR, n);
}

void hlo_coder_begin(hlo_coder *c) {
    for (uint32_t r = 0; r < c->cluster->register_count; r++)
        if (!c->is_held[r]) c->vector[r] = HLO_NO_VECTOR;
    c->masks = MASKS;
}

uint8_t hlo_coder_take(hlo_coder *c) {
    if (!c->free) {
        c->is_full = true;
        return 0;
    }
    uint8_t vector = (uint8_t)__builtin_ctz(c->free);
    c->free &= c->free - 1;
    uint32_t left = (uint32_t)__builtin_popcount(c->free);
    if (left < c->fewest_free) c->fewest_free = left;
    return vector;
}

void hlo_coder_give_back(hlo_coder *c, uint8_t vector) {
    HLO_ASSERT(vector < 32);
    c->free |= 1u << vector;
}

uint8_t hlo_coder_take_mask(hlo_coder *c) {
    if (!c->code.set->has_masks) return hlo_coder_take(c);
    if (!c->masks) {
        c->is_full = true;
        return 1;
    }
    uint8_t mask = (uint8_t)__builtin_ctz(c->masks);
    c->masks &= c->masks - 1;
    return mask;
}

hlo_vector_operand hlo_coder_kept(hlo_coder *c, hlo_code_bits bits) {
    c->kept |= 1u << bits;
    return hlo_of_vector(vector_of_bits(c, bits));
}

void hlo_coder_start(hlo_coder *c) {
    for (uint32_t r = 0; r < c->cluster->register_count; r++)
        if (c->pointer[r] != HLO_NO_VECTOR)
            hlo_put_pointer(&c->code, c->pointer[r], r * (uint32_t)sizeof(char *));
    c->pointer_count = POINTERS;
    for (uint32_t bits = 0; bits < HLO_CODE_NO_BITS; bits++)
        if (c->kept >> bits & 1) hlo_put_lanes(&c->code, vector_of_bits(c, bits), bits_of[bits]);
    c->free = free_vectors(c);
    memset(c->vector, HLO_NO_VECTOR, c->cluster->register_count);
}

/* ---- registers of the cluster ---- */

uint8_t hlo_coder_vector(hlo_coder *c, uint32_t r) {
    if (c->vector[r] == HLO_NO_VECTOR) {
        c->vector[r] = hlo_coder_take(c);
        hlo_put_vector_load(&c->code, c->vector[r], memory_of(c, r), c->tail);
    }
    return c->vector[r];
}

hlo_vector_operand hlo_coder_operand(hlo_coder *c, uint32_t r) {
    bool is_in_memory = c->vector[r] == HLO_NO_VECTOR && hlo_coder_is_one(c, r);
    if (is_in_memory && c->code.set->has_masks) return memory_of(c, r);
    return hlo_of_vector(hlo_coder_vector(c, r));
}

static void drop(hlo_coder *c, uint32_t r) {
    bool is_mask = hlo_coder_is_mask(c, r) && c->code.set->has_masks;
    if (is_mask) c->masks |= 1u << c->vector[r];
    else hlo_coder_give_back(c, c->vector[r]);
    c->vector[r] = HLO_NO_VECTOR;
}

/* What no later step reads, and numbers for all lanes unless they are held. */
static void drop_operands(hlo_coder *c) {
    const hlo_cluster_step *step = hlo_coder_step(c, c->at);
    for (uint32_t i = 0; i < step->arity; i++) {
        uint32_t r = step->in[i];
        bool is_needed = c->is_held[r] || (c->last[r] > c->at && !hlo_coder_is_one(c, r));
        if (c->vector[r] != HLO_NO_VECTOR && !is_needed) drop(c, r);
    }
}

void hlo_coder_end_step(hlo_coder *c, uint8_t result) {
    uint32_t out = hlo_coder_step(c, c->at)->out;
    c->vector[out] = result;
    if (c->is_wanted[out]) hlo_put_vector_store(&c->code, result, memory_of(c, out), c->tail);
    drop_operands(c);
    if (c->last[out] <= c->at && c->vector[out] != HLO_NO_VECTOR) drop(c, out);
}
