/* Independent jobs on several threads, with results delivered in order. */
#ifndef HLO_CMD_JOBS_H
#define HLO_CMD_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    void (*work)(size_t job, void *context); /* on any thread, in any order */
    void (*done)(size_t job, void *context); /* on the caller's thread, in order of jobs */
    void *context;
} job_kind;

/* Runs jobs 0 to count-1 on `threads` threads; 0: one for each processor. Only a few jobs run ahead
 * of the next one to be delivered, which bounds the number of finished ones. */
void jobs_run(size_t count, uint64_t threads, const job_kind *kind);

#endif
