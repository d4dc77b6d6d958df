/* References to the tables of a bytecode file. An attribute or a type is read when the first
 * reference to it is met, and those that it refers to before it ends. */
#include "mlir/bytecode.h"

enum {
    MOST_NODES = 1 << 20 /* an attribute or a type whose parts, counted each time, are more */
};

static bool bad_index(const hlo_bc_in *in, const char *what, uint64_t index, uint32_t n) {
    return hlo_bc_bad(in, "%s %llu, where the file has %u", what, (unsigned long long)index, n);
}

/* ---- strings ---- */

bool hlo_bc_string_at(hlo_bc_in *in, uint64_t index, hlo_str *out) {
    if (index >= in->r->strings.n) return bad_index(in, "string", index, in->r->strings.n);
    *out = in->r->strings.v[index];
    return true;
}

bool hlo_bc_string(hlo_bc_in *in, hlo_str *out) {
    uint64_t index;
    return hlo_bc_varint(in, &index) && hlo_bc_string_at(in, index, out);
}

/* ---- entries ---- */

/* The text of an entry that its dialect has no encoding for ends with a zero byte. */
static bool as_text(hlo_bc_in *in, hlo_bc_entry *e, bool is_type) {
    const char *end = memchr(in->at, '\0', (size_t)(in->end - in->at));
    if (!end) return hlo_bc_bad(in, "a text without the zero byte that ends it");
    hlo_str text = {in->at, (uint32_t)(end - in->at), 0};
    if (!(is_type ? hlo_bc_type_text(in, text, &e->type) : hlo_bc_attr_text(in, text, &e->attr)))
        return false;
    in->at = end + 1;
    return true;
}

static bool unknown_dialect(hlo_bc_in *in, hlo_str dialect, const char *what) {
    return hlo_bc_bad(in, "%s of the dialect %.*s, whose encoding is not supported", what,
                      HLO_BC_SHOWN(dialect));
}

static bool custom_attr(hlo_bc_in *in, hlo_bc_entry *e) {
    hlo_bc_dialect dialect = in->r->dialects.v[e->dialect];
    switch (dialect.id) {
    case HLO_BC_BUILTIN: return hlo_bc_builtin_attr(in, &e->attr);
    case HLO_BC_STABLEHLO: return hlo_bc_stablehlo_attr(in, &e->attr);
    case HLO_BC_CHLO: return hlo_bc_chlo_attr(in, &e->attr);
    case HLO_BC_MHLO: return hlo_bc_mhlo_attr(in, &e->attr);
    case HLO_BC_SDY: return hlo_bc_sdy_attr(in, &e->attr);
    case HLO_BC_VHLO: return hlo_bc_vhlo_attr(in, &e->attr);
    case HLO_BC_OTHER: break;
    }
    return unknown_dialect(in, dialect.name, "an attribute");
}

static bool custom_type(hlo_bc_in *in, hlo_bc_entry *e) {
    hlo_bc_dialect dialect = in->r->dialects.v[e->dialect];
    switch (dialect.id) {
    case HLO_BC_BUILTIN: return hlo_bc_builtin_type(in, &e->type);
    case HLO_BC_STABLEHLO: return hlo_bc_stablehlo_type(in, &e->type);
    case HLO_BC_MHLO: return hlo_bc_mhlo_type(in, &e->type);
    case HLO_BC_VHLO: return hlo_bc_vhlo_type(in, &e->type);
    case HLO_BC_CHLO:
    case HLO_BC_SDY:
    case HLO_BC_OTHER: break;
    }
    return unknown_dialect(in, dialect.name, "a type");
}

/* Entries refer to each other in any order, which may be a circle. */
static bool read_entry(hlo_bc *r, hlo_bc_entry *e, bool is_type) {
    const char *what = is_type ? "a type" : "an attribute";
    hlo_bc_in in = {.r = r, .at = e->at, .end = e->end};
    if (e->state == HLO_BC_OPEN) return hlo_bc_bad(&in, "%s that is part of itself", what);
    if (r->open >= HLO_BC_MOST_NESTED)
        return hlo_bc_bad_at(r, e->at, HLO_RULE_NESTING, "%ss nest more than %d deep", what,
                             HLO_BC_MOST_NESTED);
    e->state = HLO_BC_OPEN;
    r->open++;
    bool good = e->is_custom ? is_type ? custom_type(&in, e) : custom_attr(&in, e)
                             : as_text(&in, e, is_type);
    r->open--;
    if (!good || !hlo_bc_at_end(&in, what)) return false;
    /* What is nested in entries that have been read already counts too. */
    if (in.depth >= HLO_BC_MOST_NESTED)
        return hlo_bc_bad_at(r, e->at, HLO_RULE_NESTING, "%ss nest more than %d deep", what,
                             HLO_BC_MOST_NESTED);
    if (in.nodes >= MOST_NODES)
        return hlo_bc_bad_at(r, e->at, HLO_RULE_LIMIT, "%s has more than %d parts", what,
                             MOST_NODES);
    e->state = HLO_BC_DONE;
    e->depth = (uint16_t)(in.depth + 1);
    e->nodes = in.nodes + 1;
    return true;
}

static void count_in(hlo_bc_in *in, const hlo_bc_entry *e) {
    if (in->depth < e->depth) in->depth = e->depth;
    in->nodes = in->nodes + e->nodes < MOST_NODES ? in->nodes + e->nodes : MOST_NODES;
}

bool hlo_bc_attr_at(hlo_bc_in *in, uint64_t index, const hlo_mlir_attr **out) {
    hlo_bc *r = in->r;
    if (index >= r->attrs.n) return bad_index(in, "attribute", index, r->attrs.n);
    hlo_bc_entry *e = &r->attrs.v[index];
    if (e->state != HLO_BC_DONE && !read_entry(r, e, false)) return false;
    count_in(in, e);
    *out = e->attr;
    return true;
}

bool hlo_bc_type_at(hlo_bc_in *in, uint64_t index, const hlo_mlir_type **out) {
    hlo_bc *r = in->r;
    if (index >= r->types.n) return bad_index(in, "type", index, r->types.n);
    hlo_bc_entry *e = &r->types.v[index];
    if (e->state != HLO_BC_DONE && !read_entry(r, e, true)) return false;
    count_in(in, e);
    *out = e->type;
    return true;
}

/* ---- references ---- */

bool hlo_bc_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint64_t index;
    return hlo_bc_varint(in, &index) && hlo_bc_attr_at(in, index, out);
}

bool hlo_bc_optional_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    uint64_t index;
    bool is_there;
    *out = NULL;
    if (!hlo_bc_flagged(in, &index, &is_there)) return false;
    return !is_there || hlo_bc_attr_at(in, index, out);
}

static const char *kind_name(hlo_mlir_attr_kind kind) {
    switch (kind) {
    case HLO_MLIR_STRING: return "a string";
    case HLO_MLIR_LIST: return "a list";
    case HLO_MLIR_DICT: return "a dictionary";
    case HLO_MLIR_STRUCT: return "an attribute of a dialect";
    case HLO_MLIR_SYMBOL: return "a symbol";
    case HLO_MLIR_LOCATION: return "a location";
    case HLO_MLIR_INT: return "a number";
    default: return "another attribute";
    }
}

bool hlo_bc_attr_of(hlo_bc_in *in, hlo_mlir_attr_kind kind, const hlo_mlir_attr **out) {
    const char *from = in->at;
    if (!hlo_bc_attr(in, out)) return false;
    return (*out)->kind == kind ||
           hlo_bc_bad_at(in->r, from, HLO_RULE_MESSAGE, "a reference to another attribute than %s",
                         kind_name(kind));
}

bool hlo_bc_attrs(hlo_bc_in *in, uint32_t *n, const hlo_mlir_attr ***out) {
    if (!hlo_bc_count(in, n)) return false;
    const hlo_mlir_attr **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_attr *, *n);
    for (uint32_t i = 0; i < *n; i++)
        if (!hlo_bc_attr(in, &v[i])) return false;
    *out = v;
    return true;
}

bool hlo_bc_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    uint64_t index;
    return hlo_bc_varint(in, &index) && hlo_bc_type_at(in, index, out);
}

bool hlo_bc_types(hlo_bc_in *in, uint32_t *n, const hlo_mlir_type ***out) {
    if (!hlo_bc_count(in, n)) return false;
    const hlo_mlir_type **v = HLO_NEW_ARRAY(in->r->arena, const hlo_mlir_type *, *n);
    for (uint32_t i = 0; i < *n; i++)
        if (!hlo_bc_type(in, &v[i])) return false;
    *out = v;
    return true;
}

bool hlo_bc_location(hlo_bc_in *in, const hlo_mlir_location **out) {
    const hlo_mlir_attr *attr;
    if (!hlo_bc_attr_of(in, HLO_MLIR_LOCATION, &attr)) return false;
    *out = attr->u.location;
    return true;
}
