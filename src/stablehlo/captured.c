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

/* In the order of XLA's walk: operations inside an operation come before its operands. */
static void capture(hlo_stablehlo *s, const hlo_mlir_block *block, const hlo_mlir_region *regions,
                    uint32_t n, uint32_t base) {
    for (const hlo_mlir_op *op = block->first; op; op = op->next) {
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const hlo_mlir_block *inner = op->regions[r].first; inner; inner = inner->next)
                capture(s, inner, regions, n, base);
        for (uint32_t i = 0; i < op->operand_count; i++) {
            hlo_mlir_value *value = hlo_mlir_operand(op, i);
            bool is_noted = is_inside(hlo_mlir_block_of(value), regions, n);
            for (uint32_t k = base; k < s->captured.n && !is_noted; k++)
                is_noted = s->captured.v[k] == value;
            if (!is_noted) hlo_list_push(&s->captured, value);
        }
    }
}

uint32_t hlo_stablehlo_captured(hlo_stablehlo *s, const hlo_mlir_region *regions, uint32_t n,
                                hlo_mlir_value ***out) {
    uint32_t base = s->captured.n;
    for (uint32_t i = 0; i < n; i++)
        for (const hlo_mlir_block *block = regions[i].first; block; block = block->next)
            capture(s, block, regions, n, base);
    uint32_t count = s->captured.n - base;
    *out = HLO_NEW_ARRAY(s->arena, hlo_mlir_value *, count);
    if (count) memcpy(*out, s->captured.v + base, count * sizeof **out);
    s->captured.n = base;
    return count;
}
