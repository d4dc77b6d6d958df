/* Pictures from Graphviz text by Graphviz' library, in a child process: the library leaks by design
 * and ends the process on a broken plug-in file, which is an ordinary error here. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph/dot/dot_text.h"
#include "graph/dot/graphviz.h"

static const char *const formats[] = {"svg", "png", "pdf"};

typedef struct {
    const char *text;
    size_t len;
    const char *format;
    int picture, complaints; /* files in memory: the picture, and messages about it */
    hlo_diags *diags;
} rendering;

static hlo_status fail(const rendering *r, const char *what, int error) {
    hlo_error(r->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0}, "%s: %s", what, strerror(error));
    return HLO_BAD_SYSTEM;
}

/* ---- the child ---- */

/* Default signal handlers, so that no temporary file of the parent is removed; killed with the
 * parent. */
static void become_a_child_of(pid_t parent) {
    static const int ordinary[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
    for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary; i++) signal(ordinary[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(HLO_GRAPHVIZ_FAILED);
}

static _Noreturn void draw(const rendering *r, pid_t parent) {
    become_a_child_of(parent);
    FILE *to = fdopen(r->picture, "w");
    if (!to || dup2(r->complaints, STDERR_FILENO) < 0) _exit(HLO_GRAPHVIZ_CANNOT_WRITE);
    _exit((int)hlo_graphviz_draw(r->text, r->len, r->format, to));
}

/* ---- its parent ---- */

typedef struct {
    char text[256]; /* empty: there is none */
} complaint;

/* The first line that the child left on its standard error. */
static complaint first_complaint(const rendering *r) {
    complaint line;
    ssize_t n = pread(r->complaints, line.text, sizeof line.text - 1, 0);
    line.text[n > 0 ? n : 0] = 0;
    line.text[strcspn(line.text, "\n")] = 0;
    return line;
}

static hlo_status report(const rendering *r, int status) {
    hlo_graphviz_result result = HLO_GRAPHVIZ_FAILED;
    if (WIFEXITED(status)) result = (hlo_graphviz_result)WEXITSTATUS(status);
    complaint said = first_complaint(r);
    if (result == HLO_GRAPHVIZ_DREW) {
        if (said.text[0])
            hlo_warning(r->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0}, "Graphviz: %s",
                        said.text);
        return HLO_OK;
    }
    if (WIFSIGNALED(status))
        hlo_error(r->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0},
                  "Graphviz was killed by signal %d (%s)", WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    else if (result == HLO_GRAPHVIZ_MISSING)
        hlo_error(r->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0},
                  "cannot load Graphviz' library");
    else if (result == HLO_GRAPHVIZ_CANNOT_WRITE)
        hlo_error(r->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0}, "cannot write the image");
    else
        hlo_error(r->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0, 0},
                  "Graphviz cannot draw this graph");
    if (result == HLO_GRAPHVIZ_MISSING && !WIFSIGNALED(status))
        hlo_hint(r->diags, "install the package graphviz, or use the format dot");
    if (said.text[0]) hlo_note(r->diags, NULL, (hlo_span){0, 0}, "Graphviz: %s", said.text);
    return HLO_BAD_SYSTEM;
}

static hlo_status render(const rendering *r) {
    pid_t parent = getpid(), child = fork();
    if (child == 0) draw(r, parent);
    if (child < 0) return fail(r, "cannot start a process for Graphviz", errno);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return fail(r, "the Graphviz process cannot be waited for", errno);
    return report(r, status);
}

static hlo_status take_picture(const rendering *r, hlo_buf *out) {
    char part[1 << 16];
    ssize_t n;
    for (off_t at = 0; (n = pread(r->picture, part, sizeof part, at)) > 0; at += n)
        hlo_buf_bytes(out, part, (size_t)n);
    return n < 0 ? fail(r, "cannot read the image", errno) : HLO_OK;
}

static void close_files(void *rendering_) {
    const rendering *r = rendering_;
    if (r->picture >= 0) close(r->picture);
    if (r->complaints >= 0) close(r->complaints);
}

hlo_status hlo_dot_render(const char *text, size_t len, const char *format, hlo_buf *out,
                          hlo_diags *diags) {
    bool known = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        known |= strcmp(format, formats[i]) == 0;
    if (!known) {
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0, 0},
                  "unknown image format '%s'; available: dot, html, svg, png, pdf", format);
        return HLO_BAD_USE;
    }
    rendering r = {text, len, format, -1, -1, diags};
    r.picture = memfd_create("picture", MFD_CLOEXEC);
    r.complaints = memfd_create("graphviz-messages", MFD_CLOEXEC);
    hlo_cleanup closing;
    hlo_cleanup_add(&closing, close_files, &r);
    hlo_status status = r.picture < 0 || r.complaints < 0
                            ? fail(&r, "cannot buffer the image in memory", errno)
                            : render(&r);
    if (status == HLO_OK) status = take_picture(&r, out);
    hlo_cleanup_remove(&closing);
    close_files(&r);
    return status;
}
