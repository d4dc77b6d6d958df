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

/* Where a list of operations stands: in a file, or NULL. */
typedef struct {
    hlo_source *source;
    const char *start;
    hlo_diags *diags;
} operation_list;

static hlo_status add_operation(bool *values, const operation_list *in, const char *text,
                                size_t n) {
    bool all = n == 3 && memcmp(text, "all", 3) == 0, found = all;
    for (size_t i = 0; i < HLO_OP_COUNT; i++) {
        bool named = strlen(hlo_ops[i].text) == n && memcmp(hlo_ops[i].text, text, n) == 0;
        if (all || named) values[i] = found = true;
    }
    if (found) return HLO_OK;
    uint32_t at = (uint32_t)(text - in->start);
    hlo_span span = in->source ? (hlo_span){at, at + (uint32_t)n} : (hlo_span){0};
    hlo_error(in->diags, HLO_RULE_USAGE, in->source, span, "unknown operation '%.*s'", (int)n,
              text);
    const hlo_nearest search = hlo_op_nearest(text, n);
    if (search.name) hlo_hint_nearest(in->diags, &search);
    else hlo_advise(in->diags, HLO_ADVICE_OPERATIONS);
    return HLO_BAD_USE;
}

static hlo_status add_operations(bool *values, const operation_list *in, size_t size) {
    hlo_status status = HLO_OK;
    bool any = false;
    for (const char *at = in->start, *end = at + size; at < end;) {
        size_t n = 0, left = (size_t)(end - at);
        while (n < left && !strchr(", \t\r\n#", at[n])) n++;
        any |= n > 0;
        if (n && add_operation(values, in, at, n) != HLO_OK) status = HLO_BAD_USE;
        if (n < left && at[n] == '#')
            while (n < left && at[n] != '\n') n++;
        at += n < left ? n + 1 : n;
    }
    return any ? status : hlo_misuse(in->diags, "the list of operations is empty");
}

/* The row of the option, after an error COUNT. */
static size_t row_of(const char *name, hlo_diags *diags) {
    size_t i = 0;
    while (i < COUNT && strcmp(table[i].name, name) != 0) i++;
    if (i == COUNT) hlo_misuse(diags, "the verifier has no option '%s'", name);
    return i;
}

static bool *member_of(hlo_verify_options *options, size_t row) {
    return (bool *)((char *)options + table[row].offset);
}

hlo_status hlo_verify_options_set(hlo_verify_options *options, const char *name, const char *value,
                                  hlo_diags *diags) {
    HLO_API_CALL(diags) return HLO_BAD_SYSTEM;
    HLO_REQUIRE(diags, options);
    HLO_REQUIRE(diags, name);
    HLO_REQUIRE(diags, value);
    size_t row = row_of(name, diags);
    if (row == COUNT) return HLO_BAD_USE;
    bool *member = member_of(options, row);
    if (!table[row].of_operations) return set_switch(member, name, value, diags);
    return add_operations(member, &(operation_list){NULL, value, diags}, strlen(value));
}

hlo_status hlo_verify_options_add(hlo_verify_options *options, const char *name, hlo_source *list,
                                  hlo_diags *diags) {
    size_t row = row_of(name, diags);
    if (row == COUNT) return HLO_BAD_USE;
    if (!table[row].of_operations)
        return hlo_misuse(diags, "%s is on or off, not a list of operations", name);
    return add_operations(member_of(options, row), &(operation_list){list, list->text, diags},
                          list->len);
}

bool hlo_verify_option_row(size_t number, hlo_table_row *row) {
    if (!hlo_row_begin(row, number, COUNT)) return false;
    row->name = table[number].name;
    row->group = table[number].of_operations ? "OPERATIONS" : NULL;
    row->description = table[number].text;
    row->on = table[number].fallback;
    return true;
}
