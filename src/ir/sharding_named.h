/* Named shardings as tiles. */
#ifndef HLO_IR_SHARDING_NAMED_H
#define HLO_IR_SHARDING_NAMED_H

#include "ir/sharding.h"

/* A NAMED sharding, of at most 2^24 devices, as tiles, or as the word that it is. NULL and *why,
 * what it does, when those cannot express it. */
const hlo_sharding *hlo_sharding_as_tiles(hlo_arena *, const hlo_sharding *named, const char **why);

#endif
