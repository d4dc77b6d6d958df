/* Whole-or-nothing output files. Called by whatever writes a file. */
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

/* Opening /dev/stdout again would start at the beginning of a redirected file. */
static int names_standard_output(const char *path, const struct stat *target) {
    struct stat out;
    return strncmp(path, "/dev/", 5) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
           out.st_dev == target->st_dev && out.st_ino == target->st_ino;
}

/* A new file in the directory of `path`, its name in *name; -1 with errno when it cannot be made.
 */
static int create_in_same_directory(const char *path, mode_t mode, char **name) {
    static atomic_uint next; /* several files of one directory may wait for their names */
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    size_t capacity = (size_t)directory + 64;
    char *text = hlo_try_malloc(capacity);
    int fd = -1;
    *name = text;
    if (!text) {
        errno = ENOMEM;
        return fd;
    }
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(text, capacity, "%.*s.hlo-%ld-%u.tmp", directory, path, (long)getpid(),
                 atomic_fetch_add(&next, 1));
        fd = open(text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST) break;
    }
    if (fd < 0) {
        int saved = errno;
        hlo_free(text);
        *name = NULL;
        errno = saved;
    }
    return fd;
}

static int open_temporary(hlo_atomic_file *file, const char *path, const struct stat *old) {
    if (old && access(path, W_OK) != 0) return errno;
    char *target = old ? realpath(path, NULL) : strdup(path);
    if (!target) return errno;
    file->fd = create_in_same_directory(target, 0666, &file->temporary);
    if (file->fd < 0) {
        int saved = errno;
        free(target);
        return saved;
    }
    /* Best effort: the contents matter more than the old file's permissions. */
    if (old && fchmod(file->fd, old->st_mode & 07777) != 0) errno = 0;
    file->path = target;
    return 0;
}

int hlo_atomic_open(hlo_atomic_file *file, const char *path) {
    *file = (hlo_atomic_file){.fd = STDOUT_FILENO};
    if (strcmp(path, "-") == 0) return 0;
    struct stat old;
    int exists = stat(path, &old) == 0;
    if (!exists && errno != ENOENT) return errno;
    if (!exists || (S_ISREG(old.st_mode) && strncmp(path, "/dev/", 5) != 0))
        return open_temporary(file, path, exists ? &old : NULL);
    if (names_standard_output(path, &old)) return 0;
    file->fd = open(path, O_WRONLY | O_CLOEXEC);
    return file->fd < 0 ? errno : 0;
}

static int close_file(hlo_atomic_file *file) {
    if (file->fd < 0 || file->fd == STDOUT_FILENO) return 0;
    int bad = close(file->fd) != 0 ? errno : 0;
    file->fd = -1;
    return bad;
}

static void release(hlo_atomic_file *file) {
    hlo_free(file->temporary);
    free(file->path);
    *file = (hlo_atomic_file){.fd = -1};
}

int hlo_atomic_seal(hlo_atomic_file *file) {
    return close_file(file);
}

int hlo_atomic_commit(hlo_atomic_file *file) {
    int bad = close_file(file);
    if (file->path) {
        if (!bad && rename(file->temporary, file->path) != 0) bad = errno;
        if (bad) unlink(file->temporary);
    }
    release(file);
    return bad;
}

void hlo_atomic_discard(hlo_atomic_file *file) {
    close_file(file);
    if (file->path) unlink(file->temporary);
    release(file);
}

int hlo_write_all(int fd, const void *bytes, size_t n) {
    const char *at = bytes;
    while (n) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        at += done;
        n -= (size_t)done;
    }
    return 0;
}
