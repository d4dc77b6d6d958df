/* Literals from text (docs/text-format.md, 6.1 and 6.2): nested braces with exact counts, elements
 * converted to their type as they are read. */
#include "parse/literal_text.h"

#include <math.h>

#include "base/text.h"
#include "ir/float_types.h"
#include "parse/number.h"
#include "parse/parse.h"
#include "shape/verifier.h"

/* An array of more bytes whose elements are not in the text is refused. */
#define LARGEST_IMPLIED (INT64_C(4) << 30)

enum { SMALL_RANK = 16 };

/* One array literal while it is read. */
typedef struct {
    hlo_literal_reader *reader;
    const hlo_shape *shape;
    hlo_type type;
    const hlo_float_format *format; /* of floats and complex parts */
    unsigned bytes;                 /* of one element */
    uint64_t unsigned_limit;        /* integers: the largest unsigned value */
    char *data;
    int64_t elements;     /* of the shape */
    int64_t capacity;     /* of data: no more than the rest of the text can hold */
    int64_t count;        /* elements read so far */
    uint32_t nest;        /* braces open */
    int64_t *seen;        /* by level: elements or rows since its brace was opened */
    hlo_implied *implied; /* in the place of data */
} array_reader;

static hlo_span span_of(const hlo_literal_reader *r, const char *from, const char *to) {
    if (to > r->end) to = r->end;
    return (hlo_span){(uint32_t)(from - r->begin), (uint32_t)(to - r->begin)};
}

#define FAIL(r, rule, from, to, ...)                                                               \
    (hlo_error((r)->diags, HLO_RULE_##rule, (r)->source, span_of((r), (from), (to)), __VA_ARGS__), \
     (const char *)NULL)

static const char *shape_name(const hlo_literal_reader *r, const hlo_shape *shape) {
    return hlo_shape_name(&r->diags->arena, shape);
}

/* ---- blanks and words ---- */

/* The next byte of a token; the '/' of a comment that does not end is one that no token has. */
static inline const char *skip_blanks(const hlo_literal_reader *r, const char *at) {
    for (;;) {
        while (hlo_is_blank(*at)) at++;
        if (*at != '/') return at;
        const char *after = hlo_comment_end(at, r->end);
        if (!after || after == at || (!*after && after < r->end)) return at;
        at = after;
    }
}

static inline bool starts_number(char c) {
    return hlo_is_digit(c) || c == '-';
}

static const char *word_end(const char *at) {
    while (hlo_is_word_byte(*at)) at++;
    return at;
}

/* Whether the n bytes from `at` are this word as a token: a glued ':' or '=' makes it a name. */
static bool is_word(const char *at, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - at) == n && memcmp(at, word, n) == 0 && *end != ':' && *end != '=';
}

static const char *token_end(const char *at) {
    if (hlo_begins_word(*at) || *at == '%') return word_end(at + 1);
    if (starts_number(*at)) return hlo_scan_number(at).end;
    return at + 1;
}

/* Reports a token that cannot stand here, or bytes that are none. */
static const char *unexpected(const hlo_literal_reader *r, const char *at, const char *wanted) {
    unsigned char c = (unsigned char)*at;
    if (at >= r->end)
        return FAIL(r, LITERAL_SYNTAX, r->end, r->end, "the text ends inside a literal");
    if (c == '/' && at[1] == '*') return FAIL(r, LEX, at, at + 2, "this comment is not closed");
    if (c == '.' && hlo_is_digit(at[1]))
        return FAIL(r, LEX, at, at + 1, "a number does not start with a dot");
    if (c < 0x20 || c >= 0x7f) return FAIL(r, LEX, at, at + 1, "byte 0x%02x forms no token", c);
    if (strchr("/.;<>@!$^&|\\`", c))
        return FAIL(r, LEX, at, at + 1, "'%c' forms no token of a literal", c);
    const char *end = token_end(at);
    int shown = end - at > 40 ? 40 : (int)(end - at);
    return FAIL(r, LITERAL_SYNTAX, at, end, "expected %s, found '%.*s'", wanted, shown, at);
}

/* The same for a word that may misspell one of two. */
static const char *unexpected_word(const hlo_literal_reader *r, const char *at, const char *wanted,
                                   const char *one, const char *other) {
    unexpected(r, at, wanted);
    if (at >= r->end || !hlo_begins_word(*at)) return NULL;
    hlo_nearest search = hlo_nearest_to(at, (size_t)(word_end(at) - at));
    hlo_nearest_try(&search, one, strlen(one), false);
    hlo_nearest_try(&search, other, strlen(other), false);
    hlo_hint_nearest(r->diags, &search);
    return NULL;
}

/* ---- storing ---- */

static const char *out_of_range(const array_reader *a, const char *at, const char *end) {
    int shown = end - at > 40 ? 40 : (int)(end - at);
    return FAIL(a->reader, LITERAL_RANGE, at, end, "%.*s is out of the range of %s", shown, at,
                hlo_types[a->type].text);
}

static inline void store(array_reader *a, uint64_t bits) {
    hlo_set_element_bits(a->data + (size_t)a->count * a->bytes, a->bytes, bits);
    a->count++;
}

static inline bool store_integer(array_reader *a, int64_t value) {
    if (a->type == HLO_PRED) {
        store(a, value != 0);
        return true;
    }
    if (hlo_types[a->type].class == HLO_CLASS_UNSIGNED) {
        if ((uint64_t)value > a->unsigned_limit) return false;
    } else {
        int64_t largest = (int64_t)(a->unsigned_limit >> 1);
        if (value > largest || value < -largest - 1) return false;
    }
    store(a, (uint64_t)value);
    return true;
}

/* A number that is not nan. Finite text must stay finite in the element type. */
static inline bool store_real(array_reader *a, double value) {
    uint64_t bits;
    if (a->type == HLO_F32) {
        float narrow = (float)value;
        if (isinf(narrow) && !isinf(value)) return false;
        bits = hlo_f32_bits(narrow);
    } else {
        bits = hlo_float_encode_literal(a->type, value);
        if (!hlo_float_is_finite(a->format, bits) && !isinf(value)) return false;
    }
    store(a, bits);
    return true;
}

/* The bits of a nan in the format: the payload exactly, or the format's own nan for a plain one.
 * False when the format has no such payload. */
static bool nan_bits(const hlo_float_format *format, double nan, uint64_t *bits) {
    uint64_t payload = hlo_f64_bits(nan) & (~UINT64_C(0) >> 12);
    uint64_t mask = (UINT64_C(1) << format->mantissa_bits) - 1;
    *bits =
        hlo_float_from_double(format, hlo_f64_from_bits((hlo_f64_bits(nan) & UINT64_C(1) << 63) |
                                                        UINT64_C(0x7ff8) << 48));
    if (payload == UINT64_C(1) << 51) return true;
    if (format->specials != HLO_FLOAT_IEEE || payload > mask) return false;
    *bits = (*bits & ~mask) | payload;
    return true;
}

static const char *bad_payload(const array_reader *a, const char *at, const char *end) {
    if (a->format->specials != HLO_FLOAT_IEEE)
        return FAIL(a->reader, LITERAL_RANGE, at, end, "%s has no nan payloads",
                    hlo_types[a->type].text);
    uint64_t mask = (UINT64_C(1) << a->format->mantissa_bits) - 1;
    return FAIL(a->reader, LITERAL_RANGE, at, end, "nan payloads of %s are at most 0x%llx",
                hlo_types[a->type].text, (unsigned long long)mask);
}

/* ---- one element ---- */

/* `-0` is the integer 0, so that the sign is lost. */
static inline bool is_minus_zero(const char *at, const hlo_number *number) {
    return number->kind == HLO_NUMBER_INT && number->integer == 0 && *at == '-';
}

static void note_place(const hlo_literal_reader *r, hlo_places *places, const char *at,
                       const char *end) {
    if (places->count++ == 0) places->first = span_of(r, at, end);
}

/* A float part: DECIMAL, INT, inf or -inf. */
static const char *read_real(const hlo_literal_reader *r, const char *at, double *out) {
    if (starts_number(*at)) {
        hlo_number number = hlo_scan_number(at);
        if (number.kind == HLO_NUMBER_BAD)
            return FAIL(r, LEX, at, number.end, "%s", number.problem);
        if (number.kind == HLO_NUMBER_PATTERN) return unexpected(r, at, "a number");
        *out = number.kind == HLO_NUMBER_INT ? (double)number.integer : number.decimal;
        if (number.kind == HLO_NUMBER_DECIMAL && isinf(*out))
            return FAIL(r, LITERAL_RANGE, at, number.end, "this number is too large for a double");
        if (is_minus_zero(at, &number)) note_place(r, r->minus_zeros, at, number.end);
        return number.end;
    }
    const char *end = word_end(at);
    if (is_word(at, end, "inf")) {
        *out = (double)INFINITY;
        return end;
    }
    if (!is_word(at, end, "nan")) return unexpected_word(r, at, "a number", "nan", "inf");
    hlo_number nan = hlo_scan_nan(end, false);
    if (nan.kind == HLO_NUMBER_BAD) return FAIL(r, LEX, at, nan.end, "%s", nan.problem);
    *out = nan.decimal;
    return nan.end;
}

static const char *read_float(array_reader *a, const char *at) {
    double value;
    const char *end = read_real(a->reader, at, &value);
    if (!end) return NULL;
    if (isnan(value)) {
        uint64_t bits;
        if (!nan_bits(a->format, value, &bits)) return bad_payload(a, at, end);
        store(a, bits);
        return end;
    }
    return store_real(a, value) ? end : out_of_range(a, at, end);
}

static const char *read_integer(array_reader *a, const char *at) {
    const hlo_literal_reader *r = a->reader;
    if (starts_number(*at)) {
        hlo_number number = hlo_scan_number(at);
        if (number.kind == HLO_NUMBER_BAD)
            return FAIL(r, LEX, at, number.end, "%s", number.problem);
        if (number.kind != HLO_NUMBER_INT) return unexpected(r, at, "an integer");
        return store_integer(a, number.integer) ? number.end : out_of_range(a, at, number.end);
    }
    const char *end = word_end(at);
    bool yes = is_word(at, end, "true");
    if (a->type != HLO_PRED) return unexpected(r, at, "an integer");
    if (!yes && !is_word(at, end, "false"))
        return unexpected_word(r, at, "true, false or an integer", "true", "false");
    store(a, yes);
    return end;
}

static bool part_bits(const array_reader *a, double part, uint64_t *bits) {
    if (isnan(part)) return nan_bits(a->format, part, bits);
    *bits = hlo_float_from_double(a->format, part);
    return true;
}

/* The imaginary part's bits. XLA's parser lets a nan real part overwrite it, and converts a nan in
 * it like any number: payloads shrink and become quiet. */
static bool imaginary_bits(const array_reader *a, double real, double imaginary, uint64_t *bits) {
    if (isnan(real)) return nan_bits(a->format, real, bits);
    if (!isnan(imaginary)) return part_bits(a, imaginary, bits);
    uint64_t wide = hlo_f64_bits(imaginary);
    uint64_t narrow = (wide >> 63 << 31) | UINT64_C(0x7fc00000) | (wide >> 29 & 0x7fffff);
    *bits = a->type == HLO_C128 ? wide : narrow;
    return true;
}

/* XLA compares complex parts with the largest float before rounding. */
static bool part_fits(const array_reader *a, double part) {
    return !isfinite(part) || fabs(part) <= hlo_float_to_double(a->format, a->format->max_finite);
}

static const char *read_complex(array_reader *a, const char *open) {
    const hlo_literal_reader *r = a->reader;
    double real, imaginary;
    if (*open != '(') return unexpected(r, open, "'(' before a complex number");
    const char *at = read_real(r, skip_blanks(r, open + 1), &real);
    if (!at) return NULL;
    at = skip_blanks(r, at);
    if (*at != ',') return unexpected(r, at, "',' between real and imaginary part");
    at = read_real(r, skip_blanks(r, at + 1), &imaginary);
    if (!at) return NULL;
    at = skip_blanks(r, at);
    if (*at != ')') return unexpected(r, at, "')' after the imaginary part");
    at++;
    if (!part_fits(a, real) || !part_fits(a, imaginary)) return out_of_range(a, open, at);
    uint64_t bits[2];
    if (!part_bits(a, real, &bits[0]) || !imaginary_bits(a, real, imaginary, &bits[1]))
        return bad_payload(a, open, at);
    unsigned half = a->bytes / 2;
    char *to = a->data + (size_t)a->count * a->bytes;
    hlo_set_element_bits(to, half, bits[0]);
    hlo_set_element_bits(to + half, half, bits[1]);
    a->count++;
    return at;
}

static const char *read_element(array_reader *a, const char *at) {
    switch (hlo_types[a->type].class) {
    case HLO_CLASS_FLOAT: return read_float(a, at);
    case HLO_CLASS_COMPLEX: return read_complex(a, at);
    default: return read_integer(a, at);
    }
}

/* ---- rows: runs of plain numbers, at speed; anything else is left to read_element ---- */

static inline const char *skip_between(const char *at) {
    while (*at == ',' || *at == ' ') at++;
    return at;
}

static const char *read_integer_run(array_reader *a, const char *at, int64_t capacity) {
    for (const char *p = at; capacity > 0; capacity--) {
        p = skip_between(p);
        if (!starts_number(*p)) break;
        hlo_number number = hlo_scan_number(p);
        if (number.kind != HLO_NUMBER_INT || !store_integer(a, number.integer)) break;
        at = p = number.end;
    }
    return at;
}

static const char *read_float_run(array_reader *a, const char *at, int64_t capacity) {
    for (const char *p = at; capacity > 0; capacity--) {
        p = skip_between(p);
        if (!starts_number(*p)) break;
        hlo_number number = hlo_scan_number(p);
        double value = number.kind == HLO_NUMBER_INT ? (double)number.integer : number.decimal;
        if (number.kind > HLO_NUMBER_DECIMAL || number.kind == HLO_NUMBER_BAD || !isfinite(value))
            break;
        if (!store_real(a, value)) break;
        if (is_minus_zero(p, &number)) note_place(a->reader, a->reader->minus_zeros, p, number.end);
        at = p = number.end;
    }
    return at;
}

static const char *too_many(const array_reader *a, uint32_t level, const char *at) {
    return FAIL(a->reader, LITERAL_SYNTAX, at, token_end(at),
                "dimension %u of %s has %lld elements, and here is one more", level,
                shape_name(a->reader, a->shape), (long long)a->shape->dims[level]);
}

static const char *read_elements(array_reader *a, const char *at) {
    uint32_t last = a->shape->rank - 1;
    if (a->nest != a->shape->rank)
        return FAIL(a->reader, LITERAL_SYNTAX, at, token_end(at),
                    "an element of %s is nested in %u pair%s of braces, this one in %u",
                    shape_name(a->reader, a->shape), a->shape->rank, a->shape->rank == 1 ? "" : "s",
                    a->nest);
    int64_t capacity = a->shape->dims[last] - a->seen[last], before = a->count;
    if (capacity > a->capacity - a->count) capacity = a->capacity - a->count;
    if (capacity <= 0) return too_many(a, last, at);
    hlo_type_class class = hlo_types[a->type].class;
    const char *end = class == HLO_CLASS_COMPLEX ? at
                      : class == HLO_CLASS_FLOAT ? read_float_run(a, at, capacity)
                                                 : read_integer_run(a, at, capacity);
    if (a->count == before) end = read_element(a, at);
    a->seen[last] += a->count - before;
    return end;
}

/* ---- {...} ---- */

/* The `length` bytes at `at` stand for all elements; NULL after a message. */
static hlo_implied *imply(array_reader *a, const char *at, int length) {
    int64_t bytes = hlo_shape_bytes(a->shape);
    if (bytes < 0 || bytes > LARGEST_IMPLIED) {
        hlo_error(a->reader->diags, HLO_RULE_LIMIT, a->reader->source,
                  span_of(a->reader, at, at + length), "all of %s would need more than 4 GiB",
                  shape_name(a->reader, a->shape));
        return NULL;
    }
    hlo_implied *implied = HLO_NEW(a->reader->arena, hlo_implied);
    implied->arena = a->reader->arena;
    return implied;
}

static const char *read_dots(array_reader *a, const char *at) {
    if (a->nest != 1)
        return FAIL(a->reader, LITERAL_SYNTAX, at, at + 3,
                    "'...' elides a whole array, directly inside its first brace");
    a->seen[0] = a->shape->dims[0];
    a->count = a->capacity = a->elements;
    if (!a->elements) return at + 3;
    hlo_implied *implied = imply(a, at, 3);
    if (!implied) return NULL;
    implied->is_elided = true;
    implied->words = *a->reader->fill_words;
    implied->bytes = *a->reader->fill_bytes;
    hlo_implied_count(a->shape, a->reader->fill_words, a->reader->fill_bytes);
    note_place(a->reader, a->reader->elided, at, at + 3);
    a->implied = implied;
    return at + 3;
}

/* ---- arrays ---- */

static const char open_wanted[] = "'{' before the elements of an array";

/* XLA takes a number without braces for the first element of an array; the others are zero. With
 * more numbers after it, what is missing is a brace. */
static const char *read_first_element(array_reader *a, const char *at) {
    a->implied = imply(a, at, 1);
    const char *end = a->implied ? read_element(a, at) : NULL;
    if (!end) return NULL;
    if (*skip_blanks(a->reader, end) != ')') return unexpected(a->reader, at, open_wanted);
    memcpy(a->implied->first, a->data, a->bytes);
    return end;
}

static const char *open_brace(array_reader *a, const char *at) {
    const hlo_shape *shape = a->shape;
    if (shape->rank == 0)
        return FAIL(a->reader, LITERAL_SYNTAX, at, at + 1,
                    "%s is a scalar: braces around it are not allowed",
                    shape_name(a->reader, shape));
    if (a->nest == shape->rank)
        return FAIL(a->reader, LITERAL_SYNTAX, at, at + 1,
                    "an element of %s is nested in %u pair%s of braces, not in more",
                    shape_name(a->reader, shape), shape->rank, shape->rank == 1 ? "" : "s");
    if (a->nest > 0) {
        uint32_t level = a->nest - 1;
        if (a->seen[level] >= shape->dims[level]) return too_many(a, level, at);
        a->seen[level]++;
    }
    a->nest++;
    return at + 1;
}

static const char *close_brace(array_reader *a, const char *at) {
    uint32_t level = --a->nest;
    if (a->seen[level] != a->shape->dims[level])
        return FAIL(a->reader, LITERAL_SYNTAX, at, at + 1,
                    "dimension %u of %s has %lld elements, found %lld", level,
                    shape_name(a->reader, a->shape), (long long)a->shape->dims[level],
                    (long long)a->seen[level]);
    a->seen[level] = 0;
    return at + 1;
}

static const char *read_braces(array_reader *a, const char *at) {
    do {
        at = skip_blanks(a->reader, at);
        switch (*at) {
        case '{': at = open_brace(a, at); break;
        case '}': at = close_brace(a, at); break;
        case ',': at++; break;
        case '.':
            at = at[1] == '.' && at[2] == '.' ? read_dots(a, at)
                                              : unexpected(a->reader, at, "an element");
            break;
        default:
            at = starts_number(*at) || hlo_begins_word(*at) || *at == '('
                     ? read_elements(a, at)
                     : unexpected(a->reader, at, "an element or a brace");
        }
    } while (at && a->nest);
    return at;
}

/* Text of n bytes holds at most (n + 1) / 2 elements: memory is bounded by the text, whatever the
 * shape claims. */
static void grow_array(array_reader *a, const char *at) {
    if (*at == '{' && *skip_blanks(a->reader, at + 1) == '.') return; /* {...} */
    int64_t limit = (a->reader->end - at) / 2 + 1;
    a->capacity = a->elements < limit ? a->elements : limit;
    if (a->capacity)
        a->data = hlo_arena_aligned(a->reader->arena, (size_t)a->capacity * a->bytes, 64);
}

/* Not inlined: its frame would be one of each level of a tuple, whose depth a text chooses. */
__attribute__((noinline)) static const char *read_array(hlo_literal_reader *r, const char *at,
                                                        const hlo_shape *shape,
                                                        hlo_literal *literal) {
    hlo_type type = (hlo_type)shape->type;
    int64_t small[SMALL_RANK];
    array_reader a = {
        .reader = r, .shape = shape, .type = type, .format = hlo_type_float_format(type)};
    a.bytes = hlo_types[type].bytes;
    a.unsigned_limit =
        ~UINT64_C(0) >> (64 - (hlo_types[type].bits < 64 ? hlo_types[type].bits : 64));
    a.elements = hlo_shape_elements(shape);
    if (a.elements < 0)
        return FAIL(r, LIMIT, at, at + 1, "%s is too large or unbounded for a literal",
                    shape_name(r, shape));
    if (!shape->plain_layout &&
        !hlo_is_permutation(r->arena, shape->layout->minor_to_major, shape->rank))
        return FAIL(r, LAYOUT, at, at + 1, "minor_to_major of %s is not a permutation",
                    shape_name(r, shape));
    grow_array(&a, at);
    if (*at != '{' && a.elements == 1 && (shape->rank == 0 || *at != '(')) {
        at = starts_number(*at) || hlo_begins_word(*at) || *at == '('
                 ? read_element(&a, at)
                 : unexpected(r, at, "a value");
    } else if (a.elements > 1 && hlo_types[type].class != HLO_CLASS_COMPLEX &&
               (starts_number(*at) || hlo_begins_word(*at))) {
        at = read_first_element(&a, at);
    } else if (*at != '{') {
        at = unexpected(r, at, open_wanted);
    } else {
        a.seen = shape->rank <= SMALL_RANK ? small : hlo_malloc(shape->rank * sizeof *a.seen);
        memset(a.seen, 0, shape->rank * sizeof *a.seen);
        at = read_braces(&a, at);
        if (a.seen != small) hlo_free(a.seen);
    }
    literal->data = a.implied ? NULL : a.data;
    literal->implied = a.implied;
    return at;
}

/* ---- tuples ---- */

static const char *read_literal(hlo_literal_reader *r, const char *at, const hlo_shape *shape,
                                hlo_literal *out);

/* A missing comma is forgiven, an extra one is not. */
static const char *read_tuple(hlo_literal_reader *r, const char *at, const hlo_shape *shape,
                              hlo_literal *literal) {
    if (*at != '(') return unexpected(r, at, "'(' before the elements of a tuple");
    at = skip_blanks(r, at + 1);
    hlo_literal **elements = HLO_NEW_ARRAY(r->arena, hlo_literal *, shape->rank);
    literal->elements = elements;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (i && *at == ',') at++;
        elements[i] = HLO_NEW(r->arena, hlo_literal);
        at = read_literal(r, at, shape->elements[i], elements[i]);
        if (!at) return NULL;
        at = skip_blanks(r, at);
    }
    if (*at == ')') return at + 1;
    return unexpected(r, at, "')' after the last element of a tuple");
}

static const char *read_literal(hlo_literal_reader *r, const char *at, const hlo_shape *shape,
                                hlo_literal *out) {
    at = skip_blanks(r, at);
    out->shape = shape;
    out->is_read = true;
    if (hlo_shape_is_tuple(shape)) return read_tuple(r, at, shape, out);
    if (hlo_shape_is_array(shape)) return read_array(r, at, shape, out);
    return FAIL(r, LITERAL_SYNTAX, at, token_end(at), "%s has no literals", shape_name(r, shape));
}

const char *hlo_literal_read(hlo_literal_reader *reader, const char *at, const hlo_shape *shape,
                             hlo_literal **out) {
    if (shape->depth > HLO_MAX_NESTING)
        return FAIL(reader, NESTING, at, at + 1, "a literal nests at most %d deep",
                    HLO_MAX_NESTING);
    *out = HLO_NEW(reader->arena, hlo_literal);
    return read_literal(reader, at, shape, *out);
}
