/* What happens when an input file shrinks while it is read: see mapped.c. */
#ifndef HLO_CMD_MAPPED_H
#define HLO_CMD_MAPPED_H

/* From now on that ends the program with an error and HLO_BAD_SYSTEM. */
void mapped_files_watch(void);

#endif
