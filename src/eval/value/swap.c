/* Swapping: an entry is in memory, being written, in the file, or being read. The thread of the
 * file moves bytes only; memory is allocated and given back by the threads of the run, which own
 * it. See swap.h. */
#include "eval/value/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "eval/value/stack.h"
#include "eval/value/value_memory.h"

typedef enum { RESIDENT, WRITING, WRITTEN, OUT, READING } entry_state;

struct hlo_swap_entry {
    hlo_value *array; /* NULL: OUT */
    const hlo_shape *shape;
    const hlo_instr *stack;
    uint64_t bytes, at; /* of the file */
    entry_state state;
    bool has_place;              /* in the file */
    hlo_swap_entry *prev, *next; /* of those that are RESIDENT, oldest first; of requests */
};

typedef struct {
    hlo_swap_entry *first, *last;
} entry_list;

/* Parts of the file that serve again. */
typedef struct place {
    struct place *next;
    uint64_t at, bytes;
} place;

struct hlo_swap {
    pthread_mutex_t lock;
    pthread_cond_t requested, done;
    pthread_t thread;
    hlo_stack_memory *memory;
    uint64_t threshold, end; /* of the file */
    uint64_t writing;        /* bytes whose memory is given back soon */
    int fd, error;
    bool is_over;
    char *directory;
    hlo_swap_observer *observe; /* NULL: none */
    void *observe_context;
    entry_list resident, requests, written;
    place *places;
};

/* ---- lists ---- */

static void append(entry_list *list, hlo_swap_entry *entry) {
    HLO_ASSERT(!list->last == !list->first && (!list->last || !list->last->next));
    entry->prev = list->last;
    entry->next = NULL;
    if (list->last) list->last->next = entry;
    else list->first = entry;
    list->last = entry;
}

static void prepend(entry_list *list, hlo_swap_entry *entry) {
    HLO_ASSERT(!list->last == !list->first && (!list->first || !list->first->prev));
    entry->prev = NULL;
    entry->next = list->first;
    if (list->first) list->first->prev = entry;
    else list->last = entry;
    list->first = entry;
}

static void detach(entry_list *list, hlo_swap_entry *entry) {
    HLO_ASSERT(entry->prev ? entry->prev->next == entry : list->first == entry);
    HLO_ASSERT(entry->next ? entry->next->prev == entry : list->last == entry);
    if (entry->prev) entry->prev->next = entry->next;
    else list->first = entry->next;
    if (entry->next) entry->next->prev = entry->prev;
    else list->last = entry->prev;
}

/* ---- the file ---- */

static int open_file(const char *directory) {
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return fd;
    size_t length = strlen(directory) + sizeof "/hlo-swap-XXXXXX";
    char *name = malloc(length);
    if (!name) return -1;
    snprintf(name, length, "%s/hlo-swap-XXXXXX", directory);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name); /* no file is left, whatever happens */
    free(name);
    return fd;
}

/* An errno; 0: all bytes were moved. */
static int move_bytes(int fd, bool writes, char *data, uint64_t bytes, uint64_t at) {
    while (bytes) {
        ssize_t n = writes ? pwrite(fd, data, bytes, (off_t)at) : pread(fd, data, bytes, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        data += n;
        at += (uint64_t)n;
        bytes -= (uint64_t)n;
    }
    return 0;
}

static void finish_request(hlo_swap *swap, hlo_swap_entry *entry, int error) {
    HLO_ASSERT_LOCKED(&swap->lock);
    HLO_ASSERT(entry->state == WRITING || entry->state == READING);
    bool was_write = entry->state == WRITING;
    if (error && !swap->error) swap->error = error;
    entry->state = was_write && !error ? WRITTEN : RESIDENT;
    if (entry->state == WRITTEN) append(&swap->written, entry);
    else append(&swap->resident, entry);
    HLO_ASSERT(!was_write || swap->writing >= entry->bytes);
    if (was_write && error) swap->writing -= entry->bytes;
    pthread_cond_broadcast(&swap->done);
}

static void tell(const hlo_swap *swap, const hlo_swap_entry *entry, bool is_out, uint64_t since) {
    if (swap->observe && !swap->error)
        swap->observe(swap->observe_context, entry->stack, is_out, entry->bytes, since);
}

static void *serve(void *context) {
    hlo_swap *swap = context;
    pthread_mutex_lock(&swap->lock);
    for (;;) {
        while (!swap->requests.first && !swap->is_over)
            pthread_cond_wait(&swap->requested, &swap->lock);
        hlo_swap_entry *entry = swap->requests.first;
        if (!entry) break;
        detach(&swap->requests, entry);
        entry->prev = entry; /* it is being moved */
        bool writes = entry->state == WRITING;
        uint64_t since = hlo_clock();
        pthread_mutex_unlock(&swap->lock);
        int error = move_bytes(swap->fd, writes, entry->array->data, entry->bytes, entry->at);
        pthread_mutex_lock(&swap->lock);
        finish_request(swap, entry, error);
        tell(swap, entry, writes, since);
    }
    pthread_mutex_unlock(&swap->lock);
    return NULL;
}

/* ---- making ---- */

static void free_struct(hlo_swap *swap) {
    hlo_free(swap->directory);
    hlo_free(swap);
}

hlo_swap *hlo_swap_new(hlo_stack_memory *memory, uint64_t threshold, const char *directory) {
    hlo_swap *swap = hlo_calloc(1, sizeof *swap); /* memory first: there may be none */
    swap->memory = memory;
    swap->threshold = threshold;
    swap->directory = hlo_malloc(strlen(directory) + 1);
    strcpy(swap->directory, directory);
    swap->fd = open_file(directory);
    if (swap->fd < 0) {
        int bad = errno;
        free_struct(swap);
        errno = bad;
        return NULL;
    }
    pthread_mutex_init(&swap->lock, NULL);
    pthread_cond_init(&swap->requested, NULL);
    pthread_cond_init(&swap->done, NULL);
    int bad = pthread_create(&swap->thread, NULL, serve, swap);
    if (!bad) return swap;
    close(swap->fd);
    free_struct(swap);
    errno = bad;
    return NULL;
}

void hlo_swap_observe(hlo_swap *swap, hlo_swap_observer *observe, void *context) {
    if (!swap) return;
    pthread_mutex_lock(&swap->lock);
    swap->observe = observe;
    swap->observe_context = context;
    pthread_mutex_unlock(&swap->lock);
}

void hlo_swap_free(hlo_swap *swap) {
    if (!swap) return;
    pthread_mutex_lock(&swap->lock);
    swap->is_over = true;
    pthread_cond_signal(&swap->requested);
    pthread_mutex_unlock(&swap->lock);
    pthread_join(swap->thread, NULL);
    HLO_ASSERT(!swap->resident.first && !swap->requests.first && !swap->written.first);
    for (place *p = swap->places, *next; p; p = next) {
        next = p->next;
        hlo_free(p);
    }
    close(swap->fd);
    pthread_mutex_destroy(&swap->lock);
    pthread_cond_destroy(&swap->requested);
    pthread_cond_destroy(&swap->done);
    free_struct(swap);
}

/* ---- places in the file ---- */

static void take_place(hlo_swap *swap, hlo_swap_entry *entry) {
    HLO_ASSERT_LOCKED(&swap->lock);
    HLO_ASSERT(!entry->has_place);
    for (place **link = &swap->places; *link; link = &(*link)->next) {
        place *p = *link;
        if (p->bytes != entry->bytes) continue;
        entry->at = p->at;
        *link = p->next;
        hlo_free(p);
        entry->has_place = true;
        return;
    }
    entry->at = swap->end;
    swap->end += entry->bytes;
    entry->has_place = true;
}

static void leave_place(hlo_swap *swap, const hlo_swap_entry *entry) {
    HLO_ASSERT_LOCKED(&swap->lock);
    if (!entry->has_place) return;
    place *p = hlo_try_malloc(sizeof *p);
    if (!p) return; /* the file is longer then than it need be */
    *p = (place){swap->places, entry->at, entry->bytes};
    swap->places = p;
}

/* ---- memory ---- */

/* Gives back what has been written. */
static void reap(hlo_swap *swap) {
    HLO_ASSERT_LOCKED(&swap->lock);
    for (hlo_swap_entry *entry; (entry = swap->written.first);) {
        detach(&swap->written, entry);
        HLO_ASSERT(entry->state == WRITTEN && swap->writing >= entry->bytes);
        entry->state = OUT;
        swap->writing -= entry->bytes;
        hlo_stack_discount(swap->memory, entry->bytes);
        hlo_value_release(entry->array);
        entry->array = NULL;
    }
}

static void request(hlo_swap *swap, hlo_swap_entry *entry, entry_state state) {
    HLO_ASSERT_LOCKED(&swap->lock);
    entry->state = state;
    if (state == READING) prepend(&swap->requests, entry); /* a thread waits, or will soon */
    else append(&swap->requests, entry);
    pthread_cond_signal(&swap->requested);
}

/* What may be in memory: the threshold, or less where the run may not hold as much. Pushes wait
 * when it is exceeded by a quarter. */
static uint64_t most_resident(const hlo_swap *swap) {
    const hlo_stack_budget *budget = swap->memory->budget;
    HLO_ASSERT(!budget || budget->devices > 0);
    if (!budget) return swap->threshold;
    uint64_t share = (budget->limit - budget->limit / 4) / (budget->devices);
    return share < swap->threshold ? share : swap->threshold;
}

/* Requests writes of the oldest until the rest is 7/8 of the threshold. */
static void shrink(hlo_swap *swap) {
    HLO_ASSERT_LOCKED(&swap->lock);
    uint64_t resident = atomic_load(&swap->memory->resident), most = most_resident(swap);
    if (resident - swap->writing <= most) return;
    uint64_t wanted = most - most / 8;
    while (swap->resident.first && resident - swap->writing > wanted) {
        hlo_swap_entry *entry = swap->resident.first;
        detach(&swap->resident, entry);
        if (!entry->has_place) take_place(swap, entry);
        swap->writing += entry->bytes;
        request(swap, entry, WRITING);
    }
}

/* The bound would mean nothing if pushes never waited for the file. */
static void wait_for_space(hlo_swap *swap) {
    uint64_t most = most_resident(swap);
    most += most / 4;
    reap(swap);
    while (atomic_load(&swap->memory->resident) > most && swap->writing && !swap->error) {
        pthread_cond_wait(&swap->done, &swap->lock);
        reap(swap);
    }
}

/* ---- entries ---- */

hlo_swap_entry *hlo_swap_put(hlo_swap *swap, hlo_value *array, const hlo_instr *stack) {
    hlo_swap_entry *entry = hlo_calloc(1, sizeof *entry);
    entry->array = array;
    entry->shape = array->shape;
    entry->stack = stack;
    entry->bytes = (uint64_t)hlo_shape_bytes(array->shape);
    hlo_stack_count(swap->memory, entry->bytes);
    pthread_mutex_lock(&swap->lock);
    append(&swap->resident, entry);
    shrink(swap);
    wait_for_space(swap);
    bool good = !swap->error;
    pthread_mutex_unlock(&swap->lock);
    if (good) return entry;
    hlo_swap_drop(swap, entry);
    return NULL;
}

/* Of an entry that is OUT: memory for it, and a request to read it. */
static bool start_reading(hlo_swap *swap, hlo_swap_entry *entry) {
    HLO_ASSERT(entry->state == OUT && !entry->array);
    entry->array = hlo_value_new(entry->shape);
    if (!entry->array) return false;
    hlo_stack_count(swap->memory, entry->bytes);
    request(swap, entry, READING);
    return true;
}

void hlo_swap_expect(hlo_swap *swap, hlo_swap_entry *entry) {
    pthread_mutex_lock(&swap->lock);
    reap(swap);
    uint64_t resident = atomic_load(&swap->memory->resident);
    if (entry->state == OUT && resident + entry->bytes <= most_resident(swap) && !swap->error)
        start_reading(swap, entry);
    pthread_mutex_unlock(&swap->lock);
}

/* Until the entry is in memory and the file's thread does not look at it. */
static bool bring(hlo_swap *swap, hlo_swap_entry *entry) {
    HLO_ASSERT_LOCKED(&swap->lock);
    if (entry->state == WRITTEN) { /* its memory is still there */
        detach(&swap->written, entry);
        swap->writing -= entry->bytes;
        entry->state = RESIDENT;
        append(&swap->resident, entry);
    }
    if (entry->state == WRITING && entry->prev != entry) { /* not begun: no need to */
        detach(&swap->requests, entry);
        swap->writing -= entry->bytes;
        entry->state = RESIDENT;
        append(&swap->resident, entry);
    }
    if (entry->state == OUT && !start_reading(swap, entry)) return false;
    while (entry->state == WRITING || entry->state == READING)
        pthread_cond_wait(&swap->done, &swap->lock);
    return entry->state == RESIDENT || bring(swap, entry);
}

hlo_value *hlo_swap_take(hlo_swap *swap, hlo_swap_entry *entry) {
    pthread_mutex_lock(&swap->lock);
    bool good = bring(swap, entry) && !swap->error;
    hlo_value *array = entry->array;
    if (entry->state == RESIDENT) detach(&swap->resident, entry);
    leave_place(swap, entry);
    reap(swap);
    pthread_mutex_unlock(&swap->lock);
    HLO_ASSERT(!good || entry->state == RESIDENT);
    if (array) hlo_stack_discount(swap->memory, entry->bytes);
    hlo_free(entry);
    if (good) return array;
    hlo_value_release(array);
    return NULL;
}

void hlo_swap_drop(hlo_swap *swap, hlo_swap_entry *entry) {
    pthread_mutex_lock(&swap->lock);
    if (entry->state != OUT) bring(swap, entry);
    if (entry->state == RESIDENT) detach(&swap->resident, entry);
    leave_place(swap, entry);
    pthread_mutex_unlock(&swap->lock);
    if (entry->array) hlo_stack_discount(swap->memory, entry->bytes);
    hlo_value_release(entry->array);
    hlo_free(entry);
}

int hlo_swap_error(const hlo_swap *swap) {
    return swap->error;
}

const char *hlo_swap_directory(const hlo_swap *swap) {
    return swap->directory;
}
