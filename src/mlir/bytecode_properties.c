/* Properties of operations in bytecode: references to attributes whose names the file does not have
 * (properties.def). */
#include "base/text.h"
#include "mlir/bytecode.h"

typedef struct {
    hlo_str name;
    const char *attributes;
} row;

static const row rows[] = {
#define HLO_MLIR_PROPERTIES(name, attributes) {HLO_STR(name), attributes},
#include "mlir/properties.def"
#undef HLO_MLIR_PROPERTIES
};

enum { ROWS = sizeof rows / sizeof *rows };

static uint64_t hash_of(hlo_str name) {
    return hlo_hash_bytes(name.ptr, name.len);
}

const char *hlo_bc_properties_of(hlo_bc *r, hlo_str name) {
    if (!r->rows.count) {
        hlo_hash_reserve(&r->rows, ROWS);
        for (uint32_t i = 0; i < ROWS; i++) hlo_hash_add(&r->rows, hash_of(rows[i].name), i + 1);
    }
    hlo_hash_each (number, &r->rows, hash_of(name))
        if (hlo_str_equal(rows[number - 1].name, name)) return rows[number - 1].attributes;
    return NULL;
}

/* ---- how many operands and results belong together ---- */

/* Numbers of which most may be 0: all in order, or those that are not, with their places. */
static bool sparse_numbers(hlo_bc_in *in, uint32_t n, int64_t *v) {
    enum { MOST_PLACE_BITS = 8 };
    uint64_t count, place_bits, both;
    bool is_sparse;
    if (!hlo_bc_flagged(in, &count, &is_sparse)) return false;
    if (!count) return true;
    if (count > n)
        return hlo_bc_bad(in, "%llu sizes of segments, where the operation has %u",
                          (unsigned long long)count, n);
    if (is_sparse && !hlo_bc_varint(in, &place_bits)) return false;
    if (is_sparse && place_bits > MOST_PLACE_BITS)
        return hlo_bc_bad(in, "places of %llu bits", (unsigned long long)place_bits);
    for (uint32_t i = 0; i < count; i++) {
        if (!hlo_bc_varint(in, &both)) return false;
        uint64_t place = is_sparse ? both & ((UINT64_C(1) << place_bits) - 1) : i;
        uint64_t size = is_sparse ? both >> place_bits : both;
        if (place >= n || size > INT32_MAX)
            return hlo_bc_bad(in, "segment %llu of size %llu", (unsigned long long)place,
                              (unsigned long long)size);
        v[place] = (int64_t)size;
    }
    return true;
}

static void add(hlo_bc *r, hlo_str key, const hlo_mlir_attr *value) {
    hlo_list_push(&r->named, (hlo_mlir_named){.key = key, .value = value});
}

/* <2 or >2 */
static bool segments(hlo_bc_in *in, const char *column) {
    uint32_t n = (uint32_t)(column[1] - '0');
    int64_t *v = HLO_NEW_ARRAY(in->r->arena, int64_t, n);
    const hlo_mlir_attr *sizes;
    hlo_str key = *column == '<' ? HLO_STR("operandSegmentSizes") : HLO_STR("resultSegmentSizes");
    if (!sparse_numbers(in, n, v) || !hlo_bc_ints_attr(in, HLO_S32, n, v, &sizes)) return false;
    add(in->r, key, sizes);
    return true;
}

/* Before version 6 they were attributes, which came first. */
static bool old_segments(hlo_bc_in *in, const char *columns) {
    for (const char *c = columns; *c; c++) {
        const hlo_mlir_attr *sizes;
        if (*c != '<' && *c != '>') continue;
        if (!hlo_bc_attr_of(in, HLO_MLIR_INTS, &sizes)) return false;
        add(in->r, *c == '<' ? HLO_STR("operandSegmentSizes") : HLO_STR("resultSegmentSizes"),
            sizes);
    }
    return true;
}

/* ---- columns of a row ---- */

typedef struct {
    hlo_str name;
    bool is_optional, is_segments;
    int edition;
} column;

/* The column at *at, which moves to the next one; false: there is none. */
static bool next_column(const char **at, column *out) {
    const char *c = *at;
    if (!*c) return false;
    out->is_segments = *c == '<' || *c == '>';
    size_t n = out->is_segments ? 2 : strcspn(c, " ?");
    out->name = (hlo_str){c, (uint32_t)n, 1};
    c += n;
    out->is_optional = *c == '?';
    c += out->is_optional;
    out->edition = hlo_is_digit(*c) ? *c++ - '0' : 0;
    c += *c == ' ';
    *at = c;
    return true;
}

static uint32_t columns_of(const char *columns, int edition) {
    uint32_t n = 0;
    for (column c; next_column(&columns, &c);) n += !c.is_segments && c.edition <= edition;
    return n;
}

/* The newest edition that has as many attributes as the file; the last one when none has. */
static bool edition_of(hlo_bc_in in, const char *columns, int *out) {
    enum { LAST = 9 };
    uint32_t n = 0;
    uint64_t reference;
    for (; in.at < in.end; n++)
        if (!hlo_bc_varint(&in, &reference)) return false;
    *out = LAST;
    while (*out >= 0 && columns_of(columns, *out) != n) --*out;
    if (*out < 0) *out = LAST;
    return true;
}

/* ---- properties ---- */

static bool read_columns(hlo_bc_in *in, const char *columns) {
    enum { NATIVE_SEGMENTS = 6 };
    bool is_old = in->r->version < NATIVE_SEGMENTS;
    bool has_segments = strpbrk(columns, "<>");
    int edition = 0;
    if (!has_segments && !edition_of(*in, columns, &edition)) return false;
    if (is_old && !old_segments(in, columns)) return false;
    for (column c; next_column(&columns, &c);) {
        const hlo_mlir_attr *attr = NULL;
        if (c.is_segments) {
            if (!is_old && !segments(in, c.name.ptr)) return false;
        } else if (c.edition <= edition) {
            if (!(c.is_optional ? hlo_bc_optional_attr(in, &attr) : hlo_bc_attr(in, &attr)))
                return false;
        }
        if (attr) add(in->r, c.name, attr);
    }
    return true;
}

bool hlo_bc_add_attrs(const hlo_bc_in *in, const hlo_mlir_attr *dict) {
    if (!hlo_bc_charge(in, dict->list.n)) return false;
    for (uint32_t i = 0; i < dict->list.n; i++) hlo_list_push(&in->r->named, dict->list.v[i]);
    return true;
}

bool hlo_bc_read_properties(hlo_bc_in *in, const hlo_bc_op_name *name) {
    hlo_bc *r = in->r;
    uint64_t index;
    const hlo_mlir_attr *dict;
    if (!hlo_bc_varint(in, &index)) return false;
    if (index >= r->properties.n)
        return hlo_bc_bad(in, "properties %llu, where the file has %u", (unsigned long long)index,
                          r->properties.n);
    hlo_str bytes = r->properties.v[index];
    hlo_bc_in inside = {.r = r, .at = bytes.ptr, .end = bytes.ptr + bytes.len};
    if (!name->is_registered) {
        /* The program that wrote the file did not know the operation either. */
        return hlo_bc_attr_of(&inside, HLO_MLIR_DICT, &dict) && hlo_bc_add_attrs(in, dict) &&
               hlo_bc_at_end(&inside, "properties");
    }
    if (!name->properties)
        return bytes.len == 0 ||
               hlo_bc_bad(in, "unknown properties of %.*s", HLO_BC_SHOWN(name->name));
    uint32_t before = r->named.n;
    bool good = read_columns(&inside, name->properties) && hlo_bc_at_end(&inside, "properties");
    return good && hlo_bc_charge(in, r->named.n - before);
}
