/* Comparing modules, for the public interface. */
#include "diff/diff.h"

#include "run/output.h"

bool hlo_write_diff(hlo_module *a, hlo_module *b, const hlo_diff_options *options,
                    hlo_output *output) {
    HLO_API_CALL(NULL) {
        hlo_output_lost(output);
        return false;
    }
    if (!hlo_module_is_usable(a, NULL) || !hlo_module_is_usable(b, NULL)) {
        hlo_output_lost(output);
        return false;
    }
    hlo_diff diff;
    hlo_diff_init(&diff, a, b, options && options->metadata);
    if (options && options->json) hlo_diff_print_json(&diff, &output->buf);
    else hlo_diff_print(&diff, &output->buf);
    bool same = hlo_diff_is_empty(&diff);
    hlo_diff_free(&diff);
    return same;
}
