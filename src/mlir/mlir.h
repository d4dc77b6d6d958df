/* MLIR as a small tree: operations with values, attributes, regions, types and locations, each with
 * its place. Texts and bytecode become this; src/stablehlo makes a module of it. */
#ifndef HLO_MLIR_MLIR_H
#define HLO_MLIR_MLIR_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/source.h"
#include "base/unwind.h"
#include "diag/diag.h"
#include "ir/literal.h"
#include "ir/shape.h"

typedef struct hlo_mlir_type hlo_mlir_type;
typedef struct hlo_mlir_attr hlo_mlir_attr;
typedef struct hlo_mlir_location hlo_mlir_location;
typedef struct hlo_mlir_value hlo_mlir_value;
typedef struct hlo_mlir_op hlo_mlir_op;
typedef struct hlo_mlir_block hlo_mlir_block;
typedef struct hlo_mlir_region hlo_mlir_region;
typedef struct hlo_mlir_module hlo_mlir_module;

/* ---- types ---- */

typedef enum {
    HLO_MLIR_SCALAR,   /* of a type that HLO has: f32, i1, ui8, complex<f64> */
    HLO_MLIR_TENSOR,   /* ranked; elements of a SCALAR, or of an OTHER */
    HLO_MLIR_TUPLE,    /* of `parts` */
    HLO_MLIR_FUNCTION, /* parts: `inputs` of them, then the results */
    HLO_MLIR_TOKEN,
    HLO_MLIR_FUTURE, /* of `parts`, which an asynchronous operation gives */
    HLO_MLIR_BUNDLE, /* mhlo.async_bundle: of arguments, results and others */
    HLO_MLIR_BUFFER, /* memref: as a tensor */
    HLO_MLIR_OTHER,  /* what HLO has no type for (index, i5, tf32, !quant.uniform<...>,
                        tensor<*xf32>):  by its text */
} hlo_mlir_type_kind;

/* Interned: within one tree equal types are one pointer. */
struct hlo_mlir_type {
    hlo_mlir_type_kind kind;
    hlo_type element;           /* SCALAR; of a TENSOR or BUFFER: HLO_TYPE_COUNT where `other` is */
    const hlo_mlir_type *other; /* the elements' type, an OTHER; NULL: `element` */
    uint32_t rank;              /* TENSOR, BUFFER */
    const int64_t *dims;        /* HLO_UNBOUNDED: '?' */
    const int64_t *bounds;      /* of '?': HLO_UNBOUNDED: none; NULL: no dimension has a bound */
    uint32_t part_count, inputs; /* TUPLE, FUNCTION, FUTURE, BUNDLE */
    const hlo_mlir_type *const *parts;
    hlo_str text;     /* as it is printed: for messages, and for types by text */
    bool is_empty;    /* a TENSOR without elements: some size is 0, and all are known */
    const void *made; /* scratch of src/stablehlo: the shape that was made of it */
};

/* ---- attributes ---- */

typedef enum {
    HLO_MLIR_UNIT,
    HLO_MLIR_BOOL,     /* i */
    HLO_MLIR_INT,      /* i, of `type` */
    HLO_MLIR_FLOAT,    /* f, of `type`; NULL: f64 */
    HLO_MLIR_STRING,   /* text, without escapes */
    HLO_MLIR_WORD,     /* text: a bare word where a dialect's syntax has one: DEFAULT, b, x, -> */
    HLO_MLIR_SYMBOL,   /* text: @name without the sign; nested ones are joined by "::" */
    HLO_MLIR_TYPE,     /* type */
    HLO_MLIR_LIST,     /* list: [...] */
    HLO_MLIR_DICT,     /* list, all with keys: {...} */
    HLO_MLIR_STRUCT,   /* #dialect.text<...>: `text` is "stablehlo.dot", list its parameters */
    HLO_MLIR_INTS,     /* ints: array<i64: ...>, of any integer type or i1 */
    HLO_MLIR_FLOATS,   /* literal: array<f32: ...> */
    HLO_MLIR_DENSE,    /* literal of `type`, or its one element where is_splat */
    HLO_MLIR_RESOURCE, /* dense_resource<text> of `type`; `literal` where the file has it */
    HLO_MLIR_LOCATION, /* location */
    HLO_MLIR_MAP,      /* affine_map<...>: text */
} hlo_mlir_attr_kind;

/* An element of a list; those of lists without keys have an empty one. */
typedef struct {
    hlo_str key;
    const hlo_mlir_attr *value;
    uint32_t at; /* of the key, or of the value: in the source */
} hlo_mlir_named;

typedef struct {
    uint32_t n;
    const hlo_mlir_named *v;
} hlo_mlir_list;

struct hlo_mlir_attr {
    hlo_mlir_attr_kind kind;
    bool is_splat;
    char bracket;   /* of a LIST: '[', and where a dialect's syntax has others '<', '(' */
    uint16_t depth; /* how deep lists of a text nest in it */
    uint32_t size;  /* scratch of src/stablehlo: how many attributes it unfolds to */
    hlo_span at;    /* in the source; 0,0: nowhere */
    const hlo_mlir_type *type; /* or NULL */
    union {
        int64_t i;
        double f;
        hlo_str text;
        struct {
            uint32_t n;
            const int64_t *v;
        } ints;
        const hlo_mlir_location *location;
    } u;
    hlo_mlir_list list;         /* LIST, DICT, STRUCT */
    const hlo_literal *literal; /* DENSE, FLOATS, RESOURCE: elements as hlo_literal has them */
};

/* ---- locations ---- */

typedef enum {
    HLO_MLIR_UNKNOWN_PLACE,
    HLO_MLIR_FILE_PLACE,  /* name: the file; line and column to end_line and end_column */
    HLO_MLIR_NAMED_PLACE, /* name, and the place of first, or NULL */
    HLO_MLIR_CALL_PLACE,  /* first: of the callee; caller */
    HLO_MLIR_FUSED_PLACE, /* parts */
} hlo_mlir_place_kind;

struct hlo_mlir_location {
    hlo_mlir_place_kind kind;
    hlo_str name;
    uint32_t line, column, end_line, end_column;
    const hlo_mlir_location *first, *caller;
    uint32_t part_count;
    const hlo_mlir_location *const *parts;
    const void *made; /* scratch of src/stablehlo: the metadata that was made of it */
    uint32_t size;    /* the same: how many locations it unfolds to */
};

/* ---- operations ---- */

/* A row of ops.def, or HLO_MLIR_OP_COUNT: an operation that no row has. */
typedef enum {
#define HLO_MLIR_OP(id, name, ...) HLO_MLIR_OP_##id,
#include "mlir/ops.def"
#undef HLO_MLIR_OP
    HLO_MLIR_OP_COUNT
} hlo_mlir_op_id;

/* An operand, and a link of its value's list of uses, the newest first as in MLIR. */
typedef struct hlo_mlir_use {
    hlo_mlir_value *value;
    hlo_mlir_op *user;
    struct hlo_mlir_use *next, **back; /* back: what points to this one */
} hlo_mlir_use;

struct hlo_mlir_value {
    const hlo_mlir_type *type;
    hlo_mlir_op *op;       /* whose result it is; NULL: an argument of `block` */
    hlo_mlir_block *block; /* of an argument */
    hlo_mlir_use *first_use;
    uint32_t index;                    /* among the results, or the arguments */
    uint32_t at;                       /* in the source */
    hlo_str name;                      /* without '%'; empty in bytecode; printing gives it */
    const hlo_mlir_location *location; /* of an argument; or NULL */
    void *made;                        /* scratch of src/stablehlo */
};

struct hlo_mlir_op {
    /* What walks look at stands first: large programs do not fit into caches. */
    hlo_mlir_op *prev, *next; /* in the block */
    hlo_mlir_block *block;    /* NULL: the outermost one */
    hlo_mlir_op_id id;
    uint32_t operand_count, result_count, region_count, attr_count;
    hlo_mlir_region *regions;
    hlo_mlir_named *attrs; /* properties and others, in the order of the text */
    hlo_mlir_use *operands;
    hlo_mlir_value *results;
    hlo_str name;                      /* "stablehlo.add" */
    hlo_span at;                       /* of the name, in the source; 0,0: bytecode */
    const hlo_mlir_location *location; /* NULL: unknown */
    uint32_t place, round;             /* scratch of src/stablehlo */
};

struct hlo_mlir_block {
    hlo_mlir_region *region;
    hlo_mlir_block *next;
    hlo_mlir_op *first, *last;
    uint32_t argument_count;
    hlo_mlir_value *arguments;
};

struct hlo_mlir_region {
    hlo_mlir_op *op;
    hlo_mlir_block *first, *last;
};

/* What was read: a tree, whose outermost operation is builtin.module. */
struct hlo_mlir_module {
    hlo_arena arena;
    hlo_source *source;
    hlo_cleanup cleanup; /* frees the tree when memory runs out */ /* retained */
    hlo_shapes_table shapes;                                       /* of literals */
    HLO_LIST(const hlo_mlir_type *) types;
    hlo_hash types_by_hash; /* numbers of them, from 1 */
    hlo_mlir_op *root;
    uint32_t made[HLO_MLIR_OP_COUNT + 1]; /* operations of each row so far, of no row at the end:
                                             steps that look for some do not look for none */
    uint32_t with_regions; /* the same of those with regions, but for functions and modules */
};

/* An empty one, of the source; free it with hlo_mlir_free. */
hlo_mlir_module *hlo_mlir_new(hlo_source *source);
void hlo_mlir_free(hlo_mlir_module *module);

/* Reads the text, or the bytecode, of the source. On an error *out is NULL. */
hlo_status hlo_mlir_parse(hlo_source *source, hlo_diags *diags, hlo_mlir_module **out);
hlo_status hlo_mlir_parse_bytecode(hlo_source *source, hlo_diags *diags, hlo_mlir_module **out);
/* What a text alone is as an attribute, in the memory of the module; NULL: it is none, or more. */
const hlo_mlir_attr *hlo_mlir_parse_attr(hlo_mlir_module *module, hlo_str text, hlo_diags *diags);

/* ---- making types ---- */

/* The interned type that equals `type`, whose lists and text are copied if it is a new one; an
 * empty text is made. */
const hlo_mlir_type *hlo_mlir_type_of(hlo_mlir_module *module, const hlo_mlir_type *type);
/* `i32`, `f8E4M3FN`, `complex<f64>` (of complex: by its element's name) as a type of HLO;
 * HLO_TYPE_COUNT: none. `is_signless` types are HLO's signed ones. */
hlo_type hlo_mlir_element(hlo_str name);
/* As MLIR prints them; the keys of a dictionary in order. */
void hlo_mlir_print_type(hlo_buf *to, const hlo_mlir_type *type);
void hlo_mlir_print_attr(hlo_buf *to, const hlo_mlir_attr *attr);

/* ---- printing (print.c) ---- */

/* The whole tree as MLIR prints it, with locations: each operation in its own form, or all in the
 * generic one. Gives names to all values. Attributes are as bytecode has them; those as a text has
 * them are printed in the form of the operation, not in the generic one. */
void hlo_mlir_print(hlo_mlir_module *module, bool is_generic, hlo_buf *to);

/* ---- making operations ---- */

/* Appends to the block, or before `place`, with space for so many of each; the caller fills them,
 * and calls hlo_mlir_set_operand for each operand. */
hlo_mlir_op *hlo_mlir_op_new(hlo_mlir_module *module, hlo_mlir_block *block, hlo_mlir_op *before,
                             hlo_str name, uint32_t operands, uint32_t results, uint32_t attrs,
                             uint32_t regions);
/* The same of an operation whose row is known: `id` is that of the name. */
hlo_mlir_op *hlo_mlir_op_new_as(hlo_mlir_module *module, hlo_mlir_block *block, hlo_mlir_op *before,
                                hlo_mlir_op_id id, hlo_str name, uint32_t operands,
                                uint32_t results, uint32_t attrs, uint32_t regions);
/* An operation of no block becomes the last one of the block. */
void hlo_mlir_append(hlo_mlir_op *op, hlo_mlir_block *block);
void hlo_mlir_set_operand(hlo_mlir_op *op, uint32_t i, hlo_mlir_value *value);
/* Every use of `old` becomes one of `value`, in the order of the list. */
void hlo_mlir_replace_uses(hlo_mlir_value *old, hlo_mlir_value *value);
/* Takes it out of its block, with its operands; nothing uses its results. */
void hlo_mlir_remove(hlo_mlir_op *op);
/* To another place of this or of another block; before NULL: the end. */
void hlo_mlir_move(hlo_mlir_op *op, hlo_mlir_block *block, hlo_mlir_op *before);
void hlo_mlir_set_attr(hlo_mlir_module *module, hlo_mlir_op *op, const char *name,
                       const hlo_mlir_attr *value);
hlo_mlir_block *hlo_mlir_block_new(hlo_mlir_module *module, hlo_mlir_region *region,
                                   uint32_t arguments);
hlo_mlir_op_id hlo_mlir_op_from_name(hlo_str name);

/* ---- asking ---- */

/* The number of an INT or a BOOL, of a FLOAT; the text of the kinds that have one. */
static inline int64_t hlo_mlir_int_of(const hlo_mlir_attr *attr) {
    HLO_ASSERT(attr->kind == HLO_MLIR_INT || attr->kind == HLO_MLIR_BOOL);
    return attr->u.i;
}
static inline bool hlo_mlir_has_int(const hlo_mlir_attr *attr) { /* false for NULL */
    return attr && (attr->kind == HLO_MLIR_INT || attr->kind == HLO_MLIR_BOOL);
}
static inline double hlo_mlir_float_of(const hlo_mlir_attr *attr) {
    HLO_ASSERT(attr->kind == HLO_MLIR_FLOAT);
    return attr->u.f;
}
static inline hlo_str hlo_mlir_text_of(const hlo_mlir_attr *attr) {
    HLO_ASSERT(attr->kind == HLO_MLIR_STRING || attr->kind == HLO_MLIR_WORD ||
               attr->kind == HLO_MLIR_SYMBOL || attr->kind == HLO_MLIR_STRUCT ||
               attr->kind == HLO_MLIR_RESOURCE || attr->kind == HLO_MLIR_MAP);
    return attr->u.text;
}

static inline hlo_mlir_value *hlo_mlir_operand(const hlo_mlir_op *op, uint32_t i) {
    HLO_ASSERT(i < op->operand_count);
    return op->operands[i].value;
}
static inline bool hlo_mlir_has_one_use(const hlo_mlir_value *value) {
    return value->first_use && !value->first_use->next;
}
/* The block in which a value is defined. */
static inline hlo_mlir_block *hlo_mlir_block_of(const hlo_mlir_value *value) {
    return value->op ? value->op->block : value->block;
}
const hlo_mlir_attr *hlo_mlir_attr_named(const hlo_mlir_op *op, hlo_str name);
/* Of a reduction by one commutative operation on both arguments, whose form has no region; or NULL.
 */
const hlo_mlir_op *hlo_mlir_only_reducer(const hlo_mlir_op *reduce);
/* The attribute of that name; NULL: none. */
static inline const hlo_mlir_attr *hlo_mlir_attr_of(const hlo_mlir_op *op, const char *name) {
    return op->attr_count ? hlo_mlir_attr_named(op, hlo_str_from(name)) : NULL;
}
const hlo_mlir_attr *hlo_mlir_member(const hlo_mlir_attr *attr, const char *key); /* DICT, STRUCT */
/* The whole numbers of INTS, of a LIST of INTs, or of a DENSE of integers, in the arena where they
 * have to be made. False: it is none of these. */
bool hlo_mlir_ints(hlo_mlir_module *module, const hlo_mlir_attr *attr, uint32_t *n,
                   const int64_t **v);

#endif
