/* Lines of elements in the order of keys. */
#ifndef HLO_EVAL_KERNELS_SORT_KEY_SORT_H
#define HLO_EVAL_KERNELS_SORT_KEY_SORT_H

#include "eval/kernels/sort/order.h"

typedef struct hlo_key_sorter hlo_key_sorter;

/* How p->instr, a sort of lines of `length` elements by a comparator of its operands' elements, is
 * done by keys; NULL when that is not possible. */
const hlo_key_sorter *hlo_prepare_key_sorter(hlo_preparation *p, int64_t length);

/* Bytes of scratch memory that a line takes. */
size_t hlo_key_sorter_scratch(const hlo_key_sorter *sorter);

/* Writes the elements of one line in order to the same line of the results. `scratch` is aligned to
 * 64. False, and nothing is written, when some element has no key (NaN in a plain order), and when
 * the pool was stopped. */
bool hlo_sort_line_by_keys(const hlo_key_sorter *sorter, const hlo_lines *lines, int64_t line,
                           char *const *results, void *scratch);

#endif
