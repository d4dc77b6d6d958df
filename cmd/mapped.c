/* Input files are mapped, and one that becomes shorter meanwhile has no pages left where it ended:
 * the signal for that becomes an error of the system. Called when a program starts. */
#include "mapped.h"

#include <hlo.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Other bus errors are none of the files' doing. */
static void end_program(int number, siginfo_t *info, void *context) {
    static const char text[] = "error: an input file became shorter while it was read\n";
    (void)context;
    if (info->si_code != BUS_ADRERR) {
        signal(number, SIG_DFL);
        return; /* to what raises it again */
    }
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(HLO_BAD_SYSTEM); /* unheard */
    _exit(HLO_BAD_SYSTEM);
}

void mapped_files_watch(void) {
    struct sigaction action = {.sa_sigaction = end_program, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
