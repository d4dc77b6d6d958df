/* From arguments to the files that hold modules: directories and patterns. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <regex.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inflate.h"
#include "base/list.h"
#include "diag/diag.h"
#include "proto/detect.h"

typedef HLO_LIST(char *) path_list; /* a NULL follows the last */

static void add_path(path_list *list, const char *path) {
    hlo_list_reserve(list, list->n + 2);
    hlo_list_push(list, strcpy(hlo_malloc(strlen(path) + 1), path));
    list->v[list->n] = NULL;
}

/* ---- by content ---- */

/* Behind blanks and comments. */
static size_t skip_comments(const char *text, size_t n) {
    size_t at = 0;
    while (at < n) {
        if (isspace((unsigned char)text[at])) {
            at++;
        } else if (n - at >= 2 && memcmp(text + at, "//", 2) == 0) {
            const char *end = memchr(text + at, '\n', n - at);
            at = end ? (size_t)(end - text) : n;
        } else if (n - at >= 2 && memcmp(text + at, "/*", 2) == 0) {
            const char *end = memmem(text + at + 2, n - at - 2, "*/", 2);
            at = end ? (size_t)(end - text) + 2 : n;
        } else {
            break;
        }
    }
    return at;
}

/* `HloModule name`, or a computation without one: its header and the start of its first
 * instruction, so that configuration files and protobuf text are not taken for it. */
static const char module_start[] =
    "^HloModule[ \t\r\n,]|"
    "^(ENTRY[ \t\r\n]+)?%?[A-Za-z_][A-Za-z0-9_.-]*[ \t\r\n]*(\\([^=]*)?\\{[ \t\r\n]*(ROOT[ \t]+)?"
    "%?[A-Za-z_][A-Za-z0-9_.-]*[ \t]*=[ \t]*\\(*[a-z][a-z0-9]*\\[";

bool hlo_starts_like_module(const void *start, size_t count) {
    HLO_API_CALL(NULL) return true; /* reading it says why not */
    if (!start) return false;
    enum { MOST = 4096 };
    char text[MOST + 1];
    size_t n = count < MOST ? count : MOST, at = skip_comments(start, n);
    memcpy(text, (const char *)start, n);
    text[n] = '\0';
    if (hlo_starts_like_message(text, n)) return true;
    regex_t pattern;
    if (regcomp(&pattern, module_start, REG_EXTENDED | REG_NOSUB) != 0) hlo_out_of_memory(0);
    int result = regexec(&pattern, text + at, 0, NULL, 0);
    regfree(&pattern);
    if (result == REG_ESPACE) hlo_out_of_memory(0);
    return result == 0;
}

/* A file that cannot be read counts as a module, so that reading it says why. */
static bool holds_module(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return true;
    char start[4096];
    struct stat st;
    ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, start, sizeof start) : 0;
    close(fd);
    if (n < 0) return true;
    return hlo_starts_like_module(start, hlo_inflate_start(start, (size_t)n, sizeof start));
}

/* ---- directories and patterns ---- */

static int by_name(const FTSENT **a, const FTSENT **b) {
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static hlo_status cannot_list(const char *path, int error, hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot read %s: %s", path,
              strerror(error));
    return HLO_BAD_SYSTEM;
}

static void close_walk(void *walk) {
    fts_close(walk);
}

/* Hidden files and directories are skipped, and links to directories too: they may form cycles. */
static hlo_status search_directory(const char *path, path_list *found, hlo_diags *diags) {
    char *roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (!walk) return cannot_list(path, errno, diags);
    hlo_cleanup closing;
    hlo_cleanup_add(&closing, close_walk, walk);
    hlo_status status = HLO_OK;
    for (FTSENT *entry; (errno = 0, entry = fts_read(walk));) {
        bool hidden = entry->fts_level > 0 && entry->fts_name[0] == '.';
        if (hidden) fts_set(walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
            status = cannot_list(entry->fts_path, entry->fts_errno, diags);
        else if ((entry->fts_info == FTS_F || entry->fts_info == FTS_SL) &&
                 holds_module(entry->fts_path))
            add_path(found, entry->fts_path);
    }
    if (errno) status = cannot_list(path, errno, diags);
    hlo_cleanup_remove(&closing);
    fts_close(walk);
    return status;
}

static hlo_status add_one(const char *path, path_list *found, hlo_diags *diags) {
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        add_path(found, path);
        return HLO_OK;
    }
    size_t before = found->n;
    hlo_status status = search_directory(path, found, diags);
    if (status != HLO_OK || found->n > before) return status;
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "no file below %s starts like a module",
              path);
    return HLO_BAD_USE;
}

/* An existing file of that name takes precedence over the pattern. */
static bool is_pattern(const char *path) {
    struct stat st;
    return strpbrk(path, "*?[") && lstat(path, &st) != 0;
}

static void free_matches(void *matches) {
    globfree(matches);
}

static hlo_status add_matches(const char *path, path_list *found, hlo_diags *diags) {
    glob_t matches;
    if (strcmp(path, "-") == 0) {
        add_path(found, path);
        return HLO_OK;
    }
    int result = is_pattern(path) ? glob(path, 0, NULL, &matches) : GLOB_NOMATCH;
    if (result == GLOB_NOSPACE) hlo_out_of_memory(0);
    if (result != 0) return add_one(path, found, diags);
    hlo_cleanup freeing;
    hlo_cleanup_add(&freeing, free_matches, &matches);
    hlo_status status = HLO_OK;
    for (size_t i = 0; i < matches.gl_pathc; i++) {
        hlo_status one = add_one(matches.gl_pathv[i], found, diags);
        if (one > status) status = one;
    }
    hlo_cleanup_remove(&freeing);
    globfree(&matches);
    return status;
}

hlo_status hlo_find_modules(char *const *arguments, size_t argument_count, hlo_diags *diags,
                            char ***paths, size_t *count) {
    HLO_API_CALL(diags) {
        if (paths) *paths = NULL;
        if (count) *count = 0;
        return HLO_BAD_SYSTEM;
    }
    if (paths) *paths = NULL;
    if (count) *count = 0;
    HLO_REQUIRE(diags, paths);
    HLO_REQUIRE(diags, count);
    HLO_REQUIRE(diags, arguments || !argument_count);
    path_list found = {0};
    hlo_status status = HLO_OK;
    for (size_t i = 0; i < argument_count; i++) {
        hlo_status one = add_matches(arguments[i], &found, diags);
        if (one > status) status = one;
    }
    *paths = found.v;
    *count = found.n;
    return status;
}

void hlo_paths_free(char **paths, size_t count) {
    for (size_t i = 0; i < count; i++) hlo_free(paths[i]);
    hlo_free(paths);
}
