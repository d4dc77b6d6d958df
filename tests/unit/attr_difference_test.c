/* Every attribute of attrs.def that is taken away from a module, or a number of it that is another
 * one, is a difference to hlo-diff and to hashes, but for those that both document as ignored. The
 * modules are those of tests/parse/printing. Prints "N passed, N failed"; built and run by `make
 * test`.
 */
#include <glob.h>

#include "analysis/module_hash.h"
#include "diff/diff.h"
#include "ir/print_attr.h"
#include "unit/read_text.h"

enum { ENOUGH = 3 };

static int passed, failed, seen[HLO_ATTR_COUNT];
static char *text; /* of the current module */

static void expect(bool holds, const hlo_attr *attr, const char *what) {
    passed += holds;
    failed += !holds;
    if (!holds) printf("FAILED: %s: %s\n", hlo_attr_table[attr->id].text, what);
}

static bool is_commentary(const hlo_attr *attr) {
    return attr->id == HLO_ATTR_METADATA || attr->id == HLO_ATTR_ORIGIN ||
           attr->id == HLO_ATTR_STATISTICS || attr->id == HLO_ATTR_ORIGIN_RECOVERY_TABLE ||
           attr->id == HLO_ATTR_DEBUG_ATTRIBUTES;
}

static bool differs(hlo_module *a, hlo_module *b, bool metadata) {
    hlo_diff diff;
    hlo_diff_init(&diff, a, b, (hlo_diff_settings){metadata, true, false});
    bool empty = hlo_diff_is_empty(&diff);
    hlo_diff_free(&diff);
    return !empty;
}

static bool same_hash(hlo_module *a, hlo_module *b) {
    hlo_hash128 x = hlo_module_hash_of(a), y = hlo_module_hash_of(b);
    return x.high == y.high && x.low == y.low;
}

/* `changed` has the attribute no more, or with another value. */
static void check(hlo_module *changed, const hlo_attr *attr) {
    hlo_module *whole = read_text(text);
    bool ignored = is_commentary(attr);
    expect(differs(whole, changed, true), attr, "hlo-diff --metadata says that it is the same");
    expect(differs(whole, changed, false) != ignored, attr, "hlo-diff");
    expect(same_hash(whole, changed) == ignored, attr, "hash");
    hlo_module_free(whole);
}

/* What is called is compared as code, and what stands in parentheses cannot be missing. */
static bool can_go(const hlo_attr *attr) {
    hlo_attr_kind kind = hlo_attr_table[attr->id].kind;
    return hlo_attr_table[attr->id].place != HLO_PLACE_PARENS && kind != HLO_KIND_COMPUTATION &&
           kind != HLO_KIND_COMPUTATIONS && seen[attr->id] < ENOUGH && !hlo_attr_is_default(attr);
}

static bool is_number(const hlo_attr *attr) {
    switch (hlo_attr_table[attr->id].kind) {
    case HLO_KIND_BOOL:
    case HLO_KIND_INT:
    case HLO_KIND_INT32:
    case HLO_KIND_WORD: return true;
    default: return false;
    }
}

static void take_away(hlo_module *module, hlo_instr *instr, uint32_t i) {
    hlo_attr *attrs = instr ? instr->attrs : module->attrs;
    uint32_t left = (instr ? instr->attr_count : module->attr_count) - 1;
    memmove(&attrs[i], &attrs[i + 1], (left - i) * sizeof *attrs);
    if (instr) instr->attr_count = (uint16_t)left;
    else module->attr_count = left;
}

/* Attribute i of the instruction, or of the header, in a module that is read for it: gone, and if
 * it is a number another. */
static void try_one(hlo_module *module, hlo_instr *instr, uint32_t i) {
    hlo_attr *attr = instr ? &instr->attrs[i] : &module->attrs[i], before = *attr;
    seen[attr->id]++;
    if (is_number(attr)) {
        bool is_flag = hlo_attr_table[attr->id].kind == HLO_KIND_BOOL;
        attr->u.i = is_flag ? !attr->u.i : attr->u.i + 1;
        check(module, &before);
        *attr = before;
    }
    if (attr->id == HLO_ATTR_ENTRY_COMPUTATION_LAYOUT)
        return; /* always there; the layouts in it are tested in diff.bats */
    take_away(module, instr, i);
    check(module, &before);
}

static hlo_instr *instruction(hlo_module *module, uint32_t wanted) {
    uint32_t number = 0;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next)
            if (number++ == wanted) return i;
    return NULL;
}

static void try_instruction(uint32_t number) {
    hlo_module *module = read_text(text);
    hlo_instr *instr = instruction(module, number);
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        if (!can_go(&instr->attrs[i])) continue;
        try_one(module, instr, i);
        hlo_module_free(module);
        module = read_text(text);
        instr = instruction(module, number);
    }
    hlo_module_free(module);
}

static void try_header(void) {
    hlo_module *module = read_text(text);
    for (uint32_t i = 0; i < module->attr_count; i++) {
        if (!can_go(&module->attrs[i])) continue;
        try_one(module, NULL, i);
        hlo_module_free(module);
        module = read_text(text);
    }
    hlo_module_free(module);
}

/* Some texts of that folder need other options. */
static bool is_readable(void) {
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_source *source = hlo_source_from_text("test", text, strlen(text));
    hlo_module *module = NULL;
    hlo_status status = hlo_parse(source, &diags, &module);
    if (status == HLO_OK) hlo_module_free(module);
    hlo_source_release(source);
    hlo_diags_drop(&diags);
    return status == HLO_OK;
}

static void try_text(void) {
    hlo_module *module = read_text(text);
    hlo_module *again = read_text(text);
    if (differs(module, again, true) || !same_hash(module, again)) {
        printf("FAILED: a module differs from itself:\n%s\n", text);
        failed++;
    }
    uint32_t n = 0;
    for (const hlo_computation *c = module->first; c; c = c->next) n += c->instr_count;
    hlo_module_free(again);
    hlo_module_free(module);
    try_header();
    for (uint32_t i = 0; i < n; i++) try_instruction(i);
}

static void read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    text = calloc(1, 1 << 20);
    if (!file || fread(text, 1, (1 << 20) - 1, file) == 0) {
        printf("FAILED: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    if (strlen(text) < 1 << 15 && is_readable()) try_text();
    free(text);
}

static void report_unseen(void) {
    for (int id = 0; id < HLO_ATTR_COUNT; id++) {
        const hlo_attr_info *info = &hlo_attr_table[id];
        hlo_attr attr = {.id = (uint16_t)id};
        if (info->place == HLO_PLACE_PARENS || info->kind == HLO_KIND_COMPUTATION ||
            info->kind == HLO_KIND_COMPUTATIONS || id == HLO_ATTR_MODE || id == HLO_ATTR_DEVICE)
            continue; /* no text has a mode; a device is read as a sharding */
        expect(seen[id] > 0, &attr, "no module of tests/parse/printing has it");
    }
}

int main(void) {
    glob_t files;
    char pattern[4096];
    const char *root = getenv("HLO_ROOT");
    snprintf(pattern, sizeof pattern, "%s/tests/parse/printing/*.out.hlo", root ? root : ".");
    if (glob(pattern, 0, NULL, &files) != 0) return 1;
    for (size_t i = 0; i < files.gl_pathc; i++) read_file(files.gl_pathv[i]);
    globfree(&files);
    report_unseen();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
