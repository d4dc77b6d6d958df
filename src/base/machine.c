/* What the machine has left: see machine.h. */
#include "base/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LINE_BYTES = 4096 };

/* Version 1 writes no limit as the largest number of pages. */
static const uint64_t NO_LIMIT = UINT64_C(1) << 62;

/* The files of a version with the limit of a group, its usage, and what it could give back. */
typedef struct {
    const char *mount, *limit, *usage, *cache;
} group_files;

static const group_files version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                      "memory.usage_in_bytes", "total_inactive_file"};
static const group_files version_2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                      "inactive_file"};

/* ---- files ---- */

/* The number after `key` and a blank or colon at the start of a line; or, without a key, the one
 * that the file starts with. */
static bool read_number(const char *path, const char *key, uint64_t *out) {
    FILE *file = fopen(path, "re");
    char line[LINE_BYTES];
    size_t n = key ? strlen(key) : 0;
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        if (key && (strncmp(line, key, n) != 0 || !strchr(" :", line[n]))) continue;
        char *from = line + n + (key != NULL), *end;
        unsigned long long value = strtoull(from, &end, 10);
        found = end != from;
        *out = value;
        if (!key) break;
    }
    if (file) fclose(file);
    return found;
}

static bool join(char *to, const char *root, const char *directory, const char *group,
                 const char *file) {
    int n = snprintf(to, PATH_BYTES, "%s%s%s/%s", root, directory, group, file);
    return n > 0 && n < PATH_BYTES;
}

/* ---- control groups ---- */

/* The bytes that one group may still use; UINT64_MAX without a limit ("max" is no number). */
static uint64_t left_in_group(const char *root, const group_files *files, const char *group) {
    char path[PATH_BYTES];
    uint64_t limit, used, cache = 0;
    if (!join(path, root, files->mount, group, files->limit) || !read_number(path, NULL, &limit))
        return UINT64_MAX;
    if (limit >= NO_LIMIT) return UINT64_MAX;
    if (!join(path, root, files->mount, group, files->usage) || !read_number(path, NULL, &used))
        used = 0;
    if (join(path, root, files->mount, group, "memory.stat"))
        read_number(path, files->cache, &cache);
    used -= cache < used ? cache : used;
    return limit > used ? limit - used : 0;
}

/* A process in a container sees its group as the root, or by a path that exists outside only:
 * every group from the named one up to the root is asked. */
static uint64_t left_in_groups(const char *root, const group_files *files, char *group) {
    uint64_t least = UINT64_MAX;
    for (;;) {
        uint64_t left = left_in_group(root, files, strcmp(group, "/") == 0 ? "" : group);
        if (left < least) least = left;
        char *slash = strrchr(group, '/');
        if (!slash) return least;
        *slash = '\0';
    }
}

static bool lists_memory(const char *controllers) {
    size_t n = strcspn(controllers, ":");
    for (const char *at = controllers; at < controllers + n; at += strcspn(at, ",:") + 1)
        if (strcspn(at, ",:") == 6 && strncmp(at, "memory", 6) == 0) return true;
    return false;
}

/* Lines are ID:CONTROLLERS:GROUP, in version 2 with the ID 0 and without controllers. */
static uint64_t left_for_process(const char *root) {
    char path[PATH_BYTES], line[LINE_BYTES];
    uint64_t least = UINT64_MAX;
    FILE *file = join(path, root, "/proc", "/self", "cgroup") ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *group = NULL;
        if (controllers) group = strchr(controllers + 1, ':');
        if (!group) continue;
        bool is_version_2 = group == controllers + 1;
        if (!is_version_2 && !lists_memory(controllers + 1)) continue;
        uint64_t left = left_in_groups(root, is_version_2 ? &version_2 : &version_1, group + 1);
        if (left < least) least = left;
    }
    if (file) fclose(file);
    return least;
}

/* ---- the machine ---- */

uint64_t hlo_available_memory(const char *root) {
    char path[PATH_BYTES];
    uint64_t available = 0, group = left_for_process(root);
    if (join(path, root, "/proc", "", "meminfo") && read_number(path, "MemAvailable", &available))
        available *= 1024;
    if (!available) {
        long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        available = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    }
    return group < available ? group : available;
}
