/* Signals and the progress line of hlo-run. */
#include "watch.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "process.h"
#include "progress.h"

enum { STOPPED_AFTER_MS = 150 };

static _Atomic(hlo_run *) watched;
static bool has_line;
static volatile sig_atomic_t arrived;

/* Of a run that does not stop by itself: some kernels go on to their end, and so does printing. */
static timer_t deadline;
static bool has_deadline;

static void end_late(int alarm) {
    (void)alarm;
    process_end_by(arrived);
}

static void prepare_deadline(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct sigaction action = {.sa_handler = end_late};
    if (has_deadline) return;
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    has_deadline = timer_create(CLOCK_MONOTONIC, &event, &deadline) == 0;
}

static void interrupt(int signal) {
    const struct itimerspec soon = {.it_value.tv_nsec = STOPPED_AFTER_MS * 1000000L};
    if (arrived) process_end_by(signal);
    arrived = signal;
    if (has_deadline) timer_settime(deadline, 0, &soon, NULL);
    hlo_run *run = atomic_load(&watched);
    if (run) hlo_run_interrupt(run);
}

int watch_signal(void) {
    return arrived;
}

void watch_settle(void) {
    const struct itimerspec never = {0};
    if (has_deadline) timer_settime(deadline, 0, &never, NULL);
}

/* ---- the line ---- */

static void say_where(char *text, size_t bytes, void *run) {
    enum { SHOWN = 60 };
    hlo_run_state state = hlo_run_progress(run);
    if (!state.name) return;
    int length = state.name_len < SHOWN ? (int)state.name_len : SHOWN;
    snprintf(text, bytes, "instruction %u of %u: %.*s", state.done + 1, state.count, length,
             state.name);
}

/* ---- both ---- */

void watch_begin(hlo_run *run, bool shows) {
    atomic_store(&watched, run);
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    prepare_deadline();
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    has_line = shows && progress_begin(say_where, run);
}

void watch_end(void) {
    if (has_line) progress_end();
    atomic_store(&watched, (hlo_run *)NULL);
}

int watch_ended(int status) {
    if (watch_signal()) process_end_by(watch_signal());
    return status;
}
