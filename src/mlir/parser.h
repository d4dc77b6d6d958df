/* The state of reading MLIR text, shared by the scanner (grammar/mlir.re), the grammar
 * (grammar/mlir.y) and its actions. Private to src/mlir and the grammar. */
#ifndef HLO_MLIR_PARSER_H
#define HLO_MLIR_PARSER_H

#include "mlir/mlir.h"

/* The deepest nesting of regions, lists, types and locations that is followed. */
enum { HLO_MLIR_MOST_NESTED = 1000 };

/* What a text has after the name of an operation of a table's form, in order. */
typedef struct {
    enum {
        HLO_MLIR_ITEM_VALUE, /* an operand */
        HLO_MLIR_ITEM_KEYED, /* key = attribute */
        HLO_MLIR_ITEM_ATTR,  /* an attribute alone */
        HLO_MLIR_ITEM_MARK,  /* , ( ) = */
    } kind;
    char mark;
    hlo_span at;
    hlo_str key;
    const hlo_mlir_attr *attr;
} hlo_mlir_item;

/* The name of a value, and what has it now. */
typedef struct {
    hlo_str text;
    hlo_mlir_value *value; /* the first of a group; NULL: nothing has the name here */
    uint32_t count;        /* values of the group */
} hlo_mlir_name;

/* To be undone at the end of a region. */
typedef struct {
    uint32_t name;
    hlo_mlir_value *value;
    uint32_t count;
} hlo_mlir_shadowed;

/* #name or !name, which may be used before it is defined. */
typedef struct {
    hlo_str text; /* with its mark */
    uint32_t used_at;
    bool is_defined;
    const hlo_mlir_type *type;   /* of !name */
    const hlo_mlir_attr *attr;   /* of #name; NULL for a location */
    hlo_mlir_location *location; /* of #name where it is used or defined as one */
} hlo_mlir_alias;

/* A text that was read as a type before. */
typedef struct {
    hlo_str text;
    const hlo_mlir_type *type;
} hlo_mlir_seen_type;

enum { HLO_MLIR_RECENT_TYPES = 16 };

/* One name of the results of a statement. */
typedef struct {
    hlo_str text;
    uint32_t at, count;
} hlo_mlir_result_name;

/* The types of a text after the colon: types from `base` on, of which the last `results` are
 * results when there was an arrow (results >= 0). */
typedef struct {
    uint32_t base;
    int64_t results;
    bool is_given;
} hlo_mlir_signature;

/* An operation that is being read. */
typedef struct {
    hlo_str name;
    hlo_mlir_op_id id;
    hlo_span at;
    hlo_mlir_block *block; /* in which it stands; NULL: the outermost */
    /* where its parts begin on the stacks */
    uint32_t items, operands, attrs, regions, types, arguments, argument_attrs, result_attrs;
    uint32_t names, names_end; /* of its results */
    bool has_dict;
} hlo_mlir_open_op;

/* An operand of a line. */
typedef struct {
    hlo_str text;
    hlo_span at;
} hlo_mlir_line_operand;

/* A statement that line.c has read whole, until the grammar makes an operation of it. */
typedef struct {
    hlo_mlir_result_name result; /* without text: none */
    hlo_str name;
    hlo_mlir_op_id id;
    hlo_span at;
    bool is_constant; /* of `elements`, the text between the angles */
    bool is_typed;    /* there was a colon */
    int64_t results;  /* as in hlo_mlir_signature */
    hlo_span elements;
    hlo_str location; /* an alias; empty: none */
    hlo_span location_at;
    HLO_LIST(hlo_mlir_line_operand) operands;
    HLO_LIST(hlo_mlir_named) attrs;
    HLO_LIST(const hlo_mlir_type *) types;
} hlo_mlir_line;

typedef struct hlo_mlir_parser {
    hlo_mlir_module *module;
    hlo_arena *arena;
    hlo_source *source;
    hlo_diags *diags;
    const char *begin, *cursor, *limit;
    const char *line_begin; /* of the place that was asked for last; NULL: none was */
    uint32_t line_number;
    uint32_t first_pair; /* the place of the '(' after the name of a reduce */
    hlo_span token_at;
    bool failed, in_results; /* in_results: the last value was one of several before '=' */
    uint64_t unfolded;       /* bytes of types that aliases stood for */
    bool is_by_rules;        /* no line is read whole */
    hlo_mlir_line line;

    HLO_LIST(hlo_mlir_item) items;
    HLO_LIST(hlo_mlir_value *) operands;
    HLO_LIST(hlo_span) operand_places;
    HLO_LIST(hlo_mlir_named) attrs;
    HLO_LIST(hlo_mlir_named) named; /* elements of open lists */
    HLO_LIST(hlo_mlir_region *) regions;
    HLO_LIST(hlo_mlir_result_name) names;
    uint32_t names_taken; /* those before this one belong to operations that are open */
    HLO_LIST(const hlo_mlir_type *) types;
    HLO_LIST(const hlo_mlir_location *) locations;
    HLO_LIST(hlo_mlir_value) arguments;             /* of the next block */
    HLO_LIST(hlo_mlir_value) loop_arguments;        /* of open loops */
    HLO_LIST(const hlo_mlir_attr *) argument_attrs; /* of functions: NULL: none */
    HLO_LIST(const hlo_mlir_attr *) result_attrs;
    HLO_LIST(hlo_mlir_open_op) open;
    HLO_LIST(hlo_mlir_op *) outermost;

    HLO_LIST(hlo_mlir_block *) blocks; /* open ones, innermost last */
    HLO_LIST(uint32_t) scopes;         /* how long `shadowed` was where a region began */
    HLO_LIST(hlo_mlir_shadowed) shadowed;
    HLO_LIST(hlo_mlir_name) value_names;
    hlo_hash value_names_by_hash;
    HLO_LIST(hlo_mlir_alias) aliases;
    hlo_hash aliases_by_hash;
    hlo_hash types_by_text; /* numbers of seen_types, from 1 */
    HLO_LIST(hlo_mlir_seen_type) seen_types;
    hlo_mlir_seen_type recent_types[HLO_MLIR_RECENT_TYPES]; /* with angles, by their first bytes */
    HLO_LIST(hlo_mlir_attr *)
    resources; /* attributes whose elements stand at the end of the file */
} hlo_mlir_parser;

/* ---- errors: only the first one is reported ---- */

void hlo_mlir_error(hlo_mlir_parser *p, hlo_rule rule, hlo_span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline hlo_span hlo_mlir_span(const hlo_mlir_parser *p, const char *from, const char *to) {
    return (hlo_span){(uint32_t)(from - p->begin), (uint32_t)(to - p->begin)};
}

/* ---- scan_type.c, dense_text.c, strings ---- */

/* Each reads from `at` and returns where its text ends, or NULL after an error. */
const char *hlo_mlir_scan_type(hlo_mlir_parser *p, const char *at, const hlo_mlir_type **out);
const char *hlo_mlir_scan_string(hlo_mlir_parser *p, const char *at, hlo_str *out);
/* A type whose text was met before; NULL, without an error: another one. */
const char *hlo_mlir_recall_type(hlo_mlir_parser *p, const char *at, const hlo_mlir_type **out);
/* After the '>' that closes the '<' at `at`. */
const char *hlo_mlir_after_angles(hlo_mlir_parser *p, const char *at);
/* array<i64: 1, 2> */
const char *hlo_mlir_scan_array(hlo_mlir_parser *p, const char *at, const hlo_mlir_attr **out);
/* The elements of dense<...>, [from, to) between the angles, as a literal of the type. */
const hlo_mlir_attr *hlo_mlir_dense(hlo_mlir_parser *p, hlo_span text, const hlo_mlir_type *type);
const hlo_mlir_attr *hlo_mlir_resource(hlo_mlir_parser *p, hlo_str name, hlo_span at,
                                       const hlo_mlir_type *type);
/* {-# ... #-} at the end of a file, with the resources. */
bool hlo_mlir_file_metadata(hlo_mlir_parser *p, const char *from, const char *to);

/* ---- attributes.c ---- */

hlo_mlir_attr *hlo_mlir_attr_new(hlo_mlir_parser *p, hlo_mlir_attr_kind kind, hlo_span at);
const hlo_mlir_attr *hlo_mlir_text_attr(hlo_mlir_parser *p, hlo_mlir_attr_kind kind, hlo_span at,
                                        hlo_str text);
const hlo_mlir_attr *hlo_mlir_int_attr(hlo_mlir_parser *p, hlo_span at, int64_t value,
                                       const hlo_mlir_type *type);
const hlo_mlir_attr *hlo_mlir_float_attr(hlo_mlir_parser *p, hlo_span at, double value,
                                         const hlo_mlir_type *type);
const hlo_mlir_attr *hlo_mlir_bits_attr(hlo_mlir_parser *p, hlo_span at, int64_t bits,
                                        const hlo_mlir_type *type);
const hlo_mlir_attr *hlo_mlir_bool_attr(hlo_mlir_parser *p, hlo_span at, bool value);
const hlo_mlir_attr *hlo_mlir_type_attr(hlo_mlir_parser *p, hlo_span at, const hlo_mlir_type *type);
/* The types on the stack from `base` on, results from `results` on, which are taken away. */
const hlo_mlir_attr *hlo_mlir_function_type_attr(hlo_mlir_parser *p, hlo_span at, uint32_t base,
                                                 uint32_t results);
const hlo_mlir_attr *hlo_mlir_location_attr(hlo_mlir_parser *p, hlo_span at,
                                            const hlo_mlir_location *location);
const hlo_mlir_attr *hlo_mlir_range_attr(hlo_mlir_parser *p, hlo_span at, int64_t start,
                                         int64_t limit, int64_t stride);
/* {"x"}: 0->1 of sdy.all_to_all. */
const hlo_mlir_attr *hlo_mlir_move_attr(hlo_mlir_parser *p, hlo_span at, const hlo_mlir_attr *axes,
                                        int64_t from, int64_t to);
const hlo_mlir_attr *hlo_mlir_sub_axis_attr(hlo_mlir_parser *p, hlo_span at, hlo_str name,
                                            int64_t pre, int64_t size);
/* Elements of lists: each takes those of `named` from `base` on. */
void hlo_mlir_push_named(hlo_mlir_parser *p, hlo_str key, const hlo_mlir_attr *value, hlo_span at);
const hlo_mlir_attr *hlo_mlir_list_attr(hlo_mlir_parser *p, hlo_mlir_attr_kind kind, hlo_span at,
                                        char bracket, hlo_str name, uint32_t base);
const hlo_mlir_attr *hlo_mlir_braces_attr(hlo_mlir_parser *p, hlo_span at, uint32_t base);
const hlo_mlir_attr *hlo_mlir_struct_attr(hlo_mlir_parser *p, hlo_span at, hlo_str name,
                                          uint32_t base);
hlo_str hlo_mlir_join_symbols(hlo_mlir_parser *p, hlo_str outer, hlo_str inner);

/* Aliases: a location may be used before its alias is defined. */
const hlo_mlir_location *hlo_mlir_location_alias(hlo_mlir_parser *p, hlo_str name, hlo_span at);
const hlo_mlir_attr *hlo_mlir_attr_alias(hlo_mlir_parser *p, hlo_str name, hlo_span at);
const hlo_mlir_type *hlo_mlir_type_alias(hlo_mlir_parser *p, hlo_str name, hlo_span at);
void hlo_mlir_define_alias(hlo_mlir_parser *p, hlo_str name, hlo_span at, const hlo_mlir_type *type,
                           const hlo_mlir_attr *attr);

hlo_mlir_location *hlo_mlir_location_new(hlo_mlir_parser *p, hlo_mlir_place_kind kind);
const hlo_mlir_location *hlo_mlir_named_location(hlo_mlir_parser *p, hlo_str name,
                                                 const hlo_mlir_location *child);
const hlo_mlir_location *hlo_mlir_file_location(hlo_mlir_parser *p, hlo_str file, int64_t line,
                                                int64_t column, int64_t end_line,
                                                int64_t end_column);
/* Of an operation without one: its place in the text, whose file MLIR calls '-'. */
const hlo_mlir_location *hlo_mlir_implicit_location(hlo_mlir_parser *p, uint32_t offset);
const hlo_mlir_location *hlo_mlir_call_location(hlo_mlir_parser *p, const hlo_mlir_location *callee,
                                                const hlo_mlir_location *caller);
const hlo_mlir_location *hlo_mlir_fused_location(hlo_mlir_parser *p, uint32_t base);

/* ---- operations.c: parts of the operation that was begun last ---- */

void hlo_mlir_begin_op(hlo_mlir_parser *p, hlo_str name, hlo_span at);
/* Of that row, which has the name. */
void hlo_mlir_begin_op_as(hlo_mlir_parser *p, hlo_mlir_op_id id, hlo_str name, hlo_span at);
void hlo_mlir_push_operand(hlo_mlir_parser *p, hlo_str name, hlo_span at);
void hlo_mlir_push_item(hlo_mlir_parser *p, hlo_mlir_item item);
void hlo_mlir_push_attr_item(hlo_mlir_parser *p, const hlo_mlir_attr *attr);
/* Braces in the text of an operation: its attributes, or the axes that its form begins with. */
void hlo_mlir_push_braces(hlo_mlir_parser *p, const hlo_mlir_attr *braces);
void hlo_mlir_add_attr(hlo_mlir_parser *p, hlo_str key, const hlo_mlir_attr *value, hlo_span at);
void hlo_mlir_add_attrs(hlo_mlir_parser *p, const hlo_mlir_attr *dict); /* or NULL */

void hlo_mlir_begin_region(hlo_mlir_parser *p);
void hlo_mlir_end_region(hlo_mlir_parser *p);
void hlo_mlir_push_argument(hlo_mlir_parser *p, hlo_str name, hlo_span at,
                            const hlo_mlir_type *type, const hlo_mlir_location *location);
/* With the arguments that were pushed. */
void hlo_mlir_begin_block(hlo_mlir_parser *p);

/* The items become operands and attributes by the words of the operation's row (forms.c). */
void hlo_mlir_match_form(hlo_mlir_parser *p);
void hlo_mlir_end_op(hlo_mlir_parser *p, hlo_mlir_signature types,
                     const hlo_mlir_location *location);

void hlo_mlir_end_constant(hlo_mlir_parser *p, const hlo_mlir_attr *value,
                           const hlo_mlir_location *location);
void hlo_mlir_push_loop_value(hlo_mlir_parser *p, hlo_mlir_result_name argument, hlo_str value,
                              hlo_span at);
void hlo_mlir_loop_types(hlo_mlir_parser *p, uint32_t base);
void hlo_mlir_loop_arguments(hlo_mlir_parser *p); /* for each region */
void hlo_mlir_end_loop(hlo_mlir_parser *p, const hlo_mlir_location *location);
/* A word that stands only there. */
void hlo_mlir_expect_word(hlo_mlir_parser *p, hlo_str word, hlo_span at, const char *wanted);
/* A scan whose operands up to `inputs` on their stack are inputs; carries are as many as the others. */
void hlo_mlir_end_scan(hlo_mlir_parser *p, uint32_t inputs, hlo_mlir_signature types,
                       const hlo_mlir_location *location);
void hlo_mlir_push_reduce_pair(hlo_mlir_parser *p, hlo_str input, hlo_span input_at, hlo_str init,
                               hlo_span init_at);
void hlo_mlir_add_dimensions(hlo_mlir_parser *p, hlo_str word, hlo_span at,
                             const hlo_mlir_attr *list);
/* Arguments in pairs (a0, b0) (a1, b1) become a0 a1 b0 b1. */
void hlo_mlir_order_reducer_arguments(hlo_mlir_parser *p);
/* The region of `applies NAME`. */
void hlo_mlir_add_reducer(hlo_mlir_parser *p, hlo_str name, hlo_span at, hlo_mlir_signature types,
                          const hlo_mlir_location *location);
void hlo_mlir_push_function_argument(hlo_mlir_parser *p, hlo_str name, hlo_span at,
                                     const hlo_mlir_type *type, const hlo_mlir_attr *attrs,
                                     const hlo_mlir_location *location);
void hlo_mlir_push_function_result(hlo_mlir_parser *p, const hlo_mlir_type *type,
                                   const hlo_mlir_attr *attrs);
/* Types of results begin at `results` on their stack. */
void hlo_mlir_end_function(hlo_mlir_parser *p, hlo_str name, hlo_span at, uint32_t results,
                           const hlo_mlir_location *location);
void hlo_mlir_unknown_operation(hlo_mlir_parser *p, hlo_str name, hlo_span at);
/* The outermost operations become one module. */
void hlo_mlir_end_file(hlo_mlir_parser *p);

int hlo_mlir_scan(void *value, hlo_span *at, hlo_mlir_parser *p);
int hlo_mlir_yyparse(hlo_mlir_parser *p);
/* As hlo_mlir_parse, by the rules of the grammar alone: for tests. */
hlo_status hlo_mlir_parse_by_rules(hlo_source *source, hlo_diags *diags, hlo_mlir_module **out);

#endif
