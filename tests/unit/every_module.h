/* The modules of the tests and the dumps of HLO_CORPUS, from files and from archives of cases, for
 * the unit programs that judge all of them. */
#ifndef TESTS_UNIT_EVERY_MODULE_H
#define TESTS_UNIT_EVERY_MODULE_H

#include <fnmatch.h>
#include <glob.h>
#include <hlo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* NULL after an error, which is printed if `show`. The caller frees the module. */
static hlo_module *read_module(const char *name, const char *bytes, size_t n, bool show) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text(name, bytes, n);
    hlo_module *module = NULL;
    hlo_status status = source ? hlo_read_module(source, diags, &module) : HLO_BAD_SYSTEM;
    if (status != HLO_OK && show) hlo_diags_render(diags, stdout, false);
    hlo_source_free(source);
    hlo_diags_free(diags);
    return module;
}

/* Is called with each text. */
typedef void module_judge(const char *name, const char *text, size_t n);

/* Files and archives that could not be read. */
static unsigned unreadable;

static void judge_file(const char *path, module_judge *judge) {
    FILE *file = fopen(path, "rb");
    size_t capacity = 1 << 16, n = 0, got;
    char *text = malloc(capacity);
    while (file && text && (got = fread(text + n, 1, capacity - n, file)) > 0)
        if ((n += got) == capacity) text = realloc(text, capacity *= 2);
    if (file && text) judge(path, text, n);
    else unreadable++;
    if (file) fclose(file);
    free(text);
}

enum { TAR_BLOCK = 512, TAR_SIZE_AT = 124, TAR_SIZE_LENGTH = 12 };

/* The files of a tar.gz whose names match the pattern. */
static inline void judge_archive(const char *path, const char *pattern, module_judge *judge) {
    gzFile file = gzopen(path, "rb");
    char header[TAR_BLOCK];
    while (file && gzread(file, header, TAR_BLOCK) == TAR_BLOCK && header[0]) {
        char digits[TAR_SIZE_LENGTH + 1] = {0}, name[256];
        memcpy(digits, header + TAR_SIZE_AT, TAR_SIZE_LENGTH);
        size_t n = strtoul(digits, NULL, 8);
        size_t padded = (n + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
        snprintf(name, sizeof name, "%.100s", header);
        char *text = malloc(padded + 1);
        if (!text || gzread(file, text, (unsigned)padded) != (int)padded) unreadable++;
        else if (n && fnmatch(pattern, name, 0) == 0) judge(name, text, n);
        free(text);
    }
    if (!file) unreadable++;
    else gzclose(file);
}

/* The files below `root` that match; of archives, those within that match `inside`. Returns how
 * many files were found. */
static unsigned judge_matches(const char *root, const char *pattern, const char *inside,
                              module_judge *judge) {
    char whole[4096];
    glob_t found;
    snprintf(whole, sizeof whole, "%s/%s", root, pattern);
    if (glob(whole, 0, NULL, &found)) return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (inside) judge_archive(found.gl_pathv[i], inside, judge);
        else judge_file(found.gl_pathv[i], judge);
    }
    unsigned n = (unsigned)found.gl_pathc;
    globfree(&found);
    return n;
}

/* The dumps of HLO_CORPUS; false when there are none. */
static bool judge_corpus(module_judge *judge) {
    const char *corpus = getenv("HLO_CORPUS");
    if (corpus && *corpus && judge_matches(corpus, "*.hlo", NULL, judge)) return true;
    printf("skipped: all dumps: no corpus here: set HLO_CORPUS\n");
    return false;
}

#endif
