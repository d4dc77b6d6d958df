/* The beginning of each function of hlo.h that gives the rows of a table one by one. */
#ifndef HLO_BASE_TABLE_ROW_H
#define HLO_BASE_TABLE_ROW_H

#include <hlo/tables.h>

/* Empties *row, if there is one to fill; whether a table of `count` rows has that number. */
static inline bool hlo_row_begin(hlo_table_row *row, size_t number, size_t count) {
    if (row) *row = (hlo_table_row){0};
    return row && number < count;
}

#endif
