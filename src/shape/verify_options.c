/* The table of the verifier's options as values. */
#include <hlo/tables.h>

#include "base/table_row.h"
#include "shape/verify.h"

static const struct {
    const char *name, *text;
    bool of_operations, fallback;
    size_t offset; /* of the member */
} table[] = {
#define HLO_VERIFY_SWITCH(member, name, fallback, text) \
    {name, text, false, fallback, offsetof(struct hlo_verify_options, member)},
#define HLO_VERIFY_OPERATIONS(member, name, text) \
    {name, text, true, false, offsetof(struct hlo_verify_options, member)},
#include "shape/verify_options.def"
#undef HLO_VERIFY_SWITCH
#undef HLO_VERIFY_OPERATIONS
};

enum { COUNT = sizeof table / sizeof *table };

const hlo_verify_options hlo_verify_plain = {
#define HLO_VERIFY_SWITCH(member, name, fallback, text) .member = fallback,
#define HLO_VERIFY_OPERATIONS(member, name, text) .member = {false},
#include "shape/verify_options.def"
#undef HLO_VERIFY_SWITCH
#undef HLO_VERIFY_OPERATIONS
};

hlo_verify_options *hlo_verify_options_create(void) {
    HLO_API_CALL(NULL) return NULL;
    hlo_verify_options *options = hlo_malloc(sizeof *options);
    *options = hlo_verify_plain;
    return options;
}

void hlo_verify_options_free(hlo_verify_options *options) {
    hlo_free(options);
}

/* ---- values ---- */

static hlo_status set_switch(bool *value, const char *name, const char *text, hlo_diags *diags) {
    *value = strcmp(text, "on") == 0;
    if (*value || strcmp(text, "off") == 0) return HLO_OK;
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "%s is on or off, not '%s'", name, text);
    return HLO_BAD_USE;
}

static hlo_status add_operation(bool *values, const char *text, size_t n, hlo_diags *diags) {
    bool all = n == 3 && memcmp(text, "all", 3) == 0, found = all;
    for (size_t i = 0; i < HLO_OP_COUNT; i++) {
        bool named = strlen(hlo_ops[i].text) == n && memcmp(hlo_ops[i].text, text, n) == 0;
        if (all || named) values[i] = found = true;
    }
    if (found) return HLO_OK;
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "unknown operation '%.*s'", (int)n, text);
    const hlo_nearest search = hlo_op_nearest(text, n);
    if (search.name) hlo_hint_nearest(diags, &search);
    else hlo_advise(diags, HLO_ADVICE_OPERATIONS);
    return HLO_BAD_USE;
}

static hlo_status add_operations(bool *values, const char *list, hlo_diags *diags) {
    hlo_status status = HLO_OK;
    for (;;) {
        size_t n = strcspn(list, ",");
        if (add_operation(values, list, n, diags) != HLO_OK) status = HLO_BAD_USE;
        if (!list[n]) return status;
        list += n + 1;
    }
}

hlo_status hlo_verify_options_set(hlo_verify_options *options, const char *name, const char *value,
                                  hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, options);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, value);
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(table[i].name, name) != 0) continue;
        bool *member = (bool *)((char *)options + table[i].offset);
        return table[i].of_operations ? add_operations(member, value, diags)
                                      : set_switch(member, name, value, diags);
    }
    hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0}, "the verifier has no option '%s'", name);
    return HLO_BAD_USE;
}

bool hlo_verify_option_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, COUNT)) return false;
    row->name = table[number].name;
    row->group = table[number].of_operations ? "OPERATIONS" : NULL;
    row->description = table[number].text;
    row->on = table[number].fallback;
    return true;
}
