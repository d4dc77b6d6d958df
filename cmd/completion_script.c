/* The scripts by which shells complete: cmd/shells, with the program's name. */
#include <string.h>

#include "completion.h"

/* Made by the Makefile, in the order of COMPLETION_SHELLS. */
extern const char *const completion_scripts[];

void completion_script(const program_info *program, int shell, FILE *to) {
    static const char placeholder[] = "PROGRAM";
    const char *at = completion_scripts[shell];
    for (const char *next; (next = strstr(at, placeholder)); at = next + sizeof placeholder - 1)
        fprintf(to, "%.*s%s", (int)(next - at), at, program->name);
    fputs(at, to);
}
