/* Whether a program did right when a call of the system failed. See programs.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "programs.h"

/* ---- files ---- */

typedef struct {
    size_t new, old, none;
    const char *strange; /* neither, or not one of the command's */
} file_counts;

static const found_file *find(const attempt *in, const char *path) {
    for (size_t i = 0; i < in->file_count; i++)
        if (strcmp(in->files[i].path, path) == 0) return &in->files[i];
    return NULL;
}

static bool is_old(const found_file *file) {
    return file->count == strlen(old_content) && memcmp(file->bytes, old_content, file->count) == 0;
}

static bool is_same(const fault_command *command, const found_file *a, const found_file *b) {
    if (command->is & (IS_TIMED | IS_REPORT)) return a->count > 0;
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

/* A directory without a file is as strange as an unexpected file. */
static bool is_empty(const attempt *in, const found_file *directory) {
    size_t length = strlen(directory->path);
    for (size_t i = 0; i < in->file_count; i++) {
        const found_file *file = &in->files[i];
        if (file->bytes && strncmp(file->path, directory->path, length) == 0 &&
            file->path[length] == '/')
            return false;
    }
    return true;
}

static file_counts count_files(const fault_command *command, const attempt *good,
                               const attempt *seen) {
    file_counts counts = {0};
    if (seen->leftover[0]) counts.strange = seen->leftover;
    for (size_t i = 0; i < good->file_count; i++) {
        const found_file *wanted = &good->files[i], *file = find(seen, wanted->path);
        if (!wanted->bytes) continue;
        if (!file) counts.none++;
        else if (is_old(file)) counts.old++;
        else if (is_same(command, file, wanted)) counts.new ++;
        else counts.strange = file->path;
    }
    for (size_t i = 0; i < seen->file_count; i++) {
        const found_file *file = &seen->files[i];
        bool is_known = find(good, file->path);
        if (!is_known || (!file->bytes && is_empty(seen, file) && !(command->is & IS_PIECEMEAL)))
            counts.strange = file->path;
    }
    return counts;
}

/* ---- messages ---- */

/* Whether a word of the command line that looks like a file, or a number of bytes, is in it. */
static bool names_something(const fault_command *command, const char *message) {
    for (const char *at = command->words; *at;) {
        size_t n = strcspn(at, " =:'");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        const char *name = strrchr(word, '/') ? strrchr(word, '/') + 1 : word;
        if (name[0] && word[0] != '-' && at != command->words && strstr(message, name)) return true;
        at += n + (at[n] != 0);
    }
    for (const char *at = message; (at = strstr(at, " bytes")); at++)
        if (at > message && isdigit((unsigned char)at[-1])) return true;
    return strstr(message, "memory for ") || strstr(message, "<stdin>") ||
           strstr(message, "standard ") || strstr(message, "/tmp");
}

static bool is_error(const char *message) {
    return strstr(message, "error: ") != NULL;
}

/* Whatever library noticed it first. */
static bool is_about_memory(const char *message) {
    return strstr(message, "memory") || strstr(message, "allocate");
}

/* ---- all of it ---- */

static bool same_streams(const fault_command *command, stream_fault streams, const attempt *good,
                         const attempt *seen) {
    if (command->is & IS_TIMED) return true;
    bool has_out = streams != OUTPUT_CLOSED && streams != OUTPUT_FULL;
    bool has_errors = streams != ERRORS_CLOSED && streams != ERRORS_FULL;
    if (has_errors && strcmp(good->errors, seen->errors) != 0) return false;
    return !has_out || (good->out_count == seen->out_count &&
                        memcmp(good->out, seen->out, good->out_count) == 0);
}

/* As if nothing had failed. NULL, or what is wrong. */
static const char *unharmed(const fault_command *command, const fault_page *page,
                            stream_fault streams, const attempt *good, const attempt *seen,
                            const file_counts *files) {
    if (files->old || files->none) return "good exit status without its files";
    if (page->was_for_writing) return "good exit status though closing a file failed";
    if (!same_streams(command, streams, good, seen)) return "good exit status, but other text";
    bool is_lost = streams == OUTPUT_CLOSED || streams == OUTPUT_FULL;
    if (is_lost && good->out_count) return "good exit status without standard output";
    if (streams == INPUT_CLOSED && command->input) return "good exit status without input";
    return NULL;
}

static const char *failed(const fault_command *command, const fault_page *page,
                          stream_fault streams, const attempt *good, const attempt *seen) {
    if (command->is & IS_REPORT && !seen->errors[0]) return NULL;
    bool is_heard = streams != ERRORS_CLOSED && streams != ERRORS_FULL;
    if (is_heard && !is_error(seen->errors)) return "no message";
    if (is_heard && !names_something(command, seen->errors))
        return "a message without file and size";
    if (is_heard && page->kind == FAULT_ALLOCATION && !is_about_memory(seen->errors))
        return "a message that is not about memory";
    bool is_start =
        seen->out_count <= good->out_count && memcmp(good->out, seen->out, seen->out_count) == 0;
    return is_start || command->is & (IS_TIMED | IS_REPORT) ? NULL
                                                            : "other text on standard output";
}

static const char *wrong_files(const fault_command *command, const file_counts *files,
                               const attempt *good, bool was_old) {
    static char text[320];
    (void)good;
    snprintf(text, sizeof text, "left: %s", files->strange ? files->strange : "");
    if (files->strange) return text;
    if (was_old && files->none) return "a file that was there before is gone";
    bool is_mixed = files->new && (files->old || files->none);
    return is_mixed && !(command->is & IS_PIECEMEAL) ? "some files and not others" : NULL;
}

verdict judge(const fault_command *command, const fault_page *page, stream_fault streams,
              const attempt *good, const attempt *seen, bool was_old, const char **why) {
    static char text[64];
    file_counts files = count_files(command, good, seen);
    int status = seen->status;
    verdict as = WAS_WRONG;
    *why = wrong_files(command, &files, good, was_old);
    if (*why) return WAS_WRONG;
    if (WIFSIGNALED(status)) {
        bool is_asked = page->kind == FAULT_SIGNAL && WTERMSIG(status) == page->signal;
        snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
        if (!is_asked) *why = text;
        as = WAS_ENDED;
    } else if (WEXITSTATUS(status) == command->status) {
        *why = unharmed(command, page, streams, good, seen, &files);
        as = WAS_UNHARMED;
    } else if (WEXITSTATUS(status) == 3) {
        *why = failed(command, page, streams, good, seen);
        as = WAS_ERROR;
    } else {
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
        *why = text;
    }
    return *why ? WAS_WRONG : as;
}
