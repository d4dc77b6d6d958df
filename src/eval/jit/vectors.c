/* See vectors.h: the encoding of AVX-512, and the loop over vectors. */
#include "eval/jit/vectors.h"

#include <string.h>

static void put(hlo_assembler *a, const void *bytes, uint32_t n) {
    hlo_list_reserve(&a->code, a->code.n + n);
    memcpy(a->code.v + a->code.n, bytes, n);
    a->code.n += n;
}
#define PUT(a, ...) put(a, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_32(hlo_assembler *a, uint32_t number) {
    put(a, &number, sizeof number);
}

/* ---- instructions ---- */

typedef struct {
    uint8_t map, prefix, code;
} encoding;

static const encoding encodings[] = {
#define ROW(name, map, prefix, code) [HLO_VECTOR_##name] = {map, prefix, code},
    HLO_VECTOR_OPS(ROW)
#undef ROW
};

/* Numbers of registers have their high bits in the prefix, inverted. */
static void put_prefix(hlo_assembler *a, const hlo_vector_instr *i, const encoding *of) {
    enum { INVERTED = 0xf0, HAS_VVVV = 0x78, FIXED = 4, V2 = 8, WIDTH_512 = 0x40 };
    const hlo_vector_operand *second = &i->second;
    unsigned r = i->to >> 3 & 1u, r2 = i->to >> 4 & 1u, v2 = i->first >> 4 & 1u;
    unsigned b = second->number >> 3 & 1u, x = second->is_memory ? 0 : second->number >> 4 & 1u;
    unsigned registers = r << 7 | x << 6 | b << 5 | r2 << 4;
    PUT(a, 0x62, (uint8_t)((registers ^ INVERTED) | of->map),
        (uint8_t)((((i->first & 15u) << 3) ^ HAS_VVVV) | FIXED | of->prefix),
        (uint8_t)((unsigned)i->zeroes << 7 | WIDTH_512 |
                  (unsigned)(second->is_memory && second->is_one && i->op != HLO_VECTOR_BROADCAST)
                      << 4 |
                  (v2 ? 0u : V2) | i->mask));
}

static void put_operands(hlo_assembler *a, uint8_t to, const hlo_vector_operand *second) {
    unsigned reg = (to & 7u) << 3, rm = second->number & 7u;
    enum { REGISTERS = 0xc0, MEMORY = 0x80, INDEXED = 4, BY_RCX = RCX << 3 };
    if (!second->is_memory) {
        PUT(a, (uint8_t)(REGISTERS | reg | rm));
        return;
    }
    if (second->is_one) PUT(a, (uint8_t)(MEMORY | reg | rm));
    else PUT(a, (uint8_t)(MEMORY | reg | INDEXED), (uint8_t)(BY_RCX | rm));
    put_32(a, second->at);
}

void hlo_put_vector(hlo_assembler *a, const hlo_vector_instr *instr) {
    const encoding *of = &encodings[instr->op];
    put_prefix(a, instr, of);
    PUT(a, of->code);
    put_operands(a, instr->to, &instr->second);
    if (instr->has_immediate) PUT(a, instr->immediate);
}

static void put_mask(hlo_assembler *a, uint8_t op, uint8_t to, uint8_t first, uint8_t second) {
    PUT(a, 0xc5, (uint8_t)(0xfc ^ first << 3), op, (uint8_t)(0xc0 | to << 3 | second));
}

void hlo_put_mask_and(hlo_assembler *a, uint8_t to, uint8_t first, uint8_t second) {
    put_mask(a, 0x41, to, first, second);
}

void hlo_put_mask_or(hlo_assembler *a, uint8_t to, uint8_t first, uint8_t second) {
    put_mask(a, 0x45, to, first, second);
}

void hlo_put_mask_not(hlo_assembler *a, uint8_t to, uint8_t from) {
    PUT(a, 0xc5, 0xf8, 0x44, (uint8_t)(0xc0 | to << 3 | from));
}

void hlo_put_lanes(hlo_assembler *a, uint8_t to, uint32_t bits) {
    PUT(a, 0xb8); /* mov eax */
    put_32(a, bits);
    hlo_put_vector(a, &(hlo_vector_instr){.op = HLO_VECTOR_BROADCAST_GENERAL, .to = to});
}

void hlo_put_pointer(hlo_assembler *a, uint8_t to, uint32_t at) {
    PUT(a, (uint8_t)(0x48 | (to >> 3) << 2), 0x8b, (uint8_t)(0x80 | (to & 7) << 3 | RDI));
    put_32(a, at);
}

/* ---- loop ---- */

uint32_t hlo_begin_vectors(hlo_assembler *a) {
    while (a->code.n % 64) PUT(a, 0xcc);
    uint32_t start = a->code.n;
    PUT(a, 0x48, 0xc1, 0xe6, 0x02); /* shl rsi, 2: bytes */
    PUT(a, 0x48, 0x89, 0xf2);       /* mov rdx, rsi */
    PUT(a, 0x48, 0x83, 0xe2, 0xc0); /* and rdx, -64: of whole vectors */
    PUT(a, 0x31, 0xc9);             /* xor ecx, ecx: bytes that are done */
    return start;
}

static uint32_t put_jump_past(hlo_assembler *a) {
    PUT(a, 0x0f, 0x83); /* jae */
    put_32(a, 0);
    return a->code.n;
}

static void land(hlo_assembler *a, uint32_t jump) {
    uint32_t distance = a->code.n - jump;
    memcpy(a->code.v + jump - sizeof distance, &distance, sizeof distance);
}

void hlo_put_vector_loop(hlo_assembler *a, hlo_vector_loop *loop) {
    PUT(a, 0x48, 0x39, 0xd1); /* cmp rcx, rdx */
    loop->past_body = put_jump_past(a);
    loop->body = a->code.n;
}

void hlo_put_vector_tail(hlo_assembler *a, hlo_vector_loop *loop) {
    PUT(a, 0x48, 0x83, 0xc1, 0x40); /* add rcx, 64 */
    PUT(a, 0x48, 0x39, 0xd1);       /* cmp rcx, rdx */
    PUT(a, 0x0f, 0x82);             /* jb */
    put_32(a, loop->body - a->code.n - 4);
    land(a, loop->past_body);
    PUT(a, 0x48, 0x39, 0xf1); /* cmp rcx, rsi */
    loop->past_tail = put_jump_past(a);
    PUT(a, 0x48, 0x29, 0xce);       /* sub rsi, rcx */
    PUT(a, 0x48, 0xc1, 0xee, 0x02); /* shr rsi, 2: lanes */
    PUT(a, 0x31, 0xc0);             /* xor eax, eax */
    PUT(a, 0x0f, 0xab, 0xf0);       /* bts eax, esi */
    PUT(a, 0xff, 0xc8);             /* dec eax */
    PUT(a, 0xc5, 0xf8, 0x92, 0xf8); /* kmovw k7, eax */
}

void hlo_end_vectors(hlo_assembler *a, const hlo_vector_loop *loop) {
    land(a, loop->past_tail);
    PUT(a, 0xc5, 0xf8, 0x77); /* vzeroupper */
    PUT(a, 0xc3);
}
