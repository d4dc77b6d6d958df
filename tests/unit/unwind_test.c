/* Scopes of calls: what is freed, undone and kept when memory runs out. hlo_out_of_memory is called
 * as an allocator would; AddressSanitizer looks for leaks. tests/faults makes real allocations
 * fail.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/blocks.h"
#include "base/pool.h"
#include "diag/diag.h"

static int passed, failed;

static void check(const char *what, bool good) {
    if (good) passed++;
    else failed++;
    if (!good) fprintf(stderr, "unwind_test: %s\n", what);
}

/* ---- one thread ---- */

static int undone[4], undone_count;

static void note(void *which) {
    undone[undone_count++] = *(int *)which;
}

static void *older; /* of an object from before the call */

static bool allocates_and_fails(hlo_diags *diags) {
    HLO_API_CALL(diags) return false;
    static int first = 1, second = 2, removed = 3;
    hlo_cleanup a, b, c;
    hlo_cleanup_add(&a, note, &first);
    hlo_cleanup_add(&b, note, &second);
    hlo_cleanup_add(&c, note, &removed);
    hlo_cleanup_remove(&c);
    hlo_arena arena;
    hlo_arena_init(&arena);
    for (int i = 0; i < 100; i++) memset(hlo_arena_alloc(&arena, 5000), i, 5000);
    char *block = strcpy(hlo_malloc(100), "text");
    block = hlo_realloc(block, 1 << 20);
    hlo_free(hlo_calloc(3, 7));
    memset(hlo_block_new(1 << 20), 1, 1 << 20);
    memset(hlo_block_new(100), 1, 100);
    older = hlo_realloc(older, 200000); /* grows, and is the older object's still */
    hlo_error(diags, HLO_RULE_RUN, NULL, (hlo_span){0}, "found before");
    if (strcmp(block, "text") == 0) hlo_out_of_memory(12345);
    return true;
}

static void test_unwinding(void) {
    hlo_diags *diags = hlo_diags_create(0);
    older = hlo_malloc(10);
    strcpy(older, "older");
    hlo_block_free(hlo_block_new(1 << 20));
    for (int i = 0; i < 3; i++) {
        undone_count = 0;
        check("the call fails", !allocates_and_fails(diags));
        check("cleanups run, newest first", undone_count == 2 && undone[0] == 2 && undone[1] == 1);
        check("what is older stays", strcmp(older, "older") == 0);
    }
    check("both errors are counted", hlo_diags_error_count(diags) == 6);
    size_t count;
    const hlo_diag **list = hlo_diags_sorted(diags, &count);
    bool says = false;
    for (size_t i = 0; i < count; i++)
        says |= strcmp(list[i]->message, "out of memory: cannot allocate 12345 bytes") == 0;
    check("the error says how much", says && count == 4);
    hlo_free(list);
    hlo_free(older);
    hlo_diags_free(diags);
}

static char *keeps(void) {
    HLO_API_CALL(NULL) return NULL;
    char *block = strcpy(hlo_malloc(10), "kept");
    memset(hlo_malloc(10), 0, 10);
    return hlo_keep(block);
}

static char *kept;

static bool fails_after_keeping(void) {
    HLO_API_CALL(NULL) return false;
    kept = keeps(); /* a part of this call, which is undone as a whole */
    hlo_out_of_memory(0);
}

static char *succeeds(void) {
    HLO_API_CALL(NULL) return NULL;
    return strcpy(hlo_malloc(10), "good");
}

static void test_keeping(void) {
    check("the outer call fails", !fails_after_keeping());
    check("what was kept is there", strcmp(kept, "kept") == 0);
    hlo_free(kept);
    char *block = succeeds();
    check("success keeps blocks", block && strcmp(block, "good") == 0);
    hlo_free(hlo_realloc(block, 1000));
}

static char *of_user;

static bool calls_user(void) {
    HLO_API_CALL(NULL) return false;
    hlo_unwind_state state = hlo_unwind_suspend();
    of_user = succeeds();
    check("the user's own call fails alone", !fails_after_keeping());
    hlo_free(kept);
    hlo_unwind_resume(state);
    hlo_out_of_memory(1);
}

static void test_callback(void) {
    check("the call around the user's function fails", !calls_user());
    check("what the user made stays", strcmp(of_user, "good") == 0);
    hlo_free(of_user);
}

/* ---- several threads ---- */

enum { ITEMS = 1000 };

/* Item 500 runs out of memory; the others allocate and free. */
static void pieces(void *bad, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i++) {
        char *a = hlo_malloc(100), *b = hlo_realloc(hlo_malloc(10), 5000);
        memset(b, 1, 5000);
        if (i == *(int64_t *)bad) hlo_out_of_memory(77);
        hlo_free(a);
        hlo_free(b);
    }
}

static bool runs_pieces(hlo_pool *pool, int64_t bad, hlo_diags *diags) {
    HLO_API_CALL(diags) {
        hlo_pool_enter(NULL);
        return false;
    }
    hlo_pool_enter(pool);
    hlo_parallel(ITEMS, 10, pieces, &bad);
    hlo_pool_enter(NULL);
    return true;
}

static void test_threads(uint32_t threads) {
    hlo_pool *pool = hlo_pool_new(threads);
    hlo_diags *diags = hlo_diags_create(0);
    check("pieces succeed", runs_pieces(pool, -1, diags));
    for (int i = 0; i < 50; i++) {
        check("a piece fails", !runs_pieces(pool, 500, diags));
        check("the pool works on", runs_pieces(pool, -1, diags));
    }
    check("every failure is reported", hlo_diags_error_count(diags) == 50);
    hlo_diags_free(diags);
    hlo_pool_free(pool);
}

int main(void) {
    test_unwinding();
    test_keeping();
    test_callback();
    test_threads(1);
    test_threads(4);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
