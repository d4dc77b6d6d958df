/* A file of MLIR's bytecode: its header, its sections, and the tables in them. */
#include "mlir/bytecode.h"

typedef enum {
    STRINGS,
    DIALECTS,
    ATTRS_AND_TYPES,
    OFFSETS,
    IR,
    RESOURCES,
    RESOURCE_OFFSETS,
    DIALECT_VERSIONS,
    PROPERTIES,
    SECTIONS
} section_id;

static const char *const section_names[SECTIONS] = {
    "strings",    "dialects",  "attributes and types", "offsets",
    "operations", "resources", "offsets of resources", "versions of dialects",
    "properties"};

/* Versions of the format that changed tables. */
enum {
    DIALECTS_HAVE_VERSIONS = 1,
    OPERATIONS_ARE_COUNTED = 4,
    HAS_PROPERTIES = 5,
    LAST_VERSION = 6
};

typedef struct {
    hlo_bc_in in[SECTIONS];
    bool has[SECTIONS];
} sections;

/* ---- strings ---- */

/* Sizes in reverse order, each with a zero byte, then the bytes. */
static bool read_strings(hlo_bc_in *in) {
    hlo_bc *r = in->r;
    uint32_t n;
    const char *end = in->end;
    if (!hlo_bc_count(in, &n)) return false;
    r->strings.v = HLO_NEW_ARRAY(r->arena, hlo_str, n);
    r->strings.n = n;
    for (uint32_t i = n; i-- > 0;) {
        uint64_t size;
        if (!hlo_bc_varint(in, &size)) return false;
        uint64_t left = end > in->at ? (uint64_t)(end - in->at) : 0;
        if (!size || size > left)
            return hlo_bc_bad(in, "string %u of %llu bytes, where %llu remain", i,
                              (unsigned long long)size, (unsigned long long)left);
        end -= size;
        r->strings.v[i] = (hlo_str){end, (uint32_t)size - 1, 0};
    }
    return in->at == end || hlo_bc_bad(in, "unexpected bytes between the sizes of strings and the "
                                           "strings");
}

/* ---- dialects, names of operations ---- */

static hlo_bc_dialect_id dialect_id(hlo_str name) {
    static const char *const names[] = {"builtin", "stablehlo", "chlo", "mhlo", "sdy", "vhlo"};
    for (int i = 0; i < HLO_BC_OTHER; i++)
        if (hlo_str_is(name, names[i])) return (hlo_bc_dialect_id)i;
    return HLO_BC_OTHER;
}

/* The version of a dialect has no meaning beside its codes: those that changed have new numbers.
 */
static bool read_dialect(hlo_bc_in *in) {
    hlo_bc_dialect dialect;
    hlo_bc_in version;
    uint64_t name;
    bool has_version = false;
    uint8_t id;
    bool is_old = in->r->version < DIALECTS_HAVE_VERSIONS;
    if (!(is_old ? hlo_bc_varint(in, &name) : hlo_bc_flagged(in, &name, &has_version)) ||
        !hlo_bc_string_at(in, name, &dialect.name))
        return false;
    if (has_version) {
        if (!hlo_bc_section(in, &id, &version)) return false;
        if (id != DIALECT_VERSIONS)
            return hlo_bc_bad(in, "section %u, where the version of a dialect is expected", id);
    }
    dialect.id = dialect_id(dialect.name);
    hlo_list_push(&in->r->dialects, dialect);
    return true;
}

static hlo_str join(hlo_bc *r, hlo_str dialect, hlo_str name) {
    if (!name.len) return dialect;
    char *text = hlo_arena_alloc(r->arena, (size_t)dialect.len + 1 + name.len);
    memcpy(text, dialect.ptr, dialect.len);
    text[dialect.len] = '.';
    memcpy(text + dialect.len + 1, name.ptr, name.len);
    return (hlo_str){text, dialect.len + 1 + name.len, 0};
}

static bool read_op_name(hlo_bc_in *in, uint32_t dialect) {
    hlo_bc *r = in->r;
    hlo_bc_dialect of = r->dialects.v[dialect];
    hlo_bc_op_name op = {.is_registered = true};
    uint64_t index;
    hlo_str name;
    bool is_old = r->version < HAS_PROPERTIES;
    if (!(is_old ? hlo_bc_varint(in, &index) : hlo_bc_flagged(in, &index, &op.is_registered)) ||
        !hlo_bc_string_at(in, index, &name) || !hlo_bc_charge(in, (of.name.len + name.len) / 16))
        return false;
    op.name = join(r, of.name, name);
    op.properties = hlo_bc_properties_of(r, op.name);
    if (of.id == HLO_BC_VHLO && !hlo_bc_old_op(r, name, &op))
        return hlo_bc_bad(in, "an unknown operation vhlo.%.*s", HLO_BC_SHOWN(name));
    hlo_list_push(&r->op_names, op);
    return true;
}

/* A dialect and how many of its things follow. */
static bool group(hlo_bc_in *in, uint32_t *dialect, uint32_t *n) {
    if (!hlo_bc_u32(in, dialect)) return false;
    if (*dialect >= in->r->dialects.n)
        return hlo_bc_bad(in, "dialect %u, where the file has %u", *dialect, in->r->dialects.n);
    return hlo_bc_count(in, n);
}

static bool read_dialects(hlo_bc_in *in) {
    uint32_t n, dialect, total;
    if (!hlo_bc_count(in, &n)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!read_dialect(in)) return false;
    if (in->r->version >= OPERATIONS_ARE_COUNTED && !hlo_bc_u32(in, &total)) return false;
    while (in->at < in->end) {
        if (!group(in, &dialect, &n)) return false;
        for (uint32_t i = 0; i < n; i++)
            if (!read_op_name(in, dialect)) return false;
    }
    return true;
}

/* ---- attributes and types: where each is ---- */

static bool entry(hlo_bc_in *in, hlo_bc_in *content, uint32_t dialect, hlo_bc_entry *e) {
    uint64_t size;
    hlo_str bytes;
    if (!hlo_bc_flagged(in, &size, &e->is_custom) || !hlo_bc_take(content, size, &bytes))
        return false;
    e->at = bytes.ptr;
    e->end = bytes.ptr + bytes.len;
    e->dialect = dialect;
    return true;
}

static bool entries(hlo_bc_in *in, hlo_bc_in *content, hlo_bc_entry *v, uint32_t count) {
    for (uint32_t done = 0, dialect, n; done < count;) {
        if (!group(in, &dialect, &n)) return false;
        if (n > count - done)
            return hlo_bc_bad(in, "a group of %u attributes or types, where %u remain", n,
                              count - done);
        for (uint32_t i = 0; i < n; i++)
            if (!entry(in, content, dialect, &v[done++])) return false;
    }
    return true;
}

static bool read_offsets(hlo_bc_in *in, hlo_bc_in *content) {
    hlo_bc *r = in->r;
    if (!hlo_bc_count(in, &r->attrs.n) || !hlo_bc_count(in, &r->types.n)) return false;
    r->attrs.v = HLO_NEW_ARRAY(r->arena, hlo_bc_entry, r->attrs.n);
    r->types.v = HLO_NEW_ARRAY(r->arena, hlo_bc_entry, r->types.n);
    return entries(in, content, r->attrs.v, r->attrs.n) &&
           entries(in, content, r->types.v, r->types.n) &&
           hlo_bc_at_end(in, "the offsets of attributes and types");
}

/* ---- resources ---- */

/* Only those of dialects have a meaning here; a size of 0 declares a name. */
static bool resource(hlo_bc_in *in, hlo_bc_in *content, bool is_kept) {
    enum { BLOB };
    hlo_bc_resource made = {0};
    uint64_t size, alignment;
    uint8_t kind;
    hlo_str bytes;
    if (!hlo_bc_string(in, &made.key) || !hlo_bc_varint(in, &size) || !hlo_bc_byte(in, &kind) ||
        !hlo_bc_take(content, size, &bytes))
        return false;
    hlo_bc_in inside = {.r = in->r, .at = bytes.ptr, .end = bytes.ptr + bytes.len};
    if (kind == BLOB && bytes.len && is_kept) {
        made.has_data = true;
        if (!hlo_bc_varint(&inside, &alignment) || !hlo_bc_varint(&inside, &size) ||
            !hlo_bc_align(&inside, alignment) || !hlo_bc_take(&inside, size, &made.data) ||
            !hlo_bc_at_end(&inside, "a resource"))
            return false;
    }
    if (is_kept) hlo_list_push(&in->r->resources, made);
    return true;
}

static bool read_resources(hlo_bc_in *in, hlo_bc_in *content) {
    uint32_t outer, n, dialect;
    hlo_str owner;
    if (!hlo_bc_count(in, &outer)) return false;
    for (uint32_t i = 0; i < outer; i++) {
        if (!hlo_bc_string(in, &owner) || !hlo_bc_count(in, &n)) return false;
        for (uint32_t k = 0; k < n; k++)
            if (!resource(in, content, false)) return false;
    }
    while (in->at < in->end) {
        if (!group(in, &dialect, &n)) return false;
        for (uint32_t k = 0; k < n; k++)
            if (!resource(in, content, true)) return false;
    }
    return true;
}

/* ---- properties: where each is ---- */

static bool read_properties(hlo_bc_in *in) {
    uint32_t n;
    hlo_str bytes;
    if (in->at == in->end) return true;
    if (!hlo_bc_count(in, &n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!hlo_bc_blob(in, &bytes)) return false;
        hlo_list_push(&in->r->properties, bytes);
    }
    return hlo_bc_at_end(in, "the properties");
}

/* ---- the file ---- */

static bool read_sections(hlo_bc_in *in, sections *s) {
    while (in->at < in->end) {
        uint8_t id;
        hlo_bc_in content;
        if (!hlo_bc_section(in, &id, &content)) return false;
        if (id >= SECTIONS) return hlo_bc_bad(in, "an unknown section, %u", id);
        if (s->has[id]) return hlo_bc_bad(in, "a second section of %s", section_names[id]);
        s->has[id] = true;
        s->in[id] = content;
    }
    for (int i = STRINGS; i <= IR; i++)
        if (!s->has[i]) return hlo_bc_bad(in, "the file has no section of %s", section_names[i]);
    if (!s->has[PROPERTIES] && in->r->version >= HAS_PROPERTIES)
        return hlo_bc_bad(in, "the file has no section of %s", section_names[PROPERTIES]);
    return s->has[RESOURCES] == s->has[RESOURCE_OFFSETS] ||
           hlo_bc_bad(in, "the file has one of the two sections of resources");
}

/* Then the name of the program that wrote the file, which ends with a zero byte. */
static bool read_header(hlo_bc_in *in) {
    hlo_str magic;
    if (!hlo_bc_take(in, 4, &magic)) return false;
    if (memcmp(magic.ptr, "ML\xefR", 4) != 0) return hlo_bc_bad(in, "the file is no MLIR bytecode");
    if (!hlo_bc_varint(in, &in->r->version)) return false;
    if (in->r->version > LAST_VERSION)
        return hlo_bc_bad(in, "version %llu of MLIR bytecode; at most %d is supported",
                          (unsigned long long)in->r->version, LAST_VERSION);
    const char *end = memchr(in->at, '\0', (size_t)(in->end - in->at));
    if (!end) return hlo_bc_bad(in, "the name of the producer does not end");
    in->at = end + 1;
    return true;
}

static bool read_file(hlo_bc_in *in) {
    sections s = {0};
    return read_header(in) && read_sections(in, &s) && read_strings(&s.in[STRINGS]) &&
           (!s.has[PROPERTIES] || read_properties(&s.in[PROPERTIES])) &&
           read_dialects(&s.in[DIALECTS]) &&
           (!s.has[RESOURCES] || read_resources(&s.in[RESOURCE_OFFSETS], &s.in[RESOURCES])) &&
           read_offsets(&s.in[OFFSETS], &s.in[ATTRS_AND_TYPES]) && hlo_bc_read_ir(&s.in[IR]);
}

static void free_lists(hlo_bc *r) {
    hlo_list_free(&r->dialects);
    hlo_list_free(&r->op_names);
    hlo_list_free(&r->resources);
    hlo_list_free(&r->properties);
    hlo_list_free(&r->named);
    hlo_list_free(&r->result_types);
    hlo_list_free(&r->operands);
    hlo_list_free(&r->values);
    hlo_hash_free(&r->rows);
}

/* Real files take less than one unit for each byte; small ones may be all references. */
static uint64_t budget_of(uint64_t size) {
    enum { AT_LEAST = 1 << 20, SMALL = 1 << 20, OF_SMALL = 16, OF_LARGE = 2 };
    uint64_t small = size < SMALL ? size : SMALL;
    return AT_LEAST + OF_SMALL * small + OF_LARGE * (size - small);
}

hlo_status hlo_mlir_parse_bytecode(hlo_source *source, hlo_diags *diags, hlo_mlir_module **out) {
    hlo_mlir_module *module = hlo_mlir_new(source);
    hlo_bc r = {.module = module,
                .arena = &module->arena,
                .source = source,
                .diags = diags,
                .budget = budget_of(source->len)};
    hlo_bc_in in = {.r = &r, .at = source->text, .end = source->text + source->len};
    bool good = read_file(&in);
    free_lists(&r);
    *out = NULL;
    if (good) *out = module;
    else hlo_mlir_free(module);
    return good ? HLO_OK : diags->status;
}
