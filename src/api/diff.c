/* Comparing modules, for the public interface. */
#include <hlo.h>

#include "diff/diff.h"

#include "host/output.h"

hlo_status hlo_write_diff(hlo_module *a, hlo_module *b, const hlo_diff_options *options,
                          hlo_output *output, hlo_diags *diags, bool *same) {
    HLO_API_CALL(diags) return hlo_output_lost(output);
    if (same) *same = false;
    HLO_REQUIRE(diags, a);
    HLO_REQUIRE(diags, b);
    HLO_REQUIRE(diags, output);
    if (!hlo_module_is_usable(a, diags) || !hlo_module_is_usable(b, diags)) return HLO_BAD_USE;
    hlo_diff_options how = HLO_DIFF_OPTIONS_INIT;
    if (hlo_take_options(options, &how, sizeof how, diags) != HLO_OK) return HLO_BAD_USE;
    hlo_diff_report report = {
        {how.metadata, how.layouts != HLO_OFF, how.schedule}, how.json, how.brief};
    hlo_buf *counts = how.counts ? &how.counts->buf : NULL;
    bool is_same = hlo_diff_write(a, b, report, &output->buf, counts);
    if (same) *same = is_same;
    return HLO_OK;
}
