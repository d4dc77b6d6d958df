/* In which scope of the program computations are called: frontends name operations relative to the
 * function that has them. */
#include "ir/call_metadata.h"
#include "stat/stat.h"

/* The longest path that both begin with. */
static hlo_str common_path(hlo_str a, hlo_str b) {
    uint32_t n = 0, whole = 0;
    for (; n < a.len && n < b.len && a.ptr[n] == b.ptr[n]; n++)
        if (a.ptr[n] == '/') whole = n;
    bool a_ends = n == a.len && (n == b.len || b.ptr[n] == '/');
    bool b_ends = n == b.len && (n == a.len || a.ptr[n] == '/');
    return (hlo_str){a.ptr, a_ends || b_ends ? n : whole, 0};
}

hlo_str *hlo_stat_find_scopes(hlo_stat_counting *c, const hlo_call_graph *graph) {
    hlo_str *scopes = hlo_calloc(graph->ids + 1u, sizeof *scopes);
    for (uint32_t n = 0; n < graph->count; n++) {
        const hlo_computation *caller = graph->order[n];
        hlo_str outer = scopes[caller->id];
        if (!outer.ptr) outer = HLO_STR("");
        for (const hlo_instr *i = caller->first; i; i = i->next) {
            hlo_str inner = outer;
            if (i->opcode == HLO_OP_CALL)
                inner = hlo_op_name_within(&c->stats->arena, outer, hlo_op_name_of(i));
            for (uint32_t k = 0; k < hlo_called_count(i); k++) {
                hlo_str *scope = &scopes[hlo_called(i, k)->id];
                *scope = scope->ptr ? common_path(*scope, inner) : inner;
            }
        }
    }
    return scopes;
}

void hlo_stat_put_scope(hlo_stat_counting *c, const hlo_instr *instr, hlo_buf *to) {
    hlo_str outer = c->part->scopes[instr->parent->id], scope = hlo_op_name_of(instr);
    hlo_arena whole;
    hlo_arena_init(&whole);
    if (outer.ptr) scope = hlo_op_name_within(&whole, outer, scope);
    while (scope.len && scope.ptr[scope.len - 1] != '/') scope.len--;
    if (scope.len) scope.len--; /* the slash */
    hlo_buf_str(to, scope);
    hlo_arena_free(&whole);
}
