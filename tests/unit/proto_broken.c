/* Broken messages: a module in JSON, in binary form and as text protobuf, cut off at every byte,
 * and with every byte changed, dropped or doubled; and messages that nest without end. Whatever
 * becomes of it: a module that prints, or an error with the reason. */
#include <hlo.h>
#include <stdlib.h>
#include <string.h>

static const char base[] = "HloModule base, replica_count=2, is_scheduled=true\n"
                           "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                           "  ROOT s = f32[] add(a, b)\n}\n"
                           "ENTRY main {\n  x = f32[2,3]{0,1} parameter(0), sharding={replicated}\n"
                           "  c = f32[2,3] constant({{1,nan,3},{4,5,-inf}})\n"
                           "  y = f32[2,3] add(x, c), metadata={op_name=\"f/add\" source_line=7}\n"
                           "  z = f32[] constant(0)\n  k = s4[3] constant({1,-2,3})\n"
                           "  r = f32[2] reduce(y, z), dimensions={1}, to_apply=sum\n"
                           "  ROOT t = (f32[2], s4[3]) tuple(r, k)\n}\n";

static unsigned passed, failed;

static void check(bool good, const char *what, size_t at) {
    if (good) {
        passed++;
        return;
    }
    failed++;
    printf("%s at byte %zu\n", what, at);
}

/* True when the bytes were refused with a reason, or read to a module that prints. */
static bool is_handled(const char *bytes, size_t n, bool *accepted) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("broken", bytes, n);
    hlo_module *module = NULL;
    hlo_status status = hlo_read_module(source, diags, &module);
    hlo_source_free(source);
    bool good = status == HLO_OK ? module && hlo_diags_error_count(diags) == 0
                                 : !module && hlo_diags_error_count(diags) > 0;
    *accepted = module != NULL;
    if (module) {
        hlo_output *text = hlo_output_to_memory();
        size_t length;
        hlo_write_text(module, NULL, text, diags);
        hlo_output_bytes(text, &length);
        good = good && length > 0;
        hlo_output_free(text);
    }
    hlo_module_free(module);
    hlo_diags_free(diags);
    return good;
}

static void cut(const char *bytes, size_t n, bool is_json) {
    bool accepted;
    for (size_t at = 0; at < n; at++) {
        check(is_handled(bytes, at, &accepted), "cut off", at);
        /* The line break at the end of JSON may be missing, fields at the end of the other forms.
         */
        if (is_json && at + 1 < n) check(!accepted, "cut off and accepted", at);
    }
}

static void change(const char *bytes, size_t n) {
    static const unsigned char masks[] = {0x01, 0x20, 0x80, 0xff};
    char *copy = malloc(n + 1);
    bool accepted;
    for (size_t at = 0; copy && at < n; at++) {
        for (size_t k = 0; k < sizeof masks; k++) {
            memcpy(copy, bytes, n);
            copy[at] = (char)(copy[at] ^ masks[k]);
            check(is_handled(copy, n, &accepted), "changed", at);
        }
        memcpy(copy, bytes, at);
        memcpy(copy + at, bytes + at + 1, n - at - 1);
        check(is_handled(copy, n - 1, &accepted), "dropped", at);
        memcpy(copy, bytes, at + 1);
        memcpy(copy + at + 1, bytes + at, n - at);
        check(is_handled(copy, n + 1, &accepted), "doubled", at);
    }
    free(copy);
}

static size_t put_varint(unsigned char *to, size_t value) {
    size_t n = 0;
    for (; value >= 0x80; value >>= 7) to[n++] = (unsigned char)(value | 0x80);
    to[n++] = (unsigned char)value;
    return n;
}

/* A field around all bytes from `at` on; returns where it begins. */
static size_t wrap(unsigned char *bytes, size_t at, size_t end, unsigned field) {
    unsigned char length[10], tag[10];
    size_t n = put_varint(length, end - at), t = put_varint(tag, field << 3 | 2);
    memcpy(bytes + (at -= n), length, n);
    memcpy(bytes + (at -= t), tag, t);
    return at;
}

typedef enum { JSON, WIRE, PBTXT } form;

static void check_form(hlo_module *module, form as) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *to = hlo_output_to_memory();
    if (as == JSON) hlo_write_json(module, HLO_AS_MODULE_PROTO, false, to, diags);
    else if (as == PBTXT) hlo_write_pbtxt(module, HLO_AS_MODULE_PROTO, to, diags);
    else hlo_write_proto(module, HLO_AS_MODULE_PROTO, to, diags);
    size_t n;
    const char *bytes = hlo_output_bytes(to, &n);
    cut(bytes, n, as == JSON);
    change(bytes, n);
    hlo_output_free(to);
    hlo_diags_free(diags);
}

/* The snapshot of a run: its length, the module and the size of the argument, and that. */
static void check_snapshot(hlo_module *module) {
    enum { MODULE = 1, PARTITIONS = 2, DESCRIPTORS = 2, SPACE = 64, FLOATS = 24 };
    static const unsigned char shape[] = {8,    0, 0, 0, 0,    0, 0,    0, 0x10, 11,
                                          0x1a, 2, 2, 3, 0x2a, 4, 0x0a, 2, 0,    1};
    static const unsigned char size[] = {0x10, sizeof shape + FLOATS};
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *to = hlo_output_to_memory();
    size_t n;
    bool accepted;
    hlo_write_proto(module, HLO_AS_MODULE_PROTO, to, diags);
    const char *message = hlo_output_bytes(to, &n);
    size_t end = n + 2 * SPACE, at = end - sizeof size, whole = end + sizeof shape + FLOATS;
    unsigned char *bytes = calloc(whole, 1);
    if (!bytes) return;
    memcpy(bytes + at, size, sizeof size);
    at = wrap(bytes, wrap(bytes, at, end, DESCRIPTORS), end, PARTITIONS);
    size_t inputs = at;
    memcpy(bytes + (at -= n), message, n);
    at = wrap(bytes, at, inputs, MODULE);
    unsigned char length[10];
    size_t l = put_varint(length, end - at);
    memcpy(bytes + (at -= l), length, l);
    memcpy(bytes + end, shape, sizeof shape);
    bytes[end] = sizeof shape - 8;
    const char *snapshot = (char *)bytes + at;
    check(is_handled(snapshot, whole - at, &accepted) && accepted, "a snapshot", 0);
    cut(snapshot, whole - at, true);
    change(snapshot, whole - at);
    free(bytes);
    hlo_output_free(to);
    hlo_diags_free(diags);
}

/* ---- nesting ---- */

enum { DEEP = 1000000 };

static void check_refused(const char *what, const char *bytes, size_t n) {
    bool accepted;
    check(is_handled(bytes, n, &accepted) && !accepted, what, 0);
}

/* `part` again and again after `head`. */
static void nest_text(const char *what, const char *head, const char *part) {
    size_t h = strlen(head), p = strlen(part);
    char *text = malloc(h + DEEP * p);
    if (!text) return;
    memcpy(text, head, h);
    for (size_t i = 0; i < DEEP; i++) memcpy(text + h + i * p, part, p);
    check_refused(what, text, h + DEEP * p);
    free(text);
}

/* Tuples in tuples in the result of the module's shape, made from the inside. */
static void nest_shapes(void) {
    enum { RESULT = 2, TUPLE_SHAPES = 4, HOST_PROGRAM_SHAPE = 4, ROOM = DEEP * 8 };
    unsigned char *bytes = malloc(ROOM);
    size_t at = ROOM;
    if (!bytes) return;
    for (size_t i = 0; i < DEEP; i++) at = wrap(bytes, at, ROOM, TUPLE_SHAPES);
    at = wrap(bytes, wrap(bytes, at, ROOM, RESULT), ROOM, HOST_PROGRAM_SHAPE);
    check_refused("shapes on the wire", (char *)bytes + at, ROOM - at);
    free(bytes);
}

/* The module in a recovery table of itself, and that one in another. */
static void nest_modules(hlo_module *module, unsigned times, bool good) {
    enum { ENTRIES = 1, RECOVERY_MODULE = 3, RECOVERY_TABLE = 20, HEADS = 64 };
    hlo_diags *diags = hlo_diags_create(0);
    hlo_output *to = hlo_output_to_memory();
    size_t n;
    hlo_write_proto(module, HLO_AS_MODULE_PROTO, to, diags);
    const char *one = hlo_output_bytes(to, &n);
    size_t capacity = times * (n + HEADS), at = capacity;
    unsigned char *bytes = malloc(capacity);
    for (unsigned i = 0; bytes && i < times; i++) {
        if (i) {
            at = wrap(bytes, at, capacity, RECOVERY_MODULE);
            at = wrap(bytes, wrap(bytes, at, capacity, ENTRIES), capacity, RECOVERY_TABLE);
        }
        memcpy(bytes + (at -= n), one, n);
    }
    bool accepted;
    check(bytes && is_handled((char *)bytes + at, capacity - at, &accepted) && accepted == good,
          "modules in recovery tables", times);
    free(bytes);
    hlo_output_free(to);
    hlo_diags_free(diags);
}

int main(void) {
    hlo_diags *diags = hlo_diags_create(0);
    hlo_source *source = hlo_source_from_text("base", base, sizeof base - 1);
    hlo_module *module = NULL;
    if (hlo_read_module(source, diags, &module) != HLO_OK) hlo_diags_render(diags, stdout, false);
    hlo_source_free(source);
    hlo_diags_free(diags);
    if (!module) return 1;
    for (int as = JSON; as <= PBTXT; as++) check_form(module, (form)as);
    check_snapshot(module);
    nest_modules(module, 3, true);
    nest_modules(module, 40, false);
    hlo_module_free(module);

    nest_text("arrays", "{\"unknown\":", "[");
    nest_text("objects", "{\"unknown\":", "{\"a\":");
    nest_text("shapes",
              "{\"name\":\"m\",\"computations\":[{\"instructions\":[{\"shape\":{\"tupleShapes\":",
              "[{\"tupleShapes\":");
    nest_text("messages of text", "name: \"m\" unknown {", "a {");
    nest_text("brackets of text", "name: \"m\" unknown: [", "[");
    nest_text("shapes of text", "computations { instructions { shape {", "tuple_shapes {");
    nest_text("lists of shapes", "computations { instructions { shape {", "tuple_shapes: [<");
    nest_text("adjacent strings", "name: ", "'\\001' ");
    nest_text("comments", "name: \"m\"", "# \"{\n");
    nest_shapes();
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
