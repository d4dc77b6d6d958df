/* What passes leave can be written and read: as text, JSON, protobuf and text protobuf it comes
 * back equal, and the verifier takes it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/module_hash.h"
#include "check_passes/check.h"
#include "differential/differential.h"
#include "parse/parse.h"
#include "proto/proto.h"
#include "shape/verify.h"

typedef enum { TEXT, JSON, WIRE, PBTXT, FORMS } form;

static const char *const names[FORMS] = {"text", "JSON", "protobuf", "text protobuf"};
static const hlo_proto_form message_forms[FORMS] = {
    [JSON] = HLO_PROTO_JSON, [WIRE] = HLO_PROTO_WIRE, [PBTXT] = HLO_PROTO_PBTXT};

/* ---- text, by lines ---- */

typedef struct {
    hlo_buf text;
    HLO_LIST(hlo_str) lines; /* sorted: the order of computations is none of the module */
    bool has_negative_zero;  /* which the text shows and does not keep */
} listing;

static int by_bytes(const void *a, const void *b) {
    return hlo_str_compare(*(const hlo_str *)a, *(const hlo_str *)b);
}

/* "-0" where a number ends becomes "0". */
static void drop_negative_zeros(listing *l) {
    char *to = l->text.data, *end = to + l->text.len;
    for (const char *at = to; at < end; at++) {
        bool begins = at == l->text.data || strchr(" ({,", at[-1]);
        bool is_zero = at[0] == '-' && at + 2 < end && at[1] == '0' && strchr(",) }\n", at[2]);
        l->has_negative_zero |= begins && is_zero;
        if (!begins || !is_zero) *to++ = *at;
    }
    l->text.len = (size_t)(to - l->text.data);
}

static void list(hlo_module *module, listing *l) {
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    *l = (listing){.text = HLO_BUF_INIT};
    hlo_module_print(module, &style, &l->text);
    drop_negative_zeros(l);
    const char *end = l->text.data + l->text.len, *from = l->text.data;
    while (from < end) {
        const char *to = memchr(from, '\n', (size_t)(end - from));
        if (!to) to = end;
        hlo_list_push(&l->lines, ((hlo_str){from, (uint32_t)(to - from), 0}));
        from = to + 1;
    }
    if (l->lines.n) qsort(l->lines.v, l->lines.n, sizeof *l->lines.v, by_bytes);
}

static void drop_listing(listing *l) {
    hlo_buf_free(&l->text);
    hlo_list_free(&l->lines);
}

/* The first line of one that the other has not; false: there is none. */
static bool find_difference(const listing *a, const listing *b, hlo_str *left, hlo_str *right) {
    static const hlo_str none = {"(nothing)", 9, 0};
    size_t k = 0;
    while (k < a->lines.n && k < b->lines.n && hlo_str_equal(a->lines.v[k], b->lines.v[k])) k++;
    *left = k < a->lines.n ? a->lines.v[k] : none;
    *right = k < b->lines.n ? b->lines.v[k] : none;
    return k < a->lines.n || k < b->lines.n;
}

/* ---- there and back ---- */

static hlo_status write_as(hlo_module *module, form as, hlo_buf *to, hlo_diags *diags) {
    hlo_print_options style = hlo_print_default;
    style.large_constants = true;
    if (as == TEXT) {
        hlo_module_print(module, &style, to);
        return HLO_OK;
    }
    return hlo_proto_write(module, HLO_AS_MODULE_PROTO, message_forms[as], to, diags);
}

static hlo_module *read_as(const hlo_buf *bytes, form as, hlo_diags *diags) {
    hlo_module *module = NULL;
    hlo_source *source = hlo_source_from_text(names[as], bytes->data, bytes->len);
    hlo_status status = as == TEXT ? hlo_parse(source, diags, &module)
                                   : hlo_proto_read(source, message_forms[as], diags, &module);
    if (status == HLO_OK) status = hlo_verify_with(module, NULL, diags);
    if (status != HLO_OK) {
        hlo_module_free(module);
        module = NULL;
    }
    hlo_source_release(source);
    return module;
}

static bool same_hash(hlo_module *a, hlo_module *b) {
    hlo_hash128 x = hlo_module_hash_of(a), y = hlo_module_hash_of(b);
    return x.high == y.high && x.low == y.low;
}

static void report_difference(const check_case *c, const char *passes, form as, hlo_str left,
                              hlo_str right) {
    char what[64];
    snprintf(what, sizeof what, "comes back from %s as another module", names[as]);
    check_fail(c, passes, what);
    printf("  %.*s\n  %.*s\n", (int)left.len, left.ptr, (int)right.len, right.ptr);
}

static void compare(const check_case *c, const char *passes, form as, hlo_module *module,
                    hlo_module *again) {
    listing before, after;
    hlo_str left, right;
    if (as != TEXT) {
        lose_what_messages_lose(module);
        lose_what_messages_lose(again);
    }
    list(module, &before);
    list(again, &after);
    if (find_difference(&before, &after, &left, &right))
        report_difference(c, passes, as, left, right);
    else if (!(as == TEXT && before.has_negative_zero) && !same_hash(module, again))
        report_difference(c, passes, as, hlo_str_from("the hash"), hlo_str_from("another one"));
    drop_listing(&before);
    drop_listing(&after);
}

static void check_form(const check_case *c, const char *passes, form as, hlo_module *module) {
    hlo_buf bytes = HLO_BUF_INIT;
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *again = NULL;
    bool is_written = write_as(module, as, &bytes, &diags) == HLO_OK;
    if (is_written) again = read_as(&bytes, as, &diags);
    if (!again) {
        char what[64];
        snprintf(what, sizeof what, "cannot be %s as %s", is_written ? "read" : "written",
                 names[as]);
        check_fail(c, passes, what);
        hlo_diags_render(&diags, stdout, false);
    } else {
        compare(c, passes, as, module, again);
    }
    c->tally->trips++;
    hlo_module_free(again);
    hlo_diags_drop(&diags);
    hlo_buf_free(&bytes);
}

/* A message holds one device's part of a graph. */
void check_forms(const check_case *c, const char *passes, hlo_module *module) {
    check_form(c, passes, TEXT, module);
    if (module->next_device) return;
    for (int as = JSON; as < FORMS; as++) check_form(c, passes, (form)as, module);
}
