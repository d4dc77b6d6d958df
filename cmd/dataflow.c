/* Options of dataflow graphs: see dataflow.h. */
#include "dataflow.h"

#include <inttypes.h>
#include <stdlib.h>

#include "size.h"

const variable_row dataflow_variables[] = {
    {"TMPDIR", "where the file of --swap-threshold is without --swap-dir (/tmp)"},
    {0},
};

int dataflow_check(const program_info *program, dataflow_options *options) {
    if (options->swap_directory && !options->swap_threshold)
        return options_wrong_use(program, "--swap-dir is of use with --swap-threshold only");
    if (!options->swap_threshold) return OPTIONS_GO_ON;
    const char *temporary = getenv("TMPDIR");
    if (!options->swap_directory)
        options->swap_directory = temporary && *temporary ? temporary : "/tmp";
    return size_read(program, "swap-threshold", options->swap_threshold, &options->swap_bytes);
}

void dataflow_report(const dataflow_options *options, const hlo_run *run) {
    if (!options->swap_directory) return;
    fprintf(stderr, "stacks: at most %" PRIu64 " bytes in memory at once\n",
            hlo_run_stack_peak(run));
}
