/* Collectives of a thousand devices: the threads of all of them change places a few times each, not
 * once for each other device. Counted, not timed: changes of context of the process. */
#include <hlo.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "unit/check.h"

/* A device waits to begin, for the others and to end; a change of place at each of its locks. */
enum { DEVICES = 1024, MOST_CHANGES = 10 };

typedef struct {
    const char *name, *instruction;
    int elements; /* of each device */
} collective;

static const collective collectives[] = {
    {"all-reduce", "f32[8] all-reduce(p), replica_groups={}, to_apply=add", 8},
    {"all-gather", "f32[1024] all-gather(p), replica_groups={}, dimensions={0}", 1},
    {"reduce-scatter", "f32[1] reduce-scatter(p), replica_groups={}, dimensions={0}, to_apply=add",
     DEVICES},
    {"all-to-all", "f32[1024] all-to-all(p), replica_groups={}, dimensions={0}", DEVICES},
    {"collective-broadcast", "f32[8] collective-broadcast(p), replica_groups={%s}", 8},
    {"collective-permute", "f32[8] collective-permute(p), source_target_pairs={%s}", 8},
};

static void write_devices(const collective *c, char *to, size_t size) {
    bool is_ring = strcmp(c->name, "collective-permute") == 0;
    size_t len = (size_t)snprintf(to, size, is_ring ? "" : "{");
    for (int d = 0; d < DEVICES; d++)
        len += (size_t)(is_ring ? snprintf(to + len, size - len, "%s{%d,%d}", d ? "," : "", d,
                                           (d + 1) % DEVICES)
                                : snprintf(to + len, size - len, "%s%d", d ? "," : "", d));
    if (!is_ring) snprintf(to + len, size - len, "}");
}

static hlo_module *module_of(const collective *c, hlo_diags *diags) {
    static char devices[16 * DEVICES], instruction[20 * DEVICES], text[32 * DEVICES];
    write_devices(c, devices, sizeof devices);
    snprintf(instruction, sizeof instruction, c->instruction, devices);
    snprintf(text, sizeof text,
             "HloModule m, replica_count=%d\n"
             "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n"
             "ENTRY e { p = f32[%d] parameter(0) ROOT r = %s }\n",
             DEVICES, c->elements, instruction);
    hlo_source *source = hlo_source_from_text("memory", text, strlen(text));
    hlo_module *module = NULL;
    check(hlo_parse(source, diags, &module) == HLO_OK && hlo_verify(module, diags) == HLO_OK,
          c->name);
    hlo_source_free(source);
    return module;
}

static long changes(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_nvcsw;
}

static void check_collective(const collective *c, hlo_diags *diags) {
    hlo_run_options options = HLO_RUN_OPTIONS_INIT;
    hlo_run *run = NULL;
    options.engine = HLO_ENGINE_FAST;
    hlo_module *module = module_of(c, diags);
    check(hlo_run_prepare(module, &options, diags, &run) == HLO_OK &&
              hlo_run_fill_inputs(run, HLO_FILL_HASH, 1, diags) == HLO_OK,
          c->name);
    long before = changes();
    check(hlo_run_execute(run, diags) == HLO_OK, c->name);
    long after = changes();
    if (after - before > (long)MOST_CHANGES * DEVICES)
        printf("%s: %ld changes of context\n", c->name, after - before);
    check(after - before <= (long)MOST_CHANGES * DEVICES,
          "as many changes as devices, a few times");
    hlo_run_free(run);
    hlo_module_free(module);
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(3);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        check_collective(&collectives[i], diags);
    hlo_diags_free(diags);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
