/* Where the public interface writes: the struct of hlo_output. Private to src/host and
 * src/api. */
#ifndef HLO_HOST_OUTPUT_H
#define HLO_HOST_OUTPUT_H

#include "base/atomic_file.h"
#include "ir/ir.h"

struct hlo_output {
    hlo_buf buf; /* fd -1: memory */
    char *path;  /* for messages; NULL: memory or committed */
    hlo_atomic_file file;
    hlo_cleanup cleanup;
};

/* Memory ran out while something was written to it: it is incomplete, which hlo_output_commit
 * reports. HLO_BAD_SYSTEM, for the function that wrote. */
hlo_status hlo_output_lost(hlo_output *output);

#endif
