/* Inputs and results of a run as arrays in memory (hlo_array in hlo.h), with strides or without. */
#include "host/arrays.h"

#include "host/run.h"

hlo_array hlo_array_of(const hlo_shape *shape, const void *data) {
    return (hlo_array){(hlo_element_type)hlo_types[shape->type].proto_number, shape->rank,
                       shape->dims, NULL, data};
}

size_t hlo_array_bytes(const hlo_array *array) {
    size_t bytes = array ? hlo_element_type_bytes(array->type) : 0;
    for (uint32_t i = 0; array && i < array->rank; i++) {
        if (!array->dims || array->dims[i] < 0) return 0;
        if (__builtin_mul_overflow(bytes, (size_t)array->dims[i], &bytes)) return 0;
    }
    return bytes;
}

/* ---- strides ---- */

/* Whether the strides are those of an array without gaps. Dimensions of one element have any. */
static bool is_dense(const hlo_shape *shape, const int64_t *strides) {
    int64_t expected = hlo_types[shape->type].bytes;
    for (uint32_t i = strides ? shape->rank : 0; i-- > 0;) {
        if (shape->dims[i] == 0) return true;
        if (shape->dims[i] != 1 && strides[i] != expected) return false;
        expected *= shape->dims[i];
    }
    return true;
}

/* A walk over all rows of two arrays of one shape; the last dimension is a row. Kernels have a
 * faster one (eval/kernels/strides.h), which needs aligned elements; a caller's may lie anywhere.
 */
typedef struct {
    const hlo_shape *shape;
    const int64_t *to_strides, *from_strides;
} strided_copy;

static void copy_row(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                     int64_t count, size_t bytes) {
    if (to_stride == (int64_t)bytes && from_stride == (int64_t)bytes) {
        memcpy(to, from, (size_t)count * bytes);
        return;
    }
    for (int64_t i = 0; i < count; i++) memcpy(to + i * to_stride, from + i * from_stride, bytes);
}

static void copy_dimension(const strided_copy *copy, uint32_t dimension, char *to,
                           const char *from) {
    HLO_ASSERT(dimension < copy->shape->rank);
    int64_t count = copy->shape->dims[dimension];
    int64_t to_stride = copy->to_strides[dimension], from_stride = copy->from_strides[dimension];
    if (dimension + 1 == copy->shape->rank) {
        copy_row(to, to_stride, from, from_stride, count, hlo_types[copy->shape->type].bytes);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        copy_dimension(copy, dimension + 1, to + i * to_stride, from + i * from_stride);
}

/* Strides that are NULL are those of an array without gaps. */
static void copy_strided(const hlo_shape *shape, void *to, const int64_t *to_strides,
                         const void *from, const int64_t *from_strides) {
    int64_t bytes = hlo_shape_bytes(shape), stride = hlo_types[shape->type].bytes;
    if (bytes <= 0) return;
    if (is_dense(shape, to_strides) && is_dense(shape, from_strides)) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    int64_t *dense = hlo_malloc(shape->rank * sizeof *dense);
    for (uint32_t i = shape->rank; i-- > 0; stride *= shape->dims[i]) dense[i] = stride;
    const strided_copy copy = {shape, to_strides ? to_strides : dense,
                               from_strides ? from_strides : dense};
    copy_dimension(&copy, 0, to, from);
    hlo_free(dense);
}

/* ---- what can be asked for ---- */

uint32_t hlo_run_device_count(const hlo_run *run) {
    return run ? run->device_count : 0;
}

hlo_module *hlo_run_module(const hlo_run *run) {
    return run ? run->module : NULL;
}

uint32_t hlo_run_input_count(const hlo_run *run) {
    return run ? run->input_count : 0;
}

uint32_t hlo_run_output_count(const hlo_run *run) {
    return run ? run->output_count : 0;
}

static hlo_status check_device(const hlo_run *run, uint32_t device, hlo_diags *diags) {
    uint32_t count = hlo_run_device_count(run);
    if (device < count) return HLO_OK;
    return hlo_misuse(diags, "there is no device %u: the run has %u", device, count);
}

static hlo_status check_input(const hlo_run *run, uint32_t device, uint32_t leaf,
                              hlo_diags *diags) {
    hlo_status status = check_device(run, device, diags);
    if (status != HLO_OK || leaf < run->input_count) return status;
    return hlo_misuse(diags, "input %u does not exist: the module takes %u", leaf,
                      run->input_count);
}

static hlo_status check_output(const hlo_run *run, uint32_t device, uint32_t leaf,
                               hlo_diags *diags) {
    hlo_status status = check_device(run, device, diags);
    if (status == HLO_OK) status = hlo_run_check_result(run, diags);
    if (status != HLO_OK || leaf < run->output_count) return status;
    return hlo_misuse(diags, "output %u does not exist: the result has %u", leaf,
                      run->output_count);
}

hlo_status hlo_run_check_result(const hlo_run *run, hlo_diags *diags) {
    if (run->result) return HLO_OK;
    return hlo_misuse(diags, "there is no result: the run was not executed, or has failed");
}

/* ---- inputs ---- */

hlo_status hlo_run_input(const hlo_run *run, uint32_t device, uint32_t leaf, hlo_diags *diags,
                         hlo_array *out) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    if (out) *out = (hlo_array){0};
    HLO_REQUIRE(diags, out);
    HLO_REQUIRE(diags, run);
    hlo_status status = check_input(run, device, leaf, diags);
    if (status != HLO_OK) return status;
    const hlo_run_leaf *input = &hlo_run_of_device(run, device)->inputs[leaf];
    *out = hlo_array_of(input->shape, input->value ? input->value->data : NULL);
    return HLO_OK;
}

static bool has_shape(const hlo_array *array, const hlo_shape *shape) {
    if ((int)array->type != hlo_types[shape->type].proto_number || array->rank != shape->rank)
        return false;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (array->dims[i] != shape->dims[i]) return false;
    return true;
}

/* Sizes are read only where there are as many as of the shape. */
static hlo_status refuse_shape(const hlo_array *array, uint32_t leaf, const hlo_shape *shape,
                               hlo_diags *diags) {
    if (array->rank != shape->rank) {
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "input %u is %s, not an array of rank %u", leaf,
                  hlo_shape_name(&diags->arena, shape), array->rank);
        return HLO_BAD_USE;
    }
    const char *type = hlo_element_type_name(array->type);
    hlo_buf given = HLO_BUF_INIT;
    hlo_buf_printf(&given, "%s[", type ? type : "?");
    for (uint32_t i = 0; i < array->rank; i++)
        hlo_buf_printf(&given, "%s%lld", i ? "," : "", (long long)array->dims[i]);
    hlo_buf_char(&given, ']');
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "input %u is %s, not %.*s", leaf,
              hlo_shape_name(&diags->arena, shape), (int)given.len, given.data);
    hlo_buf_free(&given);
    return HLO_BAD_USE;
}

static hlo_status check_array(const hlo_array *array, uint32_t leaf, const hlo_shape *shape,
                              hlo_diags *diags) {
    if (array->rank && !array->dims) return hlo_misuse(diags, "the array has no dims");
    if (!has_shape(array, shape)) return refuse_shape(array, leaf, shape, diags);
    if (!array->data && hlo_shape_elements(shape) != 0)
        return hlo_misuse(diags, "the array has no data");
    return HLO_OK;
}

/* Kernels rely on elements of fewer bits than their bytes being extended: pred is 0 or 1. */
static bool may_need_normalising(hlo_type type) {
    return type == HLO_PRED || hlo_types[type].bits < 8;
}

/* Whether kernels can read the array where it is. */
static bool can_be_borrowed(const hlo_array *array, const hlo_shape *shape) {
    size_t part = hlo_types[hlo_type_part((hlo_type)shape->type)].bytes;
    if (!is_dense(shape, array->strides) || (uintptr_t)array->data % part != 0) return false;
    if (!may_need_normalising((hlo_type)shape->type)) return true;
    const unsigned char *bytes = array->data;
    int64_t count = hlo_shape_bytes(shape), i = 0;
    while (shape->type == HLO_PRED && i < count && bytes[i] <= 1) i++;
    return i == count;
}

static hlo_value *borrow(const hlo_array *array, const hlo_shape *shape) {
    const hlo_literal literal = {.shape = shape, .data = (void *)array->data};
    return hlo_value_from_literal(&literal);
}

static hlo_value *copy(const hlo_array *array, const hlo_shape *shape) {
    hlo_value *value = hlo_value_new(shape);
    if (!value) return NULL;
    copy_strided(shape, value->data, NULL, array->data, array->strides);
    if (may_need_normalising((hlo_type)shape->type))
        hlo_elements_normalise((hlo_type)shape->type, value->data, hlo_shape_elements(shape));
    return value;
}

hlo_status hlo_run_set_input(hlo_run *run, uint32_t device, uint32_t leaf, const hlo_array *array,
                             hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, array);
    hlo_status status = check_input(run, device, leaf, diags);
    if (status != HLO_OK) return status;
    hlo_run_leaf *input = &hlo_run_of_device(run, device)->inputs[leaf];
    status = check_array(array, leaf, input->shape, diags);
    if (status != HLO_OK) return status;
    bool borrows = can_be_borrowed(array, input->shape);
    hlo_value *value = borrows ? borrow(array, input->shape) : copy(array, input->shape);
    if (!value) return hlo_run_no_memory(diags, "an input");
    hlo_run_put_input(input, value, NULL);
    return HLO_OK;
}

/* ---- results ---- */

hlo_status hlo_run_output(const hlo_run *run, uint32_t device, uint32_t leaf, hlo_diags *diags,
                          hlo_array *out) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    if (out) *out = (hlo_array){0};
    HLO_REQUIRE(diags, out);
    HLO_REQUIRE(diags, run);
    hlo_status status = check_output(run, device, leaf, diags);
    if (status != HLO_OK) return status;
    const hlo_value *value = hlo_run_of_device(run, device)->outputs[leaf];
    *out = hlo_array_of(value->shape, value->data);
    return HLO_OK;
}

/* Bytes from the first element to the end of the last; false when a stride is negative, or when
 * there are too many to count. */
static bool extent_of(const hlo_shape *shape, const int64_t *strides, int64_t *bytes) {
    *bytes = hlo_shape_bytes(shape);
    if (!strides || *bytes <= 0) return *bytes >= 0;
    *bytes = hlo_types[shape->type].bytes;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t step;
        if (strides[i] < 0 || __builtin_mul_overflow(strides[i], shape->dims[i] - 1, &step) ||
            __builtin_add_overflow(*bytes, step, bytes))
            return false;
    }
    return true;
}

hlo_status hlo_run_copy_output(const hlo_run *run, uint32_t device, uint32_t leaf, void *to,
                               const int64_t *strides, size_t bytes, hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, run);
    hlo_status status = check_output(run, device, leaf, diags);
    if (status != HLO_OK) return status;
    const hlo_value *value = hlo_run_of_device(run, device)->outputs[leaf];
    int64_t needed;
    if (!extent_of(value->shape, strides, &needed))
        return hlo_misuse(diags, "strides of the memory for output %u are out of range", leaf);
    if ((uint64_t)needed > bytes)
        return hlo_misuse(diags, "output %u takes %lld bytes, and there are %zu", leaf,
                          (long long)needed, bytes);
    if (needed && !to) return hlo_misuse(diags, "the memory for output %u is NULL", leaf);
    copy_strided(value->shape, to, strides, value->data, NULL);
    return HLO_OK;
}
