/* Passes: the table (pass.def), and what a pass function gets and returns. */
#ifndef HLO_PASSES_PIPELINE_PASS_H
#define HLO_PASSES_PIPELINE_PASS_H

#include <hlo/verify.h>

#include "ir/ir.h"

typedef enum {
#define HLO_PASS(id, ...) HLO_PASS_##id,
#include "passes/pipeline/pass.def"
#undef HLO_PASS
    HLO_PASS_COUNT
} hlo_pass_id;

typedef enum { HLO_UNCHANGED, HLO_CHANGED, HLO_PASS_FAILED } hlo_pass_result;

typedef enum {
    HLO_GROUP_AUTODIFF,
    HLO_GROUP_CLEANUP,
    HLO_GROUP_COLLECTIVE,
    HLO_GROUP_CONTROL_FLOW,
    HLO_GROUP_DATAFLOW,
    HLO_GROUP_EXPANDER,
    HLO_GROUP_LAYOUT,
    HLO_GROUP_MEMORY,
    HLO_GROUP_SPMD,
    HLO_GROUP_TOOL,
    HLO_GROUP_COUNT
} hlo_pass_group;

typedef enum {
    HLO_CLASS_EXACT,
    HLO_CLASS_TOLERANCE,
    HLO_CLASS_VALUES,
    HLO_CLASS_SIGNATURE,
} hlo_pass_class;

/* The value of TYPE is a hlo_type, HLO_TYPE_COUNT when it was not given. A pass with such an
 * option can be called NAME-TYPE, as XLA calls float-normalization-bf16. NUMBERS are a text of
 * digits and commas; BYTES are an integer that may be written as 500M or 16GiB. */
typedef enum {
    HLO_OPTION_BOOL,
    HLO_OPTION_INT,
    HLO_OPTION_BYTES,
    HLO_OPTION_TEXT,
    HLO_OPTION_NUMBERS,
    HLO_OPTION_TYPE
} hlo_option_kind;

typedef struct {
    const char *name; /* NULL ends a list */
    hlo_option_kind kind;
    int64_t fallback;
    const char *about;
} hlo_pass_option;

typedef struct hlo_rewriter hlo_rewriter; /* rewrite.h */

/* For each pass a struct with one char per option of its row, so that offsets are places in the
 * row; the name of a member has the kind of the option's value in it. */
#define BOOL(name, ...) value_##name
#define INT(name, ...) value_##name
#define BYTES(name, ...) value_##name
#define TYPE(name, ...) value_##name
#define TEXT(name, ...) text_##name
#define NUMBERS(name, ...) text_##name
#define FAST_MATH(...) value_fast_math
#define NO_OPTIONS none
#define HLO_PASS(id, name, group, class, function, about, ...) \
    struct hlo_options_of_##id {                               \
        char __VA_ARGS__;                                      \
    };
#include "passes/pipeline/pass.def"
#undef HLO_PASS
#undef NO_OPTIONS
#undef FAST_MATH
#undef NUMBERS
#undef TEXT
#undef TYPE
#undef BYTES
#undef INT
#undef BOOL

#define HLO_OPTION_AT(PASS, name) ((int)offsetof(struct hlo_options_of_##PASS, value_##name))
/* What was given to the pass, or its default: `call` is a hlo_pass_call or, for values, a
 * hlo_rewriter. */
#define HLO_OPTION(call, PASS, name) ((call)->values[HLO_OPTION_AT(PASS, name)])
#define HLO_TEXT_OPTION(call, PASS, name) \
    ((call)->texts[offsetof(struct hlo_options_of_##PASS, text_##name)])

/* What a pass works on. `values` and `texts` are parallel to the options of its row; a text that
 * was not given is empty. */
typedef struct {
    hlo_pass_id pass;
    hlo_module *module;
    const int64_t *values;
    const char *const *texts;
    hlo_rewriter *rewriter; /* through which every change goes */
    hlo_diags *diags;
    const hlo_verify_options *strictness; /* of the pipeline, for passes that verify; or NULL */
} hlo_pass_call;

/* HLO_PASS_FAILED after an error in call->diags; the module is then still well formed. */
typedef hlo_pass_result hlo_pass_function(const hlo_pass_call *call);

typedef struct {
    const char *name;
    hlo_pass_group group;
    hlo_pass_class class;
    hlo_pass_function *run;
    const char *about;
    const hlo_pass_option *options;
} hlo_pass_info;

extern const hlo_pass_info hlo_passes[HLO_PASS_COUNT];

#define HLO_PASS(id, name, group, class, function, ...) hlo_pass_function hlo_pass_##function;
#include "passes/pipeline/pass.def"
#undef HLO_PASS

/* What a pass does with a dataflow graph: refuses it, takes it as it is, or takes the loops and
 * conditionals that it was lowered from, which are lowered again. */
typedef enum { HLO_GRAPH_REFUSED, HLO_GRAPH_TAKEN, HLO_GRAPH_RAISED } hlo_pass_graph_use;
hlo_pass_graph_use hlo_pass_graph_use_of(hlo_pass_id pass);
/* The row of the pass called `name`, or NULL. */
const hlo_pass_info *hlo_pass_find(hlo_str name);
/* The row of the pass that is called like that with a type after it, or NULL. */
const hlo_pass_info *hlo_pass_find_with_type(hlo_str name, hlo_type *type);
/* The position of the pass's option of kind TYPE, or -1. */
int hlo_pass_type_option(const hlo_pass_info *pass);
/* The position of an option in the row's list, or -1. */
int hlo_pass_find_option(const hlo_pass_info *pass, hlo_str name);
/* The hlo_rewrite_id of a rewrite of the pass, or HLO_REWRITE_COUNT. */
int hlo_pass_find_rewrite(const hlo_pass_info *pass, hlo_str name);
static inline hlo_pass_id hlo_pass_id_of(const hlo_pass_info *pass) {
    HLO_ASSERT(pass >= hlo_passes && pass < hlo_passes + HLO_PASS_COUNT);
    return (hlo_pass_id)(pass - hlo_passes);
}
/* What a known name would have been closest to the misspelt one; NULL when nothing is close. */
const char *hlo_pass_nearest(hlo_str name);
const char *hlo_pass_nearest_option(const hlo_pass_info *pass, hlo_str name);
const char *hlo_pass_group_name(hlo_pass_group group);
const char *hlo_pass_class_name(hlo_pass_class class);

#endif
