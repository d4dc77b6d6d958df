/* Opcodes and their table (ops.def). */
#ifndef HLO_IR_OPS_H
#define HLO_IR_OPS_H

#include "ir/attrs.h"
#include "ir/types.h"

typedef enum {
#define HLO_OP(id, ...) HLO_OP_##id,
#include "ir/ops.def"
#undef HLO_OP
    HLO_OP_COUNT
} hlo_opcode;

typedef enum { HLO_ARITY_COUNT, HLO_ARITY_EVEN, HLO_ARITY_ODD } hlo_arity;
typedef enum { HLO_PARENS_OPERANDS, HLO_PARENS_NUMBER, HLO_PARENS_LITERAL } hlo_parens;

/* Whose memory the result of an operation is. */
typedef enum {
    HLO_RESULT_FRESH = 1, /* new */
    HLO_RESULT_OVERWRITE, /* new, or that of an operand of equal size without other users */
    HLO_RESULT_UPDATE,    /* starts as operand 0, or as the first n when it is a tuple of n */
    HLO_RESULT_VIEW,      /* of operands, of the caller or of the module: nothing is computed */
    HLO_RESULT_CALL       /* that of the results of called computations */
} hlo_op_result;

/* What an operation computes, in flops unless noted otherwise. */
typedef enum {
    HLO_WORK_NONE = 1,
    HLO_WORK_ELEMENT,     /* one for each element of the result */
    HLO_WORK_FUNCTION,    /* the same, of transcendentals */
    HLO_WORK_DOT,         /* two for each product */
    HLO_WORK_RAGGED_DOT,  /* the same, as if each row met one group */
    HLO_WORK_CONVOLUTION, /* the same, without products with padding */
    HLO_WORK_FFT,         /* complex products: elements times log2 of each length */
    HLO_WORK_SOLVE,       /* two for each element of the result and row */
    HLO_WORK_CHOLESKY,    /* the side times the elements, divided by three */
    HLO_WORK_SORT,        /* n log2(n), of all elements */
    HLO_WORK_TOPK,        /* not counted, as by XLA */
    HLO_WORK_APPLY,       /* a computation on many elements, once for each */
    HLO_WORK_CALL,        /* computations, once */
    HLO_WORK_FUSION,      /* the same, whose values inside touch no memory */
    HLO_WORK_FOREIGN,     /* not known */
    HLO_WORK_COUNT
} hlo_op_work;

/* Which bytes an operation reads and writes. */
typedef enum {
    HLO_TRAFFIC_NONE = 1,
    HLO_TRAFFIC_ALL,           /* operands and results */
    HLO_TRAFFIC_RESULT,        /* the result's own */
    HLO_TRAFFIC_OPERAND,       /* the first operand */
    HLO_TRAFFIC_TRANSPOSE,     /* all, when elements move in memory */
    HLO_TRAFFIC_SLICE,         /* the result, and as much of the operand */
    HLO_TRAFFIC_DYNAMIC_SLICE, /* the result, as much of the operand, and an index */
    HLO_TRAFFIC_UPDATE,        /* the update, what it replaces, and an index */
    HLO_TRAFFIC_GATHER,        /* the result, as much of the operand, and the indices */
    HLO_TRAFFIC_SCATTER,       /* the indices and thrice the updates */
    HLO_TRAFFIC_INFEED,        /* the data */
    HLO_TRAFFIC_OUTFEED,       /* the data */
    HLO_TRAFFIC_SOLVE,         /* all, of the triangular operand one half */
    HLO_TRAFFIC_CALL,          /* of the called computations */
    HLO_TRAFFIC_FUSION,        /* what a fusion reads and writes: hlo_fusion_bytes */
    HLO_TRAFFIC_FOREIGN,       /* not known */
    HLO_TRAFFIC_COUNT
} hlo_op_traffic;

typedef enum {
    HLO_CLASS_ELEMENTWISE,
    HLO_CLASS_TRANSCENDENTAL,
    HLO_CLASS_DATA,
    HLO_CLASS_REDUCE,
    HLO_CLASS_DENSE,
    HLO_CLASS_RANDOM,
    HLO_CLASS_CONTROL,
    HLO_CLASS_COLLECTIVE,
    HLO_CLASS_HOST,
    HLO_CLASS_TUPLE,
    HLO_CLASS_LEAF
} hlo_op_class;

/* hlo_op_info.flags: HLO_OP_<name>. */
#define HLO_OP_FLAGS(FLAG)                                                                       \
    FLAG(IS_ELEMENTWISE)                                                                         \
    FLAG(IS_COMMUTATIVE)                                                                         \
    FLAG(IS_ASSOCIATIVE)   /* but for rounding */                                                \
    FLAG(HAS_SIDE_EFFECT)  /* always; see hlo_instr_has_side_effect */                           \
    FLAG(IS_NOT_WRAPPABLE) /* has no OP-start sugar */                                           \
    FLAG(IS_ALIAS)         /* the result has no memory but that of operands, compiled or not */  \
    FLAG(IS_ASYNC)         /* start, update or done: operands are read until the done has run */ \
    FLAG(ENDS_ASYNC)       /* the done, whose result is an array like any other */               \
    FLAG(IS_EXTENSION)     /* XLA has no such operation */                                       \
    FLAG(IS_DATAFLOW)      /* control flow as dataflow: in modules with is_dataflow=true */

enum {
#define HLO_OP_FLAG_BIT(name) HLO_OP_BIT_##name,
    HLO_OP_FLAGS(HLO_OP_FLAG_BIT)
#undef HLO_OP_FLAG_BIT
};
enum {
#define HLO_OP_FLAG(name) HLO_OP_##name = 1 << HLO_OP_BIT_##name,
    HLO_OP_FLAGS(HLO_OP_FLAG)
#undef HLO_OP_FLAG
};

enum { /* marks on an entry of hlo_op_info.attrs */
       HLO_ATTR_REQUIRED = 0x8000,
       HLO_ATTR_DROPPED = 0x4000, /* read and checked, then forgotten */
       HLO_ATTR_MASK = 0x0fff,
};

typedef struct {
    const char *text;
    int16_t min_operands, max_operands; /* -1: any number */
    hlo_arity arity;
    bool parser_counts;  /* a wrong operand count is a parse error */
    bool shape_optional; /* the parser infers an omitted shape */
    hlo_parens parens;
    hlo_op_class class;
    unsigned flags;
    uint8_t elements;      /* a set of hlo_elements: operand 0's, or the result's */
    bool mixes_precisions; /* operands may be of several floating-point types */
    bool keeps_precision;  /* even where others may differ, the result's is the operands' */
    bool keeps_layout;     /* operands and result have one layout */
    hlo_op_result result;
    hlo_op_work work;
    hlo_op_traffic traffic;
    const uint16_t *attrs; /* printed order, marks included; ends with HLO_ATTR_COUNT */
} hlo_op_info;

extern const hlo_op_info hlo_ops[HLO_OP_COUNT];

/* The opcode spelled by the n bytes at text, or HLO_OP_COUNT. */
hlo_opcode hlo_op_from_text(const char *text, size_t n);
/* Which one a misspelt text probably means. */
hlo_nearest hlo_op_nearest(const char *text, size_t n);

/* What is wrong with so many operands: a sum of these, 0 for nothing. */
enum { HLO_COUNT_FEW = 1, HLO_COUNT_MANY = 2, HLO_COUNT_UNEVEN = 4 };
static inline unsigned hlo_op_count_faults(hlo_opcode op, uint32_t operands) {
    HLO_ASSERT(op < HLO_OP_COUNT);
    const hlo_op_info *info = &hlo_ops[op];
    bool few = (int64_t)operands < info->min_operands;
    bool many = info->max_operands >= 0 && (int64_t)operands > info->max_operands;
    bool uneven = info->arity == (operands % 2 ? HLO_ARITY_EVEN : HLO_ARITY_ODD);
    return (few ? HLO_COUNT_FEW : 0) | (many ? HLO_COUNT_MANY : 0) |
           (uneven ? HLO_COUNT_UNEVEN : 0);
}

/* The attribute of this opcode spelled like `spelled` (own or common), with its marks; or
 * HLO_ATTR_COUNT when the opcode takes none of that name. */
unsigned hlo_op_attr(hlo_opcode op, hlo_attr_id spelled);
/* Place of an attribute in the opcode's printed order. */
unsigned hlo_op_attr_order(hlo_opcode op, hlo_attr_id id);

#endif
