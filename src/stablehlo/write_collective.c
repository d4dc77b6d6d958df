/* Collectives, transfers between devices, and what starts and ends them. */
#include "stablehlo/write.h"

/* ---- attributes ---- */

/* Rows are groups, which -1 fills up. */
static bool push_groups(hlo_sw *w) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, HLO_ATTR_REPLICA_GROUPS);
    const hlo_int_lists *lists = attr ? hlo_groups_expand(w->arena, attr->u.groups) : NULL;
    uint32_t n = lists ? lists->n : 0, size = 0;
    for (uint32_t i = 0; i < n; i++)
        if (lists->v[i]->n > size) size = lists->v[i]->n;
    int64_t dims[2] = {n, size}, *v = HLO_NEW_ARRAY(w->arena, int64_t, (size_t)n * size);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < size; k++)
            v[(size_t)i * size + k] = k < lists->v[i]->n ? lists->v[i]->v[k] : -1;
    hlo_sw_push(w, "replica_groups", hlo_sw_dense_i64s(w, v, 2, dims));
    return n > 0;
}

static void push_pairs(hlo_sw *w) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    uint32_t n = attr ? attr->u.int_lists->n : 0;
    int64_t dims[2] = {n, 2}, *v = HLO_NEW_ARRAY(w->arena, int64_t, 2 * (size_t)n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < 2; k++) v[2 * i + k] = attr->u.int_lists->v[i]->v[k];
    hlo_sw_push(w, "source_target_pairs", hlo_sw_dense_i64s(w, v, 2, dims));
}

/* `type` is XLA's number of the kind of transfer. */
static void push_channel(hlo_sw *w, const char *name, int64_t type) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, HLO_ATTR_CHANNEL_ID);
    if (!attr) return;
    hlo_sw_members m = {0};
    hlo_sw_member(&m, "handle", hlo_sw_plain_int(w, attr->u.i));
    hlo_sw_member(&m, "type", hlo_sw_plain_int(w, type));
    hlo_sw_push(w, "channel_handle", hlo_sw_struct(w, name, &m));
}

static void push_groups_and_channel(hlo_sw *w, bool with_ids) {
    hlo_mlir_attr *unit = HLO_NEW(w->arena, hlo_mlir_attr);
    push_groups(w);
    push_channel(w, "stablehlo.channel_handle", 0);
    if (with_ids && hlo_attr_int(w->instr, HLO_ATTR_USE_GLOBAL_DEVICE_IDS))
        hlo_sw_push(w, "use_global_device_ids", unit);
}

static int64_t only_dimension(hlo_sw *w) {
    const hlo_ints *dims = hlo_attr_ints(w->instr, HLO_ATTR_DIMENSIONS);
    return dims->n ? dims->v[0] : 0;
}

static hlo_computation *reducer(hlo_sw *w) {
    return hlo_instr_attr(w->instr, HLO_ATTR_TO_APPLY)->u.computation;
}

/* ---- collectives ---- */

/* With a result for each operand, which a tuple is made of where the instruction is one. */
static hlo_mlir_value *collective(hlo_sw *w, hlo_mlir_op_id id, bool has_reducer) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!type) return NULL;
    hlo_mlir_type_list types = {0};
    hlo_sw_untuple(type, &types);
    hlo_mlir_op *op = hlo_sw_op(w, id, hlo_sw_operands(w), w->instr->operand_count, types.v,
                                types.n, has_reducer);
    hlo_list_free(&types);
    if (!op || (has_reducer && !hlo_sw_region(w, op, 0, reducer(w)))) return NULL;
    return type->kind == HLO_MLIR_TUPLE ? hlo_sw_wrapped(w, op) : &op->results[0];
}

hlo_mlir_value *hlo_sw_write_all_gather(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_int(w, "all_gather_dim", only_dimension(w));
    push_groups_and_channel(w, true);
    return collective(w, HLO_MLIR_OP_STABLEHLO_ALL_GATHER, false);
}

hlo_mlir_value *hlo_sw_write_all_reduce(hlo_sw *w) {
    hlo_sw_push_common(w);
    push_groups_and_channel(w, true);
    return collective(w, HLO_MLIR_OP_STABLEHLO_ALL_REDUCE, true);
}

hlo_mlir_value *hlo_sw_write_reduce_scatter(hlo_sw *w) {
    hlo_sw_push_common(w);
    hlo_sw_push_int(w, "scatter_dimension", only_dimension(w));
    push_groups_and_channel(w, true);
    return collective(w, HLO_MLIR_OP_STABLEHLO_REDUCE_SCATTER, true);
}

hlo_mlir_value *hlo_sw_write_collective_broadcast(hlo_sw *w) {
    hlo_sw_push_common(w);
    push_groups_and_channel(w, false);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_COLLECTIVE_BROADCAST);
}

hlo_mlir_value *hlo_sw_write_collective_permute(hlo_sw *w) {
    hlo_sw_push_common(w);
    push_pairs(w);
    push_channel(w, "stablehlo.channel_handle", 0);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_COLLECTIVE_PERMUTE);
}

/* Of tuples it is one of mhlo, which has no dimension. */
hlo_mlir_value *hlo_sw_write_all_to_all(hlo_sw *w) {
    const hlo_attr *dims = hlo_instr_attr(w->instr, HLO_ATTR_DIMENSIONS);
    bool is_tuple = hlo_shape_is_tuple(w->instr->shape), is_split = dims && dims->u.ints->n;
    hlo_sw_push_common(w);
    bool has_groups = push_groups(w);
    push_channel(w, is_tuple ? "mhlo.channel_handle" : "stablehlo.channel_handle", 0);
    if (is_tuple) {
        if (is_split) return hlo_sw_refuse(w, "that of a tuple has no dimension in StableHLO");
        return collective(w, HLO_MLIR_OP_MHLO_ALL_TO_ALL, false);
    }
    if (!is_split || w->instr->operand_count != 1 || !has_groups)
        return hlo_sw_refuse(w, "that of an array has a dimension, one operand and replica "
                                "groups in StableHLO");
    const hlo_groups *groups = hlo_instr_attr(w->instr, HLO_ATTR_REPLICA_GROUPS)->u.groups;
    hlo_sw_push_int(w, "split_dimension", only_dimension(w));
    hlo_sw_push_int(w, "concat_dimension", only_dimension(w));
    hlo_sw_push_int(w, "split_count", hlo_groups_expand(w->arena, groups)->v[0]->n);
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_ALL_TO_ALL);
}

hlo_mlir_value *hlo_sw_write_ragged_all_to_all(hlo_sw *w) {
    hlo_mlir_named config[2];
    const hlo_attr *channel = hlo_instr_attr(w->instr, HLO_ATTR_CHANNEL_ID);
    uint32_t n = 0;
    push_groups(w);
    config[n++] = w->attrs.v[--w->attrs.n];
    if (channel)
        config[n++] =
            (hlo_mlir_named){HLO_STR("channel_id"), hlo_sw_int(w, HLO_S64, channel->u.i), 0};
    hlo_sw_push_common(w);
    hlo_sw_push(w, "api_version", hlo_sw_int(w, HLO_S32, 4));
    hlo_sw_push(w, "backend_config", hlo_sw_dict(w, config, n));
    hlo_sw_push(w, "call_target_name",
                hlo_sw_text(w, HLO_MLIR_STRING, HLO_STR("ragged_all_to_all")));
    return hlo_sw_same(w, HLO_MLIR_OP_STABLEHLO_CUSTOM_CALL);
}

/* ---- collectives that begin: stablehlo.async_start around them ---- */

static const hlo_mlir_type *started_type(hlo_sw *w) {
    const hlo_shape *shape = w->instr->shape;
    if (!hlo_shape_is_tuple(shape)) return hlo_sw_type(w, shape);
    if (shape->rank < 2) return hlo_sw_refuse(w, "its result has not operands and results");
    return hlo_sw_type(w, shape->elements[1]);
}

static hlo_mlir_op_id push_started(hlo_sw *w) {
    hlo_sw_push_common(w);
    switch (w->instr->opcode) {
    case HLO_OP_ALL_GATHER_START:
        hlo_sw_push_int(w, "all_gather_dim", only_dimension(w));
        push_groups_and_channel(w, true);
        return HLO_MLIR_OP_STABLEHLO_ALL_GATHER;
    case HLO_OP_ALL_REDUCE_START:
        push_groups_and_channel(w, true);
        return HLO_MLIR_OP_STABLEHLO_ALL_REDUCE;
    default:
        push_pairs(w);
        push_channel(w, "stablehlo.channel_handle", 0);
        return HLO_MLIR_OP_STABLEHLO_COLLECTIVE_PERMUTE;
    }
}

/* The collective in the region of the start, and its return. */
static bool fill_start(hlo_sw *w, hlo_mlir_op *start, const hlo_mlir_type *type) {
    hlo_mlir_block *outer = w->block;
    hlo_mlir_block *block = hlo_mlir_block_new(w->tree, &start->regions[0], start->operand_count);
    hlo_mlir_value **v = HLO_NEW_ARRAY(w->arena, hlo_mlir_value *, start->operand_count);
    for (uint32_t i = 0; i < start->operand_count; i++) {
        v[i] = &block->arguments[i];
        v[i]->type = hlo_mlir_operand(start, i)->type;
        v[i]->location = w->location;
    }
    w->block = block;
    hlo_mlir_op_id id = push_started(w);
    bool reduces = id == HLO_MLIR_OP_STABLEHLO_ALL_REDUCE;
    hlo_mlir_op *op = hlo_sw_op(w, id, v, start->operand_count, &type, 1, reduces);
    hlo_mlir_value *result = op ? &op->results[0] : NULL;
    bool good = op && hlo_sw_op(w, HLO_MLIR_OP_STABLEHLO_RETURN, &result, 1, NULL, 0, 0) &&
                (!reduces || hlo_sw_region(w, op, 0, reducer(w)));
    w->block = outer;
    return good;
}

hlo_mlir_value *hlo_sw_write_collective_start(hlo_sw *w) {
    if (w->instr->operand_count != 1)
        return hlo_sw_refuse(w, "StableHLO has no start of several operands");
    const hlo_mlir_type *type = started_type(w);
    if (!type) return NULL;
    const hlo_mlir_type *future = hlo_sw_parts_type(w, HLO_MLIR_FUTURE, &type, 1);
    hlo_mlir_op *start = hlo_sw_op(w, HLO_MLIR_OP_STABLEHLO_ASYNC_START, hlo_sw_operands(w),
                                   w->instr->operand_count, &future, 1, 1);
    return start && fill_start(w, start, type) ? &start->results[0] : NULL;
}

/* ---- functions that begin: mhlo.async_start ---- */

static void push_thread(hlo_sw *w, const hlo_mlir_attr *function, hlo_str thread) {
    hlo_sw_push(w, "called_computation", function);
    hlo_sw_push(w, "execution_thread", hlo_sw_text(w, HLO_MLIR_STRING, thread));
}

/* A function around one operation, which stands first in the module. */
static hlo_mlir_op *function_around(hlo_sw *w, hlo_mlir_op_id id, const char *name,
                                    const hlo_mlir_type_list *arguments,
                                    const hlo_mlir_type_list *results) {
    hlo_mlir_op *function = hlo_sw_new_function(w, hlo_str_from(name), false, arguments, results);
    hlo_mlir_block *block = function->regions[0].first, *outer = w->block;
    hlo_mlir_value **v = HLO_NEW_ARRAY(w->arena, hlo_mlir_value *, arguments->n + results->n);
    function->location = w->location;
    for (uint32_t i = 0; i < arguments->n; i++) {
        v[i] = &block->arguments[i];
        v[i]->location = w->location;
    }
    w->block = block;
    hlo_mlir_op *op = hlo_sw_op(w, id, v, arguments->n, results->v, results->n, 0);
    for (uint32_t i = 0; op && i < results->n; i++) v[i] = &op->results[i];
    bool good = op && hlo_sw_op(w, HLO_MLIR_OP_FUNC_RETURN, v, results->n, NULL, 0, 0);
    w->block = outer;
    if (!good) return NULL;
    hlo_sw_add_symbol(w, function, true);
    hlo_mlir_set_attr(w->tree, function, "execution_thread",
                      hlo_sw_text(w, HLO_MLIR_STRING, HLO_STR("main")));
    return function;
}

/* A start whose result is a bundle of arguments, results and others. Attributes of the operation
 * are pushed before, those of the start after it. */
static hlo_mlir_value *old_start(hlo_sw *w, hlo_mlir_op_id id, const char *name,
                                 const hlo_mlir_type *const parts[3]) {
    hlo_mlir_type_list arguments = {0}, results = {0};
    hlo_sw_untuple(parts[0], &arguments);
    hlo_sw_untuple(parts[1], &results);
    hlo_mlir_op *function = function_around(w, id, name, &arguments, &results);
    hlo_list_free(&arguments);
    hlo_list_free(&results);
    if (!function) return NULL;
    push_thread(w, hlo_sw_symbol_of(w, function), HLO_STR("main"));
    hlo_sw_push_common(w);
    return hlo_sw_one(w, HLO_MLIR_OP_MHLO_ASYNC_START, hlo_sw_operands(w), w->instr->operand_count,
                      hlo_sw_parts_type(w, HLO_MLIR_BUNDLE, parts, 3));
}

hlo_mlir_value *hlo_sw_write_copy_start(hlo_sw *w) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    const hlo_attr *prefetch = hlo_instr_attr(w->instr, HLO_ATTR_CROSS_PROGRAM_PREFETCH_INDEX);
    if (!type) return NULL;
    if (type->kind != HLO_MLIR_TUPLE || type->part_count != 3)
        return hlo_sw_refuse(w, "its result is no tuple of three");
    const hlo_mlir_type *parts[3] = {type->parts[0], type->parts[1], type->parts[2]};
    if (prefetch) {
        hlo_sw_push(w, "cross_program_prefetch_index", hlo_sw_int(w, HLO_S32, prefetch->u.i));
        if (hlo_shape_is_tuple(hlo_operand(w->instr, 0)->shape))
            for (int i = 0; i < 2; i++)
                parts[i] = hlo_sw_parts_type(w, HLO_MLIR_TUPLE, &parts[i], 1);
    }
    return old_start(w, HLO_MLIR_OP_MHLO_COPY, "copy_", parts);
}

/* ---- what ends ---- */

static hlo_mlir_value *old_done(hlo_sw *w, hlo_mlir_op *start) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    const hlo_mlir_type *of_start = start->results[0].type->parts[1];
    if (!type) return NULL;
    hlo_sw_push_common(w);
    push_thread(w, hlo_mlir_attr_of(start, "called_computation"), HLO_STR("main"));
    hlo_mlir_value *operand = hlo_sw_operand(w, 0);
    bool is_nested = of_start->kind == HLO_MLIR_TUPLE && of_start->part_count &&
                     of_start->parts[0]->kind == HLO_MLIR_TUPLE;
    hlo_mlir_type_list types = {0};
    if (is_nested) hlo_list_push(&types, type);
    else hlo_sw_untuple(type, &types);
    hlo_mlir_op *op = hlo_sw_op(w, HLO_MLIR_OP_MHLO_ASYNC_DONE, &operand, 1, types.v, types.n, 0);
    hlo_list_free(&types);
    if (!op) return NULL;
    return is_nested ? &op->results[0] : hlo_sw_results_as(w, op, type);
}

/* The end of a transfer that the start includes is what the start gave. */
hlo_mlir_value *hlo_sw_write_done(hlo_sw *w) {
    hlo_opcode before = (hlo_opcode)hlo_operand(w->instr, 0)->opcode;
    hlo_mlir_value *operand = hlo_sw_operand(w, 0);
    bool is_transfer = (w->instr->opcode == HLO_OP_SEND_DONE && before == HLO_OP_SEND) ||
                       (w->instr->opcode == HLO_OP_RECV_DONE && before == HLO_OP_RECV);
    if (is_transfer) return operand;
    if (operand->type->kind == HLO_MLIR_FUTURE)
        return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_ASYNC_DONE, &operand, 1,
                          operand->type->parts[0]);
    if (!operand->op || operand->op->id != HLO_MLIR_OP_MHLO_ASYNC_START ||
        operand->type->part_count < 2)
        return hlo_sw_refuse(w, "what it ends is no start in StableHLO");
    return old_done(w, operand->op);
}

/* ---- async-start and the like, of a computation ---- */

static const hlo_instr *start_of(const hlo_instr *instr) {
    while (instr->opcode != HLO_OP_ASYNC_START && instr->operand_count)
        instr = hlo_operand(instr, 0);
    return instr->opcode == HLO_OP_ASYNC_START ? instr : NULL;
}

/* A start of one of these is one of StableHLO; others are of mhlo. */
static bool is_new(hlo_opcode wrapped) {
    return wrapped == HLO_OP_ALL_TO_ALL || wrapped == HLO_OP_REDUCE_SCATTER ||
           wrapped == HLO_OP_COLLECTIVE_BROADCAST;
}

static hlo_mlir_value *new_async(hlo_sw *w, hlo_computation *c) {
    hlo_mlir_value *operand = hlo_sw_operand(w, 0);
    if (w->instr->operand_count != 1)
        return hlo_sw_refuse(w, "StableHLO has no start of several operands");
    if (w->instr->opcode == HLO_OP_ASYNC_DONE)
        return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_ASYNC_DONE, &operand, 1,
                          hlo_sw_type(w, w->instr->shape));
    const hlo_mlir_type *type = hlo_sw_type(w, c->root->shape);
    if (!type) return NULL;
    const hlo_mlir_type *future = hlo_sw_parts_type(w, HLO_MLIR_FUTURE, &type, 1);
    hlo_mlir_op *op = hlo_sw_op(w, HLO_MLIR_OP_STABLEHLO_ASYNC_START, &operand, 1, &future, 1, 1);
    return op && hlo_sw_region(w, op, 0, c) ? &op->results[0] : NULL;
}

static hlo_mlir_value *old_async(hlo_sw *w, const hlo_instr *start, hlo_computation *c) {
    const hlo_attr *given = hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD);
    hlo_str thread = given && given->u.string->len ? *given->u.string : HLO_STR("main");
    hlo_mlir_op *function = hlo_sw_function(w, c);
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!function || !type) return NULL;
    w->attrs.n = 0;
    hlo_sw_push_common(w);
    push_thread(w, hlo_sw_symbol_of(w, function), thread);
    hlo_mlir_set_attr(w->tree, function, "execution_thread",
                      hlo_sw_text(w, HLO_MLIR_STRING, thread));
    if (w->instr->opcode == HLO_OP_ASYNC_DONE)
        return hlo_sw_one(w, HLO_MLIR_OP_MHLO_ASYNC_DONE, hlo_sw_operands(w),
                          w->instr->operand_count, type);
    if (type->kind != HLO_MLIR_TUPLE) return hlo_sw_refuse(w, "its result is no tuple");
    hlo_mlir_op_id id = w->instr->opcode == HLO_OP_ASYNC_START ? HLO_MLIR_OP_MHLO_ASYNC_START
                                                               : HLO_MLIR_OP_MHLO_ASYNC_UPDATE;
    return hlo_sw_one(w, id, hlo_sw_operands(w), w->instr->operand_count,
                      hlo_sw_parts_type(w, HLO_MLIR_BUNDLE, type->parts, type->part_count));
}

hlo_mlir_value *hlo_sw_write_async(hlo_sw *w) {
    const hlo_instr *start = start_of(w->instr);
    const hlo_attr *calls = start ? hlo_instr_attr(start, HLO_ATTR_CALLS) : NULL;
    if (!calls) return hlo_sw_refuse(w, "it belongs to no async-start");
    hlo_computation *c = calls->u.computation;
    bool is_update = w->instr->opcode == HLO_OP_ASYNC_UPDATE;
    if (is_new((hlo_opcode)c->root->opcode) && !is_update) return new_async(w, c);
    return old_async(w, start, c);
}

/* ---- transfers between devices ---- */

enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

/* Its first user is what ends it; else iterations of a loop overlap. */
static bool is_pipelined(const hlo_instr *start, hlo_opcode done) {
    return start->first_use->user->opcode != done;
}

static void push_transfer(hlo_sw *w, int64_t with_host) {
    bool is_host = hlo_attr_int(w->instr, HLO_ATTR_IS_HOST_TRANSFER) != 0;
    hlo_sw_push_flag(w, "is_host_transfer", HLO_ATTR_IS_HOST_TRANSFER);
    push_channel(w, "stablehlo.channel_handle", is_host ? with_host : DEVICE_TO_DEVICE);
}

/* A sharding of three parts, of which the operation has these. */
static void set_sharding(hlo_sw *w, hlo_mlir_op *op, bool is_pair) {
    const hlo_attr *attr = hlo_instr_attr(w->instr, HLO_ATTR_SHARDING);
    const hlo_sharding *of = attr ? attr->u.sharding : NULL;
    if (!op || !of || of->kind != HLO_SHARDING_TUPLE || of->n != 3) return;
    if (!is_pair) {
        hlo_mlir_set_attr(w->tree, op, "mhlo.sharding", hlo_sw_sharding(w, of->elements[0]));
        return;
    }
    const hlo_sharding *pair[2] = {of->elements[0], of->elements[2]};
    hlo_sharding *both = hlo_arena_copy(w->arena, of, sizeof *of);
    both->n = 2;
    both->elements = hlo_arena_copy(w->arena, pair, sizeof pair);
    hlo_mlir_set_attr(w->tree, op, "mhlo.sharding", hlo_sw_sharding(w, both));
}

/* Whether there are three parts, and something ends it. */
static const hlo_mlir_type *transfer_type(hlo_sw *w) {
    const hlo_mlir_type *type = hlo_sw_type(w, w->instr->shape);
    if (!type) return NULL;
    if (type->kind != HLO_MLIR_TUPLE || type->part_count != 3)
        return hlo_sw_refuse(w, "its result is no tuple of three");
    if (!w->instr->first_use) return hlo_sw_refuse(w, "nothing ends it");
    return type;
}

hlo_mlir_value *hlo_sw_write_send(hlo_sw *w) {
    const hlo_mlir_type *type = transfer_type(w);
    if (!type) return NULL;
    if (is_pipelined(w->instr, HLO_OP_SEND_DONE)) {
        const hlo_mlir_type *pair[] = {type->parts[0], type->parts[2]};
        const hlo_mlir_type *parts[3] = {hlo_sw_parts_type(w, HLO_MLIR_TUPLE, pair, 2),
                                         type->parts[2], type->parts[1]};
        push_transfer(w, DEVICE_TO_HOST);
        return old_start(w, HLO_MLIR_OP_STABLEHLO_SEND, "send_", parts);
    }
    hlo_mlir_value **v = hlo_sw_operands(w);
    uint32_t n = w->instr->operand_count;
    hlo_mlir_value *token = v[n - 1];
    bool is_empty = n == 2 && v[0]->type->kind == HLO_MLIR_TUPLE && !v[0]->type->part_count;
    hlo_sw_push_common(w);
    push_transfer(w, DEVICE_TO_HOST);
    hlo_mlir_value *sent =
        hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_SEND, v + is_empty, n - is_empty, token->type);
    if (sent) set_sharding(w, sent->op, false);
    return sent;
}

hlo_mlir_value *hlo_sw_write_recv(hlo_sw *w) {
    const hlo_mlir_type *type = transfer_type(w);
    if (!type) return NULL;
    const hlo_mlir_type *pair[] = {type->parts[0], type->parts[2]};
    if (is_pipelined(w->instr, HLO_OP_RECV_DONE)) {
        const hlo_mlir_type *parts[3] = {
            type->parts[2], hlo_sw_parts_type(w, HLO_MLIR_TUPLE, pair, 2), type->parts[1]};
        push_transfer(w, HOST_TO_DEVICE);
        return old_start(w, HLO_MLIR_OP_STABLEHLO_RECV, "recv_", parts);
    }
    bool is_empty = pair[0]->kind == HLO_MLIR_TUPLE && !pair[0]->part_count;
    hlo_sw_push_common(w);
    push_transfer(w, HOST_TO_DEVICE);
    hlo_mlir_op *op = hlo_sw_op(w, HLO_MLIR_OP_STABLEHLO_RECV, hlo_sw_operands(w),
                                w->instr->operand_count, pair + is_empty, is_empty ? 1 : 2, 0);
    if (!is_empty) {
        set_sharding(w, op, true);
        return hlo_sw_wrapped(w, op);
    }
    if (!op) return NULL;
    hlo_mlir_value *both[] = {hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_TUPLE, NULL, 0, pair[0]),
                              &op->results[0]};
    return hlo_sw_one(w, HLO_MLIR_OP_STABLEHLO_TUPLE, both, 2,
                      hlo_sw_parts_type(w, HLO_MLIR_TUPLE, pair, 2));
}
