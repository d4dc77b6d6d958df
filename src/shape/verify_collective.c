/* Collectives: replica groups against the counts of the module header, source-target pairs,
 * channels, permutes in place. */
#include <stdlib.h>

#include "shape/collective_groups.h"
#include "shape/verifier.h"

/* ---- replica groups ---- */

static bool fail_groups(hlo_verifier *v, const hlo_instr *instr, const char *message,
                        int64_t number) {
    hlo_verify_fail(v, HLO_RULE_REPLICA_GROUPS, instr, message, (long long)number);
    return hlo_verify_at_attr(v, instr, HLO_ATTR_REPLICA_GROUPS);
}

/* Groups written as lists name 0..total-1, each once. */
static bool check_ids(hlo_verifier *v, const hlo_instr *instr, const hlo_int_lists *lists,
                      int64_t total) {
    uint8_t *seen = hlo_calloc((size_t)total, 1);
    bool good = true;
    for (uint32_t g = 0; good && g < lists->n; g++) {
        for (uint32_t i = 0; good && i < lists->v[g]->n; i++) {
            int64_t id = lists->v[g]->v[i];
            if (id < 0 || id >= total)
                good = fail_groups(
                    v, instr, "id %lld of replica_groups is negative, or smaller ids are missing",
                    id);
            else if (seen[id]++)
                good = fail_groups(v, instr, "id %lld occurs twice in replica_groups", id);
        }
    }
    hlo_free(seen);
    return good;
}

static bool check_lists(hlo_verifier *v, const hlo_instr *instr, const hlo_int_lists *lists,
                        bool uniform, int64_t *total) {
    *total = 0;
    for (uint32_t g = 0; g < lists->n; g++) {
        if (lists->v[g]->n == 0) return fail_groups(v, instr, "replica group %lld is empty", g);
        if (uniform && lists->v[g]->n != lists->v[0]->n) {
            hlo_verify_fail(v, HLO_RULE_REPLICA_GROUPS, instr,
                            "replica group %u has %u id%s and the first %u: their sizes differ", g,
                            lists->v[g]->n, lists->v[g]->n == 1 ? "" : "s", lists->v[0]->n);
            return hlo_verify_at_attr(v, instr, HLO_ATTR_REPLICA_GROUPS);
        }
        *total += lists->v[g]->n;
    }
    return check_ids(v, instr, lists, *total);
}

/* What the ids of the mode number, by the module header; 1: not known. */
static int64_t device_count(const hlo_verifier *v, hlo_group_mode mode) {
    int64_t replicas = hlo_module_int(v->module, HLO_ATTR_REPLICA_COUNT);
    int64_t partitions = hlo_module_int(v->module, HLO_ATTR_NUM_PARTITIONS), both;
    if (mode == HLO_GROUP_CROSS_PARTITION) return partitions;
    if (mode != HLO_GROUP_FLATTENED_ID) return replicas;
    return __builtin_mul_overflow(replicas, partitions, &both) ? INT64_MAX : both;
}

static bool check_groups(hlo_verifier *v, const hlo_instr *instr, bool uniform) {
    if (!v->options->check_replica_groups) return true;
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_REPLICA_GROUPS);
    const hlo_groups *groups = attr ? attr->u.groups : NULL;
    hlo_group_mode mode = hlo_group_mode_of(instr);
    if (mode == HLO_GROUP_IMPOSSIBLE)
        return hlo_verify_fail(v, HLO_RULE_CHANNEL_ID, instr,
                               "use_global_device_ids requires a channel_id") ||
               hlo_verify_at_attr(v, instr, HLO_ATTR_USE_GLOBAL_DEVICE_IDS);
    if (!groups || hlo_groups_count(groups) == 0) {
        if (mode != HLO_GROUP_FLATTENED_ID) return true;
        hlo_verify_fail(v, HLO_RULE_REPLICA_GROUPS, instr,
                        "use_global_device_ids requires non-empty replica_groups");
        return hlo_verify_at_attr(v, instr, HLO_ATTR_USE_GLOBAL_DEVICE_IDS);
    }
    int64_t total, wanted = device_count(v, mode);
    if (groups->form == HLO_GROUPS_LIST) {
        if (!check_lists(v, instr, groups->lists, uniform, &total)) return false;
    } else if (__builtin_mul_overflow(groups->group_count, groups->group_size, &total)) {
        total = INT64_MAX;
    }
    if (wanted == 1 || total == wanted) return true;
    hlo_verify_fail(v, HLO_RULE_REPLICA_GROUPS, instr,
                    "replica_groups name %lld ids and %s mode has %lld", (long long)total,
                    hlo_group_mode_name(mode), (long long)wanted);
    return hlo_verify_at_attr(v, instr, HLO_ATTR_REPLICA_GROUPS);
}

static bool check_all_reduce(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_attr *channel = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    if (instr->opcode == HLO_OP_ALL_REDUCE && channel && channel->u.i <= 0) {
        hlo_verify_fail(v, HLO_RULE_CHANNEL_ID, instr, "channel_id is %lld and must be positive",
                        (long long)channel->u.i);
        return hlo_verify_at_attr(v, instr, HLO_ATTR_CHANNEL_ID);
    }
    return check_groups(v, instr, false);
}

/* ---- permutes ---- */

/* Each end of the pairs exists and is named at most `most` times. */
static bool check_ends(hlo_verifier *v, const hlo_instr *instr, const hlo_int_lists *pairs,
                       uint32_t end, int64_t limit, uint32_t most) {
    const char *what = end ? "target" : "source";
    int64_t *ids = hlo_malloc(pairs->n * sizeof *ids);
    uint32_t n = 0, run = 0;
    bool good = true;
    for (uint32_t i = 0; good && i < pairs->n; i++) {
        if (pairs->v[i]->n != 2) continue;
        ids[n++] = pairs->v[i]->v[end];
        if (ids[n - 1] < 0 || (limit != 1 && ids[n - 1] >= limit))
            good = hlo_verify_fail(v, HLO_RULE_SOURCE_TARGET_PAIRS, instr,
                                   "there is no %s %lld: the module has %lld devices of that kind",
                                   what, (long long)ids[n - 1], (long long)limit);
    }
    qsort(ids, n, sizeof *ids, hlo_by_number);
    for (uint32_t i = 0; good && i < n; i++) {
        run = i && ids[i] == ids[i - 1] ? run + 1 : 1;
        if (run > most)
            good = hlo_verify_fail(v, HLO_RULE_SOURCE_TARGET_PAIRS, instr,
                                   "%s %lld is named %u times in source_target_pairs, %u allowed",
                                   what, (long long)ids[i], run, most);
    }
    if (!good) hlo_verify_at_attr(v, instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    hlo_free(ids);
    return good;
}

/* Offsets into a buffer: a tuple with one index for each dimension, or a tuple of such tuples. */
static bool are_offsets(const hlo_shape *buffer, const hlo_shape *offsets) {
    if (!hlo_shape_is_tuple(offsets) || !hlo_shape_is_array(buffer)) return false;
    uint32_t arrays = 0, fitting = 0;
    for (uint32_t i = 0; i < offsets->rank; i++) {
        arrays += hlo_shape_is_array(offsets->elements[i]);
        fitting +=
            hlo_shape_is_tuple(offsets->elements[i]) && offsets->elements[i]->rank == buffer->rank;
    }
    if (fitting == offsets->rank) return true;
    return arrays == offsets->rank && offsets->rank == buffer->rank;
}

static bool buffers_fit(const hlo_shape *buffers, const hlo_shape *offsets) {
    if (hlo_shape_is_array(buffers)) return are_offsets(buffers, offsets);
    if (!hlo_shape_is_tuple(buffers) || !hlo_shape_is_tuple(offsets) ||
        buffers->rank != offsets->rank)
        return false;
    for (uint32_t i = 0; i < buffers->rank; i++)
        if (!are_offsets(buffers->elements[i], offsets->elements[i])) return false;
    return true;
}

/* In place: input, output, offsets of both. *most is how often an id may be named: once a slice. */
static bool check_in_place(hlo_verifier *v, const hlo_instr *instr, uint32_t *most) {
    *most = 1;
    if (!hlo_instr_attr(instr, HLO_ATTR_PERMUTE_SLICE_SIZES)) return true;
    const hlo_shape *input = hlo_operand(instr, 0)->shape, *output = hlo_operand(instr, 1)->shape;
    if (input->type == HLO_TUPLE ? output->type != HLO_TUPLE || output->rank != input->rank
                                 : output->type == HLO_TUPLE)
        return hlo_verify_fail(v, HLO_RULE_PERMUTE_BUFFERS, instr,
                               "operand 0 is %s and operand 1 is %s", hlo_verify_text(v, input),
                               hlo_verify_text(v, output)) ||
               hlo_verify_at_operand(v, instr, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const hlo_shape *buffers = i ? output : input, *offsets = hlo_operand(instr, i + 2)->shape;
        if (!buffers_fit(buffers, offsets))
            return hlo_verify_fail(
                       v, HLO_RULE_PERMUTE_BUFFERS, instr,
                       "operand %u, %s, must have offsets for each dimension of operand %u, %s",
                       i + 2, hlo_verify_text(v, offsets), i, hlo_verify_text(v, buffers)) ||
                   hlo_verify_at_operand(v, instr, i + 2);
    }
    const hlo_shape *counted = hlo_operand(instr, 2)->shape;
    if (input->type == HLO_TUPLE) counted = counted->rank ? counted->elements[0] : counted;
    *most = counted->rank;
    return true;
}

static bool check_permute(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_attr *pairs = hlo_instr_attr(instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    uint32_t most;
    if (!check_in_place(v, instr, &most)) return false;
    if (!pairs) return true;
    int64_t limit = device_count(v, hlo_group_mode_of(instr));
    return check_ends(v, instr, pairs->u.int_lists, 0, limit, most) &&
           check_ends(v, instr, pairs->u.int_lists, 1, limit, most);
}

bool hlo_verify_collective(hlo_verifier *v, const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_ALL_REDUCE:
    case HLO_OP_ALL_REDUCE_START: return check_all_reduce(v, instr);
    case HLO_OP_ALL_GATHER:
    case HLO_OP_ALL_GATHER_START:
    case HLO_OP_ALL_TO_ALL:
    case HLO_OP_RAGGED_ALL_TO_ALL:
    case HLO_OP_REDUCE_SCATTER: return check_groups(v, instr, true);
    case HLO_OP_COLLECTIVE_PERMUTE:
    case HLO_OP_COLLECTIVE_PERMUTE_START: return check_permute(v, instr);
    default: return true;
    }
}

/* ---- all of them ---- */

void hlo_verify_all_reduces(hlo_verifier *v) {
    const hlo_instr *first = NULL;
    for (const hlo_computation *c = v->module->first; c; c = c->next) {
        for (const hlo_instr *instr = c->first; instr; instr = instr->next) {
            if (instr->opcode != HLO_OP_ALL_REDUCE && instr->opcode != HLO_OP_ALL_REDUCE_START)
                continue;
            if (!first) first = instr;
            if (hlo_attr_int(instr, HLO_ATTR_CONSTRAIN_LAYOUT) ==
                hlo_attr_int(first, HLO_ATTR_CONSTRAIN_LAYOUT))
                continue;
            hlo_verify_fail(
                v, HLO_RULE_CONSTRAIN_LAYOUT, instr,
                "of the module's all-reduces, some constrain their layout and some do not");
            hlo_verify_note(v, first, "the first all-reduce of the module");
            return;
        }
    }
}
