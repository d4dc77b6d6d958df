/* Where the parts of a graph meet: what a send published under its edge and tag, and the recv that
 * takes it, whichever comes first (Implementation of Control Flow in TensorFlow, 2017, section 4).
 */
#ifndef HLO_FLOW_RENDEZVOUS_H
#define HLO_FLOW_RENDEZVOUS_H

#include <stdbool.h>
#include <stdint.h>

struct hlo_value;

/* A tag: the iteration numbers of all frames around, outermost first. The edge determines these
 * frames. */
typedef struct {
    const uint64_t *numbers;
    uint32_t depth;
} hlo_tag;

/* One message: a value, or NULL for a dead one; or who waits for it. */
typedef struct {
    struct hlo_value *value;
    void *waits; /* NULL: none, the message is there */
} hlo_message;

typedef struct hlo_rendezvous hlo_rendezvous;

hlo_rendezvous *hlo_rendezvous_new(void);
void hlo_rendezvous_free(hlo_rendezvous *r); /* with the values that were not received */

/* Publishes a message. Returns who waits for it, which then gets it; else NULL, and keeps it. */
void *hlo_rendezvous_send(hlo_rendezvous *r, uint32_t edge, hlo_tag tag, struct hlo_value *value);
/* Whether the message is there: then it is taken. Else `waits` is returned by its send. */
bool hlo_rendezvous_receive(hlo_rendezvous *r, uint32_t edge, hlo_tag tag, void *waits,
                            struct hlo_value **value);
/* Messages that have not been received, and recvs that wait. */
uint64_t hlo_rendezvous_unread(const hlo_rendezvous *r);
uint64_t hlo_rendezvous_waiting(const hlo_rendezvous *r);

#endif
