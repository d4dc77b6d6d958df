/* Pieces of text that printers of attribute values share. Private to src/ir. */
#ifndef HLO_IR_PRINT_PARTS_H
#define HLO_IR_PRINT_PARTS_H

#include "base/buf.h"
#include "ir/attrs.h"

/* 1,2,3 */
void hlo_print_numbers(hlo_buf *to, const int64_t *v, uint32_t n);
/* {1,2,3}; NULL is an empty list. */
void hlo_print_ints(hlo_buf *to, const hlo_ints *list);
/* op_name="..." source_line=3, without braces; every field that is set. */
void hlo_print_metadata_fields(hlo_buf *to, const hlo_metadata *metadata);
/* %g as XLA prints it: six digits, nan without a sign. */
void hlo_print_six_digits(hlo_buf *to, double value);
/* The separator before element i of a long list: nothing, `, ` or `, ` and an index comment. */
void hlo_print_separator(hlo_buf *to, uint32_t i);
/* The text in double quotes as it is, since some of XLA's printers do not escape: but for double
 * quotes and backslashes, without which XLA could not read it back either. */
void hlo_print_unescaped(hlo_buf *to, hlo_str text);
/* The same without the quotes around it. */
void hlo_print_text_inside(hlo_buf *to, const char *text, uint32_t n);

#endif
