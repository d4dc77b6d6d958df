/* Modules to mutate: files of a corpus, and those of the generator. A mutant that the verifier
 * refuses, or that is too large to run in milliseconds, is tried again with other mutations. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "differential/differential.h"
#include "fuzz/accepted.h"
#include "generator/generator.h"

enum { MOST_BYTES = 1 << 14, TRIES = 40, MOST_DIRECTORIES = 16 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

static struct {
    char **paths;
    size_t count;
} corpus;

/* ---- files ---- */

static int add_file(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)place;
    const char *end = strrchr(path, '.');
    /* XLA prints this one unescaped, and cannot read it. */
    if (strstr(path, "thread_unescaped")) return 0;
    if (kind != FTW_F || status->st_size > MOST_BYTES || !end || strcmp(end, ".hlo") != 0) return 0;
    corpus.paths = hlo_realloc(corpus.paths, (corpus.count + 1) * sizeof *corpus.paths);
    size_t bytes = strlen(path) + 1;
    corpus.paths[corpus.count++] = memcpy(hlo_malloc(bytes), path, bytes);
    return 0;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void corpus_add(const char *path) {
    size_t first = corpus.count;
    nftw(path, add_file, MOST_DIRECTORIES, 0);
    if (corpus.count > first)
        qsort(corpus.paths + first, corpus.count - first, sizeof *corpus.paths, by_text);
}

size_t corpus_size(void) {
    return corpus.count;
}

void corpus_free(void) {
    for (size_t i = 0; i < corpus.count; i++) hlo_free(corpus.paths[i]);
    hlo_free(corpus.paths);
}

bool read_text(const char *path, mutant_text *to) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    to->len = fread(to->bytes, 1, sizeof to->bytes, file);
    bool whole = to->len < sizeof to->bytes;
    fclose(file);
    return whole;
}

hlo_module *read_mutant(const mutant_text *text, hlo_diags *diags) {
    return accepted_module(text->bytes, text->len, diags);
}

/* ---- modules of the generator ---- */

static bool generate_text(dice *d, mutant_text *to) {
    generator_options options = generator_defaults(throw(d, 0x100000000));
    options.size = 4 + (uint32_t) throw(d, 20);
    options.dynamic = throw(d, 8) == 0;
    options.fences = throw(d, 16) == 0;
    options.any_values = throw(d, 2) == 0;
    hlo_module *module = generate_module(&options);
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    style.exact_literals = true;
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &style, &text);
    bool fits = text.len < sizeof to->bytes;
    if (fits) memcpy(to->bytes, text.data, to->len = text.len);
    hlo_buf_free(&text);
    hlo_module_free(module);
    return fits;
}

/* ---- mutants ---- */

static uint64_t hash_of(const char *path, uint64_t salt) {
    dice d = {salt};
    for (; *path; path++) d.state ^= throw(&d, UINT64_MAX) + (unsigned char)*path;
    return throw(&d, UINT64_MAX);
}

/* By its name and not by its number, so that a new file changes few cases. */
static const char *choose_file(dice *d) {
    uint64_t salt = throw(d, UINT64_MAX), most = 0;
    const char *chosen = corpus.paths[0];
    for (size_t i = 0; i < corpus.count; i++) {
        uint64_t hash = hash_of(corpus.paths[i], salt);
        if (hash > most) chosen = corpus.paths[i];
        if (hash > most) most = hash;
    }
    return chosen;
}

static bool take_base(dice *d, mutant_text *to) {
    if (corpus.count == 0 || throw(d, 4) == 0) return generate_text(d, to);
    return read_text(choose_file(d), to);
}

static bool is_accepted(const mutant_text *text) {
    hlo_diags *diags = hlo_diags_create(1);
    hlo_module *module = read_mutant(text, diags);
    bool good = module && module_extent(module) == PRINTED;
    hlo_module_free(module);
    hlo_diags_free(diags);
    return good;
}

/* Mutations that keep the module valid add up: the next is tried on what the last one made. */
static void mutate(dice *d, mutant_text *text) {
    static mutant_text next;
    size_t wanted = throw(d, 8);
    for (size_t tries = 0, made = 0; tries < TRIES && made < wanted; tries++) {
        next = *text;
        next.len = LLVMFuzzerCustomMutator((uint8_t *)next.bytes, next.len, sizeof next.bytes,
                                           (unsigned) throw(d, 0x100000000));
        if (!is_accepted(&next)) continue;
        *text = next;
        made++;
    }
}

bool make_mutant(dice *d, mutant_text *to) {
    for (size_t tries = 0; tries < TRIES; tries++) {
        if (!take_base(d, to) || !is_accepted(to)) continue;
        mutate(d, to);
        return true;
    }
    return false;
}
