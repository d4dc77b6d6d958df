/* Reports for other programs: see json_lines.h. */
#include "json_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(json_lines *json, const char *text) {
    hlo_output_write(json->to, text, strlen(text));
}

static void put_key(json_lines *json, const char *key) {
    if (json->has_member) put(json, ",");
    json->has_member = true;
    if (!key) return;
    hlo_output_write_json_string(json->to, key, strlen(key));
    put(json, ":");
}

void json_open(json_lines *json, const char *key, char bracket) {
    put_key(json, key);
    hlo_output_write(json->to, &bracket, 1);
    json->has_member = false;
}

void json_close(json_lines *json, char bracket) {
    hlo_output_write(json->to, &bracket, 1);
    json->has_member = true;
}

void json_end_line(json_lines *json) {
    put(json, "\n");
    json->has_member = false;
}

void json_text(json_lines *json, const char *key, const char *text, size_t length) {
    put_key(json, key);
    hlo_output_write_json_string(json->to, text, length);
}

void json_word(json_lines *json, const char *key, const char *word) {
    json_text(json, key, word, strlen(word));
}

void json_count(json_lines *json, const char *key, uint64_t count) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, count);
    put_key(json, key);
    put(json, digits);
}

void json_double(json_lines *json, const char *key, double value) {
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    put_key(json, key);
    put(json, isfinite(value) ? digits : "null");
}

void json_flag(json_lines *json, const char *key, bool flag) {
    put_key(json, key);
    put(json, flag ? "true" : "false");
}

void json_raw(json_lines *json, const char *key, const char *value, size_t length) {
    put_key(json, key);
    hlo_output_write(json->to, value, length);
}
