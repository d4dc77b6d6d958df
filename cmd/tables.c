/* Lists of operations, passes and rules. */
#include "tables.h"

#include <stdarg.h>
#include <string.h>

static void put(hlo_output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(hlo_output *output, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n > 0) hlo_output_write(output, line, strlen(line));
}

void list_operations(hlo_output *output) {
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
void list_passes(hlo_output *output) {
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

void list_pipelines(hlo_output *output) {
    hlo_table_row row;
    for (size_t i = 0; hlo_pipeline_row(i, &row); i++)
        put(output, "%s: %s\n    %s\n", row.name, row.description, row.group);
}

void list_rules(hlo_output *output) {
    hlo_table_row row;
    for (size_t i = 0; hlo_rule_row(i, &row); i++)
        put(output, "%-24s %-8s %s\n", row.name, row.group, row.description);
}
