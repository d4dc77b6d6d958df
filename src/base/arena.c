/* The bump allocator and the checked forms of malloc. Called by every layer. */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

#include "../include/hlo.h" /* what of this is public */

struct hlo_arena_block {
    hlo_arena_block *older;
    size_t size;
};

enum { FIRST_BLOCK = 16 << 10, LARGEST_BLOCK = 4 << 20, BLOCK_HEADER = 64 };

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

/* Blocks double from 16 KiB to 4 MiB: a small module stays small, a large one wastes at most the
 * last block's tail. A request above half a block gets a block of its own. */
static size_t next_block_size(const hlo_arena *arena) {
    size_t size = arena->blocks ? arena->bytes : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    return size < FIRST_BLOCK ? FIRST_BLOCK : size;
}

void *hlo_arena_grow(hlo_arena *arena, size_t size, size_t align) {
    if (size > SIZE_MAX / 2) hlo_out_of_memory(size);
    size_t standard = next_block_size(arena);
    int own_block = size > standard / 2;
    size_t payload = own_block ? size + align : standard;
    hlo_arena_block *block = aligned_alloc(64, (payload + BLOCK_HEADER + 63) & ~(size_t)63);
    if (!block) hlo_out_of_memory(payload);
    block->size = payload;
    arena->bytes += payload;
    if (own_block && arena->blocks) { /* keep filling the current block afterwards */
        block->older = arena->blocks->older;
        arena->blocks->older = block;
        return (char *)block + BLOCK_HEADER;
    }
    block->older = arena->blocks;
    arena->blocks = block;
    arena->cursor = (char *)block + BLOCK_HEADER;
    arena->limit = arena->cursor + payload;
    char *out = arena->cursor;
    arena->cursor += size;
    return out;
}
