/* Scopes of calls, and unwinding them: see unwind.h. */
#include "base/unwind.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/blocks.h"

/* Of every thread: the scope that it works for and where it continues without memory. */
static _Thread_local hlo_unwind_state here __attribute__((tls_model("initial-exec")));

/* ---- rings ---- */

static void init_ring(hlo_link *ring) {
    ring->next = ring->prev = ring;
}

static inline void insert_after(hlo_link *link, hlo_link *before) {
    HLO_ASSERT(!link->next && before->next->prev == before);
    link->prev = before;
    link->next = before->next;
    before->next->prev = link;
    before->next = link;
}

static inline void remove_link(hlo_link *link) {
    HLO_ASSERT(link->prev->next == link && link->next->prev == link);
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->next = NULL;
}

/* Lets go of every link of a ring. */
static void dissolve(hlo_link *ring) {
    for (hlo_link *link = ring->next, *next; link != ring; link = next) {
        next = link->next;
        link->next = NULL;
    }
    init_ring(ring);
}

static inline hlo_unwind_scope *lock_scope(void) {
    hlo_unwind_scope *scope = here.scope;
    if (scope && scope->is_shared) pthread_mutex_lock(&scope->lock);
    return scope;
}

static inline void unlock_scope(hlo_unwind_scope *scope) {
    if (scope && scope->is_shared) pthread_mutex_unlock(&scope->lock);
}

void hlo_link_in(hlo_link *link, hlo_link_kind kind) {
    link->next = NULL;
    if (!here.scope) return;
    hlo_unwind_scope *scope = lock_scope();
    insert_after(link, kind == HLO_LINK_LARGE ? &scope->large : &scope->blocks);
    unlock_scope(scope);
}

/* The functions below take the lock before they ask whether a link is in a ring: a thread that
 * frees the block next to it writes its `next`. */

void hlo_link_after(hlo_link *link, hlo_link *other) {
    link->next = NULL;
    hlo_unwind_scope *scope = lock_scope();
    if (other->next) insert_after(link, other);
    unlock_scope(scope);
}

void hlo_link_out(hlo_link *link) {
    hlo_unwind_scope *scope = lock_scope();
    if (link->next) remove_link(link);
    unlock_scope(scope);
}

void *hlo_link_realloc(hlo_link *link, size_t size) {
    hlo_unwind_scope *scope = lock_scope(); /* adjacent links point here: they must be updated
                                               before the block moves again */
    hlo_link *moved = realloc(link, size);
    if (moved && moved->next) moved->next->prev = moved->prev->next = moved;
    unlock_scope(scope);
    return moved;
}

/* ---- cleanups ---- */

void hlo_cleanup_add(hlo_cleanup *cleanup, void (*undo)(void *object), void *object) {
    *cleanup = (hlo_cleanup){.undo = undo, .object = object};
    if (here.point) insert_after(&cleanup->link, &here.point->cleanups);
}

void hlo_cleanup_remove(hlo_cleanup *cleanup) {
    if (cleanup->link.next) remove_link(&cleanup->link);
}

static void run_cleanups(hlo_unwind_point *point) {
    while (point->cleanups.next != &point->cleanups) {
        hlo_cleanup *newest = (hlo_cleanup *)point->cleanups.next; /* the link comes first */
        remove_link(&newest->link);
        newest->undo(newest->object);
    }
}

/* ---- scopes ---- */

void hlo_unwind_begin(hlo_unwind_scope *scope, void (*report)(void *context, size_t wanted),
                      void *context) {
    HLO_ASSERT(!here.scope == !here.point);
    scope->is_open = !here.scope;
    if (!scope->is_open) return;
    init_ring(&scope->point.cleanups);
    init_ring(&scope->blocks);
    init_ring(&scope->large);
    scope->is_shared = false;
    scope->report = report;
    scope->context = context;
    here = (hlo_unwind_state){scope, &scope->point};
}

static void close_scope(hlo_unwind_scope *scope) {
    HLO_ASSERT(here.scope == scope);
    if (scope->is_shared) pthread_mutex_destroy(&scope->lock);
    scope->is_open = false;
    here = (hlo_unwind_state){0};
}

void hlo_unwind_end(hlo_unwind_scope *scope) {
    HLO_ASSERT(!scope->is_open || here.point == &scope->point);
    if (!scope->is_open) return;
    dissolve(&scope->point.cleanups);
    dissolve(&scope->blocks);
    dissolve(&scope->large);
    close_scope(scope);
}

static void free_blocks(hlo_unwind_scope *scope) {
    for (hlo_link *link = scope->blocks.next, *next; link != &scope->blocks; link = next) {
        next = link->next;
        free(link);
    }
    while (scope->large.next != &scope->large) hlo_block_free_linked(scope->large.next);
}

hlo_unwind_scope *hlo_unwind_current(void) {
    return here.scope;
}

void hlo_unwind_share(hlo_unwind_scope *scope) {
    if (!scope || scope->is_shared) return;
    pthread_mutex_init(&scope->lock, NULL);
    scope->is_shared = true;
}

hlo_unwind_state hlo_unwind_suspend(void) {
    hlo_unwind_state suspended = here;
    here = (hlo_unwind_state){0};
    return suspended;
}

void hlo_unwind_resume(hlo_unwind_state suspended) {
    HLO_ASSERT(!suspended.scope == !suspended.point);
    here = suspended;
}

/* ---- rings that outlive a call ---- */

void hlo_ring_init(hlo_memory_ring *ring) {
    init_ring(&ring->blocks);
    init_ring(&ring->large);
}

/* Moves all links of a ring into another. */
static void splice(hlo_link *from, hlo_link *to) {
    HLO_ASSERT(from != to && from->next->prev == from && to->next->prev == to);
    if (from->next == from) return;
    from->prev->next = to->next;
    to->next->prev = from->prev;
    to->next = from->next;
    from->next->prev = to;
    init_ring(from);
}

void hlo_ring_enlist(hlo_memory_ring *ring) {
    hlo_unwind_scope *scope = lock_scope();
    if (scope) splice(&ring->blocks, &scope->blocks);
    if (scope) splice(&ring->large, &scope->large);
    unlock_scope(scope);
}

void hlo_ring_retire(hlo_memory_ring *ring) {
    HLO_ASSERT(ring->blocks.next == &ring->blocks && ring->large.next == &ring->large);
    hlo_unwind_scope *scope = lock_scope();
    if (scope) splice(&scope->blocks, &ring->blocks);
    if (scope) splice(&scope->large, &ring->large);
    unlock_scope(scope);
}

void hlo_unwind_keep_all(void) {
    hlo_unwind_scope *scope = lock_scope();
    if (scope) dissolve(&scope->blocks);
    if (scope) dissolve(&scope->large);
    unlock_scope(scope);
}

/* ---- unwinding ---- */

/* How many bytes the thread that unwinds wanted, for the point where it continues. */
static _Thread_local size_t wanted_bytes;

_Noreturn void hlo_out_of_memory(size_t wanted) {
    hlo_unwind_point *point = here.point;
    if (!point) {
        fprintf(stderr, "error: out of memory: cannot allocate %zu bytes\n", wanted);
        exit(3);
    }
    HLO_ASSERT(here.scope);
    run_cleanups(point);
    hlo_unwind_scope *scope = here.scope;
    if (point == &scope->point) {
        free_blocks(scope);
        close_scope(scope);
        if (scope->report) scope->report(scope->context, wanted);
    }
    wanted_bytes = wanted ? wanted : 1;
    longjmp(point->jump, 1);
}

static _Thread_local char purpose_text[128];

_Noreturn void hlo_out_of_memory_for(const char *purpose) {
    snprintf(purpose_text, sizeof purpose_text, "%s", purpose);
    hlo_out_of_memory(0);
}

const char *hlo_memory_purpose(void) {
    return purpose_text[0] ? purpose_text : "a library";
}

size_t hlo_unwind_work(hlo_unwind_scope *scope, void (*body)(void *context), void *context) {
    HLO_ASSERT(!here.scope == !here.point);
    hlo_unwind_state before = here;
    hlo_unwind_point point;
    init_ring(&point.cleanups);
    here = (hlo_unwind_state){scope, scope ? &point : NULL};
    if (setjmp(point.jump)) {
        here = before;
        return wanted_bytes;
    }
    body(context);
    HLO_ASSERT(point.cleanups.next == &point.cleanups);
    here = before;
    return 0;
}
