/* What the parts of the verifier share. Private to src/shape. */
#ifndef HLO_SHAPE_VERIFIER_H
#define HLO_SHAPE_VERIFIER_H

#include "shape/compatible.h"
#include "shape/verify.h"

typedef struct {
    hlo_module *module;
    const hlo_module *first; /* of the parts of a dataflow graph that it is one of, or itself */
    const hlo_verify_options *options;
    hlo_diags *diags;
    hlo_arena scratch; /* lives as long as one verification */
    bool failed;
} hlo_verifier;

/* Reports and is false: at an instruction's name, the message following the opcode and a colon, or
 * at an attribute of the module header. */
bool hlo_verify_fail(hlo_verifier *v, hlo_rule rule, const hlo_instr *instr, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
bool hlo_verify_fail_header(hlo_verifier *v, hlo_rule rule, hlo_attr_id header, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));
/* Moves the newest error from the instruction's name to one of its operands, with a note at what
 * that is, or to an attribute, and is false. */
bool hlo_verify_at_operand(hlo_verifier *v, const hlo_instr *instr, uint32_t operand);
bool hlo_verify_at_attr(hlo_verifier *v, const hlo_instr *instr, hlo_attr_id id);
/* A note on the newest error: another instruction. */
void hlo_verify_note(hlo_verifier *v, const hlo_instr *instr, const char *what);

/* Texts for messages; names are quoted. */
const char *hlo_verify_text(hlo_verifier *v, const hlo_shape *shape);
const char *hlo_verify_layout_text(hlo_verifier *v, const hlo_shape *shape);
hlo_shape_texts hlo_verify_texts(hlo_verifier *v, const hlo_shape *a, const hlo_shape *b);
/* Goes down to the first parts of two shapes that are not the same; returns " at {INDEX}", or ""
 * where that is the whole of them. */
const char *hlo_verify_difference(hlo_verifier *v, const hlo_shape **a, const hlo_shape **b,
                                  hlo_compare_shapes *same, unsigned ignoring);
const char *hlo_verify_name(hlo_verifier *v, const hlo_name *name);
const char *hlo_verify_index(hlo_verifier *v, const hlo_ints *index); /* {0,1}, {} for NULL */

/* ---- parts that look at one instruction; each reports one error at most ---- */
bool hlo_verify_instr_shape(hlo_verifier *v, const hlo_instr *instr); /* verify_shapes.c */
bool hlo_verify_operation(hlo_verifier *v, const hlo_instr *instr);   /* verify_operations.c */
bool hlo_verify_collective(hlo_verifier *v, const hlo_instr *instr);  /* verify_collective.c */
bool hlo_verify_aliasing(hlo_verifier *v, const hlo_instr *instr);    /* verify_aliasing.c */
bool hlo_verify_start_done(hlo_verifier *v, const hlo_instr *instr);  /* verify_start_done.c */
bool hlo_verify_callees(hlo_verifier *v, const hlo_instr *instr);     /* verify_callees.c */
bool hlo_verify_sharding(hlo_verifier *v, const hlo_instr *instr);    /* verify_sharding.c */
bool hlo_verify_buffers(hlo_verifier *v, const hlo_instr *instr);     /* verify_buffers.c */

/* verify_editions.c: what the edition demands that the text was read as. */
bool hlo_verify_edition(hlo_verifier *v, const hlo_instr *instr);
bool hlo_verify_is_of_edition(const hlo_verifier *v);

/* verify_layouts.c: what --layout-sensitive and --verify-layout-changes ask. */
bool hlo_verify_layouts(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *inferred);
bool hlo_verify_layout_changes(hlo_verifier *v, const hlo_instr *instr);

/* ---- parts that look at the module ---- */
void hlo_verify_all_reduces(hlo_verifier *v);    /* verify_collective.c: all constrained or none */
void hlo_verify_host_transfers(hlo_verifier *v); /* verify_start_done.c: channels that are shared */
void hlo_verify_edition_channels(hlo_verifier *v); /* verify_editions.c: one for each pair */
void hlo_verify_deadlocks(hlo_verifier *v);        /* verify_transfers.c */
void hlo_verify_transfer_order(hlo_verifier *v);   /* verify_order.c */
void hlo_verify_feed_order(hlo_verifier *v);
void hlo_verify_dataflow_header(hlo_verifier *v); /* verify_dataflow.c */
void hlo_verify_dataflow(hlo_verifier *v);        /* the same: of dataflow graphs only */
void hlo_verify_stacks(hlo_verifier *v);
void hlo_verify_only_ops(hlo_verifier *v); /* verify_operations.c: the others, once each */
void hlo_verify_header(hlo_verifier *v);   /* verify_header.c: entry layout, aliases, donors */

/* Whether `order` has each number below n once. */
bool hlo_is_permutation(hlo_arena *scratch, const int64_t *order, uint32_t n);
/* The layouts in a shape are well formed, beyond naming each dimension once (verify_shapes.c). */
bool hlo_layouts_are_sound(hlo_arena *scratch, const hlo_shape *shape);

#endif
