/* Output files that appear whole or not at all: written under another name in the same directory
 * and renamed at the end. */
#ifndef HLO_BASE_ATOMIC_FILE_H
#define HLO_BASE_ATOMIC_FILE_H

#include <stddef.h>

typedef struct hlo_unfinished hlo_unfinished;

typedef struct {
    int fd;     /* write here */
    char *path; /* the target after resolving symbolic links; NULL when fd is the target itself */
    hlo_unfinished *temporary; /* what is renamed to it */
} hlo_atomic_file;

/* Each returns 0 or an errno, and leaves no file on failure. "-" and names of the standard
 * output write there; devices, pipes and other things that are no regular files are written
 * straight. */
int hlo_atomic_open(hlo_atomic_file *file, const char *path);
/* Everything has been written: the descriptor is closed, so that many files can wait to be put in
 * place. A write that failed late is an errno here. */
int hlo_atomic_seal(hlo_atomic_file *file);
/* Puts the file in place. After a failed write call hlo_atomic_discard instead. */
int hlo_atomic_commit(hlo_atomic_file *file);
/* The same for several files: all of them, or none. */
int hlo_atomic_commit_all(hlo_atomic_file *files, size_t count);
/* Forgets the file: a previous one of that name is as it was. */
void hlo_atomic_discard(hlo_atomic_file *file);
/* All of the bytes to a descriptor. */
int hlo_write_all(int fd, const void *bytes, size_t n);

#endif
