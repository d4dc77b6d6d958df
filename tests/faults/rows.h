/* Rows of calls, in a file for each part of hlo.h. Getters and functions that free are there too:
 * that they allocate nothing is seen by counting. */
#ifndef TESTS_FAULTS_ROWS_H
#define TESTS_FAULTS_ROWS_H

#include "faults/faults.h"

#define CALL(name) static bool call_##name(faults_case *c)
#define NOTHING(c) ((void)(c))

/* The last row of each has no call. */
extern const faults_row faults_diags_rows[], faults_modules_rows[], faults_passes_rows[],
    faults_outputs_rows[], faults_handles_rows[], faults_runs_rows[], faults_graphs_rows[],
    faults_stats_rows[], faults_tables_rows[], faults_each_pass_rows[];

#endif
