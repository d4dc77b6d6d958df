/* The form that the text of an operation has: a production of the grammar, or a row's words. */
#ifndef HLO_MLIR_FORMS_H
#define HLO_MLIR_FORMS_H

#include "mlir/parser.h"

typedef enum {
    HLO_MLIR_FORM_PLAIN, /* by the words of its row */
    HLO_MLIR_FORM_CONSTANT,
    HLO_MLIR_FORM_FUNCTION,
    HLO_MLIR_FORM_GENERIC,
    HLO_MLIR_FORM_MANUAL,
    HLO_MLIR_FORM_MODULE,
    HLO_MLIR_FORM_REDUCE,
    HLO_MLIR_FORM_SCAN,
    HLO_MLIR_FORM_WHILE,
    HLO_MLIR_FORM_UNKNOWN, /* no row has the name */
} hlo_mlir_form;

typedef enum { HLO_MLIR_RESULTS_ONE, HLO_MLIR_RESULTS_ALL, HLO_MLIR_RESULTS_NONE } hlo_mlir_results;

typedef enum {
    HLO_MLIR_TYPES_SAME,
    HLO_MLIR_TYPES_RESULT,
    HLO_MLIR_TYPES_COMPLEX,
    HLO_MLIR_TYPES_SELECT,
    HLO_MLIR_TYPES_OPERANDS,
    HLO_MLIR_TYPES_NONE,
    HLO_MLIR_TYPES_FUNCTION,
    HLO_MLIR_TYPES_ARROW,
    HLO_MLIR_TYPES_STATE,
    HLO_MLIR_TYPES_TO,
} hlo_mlir_types;

typedef struct {
    const char *name;
    const char *words;
    hlo_mlir_results results;
    hlo_mlir_types types;
} hlo_mlir_op_info;

extern const hlo_mlir_op_info hlo_mlir_ops[HLO_MLIR_OP_COUNT];

hlo_mlir_form hlo_mlir_form_of(hlo_str name);
hlo_mlir_form hlo_mlir_form_of_id(hlo_mlir_op_id id);
/* The next word of a row, which `words` moves past; an empty one at the end. */
hlo_str hlo_mlir_next_word(const char **words);
/* The attribute that a word stands for by its value alone (:name, @name, [:name]); empty: none. */
hlo_str hlo_mlir_bare_attr(hlo_str word);
hlo_nearest hlo_mlir_nearest_op(hlo_str name);
/* Whether a word begins a type, before the byte `next`. */
bool hlo_mlir_begins_type(hlo_str word, char next);

#endif
