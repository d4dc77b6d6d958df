/* Assertions: in builds that have them a false one ends the process and is on standard error;
 * elsewhere its condition is not evaluated. */
#include "base/assert.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#ifdef HLO_DEBUG
enum { ASSERTS = true };
#else
enum { ASSERTS = false };
#endif

static int evaluations;

static bool evaluated(bool value) {
    evaluations++;
    return value;
}

static void test_true(void) {
    HLO_ASSERT(evaluated(true));
    check(evaluations == ASSERTS, "a condition is evaluated once, or not at all");
}

/* The status of a process that asserts what is false, and what it writes. */
static int assert_false(char *text, size_t size) {
    int ends[2], status = 0;
    if (pipe(ends)) return -1;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], STDERR_FILENO);
        HLO_ASSERT(evaluated(false));
        _exit(0);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

static void test_false(void) {
    char text[1024];
    int status = assert_false(text, sizeof text);
    bool aborts = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    bool is_named = strstr(text, "assert_test.c:") && strstr(text, "assert_false") &&
                    strstr(text, "evaluated(");
    check(ASSERTS ? aborts : WIFEXITED(status) && !WEXITSTATUS(status), "a false one aborts");
    check(ASSERTS ? is_named : !*text, "the message has file, function and condition");
}

int main(void) {
    test_true();
    test_false();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
