/* Modules that targets run: accepted by the verifier, small enough, and whether engines may differ
 * in what they compute. */
#ifndef TESTS_FUZZ_ACCEPTED_H
#define TESTS_FUZZ_ACCEPTED_H

#include <hlo.h>
#include <stdbool.h>
#include <stddef.h>

/* What a module is small enough for: arrays without elements may have dimensions of any size, which
 * are too many to print. */
typedef enum { NOT_TRIED, ONLY_PREPARED, NOT_PRINTED, PRINTED } extent;

/* HLO_FUZZ_ELEMENTS is the most elements of an array (4096). */
extent module_extent(const hlo_module *module);

/* A number of the environment, or `otherwise`. */
int64_t fuzz_setting(const char *name, int64_t otherwise);

/* A module that the verifier accepts, or NULL. */
hlo_module *accepted_module(const char *text, size_t len, hlo_diags *diags);

/* Whether the undefined elements beyond run-time sizes of operands are in the result. */
bool loses_sizes(const hlo_instr *instr);

/* Whether both engines compute the same bits: integers, no order that only one engine keeps, and
 * nothing that the operations leave open. */
bool is_exact(const hlo_module *module);
/* Whether results are defined but for rounding: no comparator that is no order, no reduction whose
 * order counts, nothing that the operations leave open. */
bool is_defined(const hlo_module *module);

#endif
