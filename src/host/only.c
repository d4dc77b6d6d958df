/* --only: the instruction whose value is wanted, in the entry computation or in one that it calls,
 * and how its value is caught while its callers run. */
#include "base/text.h"
#include "host/run.h"
#include "ir/name_search.h"

/* ---- finding it ---- */

/* Whether the called computations of an instruction run one instruction after the other, so that
 * theirs have values. Other callers combine or compare elements, many at once. */
static bool runs_what_it_calls(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_CALL:
    case HLO_OP_FUSION:
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_ASYNC_START:
    case HLO_OP_SCAN: return true;
    default: return false;
    }
}

/* Callers of many calls, which have numbers. */
static bool has_iterations(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_WHILE || instr->opcode == HLO_OP_SCAN;
}

static hlo_instr *find_in(const hlo_computation *computation, const char *name, size_t length) {
    hlo_instr *instr = computation->first;
    while (instr && !(instr->name->len == length && memcmp(instr->name->ptr, name, length) == 0))
        instr = instr->next;
    return instr;
}

static hlo_instr *find_in_called(const hlo_instr *caller, const char *name, size_t length) {
    hlo_instr *found = NULL;
    uint32_t called = hlo_called_count(caller);
    for (uint32_t k = 0; k < called && !found; k++)
        if (hlo_called(caller, k)) found = find_in(hlo_called(caller, k), name, length);
    return found;
}

static hlo_status refuse(hlo_diags *diags, const char *name, const char *why) {
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "there is no instruction '%s'%s", name,
              why);
    hlo_advise(diags, HLO_ADVICE_CALLERS);
    return HLO_BAD_USE;
}

/* The hint is the nearest name, where one is near. */
static hlo_status refuse_name(const hlo_run *run, const char *name, const char *whole,
                              hlo_diags *diags) {
    size_t length = strcspn(name, "/");
    hlo_status status = refuse(diags, whole, "");
    hlo_hint_at_instr(diags, run->module, (hlo_str){name, (uint32_t)length, 0});
    return status;
}

static hlo_status refuse_elements(const hlo_run *run, const hlo_instr *caller, const char *name,
                                  hlo_diags *diags) {
    hlo_error(
        diags, HLO_RULE_INPUT, run->module->source, caller->at,
        "'%s' has no single value: '%.*s' (%s) applies its computation to many elements at once",
        name, (int)caller->name->len, caller->name->ptr, hlo_info(caller)->text);
    return HLO_BAD_USE;
}

/* The number of an iteration at *at, which is then after it and its slash; -1 without one. */
static int64_t read_iteration(const char **at) {
    const char *p = *at;
    uint64_t iteration;
    if (!hlo_digits(&p, p + strlen(p), INT64_MAX, &iteration) || *p != '/') return -1;
    *at = p + 1;
    return (int64_t)iteration;
}

/* CALLER/NAME, LOOP/ITERATION/NAME and so on. */
static hlo_status find_path(hlo_run *run, const char *path, hlo_diags *diags) {
    hlo_run_only *only = &run->only;
    const char *at = path;
    const hlo_instr *caller = NULL;
    only->callers = hlo_calloc(strlen(path), sizeof *only->callers);
    while (true) {
        size_t length = strcspn(at, "/");
        hlo_instr *instr =
            caller ? find_in_called(caller, at, length) : find_in(run->module->entry, at, length);
        if (!instr) return refuse_name(run, at, path, diags);
        if (caller && !runs_what_it_calls(caller)) return refuse_elements(run, caller, path, diags);
        if (!caller) only->part = instr;
        only->inside = instr;
        if (!at[length]) return HLO_OK;
        at += length + 1;
        int64_t iteration = has_iterations(instr) ? read_iteration(&at) : -1;
        only->callers[only->caller_count++] = (hlo_caller){instr, iteration};
        caller = instr;
    }
}

/* Whether running the computation comes to instructions of `to`, conservatively. `blocked` is set
 * to a caller on the path that cannot be entered, if there is no other path. */
static bool leads_to(const hlo_computation *from, const hlo_computation *to, uint32_t mark,
                     uint32_t depth, const hlo_instr **blocked) {
    if (from == to) return true;
    if (depth > HLO_EVAL_MAX_DEPTH) return false;
    for (hlo_instr *instr = from->first; instr; instr = instr->next) {
        uint32_t called = instr->mark == mark ? 0 : hlo_called_count(instr);
        instr->mark = mark; /* what was asked once leads nowhere */
        for (uint32_t k = 0; k < called; k++) {
            const hlo_computation *next = hlo_called(instr, k);
            if (!next || !leads_to(next, to, mark, depth + 1, blocked)) continue;
            if (runs_what_it_calls(instr)) return true;
            *blocked = instr;
        }
    }
    return false;
}

/* The first instruction of the entry computation whose run comes to instructions of `to`. */
static hlo_instr *find_part(const hlo_run *run, const hlo_computation *to,
                            const hlo_instr **blocked) {
    hlo_computation *entry = run->module->entry;
    hlo_instr **order = hlo_malloc(sizeof *order * entry->instr_count), *part = NULL;
    uint32_t count = hlo_post_order(entry, order);
    for (uint32_t i = 0; i < count && !part; i++) {
        uint32_t called = hlo_called_count(order[i]);
        for (uint32_t k = 0; k < called && !part; k++) {
            const hlo_computation *next = hlo_called(order[i], k);
            uint32_t mark = hlo_module_new_mark(run->module);
            if (!next || !leads_to(next, to, mark, 1, blocked)) continue;
            if (runs_what_it_calls(order[i])) part = order[i];
            else *blocked = order[i];
        }
    }
    hlo_free(order);
    return part;
}

static hlo_status find_called(hlo_run *run, const char *name, hlo_diags *diags) {
    size_t length = strlen(name);
    hlo_instr *found = NULL;
    for (const hlo_computation *c = run->module->first; c; c = c->next) {
        hlo_instr *instr = find_in(c, name, length);
        if (instr && found) return refuse(diags, name, " alone: several computations have one");
        if (instr) found = instr;
    }
    if (!found) found = hlo_instr_by_prefix(run->module, hlo_str_from(name));
    if (!found) return refuse_name(run, name, name, diags);
    if (found->parent == run->module->entry) {
        run->only.part = found;
        return HLO_OK;
    }
    const hlo_instr *blocked = NULL;
    run->only.inside = found;
    run->only.part = find_part(run, found->parent, &blocked);
    if (run->only.part) return HLO_OK;
    if (blocked) return refuse_elements(run, blocked, name, diags);
    return refuse(diags, name, " that runs: its computation is not called");
}

hlo_status hlo_run_find_only(hlo_run *run, const char *name, hlo_diags *diags) {
    if (*name == '%') name++;
    run->only.part = find_in(run->module->entry, name, strlen(name));
    if (run->only.part) return HLO_OK;
    return strchr(name, '/') ? find_path(run, name, diags) : find_called(run, name, diags);
}

/* ---- its value ---- */

bool hlo_run_catch_only(hlo_run *run, const hlo_instr *instr, const hlo_value *result) {
    hlo_run_only *only = &run->only;
    if (instr != only->inside) return false;
    if (only->caller_count &&
        !hlo_thread_is_called_by(run->thread, only->callers, only->caller_count))
        return false;
    only->value = hlo_value_retain((hlo_value *)result);
    hlo_device_end(run->device);
    return true;
}

hlo_value *hlo_run_take_only(hlo_run *run, hlo_value *result, hlo_diags *diags) {
    hlo_run_only *only = &run->only;
    hlo_value *value = only->value;
    only->value = NULL;
    if (!only->inside || value || !result) {
        if (value) hlo_value_release(result);
        return value ? value : result;
    }
    hlo_value_release(result);
    hlo_error(diags, HLO_RULE_RUN, run->module->source, only->inside->at,
              "'%.*s' does not run with these inputs, or not in that caller",
              (int)only->inside->name->len, only->inside->name->ptr);
    return NULL;
}
