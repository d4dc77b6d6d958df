/* What is set for the next instruction alone: its name, its shape, control predecessors, and any
 * attribute in words, which are read when it is known whose they are. */
#include "build/builder.h"
#include "ir/valid_name.h"
#include "parse/parse.h"

hlo_builder_next hlo_builder_take_next(hlo_builder *b) {
    hlo_builder_next next = b->next;
    b->next = (hlo_builder_next){0};
    return next;
}

void hlo_builder_give_back(hlo_builder *b, hlo_builder_next next) {
    b->next = next;
}

/* ---- setting ---- */

void hlo_builder_set_name(hlo_builder *b, const char *name) {
    HLO_BUILDER_CALL(b, (void)0);
    b->next.name = NULL;
    if (!name || !*name) return;
    b->next.name = hlo_valid_name(&b->module->arena, hlo_builder_text(b, name)).ptr;
}

void hlo_builder_set_shape(hlo_builder *b, const hlo_shape *shape) {
    HLO_BUILDER_CALL(b, (void)0);
    b->next.shape = hlo_builder_own_shape(b, shape);
}

static bool check_predecessors(hlo_builder *b, hlo_instrs_list list) {
    if (!hlo_builder_has_list(b, __func__, list)) return false;
    for (size_t i = 0; i < list.count; i++)
        if (list.values[i]->parent != b->frame->computation)
            hlo_builder_misuse(b, "control predecessor %zu belongs to another computation", i);
    return !hlo_builder_failed(b);
}

void hlo_builder_set_control_predecessors(hlo_builder *b, hlo_instrs_list list) {
    HLO_BUILDER_CALL(b, (void)0);
    if (!check_predecessors(b, list)) return;
    hlo_instrs *made =
        hlo_arena_alloc(&b->module->arena, sizeof *made + list.count * sizeof made->v[0]);
    made->n = (uint32_t)list.count;
    for (size_t i = 0; i < list.count; i++) made->v[i] = (hlo_instr *)(uintptr_t)list.values[i];
    b->next.predecessors = list.count ? made : NULL;
}

static void add_words(hlo_builder *b, hlo_builder_words words) {
    hlo_builder_next *next = &b->next;
    if (next->words_count == next->words_capacity) {
        uint32_t capacity = next->words_capacity * 2 + 4;
        hlo_builder_words *more = HLO_NEW_ARRAY(&b->module->arena, hlo_builder_words, capacity);
        if (next->words_count) memcpy(more, next->words, next->words_count * sizeof *more);
        next->words = more;
        next->words_capacity = capacity;
    }
    next->words[next->words_count++] = words;
}

/* A name is a word: what reads the attribute sees it before an equals sign. */
static bool is_attribute_name(const char *name) {
    return hlo_attr_from_text(name, strlen(name)) != HLO_ATTR_COUNT;
}

void hlo_builder_set_attribute(hlo_builder *b, const char *name, const char *text) {
    HLO_BUILDER_CALL(b, (void)0);
    if (!name || !text) hlo_builder_misuse(b, "%s: an argument is NULL", __func__);
    else if (!is_attribute_name(name))
        hlo_builder_fail(b, HLO_RULE_UNKNOWN_ATTRIBUTE, "there is no attribute '%s'", name);
    else
        add_words(
            b, (hlo_builder_words){hlo_builder_text(b, name).ptr, hlo_builder_text(b, text).ptr});
}

void hlo_builder_set_module_attribute(hlo_builder *b, const char *name, const char *text) {
    HLO_BUILDER_CALL(b, (void)0);
    hlo_attr attr;
    if (!name || !text) {
        hlo_builder_misuse(b, "%s: an argument is NULL", __func__);
        return;
    }
    if (!hlo_parse_attribute(HLO_OP_COUNT, name, text, b->module, b->diags, &attr)) return;
    hlo_module_set_attr(b->module, attr);
    b->has_entry_layout |= attr.id == HLO_ATTR_ENTRY_COMPUTATION_LAYOUT;
}

/* ---- using ---- */

bool hlo_builder_add_next(hlo_builder *b, hlo_draft *draft, const hlo_builder_next *next) {
    hlo_attr attr;
    for (uint32_t i = 0; i < next->words_count; i++) {
        const hlo_builder_words *words = &next->words[i];
        if (!hlo_parse_attribute(draft->opcode, words->name, words->text, b->module, b->diags,
                                 &attr))
            return false;
        hlo_attr *said = hlo_draft_attr(draft, (hlo_attr_id)attr.id);
        if (said) *said = attr;
        else hlo_draft_add(draft, attr);
    }
    if (next->predecessors)
        hlo_draft_add(draft, (hlo_attr){.id = HLO_ATTR_CONTROL_PREDECESSORS,
                                        .u.instructions = next->predecessors});
    return true;
}

/* ---- shapes and constants in words ---- */

const hlo_shape *hlo_builder_shape_from_text(hlo_builder *b, const char *text) {
    HLO_BUILDER_CALL(b, NULL);
    hlo_attr attr;
    if (!text) hlo_builder_misuse(b, "%s: text is NULL", __func__);
    else if (hlo_parse_attribute(HLO_OP_OUTFEED, "outfeed_shape", text, b->module, b->diags, &attr))
        return attr.u.shape;
    return NULL;
}

static hlo_literal *read_literal(hlo_builder *b, const hlo_shape *shape, const char *text) {
    hlo_literal *literal = NULL;
    hlo_source *source = hlo_source_from_text("constant", text, strlen(text));
    hlo_status status = hlo_parse_literal(source, shape, &b->module->arena, b->diags, &literal);
    hlo_source_close(source);
    return status == HLO_OK ? literal : NULL;
}

const hlo_instr *hlo_builder_constant_from_text(hlo_builder *b, const hlo_shape *shape,
                                                const char *text) {
    HLO_BUILDER_TAKES(b, shape, text);
    shape = hlo_builder_own_shape(b, shape);
    hlo_literal *literal = read_literal(b, shape, text);
    if (!literal) return NULL;
    hlo_attr attr = {.id = HLO_ATTR_VALUE, .u.literal = literal};
    return hlo_builder_made(b, HLO_OP_CONSTANT, shape, (hlo_instrs_list){0, NULL}, &attr, 1);
}
