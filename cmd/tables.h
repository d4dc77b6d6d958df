/* The library's tables as lists, for people or, with `json`, an object per line. */
#ifndef HLO_CMD_TABLES_H
#define HLO_CMD_TABLES_H

#include "json_lines.h"
#include "listing.h"

/* Each writes one. */
void list_operations(const listing *list, bool json);
void list_passes(const listing *list, bool json);
void list_pipelines(const listing *list, bool json);
void list_rules(const listing *list, bool json);
/* Of arrays, with the bytes of an element in memory. */
void list_types(const listing *list, bool json);
void list_old_forms(const listing *list, bool json);

/* Between tables.c and pass_tables.c: rows as JSON. `group` is what the row's group is
 * called; NULL: it is left out. */
void table_json_names(json_lines *json, const hlo_table_row *row, const char *group);
void table_json(json_lines *json, bool (*row_of)(size_t, hlo_table_row *), const char *group);

#endif
