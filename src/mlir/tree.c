/* The tree: its memory, interned types, operations and their edges, and questions about attributes.
 */
#include "mlir/forms.h"
#include "mlir/mlir.h"

#include "base/buf.h"
#include "base/text.h"

/* ---- the whole ---- */

static void free_unfinished(void *module) {
    hlo_mlir_free(module);
}

hlo_mlir_module *hlo_mlir_new(hlo_source *source) {
    hlo_mlir_module *module = hlo_calloc(1, sizeof *module);
    hlo_cleanup_add(&module->cleanup, free_unfinished, module);
    hlo_arena_init(&module->arena);
    hlo_shapes_init(&module->shapes, &module->arena);
    module->source = hlo_source_retain(source);
    return module;
}

void hlo_mlir_free(hlo_mlir_module *module) {
    if (!module) return;
    hlo_cleanup_remove(&module->cleanup);
    hlo_list_free(&module->types);
    hlo_hash_free(&module->types_by_hash);
    hlo_shapes_free(&module->shapes);
    hlo_source_release(module->source);
    hlo_arena_free(&module->arena);
    hlo_free(module);
}

/* ---- types ---- */

hlo_type hlo_mlir_element(hlo_str name) {
    char lower[16];
    bool is_float = name.len && *name.ptr == 'f', has_capital = false;
    uint32_t skip = 0;
    if (name.len < 2 || name.len >= sizeof lower) return HLO_TYPE_COUNT;
    if (hlo_str_is(name, "i1")) return HLO_PRED;
    if (hlo_str_is(name, "bf16")) return HLO_BF16;
    if (*name.ptr == 'i' || *name.ptr == 's') { /* i8 and si8 are s8 */
        skip = *name.ptr == 's' ? 2 : 1;
        if (skip == 2 && name.ptr[1] != 'i') return HLO_TYPE_COUNT;
        lower[0] = 's';
    } else if (*name.ptr == 'u' && name.ptr[1] == 'i') {
        skip = 2;
        lower[0] = 'u';
    } else if (!is_float) {
        return HLO_TYPE_COUNT;
    }
    uint32_t n = skip ? 1 : 0;
    for (uint32_t i = skip; i < name.len; i++) {
        char c = name.ptr[i];
        bool capital = c >= 'A' && c <= 'Z';
        if (!hlo_is_digit(c) && !(is_float && (capital || (i == 0 && c == 'f'))))
            return HLO_TYPE_COUNT;
        has_capital |= capital;
        lower[n++] = capital ? (char)(c | 0x20) : c;
    }
    hlo_type type = hlo_type_from_text(lower, n);
    if (type == HLO_TYPE_COUNT || !hlo_type_is_array(type)) return HLO_TYPE_COUNT;
    bool is_small = is_float && hlo_types[type].bits < 16;
    return is_small == has_capital ? type : HLO_TYPE_COUNT;
}

static void print_element(hlo_buf *to, hlo_type type) {
    const hlo_type_info *info = &hlo_types[type];
    switch (info->class) {
    case HLO_CLASS_PRED: hlo_buf_cstr(to, "i1"); return;
    case HLO_CLASS_SIGNED: hlo_buf_printf(to, "i%u", info->bits); return;
    case HLO_CLASS_UNSIGNED: hlo_buf_printf(to, "ui%u", info->bits); return;
    case HLO_CLASS_COMPLEX: hlo_buf_printf(to, "complex<f%u>", info->bits / 2); return;
    default: break;
    }
    for (const char *c = info->text; *c; c++) {
        bool capital = info->bits < 16 && c > info->text && *c >= 'a' && *c <= 'z';
        hlo_buf_char(to, capital ? (char)(*c & ~0x20) : *c);
    }
}

static void print_list(hlo_buf *to, const hlo_mlir_type *const *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) hlo_buf_cstr(to, ", ");
        hlo_mlir_print_type(to, v[i]);
    }
}

static void print_array(hlo_buf *to, const hlo_mlir_type *type) {
    hlo_buf_cstr(to, type->kind == HLO_MLIR_BUFFER ? "memref<" : "tensor<");
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] == HLO_UNBOUNDED) hlo_buf_cstr(to, "?x");
        else hlo_buf_printf(to, "%lldx", (long long)type->dims[i]);
    }
    if (type->other) hlo_mlir_print_type(to, type->other);
    else print_element(to, type->element);
    if (type->bounds) {
        hlo_buf_cstr(to, ", #stablehlo.bounds<");
        for (uint32_t i = 0; i < type->rank; i++) {
            if (i) hlo_buf_cstr(to, ", ");
            if (type->bounds[i] == HLO_UNBOUNDED) hlo_buf_char(to, '?');
            else hlo_buf_printf(to, "%lld", (long long)type->bounds[i]);
        }
        hlo_buf_char(to, '>');
    }
    hlo_buf_char(to, '>');
}

static void print_function(hlo_buf *to, const hlo_mlir_type *type) {
    uint32_t results = type->part_count - type->inputs;
    const hlo_mlir_type *const *first = type->parts + type->inputs;
    bool bare = results == 1 && first[0]->kind != HLO_MLIR_FUNCTION;
    hlo_buf_char(to, '(');
    print_list(to, type->parts, type->inputs);
    hlo_buf_cstr(to, bare ? ") -> " : ") -> (");
    print_list(to, first, results);
    if (!bare) hlo_buf_char(to, ')');
}

void hlo_mlir_print_type(hlo_buf *to, const hlo_mlir_type *type) {
    switch (type->kind) {
    case HLO_MLIR_SCALAR: print_element(to, type->element); return;
    case HLO_MLIR_TENSOR:
    case HLO_MLIR_BUFFER: print_array(to, type); return;
    case HLO_MLIR_FUNCTION: print_function(to, type); return;
    case HLO_MLIR_TOKEN: hlo_buf_cstr(to, "!stablehlo.token"); return;
    case HLO_MLIR_TUPLE:
    case HLO_MLIR_FUTURE:
    case HLO_MLIR_BUNDLE:
        hlo_buf_cstr(to, type->kind == HLO_MLIR_TUPLE    ? "tuple<"
                         : type->kind == HLO_MLIR_FUTURE ? "!stablehlo.future<"
                                                         : "!mhlo.async_bundle<");
        print_list(to, type->parts, type->part_count);
        hlo_buf_char(to, '>');
        return;
    case HLO_MLIR_OTHER: hlo_buf_bytes(to, type->text.ptr, type->text.len); return;
    }
}

static uint64_t hash_of(const hlo_mlir_type *type) {
    uint64_t h = hlo_hash_mix(type->kind, (uint64_t)type->element << 32 | type->rank);
    if (type->rank)
        h = hlo_hash_mix(h, hlo_hash_bytes(type->dims, type->rank * sizeof *type->dims));
    h = hlo_hash_mix(h, (uint64_t)type->part_count << 32 | type->inputs);
    for (uint32_t i = 0; i < type->part_count; i++) h = hlo_hash_pointer(type->parts[i], h);
    h = hlo_hash_pointer(type->other, h);
    if (type->kind == HLO_MLIR_OTHER)
        h = hlo_hash_mix(h, hlo_hash_bytes(type->text.ptr, type->text.len));
    return h;
}

static bool same_numbers(const int64_t *a, const int64_t *b, uint32_t n) {
    if (!a || !b) return a == b;
    return !n || memcmp(a, b, n * sizeof *a) == 0;
}

static bool is_same(const hlo_mlir_type *a, const hlo_mlir_type *b) {
    if (a->kind != b->kind || a->element != b->element || a->other != b->other ||
        a->rank != b->rank)
        return false;
    if (a->part_count != b->part_count || a->inputs != b->inputs) return false;
    if (a->rank &&
        (!same_numbers(a->dims, b->dims, a->rank) || !same_numbers(a->bounds, b->bounds, a->rank)))
        return false;
    if (a->part_count && memcmp(a->parts, b->parts, a->part_count * sizeof *a->parts) != 0)
        return false;
    return a->kind != HLO_MLIR_OTHER || hlo_str_equal(a->text, b->text);
}

static hlo_str copy_text(hlo_arena *arena, const char *text, size_t n) {
    return (hlo_str){hlo_arena_copy(arena, text, n), (uint32_t)n, 0};
}

static bool has_no_elements(const hlo_mlir_type *type) {
    bool any = false;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] == HLO_UNBOUNDED) return false;
        any |= !type->dims[i];
    }
    return any && type->kind == HLO_MLIR_TENSOR && !type->other;
}

const hlo_mlir_type *hlo_mlir_type_of(hlo_mlir_module *module, const hlo_mlir_type *type) {
    uint32_t hash = (uint32_t)hash_of(type);
    hlo_hash_each (number, &module->types_by_hash, hash)
        if (is_same(module->types.v[number - 1], type)) return module->types.v[number - 1];
    hlo_arena *arena = &module->arena;
    hlo_mlir_type *made = hlo_arena_copy(arena, type, sizeof *type);
    made->made = NULL;
    made->is_empty = has_no_elements(type);
    if (type->rank) made->dims = hlo_arena_copy(arena, type->dims, type->rank * sizeof *type->dims);
    if (type->bounds)
        made->bounds = hlo_arena_copy(arena, type->bounds, type->rank * sizeof *type->bounds);
    if (type->part_count)
        made->parts = hlo_arena_copy(arena, type->parts, type->part_count * sizeof *type->parts);
    if (type->text.len) {
        made->text = copy_text(arena, type->text.ptr, type->text.len);
    } else {
        hlo_buf text = HLO_BUF_INIT;
        hlo_mlir_print_type(&text, made);
        made->text = copy_text(arena, text.data, text.len);
        hlo_buf_free(&text);
    }
    hlo_list_push(&module->types, made);
    hlo_hash_add(&module->types_by_hash, hash, module->types.n);
    return made;
}

/* ---- operations ---- */

static void link_op(hlo_mlir_op *op, hlo_mlir_block *block, hlo_mlir_op *before) {
    HLO_ASSERT(!before || before->block == block);
    op->block = block;
    op->next = before;
    op->prev = before ? before->prev : block->last;
    if (op->prev) op->prev->next = op;
    else block->first = op;
    if (before) before->prev = op;
    else block->last = op;
}

void hlo_mlir_append(hlo_mlir_op *op, hlo_mlir_block *block) {
    HLO_ASSERT(!op->block);
    link_op(op, block, NULL);
}

hlo_mlir_op *hlo_mlir_op_new(hlo_mlir_module *module, hlo_mlir_block *block, hlo_mlir_op *before,
                             hlo_str name, uint32_t operands, uint32_t results, uint32_t attrs,
                             uint32_t regions) {
    return hlo_mlir_op_new_as(module, block, before, hlo_mlir_op_from_name(name), name, operands,
                              results, attrs, regions);
}

/* One block of memory for all of it. */
hlo_mlir_op *hlo_mlir_op_new_as(hlo_mlir_module *module, hlo_mlir_block *block, hlo_mlir_op *before,
                                hlo_mlir_op_id id, hlo_str name, uint32_t operands,
                                uint32_t results, uint32_t attrs, uint32_t regions) {
    size_t bytes = sizeof(hlo_mlir_op) + results * sizeof(hlo_mlir_value) +
                   operands * sizeof(hlo_mlir_use) + attrs * sizeof(hlo_mlir_named) +
                   regions * sizeof(hlo_mlir_region);
    hlo_mlir_op *op = hlo_arena_zero(&module->arena, bytes);
    op->name = name;
    op->id = id;
    op->operand_count = operands;
    op->result_count = results;
    op->attr_count = attrs;
    op->region_count = regions;
    op->results = (hlo_mlir_value *)(op + 1);
    op->operands = (hlo_mlir_use *)(op->results + results);
    op->attrs = (hlo_mlir_named *)(op->operands + operands);
    op->regions = (hlo_mlir_region *)(op->attrs + attrs);
    module->made[id]++;
    module->with_regions +=
        regions && id != HLO_MLIR_OP_FUNC_FUNC && id != HLO_MLIR_OP_BUILTIN_MODULE;
    for (uint32_t i = 0; i < results; i++) {
        op->results[i].op = op;
        op->results[i].index = i;
    }
    for (uint32_t i = 0; i < regions; i++) op->regions[i].op = op;
    if (block) link_op(op, block, before);
    return op;
}

static void unlink_use(hlo_mlir_use *use) {
    HLO_ASSERT(*use->back == use);
    *use->back = use->next;
    if (use->next) use->next->back = use->back;
    use->value = NULL;
}

static void link_use(hlo_mlir_use *use, hlo_mlir_value *value) {
    use->value = value;
    use->next = value->first_use;
    use->back = &value->first_use;
    if (use->next) use->next->back = &use->next;
    value->first_use = use;
}

void hlo_mlir_set_operand(hlo_mlir_op *op, uint32_t i, hlo_mlir_value *value) {
    HLO_ASSERT(i < op->operand_count);
    hlo_mlir_use *use = &op->operands[i];
    if (use->value) unlink_use(use);
    use->user = op;
    if (value) link_use(use, value);
}

void hlo_mlir_replace_uses(hlo_mlir_value *old, hlo_mlir_value *value) {
    HLO_ASSERT(old != value);
    while (old->first_use) {
        hlo_mlir_use *use = old->first_use;
        unlink_use(use);
        link_use(use, value);
    }
}

static void unlink_op(hlo_mlir_op *op) {
    HLO_ASSERT(op->block);
    if (op->prev) op->prev->next = op->next;
    else op->block->first = op->next;
    if (op->next) op->next->prev = op->prev;
    else op->block->last = op->prev;
    op->block = NULL;
    op->prev = op->next = NULL;
}

void hlo_mlir_remove(hlo_mlir_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++) HLO_ASSERT(!op->results[i].first_use);
    for (uint32_t i = 0; i < op->operand_count; i++) hlo_mlir_set_operand(op, i, NULL);
    unlink_op(op);
}

void hlo_mlir_move(hlo_mlir_op *op, hlo_mlir_block *block, hlo_mlir_op *before) {
    HLO_ASSERT(op != before);
    unlink_op(op);
    link_op(op, block, before);
}

void hlo_mlir_set_attr(hlo_mlir_module *module, hlo_mlir_op *op, const char *name,
                       const hlo_mlir_attr *value) {
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (!hlo_str_is(op->attrs[i].key, name)) continue;
        op->attrs[i].value = value;
        return;
    }
    hlo_mlir_named *attrs = HLO_NEW_ARRAY(&module->arena, hlo_mlir_named, op->attr_count + 1);
    if (op->attr_count) memcpy(attrs, op->attrs, op->attr_count * sizeof *attrs);
    attrs[op->attr_count++] = (hlo_mlir_named){hlo_str_from(name), value, 0};
    op->attrs = attrs;
}

hlo_mlir_block *hlo_mlir_block_new(hlo_mlir_module *module, hlo_mlir_region *region,
                                   uint32_t arguments) {
    hlo_mlir_block *block = HLO_NEW(&module->arena, hlo_mlir_block);
    block->region = region;
    block->argument_count = arguments;
    if (arguments) block->arguments = HLO_NEW_ARRAY(&module->arena, hlo_mlir_value, arguments);
    for (uint32_t i = 0; i < arguments; i++) {
        block->arguments[i].block = block;
        block->arguments[i].index = i;
    }
    if (region->last) region->last->next = block;
    else region->first = block;
    region->last = block;
    return block;
}

/* ---- asking ---- */

const hlo_mlir_attr *hlo_mlir_attr_named(const hlo_mlir_op *op, hlo_str name) {
    for (uint32_t i = 0; i < op->attr_count; i++) {
        hlo_str key = op->attrs[i].key;
        if (key.len == name.len && hlo_same_bytes(key.ptr, name.ptr, name.len))
            return op->attrs[i].value;
    }
    return NULL;
}

const hlo_mlir_attr *hlo_mlir_member(const hlo_mlir_attr *attr, const char *key) {
    for (uint32_t i = 0; attr && i < attr->list.n; i++)
        if (hlo_str_is(attr->list.v[i].key, key)) return attr->list.v[i].value;
    return NULL;
}

static int64_t element_as_int(hlo_type type, const void *element) {
    switch (type) {
    case HLO_S8: return *(const int8_t *)element;
    case HLO_S16: return *(const int16_t *)element;
    case HLO_S32: return *(const int32_t *)element;
    case HLO_S64:
    case HLO_U64: return *(const int64_t *)element;
    case HLO_U16: return *(const uint16_t *)element;
    case HLO_U32: return *(const uint32_t *)element;
    default: return *(const uint8_t *)element; /* pred, u8, and signed types below a byte */
    }
}

static bool dense_ints(hlo_mlir_module *module, const hlo_mlir_attr *attr, uint32_t *n,
                       const int64_t **v) {
    const hlo_literal *literal = attr->literal;
    if (!literal || attr->type->kind != HLO_MLIR_TENSOR) return false;
    hlo_type type = (hlo_type)literal->shape->type;
    if (!hlo_type_is_integral(type) && type != HLO_PRED) return false;
    int64_t count = 1;
    for (uint32_t i = 0; i < attr->type->rank; i++) count *= attr->type->dims[i];
    enum { MOST_OF_SPLAT = 1 << 12 }; /* of one element a text makes any number */
    if (count > UINT32_MAX || (attr->is_splat && count > MOST_OF_SPLAT)) return false;
    int64_t *out = HLO_NEW_ARRAY(&module->arena, int64_t, count);
    const char *data = hlo_literal_data(literal);
    size_t step = attr->is_splat ? 0 : hlo_types[type].bytes;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = element_as_int(type, data + (size_t)i * step);
        out[i] = hlo_types[type].bits < 8 && hlo_types[type].class == HLO_CLASS_SIGNED
                     ? (int8_t)value
                     : value;
    }
    *n = (uint32_t)count;
    *v = out;
    return true;
}

static bool listed_ints(hlo_mlir_module *module, const hlo_mlir_attr *attr, uint32_t *n,
                        const int64_t **v) {
    int64_t *out = HLO_NEW_ARRAY(&module->arena, int64_t, attr->list.n);
    for (uint32_t i = 0; i < attr->list.n; i++) {
        const hlo_mlir_attr *element = attr->list.v[i].value;
        if (element->kind != HLO_MLIR_INT && element->kind != HLO_MLIR_BOOL) return false;
        out[i] = hlo_mlir_int_of(element);
    }
    *n = attr->list.n;
    *v = out;
    return true;
}

bool hlo_mlir_ints(hlo_mlir_module *module, const hlo_mlir_attr *attr, uint32_t *n,
                   const int64_t **v) {
    if (!attr) return false;
    switch (attr->kind) {
    case HLO_MLIR_INTS:
        *n = attr->u.ints.n;
        *v = attr->u.ints.v;
        return true;
    case HLO_MLIR_LIST: return listed_ints(module, attr, n, v);
    case HLO_MLIR_DENSE: return dense_ints(module, attr, n, v);
    default: return false;
    }
}
