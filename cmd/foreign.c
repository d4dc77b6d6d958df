/* Crashes and exits inside of functions of libraries: see foreign.h. What runs in a handler neither
 * allocates nor uses stdio. */
#include "foreign.h"

#include <errno.h>
#include <hlo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

static const struct {
    int number;
    const char *name;
} crashes[] = {{SIGSEGV, "SIGSEGV"},
               {SIGILL, "SIGILL"},
               {SIGFPE, "SIGFPE"},
               {SIGABRT, "SIGABRT"},
               {SIGBUS, "SIGBUS"}};
enum { CRASHES = sizeof crashes / sizeof *crashes };

static struct sigaction before[CRASHES];
static pid_t watcher;

static void put(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* unheard */
}

static void put_line(const char *what, const char *happened, const char *name) {
    put(program_invocation_short_name);
    put(": error: ");
    put(what);
    put(happened);
    put(name);
    put(" [custom-call]\n");
}

void foreign_report_crash(int number) {
    const char *what = hlo_foreign_call();
    for (int i = 0; what && i < CRASHES; i++)
        if (crashes[i].number == number) put_line(what, " crashed: ", crashes[i].name);
}

/* The handler that was there before, such as a sanitizer's, gets the signal when it comes again. */
static void end_by_crash(int number, siginfo_t *info, void *context) {
    (void)context;
    foreign_report_crash(number);
    process_clean_up();
    for (int i = 0; i < CRASHES; i++)
        if (crashes[i].number == number) sigaction(number, &before[i], NULL);
    if (info->si_code <= 0 && number != SIGABRT) raise(number); /* abort does so by itself */
}

/* A child of the function's own may exit as it likes. */
static void end_by_exit(void) {
    const char *what = getpid() == watcher ? hlo_foreign_call() : NULL;
    if (!what) return;
    put_line(what, " ended the program", "");
    process_clean_up();
    _exit(HLO_BAD_SYSTEM);
}

void foreign_watch(void) {
    struct sigaction action = {.sa_sigaction = end_by_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    watcher = getpid();
    for (int i = 0; i < CRASHES; i++)
        if (crashes[i].number != SIGBUS) sigaction(crashes[i].number, &action, &before[i]);
    atexit(end_by_exit);
    at_quick_exit(end_by_exit);
}
