/* The IR's editing functions: uses, replace, remove, clone, fresh names, marks. Prints
 * "N passed, N failed"; built and run by `make test`. */
#include <stdio.h>
#include <stdlib.h>

#include "unit/check.h"
#include "unit/read_text.h"

/* The module's text, ended by NUL; free with hlo_buf_free. */
static hlo_buf text_of(hlo_module *module) {
    hlo_buf out = HLO_BUF_INIT;
    hlo_module_print(module, &hlo_print_default, &out);
    hlo_buf_char(&out, 0);
    return out;
}

static bool same_text(hlo_module *a, hlo_module *b) {
    hlo_buf x = text_of(a), y = text_of(b);
    bool same = strcmp(x.data, y.data) == 0;
    hlo_buf_free(&x);
    hlo_buf_free(&y);
    return same;
}

static hlo_instr *named(hlo_module *module, const char *name) {
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            if (hlo_str_is((hlo_str){i->name->ptr, i->name->len, 0}, name)) return i;
    return NULL;
}

static uint32_t uses_of(const hlo_instr *instr) {
    uint32_t n = 0;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        check(use->def == instr, "a use in the list names its instruction");
        check(hlo_operand(use->user, (uint32_t)(use - use->user->operands)) == instr,
              "the user has it as operand");
        n++;
    }
    return n;
}

static const char sample[] =
    "HloModule m, buffer_donor={ (0, {}) }\n"
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n"
    "ENTRY e {\n"
    "  x = f32[4]{0} parameter(0), sharding={replicated}, metadata={op_name=\"in\"}\n"
    "  z = f32[] constant(0)\n"
    "  n = f32[4] negate(x)\n"
    "  t = f32[4] add(n, n), control-predecessors={x}\n"
    "  ROOT r = f32[] reduce(t, z), dimensions={0}, to_apply=add, backend_config={\"a\":1}\n"
    "}\n";

static void test_uses(void) {
    hlo_module *m = read_text(sample);
    hlo_instr *x = named(m, "x"), *n = named(m, "n"), *t = named(m, "t");
    check(uses_of(x) == 1 && uses_of(n) == 2 && uses_of(t) == 1, "uses after reading");
    hlo_instr_set_operand(t, 1, x);
    check(uses_of(x) == 2 && uses_of(n) == 1, "uses after one operand changed");
    hlo_instr_replace_all_uses(n, x);
    check(uses_of(x) == 3 && uses_of(n) == 0, "uses after all were replaced");
    hlo_instr_remove(n);
    check(uses_of(x) == 2 && !named(m, "n"), "a removed instruction uses nothing");
    hlo_module_free(m);
}

static void test_replace_root_and_control(void) {
    hlo_module *m = read_text(sample);
    hlo_instr *x = named(m, "x"), *n = named(m, "n"), *t = named(m, "t"), *r = named(m, "r"),
              *z = named(m, "z");
    hlo_instr_replace_all_uses(x, n);
    check(hlo_instr_attr(t, HLO_ATTR_CONTROL_PREDECESSORS)->u.instructions->v[0] == n,
          "control predecessors follow");
    hlo_instr_replace_all_uses(r, z);
    check(m->entry->root == z, "the root follows");
    hlo_module_free(m);
}

static void test_clone(void) {
    hlo_module *m = read_text(sample), *copy = hlo_module_clone(m);
    check(same_text(m, copy), "a cloned module prints the same");
    hlo_instr_set_operand(named(copy, "t"), 0, named(copy, "x"));
    check(!same_text(m, copy), "a change in the copy stays there");
    hlo_module_free(m);
    hlo_buf text = text_of(copy);
    check(strstr(text.data, "add(%x, %n)") != NULL, "the copy lives on without the original");
    hlo_buf_free(&text);
    hlo_module_free(copy);
}

static void test_clone_of_tiles(void) {
    hlo_module *m = read_text(sample);
    const hlo_sharding *s = hlo_instr_attr(named(m, "x"), HLO_ATTR_SHARDING)->u.sharding;
    hlo_spmd_shardings spmd = {.result = s, .n = 1, .parameters = &s, .is_read = true};
    m->spmd = &spmd;
    hlo_module *copy = hlo_module_clone(m);
    hlo_module_free(m);
    const hlo_sharding *own = hlo_instr_attr(named(copy, "x"), HLO_ATTR_SHARDING)->u.sharding;
    check(copy->spmd && copy->spmd->n == 1 && copy->spmd->is_read, "a copy is of the same tiles");
    check(hlo_sharding_equal(copy->spmd->result, own) &&
              hlo_sharding_equal(copy->spmd->parameters[0], own),
          "shardings of tiles live on without the original");
    hlo_module_free(copy);
}

static void test_clone_within(void) {
    hlo_module *m = read_text(sample);
    hlo_computation *add = m->first, *copy = hlo_computation_clone(add, "clone");
    check(copy->parameter_count == 2 && copy->root->opcode == HLO_OP_ADD,
          "a cloned computation is whole");
    check(copy->root->name != add->root->name && copy->name != add->name,
          "names of copies are fresh");
    check(hlo_operand(copy->root, 0) == copy->parameters[0], "operands are those of the copy");
    hlo_instr *t = named(m, "t"), *operands[] = {named(m, "x"), named(m, "n")};
    hlo_instr *twin = hlo_instr_clone(t, m->entry, operands, 2);
    check(twin->parent == m->entry && !hlo_instr_attr(twin, HLO_ATTR_CONTROL_PREDECESSORS),
          "a twin without control");
    check(hlo_fresh_name(m, "t") != t->name, "a taken name is not fresh");
    hlo_module_free(m);
}

static void test_order(void) {
    hlo_module *m = read_text(sample);
    hlo_instr *order[8];
    check(hlo_post_order(m->entry, order) == 5 && order[4] == m->entry->root,
          "post-order ends with the root");
    hlo_instr *z = named(m, "z"), *x = named(m, "x");
    hlo_instr_move_before(z, x);
    check(m->entry->first == z && z->next == x && x->prev == z, "moved to the front");
    hlo_instr_set_attr(x, (hlo_attr){.id = HLO_ATTR_BACKEND_CONFIG, .u.string = &HLO_STR("c")});
    check(x->attrs[x->attr_count - 1].id == HLO_ATTR_BACKEND_CONFIG,
          "a new attribute takes its printed place");
    hlo_instr_remove_attr(x, HLO_ATTR_SHARDING);
    check(!hlo_instr_attr(x, HLO_ATTR_SHARDING), "a removed attribute is gone");
    hlo_module_free(m);
}

int main(void) {
    test_uses();
    test_replace_root_and_control();
    test_clone();
    test_clone_of_tiles();
    test_clone_within();
    test_order();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
