/* Values from outside that regions use. */
#include "stablehlo/convert.h"

static bool is_inside(const hlo_mlir_block *block, const hlo_mlir_region *regions, uint32_t n) {
    for (const hlo_mlir_block *b = block; b;) {
        const hlo_mlir_op *op = b->region->op;
        for (uint32_t i = 0; i < n; i++)
            if (b->region == &regions[i]) return true;
        b = op ? op->block : NULL;
    }
    return false;
}

/* The regions, and what was captured by them so far: the values of s->captured from `base` on. */
typedef struct {
    hlo_stablehlo *s;
    const hlo_mlir_region *regions;
    uint32_t n, base;
    hlo_hash by_value; /* numbers of the values, from 1; empty while they are few */
} capturing;

enum { FEW = 16 };

static bool is_noted(const capturing *c, const hlo_mlir_value *value) {
    hlo_mlir_value *const *v = c->s->captured.v + c->base;
    uint32_t n = c->s->captured.n - c->base;
    if (n > FEW) {
        hlo_hash_each (number, &c->by_value, hlo_hash_pointer(value, 0))
            if (v[number - 1] == value) return true;
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (v[i] == value) return true;
    return false;
}

static void note(capturing *c, hlo_mlir_value *value) {
    hlo_list_push(&c->s->captured, value);
    uint32_t n = c->s->captured.n - c->base;
    if (n <= FEW) return;
    for (uint32_t i = n == FEW + 1 ? 0 : n - 1; i < n; i++)
        hlo_hash_add(&c->by_value, hlo_hash_pointer(c->s->captured.v[c->base + i], 0), i + 1);
}

/* In the order of XLA's walk: operations inside an operation come before its operands. */
static void capture(capturing *c, const hlo_mlir_block *block) {
    for (const hlo_mlir_op *op = block->first; op; op = op->next) {
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const hlo_mlir_block *inner = op->regions[r].first; inner; inner = inner->next)
                capture(c, inner);
        for (uint32_t i = 0; i < op->operand_count; i++) {
            hlo_mlir_value *value = hlo_mlir_operand(op, i);
            if (!is_inside(hlo_mlir_block_of(value), c->regions, c->n) && !is_noted(c, value))
                note(c, value);
        }
    }
}

uint32_t hlo_stablehlo_captured(hlo_stablehlo *s, const hlo_mlir_region *regions, uint32_t n,
                                hlo_mlir_value ***out) {
    uint32_t base = s->captured.n;
    capturing c = {.s = s, .regions = regions, .n = n, .base = base};
    for (uint32_t i = 0; i < n; i++)
        for (const hlo_mlir_block *block = regions[i].first; block; block = block->next)
            capture(&c, block);
    hlo_hash_free(&c.by_value);
    uint32_t count = s->captured.n - base;
    *out = HLO_NEW_ARRAY(s->arena, hlo_mlir_value *, count);
    if (count) memcpy(*out, s->captured.v + base, count * sizeof **out);
    s->captured.n = base;
    return count;
}
