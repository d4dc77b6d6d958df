/* Waiting for threads and for other processes at a time: see doorbell.h. */
#include "eval/comm/doorbell.h"

#include <sched.h>

#include "base/clock.h"
#include "base/pool.h"

void hlo_doorbell_init(hlo_doorbell *bell, pthread_mutex_t *lock, bool spins) {
    bell->lock = lock;
    bell->spins = spins;
    atomic_init(&bell->is_rung, false);
    pthread_cond_init(&bell->rung, NULL);
}

void hlo_doorbell_destroy(hlo_doorbell *bell) {
    pthread_cond_destroy(&bell->rung);
}

void hlo_doorbell_ring(hlo_doorbell *bell) {
    atomic_store(&bell->is_rung, true);
    pthread_cond_signal(&bell->rung);
}

bool hlo_doorbell_was_rung(hlo_doorbell *bell) {
    return atomic_exchange(&bell->is_rung, false);
}

static void sleep_a_while(hlo_doorbell *bell, long nanoseconds) {
    const struct timespec until = hlo_deadline(nanoseconds);
    pthread_mutex_lock(bell->lock);
    if (!atomic_load(&bell->is_rung)) pthread_cond_timedwait(&bell->rung, bell->lock, &until);
    pthread_mutex_unlock(bell->lock);
}

/* The longer there has been nothing to do, the longer: others may need the processor. */
void hlo_doorbell_rest(hlo_doorbell *bell, uint32_t idle) {
    enum { ROUNDS = 500, SHORTEST = 20000, LONGEST = 500000 };
    long wait = (long)SHORTEST * (1 + (long)idle / ROUNDS);
    if (idle < ROUNDS && bell->spins) hlo_pool_rest();
    else if (idle < ROUNDS) sched_yield();
    else sleep_a_while(bell, wait < LONGEST ? wait : LONGEST);
}
