/* See vectors.h: the encodings of AVX2 and AVX-512, and the loop over vectors. */
#include "eval/codegen/vectors.h"

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

/* ---- sets ---- */

static const hlo_vector_set sets[] = {
    {.name = "avx2", .bytes = 32, .vectors = 16, .has_masks = false},
    {.name = "avx512", .bytes = 64, .vectors = 32, .has_masks = true},
};

const hlo_vector_set *hlo_find_vector_set(const char *isa) {
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strncmp(isa, sets[i].name, strlen(sets[i].name)) == 0) return &sets[i];
    return NULL;
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
enum { INVERTED = 0xf0, HAS_VVVV = 0x78 };

static void put_prefix_of_512(hlo_assembler *a, const hlo_vector_instr *i, const encoding *of) {
    enum { FIXED = 4, V2 = 8, WIDTH_512 = 0x40 };
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

static void put_prefix_of_256(hlo_assembler *a, const hlo_vector_instr *i, const encoding *of) {
    enum { WIDTH_256 = 4 };
    unsigned r = i->to >> 3 & 1u, b = i->second.number >> 3 & 1u;
    unsigned registers = r << 7 | b << 5, fixed = 0xe0;
    PUT(a, 0xc4, (uint8_t)((registers ^ fixed) | of->map),
        (uint8_t)(((unsigned)i->first << 3 ^ HAS_VVVV) | WIDTH_256 | of->prefix));
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

void hlo_put_vector(const hlo_vector_code *code, const hlo_vector_instr *instr) {
    const encoding *of = &encodings[instr->op];
    hlo_assembler *a = code->a;
    if (code->set->has_masks) put_prefix_of_512(a, instr, of);
    else put_prefix_of_256(a, instr, of);
    PUT(a, of->code);
    put_operands(a, instr->to, &instr->second);
    if (instr->has_immediate) PUT(a, instr->immediate);
}

static void put_mask(hlo_assembler *a, uint8_t op, uint8_t to, uint8_t first, uint8_t second) {
    PUT(a, 0xc5, (uint8_t)(0xfc ^ first << 3), op, (uint8_t)(0xc0 | to << 3 | second));
}

void hlo_put_mask_and(const hlo_vector_code *code, uint8_t to, uint8_t first, uint8_t second) {
    put_mask(code->a, 0x41, to, first, second);
}

void hlo_put_mask_or(const hlo_vector_code *code, uint8_t to, uint8_t first, uint8_t second) {
    put_mask(code->a, 0x45, to, first, second);
}

void hlo_put_mask_not(const hlo_vector_code *code, uint8_t to, uint8_t from) {
    PUT(code->a, 0xc5, 0xf8, 0x44, (uint8_t)(0xc0 | to << 3 | from));
}

/* ---- memory ---- */

void hlo_put_vector_load(const hlo_vector_code *code, uint8_t to, hlo_vector_operand memory,
                         uint8_t tail) {
    hlo_vector_instr instr = {.op = HLO_VECTOR_LOAD, .to = to, .second = memory};
    if (memory.is_one) instr.op = HLO_VECTOR_BROADCAST;
    else if (tail && code->set->has_masks) instr.mask = tail, instr.zeroes = true;
    else if (tail) instr.op = HLO_VECTOR_MASKED_LOAD, instr.first = tail;
    hlo_put_vector(code, &instr);
}

void hlo_put_vector_store(const hlo_vector_code *code, uint8_t from, hlo_vector_operand memory,
                          uint8_t tail) {
    hlo_vector_instr instr = {.op = HLO_VECTOR_STORE, .to = from, .second = memory};
    if (code->set->has_masks) instr.mask = tail;
    else if (tail) instr.op = HLO_VECTOR_MASKED_STORE, instr.first = tail;
    hlo_put_vector(code, &instr);
}

static void put_move_from_eax(hlo_assembler *a, uint8_t to) {
    PUT(a, 0xc4, to >> 3 ? 0x61 : 0xe1, 0x79, 0x6e, (uint8_t)(0xc0 | (to & 7) << 3)); /* vmovd */
}

void hlo_put_lanes(const hlo_vector_code *code, uint8_t to, uint32_t bits) {
    hlo_vector_instr instr = {.op = HLO_VECTOR_BROADCAST_GENERAL, .to = to};
    PUT(code->a, 0xb8); /* mov eax */
    put_32(code->a, bits);
    if (!code->set->has_masks) {
        put_move_from_eax(code->a, to);
        instr.op = HLO_VECTOR_BROADCAST_FIRST;
        instr.second.number = to;
    }
    hlo_put_vector(code, &instr);
}

void hlo_put_pointer(const hlo_vector_code *code, uint8_t to, uint32_t at) {
    PUT(code->a, (uint8_t)(0x48 | (to >> 3) << 2), 0x8b, (uint8_t)(0x80 | (to & 7) << 3 | RDI));
    put_32(code->a, at);
}

/* ---- loop ---- */

uint32_t hlo_begin_vectors(const hlo_vector_code *code) {
    hlo_assembler *a = code->a;
    while (a->code.n % 64) PUT(a, 0xcc);
    uint32_t start = a->code.n;
    PUT(a, 0x48, 0xc1, 0xe6, 0x02);                              /* shl rsi, 2: bytes */
    PUT(a, 0x48, 0x89, 0xf2);                                    /* mov rdx, rsi */
    PUT(a, 0x48, 0x83, 0xe2, (uint8_t)(256 - code->set->bytes)); /* and rdx: of whole vectors */
    PUT(a, 0x31, 0xc9);                                          /* xor ecx, ecx: bytes done */
    return start;
}

static uint32_t put_jump_past(hlo_assembler *a) {
    PUT(a, 0x0f, 0x83); /* jae */
    put_32(a, 0);
    return a->code.n;
}

/* The distance before `from` becomes that to here, and `more` bytes on. */
static void land(hlo_assembler *a, uint32_t from, uint32_t more) {
    uint32_t distance = a->code.n + more - from;
    memcpy(a->code.v + from - sizeof distance, &distance, sizeof distance);
}

void hlo_put_vector_loop(const hlo_vector_code *code, hlo_vector_loop *loop) {
    PUT(code->a, 0x48, 0x39, 0xd1); /* cmp rcx, rdx */
    loop->past_body = put_jump_past(code->a);
    loop->body = code->a->code.n;
}

static void put_mask_of_512(hlo_assembler *a, uint8_t mask) {
    PUT(a, 0x48, 0xc1, 0xee, 0x02);                        /* shr rsi, 2: lanes */
    PUT(a, 0x31, 0xc0);                                    /* xor eax, eax */
    PUT(a, 0x0f, 0xab, 0xf0);                              /* bts eax, esi */
    PUT(a, 0xff, 0xc8);                                    /* dec eax */
    PUT(a, 0xc5, 0xf8, 0x92, (uint8_t)(0xc0 | mask << 3)); /* kmovw from eax */
}

/* Of the lanes after the function, those with all bits set first, a vector that begins as many
 * bytes before the others. */
static void put_mask_of_256(const hlo_vector_code *code, hlo_vector_loop *loop, uint8_t mask) {
    hlo_assembler *a = code->a;
    PUT(a, 0x48, 0x8d, 0x15); /* lea rdx */
    put_32(a, 0);
    loop->lanes = a->code.n;
    PUT(a, 0x48, 0x29, 0xf2); /* sub rdx, rsi */
    hlo_put_vector(code, &(hlo_vector_instr){
                             .op = HLO_VECTOR_LOAD, .to = mask, .second = {true, true, RDX, 0}});
}

void hlo_put_vector_tail(const hlo_vector_code *code, hlo_vector_loop *loop, uint8_t mask) {
    hlo_assembler *a = code->a;
    PUT(a, 0x48, 0x83, 0xc1, code->set->bytes); /* add rcx */
    PUT(a, 0x48, 0x39, 0xd1);                   /* cmp rcx, rdx */
    PUT(a, 0x0f, 0x82);                         /* jb */
    put_32(a, loop->body - a->code.n - 4);
    land(a, loop->past_body, 0);
    PUT(a, 0x48, 0x39, 0xf1); /* cmp rcx, rsi */
    loop->past_tail = put_jump_past(a);
    PUT(a, 0x48, 0x29, 0xce); /* sub rsi, rcx */
    if (code->set->has_masks) put_mask_of_512(a, mask);
    else put_mask_of_256(code, loop, mask);
}

void hlo_end_vectors(const hlo_vector_code *code, const hlo_vector_loop *loop) {
    hlo_assembler *a = code->a;
    land(a, loop->past_tail, 0);
    PUT(a, 0xc5, 0xf8, 0x77); /* vzeroupper */
    PUT(a, 0xc3);
    if (code->set->has_masks) return;
    land(a, loop->lanes, code->set->bytes);
    for (uint32_t k = 0; k < code->set->bytes; k++) PUT(a, 0xff);
    for (uint32_t k = 0; k < code->set->bytes; k++) PUT(a, 0);
}
