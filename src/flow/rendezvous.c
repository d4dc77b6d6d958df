/* A hash table of messages by edge and tag, chained; entries are used again. See rendezvous.h. */
#include "flow/rendezvous.h"

#include <string.h>

#include "base/hash.h"
#include "base/unwind.h"
#include "eval/value/value.h"

typedef struct entry {
    struct entry *next;
    uint64_t hash;
    uint32_t edge, depth, capacity;
    hlo_message message;
    uint64_t numbers[];
} entry;

struct hlo_rendezvous {
    entry **heads;
    uint32_t capacity; /* a power of two */
    uint64_t unread, waiting;
    entry *idle;
};

hlo_rendezvous *hlo_rendezvous_new(void) {
    hlo_rendezvous *r = hlo_calloc(1, sizeof *r);
    r->capacity = 64;
    r->heads = hlo_calloc(r->capacity, sizeof *r->heads);
    return r;
}

static void free_chain(entry *e, bool with_values) {
    for (entry *next; e; e = next) {
        next = e->next;
        if (with_values) hlo_value_release(e->message.value);
        hlo_free(e);
    }
}

void hlo_rendezvous_free(hlo_rendezvous *r) {
    if (!r) return;
    for (uint32_t i = 0; i < r->capacity; i++) free_chain(r->heads[i], true);
    free_chain(r->idle, false);
    hlo_free(r->heads);
    hlo_free(r);
}

static uint64_t hash_of(uint32_t edge, hlo_tag tag) {
    uint64_t hash = hlo_hash_mix(0, edge);
    for (uint32_t i = 0; i < tag.depth; i++) hash = hlo_hash_mix(hash, tag.numbers[i]);
    return hash;
}

static bool has_tag(const entry *e, uint64_t hash, uint32_t edge, hlo_tag tag) {
    return e->hash == hash && e->edge == edge && e->depth == tag.depth &&
           (!tag.depth || !memcmp(e->numbers, tag.numbers, tag.depth * sizeof *tag.numbers));
}

static void grow(hlo_rendezvous *r) {
    HLO_ASSERT(!(r->capacity & (r->capacity - 1)));
    uint32_t capacity = 2 * r->capacity;
    entry **heads = hlo_calloc(capacity, sizeof *heads);
    for (uint32_t i = 0; i < r->capacity; i++)
        for (entry *e = r->heads[i], *next; e; e = next) {
            next = e->next;
            entry **head = &heads[e->hash & (capacity - 1)];
            e->next = *head;
            *head = e;
        }
    hlo_free(r->heads);
    r->heads = heads;
    r->capacity = capacity;
}

static entry *take_idle(hlo_rendezvous *r, uint32_t depth) {
    entry *e = r->idle;
    if (e && e->capacity >= depth) {
        r->idle = e->next;
        return e;
    }
    uint32_t capacity = depth < 4 ? 4 : depth;
    e = hlo_malloc(sizeof *e + capacity * sizeof *e->numbers);
    e->capacity = capacity;
    return e;
}

static void add(hlo_rendezvous *r, uint64_t hash, uint32_t edge, hlo_tag tag, hlo_message message) {
    HLO_ASSERT(tag.depth == 0 || tag.numbers);
    if (r->unread + r->waiting >= r->capacity) grow(r);
    entry *e = take_idle(r, tag.depth), **head = &r->heads[hash & (r->capacity - 1)];
    e->hash = hash;
    e->edge = edge;
    e->depth = tag.depth;
    e->message = message;
    if (tag.depth) memcpy(e->numbers, tag.numbers, tag.depth * sizeof *tag.numbers);
    e->next = *head;
    *head = e;
}

/* Takes the entry of the tag out of the table; false when there is none. */
static bool take_entry(hlo_rendezvous *r, uint64_t hash, uint32_t edge, hlo_tag tag,
                       hlo_message *message) {
    for (entry **link = &r->heads[hash & (r->capacity - 1)]; *link; link = &(*link)->next) {
        entry *e = *link;
        if (!has_tag(e, hash, edge, tag)) continue;
        *message = e->message;
        *link = e->next;
        e->next = r->idle;
        r->idle = e;
        return true;
    }
    return false;
}

void *hlo_rendezvous_send(hlo_rendezvous *r, uint32_t edge, hlo_tag tag, hlo_value *value) {
    uint64_t hash = hash_of(edge, tag);
    hlo_message message;
    if (take_entry(r, hash, edge, tag, &message)) {
        HLO_ASSERT(r->waiting > 0);
        r->waiting--;
        return message.waits;
    }
    add(r, hash, edge, tag, (hlo_message){.value = value});
    r->unread++;
    return NULL;
}

bool hlo_rendezvous_receive(hlo_rendezvous *r, uint32_t edge, hlo_tag tag, void *waits,
                            hlo_value **value) {
    uint64_t hash = hash_of(edge, tag);
    hlo_message message;
    if (take_entry(r, hash, edge, tag, &message)) {
        HLO_ASSERT(r->unread > 0);
        r->unread--;
        *value = message.value;
        return true;
    }
    add(r, hash, edge, tag, (hlo_message){.waits = waits});
    r->waiting++;
    return false;
}

uint64_t hlo_rendezvous_unread(const hlo_rendezvous *r) {
    return r->unread;
}

uint64_t hlo_rendezvous_waiting(const hlo_rendezvous *r) {
    return r->waiting;
}
