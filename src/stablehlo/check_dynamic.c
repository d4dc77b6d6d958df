/* Functions of checks.def for operations whose sizes are operands. Where these are constants, the
 * sizes of the result must be the same. Elements of type `index` are those of HLO's integers. */
#include "stablehlo/check.h"
#include "stablehlo/edit.h"

/* The whole numbers of an operand; false: they are not known. */
static bool known(hlo_check *s, uint32_t i, uint32_t *n, const int64_t **v) {
    const hlo_mlir_attr *value = hlo_mlir_constant_of(hlo_mlir_operand(s->op, i));
    return value && value->literal && hlo_mlir_ints(s->module, value, n, v);
}

/* A list of so many integers, whose count is known; `n` HLO_UNBOUNDED: any count. */
static bool is_list(hlo_check *s, uint32_t i, int64_t n) {
    const hlo_mlir_type *type = hlo_check_operand(s, i);
    bool good = hlo_check_is_tensor(type) && type->rank == 1 && type->dims[0] != HLO_UNBOUNDED &&
                (type->other ? hlo_str_is(type->other->text, "index")
                             : hlo_type_is_integral(type->element));
    if (!good)
        return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                                "takes operand %u as a list of integers, not %.*s", i,
                                HLO_CHECK_TYPE(type));
    return hlo_check_same_size(type->dims[0], n) ||
           hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                            "takes operand %u as a list of %lld integers, not %.*s", i,
                            (long long)n, HLO_CHECK_TYPE(type));
}

static bool has_tensors(hlo_check *s, uint32_t operands) {
    if (s->op->operand_count != operands)
        return hlo_check_refuse(s, HLO_RULE_OPERAND_COUNT, "has %u operands; it takes %u",
                                s->op->operand_count, operands);
    for (uint32_t i = 0; i < operands; i++)
        if (!hlo_check_is_tensor(hlo_check_operand(s, i)))
            return hlo_check_refuse(s, HLO_RULE_ARRAY_OPERAND, "takes tensors, not %.*s",
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)));
    return true;
}

/* The sizes that an operand lists are those of the result. */
static bool gives_sizes(hlo_check *s, uint32_t operand) {
    const hlo_mlir_type *to = hlo_check_result(s, 0);
    uint32_t n;
    const int64_t *v;
    if (!is_list(s, operand, to->rank)) return false;
    if (!known(s, operand, &n, &v) || n != to->rank) return true;
    for (uint32_t i = 0; i < n; i++)
        if (v[i] < 0 || !hlo_check_same_size(v[i], to->dims[i]))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE,
                                    "gives %.*s; operand %u has the size %lld for dimension %u",
                                    HLO_CHECK_TYPE(to), operand, (long long)v[i], i);
    return true;
}

static bool keeps_elements(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    return hlo_check_same_elements(from, to) || (from->other && to->other) ||
           hlo_check_refuse(s, HLO_RULE_ELEMENT_TYPE, "takes elements of %.*s and gives %.*s",
                            HLO_CHECK_TYPE(from), HLO_CHECK_TYPE(to));
}

/* ---- reshape, iota ---- */

/* HLO_UNBOUNDED: not known. */
static int64_t count_of(const hlo_mlir_type *type) {
    int64_t n = 1;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] == HLO_UNBOUNDED || __builtin_mul_overflow(n, type->dims[i], &n))
            return HLO_UNBOUNDED;
    return n;
}

static bool keeps_count(hlo_check *s) {
    int64_t from = count_of(hlo_check_operand(s, 0)), to = count_of(hlo_check_result(s, 0));
    uint32_t n;
    const int64_t *v;
    if (to == HLO_UNBOUNDED && known(s, 1, &n, &v)) {
        to = 1;
        for (uint32_t i = 0; i < n; i++)
            if (__builtin_mul_overflow(to, v[i], &to)) return true;
    }
    return hlo_check_same_size(from, to) ||
           hlo_check_refuse(s, HLO_RULE_RESHAPE_ELEMENT_COUNT, "takes %lld elements and gives %lld",
                            (long long)from, (long long)to);
}

bool hlo_check_dynamic_reshape(hlo_check *s) {
    return has_tensors(s, 2) && keeps_elements(s) && gives_sizes(s, 1) && keeps_count(s);
}

bool hlo_check_dynamic_iota(hlo_check *s) {
    return has_tensors(s, 1) &&
           hlo_check_dimension(s, "iota_dimension", hlo_check_result(s, 0)->rank) &&
           gives_sizes(s, 0);
}

/* ---- broadcast ---- */

/* Dimensions of the operand, each in one of two lists at most. */
static bool check_hints(hlo_check *s, uint32_t rank) {
    static const char *const names[] = {"known_expanding_dimensions",
                                        "known_nonexpanding_dimensions"};
    uint8_t *seen = hlo_arena_zero(&s->module->arena, (size_t)rank + 1);
    for (int k = 0; k < 2; k++) {
        uint32_t n;
        const int64_t *v;
        if (!hlo_check_ints(s, names[k], &n, &v)) continue;
        for (uint32_t i = 0; i < n; i++)
            if (v[i] < 0 || v[i] >= rank || seen[v[i]]++)
                return hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                                        "has dimension %lld in %s, which is known twice, or which "
                                        "its operand of rank %u lacks",
                                        (long long)v[i], names[k], rank);
    }
    return true;
}

static bool is_expanded(hlo_check *s, uint32_t i, int64_t to) {
    int64_t size = hlo_check_operand(s, 0)->dims[i];
    return size == 1 || hlo_check_same_size(size, to) ||
           hlo_check_refuse(s, HLO_RULE_BROADCAST_DIMENSIONS,
                            "broadcasts dimension %u of size %lld to the size %lld", i,
                            (long long)size, (long long)to);
}

bool hlo_check_dynamic_broadcast_in_dim(hlo_check *s) {
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    uint32_t n, count;
    const int64_t *v, *sizes;
    if (!has_tensors(s, 2) || !keeps_elements(s) || !is_list(s, 1, to->rank) ||
        !check_hints(s, from->rank))
        return false;
    if (!hlo_check_ints(s, "broadcast_dimensions", &n, &v)) return true;
    if (n != from->rank)
        return hlo_check_refuse(s, HLO_RULE_BROADCAST_DIMENSIONS,
                                "has %u broadcast_dimensions for an operand of rank %u", n,
                                from->rank);
    bool are_known = known(s, 1, &count, &sizes) && count == to->rank;
    uint8_t *seen = hlo_arena_zero(&s->module->arena, (size_t)to->rank + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (v[i] < 0 || v[i] >= to->rank || seen[v[i]]++)
            return hlo_check_refuse(s, HLO_RULE_BROADCAST_DIMENSIONS,
                                    "has %lld in broadcast_dimensions, which is there twice, or "
                                    "which its result of rank %u lacks",
                                    (long long)v[i], to->rank);
        if (!is_expanded(s, i, to->dims[v[i]]) || (are_known && !is_expanded(s, i, sizes[v[i]])))
            return false;
    }
    return gives_sizes(s, 1);
}

/* ---- pad, slice ---- */

/* What padding makes of the size; HLO_UNBOUNDED: not known. */
static int64_t padded(int64_t size, int64_t low, int64_t high, int64_t between) {
    int64_t gaps;
    if (size == HLO_UNBOUNDED || __builtin_mul_overflow(size ? size - 1 : 0, between, &gaps) ||
        __builtin_add_overflow(size, gaps, &size) || __builtin_add_overflow(size, low, &size) ||
        __builtin_add_overflow(size, high, &size))
        return HLO_UNBOUNDED;
    return size;
}

bool hlo_check_dynamic_pad(hlo_check *s) {
    if (!has_tensors(s, 5) || !keeps_elements(s)) return false;
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    uint32_t n[3];
    const int64_t *v[3];
    bool are_known = true;
    if (from->rank != to->rank || hlo_check_operand(s, 1)->rank)
        return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE, "pads %.*s by a scalar to %.*s",
                                HLO_CHECK_TYPE(from), HLO_CHECK_TYPE(to));
    for (uint32_t k = 0; k < 3; k++) {
        if (!is_list(s, 2 + k, from->rank)) return false;
        are_known &= known(s, 2 + k, &n[k], &v[k]) && n[k] == from->rank;
    }
    if (known(s, 4, &n[2], &v[2]))
        for (uint32_t i = 0; i < n[2]; i++)
            if (v[2][i] < 0)
                return hlo_check_refuse(s, HLO_RULE_PAD_PADDING, "has %lld elements between two",
                                        (long long)v[2][i]);
    for (uint32_t i = 0; are_known && i < from->rank; i++) {
        int64_t size = padded(from->dims[i], v[0][i], v[1][i], v[2][i]);
        if (!hlo_check_same_size(size, to->dims[i]))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE,
                                    "gives %.*s; dimension %u becomes %lld", HLO_CHECK_TYPE(to), i,
                                    (long long)size);
    }
    return true;
}

bool hlo_check_real_dynamic_slice(hlo_check *s) {
    if (!has_tensors(s, 4) || !keeps_elements(s)) return false;
    const hlo_mlir_type *from = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    if (from->rank != to->rank)
        return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "slices %.*s to %.*s",
                                HLO_CHECK_TYPE(from), HLO_CHECK_TYPE(to));
    for (uint32_t i = 1; i < 4; i++) {
        const hlo_mlir_type *type = hlo_check_operand(s, i);
        if (type->rank != 1 || !hlo_check_same_size(type->dims[0], from->rank))
            return hlo_check_refuse(s, HLO_RULE_OPERAND_SHAPE,
                                    "takes operand %u as a list of %u integers, not %.*s", i,
                                    from->rank, HLO_CHECK_TYPE(type));
    }
    return true;
}
