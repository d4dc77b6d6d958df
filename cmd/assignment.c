/* Device assignments on the command line: see assignment.h. */
#include "assignment.h"

#include <stdlib.h>
#include <string.h>

#include "process.h"

/* The text after `c`, and blanks before and after it; NULL when something else is there. */
static const char *after(const char *text, char c) {
    if (text) text += strspn(text, " ");
    if (!text || *text != c) return NULL;
    return text + 1 + strspn(text + 1, " ");
}

/* {N,N,...}: adds the numbers to the devices, of which there are *n. */
static const char *read_replica(const char *text, uint32_t *devices, uint32_t *n) {
    const char *comma = after(text, '{');
    while ((text = comma)) {
        char *end;
        if (*text < '0' || *text > '9') return NULL;
        unsigned long number = strtoul(text, &end, 10);
        devices[(*n)++] = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
        comma = after(end, ',');
        text = end;
        if (!comma) break;
    }
    return after(text, '}');
}

/* False when the text is something else, or replicas have different numbers of partitions. */
static bool read_all(const char *text, device_assignment *a) {
    uint32_t n = 0;
    const char *comma = after(text, '{');
    while ((text = comma)) {
        uint32_t before = n;
        text = read_replica(text, a->devices, &n);
        if (!a->replicas++) a->partitions = n;
        if (n - before != a->partitions) return false;
        comma = after(text, ',');
        if (!comma) break;
    }
    const char *end = after(text, '}');
    return end && !*end;
}

int assignment_read(const program_info *program, const char *text, uint64_t replicas,
                    uint64_t partitions, device_assignment *assignment) {
    if (!text) return OPTIONS_GO_ON;
    /* No number is shorter than a character. */
    assignment->devices = process_made(calloc(strlen(text) + 1, sizeof *assignment->devices),
                                       "the device assignment");
    if (!read_all(text, assignment))
        return options_wrong_use(program,
                                 "--device-assignment takes the devices of each replica by "
                                 "partition, such as {{0,1},{2,3}}, not '%s'",
                                 text);
    if ((!replicas || replicas == assignment->replicas) &&
        (!partitions || partitions == assignment->partitions))
        return OPTIONS_GO_ON;
    return options_wrong_use(program,
                             "--device-assignment has %u replicas of %u partitions, which "
                             "contradicts --replicas or --partitions",
                             assignment->replicas, assignment->partitions);
}

hlo_status assignment_apply(const device_assignment *assignment, hlo_module *module,
                            uint64_t replicas, uint64_t partitions, hlo_diags *diags) {
    if (assignment->devices)
        return hlo_module_set_devices(module, assignment->replicas, assignment->partitions, diags);
    return hlo_module_set_devices(module, (uint32_t)replicas, (uint32_t)partitions, diags);
}
