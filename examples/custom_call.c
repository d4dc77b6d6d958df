/* Custom calls: functions of this program compute instructions of the module; one reports failure,
 * which is an error of the run. */
#include "parse_text.h"

static const char text[] = "HloModule calls\n"
                           "ENTRY main {\n"
                           "  x = s32[4] parameter(0)\n"
                           "  ROOT y = s32[4] custom-call(x), custom_call_target=\"half\", "
                           "api_version=API_VERSION_STATUS_RETURNING\n"
                           "}\n";

static void half(void *out, const void **in, XlaCustomCallStatus *status) {
    static const char odd[] = "an odd number";
    for (int i = 0; i < 4; i++) {
        int32_t x = ((const int32_t *)in[0])[i];
        if (x % 2) XlaCustomCallStatusSetFailure(status, odd, sizeof odd - 1);
        ((int32_t *)out)[i] = x / 2;
    }
}

static hlo_status halve(hlo_run *run, const int32_t *x, hlo_diags *diags) {
    const int64_t dims[] = {4};
    const hlo_array array = {HLO_TYPE_S32, 1, dims, NULL, x};
    int32_t y[4];
    hlo_status status = hlo_run_set_input(run, 0, 0, &array, diags);
    if (status == HLO_OK) status = hlo_run_execute(run, diags);
    if (status == HLO_OK) status = hlo_run_copy_output(run, 0, 0, y, NULL, sizeof y, diags);
    if (status == HLO_OK) printf("halves: %d %d %d %d\n", y[0], y[1], y[2], y[3]);
    return status;
}

static void halve_odd(hlo_run *run) {
    static const int32_t odd[] = {2, 4, 7, 8};
    hlo_diags *diags = hlo_diags_create(0);
    printf("odd numbers: status %d\n", (int)halve(run, odd, diags));
    hlo_diags_free(diags);
}

int main(void) {
    static const int32_t even[] = {2, 4, 6, 8};
    const hlo_custom_call calls[] = {{"half", (void (*)(void))half}};
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = parse_text(text, diags);
    hlo_run *run = NULL;
    options.custom_calls.functions = calls;
    options.custom_calls.function_count = 1;
    if (module && hlo_run_prepare(module, &options, diags, &run) == HLO_OK) {
        halve(run, even, diags);
        halve_odd(run);
    }
    hlo_run_free(run);
    hlo_module_free(module);
    return report(diags);
}
