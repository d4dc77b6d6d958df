/* Lists of operations and rules, and what lists of passes share with them. */
#include "tables.h"

#include <stdarg.h>
#include <string.h>

#include "json_lines.h"

void table_put(hlo_output *output, const char *format, ...) {
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
        table_put(output, "%-32s %4s operands  %-15s%s%s%s%s\n", row.name, operands, row.group,
                  row.elementwise ? " elementwise" : "", row.commutative ? " commutative" : "",
                  row.side_effect ? " side-effect" : "", row.executable ? "" : " not-executable");
    }
}

static void put_rules(hlo_output *output) {
    hlo_table_row row;
    for (size_t i = 0; hlo_rule_row(i, &row); i++)
        table_put(output, "%-24s %-8s %s\n", row.name, row.group, row.description);
}

/* ---- JSON ---- */

void table_json_names(json_lines *json, const hlo_table_row *row, const char *group) {
    json_word(json, "name", row->name);
    if (group) json_word(json, group, row->group);
    if (row->description) json_word(json, "description", row->description);
}

static void json_operations(json_lines *json) {
    hlo_table_row row;
    for (size_t i = 0; hlo_operation_row(i, &row); i++) {
        json_open(json, NULL, '{');
        table_json_names(json, &row, "class");
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

/* Tables of names, groups and descriptions. */
void table_json(json_lines *json, bool (*row_of)(size_t, hlo_table_row *), const char *group) {
    hlo_table_row row;
    for (size_t i = 0; row_of(i, &row); i++) {
        json_open(json, NULL, '{');
        table_json_names(json, &row, group);
        json_close(json, '}');
        json_end_line(json);
    }
}

/* ---- either ---- */

void list_operations(hlo_output *output, bool json) {
    if (json) json_operations(&(json_lines){.to = output});
    else put_operations(output);
}

void list_rules(hlo_output *output, bool json) {
    if (json) table_json(&(json_lines){.to = output}, hlo_rule_row, "stage");
    else put_rules(output);
}

/* ---- element types ---- */

void list_types(hlo_output *output, bool json) {
    enum { MOST_TYPES = 256 };
    json_lines lines = {.to = output};
    for (int i = 0; i < MOST_TYPES; i++) {
        const char *name = hlo_element_type_name((hlo_element_type)i);
        bool is_word = name && hlo_element_type_from_name(name) == (hlo_element_type)i;
        size_t bytes = hlo_element_type_bytes((hlo_element_type)i);
        if (!is_word || !bytes) continue;
        if (!json) table_put(output, "%-16s %2zu\n", name, bytes);
        if (!json) continue;
        json_open(&lines, NULL, '{');
        json_word(&lines, "name", name);
        json_count(&lines, "bytes", bytes);
        json_close(&lines, '}');
        json_end_line(&lines);
    }
}

/* ---- old forms ---- */

static void old_forms_json(hlo_output *output) {
    hlo_table_row row;
    json_lines json = {.to = output};
    for (size_t i = 0; hlo_old_form_row(i, &row); i++) {
        json_open(&json, NULL, '{');
        table_json_names(&json, &row, "until");
        json_word(&json, "dialects", row.dialects);
        json_word(&json, "old", row.old);
        json_close(&json, '}');
        json_end_line(&json);
    }
}

void list_old_forms(hlo_output *output, bool json) {
    hlo_table_row row;
    if (json) old_forms_json(output);
    else
        for (size_t i = 0; hlo_old_form_row(i, &row); i++)
            table_put(output, "%s %s\n      read by: %s\n      %s\n      today: %s\n", row.name,
                      row.group, row.dialects, row.old, row.description);
}
