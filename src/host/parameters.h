/* The inputs of a run by the names that users know: of the module, and of the program that it was
 * made from. Private to src/host. */
#ifndef HLO_HOST_PARAMETERS_H
#define HLO_HOST_PARAMETERS_H

#include "host/run.h"

/* A parameter of the entry computation, or an element of one that is a tuple. */
typedef struct {
    const hlo_shape *shape;
    uint32_t leaf; /* the number of its first leaf */
} hlo_input_place;

/* Finds what NAME or NAME{1,0}, an element of a tuple, means; a % before it is ignored. NAME is one
 * of these, the first that some parameter has: its name (`params__w__.1`); the op_name of its
 * metadata, the argument of the traced function (`params['w']`); its name without the number at the
 * end (`x` for `x.1`); a text of which that is made when each character but letters, digits, `_`,
 * `-` and `.` becomes `_`. Returns how many parameters have it: *out is set when it is one. */
uint32_t hlo_run_find_input(const hlo_run *run, hlo_str text, hlo_input_place *out);

/* Reports that hlo_run_find_input has found `found` parameters, not one. HLO_BAD_USE. */
hlo_status hlo_run_refuse_name(const hlo_run *run, const char *name, uint32_t found,
                               hlo_diags *diags);

/* Reports that an input has two values, the second one `by` a file or a name. HLO_BAD_USE. */
hlo_status hlo_run_refuse_twice(uint32_t leaf, const char *by, hlo_diags *diags);

/* Appends `'state{1,0}' f32[2]`, and in parentheses an op_name that has more information. */
void hlo_run_put_input_name(hlo_buf *to, const hlo_run *run, uint32_t leaf);

#endif
