/* Shared libraries that are loaded when they are first needed: those whose thousands of relocations
 * would cost every program that starts more than all the rest. */
#ifndef HLO_BASE_LIBRARY_H
#define HLO_BASE_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>

enum { HLO_LIBRARY_ERROR_BYTES = 256 };

/* One for the whole program, at file scope; loaded once and never unloaded. */
typedef struct {
    const char *file; /* its soname */
    pthread_mutex_t lock;
    bool was_tried;
    void *handle;
    char error[HLO_LIBRARY_ERROR_BYTES];
} hlo_library;

#define HLO_LIBRARY(soname) \
    { .file = (soname), .lock = PTHREAD_MUTEX_INITIALIZER }

/* Why the library is not there, which stays the same for good; NULL: it is. Any thread may ask. */
const char *hlo_library_missing(hlo_library *library);

/* The function of that name of a library that is there, in which every version of its soname has
 * it. */
void *hlo_library_symbol(const hlo_library *library, const char *name);

#endif
