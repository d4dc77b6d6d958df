/* Command lines whose calls of the system fail, what a run of one leaves, and what is expected of
 * it. Files of this folder only. */
#ifndef TESTS_FAULTS_PROGRAMS_PROGRAMS_H
#define TESTS_FAULTS_PROGRAMS_PROGRAMS_H

#include <stddef.h>

#include "page.h"

/* ---- commands.c ---- */

enum {
    IS_TIMED = 1,     /* texts and files differ from run to run */
    IS_PIECEMEAL = 2, /* several files, each of which is whole or not there */
    IS_SLOW = 4,      /* starts other commands: fewer of its calls fail */
    IS_REPORT = 8     /* output reports failures too, or is the best so far: it may differ */
};

/* Run in a separate folder; ../in has the input files. */
typedef struct {
    const char *words; /* separated by blanks; '...' is one word */
    const char *input; /* standard input, or NULL */
    int status;        /* when nothing fails */
    unsigned is;
} fault_command;

extern const fault_command fault_commands[];
extern const size_t fault_command_count;
void fault_commands_write_files(const char *folder);

/* ---- attempt.c ---- */

/* How the standard streams are. */
typedef enum {
    STREAMS_GOOD,
    INPUT_CLOSED,
    OUTPUT_CLOSED,
    ERRORS_CLOSED,
    OUTPUT_FULL,
    ERRORS_FULL,
    STREAM_KINDS
} stream_fault;

typedef struct {
    char path[256]; /* below the folder */
    char *bytes;    /* NULL: a directory */
    size_t count;
} found_file;

enum { MOST_FILES = 256 };

typedef struct {
    int status; /* of waitpid */
    found_file files[MOST_FILES];
    size_t file_count;
    char *out, *errors; /* what went to the standard streams */
    size_t out_count;
    char leftover[256]; /* something in the folder for temporary files, or "" */
} attempt;

typedef struct {
    char folder[64]; /* run, in, tmp, stdout, stderr, page */
    fault_page *page;
} fault_place;

void fault_place_open(fault_place *place, const char *folder);
/* Runs the command with the page's fault in an empty folder, or one where the files of `old`
 * (or NULL) are, with other content. attempt_free frees what it gives. */
void attempt_run(const fault_place *place, const fault_command *command, stream_fault streams,
                 const attempt *old, attempt *out);
void attempt_free(attempt *a);
extern const char old_content[];

/* ---- judge.c ---- */

typedef enum { WAS_UNHARMED, WAS_ERROR, WAS_ENDED, WAS_WRONG } verdict;

/* `was_old`: the folder had files before. The reason goes to *why when it was wrong. */
verdict judge(const fault_command *command, const fault_page *page, stream_fault streams,
              const attempt *good, const attempt *seen, bool was_old, const char **why);

#endif
