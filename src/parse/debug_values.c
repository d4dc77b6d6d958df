/* The module's debug_attributes: how arrays of the original program are logged. */
#include "parse/attribute_values.h"
#include "parse/suggest.h"

typedef enum { IS_WORD, IS_NUMBER, IS_FLAG, IS_NONE } part_form;

static const char names[] = "log_mode, callback_id, partitioned, op_id";

static const struct {
    const char *name, *takes;
    part_form form;
} parts[] = {{"log_mode", "default or fusion_debugger", IS_WORD},
             {"callback_id", "a number", IS_NUMBER},
             {"partitioned", "true or false", IS_FLAG},
             {"op_id", "a number", IS_NUMBER}};

/* Whether the part may have a value of that form; what is wrong is reported. */
static bool takes(hlo_parser *p, const hlo_name *key, hlo_span key_at, part_form form,
                  hlo_span at) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!hlo_str_is((hlo_str){key->ptr, key->len, 0}, parts[i].name)) continue;
        if (parts[i].form != form)
            hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, at, "%s= takes %s", parts[i].name,
                            parts[i].takes);
        return parts[i].form == form;
    }
    hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, key_at, "'%.*s' is not one of the parts: %s",
                    (int)(key->len > 80 ? 80 : key->len), key->ptr, names);
    hlo_suggest_listed(p, key, names);
    return false;
}

void hlo_begin_debug_entry(hlo_parser *p, const hlo_origin *array) {
    p->value.log.array = array;
}

void hlo_begin_debug_log(hlo_parser *p) {
    p->value.log = (hlo_debug_log){.array = p->value.log.array};
}

void hlo_debug_word(hlo_parser *p, hlo_name *key, hlo_span key_at, hlo_name *word, hlo_span at) {
    if (!takes(p, key, key_at, IS_WORD, at)) return;
    const hlo_word_info *mode =
        hlo_word_find(HLO_WORDS_DEBUG_LOG_MODE, (hlo_str){word->ptr, word->len, 0});
    if (mode) {
        p->value.log.mode = mode->number;
        return;
    }
    takes(p, key, key_at, IS_NONE, at);
    hlo_suggest_of_set(p, word, HLO_WORDS_DEBUG_LOG_MODE);
}

void hlo_debug_number(hlo_parser *p, hlo_name *key, hlo_span key_at, int64_t number, hlo_span at) {
    if (!takes(p, key, key_at, IS_NUMBER, at)) return;
    if (key->ptr[0] == 'c') p->value.log.callback_id = number;
    else p->value.log.op_id = number;
}

void hlo_debug_flag(hlo_parser *p, hlo_name *key, hlo_span key_at, bool flag, hlo_span at) {
    if (takes(p, key, key_at, IS_FLAG, at)) p->value.log.partitioned = flag;
}

void hlo_end_debug_log(hlo_parser *p) {
    hlo_list_push(&p->stacks.pointers,
                  hlo_arena_copy(p->arena, &p->value.log, sizeof p->value.log));
}

void hlo_no_debug_log(hlo_parser *p) {
    hlo_begin_debug_log(p);
    p->value.log.mode = HLO_DEBUG_NOTHING;
    hlo_end_debug_log(p);
}

const hlo_debug_table *hlo_take_debug(hlo_parser *p, uint32_t base) {
    uint32_t n = p->stacks.pointers.n - base;
    hlo_debug_table *table = hlo_arena_zero(p->arena, sizeof *table + n * sizeof table->v[0]);
    table->n = n;
    for (uint32_t i = 0; i < n; i++)
        table->v[i] = *(const hlo_debug_log *)p->stacks.pointers.v[base + i];
    p->stacks.pointers.n = base;
    return hlo_debug_sorted(p->arena, table, true);
}
