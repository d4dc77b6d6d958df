/* What instructions lead to and come from: src/analysis/reachability.h. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/reachability.h"
#include "unit/read_text.h"

static int passed, failed;

static const char text[] = "HloModule m\n"
                           "ENTRY main {\n"
                           "  a = f32[] parameter(0)\n"
                           "  b = f32[] negate(a)\n"
                           "  c = f32[] sine(a)\n"
                           "  d = f32[] add(b, c)\n"
                           "  e = f32[] cosine(c), control-predecessors={b}\n"
                           "  f = f32[] tanh(a)\n"
                           "  ROOT t = (f32[], f32[], f32[]) tuple(d, e, f)\n"
                           "}\n";

/* The names of a set, in source order. */
static void say(const hlo_computation *c, const bool *set, char *to) {
    for (const hlo_instr *i = c->first; i; i = i->next)
        if (set[i->index]) *to++ = i->name->ptr[0];
    *to = 0;
}

static bool *set_of(const hlo_computation *c, const char *names) {
    bool *set = hlo_calloc(c->instr_count + 1u, sizeof *set);
    for (const hlo_instr *i = c->first; i; i = i->next)
        set[i->index] = strchr(names, i->name->ptr[0]) != NULL;
    return set;
}

static void expect(const char *what, const hlo_computation *c, bool *got, const char *wanted) {
    char names[16];
    say(c, got, names);
    if (strcmp(names, wanted) == 0) passed++;
    else failed++;
    if (strcmp(names, wanted) != 0) printf("%s: %s instead of %s\n", what, names, wanted);
    hlo_free(got);
}

static void check(const hlo_computation *c, const char *from, const char *users,
                  const char *operands, const char *closed) {
    bool *set = set_of(c, from);
    expect("users", c, hlo_reach_users(c, set), users);
    expect("operands", c, hlo_reach_operands(c, set), operands);
    hlo_reach_close(c, set);
    expect("closed", c, set, closed);
}

int main(void) {
    hlo_module *module = read_text(text);
    hlo_computation *c = module->entry;
    for (uint32_t first = 0; first < 2; first++) {
        hlo_number_instructions(c);
        for (hlo_instr *i = c->first; i; i = i->next) i->index += first;
        check(c, "", "", "", "");
        check(c, "b", "bdet", "ab", "b"); /* e waits for b */
        check(c, "f", "ft", "af", "f");
        check(c, "bt", "bdet", "abcdeft", "bdet");
        check(c, "ad", "abcdeft", "abcd", "abcd");
        check(c, "ef", "eft", "abcef", "ef");
    }
    hlo_module_free(module);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
