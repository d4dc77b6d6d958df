/* Functions of checks.def for collectives: groups of devices, channels, dimensions that are split
 * or joined, the roots of broadcasts. */
#include <stdlib.h>

#include "stablehlo/check.h"

/* ---- groups ---- */

typedef struct {
    int64_t rows, columns;
    uint32_t n;
    const int64_t *v;
} table;

/* A dense<[[...]]> of devices. False: it is another attribute, or none. */
static bool table_of(hlo_check *s, const char *name, table *out) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, name);
    if (!attr || attr->kind != HLO_MLIR_DENSE || attr->type->rank != 2 ||
        !hlo_mlir_ints(s->module, attr, &out->n, &out->v))
        return false;
    out->rows = attr->type->dims[0];
    out->columns = attr->type->dims[1];
    return true;
}

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The numbers in order, in the arena. */
static int64_t *sorted(hlo_check *s, const int64_t *v, uint32_t n) {
    int64_t *copy = HLO_NEW_ARRAY(&s->module->arena, int64_t, n);
    if (n) memcpy(copy, v, n * sizeof *copy);
    if (n) qsort(copy, n, sizeof *copy, by_number);
    return copy;
}

/* Each device once, from 0 on; -1 fills rows where groups may differ in size. `all`: none is left
 * out. */
static bool check_devices(hlo_check *s, const table *groups, bool may_fill, bool all) {
    int64_t *v = sorted(s, groups->v, groups->n), next = 0;
    for (uint32_t i = 0; i < groups->n; i++) {
        if (v[i] == -1 && may_fill) continue;
        if (v[i] < 0)
            return hlo_check_refuse(s, HLO_RULE_REPLICA_GROUPS, "has the device %lld in its groups",
                                    (long long)v[i]);
        if (i && v[i] == v[i - 1])
            return hlo_check_refuse(s, HLO_RULE_REPLICA_GROUPS,
                                    "has device %lld twice in its groups", (long long)v[i]);
        if (all && v[i] != next)
            return hlo_check_refuse(s, HLO_RULE_REPLICA_GROUPS, "has groups without device %lld",
                                    (long long)next);
        next = v[i] + 1;
    }
    return true;
}

/* `size`: of each group; -1: any. */
static bool check_groups(hlo_check *s, bool may_fill, bool all, int64_t size) {
    table groups;
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, "replica_groups");
    if (attr && attr->kind == HLO_MLIR_DENSE && attr->type->rank != 2)
        return hlo_check_refuse(s, HLO_RULE_REPLICA_GROUPS,
                                "has groups of type %.*s; they are a table, a row for each",
                                HLO_CHECK_TYPE(attr->type));
    if (!table_of(s, "replica_groups", &groups)) return true;
    if (hlo_check_flag(s, "use_global_device_ids") && !groups.n)
        return hlo_check_refuse(s, HLO_RULE_REPLICA_GROUPS,
                                "has use_global_device_ids, and no group of devices");
    if (!check_devices(s, &groups, may_fill, all)) return false;
    return size < 0 || (groups.rows && groups.columns == size) ||
           hlo_check_refuse(s, HLO_RULE_REPLICA_GROUPS, "has groups of %lld devices; it needs %lld",
                            (long long)groups.columns, (long long)size);
}

/* A channel is positive where device ids are global. */
static bool check_channel(hlo_check *s, int64_t least) {
    const hlo_mlir_attr *handle =
        hlo_mlir_member(hlo_mlir_attr_of(s->op, "channel_handle"), "handle");
    int64_t id = handle && handle->kind == HLO_MLIR_INT ? handle->u.i : 0;
    return !hlo_check_flag(s, "use_global_device_ids") || id >= least ||
           hlo_check_refuse(s, HLO_RULE_CHANNEL_ID,
                            "has the channel %lld; with use_global_device_ids it is %lld or more",
                            (long long)id, (long long)least);
}

/* ---- operands and results ---- */

static bool has_pairs(hlo_check *s, uint32_t operands) {
    if (operands != s->op->result_count)
        return hlo_check_refuse(s, HLO_RULE_RESULT_FORM, "has %u results for %u operands",
                                s->op->result_count, operands);
    for (uint32_t i = 0; i < operands; i++)
        if (!hlo_check_same_elements(hlo_check_operand(s, i), hlo_check_result(s, i)))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s for %.*s",
                                    HLO_CHECK_TYPE(hlo_check_result(s, i)),
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)));
    return true;
}

/* Of equal sizes but for that dimension, in which the one is a multiple of the other. */
static bool is_split(hlo_check *s, const hlo_mlir_type *whole, const hlo_mlir_type *part,
                     int64_t dimension) {
    bool fits = whole->rank == part->rank && dimension >= 0 && dimension < whole->rank;
    for (uint32_t i = 0; fits && i < whole->rank; i++)
        fits = i == dimension || hlo_check_same_size(whole->dims[i], part->dims[i]);
    if (fits) {
        int64_t a = whole->dims[dimension], b = part->dims[dimension];
        fits = a == HLO_UNBOUNDED || b == HLO_UNBOUNDED || (a && b && a % b == 0);
    }
    return fits || hlo_check_refuse(s, HLO_RULE_SHARD_DIMENSION,
                                    "has %.*s and %.*s, of which one is not parts of the other "
                                    "along dimension %lld",
                                    HLO_CHECK_TYPE(hlo_check_operand(s, 0)),
                                    HLO_CHECK_TYPE(hlo_check_result(s, 0)), (long long)dimension);
}

bool hlo_check_all_gather(hlo_check *s) {
    int64_t dimension;
    if (!check_groups(s, false, true, -1) || !check_channel(s, 0) ||
        !has_pairs(s, s->op->operand_count))
        return false;
    if (!hlo_check_int(s, "all_gather_dim", &dimension)) return true;
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!is_split(s, hlo_check_result(s, i), hlo_check_operand(s, i), dimension)) return false;
    return true;
}

/* Each operand by itself. */
static bool check_reducers(hlo_check *s, uint32_t operands) {
    const hlo_mlir_block *block = hlo_check_block(s, 0);
    if (operands != s->op->result_count)
        return hlo_check_refuse(s, HLO_RULE_RESULT_FORM, "has %u results for %u operands",
                                s->op->result_count, operands);
    for (uint32_t i = 0; i < operands; i++) {
        const hlo_mlir_type *input = hlo_check_operand(s, i), *to = hlo_check_result(s, i);
        if (!hlo_check_reducer(s, block, 1, &input, NULL, 0, NULL)) return false;
        const hlo_mlir_type *sum = hlo_mlir_operand(block->last, 0)->type;
        if (!hlo_check_same_elements(to, sum))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE,
                                    "gives %.*s; its reducer returns %.*s", HLO_CHECK_TYPE(to),
                                    HLO_CHECK_TYPE(sum));
    }
    return true;
}

bool hlo_check_all_reduce(hlo_check *s) {
    uint32_t n = s->op->operand_count;
    if (!check_groups(s, true, true, -1) || !check_channel(s, 1) || !check_reducers(s, n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_check_same_sizes(hlo_check_operand(s, i), hlo_check_result(s, i)))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s for %.*s",
                                    HLO_CHECK_TYPE(hlo_check_result(s, i)),
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)));
    return true;
}

bool hlo_check_reduce_scatter(hlo_check *s) {
    int64_t dimension;
    if (!check_groups(s, false, true, -1) || !check_channel(s, 1) || !check_reducers(s, 1))
        return false;
    return !hlo_check_int(s, "scatter_dimension", &dimension) ||
           is_split(s, hlo_check_operand(s, 0), hlo_check_result(s, 0), dimension);
}

/* A result has a part of its operand's dimension `split`, and parts joined along `concat`. */
static bool is_exchanged(hlo_check *s, uint32_t i, int64_t split, int64_t concat, int64_t count) {
    const hlo_mlir_type *from = hlo_check_operand(s, i), *to = hlo_check_result(s, i);
    int64_t size = from->dims[split];
    if (size != HLO_UNBOUNDED && size % count)
        return hlo_check_refuse(s, HLO_RULE_SHARD_DIMENSION,
                                "splits %.*s into %lld parts along dimension %lld",
                                HLO_CHECK_TYPE(from), (long long)count, (long long)split);
    bool fits = from->rank == to->rank;
    for (uint32_t d = 0; d < from->rank && fits; d++) {
        int64_t wanted = from->dims[d];
        if (wanted != HLO_UNBOUNDED && d == split) wanted /= count;
        if (wanted != HLO_UNBOUNDED && d == concat &&
            __builtin_mul_overflow(wanted, count, &wanted))
            return hlo_check_refuse(s, HLO_RULE_SHAPE_SIZE, "gives sizes that are too large");
        fits = hlo_check_same_size(wanted, to->dims[d]);
    }
    return fits || hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s for %.*s",
                                    HLO_CHECK_TYPE(to), HLO_CHECK_TYPE(from));
}

bool hlo_check_all_to_all(hlo_check *s) {
    int64_t split, concat, count;
    if (!has_pairs(s, s->op->operand_count)) return false;
    if (!hlo_check_int(s, "split_dimension", &split) ||
        !hlo_check_int(s, "concat_dimension", &concat) || !hlo_check_int(s, "split_count", &count))
        return true;
    if (count < 1)
        return hlo_check_refuse(s, HLO_RULE_SHARD_COUNT, "has the split_count %lld",
                                (long long)count);
    if (!check_groups(s, false, true, count)) return false;
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!hlo_check_dimension(s, "split_dimension", hlo_check_operand(s, i)->rank) ||
            !hlo_check_dimension(s, "concat_dimension", hlo_check_operand(s, i)->rank) ||
            !is_exchanged(s, i, split, concat, count))
            return false;
    return true;
}

/* ---- broadcasts and permutations ---- */

/* With has_dynamic_root the last operand has a root for each of the others. */
static bool check_roots(hlo_check *s) {
    uint32_t n = s->op->operand_count;
    if (!hlo_check_flag(s, "has_dynamic_root")) return has_pairs(s, n);
    const hlo_mlir_type *roots = n < 2 ? NULL : hlo_check_operand(s, n - 1);
    if (!roots || roots->other || roots->rank != 1 || roots->element != HLO_S32 ||
        roots->dims[0] != n - 1)
        return hlo_check_refuse(s, HLO_RULE_BROADCAST_ROOTS,
                                "has %u operands; with has_dynamic_root the last one is a "
                                "tensor<%uxi32>",
                                n, n ? n - 1 : 0);
    return has_pairs(s, n - 1);
}

bool hlo_check_collective_broadcast(hlo_check *s) {
    return check_groups(s, false, false, -1) && check_roots(s);
}

/* No two of the numbers in column `column` of a table of pairs are equal. */
static bool are_distinct(hlo_check *s, const table *pairs, uint32_t column) {
    int64_t *v = HLO_NEW_ARRAY(&s->module->arena, int64_t, pairs->n / 2);
    for (uint32_t i = 0; i < pairs->n / 2; i++) v[i] = pairs->v[2 * i + column];
    v = sorted(s, v, pairs->n / 2);
    for (uint32_t i = 0; i < pairs->n / 2; i++)
        if (v[i] < 0 || (i && v[i] == v[i - 1]))
            return hlo_check_refuse(s, HLO_RULE_SOURCE_TARGET_PAIRS,
                                    "has %s %lld, which is negative or there twice",
                                    column ? "target" : "source", (long long)v[i]);
    return true;
}

bool hlo_check_collective_permute(hlo_check *s) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, "source_target_pairs");
    table pairs;
    if (attr && attr->kind == HLO_MLIR_DENSE && (attr->type->rank != 2 || attr->type->dims[1] != 2))
        return hlo_check_refuse(s, HLO_RULE_SOURCE_TARGET_PAIRS,
                                "has pairs of type %.*s; they are a table of two columns",
                                HLO_CHECK_TYPE(attr->type));
    if (table_of(s, "source_target_pairs", &pairs) &&
        (!are_distinct(s, &pairs, 0) || !are_distinct(s, &pairs, 1)))
        return false;
    for (uint32_t i = 0; i < s->op->operand_count && i < s->op->result_count; i++)
        if (!hlo_check_compatible(hlo_check_operand(s, i), hlo_check_result(s, i)))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s for %.*s",
                                    HLO_CHECK_TYPE(hlo_check_result(s, i)),
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)));
    return true;
}
