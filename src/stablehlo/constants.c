/* Constants of a function: equal ones become one, which moves to the beginning of the function in
 * the order in which MLIR's folder leaves them. */
#include "stablehlo/steps.h"

typedef struct {
    hlo_mlir_op *op;
    const hlo_mlir_region *scope;
    const hlo_mlir_attr *value;
} kept_constant;

typedef struct {
    HLO_LIST(kept_constant) kept;
    hlo_hash by_value, by_op; /* numbers of them, from 1 */
} shared_constants;

static bool is_constant(const hlo_mlir_op *op) {
    return (op->id == HLO_MLIR_OP_STABLEHLO_CONSTANT || op->id == HLO_MLIR_OP_ARITH_CONSTANT) &&
           op->result_count == 1 && hlo_mlir_attr_of(op, "value");
}

/* Whose operations use no value from outside: constants do not leave it. */
static bool is_isolated(const hlo_mlir_op *op) {
    return op->id == HLO_MLIR_OP_FUNC_FUNC || op->id == HLO_MLIR_OP_BUILTIN_MODULE ||
           op->id == HLO_MLIR_OP_STABLEHLO_ASYNC_START || op->id == HLO_MLIR_OP_CHLO_SCAN;
}

static hlo_mlir_region *scope_of(const hlo_mlir_op *op) {
    hlo_mlir_region *region = op->block->region;
    while (!is_isolated(region->op) && region->op->block) region = region->op->block->region;
    return region;
}

/* ---- values ---- */

static size_t bytes_of(const hlo_mlir_attr *value) {
    int64_t n = hlo_shape_bytes(value->literal->shape);
    return n > 0 ? (size_t)n : 0;
}

static uint64_t hash_of(const hlo_mlir_op *op, const hlo_mlir_region *scope,
                        const hlo_mlir_attr *value) {
    uint64_t h = hlo_hash_pointer(scope, hlo_hash_pointer(op->results[0].type, op->id));
    if (value->kind == HLO_MLIR_DENSE)
        return hlo_hash_mix(h, hlo_hash_bytes(hlo_literal_data(value->literal), bytes_of(value)));
    return hlo_hash_mix(h, value->kind);
}

static bool is_same_value(const hlo_mlir_attr *a, const hlo_mlir_attr *b) {
    if (a == b) return true;
    if (a->kind != b->kind || a->type != b->type) return false;
    switch (a->kind) {
    case HLO_MLIR_BOOL:
    case HLO_MLIR_INT: return hlo_mlir_int_of(a) == hlo_mlir_int_of(b);
    case HLO_MLIR_FLOAT: return memcmp(&a->u.f, &b->u.f, sizeof a->u.f) == 0;
    case HLO_MLIR_RESOURCE: return hlo_str_equal(hlo_mlir_text_of(a), hlo_mlir_text_of(b));
    case HLO_MLIR_DENSE:
        return a->is_splat == b->is_splat && bytes_of(a) == bytes_of(b) &&
               (!bytes_of(a) || memcmp(hlo_literal_data(a->literal), hlo_literal_data(b->literal),
                                       bytes_of(a)) == 0);
    default: return false;
    }
}

/* ---- sharing ---- */

static bool is_kept(const shared_constants *c, const hlo_mlir_op *op) {
    if (!op) return false;
    hlo_hash_each (number, &c->by_op, hlo_hash_pointer(op, 0))
        if (c->kept.v[number - 1].op == op) return true;
    return false;
}

static void keep(shared_constants *c, hlo_mlir_op *op, const hlo_mlir_region *scope,
                 const hlo_mlir_attr *value, uint64_t hash) {
    hlo_list_push(&c->kept, (kept_constant){op, scope, value});
    hlo_hash_add(&c->by_value, hash, c->kept.n);
    hlo_hash_add(&c->by_op, hlo_hash_pointer(op, 0), c->kept.n);
}

/* One that is first, or follows one that was kept, stays where it is. */
static void place(const shared_constants *c, hlo_mlir_op *op, hlo_mlir_block *first) {
    if (op->block != first) op->location = NULL;
    else if (first->first == op || is_kept(c, op->prev)) return;
    if (first->first) hlo_mlir_move(op, first, first->first);
}

static void share(shared_constants *c, hlo_mlir_op *op) {
    const hlo_mlir_attr *value = hlo_mlir_attr_of(op, "value");
    hlo_mlir_region *scope = scope_of(op);
    uint64_t hash = hash_of(op, scope, value);
    hlo_hash_each (number, &c->by_value, hash) {
        const kept_constant *k = &c->kept.v[number - 1];
        if (k->scope != scope || k->op->id != op->id ||
            k->op->results[0].type != op->results[0].type || !is_same_value(k->value, value))
            continue;
        hlo_mlir_replace_uses(op->results, k->op->results);
        hlo_expand_erase(op);
        k->op->location = NULL;
        return;
    }
    place(c, op, scope->first);
    keep(c, op, scope, value, hash);
}

void hlo_expand_share_constants(hlo_mlir_op *function) {
    shared_constants c = {0};
    for (hlo_mlir_op *op = hlo_expand_next(function, function), *next; op; op = next) {
        next = hlo_expand_next(op, function);
        if (is_constant(op)) share(&c, op);
    }
    hlo_list_free(&c.kept);
    hlo_hash_free(&c.by_value);
    hlo_hash_free(&c.by_op);
}
