/* shrink-dims: sizes of dimensions are divided by a factor wherever they are in the module, which
 * keeps its structure: a toy of a dump, to run, to debug or to send around. */
#include "passes/tools/shrink_dims.h"

#include <hlo/numbers.h>

#include "passes/pipeline/rewrite.h"

static bool wants_error(const hlo_shrink *s) {
    return s->sizes != NULL;
}

/* One message for a size and a reason. */
typedef struct {
    int64_t size;
    const char *reason;
} told;
typedef HLO_LIST(told) told_list;

static bool is_told(told_list *list, int64_t size, const char *reason) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->v[i].size == size && list->v[i].reason == reason) return true;
    hlo_list_push(list, (told){size, reason});
    return false;
}

static void tell(const hlo_pass_call *call, const hlo_shrink *s, uint32_t dim,
                 const hlo_shrink_class *class) {
    const hlo_instr *at = class->at;
    hlo_arena arena;
    hlo_arena_init(&arena);
    (wants_error(s) ? hlo_error : hlo_warning)(
        call->diags, HLO_RULE_PIPELINE, call->module->source, at->at,
        "shrink-dims: a dimension of size %lld of %s stays as it is: %s (%s %s)",
        (long long)s->dims[dim].size, hlo_name_quoted(&arena, s->dims[dim].instr->name),
        class->reason, hlo_info(at)->text, hlo_name_quoted(&arena, at->name));
    hlo_arena_free(&arena);
}

/* Whether all sizes that were named are divided. */
static bool report(const hlo_pass_call *call, hlo_shrink *s) {
    told_list list = {0};
    bool all = true;
    for (uint32_t n = 0; n < s->count; n++) {
        const hlo_shrink_class *class = &s->classes[hlo_shrink_root(s, n)];
        if (!hlo_shrink_is_chosen(s, s->dims[n].size) || class->power) continue;
        all = false;
        if (!is_told(&list, s->dims[n].size, class->reason)) tell(call, s, n, class);
    }
    hlo_list_free(&list);
    return all || !wants_error(s);
}

static bool read_sizes(const hlo_pass_call *call, const char *text, const hlo_ints **sizes) {
    hlo_ints *list = hlo_ints_new(&call->module->arena, (uint32_t)strlen(text));
    list->n = 0;
    *sizes = *text ? list : NULL;
    for (const char *at = text; *at; at += *at == ',') {
        bool fits;
        uint64_t size;
        at = hlo_read_whole(at, &size, &fits);
        if (!at || !fits || !size || size > INT64_MAX || (*at && *at != ',')) return false;
        list->v[list->n++] = (int64_t)size;
    }
    return true;
}

static hlo_pass_result refuse(const hlo_pass_call *call, const char *what) {
    hlo_error(call->diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0, 0}, "shrink-dims: %s", what);
    return HLO_PASS_FAILED;
}

static hlo_pass_result shrink(const hlo_pass_call *call, hlo_shrink *s) {
    hlo_shrink_relate(s);
    hlo_shrink_solve(s);
    if (!report(call, s)) return HLO_PASS_FAILED;
    if (!hlo_shrink_change(s)) return HLO_UNCHANGED;
    hlo_rewrite_count(call->rewriter, HLO_REWRITE_divided_dimensions, call->module->entry->name);
    return HLO_CHANGED;
}

hlo_pass_result hlo_pass_shrink_dims(const hlo_pass_call *call) {
    hlo_shrink s = {.factor = HLO_OPTION(call, SHRINK_DIMS, factor),
                    .least = HLO_OPTION(call, SHRINK_DIMS, least)};
    if (s.factor < 2 || s.factor > INT32_MAX)
        return refuse(call, "factor must be between 2 and 2147483647");
    if (s.least < 2) return refuse(call, "least must be 2 or more");
    if (!read_sizes(call, HLO_TEXT_OPTION(call, SHRINK_DIMS, sizes), &s.sizes))
        return refuse(call, "sizes are numbers above 0 with commas between them");
    if (!hlo_rewrite_allowed(call->rewriter, HLO_REWRITE_divided_dimensions)) return HLO_UNCHANGED;
    hlo_shrink_init(&s, call->module);
    hlo_pass_result result = shrink(call, &s);
    hlo_shrink_free(&s);
    return result;
}
