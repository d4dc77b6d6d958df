/* Lists of passes and pipelines: apart from tables.c, since programs that have no passes are linked
 * without them. Called by hlo-opt. */
#include <string.h>

#include "tables.h"

/* By group, and in a group as the table has them. */
static void put_passes(hlo_output *output) {
    hlo_table_row row, option, first;
    for (size_t head = 0; hlo_pass_row(head, &first); head++) {
        bool seen = false;
        for (size_t i = 0; i < head && hlo_pass_row(i, &row); i++)
            seen |= strcmp(row.group, first.group) == 0;
        if (seen) continue;
        table_put(output, "%s:\n", first.group);
        for (size_t i = head; hlo_pass_row(i, &row); i++) {
            if (strcmp(row.group, first.group) != 0) continue;
            table_put(output, "  %-28s %s\n", row.name, row.description);
            for (size_t k = 0; hlo_pass_option_row(i, k, &option); k++)
                table_put(output, "      {%s} %s\n", option.name, option.description);
        }
    }
}

static void put_pipelines(hlo_output *output) {
    hlo_table_row row;
    for (size_t i = 0; hlo_pipeline_row(i, &row); i++)
        table_put(output, "%s: %s\n    %s\n", row.name, row.description, row.group);
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

void list_passes(hlo_output *output, bool json) {
    if (json) json_passes(&(json_lines){.to = output});
    else put_passes(output);
}

void list_pipelines(hlo_output *output, bool json) {
    if (json) table_json(&(json_lines){.to = output}, hlo_pipeline_row, "passes");
    else put_pipelines(output);
}

const char *named_passes(const char *name) {
    hlo_table_row row;
    for (size_t i = 0; hlo_pipeline_row(i, &row); i++)
        if (strcmp(row.name, name) == 0) return row.group;
    return NULL;
}
