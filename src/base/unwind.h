/* What a call of the public interface has allocated so far, and how all of it is undone when memory
 * runs out.
 *
 * A scope is opened by each public function, unless one is open in the thread already. Blocks that
 * are allocated while it is open are linked into it. When memory runs out, the thread runs the
 * cleanups of its innermost unwind point, newest first, frees the blocks of the scope, and
 * continues in the public function, which returns an error. When the call ends well, the scope
 * releases the blocks, which from then on belong to their holders.
 *
 * A function therefore neither checks for memory nor hands a failure on. What remains to be done: a
 * public function that can allocate begins with HLO_API_CALL (diag.h) or HLO_BUILDER_CALL; what
 * holds more than memory, such as a file or a lock, has a cleanup; other threads work by
 * hlo_unwind_work; values of a run come from hlo_try_malloc, and their kernel returns false without
 * memory.
 *
 * That is enough for objects that were made in the call. An object that was there before must never
 * point to a linked block: it takes hlo_keep(memory), and grows blocks that are not linked, which
 * stay so in hlo_realloc and hlo_arena_grow. */
#ifndef HLO_BASE_UNWIND_H
#define HLO_BASE_UNWIND_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Part of a ring; `next` is NULL while it is in none. */
typedef struct hlo_link {
    struct hlo_link *next, *prev;
} hlo_link;

/* ---- cleanups ---- */

/* A cleanup besides freeing memory. Embedded in an object or in a stack frame. */
typedef struct {
    hlo_link link;
    void (*undo)(void *object); /* must not allocate */
    void *object;
} hlo_cleanup;

/* From now until it is removed, or the call ends well: when memory runs out, undo(object) is
 * called, once. Does nothing while no scope is open. */
void hlo_cleanup_add(hlo_cleanup *cleanup, void (*undo)(void *object), void *object);
void hlo_cleanup_remove(hlo_cleanup *cleanup);

/* ---- unwind points and scopes ---- */

/* Where a thread continues when memory runs out. */
typedef struct hlo_unwind_point {
    jmp_buf jump;
    hlo_link cleanups; /* newest first */
} hlo_unwind_point;

/* Memory of a call. Several threads may link and unlink while they work for it. */
typedef struct hlo_unwind_scope {
    hlo_unwind_point point;
    hlo_link blocks; /* of malloc: each starts with its link */
    hlo_link large;  /* of blocks.h */
    pthread_mutex_t lock;
    bool is_shared; /* set once other threads may work for the call; then rings need the lock */
    bool is_open;   /* false: the call is part of another */
    void (*report)(void *context, size_t wanted);
    void *context;
} hlo_unwind_scope;

/* At the start of a public function, before anything that allocates: opens a scope, which ends with
 * the block that this stands in. The statement after it runs when memory has run out; everything
 * that the call allocated is gone then, and `report` (or NULL) was called. Locals that were set
 * meanwhile are not to be used. See HLO_API_CALL. */
#define HLO_UNWIND_HERE(report, context)                                     \
    hlo_unwind_scope scope_of_call __attribute__((cleanup(hlo_unwind_end))); \
    hlo_unwind_begin(&scope_of_call, (report), (context));                   \
    if (setjmp(scope_of_call.point.jump))

void hlo_unwind_begin(hlo_unwind_scope *scope, void (*report)(void *context, size_t wanted),
                      void *context);
void hlo_unwind_end(hlo_unwind_scope *scope);

/* The scope of the calling thread, or NULL. */
hlo_unwind_scope *hlo_unwind_current(void);
/* From now on other threads may work for the scope (NULL is fine). */
void hlo_unwind_share(hlo_unwind_scope *scope);

/* What objects that are older than the call, and cannot be mended when it is undone, have allocated
 * in former calls: freed with it. */
typedef struct {
    hlo_link blocks, large;
} hlo_memory_ring;
void hlo_ring_init(hlo_memory_ring *ring);
/* The ring's memory is part of the call that is under way; the ring is empty then. */
void hlo_ring_enlist(hlo_memory_ring *ring);
/* At the end of the call: all that is part of it goes to the ring, which must be empty. */
void hlo_ring_retire(hlo_memory_ring *ring);
/* All that is part of the call so far is kept: something with a cleanup owns it. */
void hlo_unwind_keep_all(void);

/* Around a function of the library's user, which may call public functions: those are calls of
 * their own, and what the user allocates stays. */
typedef struct {
    hlo_unwind_scope *scope;
    hlo_unwind_point *point;
} hlo_unwind_state;
hlo_unwind_state hlo_unwind_suspend(void);
void hlo_unwind_resume(hlo_unwind_state suspended);

/* Runs body(context), in any thread, as work for the scope (NULL: none, and nothing is caught).
 * Returns 0, or when memory ran out the number of bytes that were wanted: to be handed to
 * hlo_out_of_memory in the thread that waits for the work. */
size_t hlo_unwind_work(hlo_unwind_scope *scope, void (*body)(void *context), void *context);

/* ---- for allocators ---- */

typedef enum { HLO_LINK_BLOCK, HLO_LINK_LARGE } hlo_link_kind;

/* Links memory into the scope of the thread, if there is one. */
void hlo_link_in(hlo_link *link, hlo_link_kind kind);
/* Links it where `other` is. */
void hlo_link_after(hlo_link *link, hlo_link *other);
void hlo_link_out(hlo_link *link);
/* realloc of memory that starts with its link; NULL leaves all as it was. */
void *hlo_link_realloc(hlo_link *link, size_t size);

#endif
