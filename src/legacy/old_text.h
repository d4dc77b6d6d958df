/* A text whose old forms are being translated: its computations and statements as far as they can
 * be separated, and the edits of one form. Private to src/legacy.
 *
 * A form calls hlo_old_found for each place where it stands and hlo_old_edit for what changes
 * there; edits do not overlap. Spans are of the text before the edits. */
#ifndef HLO_LEGACY_OLD_TEXT_H
#define HLO_LEGACY_OLD_TEXT_H

#include "base/list.h"
#include "ir/ops.h"
#include "legacy/dialect.h"

/* An operand; without a shape or a name, that span is empty. */
typedef struct {
    hlo_span all, shape, name;
} hlo_old_operand;

typedef struct {
    hlo_span name, value;
    uint32_t from; /* where the text before it ends: before the comma */
} hlo_old_attr;

/* `ROOT name = shape opcode(operands), attributes` */
typedef struct {
    hlo_span root, name, shape, opcode, parens; /* parens: with them */
    const hlo_old_operand *operands;
    const hlo_old_attr *attrs;
    uint32_t operand_count, attr_count, computation, end;
} hlo_old_statement;

typedef struct {
    hlo_span head, name; /* name: empty for statements outside of computations */
    uint32_t first, count;
} hlo_old_computation;

typedef struct {
    hlo_span at;
    hlo_str text;
} hlo_old_change;

typedef struct {
    hlo_old_id form;
    hlo_source *source; /* alive as long as what it became */
    hlo_span at;
} hlo_old_place;

/* The old text and today's, which ends in the attributes: of an opcode that has another name today,
 * or the example of the form. */
typedef struct {
    const char *old, *now, *attributes;
} hlo_old_example;

hlo_old_example hlo_old_example_of(const hlo_old_place *place);

/* What names are made of, and whether the text has nothing that begins like that. */
typedef struct {
    const char *text;
    bool is_free;
} hlo_old_base;

typedef struct {
    hlo_source *first, *source; /* as written; as translated so far */
    hlo_dialect dialect;
    const char *text;
    uint32_t length;
    hlo_diags *diags;
    hlo_arena arena; /* of the statements and of the new text */
    hlo_span header; /* the line of HloModule */
    HLO_LIST(hlo_old_computation) computations;
    HLO_LIST(hlo_old_statement) statements;
    HLO_LIST(hlo_old_change) changes;
    HLO_LIST(hlo_old_place) places; /* of all forms so far */
    hlo_old_id form;                /* that is being translated */
    HLO_LIST(hlo_old_base) bases;   /* of names made since the text was read */
    uint32_t made;                  /* the number of the newest, where it has one */
    uint32_t *heads, head_count;    /* by hash of a name: a statement, from 1; 0: none */
    uint32_t *earlier;              /* by statement: an earlier one of that hash, likewise */
} hlo_old_text;

enum { HLO_OLD_MOST_DIMENSIONS = 64 };

typedef struct {
    int64_t v[HLO_OLD_MOST_DIMENSIONS];
    int n; /* -1: no list of numbers, or a longer one */
} hlo_old_numbers;

/* ---- reading (read.c) ---- */

/* Tells computations and statements apart; what it does not understand it leaves out. */
void hlo_old_read(hlo_old_text *t);
uint32_t hlo_old_skip_blanks(const hlo_old_text *t, uint32_t at); /* and comments */
uint32_t hlo_old_word_end(const hlo_old_text *t, uint32_t at);
/* After the string, comment or other byte at `at`, if there is one; and after the brackets that
 * open there, or the text's length when they do not close. */
uint32_t hlo_old_next(const hlo_old_text *t, uint32_t at);
uint32_t hlo_old_brackets_end(const hlo_old_text *t, uint32_t at);
/* After the shape of an array that begins at `at`, layout included, or `at` when none does. */
uint32_t hlo_old_array_end(const hlo_old_text *t, uint32_t at);
/* The same of any shape. */
uint32_t hlo_old_shape_end(const hlo_old_text *t, uint32_t at);
/* The part of brackets from `at` on up to a comma outside of further brackets, trimmed; `*at` moves
 * after the comma. False: the brackets end. */
bool hlo_old_next_part(const hlo_old_text *t, uint32_t *at, uint32_t end, hlo_span *part);

/* ---- asking ---- */

static inline hlo_str hlo_old_str(const hlo_old_text *t, hlo_span span) {
    HLO_ASSERT(span.lo <= span.hi && span.hi <= t->length);
    return (hlo_str){t->text + span.lo, span.hi - span.lo, 0};
}
static inline bool hlo_old_is(const hlo_old_text *t, hlo_span span, const char *word) {
    return hlo_str_is(hlo_old_str(t, span), word);
}
/* For the format "%.*s". */
#define HLO_OLD(t, span) (int)((span).hi - (span).lo), (t)->text + (span).lo

const hlo_old_attr *hlo_old_attribute(const hlo_old_text *t, const hlo_old_statement *s,
                                      const char *name);
/* Without the percent sign. */
hlo_str hlo_old_name(const hlo_old_text *t, hlo_span span);
/* The statement before `user`, in its computation, that the operand names, or NULL. */
const hlo_old_statement *hlo_old_definition(const hlo_old_text *t, const hlo_old_statement *user,
                                            uint32_t operand);
/* Its shape, as written before it or where it is defined; `otherwise` when it is nowhere. */
hlo_span hlo_old_operand_shape(const hlo_old_text *t, const hlo_old_statement *user,
                               uint32_t operand, hlo_span otherwise);
/* The same of a value that stands elsewhere in the statement. */
hlo_span hlo_old_shape_of(const hlo_old_text *t, const hlo_old_statement *user, hlo_span value,
                          hlo_span otherwise);
/* Of the shape of an array: the element type, or an empty span; the rank. */
hlo_span hlo_old_element_type(const hlo_old_text *t, hlo_span array);
/* Whether it is a type of floats; false of what is no type. */
bool hlo_old_is_float(const hlo_old_text *t, hlo_span type);
uint32_t hlo_old_rank(const hlo_old_text *t, hlo_span array);
const hlo_old_computation *hlo_old_find_computation(const hlo_old_text *t, hlo_span name);
const hlo_old_statement *hlo_old_root(const hlo_old_text *t, const hlo_old_computation *c);
/* A name like `base` that the text does not have, in the arena. */
const char *hlo_old_new_name(hlo_old_text *t, const char *base);

/* ---- numbers (numbers.c) ---- */

/* The whole span as a number; false also for one beyond what arrays have. */
bool hlo_old_read_number(const hlo_old_text *t, hlo_span span, int64_t *value);
/* Numbers between `between`, such as 2x3. */
hlo_old_numbers hlo_old_read_numbers(const hlo_old_text *t, hlo_span in, char between);
/* The dimensions of an array; no list where one is dynamic, or the shape is not known. */
hlo_old_numbers hlo_old_sizes(const hlo_old_text *t, hlo_span array);
hlo_old_numbers hlo_old_operand_sizes(const hlo_old_text *t, const hlo_old_statement *s,
                                      uint32_t operand);
/* Of an attribute `name={1,2}`; no list where there is no such one. */
hlo_old_numbers hlo_old_numbers_of(const hlo_old_text *t, const hlo_old_statement *s,
                                   const char *name);
/* With commas, in the arena. */
const char *hlo_old_numbers_text(hlo_old_text *t, const hlo_old_numbers *list);

/* ---- editing (edit.c) ---- */

void hlo_old_found(hlo_old_text *t, hlo_span at);
/* Instead of `at`, or before at.lo where it is empty. */
void hlo_old_edit(hlo_old_text *t, hlo_span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hlo_old_insert(hlo_old_text *t, uint32_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hlo_old_remove(hlo_old_text *t, hlo_span at);
void hlo_old_remove_attr(hlo_old_text *t, const hlo_old_attr *attr);
/* An attribute right after the parenthesis of the operands. */
void hlo_old_add_attr(hlo_old_text *t, const hlo_old_statement *s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Before the statement another one, `%NAME = ` and the formatted text: its name, which is like
 * `base`. */
const char *hlo_old_before(hlo_old_text *t, const hlo_old_statement *s, const char *base,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
/* In the arena: a name as it is used; an operand as it is written. */
const char *hlo_old_with_percent(hlo_old_text *t, const char *name);
const char *hlo_old_operand_text(hlo_old_text *t, const hlo_old_statement *s, uint32_t operand);
/* The operands, all of them. */
void hlo_old_set_operands(hlo_old_text *t, const hlo_old_statement *s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A computation before the one of the statement. */
void hlo_old_add_computation(hlo_old_text *t, const hlo_old_statement *s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What is there has no meaning today. */
void hlo_old_refuse(hlo_old_text *t, hlo_span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Source with the changes made, or NULL when there are none; they are forgotten. */
hlo_source *hlo_old_apply(hlo_old_text *t);
/* Applies the rows HLO_OLD_ATTRIBUTE and HLO_OLD_OPCODE of the form. */
void hlo_old_attributes(hlo_old_text *t);
void hlo_old_opcodes(hlo_old_text *t);
bool hlo_old_is_opcode(const hlo_old_text *t, const hlo_old_statement *s);
/* Removes an attribute, `name`, that lists the sizes of the result; refuses what lists others. */
void hlo_old_drop_sizes(hlo_old_text *t, const hlo_old_statement *s, const hlo_old_attr *attr,
                        const char *name); /* arguments.c */

/* ---- forms ---- */

typedef void hlo_old_translate(hlo_old_text *t);

#define HLO_OLD_EACH(t, s)                                                                 \
    for (const hlo_old_statement *s = (t)->statements.v,                                   \
                                 *s##_end = (t)->statements.n ? s + (t)->statements.n : s; \
         s < s##_end; s++)

hlo_old_translate hlo_old_log_prefix, hlo_old_markdown_fence, hlo_old_no_break_space,
    hlo_old_reserved_name, hlo_old_sparse_array, hlo_old_empty_layout, hlo_old_physical_shape,
    hlo_old_shaped_sharding, hlo_old_shaped_literal, hlo_old_alias_without_index,
    hlo_old_cross_program_prefetch, hlo_old_packed_nibble, hlo_old_preserve_layout,
    hlo_old_sparse_dot, hlo_old_async_attributes, hlo_old_async_calls, hlo_old_copy_start_pair,
    hlo_old_degenerate_dimensions, hlo_old_broadcast_in_dim, hlo_old_logical,
    hlo_old_static_operands, hlo_old_bernoulli, hlo_old_empty_infeed, hlo_old_shard_count,
    hlo_old_all_to_all, hlo_old_tuple_operand, hlo_old_dimension_order, hlo_old_window_arguments,
    hlo_old_blank_equals, hlo_old_result_arguments, hlo_old_listed_arguments, hlo_old_total_order,
    hlo_old_slice_bounds, hlo_old_padding_config, hlo_old_composite_call, hlo_old_topk_comparator,
    hlo_old_cross_replica_sum, hlo_old_iota_dimension, hlo_old_sort_dimension,
    hlo_old_sort_comparator, hlo_old_collapse, hlo_old_padding_word, hlo_old_broadcast_dimensions,
    hlo_old_scalar_operand, hlo_old_dot_dimensions, hlo_old_reshape_order, hlo_old_broadcast_sizes,
    hlo_old_tuple_shape, hlo_old_tuple_select, hlo_old_transfer_tokens, hlo_old_channel_tokens,
    hlo_old_clamp_order, hlo_old_sign_by_comparison, hlo_old_wrapped_slice, hlo_old_wrapped_update,
    hlo_old_empty_slice, hlo_old_nested_while, hlo_old_inverted_gradient, hlo_old_unequal_widths,
    hlo_old_batch_order;

#endif
