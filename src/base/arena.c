/* The bump allocator and the checked forms of malloc. */
#include "base/arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/unwind.h"

struct hlo_arena_block {
    hlo_link link;
    hlo_arena_block *older;
    size_t size;
};

enum { FIRST_BLOCK = 16 << 10, LARGEST_BLOCK = 4 << 20, HUGE_PAGE = 2 << 20, BLOCK_HEADER = 64 };
static_assert(sizeof(hlo_arena_block) <= BLOCK_HEADER, "what is allocated follows the header");

/* Every block of malloc starts with a link, which is as large as malloc's alignment. */
static_assert(sizeof(hlo_link) == 16, "memory after the link is aligned");

static hlo_link *link_of(void *memory) {
    HLO_ASSERT((uintptr_t)memory % sizeof(hlo_link) == 0);
    return (hlo_link *)memory - 1;
}

static void *linked(hlo_link *link) {
    if (!link) return NULL;
    hlo_link_in(link, HLO_LINK_BLOCK);
    return link + 1;
}

void *hlo_try_malloc(size_t size) {
    return size > SIZE_MAX / 2 ? NULL : linked(malloc(sizeof(hlo_link) + size));
}

void *hlo_malloc(size_t size) {
    void *out = hlo_try_malloc(size);
    if (!out) hlo_out_of_memory(size);
    return out;
}

void *hlo_calloc(size_t count, size_t size) {
    size_t bytes;
    bool fits = !__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX / 2;
    void *out = fits ? linked(calloc(1, sizeof(hlo_link) + bytes)) : NULL;
    if (!out) hlo_out_of_memory(fits ? bytes : SIZE_MAX);
    return out;
}

void *hlo_realloc(void *old, size_t size) {
    if (!old) return hlo_malloc(size);
    hlo_link *out =
        size > SIZE_MAX / 2 ? NULL : hlo_link_realloc(link_of(old), sizeof(hlo_link) + size);
    if (!out) hlo_out_of_memory(size);
    return out + 1;
}

void hlo_free(void *memory) {
    if (!memory) return;
    hlo_link_out(link_of(memory));
    free(link_of(memory));
}

void *hlo_keep(void *memory) {
    hlo_link_out(link_of(memory));
    return memory;
}

/* On huge pages where there are enough bytes: a table that is read at random misses fewer
 * addresses. */
void *hlo_table_new(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        hlo_out_of_memory(SIZE_MAX);
    if (bytes < HUGE_PAGE) {
        void *out = calloc(1, bytes ? bytes : 1);
        if (!out) hlo_out_of_memory(bytes);
        return out;
    }
    bytes = (bytes + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    void *out = aligned_alloc(HUGE_PAGE, bytes);
    if (!out) hlo_out_of_memory(bytes);
    madvise(out, bytes, MADV_HUGEPAGE);
    return memset(out, 0, bytes);
}

void hlo_table_free(void *table) {
    free(table);
}

void hlo_arena_init(hlo_arena *arena) {
    *arena = (hlo_arena){0};
}

void hlo_arena_free(hlo_arena *arena) {
    hlo_arena_block *block = arena->blocks;
    while (block) {
        hlo_arena_block *older = block->older;
        hlo_link_out(&block->link);
        free(block);
        block = older;
    }
    *arena = (hlo_arena){.is_kept = arena->is_kept};
}

void hlo_arena_reset(hlo_arena *arena) {
    hlo_arena_block *kept = arena->blocks;
    if (!kept) return;
    hlo_arena rest = {.blocks = kept->older};
    HLO_ASSERT(arena->bytes >= kept->size);
    hlo_arena_free(&rest);
    kept->older = NULL;
    arena->cursor = (char *)kept + BLOCK_HEADER;
    arena->limit = arena->cursor + kept->size;
    arena->bytes = kept->size;
}

void hlo_arena_keep(hlo_arena *arena) {
    for (hlo_arena_block *block = arena->blocks; block; block = block->older)
        hlo_link_out(&block->link);
}

/* Blocks double from 16 KiB to 4 MiB: a small module stays small, a large one wastes at most the
 * last block's tail. A request above half a block gets a separate block. */
static size_t next_block_size(const hlo_arena *arena) {
    size_t size = arena->blocks ? arena->bytes : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    return size < FIRST_BLOCK ? FIRST_BLOCK : size;
}

/* Large blocks ask for huge pages: touching fresh small ones would be a third of a parse. */
static hlo_arena_block *new_block(hlo_arena *arena, size_t payload) {
    bool huge = payload + BLOCK_HEADER >= HUGE_PAGE;
    size_t align = huge ? HUGE_PAGE : 64;
    size_t size = (payload + BLOCK_HEADER + align - 1) & ~(align - 1);
    hlo_arena_block *block = aligned_alloc(align, size);
    if (!block) hlo_out_of_memory(payload);
    if (huge) madvise(block, size, MADV_HUGEPAGE);
    block->size = size - BLOCK_HEADER;
    block->link.next = NULL;
    if (arena->blocks) hlo_link_after(&block->link, &arena->blocks->link);
    else if (!arena->is_kept) hlo_link_in(&block->link, HLO_LINK_BLOCK);
    return block;
}

static void use_block(hlo_arena *arena, hlo_arena_block *block) {
    HLO_ASSERT(block != arena->blocks && (uintptr_t)block % BLOCK_HEADER == 0);
    block->older = arena->blocks;
    arena->blocks = block;
    arena->cursor = (char *)block + BLOCK_HEADER;
    arena->limit = arena->cursor + block->size;
    arena->bytes += block->size;
}

void hlo_arena_reserve(hlo_arena *arena, size_t bytes) {
    if (!arena->blocks && bytes > FIRST_BLOCK)
        use_block(arena,
                  new_block(arena, bytes < LARGEST_BLOCK ? bytes : LARGEST_BLOCK - BLOCK_HEADER));
}

void *hlo_arena_grow(hlo_arena *arena, size_t size, size_t align) {
    HLO_ASSERT(align && !(align & (align - 1)) && align <= BLOCK_HEADER);
    if (size > SIZE_MAX / 2) hlo_out_of_memory(size);
    size_t standard = next_block_size(arena);
    if (size > standard / 2 && arena->blocks) { /* its own block; keep filling the current one */
        hlo_arena_block *own = new_block(arena, size + align);
        own->older = arena->blocks->older;
        arena->blocks->older = own;
        arena->bytes += own->size;
        HLO_ASSERT(own->size >= size);
        return (char *)own + BLOCK_HEADER;
    }
    use_block(arena,
              new_block(arena, size + align > standard - BLOCK_HEADER ? size + align
                                                                      : standard - BLOCK_HEADER));
    char *out = arena->cursor;
    HLO_ASSERT(size <= (size_t)(arena->limit - arena->cursor) && (uintptr_t)out % align == 0);
    arena->cursor += size;
    return out;
}
