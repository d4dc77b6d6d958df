/* Preloaded into a program by the driver: counts its calls of the C library from main on, and makes
 * the one that the page asks for fail. Commands that the program starts are left alone. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "page.h"

#pragma GCC visibility push(default) /* what the programs and their libraries shall find */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *memory);

enum { FREED = 0xdd };

static fault_page *page; /* NULL before main, and in other processes */

static bool is_wanted(fault_kind kind) {
    if (!page) return false;
    long number = ++page->counts[kind];
    if (page->kind != kind || !page->number) return false;
    if (number != page->number && !(kind == FAULT_FULL && number > page->number)) return false;
    page->has_failed = true;
    return true;
}

static bool fails(fault_kind kind, int error) {
    if (!is_wanted(kind)) return false;
    errno = error;
    return true;
}

/* The moments at which a signal may come. */
static void moment(void) {
    if (is_wanted(FAULT_SIGNAL)) kill(getpid(), page->signal);
}

/* ---- from main on ---- */

static int (*program)(int argc, char **argv, char **environment);

static void leave_alone(void) {
    page = NULL;
}

static int begin(int argc, char **argv, char **environment) {
    const char *path = getenv(FAULTS_PAGE);
    pthread_atfork(NULL, NULL, leave_alone);
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR) : -1;
    if (fd >= 0) {
        void *map = (void *)syscall(SYS_mmap, NULL, sizeof *page, PROT_READ | PROT_WRITE,
                                    MAP_SHARED, fd, 0);
        syscall(SYS_close, fd);
        if (map != MAP_FAILED) page = map;
    }
    unsetenv("LD_PRELOAD");
    unsetenv(FAULTS_PAGE);
    return program(argc, argv, environment);
}

typedef int start_main(int (*main)(int, char **, char **), int argc, char **argv,
                       void (*init)(void), void (*fini)(void), void (*ld_fini)(void), void *end);
start_main __libc_start_main;

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*ld_fini)(void), void *end) {
    start_main *real;
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return real(begin, argc, argv, init, fini, ld_fini, end);
}

/* ---- memory ---- */

static bool no_memory(void) {
    return fails(FAULT_ALLOCATION, ENOMEM);
}

void *malloc(size_t size) {
    return no_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    return no_memory() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    return no_memory() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t align, size_t size) {
    return no_memory() ? NULL : __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size) {
    return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size) {
    *out = memalign(align, size);
    return *out ? 0 : ENOMEM;
}

/* What was freed is not to be looked at any more. */
void free(void *memory) {
    if (memory) memset(memory, FREED, malloc_usable_size(memory));
    __libc_free(memory);
}

static void shrink(int fd) {
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (truncate(name, 0) != 0) page->has_failed = false;
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    bool is_file = fd >= 0 && !(flags & MAP_ANONYMOUS);
    if (is_file) moment();
    if (is_file ? fails(FAULT_MAP, ENOMEM) : no_memory()) return MAP_FAILED;
    void *map = (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
    if (is_file && is_wanted(FAULT_SHRINK)) shrink(fd);
    return map;
}

/* ---- files ---- */

static bool cannot_open(void) {
    moment();
    return fails(FAULT_OPEN, EMFILE);
}

static int open_at(int directory, const char *path, int flags, va_list more) {
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    return cannot_open() ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int fd = open_at(AT_FDCWD, path, flags, more);
    va_end(more);
    return fd;
}

int openat(int directory, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int fd = open_at(directory, path, flags, more);
    va_end(more);
    return fd;
}

FILE *fopen(const char *path, const char *mode) {
    FILE *(*real)(const char *, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    return cannot_open() ? NULL : real(path, mode);
}

ssize_t read(int fd, void *to, size_t count) {
    moment();
    return fails(FAULT_READ, EIO) ? -1 : syscall(SYS_read, fd, to, count);
}

ssize_t write(int fd, const void *from, size_t count) {
    moment();
    if (fails(FAULT_WRITE, EIO)) return -1;
    if (!is_wanted(FAULT_FULL)) return syscall(SYS_write, fd, from, count);
    if (page->counts[FAULT_FULL] == page->number && count > 1)
        return syscall(SYS_write, fd, from, count / 2);
    errno = ENOSPC;
    return -1;
}

int close(int fd) {
    moment();
    struct stat st;
    int flags = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink ? fcntl(fd, F_GETFL) : -1;
    int result = (int)syscall(SYS_close, fd);
    if (!fails(FAULT_CLOSE, EIO)) return result;
    page->was_for_writing = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
    return -1;
}

static bool cannot_rename(void) {
    moment();
    return fails(FAULT_RENAME, EXDEV);
}

/* musl 1.2.3 has no function for it. */
int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned flags);

int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned flags) {
    return cannot_rename()
               ? -1
               : (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
}

/* Not all machines have the older call: AArch64. */
int rename(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}
