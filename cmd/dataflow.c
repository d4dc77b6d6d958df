/* Options of dataflow graphs: see dataflow.h. */
#include "dataflow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "say.h"

static const char by_launchers[] = "set by mpirun(1): the process is one of several of a run";

const term_row dataflow_variables[] = {
    {"TMPDIR", "default of --swap-dir (/tmp)"},
    {"HLO_MPI", "0: each process that mpirun(1) starts is a separate run"},
    {"OMPI_COMM_WORLD_SIZE", by_launchers},
    {"PMI_SIZE", by_launchers},
    {"PMIX_RANK", by_launchers},
    {0},
};

int dataflow_check(const program_info *program, dataflow_options *options) {
    if (options->swap_directory && !options->swap_bytes)
        return options_wrong_use(program, "--swap-dir requires --swap-threshold");
    if (!options->swap_bytes) return OPTIONS_GO_ON;
    const char *temporary = getenv("TMPDIR");
    if (!options->swap_directory)
        options->swap_directory = temporary && *temporary ? temporary : "/tmp";
    return OPTIONS_GO_ON;
}

bool dataflow_fits(const dataflow_options *options, const hlo_run *run) {
    const struct {
        const char *name;
        bool is_given;
    } all[] = {
        {"parallel-iterations", options->parallel_iterations},
        {"devices", options->devices},
        {"lower-scalar-loops", options->lower_scalar_loops},
        {"trace", options->events},
        {"trace-form", options->event_form},
    };
    if (hlo_run_graph_devices(run)) return true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].is_given) continue;
        say(program_invocation_short_name,
            "error: --%s requires --executor=dataflow, or a dataflow graph", all[i].name);
        return false;
    }
    return true;
}

void dataflow_report(const dataflow_options *options, const hlo_run *run) {
    if (!options->swap_directory) return;
    print_lines("stacks: at most %" PRIu64 " bytes in memory at once\n", hlo_run_stack_peak(run));
}
