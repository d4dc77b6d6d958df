/* MLIR's bytecode: what the files bytecode*.c share. Private to src/mlir. A function that reads
 * returns false after it has reported an error; nothing is read after the first one. */
#ifndef HLO_MLIR_BYTECODE_H
#define HLO_MLIR_BYTECODE_H

#include "mlir/mlir.h"

enum { HLO_BC_MOST_NESTED = 1000 };

typedef struct hlo_bc hlo_bc;

/* A range of the source that is read from its start. What entries of the tables it refers to is
 * summed up, so that neither nesting nor sharing can be without limit. */
typedef struct {
    hlo_bc *r;
    const char *at, *end;
    uint32_t depth; /* of the deepest entry that was referred to */
    uint32_t nodes; /* of all of them, counted each time */
} hlo_bc_in;

typedef enum {
    HLO_BC_BUILTIN,
    HLO_BC_STABLEHLO,
    HLO_BC_CHLO,
    HLO_BC_MHLO,
    HLO_BC_SDY,
    HLO_BC_VHLO,
    HLO_BC_OTHER /* its attributes and types can be read as text only */
} hlo_bc_dialect_id;

typedef struct {
    hlo_str name;
    hlo_bc_dialect_id id;
} hlo_bc_dialect;

typedef enum { HLO_BC_NEW, HLO_BC_OPEN, HLO_BC_DONE } hlo_bc_state;

/* An attribute or a type, which is read when something refers to it. */
typedef struct {
    const char *at, *end;
    uint32_t dialect;
    uint8_t state;  /* OPEN: it is being read */
    bool is_custom; /* by the dialect's encoding; false: as text */
    uint16_t depth;
    uint32_t nodes;
    const hlo_mlir_attr *attr; /* one of the two */
    const hlo_mlir_type *type;
} hlo_bc_entry;

typedef struct {
    hlo_str name;           /* with its dialect; of vhlo: that of the operation which it becomes */
    const char *properties; /* names of a row of properties.def; NULL: it has no row */
    const char *rules;      /* of vhlo: of a row of vhlo.def; NULL: another dialect */
    bool is_registered;
} hlo_bc_op_name;

typedef struct {
    hlo_str key, data;
    bool has_data;
    const hlo_mlir_type *type; /* of the literal that was made last */
    const hlo_literal *literal;
} hlo_bc_resource;

struct hlo_bc {
    hlo_mlir_module *module;
    hlo_arena *arena;
    hlo_source *source;
    hlo_diags *diags;
    uint64_t version;
    uint32_t open;   /* entries that are being read: each stands in another */
    uint64_t budget; /* for what a few bytes of a file can make much of: see hlo_bc_charge */

    /* In the arena. */
    struct {
        uint32_t n;
        hlo_str *v;
    } strings;
    struct {
        uint32_t n;
        hlo_bc_entry *v;
    } attrs, types;

    HLO_LIST(hlo_bc_dialect) dialects;
    HLO_LIST(hlo_bc_op_name) op_names;
    HLO_LIST(hlo_bc_resource) resources; /* of dialects */
    HLO_LIST(hlo_str) properties;
    hlo_hash rows; /* numbers of rows of properties.def, by name */

    /* Of the operation that is being read. */
    HLO_LIST(hlo_mlir_named) named;
    HLO_LIST(const hlo_mlir_type *) result_types;
    HLO_LIST(hlo_mlir_value *) operands;
    HLO_LIST(hlo_mlir_value *) values; /* by their numbers: NULL before they are defined */
};

/* ---- errors ---- */

void hlo_bc_report(hlo_bc *r, const char *at, hlo_rule rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports what is wrong at a byte, or at the one that would be read next; false. */
#define hlo_bc_bad_at(...) (hlo_bc_report(__VA_ARGS__), false)
#define hlo_bc_bad(in, ...) hlo_bc_bad_at((in)->r, (in)->at, HLO_RULE_MESSAGE, __VA_ARGS__)
/* For messages: its length and bytes, not too many of them. */
#define HLO_BC_SHOWN(text) (int)((text).len < 100 ? (text).len : 100), (text).ptr

/* ---- bytecode_bytes.c ---- */

bool hlo_bc_byte(hlo_bc_in *in, uint8_t *out);
bool hlo_bc_varint(hlo_bc_in *in, uint64_t *out);
bool hlo_bc_signed(hlo_bc_in *in, int64_t *out);
/* A number above one bit. */
bool hlo_bc_flagged(hlo_bc_in *in, uint64_t *out, bool *flag);
bool hlo_bc_u32(hlo_bc_in *in, uint32_t *out);
/* How many things follow, of at least one byte each. */
bool hlo_bc_count(hlo_bc_in *in, uint32_t *out);
/* The next bytes. */
bool hlo_bc_take(hlo_bc_in *in, uint64_t size, hlo_str *out);
/* A size and so many bytes. */
bool hlo_bc_blob(hlo_bc_in *in, hlo_str *out);
/* After bytes that fill up to a multiple of the alignment in the file. */
bool hlo_bc_align(hlo_bc_in *in, uint64_t alignment);
bool hlo_bc_section(hlo_bc_in *in, uint8_t *id, hlo_bc_in *out);
/* A list of numbers with signs, in the arena. */
bool hlo_bc_ints(hlo_bc_in *in, uint32_t *n, int64_t **v);
/* Units of work or memory that no bytes of the file pay for. */
bool hlo_bc_charge(const hlo_bc_in *in, uint64_t units);
/* Has everything been read? */
bool hlo_bc_at_end(const hlo_bc_in *in, const char *what);

/* ---- bytecode_entries.c: references to the tables ---- */

bool hlo_bc_string(hlo_bc_in *in, hlo_str *out);
bool hlo_bc_string_at(hlo_bc_in *in, uint64_t index, hlo_str *out);
bool hlo_bc_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_attr_at(hlo_bc_in *in, uint64_t index, const hlo_mlir_attr **out);
/* NULL where there is none. */
bool hlo_bc_optional_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_attr_of(hlo_bc_in *in, hlo_mlir_attr_kind kind, const hlo_mlir_attr **out);
bool hlo_bc_attrs(hlo_bc_in *in, uint32_t *n, const hlo_mlir_attr ***out);
bool hlo_bc_type(hlo_bc_in *in, const hlo_mlir_type **out);
bool hlo_bc_type_at(hlo_bc_in *in, uint64_t index, const hlo_mlir_type **out);
bool hlo_bc_types(hlo_bc_in *in, uint32_t *n, const hlo_mlir_type ***out);
/* NULL: unknown. */
bool hlo_bc_location(hlo_bc_in *in, const hlo_mlir_location **out);

/* ---- bytecode_make.c: attributes and types ---- */

hlo_mlir_attr *hlo_bc_new_attr(hlo_bc *r, hlo_mlir_attr_kind kind);
const hlo_mlir_attr *hlo_bc_text_attr(hlo_bc *r, hlo_mlir_attr_kind kind, hlo_str text);
const hlo_mlir_attr *hlo_bc_word(hlo_bc *r, const char *text);
const hlo_mlir_attr *hlo_bc_int_attr(hlo_bc *r, int64_t value, const hlo_mlir_type *type);
const hlo_mlir_attr *hlo_bc_bool_attr(hlo_bc *r, bool value);
const hlo_mlir_attr *hlo_bc_type_attr(hlo_bc *r, const hlo_mlir_type *type);
const hlo_mlir_attr *hlo_bc_list_attr(hlo_bc *r, char bracket, uint32_t n,
                                      const hlo_mlir_attr *const *v);
/* [1, 2], as texts have it inside an attribute of a dialect. */
const hlo_mlir_attr *hlo_bc_numbers(hlo_bc *r, uint32_t n, const int64_t *v);
/* array<i64: ...>, of these numbers. */
bool hlo_bc_ints_attr(hlo_bc_in *in, hlo_type element, uint32_t n, const int64_t *v,
                      const hlo_mlir_attr **out);
/* {...}: a DICT of units where all are words, a LIST else. */
const hlo_mlir_attr *hlo_bc_braces(hlo_bc *r, uint32_t n, const hlo_mlir_attr *const *v);
/* #dialect<name WORD> */
const hlo_mlir_attr *hlo_bc_enum_attr(hlo_bc *r, const char *name, const char *word);

/* Members of a STRUCT, in order. */
typedef struct {
    hlo_bc *r;
    uint32_t n;
    hlo_mlir_named v[12];
} hlo_bc_members;
void hlo_bc_member(hlo_bc_members *m, const char *key, const hlo_mlir_attr *value);
/* The same of a number that is not 0, and of a list that is not empty: texts omit the others. */
void hlo_bc_number_member(hlo_bc_members *m, const char *key, int64_t value);
void hlo_bc_numbers_member(hlo_bc_members *m, const char *key, uint32_t n, const int64_t *v);
const hlo_mlir_attr *hlo_bc_struct(hlo_bc_members *m, const char *name);

/* A list of attributes of dialects as texts have it inside another one: <...> without a name. */
const hlo_mlir_attr *hlo_bc_unnamed(hlo_bc *r, const hlo_mlir_attr *list);

/* Interns a type, unless its text would be too long. */
bool hlo_bc_intern(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_mlir_type **out);
const hlo_mlir_type *hlo_bc_scalar(hlo_bc *r, hlo_type type);
bool hlo_bc_named_type(hlo_bc_in *in, hlo_str name, const hlo_mlir_type **out); /* SCALAR, OTHER */
/* Bits of an integer or index type; 0: it is none. */
uint32_t hlo_bc_int_width(const hlo_mlir_type *type, bool *is_unsigned);
/* bounds: as many as dims, or 0 */
bool hlo_bc_tensor(hlo_bc_in *in, hlo_mlir_type_kind kind, uint32_t n, const int64_t *dims,
                   const hlo_mlir_attr *encoding, const hlo_mlir_type *element,
                   const hlo_mlir_type **out);
bool hlo_bc_parts(hlo_bc_in *in, hlo_mlir_type_kind kind, uint32_t inputs, uint32_t n,
                  const hlo_mlir_type *const *parts, const hlo_mlir_type **out);

/* What has no kind in the tree, by its text: `before`, that of the other type, '>'. */
bool hlo_bc_around(hlo_bc_in *in, const char *before, const hlo_mlir_type *inside,
                   const hlo_mlir_type **out);
bool hlo_bc_complex(hlo_bc_in *in, const hlo_mlir_type *part, const hlo_mlir_type **out);

/* ---- bytecode_numbers.c: values of fixed width, elements ---- */

/* An integer of the type; BOOL for i1. */
bool hlo_bc_int_of(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_mlir_attr **out);
bool hlo_bc_float_of(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_mlir_attr **out);
bool hlo_bc_double(hlo_bc_in *in, double *out);
/* DENSE of the bytes. */
bool hlo_bc_dense(hlo_bc_in *in, const hlo_mlir_type *type, hlo_str bytes,
                  const hlo_mlir_attr **out);
bool hlo_bc_array(hlo_bc_in *in, const hlo_mlir_type *element, const hlo_mlir_attr **out);
bool hlo_bc_resource_of(hlo_bc_in *in, const hlo_mlir_type *type, const hlo_mlir_attr **out);

/* ---- bytecode_common.c: encodings that several dialects have ---- */

bool hlo_bc_read_list(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_read_dict(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_read_string(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_read_type_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_read_int(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_read_float(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_read_dense(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_read_sub_axis(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_read_function_type(hlo_bc_in *in, const hlo_mlir_type **out);
bool hlo_bc_read_tensor_type(hlo_bc_in *in, bool has_encoding, const hlo_mlir_type **out);
bool hlo_bc_read_parts_type(hlo_bc_in *in, hlo_mlir_type_kind kind, const hlo_mlir_type **out);
bool hlo_bc_read_complex_type(hlo_bc_in *in, const hlo_mlir_type **out);
bool hlo_bc_read_around_type(hlo_bc_in *in, const char *before, const hlo_mlir_type **out);

/* ---- dialects: an attribute or a type after its code ---- */

bool hlo_bc_builtin_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_builtin_type(hlo_bc_in *in, const hlo_mlir_type **out);
bool hlo_bc_stablehlo_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_stablehlo_type(hlo_bc_in *in, const hlo_mlir_type **out);
bool hlo_bc_chlo_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_mhlo_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_mhlo_type(hlo_bc_in *in, const hlo_mlir_type **out);
bool hlo_bc_sdy_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_vhlo_attr(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_vhlo_type(hlo_bc_in *in, const hlo_mlir_type **out);
/* As MLIR text. */
bool hlo_bc_attr_text(hlo_bc_in *in, hlo_str text, const hlo_mlir_attr **out);
bool hlo_bc_type_text(hlo_bc_in *in, hlo_str text, const hlo_mlir_type **out);

/* Words of an enumeration by number, NULL at those that mean nothing. */
typedef struct {
    const char *name; /* of the attribute */
    uint32_t n;
    const char *const *words;
} hlo_bc_enum;
bool hlo_bc_enum_of(hlo_bc_in *in, const hlo_bc_enum *e, const hlo_mlir_attr **out);
extern const hlo_bc_enum hlo_bc_comparison_direction, hlo_bc_comparison_type, hlo_bc_fft_type,
    hlo_bc_precision, hlo_bc_rng_algorithm, hlo_bc_rng_distribution, hlo_bc_transpose,
    hlo_bc_accuracy_mode;
bool hlo_bc_result_accuracy(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_output_operand_alias(hlo_bc_in *in, const hlo_mlir_attr **out);
bool hlo_bc_type_extensions(hlo_bc_in *in, const hlo_mlir_attr **out);
/* Attributes that consist of lists of numbers, and after them perhaps of one number. */
typedef struct {
    const char *name;
    const char *keys[6];
    uint32_t lists;
    bool has_number;
} hlo_bc_numbers_form;
extern const hlo_bc_numbers_form hlo_bc_dot_numbers, hlo_bc_gather_numbers, hlo_bc_scatter_numbers;
/* The dimension numbers of a convolution: batch, feature and spatial ones of input, kernel and
 * output. */
typedef struct {
    int64_t first[3], second[3];
    uint32_t n[3];
    const int64_t *spatial[3];
} hlo_bc_conv;
bool hlo_bc_conv_attr(hlo_bc_in *in, const hlo_bc_conv *conv, const hlo_mlir_attr **out);

/* ---- properties of operations, operations of vhlo ---- */

/* The names of a row of properties.def; NULL: no row. */
const char *hlo_bc_properties_of(hlo_bc *r, hlo_str name);
/* Adds the properties to r->named. */
bool hlo_bc_read_properties(hlo_bc_in *in, const hlo_bc_op_name *name);
/* Adds the elements of a DICT to r->named. */
bool hlo_bc_add_attrs(const hlo_bc_in *in, const hlo_mlir_attr *dict);

/* What an operation of vhlo, named without its dialect, is today; false: nothing. */
bool hlo_bc_old_op(hlo_bc *r, hlo_str name, hlo_bc_op_name *out);
/* Makes those attributes of r->named that the operation has today. */
bool hlo_bc_upgrade(hlo_bc_in *in, const char *rules);

/* ---- bytecode_ir.c ---- */

bool hlo_bc_read_ir(hlo_bc_in *in);

#endif
