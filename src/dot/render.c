/* Pictures from Graphviz text by the program `dot`. A separate process, not libgvc: the library
 * would draw in cairo, pango and glib, leaks by design, and ends the process on a broken plug-in
 * file; a process that fails is an ordinary error here. Called by hlo-dot. */
#include "dot/dot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const formats[] = {"svg", "png", "pdf"};

static hlo_status fail(hlo_diags *diags, const char *what, int error) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0}, "%s: %s", what, strerror(error));
    return HLO_BAD_SYSTEM;
}

static int write_all(int fd, const char *text, size_t len) {
    while (len) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text += n;
        len -= (size_t)n;
    }
    return lseek(fd, 0, SEEK_SET) < 0 ? errno : 0;
}

/* The text goes through a file in memory, so that a `dot` that stops reading cannot block us or
 * raise SIGPIPE. */
static int text_file(const char *text, size_t len, int *error) {
    int fd = memfd_create("hlo-dot", MFD_CLOEXEC);
    *error = fd < 0 ? errno : write_all(fd, text, len);
    if (*error && fd >= 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int spawn_dot(const char *format, int in, int out, int err, pid_t *child) {
    char type[8] = "-T";
    strncat(type, format, sizeof type - 3);
    char program[] = "dot";
    char *arguments[] = {program, type, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    error = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The first line that the program left on its standard error becomes a note. */
static void note_complaint(hlo_diags *diags, int err) {
    char line[256];
    ssize_t n = pread(err, line, sizeof line - 1, 0);
    if (n <= 0) return;
    line[n] = 0;
    line[strcspn(line, "\n")] = 0;
    hlo_note(diags, NULL, (hlo_span){0, 0}, "it said: %s", line);
}

static hlo_status wait_for(pid_t child, int err, hlo_diags *diags) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return fail(diags, "cannot wait for Graphviz", errno);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return HLO_OK;
    if (WIFEXITED(status))
        hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0},
                  "Graphviz' dot ended with status %d", WEXITSTATUS(status));
    else
        hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0}, "Graphviz' dot died of signal %d",
                  WTERMSIG(status));
    note_complaint(diags, err);
    return HLO_BAD_SYSTEM;
}

static hlo_status run_dot(const char *format, int in, int out, hlo_diags *diags) {
    int err = memfd_create("hlo-dot-errors", MFD_CLOEXEC);
    if (err < 0) return fail(diags, "cannot run Graphviz", errno);
    pid_t child;
    int error = spawn_dot(format, in, out, err, &child);
    hlo_status status;
    if (error) {
        status = fail(diags, "cannot run Graphviz' program dot", error);
        if (error == ENOENT) hlo_hint(diags, "install the package graphviz, or ask for text");
    } else {
        status = wait_for(child, err, diags);
    }
    close(err);
    return status;
}

hlo_status hlo_dot_render(const char *text, size_t len, const char *format, int fd,
                          hlo_diags *diags) {
    bool known = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        known |= strcmp(format, formats[i]) == 0;
    if (!known) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
                  "unknown picture format '%s'; known are svg, png and pdf", format);
        return HLO_BAD_USE;
    }
    int error, in = text_file(text, len, &error);
    if (in < 0) return fail(diags, "cannot keep the graph in memory", error);
    hlo_status status = run_dot(format, in, fd, diags);
    close(in);
    return status;
}
