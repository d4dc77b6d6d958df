/* Values made of keyed parts in braces: windows, statistics, tolerances, aliasing, frontend
 * attributes, stack-frame rows; and the one-token texts (labels, padding) taken apart. */
#include "base/text.h"
#include "parse/attribute_values.h"
#include "parse/suggest.h"

static bool key_is(const hlo_name *key, const char *text) {
    return hlo_str_is((hlo_str){key->ptr, key->len, 0}, text);
}

static void bad_word(hlo_parser *p, const hlo_name *word, hlo_word_set set, hlo_span at,
                     const char *message) {
    hlo_bad_value(p, at, message);
    hlo_suggest_of_set(p, word, set);
}

static void bad_key(hlo_parser *p, const hlo_name *key, hlo_span at, const char *wanted) {
    hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, at, "'%.*s' is not one of the parts: %s",
                    (int)(key->len > 80 ? 80 : key->len), key->ptr, wanted);
    hlo_suggest_listed(p, key, wanted);
}

void hlo_begin_fields(hlo_parser *p) {
    p->stacks.fields.n = 0;
    p->stacks.aliases.n = 0;
    p->value.domain = (hlo_domain){0};
    p->value.sparsity = (hlo_sparsity){0};
}

void hlo_add_field(hlo_parser *p, hlo_name *key, hlo_span key_at, int64_t number, const void *text,
                   hlo_span at) {
    hlo_field field = {.key = key,
                       .key_at = key_at,
                       .at = at,
                       .integer = number,
                       .is_integer = !text,
                       .number = (double)number,
                       .text = text};
    hlo_list_push(&p->stacks.fields, field);
}

void hlo_add_number_field(hlo_parser *p, hlo_name *key, hlo_span key_at, double number,
                          int64_t integer, bool is_integer, hlo_span at) {
    hlo_field field = {.key = key,
                       .key_at = key_at,
                       .at = at,
                       .integer = integer,
                       .is_integer = is_integer,
                       .number = number};
    hlo_list_push(&p->stacks.fields, field);
}

/* The first field of that name, or NULL. */
static hlo_field *field_named(hlo_parser *p, const char *name) {
    for (uint32_t i = 0; i < p->stacks.fields.n; i++)
        if (key_is(p->stacks.fields.v[i].key, name)) return &p->stacks.fields.v[i];
    return NULL;
}

static void check_repeats(hlo_parser *p, const char *name) {
    const hlo_field *first = field_named(p, name), *end = p->stacks.fields.v + p->stacks.fields.n;
    for (const hlo_field *field = first; field && ++field < end;) {
        if (!key_is(field->key, name)) continue;
        hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, field->at, "%s= is given twice", name);
        hlo_note(p->diags, p->source, first->key_at, "the first one is here");
    }
}

/* Reports fields whose name is not among `names` (n of them) or is there already. */
static void check_names(hlo_parser *p, const char *const *names, size_t n, const char *wanted) {
    for (uint32_t i = 0; i < p->stacks.fields.n; i++) {
        bool known = false;
        for (size_t k = 0; k < n; k++) known |= key_is(p->stacks.fields.v[i].key, names[k]);
        if (known) continue;
        bad_key(p, p->stacks.fields.v[i].key, p->stacks.fields.v[i].key_at, wanted);
        hlo_note(p->diags, p->source, p->stacks.fields.v[i].at, "so this value is ignored");
    }
    for (size_t k = 0; k < n; k++) check_repeats(p, names[k]);
}

/* ---- texts made of numbers: 3x3, 0_1x0_1, 0_1_2 ---- */

/* Pushes the numbers of `text`, which are separated by 'x' and '_', and counts those between two
 * 'x' in *group (0 when groups differ). Returns how many groups; UINT32_MAX on overflow. */
static uint32_t push_numbers(hlo_parser *p, hlo_str text, uint32_t *group) {
    uint32_t groups = 1, in_group = 0;
    *group = UINT32_MAX;
    for (uint32_t i = 0; i < text.len;) {
        bool negative = text.ptr[i] == '-';
        const char *at = text.ptr + i + negative;
        uint64_t value;
        if (!hlo_digits(&at, text.ptr + text.len, INT64_MAX, &value)) return UINT32_MAX;
        hlo_list_push(&p->stacks.ints, negative ? -(int64_t)value : (int64_t)value);
        i = (uint32_t)(at - text.ptr);
        in_group++;
        if (i == text.len || text.ptr[i] == 'x') {
            if (*group == UINT32_MAX) *group = in_group;
            else if (*group != in_group) *group = 0;
            if (i < text.len) groups++;
            in_group = 0;
        }
        i++;
    }
    return groups;
}

/* ---- window ---- */

/* The numbers of one part; `per_dim` numbers a dimension. NULL after reporting. */
static const hlo_ints *window_numbers(hlo_parser *p, const hlo_field *field, uint32_t per_dim) {
    uint32_t base = p->stacks.ints.n, group = 1, groups = 1;
    if (field->text) groups = push_numbers(p, *field->text, &group);
    else hlo_list_push(&p->stacks.ints, field->integer);
    const hlo_ints *numbers = hlo_take_ints(p, base);
    if (groups != UINT32_MAX && group == per_dim) return numbers;
    hlo_bad_value(p, field->at,
                  groups == UINT32_MAX ? "a number here does not fit 64 bits"
                  : per_dim == 2       ? "expected padding such as 0_1x0_1"
                                       : "expected sizes such as 3x3");
    return NULL;
}

static void set_window_part(hlo_window *window, size_t part, const hlo_ints *v) {
    for (uint32_t i = 0; i < window->n; i++) {
        hlo_window_dim *dim = &window->v[i];
        switch (part) {
        case 0: dim->size = v->v[i]; break;
        case 1: dim->stride = v->v[i]; break;
        case 2:
            dim->pad_low = v->v[(size_t)2 * i];
            dim->pad_high = v->v[(size_t)2 * i + 1];
            break;
        case 3: dim->base_dilation = v->v[i]; break;
        case 4: dim->window_dilation = v->v[i]; break;
        default: dim->reversed = v->v[i] == 1; break;
        }
    }
}

static hlo_window *new_window(hlo_parser *p, uint32_t n) {
    hlo_window *window = hlo_arena_zero(p->arena, sizeof *window + n * sizeof window->v[0]);
    window->n = n;
    for (uint32_t i = 0; i < n; i++)
        window->v[i] =
            (hlo_window_dim){.size = 1, .stride = 1, .base_dilation = 1, .window_dilation = 1};
    return window;
}

void hlo_give_window(hlo_parser *p, int id, hlo_span at, hlo_span value_at) {
    static const char *const parts[] = {"size",       "stride",     "pad",
                                        "lhs_dilate", "rhs_dilate", "rhs_reversal"};
    enum { PARTS = sizeof parts / sizeof *parts };
    check_names(p, parts, PARTS, "size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal");
    const hlo_field *size = field_named(p, "size");
    const hlo_ints *sizes = size ? window_numbers(p, size, 1) : NULL;
    hlo_window *window = new_window(p, sizes ? sizes->n : 0);
    if (sizes) set_window_part(window, 0, sizes);
    if (!size && p->stacks.fields.n) hlo_bad_value(p, value_at, "a window needs size=");
    for (size_t i = 1; i < PARTS; i++) {
        const hlo_field *field = field_named(p, parts[i]);
        const hlo_ints *numbers = field ? window_numbers(p, field, i == 2 ? 2 : 1) : NULL;
        if (!numbers || !sizes) continue;
        if (numbers->n == window->n * (i == 2 ? 2 : 1)) {
            set_window_part(window, i, numbers);
            continue;
        }
        hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, field->at,
                        "%s= has another number of dimensions than size= (%u)", parts[i],
                        window->n);
        hlo_note(p->diags, p->source, value_at, "in this window");
        hlo_note_instruction(p);
    }
    hlo_give(p, id, at, window, value_at);
}

/* ---- padding ---- */

void hlo_give_padding(hlo_parser *p, int id, hlo_span at, const hlo_str *text, hlo_span value_at) {
    uint32_t base = p->stacks.ints.n, group, from = 0, n = 0;
    hlo_padding *padding =
        hlo_arena_zero(p->arena, sizeof *padding + text->len * sizeof padding->v[0]);
    for (uint32_t i = 0; i <= text->len; i++) {
        if (i < text->len && text->ptr[i] != 'x') continue;
        p->stacks.ints.n = base;
        if (push_numbers(p, (hlo_str){text->ptr + from, i - from, 1}, &group) == UINT32_MAX)
            hlo_bad_value(p, value_at, "a number here does not fit 64 bits");
        const int64_t *v = p->stacks.ints.v + base;
        if (p->stacks.ints.n - base >= 2) {
            padding->v[n].low = v[0];
            padding->v[n].high = v[1];
            padding->v[n++].interior = p->stacks.ints.n - base > 2 ? v[2] : 0;
        }
        from = i + 1;
    }
    p->stacks.ints.n = base;
    padding->n = n;
    hlo_give(p, id, at, padding, value_at);
}

/* ---- dimension labels ---- */

typedef struct {
    int64_t first, second; /* b and f, or i and o */
    uint32_t spatial;
    int64_t *positions; /* of spatial dimensions 0 ... */
} label_part;

/* One part such as `b01f`. `letters` are the two roles it may name. */
static const char *read_labels(hlo_parser *p, const char *from, const char *to, const char *letters,
                               label_part *out) {
    int64_t positions[10];
    for (int i = 0; i < 10; i++) positions[i] = -1;
    *out = (label_part){-1, -1, 0, NULL};
    for (const char *c = from; c < to; c++) {
        int64_t *slot = *c == letters[0] ? &out->first : *c == letters[1] ? &out->second : NULL;
        if (*c == '?') continue;
        if (!slot && hlo_is_digit(*c)) {
            slot = &positions[*c - '0'];
            out->spatial++;
        }
        if (!slot) return "this label belongs to another part";
        if (*slot >= 0) return "a label is repeated";
        *slot = c - from;
    }
    if (out->first < 0) out->first = 0; /* XLA's default for a letter that is not named */
    if (out->second < 0) out->second = 0;
    for (uint32_t i = 0; i < out->spatial; i++)
        if (positions[i] < 0) return "spatial labels must be numbered from 0 without gaps";
    out->positions = hlo_arena_copy(p->arena, positions, out->spatial * sizeof *positions);
    return NULL;
}

void hlo_give_labels(hlo_parser *p, int id, hlo_span at, const hlo_str *text, hlo_span value_at) {
    const char *end = text->ptr + text->len, *under = memchr(text->ptr, '_', text->len);
    const char *arrow = memchr(text->ptr, '>', text->len);
    label_part input, kernel, output;
    const char *why = read_labels(p, text->ptr, under, "bf", &input);
    if (!why) why = read_labels(p, under + 1, arrow - 1, "io", &kernel);
    if (!why) why = read_labels(p, arrow + 1, end, "bf", &output);
    if (!why && (input.spatial != kernel.spatial || input.spatial != output.spatial))
        why = "the three parts have different numbers of spatial dimensions";
    if (why) {
        hlo_bad_value(p, value_at, why);
        hlo_current(p)->poisoned = true;
        return;
    }
    hlo_dim_labels *labels = HLO_NEW(p->arena, hlo_dim_labels);
    *labels = (hlo_dim_labels){input.spatial,    input.first,     input.second,  kernel.first,
                               kernel.second,    output.first,    output.second, input.positions,
                               kernel.positions, output.positions};
    hlo_give(p, id, at, labels, value_at);
}

/* ---- sparsity, domain ---- */

void hlo_add_sparsity_side(hlo_parser *p, hlo_name *key, hlo_span at) {
    static const char *const parts[] = {"sparsity", "dimension", "stride"};
    bool left = key_is(key, "lhs");
    if (!left && !key_is(key, "rhs")) bad_key(p, key, at, "lhs, rhs");
    check_names(p, parts, 3, "sparsity, dimension, stride");
    const hlo_field *ratio = field_named(p, "sparsity"), *dim = field_named(p, "dimension");
    const hlo_field *stride = field_named(p, "stride");
    const hlo_ints *numbers = ratio ? window_numbers(p, ratio, 1) : NULL;
    if ((ratio && (!numbers || numbers->n != 2)) || (dim && dim->text) ||
        (stride && stride->text)) {
        hlo_bad_value(p, at, "expected sparsity=NxM dimension=D stride=S");
    } else { /* omitted ones are zero */
        __typeof__(p->value.sparsity.lhs) side = {true, ratio ? numbers->v[0] : 0,
                                                  ratio ? numbers->v[1] : 0, dim ? dim->integer : 0,
                                                  stride ? stride->integer : 0};
        if (left) p->value.sparsity.lhs = side;
        else memcpy(&p->value.sparsity.rhs, &side, sizeof side);
    }
    p->stacks.fields.n = 0;
}

void hlo_give_sparsity(hlo_parser *p, int id, hlo_span at, hlo_span value_at) {
    hlo_give(p, id, at, hlo_arena_copy(p->arena, &p->value.sparsity, sizeof p->value.sparsity),
             value_at);
}

void hlo_set_domain_kind(hlo_parser *p, hlo_name *key, hlo_span at, const hlo_str *kind,
                         hlo_span value_at) {
    if (!key_is(key, "kind")) bad_key(p, key, at, "kind, entry, exit");
    if (!hlo_str_is(*kind, "sharding")) {
        hlo_bad_value(p, value_at, "the only kind of domain is \"sharding\"");
        p->recovery.note_end = true;
    }
    hlo_add_field(p, key, at, 0, kind, value_at);
}

void hlo_set_domain_side(hlo_parser *p, hlo_name *key, hlo_span at, hlo_sharding *side,
                         hlo_span value_at) {
    const hlo_sharding **place = key_is(key, "entry")  ? &p->value.domain.entry
                                 : key_is(key, "exit") ? &p->value.domain.exit
                                                       : NULL;
    if (!place) bad_key(p, key, at, "kind, entry, exit");
    else if (*place) hlo_bad_value(p, value_at, "this part is given twice");
    else *place = side;
    if (!side) hlo_current(p)->poisoned = true;
}

void hlo_give_domain(hlo_parser *p, int id, hlo_span at, hlo_span value_at) {
    bool broken = hlo_current(p)->poisoned;
    check_repeats(p, "kind");
    if (!broken && (!field_named(p, "kind") || !p->value.domain.entry || !p->value.domain.exit))
        hlo_bad_value(p, value_at, "a domain needs kind=, entry= and exit=");
    hlo_give(p, id, at, hlo_arena_copy(p->arena, &p->value.domain, sizeof p->value.domain),
             value_at);
}

/* ---- frontend attributes ---- */

static void sort_fields(hlo_field *v, uint32_t n, hlo_field *spare) {
    if (n < 2) return;
    uint32_t half = n / 2, a = 0, b = half, at = 0;
    sort_fields(v, half, spare);
    sort_fields(v + half, n - half, spare);
    memcpy(spare, v, n * sizeof *v);
    while (a < half || b < n) {
        bool left =
            b == n ||
            (a < half && hlo_str_compare((hlo_str){spare[a].key->ptr, spare[a].key->len, 0},
                                         (hlo_str){spare[b].key->ptr, spare[b].key->len, 0}) <= 0);
        v[at++] = left ? spare[a++] : spare[b++];
    }
}

/* Sorted by name; of two with one name the last stays. */
const hlo_frontend *hlo_take_frontend(hlo_parser *p) {
    uint32_t n = p->stacks.fields.n, kept = 0;
    hlo_field *spare = hlo_malloc(n * sizeof *spare);
    sort_fields(p->stacks.fields.v, n, spare);
    hlo_free(spare);
    hlo_frontend *out = hlo_arena_alloc(p->arena, sizeof *out + n * sizeof out->v[0]);
    for (uint32_t i = 0; i < n; i++) {
        const hlo_field *field = &p->stacks.fields.v[i];
        if (i + 1 < n && p->stacks.fields.v[i + 1].key == field->key) continue;
        out->v[kept].key = (hlo_str){field->key->ptr, field->key->len, 1};
        out->v[kept++].value = *field->text;
    }
    out->n = kept;
    return out;
}

/* ---- statistics, accuracy ---- */

/* The first entry, whatever its name, is the index to visualise. */
const hlo_statistics *hlo_take_statistics(hlo_parser *p, hlo_span at) {
    uint32_t n = p->stacks.fields.n ? p->stacks.fields.n - 1 : 0;
    hlo_statistics *out = hlo_arena_zero(p->arena, sizeof *out + n * sizeof out->v[0]);
    out->n = n;
    if (p->stacks.fields.n) {
        if (!p->stacks.fields.v[0].is_integer)
            hlo_bad_value(p, at, "the first statistic is the index to visualise, a number");
        out->visualizing_index = p->stacks.fields.v[0].integer;
    }
    for (uint32_t i = 0; i < n; i++) {
        const hlo_field *field = &p->stacks.fields.v[i + 1];
        if (__builtin_isinf(field->number))
            hlo_bad_value(p, field->at, "a statistic is a finite number or nan");
        out->v[i].name = (hlo_str){field->key->ptr, field->key->len, 1};
        out->v[i].value = field->number;
    }
    return out;
}

const hlo_accuracy *hlo_accuracy_mode(hlo_parser *p, hlo_name *key, hlo_span at, hlo_name *word,
                                      hlo_span word_at) {
    hlo_accuracy *out = HLO_NEW(p->arena, hlo_accuracy);
    const hlo_word_info *info =
        hlo_word_find(HLO_WORDS_ACCURACY_MODE, (hlo_str){word->ptr, word->len, 0});
    if (!key_is(key, "mode")) bad_key(p, key, at, "mode, tolerance");
    else if (!info)
        bad_word(p, word, HLO_WORDS_ACCURACY_MODE, word_at,
                 "the mode of an accuracy is default or highest");
    else out->mode = info->number;
    return out;
}

const hlo_accuracy *hlo_accuracy_tolerance(hlo_parser *p, hlo_name *key, hlo_span at) {
    static const char *const parts[] = {"atol", "rtol", "ulps"};
    hlo_accuracy *out = HLO_NEW(p->arena, hlo_accuracy);
    out->is_tolerance = true;
    if (!key_is(key, "tolerance")) bad_key(p, key, at, "mode, tolerance");
    check_names(p, parts, 3, "atol, rtol, ulps");
    const hlo_field *atol = field_named(p, "atol"), *rtol = field_named(p, "rtol"),
                    *ulps = field_named(p, "ulps");
    if (atol) out->atol = atol->number;
    if (rtol) out->rtol = rtol->number;
    if (ulps && !ulps->is_integer && !(ulps->number > -9.2e18 && ulps->number < 9.2e18))
        hlo_bad_value(p, ulps->at, "ulps= does not fit 64 bits");
    else if (ulps) out->ulps = ulps->is_integer ? ulps->integer : (int64_t)ulps->number;
    if (!(out->atol >= 0 && out->rtol >= 0 && out->ulps >= 0))
        hlo_bad_value(p, at, "a tolerance is not negative");
    return out;
}

/* ---- aliasing ---- */

void hlo_add_alias(hlo_parser *p, const hlo_ints *output, int64_t parameter, const hlo_ints *index,
                   hlo_name *kind, hlo_span at) {
    hlo_alias_entry entry = {output, index, parameter,
                             hlo_word_find(HLO_WORDS_ALIAS_KIND, HLO_STR("may-alias"))->number};
    if (kind) {
        const hlo_word_info *info =
            hlo_word_find(HLO_WORDS_ALIAS_KIND, (hlo_str){kind->ptr, kind->len, 0});
        if (info) entry.kind = info->number;
        else {
            bad_word(p, kind, HLO_WORDS_ALIAS_KIND, at,
                     "the kind of an alias is may-alias or must-alias");
            hlo_note_after(p, at.hi);
        }
    }
    hlo_list_push(&p->stacks.aliases, entry);
}

const hlo_aliasing *hlo_take_aliasing(hlo_parser *p) {
    uint32_t n = p->stacks.aliases.n;
    hlo_aliasing *out = hlo_arena_alloc(p->arena, sizeof *out + n * sizeof out->v[0]);
    out->n = n;
    for (uint32_t i = 0; i < n; i++) {
        out->v[i].output = p->stacks.aliases.v[i].output;
        out->v[i].parameter = p->stacks.aliases.v[i].parameter;
        out->v[i].index = p->stacks.aliases.v[i].index;
        out->v[i].kind = p->stacks.aliases.v[i].kind;
    }
    p->stacks.aliases.n = 0;
    return out;
}

/* ---- stack-frame rows ---- */

/* Exactly these fields, in any order; what is missing is reported once for the row. */
static void check_row(hlo_parser *p, const char *const *names, size_t n, const char *wanted,
                      hlo_span at) {
    hlo_buf missing = HLO_BUF_INIT;
    check_names(p, names, n, wanted);
    for (size_t i = 0; i < n; i++) {
        if (field_named(p, names[i])) continue;
        hlo_buf_cstr(&missing, missing.len ? ", " : "");
        hlo_buf_cstr(&missing, names[i]);
        hlo_buf_char(&missing, '=');
    }
    hlo_buf_char(&missing, 0);
    if (missing.len > 1)
        hlo_parse_error(p, HLO_RULE_MISSING_ATTRIBUTE, at, "this row needs %s", missing.data);
    hlo_buf_free(&missing);
}

static int32_t row_number(hlo_parser *p, const char *name) {
    const hlo_field *field = field_named(p, name);
    if (!field) return 0;
    if (field->integer < INT32_MIN || field->integer > INT32_MAX)
        hlo_bad_value(p, field->at, "this number does not fit 32 bits");
    return (int32_t)field->integer;
}

void hlo_add_file_location(hlo_parser *p, hlo_span at) {
    static const char *const parts[] = {"file_name_id", "function_name_id", "line",
                                        "end_line",     "column",           "end_column"};
    check_row(p, parts, 6, "file_name_id, function_name_id, line, end_line, column, end_column",
              at);
    hlo_file_location row = {(uint32_t)row_number(p, parts[0]), (uint32_t)row_number(p, parts[1]),
                             row_number(p, parts[2]),           row_number(p, parts[3]),
                             row_number(p, parts[4]),           row_number(p, parts[5])};
    hlo_list_push(&p->frames.locations, row);
}

/* Text counts parents from 1 for "none", so a row's parent is one less than written. */
void hlo_add_stack_frame(hlo_parser *p, hlo_span at) {
    static const char *const parts[] = {"file_location_id", "parent_frame_id"};
    check_row(p, parts, 2, "file_location_id, parent_frame_id", at);
    hlo_stack_frame row = {(uint32_t)row_number(p, parts[0]),
                           (uint32_t)row_number(p, parts[1]) - 1};
    hlo_list_push(&p->frames.rows, row);
}
