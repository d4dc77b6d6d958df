/* Lists of operations, passes and rules. */
#include "tables.h"

#include <stdarg.h>
#include <string.h>

#include "json_lines.h"

static void put(hlo_output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(hlo_output *output, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n > 0) hlo_output_write(output, line, strlen(line));
}

/* ---- for people ---- */

static void put_operations(hlo_output *output) {
    hlo_table_row row;
    for (size_t i = 0; hlo_operation_row(i, &row); i++) {
        char operands[32];
        if (row.min_operands == row.max_operands)
            snprintf(operands, sizeof operands, "%d", row.min_operands);
        else if (row.max_operands < 0) snprintf(operands, sizeof operands, "%d+", row.min_operands);
        else snprintf(operands, sizeof operands, "%d-%d", row.min_operands, row.max_operands);
        put(output, "%-32s %4s operands  %-15s%s%s%s%s\n", row.name, operands, row.group,
            row.elementwise ? " elementwise" : "", row.commutative ? " commutative" : "",
            row.side_effect ? " side-effect" : "", row.executable ? "" : " not-executable");
    }
}

/* By group, and in a group as the table has them. */
static void put_passes(hlo_output *output) {
    hlo_table_row row, option, first;
    for (size_t head = 0; hlo_pass_row(head, &first); head++) {
        bool seen = false;
        for (size_t i = 0; i < head && hlo_pass_row(i, &row); i++)
            seen |= strcmp(row.group, first.group) == 0;
        if (seen) continue;
        put(output, "%s:\n", first.group);
        for (size_t i = head; hlo_pass_row(i, &row); i++) {
            if (strcmp(row.group, first.group) != 0) continue;
            put(output, "  %-28s %s\n", row.name, row.description);
            for (size_t k = 0; hlo_pass_option_row(i, k, &option); k++)
                put(output, "      {%s} %s\n", option.name, option.description);
        }
    }
}

static void put_pipelines(hlo_output *output) {
    hlo_table_row row;
    for (size_t i = 0; hlo_pipeline_row(i, &row); i++)
        put(output, "%s: %s\n    %s\n", row.name, row.description, row.group);
}

static void put_rules(hlo_output *output) {
    hlo_table_row row;
    for (size_t i = 0; hlo_rule_row(i, &row); i++)
        put(output, "%-24s %-8s %s\n", row.name, row.group, row.description);
}

/* ---- JSON ---- */

static void json_names(json_lines *json, const hlo_table_row *row, const char *group) {
    json_word(json, "name", row->name);
    if (group) json_word(json, group, row->group);
    if (row->description) json_word(json, "description", row->description);
}

static void json_operations(json_lines *json) {
    hlo_table_row row;
    for (size_t i = 0; hlo_operation_row(i, &row); i++) {
        json_open(json, NULL, '{');
        json_names(json, &row, "class");
        json_count(json, "min_operands", (uint64_t)row.min_operands);
        if (row.max_operands >= 0) json_count(json, "max_operands", (uint64_t)row.max_operands);
        json_flag(json, "elementwise", row.elementwise);
        json_flag(json, "commutative", row.commutative);
        json_flag(json, "side_effect", row.side_effect);
        json_flag(json, "executable", row.executable);
        json_close(json, '}');
        json_end_line(json);
    }
}

static void json_passes(json_lines *json) {
    hlo_table_row row, option;
    for (size_t i = 0; hlo_pass_row(i, &row); i++) {
        json_open(json, NULL, '{');
        json_names(json, &row, "group");
        json_open(json, "options", '[');
        for (size_t k = 0; hlo_pass_option_row(i, k, &option); k++) {
            json_open(json, NULL, '{');
            json_names(json, &option, NULL);
            json_close(json, '}');
        }
        json_close(json, ']');
        json_close(json, '}');
        json_end_line(json);
    }
}

/* Tables of names, groups and descriptions. */
static void json_table(json_lines *json, bool (*row_of)(size_t, hlo_table_row *),
                       const char *group) {
    hlo_table_row row;
    for (size_t i = 0; row_of(i, &row); i++) {
        json_open(json, NULL, '{');
        json_names(json, &row, group);
        json_close(json, '}');
        json_end_line(json);
    }
}

/* ---- either ---- */

void list_operations(hlo_output *output, bool json) {
    if (json) json_operations(&(json_lines){.to = output});
    else put_operations(output);
}

void list_passes(hlo_output *output, bool json) {
    if (json) json_passes(&(json_lines){.to = output});
    else put_passes(output);
}

void list_pipelines(hlo_output *output, bool json) {
    if (json) json_table(&(json_lines){.to = output}, hlo_pipeline_row, "passes");
    else put_pipelines(output);
}

void list_rules(hlo_output *output, bool json) {
    if (json) json_table(&(json_lines){.to = output}, hlo_rule_row, "stage");
    else put_rules(output);
}

const char *named_passes(const char *name) {
    hlo_table_row row;
    for (size_t i = 0; hlo_pipeline_row(i, &row); i++)
        if (strcmp(row.name, name) == 0) return row.group;
    return NULL;
}
