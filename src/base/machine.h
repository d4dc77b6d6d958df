/* What the machine has left for this process. */
#ifndef HLO_BASE_MACHINE_H
#define HLO_BASE_MACHINE_H

#include <stdint.h>

/* Bytes of memory that this process may still take: those available in Linux, or less where a
 * control group (version 1 or 2) of the process, or one around it, has a limit. UINT64_MAX when
 * unknown. `root` stands before the names of the files that are read: "" but in tests. */
uint64_t hlo_available_memory(const char *root);

#endif
