/* Values: allocation, reference counts, views, copies and printing. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/fresh.h"
#include "eval/value/stack.h"
#include "eval/value/value_memory.h"
#include "ir/literal.h"

enum { SMALL = 4096 };
static_assert(sizeof(hlo_value) % 16 == 0, "small data after the header is aligned to 16 bytes");

/* ---- values that are kept ---- */

/* Bytes after the header, and how many values are kept at most, by list. AddressSanitizer sees what
 * is used after it was released only if nothing is kept. */
static const size_t kept_bytes[HLO_KEPT_LISTS] = {64, 512, SMALL};
#if defined __SANITIZE_ADDRESS__
static const uint32_t kept_most[HLO_KEPT_LISTS] = {0};
#else
static const uint32_t kept_most[HLO_KEPT_LISTS] = {256, 64, 16};
#endif

static _Thread_local hlo_kept_values *kept __attribute__((tls_model("initial-exec")));

hlo_kept_values *hlo_kept_values_enter(hlo_kept_values *lists) {
    hlo_kept_values *before = kept;
    kept = lists;
    return before;
}

static hlo_value *take_kept(uint32_t list) {
    HLO_ASSERT(list < HLO_KEPT_LISTS);
    hlo_value *value = kept ? kept->first[list] : NULL;
    if (!value) return NULL;
    HLO_ASSERT(kept->count[list] > 0);
    kept->first[list] = value->base;
    kept->count[list]--;
    return value;
}

/* Its memory stays part of the call that allocated it, like that of the thread that keeps it. */
static void keep_or_free(hlo_value *value) {
    HLO_ASSERT(!value->refs);
    uint32_t list = value->kept_as;
    if (!kept || list >= HLO_KEPT_LISTS || kept->count[list] >= kept_most[list]) {
        hlo_free(value);
        return;
    }
    value->base = kept->first[list];
    kept->first[list] = value;
    kept->count[list]++;
}

void hlo_kept_values_free(hlo_kept_values *lists) {
    for (uint32_t i = 0; i < HLO_KEPT_LISTS; i++)
        for (hlo_value *value = lists->first[i], *next; value; value = next) {
            next = value->base;
            hlo_free(value);
        }
}

/* ---- allocation ---- */

/* The header, with `extra` bytes after it for small data or for the elements of a tuple. */
static hlo_value *new_header(const hlo_shape *shape, size_t extra) {
    uint32_t list = 0;
    while (list < HLO_KEPT_LISTS && extra > kept_bytes[list]) list++;
    hlo_value *value = list < HLO_KEPT_LISTS ? take_kept(list) : NULL;
    if (list < HLO_KEPT_LISTS) extra = kept_bytes[list];
    if (!value) value = hlo_try_malloc(sizeof *value + extra);
    if (value) *value = (hlo_value){.shape = shape, .refs = 1, .kept_as = (uint8_t)list};
    return value;
}

static hlo_value *new_tuple(const hlo_shape *shape) {
    HLO_ASSERT(hlo_shape_is_tuple(shape));
    size_t bytes = sizeof(hlo_value *) * (size_t)shape->rank;
    hlo_value *value = new_header(shape, bytes);
    if (!value) return NULL;
    value->elements = (hlo_value **)(value + 1);
    if (bytes) memset(value->elements, 0, bytes);
    return value;
}

/* Loops make scalars by the million: a small array is one allocation with its header. */
static hlo_value *new_array(const hlo_shape *shape) {
    int64_t bytes = hlo_shape_bytes(shape);
    if (bytes < 0) return NULL;
    if (bytes <= SMALL) {
        hlo_value *value = new_header(shape, (size_t)bytes);
        if (!value) return NULL;
        value->data = value + 1;
        hlo_fresh_fill(value->data, (size_t)bytes);
        return value;
    }
    hlo_value *value = new_header(shape, 0);
    if (!value) return NULL;
    value->data = hlo_block_new((size_t)bytes);
    if (!value->data) {
        hlo_free(value);
        return NULL;
    }
    hlo_fresh_fill(value->data, (size_t)bytes);
    return value;
}

hlo_value *hlo_value_new(const hlo_shape *shape) {
    shape = hlo_shape_held(shape);
    if (hlo_shape_is_array(shape)) return new_array(shape);
    return hlo_shape_is_tuple(shape) ? new_tuple(shape) : new_header(shape, 0);
}

hlo_value *hlo_value_place(hlo_value *header, const hlo_shape *shape, void *data) {
    *header = (hlo_value){.shape = shape, .refs = 1, .is_placed = true, .data = data};
    if (HLO_PLACE_GUARD && data) hlo_place_open(data, (size_t)hlo_shape_bytes(shape));
    return header;
}

/* Only the run-time sizes are the value's own. */
static void leave_place(hlo_value *value) {
    HLO_ASSERT(value->is_placed && !value->base && !value->elements);
    if (value->sizes) hlo_free(value->sizes);
    value->sizes = NULL;
    if (HLO_PLACE_GUARD && value->data)
        hlo_place_close(value->data, (size_t)hlo_shape_bytes(value->shape));
}

hlo_value *hlo_value_new_tree(const hlo_shape *shape) {
    hlo_value *value = hlo_value_new(shape);
    if (!value || !value->elements) return value;
    shape = value->shape;
    for (uint32_t i = 0; i < shape->rank; i++) {
        value->elements[i] = hlo_value_new_tree(shape->elements[i]);
        if (value->elements[i]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

void hlo_value_clear(hlo_value *value) {
    if (hlo_shape_is_array(value->shape))
        hlo_zero_bytes(value->data, (size_t)hlo_shape_bytes(value->shape));
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++)
        hlo_value_clear(value->elements[i]);
}

hlo_value *hlo_value_zeros(const hlo_shape *shape) {
    hlo_value *value = hlo_value_new_tree(shape);
    if (value) hlo_value_clear(value);
    return value;
}

hlo_value *hlo_value_from_literal(const hlo_literal *literal) {
    const hlo_shape *shape = literal->shape;
    if (!hlo_shape_is_tuple(shape)) {
        hlo_value *value = new_header(shape, 0);
        if (!value) return NULL;
        value->borrowed = true;
        value->data = (void *)hlo_literal_data(literal);
        return value;
    }
    hlo_value *value = new_tuple(shape);
    for (uint32_t i = 0; value && i < shape->rank; i++) {
        value->elements[i] = hlo_value_from_literal(literal->elements[i]);
        if (value->elements[i]) continue;
        hlo_value_release(value);
        return NULL;
    }
    return value;
}

/* ---- references ---- */

/* Counting by atomic instructions takes longer than many a scalar instruction of a loop, so only
 * values that several threads may hold are counted so. Who marks a value has it alone, and others
 * get at it through a lock, which is why the mark itself needs none. */
void hlo_value_share(hlo_value *value) {
    HLO_ASSERT(__atomic_load_n(&value->refs, __ATOMIC_RELAXED) > 0);
    if (value->is_shared) return; /* and so is what it holds */
    value->is_shared = true;
    if (value->base) hlo_value_share(value->base);
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++)
        if (value->elements[i]) hlo_value_share(value->elements[i]);
}

void hlo_value_retain_more(hlo_value *value, uint32_t references) {
    HLO_ASSERT(__atomic_load_n(&value->refs, __ATOMIC_RELAXED) > 0);
    if (value->is_shared) __atomic_fetch_add(&value->refs, (int)references, __ATOMIC_RELAXED);
    else value->refs += (int)references;
}

hlo_value *hlo_value_retain(hlo_value *value) {
    hlo_value_retain_more(value, 1);
    return value;
}

/* How many references remain. */
static int give_up(hlo_value *value) {
    HLO_ASSERT(__atomic_load_n(&value->refs, __ATOMIC_RELAXED) > 0);
    if (value->is_shared) return __atomic_sub_fetch(&value->refs, 1, __ATOMIC_ACQ_REL);
    return --value->refs;
}

static bool has_one_reference(const hlo_value *value) {
    return (value->is_shared ? __atomic_load_n(&value->refs, __ATOMIC_ACQUIRE) : value->refs) == 1;
}

void hlo_value_release(hlo_value *value) {
    if (!value || give_up(value) > 0) return;
    if (value->is_placed) {
        leave_place(value);
        return;
    }
    if (value->elements) {
        for (uint32_t i = 0; i < value->shape->rank; i++) hlo_value_release(value->elements[i]);
    } else if (value->base) {
        hlo_value_release(value->base);
    } else if (value->shape->type == HLO_OPAQUE) {
        if (value->data) hlo_stack_free(value->data);
    } else if (!value->borrowed && value->data != value + 1) {
        hlo_block_free(value->data);
    }
    if (value->sizes) hlo_free(value->sizes);
    keep_or_free(value);
}

void hlo_value_keep(hlo_value *array) {
    HLO_ASSERT(!array->elements && !array->base && !array->is_placed);
    hlo_keep(array);
    if (array->sizes) hlo_keep(array->sizes);
    if (!array->borrowed && array->data != array + 1) hlo_block_keep(array->data);
}

/* The value and, for a view, the owner of its data have one reference each: the caller's, and the
 * view's. Borrowed data is not ours to change. */
bool hlo_value_is_dying(const hlo_value *value) {
    const hlo_value *base = value->base ? value->base : value;
    return has_one_reference(value) && has_one_reference(base) && !base->borrowed;
}

hlo_value *hlo_value_alias(hlo_value *value, const hlo_shape *shape) {
    HLO_ASSERT(!value->elements &&
               hlo_shape_bytes(value->shape) == hlo_shape_bytes(hlo_shape_held(shape)));
    hlo_value *view = new_header(shape, 0);
    if (!view) return NULL;
    view->data = value->data;
    view->base = hlo_value_retain(value->base ? value->base : value); /* no chains of views */
    HLO_ASSERT(!view->base->base);
    return view;
}

hlo_value *hlo_value_view(hlo_value *value, const hlo_shape *shape) {
    shape = hlo_shape_held(shape);
    if (value->shape == shape) return hlo_value_retain(value);
    hlo_value *view = hlo_value_alias(value, shape);
    if (view && hlo_shape_compatible(value->shape, shape)) hlo_value_copy_sizes(view, value);
    return view;
}

hlo_value *hlo_value_tuple(const hlo_shape *shape, hlo_value *const *elements) {
    HLO_ASSERT(hlo_shape_is_tuple(shape));
    bool is_complete = true;
    for (uint32_t i = 0; i < shape->rank; i++) is_complete = is_complete && elements[i];
    hlo_value *tuple = is_complete ? new_tuple(shape) : NULL;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (tuple) tuple->elements[i] = elements[i];
        else hlo_value_release(elements[i]);
    }
    return tuple;
}

hlo_value *hlo_value_fill(hlo_value *to, const hlo_value *from) {
    if (!to) return NULL;
    int64_t bytes = hlo_shape_bytes(to->shape);
    HLO_ASSERT(bytes == hlo_shape_bytes(from->shape));
    if (bytes > 0 && to->data) memcpy(to->data, from->data, (size_t)bytes);
    hlo_value_copy_sizes(to, from);
    return to;
}

static hlo_value *copy_array(const hlo_value *value, const hlo_shape *shape) {
    return hlo_value_fill(hlo_value_new(shape), value);
}

static hlo_value *copy_tuple(const hlo_value *value) {
    hlo_value *copy = new_tuple(value->shape);
    for (uint32_t i = 0; copy && i < value->shape->rank; i++)
        copy->elements[i] = hlo_value_retain(value->elements[i]);
    return copy;
}

static hlo_value *copy_tree(const hlo_value *value) {
    if (!value->elements) return copy_array(value, value->shape);
    hlo_value *copy = new_tuple(value->shape);
    for (uint32_t i = 0; copy && i < value->shape->rank; i++) {
        copy->elements[i] = copy_tree(value->elements[i]);
        if (copy->elements[i]) continue;
        hlo_value_release(copy);
        return NULL;
    }
    return copy;
}

hlo_value *hlo_value_copy(hlo_value *value) {
    hlo_value *copy = value ? copy_tree(value) : NULL;
    hlo_value_release(value);
    return copy;
}

hlo_value *hlo_value_own(hlo_value *value) {
    if (value->elements) {
        if (has_one_reference(value)) return value;
        hlo_value *copy = copy_tuple(value);
        hlo_value_release(value);
        return copy;
    }
    if (hlo_value_is_dying(value) || !value->data) return value;
    hlo_value *copy = copy_array(value, value->shape);
    hlo_value_release(value);
    return copy;
}

hlo_value *hlo_value_reuse(hlo_value *argument, const hlo_shape *shape) {
    return hlo_value_is_dying(argument) ? hlo_value_view(argument, shape)
                                        : copy_array(argument, shape);
}

/* ---- run-time sizes ---- */

int64_t *hlo_result_sizes(hlo_value *value) {
    HLO_ASSERT(hlo_shape_is_array(value->shape));
    if (!value->sizes) {
        value->sizes = hlo_malloc(value->shape->rank * sizeof *value->sizes);
        for (uint32_t d = 0; d < value->shape->rank; d++) value->sizes[d] = value->shape->dims[d];
    }
    return value->sizes;
}

void hlo_value_copy_sizes(hlo_value *to, const hlo_value *from) {
    if (to == from) return;
    HLO_ASSERT(!from->sizes || to->shape->rank == from->shape->rank);
    hlo_free(to->sizes);
    to->sizes = NULL;
    if (!from->sizes) return;
    size_t bytes = sizeof(int64_t) * (size_t)from->shape->rank;
    to->sizes = hlo_malloc(bytes);
    memcpy(to->sizes, from->sizes, bytes);
}

/* ---- printing ---- */

/* The value as a literal tree: arrays share the data, tuples are built in the arena. */
static const hlo_literal *as_literal(hlo_arena *arena, const hlo_value *value) {
    hlo_literal *literal = HLO_NEW(arena, hlo_literal);
    literal->shape = value->shape;
    literal->data = value->data;
    if (!value->elements) return literal;
    hlo_literal **elements = HLO_NEW_ARRAY(arena, hlo_literal *, value->shape->rank);
    for (uint32_t i = 0; i < value->shape->rank; i++)
        elements[i] = (hlo_literal *)as_literal(arena, value->elements[i]);
    literal->elements = elements;
    return literal;
}

void hlo_value_print(hlo_buf *to, const hlo_value *value) {
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_shape_print(to, value->shape, false);
    hlo_buf_char(to, ' ');
    hlo_literal_print(to, as_literal(&arena, value));
    hlo_arena_free(&arena);
}
