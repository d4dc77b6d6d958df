/* Messages of XLA, and flatbuffers of JAX, that hold no module: each by the fields that it begins
 * with, which no module has so. */
#include "proto/other_messages.h"

#include "proto/probe.h"

typedef struct {
    const char *at, *end;
} bytes;

/* The bytes of the first field of a number; none: there is no such field. */
static bytes field_of(bytes message, unsigned number) {
    bytes field = {0};
    bool found =
        message.at && hlo_probe_field(message.at, message.end, number, &field.at, &field.end);
    return found ? field : (bytes){0};
}

/* Does a message consist of fields of these numbers alone, and have all of `needed`? `messages` are
 * those that hold bytes. All are sets of bits. */
static bool has_fields(bytes message, uint32_t allowed, uint32_t needed, uint32_t messages) {
    if (!message.at) return false;
    hlo_probe p = hlo_probe_of(message.at, message.end);
    return p.well_formed && !(p.fields & ~allowed) && (p.fields & needed) == needed &&
           !(p.messages & ~messages);
}

static bool begins(bytes text, const char *with) {
    size_t n = strlen(with);
    return text.at && (size_t)(text.end - text.at) >= n && memcmp(text.at, with, n) == 0;
}

enum { F1 = 1 << 1, F2 = 1 << 2, F3 = 1 << 3, F4 = 1 << 4, F5 = 1 << 5, F6 = 1 << 6, F7 = 1 << 7 };

/* XSpace: planes with an id, a name and lines. */
static bool is_profile(bytes file) {
    if (!has_fields(file, F1 | F2 | F3 | F4, F1, F1 | F2 | F3 | F4)) return false;
    bytes plane = field_of(file, 1), name = field_of(plane, 2);
    bool is_plane = has_fields(plane, F1 | F2 | F3 | F4 | F5 | F6, F2, F2 | F3 | F4 | F5 | F6);
    return is_plane && (begins(name, "/host:") || begins(name, "/device:") ||
                        begins(name, "Task Environment") || begins(name, "#Chip"));
}

/* CompileOptionsProto: shapes of arguments, and ExecutableBuildOptionsProto with numbers of devices
 * and their counts. */
static bool is_compile_options(bytes file) {
    enum { NUMBERS = F2 | F4 | F5 | 1 << 9 | 1 << 10, ALL = (1 << 12) - 2, NEEDED = F1 | F4 | F5 };
    bytes build = field_of(file, 3);
    if (!has_fields(file, ALL, F3, ALL & ~NUMBERS) || !build.at) return false;
    hlo_probe p = hlo_probe_of(build.at, build.end);
    return (p.fields & NEEDED) == NEEDED && !(p.messages & NEEDED);
}

/* HloModuleMetadataProto: a number, and runs of passes with a number and a name. */
static bool is_module_metadata(bytes file) {
    bytes pass = field_of(file, 5);
    return has_fields(file, F1 | F2 | F3 | F4 | F5, F1 | F5, F2 | F4 | F5) &&
           has_fields(pass, ~(uint32_t)0, F1 | F2, ~(uint32_t)F1);
}

/* MemoryUsageReportProto: memory spaces, with a number of bytes and allocations. */
static bool is_memory_report(bytes file) {
    bytes space = field_of(file, 1);
    return has_fields(file, F1, F1, F1) && has_fields(space, F1 | F2 | F3, F1 | F3, F3);
}

/* The description of a topology: the number, the name and the version of a platform. */
static bool is_topology(bytes file) {
    static const char *const platforms[] = {"cpu", "cuda", "rocm", "tpu", "gpu", "Host"};
    bytes name = field_of(file, 2);
    if (!has_fields(file, ~(uint32_t)0, F1 | F2 | F3, ~(uint32_t)F1)) return false;
    for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
        if (begins(name, platforms[i])) return true;
    return false;
}

static const struct {
    bool (*fits)(bytes file);
    hlo_foreign_kind kind;
} rows[] = {
    {is_profile,
     {"profile", "this is an XSpace, a profile, not a module",
      "XProf shows it; hlo-run can measure a module", false}},
    {is_compile_options,
     {"compile options", "this is a CompileOptionsProto, not a module",
      "it goes with a module, which is another file", false}},
    {is_module_metadata,
     {"module metadata", "this is an HloModuleMetadataProto, which lists passes, not a module",
      "the module is another file of the dump", false}},
    {is_memory_report,
     {"memory usage report", "this is a MemoryUsageReportProto, not a module",
      "hlo-stat MODULE has the memory of a module, which is the file without this ending", false}},
    {is_topology,
     {"topology", "this describes the devices of a platform, not a module",
      "the module is another file of the dump", false}},
};

const hlo_foreign_kind *hlo_other_message(const char *start, size_t count) {
    const bytes file = {start, start + count};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (count && rows[i].fits(file)) return &rows[i].kind;
    return NULL;
}
