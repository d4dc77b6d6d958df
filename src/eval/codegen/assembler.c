/* See assembler.h: encodings of the few instructions that stand between stencils, and the holes of
 * stencils. */
#include "eval/codegen/assembler.h"

#include <stdlib.h>
#include <string.h>

#include "eval/program/code.h"

hlo_assembler *hlo_assembler_new(void) {
    return hlo_calloc(1, sizeof(hlo_assembler));
}

void hlo_assembler_free(hlo_assembler *a) {
    if (!a) return;
    hlo_list_free(&a->code);
    hlo_list_free(&a->jumps);
    hlo_list_free(&a->constants);
    hlo_list_free(&a->labels);
    hlo_free(a);
}

/* ---- bytes ---- */

static void put(hlo_assembler *a, unsigned byte) {
    hlo_list_push(&a->code, (uint8_t)byte);
}

static void put_bytes(hlo_assembler *a, const void *bytes, uint32_t n) {
    if (!n) return;
    hlo_list_reserve(&a->code, a->code.n + n);
    memcpy(a->code.v + a->code.n, bytes, n);
    a->code.n += n;
}

static void put_32(hlo_assembler *a, uint32_t number) {
    put_bytes(a, &number, sizeof number);
}

/* ---- stencils ---- */

static int compare_name(const void *name, const void *stencil) {
    return strcmp(name, ((const hlo_stencil *)stencil)->name);
}

const hlo_stencil *hlo_find_stencil(const char *name) {
    return bsearch(name, hlo_stencils, hlo_stencil_count, sizeof *hlo_stencils, compare_name);
}

void hlo_put_stencil(hlo_assembler *a, const hlo_stencil *stencil) {
    uint32_t start = a->code.n, next = start + stencil->size;
    put_bytes(a, hlo_stencil_code + stencil->code, stencil->size);
    for (uint32_t i = 0; i < stencil->hole_count; i++) {
        const hlo_stencil_hole *hole = &hlo_stencil_holes[stencil->holes + i];
        uint32_t at = start + hole->at, distance = next - at - 4;
        if (hole->is_next) memcpy(a->code.v + at, &distance, sizeof distance);
        else hlo_list_push(&a->constants, (hlo_patch){at, hole->data, hole->addend});
    }
}

/* ---- moves ---- */

/* The prefix that has the high bits of both registers, if any are set. */
static void put_rex(hlo_assembler *a, bool wide, unsigned reg, unsigned rm) {
    HLO_ASSERT(reg < 16 && rm < 16);
    unsigned rex = 0x40u | (unsigned)wide << 3 | (reg >> 3) << 2 | rm >> 3;
    if (rex != 0x40) put(a, rex);
}

static void put_registers(hlo_assembler *a, unsigned reg, unsigned rm) {
    HLO_ASSERT(reg < 16 && rm < 16);
    put(a, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static void put_word_of_frame(hlo_assembler *a, unsigned reg, uint32_t word) {
    put(a, 0x80 | (reg & 7) << 3 | RBP);
    put_32(a, word * 8);
}

void hlo_put_move(hlo_assembler *a, hlo_register to, hlo_register from) {
    if (to.number == from.number) return;
    put_rex(a, !to.is_vector, to.number, from.number);
    if (to.is_vector) put(a, 0x0f); /* movaps */
    put(a, to.is_vector ? 0x28 : 0x8b);
    put_registers(a, to.number, from.number);
}

/* movups, movq, mov: prefix and operation of each, to the register and from it. */
static void put_frame_move(hlo_assembler *a, hlo_register reg, uint32_t word, bool is_store) {
    unsigned narrow = is_store ? 0xd6 : 0x7e, wide = is_store ? 0x11 : 0x10;
    if (reg.is_vector && !reg.is_wide) put(a, is_store ? 0x66 : 0xf3);
    put_rex(a, !reg.is_vector, reg.number, 0);
    if (reg.is_vector) put(a, 0x0f);
    put(a, !reg.is_vector ? is_store ? 0x89 : 0x8b : reg.is_wide ? wide : narrow);
    put_word_of_frame(a, reg.number, word);
}

void hlo_put_load(hlo_assembler *a, hlo_register to, uint32_t word) {
    put_frame_move(a, to, word, false);
}

void hlo_put_store(hlo_assembler *a, uint32_t word, hlo_register from) {
    put_frame_move(a, from, word, true);
}

void hlo_put_address(hlo_assembler *a, uint8_t to, uint32_t word) {
    put_rex(a, true, to, 0);
    put(a, 0x8d);
    put_word_of_frame(a, to, word);
}

void hlo_put_number(hlo_assembler *a, uint8_t to, uint64_t number) {
    put_rex(a, true, 0, to);
    put(a, 0xb8u | (to & 7u));
    put_bytes(a, &number, sizeof number);
}

/* ---- functions ---- */

void hlo_put_call(hlo_assembler *a) {
    put(a, 0xff);
    put(a, 0xd0);
}

/* The registers that belong to the caller, the last one for the alignment of the stack. */
static const uint8_t saved[] = {RBP, RBX, R12, R13, R14, R15, RAX};
enum { SAVED = sizeof saved };

void hlo_put_entry(hlo_assembler *a) {
    for (uint32_t i = 0; i < SAVED; i++) {
        put_rex(a, false, 0, saved[i]);
        put(a, 0x50u | (saved[i] & 7u));
    }
    hlo_put_move(a, (hlo_register){.number = RBP}, (hlo_register){.number = RDI});
}

void hlo_put_return(hlo_assembler *a, bool result) {
    for (uint32_t i = SAVED; i-- > 0;) {
        put_rex(a, false, 0, saved[i]);
        put(a, 0x58u | (saved[i] & 7u));
    }
    put(a, 0xb8); /* mov eax */
    put_32(a, result);
    put(a, 0xc3);
}

/* ---- jumps ---- */

uint32_t hlo_new_label(hlo_assembler *a) {
    hlo_list_push(&a->labels, UINT32_MAX);
    return a->labels.n - 1;
}

void hlo_put_label(hlo_assembler *a, uint32_t label) {
    HLO_ASSERT(label < a->labels.n && a->labels.v[label] == UINT32_MAX);
    a->labels.v[label] = a->code.n;
}

static void put_distance(hlo_assembler *a, uint32_t label) {
    HLO_ASSERT(label < a->labels.n);
    hlo_list_push(&a->jumps, (hlo_patch){a->code.n, label, -4});
    put_32(a, 0);
}

void hlo_put_jump(hlo_assembler *a, uint32_t label) {
    put(a, 0xe9);
    put_distance(a, label);
}

static void put_jump_when(hlo_assembler *a, unsigned condition, uint32_t label) {
    put(a, 0x0f);
    put(a, 0x80 | condition);
    put_distance(a, label);
}

enum { BELOW = 2, EQUAL = 4, NOT_EQUAL = 5 };

void hlo_put_jump_if_zero(hlo_assembler *a, uint8_t number, uint32_t label) {
    put(a, 0x40); /* dil, not bh */
    put(a, 0x84);
    put_registers(a, number, number);
    put_jump_when(a, EQUAL, label);
}

void hlo_put_jump_unless(hlo_assembler *a, int32_t number, uint32_t label) {
    put(a, 0x81);
    put_registers(a, 7, RDI);
    put_32(a, (uint32_t)number);
    put_jump_when(a, NOT_EQUAL, label);
}

void hlo_put_count_down(hlo_assembler *a, uint32_t word, uint32_t by, uint32_t label) {
    put(a, 0x81); /* sub dword */
    put_word_of_frame(a, 5, word);
    put_32(a, by);
    put_jump_when(a, BELOW, label);
}

/* ---- the end ---- */

static void fill_distance(hlo_assembler *a, const hlo_patch *patch, uint32_t target) {
    HLO_ASSERT(patch->at + 4 <= a->code.n);
    uint32_t distance = target + (uint32_t)patch->addend - patch->at;
    memcpy(a->code.v + patch->at, &distance, sizeof distance);
}

/* A constant is 16 bytes or less, and aligned to 16 where it is as long: the 16 bytes that it is
 * among are placed where the first patch needs them. `placed`: where they are, by their number. */
static void place_constant(hlo_assembler *a, const hlo_patch *patch, uint32_t *placed) {
    uint32_t base = patch->target & ~15u, n = hlo_stencil_data_bytes - base;
    if (!placed[base / 16]) {
        placed[base / 16] = a->code.n;
        put_bytes(a, hlo_stencil_data + base, n < 16 ? n : 16);
        while (a->code.n % 16) put(a, 0);
    }
    fill_distance(a, patch, placed[base / 16] + patch->target - base);
}

void hlo_end_code(hlo_assembler *a) {
    uint32_t *placed = hlo_calloc(hlo_stencil_data_bytes / 16 + 1, sizeof *placed);
    for (uint32_t i = 0; i < a->jumps.n; i++)
        fill_distance(a, &a->jumps.v[i], a->labels.v[a->jumps.v[i].target]);
    while (a->code.n % 16) put(a, 0xcc);
    for (uint32_t i = 0; i < a->constants.n; i++) place_constant(a, &a->constants.v[i], placed);
    hlo_free(placed);
}
