/* Calls of LAPACK, as JAX makes them: the routines (lapack.def), and whether a call has the
 * operands, results and flags of its routine, which the verifier does not ask. */
#ifndef HLO_ANALYSIS_LAPACK_CALL_H
#define HLO_ANALYSIS_LAPACK_CALL_H

#include "ir/ir.h"

enum { HLO_LAPACK_OPERANDS = 4, HLO_LAPACK_RESULTS = 6, HLO_LAPACK_FLAGS = 4 };

typedef enum {
#define HLO_LAPACK(id, ...) HLO_LAPACK_##id,
#include "analysis/lapack.def"
#undef HLO_LAPACK
    HLO_LAPACK_COUNT
} hlo_lapack_id;

/* A number of the backend_config, and the letters that it may be; NULL: any number. */
typedef struct {
    const char *name, *letters;
} hlo_lapack_flag_rule;

/* A row of lapack.def. */
typedef struct {
    const char *signatures[2]; /* of real and of complex element types */
    const char *in_place;
    hlo_lapack_flag_rule flags[HLO_LAPACK_FLAGS];
} hlo_lapack_rule;

const hlo_lapack_rule *hlo_lapack_rule_of(hlo_lapack_id id);

/* One operand or result: its element type and the letters of its dimensions after the batch. */
typedef struct {
    hlo_type type;
    char dims[2]; /* 0: no such dimension */
} hlo_lapack_part;

static inline uint32_t hlo_lapack_core_rank(const hlo_lapack_part *part) {
    return part->dims[0] ? part->dims[1] ? 2 : 1 : 0;
}

/* The operands and results of a call, and the sizes that the letters of its signature stand for. */
typedef struct {
    int32_t sizes[26];
    bool bound[26];
    int letter; /* 0 to 3: s d c z */
    const hlo_shape *batch;
    uint32_t batch_rank;
    uint32_t operand_count, result_count;
    hlo_lapack_part operands[HLO_LAPACK_OPERANDS], results[HLO_LAPACK_RESULTS];
} hlo_lapack_arrays;

/* Fills `arrays`; false: the call, whose target is named lapack_LETTER..., has others. */
bool hlo_lapack_match(hlo_lapack_arrays *arrays, const hlo_instr *call,
                      const hlo_lapack_rule *rule);
/* Whether a call of a target of the routine has its operands and results: the verifier asks for
 * none of them. */
bool hlo_lapack_fits(hlo_lapack_id id, const hlo_instr *call);

/* The number of `name = NUMBER : TYPE` in a backend_config, 1 or 0 of a bool; false without any. */
bool hlo_lapack_number(hlo_str config, const char *name, int64_t *number);

#endif
