/* A bump allocator: everything of one module (or one run) is allocated here and freed together. Not
 * thread safe: one arena, one thread at a time. */
#ifndef HLO_BASE_ARENA_H
#define HLO_BASE_ARENA_H

#include "base/assert.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct hlo_arena_block hlo_arena_block;

typedef struct {
    char *cursor; /* next free byte of the newest block */
    char *limit;
    hlo_arena_block *blocks; /* newest first */
    size_t bytes;            /* reserved so far, for reports and limits */
    bool is_kept;            /* of an object that outlives the call which fills it: see unwind.h */
} hlo_arena;

void hlo_arena_init(hlo_arena *arena);
void hlo_arena_free(hlo_arena *arena);
/* Forgets all that was allocated and keeps one block for what comes next. */
void hlo_arena_reset(hlo_arena *arena);
/* Before the first allocation: makes the first block so large (4 MiB at most). */
void hlo_arena_reserve(hlo_arena *arena, size_t bytes);
/* What was allocated belongs to an object that outlives the call: see hlo_keep. */
void hlo_arena_keep(hlo_arena *arena);
void *hlo_arena_grow(hlo_arena *arena, size_t size, size_t align);

/* Memory of `size` bytes, uninitialised, aligned to `align` (a power of two, at most 64).
 * Never returns NULL: see hlo_out_of_memory. */
static inline void *hlo_arena_aligned(hlo_arena *arena, size_t size, size_t align) {
    HLO_ASSERT(align && !(align & (align - 1)) && align <= 64);
    HLO_ASSERT(arena->cursor <= arena->limit);
    uintptr_t at = ((uintptr_t)arena->cursor + (align - 1)) & ~(uintptr_t)(align - 1);
    if (at && at + size <= (uintptr_t)arena->limit && at >= (uintptr_t)arena->cursor) {
        char *out = arena->cursor + (at - (uintptr_t)arena->cursor);
        arena->cursor = out + size;
        return out;
    }
    return hlo_arena_grow(arena, size, align);
}

static inline void *hlo_arena_alloc(hlo_arena *arena, size_t size) {
    return hlo_arena_aligned(arena, size, 8);
}

static inline void *hlo_arena_zero(hlo_arena *arena, size_t size) {
    void *out = hlo_arena_alloc(arena, size); /* may be NULL when there is nothing in it */
    return size ? memset(out, 0, size) : out;
}

static inline void *hlo_arena_copy(hlo_arena *arena, const void *from, size_t size) {
    void *to = hlo_arena_alloc(arena, size);
    if (size) memcpy(to, from, size);
    return to;
}

#define HLO_NEW(arena, type) ((type *)hlo_arena_zero((arena), sizeof(type)))
#define HLO_NEW_ARRAY(arena, type, n) ((type *)hlo_arena_zero((arena), sizeof(type) * (size_t)(n)))

/* Memory outside arenas. These do not return NULL either, but call hlo_out_of_memory; only
 * hlo_try_malloc does. */
void *hlo_malloc(size_t size);
void *hlo_calloc(size_t count, size_t size);
void *hlo_realloc(void *old, size_t size); /* leaves `old` as it was when it fails */
void *hlo_try_malloc(size_t size);
void hlo_free(void *memory);
/* The memory belongs to an object that outlives the call, or that has a cleanup: it is not freed
 * when memory runs out. Returns it. */
void *hlo_keep(void *memory);
/* Zeroed memory for tables of up to megabytes, kept from the beginning. */
void *hlo_table_new(size_t count, size_t size);
void hlo_table_free(void *table);
/* Undoes the call of the public interface that is under way (see unwind.h), which returns an error.
 * Outside of such calls: writes a line to standard error and exits with status 3. */
_Noreturn void hlo_out_of_memory(size_t wanted);
/* The same for a library that does not report the size wanted: for what, such as a file. */
_Noreturn void hlo_out_of_memory_for(const char *purpose);
/* The newest of the thread; "a library" when there was none. */
const char *hlo_memory_purpose(void);

#endif
