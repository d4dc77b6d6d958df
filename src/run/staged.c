/* Files of arrays that appear together or not at all. Called for results and for outfeeds. */
#include "run/staged.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static hlo_status cannot(hlo_diags *diags, const char *action, const char *path, int error) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot %s %s: %s", action, path,
              strerror(error));
    return HLO_BAD_SYSTEM;
}

hlo_status hlo_staged_open(const char *directory, hlo_diags *diags, hlo_staged *out) {
    *out = (hlo_staged){.directory = directory};
    out->made_directory = mkdir(directory, 0777) == 0;
    struct stat st;
    if (!out->made_directory && errno != EEXIST) return cannot(diags, "make", directory, errno);
    if (stat(directory, &st) == 0 && S_ISDIR(st.st_mode)) return HLO_OK;
    return cannot(diags, "make", directory, ENOTDIR);
}

hlo_status hlo_staged_add(hlo_staged *staged, const char *name, const hlo_literal *literal,
                          hlo_diags *diags) {
    hlo_buf path = HLO_BUF_INIT;
    hlo_buf_printf(&path, "%s/%s.npy", staged->directory, name);
    hlo_buf_char(&path, '\0');
    hlo_list_reserve(&staged->files, staged->files.n + 1);
    hlo_atomic_file *file = &staged->files.v[staged->files.n];
    int error = hlo_atomic_open(file, path.data);
    if (!error) {
        staged->files.n++;
        error = hlo_npy_write_to(file->fd, literal);
        if (!error) error = hlo_atomic_seal(file);
        if (error) hlo_atomic_discard(&hlo_list_pop(&staged->files));
    }
    hlo_status status = error ? cannot(diags, "write", path.data, error) : HLO_OK;
    hlo_buf_free(&path);
    return status;
}

static void forget(hlo_staged *staged) {
    hlo_list_free(&staged->files);
    *staged = (hlo_staged){0};
}

hlo_status hlo_staged_commit(hlo_staged *staged, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (size_t i = 0; i < staged->files.n; i++) {
        int error = hlo_atomic_commit(&staged->files.v[i]);
        if (error) status = cannot(diags, "write files in", staged->directory, error);
    }
    forget(staged);
    return status;
}

void hlo_staged_discard(hlo_staged *staged) {
    for (size_t i = 0; i < staged->files.n; i++) hlo_atomic_discard(&staged->files.v[i]);
    if (staged->made_directory) rmdir(staged->directory); /* fails, as it should, when others use it */
    forget(staged);
}
