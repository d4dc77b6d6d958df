/* A reduction: sums of columns over the program's own memory, which is read where it is. A second
 * run is refused because it may not have the memory that it needs: an error is a value. */
#include "parse_text.h"

enum { ROWS = 1000, COLUMNS = 3 };

static const char text[] = "HloModule sums\n"
                           "add {\n"
                           "  a = f32[] parameter(0)\n"
                           "  b = f32[] parameter(1)\n"
                           "  ROOT sum = f32[] add(a, b)\n"
                           "}\n"
                           "ENTRY main {\n"
                           "  x = f32[1000,3] parameter(0)\n"
                           "  zero = f32[] constant(0)\n"
                           "  ROOT r = f32[3] reduce(x, zero), dimensions={0}, to_apply=add\n"
                           "}\n";

static void sum(hlo_module *module, float (*rows)[COLUMNS], hlo_diags *diags) {
    const int64_t dims[] = {ROWS, COLUMNS};
    const hlo_array array = {HLO_TYPE_F32, 2, dims, NULL, rows};
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_run *run;
    float sums[COLUMNS];
    options.threads = 2;
    if (hlo_run_prepare(module, &options, diags, &run) == HLO_OK &&
        hlo_run_set_input(run, 0, 0, &array, diags) == HLO_OK &&
        hlo_run_execute(run, diags) == HLO_OK &&
        hlo_run_copy_output(run, 0, 0, sums, NULL, sizeof sums, diags) == HLO_OK)
        printf("sums: %g %g %g\n", sums[0], sums[1], sums[2]);
    hlo_run_free(run);
}

static void refuse(hlo_module *module) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_run *run;
    options.memory.limit = 1000;
    hlo_status status = hlo_run_prepare(module, &options, diags, &run);
    printf("with 1000 bytes: status %d, %u error\n", (int)status, hlo_diags_error_count(diags));
    hlo_diags_free(diags);
}

int main(void) {
    static float rows[ROWS][COLUMNS];
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse_text(text, diags);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) rows[i][j] = (float)(j + 1);
    if (!hlo_diags_error_count(diags)) {
        sum(module, rows, diags);
        refuse(module);
    }
    hlo_module_free(module);
    return report(diags);
}
