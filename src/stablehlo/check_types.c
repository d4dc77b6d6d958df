/* The rows of checks.def: types of elements by the table, then the function of the row. Types and
 * attributes as these functions compare them. */
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "stablehlo/check.h"
#include "stablehlo/edit.h"

/* ---- errors ---- */

bool hlo_check_refuse(hlo_check *s, hlo_rule rule, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hlo_error(s->diags, rule, s->module->source, s->op->at, "'%.*s' %s", (int)s->op->name.len,
              s->op->name.ptr, text);
    return false;
}

bool hlo_check_refuse_at(hlo_check *s, const hlo_mlir_attr *attr, hlo_rule rule, const char *format,
                         ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hlo_error(s->diags, rule, s->module->source, attr->at.hi ? attr->at : s->op->at, "'%.*s' %s",
              (int)s->op->name.len, s->op->name.ptr, text);
    return false;
}

/* ---- types ---- */

/* A size that is known is not beyond the bound of one that is not. */
static bool is_within(const hlo_mlir_type *dynamic, uint32_t i, int64_t size) {
    if (dynamic->dims[i] != HLO_UNBOUNDED || size == HLO_UNBOUNDED || !dynamic->bounds) return true;
    return dynamic->bounds[i] == HLO_UNBOUNDED || size <= dynamic->bounds[i];
}

bool hlo_check_same_sizes(const hlo_mlir_type *a, const hlo_mlir_type *b) {
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!hlo_check_same_size(a->dims[i], b->dims[i]) || !is_within(a, i, b->dims[i]) ||
            !is_within(b, i, a->dims[i]))
            return false;
    return true;
}

static bool is_float(const hlo_mlir_type *type) {
    return !type->other && hlo_type_is_float(type->element);
}

bool hlo_check_fits(const hlo_mlir_type *a, const hlo_mlir_type *b, bool floats) {
    if (!hlo_check_is_tensor(a) || !hlo_check_is_tensor(b) || !hlo_check_same_sizes(a, b))
        return false;
    return hlo_check_same_elements(a, b) || (floats && is_float(a) && is_float(b));
}

bool hlo_check_compatible(const hlo_mlir_type *a, const hlo_mlir_type *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case HLO_MLIR_TENSOR:
    case HLO_MLIR_BUFFER: return hlo_check_same_elements(a, b) && hlo_check_same_sizes(a, b);
    case HLO_MLIR_TUPLE:
    case HLO_MLIR_FUTURE:
    case HLO_MLIR_BUNDLE:
        if (a->part_count != b->part_count) return false;
        for (uint32_t i = 0; i < a->part_count; i++)
            if (!hlo_check_compatible(a->parts[i], b->parts[i])) return false;
        return true;
    default: return false;
    }
}

int64_t hlo_check_bits(hlo_type element) {
    return element == HLO_PRED ? 1 : hlo_types[element].bits;
}

const hlo_mlir_type *hlo_check_scalar_of(hlo_check *s, const hlo_mlir_type *type) {
    hlo_mlir_type scalar = {
        .kind = HLO_MLIR_TENSOR, .element = type->element, .other = type->other};
    return hlo_mlir_type_of(s->module, &scalar);
}

bool hlo_check_is_predicate(const hlo_mlir_type *type) {
    return hlo_check_is_tensor(type) && !type->other && type->element == HLO_PRED && !type->rank;
}

/* ---- attributes ---- */

bool hlo_check_int(const hlo_check *s, const char *name, int64_t *out) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, name);
    if (!attr || (attr->kind != HLO_MLIR_INT && attr->kind != HLO_MLIR_BOOL)) return false;
    *out = attr->u.i;
    return true;
}

bool hlo_check_ints(hlo_check *s, const char *name, uint32_t *n, const int64_t **v) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, name);
    return attr && hlo_mlir_ints(s->module, attr, n, v);
}

bool hlo_check_flag(const hlo_check *s, const char *name) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, name);
    return attr && (attr->kind == HLO_MLIR_UNIT || (attr->kind == HLO_MLIR_BOOL && attr->u.i));
}

bool hlo_check_dimension(hlo_check *s, const char *name, uint32_t rank) {
    int64_t dimension;
    if (!hlo_check_int(s, name, &dimension)) return true;
    return (dimension >= 0 && dimension < rank) ||
           hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                            "names a dimension that its operand lacks: %s is %lld, and the rank %u",
                            name, (long long)dimension, rank);
}

/* ---- the table ---- */

enum {
    PRED = HLO_ELEMENTS_PRED,
    SIGNED = HLO_ELEMENTS_SIGNED,
    UNSIGNED = HLO_ELEMENTS_UNSIGNED,
    INTEGER = HLO_ELEMENTS_INTEGER,
    FLOAT = HLO_ELEMENTS_FLOAT,
    COMPLEX = HLO_ELEMENTS_COMPLEX,
    QUANTISED = 1 << (HLO_CLASS_OTHER + 1),
    BITS = PRED | INTEGER,
    REAL = INTEGER | FLOAT,
    MATH = FLOAT | COMPLEX | QUANTISED,
    NUMBER = INTEGER | MATH,
    ALL = PRED | NUMBER,
    MIXED = 0
};

typedef enum { ANY, TENSORS } operand_kinds;

static const struct {
    hlo_check_function *function;
    uint16_t operands, results;
    operand_kinds kinds;
} rows[HLO_MLIR_OP_COUNT] = {
#define HLO_CHECK(op, operands, results, kinds, function) \
    [HLO_MLIR_OP_##op] = {hlo_check_##function, operands, results, kinds},
#include "stablehlo/checks.def"
#undef HLO_CHECK
};

bool hlo_check_nothing(hlo_check *s) {
    (void)s;
    return true;
}

static bool is_quantised(const hlo_mlir_type *other) {
    static const char prefix[] = "!quant.";
    return other->text.len > sizeof prefix - 1 &&
           memcmp(other->text.ptr, prefix, sizeof prefix - 1) == 0;
}

static unsigned set_of(const hlo_mlir_type *type) {
    if (!hlo_check_is_tensor(type)) return 0;
    if (type->other) return is_quantised(type->other) ? QUANTISED : 0;
    return 1u << hlo_types[type->element].class;
}

/* "predicates, integers or floats" */
static void describe(hlo_buf *to, unsigned set) {
    static const struct {
        unsigned set;
        const char *name;
    } names[] = {{PRED, "predicates"},
                 {INTEGER, "integers"},
                 {SIGNED, "signed integers"},
                 {UNSIGNED, "unsigned integers"},
                 {FLOAT, "floats"},
                 {COMPLEX, "complex numbers"},
                 {QUANTISED, "quantised numbers"}};
    bool any = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((set & names[i].set) != names[i].set) continue;
        set &= ~names[i].set;
        if (any) hlo_buf_cstr(to, set ? ", " : " or ");
        hlo_buf_cstr(to, names[i].name);
        any = true;
    }
}

static bool refuse_element(hlo_check *s, unsigned set, const char *takes, const char *what,
                           uint32_t i, const hlo_mlir_value *value) {
    hlo_buf names = HLO_BUF_INIT;
    describe(&names, set);
    hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "%s tensors of %.*s; %s %u is %.*s", takes,
                     (int)names.len, names.data, what, i, HLO_CHECK_TYPE(value->type));
    hlo_buf_free(&names);
    if (value->op != s->op && value->at)
        hlo_note(s->diags, s->module->source,
                 (hlo_span){value->at, value->at + value->name.len + 1}, "it is defined here");
    return false;
}

static bool check_elements(hlo_check *s, unsigned operands, unsigned results) {
    for (uint32_t i = 0; operands && i < s->op->operand_count; i++)
        if (!(set_of(hlo_check_operand(s, i)) & operands))
            return refuse_element(s, operands, "takes", "operand", i, hlo_mlir_operand(s->op, i));
    for (uint32_t i = 0; results && i < s->op->result_count; i++)
        if (!(set_of(hlo_check_result(s, i)) & results))
            return refuse_element(s, results, "gives", "result", i, &s->op->results[i]);
    return true;
}

/* What HLO lacks is refused where a shape is made of it, and no step computes with it. */
static bool all_plain(const hlo_check *s) {
    for (uint32_t i = 0; i < s->op->operand_count; i++) {
        const hlo_mlir_type *type = hlo_check_operand(s, i);
        if (!hlo_check_is_tensor(type) || type->other) return false;
    }
    for (uint32_t i = 0; i < s->op->result_count; i++) {
        const hlo_mlir_type *type = hlo_check_result(s, i);
        if (!hlo_check_is_tensor(type) || type->other) return false;
    }
    return true;
}

/* Tolerances of a function belong to the mode TOLERANCE, and are not negative. */
static bool check_accuracy(hlo_check *s) {
    static const char *const tolerances[] = {"atol", "rtol", "ulps"};
    const hlo_mlir_attr *accuracy = hlo_mlir_attr_of(s->op, "result_accuracy");
    if (!accuracy) return true;
    bool has_tolerance =
        hlo_str_is(hlo_mlir_word_of(hlo_mlir_member(accuracy, "mode")), "TOLERANCE");
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        const hlo_mlir_attr *part = hlo_mlir_member(accuracy, tolerances[i]);
        double value = !part                          ? 0
                       : part->kind == HLO_MLIR_FLOAT ? part->u.f
                       : part->kind == HLO_MLIR_INT   ? (double)part->u.i
                                                      : 0;
        if (value < 0 || (value > 0 && !has_tolerance))
            return hlo_check_refuse_at(s, accuracy, HLO_RULE_ATTRIBUTE_VALUE,
                                       "has a tolerance %s, which is 0, or positive in the mode "
                                       "TOLERANCE",
                                       tolerances[i]);
    }
    return true;
}

bool hlo_stablehlo_check_op(hlo_check *s) {
    hlo_mlir_op_id id = s->op->id;
    HLO_ASSERT(id < HLO_MLIR_OP_COUNT);
    if (!rows[id].function) return true;
    if (s->op->attr_count && !check_accuracy(s)) return false;
    if (!check_elements(s, rows[id].operands, rows[id].results)) return false;
    return (rows[id].kinds == TENSORS && !all_plain(s)) || rows[id].function(s);
}
