/* Operations without effects that equal an earlier one, in their block or around it, become that
 * one: of one name, with equal attributes, types, operands and regions. */
#include "stablehlo/refine.h"

#include "stablehlo/dense.h"
#include "stablehlo/edit.h"
#include "stablehlo/simplify.h"

typedef struct {
    hlo_mlir_module *module;
    HLO_LIST(hlo_mlir_op *) seen; /* a block's are at the end, and go with it */
    hlo_hash by_hash;             /* numbers of them, from 1; those above `seen.n` are gone */
    HLO_LIST(uint32_t) hashes;    /* of `seen` */
    HLO_LIST(hlo_mlir_op *) erased;
} sharing;

/* ---- equality ---- */

static bool same_attr(const hlo_mlir_attr *a, const hlo_mlir_attr *b);

static const hlo_mlir_attr *named(hlo_mlir_list list, hlo_str key) {
    for (uint32_t i = 0; i < list.n; i++)
        if (hlo_str_equal(list.v[i].key, key)) return list.v[i].value;
    return NULL;
}

/* Lists with keys are equal in any order. */
static bool same_list(hlo_mlir_list a, hlo_mlir_list b) {
    if (a.n != b.n) return false;
    for (uint32_t i = 0; i < a.n; i++) {
        const hlo_mlir_attr *other = a.v[i].key.len ? named(b, a.v[i].key) : b.v[i].value;
        if (!other || !same_attr(a.v[i].value, other)) return false;
    }
    return true;
}

static bool same_literal(const hlo_literal *a, const hlo_literal *b) {
    if (a == b) return true;
    return a && b && a->shape->type == b->shape->type &&
           hlo_shape_elements(a->shape) == hlo_shape_elements(b->shape) &&
           memcmp(hlo_literal_data(a), hlo_literal_data(b),
                  (size_t)hlo_shape_elements(a->shape) * hlo_types[a->shape->type].bytes) == 0;
}

static bool same_attr(const hlo_mlir_attr *a, const hlo_mlir_attr *b) {
    hlo_dense x, y;
    if (a == b) return true;
    if (a->kind != b->kind || a->type != b->type || a->bracket != b->bracket) return false;
    switch (a->kind) {
    case HLO_MLIR_UNIT: return true;
    case HLO_MLIR_BOOL:
    case HLO_MLIR_INT: return a->u.i == b->u.i;
    case HLO_MLIR_FLOAT: return memcmp(&a->u.f, &b->u.f, sizeof a->u.f) == 0;
    case HLO_MLIR_STRING:
    case HLO_MLIR_WORD:
    case HLO_MLIR_SYMBOL:
    case HLO_MLIR_MAP:
    case HLO_MLIR_RESOURCE: return hlo_str_equal(a->u.text, b->u.text);
    case HLO_MLIR_TYPE: return true;
    case HLO_MLIR_LIST:
    case HLO_MLIR_DICT: return same_list(a->list, b->list);
    case HLO_MLIR_STRUCT: return hlo_str_equal(a->u.text, b->u.text) && same_list(a->list, b->list);
    case HLO_MLIR_INTS:
        return a->u.ints.n == b->u.ints.n &&
               (!a->u.ints.n ||
                memcmp(a->u.ints.v, b->u.ints.v, a->u.ints.n * sizeof *a->u.ints.v) == 0);
    case HLO_MLIR_FLOATS: return same_literal(a->literal, b->literal);
    case HLO_MLIR_DENSE:
        return hlo_dense_from(a, &x) && hlo_dense_from(b, &y) && hlo_dense_same(&x, &y);
    case HLO_MLIR_LOCATION: return a->u.location == b->u.location;
    }
    return false;
}

static bool same_attrs(const hlo_mlir_op *a, const hlo_mlir_op *b) {
    return same_list((hlo_mlir_list){a->attr_count, a->attrs},
                     (hlo_mlir_list){b->attr_count, b->attrs});
}

static bool same_regions(hlo_mlir_op *a, hlo_mlir_op *b);

/* What is defined inside of `a` has its counterpart in `made`. */
static bool same_operation(hlo_mlir_op *a, hlo_mlir_op *b) {
    if (!hlo_str_equal(a->name, b->name) || a->operand_count != b->operand_count ||
        a->result_count != b->result_count || a->region_count != b->region_count)
        return false;
    for (uint32_t i = 0; i < a->operand_count; i++) {
        const hlo_mlir_value *value = hlo_mlir_operand(a, i);
        if ((value->made ? value->made : value) != hlo_mlir_operand(b, i)) return false;
    }
    for (uint32_t i = 0; i < a->result_count; i++)
        if (a->results[i].type != b->results[i].type) return false;
    return same_attrs(a, b) && same_regions(a, b);
}

static bool same_block(hlo_mlir_block *a, hlo_mlir_block *b) {
    if (a->argument_count != b->argument_count) return false;
    for (uint32_t i = 0; i < a->argument_count; i++) {
        if (a->arguments[i].type != b->arguments[i].type) return false;
        a->arguments[i].made = &b->arguments[i];
    }
    hlo_mlir_op *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) {
        if (!same_operation(x, y)) return false;
        for (uint32_t i = 0; i < x->result_count; i++) x->results[i].made = &y->results[i];
    }
    return !x && !y;
}

static bool same_regions(hlo_mlir_op *a, hlo_mlir_op *b) {
    for (uint32_t i = 0; i < a->region_count; i++) {
        hlo_mlir_block *x = a->regions[i].first, *y = b->regions[i].first;
        if (!x || !y) {
            if (x != y) return false;
        } else if (x->next || y->next || !same_block(x, y)) {
            return false;
        }
    }
    return true;
}

static bool is_same(hlo_mlir_op *a, hlo_mlir_op *b) {
    bool same = same_operation(a, b);
    for (uint32_t i = 0; i < a->region_count; i++) hlo_mlir_forget_copies(&a->regions[i]);
    return same;
}

static uint32_t hash_of(const hlo_mlir_op *op) {
    hlo_dense dense;
    uint64_t h = hlo_hash_mix(op->id, hlo_hash_bytes(op->name.ptr, op->name.len));
    for (uint32_t i = 0; i < op->operand_count; i++)
        h = hlo_hash_pointer(hlo_mlir_operand(op, i), h);
    for (uint32_t i = 0; i < op->result_count; i++) h = hlo_hash_pointer(op->results[i].type, h);
    if (hlo_mlir_is_constant(op) && hlo_dense_from(hlo_mlir_attr_of(op, "value"), &dense))
        h = hlo_literal_hash(h, hlo_mlir_attr_of(op, "value")->literal);
    return (uint32_t)h;
}

/* ---- sharing ---- */

static bool has_no_effects(const hlo_mlir_op *op) {
    switch (hlo_mlir_effects_of(op)) {
    case HLO_MLIR_NO_EFFECTS: return true;
    case HLO_MLIR_NESTED_EFFECTS: break;
    default: return false;
    }
    for (uint32_t i = 0; i < op->region_count; i++)
        for (hlo_mlir_block *block = op->regions[i].first; block; block = block->next)
            for (hlo_mlir_op *inner = block->first; inner; inner = inner->next)
                if (!hlo_mlir_is_terminator(inner) && !has_no_effects(inner)) return false;
    return true;
}

/* An earlier operation takes its place; both stay until the end, as in MLIR. */
static void share(sharing *s, hlo_mlir_op *op) {
    if (hlo_mlir_is_terminator(op)) return;
    if (hlo_simplify_is_dead(op)) {
        hlo_list_push(&s->erased, op);
        return;
    }
    if (!has_no_effects(op)) return;
    uint32_t hash = hash_of(op);
    hlo_hash_each (number, &s->by_hash, hash) {
        if (number > s->seen.n || s->hashes.v[number - 1] != hash) continue;
        hlo_mlir_op *earlier = s->seen.v[number - 1];
        if (!is_same(op, earlier)) continue;
        for (uint32_t i = 0; i < op->result_count; i++)
            hlo_mlir_replace_uses(&op->results[i], &earlier->results[i]);
        if (!earlier->location || earlier->location->kind == HLO_MLIR_UNKNOWN_PLACE)
            earlier->location = op->location;
        hlo_list_push(&s->erased, op);
        return;
    }
    hlo_list_push(&s->seen, op);
    hlo_list_push(&s->hashes, hash);
    hlo_hash_add(&s->by_hash, hash, s->seen.n);
}

static void share_in(sharing *s, hlo_mlir_region *region) {
    for (hlo_mlir_block *block = region->first; block; block = block->next) {
        uint32_t outer = s->seen.n;
        for (hlo_mlir_op *op = block->first; op; op = op->next) {
            for (uint32_t i = 0; i < op->region_count; i++) share_in(s, &op->regions[i]);
            share(s, op);
        }
        s->seen.n = s->hashes.n = outer;
    }
}

static void erase(hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->region_count; i++)
        for (hlo_mlir_block *block = op->regions[i].first; block; block = block->next)
            while (block->last) erase(block->last);
    hlo_mlir_remove(op);
}

void hlo_refine_share(hlo_mlir_module *module, hlo_mlir_op *function) {
    sharing s = {.module = module};
    share_in(&s, &function->regions[0]);
    while (s.erased.n) {
        hlo_mlir_op *op = hlo_list_pop(&s.erased);
        if (op->block) erase(op); /* it may have stood in another one */
    }
    hlo_list_free(&s.seen);
    hlo_list_free(&s.hashes);
    hlo_list_free(&s.erased);
    hlo_hash_free(&s.by_hash);
}
