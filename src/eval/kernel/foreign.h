/* Functions of the user that a run calls: what they are, for messages when one does not return, and
 * what they must not change. */
#ifndef HLO_EVAL_KERNEL_FOREIGN_H
#define HLO_EVAL_KERNEL_FOREIGN_H

#include <fenv.h>

/* A call of a function, or the start of a library: in the caller's frame. Modes of floating-point
 * arithmetic (rounding, flushing of denormals, traps) are after it what they were before. */
typedef struct {
    const char *what;
    const char *outer;
    fenv_t environment;
} hlo_foreign;

/* `what`, which must stay as long as the call, names it in a message. */
void hlo_foreign_begin(hlo_foreign *foreign, const char *what);
void hlo_foreign_end(hlo_foreign *foreign);

#endif
