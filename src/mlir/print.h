/* The state of printing a tree of MLIR. Private to src/mlir. */
#ifndef HLO_MLIR_PRINT_H
#define HLO_MLIR_PRINT_H

#include "base/buf.h"
#include "mlir/mlir.h"

typedef struct hlo_mlir_places hlo_mlir_places; /* print_locations.c */

typedef struct {
    hlo_mlir_module *tree;
    hlo_buf *to;
    bool is_generic;
    uint32_t indent;
    hlo_mlir_places *places;
} hlo_mlir_printer;

/* ---- print_names.c ---- */

/* Gives every argument a name, and every result that begins a group; the others have none. */
void hlo_mlir_name_values(hlo_mlir_module *tree, bool is_generic);
/* `%name`, or `%name#1`. */
void hlo_mlir_print_value(hlo_buf *to, const hlo_mlir_value *value);
/* `%0:2 = `, or nothing. */
void hlo_mlir_print_result_names(hlo_buf *to, const hlo_mlir_op *op);

/* ---- print_locations.c ---- */

/* Collects the locations of the tree, which are printed as aliases. */
hlo_mlir_places *hlo_mlir_places_new(hlo_mlir_module *tree, bool is_generic);
void hlo_mlir_places_free(hlo_mlir_places *places);
/* Lines `#loc3 = loc(...)`: those that stand before the module, or those after it. */
void hlo_mlir_print_aliases(hlo_mlir_places *places, bool are_deferred, hlo_buf *to);
/* ` loc(#loc3)`; of arguments, which have no alias, ` loc("x")`. */
void hlo_mlir_print_place(hlo_mlir_places *places, const hlo_mlir_location *location,
                          bool may_alias, hlo_buf *to);

/* ---- print_forms.c ---- */

/* After the name of the operation: what its form has, up to its location. */
void hlo_mlir_print_form(hlo_mlir_printer *p, const hlo_mlir_op *op);

/* ---- print_parts.c ---- */

/* The attributes of which a form has the one of that name; NULL: it is an attribute itself. */
const char *hlo_mlir_parts_of(hlo_str name);
bool hlo_mlir_has_part(const hlo_mlir_op *op, hlo_str name);
void hlo_mlir_print_part(hlo_buf *to, const hlo_mlir_op *op, hlo_str name);

/* ---- print_attr.c ---- */

void hlo_mlir_print_text(hlo_buf *to, hlo_str text);
/* @name, in quotes where it is no bare word. */
void hlo_mlir_print_symbol(hlo_buf *to, hlo_str name);
/* Without its type, or without the #dialect of a struct. */
void hlo_mlir_print_stripped(hlo_buf *to, const hlo_mlir_attr *attr);
/* {a = ..., b = ...} of those that are not left out, after `before`; false: none is left. */
bool hlo_mlir_print_attrs(hlo_buf *to, const hlo_mlir_named *attrs, uint32_t n, const char *before,
                          bool (*leaves_out)(const void *context, const hlo_mlir_named *attr),
                          const void *context);

/* ---- print_float.c ---- */

/* Six digits where these are the number, else as many as it takes, else its bits. */
void hlo_mlir_print_float(hlo_buf *to, hlo_type type, double value, uint64_t bits);

/* ---- print.c ---- */

void hlo_mlir_print_op(hlo_mlir_printer *p, const hlo_mlir_op *op, const char *dialect);
/* Names of operations in it are without `dialect`, which is like "func.", or empty. */
void hlo_mlir_print_region(hlo_mlir_printer *p, const hlo_mlir_region *region, bool with_arguments,
                           const char *dialect);
void hlo_mlir_print_argument(hlo_mlir_printer *p, const hlo_mlir_value *argument,
                             const hlo_mlir_attr *attrs);
void hlo_mlir_print_operand_types(hlo_buf *to, const hlo_mlir_op *op);
/* (operands) -> results, or without these parentheses. */
void hlo_mlir_print_function_type(hlo_buf *to, const hlo_mlir_op *op, bool in_parens);
/* Operands `from` up to `end`, with commas between them. */
void hlo_mlir_print_operands(hlo_buf *to, const hlo_mlir_op *op, uint32_t from, uint32_t end);

#endif
