/* A hash of the content of a module, without names and metadata. */
#ifndef HLO_ANALYSIS_MODULE_HASH_H
#define HLO_ANALYSIS_MODULE_HASH_H

#include "ir/ir.h"

typedef struct {
    uint64_t high, low;
} hlo_hash128;

/* Equal for modules whose operations, shapes, layouts, attributes, constants and headers are equal,
 * in whatever order their computations stand (and, without a schedule, their instructions); other
 * names, metadata, origins and statistics change nothing. A graph in parts is all of them, in their
 * order. The same in every process and on every
 * machine of one byte order. The walk overwrites the indices of instructions. */
hlo_hash128 hlo_module_hash_of(hlo_module *module);

#endif
