/* How a thread that communicates with other processes waits: for threads of the same process, which
 * ring, and for the transport, which it has to poll. */
#ifndef HLO_EVAL_COMM_DOORBELL_H
#define HLO_EVAL_COMM_DOORBELL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    pthread_mutex_t *lock; /* of what the bell is about */
    pthread_cond_t rung;
    atomic_bool is_rung; /* also without the lock */
    bool spins;          /* each thread has a processor: it does not sleep in short waits */
} hlo_doorbell;

void hlo_doorbell_init(hlo_doorbell *bell, pthread_mutex_t *lock, bool spins);
void hlo_doorbell_destroy(hlo_doorbell *bell);
/* There is something to look at. */
void hlo_doorbell_ring(hlo_doorbell *bell);
/* Whether it was, since the last time. */
bool hlo_doorbell_was_rung(hlo_doorbell *bell);
/* Between two looks, of which so many have found nothing; without the lock. */
void hlo_doorbell_rest(hlo_doorbell *bell, uint32_t idle);

#endif
