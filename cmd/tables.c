/* Lists of operations and rules, and what lists of passes share with them. */
#include "tables.h"

#include <stdio.h>
#include <string.h>

#include "json_lines.h"

/* ---- for people ---- */

static void put_operations(const listing *list) {
    hlo_table_row row;
    int names = (int)listing_names(list, hlo_operation_row, 32);
    listing_columns(list, "%-*s %13s  class", names, "operation", "operands");
    for (size_t i = 0; hlo_operation_row(i, &row); i++) {
        char operands[32];
        if (row.min_operands == row.max_operands)
            snprintf(operands, sizeof operands, "%d", row.min_operands);
        else if (row.max_operands < 0) snprintf(operands, sizeof operands, "%d+", row.min_operands);
        else snprintf(operands, sizeof operands, "%d-%d", row.min_operands, row.max_operands);
        listing_put(list, "%-*s %4s operands  %-15s%s%s%s%s\n", names, row.name, operands,
                    row.group, row.elementwise ? " elementwise" : "",
                    row.commutative ? " commutative" : "", row.side_effect ? " side-effect" : "",
                    row.executable ? "" : " not-executable");
    }
}

static void put_rules(const listing *list) {
    hlo_table_row row;
    int names = (int)listing_names(list, hlo_rule_row, 24);
    listing_columns(list, "%-*s %-8s requirement", names, "rule", "stage");
    for (size_t i = 0; hlo_rule_row(i, &row); i++) {
        listing_put(list, "%-*s %-8s ", names, row.name, row.group);
        listing_wrapped(list, (size_t)names + 10, (size_t)names + 10, row.description);
    }
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

static void json_rules(json_lines *json) {
    hlo_table_row row;
    for (size_t i = 0; hlo_rule_row(i, &row); i++) {
        json_open(json, NULL, '{');
        table_json_names(json, &row, "stage");
        if (strcmp(row.group, "lint") == 0) json_flag(json, "recommended", row.on);
        json_close(json, '}');
        json_end_line(json);
    }
}

/* ---- either ---- */

void list_operations(const listing *list, bool json) {
    if (json) json_operations(&(json_lines){.to = list->to});
    else put_operations(list);
}

void list_rules(const listing *list, bool json) {
    if (json) json_rules(&(json_lines){.to = list->to});
    else put_rules(list);
}

/* ---- element types ---- */

void list_types(const listing *list, bool json) {
    enum { MOST_TYPES = 256 };
    json_lines lines = {.to = list->to};
    if (!json) listing_columns(list, "%-13s bytes", "type");
    for (int i = 0; i < MOST_TYPES; i++) {
        const char *name = hlo_element_type_name((hlo_element_type)i);
        bool is_word = name && hlo_element_type_from_name(name) == (hlo_element_type)i;
        size_t bytes = hlo_element_type_bytes((hlo_element_type)i);
        if (!is_word || !bytes) continue;
        if (!json) listing_put(list, "%-16s %2zu\n", name, bytes);
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

void list_old_forms(const listing *list, bool json) {
    enum { LEFT = 6 };
    hlo_table_row row;
    if (json) old_forms_json(list->to);
    for (size_t i = 0; !json && hlo_old_form_row(i, &row); i++) {
        char heading[128];
        snprintf(heading, sizeof heading, "%s %s", row.name, row.group);
        listing_heading(list, heading);
        listing_put(list, "      read by: %s\n      %s\n      today: ", row.dialects, row.old);
        listing_wrapped(list, LEFT + strlen("today: "), LEFT, row.description);
    }
}
