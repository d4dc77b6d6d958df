/* Fails every call of the system in turn in runs of every program, and judges what remains.
 *
 *   program-faults [--verbose] [--most N] [--kind KIND] [WORD]
 *
 * --most N: of the calls of a kind in a command line, at most N fail (400), spread evenly from the
 * first hundred on. WORD: only command lines that contain it. Two workers share the command lines.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs.h"

enum { WORKERS = 2, SHOWN_FAILURES = 3 };

static const char *const kind_names[FAULT_KINDS] = {"allocation", "open",  "read",   "write",
                                                    "full-disk",  "close", "rename", "map",
                                                    "shrink",     "signal"};
static const char *const stream_names[STREAM_KINDS] = {"",
                                                       "standard input closed",
                                                       "standard output closed",
                                                       "standard error closed",
                                                       "full output",
                                                       "full standard error"};
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

/* What the workers count, in shared memory. */
static struct {
    atomic_size_t next;
    atomic_long injections[FAULT_KINDS], streams;
    atomic_long errors, unharmed, ended, wrong;
    atomic_long passed, failed;
} * sums;

static struct {
    bool verbose;
    long most;
    const char *kind, *word;
} options = {.most = 400};

typedef struct {
    fault_place place;
    const fault_command *command;
    attempt good;
    long counts[FAULT_KINDS];
    long injections, wrong;
} session;

/* ---- one injection ---- */

static void report(session *s, const char *what, long number, const attempt *seen,
                   const char *why) {
    sums->wrong++;
    if (++s->wrong > SHOWN_FAILURES && !options.verbose) return;
    printf("%s: %s %ld: %s\n", s->command->words, what, number, why);
    printf("%.400s%s", seen->errors, seen->errors[0] ? "" : "    (no message)\n");
    fflush(stdout);
}

static void inject(session *s, stream_fault streams, const char *what, long number) {
    attempt seen;
    const char *why;
    bool was_old = number % 2;
    attempt_run(&s->place, s->command, streams, was_old ? &s->good : NULL, &seen);
    verdict v = judge(s->command, s->place.page, streams, &s->good, &seen, was_old, &why);
    if (s->place.page->has_failed || streams) s->injections++;
    if (v == WAS_ERROR) sums->errors++;
    else if (v == WAS_UNHARMED) sums->unharmed++;
    else if (v == WAS_ENDED) sums->ended++;
    else report(s, what, number, &seen, why);
    attempt_free(&seen);
}

/* ---- one command line ---- */

/* The calls that fail: all, or the first quarter of `most` and others that are spread evenly. */
static long next_number(long number, long count, long most) {
    if (count <= most || number < most / 4) return number + 1;
    long step = (count - most / 4) * 4 / (most * 3);
    return number + (step > 1 ? step : 1);
}

static void inject_kind(session *s, fault_kind kind) {
    long count = s->counts[kind], before = s->injections;
    long most = s->command->is & IS_SLOW ? options.most / 8 + 1 : options.most;
    s->place.page->kind = kind;
    for (long n = 1; n <= count; n = next_number(n, count, most)) {
        s->place.page->number = n;
        s->place.page->signal = signals[n % 3];
        inject(s, STREAMS_GOOD, kind_names[kind], n);
    }
    sums->injections[kind] += s->injections - before;
    s->place.page->number = 0;
}

static void inject_streams(session *s) {
    long before = s->injections;
    for (int streams = 1; streams < STREAM_KINDS; streams++)
        inject(s, (stream_fault)streams, stream_names[streams], streams);
    sums->streams += s->injections - before;
}

static bool is_chosen(const char *kind) {
    return !options.kind || strcmp(options.kind, kind) == 0;
}

static bool prepare(session *s) {
    s->place.page->number = 0;
    attempt_run(&s->place, s->command, STREAMS_GOOD, NULL, &s->good);
    for (int i = 0; i < FAULT_KINDS; i++) s->counts[i] = s->place.page->counts[i];
    s->counts[FAULT_SHRINK] = s->counts[FAULT_MAP];
    s->counts[FAULT_FULL] = s->counts[FAULT_WRITE];
    int status = s->good.status;
    if (WIFEXITED(status) && WEXITSTATUS(status) == s->command->status && !s->good.leftover[0])
        return true;
    report(s, "undisturbed", status, &s->good, "ends otherwise than expected");
    return false;
}

static void run_command(session *s) {
    s->injections = s->wrong = 0;
    if (prepare(s)) {
        for (int kind = 0; kind < FAULT_KINDS; kind++)
            if (is_chosen(kind_names[kind])) inject_kind(s, (fault_kind)kind);
        if (is_chosen("streams")) inject_streams(s);
    }
    attempt_free(&s->good);
    if (s->wrong) sums->failed++;
    else sums->passed++;
    if (!options.verbose && !s->wrong) return;
    printf("%6ld injections, %ld wrong: %s\n", s->injections, s->wrong, s->command->words);
    fflush(stdout);
}

/* ---- all of them ---- */

static void work(const char *folder, int number) {
    static session s;
    char place[64];
    snprintf(place, sizeof place, "%s/w%d", folder, number);
    fault_place_open(&s.place, place);
    for (size_t i; (i = sums->next++) < fault_command_count;) {
        s.command = &fault_commands[i];
        if (!options.word || strstr(s.command->words, options.word)) run_command(&s);
    }
}

static bool read_options(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verbose") == 0) options.verbose = true;
        else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc) options.most = atol(argv[++i]);
        else if (strcmp(argv[i], "--kind") == 0 && i + 1 < argc) options.kind = argv[++i];
        else if (argv[i][0] != '-') options.word = argv[i];
        else return false;
    }
    return options.most > 0 && getenv("HLO_BUILD");
}

static int sum_up(void) {
    printf("injected: ");
    for (int i = 0; i < FAULT_KINDS; i++) printf("%ld %s, ", sums->injections[i], kind_names[i]);
    printf("%ld streams\n", sums->streams);
    printf("%ld errors, %ld that did without, %ld ended by the signal, %ld wrong\n", sums->errors,
           sums->unharmed, sums->ended, sums->wrong);
    printf("%ld passed, %ld failed, 0 skipped\n", sums->passed, sums->failed);
    return sums->failed != 0;
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/faults-XXXXXX", remove[64];
    if (!read_options(argc, argv)) return 2;
    sums = mmap(NULL, sizeof *sums, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sums == MAP_FAILED || !mkdtemp(folder)) return 2;
    for (int i = 0; i < WORKERS; i++) {
        if (fork() != 0) continue;
        work(folder, i);
        fflush(stdout);
        _exit(0);
    }
    for (int i = 0, status; i < WORKERS; i++)
        if (wait(&status) < 0 || status) sums->failed++;
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (system(remove) != 0) sums->failed++;
    return sum_up();
}
