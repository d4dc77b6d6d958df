/* Attributes and types of the dialect mhlo in bytecode, those that operations of programs for XLA
 * have. Others of its attributes have no encoding: the file has their text. */
#include "mlir/bytecode.h"

static const char *const precisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
static const char *const domain_kinds[] = {"sharding"};
static const char *const fusion_kinds[] = {"kLoop", "kInput", "kOutput", "kCustom"};

#define ENUM(name, words) \
    { name, sizeof words / sizeof *words, words }
static const hlo_bc_enum precision = ENUM("mhlo.precision", precisions);
static const hlo_bc_enum domain_kind = ENUM("mhlo.kind", domain_kinds);
static const hlo_bc_enum fusion_kind = ENUM("mhlo.fusion_kind", fusion_kinds);

bool hlo_bc_mhlo_attr(hlo_bc_in *in, const hlo_mlir_attr **out) {
    enum { PRECISION = 8, TYPE_EXTENSIONS = 13, DOMAIN_KIND = 14, FUSION_KIND = 15 };
    uint64_t code;
    if (!hlo_bc_varint(in, &code)) return false;
    switch (code) {
    case PRECISION: return hlo_bc_enum_of(in, &precision, out);
    case TYPE_EXTENSIONS: return hlo_bc_type_extensions(in, out);
    case DOMAIN_KIND: return hlo_bc_enum_of(in, &domain_kind, out);
    case FUSION_KIND: return hlo_bc_enum_of(in, &fusion_kind, out);
    default:
        return hlo_bc_bad(in, "an attribute of mhlo with code %llu, which is not supported",
                          (unsigned long long)code);
    }
}

bool hlo_bc_mhlo_type(hlo_bc_in *in, const hlo_mlir_type **out) {
    enum { TOKEN, ASYNC_BUNDLE };
    uint64_t code;
    uint32_t n;
    const hlo_mlir_type **v;
    if (!hlo_bc_varint(in, &code)) return false;
    if (code == TOKEN) return hlo_bc_parts(in, HLO_MLIR_TOKEN, 0, 0, NULL, out);
    if (code == ASYNC_BUNDLE)
        return hlo_bc_types(in, &n, &v) && hlo_bc_parts(in, HLO_MLIR_BUNDLE, 0, n, v, out);
    return hlo_bc_bad(in, "a type of mhlo with code %llu, which is not known",
                      (unsigned long long)code);
}
