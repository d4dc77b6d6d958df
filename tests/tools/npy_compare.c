/* npy_compare CASE_DIR GOT_DIR: do the results in GOT_DIR agree with the expected ones of a golden
 * case? The rule is that of tests/golden/README.md. Exit status 0: they agree; 1: they do not, with
 * one line that states where; 2: wrong use or a broken case. Without arguments it reads lines
 * `CASE_DIR GOT_DIR` and writes `CASE_DIR <tab> REASON` for each; REASON is empty when they agree.
 * outK.at.npy are the positions of the elements that outK.npy has, where it has not all. Does
 * not use libhlo, whose results it judges. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_RANK = 32 };

/* ---- element types ---- */

typedef enum { PRED, SIGNED, UNSIGNED, FLOAT, COMPLEX } kind;

/* Meaning of the highest exponent: IEEE: infinities and nans; LAST: nan only where all mantissa
 * bits are one; ZERO: finite numbers, and the pattern of -0 is the only nan; FINITE: numbers only;
 * POWER: no sign and no mantissa, all ones is nan. */
typedef enum { IEEE, LAST, ZERO, FINITE, POWER } top_exponent;

typedef struct {
    const char *name;
    kind kind;
    int bits, bytes;
    int mantissa, bias;
    top_exponent top;
    const char *codes; /* NumPy's kind letters that may hold it */
} type_info;

static const type_info types[] = {
    {"pred", PRED, 8, 1, 0, 0, IEEE, "bui"},
    {"s1", SIGNED, 1, 1, 0, 0, IEEE, "iuV"},
    {"s2", SIGNED, 2, 1, 0, 0, IEEE, "iuV"},
    {"s4", SIGNED, 4, 1, 0, 0, IEEE, "iuV"},
    {"s8", SIGNED, 8, 1, 0, 0, IEEE, "i"},
    {"s16", SIGNED, 16, 2, 0, 0, IEEE, "i"},
    {"s32", SIGNED, 32, 4, 0, 0, IEEE, "i"},
    {"s64", SIGNED, 64, 8, 0, 0, IEEE, "i"},
    {"u1", UNSIGNED, 1, 1, 0, 0, IEEE, "iuV"},
    {"u2", UNSIGNED, 2, 1, 0, 0, IEEE, "iuV"},
    {"u4", UNSIGNED, 4, 1, 0, 0, IEEE, "iuV"},
    {"u8", UNSIGNED, 8, 1, 0, 0, IEEE, "u"},
    {"u16", UNSIGNED, 16, 2, 0, 0, IEEE, "u"},
    {"u32", UNSIGNED, 32, 4, 0, 0, IEEE, "u"},
    {"u64", UNSIGNED, 64, 8, 0, 0, IEEE, "u"},
    {"f16", FLOAT, 16, 2, 10, 15, IEEE, "f"},
    {"bf16", FLOAT, 16, 2, 7, 127, IEEE, "Vui"},
    {"f32", FLOAT, 32, 4, 23, 127, IEEE, "f"},
    {"f64", FLOAT, 64, 8, 52, 1023, IEEE, "f"},
    {"f8e5m2", FLOAT, 8, 1, 2, 15, IEEE, "Vuif"},
    {"f8e4m3", FLOAT, 8, 1, 3, 7, IEEE, "Vui"},
    {"f8e3m4", FLOAT, 8, 1, 4, 3, IEEE, "Vui"},
    {"f8e4m3fn", FLOAT, 8, 1, 3, 7, LAST, "Vui"},
    {"f8e4m3b11fnuz", FLOAT, 8, 1, 3, 11, ZERO, "Vui"},
    {"f8e4m3fnuz", FLOAT, 8, 1, 3, 8, ZERO, "Vui"},
    {"f8e5m2fnuz", FLOAT, 8, 1, 2, 16, ZERO, "Vui"},
    {"f8e8m0fnu", FLOAT, 8, 1, 0, 127, POWER, "Vui"},
    {"f4e2m1fn", FLOAT, 4, 1, 1, 1, FINITE, "Vui"},
    {"f6e2m3fn", FLOAT, 6, 1, 3, 1, FINITE, "Vui"},
    {"f6e3m2fn", FLOAT, 6, 1, 2, 3, FINITE, "Vui"},
    {"c64", COMPLEX, 64, 8, 23, 127, IEEE, "c"},
    {"c128", COMPLEX, 128, 16, 52, 1023, IEEE, "c"},
};

static const type_info *find_type(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0) return &types[i];
    return NULL;
}

/* ---- failing ---- */

static _Noreturn void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void differ(const char *format, ...) __attribute__((format(printf, 1, 2)));

static _Noreturn void broken(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    exit(2);
}

static _Noreturn void differ(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    exit(1);
}

static void *get_memory(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) broken("out of memory");
    return memory;
}

/* ---- .npy files ---- */

typedef struct {
    char letter; /* NumPy's kind */
    int bytes;
    bool big_endian, fortran_order;
    int rank;
    int64_t dims[MAX_RANK];
    int64_t count;
    unsigned char *data; /* C order, native byte order */
} array;

/* Reasons are returned, not reported: for results they are differences, for a case's own files the
 * case is broken. */
static const char *parse_header(array *a, const char *header) {
    const char *descr = strstr(header, "'descr'"), *order = strstr(header, "'fortran_order'");
    const char *shape = strstr(header, "'shape'");
    if (!descr || !order || !shape) return "its header lacks a key";
    char mark;
    if (sscanf(descr, "'descr': '%c%c%d'", &mark, &a->letter, &a->bytes) != 3)
        return "its element type is not a simple one";
    if (a->bytes < 1 || a->bytes > 16) return "its element size is unknown";
    a->big_endian = mark == '>';
    a->fortran_order = strncmp(order + strlen("'fortran_order'"), ": True", 6) == 0;
    shape = strchr(shape, '(');
    if (!shape) return "its shape is no tuple";
    a->rank = 0;
    a->count = 1;
    for (const char *p = shape + 1; *p && *p != ')';) {
        char *end;
        errno = 0;
        long long n = strtoll(p, &end, 10);
        if (end == p) {
            p++;
            continue;
        }
        if (errno || n < 0 || a->rank == MAX_RANK) return "its shape is out of range";
        a->dims[a->rank++] = n;
        if (__builtin_mul_overflow(a->count, (int64_t)n, &a->count)) return "it is too large";
        p = end;
    }
    return NULL;
}

static void swap_bytes(array *a) {
    int unit = a->letter == 'c' ? a->bytes / 2 : a->bytes;
    for (int64_t i = 0; i < a->count * a->bytes; i += unit)
        for (int b = 0; b < unit / 2; b++) {
            unsigned char swapped = a->data[i + b];
            a->data[i + b] = a->data[i + unit - 1 - b];
            a->data[i + unit - 1 - b] = swapped;
        }
}

/* From first-index-fastest to last-index-fastest. */
static void to_c_order(array *a) {
    unsigned char *out = get_memory((size_t)(a->count * a->bytes));
    int64_t index[MAX_RANK] = {0};
    for (int64_t at = 0; at < a->count; at++) {
        int64_t from = 0;
        for (int d = a->rank - 1; d >= 0; d--) from = from * a->dims[d] + index[d];
        memcpy(out + at * a->bytes, a->data + from * a->bytes, (size_t)a->bytes);
        for (int d = a->rank - 1; d >= 0 && ++index[d] == a->dims[d]; d--) index[d] = 0;
    }
    free(a->data);
    a->data = out;
}

static const char *read_array(FILE *file, array *a) {
    unsigned char lead[12];
    if (fread(lead, 1, 10, file) != 10 || memcmp(lead, "\x93NUMPY", 6) != 0)
        return "it is no .npy file";
    size_t len = lead[8] | (size_t)lead[9] << 8;
    if (lead[6] > 1) {
        if (fread(lead + 10, 1, 2, file) != 2) return "its header is cut";
        len |= (size_t)lead[10] << 16 | (size_t)lead[11] << 24;
    }
    if (len > 1 << 20) return "its header is too long";
    char *header = get_memory(len + 1);
    size_t got = fread(header, 1, len, file);
    header[got] = 0;
    const char *wrong = got == len ? parse_header(a, header) : "its header is cut";
    free(header);
    if (wrong) return wrong;
    size_t bytes;
    if (__builtin_mul_overflow((size_t)a->count, (size_t)a->bytes, &bytes))
        return "it is too large";
    a->data = get_memory(bytes);
    if (fread(a->data, 1, bytes, file) != bytes) return "its data is cut";
    if (a->big_endian) swap_bytes(a);
    if (a->fortran_order && a->rank > 1 && a->count) to_c_order(a);
    return NULL;
}

static const char *load(const char *path, array *a) {
    *a = (array){0};
    FILE *file = fopen(path, "rb");
    if (!file) return "it is missing";
    const char *wrong = read_array(file, a);
    fclose(file);
    return wrong;
}

/* Types of cases that do not list them: NumPy's letter identifies all but those stored as bytes. */
static const type_info *type_of_array(const array *a) {
    if (a->letter == 'V') return a->bytes == 2 ? find_type("bf16", 4) : NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].codes[0] == a->letter && types[i].bytes == a->bytes &&
            (types[i].bits == 8 * a->bytes))
            return &types[i];
    return NULL;
}

static const char *fits(const array *a, const type_info *type) {
    return strchr(type->codes, a->letter) && a->bytes == type->bytes
               ? NULL
               : "it has another element type";
}

/* ---- elements ---- */

static uint64_t bits_at(const array *a, const type_info *type, int64_t i) {
    uint64_t bits = 0;
    memcpy(&bits, a->data + i * a->bytes, (size_t)type->bytes);
    return type->bits < 64 && type->bits < 8 * type->bytes ? bits & ((1u << type->bits) - 1) : bits;
}

static double small_float(uint64_t bits, const type_info *type) {
    if (type->top == POWER) return bits == 0xff ? NAN : ldexp(1, (int)bits - type->bias);
    int exponent_bits = type->bits - 1 - type->mantissa;
    uint64_t mantissa = bits & ((1u << type->mantissa) - 1);
    int exponent = (int)(bits >> type->mantissa) & ((1 << exponent_bits) - 1);
    bool negative = bits >> (type->bits - 1);
    if (type->top == ZERO && negative && (bits & ((1u << (type->bits - 1)) - 1)) == 0) return NAN;
    bool highest = exponent == (1 << exponent_bits) - 1;
    if (highest && type->top == IEEE) return mantissa ? NAN : negative ? -INFINITY : INFINITY;
    if (highest && type->top == LAST && mantissa == (1u << type->mantissa) - 1) return NAN;
    double value = exponent ? ldexp((double)(mantissa | (1u << type->mantissa)),
                                    exponent - type->bias - type->mantissa)
                            : ldexp((double)mantissa, 1 - type->bias - type->mantissa);
    return negative ? -value : value;
}

static double float_at(const array *a, const type_info *type, int64_t i) {
    const unsigned char *at = a->data + i * a->bytes;
    float single;
    double value;
    if (type->bits == 32) return memcpy(&single, at, sizeof single), (double)single;
    if (type->bits == 64) return memcpy(&value, at, sizeof value), value;
    return small_float(bits_at(a, type, i), type);
}

/* Grows by one from each representable value to the next. */
static __int128 order_of(uint64_t bits, const type_info *type) {
    if (type->top == POWER) return bits;
    uint64_t sign = (uint64_t)1 << (type->bits - 1);
    __int128 magnitude = bits & (sign - 1);
    return bits & sign ? -magnitude : magnitude;
}

typedef struct {
    const type_info *type;
    double rtol, atol, ulp;
    bool signed_zero;
} rule;

static bool near(double got, double expected, const rule *r) {
    if (got == expected || (isnan(got) && isnan(expected))) return true;
    return isfinite(got) && isfinite(expected) &&
           fabs(got - expected) <= r->atol + r->rtol * fabs(expected);
}

static bool other_zero(double got, double expected, const rule *r) {
    return r->signed_zero && got == 0 && expected == 0 && signbit(got) != signbit(expected);
}

static bool floats_agree(const array *got, const array *expected, int64_t i, const rule *r) {
    double g = float_at(got, r->type, i), e = float_at(expected, r->type, i);
    if (other_zero(g, e, r)) return false;
    if (near(g, e, r)) return true;
    if (r->ulp <= 0 || !isfinite(g) || !isfinite(e)) return false;
    __int128 steps = order_of(bits_at(got, r->type, i), r->type) -
                     order_of(bits_at(expected, r->type, i), r->type);
    return (double)(steps < 0 ? -steps : steps) <= r->ulp;
}

static double part_at(const array *a, const type_info *type, int64_t i, int part) {
    const unsigned char *at = a->data + i * a->bytes + part * (a->bytes / 2);
    float single;
    double value;
    if (type->bits == 64) return memcpy(&single, at, sizeof single), (double)single;
    return memcpy(&value, at, sizeof value), value;
}

static bool complex_agree(const array *got, const array *expected, int64_t i, const rule *r) {
    double gr = part_at(got, r->type, i, 0), gi = part_at(got, r->type, i, 1);
    double er = part_at(expected, r->type, i, 0), ei = part_at(expected, r->type, i, 1);
    if (other_zero(gr, er, r) || other_zero(gi, ei, r)) return false;
    if (isfinite(gr) && isfinite(gi) && isfinite(er) && isfinite(ei) &&
        hypot(gr - er, gi - ei) <= r->atol + r->rtol * hypot(er, ei))
        return true;
    return near(gr, er, r) && near(gi, ei, r);
}

static bool agree(const array *got, const array *expected, int64_t i, const rule *r) {
    switch (r->type->kind) {
    case FLOAT: return floats_agree(got, expected, i, r);
    case COMPLEX: return complex_agree(got, expected, i, r);
    case PRED: return !bits_at(got, r->type, i) == !bits_at(expected, r->type, i);
    case SIGNED:
    case UNSIGNED: return bits_at(got, r->type, i) == bits_at(expected, r->type, i);
    }
    return false;
}

static void write_element(char *out, size_t size, const array *a, const type_info *type,
                          int64_t i) {
    uint64_t bits = type->kind == COMPLEX ? 0 : bits_at(a, type, i);
    int spare = 64 - type->bits;
    if (type->kind == COMPLEX)
        snprintf(out, size, "(%.9g, %.9g)", part_at(a, type, i, 0), part_at(a, type, i, 1));
    else if (type->kind == FLOAT) snprintf(out, size, "%.9g", float_at(a, type, i));
    else if (type->kind == SIGNED)
        snprintf(out, size, "%lld", (long long)((int64_t)(bits << spare) >> spare));
    else snprintf(out, size, "%llu", (unsigned long long)bits);
}

/* ---- one output ---- */

static void path_of(char *out, size_t size, const char *folder, const char *stem, size_t k,
                    const char *device) {
    if ((size_t)snprintf(out, size, "%s/%s%zu%s.npy", folder, stem, k, device) >= size)
        broken("the path of the case is too long");
}

static void same_shape(const array *got, const array *expected, size_t k, const char *device) {
    bool same = got->rank == expected->rank;
    for (int d = 0; same && d < got->rank; d++) same = got->dims[d] == expected->dims[d];
    if (!same) differ("out%zu%s: the shape differs from the expected one", k, device);
}

static void load_result(const char *folder, size_t k, const char *device, array *got) {
    char path[4096];
    path_of(path, sizeof path, folder, "out", k, device);
    if (strcmp(device, ".r0") == 0 && access(path, F_OK) != 0)
        path_of(path, sizeof path, folder, "out", k, "");
    const char *wrong = load(path, got);
    if (wrong) differ("out%zu%s: %s", k, device, wrong);
}

/* Of a long result the case has only the elements at some positions; false: it has all. */
static bool take_positions(const char *folder, size_t k, const char *device, array *got) {
    char path[4096], at_device[64];
    array at;
    snprintf(at_device, sizeof at_device, "%s.at", device);
    path_of(path, sizeof path, folder, "out", k, at_device);
    if (access(path, F_OK) != 0) return false;
    const char *wrong = load(path, &at);
    if (wrong || at.letter != 'i' || at.bytes != 8) broken("%s: no positions", path);
    for (int64_t i = 0, from; i < at.count; i++) {
        memcpy(&from, at.data + i * at.bytes, sizeof from);
        if (from < i || from >= got->count) differ("out%zu%s: too few elements", k, device);
        memmove(got->data + i * got->bytes, got->data + from * got->bytes, (size_t)got->bytes);
    }
    got->count = at.count;
    free(at.data);
    return true;
}

static void compare_output(const char *folder, const char *got_folder, size_t k, const char *device,
                           rule r) {
    char path[4096];
    array expected, alternative = {0}, got;
    path_of(path, sizeof path, folder, "out", k, device);
    const char *wrong = load(path, &expected);
    if (!wrong && !r.type) r.type = type_of_array(&expected);
    if (!wrong) wrong = r.type ? fits(&expected, r.type) : "its element type is not stated";
    if (wrong) broken("%s: %s", path, wrong);
    path_of(path, sizeof path, folder, "alt", k, device);
    bool has_alternative = access(path, F_OK) == 0;
    if (has_alternative && (wrong = load(path, &alternative))) broken("%s: %s", path, wrong);
    if (has_alternative && alternative.count != expected.count) broken("%s: another size", path);
    load_result(got_folder, k, device, &got);
    if ((wrong = fits(&got, r.type))) differ("out%zu%s: %s", k, device, wrong);
    if (!take_positions(folder, k, device, &got)) same_shape(&got, &expected, k, device);
    if (got.count != expected.count) broken("out%zu%s: not as many as positions", k, device);
    int64_t bad = 0, first = -1;
    for (int64_t i = 0; i < got.count; i++) {
        if (agree(&got, &expected, i, &r)) continue;
        if (has_alternative && agree(&got, &alternative, i, &r)) continue;
        if (bad++ == 0) first = i;
    }
    if (bad) {
        char g[80], e[80];
        write_element(g, sizeof g, &got, r.type, first);
        write_element(e, sizeof e, &expected, r.type, first);
        differ("out%zu%s: element %lld is %s, expected %s; %lld of %lld %s elements are off", k,
               device, (long long)first, g, e, (long long)bad, (long long)got.count, r.type->name);
    }
    free(expected.data);
    free(alternative.data);
    free(got.data);
}

/* ---- random results ---- */

static void check_bounds(const array *got, const type_info *type, json_t *want, const char *key,
                         bool upper, bool excluded) {
    json_t *bound = json_object_get(want, key);
    if (!json_is_number(bound)) return;
    double limit = json_number_value(bound);
    for (int64_t i = 0; i < got->count; i++) {
        double v = float_at(got, type, i);
        if (upper ? v > limit || (excluded && v >= limit) : v < limit)
            differ("out0: element %lld is %.9g, outside the bound %.9g", (long long)i, v, limit);
    }
}

static void check_moment(json_t *want, const char *key, double moment) {
    json_t *expected = json_object_get(want, key);
    if (!json_is_number(expected)) return;
    char name[64];
    snprintf(name, sizeof name, "%s_tolerance", key);
    json_t *tolerance = json_object_get(want, name);
    double within = json_is_number(tolerance) ? json_number_value(tolerance) : 0.05;
    if (!(fabs(moment - json_number_value(expected)) <= within))
        differ("out0: %s is %.5g, expected %.5g within %g", key, moment,
               json_number_value(expected), within);
}

/* Integers are read as doubles, which is exact enough for bounds and moments. */
static void integers_to_doubles(array *a, const type_info **type) {
    if ((*type)->kind == FLOAT) return;
    double *values = get_memory((size_t)a->count * sizeof *values);
    int spare = 64 - (*type)->bits;
    for (int64_t i = 0; i < a->count; i++) {
        uint64_t bits = bits_at(a, *type, i);
        values[i] =
            (*type)->kind == SIGNED ? (double)((int64_t)(bits << spare) >> spare) : (double)bits;
    }
    free(a->data);
    a->data = (unsigned char *)values;
    a->bytes = sizeof *values;
    *type = find_type("f64", 3);
}

static void compare_statistics(json_t *want, const char *got_folder, const type_info *type,
                               const array *shape) {
    array got;
    load_result(got_folder, 0, "", &got);
    const char *wrong = fits(&got, type);
    if (wrong) differ("out0: %s", wrong);
    same_shape(&got, shape, 0, "");
    if (!got.count) return;
    integers_to_doubles(&got, &type);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < got.count; i++) {
        double v = float_at(&got, type, i);
        if (!isfinite(v)) differ("out0: element %lld is not finite", (long long)i);
        sum += v;
    }
    double mean = sum / (double)got.count;
    for (int64_t i = 0; i < got.count; i++) squares += pow(float_at(&got, type, i) - mean, 2);
    check_bounds(&got, type, want, "min", false, false);
    check_bounds(&got, type, want, "max", true,
                 json_is_true(json_object_get(want, "max_excluded")));
    check_moment(want, "mean", mean);
    check_moment(want, "std", sqrt(squares / (double)got.count));
    free(got.data);
}

/* ---- one case ---- */

static double number_for(json_t *info, const char *key, size_t k) {
    char listed[32];
    snprintf(listed, sizeof listed, "out_%s", key);
    json_t *list = json_object_get(info, listed);
    json_t *value = json_is_array(list) ? json_array_get(list, k) : json_object_get(info, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

static rule rule_for(json_t *info, const type_info *type, size_t k) {
    rule r = {.type = type, .signed_zero = json_is_true(json_object_get(info, "signed_zero"))};
    bool rounded = !type || type->kind == FLOAT || type->kind == COMPLEX;
    if (rounded) {
        r.rtol = number_for(info, "rtol", k);
        r.atol = number_for(info, "atol", k);
        r.ulp = number_for(info, "max_ulp", k);
    }
    return r;
}

/* The type of a listed result like "f32[2,3]", with its dimensions in *shape. */
static const type_info *parse_listed(json_t *item, array *shape) {
    const char *text = json_string_value(item), *bracket = text ? strchr(text, '[') : NULL;
    const type_info *type = bracket ? find_type(text, (size_t)(bracket - text)) : NULL;
    if (!type) broken("case.json: unknown result type %s", text ? text : "(no text)");
    *shape = (array){0};
    for (const char *p = bracket + 1; *p && *p != ']';) {
        char *end;
        int64_t n = strtoll(p, &end, 10);
        if (end == p) p++;
        else p = end, shape->dims[shape->rank++] = n;
        if (shape->rank == MAX_RANK) broken("case.json: too many dimensions");
    }
    return type;
}

static bool is_token(json_t *item) {
    const char *text = json_string_value(item);
    return text && (strncmp(text, "token[", 6) == 0 || strncmp(text, "opaque[", 7) == 0);
}

static bool has_file(const char *folder, size_t k, const char *device) {
    char path[4096];
    path_of(path, sizeof path, folder, "out", k, device);
    return access(path, F_OK) == 0;
}

static void compare_device(json_t *info, const char *folder, const char *got_folder,
                           const char *device) {
    json_t *outs = json_object_get(info, "outs"), *statistics = json_object_get(info, "statistics");
    size_t k = 0;
    for (size_t i = 0; i < json_array_size(outs); i++) {
        array shape;
        if (is_token(json_array_get(outs, i))) continue;
        const type_info *type = parse_listed(json_array_get(outs, i), &shape);
        if (statistics) {
            compare_statistics(statistics, got_folder, type, &shape);
            return;
        }
        if (!has_file(folder, k, device)) broken("%s holds no out%zu%s.npy", folder, k, device);
        compare_output(folder, got_folder, k, device, rule_for(info, type, k));
        k++;
    }
    for (; !outs && has_file(folder, k, device); k++)
        compare_output(folder, got_folder, k, device, rule_for(info, NULL, k));
    if (has_file(folder, k, device)) broken("%s holds more results than case.json lists", folder);
}

static int64_t count_of(json_t *info, const char *key) {
    json_t *value = json_object_get(info, key);
    return json_is_integer(value) ? json_integer_value(value) : 1;
}

static int compare_case(const char *expected, const char *got) {
    char path[4096];
    json_error_t error;
    if ((size_t)snprintf(path, sizeof path, "%s/case.json", expected) >= sizeof path)
        broken("the path of the case is too long");
    json_t *info = json_load_file(path, 0, &error);
    if (!info) broken("%s:%d:%d: %s", path, error.line, error.column, error.text);
    int64_t devices = count_of(info, "replicas") * count_of(info, "partitions");
    if (has_file(expected, 0, ".r0")) {
        for (int64_t d = 0; d < devices; d++) {
            char device[32];
            snprintf(device, sizeof device, ".r%lld", (long long)d);
            compare_device(info, expected, got, device);
        }
    } else {
        compare_device(info, expected, got, "");
    }
    json_decref(info);
    return 0;
}

/* A child for each case: where it ends, a difference has been found. */
static void compare_in_child(const char *expected, const char *got) {
    int status = 0;
    printf("%s\t", expected);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) exit(compare_case(expected, got));
    if (pid < 0 || waitpid(pid, &status, 0) < 0) printf("fork: %s\n", strerror(errno));
    else if (WIFSIGNALED(status)) printf("npy_compare ended by signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status) > 2) printf("exit status %d\n", WEXITSTATUS(status));
    else if (WEXITSTATUS(status) == 0) printf("\n");
}

/* The whole list is read before the first child begins: its exit would move the shared file's
 * position. */
static int compare_list(void) {
    char *list = NULL, *save;
    size_t size = 0;
    if (getdelim(&list, &size, '\0', stdin) < 0) return 0;
    for (char *line = strtok_r(list, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *space = strchr(line, ' ');
        if (!space) broken("a line of the list is not CASE_DIR GOT_DIR");
        *space = '\0';
        compare_in_child(line, space + 1);
    }
    free(list);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 1) return compare_list();
    if (argc != 3) broken("usage: npy_compare CASE_DIR GOT_DIR, or npy_compare <LIST");
    return compare_case(argv[1], argv[2]);
}
