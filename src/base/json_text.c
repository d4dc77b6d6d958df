/* Loading JSON without jansson seeing a failed allocation: see json_text.h. Its allocators are
 * those that it had, which note what they give while a text is loaded: when one fails, the rest is
 * freed and the public call ends. Values are freed as ever. */
#include "base/json_text.h"

#include <pthread.h>
#include <string.h>

#include "base/list.h"
#include "base/unwind.h"

enum { FEW = 64 };

/* Blocks in the order in which they were made; NULL: freed since. Those of most texts are few. */
typedef struct {
    void *few[FEW];
    HLO_LIST(void *) blocks; /* of `few` at first */
    const char *name;
} loading;

/* NULL: none in this thread. */
static _Thread_local loading *now __attribute__((tls_model("initial-exec")));
static json_malloc_t outer_malloc;
static json_free_t outer_free;

static void make_space(loading *l) {
    HLO_ASSERT(l->blocks.n <= l->blocks.capacity);
    if (l->blocks.n < l->blocks.capacity) return;
    if (l->blocks.v != l->few) {
        hlo_list_grow(&l->blocks);
        return;
    }
    void **more = hlo_malloc(4 * sizeof l->few);
    memcpy(more, l->few, sizeof l->few);
    l->blocks.v = more;
    l->blocks.capacity = 4 * FEW;
}

static void *allocate(size_t size) {
    if (!now) return outer_malloc(size);
    make_space(now);
    void *block = outer_malloc(size);
    if (!block) hlo_out_of_memory_for(now->name);
    hlo_list_push(&now->blocks, block);
    return block;
}

/* What is freed was mostly made shortly before. */
static void forget(const void *block) {
    uint32_t i = now->blocks.n;
    while (i > 0 && now->blocks.v[i - 1] != block) i--;
    if (i) now->blocks.v[i - 1] = NULL;
    while (now->blocks.n && !now->blocks.v[now->blocks.n - 1]) now->blocks.n--;
}

static void release(void *block) {
    if (now && block) forget(block);
    outer_free(block);
}

static void install(void) {
    json_get_alloc_funcs(&outer_malloc, &outer_free);
    json_set_alloc_funcs(allocate, release);
}

static void undo(void *context) {
    const loading *ended = context;
    now = NULL;
    for (uint32_t i = 0; i < ended->blocks.n; i++) outer_free(ended->blocks.v[i]);
}

json_t *hlo_json_load_text(const char *text, size_t len, size_t flags, const char *name,
                           json_error_t *error) {
    HLO_ASSERT(!now);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    hlo_cleanup undoing;
    loading own;
    own.name = name;
    own.blocks.v = own.few;
    own.blocks.n = 0;
    own.blocks.capacity = FEW;
    pthread_once(&once, install);
    hlo_cleanup_add(&undoing, undo, &own);
    now = &own;
    json_t *value = json_loadb(text, len, flags, error);
    now = NULL;
    hlo_cleanup_remove(&undoing);
    if (own.blocks.v != own.few) hlo_free(own.blocks.v);
    return value;
}
