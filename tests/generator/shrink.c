/* Making a module smaller: one edit after the other, each kept when the command still fails. */
#include "generator/shrink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ir/ir.h"
#include "reduce/edit.h"
#include "shape/verify.h"

/* ---- edits: each changes place number `at` of a module ---- */

typedef enum { DONE, NOTHING_TO_DO, NO_SUCH_PLACE } edit_result;
typedef edit_result edit(hlo_module *module, uint32_t at);

typedef bool keeper(uint32_t i, uint32_t n, uint32_t at);

/* The header's list of tolerances follows the results that are kept. */
static void narrow_tolerance(hlo_module *module, keeper *keeps, uint32_t at, uint32_t n) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES);
    if (!attr || attr->u.frontend->n != 1) return;
    hlo_frontend *said =
        hlo_arena_copy(&module->arena, attr->u.frontend, sizeof *said + sizeof said->v[0]);
    if (!hlo_str_is(said->v[0].key, "tolerance")) return;
    hlo_str old = said->v[0].value;
    char *kept = hlo_arena_alloc(&module->arena, old.len + 1), *end = kept;
    uint32_t i = 0;
    for (uint32_t from = 0, to = 0; from < old.len; from = to + 1, i++) {
        for (to = from; to < old.len && old.ptr[to] != ' ';) to++;
        if (!keeps(i, n, at)) continue;
        if (end != kept) *end++ = ' ';
        memcpy(end, old.ptr + from, to - from);
        end += to - from;
    }
    said->v[0].value = (hlo_str){kept, (uint32_t)(end - kept), 0};
    hlo_module_set_attr(module,
                        (hlo_attr){.id = HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES, .u.frontend = said});
}

static bool is_in_half(uint32_t i, uint32_t n, uint32_t half) {
    return half ? i >= n / 2 : i < n / 2;
}

static bool is_other(uint32_t i, uint32_t n, uint32_t at) {
    (void)n;
    return i != at;
}

/* The result keeps half of its elements, or all but one. */
static edit_result halve_results(hlo_module *module, uint32_t at) {
    uint32_t n = hlo_count_results(module);
    if (!n || at > 1) return NO_SUCH_PLACE;
    narrow_tolerance(module, is_in_half, at, n);
    bool done = at ? hlo_edit_drop_results(module, 0, n / 2)
                   : hlo_edit_drop_results(module, n / 2, n - n / 2);
    return done ? DONE : NOTHING_TO_DO;
}

static edit_result drop_result(hlo_module *module, uint32_t at) {
    uint32_t n = hlo_count_results(module);
    if (at >= n) return NO_SUCH_PLACE;
    narrow_tolerance(module, is_other, at, n);
    return hlo_edit_drop_results(module, at, 1) ? DONE : NOTHING_TO_DO;
}

/* Edits of hlo-reduce that leave the number of results as it is. */
static edit_result at_one_place(int number, hlo_module *module, uint32_t at) {
    if (at >= hlo_edits[number].count(module)) return NO_SUCH_PLACE;
    return hlo_edits[number].apply(module, at, 1) ? DONE : NOTHING_TO_DO;
}

static edit_result make_parameter(hlo_module *module, uint32_t at) {
    return at_one_place(HLO_EDIT_NUMBER_replace_by_parameters, module, at);
}

static edit_result pass_operand_on(hlo_module *module, uint32_t at) {
    return at_one_place(HLO_EDIT_NUMBER_pass_operands_on, module, at);
}

static edit_result make_zero(hlo_module *module, uint32_t at) {
    return at_one_place(HLO_EDIT_NUMBER_replace_by_zeros, module, at);
}

static edit *const edits[] = {halve_results, drop_result, make_parameter, pass_operand_on,
                              make_zero};

/* ---- after an edit ---- */

static hlo_module *read_module(const hlo_buf *text) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("shrunk", text->data, text->len);
    hlo_module *module = NULL;
    hlo_status status = hlo_parse(source, diags, &module);
    hlo_source_free(source);
    if (status == HLO_OK && hlo_verify(module, diags) != HLO_OK) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_diags_free(diags);
    return module;
}

static void print(hlo_module *module, hlo_buf *to) {
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    to->len = 0;
    hlo_module_print(module, &style, to);
}

/* ---- the command ---- */

typedef struct {
    char **argv;
    char path[64];
} trial;

static bool fails_on(const trial *t, const hlo_buf *text) {
    FILE *file = fopen(t->path, "w");
    if (!file) return false;
    bool written = fwrite(text->data, 1, text->len, file) == text->len;
    if (fclose(file) != 0 || !written) return false;
    pid_t child = fork();
    if (child == 0) {
        execvp(t->argv[0], t->argv);
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

/* Whether an edit at that place of `text` leaves a smaller module that still fails; it then
 * replaces the text. */
static edit_result try_edit(const trial *t, hlo_buf *text, edit *make, uint32_t at) {
    hlo_module *module = read_module(text);
    if (!module) return NO_SUCH_PLACE;
    hlo_signature before = hlo_edit_signature(module);
    edit_result result = make(module, at);
    hlo_buf smaller = HLO_BUF_INIT;
    if (result == DONE) {
        result = NOTHING_TO_DO;
        if (hlo_edit_tidy(module, before)) print(module, &smaller);
        hlo_module *again = smaller.len ? read_module(&smaller) : NULL;
        bool is_smaller = again && smaller.len < text->len && fails_on(t, &smaller);
        if (is_smaller) {
            hlo_buf larger = *text;
            *text = smaller;
            smaller = larger;
            result = DONE;
        }
        if (again) hlo_module_free(again);
    }
    hlo_module_free(module);
    hlo_buf_free(&smaller);
    return result;
}

static void shrink_text(const trial *t, hlo_buf *text) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t k = 0; k < sizeof edits / sizeof *edits; k++)
            for (uint32_t at = 0;;) {
                edit_result result = try_edit(t, text, edits[k], at);
                if (result == NO_SUCH_PLACE) break;
                if (result == DONE) changed = true; /* the next place has moved here */
                else at++;
            }
    }
}

static bool read_text(const char *path, hlo_buf *text) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source;
    hlo_module *module = NULL;
    hlo_status status = hlo_read_source(path, diags, &source);
    if (status == HLO_OK) status = hlo_parse(source, diags, &module);
    hlo_diags_render(diags, stderr, false);
    hlo_diags_free(diags);
    hlo_source_free(source);
    if (status != HLO_OK) return false;
    print(module, text);
    hlo_module_free(module);
    return true;
}

int shrink(const char *path, char *const *command) {
    hlo_buf text = HLO_BUF_INIT;
    trial t = {.path = "/tmp/shrunk.XXXXXX"};
    int file = mkstemp(t.path), status = 1;
    if (file < 0) return 3;
    close(file);
    size_t n = 0;
    while (command[n]) n++;
    t.argv = hlo_calloc(n + 2, sizeof *t.argv);
    memcpy(t.argv, command, n * sizeof *command);
    t.argv[n] = t.path;
    if (read_text(path, &text)) {
        if (fails_on(&t, &text)) {
            shrink_text(&t, &text);
            fwrite(text.data, 1, text.len, stdout);
            status = 0;
        } else {
            fprintf(stderr, "hlo-generate: the command does not fail on %s\n", path);
        }
    }
    unlink(t.path);
    hlo_free(t.argv);
    hlo_buf_free(&text);
    return status;
}
