/* Rules of custom calls to LAPACK, which rules_custom_call.c chooses by their target: a rule for
 * each routine that has a derivative. */
#ifndef HLO_PASSES_AUTODIFF_LAPACK_H
#define HLO_PASSES_AUTODIFF_LAPACK_H

#include "passes/autodiff/linalg.h"

hlo_gradient_rule hlo_gradient_potrf, hlo_gradient_trsm, hlo_gradient_getrf; /* lapack_factors.c */
hlo_gradient_rule hlo_gradient_gtsv;
hlo_gradient_rule hlo_gradient_geqrf, hlo_gradient_geqp3, hlo_gradient_orgqr; /* lapack_qr.c */
hlo_gradient_rule hlo_gradient_syevd, hlo_gradient_gesvd, hlo_gradient_geev;  /* lapack_spectra.c */

/* The letter, or number, of a flag in the backend_config; 0: there is none. */
int64_t hlo_lapack_flag(const hlo_instr *instr, const char *name);
/* Zeros around, or parts taken away, so that a dimension has that size. */
hlo_instr *hlo_matrix_resized(hlo_gradient *g, hlo_instr *a, uint32_t dimension, int64_t size);

#endif
