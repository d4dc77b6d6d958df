/* Where output goes. Part of hlo.h. */
#ifndef HLO_PUBLIC_OUTPUT_H
#define HLO_PUBLIC_OUTPUT_H

#include "diags.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An hlo_output is a file that is written atomically, standard output, or memory.
 *
 * The file is written next to its final name and renamed by hlo_output_commit; "-" and NULL are
 * standard output. */
HLO_API hlo_status hlo_output_open(const char *path, hlo_diags *diags, hlo_output **out);
HLO_API hlo_output *hlo_output_to_memory(void);
HLO_API void hlo_output_write(hlo_output *output, const void *bytes, size_t count);
/* Writes the bytes as a JSON string with its quotes; what is no UTF-8 becomes U+FFFD. */
HLO_API void hlo_output_write_json_string(hlo_output *output, const char *bytes, size_t count);
/* What an output to memory holds; valid until the next write. */
HLO_API const char *hlo_output_bytes(const hlo_output *output, size_t *count);
/* Writes the rest of the buffer, reports every write that failed before, and moves the file to its
 * name. For an output to memory: reports whether all that was written is there. */
HLO_API hlo_status hlo_output_commit(hlo_output *output, hlo_diags *diags);
/* Without a commit before, the file never appears. */
HLO_API void hlo_output_free(hlo_output *output);

/* Removes the files and directories of the process that are not finished: of outputs without
 * commit, of runs that write results. For a handler of a signal that ends the process: it calls
 * nothing that such a handler must not call, and after it nothing can be committed. */
HLO_API void hlo_remove_unfinished(void);

#ifdef __cplusplus
}
#endif
#endif
