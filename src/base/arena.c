/* The bump allocator and the checked forms of malloc. Called by every layer. */
#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../include/hlo.h" /* what of this is public */

struct hlo_arena_block {
    hlo_arena_block *older;
    size_t size;
};

enum { FIRST_BLOCK = 16 << 10, LARGEST_BLOCK = 4 << 20, HUGE_PAGE = 2 << 20, BLOCK_HEADER = 64 };

static void (*out_of_memory_handler)(size_t wanted);

void hlo_set_out_of_memory_handler(void (*handler)(size_t wanted)) {
    out_of_memory_handler = handler;
}

_Noreturn void hlo_out_of_memory(size_t wanted) {
    if (out_of_memory_handler) out_of_memory_handler(wanted);
    fprintf(stderr, "error: out of memory (%zu bytes were wanted)\n", wanted);
    exit(3);
}

void *hlo_malloc(size_t size) {
    void *out = malloc(size ? size : 1);
    if (!out) hlo_out_of_memory(size);
    return out;
}

void *hlo_calloc(size_t count, size_t size) {
    void *out = calloc(count ? count : 1, size ? size : 1);
    if (!out) hlo_out_of_memory(count * size);
    return out;
}

/* On huge pages where there are enough bytes: a table that is read at random misses fewer
 * addresses. */
void *hlo_calloc_large(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) hlo_out_of_memory(SIZE_MAX);
    if (bytes < HUGE_PAGE) return hlo_calloc(count, size);
    bytes = (bytes + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    void *out = aligned_alloc(HUGE_PAGE, bytes);
    if (!out) hlo_out_of_memory(bytes);
    madvise(out, bytes, MADV_HUGEPAGE);
    return memset(out, 0, bytes);
}

void *hlo_realloc(void *old, size_t size) {
    void *out = realloc(old, size ? size : 1);
    if (!out) hlo_out_of_memory(size);
    return out;
}

void hlo_free(void *memory) {
    free(memory);
}

void hlo_arena_init(hlo_arena *arena) {
    *arena = (hlo_arena){0};
}

void hlo_arena_free(hlo_arena *arena) {
    hlo_arena_block *block = arena->blocks;
    while (block) {
        hlo_arena_block *older = block->older;
        free(block);
        block = older;
    }
    *arena = (hlo_arena){0};
}

void hlo_arena_reset(hlo_arena *arena) {
    hlo_arena_block *kept = arena->blocks;
    if (!kept) return;
    hlo_arena rest = {.blocks = kept->older};
    hlo_arena_free(&rest);
    kept->older = NULL;
    arena->cursor = (char *)kept + BLOCK_HEADER;
    arena->limit = arena->cursor + kept->size;
    arena->bytes = kept->size;
}

/* Blocks double from 16 KiB to 4 MiB: a small module stays small, a large one wastes at most the
 * last block's tail. A request above half a block gets a block of its own. */
static size_t next_block_size(const hlo_arena *arena) {
    size_t size = arena->blocks ? arena->bytes : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    return size < FIRST_BLOCK ? FIRST_BLOCK : size;
}

/* Large blocks ask for huge pages: touching fresh small ones would be a third of a parse. */
static hlo_arena_block *new_block(size_t payload) {
    bool huge = payload + BLOCK_HEADER >= HUGE_PAGE;
    size_t align = huge ? HUGE_PAGE : 64;
    size_t size = (payload + BLOCK_HEADER + align - 1) & ~(align - 1);
    hlo_arena_block *block = aligned_alloc(align, size);
    if (!block) hlo_out_of_memory(payload);
    if (huge) madvise(block, size, MADV_HUGEPAGE);
    block->size = size - BLOCK_HEADER;
    return block;
}

static void use_block(hlo_arena *arena, hlo_arena_block *block) {
    block->older = arena->blocks;
    arena->blocks = block;
    arena->cursor = (char *)block + BLOCK_HEADER;
    arena->limit = arena->cursor + block->size;
    arena->bytes += block->size;
}

void hlo_arena_reserve(hlo_arena *arena, size_t bytes) {
    if (!arena->blocks && bytes > FIRST_BLOCK)
        use_block(arena, new_block(bytes < LARGEST_BLOCK ? bytes : LARGEST_BLOCK - BLOCK_HEADER));
}

void *hlo_arena_grow(hlo_arena *arena, size_t size, size_t align) {
    if (size > SIZE_MAX / 2) hlo_out_of_memory(size);
    size_t standard = next_block_size(arena);
    if (size > standard / 2 && arena->blocks) { /* its own block; keep filling the current one */
        hlo_arena_block *own = new_block(size + align);
        own->older = arena->blocks->older;
        arena->blocks->older = own;
        arena->bytes += own->size;
        return (char *)own + BLOCK_HEADER;
    }
    use_block(arena, new_block(size + align > standard - BLOCK_HEADER ? size + align
                                                                      : standard - BLOCK_HEADER));
    char *out = arena->cursor;
    arena->cursor += size;
    return out;
}
