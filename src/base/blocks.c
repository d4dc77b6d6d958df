/* Blocks of memory that are kept between uses: see blocks.h. */
#include "base/blocks.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/fresh.h"
#include "base/pool.h"

/* Blocks below LEAST are left to malloc; from MAPPED on they come from the system, and from
 * HUGE_PAGE on they begin with a huge page and ask for more. Sizes are rounded up to one of 2^STEPS
 * steps between powers of two, and a block serves takers of the same step or of the two below. */
enum { HEADER = 64, LEAST = 1 << 12, MAPPED = 1 << 17, HUGE_PAGE = 1 << 21, STEPS = 3, REACH = 3 };
enum { CLASSES = 64 << STEPS };
/* Bytes that may be kept beyond what was once in use: values of alternating sizes would be
 * mapped again each time otherwise. */
enum { SLACK = 1 << 25 };

typedef struct block {
    hlo_link link;
    size_t bytes; /* with the header; 0: malloc's */
    struct block *next;
} block;
static_assert(sizeof(block) <= HEADER, "the data follows the header");

/* Under AddressSanitizer every block is new, so that it sees what is used after it was freed. */
#if defined __SANITIZE_ADDRESS__
static const bool keeps = false;
#else
static const bool keeps = true;
#endif

static struct {
    pthread_mutex_t lock;
    size_t used, kept, peak; /* bytes: in use, kept, and the most that were in use */
    block *free[CLASSES];
    uint32_t greatest; /* no class above has kept blocks */
} blocks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t class_of(size_t bytes, size_t *rounded) {
    HLO_ASSERT(bytes >= (size_t)1 << STEPS);
    uint32_t exponent = 63 - (uint32_t)__builtin_clzll(bytes);
    size_t step = (size_t)1 << (exponent - STEPS), number = (bytes + step - 1) / step;
    HLO_ASSERT(number >= (size_t)1 << STEPS && number <= (size_t)2 << STEPS);
    *rounded = number * step;
    return (uint32_t)((exponent << STEPS) + number - ((size_t)1 << STEPS));
}

static void *map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* What lies before the first boundary of a huge page, and what follows, goes back. */
static void *map_huge(size_t bytes) {
    char *memory = map(bytes + HUGE_PAGE);
    if (!memory) return map(bytes);
    size_t before = (size_t)(-(uintptr_t)memory % HUGE_PAGE);
    if (before) munmap(memory, before);
    munmap(memory + before + bytes, HUGE_PAGE - before);
    madvise(memory + before, bytes, MADV_HUGEPAGE);
    return memory + before;
}

static block *new_block(size_t bytes) {
    block *b = bytes < MAPPED      ? aligned_alloc(HEADER, bytes)
               : bytes < HUGE_PAGE ? map(bytes)
                                   : map_huge(bytes);
    if (b) b->bytes = bytes;
    return b;
}

static void give_back(block *b) {
    if (b->bytes < MAPPED) free(b);
    else munmap(b, b->bytes);
}

/* The first kept block of the class, which leaves it. */
static block *take_kept(uint32_t class) {
    HLO_ASSERT(class < CLASSES);
    block *b = blocks.free[class];
    if (!b) return NULL;
    blocks.free[class] = b->next;
    HLO_ASSERT(b->bytes <= blocks.kept);
    blocks.kept -= b->bytes;
    return b;
}

/* Gives kept blocks back until at most `most` bytes are kept, the largest first. */
static void trim(size_t most) {
    HLO_ASSERT_LOCKED(&blocks.lock);
    while (blocks.kept > most) {
        HLO_ASSERT(blocks.greatest > 0 || blocks.free[0]);
        block *b = take_kept(blocks.greatest);
        if (b) give_back(b);
        else blocks.greatest--;
    }
}

static block *new_large(size_t bytes) {
    size_t rounded;
    uint32_t class = class_of(bytes, &rounded);
    pthread_mutex_lock(&blocks.lock);
    block *b = NULL;
    for (uint32_t c = class; !b && c < class + REACH && c < CLASSES; c++) b = take_kept(c);
    if (b) rounded = b->bytes;
    blocks.used += rounded;
    if (blocks.used > blocks.peak) blocks.peak = blocks.used;
    HLO_ASSERT(blocks.peak >= blocks.used);
    trim(blocks.peak - blocks.used + SLACK);
    pthread_mutex_unlock(&blocks.lock);
    if (b || (b = new_block(rounded))) return b;
    pthread_mutex_lock(&blocks.lock);
    HLO_ASSERT(blocks.used >= rounded);
    blocks.used -= rounded;
    trim(0);
    pthread_mutex_unlock(&blocks.lock);
    return NULL;
}

void *hlo_block_new(size_t bytes) {
    if (bytes > SIZE_MAX / 4) return NULL;
    bytes = (bytes + HEADER + HEADER - 1) / HEADER * HEADER;
    block *b = bytes < LEAST ? aligned_alloc(HEADER, bytes) : new_large(bytes);
    if (!b) return NULL;
    if (bytes < LEAST) b->bytes = 0;
    HLO_ASSERT((uintptr_t)b % HEADER == 0);
    hlo_link_in(&b->link, HLO_LINK_LARGE);
    return (char *)b + HEADER;
}

static void keep(block *b) {
    HLO_ASSERT_LOCKED(&blocks.lock);
    size_t rounded;
    uint32_t class = class_of(b->bytes, &rounded);
    HLO_ASSERT(rounded == b->bytes && class < CLASSES);
    b->next = blocks.free[class];
    blocks.free[class] = b;
    blocks.kept += b->bytes;
    if (class > blocks.greatest) blocks.greatest = class;
}

void hlo_block_free(void *memory) {
    if (!memory) return;
    HLO_ASSERT((uintptr_t)memory % HEADER == 0);
    block *b = (block *)((char *)memory - HEADER);
    hlo_link_out(&b->link);
    if (!b->bytes) {
        free(b);
        return;
    }
    pthread_mutex_lock(&blocks.lock);
    HLO_ASSERT(blocks.used >= b->bytes);
    blocks.used -= b->bytes;
    keep(b);
    trim(keeps && blocks.used ? blocks.peak - blocks.used + SLACK : 0);
    if (!blocks.used) blocks.peak = 0;
    pthread_mutex_unlock(&blocks.lock);
}

void hlo_block_keep(void *memory) {
    hlo_link_out(&((block *)((char *)memory - HEADER))->link);
}

void hlo_block_free_linked(hlo_link *link) {
    hlo_block_free((char *)link + HEADER);
}

void *hlo_scratch_new(size_t bytes) {
    void *memory = hlo_block_new(bytes);
    if (!memory) hlo_out_of_memory(bytes);
    hlo_fresh_fill(memory, bytes);
    return memory;
}

static void zero_range(void *context, int64_t first, int64_t last) {
    HLO_ASSERT(first >= 0 && first <= last);
    memset((char *)context + first, 0, (size_t)(last - first));
}

void hlo_zero_bytes(void *memory, size_t bytes) {
    hlo_parallel((int64_t)bytes, 1 << 18, zero_range, memory);
}

void *hlo_scratch_zeros(size_t bytes) {
    void *memory = hlo_scratch_new(bytes);
    hlo_zero_bytes(memory, bytes);
    return memory;
}
