/* The custom calls that JAX makes to LAPACK: how one matrix of a batch is handed to a routine. */
#ifndef HLO_EVAL_KERNELS_LINALG_LAPACK_H
#define HLO_EVAL_KERNELS_LINALG_LAPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "ir/ir.h"

enum { HLO_LAPACK_OPERANDS = 4, HLO_LAPACK_RESULTS = 6, HLO_LAPACK_FLAGS = 4 };

/* One call: column-major copies of the operands, which the routine may spoil, and of the results.
 */
typedef struct {
    int32_t sizes[26]; /* by letter: m and n rows and columns, k the smaller, others by routine */
    void *in[HLO_LAPACK_OPERANDS], *out[HLO_LAPACK_RESULTS];
    int64_t flags[HLO_LAPACK_FLAGS]; /* in the order of the routine's row */
} hlo_lapack_call;

static inline int32_t hlo_lapack_size(const hlo_lapack_call *call, char letter) {
    return call->sizes[letter - 'a'];
}

/* The number of `name = NUMBER : TYPE` in a backend_config, 1 or 0 of a bool; false without any. */
bool hlo_lapack_number(hlo_str config, const char *name, int64_t *number);

/* When the memory for a work space is missing. */
enum { HLO_LAPACK_NO_MEMORY = -1010 };

typedef enum {
#define HLO_LAPACK(id, ...) HLO_LAPACK_##id,
#include "analysis/lapack.def"
#undef HLO_LAPACK
    HLO_LAPACK_COUNT
} hlo_lapack_id;

/* Whether a call of a target of the routine has its operands and results: the verifier asks for
 * none of them. */
bool hlo_lapack_fits(hlo_lapack_id id, const hlo_instr *call);

/* NULL, or why LAPACK's library cannot be loaded. To be asked before hlo_lapack_run. */
const char *hlo_lapack_missing(void);

/* Runs a routine for an element type, 0 to 3: f32, f64, c64, c128. Returns the status that LAPACK
 * gives: 0 when all went well. */
int32_t hlo_lapack_run(hlo_lapack_id id, int letter, const hlo_lapack_call *call);

#endif
