/* Values as bytes: see parcel.h. The processes of a job are of one kind of machine. */
#include "eval/comm/parcel.h"

#include "eval/value/value_memory.h"

/* ---- describing ---- */

/* Of one array, tuple or token; the dimensions, which of them are dynamic, and the run-time sizes
 * follow, or the elements. */
typedef struct {
    uint32_t type, rank;
    bool has_dynamic, has_sizes;
} header;

static void describe_array(hlo_buf *to, const hlo_value *value) {
    const hlo_shape *shape = value->shape;
    hlo_buf_bytes(to, shape->dims, shape->rank * sizeof *shape->dims);
    if (shape->is_dynamic) hlo_buf_bytes(to, shape->is_dynamic, shape->rank);
    if (value->sizes) hlo_buf_bytes(to, value->sizes, shape->rank * sizeof *value->sizes);
}

void hlo_parcel_describe(hlo_buf *to, const hlo_value *value) {
    const hlo_shape *shape = value->shape;
    bool is_array = hlo_shape_is_array(shape), is_tuple = hlo_shape_is_tuple(shape);
    header start = {.type = shape->type, .rank = is_array || is_tuple ? shape->rank : 0};
    start.has_dynamic = is_array && shape->is_dynamic;
    start.has_sizes = is_array && value->sizes;
    hlo_buf_bytes(to, &start, sizeof start);
    if (is_array) describe_array(to, value);
    for (uint32_t i = 0; is_tuple && i < shape->rank; i++)
        hlo_parcel_describe(to, value->elements[i]);
}

/* ---- making ---- */

typedef struct {
    hlo_shapes_table *shapes;
    const char *at;
} reader;

static const void *take_bytes(reader *r, size_t bytes) {
    const void *here = r->at;
    r->at += bytes;
    return here;
}

static hlo_value *make(reader *r);

/* Nothing aligns the bytes. */
static hlo_value *make_array(reader *r, const header *start) {
    uint32_t rank = start->rank;
    int64_t *dims = hlo_malloc((rank + 1u) * sizeof *dims);
    memcpy(dims, take_bytes(r, rank * sizeof *dims), rank * sizeof *dims);
    const uint8_t *dynamic = start->has_dynamic ? take_bytes(r, rank) : NULL;
    const hlo_shape *shape =
        hlo_shape_array(r->shapes, (hlo_type)start->type, dims, rank, dynamic, NULL, NULL);
    hlo_free(dims);
    hlo_value *value = hlo_value_new(shape);
    const void *sizes = start->has_sizes ? take_bytes(r, rank * sizeof *value->sizes) : NULL;
    if (value && sizes) memcpy(hlo_result_sizes(value), sizes, rank * sizeof *value->sizes);
    return value;
}

static hlo_value *make_tuple(reader *r, uint32_t n) {
    hlo_value **elements = hlo_calloc(n, sizeof *elements);
    const hlo_shape **shapes = hlo_calloc(n, sizeof *shapes);
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        elements[i] = make(r);
        good = good && elements[i];
        if (good) shapes[i] = elements[i]->shape;
    }
    const hlo_shape *shape = good ? hlo_shape_tuple(r->shapes, shapes, n) : NULL;
    hlo_value *tuple = shape ? hlo_value_tuple(shape, elements) : NULL;
    for (uint32_t i = 0; !good && i < n; i++) hlo_value_release(elements[i]);
    hlo_free(shapes);
    hlo_free(elements);
    return tuple;
}

static hlo_value *make(reader *r) {
    header start;
    memcpy(&start, take_bytes(r, sizeof start), sizeof start);
    if (start.type == HLO_TUPLE) return make_tuple(r, start.rank);
    if (hlo_type_is_array((hlo_type)start.type)) return make_array(r, &start);
    return hlo_value_new(hlo_shape_token(r->shapes));
}

hlo_value *hlo_parcel_make(hlo_shapes_table *shapes, const char *bytes) {
    reader r = {shapes, bytes};
    return make(&r);
}

/* ---- where the bytes are ---- */

void hlo_parcel_add_extents(hlo_extents *to, const hlo_value *value) {
    int64_t bytes = value->data ? hlo_shape_bytes(value->shape) : 0;
    if (bytes > 0) {
        if ((to->n & (to->n - 1)) == 0)
            to->v = hlo_realloc(to->v, (to->n ? 2 * to->n : 1) * sizeof *to->v);
        to->v[to->n++] = (hlo_extent){value->data, (size_t)bytes};
    }
    for (uint32_t i = 0; value->elements && i < value->shape->rank; i++)
        hlo_parcel_add_extents(to, value->elements[i]);
}
