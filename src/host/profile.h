/* The profile of a run by the instructions of the module. Private to src/host: profile.c makes the
 * list, and each form of hlo_run_write_profile has a separate file. */
#ifndef HLO_HOST_PROFILE_H
#define HLO_HOST_PROFILE_H

#include "host/run.h"

typedef struct {
    hlo_arena arena;
    uint32_t count;
    hlo_profile_row *rows; /* those first whose own time is longest */
    hlo_times run;         /* of all executions, in nanoseconds */
    double between;        /* seconds of these outside of all steps */
    double all;            /* seconds of all rows and between them: what shares are of */
} hlo_profile_list;

void hlo_profile_list_make(hlo_profile_list *list, const hlo_run *run);
void hlo_profile_list_free(hlo_profile_list *list);

/* The least seconds that the machine needs for all calls of a row over the seconds that they took;
 * NaN where it is not known what they need. */
double hlo_profile_reach(const hlo_profile_row *row, const hlo_roofline *roof);
/* Operations of all kinds of one call, NaN where that is not known. */
double hlo_profile_operations(const hlo_profile_row *row);
/* What readers know it by: the module's instruction, or those that a fusion holds. */
void hlo_profile_put_label(hlo_buf *to, const hlo_profile_row *row);

/* Names of the step with that number, in the list's arena: those of its row, times not among them.
 */
void hlo_profile_name_step(hlo_profile_list *list, const hlo_run *run, uint32_t step,
                           hlo_profile_row *row);

void hlo_profile_put_table(hlo_buf *to, const hlo_profile_list *list, const hlo_roofline *roof);
void hlo_profile_put_json(hlo_buf *to, const hlo_profile_list *list, const hlo_roofline *roof);
void hlo_profile_put_trace(hlo_buf *to, const hlo_run *run);
void hlo_profile_put_roofline(hlo_buf *to, const hlo_profile_list *list, const hlo_roofline *roof);

/* `"name": ` and the number, or null for one that JSON has no word for. */
void hlo_profile_put_number(hlo_buf *to, const char *name, double value);

#endif
