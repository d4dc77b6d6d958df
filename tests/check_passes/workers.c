/* Processes that take the next case each: see workers.h. */
#include "check_passes/workers.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORKERS = 64 };

typedef struct {
    atomic_size_t next;
    tally tallies[MOST_WORKERS];
} shared;

static void work_on(shared *all, tally *own, size_t count, void (*work)(size_t, tally *)) {
    size_t number;
    while ((number = atomic_fetch_add(&all->next, 1)) < count) {
        own->at = number;
        own->works = true;
        work(number, own);
        own->works = false;
        fflush(stdout);
    }
}

static pid_t start(shared *all, tally *own, size_t count, void (*work)(size_t, tally *)) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        work_on(all, own, count, work);
        _exit(0);
    }
    return child;
}

static int worker_of(const pid_t *pids, int n, pid_t pid) {
    for (int i = 0; i < n; i++)
        if (pids[i] == pid) return i;
    return -1;
}

static void add(tally *sum, const tally *t) {
    sum->passed += t->passed;
    sum->failed += t->failed;
    sum->skipped += t->skipped;
    sum->modules += t->modules;
    sum->runs += t->runs;
    sum->changed += t->changed;
    sum->evaluated += t->evaluated;
    sum->unknown += t->unknown;
    sum->fences += t->fences;
    sum->ordered += t->ordered;
    sum->rewrites += t->rewrites;
    sum->trips += t->trips;
    for (int id = 0; id < HLO_REWRITE_COUNT; id++) sum->fired[id] += t->fired[id];
}

void share_work(size_t count, void (*work)(size_t number, tally *counted),
                void (*died)(size_t number), tally *sum) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int n = processors < 1 ? 1 : processors > MOST_WORKERS ? MOST_WORKERS : (int)processors;
    shared *all =
        mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        perror("check_passes: no memory to share");
        exit(3);
    }
    pid_t pids[MOST_WORKERS];
    for (int i = 0; i < n; i++) pids[i] = start(all, &all->tallies[i], count, work);
    for (int left = n; left;) {
        int status;
        int i = worker_of(pids, n, wait(&status));
        if (i < 0) break;
        if (all->tallies[i].works) {
            all->tallies[i].works = false;
            all->tallies[i].failed++;
            died(all->tallies[i].at);
            pids[i] = start(all, &all->tallies[i], count, work);
        } else {
            left--;
        }
    }
    for (int i = 0; i < n; i++) add(sum, &all->tallies[i]);
    munmap(all, sizeof *all);
}
