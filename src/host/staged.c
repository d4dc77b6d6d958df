/* Files of arrays that appear together or not at all. Called for results and for outfeeds. */
#include "host/staged.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unfinished.h"

static hlo_status cannot(hlo_diags *diags, const char *action, const char *path, int error) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot %s %s: %s", action, path,
              strerror(error));
    return HLO_BAD_SYSTEM;
}

/* Makes the directory, to be removed with its files; 0, or an errno. */
static int make_directory(hlo_staged *staged) {
    size_t size = strlen(staged->directory) + 1;
    staged->made_directory = hlo_unfinished_new(size);
    if (!staged->made_directory) return ENOMEM;
    memcpy(staged->made_directory->name, staged->directory, size);
    staged->made_directory->is_directory = true;
    if (mkdir(staged->directory, 0777) == 0) {
        hlo_unfinished_add(staged->made_directory);
        return 0;
    }
    int error = errno;
    hlo_unfinished_free(staged->made_directory);
    staged->made_directory = NULL;
    return error;
}

hlo_status hlo_staged_open(const char *directory, hlo_diags *diags, hlo_staged *out) {
    *out = (hlo_staged){.directory = directory};
    int error = make_directory(out);
    struct stat st;
    if (!error) return HLO_OK;
    if (error != EEXIST) return cannot(diags, "make", directory, error);
    if (stat(directory, &st) == 0 && S_ISDIR(st.st_mode)) return HLO_OK;
    return cannot(diags, "make", directory, ENOTDIR);
}

/* Devices write to one directory: the one that made it may remove it, when its run has failed,
 * before another one has a file there. */
static int open_file(hlo_staged *staged, hlo_atomic_file *file, const char *path) {
    enum { TRIES = 16 };
    int error = hlo_atomic_open(file, path);
    for (int i = 0; error == ENOENT && i < TRIES; i++) {
        int made = 0;
        if (!staged->made_directory) made = make_directory(staged);
        else if (mkdir(staged->directory, 0777) != 0) made = errno;
        if (made && made != EEXIST) return made;
        error = hlo_atomic_open(file, path);
    }
    return error;
}

hlo_status hlo_staged_add(hlo_staged *staged, const char *name, const hlo_literal *literal,
                          hlo_diags *diags) {
    hlo_buf path = HLO_BUF_INIT;
    hlo_buf_printf(&path, "%s/%s.npy", staged->directory, name);
    hlo_buf_char(&path, '\0');
    hlo_list_reserve(&staged->files, staged->files.n + 1);
    hlo_keep(staged->files.v); /* a run that failed discards it later */
    hlo_atomic_file *file = &staged->files.v[staged->files.n];
    int error = open_file(staged, file, path.data);
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
    int error = hlo_atomic_commit_all(staged->files.v, staged->files.n);
    staged->files.n = 0;
    if (error) return cannot(diags, "write files in", staged->directory, error);
    hlo_unfinished_free(staged->made_directory); /* it stays */
    staged->made_directory = NULL;
    forget(staged);
    return HLO_OK;
}

void hlo_staged_discard(hlo_staged *staged) {
    for (size_t i = 0; i < staged->files.n; i++) hlo_atomic_discard(&staged->files.v[i]);
    if (staged->made_directory)
        rmdir(staged->directory); /* fails, as it should, when others use it */
    hlo_unfinished_free(staged->made_directory);
    forget(staged);
}
