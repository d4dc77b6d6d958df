/* Threads that take the next job when they are free. */
#include "jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 256, AHEAD = 64, SLOTS = MOST_THREADS + AHEAD };

typedef struct {
    const job_kind *kind;
    size_t count, next, handed; /* jobs; the next to be taken; how many were delivered */
    bool finished[SLOTS];       /* by job modulo its size */
    pthread_mutex_t lock;
    pthread_cond_t changed;
} job_queue;

static bool too_far_ahead(const job_queue *queue) {
    return queue->next - queue->handed >= SLOTS;
}

static void *worker(void *argument) {
    job_queue *queue = argument;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (queue->next < queue->count && too_far_ahead(queue))
            pthread_cond_wait(&queue->changed, &queue->lock);
        if (queue->next >= queue->count) break;
        size_t job = queue->next++;
        pthread_mutex_unlock(&queue->lock);
        queue->kind->work(job, queue->kind->context);
        pthread_mutex_lock(&queue->lock);
        queue->finished[job % SLOTS] = true;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void hand_out(job_queue *queue) {
    for (size_t job = 0; job < queue->count; job++) {
        pthread_mutex_lock(&queue->lock);
        while (!queue->finished[job % SLOTS]) pthread_cond_wait(&queue->changed, &queue->lock);
        pthread_mutex_unlock(&queue->lock);
        queue->kind->done(job, queue->kind->context);
        pthread_mutex_lock(&queue->lock);
        queue->finished[job % SLOTS] = false;
        queue->handed = job + 1;
        pthread_cond_broadcast(&queue->changed);
        pthread_mutex_unlock(&queue->lock);
    }
}

static void run_alone(size_t count, const job_kind *kind) {
    for (size_t job = 0; job < count; job++) {
        kind->work(job, kind->context);
        kind->done(job, kind->context);
    }
}

void jobs_run(size_t count, uint64_t threads, const job_kind *kind) {
    long processors = threads ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > 0) threads = (uint64_t)processors;
    if (threads > count) threads = count;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    job_queue queue = {.kind = kind, .count = count};
    pthread_t started[MOST_THREADS];
    size_t n = 0;
    if (threads > 1) {
        pthread_mutex_init(&queue.lock, NULL);
        pthread_cond_init(&queue.changed, NULL);
        while (n < threads && pthread_create(&started[n], NULL, worker, &queue) == 0) n++;
    }
    /* A system that gives no threads gets the work done all the same. */
    if (n == 0) {
        run_alone(count, kind);
        return;
    }
    hand_out(&queue);
    for (size_t i = 0; i < n; i++) pthread_join(started[i], NULL);
    pthread_mutex_destroy(&queue.lock);
    pthread_cond_destroy(&queue.changed);
}
