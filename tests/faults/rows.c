/* All rows of calls, one after the other. */
#include "faults/rows.h"

static const faults_row *const parts[] = {
    faults_diags_rows,   faults_modules_rows,  faults_passes_rows, faults_outputs_rows,
    faults_handles_rows, faults_runs_rows,     faults_graphs_rows, faults_stats_rows,
    faults_tables_rows,  faults_each_pass_rows};

const faults_row *faults_row_at(size_t number) {
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (const faults_row *row = parts[part]; row->call; row++)
            if (number-- == 0) return row;
    return NULL;
}
