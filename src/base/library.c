/* Libraries loaded at need: see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>

/* The reason is a copy: dlerror's text is gone with the thread's next dl call. */
static void load(hlo_library *library) {
    library->was_tried = true;
    library->handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (library->handle) return;
    const char *why = dlerror();
    snprintf(library->error, sizeof library->error, "%s", why ? why : "no reason given");
}

const char *hlo_library_missing(hlo_library *library) {
    pthread_mutex_lock(&library->lock);
    if (!library->was_tried) load(library);
    pthread_mutex_unlock(&library->lock);
    return library->handle ? NULL : library->error;
}

void *hlo_library_symbol(const hlo_library *library, const char *name) {
    return dlsym(library->handle, name);
}
