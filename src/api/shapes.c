/* Shapes through handles. */
#include <hlo.h>

#include "host/output.h"
#include "ir/ir.h"

hlo_element_type hlo_shape_type(const hlo_shape *shape) {
    return shape ? (hlo_element_type)hlo_types[shape->type].proto_number : HLO_TYPE_INVALID;
}

static bool is_array(const hlo_shape *shape) {
    return shape && hlo_shape_is_array(shape);
}

uint32_t hlo_shape_rank(const hlo_shape *shape) {
    return is_array(shape) ? shape->rank : 0;
}

int64_t hlo_shape_dim(const hlo_shape *shape, uint32_t dimension) {
    if (dimension >= hlo_shape_rank(shape)) return 0;
    return shape->dims[dimension] == HLO_UNBOUNDED ? -1 : shape->dims[dimension];
}

bool hlo_shape_dim_is_dynamic(const hlo_shape *shape, uint32_t dimension) {
    if (dimension >= hlo_shape_rank(shape)) return false;
    return shape->dims[dimension] == HLO_UNBOUNDED ||
           (shape->is_dynamic && shape->is_dynamic[dimension]);
}

int64_t hlo_shape_minor_to_major(const hlo_shape *shape, uint32_t place) {
    if (place >= hlo_shape_rank(shape) || place >= shape->layout->n) return -1;
    return shape->layout->minor_to_major[place];
}

uint32_t hlo_shape_element_count(const hlo_shape *shape) {
    return shape && !hlo_shape_is_array(shape) ? shape->rank : 0;
}

const hlo_shape *hlo_shape_element(const hlo_shape *shape, uint32_t number) {
    return number < hlo_shape_element_count(shape) ? shape->elements[number] : NULL;
}

hlo_status hlo_shape_write(const hlo_shape *shape, bool with_layout, hlo_output *output,
                           hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, shape);
    HLO_REQUIRE(diags, output);
    hlo_shape_print(&output->buf, shape, with_layout);
    return HLO_OK;
}
