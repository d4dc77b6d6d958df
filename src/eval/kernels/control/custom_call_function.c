/* Custom calls of C functions that the host provides: arguments and results as trees of pointers in
 * the order of their layouts, and XLA's conventions for passing them. */
#include "eval/kernels/control/custom_call_function.h"

#include <hlo/engine.h>

#include "base/printable.h"
#include "eval/kernel/foreign.h"
#include "eval/kernel/kernel_device.h"
#include "eval/kernel/lanes.h"
#include "ir/literal.h"
#include "shape/verifier.h"

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
    return "has API_VERSION_TYPED_FFI; library functions are supported for earlier versions only";
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

/* What a call is known by before it runs. */
typedef struct {
    hlo_function *function;
    int convention;
    hlo_str opaque;
    const char *what; /* for messages */
    uint32_t operands;
    const hlo_shape **layouts; /* of the operands, as the function takes them */
    uint32_t shared;
    const struct shared_memory *memory;
    size_t in_at; /* in scratch memory: addresses of the operands */
} function_state;

/* ---- addresses ---- */

static bool has_bytes(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) && hlo_shape_bytes(shape) > 0;
}

static size_t rounded(size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/* How much scratch memory address_of takes for a value of the shape. */
static size_t address_bytes(const hlo_shape *shape, const hlo_shape *layout) {
    if (hlo_shape_is_array(shape)) {
        if (!has_bytes(shape)) return rounded(1);
        return layout->plain_layout ? 0 : rounded((size_t)hlo_shape_bytes(layout));
    }
    if (!hlo_shape_is_tuple(shape)) return 0;
    size_t bytes = rounded(((size_t)shape->rank + 1) * sizeof(void *));
    for (uint32_t i = 0; i < shape->rank; i++)
        bytes += address_bytes(shape->elements[i], layout->elements[i]);
    return bytes;
}

static void *take_bytes(char **scratch, size_t bytes) {
    void *taken = *scratch;
    *scratch += rounded(bytes);
    return taken;
}

/* The address of an array as the function sees it; a copy when its layout is not the default. An
 * empty array has an address too. */
static void *array_address(char **scratch, const hlo_value *value, const hlo_shape *layout) {
    if (!has_bytes(value->shape)) return take_bytes(scratch, 1);
    if (layout->plain_layout) return value->data;
    char *copy = take_bytes(scratch, (size_t)hlo_shape_bytes(layout));
    reorder(layout, value->data, copy, true);
    return copy;
}

/* What stands for a value in `in` or for the result: its array, for a tuple the addresses of its
 * elements, NULL for a token. Takes memory from *scratch. */
static void *address_of(char **scratch, const hlo_value *value, const hlo_shape *layout) {
    if (hlo_shape_is_array(value->shape)) return array_address(scratch, value, layout);
    if (!value->elements) return NULL;
    uint32_t count = value->shape->rank;
    void **addresses = take_bytes(scratch, ((size_t)count + 1) * sizeof *addresses);
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = address_of(scratch, value->elements[i], layout->elements[i]);
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

/* output_to_operand_aliasing: the result starts as the operand, and both have one address. */
struct shared_memory {
    uint32_t operand;
    size_t bytes;
    hlo_ints *from, *to; /* which elements of the operand and of the result, which are arrays */
};

/* The shape of the element; NULL: there is none. */
static const hlo_shape *element_shape(const hlo_shape *shape, const hlo_ints *index) {
    for (uint32_t i = 0; index && i < index->n; i++) {
        int64_t element = index->v[i];
        if (!hlo_shape_is_tuple(shape) || element < 0 || element >= shape->rank) return NULL;
        shape = shape->elements[element];
    }
    return shape;
}

static hlo_ints *copy_index(hlo_arena *arena, const hlo_ints *index) {
    size_t bytes = sizeof *index + (index ? index->n : 0) * sizeof *index->v;
    hlo_ints *copy = hlo_arena_alloc(arena, bytes);
    if (index) memcpy(copy, index, bytes);
    else copy->n = 0;
    return copy;
}

static void prepare_sharing(hlo_preparation *p, function_state *state) {
    const hlo_attr *attr = hlo_instr_attr(p->instr, HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING);
    uint32_t count = attr ? attr->u.aliasing->n : 0;
    struct shared_memory *memory = HLO_NEW_ARRAY(p->arena, struct shared_memory, count);
    state->memory = memory;
    for (uint32_t i = 0; i < count; i++) {
        int64_t number = attr->u.aliasing->v[i].parameter;
        const hlo_ints *to = attr->u.aliasing->v[i].output, *from = attr->u.aliasing->v[i].index;
        if (number < 0 || number >= p->instr->operand_count) continue;
        uint32_t operand = (uint32_t)number;
        const hlo_shape *result = element_shape(p->instr->shape, to);
        const hlo_shape *shape = element_shape(hlo_operand(p->instr, operand)->shape, from);
        if (!result || !shape || !hlo_shape_compatible(result, shape) || !has_bytes(result))
            continue;
        memory[state->shared++] =
            (struct shared_memory){operand, (size_t)hlo_shape_bytes(result),
                                   copy_index(p->arena, from), copy_index(p->arena, to)};
    }
}

/* Where the address of the element stands. */
static void **element_place(void **place, const hlo_ints *index) {
    for (uint32_t i = 0; i < index->n; i++) place = (void **)*place + index->v[i];
    return place;
}

static void share_memory(const function_state *state, void **in, void **out) {
    for (uint32_t i = 0; i < state->shared; i++) {
        const struct shared_memory *memory = &state->memory[i];
        void **to = element_place(out, memory->to);
        void **from = element_place(&in[memory->operand], memory->from);
        memcpy(*to, *from, memory->bytes);
        *from = *to;
    }
}

/* ---- the call ---- */

static hlo_str copy_opaque(hlo_preparation *p) {
    const hlo_attr *config = hlo_instr_attr(p->instr, HLO_ATTR_BACKEND_CONFIG);
    if (!config) return HLO_STR("");
    hlo_str text = *config->u.string;
    text.ptr = hlo_arena_copy(p->arena, text.ptr, text.len);
    return text;
}

/* `m.hlo:7:3: custom-call 'cc' of "target"`, as far as a file is known. */
static const char *describe(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    hlo_source *source = instr->parent->module->source;
    const hlo_str *target = hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string;
    hlo_buf text = HLO_BUF_INIT;
    if (source && instr->at.hi) {
        hlo_position at = hlo_source_position(source, instr->at.lo);
        hlo_put_line_start(&text, source->name, strlen(source->name));
        hlo_buf_printf(&text, ":%u:%u: ", at.line, at.column);
    }
    hlo_buf_printf(&text, "custom-call %s of \"", hlo_name_quoted(p->arena, instr->name));
    hlo_put_printable(&text, target->ptr, target->len);
    hlo_buf_bytes(&text, "\"", 2);
    const char *kept = hlo_arena_copy(p->arena, text.data, text.len);
    hlo_buf_free(&text);
    return kept;
}

static const char *prepare_function(hlo_preparation *p) {
    const hlo_instr *instr = p->instr;
    const hlo_attr *layouts = hlo_instr_attr(instr, HLO_ATTR_OPERAND_LAYOUT_CONSTRAINTS);
    function_state *state = HLO_NEW_STATE(p, function_state);
    state->function =
        hlo_prepare_function(p, hlo_instr_attr(instr, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string);
    state->convention = convention_of(instr);
    state->opaque = copy_opaque(p);
    state->what = describe(p);
    state->operands = instr->operand_count;
    state->layouts = HLO_NEW_ARRAY(p->arena, const hlo_shape *, state->operands);
    size_t bytes = rounded(((size_t)state->operands + 1) * sizeof(void *));
    for (uint32_t i = 0; i < state->operands; i++) {
        const hlo_shape *shape = hlo_operand(instr, i)->shape;
        state->layouts[i] =
            hlo_shape_held(layouts && i < layouts->u.shapes->n ? layouts->u.shapes->v[i] : shape);
        if (!hlo_layouts_are_sound(p->arena, state->layouts[i]))
            return "has a layout constraint that does not name each dimension once";
        bytes += address_bytes(hlo_shape_held(shape), state->layouts[i]);
    }
    state->in_at = hlo_prepare_scratch(p, bytes + address_bytes(instr->shape, instr->shape));
    prepare_sharing(p, state);
    p->state = state;
    return NULL;
}

static void call_function(const function_state *state, void *out, const void **in,
                          XlaCustomCallStatus *status) {
    typedef void original(void *, const void **);
    typedef void returning(void *, const void **, XlaCustomCallStatus *);
    typedef void unified(void *, const void **, const char *, size_t, XlaCustomCallStatus *);
    hlo_function *function = state->function;
    switch (state->convention) {
    case STATUS_RETURNING: ((returning *)function)(out, in, status); break;
    case STATUS_RETURNING_UNIFIED:
        ((unified *)function)(out, in, state->opaque.ptr, state->opaque.len, status);
        break;
    default: ((original *)function)(out, in);
    }
}

static void free_message(void *status) {
    hlo_buf_free(&((XlaCustomCallStatus *)status)->message);
}

/* Whether the function reports success. */
static bool call_and_report(const hlo_call *call, void *out, const void **in) {
    XlaCustomCallStatus status = {false, HLO_BUF_INIT};
    hlo_cleanup freeing;
    hlo_cleanup_add(&freeing, free_message, &status);
    const function_state *state = call->state;
    hlo_unwind_state unwinding = hlo_unwind_suspend();
    hlo_foreign foreign;
    hlo_foreign_begin(&foreign, state->what);
    call_function(state, out, in, &status);
    hlo_foreign_end(&foreign);
    hlo_unwind_resume(unwinding);
    if (status.has_failed)
        hlo_call_error(call, "has failed: %.*s", (int)status.message.len,
                       status.message.len ? status.message.data : "");
    hlo_cleanup_remove(&freeing);
    hlo_buf_free(&status.message);
    return !status.has_failed;
}

static bool run_function(hlo_call *call) {
    const function_state *state = call->state;
    char *scratch = (char *)call->scratch + state->in_at;
    hlo_value_clear(call->out);
    void **in = take_bytes(&scratch, ((size_t)state->operands + 1) * sizeof *in);
    for (uint32_t i = 0; i < state->operands; i++)
        in[i] = address_of(&scratch, call->in[i], state->layouts[i]);
    void *out = address_of(&scratch, call->out, call->shape);
    share_memory(state, in, &out);
    if (!call_and_report(call, out, (const void **)in)) return false;
    take_result(call->out, out);
    return true;
}

const hlo_target hlo_target_function = {prepare_function, run_function, true};
