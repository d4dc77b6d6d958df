/* What the driver and the shim in the program under test share: a page of memory, mapped from the
 * file that the environment names. */
#ifndef TESTS_FAULTS_PROGRAMS_PAGE_H
#define TESTS_FAULTS_PROGRAMS_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>

#define FAULTS_PAGE "HLO_FAULTS_PAGE" /* the variable */

/* Calls that are counted from main on, and made to fail. */
typedef enum {
    FAULT_ALLOCATION, /* malloc and its relatives, and memory from mmap: ENOMEM */
    FAULT_OPEN,       /* EMFILE */
    FAULT_READ,       /* EIO */
    FAULT_WRITE,      /* EIO */
    FAULT_FULL,       /* writes from that one on: half of it, then ENOSPC */
    FAULT_CLOSE,      /* closes, then EIO */
    FAULT_RENAME,     /* EXDEV */
    FAULT_MAP,        /* of files: ENOMEM */
    FAULT_SHRINK,     /* the mapped file has no bytes left */
    FAULT_SIGNAL,     /* page->signal before that call on files */
    FAULT_KINDS
} fault_kind;

typedef struct {
    fault_kind kind;
    long number; /* the call that fails, from 1; 0: none */
    int signal;
    atomic_long counts[FAULT_KINDS];
    atomic_bool has_failed;
    bool was_for_writing; /* the file that was closed */
} fault_page;

#endif
