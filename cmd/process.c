/* Standard streams, signals, memory: see process.h. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <hlo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mapped.h"
#include "say.h"

static bool is_output_closed;

/* A closed standard stream is opened in the wrong direction, so that its use still gives EBADF. */
static void open_standard_streams(void) {
    is_output_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) >= 0) continue;
        int mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", mode) != number) _exit(HLO_BAD_SYSTEM);
    }
}

bool process_can_write(const char *output) {
    if (!is_output_closed || (output && strcmp(output, "-") != 0)) return true;
    say(program_invocation_short_name, "error: cannot write standard output: it is closed");
    return false;
}

/* ---- signals ---- */

static void (*volatile cleanup)(void);

void process_set_cleanup(void (*wanted)(void)) {
    cleanup = wanted;
}

void process_clean_up(void) {
    void (*wanted)(void) = cleanup;
    if (wanted) wanted();
    hlo_remove_unfinished();
}

void process_end_by(int number) {
    sigset_t one;
    process_clean_up();
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    _exit(HLO_BAD_SYSTEM); /* not reached */
}

/* What the parent process wants ignored (nohup) stays so. */
static void watch(int number) {
    struct sigaction before, action = {.sa_handler = process_end_by};
    sigfillset(&action.sa_mask);
    sigaction(number, NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void process_begin(void) {
    open_standard_streams();
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error of the write then */
    watch(SIGINT);
    watch(SIGTERM);
    watch(SIGHUP);
    watch(SIGQUIT);
    watch(SIGPIPE);
    watch(SIGXCPU);
    mapped_files_watch();
}

/* ---- memory ---- */

void process_no_memory(const char *what) {
    fprintf(stderr, "%s: error: out of memory: cannot allocate memory for %s\n",
            program_invocation_short_name, what);
    process_clean_up();
    exit(HLO_BAD_SYSTEM);
}

void *process_made(void *object, const char *what) {
    if (!object) process_no_memory(what);
    return object;
}
