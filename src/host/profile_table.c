/* Profiles as a table for readers and as JSON. */
#include <inttypes.h>
#include <math.h>

#include "base/json_string.h"
#include "host/profile.h"

/* ---- the table ---- */

enum { NAME_WIDTH = 60 };

/* A number in `width` columns; nothing there for NaN. */
static void put_cell(hlo_buf *to, int width, int digits, double value) {
    if (isnan(value)) hlo_buf_printf(to, "%*s", width, "-");
    else hlo_buf_printf(to, "%*.*f", width, digits, value);
}

/* In the unit that leaves a few digits. */
static void put_seconds(hlo_buf *to, int width, double seconds) {
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s "}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t u = 0;
    while (u < 3 && seconds < units[u].unit) u++;
    double value = seconds / units[u].unit;
    hlo_buf_printf(to, "%*.*f %s", width - 3, value < 100 ? 2 : 0, value, units[u].name);
}

static double rate(double each, const hlo_profile_row *row) {
    double all = each * (double)row->calls;
    return row->total_seconds > 0 ? all / row->total_seconds * 1e-9 : NAN;
}

/* The label, cut where the column of names ends, and how many instructions it then names. */
static void put_name(hlo_buf *to, const hlo_profile_row *row) {
    hlo_buf label = HLO_BUF_INIT;
    hlo_profile_put_label(&label, row);
    bool is_long = label.len > NAME_WIDTH;
    size_t shown = is_long ? NAME_WIDTH - 3 : label.len;
    hlo_buf_bytes(to, label.data, shown); /* printable: of names */
    if (is_long) hlo_buf_lit(to, "...");
    if (is_long && row->origin_count > 1)
        hlo_buf_printf(to, " (%zu instructions)", row->origin_count);
    hlo_buf_free(&label);
}

static void put_row(hlo_buf *to, const hlo_profile_list *list, const hlo_profile_row *row,
                    const hlo_roofline *roof) {
    hlo_buf_printf(to, "%9" PRIu64, row->calls);
    put_seconds(to, 12, row->seconds);
    put_cell(to, 8, 1, 100 * row->seconds / list->all);
    put_seconds(to, 12, row->total_seconds);
    put_cell(to, 9, 2, rate(row->bytes, row));
    put_cell(to, 9, 2, rate(row->flops, row));
    put_cell(to, 7, 1, 100 * hlo_profile_reach(row, roof));
    hlo_buf_printf(to, "  %-18s  ", row->kernel);
    put_name(to, row);
    hlo_buf_char(to, '\n');
}

/* Rows that matter: not those that would be 0.0 % of the time. */
static uint32_t count_shown(const hlo_profile_list *list) {
    uint32_t shown = 0;
    while (shown < list->count && list->rows[shown].seconds >= 0.0005 * list->all) shown++;
    return shown;
}

static void put_rest(hlo_buf *to, const hlo_profile_list *list, double seconds, const char *what) {
    hlo_buf_printf(to, "%9s", "");
    put_seconds(to, 12, seconds);
    put_cell(to, 8, 1, list->all > 0 ? 100 * seconds / list->all : NAN);
    hlo_buf_printf(to, "  %s\n", what);
}

static void put_machine(hlo_buf *to, const hlo_roofline *roof) {
    hlo_buf_printf(to, "measured in %.0f ms, %u thread%s, %s: ", roof->seconds * 1e3, roof->threads,
                   roof->threads == 1 ? "" : "s", roof->isa);
    for (int i = 0; i < HLO_BANDWIDTHS; i++) {
        const hlo_bandwidth *memory = &roof->memory[i];
        hlo_buf_printf(to, "%.0f GB/s (%s, %g MiB), ", memory->per_second * 1e-9, memory->name,
                       memory->bytes / 1048576);
    }
    hlo_buf_printf(to, "%.0f GFLOP/s (f32)\n", roof->flops * 1e-9);
}

void hlo_profile_put_table(hlo_buf *to, const hlo_profile_list *list, const hlo_roofline *roof) {
    double seconds = (double)list->run.total * 1e-9;
    uint64_t runs = list->run.calls;
    hlo_buf_printf(to, "%" PRIu64 " run%s, ", runs, runs == 1 ? "" : "s");
    put_seconds(to, 0, runs ? seconds / (double)runs : 0);
    hlo_buf_cstr(to, runs == 1 ? "\n" : " each\n");
    put_machine(to, roof);
    hlo_buf_printf(to, "%9s%12s%8s%12s%9s%9s%7s  %-18s  %s\n", "calls", "own time ", "share %",
                   "all time ", "GB/s", "GFLOP/s", "roof %", "kernel", "instruction");
    uint32_t shown = count_shown(list);
    double others = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (i < shown) put_row(to, list, &list->rows[i], roof);
        else others += list->rows[i].seconds;
    }
    if (shown < list->count) put_rest(to, list, others, "in shorter instructions");
    put_rest(to, list, list->between,
             "between instructions: dispatch, and waiting for other threads");
}

/* ---- JSON ---- */

void hlo_profile_put_number(hlo_buf *to, const char *name, double value) {
    if (isfinite(value)) hlo_buf_printf(to, "\"%s\": %.9g", name, value);
    else hlo_buf_printf(to, "\"%s\": null", name);
}

static void put_text(hlo_buf *to, const char *name, const char *value) {
    hlo_buf_printf(to, "\"%s\": ", name);
    hlo_json_string(to, value, strlen(value));
    hlo_buf_lit(to, ", ");
}

static void put_origins(hlo_buf *to, const hlo_profile_row *row) {
    hlo_buf_lit(to, "\"instructions\": [");
    for (size_t i = 0; i < row->origin_count; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_json_string(to, row->origins[i], strlen(row->origins[i]));
    }
    hlo_buf_lit(to, "], ");
}

static void put_json_row(hlo_buf *to, const hlo_profile_row *row, const hlo_roofline *roof) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"seconds", row->seconds}, {"total_seconds", row->total_seconds},
                   {"flops", row->flops},     {"transcendentals", row->transcendentals},
                   {"bytes", row->bytes},     {"roofline_share", hlo_profile_reach(row, roof)}};
    hlo_buf_lit(to, "    {");
    put_text(to, "name", row->name);
    put_text(to, "opcode", row->opcode);
    put_text(to, "computation", row->computation);
    put_text(to, "kernel", row->kernel);
    put_origins(to, row);
    hlo_buf_printf(to, "\"calls\": %" PRIu64, row->calls);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hlo_buf_lit(to, ", ");
        hlo_profile_put_number(to, numbers[i].name, numbers[i].value);
    }
    hlo_buf_char(to, '}');
}

static void put_json_machine(hlo_buf *to, const hlo_roofline *roof) {
    hlo_buf_printf(to, "  \"machine\": {\"threads\": %u, \"isa\": \"%s\", ", roof->threads,
                   roof->isa);
    hlo_profile_put_number(to, "flops_per_second", roof->flops);
    hlo_buf_lit(to, ", \"memory\": [");
    for (int i = 0; i < HLO_BANDWIDTHS; i++) {
        hlo_buf_printf(to, "%s{", i ? ", " : "");
        put_text(to, "name", roof->memory[i].name);
        hlo_profile_put_number(to, "bytes", roof->memory[i].bytes);
        hlo_buf_lit(to, ", ");
        hlo_profile_put_number(to, "bytes_per_second", roof->memory[i].per_second);
        hlo_buf_char(to, '}');
    }
    hlo_buf_lit(to, "]},\n");
}

void hlo_profile_put_json(hlo_buf *to, const hlo_profile_list *list, const hlo_roofline *roof) {
    hlo_buf_printf(to, "{\n  \"runs\": %" PRIu64 ", ", list->run.calls);
    hlo_profile_put_number(to, "seconds", (double)list->run.total * 1e-9);
    hlo_buf_lit(to, ", ");
    hlo_profile_put_number(to, "between_seconds", list->between);
    hlo_buf_lit(to, ",\n");
    put_json_machine(to, roof);
    hlo_buf_lit(to, "  \"instructions\": [");
    for (uint32_t i = 0; i < list->count; i++) {
        hlo_buf_cstr(to, i ? ",\n" : "\n");
        put_json_row(to, &list->rows[i], roof);
    }
    hlo_buf_cstr(to, list->count ? "\n  ]\n}\n" : "]\n}\n");
}
