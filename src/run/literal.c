/* The results of a run as HLO literals. Called through hlo.h. */
#include "run/output.h"
#include "run/run.h"

static void put_value(hlo_buf *to, const hlo_value *value, size_t limit) {
    if (value->elements) {
        hlo_buf_lit(to, "( ");
        for (uint32_t i = 0; i < value->shape->rank; i++) {
            if (i) hlo_buf_lit(to, ", ");
            put_value(to, value->elements[i], limit);
        }
        hlo_buf_lit(to, " )");
    } else if (hlo_shape_is_array(value->shape) &&
               hlo_shape_elements(value->shape) > (int64_t)limit) {
        hlo_buf_lit(to, "{...}");
    } else {
        const hlo_literal literal = {.shape = value->shape, .data = value->data};
        hlo_literal_print(to, &literal);
    }
}

static void write_literal(const hlo_run *run, size_t limit, hlo_buf *to) {
    if (run->device_count > 1) hlo_buf_printf(to, "// device %u\n", run->number);
    if (limit && limit < INT64_MAX) {
        hlo_shape_print(to, run->result->shape, false);
        hlo_buf_char(to, ' ');
        put_value(to, run->result, limit);
    } else {
        hlo_value_print(to, run->result);
    }
    hlo_buf_char(to, '\n');
}

hlo_status hlo_run_write_literal(const hlo_run *run, size_t limit, hlo_output *output,
                                 hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, output);
    hlo_status status = hlo_run_check_result(run, diags);
    for (uint32_t d = 0; d < run->device_count && status == HLO_OK; d++)
        write_literal(hlo_run_of_device(run, d), limit, &output->buf);
    return status;
}
