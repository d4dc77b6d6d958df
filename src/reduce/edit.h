/* Edits that make a module smaller, whatever it computes then: the table (edits.def), and what they
 * share. Private to src/reduce and to the shrinker of tests/generator.
 *
 * An edit changes items at ... at + size - 1 of what its row counts, and returns whether it changed
 * anything. It may leave dead instructions, parameters and computations: hlo_edit_tidy
 * removes them. Whether the module is still valid is asked later. */
#ifndef HLO_REDUCE_EDIT_H
#define HLO_REDUCE_EDIT_H

#include <hlo/reduce.h>

#include "base/list.h"
#include "ir/ir.h"

typedef enum { HLO_EDIT_CHUNKS, HLO_EDIT_TAIL, HLO_EDIT_SINGLES } hlo_edit_how;

typedef struct {
    const char *name;
    hlo_edit_how how;
    uint32_t (*count)(const hlo_module *module);
    bool (*apply)(hlo_module *module, uint32_t at, uint32_t size);
} hlo_edit;

enum {
#define HLO_EDIT(name, how, items) HLO_EDIT_NUMBER_##name,
#include "reduce/edits.def"
#undef HLO_EDIT
    HLO_EDIT_COUNT
};

extern const hlo_edit hlo_edits[HLO_EDIT_COUNT];

#define HLO_EDIT(name, how, items)                                        \
    bool hlo_edit_##name(hlo_module *module, uint32_t at, uint32_t size); \
    uint32_t hlo_count_##items(const hlo_module *module);
#include "reduce/edits.def"
#undef HLO_EDIT

/* ---- placeholders (placeholder.c) ---- */

/* What stands for values that are no longer computed, made during one edit of one computation. */
typedef struct {
    hlo_computation *computation;
    hlo_instr *place;            /* they stand before it: what was first */
    int64_t next_number;         /* of a parameter */
    HLO_LIST(hlo_instr *) zeros; /* one of each shape that was asked for */
} hlo_placeholders;

void hlo_placeholders_init(hlo_placeholders *made, hlo_computation *computation);
void hlo_placeholders_free(hlo_placeholders *made);
/* A new parameter of the entry; elsewhere zeros, one for all that have the shape. NULL when nothing
 * can stand for the shape. */
hlo_instr *hlo_placeholder(hlo_placeholders *made, const hlo_shape *shape);

/* A name that is taken from now on. */
hlo_name *hlo_edit_name(hlo_module *module, const char *base);
/* The shape consists of arrays. */
bool hlo_shape_is_data(const hlo_shape *shape);

/* ---- afterwards (tidy.c) ---- */

/* Removes marked instructions, users first, and control dependencies on them. They must have no
 * unmarked users. */
void hlo_edit_remove_marked(hlo_computation *computation, uint32_t mark);
/* Removes dead code, renumbers the entry's parameters, and rebuilds the header.
 * `before` is the entry as it was before the edit. False when a pass failed. */
typedef struct {
    const hlo_computation *entry;
    hlo_instr *const *parameters;
    uint32_t parameter_count;
    const hlo_shape *result;
} hlo_signature;

hlo_signature hlo_edit_signature(const hlo_module *module);
/* Runs a pipeline on a module whose header may be out of date. False when a pass failed. */
bool hlo_edit_run(hlo_module *module, const char *passes, bool *changed);
bool hlo_edit_tidy(hlo_module *module, hlo_signature before);
void hlo_module_drop_attr(hlo_module *module, hlo_attr_id id);

#endif
