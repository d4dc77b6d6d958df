/* Whole modules through their messages: text to JSON, protobuf or text protobuf and back, and
 * protobuf to JSON or text protobuf and back, change nothing.
 *
 *   proto_round_trips [FILE...]
 *
 * Without files: the texts of tests/parse/printing, tests/verify and tests/golden, its archives
 * included, the graphs of tests/flow/control_flow, and the dumps of HLO_CORPUS where it is set.
 * Texts that the parser refuses do not count, and what XLA's messages lose is not compared
 * (why_not). */
#include <hlo.h>
#include <stdlib.h>
#include <string.h>

#include "unit/every_module.h"

typedef enum { TEXT, JSON, WIRE, PBTXT, FORMS } form;

static const char *const form_names[] = {"text", "JSON", "protobuf", "text protobuf"};
static unsigned passed, failed, skipped, refused;

/* ---- one module in one form ---- */

typedef struct {
    hlo_output *output; /* NULL: the form cannot hold the module */
    const char *bytes;
    size_t n;
} written;

static written write_as(hlo_module *module, form as) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *to = hlo_output_to_memory();
    hlo_status status = HLO_OK;
    hlo_text_options text = HLO_TEXT_OPTIONS_INIT;
    text.large_constants = HLO_ON;
    if (as == TEXT) status = hlo_write_text(module, &text, to, diags);
    else if (as == JSON) status = hlo_write_json(module, HLO_AS_MODULE_PROTO, false, to, diags);
    else if (as == WIRE) status = hlo_write_proto(module, HLO_AS_MODULE_PROTO, to, diags);
    else status = hlo_write_pbtxt(module, HLO_AS_MODULE_PROTO, to, diags);
    hlo_diags_free(diags);
    if (status != HLO_OK) {
        hlo_output_free(to);
        return (written){0};
    }
    written w = {.output = to};
    w.bytes = hlo_output_bytes(to, &w.n);
    return w;
}

static void drop(written *w) {
    hlo_output_free(w->output);
    *w = (written){0};
}

/* ---- conversions there and back ---- */

static bool differ(const char *name, const written *a, const written *b, const char *trip) {
    if (a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0) return false;
    size_t at = 0;
    while (at < a->n && at < b->n && a->bytes[at] == b->bytes[at]) at++;
    size_t from = at < 60 ? 0 : at - 60;
    printf("%s: %s differs at byte %zu\n  %.*s\n  %.*s\n", name, trip, at,
           (int)(a->n - from < 120 ? a->n - from : 120), a->bytes + from,
           (int)(b->n - from < 120 ? b->n - from : 120), b->bytes + from);
    return true;
}

/* `from`, read and written as `back`, is `wanted`. */
static bool comes_back(const char *name, const written *from, form as, form back,
                       const written *wanted, const char *trip) {
    hlo_module *module = read_module(name, from->bytes, from->n, true);
    if (!module) {
        printf("%s: what was written as %s cannot be read\n", name, form_names[as]);
        return false;
    }
    written again = write_as(module, back);
    bool good = again.output && !differ(name, wanted, &again, trip);
    drop(&again);
    hlo_module_free(module);
    return good;
}

/* XLA's own message of these does not come back as their text either. */
static const char *why_not(const char *name) {
    static const struct {
        const char *part, *why;
    } lost[] = {
        {"comp_execution_thread_unescaped", "an empty execution thread is none in a message"},
        {"custom-call--Sharding-tiled", "a message of one tile is read as replicated"},
        {"coll_broadcast_dynamic_root", "a message does not distinguish a false flag from none"},
        {"op_topk_is_stable", "a message does not distinguish a false flag from none"},
    };
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        if (strstr(name, lost[i].part)) return lost[i].why;
    return NULL;
}

static bool round_trips(const char *name, const written forms[FORMS]) {
    bool good =
        comes_back(name, &forms[WIRE], WIRE, TEXT, &forms[TEXT], "text to protobuf to text");
    good &=
        comes_back(name, &forms[PBTXT], PBTXT, TEXT, &forms[TEXT], "text to text protobuf to text");
    good &= comes_back(name, &forms[PBTXT], PBTXT, WIRE, &forms[WIRE],
                       "protobuf to text protobuf to protobuf");
    good &= comes_back(name, &forms[PBTXT], PBTXT, PBTXT, &forms[PBTXT],
                       "text protobuf to text protobuf");
    if (!forms[JSON].output) return good;
    good &= comes_back(name, &forms[JSON], JSON, TEXT, &forms[TEXT], "text to JSON to text");
    good &=
        comes_back(name, &forms[JSON], JSON, WIRE, &forms[WIRE], "protobuf to JSON to protobuf");
    return good;
}

static void judge(const char *name, const char *text, size_t n) {
    if (why_not(name)) {
        printf("skipped: %s: %s\n", name, why_not(name));
        skipped++;
        return;
    }
    hlo_module *module = read_module(name, text, n, false);
    if (!module) {
        refused++;
        return;
    }
    written forms[FORMS];
    for (int as = TEXT; as < FORMS; as++) forms[as] = write_as(module, (form)as);
    hlo_module_free(module);
    if (!forms[WIRE].output || !forms[PBTXT].output) {
        printf("%s: cannot be written as protobuf\n", name);
        failed++;
    } else {
        if (!forms[JSON].output) {
            printf("skipped: %s: JSON cannot hold it: its strings are not UTF-8\n", name);
            skipped++;
        }
        if (round_trips(name, forms)) passed++;
        else failed++;
    }
    for (int as = TEXT; as < FORMS; as++) drop(&forms[as]);
}

/* ---- graphs ---- */

static void judge_text(const char *name, const written *text) {
    if (comes_back(name, text, TEXT, TEXT, text, "text to text")) passed++;
    else failed++;
}

/* Computations that do not call one another may change places once: what is printed is judged. A
 * graph in parts is text only. */
static void judge_graph_part(const char *name, hlo_source *part) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_module *module = NULL;
    if (hlo_read_module(part, diags, &module) != HLO_OK) {
        hlo_diags_render(diags, stdout, false);
        failed++;
    } else {
        written once = write_as(module, TEXT);
        hlo_module *again = read_module(name, once.bytes, once.n, true);
        written text = again ? write_as(again, TEXT) : (written){0};
        if (!text.output) failed++;
        else if (strstr(name, "/partitioned.hlo")) judge_text(name, &text);
        else judge(name, text.bytes, text.n);
        drop(&text);
        hlo_module_free(again);
        drop(&once);
    }
    hlo_module_free(module);
    hlo_diags_free(diags);
}

static void judge_graph(const char *name, const char *text, size_t n) {
    hlo_source *source = hlo_source_from_text(name, text, n), **parts;
    size_t count = source ? hlo_source_split(source, &parts) : 0;
    for (size_t i = 0; i < count; i++) judge_graph_part(name, parts[i]);
    if (count) hlo_source_parts_free(parts, count);
    hlo_source_free(source);
}

/* ---- where modules come from ---- */

static void judge_all(void) {
    const char *root = getenv("HLO_ROOT");
    static const char *const bundled[] = {
        "tests/parse/printing/*.hlo", "build/cases/verify/accept/*.hlo",
        "tests/golden/models/*/module.hlo", "docs/rules/*.hlo", "examples/*.hlo"};
    if (!root) root = ".";
    for (size_t i = 0; i < sizeof bundled / sizeof *bundled; i++)
        judge_matches(root, bundled[i], NULL, judge);
    judge_matches(root, "tests/golden/ops/*.tar.gz", "*/module.hlo", judge);
    judge_matches(root, "tests/flow/control_flow/cases.tar.gz", "*/[dpg]*.hlo", judge_graph);
    skipped += !judge_corpus(judge);
    failed += unreadable;
    printf("%u texts are no modules and do not count\n", refused);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) judge_file(argv[i], judge);
    if (argc == 1) judge_all();
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed != 0;
}
