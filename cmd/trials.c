/* Commands as children, each in a separate process group: see trials.h. */
#include "trials.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "say.h"

typedef enum { RUNNING, GOOD, BAD } trial_state;

typedef struct {
    char file[96];
    char *line; /* for the shell */
    pid_t child;
    trial_state state;
    int64_t deadline; /* in nanoseconds; INT64_MAX: none */
} trial;

struct trials {
    const trials_options *options;
    int64_t timeout; /* the same */
    int caught;
    bool told_not_found, told_timeout, has_directory, has_first;
    int first; /* the wait status of the command that ended first */
    char directory[64];
    sigset_t waited, before;
    trial *slots;
};

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int failed(const trials_options *options, const char *what, int error) {
    say(options->program, "error: %s: %s", what, strerror(error));
    return HLO_REDUCE_STOP;
}

static void warn_once(const trials *t, bool *told, const char *what) {
    if (!*told) say(t->options->program, "warning: %s", what);
    *told = true;
}

/* ---- the directory and the lines ---- */

/* The command with FILE in its places, or after it. */
static char *shell_line(const char *command, const char *file) {
    size_t places = 1;
    for (const char *at = command; (at = strstr(at, "{}")); at += 2) places++;
    char *line = malloc(strlen(command) + places * (strlen(file) + 1) + 1), *end = line;
    if (!line) return NULL;
    for (const char *at = command, *next;; at = next + 2) {
        next = strstr(at, "{}");
        end = next ? mempcpy(end, at, (size_t)(next - at)) : stpcpy(end, at);
        if (!next) break;
        end = stpcpy(end, file);
    }
    if (places == 1) stpcpy(stpcpy(end, " "), file);
    return line;
}

/* The directory's name is pasted into shell commands unquoted: only plain characters are used. */
static bool make_directory(trials *t) {
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
    const char *temporary = getenv("TMPDIR");
    bool good = temporary && temporary[0] == '/' && strlen(temporary) < 32 &&
                !temporary[strspn(temporary, safe)];
    snprintf(t->directory, sizeof t->directory, "%s/hlo-reduce-XXXXXX", good ? temporary : "/tmp");
    t->has_directory = mkdtemp(t->directory) != NULL;
    return t->has_directory;
}

static void prepare_slots(trials *t) {
    t->slots = process_made(calloc((size_t)t->options->jobs, sizeof *t->slots), "the commands");
    for (int i = 0; i < t->options->jobs; i++) {
        snprintf(t->slots[i].file, sizeof t->slots[i].file, "%s/module%d.hlo", t->directory, i);
        t->slots[i].line =
            process_made(shell_line(t->options->command, t->slots[i].file), "the commands");
    }
}

static void block_signals(trials *t) {
    static const int waited[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    sigemptyset(&t->waited);
    for (size_t i = 0; i < sizeof waited / sizeof *waited; i++) sigaddset(&t->waited, waited[i]);
    sigprocmask(SIG_BLOCK, &t->waited, &t->before);
}

/* The trials whose directory is there, for a process that ends without closing them. */
static trials *current;

static void remove_directory(void) {
    if (!current) return;
    for (int i = 0; current->slots && i < current->options->jobs; i++)
        unlink(current->slots[i].file);
    if (current->has_directory) rmdir(current->directory);
    current = NULL;
}

trials *trials_open(const trials_options *options) {
    trials *t = process_made(calloc(1, sizeof *t), "the commands");
    t->options = options;
    t->timeout = (int64_t)options->timeout * 1000000000;
    block_signals(t);
    if (make_directory(t)) {
        current = t;
        process_set_cleanup(remove_directory);
        prepare_slots(t);
        return t;
    }
    failed(options, t->directory, errno);
    trials_close(t);
    return NULL;
}

void trials_note_first(const trials *t) {
    if (!t->has_first || t->first == 0 || t->caught) return;
    bool by_signal = WIFSIGNALED(t->first);
    say(t->options->program, "note: the command %s %d%s",
        by_signal ? "was killed by signal" : "exited with status",
        by_signal ? WTERMSIG(t->first) : WEXITSTATUS(t->first),
        t->options->shows ? "" : "; --verbose shows what it writes");
}

int trials_signal(const trials *t) {
    return t->caught;
}

void trials_pass_on(int caught) {
    if (caught) process_end_by(caught);
}

void trials_close(trials *t) {
    remove_directory();
    for (int i = 0; t->slots && i < t->options->jobs; i++) free(t->slots[i].line);
    process_set_cleanup(NULL);
    if (!t->caught) sigprocmask(SIG_SETMASK, &t->before, NULL);
    free(t->slots);
    free(t);
}

/* ---- one child ---- */

static int write_file(const trial *one, const hlo_candidate *candidate, hlo_diags *diags) {
    hlo_output *file;
    if (hlo_output_open(one->file, diags, &file) != HLO_OK) return HLO_REDUCE_STOP;
    hlo_output_write(file, candidate->text, candidate->len);
    hlo_status status = hlo_output_commit(file, diags);
    hlo_output_free(file);
    return status == HLO_OK ? 0 : HLO_REDUCE_STOP;
}

static int start(const trials *t, trial *one) {
    posix_spawnattr_t how;
    posix_spawn_file_actions_t files;
    char *const arguments[] = {(char *)"sh", (char *)"-c", one->line, NULL};
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &t->before);
    sigset_t ignored; /* by this program */
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_setsigdefault(&how, &ignored);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, one->file, O_RDONLY, 0);
    if (t->options->shows) {
        posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    int error = posix_spawn(&one->child, "/bin/sh", &files, &how, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    if (error) return error;
    one->state = RUNNING;
    one->deadline = t->timeout ? now() + t->timeout : INT64_MAX;
    return 0;
}

static void end_child(trial *one) {
    if (one->state != RUNNING) return;
    kill(-one->child, SIGKILL);
    while (waitpid(one->child, NULL, 0) < 0 && errno == EINTR) continue;
    one->state = BAD;
}

static void look(trials *t, trial *one) {
    int status;
    if (one->state != RUNNING) return;
    if (waitpid(one->child, &status, WNOHANG) == one->child) {
        one->state = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? GOOD : BAD;
        if (!t->has_first) t->first = status;
        t->has_first = true;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
            warn_once(t, &t->told_not_found, "the command exited with status 127: not found");
    } else if (now() >= one->deadline) {
        end_child(one);
        warn_once(t, &t->told_timeout, "the command timed out, which counts as a failure");
    }
}

/* ---- all of them ---- */

/* Until a child ends, the next one has no time left, or the user has enough. */
static void wait_for_news(trials *t, int count) {
    int64_t next = INT64_MAX;
    for (int i = 0; i < count; i++)
        if (t->slots[i].state == RUNNING && t->slots[i].deadline < next)
            next = t->slots[i].deadline;
    int64_t left = next == INT64_MAX ? INT64_MAX : next - now();
    if (left < 0) left = 0;
    struct timespec time = {left / 1000000000, left % 1000000000};
    int got =
        left == INT64_MAX ? sigwaitinfo(&t->waited, NULL) : sigtimedwait(&t->waited, NULL, &time);
    if (got == SIGINT || got == SIGTERM || got == SIGHUP) t->caught = got;
}

/* The first that is good when all before it are bad; NONE when all are; -3: not known yet. */
enum { NOT_YET = HLO_REDUCE_STOP - 1 };

static int decide(trials *t, int count) {
    bool good_before = false;
    for (int i = 0; i < count; i++) {
        look(t, &t->slots[i]);
        if (good_before) end_child(&t->slots[i]);
        good_before |= t->slots[i].state == GOOD;
    }
    for (int i = 0; i < count; i++) {
        if (t->slots[i].state == RUNNING) return NOT_YET;
        if (t->slots[i].state == GOOD) return i;
    }
    return HLO_REDUCE_NONE;
}

int trials_first_good(trials *t, const hlo_candidate *candidates, int count, hlo_diags *diags) {
    int started = 0, result = 0;
    while (started < count && result == 0) {
        trial *one = &t->slots[started];
        result = write_file(one, &candidates[started], diags);
        int error = result == 0 ? start(t, one) : 0;
        if (error) result = failed(t->options, "cannot run a command", error);
        else if (result == 0) started++;
    }
    if (result == 0)
        while ((result = decide(t, count)) == NOT_YET && !t->caught) wait_for_news(t, count);
    for (int i = 0; i < started; i++) end_child(&t->slots[i]);
    return t->caught ? HLO_REDUCE_STOP : result;
}
