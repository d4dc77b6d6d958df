/* The longer kinds of attribute values as text, each after its `name=`. Private to src/ir. */
#ifndef HLO_IR_PRINT_VALUES_H
#define HLO_IR_PRINT_VALUES_H

#include "ir/attrs.h"
#include "ir/literal.h"
#include "ir/print_parts.h"

/* A value that is bare when it is one {...} region, else quoted. */
void hlo_print_config(hlo_buf *to, hlo_str text);
/* The shape with its layout, then the elements; tuples as ( shape elements, ... ). */
void hlo_print_shaped_literal(hlo_buf *to, const hlo_literal *literal);

void hlo_print_frontend(hlo_buf *to, const hlo_frontend *frontend);
void hlo_print_statistics(hlo_buf *to, const hlo_statistics *statistics);
void hlo_print_accuracy(hlo_buf *to, const hlo_accuracy *accuracy);
void hlo_print_origin(hlo_buf *to, const hlo_origin *origin);
void hlo_print_recovery(hlo_buf *to, const hlo_recovery *recovery);
void hlo_print_debug(hlo_buf *to, const hlo_debug_table *table);
void hlo_print_metadata(hlo_buf *to, const hlo_metadata *metadata);
void hlo_print_window(hlo_buf *to, const hlo_window *window);
void hlo_print_dim_labels(hlo_buf *to, const hlo_dim_labels *labels);
void hlo_print_padding(hlo_buf *to, const hlo_padding *padding);
void hlo_print_slice(hlo_buf *to, const hlo_slice *slice);
void hlo_print_sparsity(hlo_buf *to, const hlo_sparsity *sparsity);
void hlo_print_input_output_alias(hlo_buf *to, const hlo_aliasing *aliasing);
void hlo_print_operand_aliasing(hlo_buf *to, const hlo_aliasing *aliasing);
void hlo_print_donors(hlo_buf *to, const hlo_aliasing *donors);

#endif
