/* What the files of products share: the parts that a product is computed in, where operands have
 * their elements, the packed right operand, and products of few rows. */
#ifndef HLO_EVAL_KERNELS_GEMM_GEMM_SHARES_H
#define HLO_EVAL_KERNELS_GEMM_GEMM_SHARES_H

#include "eval/kernels/gemm/gemm.h"

/* What a share computes: its first elements, and how many units. */
typedef struct {
    const char *a, *b;
    char *c;
    int64_t rows, columns, depth;
    const char *panels; /* of its product; NULL: the share packs its own */
    int64_t column;     /* its first one there */
} hlo_gemm_share;

/* ---- where elements are ---- */

/* Bytes that lie between depths of an operand, `q` units apart: all but the last argument are of
 * the operand. */
static inline int64_t hlo_gemm_depth_bytes(const hlo_gemm *g, hlo_type type, int64_t distance,
                                           int64_t q) {
    if (!q) return 0; /* divisions would take longer than small products */
    return q * g->k / g->deep * distance * hlo_types[type].bytes;
}

/* Bytes before column j of the right operand, a unit. */
static inline int64_t hlo_gemm_column_bytes(const hlo_gemm *g, int64_t j) {
    if (!j) return 0;
    return j * g->n / g->wide * g->b.column * hlo_types[g->b.type].bytes;
}

/* Bytes before product number `batch` of an operand. */
int64_t hlo_gemm_batch_bytes(const hlo_gemm *g, const hlo_gemm_operand *operand, int64_t batch);

/* ---- packing ---- */

/* Columns of a panel, which is what is packed at a time. */
int64_t hlo_gemm_panel_columns(const hlo_gemm *g);
/* Bytes of the packed matrix of a product: its blocks, strip after strip. */
int64_t hlo_gemm_packed_bytes(const hlo_gemm *g);
/* Packs a part of the right operand whose first element is at `b`. */
void hlo_gemm_pack_panel(const hlo_gemm *g, const char *b, int64_t columns, int64_t depth,
                         char *panel);
/* Packs the right operands of all products. */
void hlo_gemm_pack_all(const hlo_gemm *g, const char *b, char *panels);
/* The share's columns of the packed block at depth q, `depth` deep. */
static inline const char *hlo_gemm_packed_columns(const hlo_gemm *g, const hlo_gemm_share *s,
                                                  int64_t q, int64_t depth) {
    int64_t columns = hlo_round_up(g->wide, 2 * g->kernels->lanes);
    return s->panels + (q * columns + s->column * depth) * g->kernels->bytes;
}

/* ---- few rows ---- */

void hlo_gemm_multiply_few(const hlo_gemm *g, const hlo_gemm_share *s);
/* Tiny products [first, last), whose operands and results begin at a, b and c. */
void hlo_gemm_multiply_tiny(const hlo_gemm *g, const char *a, const char *b, char *c, int64_t first,
                            int64_t last);

#endif
