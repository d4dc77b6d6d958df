/* How far two arrays are from each other, and what a glance at one array shows. */
#ifndef HLO_EVAL_VALUE_DISTANCE_H
#define HLO_EVAL_VALUE_DISTANCE_H

#include "base/buf.h"
#include "ir/literal.h"

/* Elements agree when they are equal or both NaN, and finite floats also when they differ by at
 * most atol + rtol * |expected|, or by at most max_ulp representable values. */
typedef struct {
    double rtol, atol;
    uint64_t max_ulp;
    bool auto_rtol; /* see hlo_compare_options */
} hlo_tolerance;

/* Bin 0 counts distances of 0; bin b those from 2^(b-1) to 2^b - 1; the last one also what has no
 * distance, since only one of the two is finite. */
enum { HLO_ULP_BINS = 66 };

typedef struct {
    int64_t elements, different, nans; /* nans: of those that agree */
    /* Position in row-major order of the worst different element, by how many times it is beyond
     * what is allowed, or by its error when nothing is; -1: none. */
    int64_t worst;
    double worst_error;          /* infinity where only one is finite */
    uint64_t worst_ulp;          /* UINT64_MAX where it means nothing */
    uint64_t ulps[HLO_ULP_BINS]; /* of floats; the larger distance of complex parts */
    hlo_tolerance allowed;       /* rtol and atol as numbers */
    /* With any one of these beside the numbers that were given, all elements would agree; infinity:
     * with none. */
    double needed_rtol, needed_atol;
    uint64_t needed_ulp;
    int64_t hopeless; /* floats of which only one is finite: no tolerance helps */
} hlo_comparison;

/* Both of the same array shape. */
hlo_comparison hlo_compare_arrays(const hlo_literal *got, const hlo_literal *expected,
                                  const hlo_tolerance *tolerance);
/* A line of summary; for arrays that differ also the worst element and the histogram. */
void hlo_comparison_print(hlo_buf *to, const char *name, const hlo_comparison *comparison,
                          const hlo_literal *got, const hlo_literal *expected);

/* `[0,2] got 1, expected 2, error 1`: the worst element of arrays that differ. */
void hlo_worst_element_print(hlo_buf *to, const hlo_comparison *comparison, const hlo_literal *got,
                             const hlo_literal *expected);

/* `[0,2]`: the index of an element by its position in row-major order. */
void hlo_element_index_print(hlo_buf *to, const hlo_shape *shape, int64_t position);

/* Of the numbers in an array; those that are NaN only count. */
typedef struct {
    int64_t numbers, nans, infinities; /* a complex element is two numbers */
    int64_t first_nan, first_infinity; /* elements, in row-major order; -1: none */
    double least, greatest, mean;
} hlo_array_summary;

hlo_array_summary hlo_summarise_array(const hlo_literal *array);
/* `min -1 max 2 mean 0.5 nan 0` */
void hlo_summary_print(hlo_buf *to, const hlo_array_summary *summary);

#endif
