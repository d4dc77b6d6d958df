/* The smallest parts of MLIR's bytecode: bytes, numbers, sections. Nothing is read beyond a range,
 * and a count is never larger than the bytes that follow it. */
#include <stdarg.h>

#include "mlir/bytecode.h"

/* ---- errors ---- */

void hlo_bc_report(hlo_bc *r, const char *at, hlo_rule rule, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    hlo_error(r->diags, rule, NULL, (hlo_span){0}, "%s: byte %u: %s", r->source->name,
              (unsigned)(at - r->source->text), message);
}

static bool truncated(const hlo_bc_in *in) {
    return hlo_bc_bad(in, "the bytes of this part end inside a value");
}

bool hlo_bc_charge(const hlo_bc_in *in, uint64_t units) {
    if (units > in->r->budget)
        return hlo_bc_bad_at(in->r, in->at, HLO_RULE_LIMIT,
                             "the file shares attributes and types so much that it would become "
                             "many times as large");
    in->r->budget -= units;
    return true;
}

bool hlo_bc_at_end(const hlo_bc_in *in, const char *what) {
    return in->at == in->end || hlo_bc_bad(in, "unexpected bytes after %s", what);
}

/* ---- numbers ---- */

bool hlo_bc_byte(hlo_bc_in *in, uint8_t *out) {
    if (in->at == in->end) return truncated(in);
    *out = (uint8_t)*in->at++;
    return true;
}

/* The zeros that the first byte ends with state how many bytes follow. */
bool hlo_bc_varint(hlo_bc_in *in, uint64_t *out) {
    if (in->at == in->end) return truncated(in);
    uint8_t first = (uint8_t)*in->at;
    size_t size = first ? (size_t)__builtin_ctz(first) + 1 : 9;
    if ((size_t)(in->end - in->at) < size) return truncated(in);
    uint64_t value = 0;
    if (first) {
        for (size_t i = size; i-- > 0;) value = value << 8 | (uint8_t)in->at[i];
        value >>= size;
    } else {
        for (size_t i = 8; i > 0; i--) value = value << 8 | (uint8_t)in->at[i];
    }
    in->at += size;
    *out = value;
    return true;
}

bool hlo_bc_signed(hlo_bc_in *in, int64_t *out) {
    uint64_t value;
    if (!hlo_bc_varint(in, &value)) return false;
    *out = (int64_t)(value >> 1 ^ (~(value & 1) + 1));
    return true;
}

bool hlo_bc_flagged(hlo_bc_in *in, uint64_t *out, bool *flag) {
    if (!hlo_bc_varint(in, out)) return false;
    *flag = *out & 1;
    *out >>= 1;
    return true;
}

bool hlo_bc_u32(hlo_bc_in *in, uint32_t *out) {
    const char *from = in->at;
    uint64_t value;
    if (!hlo_bc_varint(in, &value)) return false;
    *out = (uint32_t)value;
    return value <= UINT32_MAX ||
           hlo_bc_bad_at(in->r, from, HLO_RULE_MESSAGE, "the number %llu does not fit 32 bits",
                         (unsigned long long)value);
}

bool hlo_bc_count(hlo_bc_in *in, uint32_t *out) {
    const char *from = in->at;
    uint64_t value;
    if (!hlo_bc_varint(in, &value)) return false;
    *out = (uint32_t)value;
    return value <= (uint64_t)(in->end - in->at) ||
           hlo_bc_bad_at(in->r, from, HLO_RULE_MESSAGE,
                         "a count of %llu, where %llu bytes follow in this part",
                         (unsigned long long)value, (unsigned long long)(in->end - in->at));
}

bool hlo_bc_ints(hlo_bc_in *in, uint32_t *n, int64_t **v) {
    if (!hlo_bc_count(in, n)) return false;
    *v = HLO_NEW_ARRAY(in->r->arena, int64_t, *n);
    for (uint32_t i = 0; i < *n; i++)
        if (!hlo_bc_signed(in, &(*v)[i])) return false;
    return true;
}

/* ---- ranges ---- */

bool hlo_bc_take(hlo_bc_in *in, uint64_t size, hlo_str *out) {
    if (size > (uint64_t)(in->end - in->at))
        return hlo_bc_bad(in, "%llu bytes are wanted, where %llu follow in this part",
                          (unsigned long long)size, (unsigned long long)(in->end - in->at));
    *out = (hlo_str){in->at, (uint32_t)size, 0};
    in->at += size;
    return true;
}

bool hlo_bc_blob(hlo_bc_in *in, hlo_str *out) {
    uint64_t size;
    return hlo_bc_varint(in, &size) && hlo_bc_take(in, size, out);
}

bool hlo_bc_align(hlo_bc_in *in, uint64_t alignment) {
    enum { FILLER = 0xcb };
    if (!alignment || alignment & (alignment - 1))
        return hlo_bc_bad(in, "an alignment of %llu, which is no power of two",
                          (unsigned long long)alignment);
    uint64_t at = (uint64_t)(in->at - in->r->source->text), rest = at & (alignment - 1);
    hlo_str filler;
    if (!rest) return true;
    if (!hlo_bc_take(in, alignment - rest, &filler)) return false;
    for (uint32_t i = 0; i < filler.len; i++)
        if ((uint8_t)filler.ptr[i] != FILLER)
            return hlo_bc_bad_at(in->r, filler.ptr + i, HLO_RULE_MESSAGE,
                                 "the byte 0x%02x, where an alignment is filled by 0x%02x",
                                 (uint8_t)filler.ptr[i], FILLER);
    return true;
}

bool hlo_bc_section(hlo_bc_in *in, uint8_t *id, hlo_bc_in *out) {
    enum { ALIGNED = 0x80 };
    uint64_t size, alignment;
    hlo_str bytes;
    if (!hlo_bc_byte(in, id) || !hlo_bc_varint(in, &size)) return false;
    if (*id & ALIGNED && (!hlo_bc_varint(in, &alignment) || !hlo_bc_align(in, alignment)))
        return false;
    *id &= (uint8_t)~ALIGNED;
    if (!hlo_bc_take(in, size, &bytes)) return false;
    *out = (hlo_bc_in){.r = in->r, .at = bytes.ptr, .end = bytes.ptr + bytes.len};
    return true;
}
