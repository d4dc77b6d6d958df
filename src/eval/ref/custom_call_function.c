/* Custom calls of C functions that the host provides: arguments and results as trees of pointers in
 * the order of their layouts, and XLA's conventions for passing them. Called by custom_call.c. */
#include "eval/eval.h"
#include "eval/ref/custom_call_function.h"

#include "eval/ref/dynamic.h"
#include "eval/ref/strides.h"
#include "ir/literal.h"

/* The numbers of words.def. */
enum { ORIGINAL = 1, STATUS_RETURNING, STATUS_RETURNING_UNIFIED, TYPED_FFI };

struct XlaCustomCallStatus_ {
    bool has_failed;
    hlo_buf message;
};

void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus *status) {
    status->has_failed = false;
}

void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *status, const char *message,
                                   size_t message_len) {
    status->has_failed = true;
    status->message.len = 0;
    HLO_API_CALL(NULL) return;
    if (message) hlo_buf_bytes(&status->message, message, strnlen(message, message_len));
}

static int convention_of(const hlo_instr *instr) {
    const hlo_attr *version = hlo_instr_attr(instr, HLO_ATTR_API_VERSION);
    return version ? (int)version->u.i : ORIGINAL;
}

const char *hlo_function_problem(const hlo_instr *instr) {
    if (convention_of(instr) != TYPED_FFI) return NULL;
    return "is to be called by API_VERSION_TYPED_FFI; functions of a library are called by the "
           "versions before it";
}

/* ---- arrays in the order of their layout ---- */

/* Copies element by element: to the order of the layout, or from it. */
static void reorder(const hlo_shape *shape, const char *from, char *to, bool to_layout) {
    int64_t count = hlo_shape_elements(shape);
    size_t bytes = hlo_types[shape->type].bytes;
    for (int64_t i = 0; i < count; i++) {
        size_t physical = (size_t)i * bytes;
        size_t logical = (size_t)hlo_literal_logical_index(shape, i) * bytes;
        memcpy(to + (to_layout ? physical : logical), from + (to_layout ? logical : physical),
               bytes);
    }
}

static bool has_bytes(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) && hlo_shape_bytes(shape) > 0;
}

/* The address of an array as the function sees it; a copy when its layout is not the default. An
 * empty array has an address too. */
static void *array_address(hlo_arena *arena, const hlo_value *value, const hlo_shape *layout) {
    if (!has_bytes(value->shape)) return hlo_arena_alloc(arena, 1);
    if (layout->plain_layout) return value->data;
    char *copy = hlo_arena_aligned(arena, (size_t)hlo_shape_bytes(layout), 64);
    reorder(layout, value->data, copy, true);
    return copy;
}

/* What stands for a value in `in` or for the result: its array, for a tuple the addresses of its
 * elements, NULL for a token. */
static void *address_of(hlo_arena *arena, const hlo_value *value, const hlo_shape *layout) {
    if (hlo_shape_is_array(value->shape)) return array_address(arena, value, layout);
    if (!value->elements) return NULL;
    uint32_t count = value->shape->rank;
    void **addresses = HLO_NEW_ARRAY(arena, void *, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = address_of(arena, value->elements[i], layout->elements[i]);
    return addresses;
}

/* The results that the function wrote in the order of their layout. */
static void take_result(const hlo_value *value, void *address) {
    const hlo_shape *shape = value->shape;
    for (uint32_t i = 0; value->elements && i < shape->rank; i++)
        take_result(value->elements[i], ((void **)address)[i]);
    if (!has_bytes(shape)) return;
    if (address != value->data) reorder(shape, address, value->data, false);
    hlo_elements_normalise((hlo_type)shape->type, value->data, hlo_shape_elements(shape));
}

/* ---- results that share the memory of an operand ---- */

/* Where the address of the element stands; its shape goes to *shape. NULL: there is no such one. */
static void **element_place(void **place, const hlo_shape **shape, const hlo_ints *index) {
    for (uint32_t i = 0; index && i < index->n; i++) {
        int64_t element = index->v[i];
        if (!hlo_shape_is_tuple(*shape) || element < 0 || element >= (*shape)->rank) return NULL;
        place = (void **)*place + element;
        *shape = (*shape)->elements[element];
    }
    return place;
}

/* output_to_operand_aliasing: the result starts as the operand, and both have one address. */
static void share_memory(const hlo_instr *instr, void **in, void **out) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    for (uint32_t i = 0; attr && i < attr->u.aliasing->n; i++) {
        int64_t number = attr->u.aliasing->v[i].parameter;
        if (number < 0 || number >= instr->operand_count) continue;
        const hlo_shape *result = instr->shape,
                        *operand = hlo_operand(instr, (uint32_t)number)->shape;
        void **to = element_place(out, &result, attr->u.aliasing->v[i].output);
        void **from = element_place(&in[number], &operand, attr->u.aliasing->v[i].index);
        if (!to || !from || !hlo_shape_compatible(result, operand) || !has_bytes(result)) continue;
        memcpy(*to, *from, (size_t)hlo_shape_bytes(result));
        *from = *to;
    }
}

/* ---- the call ---- */

static void call_function(hlo_function *function, const hlo_instr *instr, void *out,
                          const void **in, XlaCustomCallStatus *status) {
    typedef void original(void *, const void **);
    typedef void returning(void *, const void **, XlaCustomCallStatus *);
    typedef void unified(void *, const void **, const char *, size_t, XlaCustomCallStatus *);
    const hlo_attr *config = hlo_instr_attr(instr, HLO_ATTR_BACKEND_CONFIG);
    hlo_str opaque = config ? *config->u.string : HLO_STR("");
    switch (convention_of(instr)) {
    case STATUS_RETURNING: ((returning *)function)(out, in, status); break;
    case STATUS_RETURNING_UNIFIED:
        ((unified *)function)(out, in, opaque.ptr, opaque.len, status);
        break;
    default: ((original *)function)(out, in);
    }
}

static void free_message(void *status) {
    hlo_buf_free(&((XlaCustomCallStatus *)status)->message);
}

hlo_value *hlo_call_function(hlo_eval *eval, const hlo_instr *instr, hlo_value *const *args,
                             hlo_function *function) {
    if (!hlo_operands_are_full(eval->call)) return NULL;
    hlo_value *result = hlo_value_zeros(instr->shape);
    if (!result) return NULL;
    const hlo_attr *layouts = hlo_instr_attr(instr, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS);
    uint32_t count = instr->operand_count;
    hlo_arena arena;
    hlo_arena_init(&arena);
    void **in = HLO_NEW_ARRAY(&arena, void *, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        in[i] = address_of(&arena, args[i],
                           layouts && i < layouts->u.shapes->n ? layouts->u.shapes->v[i]
                                                               : hlo_operand(instr, i)->shape);
    void *out = address_of(&arena, result, instr->shape);
    share_memory(instr, in, &out);
    XlaCustomCallStatus status = {false, HLO_BUF_INIT};
    hlo_cleanup freeing;
    hlo_cleanup_add(&freeing, free_message, &status);
    hlo_unwind_state state = hlo_unwind_suspend();
    call_function(function, instr, out, (const void **)in, &status);
    hlo_unwind_resume(state);
    take_result(result, out);
    hlo_arena_free(&arena);
    if (status.has_failed) {
        hlo_eval_error(eval, instr, "has failed: %.*s", (int)status.message.len,
                       status.message.len ? status.message.data : "");
        hlo_value_release(result);
        result = NULL;
    }
    hlo_cleanup_remove(&freeing);
    hlo_buf_free(&status.message);
    return result;
}
