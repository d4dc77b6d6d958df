/* Calls of LAPACK: see lapack_call.h. */
#include "analysis/lapack_call.h"

#include <string.h>

#include "base/text.h"

static const hlo_lapack_rule rules[HLO_LAPACK_COUNT] = {
#define HLO_LAPACK(id, real, complex, in_place, ...) \
    [HLO_LAPACK_##id] = {{real, complex}, in_place, {__VA_ARGS__}},
#include "analysis/lapack.def"
#undef HLO_LAPACK
};

const hlo_lapack_rule *hlo_lapack_rule_of(hlo_lapack_id id) {
    HLO_ASSERT(id < HLO_LAPACK_COUNT);
    return &rules[id];
}

/* ---- signatures ---- */

static hlo_type part_type(char kind, int letter) {
    static const hlo_type own[4] = {HLO_F32, HLO_F64, HLO_C64, HLO_C128};
    HLO_ASSERT((size_t)letter < sizeof own / sizeof *own);
    switch (kind) {
    case 'T': return own[letter];
    case 'R': return own[letter & 1];
    case 'C': return own[letter | 2];
    default: return HLO_S32;
    }
}

static void read_signature(hlo_lapack_arrays *a, const char *text) {
    bool results = false;
    while (*text) {
        hlo_lapack_part part = {.type = part_type(*text++, a->letter)};
        for (int i = 0; i < 2 && *text >= 'a' && *text <= 'z'; i++) part.dims[i] = *text++;
        if (results) a->results[a->result_count++] = part;
        else a->operands[a->operand_count++] = part;
        if (*text == '>') results = true;
        if (*text) text++;
    }
}

static void bind(hlo_lapack_arrays *a, char letter, int32_t size) {
    HLO_ASSERT(letter >= 'a' && letter <= 'z' && size >= 0);
    a->sizes[letter - 'a'] = size;
    a->bound[letter - 'a'] = true;
}

/* Sizes that follow from others, as soon as those are known. */
static void bind_derived(hlo_lapack_arrays *a) {
    int32_t m = a->sizes['m' - 'a'], n = a->sizes['n' - 'a'];
    if (a->bound['m' - 'a'] && a->bound['n' - 'a']) bind(a, 'k', m < n ? m : n);
    if (a->bound['n' - 'a']) bind(a, 's', n > 0 ? n - 1 : 0);
}

/* Whether the shape fits the part; binds the letters that are new. */
static bool shape_fits_part(hlo_lapack_arrays *a, const hlo_lapack_part *part,
                            const hlo_shape *shape) {
    uint32_t core = hlo_lapack_core_rank(part);
    if (!hlo_shape_is_array(shape) || shape->type != part->type ||
        shape->rank != a->batch_rank + core)
        return false;
    for (uint32_t d = 0; d < a->batch_rank; d++)
        if (shape->dims[d] != a->batch->dims[d]) return false;
    for (uint32_t d = 0; d < core; d++) {
        int64_t size = shape->dims[a->batch_rank + d];
        char letter = part->dims[d];
        if (size > INT32_MAX || size < 0) return false;
        if (!a->bound[letter - 'a']) bind(a, letter, (int32_t)size);
        else if (a->sizes[letter - 'a'] != size) return false;
        bind_derived(a);
    }
    return true;
}

static bool shapes_fit(hlo_lapack_arrays *a, const hlo_instr *instr) {
    uint32_t results = hlo_shape_part_count(instr->shape);
    if (instr->operand_count != a->operand_count || results != a->result_count ||
        hlo_shape_is_tuple(instr->shape) != (a->result_count > 1))
        return false;
    const hlo_shape *first = hlo_operand(instr, 0)->shape;
    if (!hlo_shape_is_array(first) || first->rank < hlo_lapack_core_rank(&a->operands[0]))
        return false;
    a->batch = first;
    a->batch_rank = first->rank - hlo_lapack_core_rank(&a->operands[0]);
    for (uint32_t i = 0; i < a->operand_count; i++)
        if (!shape_fits_part(a, &a->operands[i], hlo_operand(instr, i)->shape)) return false;
    for (uint32_t i = 0; i < a->result_count; i++)
        if (!shape_fits_part(a, &a->results[i], hlo_shape_part(instr->shape, i))) return false;
    return true;
}

static int letter_of(const hlo_instr *call) {
    const hlo_str *target = hlo_instr_attr(call, HLO_ATTR_CUSTOM_CALL_TARGET)->u.string;
    return (int)(strchr("sdcz", target->ptr[strlen("lapack_")]) - "sdcz");
}

bool hlo_lapack_match(hlo_lapack_arrays *a, const hlo_instr *call, const hlo_lapack_rule *rule) {
    *a = (hlo_lapack_arrays){.letter = letter_of(call)};
    read_signature(a, rule->signatures[a->letter >= 2]);
    return shapes_fit(a, call);
}

bool hlo_lapack_fits(hlo_lapack_id id, const hlo_instr *call) {
    HLO_ASSERT(id < sizeof rules / sizeof *rules);
    hlo_lapack_arrays arrays;
    return hlo_lapack_match(&arrays, call, &rules[id]);
}

/* ---- flags ---- */

static bool is_word(char c) {
    return hlo_begins_word(c) || hlo_is_digit(c);
}

static bool starts_with(const char *at, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

bool hlo_lapack_number(hlo_str text, const char *name, int64_t *number) {
    const char *end = text.ptr + text.len;
    size_t n = strlen(name);
    for (const char *at = text.ptr; (size_t)(end - at) > n; at++) {
        if (memcmp(at, name, n) != 0 || is_word(at[n]) || (at > text.ptr && is_word(at[-1])))
            continue;
        at += n;
        while (at < end && (*at == ' ' || *at == '=')) at++;
        *number = starts_with(at, end, "true");
        if (*number || starts_with(at, end, "false")) return true;
        uint64_t value;
        bool good = hlo_digits(&at, end, INT64_MAX, &value);
        *number = (int64_t)value;
        return good;
    }
    return false;
}
