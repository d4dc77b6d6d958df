/* The custom calls that JAX makes to LAPACK: how one matrix of a batch is handed to a routine. */
#ifndef HLO_EVAL_KERNELS_LINALG_LAPACK_H
#define HLO_EVAL_KERNELS_LINALG_LAPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/lapack_call.h"

/* One call: column-major copies of the operands, which the routine may spoil, and of the results.
 */
typedef struct {
    const int32_t
        *sizes; /* by letter: m and n rows and columns, k the smaller, others by routine */
    void *in[HLO_LAPACK_OPERANDS], *out[HLO_LAPACK_RESULTS];
    int64_t flags[HLO_LAPACK_FLAGS]; /* in the order of the routine's row */
} hlo_lapack_call;

static inline int32_t hlo_lapack_size(const hlo_lapack_call *call, char letter) {
    return call->sizes[letter - 'a'];
}

/* When the memory for a work space is missing. */
enum { HLO_LAPACK_NO_MEMORY = -1010 };

/* NULL, or why LAPACK's library cannot be loaded. To be asked before hlo_lapack_run. */
const char *hlo_lapack_missing(void);

/* Runs a routine for an element type, 0 to 3: f32, f64, c64, c128. Returns the status that LAPACK
 * gives: 0 when all went well. */
int32_t hlo_lapack_run(hlo_lapack_id id, int letter, const hlo_lapack_call *call);

#endif
