/* Reads what fuzzing found again: a plain program around a fuzz target. As `fuzz-NAME` it gives
 * every file of $HLO_ROOT/tests/fuzz/NAME to the target. As
 *
 *   fuzz-NAME COUNT SEED FOUND FILE...
 *
 * it gives the target COUNT mutants of each file, without libFuzzer: each is in FOUND while it is
 * tried, which is where a crash leaves it. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                                     unsigned seed);

static int replay(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 1;
    enum { LIMIT = 1 << 24 };
    uint8_t *bytes = malloc(LIMIT);
    size_t size = bytes ? fread(bytes, 1, LIMIT, file) : 0;
    fclose(file);
    if (!bytes) return 1;
    uint8_t *exact = malloc(size ? size : 1); /* so that reading past the end shows */
    if (exact) {
        memcpy(exact, bytes, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(bytes);
    return exact == NULL;
}

static bool keep(const char *path, const uint8_t *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && good;
}

static int try_mutants(const char *path, unsigned count, unsigned seed, const char *found) {
    enum { LIMIT = 1 << 16 };
    static uint8_t bytes[LIMIT], mutant[LIMIT];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, LIMIT, file) : 0;
    if (file) fclose(file);
    for (unsigned i = 0; i < count && size > 0; i++) {
        memcpy(mutant, bytes, size);
        size_t n = LLVMFuzzerCustomMutator(mutant, size, LIMIT, seed * 1000003u + i);
        if (!keep(found, mutant, n) || replay(found)) return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 4 && LLVMFuzzerCustomMutator) {
        for (int i = 4; i < argc; i++)
            if (try_mutants(argv[i], (unsigned)atol(argv[1]), (unsigned)atol(argv[2]), argv[3]))
                return 1;
        remove(argv[3]);
        return 0;
    }
    const char *root = getenv("HLO_ROOT"), *name = argc ? strstr(argv[0], "fuzz-") : NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/fuzz/%s", root ? root : ".", name ? name + 5 : "");
    DIR *folder = opendir(path);
    if (!folder) {
        printf("cannot read %s\n0 passed, 1 failed, 0 skipped\n", path);
        return 1;
    }
    int passed = 0, failed = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        char file[8192];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        fprintf(stderr, "%s\n", entry->d_name); /* the last one named is the one that crashed */
        if (replay(file)) failed++;
        else passed++;
    }
    closedir(folder);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
