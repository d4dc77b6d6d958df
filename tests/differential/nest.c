/* The same program one level deeper: its entry becomes a computation that the new entry calls, in a
 * branch, a loop, a fusion or asynchronously. The results may not change by a bit. */
#include <stdio.h>
#include <string.h>

#include "differential/differential.h"
#include "ir/ir.h"

const char *const nesting_names[NESTINGS] = {"call",  "conditional", "branch index",
                                             "while", "fusion",      "async-start"};

/* ---- pieces of text ---- */

/* `T0 SEPARATOR T1 ...`: the shapes of the parameters. */
static void put_shapes(hlo_buf *to, const hlo_computation *entry) {
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        if (i) hlo_buf_lit(to, ", ");
        hlo_shape_print(to, entry->parameters[i]->shape, true);
    }
}

static void put_shape(hlo_buf *to, const hlo_shape *shape) {
    hlo_shape_print(to, shape, true);
}

/* Operands NAME.0, NAME.1, ... */
static void put_operands(hlo_buf *to, const hlo_computation *entry, const char *name) {
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        hlo_buf_printf(to, "%s%s.%u", i ? ", " : "", name, i);
}

/* `p.I = T FROM FIRST+I END`: what the parameters of the entry stand for. */
static void put_values(hlo_buf *to, const hlo_computation *entry, const char *from, uint32_t first,
                       const char *end) {
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        hlo_buf_printf(to, "  p.%u = ", i);
        put_shape(to, entry->parameters[i]->shape);
        hlo_buf_printf(to, " %s%u%s\n", from, first + i, end);
    }
}

/* The head of a computation of the same parameters. */
static void put_head(hlo_buf *to, const hlo_computation *entry, const char *name) {
    hlo_buf_printf(to, "\n%s {\n", name);
    put_values(to, entry, "parameter(", 0, ")");
}

/* Elements of the tuple t from `first` on. */
static void put_elements(hlo_buf *to, const hlo_computation *entry, uint32_t first) {
    put_values(to, entry, "get-tuple-element(t), index=", first, "");
}

/* `NAME = R call(p.0, ...), to_apply=ENTRY` */
static void put_call(hlo_buf *to, const hlo_computation *entry, const char *name) {
    hlo_buf_printf(to, "  %s = ", name);
    put_shape(to, entry->root->shape);
    hlo_buf_lit(to, " call(");
    put_operands(to, entry, "p");
    hlo_buf_printf(to, "), to_apply=%%%.*s\n", (int)entry->name->len, entry->name->ptr);
}

/* A computation of one tuple that calls the entry. */
static void put_branch(hlo_buf *to, const hlo_computation *entry, const char *name) {
    hlo_buf_printf(to, "\n%s {\n  t = (", name);
    put_shapes(to, entry);
    hlo_buf_lit(to, ") parameter(0)\n");
    put_elements(to, entry, 0);
    put_call(to, entry, "ROOT r");
    hlo_buf_lit(to, "}\n");
}

/* ---- each way ---- */

static void put_conditional(hlo_buf *to, const hlo_computation *entry, bool by_index) {
    put_branch(to, entry, "nested.first");
    put_branch(to, entry, "nested.second");
    put_head(to, entry, "ENTRY nested.entry");
    hlo_buf_lit(to, "  t = (");
    put_shapes(to, entry);
    hlo_buf_lit(to, ") tuple(");
    put_operands(to, entry, "p");
    hlo_buf_printf(to, ")\n  which = %s\n  ROOT r = ",
                   by_index ? "s32[] constant(1)" : "pred[] constant(true)");
    put_shape(to, entry->root->shape);
    hlo_buf_printf(to, " conditional(which, t, t), %s\n}\n",
                   by_index ? "branch_computations={nested.first, nested.second}"
                            : "true_computation=nested.first, false_computation=nested.second");
}

static void put_state(hlo_buf *to, const hlo_computation *entry) {
    hlo_buf_lit(to, "(s32[], ");
    put_shapes(to, entry);
    if (entry->parameter_count) hlo_buf_lit(to, ", ");
    put_shape(to, entry->root->shape);
    hlo_buf_lit(to, ")");
}

static void put_tuple(hlo_buf *to, const hlo_computation *entry, const char *counter) {
    hlo_buf_printf(to, " tuple(%s, ", counter);
    put_operands(to, entry, "p");
    hlo_buf_printf(to, "%sr)\n", entry->parameter_count ? ", " : "");
}

/* Two trips, each of which computes the same result again. */
static void put_while(hlo_buf *to, const hlo_computation *entry) {
    hlo_buf_lit(to, "\nnested.condition {\n  t = ");
    put_state(to, entry);
    hlo_buf_lit(to, " parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n"
                    "  n = s32[] constant(2)\n"
                    "  ROOT lt = pred[] compare(i, n), direction=LT\n}\n\nnested.body {\n  t = ");
    put_state(to, entry);
    hlo_buf_lit(to, " parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n"
                    "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n");
    put_elements(to, entry, 1);
    put_call(to, entry, "r");
    hlo_buf_lit(to, "  ROOT s = ");
    put_state(to, entry);
    put_tuple(to, entry, "next");
    hlo_buf_lit(to, "}\n");
    put_head(to, entry, "ENTRY nested.entry");
    put_call(to, entry, "r");
    hlo_buf_lit(to, "  zero = s32[] constant(0)\n  s = ");
    put_state(to, entry);
    put_tuple(to, entry, "zero");
    hlo_buf_lit(to, "  w = ");
    put_state(to, entry);
    hlo_buf_lit(to, " while(s), condition=nested.condition, body=nested.body\n  ROOT q = ");
    put_shape(to, entry->root->shape);
    hlo_buf_printf(to, " get-tuple-element(w), index=%u\n}\n", entry->parameter_count + 1);
}

static void put_fusion(hlo_buf *to, const hlo_computation *entry) {
    put_head(to, entry, "ENTRY nested.entry");
    hlo_buf_lit(to, "  ROOT r = ");
    put_shape(to, entry->root->shape);
    hlo_buf_lit(to, " fusion(");
    put_operands(to, entry, "p");
    hlo_buf_printf(to, "), kind=kLoop, calls=%%%.*s\n}\n", (int)entry->name->len, entry->name->ptr);
}

static void put_async(hlo_buf *to, const hlo_computation *entry) {
    put_head(to, entry, "nested.body");
    put_call(to, entry, "ROOT r");
    hlo_buf_lit(to, "}\n");
    put_head(to, entry, "ENTRY nested.entry");
    hlo_buf_lit(to, "  s = ((");
    put_shapes(to, entry);
    hlo_buf_lit(to, "), ");
    put_shape(to, entry->root->shape);
    hlo_buf_lit(to, ", u32[]) async-start(");
    put_operands(to, entry, "p");
    hlo_buf_lit(to, "), calls=nested.body\n  ROOT d = ");
    put_shape(to, entry->root->shape);
    hlo_buf_lit(to, " async-done(s)\n}\n");
}

static void put_entry(hlo_buf *to, const hlo_computation *entry, unsigned nesting) {
    switch (nesting) {
    case 0:
        put_head(to, entry, "ENTRY nested.entry");
        put_call(to, entry, "ROOT r");
        hlo_buf_lit(to, "}\n");
        break;
    case 1: put_conditional(to, entry, false); break;
    case 2: put_conditional(to, entry, true); break;
    case 3: put_while(to, entry); break;
    case 4: put_fusion(to, entry); break;
    default: put_async(to, entry); break;
    }
}

/* The text of the module without the word ENTRY. */
static bool put_module(hlo_buf *to, hlo_module *module) {
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    style.exact_literals = true;
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &style, &text);
    char *entry = memmem(text.data, text.len, "\nENTRY ", 7);
    if (entry) {
        size_t before = (size_t)(entry - text.data) + 1;
        hlo_buf_bytes(to, text.data, before);
        hlo_buf_bytes(to, text.data + before + 6, text.len - before - 6);
    }
    hlo_buf_free(&text);
    return entry != NULL;
}

bool nest(hlo_module *module, unsigned nesting, mutant_text *to) {
    hlo_buf text = HLO_BUF_INIT;
    bool fits = put_module(&text, module);
    if (fits) put_entry(&text, module->entry, nesting);
    fits = fits && text.len < sizeof to->bytes;
    if (fits) memcpy(to->bytes, text.data, to->len = text.len);
    hlo_buf_free(&text);
    return fits;
}
