/* Functions of the user, and of shared libraries, that custom calls reach by name. */
#include <dlfcn.h>
#include <link.h>

#include "eval/kernel/foreign.h"
#include "host/run.h"

static hlo_status cannot_load(hlo_diags *diags, const char *path) {
    const char *why = dlerror();
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot load the library %s: %s", path,
              why ? why : "unknown reason");
    return HLO_BAD_SYSTEM;
}

/* A name without a slash is a file of the working directory, not one of the library search path. */
static void *open_library(const char *path) {
    hlo_buf full = HLO_BUF_INIT;
    hlo_buf_printf(&full, "%s%s", strchr(path, '/') ? "" : "./", path);
    hlo_buf_char(&full, '\0');
    hlo_foreign foreign; /* functions that run at its start */
    hlo_foreign_begin(&foreign, path);
    void *library = dlopen(full.data, RTLD_NOW | RTLD_LOCAL);
    hlo_foreign_end(&foreign);
    hlo_buf_free(&full);
    return library;
}

hlo_status hlo_run_open_libraries(hlo_run *run, const hlo_run_options *options, hlo_diags *diags) {
    run->libraries = hlo_calloc(options->custom_calls.library_count, sizeof *run->libraries);
    for (size_t i = 0; i < options->custom_calls.library_count; i++) {
        run->libraries[i] = open_library(options->custom_calls.libraries[i]);
        if (!run->libraries[i]) return cannot_load(diags, options->custom_calls.libraries[i]);
        run->library_count++;
    }
    return HLO_OK;
}

void hlo_run_close_libraries(hlo_run *run) {
    hlo_foreign foreign;
    hlo_foreign_begin(&foreign, "a closed library");
    while (run->library_count > 0) dlclose(run->libraries[--run->library_count]);
    hlo_foreign_end(&foreign);
    hlo_free(run->libraries);
    run->libraries = NULL;
}

static bool is_data(const ElfW(Sym) * symbol) {
    int type = symbol ? ELF64_ST_TYPE(symbol->st_info) : STT_NOTYPE; /* 32 bits have the same */
    return type == STT_OBJECT || type == STT_COMMON || type == STT_TLS;
}

/* The file with the address, and the symbol there: NULL where the C library is not glibc, which
 * does not show it. */
static bool find_symbol(const void *address, Dl_info *found, void **symbol) {
#if defined __GLIBC__
    return dladdr1(address, found, symbol, RTLD_DL_SYMENT) != 0;
#else
    *symbol = NULL;
    return dladdr(address, found) != 0;
#endif
}

/* Whether what dlsym found is a function that the library itself defines: "free" is no target of a
 * library that uses libc, and a variable cannot be called. */
static bool is_own_function(void *library, const void *address) {
    struct link_map *map;
    Dl_info found;
    void *symbol = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && find_symbol(address, &found, &symbol) &&
           (uintptr_t)found.dli_fbase == (uintptr_t)map->l_addr &&
           !(found.dli_saddr == address && is_data(symbol));
}

/* The function that the user has given for the target, or NULL. */
static hlo_function *own_function(const hlo_run *run, const hlo_str *target) {
    for (size_t i = 0; i < run->function_count; i++) {
        const hlo_custom_call *row = &run->functions[i];
        if (row->target && strlen(row->target) == target->len &&
            memcmp(row->target, target->ptr, target->len) == 0)
            return row->function;
    }
    return NULL;
}

hlo_function *hlo_run_find_function(void *context, const hlo_str *target) {
    const hlo_run *run = context;
    if (!target->len || memchr(target->ptr, '\0', target->len)) return NULL;
    hlo_function *function = own_function(run, target);
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_bytes(&name, target->ptr, target->len);
    hlo_buf_char(&name, '\0');
    for (size_t i = 0; i < run->library_count && !function; i++) {
        void *address = dlsym(run->libraries[i], name.data);
        if (address && is_own_function(run->libraries[i], address))
            memcpy(&function, &address, sizeof function);
    }
    hlo_buf_free(&name);
    return function;
}
