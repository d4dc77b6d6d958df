/* What a text names among the parameters of a module, and what messages call them. See
 * parameters.h. */
#include "host/parameters.h"

#include "base/text.h"

/* ---- what a parameter is called ---- */

static hlo_str name_of(const hlo_instr *parameter) {
    return (hlo_str){parameter->name->ptr, parameter->name->len, 0};
}

static hlo_str op_name_of(const hlo_instr *parameter) {
    HLO_ASSERT(parameter->opcode == HLO_OP_PARAMETER);
    const hlo_attr *metadata = hlo_instr_attr(parameter, HLO_ATTR_METADATA);
    return metadata ? metadata->u.metadata->op_name : (hlo_str){"", 0, 0};
}

/* `x` of `x.1`: modules make names unique by numbers. */
static hlo_str stem_of(hlo_str name) {
    uint32_t n = hlo_final_digits(name);
    bool has_number = n < name.len && n > 1 && name.ptr[n - 1] == '.';
    return has_number ? (hlo_str){name.ptr, n - 1, 0} : name;
}

static bool may_be_in_name(char c) {
    return hlo_is_word_byte(c);
}

/* Whether `name` is what XLA makes of `text`, which it does not accept as a name. */
static bool is_made_of(hlo_str name, hlo_str text) {
    bool same = name.len == text.len;
    for (uint32_t i = 0; i < text.len && same; i++)
        same = name.ptr[i] == (may_be_in_name(text.ptr[i]) ? text.ptr[i] : '_');
    return same;
}

/* ---- finding ---- */

typedef bool rule(const hlo_instr *parameter, hlo_str text);

static bool has_name(const hlo_instr *parameter, hlo_str text) {
    return hlo_str_equal(name_of(parameter), text);
}

static bool has_op_name(const hlo_instr *parameter, hlo_str text) {
    return hlo_str_equal(op_name_of(parameter), text);
}

static bool has_stem(const hlo_instr *parameter, hlo_str text) {
    return hlo_str_equal(stem_of(name_of(parameter)), text);
}

static bool has_stem_made_of(const hlo_instr *parameter, hlo_str text) {
    return is_made_of(stem_of(name_of(parameter)), text);
}

static rule *const rules[] = {has_name, has_op_name, has_stem, has_stem_made_of};

/* How many parameters are called `text` by the rule; *out is the last of them. */
static uint32_t count_called(const hlo_run *run, rule *is_called, hlo_str text,
                             hlo_input_place *out) {
    const hlo_computation *entry = run->module->entry;
    uint32_t found = 0, leaf = 0;
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        const hlo_shape *shape = entry->parameters[i]->shape;
        if (is_called(entry->parameters[i], text)) {
            *out = (hlo_input_place){shape, leaf};
            found++;
        }
        leaf += hlo_leaf_count(shape);
    }
    return found;
}

static uint32_t find_parameter(const hlo_run *run, hlo_str text, hlo_input_place *out) {
    uint32_t found = 0;
    for (size_t i = 0; text.len && i < sizeof rules / sizeof *rules && !found; i++)
        found = count_called(run, rules[i], text, out);
    return found;
}

/* The `{1,0}` that ends the text, or its end. */
static const char *index_of(hlo_str text) {
    const char *end = text.ptr + text.len, *at = end;
    if (!text.len || at[-1] != '}') return end;
    for (at--; at > text.ptr && (hlo_is_digit(at[-1]) || at[-1] == ',');) at--;
    return at > text.ptr && at[-1] == '{' ? at - 1 : end;
}

/* Moves *place to its element {1,0}; `index` ends with the brace. */
static bool find_element(const char *index, const char *end, hlo_input_place *place) {
    do {
        uint64_t number;
        index++;
        if (!hlo_digits(&index, end, UINT32_MAX, &number) || !hlo_shape_is_tuple(place->shape) ||
            number >= place->shape->rank)
            return false;
        for (uint64_t i = 0; i < number; i++)
            place->leaf += hlo_leaf_count(place->shape->elements[i]);
        place->shape = place->shape->elements[number];
    } while (*index == ',');
    return *index == '}';
}

uint32_t hlo_run_find_input(const hlo_run *run, hlo_str text, hlo_input_place *out) {
    if (text.len && *text.ptr == '%') text = (hlo_str){text.ptr + 1, text.len - 1, 0};
    uint32_t found = find_parameter(run, text, out);
    const char *index = index_of(text);
    if (found || index == text.ptr + text.len) return found;
    found = find_parameter(run, (hlo_str){text.ptr, (uint32_t)(index - text.ptr), 0}, out);
    return found == 1 && !find_element(index, text.ptr + text.len, out) ? 0 : found;
}

/* ---- messages ---- */

enum { LONGEST_LIST = 200 };

/* ` (params['w'])` for `params__w__.1`: the op_name, where it is not the name again. */
static void put_op_name(hlo_buf *to, const hlo_instr *parameter) {
    hlo_str op_name = op_name_of(parameter);
    if (!op_name.len || hlo_str_equal(op_name, stem_of(name_of(parameter)))) return;
    hlo_buf_lit(to, " (");
    hlo_buf_str(to, op_name);
    hlo_buf_char(to, ')');
}

static void put_parameters(hlo_buf *to, const hlo_computation *entry) {
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        hlo_buf_cstr(to, i ? ", " : "");
        if (to->len > LONGEST_LIST) {
            hlo_buf_lit(to, "...");
            return;
        }
        hlo_buf_str(to, name_of(entry->parameters[i]));
        put_op_name(to, entry->parameters[i]);
    }
}

hlo_status hlo_run_refuse_name(const hlo_run *run, const char *name, uint32_t found,
                               hlo_diags *diags) {
    hlo_buf names = HLO_BUF_INIT;
    put_parameters(&names, run->module->entry);
    if (found > 1)
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0},
                  "'%s' is ambiguous: it matches %u parameters", name, found);
    else
        hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "the module has no parameter '%s'",
                  name);
    if (names.len) hlo_hint(diags, "its parameters are %.*s", (int)names.len, names.data);
    hlo_buf_free(&names);
    return HLO_BAD_USE;
}

/* `{1,0}` of the array that is number `leaf` of a tuple; nothing for an array. */
static void put_index(hlo_buf *to, const hlo_shape *shape, uint32_t leaf) {
    bool is_tuple = hlo_shape_is_tuple(shape);
    for (char before = '{'; hlo_shape_is_tuple(shape); before = ',') {
        uint32_t i = 0;
        for (uint32_t n; leaf >= (n = hlo_leaf_count(shape->elements[i])); i++) leaf -= n;
        hlo_buf_printf(to, "%c%u", before, i);
        shape = shape->elements[i];
    }
    if (is_tuple) hlo_buf_char(to, '}');
}

void hlo_run_put_input_name(hlo_buf *to, const hlo_run *run, uint32_t leaf) {
    hlo_instr *const *parameter = run->module->entry->parameters;
    uint32_t n, before = 0;
    for (; leaf - before >= (n = hlo_leaf_count((*parameter)->shape)); parameter++) before += n;
    hlo_buf_char(to, '\'');
    hlo_buf_str(to, name_of(*parameter));
    put_index(to, (*parameter)->shape, leaf - before);
    hlo_buf_lit(to, "' ");
    hlo_shape_print(to, run->inputs[leaf].shape, false);
    put_op_name(to, *parameter);
}
