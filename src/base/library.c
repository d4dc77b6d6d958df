/* Libraries loaded at need: see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"

/* False: out of memory, no fault of the library; the next use tries again. The reason is a copy:
 * dlerror's text is gone with the thread's next dl call. */
static bool load(hlo_library *library) {
    errno = 0;
    library->handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle && errno == ENOMEM) return false;
    library->was_tried = true;
    if (library->handle) return true;
    const char *why = dlerror();
    snprintf(library->error, sizeof library->error, "%s", why ? why : "unknown error");
    return true;
}

const char *hlo_library_missing(hlo_library *library) {
    pthread_mutex_lock(&library->lock);
    bool is_known = library->was_tried || load(library);
    pthread_mutex_unlock(&library->lock);
    if (!is_known) hlo_out_of_memory_for("a library");
    return library->handle ? NULL : library->error;
}

void *hlo_library_symbol(const hlo_library *library, const char *name) {
    HLO_ASSERT(library->handle);
    return dlsym(library->handle, name);
}
