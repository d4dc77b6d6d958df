/* Signals and the progress line of hlo-run. */
#include "watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

enum { FIRST_MS = 1000, EVERY_MS = 200, STOPPED_AFTER_MS = 150 };

static _Atomic(hlo_run *) watched;
static volatile sig_atomic_t arrived;

static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool runs, is_over;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

/* ---- the line ---- */

static void show(const hlo_run *run) {
    enum { SHOWN = 60 };
    hlo_run_state state = hlo_run_progress(run);
    if (!state.name) return;
    int length = state.name_len < SHOWN ? (int)state.name_len : SHOWN;
    fprintf(stderr, "\r\x1b[Kinstruction %u of %u: %.*s", state.done + 1, state.count, length,
            state.name);
    fflush(stderr);
}

static struct timespec after(int milliseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += milliseconds % 1000 * 1000000L;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000L;
    time.tv_nsec %= 1000000000L;
    return time;
}

static void *show_line(void *run) {
    bool shown = false;
    struct timespec next = after(FIRST_MS);
    pthread_mutex_lock(&line.lock);
    while (!line.is_over) {
        if (pthread_cond_timedwait(&line.ended, &line.lock, &next) == 0) continue;
        show(run);
        shown = true;
        next = after(EVERY_MS);
    }
    pthread_mutex_unlock(&line.lock);
    if (shown) fputs("\r\x1b[K", stderr);
    return NULL;
}

static void begin_line(hlo_run *run) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&line.ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigset_t all, before; /* signals are for the main thread */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    line.is_over = false;
    line.runs = pthread_create(&line.thread, NULL, show_line, run) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end_line(void) {
    if (!line.runs) return;
    pthread_mutex_lock(&line.lock);
    line.is_over = true;
    pthread_cond_signal(&line.ended);
    pthread_mutex_unlock(&line.lock);
    pthread_join(line.thread, NULL);
    pthread_cond_destroy(&line.ended);
    line.runs = false;
}

/* ---- both ---- */

void watch_begin(hlo_run *run, bool shows) {
    atomic_store(&watched, run);
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    prepare_deadline();
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (shows && isatty(STDERR_FILENO)) begin_line(run);
}

void watch_end(void) {
    end_line();
    atomic_store(&watched, (hlo_run *)NULL);
}
