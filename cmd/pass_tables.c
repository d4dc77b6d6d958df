/* Lists of passes and pipelines: apart from tables.c, since programs that have no passes are linked
 * without them. */
#include <stdio.h>
#include <string.h>

#include "tables.h"

static void put_pass(const listing *list, size_t number, const char *name, int names) {
    enum { LEFT = 6 };
    hlo_table_row row;
    hlo_pass_row(number, &row);
    listing_put(list, "  %-*s ", names, name);
    listing_wrapped(list, (size_t)names + 3, (size_t)names + 3, row.description);
    for (size_t k = 0; hlo_pass_option_row(number, k, &row); k++) {
        listing_put(list, "      {%s} ", row.name);
        listing_wrapped(list, LEFT + strlen(row.name) + 3, LEFT + 2, row.description);
    }
}

/* By group, and in a group as the table has them. */
static void put_passes(const listing *list) {
    hlo_table_row row, first;
    int names = (int)listing_names(list, hlo_pass_row, 28);
    for (size_t head = 0; hlo_pass_row(head, &first); head++) {
        bool seen = false;
        for (size_t i = 0; i < head && hlo_pass_row(i, &row); i++)
            seen |= strcmp(row.group, first.group) == 0;
        if (seen) continue;
        char heading[128];
        snprintf(heading, sizeof heading, "%s:", first.group);
        listing_heading(list, heading);
        for (size_t i = head; hlo_pass_row(i, &row); i++)
            if (strcmp(row.group, first.group) == 0) put_pass(list, i, row.name, names);
    }
}

static void put_pipelines(const listing *list) {
    enum { LEFT = 4 };
    hlo_table_row row;
    for (size_t i = 0; hlo_pipeline_row(i, &row); i++) {
        listing_put(list, "%s: ", row.name);
        listing_wrapped(list, strlen(row.name) + 2, LEFT, row.description);
        listing_put(list, "    ");
        listing_wrapped(list, LEFT, LEFT, row.group);
    }
}

static void json_passes(json_lines *json) {
    hlo_table_row row, option;
    for (size_t i = 0; hlo_pass_row(i, &row); i++) {
        json_open(json, NULL, '{');
        table_json_names(json, &row, "group");
        json_open(json, "options", '[');
        for (size_t k = 0; hlo_pass_option_row(i, k, &option); k++) {
            json_open(json, NULL, '{');
            table_json_names(json, &option, NULL);
            json_close(json, '}');
        }
        json_close(json, ']');
        json_close(json, '}');
        json_end_line(json);
    }
}

void list_passes(const listing *list, bool json) {
    if (json) json_passes(&(json_lines){.to = list->to});
    else put_passes(list);
}

void list_pipelines(const listing *list, bool json) {
    if (json) table_json(&(json_lines){.to = list->to}, hlo_pipeline_row, "passes");
    else put_pipelines(list);
}
