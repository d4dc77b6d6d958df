/* From arguments to the files that hold modules: directories and patterns. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <regex.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hlo.h>

#include "api/foreign.h"
#include "base/buf.h"
#include "base/inflate.h"
#include "base/list.h"
#include "base/text.h"
#include "diag/diag.h"
#include "proto/detect.h"
#include "stablehlo/stablehlo.h"

typedef HLO_LIST(hlo_found_file) file_list;

static void add_file(file_list *list, const char *path, bool is_skipped, const char *kind) {
    char *copy = strcpy(hlo_malloc(strlen(path) + 1), path);
    hlo_list_push(list, ((hlo_found_file){copy, is_skipped, kind}));
}

/* ---- by content ---- */

/* `HloModule name`, or a computation without one: its header and the start of its first
 * instruction, so that configuration files and protobuf text are not taken for it. */
static const char module_start[] =
    "^HloModule[ \t\r\n,]|"
    "^(ENTRY[ \t\r\n]+)?%?[A-Za-z_][A-Za-z0-9_.-]*[ \t\r\n]*(\\([^=]*)?\\{[ \t\r\n]*(ROOT[ \t]+)?"
    "%?[A-Za-z_][A-Za-z0-9_.-]*[ \t]*=[ \t]*\\(*[a-z][a-z0-9]*\\[|"
    /* an alias of MLIR, whose value no comment of a configuration file resembles */
    "^[#!][A-Za-z_][A-Za-z0-9_.$]*[ \t]*=[ \t]*([#!]|[a-z_]+[(<])";

enum { START = 4096 };

/* Copies the start of a text without its mark, and ends it; its length. */
static size_t take_start(const void *start, size_t count, char text[START + 1]) {
    size_t mark = hlo_byte_order_mark(start, count);
    size_t n = count - mark < START ? count - mark : START;
    memcpy(text, (const char *)start + mark, n);
    text[n] = '\0';
    return n;
}

/* The first word after comments, if it is one of MLIR, or NULL. */
static const char *mlir_start(const char *text, size_t n) {
    const char *at = hlo_after_comments(text, text + n);
    return at && hlo_starts_like_mlir(at, n - (size_t)(at - text)) ? at : NULL;
}

bool hlo_starts_like_module(const void *start, size_t count) {
    HLO_API_CALL(NULL) return true; /* reading it reports why not */
    if (!start) return false;
    char text[START + 1];
    size_t n = take_start(start, count, text);
    const char *at = hlo_after_comments(text, text + n), *mlir = mlir_start(text, n);
    if (hlo_starts_like_message(text, n)) return true;
    if (mlir && *mlir != '#' && *mlir != '!') return true; /* an alias begins like a comment */
    regex_t pattern;
    if (regcomp(&pattern, module_start, REG_EXTENDED | REG_NOSUB) != 0)
        hlo_out_of_memory_for("a list of files");
    int result = regexec(&pattern, at ? at : text + n, 0, NULL, 0);
    regfree(&pattern);
    if (result == REG_ESPACE) hlo_out_of_memory_for("a list of files");
    return result == 0;
}

/* The first bytes of a file, unpacked, at `start`; -1: they cannot be read. */
static ssize_t read_start(const char *path, char start[START]) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -1;
    struct stat st;
    ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? read(fd, start, START) : 0;
    close(fd);
    return n < 0 ? n : (ssize_t)hlo_inflate_start(start, (size_t)n, START);
}

/* Of a file that holds a module; NULL: HLO, in one of its forms. */
static const char *module_kind(const char *start, ssize_t count) {
    char text[START + 1];
    size_t n = take_start(start, count < 0 ? 0 : (size_t)count, text);
    return mlir_start(text, n) ? "StableHLO" : NULL;
}

/* ---- by name ---- */

/* Endings of modules in files, before that of a packed one: as XLA and this library's users name
 * them; texts of a dump end in the state of the module (`module_0001.jit_f.before_optimizations`)
 * or between which passes it was written. */
static const char module_name[] = "(\\.hlo(\\.(txt|pb|pbtxt|json))?|\\.(mlir|mlirbc|stablehlo)|[._]"
                                  "(before|after)_optimizations\\.txt"
                                  "|\\.after_[^.]+\\.before_[^.]+\\.txt)(\\.(gz|zst))?$";
/* And those that modules share with other files. */
static const char possible_name[] = "\\.(txt|pb|pbtxt|textproto|json)(\\.(gz|zst))?$";

static bool is_named(const char *path, const char *names) {
    regex_t pattern;
    if (regcomp(&pattern, names, REG_EXTENDED | REG_NOSUB) != 0)
        hlo_out_of_memory_for("a list of files");
    int result = regexec(&pattern, path, 0, NULL, 0);
    regfree(&pattern);
    if (result == REG_ESPACE) hlo_out_of_memory_for("a list of files");
    return result == 0;
}

/* A file below a directory. What should be a module by its name is taken as one, so that reading it
 * reports the error, and so is what cannot be read. */
static void consider(const char *path, const char *name, file_list *found) {
    char start[START];
    ssize_t n = read_start(path, start);
    bool holds_module = n < 0 || hlo_starts_like_module(start, (size_t)n);
    const hlo_foreign_kind *kind = holds_module ? NULL : hlo_file_kind(start, (size_t)n);
    if (holds_module || is_named(name, module_name))
        add_file(found, path, false, module_kind(start, n));
    else if (kind || is_named(name, possible_name))
        add_file(found, path, true, kind ? kind->name : NULL);
}

/* ---- directories ---- */

typedef struct {
    dev_t device;
    ino_t inode;
} directory_id;

/* One directory of the arguments, and what links below it lead to. */
typedef struct {
    file_list *found;
    hlo_diags *diags;
    HLO_LIST(directory_id) seen;
    HLO_LIST(char *) links; /* to directories, in the order in which they were met */
    bool follows;           /* the walk is below a link */
    hlo_status status;
} search;

static hlo_status cannot_list(const char *path, int error, hlo_diags *diags) {
    hlo_diags_about(diags, path);
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot read %s: %s", path,
              strerror(error));
    hlo_diags_about(diags, NULL);
    return HLO_BAD_SYSTEM;
}

/* True the first time: without links there is no second. */
static bool enters(search *s, const struct stat *directory) {
    for (uint32_t i = 0; s->follows && i < s->seen.n; i++)
        if (s->seen.v[i].device == directory->st_dev && s->seen.v[i].inode == directory->st_ino)
            return false;
    hlo_list_push(&s->seen, ((directory_id){directory->st_dev, directory->st_ino}));
    return true;
}

typedef struct {
    struct dirent **v;
    int count;
} entries;

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void free_entries(void *of) {
    entries *all = of;
    for (int i = 0; i < all->count; i++) free(all->v[i]);
    free(all->v);
}

static void walk_below(search *s, const char *path);

static void meet(search *s, const char *path, const char *name) {
    struct stat st = {0};
    bool is_link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        if (!is_link) walk_below(s, path);
        else hlo_list_push(&s->links, strcpy(hlo_malloc(strlen(path) + 1), path));
    } else if (is_link || S_ISREG(st.st_mode)) {
        consider(path, name, s->found);
    }
}

/* By scandir: fts_open of the C library does not survive an allocation that fails. */
static void walk_below(search *s, const char *path) {
    struct stat st;
    if (stat(path, &st) == 0 && !enters(s, &st)) return;
    entries all = {0};
    all.count = scandir(path, &all.v, is_shown, by_name);
    if (all.count < 0) {
        s->status = cannot_list(path, errno, s->diags);
        return;
    }
    hlo_cleanup freeing;
    hlo_cleanup_add(&freeing, free_entries, &all);
    size_t length = strlen(path);
    const char *slash = length && path[length - 1] == '/' ? "" : "/";
    for (int i = 0; i < all.count; i++) {
        hlo_buf below = HLO_BUF_INIT;
        hlo_buf_printf(&below, "%s%s%s", path, slash, all.v[i]->d_name);
        hlo_buf_char(&below, '\0');
        meet(s, below.data, all.v[i]->d_name);
        hlo_buf_free(&below);
    }
    hlo_cleanup_remove(&freeing);
    free_entries(&all);
}

/* Hidden files and directories are skipped. Links to directories are followed after all else, and
 * each directory is entered once, so that cycles end and a file comes under its own name first. */
static hlo_status search_directory(const char *path, file_list *found, hlo_diags *diags) {
    search s = {.found = found, .diags = diags};
    walk_below(&s, path);
    s.follows = true;
    for (uint32_t i = 0; i < s.links.n; i++) {
        walk_below(&s, s.links.v[i]);
        hlo_free(s.links.v[i]);
    }
    hlo_free(s.links.v);
    hlo_free(s.seen.v);
    return s.status;
}

/* ---- arguments ---- */

static bool any_module(const file_list *found, uint32_t from) {
    for (uint32_t i = from; i < found->n; i++)
        if (!found->v[i].is_skipped) return true;
    return false;
}

static hlo_status add_one(const char *path, file_list *found, hlo_diags *diags) {
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        add_file(found, path, false, NULL);
        return HLO_OK;
    }
    uint32_t before = found->n;
    hlo_status status = search_directory(path, found, diags);
    if (status != HLO_OK || any_module(found, before)) return status;
    hlo_diags_about(diags, path);
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "no file below %s starts like a module",
              path);
    hlo_diags_about(diags, NULL);
    return HLO_BAD_USE;
}

/* An existing file of that name takes precedence over the pattern. */
static bool is_pattern(const char *path) {
    struct stat st;
    return strpbrk(path, "*?[") && lstat(path, &st) != 0;
}

static hlo_status refuse_pattern(const char *pattern, hlo_diags *diags) {
    hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "no file matches %s", pattern);
    return HLO_BAD_SYSTEM;
}

static void free_matches(void *matches) {
    globfree(matches);
}

static hlo_status add_matches(const char *path, file_list *found, hlo_diags *diags) {
    glob_t matches;
    if (strcmp(path, "-") == 0) {
        add_file(found, path, false, NULL);
        return HLO_OK;
    }
    int result = is_pattern(path) ? glob(path, 0, NULL, &matches) : GLOB_NOMATCH;
    if (result == GLOB_NOSPACE) hlo_out_of_memory_for("a list of files");
    if (result == GLOB_NOMATCH && is_pattern(path)) return refuse_pattern(path, diags);
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

static hlo_status find_all(char *const *arguments, size_t count, file_list *found,
                           hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (size_t i = 0; i < count; i++) {
        hlo_status one = add_matches(arguments[i], found, diags);
        if (one > status) status = one;
    }
    return status;
}

hlo_status hlo_find_files(char *const *arguments, size_t argument_count, hlo_diags *diags,
                          hlo_found_file **files, size_t *count) {
    HLO_API_CALL(diags) {
        if (files) *files = NULL;
        if (count) *count = 0;
        return HLO_BAD_SYSTEM;
    }
    if (files) *files = NULL;
    if (count) *count = 0;
    HLO_REQUIRE(diags, files);
    HLO_REQUIRE(diags, count);
    HLO_REQUIRE(diags, arguments || !argument_count);
    file_list found = {0};
    hlo_status status = find_all(arguments, argument_count, &found, diags);
    *files = found.v;
    *count = found.n;
    return status;
}

void hlo_found_files_free(hlo_found_file *files, size_t count) {
    for (size_t i = 0; i < count; i++) hlo_free(files[i].path);
    hlo_free(files);
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
    file_list found = {0};
    hlo_status status = find_all(arguments, argument_count, &found, diags);
    char **list = hlo_calloc((size_t)found.n + 1, sizeof *list); /* a NULL follows the last */
    size_t n = 0;
    for (uint32_t i = 0; i < found.n; i++) {
        if (found.v[i].is_skipped) hlo_free(found.v[i].path);
        else list[n++] = found.v[i].path;
    }
    hlo_free(found.v);
    *paths = list;
    *count = n;
    return status;
}

void hlo_paths_free(char **paths, size_t count) {
    for (size_t i = 0; i < count; i++) hlo_free(paths[i]);
    hlo_free(paths);
}
