/* Which instructions a run shows: those that are like one of the patterns of
 * hlo_run_options.watch.patterns. */
#include <fnmatch.h>
#include <stdatomic.h>

#include "host/run.h"

static bool has_op_name_like(const hlo_instr *instr, const char *pattern) {
    const hlo_attr *metadata = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    if (!metadata || !metadata->u.metadata->op_name.len) return false;
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_str(&text, metadata->u.metadata->op_name);
    hlo_buf_char(&text, '\0');
    bool found = fnmatch(pattern, text.data, 0) == 0;
    hlo_buf_free(&text);
    return found;
}

/* `path` is `loop/1/` for what the second iteration of a loop does. */
static bool is_like(const hlo_instr *instr, const hlo_buf *path, const char *pattern) {
    hlo_buf name = HLO_BUF_INIT;
    hlo_buf_bytes(&name, path->data, path->len);
    hlo_buf_bytes(&name, instr->name->ptr, instr->name->len);
    hlo_buf_char(&name, '\0');
    bool found = fnmatch(pattern, name.data + path->len, 0) == 0 ||
                 fnmatch(pattern, name.data, 0) == 0 || has_op_name_like(instr, pattern);
    hlo_buf_free(&name);
    return found;
}

bool hlo_run_is_watched(const hlo_run *run, const hlo_instr *instr) {
    if (!run->watched_count) return true;
    hlo_buf path = HLO_BUF_INIT;
    hlo_thread_put_path(run->thread, &path);
    bool found = false;
    for (size_t i = 0; i < run->watched_count; i++) {
        bool is_known = atomic_load_explicit(&run->is_met[i], memory_order_relaxed);
        if ((is_known && found) || !is_like(instr, &path, run->watched[i])) continue;
        atomic_store_explicit(&run->is_met[i], true, memory_order_relaxed);
        found = true;
    }
    hlo_buf_free(&path);
    return found;
}

/* ---- patterns that are like no instruction ---- */

/* Callers come before the last slash: whether they call the instruction shows when they run. */
static bool can_match(const hlo_module *module, const char *pattern) {
    const hlo_buf no_path = HLO_BUF_INIT;
    const char *slash = strrchr(pattern, '/');
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *instr = c->first; instr; instr = instr->next)
            if (is_like(instr, &no_path, pattern) || (slash && is_like(instr, &no_path, slash + 1)))
                return true;
    return false;
}

/* The last part of a pattern, as far as it is plain: all of it, or up to what may be anything. */
typedef struct {
    const char *word, *rest;
    bool is_whole;
    hlo_nearest search;
} plain_part;

static plain_part plain_part_of(const char *pattern) {
    const char *slash = strrchr(pattern, '/'), *word = slash ? slash + 1 : pattern;
    bool is_whole = !word[strcspn(word, "*?[")];
    size_t n = strcspn(word, is_whole ? "" : "*?[.");
    return (plain_part){word, word + n, is_whole, hlo_nearest_to(word, n)};
}

static void try_name(plain_part *part, const char *name, size_t length) {
    const char *dot = part->is_whole ? NULL : memchr(name, '.', length);
    hlo_nearest_try(&part->search, name, dot ? (size_t)(dot - name) : length, false);
}

/* The name of an instruction, and the last part of its op_name. */
static void try_names(plain_part *part, const hlo_instr *instr) {
    try_name(part, instr->name->ptr, instr->name->len);
    const hlo_attr *metadata = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    if (!metadata || !metadata->u.metadata->op_name.len) return;
    hlo_str text = metadata->u.metadata->op_name;
    const char *slash = memrchr(text.ptr, '/', text.len), *from = slash ? slash + 1 : text.ptr;
    try_name(part, from, (size_t)(text.ptr + text.len - from));
}

static void hint_at_pattern(const hlo_module *module, const char *pattern, hlo_diags *diags) {
    plain_part part = plain_part_of(pattern);
    for (const hlo_computation *c = module->first; c; c = c->next)
        for (const hlo_instr *instr = c->first; instr; instr = instr->next) try_names(&part, instr);
    if (part.search.name)
        hlo_hint(diags, "did you mean '%.*s%.*s%s'?", (int)(part.word - pattern), pattern,
                 (int)part.search.name_length, part.search.name, part.rest);
}

hlo_status hlo_run_set_watched(hlo_run *run, const hlo_run_options *given, hlo_diags *diags) {
    run->watched = given->watch.patterns;
    run->watched_count = given->watch.pattern_count;
    run->is_met = hlo_calloc(run->watched_count, sizeof *run->is_met);
    for (size_t i = 0; i < run->watched_count; i++) {
        if (can_match(run->module, run->watched[i])) continue;
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "no instruction has a name or op_name like '%s'", run->watched[i]);
        hint_at_pattern(run->module, run->watched[i], diags);
        return HLO_BAD_USE;
    }
    return HLO_OK;
}

/* What runs in other processes is not known here. */
void hlo_run_warn_unmet(hlo_run *run, hlo_diags *diags) {
    if (run->has_warned || run->world || !(run->trace || run->dump)) return;
    run->has_warned = true;
    for (size_t i = 0; i < run->watched_count; i++)
        if (!atomic_load(&run->is_met[i]))
            hlo_warning(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                        "no instruction that ran has a path or op_name like '%s'", run->watched[i]);
}
