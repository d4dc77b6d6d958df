/* malloc and its relatives in front of those of the C library, which the libraries that libhlo uses
 * find here too. See allocator.h. */
#include "faults/allocator.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *memory);

enum { FREED = 0xdd };

static atomic_long live, counted;
static atomic_long failing; /* the number from which on they fail; 0: none does */
static atomic_bool has_failed;

void faults_arm(long number) {
    counted = 0;
    has_failed = false;
    failing = number;
}

long faults_disarm(bool *failed) {
    failing = 0;
    *failed = has_failed;
    return counted;
}

long faults_live(void) {
    return live;
}

/* One allocation fails, the next ones do not: later calls have to be right, too. */
static bool fails(void) {
    if (!failing || ++counted != failing) return false;
    has_failed = true;
    errno = ENOMEM;
    return true;
}

static void *count(void *memory) {
    if (memory) live++;
    return memory;
}

void *malloc(size_t size) {
    return fails() ? NULL : count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size) {
    return fails() ? NULL : count(__libc_calloc(number, size));
}

void *realloc(void *old, size_t size) {
    if (!old) return malloc(size);
    return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t align, size_t size) {
    return fails() ? NULL : count(__libc_memalign(align, size));
}

void *aligned_alloc(size_t align, size_t size) {
    return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size) {
    *out = memalign(align, size);
    return *out ? 0 : ENOMEM;
}

void free(void *memory) {
    if (!memory) return;
    live--;
    memset(memory, FREED, malloc_usable_size(memory));
    __libc_free(memory);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    if (fails()) return MAP_FAILED;
    void *memory = (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
    if (memory != MAP_FAILED && !(flags & MAP_FIXED)) live++;
    return memory;
}

int munmap(void *address, size_t length) {
    live--;
    return (int)syscall(SYS_munmap, address, length);
}
