/* New instructions for rewrites: see emit.h. */
#include "passes/pipeline/emit.h"

#include "form/form.h"
#include "ir/float_types.h"

/* ---- names ---- */

static hlo_name *numbered_name(hlo_rewriter *r, hlo_opcode opcode, uint32_t number) {
    HLO_ASSERT(opcode < HLO_OP_COUNT);
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_cstr(&text, hlo_ops[opcode].text);
    if (number) hlo_buf_printf(&text, ".%u", number);
    hlo_name *name = hlo_module_intern_copy(r->module, (hlo_str){text.data, (uint32_t)text.len, 0});
    hlo_buf_free(&text);
    return name;
}

/* A number that is free, after one that is taken. Those of earlier passes stand one after the
 * other: halving finds their end without trying each. */
static uint32_t number_after(hlo_rewriter *r, hlo_opcode opcode, uint32_t taken) {
    uint32_t step = 1;
    while (numbered_name(r, opcode, taken + step)->uses) {
        taken += step;
        step *= 2;
    }
    for (step /= 2; step; step /= 2)
        if (numbered_name(r, opcode, taken + step)->uses) taken += step;
    return taken + 1;
}

/* `add`, `add.1`, ... */
static hlo_name *fresh_name(hlo_rewriter *r, hlo_opcode opcode) {
    uint32_t *next = &r->next_number[opcode];
    hlo_name *name = numbered_name(r, opcode, *next);
    if (name->uses) {
        *next = number_after(r, opcode, *next);
        name = numbered_name(r, opcode, *next);
    }
    HLO_ASSERT(!name->uses);
    ++*next;
    name->uses = 1;
    return name;
}

/* ---- places ---- */

hlo_instr *hlo_open_end(hlo_rewriter *r, hlo_computation *c) {
    hlo_instr *place = hlo_instr_new(c, HLO_OP_TUPLE, hlo_shape_tuple(&r->module->shapes, NULL, 0),
                                     hlo_fresh_name(r->module, "place"), NULL, 0, NULL, 0);
    r->target = place;
    return place;
}

void hlo_close_end(hlo_instr *place) {
    HLO_ASSERT(!place->first_use);
    hlo_instr_remove(place);
    place->parent = NULL;
}

/* ---- any instruction ---- */

/* Attributes that the form of an opcode adds are added to those that are given. */
enum { FEW_ATTRS = 16 };

hlo_instr *hlo_emit(hlo_rewriter *r, hlo_opcode opcode, const hlo_shape *shape,
                    hlo_instr *const *operands, uint32_t operand_count, const hlo_attr *attrs,
                    uint32_t attr_count) {
    HLO_ASSERT(opcode < HLO_OP_COUNT && r->target && r->target->parent);
    hlo_attr space[FEW_ATTRS];
    hlo_draft draft = {.computation = r->target->parent,
                       .name = fresh_name(r, opcode),
                       .opcode = opcode,
                       .shape = shape,
                       .operands = operands,
                       .operand_count = operand_count,
                       .attrs = space,
                       .attr_capacity = FEW_ATTRS,
                       .diags = &r->refusals};
    for (uint32_t i = 0; i < attr_count; i++) hlo_draft_add(&draft, attrs[i]);
    hlo_form_complete(&draft);
    hlo_instr *instr = hlo_draft_make(&draft);
    HLO_ASSERT(instr->parent == r->target->parent);
    hlo_instr_move_before(instr, r->target);
    hlo_list_push(&r->fresh, instr);
    return instr;
}

hlo_instr *hlo_emit_unary(hlo_rewriter *r, hlo_opcode opcode, const hlo_shape *shape,
                          hlo_instr *a) {
    return hlo_emit(r, opcode, shape, &a, 1, NULL, 0);
}

hlo_instr *hlo_emit_binary(hlo_rewriter *r, hlo_opcode opcode, const hlo_shape *shape, hlo_instr *a,
                           hlo_instr *b) {
    return hlo_emit(r, opcode, shape, (hlo_instr *[]){a, b}, 2, NULL, 0);
}

hlo_instr *hlo_emit_like(hlo_rewriter *r, const hlo_instr *like, const hlo_shape *shape,
                         hlo_instr *const *operands, uint32_t count) {
    hlo_attr *attrs = hlo_malloc((like->attr_count + 1u) * sizeof *attrs);
    uint32_t n = 0;
    for (uint32_t i = 0; i < like->attr_count; i++) {
        uint16_t id = like->attrs[i].id;
        if (id != HLO_ATTR_SHARDING && id != HLO_ATTR_ORIGIN && id != HLO_ATTR_CONTROL_PREDECESSORS)
            attrs[n++] = like->attrs[i];
    }
    hlo_instr *copy = hlo_emit(r, (hlo_opcode)like->opcode, shape, operands, count, attrs, n);
    hlo_free(attrs);
    return copy;
}

hlo_instr *hlo_emit_with_operand(hlo_rewriter *r, const hlo_instr *like, uint32_t number,
                                 hlo_instr *operand) {
    hlo_instr **operands = hlo_malloc(like->operand_count * sizeof *operands);
    for (uint32_t i = 0; i < like->operand_count; i++)
        operands[i] = i == number ? operand : hlo_operand(like, i);
    hlo_instr *copy = hlo_emit_like(r, like, like->shape, operands, like->operand_count);
    HLO_ASSERT(number < like->operand_count);
    hlo_free(operands);
    return copy;
}

void hlo_set_called(hlo_rewriter *r, hlo_instr *instr, hlo_computation *const *called) {
    hlo_arena *arena = &r->module->arena;
    for (uint32_t a = 0; a < instr->attr_count; a++) {
        hlo_attr *attr = &instr->attrs[a];
        if (hlo_attr_table[attr->id].kind == HLO_KIND_COMPUTATION) {
            bool is_second =
                attr->id == HLO_ATTR_CONDITION || attr->id == HLO_ATTR_FALSE_COMPUTATION;
            attr->u.computation = called[is_second];
        } else if (hlo_attr_table[attr->id].kind == HLO_KIND_COMPUTATIONS) {
            const hlo_computations *old = attr->u.computations;
            hlo_computations *list =
                hlo_arena_copy(arena, old, sizeof *old + old->n * sizeof old->v[0]);
            for (uint32_t i = 0; i < list->n; i++) list->v[i] = called[i];
            attr->u.computations = list;
        }
    }
}

/* ---- constants ---- */

hlo_instr *hlo_emit_constant(hlo_rewriter *r, const hlo_literal *literal) {
    HLO_ASSERT(literal->shape && (literal->data || literal->implied || literal->elements ||
                                  hlo_shape_bytes(literal->shape) <= 0));
    hlo_attr value = {.id = HLO_ATTR_VALUE, .u.literal = literal};
    return hlo_emit(r, HLO_OP_CONSTANT, literal->shape, NULL, 0, &value, 1);
}

hlo_instr *hlo_emit_filled_with(hlo_rewriter *r, const hlo_shape *shape, const void *element) {
    HLO_ASSERT(hlo_shape_is_array(shape));
    hlo_type type = (hlo_type)shape->type;
    const hlo_shape *scalar = shape->rank ? hlo_shape_scalar(&r->module->shapes, type) : shape;
    hlo_literal *literal = hlo_literal_new(&r->module->arena, scalar);
    memcpy(literal->data, element, hlo_types[type].bytes);
    hlo_elements_normalise(type, literal->data, 1); /* 1 is -1 in s1 */
    hlo_instr *constant = hlo_emit_constant(r, literal);
    return shape->rank ? hlo_emit_broadcast(r, shape, constant, NULL, 0) : constant;
}

hlo_instr *hlo_emit_filled(hlo_rewriter *r, const hlo_shape *shape, int64_t value) {
    hlo_type type = (hlo_type)shape->type, part = hlo_type_part(type);
    uint64_t element[2] = {0, 0};
    bool is_float = hlo_type_is_float(part);
    uint64_t bits = is_float ? hlo_float_encode(part, (double)value) : (uint64_t)value;
    hlo_set_element_bits(element, hlo_types[part].bytes, bits);
    return hlo_emit_filled_with(r, shape, element);
}

/* ---- attributes ---- */

hlo_attr hlo_attr_of_ints(hlo_rewriter *r, hlo_attr_id id, const int64_t *v, uint32_t n) {
    HLO_ASSERT(hlo_attr_is_integers(id));
    return (hlo_attr){.id = (uint16_t)id, .u.ints = hlo_ints_from(&r->module->arena, v, n)};
}

hlo_attr hlo_attr_of_int(hlo_attr_id id, int64_t value) {
    HLO_ASSERT(hlo_attr_is_integer(id));
    return (hlo_attr){.id = (uint16_t)id, .u.i = value};
}

hlo_slice *hlo_new_slice(hlo_rewriter *r, uint32_t n) {
    hlo_slice *slice = hlo_arena_zero(&r->module->arena, sizeof *slice + n * sizeof slice->v[0]);
    slice->n = n;
    return slice;
}

hlo_slice *hlo_new_whole_slice(hlo_rewriter *r, const hlo_shape *of) {
    hlo_slice *slice = hlo_new_slice(r, of->rank);
    for (uint32_t i = 0; i < of->rank; i++) {
        slice->v[i].limit = of->dims[i];
        slice->v[i].stride = 1;
    }
    return slice;
}

hlo_padding *hlo_new_padding(hlo_rewriter *r, uint32_t n) {
    hlo_padding *padding =
        hlo_arena_zero(&r->module->arena, sizeof *padding + n * sizeof padding->v[0]);
    padding->n = n;
    return padding;
}

/* ---- one operation each ---- */

hlo_instr *hlo_emit_broadcast(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *operand,
                              const int64_t *dimensions, uint32_t n) {
    hlo_attr dims = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, dimensions, n);
    return hlo_emit(r, HLO_OP_BROADCAST, shape, &operand, 1, &dims, 1);
}

hlo_instr *hlo_emit_transpose(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *operand,
                              const int64_t *dimensions) {
    hlo_attr dims = hlo_attr_of_ints(r, HLO_ATTR_DIMENSIONS, dimensions, shape->rank);
    return hlo_emit(r, HLO_OP_TRANSPOSE, shape, &operand, 1, &dims, 1);
}

hlo_instr *hlo_emit_slice(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *operand,
                          const hlo_slice *slice) {
    hlo_attr ranges = {.id = HLO_ATTR_SLICE, .u.slice = slice};
    return hlo_emit(r, HLO_OP_SLICE, shape, &operand, 1, &ranges, 1);
}

hlo_instr *hlo_emit_part_before(hlo_rewriter *r, const hlo_instr *update) {
    HLO_ASSERT(update->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE && update->operand_count >= 2);
    const hlo_shape *shape = hlo_operand(update, 1)->shape;
    uint32_t n = update->operand_count - 1u;
    hlo_instr **operands = hlo_malloc(n * sizeof *operands);
    operands[0] = hlo_operand(update, 0);
    for (uint32_t i = 1; i < n; i++) operands[i] = hlo_operand(update, i + 1);
    hlo_attr sizes = hlo_attr_of_ints(r, HLO_ATTR_DYNAMIC_SLICE_SIZES, shape->dims, shape->rank);
    hlo_instr *slice = hlo_emit(r, HLO_OP_DYNAMIC_SLICE, shape, operands, n, &sizes, 1);
    hlo_free(operands);
    return slice;
}

hlo_instr *hlo_emit_reduce(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *operand,
                           hlo_instr *init, const hlo_ints *dimensions, hlo_computation *reducer) {
    hlo_attr attrs[] = {{.id = HLO_ATTR_DIMENSIONS, .u.ints = dimensions},
                        {.id = HLO_ATTR_TO_APPLY, .u.computation = reducer}};
    return hlo_emit(r, HLO_OP_REDUCE, shape, (hlo_instr *[]){operand, init}, 2, attrs, 2);
}

hlo_instr *hlo_emit_element(hlo_rewriter *r, hlo_instr *tuple, int64_t index) {
    HLO_ASSERT(hlo_shape_is_tuple(tuple->shape) && index >= 0 && index < tuple->shape->rank);
    hlo_attr number = hlo_attr_of_int(HLO_ATTR_INDEX, index);
    return hlo_emit(r, HLO_OP_GET_TUPLE_ELEMENT, tuple->shape->elements[index], &tuple, 1, &number,
                    1);
}

hlo_instr *hlo_emit_tuple(hlo_rewriter *r, hlo_instr *const *operands, uint32_t n) {
    const hlo_shape **shapes = hlo_malloc((n + 1) * sizeof *shapes);
    for (uint32_t i = 0; i < n; i++) shapes[i] = operands[i]->shape;
    const hlo_shape *shape = hlo_shape_tuple(&r->module->shapes, shapes, n);
    hlo_free(shapes);
    return hlo_emit(r, HLO_OP_TUPLE, shape, operands, n, NULL, 0);
}

bool hlo_shape_has_other_order(const hlo_shape *a, const hlo_shape *b) {
    size_t bytes = a->rank * sizeof a->layout->minor_to_major[0];
    return hlo_shape_is_array(a) && hlo_shape_compatible(a, b) && a->layout != b->layout &&
           memcmp(a->layout->minor_to_major, b->layout->minor_to_major, bytes) != 0;
}

hlo_instr *hlo_emit_laid_out(hlo_rewriter *r, hlo_instr *value, const hlo_shape *like) {
    const hlo_shape *has = value->shape;
    if (!hlo_shape_has_other_order(has, like)) return value;
    const hlo_shape *shape =
        hlo_shape_array(&r->module->shapes, (hlo_type)has->type, has->dims, has->rank,
                        has->is_dynamic, like->layout->minor_to_major, like->layout->parts);
    return hlo_emit_unary(r, HLO_OP_COPY, shape, value);
}

hlo_instr *hlo_emit_as_read(hlo_rewriter *r, const hlo_instr *reader, uint32_t i,
                            hlo_instr *value) {
    HLO_ASSERT(i < reader->operand_count);
    const hlo_shape *wanted = hlo_operand(reader, i)->shape;
    return reader->opcode == HLO_OP_BITCAST ? hlo_emit_laid_out(r, value, wanted) : value;
}

hlo_instr *hlo_emit_compare(hlo_rewriter *r, const hlo_shape *shape, hlo_instr *a, hlo_instr *b,
                            const char *direction) {
    const hlo_word_info *word = hlo_word_find(HLO_WORDS_DIRECTION, hlo_str_from(direction));
    HLO_ASSERT(word);
    hlo_attr attr = hlo_attr_of_int(HLO_ATTR_DIRECTION, word->number);
    return hlo_emit(r, HLO_OP_COMPARE, shape, (hlo_instr *[]){a, b}, 2, &attr, 1);
}

const hlo_shape *hlo_shape_of_sizes(hlo_rewriter *r, hlo_type type, const int64_t *sizes,
                                    uint32_t rank) {
    return hlo_shape_array(&r->module->shapes, type, sizes, rank, NULL, NULL, NULL);
}
