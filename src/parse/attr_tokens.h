/* Which token class an attribute's name becomes: a column of kinds.def. */
#ifndef HLO_PARSE_ATTR_TOKENS_H
#define HLO_PARSE_ATTR_TOKENS_H

#include "hlo_grammar.h"

static inline int hlo_attr_token(hlo_attr_kind kind) {
    static const short tokens[HLO_KIND_COUNT] = {
#define HLO_KIND(id, member, token, ...) [HLO_KIND_##id] = T_##token,
#include "ir/kinds.def"
    };
    return tokens[kind];
}

#endif
