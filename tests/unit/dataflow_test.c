/* Which instruction made each array of a value: src/analysis/dataflow.h. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/dataflow.h"
#include "unit/read_text.h"

static int passed, failed;

static const char text[] = "HloModule m\n"
                           "body {\n"
                           "  s = (f32[2], s32[]) parameter(0)\n"
                           "  ROOT t = (f32[2], s32[]) opt-barrier(s)\n"
                           "}\n"
                           "condition {\n"
                           "  s = (f32[2], s32[]) parameter(0)\n"
                           "  ROOT c = pred[] constant(false)\n"
                           "}\n"
                           "ENTRY main {\n"
                           "  p = ((f32[2], s32[]), f32[3]) parameter(0)\n"
                           "  inner = (f32[2], s32[]) get-tuple-element(p), index=0\n"
                           "  third = f32[3] get-tuple-element(p), index=1\n"
                           "  one = s32[] get-tuple-element(inner), index=1\n"
                           "  n = f32[3] negate(third)\n"
                           "  b = f32[3] bitcast(n)\n"
                           "  nested = (f32[3], (f32[2], s32[]), s32[]) tuple(b, inner, one)\n"
                           "  loop = (f32[2], s32[]) while(inner), condition=condition, body=body\n"
                           "  first = f32[2] get-tuple-element(loop), index=0\n"
                           "  u = f32[1] constant({1})\n"
                           "  updated = f32[2] dynamic-update-slice(first, u, one)\n"
                           "  v = (f32[2], s32[]) get-tuple-element(nested), index=1\n"
                           "  tok = token[] after-all()\n"
                           "  later = f32[2] add-dependency(updated, tok)\n"
                           "  ROOT r = (f32[2], (f32[2], s32[])) tuple(later, v)\n"
                           "}\n";

static const hlo_instr *find(const hlo_computation *c, const char *name) {
    const hlo_instr *i = c->first;
    while (i && (i->name->len != strlen(name) || memcmp(i->name->ptr, name, i->name->len) != 0))
        i = i->next;
    return i;
}

/* `wanted`: makers and leaves, like "p.0 n.0". */
static void check(const hlo_dataflow *flow, const hlo_computation *c, const char *name,
                  const char *wanted) {
    hlo_buf got = HLO_BUF_INIT;
    const hlo_instr *value = find(c, name);
    for (uint32_t i = 0; i < hlo_dataflow_leaf_count(flow, value); i++) {
        const hlo_buffer *b = &flow->buffers.v[hlo_dataflow_leaves(flow, value)[i]];
        hlo_buf_printf(&got, "%s%.*s.%u", i ? " " : "", (int)b->maker->name->len,
                       b->maker->name->ptr, b->leaf);
    }
    hlo_buf_char(&got, 0);
    bool same = strcmp(got.data, wanted) == 0;
    if (same) passed++;
    else failed++;
    if (!same) printf("%s: %s instead of %s\n", name, got.data, wanted);
    hlo_buf_free(&got);
}

static void check_all(hlo_computation *c) {
    hlo_dataflow flow;
    hlo_dataflow_init(&flow, c);
    check(&flow, c, "p", "p.0 p.1 p.2");
    check(&flow, c, "inner", "p.0 p.1");
    check(&flow, c, "third", "p.2");
    check(&flow, c, "one", "p.1");
    check(&flow, c, "n", "n.0");
    check(&flow, c, "b", "n.0");
    check(&flow, c, "nested", "n.0 p.0 p.1 p.1");
    check(&flow, c, "loop", "p.0 p.1");
    check(&flow, c, "first", "p.0");
    check(&flow, c, "updated", "updated.0");
    check(&flow, c, "v", "p.0 p.1");
    check(&flow, c, "later", "updated.0");
    check(&flow, c, "r", "updated.0 p.0 p.1");
    hlo_dataflow_free(&flow);
}

int main(void) {
    hlo_module *module = read_text(text);
    check_all(module->entry);
    hlo_module_free(module);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
