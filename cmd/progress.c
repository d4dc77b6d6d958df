/* See progress.h. A separate thread shows the line, so that the work does not have to. */
#include "progress.h"

#include <hlo.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "say.h"
#include "terminal.h"

enum { FIRST_MS = 1000, EVERY_MS = 200, LINE_BYTES = 160 };

static struct {
    pthread_t thread;
    pthread_mutex_t lock; /* of all below, and of the terminal */
    pthread_cond_t ended;
    progress_text *text;
    void *context;
    char said[LINE_BYTES];
    bool is_forbidden, runs, is_over, is_shown;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

void progress_forbid(void) {
    line.is_forbidden = true;
}

bool progress_is_possible(void) {
    return !line.is_forbidden && terminal_moves(STDERR_FILENO);
}

static void erase(void) {
    if (line.is_shown) print_over("%s", "");
    line.is_shown = false;
}

static void show(void) {
    char text[LINE_BYTES] = "";
    if (line.text) line.text(text, sizeof text, line.context);
    else snprintf(text, sizeof text, "%s", line.said);
    if (!text[0]) return;
    char shown[LINE_BYTES];
    hlo_escape(text, shown, sizeof shown);
    print_over("%.*s", terminal_width(STDERR_FILENO, 80) - 1, shown);
    line.is_shown = true;
}

static struct timespec after(int milliseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += milliseconds % 1000 * 1000000L;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000L;
    time.tv_nsec %= 1000000000L;
    return time;
}

static void *show_line(void *unused) {
    (void)unused;
    struct timespec next = after(FIRST_MS);
    pthread_mutex_lock(&line.lock);
    while (!line.is_over) {
        if (pthread_cond_timedwait(&line.ended, &line.lock, &next) == 0) continue;
        show();
        next = after(EVERY_MS);
    }
    erase();
    pthread_mutex_unlock(&line.lock);
    return NULL;
}

bool progress_begin(progress_text *text, void *context) {
    if (!progress_is_possible() || line.runs) return false;
    line.text = text;
    line.context = context;
    line.is_over = false;
    line.said[0] = 0;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&line.ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigset_t all, before; /* signals are for the main thread */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    line.runs = pthread_create(&line.thread, NULL, show_line, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return line.runs;
}

static void say_list(const char *format, va_list args) {
    pthread_mutex_lock(&line.lock);
    vsnprintf(line.said, sizeof line.said, format, args);
    pthread_mutex_unlock(&line.lock);
}

void progress_show(const char *format, ...) {
    va_list args;
    if (!line.runs) return;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
}

bool progress_begin_stage(const char *format, ...) {
    va_list args;
    if (!progress_begin(NULL, NULL)) return false;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
    return true;
}

void progress_end_stage(bool begun) {
    if (begun) progress_end();
}

void progress_end(void) {
    if (!line.runs) return;
    pthread_mutex_lock(&line.lock);
    line.is_over = true;
    pthread_cond_signal(&line.ended);
    pthread_mutex_unlock(&line.lock);
    pthread_join(line.thread, NULL);
    pthread_cond_destroy(&line.ended);
    line.runs = false;
}

void progress_hold(void) {
    if (!line.runs) return;
    pthread_mutex_lock(&line.lock);
    erase();
    fflush(stderr);
}

void progress_release(void) {
    if (line.runs) pthread_mutex_unlock(&line.lock);
}
