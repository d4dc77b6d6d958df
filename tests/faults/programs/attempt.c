/* One run of a command line with the shim, and everything that it leaves. See programs.h. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs.h"

const char old_content[] = "what was there before\n";

enum { MOST_WORDS = 32, SECONDS = 30 };

static void must(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
    exit(2);
}

static const char *in_place(const fault_place *place, const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    return path;
}

/* ---- the place ---- */

void fault_place_open(fault_place *place, const char *folder) {
    snprintf(place->folder, sizeof place->folder, "%s", folder);
    must(mkdir(folder, 0777) == 0, folder);
    must(mkdir(in_place(place, "in"), 0777) == 0, "in");
    fault_commands_write_files(in_place(place, "in"));
    int fd = open(in_place(place, "page"), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    must(fd >= 0 && ftruncate(fd, sizeof(fault_page)) == 0, "page");
    place->page = mmap(NULL, sizeof(fault_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(place->page != MAP_FAILED, "page");
    close(fd);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void empty_folder(const fault_place *place, const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s", in_place(place, name));
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    must(mkdir(path, 0777) == 0, path);
}

/* ---- files before and after ---- */

static void put_old_files(const fault_place *place, const attempt *old) {
    for (size_t i = 0; old && i < old->file_count; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/run/%s", place->folder, old->files[i].path);
        if (!old->files[i].bytes) {
            must(mkdir(path, 0777) == 0, path);
            continue;
        }
        FILE *to = fopen(path, "w");
        must(to && fputs(old_content, to) >= 0 && fclose(to) == 0, path);
    }
}

/* The content with a NUL byte after it. */
static char *read_file(const char *path, size_t *count) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    must(fd >= 0 && fstat(fd, &st) == 0, path);
    char *bytes = calloc(1, (size_t)st.st_size + 1);
    ssize_t n = bytes ? read(fd, bytes, (size_t)st.st_size) : -1;
    must(n >= 0, path);
    close(fd);
    *count = (size_t)n;
    return bytes;
}

static attempt *filled;
static size_t prefix;

/* Directories come before what is in them. */
static int find_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    if (at->level == 0 || filled->file_count == MOST_FILES) return 0;
    found_file *file = &filled->files[filled->file_count++];
    snprintf(file->path, sizeof file->path, "%s", path + prefix);
    if (type == FTW_F) file->bytes = read_file(path, &file->count);
    return 0;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const found_file *)a)->path, ((const found_file *)b)->path);
}

static void find_files(const fault_place *place, attempt *out) {
    char path[128];
    snprintf(path, sizeof path, "%s", in_place(place, "run"));
    filled = out;
    prefix = strlen(path) + 1;
    nftw(path, find_one, 16, FTW_PHYS);
    qsort(out->files, out->file_count, sizeof *out->files, by_path);
}

static int find_leftover(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type;
    if (at->level) snprintf(filled->leftover, sizeof filled->leftover, "%s", path);
    return at->level;
}

/* ---- the run ---- */

/* Words end at blanks that are not between quotes; the quotes go. */
static void split(const char *words, char *text, char **argv) {
    size_t n = 0;
    bool is_quoted = false, is_word = false;
    for (; *words && n + 1 < MOST_WORDS; words++) {
        bool ends = *words == ' ' && !is_quoted;
        if (!ends && !is_word) argv[n++] = text;
        is_word = !ends;
        if (*words == '\'') is_quoted = !is_quoted;
        else *text++ = ends ? '\0' : *words;
    }
    *text = 0;
    argv[n] = NULL;
}

static void set_stream(int number, const char *path, int flags, bool is_closed) {
    int fd = open(path, flags, 0666);
    if (fd < 0 || dup2(fd, number) < 0) _exit(99);
    if (fd > STDERR_FILENO) close(fd);
    if (is_closed) close(number);
}

static void set_streams(const fault_place *place, const fault_command *command,
                        stream_fault streams) {
    static const int writing = O_WRONLY | O_CREAT | O_TRUNC;
    char in[128], out[128], errors[128];
    snprintf(in, sizeof in, "%s/in/%s", place->folder, command->input ? command->input : "");
    snprintf(out, sizeof out, "%s/stdout", place->folder);
    snprintf(errors, sizeof errors, "%s/stderr", place->folder);
    if (unlink(out) < 0 && errno != ENOENT) _exit(99);
    set_stream(STDERR_FILENO, streams == ERRORS_FULL ? "/dev/full" : errors, writing, false);
    set_stream(STDOUT_FILENO, out, writing, false); /* which is there in any case */
    if (streams == OUTPUT_FULL) set_stream(STDOUT_FILENO, "/dev/full", O_WRONLY, false);
    set_stream(STDIN_FILENO, command->input ? in : "/dev/null", O_RDONLY, false);
    if (streams == INPUT_CLOSED) close(STDIN_FILENO);
    if (streams == OUTPUT_CLOSED) close(STDOUT_FILENO);
    if (streams == ERRORS_CLOSED) close(STDERR_FILENO);
}

static _Noreturn void become(const fault_place *place, const fault_command *command,
                             stream_fault streams) {
    char text[1024], program[512], *argv[MOST_WORDS];
    split(command->words, text, argv);
    snprintf(program, sizeof program, "%s/bin/%s", getenv("HLO_BUILD"), argv[0]);
    char shim[512];
    snprintf(shim, sizeof shim, "%s/tools/faults-shim.so", getenv("HLO_BUILD"));
    char *tmp = strdup(in_place(place, "tmp"));
    setenv("TMPDIR", tmp, 1);
    setenv(FAULTS_PAGE, in_place(place, "page"), 1);
    setenv("LD_PRELOAD", shim, 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    if (chdir(in_place(place, "run")) < 0) _exit(99);
    alarm(SECONDS);
    set_streams(place, command, streams);
    execv(program, argv);
    _exit(99);
}

void attempt_run(const fault_place *place, const fault_command *command, stream_fault streams,
                 const attempt *old, attempt *out) {
    size_t unused;
    *out = (attempt){0};
    empty_folder(place, "run");
    empty_folder(place, "tmp");
    put_old_files(place, old);
    memset((void *)place->page->counts, 0, sizeof place->page->counts);
    place->page->has_failed = place->page->was_for_writing = false;
    unlink(in_place(place, "stderr"));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) become(place, command, streams);
    must(child > 0, "fork");
    while (waitpid(child, &out->status, 0) < 0) must(errno == EINTR, "waitpid");
    find_files(place, out);
    out->out = read_file(in_place(place, "stdout"), &out->out_count);
    bool has_errors = access(in_place(place, "stderr"), R_OK) == 0;
    out->errors = has_errors ? read_file(in_place(place, "stderr"), &unused) : strdup("");
    nftw(in_place(place, "tmp"), find_leftover, 16, FTW_PHYS);
    /* What was shrunk is needed again. */
    if (place->page->kind == FAULT_SHRINK && place->page->has_failed) {
        empty_folder(place, "in");
        fault_commands_write_files(in_place(place, "in"));
    }
}

void attempt_free(attempt *a) {
    for (size_t i = 0; i < a->file_count; i++) free(a->files[i].bytes);
    free(a->out);
    free(a->errors);
}
