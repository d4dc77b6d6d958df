/* Which token class an attribute's name becomes: one per kind of value. Called by the scanner. */
#ifndef HLO_PARSE_ATTR_TOKENS_H
#define HLO_PARSE_ATTR_TOKENS_H

#include "hlo_grammar.h"

static inline int hlo_attr_token(hlo_attr_kind kind) {
    static const short tokens[] = {
        [HLO_KIND_BOOL] = T_A_BOOL,
        [HLO_KIND_INT] = T_A_INT,
        [HLO_KIND_INT32] = T_A_INT,
        [HLO_KIND_FLOAT] = T_A_FLOAT,
        [HLO_KIND_STRING] = T_A_STRING,
        [HLO_KIND_CONFIG] = T_A_CONFIG,
        [HLO_KIND_WORD] = T_A_WORD,
        [HLO_KIND_WORDS] = T_A_WORDS,
        [HLO_KIND_BOOLS] = T_A_BOOLS,
        [HLO_KIND_INTS] = T_A_INTS,
        [HLO_KIND_INT_LISTS] = T_A_INTS,
        [HLO_KIND_COMPUTATION] = T_A_COMPUTATION,
        [HLO_KIND_COMPUTATIONS] = T_A_COMPUTATIONS,
        [HLO_KIND_INSTRUCTIONS] = T_A_INSTRUCTIONS,
        [HLO_KIND_SHAPE] = T_A_SHAPE,
        [HLO_KIND_SHAPES] = T_A_SHAPES,
        [HLO_KIND_PROGRAM_SHAPE] = T_A_PROGRAM_SHAPE,
        [HLO_KIND_LITERAL] = T_A_LITERAL,
        [HLO_KIND_SHARDING] = T_A_SHARDING,
        [HLO_KIND_FRONTEND] = T_A_FRONTEND,
        [HLO_KIND_STATISTICS] = T_A_STATISTICS,
        [HLO_KIND_ACCURACY] = T_A_ACCURACY,
        [HLO_KIND_ORIGIN] = T_A_ORIGIN,
        [HLO_KIND_RECOVERY] = T_A_RECOVERY,
        [HLO_KIND_METADATA] = T_A_METADATA,
        [HLO_KIND_WINDOW] = T_A_WINDOW,
        [HLO_KIND_DIM_LABELS] = T_A_LABELS,
        [HLO_KIND_PADDING] = T_A_PADDING,
        [HLO_KIND_SLICE] = T_A_SLICE,
        [HLO_KIND_GROUPS] = T_A_GROUPS,
        [HLO_KIND_ALIASING] = T_A_ALIASING,
        [HLO_KIND_DONORS] = T_A_DONORS,
        [HLO_KIND_DOMAIN] = T_A_DOMAIN,
        [HLO_KIND_SPARSITY] = T_A_SPARSITY,
    };
    return tokens[kind];
}

#endif
