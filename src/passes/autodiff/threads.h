/* What the forward computation keeps of each execution of a loop's body or a branch, and how it
 * travels to the gradient: as a stack; in an array, at the place of a cursor; or, where
 * there is one execution at most, as it is. */
#ifndef HLO_PASSES_AUTODIFF_THREADS_H
#define HLO_PASSES_AUTODIFF_THREADS_H

#include "passes/autodiff/scope.h"

/* Keeps the value that an instruction of the scope's computation has in each execution; returns
 * what it was, in the gradient of the scope. NULL after an error. */
hlo_instr *hlo_keep_value(hlo_gradient *g, hlo_scope *scope, hlo_instr *instr);

/* What a thread is by now in the gradient of a scope on its way, and what has become of it. */
hlo_instr *hlo_thread_in(hlo_gradient *g, hlo_scope *scope, hlo_thread *thread);
void hlo_thread_set(hlo_scope *scope, const hlo_thread *thread, hlo_instr *current);
/* Gradients only read it. */
bool hlo_thread_is_fixed(const hlo_thread *thread);

/* A count of the executions of a loop's body, which comes out of the loop: in the computation that
 * the loop is in. */
hlo_instr *hlo_add_counter(hlo_gradient *g, hlo_scope *body);

#endif
