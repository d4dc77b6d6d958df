/* Another spelling of every line: order of attributes, explicit defaults, operand shapes. */
#include <stdlib.h>
#include <string.h>

#include "respell/respell.h"

typedef struct {
    const char *opcode; /* NULL: any that is no part of an async operation; "": the header */
    const char *name, *value;
} explicit_default;

static const explicit_default defaults[] = {
    {"", "replica_count=", "1"},
    {"", "num_partitions=", "1"},
    {"", "is_scheduled=", "false"},
    {"sort", "is_stable=", "false"},
    {"convolution", "feature_group_count=", "1"},
    {"convolution", "batch_group_count=", "1"},
    {"convolution", "operand_precision=", "{default,default}"},
    {"dot", "operand_precision=", "{DEFAULT, default}"},
    {"dot", "lhs_batch_dims=", "{}"},
    {"dot", "rhs_batch_dims=", "{}"},
    {"gather", "indices_are_sorted=", "false"},
    {"gather", "operand_batching_dims=", "{}"},
    {"scatter", "indices_are_sorted=", "false"},
    {"scatter", "unique_indices=", "false"},
    {"reshape", "inferred_dimension=", "-1"},
    {"cholesky", "lower=", "false"},
    {"triangular-solve", "unit_diagonal=", "false"},
    {"all-reduce", "use_global_device_ids=", "false"},
    {"all-gather", "constrain_layout=", "false"},
    {"custom-call", "custom_call_has_side_effect=", "false"},
    {"custom-call", "api_version=", "API_VERSION_ORIGINAL"},
    {"custom-call", "schedule=", "SCHEDULE_NONE"},
    {"call", "is_composite=", "false"},
    {"exponential", "result_accuracy=", "{mode=default}"},
    {"tanh", "result_accuracy=", "{mode=default}"},
    {NULL, "metadata=", "{}"},
    {NULL, "backend_config=", "\"\""},
    {NULL, "frontend_attributes=", "{}"},
    {NULL, "statistics=", "{}"},
};

static bool has_attribute(const line *l, const char *name) {
    for (uint32_t i = 0; i < l->attribute_count; i++)
        if (token_is(&tokens[attributes[l->attribute_first + i].name], name)) return true;
    return false;
}

static bool ends_with(const token *t, const char *suffix) {
    size_t n = strlen(suffix);
    return t->len >= n && memcmp(t->text + t->len - n, suffix, n) == 0;
}

static bool takes(const line *l, const explicit_default *d) {
    if (has_attribute(l, d->name)) return false;
    const token *opcode = &tokens[l->opcode];
    if (l->is_header) return d->opcode && !*d->opcode;
    if (d->opcode) return token_is(opcode, d->opcode);
    return !ends_with(opcode, "-start") && !ends_with(opcode, "-update") &&
           !ends_with(opcode, "-done");
}

static void put_defaults(const line *l) {
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        if (!takes(l, &defaults[i]) || !one_in(2)) continue;
        put_text(", ");
        put_text(defaults[i].name);
        put_text(defaults[i].value);
    }
}

/* A mesh has nested attributes between its commas: such lines keep their order. */
bool may_reorder(const line *l) {
    for (uint32_t i = l->attributes; i < l->end; i++)
        if (token_is(&tokens[i], "mesh") || token_is(&tokens[i], "maximal_mesh")) return false;
    return true;
}

static void put_attributes(const line *l) {
    uint32_t n = l->attribute_count, *order = grow(NULL, n + 1, sizeof *order);
    for (uint32_t i = 0; i < n; i++) order[i] = l->attribute_first + i;
    for (uint32_t i = n; i > 1 && may_reorder(l); i--) {
        uint32_t k = below(i), moved = order[k];
        order[k] = order[i - 1];
        order[i - 1] = moved;
    }
    bool defaults_first = one_in(2);
    if (defaults_first) put_defaults(l);
    for (uint32_t i = 0; i < n; i++) {
        const attribute *a = &attributes[order[i]];
        put_text(",");
        put_blank('x');
        put(tokens[a->name].text, tokens[a->name].len);
        put_tokens(a->value, a->end, false);
    }
    if (!defaults_first) put_defaults(l);
    free(order);
}

/* The line of the same computation that defines a name; names are unique in a printed module. */
static const line *definition_of(const token *name, uint32_t before) {
    for (uint32_t i = before; i-- > 0;) {
        uint32_t at = lines[i].first + token_is(&tokens[lines[i].first], "ROOT");
        if (!lines[i].is_header && tokens[at].len == name->len &&
            memcmp(tokens[at].text, name->text, name->len) == 0)
            return &lines[i];
    }
    return NULL;
}

enum { LONGEST_SHAPE = 40, FARTHEST_OPERAND = 2000 };

static void put_operands(const line *l) {
    uint32_t number = (uint32_t)(l - lines);
    for (uint32_t at = l->arguments; at < l->attributes; at++) {
        const token *t = &tokens[at];
        if (*t->text == '%' && one_in(2) && number < FARTHEST_OPERAND) {
            const line *definition = definition_of(t, number);
            if (definition && definition->opcode - definition->shape <= LONGEST_SHAPE)
                put_tokens(definition->shape, definition->opcode, false);
        }
        put_token(t, false);
    }
}

static bool is_float_constant(const line *l) {
    const token *type = &tokens[l->shape];
    return token_is(&tokens[l->opcode], "constant") && type->kind == NAME &&
           (strchr("fc", *type->text) || token_is(type, "bf16"));
}

void write_respelt(void) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < line_count; i++) {
        const line *l = &lines[i];
        put_tokens(at, l->first, false);
        if (l->is_header) {
            put_tokens(l->first, l->attributes, false);
        } else {
            put_tokens(l->first, l->arguments, false);
            if (is_float_constant(l)) put_tokens(l->arguments, l->attributes, true);
            else put_operands(l);
        }
        put_attributes(l);
        at = l->end;
    }
    put_tokens(at, token_count, false);
    put_text("\n");
}
