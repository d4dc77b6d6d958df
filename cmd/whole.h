/* --input-sharded: the inputs of all devices together, and the module that has them. */
#ifndef HLO_CMD_WHOLE_H
#define HLO_CMD_WHOLE_H

#include "modules.h"

typedef struct {
    const char *path; /* of the option: NULL, "" for the module that runs, or another module */
    hlo_module *module;
    const common_options *common;
    module_work *work;
    void *context;
} whole_inputs;

/* modules_each for the module that runs, while the other one is there. */
hlo_status whole_each(whole_inputs *whole, const common_options *common, module_work *work,
                      void *context, hlo_diags *diags);
/* What hlo_run_options.devices.whole is for a run of the module. */
static inline hlo_module *whole_of(const whole_inputs *whole, hlo_module *module) {
    return whole->path && !*whole->path ? module : whole->module;
}

#endif
