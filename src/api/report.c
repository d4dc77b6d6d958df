/* Reports of diagnostics in the formats that other programs read. */
#include <hlo.h>

#include "diag/diag_formats.h"
#include "host/output.h"

struct hlo_report {
    hlo_diag_writer writer;
    hlo_output *output;
};

hlo_report *hlo_report_begin(hlo_report_format format, hlo_output *output) {
    HLO_API_CALL(NULL) {
        hlo_output_lost(output);
        return NULL;
    }
    if (!output || format > HLO_REPORT_GITHUB) return NULL;
    hlo_report *report = hlo_calloc(1, sizeof *report);
    report->output = output;
    hlo_diag_writer_begin(&report->writer, format, &output->buf);
    return report;
}

void hlo_report_add(hlo_report *report, const hlo_diags *diags) {
    if (!report || !diags) return;
    HLO_API_CALL(NULL) {
        hlo_output_lost(report->output);
        return;
    }
    hlo_diag_writer_add(&report->writer, diags);
}

void hlo_report_end(hlo_report *report) {
    if (!report) return;
    HLO_API_CALL(NULL) {
        hlo_output_lost(report->output);
        hlo_diag_writer_free(&report->writer);
        hlo_free(report);
        return;
    }
    hlo_diag_writer_end(&report->writer);
    hlo_diag_writer_free(&report->writer);
    hlo_free(report);
}
