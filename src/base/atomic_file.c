/* Whole-or-nothing output files. */
#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/unfinished.h"

/* Opening /dev/stdout again would start at the beginning of a redirected file. */
static int names_standard_output(const char *path, const struct stat *target) {
    struct stat out;
    return strncmp(path, "/dev/", 5) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
           out.st_dev == target->st_dev && out.st_ino == target->st_ino;
}

/* A new file in the directory of `path`, its name in *made; -1 with errno when it cannot be made.
 */
static int create_in_same_directory(const char *path, mode_t mode, hlo_unfinished **made) {
    static atomic_uint next; /* several files of one directory may wait for their names */
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    size_t capacity = (size_t)directory + 64;
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        hlo_unfinished *file = hlo_unfinished_new(capacity);
        if (!file) {
            errno = ENOMEM;
            return -1;
        }
        snprintf(file->name, capacity, "%.*s.hlo-%ld-%u.tmp", directory, path, (long)getpid(),
                 atomic_fetch_add(&next, 1));
        hlo_unfinished_add(file);
        int fd = open(file->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), saved = errno;
        *made = file;
        if (fd >= 0) return fd;
        *made = NULL;
        hlo_unfinished_free(file);
        errno = saved;
        if (errno != EEXIST) break;
    }
    return -1;
}

static int open_temporary(hlo_atomic_file *file, const char *path, const struct stat *old) {
    HLO_ASSERT(file->fd == STDOUT_FILENO && !file->path);
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
    hlo_unfinished_free(file->temporary);
    free(file->path);
    *file = (hlo_atomic_file){.fd = -1};
}

int hlo_atomic_seal(hlo_atomic_file *file) {
    return close_file(file);
}

int hlo_atomic_commit(hlo_atomic_file *file) {
    HLO_ASSERT(!file->path == !file->temporary);
    int bad = close_file(file);
    if (file->path) {
        if (!bad && rename(file->temporary->name, file->path) != 0) bad = errno;
        if (bad) unlink(file->temporary->name);
    }
    release(file);
    return bad;
}

/* ---- several files ---- */

/* A call of Linux that musl has no function for. */
#if !defined RENAME_EXCHANGE
enum { RENAME_EXCHANGE = 1 << 1 };
static int renameat2(int from_directory, const char *from, int to_directory, const char *to,
                     unsigned flags) {
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
}
#endif

/* The file and the one at `path` change names. */
static int exchange(const hlo_unfinished *file, const char *path) {
    char aside[PATH_MAX];
    if (renameat2(AT_FDCWD, file->name, AT_FDCWD, path, RENAME_EXCHANGE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    /* A file system that cannot: in three steps. */
    if ((size_t)snprintf(aside, sizeof aside, "%s.old", file->name) >= sizeof aside)
        return ENAMETOOLONG;
    if (rename(path, aside) != 0) return errno;
    int bad = rename(file->name, path) != 0 ? errno : 0;
    if (rename(aside, bad ? path : file->name) != 0 && !bad) bad = errno;
    return bad;
}

/* In place, and still to be undone: what was there before is where the file was. */
static int put_in_place(const hlo_atomic_file *file, bool *was_there) {
    HLO_ASSERT(!file->path == !file->temporary);
    *was_there = file->path && access(file->path, F_OK) == 0;
    if (!file->path) return 0;
    if (*was_there) return exchange(file->temporary, file->path);
    return rename(file->temporary->name, file->path) != 0 ? errno : 0;
}

static void take_back(const hlo_atomic_file *file, bool was_there) {
    if (!file->path) return;
    if (was_there) exchange(file->temporary, file->path);
    else unlink(file->path);
}

int hlo_atomic_commit_all(hlo_atomic_file *files, size_t count) {
    int bad = 0;
    size_t done = 0;
    for (size_t i = 0; i < count && !bad; i++) bad = close_file(&files[i]);
    bool *was_there = bad || !count ? NULL : calloc(count, sizeof *was_there);
    if (count && !bad && !was_there) bad = ENOMEM;
    sigset_t before;
    hlo_signals_block(&before);
    while (done < count && !bad) {
        bad = put_in_place(&files[done], &was_there[done]);
        if (!bad) done++;
    }
    while (bad && done--) take_back(&files[done], was_there[done]);
    hlo_signals_unblock(&before);
    free(was_there);
    for (size_t i = 0; i < count; i++) hlo_atomic_discard(&files[i]);
    return bad;
}

void hlo_atomic_discard(hlo_atomic_file *file) {
    close_file(file);
    if (file->path) unlink(file->temporary->name);
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
