/* Values as JSON: arrays are lists by dimension, tuples lists of their elements; complex numbers
 * are [re, im], what is not finite "NaN", "Infinity" and "-Infinity". Private to src/host. */
#ifndef HLO_HOST_JSON_VALUES_H
#define HLO_HOST_JSON_VALUES_H

#include <jansson.h>

#include "eval/value/value_memory.h"

/* A whole file, or a text; the caller releases it. HLO_BAD_USE when it is no JSON. */
hlo_status hlo_json_load(const char *path, hlo_diags *diags, json_t **out);
hlo_status hlo_json_parse(const hlo_source *source, hlo_diags *diags, json_t **out);
/* A value of the shape; `name` is what messages call the JSON. NULL after reporting an error; the
 * status goes to *status. */
hlo_value *hlo_json_value(const char *name, const json_t *json, const hlo_shape *shape,
                          hlo_diags *diags, hlo_status *status);
/* Enough digits to read the same value back; integers beyond 2^63 are strings. NaN keeps neither
 * sign nor payload. */
void hlo_json_put_array(hlo_buf *to, const hlo_literal *literal);

#endif
