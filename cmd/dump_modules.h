/* The modules of a dump, of which several files show stages: before and after optimizations, in
 * StableHLO, with the arguments of a run. Files of one module have its name. */
#ifndef HLO_CMD_DUMP_MODULES_H
#define HLO_CMD_DUMP_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include <hlo.h>

typedef enum {
    STAGE_BEFORE,
    STAGE_AFTER,
    STAGE_STABLEHLO,
    STAGE_SNAPSHOT,
    STAGE_OTHER, /* a module of which neither name nor content states a stage */
    STAGE_COUNT
} dump_stage;

typedef struct {
    char *name;
    size_t files[STAGE_COUNT];
} dump_module;

typedef struct {
    dump_module *v; /* in the order in which they were met */
    size_t count, capacity;
    size_t files[STAGE_COUNT]; /* of all modules */
} dump_modules;

/* By the content where that decides, else by the file's name. */
dump_stage dump_stage_of(const hlo_found_file *file, bool has_recording);
/* Counts a file of the module; `length` bytes of name are copied. */
void dump_modules_add(dump_modules *all, const char *name, size_t length, dump_stage stage);
/* Adds the counts of `from`, and frees it. */
void dump_modules_take(dump_modules *all, dump_modules *from);
/* Of several files, if one has a stage: a line for each stage, and one for each module of several
 * files. */
void dump_modules_by_stage(const dump_modules *all, void (*line)(void *context, const char *text),
                           void *context);
void dump_modules_free(dump_modules *all);

#endif
