/* Values from and to JSON by their shapes. */
#include "host/json_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/json_text.h"
#include "base/source.h"
#include "base/text.h"
#include "ir/float_types.h"
#include "ir/literal.h"

hlo_status hlo_json_parse(const hlo_source *source, hlo_diags *diags, json_t **out) {
    json_error_t error;
    *out = hlo_json_load_text(source->text, source->len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES,
                              source->name, &error);
    if (*out) return HLO_OK;
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "%s:%d:%d: %s", source->name, error.line,
              error.column, error.text);
    return HLO_BAD_USE;
}

hlo_status hlo_json_load(const char *path, hlo_diags *diags, json_t **out) {
    *out = NULL;
    hlo_source *source = hlo_source_open(path); /* json_loadfd reads byte by byte */
    if (!source) {
        hlo_error(diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0}, "cannot read %s: %s", path,
                  strerror(errno));
        return HLO_BAD_SYSTEM;
    }
    hlo_status status = hlo_json_parse(source, diags, out);
    hlo_source_close(source);
    return status;
}

/* ---- reading ---- */

/* The position of a value in the file, for messages: the indices from the outermost list on. */
typedef struct json_place {
    const struct json_place *outer;
    size_t index;
} json_place;

typedef struct {
    const char *name;
    hlo_diags *diags;
    hlo_status status;
} json_reader;

static void put_place(hlo_buf *to, const json_place *place) {
    if (!place) return;
    put_place(to, place->outer);
    hlo_buf_printf(to, "[%zu]", place->index);
}

__attribute__((format(printf, 3, 4))) static bool bad_value(json_reader *r, const json_place *place,
                                                            const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    hlo_buf at = HLO_BUF_INIT;
    put_place(&at, place);
    hlo_error(r->diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "%s%s%.*s: %s", r->name,
              at.len ? ": " : "", (int)at.len, at.len ? at.data : "", text);
    hlo_buf_free(&at);
    r->status = HLO_BAD_USE;
    return false;
}

static const char *kind_of(const json_t *json) {
    switch (json_typeof(json)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER: return "an integer";
    case JSON_REAL: return "a number with a fraction";
    case JSON_NULL: return "null";
    default: return "true or false";
    }
}

/* The items of a list that must have this many. */
static bool check_list(json_reader *r, const json_place *place, const json_t *json, int64_t count,
                       const char *what) {
    if (!json_is_array(json))
        return bad_value(r, place, "expected a list of %lld %s, found %s", (long long)count, what,
                         kind_of(json));
    if ((int64_t)json_array_size(json) == count) return true;
    return bad_value(r, place, "expected a list of %lld %s, found %zu", (long long)count, what,
                     json_array_size(json));
}

static bool out_of_range(json_reader *r, const json_place *place, hlo_type type) {
    return bad_value(r, place, "this is out of the range of %s", hlo_types[type].text);
}

/* Decimal digits in a string, for what JSON's integers here do not reach. */
static bool read_digits(const char *text, uint64_t *out) {
    return hlo_digits(&text, text + strlen(text), UINT64_MAX, out) && !*text;
}

static bool read_integer(json_reader *r, const json_place *place, const json_t *json, hlo_type type,
                         char *to) {
    uint64_t magnitude = 0;
    bool negative = false;
    if (json_is_integer(json)) {
        json_int_t value = json_integer_value(json);
        negative = value < 0;
        magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
    } else if (!json_is_string(json) || !read_digits(json_string_value(json), &magnitude)) {
        return bad_value(r, place, "expected an integer, found %s", kind_of(json));
    }
    bool is_signed = hlo_types[type].class == HLO_CLASS_SIGNED;
    uint64_t most = ~UINT64_C(0) >> (64 - hlo_types[type].bits) >> is_signed;
    if (negative ? !is_signed || magnitude > most + 1 : magnitude > most)
        return out_of_range(r, place, type);
    hlo_set_element_bits(to, hlo_types[type].bytes, negative ? 0 - magnitude : magnitude);
    return true;
}

static bool named_number(const json_t *json, double *value) {
    static const struct {
        const char *name;
        double value;
    } names[] = {
        {"NaN", (double)NAN}, {"Infinity", (double)INFINITY}, {"-Infinity", -(double)INFINITY}};
    for (size_t i = 0; json_is_string(json) && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, json_string_value(json)) == 0) {
            *value = names[i].value;
            return true;
        }
    return false;
}

static bool read_float(json_reader *r, const json_place *place, const json_t *json, hlo_type type,
                       char *to) {
    double value;
    if (json_is_number(json)) value = json_number_value(json);
    else if (!named_number(json, &value))
        return bad_value(r, place, "expected a number, found %s", kind_of(json));
    uint64_t bits = hlo_float_encode_literal(type, value);
    if (isfinite(value) && !hlo_float_is_finite(hlo_type_float_format(type), bits))
        return out_of_range(r, place, type);
    hlo_set_element_bits(to, hlo_types[type].bytes, bits);
    return true;
}

static bool read_element(json_reader *r, const json_place *place, const json_t *json, hlo_type type,
                         char *to) {
    switch (hlo_types[type].class) {
    case HLO_CLASS_FLOAT: return read_float(r, place, json, type, to);
    case HLO_CLASS_PRED:
        if (json_is_boolean(json)) {
            *to = json_is_true(json);
            return true;
        }
        return bad_value(r, place, "expected true or false, found %s", kind_of(json));
    case HLO_CLASS_COMPLEX: {
        hlo_type part = hlo_type_part(type);
        return check_list(r, place, json, 2, "numbers") &&
               read_float(r, &(json_place){place, 0}, json_array_get(json, 0), part, to) &&
               read_float(r, &(json_place){place, 1}, json_array_get(json, 1), part,
                          to + hlo_types[part].bytes);
    }
    default: return read_integer(r, place, json, type, to);
    }
}

/* The part of an array below its first `level` dimensions; *to moves past the stored elements. The
 * lists of the file, whose nesting jansson limits, lead the recursion. */
static bool read_level(json_reader *r, const json_place *place, const json_t *json,
                       const hlo_shape *shape, uint32_t level, char **to) {
    hlo_type type = (hlo_type)shape->type;
    if (level == shape->rank) {
        bool stored = read_element(r, place, json, type, *to);
        *to += hlo_types[type].bytes;
        return stored;
    }
    if (!check_list(r, place, json, shape->dims[level],
                    level + 1 == shape->rank ? "elements" : "lists"))
        return false;
    size_t i;
    const json_t *item;
    json_array_foreach(json, i, item) if (!read_level(r, &(json_place){place, i}, item, shape,
                                                      level + 1, to)) return false;
    return true;
}

static hlo_value *no_memory(json_reader *r) {
    hlo_error(r->diags, HLO_RULE_SYSTEM, NULL, (hlo_span){0},
              "%s: cannot allocate memory for its value", r->name);
    r->status = HLO_BAD_SYSTEM;
    return NULL;
}

/* Nothing is allocated before the first lists are known to be as long as the shape requires, so
 * that memory is bounded by the file. */
static bool has_size(json_reader *r, const json_place *place, const json_t *json,
                     const hlo_shape *shape, uint32_t level) {
    if (level == shape->rank) return true;
    return check_list(r, place, json, shape->dims[level],
                      level + 1 == shape->rank ? "elements" : "lists") &&
           (shape->dims[level] == 0 ||
            has_size(r, &(json_place){place, 0}, json_array_get(json, 0), shape, level + 1));
}

static hlo_value *read_value(json_reader *r, const json_place *place, const json_t *json,
                             const hlo_shape *shape) {
    if (hlo_shape_is_array(shape)) {
        if (!has_size(r, place, json, shape, 0)) return NULL;
        hlo_value *array = hlo_value_new(shape);
        if (!array) return no_memory(r);
        char *to = array->data;
        if (read_level(r, place, json, shape, 0, &to)) return array;
        hlo_value_release(array);
        return NULL;
    }
    if (!hlo_shape_is_tuple(shape)) {
        bad_value(r, place, "%s has no values", hlo_shape_name(&r->diags->arena, shape));
        return NULL;
    }
    if (!check_list(r, place, json, shape->rank, "tuple elements")) return NULL;
    hlo_value *tuple = hlo_value_new(shape);
    for (uint32_t i = 0; tuple && i < shape->rank; i++) {
        tuple->elements[i] =
            read_value(r, &(json_place){place, i}, json_array_get(json, i), shape->elements[i]);
        if (tuple->elements[i]) continue;
        hlo_value_release(tuple);
        return NULL;
    }
    return tuple ? tuple : no_memory(r);
}

hlo_value *hlo_json_value(const char *name, const json_t *json, const hlo_shape *shape,
                          hlo_diags *diags, hlo_status *status) {
    json_reader r = {name, diags, HLO_OK};
    hlo_value *value = read_value(&r, NULL, json, shape);
    *status = r.status;
    return value;
}

/* ---- writing ---- */

static void put_float(hlo_buf *to, hlo_type type, const void *element) {
    uint64_t bits = hlo_element_bits(element, hlo_types[type].bytes);
    double value = hlo_float_decode(type, bits);
    if (isnan(value)) {
        hlo_buf_lit(to, "\"NaN\"");
    } else if (isinf(value)) {
        hlo_buf_cstr(to, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    } else if (value == 0 && signbit(value)) {
        hlo_buf_lit(to, "-0.0"); /* -0 would be an integer, which has no sign */
    } else {
        hlo_buf_reserve(to, HLO_NUMBER_SIZE);
        char *at = to->data + to->len;
        char *end = type == HLO_F32   ? hlo_put_f32(at, (float)value)
                    : type == HLO_F64 ? hlo_put_f64(at, value)
                                      : hlo_put_g(at, value, hlo_types[type].digits);
        to->len += (size_t)(end - at);
    }
}

static void put_element(hlo_buf *to, hlo_type type, const char *element) {
    const hlo_type_info *info = &hlo_types[type];
    uint64_t bits = info->bytes <= 8 ? hlo_element_bits(element, info->bytes) : 0;
    switch (info->class) {
    case HLO_CLASS_PRED: hlo_buf_cstr(to, *element ? "true" : "false"); break;
    case HLO_CLASS_FLOAT: put_float(to, type, element); break;
    case HLO_CLASS_COMPLEX:
        hlo_buf_char(to, '[');
        put_float(to, hlo_type_part(type), element);
        hlo_buf_lit(to, ", ");
        put_float(to, hlo_type_part(type), element + info->bytes / 2);
        hlo_buf_char(to, ']');
        break;
    case HLO_CLASS_SIGNED: {
        int unused = 64 - 8 * (int)info->bytes;
        hlo_buf_int(to, (int64_t)(bits << unused) >> unused);
        break;
    }
    default:
        if (bits > INT64_MAX) hlo_buf_printf(to, "\"%llu\"", (unsigned long long)bits);
        else hlo_buf_uint(to, bits);
    }
}

/* Iterative, since the rank is arbitrary: brackets open and close where an index of their level
 * starts and ends. Below a dimension of size 0 there is nothing. */
void hlo_json_put_array(hlo_buf *to, const hlo_literal *literal) {
    const hlo_shape *shape = literal->shape;
    const char *element = literal->data;
    uint32_t levels = 0;
    int64_t count = 1;
    for (; levels < shape->rank && shape->dims[levels] > 0; levels++) count *= shape->dims[levels];
    for (int64_t i = 0; i < count; i++) {
        int64_t inner = 1;
        uint32_t opened = 0, closed = 0;
        for (uint32_t d = levels; d-- > 0;) {
            inner *= shape->dims[d];
            opened += i % inner == 0;
            closed += (i + 1) % inner == 0;
        }
        if (i) hlo_buf_lit(to, ", ");
        while (opened--) hlo_buf_char(to, '[');
        if (levels < shape->rank) hlo_buf_lit(to, "[]");
        else put_element(to, (hlo_type)shape->type, element);
        if (element) element += hlo_types[shape->type].bytes;
        while (closed--) hlo_buf_char(to, ']');
    }
}
