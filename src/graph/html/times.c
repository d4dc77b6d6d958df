/* The seconds of a profile as JSON: see times.h. */
#include "graph/html/times.h"

#include "graph/html/json.h"
#include "graph/model/seconds.h"

static void put_seconds(hlo_buf *out, double seconds) {
    hlo_page_separate(out);
    if (seconds < 0) hlo_buf_lit(out, "-1");
    else hlo_buf_printf(out, "%.9g", seconds);
}

static void put_column(hlo_buf *out, const double *seconds, const hlo_module *part) {
    uint32_t number = 0;
    for (const hlo_computation *c = part->first; c; c = c->next)
        for (uint32_t k = 0; k < c->instr_count; k++) put_seconds(out, seconds[number++]);
}

void hlo_page_put_times(hlo_buf *out, const hlo_page_model *m) {
    double **own = m->extras->seconds;
    if (!own) return;
    hlo_dot_seconds *sums = hlo_calloc(m->part_count, sizeof *sums);
    for (uint32_t k = 0; k < m->part_count; k++)
        hlo_dot_seconds_init(&sums[k], (hlo_module *)m->parts[k].module, own[k]);
    hlo_buf_printf(out, ",\n\"all_seconds\":%.9g,\n\"own_seconds\":[", m->extras->all_seconds);
    for (uint32_t k = 0; k < m->part_count; k++) put_column(out, own[k], m->parts[k].module);
    hlo_buf_lit(out, "],\n\"seconds\":[");
    for (uint32_t k = 0; k < m->part_count; k++)
        put_column(out, sums[k].instrs, m->parts[k].module);
    hlo_buf_lit(out, "],\n\"total_seconds\":[");
    for (uint32_t k = 0; k < m->part_count; k++) {
        for (const hlo_computation *c = m->parts[k].module->first; c; c = c->next)
            put_seconds(out, sums[k].computations[c->id]);
    }
    hlo_buf_char(out, ']');
    for (uint32_t k = 0; k < m->part_count; k++) hlo_dot_seconds_free(&sums[k]);
    hlo_free(sums);
}
