/* MLIR's bytecode: samples of every version become the same tree (tests/mlir/bytecode); files that
 * are cut off, changed or made to be hard are refused with one reason, or read.
 *
 *   build/tests/mlir_bytecode_test [FILE...]   prints the tree of the files instead */
#include "check.h"
#include "mlir_print.h"

/* ---- reading ---- */

typedef struct {
    char *text; /* what the tree prints, or NULL */
    size_t length;
    char message[1024];
    uint32_t errors;
} outcome;

static outcome read_bytes(const char *bytes, size_t n) {
    outcome out = {0};
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("bytes", bytes, n);
    hlo_mlir_module *module = NULL;
    hlo_status status = hlo_mlir_parse_bytecode(source, diags, &module);
    out.errors = diags->errors;
    if (diags->first) snprintf(out.message, sizeof out.message, "%s", diags->first->message);
    if ((status == HLO_OK) != (module != NULL)) out.errors = UINT32_MAX;
    if (module) {
        FILE *to = open_memstream(&out.text, &out.length);
        mlir_values = 0;
        mlir_print_op(to, module->root);
        fclose(to);
    }
    hlo_mlir_free(module);
    hlo_source_release(source);
    hlo_diags_free(diags);
    return out;
}

static char *read_file(const char *name, size_t *n) {
    static char bytes[1 << 20];
    char path[4096];
    const char *root = getenv("HLO_ROOT");
    snprintf(path, sizeof path, "%s/tests/mlir/bytecode/%s", root ? root : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("no file %s\n", path);
        exit(1);
    }
    *n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return memcpy(malloc(*n + 2), bytes, *n);
}

/* ---- samples ---- */

static const struct {
    const char *name, *text;
} samples[] = {{"all-0", "all"},
               {"all-1", "all"},
               {"all-3", "all"},
               {"all-4", "all"},
               {"all-6", "all"},
               {"dialects-1", "dialects"},
               {"dialects-6", "dialects"},
               {"artifact-0.9.0", "artifact"},
               {"artifact-0.14.0", "artifact"},
               {"artifact-1.0.0", "artifact"},
               {"artifact-1.8.0", "artifact"},
               {"artifact-1.17.0", "artifact"}};

static void check_samples(void) {
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char name[64];
        size_t n, wanted;
        snprintf(name, sizeof name, "%s.bc", samples[i].name);
        char *bytes = read_file(name, &n);
        outcome out = read_bytes(bytes, n);
        snprintf(name, sizeof name, "%s.txt", samples[i].text);
        char *text = read_file(name, &wanted);
        bool same = out.text && out.length == wanted && memcmp(out.text, text, wanted) == 0;
        check(same, samples[i].name);
        if (out.errors) printf("%s: %s\n", samples[i].name, out.message);
        free(out.text);
        free(bytes);
        free(text);
    }
}

/* ---- broken samples ---- */

static unsigned long broken, unhandled;

static void expect_handled(const char *bytes, size_t n, const char *what, size_t at) {
    outcome out = read_bytes(bytes, n);
    bool good = out.text ? !out.errors : out.errors == 1 && out.message[0];
    broken++;
    unhandled += !good;
    if (!good) printf("%s at byte %zu: %u errors\n", what, at, out.errors);
    free(out.text);
}

static void check_broken(const char *name) {
    static const unsigned char masks[] = {0x01, 0x02, 0x10, 0x80, 0xff};
    size_t n;
    char *bytes = read_file(name, &n), *copy = malloc(n + 2);
    for (size_t at = 0; at < n; at++) {
        char *cut = memcpy(malloc(at + 1), bytes, at);
        expect_handled(cut, at, "cut off", at);
        free(cut);
        for (size_t k = 0; k < sizeof masks; k++) {
            memcpy(copy, bytes, n);
            copy[at] = (char)(copy[at] ^ masks[k]);
            expect_handled(copy, n, "changed", at);
        }
        memcpy(copy, bytes, at);
        memcpy(copy + at, bytes + at + 1, n - at - 1);
        expect_handled(copy, n - 1, "dropped", at);
        memcpy(copy, bytes, at + 1);
        memcpy(copy + at + 1, bytes + at, n - at);
        expect_handled(copy, n + 1, "doubled", at);
    }
    free(bytes);
    free(copy);
}

/* ---- files that are made to be hard ---- */

typedef struct {
    unsigned char *v;
    size_t n;
} bytes;

static void put(bytes *b, unsigned char c) {
    if (!(b->n & (b->n - 1))) b->v = realloc(b->v, b->n ? 2 * b->n : 1);
    b->v[b->n++] = c;
}

static void put_number(bytes *b, uint64_t number) {
    if (number < 128) {
        put(b, (unsigned char)(number << 1 | 1));
        return;
    }
    put(b, 0);
    for (int i = 0; i < 8; i++) put(b, (unsigned char)(number >> 8 * i));
}

static void put_all(bytes *b, const void *more, size_t n) {
    for (size_t i = 0; i < n; i++) put(b, ((const unsigned char *)more)[i]);
}

static void put_section(bytes *b, unsigned char id, bytes *content) {
    put(b, id);
    put_number(b, content->n);
    put_all(b, content->v, content->n);
    free(content->v);
    *content = (bytes){0};
}

/* Of MLIR's own dialect: attribute 0 is an unknown place; the others are what a test adds. */
typedef struct {
    bytes attrs, types, attr_sizes, type_sizes, ir;
    uint64_t attr_count, type_count;
} hard;

static void add_attr(hard *h, const bytes *attr) {
    put_number(&h->attr_sizes, attr->n << 1 | 1);
    put_all(&h->attrs, attr->v, attr->n);
    h->attr_count++;
}

static void add_type(hard *h, const bytes *type) {
    put_number(&h->type_sizes, type->n << 1 | 1);
    put_all(&h->types, type->v, type->n);
    h->type_count++;
}

static void begin(hard *h) {
    bytes unknown = {0};
    *h = (hard){0};
    put_number(&unknown, 15);
    add_attr(h, &unknown);
    free(unknown.v);
}

static outcome read_hard(hard *h) {
    static const char strings[] = "builtin\0module";
    bytes file = {0}, part = {0};
    put_all(&file, "ML\xefR", 4);
    put_number(&file, 6);
    put_all(&file, "test", 5);
    put_number(&part, 2);
    put_number(&part, strlen("module") + 1);
    put_number(&part, strlen("builtin") + 1);
    put_all(&part, strings, sizeof strings);
    put_section(&file, 0, &part);
    put_number(&part, 1); /* one dialect, with one name of an operation */
    put_number(&part, 0);
    put_number(&part, 1);
    put_number(&part, 0);
    put_number(&part, 1);
    put_number(&part, 1 << 1 | 1);
    put_section(&file, 1, &part);
    put_all(&part, h->attrs.v, h->attrs.n);
    put_all(&part, h->types.v, h->types.n);
    put_section(&file, 2, &part);
    put_number(&part, h->attr_count);
    put_number(&part, h->type_count);
    put_number(&part, 0);
    put_number(&part, h->attr_count);
    put_all(&part, h->attr_sizes.v, h->attr_sizes.n);
    if (h->type_count) put_number(&part, 0);
    if (h->type_count) put_number(&part, h->type_count);
    put_all(&part, h->type_sizes.v, h->type_sizes.n);
    put_section(&file, 3, &part);
    put_section(&file, 4, &h->ir);
    put_section(&file, 8, &part);
    outcome out = read_bytes((const char *)file.v, file.n);
    free(file.v);
    free(h->attrs.v);
    free(h->types.v);
    free(h->attr_sizes.v);
    free(h->type_sizes.v);
    return out;
}

enum { HAS_ATTRS = 1, HAS_RESULTS = 2, HAS_REGIONS = 16 };

/* One operation with one result of the type, or with the attributes. */
static void use(hard *h, unsigned char mask, uint64_t index) {
    put_number(&h->ir, 1 << 1);
    put_number(&h->ir, 0);
    put(&h->ir, mask);
    put_number(&h->ir, 0);
    if (mask == HAS_RESULTS) put_number(&h->ir, 1);
    put_number(&h->ir, index);
}

static void expect_refused(hard *h, const char *reason) {
    outcome out = read_hard(h);
    check(!out.text && out.errors == 1 && strstr(out.message, reason), reason);
    if (!strstr(out.message, reason)) printf("  instead: %s\n", out.message);
    free(out.text);
}

/* Type i is a tuple of so many of type i + step, and the last one is i32. */
static void add_tuples(hard *h, int count, int each, int step) {
    bytes type = {0};
    put_number(&type, 0);
    put_number(&type, 32 << 2);
    if (step < 0) add_type(h, &type);
    for (int i = 1; i <= count; i++) {
        bytes tuple = {0};
        put_number(&tuple, 15);
        put_number(&tuple, (uint64_t)each);
        for (int k = 0; k < each; k++) put_number(&tuple, (uint64_t)(step < 0 ? i - 1 : i));
        add_type(h, &tuple);
        free(tuple.v);
    }
    if (step > 0) add_type(h, &type);
    free(type.v);
}

static void check_types(void) {
    enum { MANY = 3000 };
    hard h;
    begin(&h);
    add_tuples(&h, 60, 2, -1);
    use(&h, HAS_RESULTS, 60);
    expect_refused(&h, "a type whose text has more than");
    begin(&h);
    add_tuples(&h, MANY, 1, 1); /* the outermost one first */
    use(&h, HAS_RESULTS, 0);
    expect_refused(&h, "nest more than 1000 deep");
    begin(&h);
    add_tuples(&h, MANY, 1, -1);
    put_number(&h.ir, MANY << 1); /* the innermost one first */
    for (uint64_t i = 0; i < MANY; i++) {
        put_number(&h.ir, 0);
        put(&h.ir, HAS_RESULTS);
        put_number(&h.ir, 0);
        put_number(&h.ir, 1);
        put_number(&h.ir, i);
    }
    expect_refused(&h, "nest more than 1000 deep");
    begin(&h);
    bytes circle = {0};
    put_number(&circle, 15);
    put_number(&circle, 1);
    put_number(&circle, 0);
    add_type(&h, &circle);
    free(circle.v);
    use(&h, HAS_RESULTS, 0);
    expect_refused(&h, "part of itself");
    begin(&h);
    use(&h, HAS_RESULTS, 7);
    expect_refused(&h, "type 7, where the file has 0");
}

static void check_attributes(void) {
    hard h;
    begin(&h);
    for (uint64_t i = 1; i <= 60; i++) {
        bytes list = {0};
        put_number(&list, 0);
        put_number(&list, 2);
        put_number(&list, i - 1);
        put_number(&list, i - 1);
        add_attr(&h, &list);
        free(list.v);
    }
    use(&h, HAS_ATTRS, 60);
    expect_refused(&h, "parts");
    begin(&h);
    bytes list = {0};
    put_number(&list, 0);
    put_number(&list, UINT64_C(1) << 60);
    add_attr(&h, &list);
    free(list.v);
    use(&h, HAS_ATTRS, 1);
    expect_refused(&h, "a count of 1152921504606846976");
}

/* A region in a region, and so on. */
static void add_nested(hard *h, int depth) {
    put_number(&h->ir, 1 << 1);
    for (int i = 0; i < depth; i++) {
        put_number(&h->ir, 0);
        put(&h->ir, HAS_REGIONS);
        put_number(&h->ir, 0);
        put_number(&h->ir, 1 << 1); /* one region, which sees the values outside */
        put_number(&h->ir, 1);      /* block */
        put_number(&h->ir, 0);      /* values */
        put_number(&h->ir, i + 1 < depth ? 1 << 1 : 0);
    }
}

static void check_regions(void) {
    hard h;
    begin(&h);
    add_nested(&h, 900);
    outcome out = read_hard(&h);
    check(out.text && !out.errors, "900 nested regions");
    free(out.text);
    begin(&h);
    add_nested(&h, 2000);
    expect_refused(&h, "regions nest more than 1000 deep");
    begin(&h);
    use(&h, HAS_REGIONS, (uint64_t)1 << 40);
    expect_refused(&h, "regions, where the file can have");
}

/* ---- */

static int print_files(int count, char **paths) {
    int status = 0;
    for (int i = 0; i < count; i++) {
        hlo_diags *diags = hlo_diags_create(0);
        hlo_source *source = hlo_source_open(paths[i]);
        hlo_mlir_module *module = NULL;
        if (source && hlo_mlir_parse_bytecode(source, diags, &module) == HLO_OK)
            mlir_print_op(stdout, module->root);
        else status = 1;
        hlo_diags_render(diags, stderr, false);
        hlo_mlir_free(module);
        hlo_source_release(source);
        hlo_diags_free(diags);
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc > 1) return print_files(argc - 1, argv + 1);
    check_samples();
    check_types();
    check_attributes();
    check_regions();
    check_broken("dialects-6.bc");
    check_broken("artifact-0.9.0.bc");
    check_broken("all-1.bc");
    check(!unhandled, "broken samples are refused with one reason, or read");
    printf("%lu broken samples\n%d passed, %d failed, 0 skipped\n", broken, passed, failed);
    return failed > 0;
}
