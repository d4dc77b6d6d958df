/* The instruction sets that kernels are compiled for. */
#ifndef HLO_EVAL_KERNEL_ISA_H
#define HLO_EVAL_KERNEL_ISA_H

#include <stdbool.h>
#include <stdint.h>

/* HLO_ISA_WIDEST, or one more than the number of a set of this machine. */
typedef uint32_t hlo_isa;
enum { HLO_ISA_WIDEST };

/* The sets of this machine by number, from the plainest to the widest; NULL after the last one. */
const char *hlo_isa_name(uint32_t number);
/* The set of that name; false when this machine has none. */
bool hlo_isa_find(const char *name, hlo_isa *isa);

/* The set that kernels are looked up for now. */
const char *hlo_isa_current(void);

/* From now on the calling thread, and workers that help it, look up kernels for this set, whose
 * name *name is then unless NULL. Returns what it did before. A program has most of its kernels
 * from when it was made; moves are looked up while it runs. Only sums of products are rounded
 * differently by those of another set. */
hlo_isa hlo_isa_enter(hlo_isa isa, const char **name);
/* hlo_isa_enter with the hlo_isa at `before`, for hlo_cleanup_add. */
void hlo_isa_leave(void *before);

#endif
