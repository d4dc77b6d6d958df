/* Memory for values: called by the runner, which provides the results of kernels, and by callers
 * that make arguments. Kernels do not include it. */
#ifndef HLO_EVAL_VALUE_VALUE_MEMORY_H
#define HLO_EVAL_VALUE_VALUE_MEMORY_H

#include "eval/value/value.h"

/* These return NULL when the shape's size is unknown or the memory is not there. Data is aligned to
 * 16 bytes, from 4 KiB on to 64. */

/* Uninitialised array data; tuples have empty slots. */
hlo_value *hlo_value_new(const hlo_shape *shape);
/* Uninitialised arrays, in tuples too. */
hlo_value *hlo_value_new_tree(const hlo_shape *shape);
/* Released values of few bytes, for the next ones: a thread that runs has such lists, so that loops
 * over small values do not go to malloc. */
enum { HLO_KEPT_LISTS = 3 };
typedef struct {
    hlo_value *first[HLO_KEPT_LISTS];
    uint32_t count[HLO_KEPT_LISTS];
} hlo_kept_values;
/* From now on the calling thread uses the lists (NULL: none); returns those that it used before. */
hlo_kept_values *hlo_kept_values_enter(hlo_kept_values *lists);
void hlo_kept_values_free(hlo_kept_values *lists);

/* An array or a token whose header and data, neither of which is in use, have another owner. */
hlo_value *hlo_value_place(hlo_value *header, const hlo_shape *shape, void *data);
/* Zero filled, tuples too. */
hlo_value *hlo_value_zeros(const hlo_shape *shape);
/* `value` itself when there is no other reference and its data is its own, else a copy (the
 * reference to `value` is then released): for in-place changes of a value that the caller holds. */
hlo_value *hlo_value_own(hlo_value *value);

/* Whether the caller's reference is the only one to the data: no other value sees what is written
 * over it. */
bool hlo_value_is_dying(const hlo_value *argument);
/* For results that start as an argument: the argument itself (retained) when this is its last use
 * and its data is in no other value, else a copy of it. `shape` is the result's, compatible with
 * the argument's. */
hlo_value *hlo_value_reuse(hlo_value *argument, const hlo_shape *shape);

/* Its arrays in separate memory; the reference to `value` is released. NULL without memory. */
hlo_value *hlo_value_copy(hlo_value *value);

/* Gives `to`, an array of compatible shape, the elements and run-time sizes of `from`. Returns it;
 * NULL is fine. */
hlo_value *hlo_value_fill(hlo_value *to, const hlo_value *from);

/* From now on several threads may hold references to the value, to its elements and to the value
 * that it is a view of. To be called while one thread still has it alone. */
void hlo_value_share(hlo_value *value);

/* The array, which is no view, is held by something that outlives the call (see hlo_keep). */
void hlo_value_keep(hlo_value *array);

#endif
