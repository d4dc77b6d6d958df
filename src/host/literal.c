/* The results of a run as HLO literals. */
#include "host/output.h"
#include "host/run.h"

typedef struct {
    size_t limit; /* elements of an array that are shown; 0: all */
    bool exactly;
    hlo_buf *to;
    hlo_literal_loss loss; /* of what was written */
} writing;

static void put_array(writing *w, const hlo_value *value) {
    const hlo_literal literal = {.shape = value->shape, .data = value->data};
    hlo_literal_loss loss = hlo_literal_text_loss(&literal);
    if (loss > w->loss) w->loss = loss;
    if (w->exactly) hlo_literal_print_exactly(w->to, &literal);
    else hlo_literal_print(w->to, &literal);
}

static void put_value(writing *w, const hlo_value *value) {
    if (value->elements) {
        hlo_buf_lit(w->to, "( ");
        for (uint32_t i = 0; i < value->shape->rank; i++) {
            if (i) hlo_buf_lit(w->to, ", ");
            put_value(w, value->elements[i]);
        }
        hlo_buf_lit(w->to, " )");
    } else if (w->limit && hlo_shape_is_array(value->shape) &&
               hlo_shape_elements(value->shape) > (int64_t)w->limit) {
        hlo_buf_lit(w->to, "{...}");
    } else {
        put_array(w, value);
    }
}

static void write_result(writing *w, const hlo_run *run) {
    if (run->device_count > 1) hlo_buf_printf(w->to, "// device %u\n", run->number);
    hlo_shape_print(w->to, run->result->shape, false);
    hlo_buf_char(w->to, ' ');
    put_value(w, run->result);
    hlo_buf_char(w->to, '\n');
}

/* Literals are inputs of other runs. */
static void warn_of_loss(const writing *w, hlo_diags *diags) {
    if (w->loss == HLO_LITERAL_LOSES_NAN) {
        hlo_warning(diags, HLO_RULE_LOSSY_TEXT, NULL, (hlo_span){0},
                    "the parts of a complex nan of the result are not read back to the same bits");
        hlo_hint(diags, ".npy and .npz files preserve all bits");
    } else if (w->loss == HLO_LITERAL_LOSES_ZERO && !w->exactly) {
        hlo_warning(diags, HLO_RULE_LOSSY_TEXT, NULL, (hlo_span){0},
                    "a negative zero of the result is printed as -0, which is read as +0");
        hlo_advise(diags, HLO_ADVICE_EXACT_LITERALS);
    }
}

hlo_status hlo_run_write_literal(const hlo_run *run, size_t limit, hlo_output *output,
                                 hlo_diags *diags) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    HLO_REQUIRE(diags, run);
    HLO_REQUIRE(diags, output);
    hlo_status status = hlo_run_check_result(run, diags);
    writing w = {
        .limit = limit < INT64_MAX ? limit : 0, .exactly = run->exact_literals, .to = &output->buf};
    for (uint32_t d = 0; d < run->device_count && status == HLO_OK; d++)
        write_result(&w, hlo_run_of_device(run, d));
    if (status == HLO_OK) warn_of_loss(&w, diags);
    return status;
}
