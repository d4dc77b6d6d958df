/* Functions of checks.def for control flow, tuples, composites and transfers to and from the host.
 */
#include "stablehlo/check.h"

#include "stablehlo/edit.h"

/* ---- functions ---- */

const hlo_mlir_op *hlo_check_function_named(const hlo_check_functions *functions, hlo_str name) {
    hlo_hash_each (number, &functions->by_name, (uint32_t)hlo_hash_bytes(name.ptr, name.len))
        if (hlo_str_equal(hlo_mlir_attr_of(functions->v[number - 1], "sym_name")->u.text, name))
            return functions->v[number - 1];
    return NULL;
}

/* ---- regions ---- */

static const hlo_mlir_type *returned(const hlo_mlir_block *block, uint32_t i) {
    return hlo_mlir_operand(block->last, i)->type;
}

/* Region `i` returns as many values as the operation has results, of their types. */
static bool returns_results(hlo_check *s, uint32_t region) {
    const hlo_mlir_block *block = hlo_check_block(s, region);
    uint32_t n = block->last->operand_count;
    if (n != s->op->result_count)
        return hlo_check_refuse(s, HLO_RULE_CONDITIONAL_BRANCHES,
                                "has %u results, and region %u returns %u values",
                                s->op->result_count, region, n);
    for (uint32_t i = 0; i < n; i++)
        if (!hlo_check_compatible(hlo_check_result(s, i), returned(block, i)))
            return hlo_check_refuse(s, HLO_RULE_CONDITIONAL_BRANCHES,
                                    "has a result %.*s, for which region %u returns %.*s",
                                    HLO_CHECK_TYPE(hlo_check_result(s, i)), region,
                                    HLO_CHECK_TYPE(returned(block, i)));
    return true;
}

/* ---- conditionals and loops ---- */

bool hlo_check_branches(hlo_check *s) {
    const hlo_mlir_type *index = hlo_check_operand(s, 0);
    hlo_type wanted = s->op->id == HLO_MLIR_OP_STABLEHLO_IF ? HLO_PRED : HLO_S32;
    if (!hlo_check_is_tensor(index) || index->other || index->element != wanted || index->rank)
        return hlo_check_refuse(s, HLO_RULE_CONDITIONAL_INDEX, "chooses by %s, not by %.*s",
                                wanted == HLO_PRED ? "tensor<i1>" : "tensor<i32>",
                                HLO_CHECK_TYPE(index));
    if (!s->op->region_count)
        return hlo_check_refuse(s, HLO_RULE_CONDITIONAL_BRANCHES, "has no branch");
    for (uint32_t i = 0; i < s->op->region_count; i++) {
        uint32_t n = hlo_check_block(s, i)->argument_count;
        if (n)
            return hlo_check_refuse(s, HLO_RULE_CONDITIONAL_BRANCHES,
                                    "has branches without arguments; branch %u has %u", i, n);
        if (!returns_results(s, i)) return false;
    }
    return true;
}

static bool takes_state(hlo_check *s, uint32_t region, const char *name) {
    const hlo_mlir_block *block = hlo_check_block(s, region);
    if (block->argument_count != s->op->operand_count)
        return hlo_check_refuse(s, HLO_RULE_WHILE_SIGNATURE, "has %u operands, and its %s takes %u",
                                s->op->operand_count, name, block->argument_count);
    for (uint32_t i = 0; i < block->argument_count; i++)
        if (!hlo_check_compatible(block->arguments[i].type, hlo_check_operand(s, i)))
            return hlo_check_refuse(s, HLO_RULE_WHILE_SIGNATURE,
                                    "has an operand %.*s, which its %s takes as %.*s",
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)), name,
                                    HLO_CHECK_TYPE(block->arguments[i].type));
    return true;
}

bool hlo_check_loop(hlo_check *s) {
    const hlo_mlir_block *condition = hlo_check_block(s, 0), *body = hlo_check_block(s, 1);
    if (!takes_state(s, 0, "condition") || !takes_state(s, 1, "body")) return false;
    if (condition->last->operand_count != 1 || !hlo_check_is_predicate(returned(condition, 0)))
        return hlo_check_refuse(s, HLO_RULE_WHILE_SIGNATURE,
                                "has a condition that does not return one tensor<i1>");
    if (body->last->operand_count != s->op->operand_count)
        return hlo_check_refuse(s, HLO_RULE_WHILE_SIGNATURE,
                                "has %u operands, and its body returns %u values",
                                s->op->operand_count, body->last->operand_count);
    for (uint32_t i = 0; i < s->op->operand_count; i++) {
        const hlo_mlir_type *state = hlo_check_operand(s, i), *other = returned(body, i);
        if (hlo_check_compatible(state, other)) other = hlo_check_result(s, i);
        if (!hlo_check_compatible(state, other))
            return hlo_check_refuse(s, HLO_RULE_WHILE_SIGNATURE,
                                    "has an operand %.*s, which becomes %.*s",
                                    HLO_CHECK_TYPE(state), HLO_CHECK_TYPE(other));
    }
    return true;
}

/* ---- tuples, barriers ---- */

bool hlo_check_tuple(hlo_check *s) {
    const hlo_mlir_type *to = hlo_check_result(s, 0);
    bool fits = to->kind == HLO_MLIR_TUPLE && to->part_count == s->op->operand_count;
    for (uint32_t i = 0; fits && i < to->part_count; i++)
        fits = hlo_check_compatible(to->parts[i], hlo_check_operand(s, i));
    return fits || hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE,
                                    "gives %.*s, which is not the tuple of its operands",
                                    HLO_CHECK_TYPE(to));
}

/* The pretty form has it in brackets. */
static bool index_of(hlo_check *s, int64_t *out) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, "index");
    if (attr && attr->kind == HLO_MLIR_LIST && attr->list.n == 1) attr = attr->list.v[0].value;
    if (!attr || attr->kind != HLO_MLIR_INT) return false;
    *out = attr->u.i;
    return true;
}

bool hlo_check_tuple_element(hlo_check *s) {
    const hlo_mlir_type *of = hlo_check_operand(s, 0), *to = hlo_check_result(s, 0);
    int64_t index;
    if (of->kind != HLO_MLIR_TUPLE)
        return hlo_check_refuse(s, HLO_RULE_TUPLE_INDEX, "takes a tuple, not %.*s",
                                HLO_CHECK_TYPE(of));
    if (!index_of(s, &index)) return true;
    if (index < 0 || index >= of->part_count)
        return hlo_check_refuse(s, HLO_RULE_TUPLE_INDEX, "takes element %lld of %u",
                                (long long)index, of->part_count);
    return hlo_check_compatible(of->parts[index], to) ||
           hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s; the element is %.*s",
                            HLO_CHECK_TYPE(to), HLO_CHECK_TYPE(of->parts[index]));
}

bool hlo_check_forwards(hlo_check *s) {
    for (uint32_t i = 0; i < s->op->operand_count; i++)
        if (!hlo_check_compatible(hlo_check_operand(s, i), hlo_check_result(s, i)))
            return hlo_check_refuse(s, HLO_RULE_RESULT_SHAPE, "gives %.*s for %.*s",
                                    HLO_CHECK_TYPE(hlo_check_result(s, i)),
                                    HLO_CHECK_TYPE(hlo_check_operand(s, i)));
    return true;
}

/* ---- composites ---- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_of_word(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

/* Words with a dot between two, as the name of an operation; '$' after the first dot. */
static bool is_operation_name(hlo_str name) {
    uint32_t at = 0, dots = 0, begin = 0;
    if (!name.len || !is_letter(*name.ptr)) return false;
    for (; at < name.len; at++) {
        char c = name.ptr[at];
        if (c == '.') {
            if (at == begin) return false;
            begin = at + 1;
            dots++;
        } else if (!is_of_word(c) && !(c == '$' && dots)) {
            return false;
        }
    }
    return dots && begin < name.len;
}

/* The type of a function, whose parts are its arguments and then its results; or NULL. */
static const hlo_mlir_type *signature_of(const hlo_mlir_op *function) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(function, "function_type");
    bool good = attr && attr->kind == HLO_MLIR_TYPE && attr->type->kind == HLO_MLIR_FUNCTION;
    return good ? attr->type : NULL;
}

static bool calls_by_types(hlo_check *s, const hlo_mlir_type *signature, hlo_str callee) {
    uint32_t inputs = signature->inputs, results = signature->part_count - inputs;
    if (inputs != s->op->operand_count || results != s->op->result_count)
        return hlo_check_refuse(s, HLO_RULE_CALL_ARGUMENTS,
                                "has %u operands and %u results; '@%.*s' has %u and %u",
                                s->op->operand_count, s->op->result_count, (int)callee.len,
                                callee.ptr, inputs, results);
    for (uint32_t i = 0; i < inputs + results; i++) {
        bool is_input = i < inputs;
        const hlo_mlir_type *own =
            is_input ? hlo_check_operand(s, i) : hlo_check_result(s, i - inputs);
        if (own != signature->parts[i])
            return hlo_check_refuse(s, HLO_RULE_CALL_ARGUMENTS, "%s %.*s; '@%.*s' %s %.*s",
                                    is_input ? "takes" : "gives", HLO_CHECK_TYPE(own),
                                    (int)callee.len, callee.ptr, is_input ? "takes" : "gives",
                                    HLO_CHECK_TYPE(signature->parts[i]));
    }
    return true;
}

bool hlo_check_function_return(hlo_check *s) {
    const hlo_mlir_op *function = s->op->block->region->op;
    const hlo_mlir_type *signature =
        function->id == HLO_MLIR_OP_FUNC_FUNC ? signature_of(function) : NULL;
    if (!signature) return true; /* reported at the function */
    uint32_t n = s->op->operand_count, results = signature->part_count - signature->inputs;
    if (n != results)
        return hlo_check_refuse(s, HLO_RULE_RESULT_FORM,
                                "has %u operand%s; its function has %u result%s", n,
                                n == 1 ? "" : "s", results, results == 1 ? "" : "s");
    for (uint32_t i = 0; i < n; i++) {
        const hlo_mlir_type *own = hlo_check_operand(s, i),
                            *wanted = signature->parts[signature->inputs + i];
        if (own != wanted)
            return hlo_check_refuse(s, HLO_RULE_RESULT_FORM,
                                    "gives %.*s; result %u of its function is %.*s",
                                    HLO_CHECK_TYPE(own), i, HLO_CHECK_TYPE(wanted));
    }
    return true;
}

/* The function that the attribute names; a missing attribute is reported elsewhere. */
static bool check_callee(hlo_check *s, const char *attribute) {
    const hlo_mlir_attr *attr = hlo_mlir_attr_of(s->op, attribute);
    if (!attr || attr->kind != HLO_MLIR_SYMBOL) return true;
    hlo_str callee = attr->u.text;
    const hlo_mlir_op *function = hlo_check_function_named(s->functions, callee);
    if (!function)
        return hlo_check_refuse(s, HLO_RULE_UNKNOWN_NAME, "calls '@%.*s', which no function is",
                                (int)callee.len, callee.ptr);
    const hlo_mlir_type *signature = signature_of(function);
    return !signature || calls_by_types(s, signature, callee);
}

bool hlo_check_call(hlo_check *s) {
    return check_callee(s, "callee");
}

bool hlo_check_composite(hlo_check *s) {
    const hlo_mlir_attr *name = hlo_mlir_attr_of(s->op, "name");
    if (name && name->kind == HLO_MLIR_STRING && !is_operation_name(name->u.text))
        return hlo_check_refuse(
            s, HLO_RULE_COMPOSITE_CALL,
            "has the name \"%.*s\"; it is like that of an operation, with a dot",
            (int)name->u.text.len, name->u.text.ptr);
    if (s->op->region_count)
        return hlo_check_refuse(s, HLO_RULE_UNSUPPORTED_STABLEHLO, "has regions, which HLO lacks");
    return check_callee(s, "decomposition");
}

/* ---- transfers ---- */

/* The results of an operation that receives: tensors, and a token at the end. */
static bool receives(hlo_check *s) {
    uint32_t n = s->op->result_count;
    if (!n || hlo_check_result(s, n - 1)->kind != HLO_MLIR_TOKEN)
        return hlo_check_refuse(s, HLO_RULE_RESULT_FORM, "has a token as its last result");
    for (uint32_t i = 0; i < n - 1; i++)
        if (!hlo_check_is_tensor(hlo_check_result(s, i)))
            return hlo_check_refuse(s, HLO_RULE_RESULT_FORM,
                                    "has tensors as results before the token, not %.*s",
                                    HLO_CHECK_TYPE(hlo_check_result(s, i)));
    return true;
}

bool hlo_check_infeed(hlo_check *s) {
    const hlo_mlir_attr *layout = hlo_mlir_attr_of(s->op, "layout");
    if (!receives(s)) return false;
    if (!layout) return true;
    bool good = layout->kind == HLO_MLIR_LIST && layout->list.n == s->op->result_count - 1;
    for (uint32_t i = 0; good && i < layout->list.n; i++) {
        const hlo_mlir_attr *order = layout->list.v[i].value;
        good = order->kind == HLO_MLIR_LIST;
        for (uint32_t k = 0; good && k < order->list.n; k++)
            good = order->list.v[k].value->kind == HLO_MLIR_INT;
    }
    return good ||
           hlo_check_refuse(s, HLO_RULE_ATTRIBUTE_VALUE,
                            "has a layout that lists an order of dimensions for each tensor");
}

/* The type of a channel is 1 between devices; to the host it is 2, from the host 3. */
static bool check_channel(hlo_check *s, int64_t to_host) {
    const hlo_mlir_attr *type = hlo_mlir_member(hlo_mlir_attr_of(s->op, "channel_handle"), "type");
    if (!type || type->kind != HLO_MLIR_INT) return true;
    int64_t wanted = hlo_check_flag(s, "is_host_transfer") ? to_host : 1;
    return type->u.i == wanted ||
           hlo_check_refuse(s, HLO_RULE_HOST_TRANSFER, "has a channel of type %lld; it needs %lld",
                            (long long)type->u.i, (long long)wanted);
}

bool hlo_check_send(hlo_check *s) {
    return check_channel(s, 2);
}

bool hlo_check_recv(hlo_check *s) {
    return check_channel(s, 3) && receives(s);
}
