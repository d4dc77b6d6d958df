/* Diagnostics for other programs: JSON lines, SARIF 2.1.0, GitHub workflow commands. The text for
 * people is in diag.h. */
#ifndef HLO_DIAG_DIAG_FORMATS_H
#define HLO_DIAG_DIAG_FORMATS_H

#include "base/buf.h"
#include "diag/diag.h"

/* Where a diagnostic starts and ends: lines and columns from 1, the end one past the last. */
typedef struct {
    hlo_position start, end;
} hlo_diag_place;

/* The place in the text of one that has a source. */
hlo_diag_place hlo_diag_place_of(const hlo_diag *d);

typedef struct {
    hlo_buf *to;
    hlo_report_format format;
    size_t written; /* diagnostics so far */
    bool lacks;     /* a file could not be read */
    hlo_buf cut;    /* SARIF: notifications of what was found and is not in the report */
} hlo_diag_writer;

/* The prologue, each list of diagnostics in order of position, and the epilogue. Between
 * these calls the text so far may be drained from the buffer. */
void hlo_diag_writer_begin(hlo_diag_writer *writer, hlo_report_format format, hlo_buf *to);
void hlo_diag_writer_add(hlo_diag_writer *writer, const hlo_diags *diags);
void hlo_diag_writer_end(hlo_diag_writer *writer);
void hlo_diag_writer_free(hlo_diag_writer *writer);

#endif
