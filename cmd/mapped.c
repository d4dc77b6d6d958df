/* Input files are mapped, and one that becomes shorter meanwhile has no pages left where it ended:
 * the signal for that becomes an error of the system. */
#include "mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <hlo.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"
#include "process.h"

/* Everything here runs in a handler: no allocation, no stdio. */

static uint64_t read_hex(const char **at) {
    uint64_t value = 0;
    for (;; ++*at) {
        unsigned digit = (unsigned char)**at;
        if (digit >= '0' && digit <= '9') value = value * 16 + digit - '0';
        else if (digit >= 'a' && digit <= 'f') value = value * 16 + digit - 'a' + 10;
        else return value;
    }
}

/* Whether a line of /proc/self/maps, "from-to rwxp offset device inode path", has the address. */
static bool has_address(const char *line, uint64_t address) {
    uint64_t from = read_hex(&line);
    if (*line == '-') line++;
    return from <= address && address < read_hex(&line);
}

/* The next line without its newline, cut to the capacity; false at the end. */
static bool read_line(int fd, char *line, size_t capacity) {
    size_t n = 0;
    char c = 0;
    while (read(fd, &c, 1) == 1 && c != '\n')
        if (n + 1 < capacity) line[n++] = c;
    line[n] = 0;
    return c == '\n';
}

static const char *file_at(const void *address, char *line, size_t capacity) {
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const char *name = NULL;
    while (fd >= 0 && !name && read_line(fd, line, capacity))
        if (has_address(line, (uintptr_t)address)) name = strchr(line, '/');
    return name ? name : "an input file";
}

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* unheard */
}

/* Other bus errors are none of the files' doing. */
static void end_program(int number, siginfo_t *info, void *context) {
    char line[4096 + 128];
    (void)context;
    process_clean_up();
    if (info->si_code != BUS_ADRERR) {
        foreign_report_crash(number);
        signal(number, SIG_DFL);
        return; /* to what raises it again */
    }
    say(program_invocation_short_name);
    say(": error: ");
    say(file_at(info->si_addr, line, sizeof line));
    say(" became shorter while it was read\n");
    _exit(HLO_BAD_SYSTEM);
}

void mapped_files_watch(void) {
    struct sigaction action = {.sa_sigaction = end_program, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
