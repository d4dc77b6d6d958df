/* Rewrites: the one place through which passes change a module. It knows which rewrites are
 * switched on, counts what fired, stops at a limit, and transfers names, metadata, shardings and
 * frontend attributes. Pipeline runs make one hlo_rewriter per pass. */
#ifndef HLO_PASSES_PIPELINE_REWRITE_H
#define HLO_PASSES_PIPELINE_REWRITE_H

#include "analysis/call_graph.h"
#include "base/list.h"
#include "passes/pipeline/pass.h"
#include "passes/pipeline/ties.h"

typedef enum {
#define HLO_REWRITE(pass, name, kind, about) HLO_REWRITE_##name,
#include "passes/pipeline/rewrites.def"
    HLO_REWRITE_COUNT
} hlo_rewrite_id;

enum { HLO_OP_ANY = HLO_OP_COUNT, HLO_OP_NONE };

/* What a rewrite does to values: see rewrites.def. */
typedef enum {
    HLO_KIND_EXACT,
    HLO_KIND_ROUNDING,
    HLO_KIND_FAST_MATH,
    HLO_KIND_OTHER
} hlo_rewrite_kind;
const char *hlo_rewrite_kind_name(hlo_rewrite_kind kind);

/* What a pattern does with an instruction of its opcode: returns what computes the same (made new,
 * or there before), the instruction itself after changing it in place, or NULL when the pattern
 * does not fit. New instructions come from emit.h; nothing may be made before it is sure that
 * the pattern fits. A replacement of another shape counts as NULL. */
typedef hlo_instr *hlo_pattern(hlo_rewriter *rewriter, hlo_instr *instr);

typedef struct {
    const char *name;
    hlo_pass_id pass;
    hlo_rewrite_kind kind;
    const char *about;
    int opcode;           /* of a pattern, or HLO_OP_ANY; HLO_OP_NONE: the pass finds its places */
    hlo_pattern *rewrite; /* NULL with HLO_OP_NONE */
    bool takes_effects;   /* tried at instructions with side effects too */
} hlo_rewrite_info;

extern const hlo_rewrite_info hlo_rewrites[HLO_REWRITE_COUNT];

#define HLO_REWRITE(pass, name, kind, about)
#define HLO_PATTERN(pass, opcode, name, kind, about) hlo_pattern hlo_rewrite_##name;
#define HLO_PATTERN_AS(pass, opcode, name, function, kind, about) \
    hlo_pattern hlo_rewrite_##function;
#include "passes/pipeline/rewrites.def"

/* What fired so far in one run of a pipeline. */
typedef struct {
    uint64_t limit; /* rewrites that may happen; UINT64_MAX: any number */
    uint64_t total;
    uint64_t fired[HLO_REWRITE_COUNT];
    uint64_t inlined, most_inlined; /* instructions of bodies so far: see hlo_inline_fits */
    bool inlining_ended;            /* a body did not fit */
    hlo_rewrite_id last;
    char last_place[128]; /* the name of the instruction or computation that `last` changed */
} hlo_rewrite_log;

typedef HLO_LIST(hlo_instr *) hlo_instr_list;

struct hlo_rewriter {
    hlo_module *module;
    const bool *enabled;   /* by hlo_rewrite_id */
    const int64_t *values; /* of the pass's options; NULL outside a pipeline */
    hlo_rewrite_kind kind; /* of the pattern that is being tried */
    void *context;         /* what the pass's own function gives its patterns */
    hlo_rewrite_log *log;
    bool
        keeps_metadata; /* of new instructions, and their origins: they are copies that have them */
    hlo_instr *target;  /* new instructions stand before this one */
    hlo_instr_list fresh;   /* made for the target so far */
    hlo_instr_list touched; /* whose operands or users changed: worth another look */
    hlo_ties tied;          /* by control dependencies, in the module and in copies of bodies */
    hlo_diags
        refusals; /* of instructions that were made and have a wrong form: faults of the pass */
    uint32_t next_number[HLO_OP_COUNT]; /* for names of new instructions */
};

void hlo_rewriter_init(hlo_rewriter *rewriter, hlo_module *module, const bool *enabled,
                       hlo_rewrite_log *log);
void hlo_rewriter_free(hlo_rewriter *rewriter);

/* For functions of two rows: the one that is being tried may change more than rounding. */
static inline bool hlo_is_fast_math(const hlo_rewriter *rewriter) {
    return rewriter->kind == HLO_KIND_FAST_MATH;
}

/* Whether the rewrite is switched on and the limit has not been reached. Ask before changing
 * anything. */
bool hlo_rewrite_allowed(const hlo_rewriter *rewriter, hlo_rewrite_id id);
/* No rewrite may happen any more. */
bool hlo_rewriter_is_done(const hlo_rewriter *rewriter);
/* Counts a rewrite that was allowed and has been, or is about to be, done. */
void hlo_rewrite_count(hlo_rewriter *rewriter, hlo_rewrite_id id, const hlo_name *place);

/* Control dependencies tie the instruction, at either end. As in XLA, such an instruction is not
 * replaced, except a call by what it calls (relay.h). */
bool hlo_is_tied(const hlo_rewriter *rewriter, const hlo_instr *instr);
/* Removes those of the worklist that nothing uses, with operands that lose their last user, except
 * parameters, roots and what has an effect or is tied. Empties the list; counts no rewrite. */
void hlo_remove_unused(const hlo_rewriter *rewriter, const hlo_call_graph *graph,
                       hlo_instr_list *worklist);
/* They tie something in the computation. */
bool hlo_ties_something(const hlo_rewriter *rewriter, const hlo_computation *computation);

/* Gives an instruction the metadata of one that it stands for, unless it has an op_name or that one
 * has none. */
void hlo_inherit_metadata(const hlo_instr *from, hlo_instr *to);

/* From here on new instructions stand before `target` and are made on its behalf. */
void hlo_rewriter_aim(hlo_rewriter *rewriter, hlo_instr *target);
/* Removes what was made for the target: the rewrite does not happen after all. */
void hlo_rewriter_withdraw(hlo_rewriter *rewriter);

/* Replaces `old` by `by` everywhere, counts, and removes `old` with the operands that only it
 * used (side effects, calls and parameters stay). False, with the new instructions removed again
 * and the module unchanged, when `old` is tied, the shapes or shardings differ, or the rewrite is
 * not allowed. `old` must stand after `by`. */
bool hlo_rewrite_replace(hlo_rewriter *rewriter, hlo_rewrite_id id, hlo_instr *old, hlo_instr *by);
/* The same where the caller sees to the control dependencies of `old`, which keeps them. */
bool hlo_rewrite_replace_tied(hlo_rewriter *rewriter, hlo_rewrite_id id, hlo_instr *old,
                              hlo_instr *by);

/* The opcode goes on with, or ends, what a start that calls a computation began; the start may not
 * be left without it. */
bool hlo_ends_asynchronous_call(hlo_opcode opcode);

/* Removes an instruction without users, and then operands as above. Removed instructions have no
 * parent. */
void hlo_rewriter_remove(hlo_rewriter *rewriter, hlo_instr *instr);

#endif
