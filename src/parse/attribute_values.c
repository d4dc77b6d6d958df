/* Attribute values as the grammar hands them over: lists off the parser's stacks, words looked up,
 * and the check that an instruction takes the attribute at all. */
#include "parse/attribute_values.h"
#include "parse/back_edges.h"
#include "parse/suggest.h"
#include "shape/dialects.h"

#include <float.h>
#include <math.h>

const hlo_str *hlo_keep_str(hlo_parser *p, hlo_str text) {
    return hlo_arena_copy(p->arena, &text, sizeof text);
}

void hlo_bad_value(hlo_parser *p, hlo_span at, const char *message) {
    hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, at, "%s", message);
    hlo_note_instruction(p);
}

/* ---- lists ---- */

const hlo_ints *hlo_take_ints(hlo_parser *p, uint32_t base) {
    const hlo_ints *list =
        hlo_ints_from(p->arena, p->stacks.ints.v + base, p->stacks.ints.n - base);
    p->stacks.ints.n = base;
    return list;
}

/* hlo_int_lists, hlo_computations, hlo_shapes and hlo_instrs all are a count and pointers. */
const void *hlo_take_list(hlo_parser *p, uint32_t base) {
    uint32_t n = p->stacks.pointers.n - base;
    hlo_instrs *list = hlo_arena_alloc(p->arena, sizeof *list + n * sizeof list->v[0]);
    list->n = n;
    if (n) memcpy(list->v, p->stacks.pointers.v + base, n * sizeof list->v[0]);
    p->stacks.pointers.n = base;
    return list;
}

const hlo_int_lists *hlo_take_int_lists(hlo_parser *p, uint32_t base) {
    return hlo_take_list(p, base);
}

void hlo_push_predecessor(hlo_parser *p, hlo_name *name, hlo_span at) {
    hlo_instr *instr = hlo_find_instr(p, name);
    if (!instr && hlo_unknown_instruction(p, name, at)) hlo_note_after(p, at.hi);
    hlo_list_push(&p->stacks.pointers, instr ? instr : &hlo_poison);
}

/* Repeated names count once. Marks find repeats in linear time. */
const hlo_instrs *hlo_take_predecessors(hlo_parser *p, uint32_t base) {
    uint32_t kept = base, mark = hlo_module_new_mark(p->module);
    for (uint32_t i = base; i < p->stacks.pointers.n; i++) {
        hlo_instr *instr = (hlo_instr *)(uintptr_t)p->stacks.pointers.v[i];
        if (instr == &hlo_poison || instr->mark == mark) continue;
        instr->mark = mark;
        p->stacks.pointers.v[kept++] = instr;
    }
    p->stacks.pointers.n = kept;
    return hlo_take_list(p, base);
}

/* A broken computation spoils its caller. */
void hlo_push_computation(hlo_parser *p, hlo_computation *computation) {
    if (!computation) hlo_poison_pending(p);
    hlo_list_push(&p->stacks.pointers, computation);
}

void hlo_push_slice(hlo_parser *p, int64_t start, int64_t limit, int64_t stride) {
    hlo_list_push(&p->stacks.ints, start);
    hlo_list_push(&p->stacks.ints, limit);
    hlo_list_push(&p->stacks.ints, stride);
}

const hlo_slice *hlo_take_slices(hlo_parser *p, uint32_t base) {
    uint32_t n = (p->stacks.ints.n - base) / 3;
    hlo_slice *slice = hlo_arena_alloc(p->arena, sizeof *slice + n * sizeof slice->v[0]);
    slice->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t *v = p->stacks.ints.v + base + (size_t)3 * i;
        slice->v[i].start = v[0];
        slice->v[i].limit = v[1];
        slice->v[i].stride = v[2];
    }
    p->stacks.ints.n = base;
    return slice;
}

/* ---- whose attribute it is ---- */

static bool given_already(const hlo_attr *attrs, uint32_t n, hlo_attr_id id) {
    for (uint32_t i = 0; i < n; i++)
        if (attrs[i].id == id) return true;
    return false;
}

static hlo_attr_id duplicate(hlo_parser *p, hlo_span at, hlo_attr_id id) {
    hlo_parse_error(p, HLO_RULE_DUPLICATE_ATTRIBUTE, at, "attribute '%s' is given twice",
                    hlo_attr_table[id].text);
    return HLO_ATTR_COUNT;
}

/* An async start takes what the instruction it wraps takes, and two further attributes. */
static unsigned attr_of_pending(hlo_parser *p, hlo_attr_id spelled) {
    hlo_pending *pending = &p->stacks.pending.v[p->stacks.pending.n - 1];
    hlo_settle_sugar(p, pending);
    if (spelled == HLO_ATTR_DEVICE && !hlo_is_dataflow_text(p)) return HLO_ATTR_COUNT;
    if (pending->sugar == HLO_PLAIN_OP) return hlo_op_attr(pending->draft.opcode, spelled);
    if (spelled == HLO_ATTR_ASYNC_EXECUTION_THREAD) return spelled;
    if (pending->sugar != HLO_SUGAR_START) return hlo_op_attr(HLO_OP_ABS, spelled);
    if (spelled == HLO_ATTR_OUTPUT_TO_OPERAND_ALIASING) return spelled;
    return hlo_op_attr(pending->draft.opcode, spelled);
}

static void not_taken(hlo_parser *p, int spelled, hlo_span at) {
    hlo_pending *pending = hlo_current(p);
    hlo_parse_error(p, HLO_RULE_UNKNOWN_ATTRIBUTE, at, "%s takes no attribute '%s'",
                    hlo_ops[pending->draft.opcode].text, hlo_attr_table[spelled].text);
    hlo_dialect_claims(p->diags, HLO_DIALECT_ATTRIBUTE, pending->draft.opcode,
                       hlo_attr_table[spelled].text, strlen(hlo_attr_table[spelled].text));
    pending->poisoned = true;
}

bool hlo_refuse_attribute(hlo_parser *p, int spelled, hlo_span at) {
    if (!p->stacks.pending.n || hlo_attr_table[spelled].place == HLO_PLACE_HEADER) return false;
    if (attr_of_pending(p, (hlo_attr_id)spelled) != HLO_ATTR_COUNT) return false;
    not_taken(p, spelled, at);
    return true;
}

/* The row of the table that `spelled` means here, with its marks; HLO_ATTR_COUNT after reporting.
 */
static hlo_attr_id resolve(hlo_parser *p, int spelled, hlo_span at) {
    if (hlo_attr_table[spelled].place == HLO_PLACE_HEADER)
        return given_already(p->made.header.v, p->made.header.n, (hlo_attr_id)spelled)
                   ? duplicate(p, at, (hlo_attr_id)spelled)
                   : (hlo_attr_id)spelled;
    hlo_pending *pending = hlo_current(p);
    unsigned found = attr_of_pending(p, (hlo_attr_id)spelled);
    if (found == HLO_ATTR_COUNT) {
        not_taken(p, spelled, at);
        return HLO_ATTR_COUNT;
    }
    hlo_attr_id id = (hlo_attr_id)(found & HLO_ATTR_MASK);
    if (given_already(p->stacks.attrs.v + pending->attr_base,
                      p->stacks.attrs.n - pending->attr_base, id))
        return duplicate(p, at, id);
    return id;
}

static void add(hlo_parser *p, hlo_attr_id id, hlo_span at, hlo_attr value) {
    value.id = (uint16_t)id;
    value.at = at.lo;
    if (hlo_attr_table[id].place == HLO_PLACE_HEADER) hlo_list_push(&p->made.header, value);
    else hlo_list_push(&p->stacks.attrs, value);
}

void hlo_give(hlo_parser *p, int spelled, hlo_span at, const void *value, hlo_span value_at) {
    (void)value_at;
    hlo_attr_id id = resolve(p, spelled, at);
    if (id != HLO_ATTR_COUNT && value) add(p, id, at, (hlo_attr){.u.any = value});
}

void hlo_give_lasting(hlo_parser *p, int spelled, hlo_span at, const void *value,
                      hlo_span value_at) {
    hlo_give(p, spelled, at, value, value_at);
    bool header = hlo_attr_table[spelled].place == HLO_PLACE_HEADER;
    if (!value || header || hlo_current_is_broken(p)) return;
    const char *text = p->scan.begin + at.lo;
    uint32_t len = value_at.hi - at.lo;
    uint64_t hash = hlo_hash_bytes(text, len);
    if (!hlo_memo_find(&p->memos.values, hash, text, len))
        hlo_memo_add(&p->memos.values, hash, text, len, value);
}

/* Some of the computations may not have been found or be broken, which was reported. */
void hlo_give_computations(hlo_parser *p, int spelled, hlo_span at, const void *list,
                           hlo_span value_at) {
    const hlo_computations *computations = list;
    for (uint32_t i = 0; i < computations->n; i++)
        if (!computations->v[i]) hlo_current(p)->poisoned = true;
    hlo_give(p, spelled, at, list, value_at);
}

/* `device=3` of a dataflow graph means sharding={maximal device=3}. */
static void give_device(hlo_parser *p, hlo_span at, int64_t device, hlo_span value_at) {
    hlo_sharding *sharding = hlo_new_sharding(p);
    sharding->kind = HLO_SHARDING_MAXIMAL;
    sharding->devices = hlo_ints_from(p->arena, &device, 1);
    sharding = hlo_canonical_sharding(p, sharding, value_at);
    hlo_give_sharding(p, HLO_ATTR_SHARDING, at, sharding, value_at);
}

void hlo_give_int(hlo_parser *p, int spelled, hlo_span at, int64_t value, hlo_span value_at) {
    hlo_attr_id id = resolve(p, spelled, at);
    if (id == HLO_ATTR_COUNT) return;
    if (id == HLO_ATTR_DEVICE) {
        give_device(p, at, value, value_at);
        return;
    }
    if (hlo_attr_table[id].kind == HLO_KIND_INT32 && (value < INT32_MIN || value > INT32_MAX))
        hlo_bad_value(p, value_at, "this number does not fit 32 bits");
    add(p, id, at, (hlo_attr){.u.i = value});
}

void hlo_give_float(hlo_parser *p, int spelled, hlo_span at, double value, hlo_span value_at) {
    hlo_attr_id id = resolve(p, spelled, at);
    if (id == HLO_ATTR_COUNT) return;
    if (!isnan(value) && fabs(value) > (double)FLT_MAX)
        hlo_bad_value(p, value_at, "this number does not fit a float");
    add(p, id, at, (hlo_attr){.u.f = (double)(float)value});
}

/* ---- words ---- */

static void unknown_word(hlo_parser *p, hlo_attr_id id, const hlo_name *word, hlo_span at) {
    hlo_buf list = HLO_BUF_INIT;
    for (size_t i = 0; i < hlo_word_count; i++) {
        if (hlo_words[i].set != hlo_attr_table[id].words) continue;
        if (list.len) hlo_buf_lit(&list, ", ");
        hlo_buf_cstr(&list, hlo_words[i].text);
    }
    hlo_buf_char(&list, 0);
    hlo_parse_error(p, HLO_RULE_ATTRIBUTE_VALUE, at, "'%.*s' is not a value of %s: %s",
                    (int)(word->len > 80 ? 80 : word->len), word->ptr, hlo_attr_table[id].text,
                    list.data);
    if (!p->stacks.pending.n ||
        !hlo_dialect_claims(p->diags, HLO_DIALECT_VALUE, hlo_current(p)->draft.opcode, word->ptr,
                            word->len))
        hlo_suggest_of_set(p, word, hlo_attr_table[id].words);
    hlo_buf_free(&list);
    p->recovery.note_end = true;
}

static const hlo_word_info *find_word(hlo_parser *p, hlo_attr_id id, const hlo_name *word,
                                      hlo_span at) {
    hlo_str text = {word->ptr, word->len, 0};
    const hlo_word_info *info = hlo_word_find(hlo_attr_table[id].words, text);
    if (!info) unknown_word(p, id, word, at);
    return info;
}

void hlo_give_word(hlo_parser *p, int spelled, hlo_span at, hlo_name *word, hlo_span value_at) {
    hlo_attr_id id = resolve(p, spelled, at);
    if (id == HLO_ATTR_COUNT) return;
    const hlo_word_info *info = find_word(p, id, word, value_at);
    if (info) add(p, id, at, (hlo_attr){.u.i = info->number});
}

void hlo_give_words(hlo_parser *p, int spelled, hlo_span at, uint32_t base, hlo_span value_at) {
    hlo_attr_id id = resolve(p, spelled, at);
    uint32_t n = p->stacks.pointers.n - base, ints = p->stacks.ints.n;
    for (uint32_t i = 0; i < n && id != HLO_ATTR_COUNT; i++) {
        const hlo_word_info *info = find_word(p, id, p->stacks.pointers.v[base + i], value_at);
        hlo_list_push(&p->stacks.ints, info ? info->number : 0);
    }
    p->stacks.pointers.n = base;
    const hlo_ints *list = hlo_take_ints(p, ints);
    if (id != HLO_ATTR_COUNT) add(p, id, at, (hlo_attr){.u.ints = list});
}

/* ---- lists that two kinds of attributes share ---- */

void hlo_give_ints(hlo_parser *p, int spelled, hlo_span at, const hlo_ints *value,
                   hlo_span value_at) {
    hlo_attr_id id = resolve(p, spelled, at);
    if (id == HLO_ATTR_COUNT) return;
    if (hlo_attr_table[id].kind == HLO_KIND_INTS) {
        add(p, id, at, (hlo_attr){.u.ints = value});
    } else if (value->n) {
        hlo_span first = {value_at.lo + 1, value_at.lo + 2};
        hlo_bad_value(p, first, "expected a list of number lists in braces");
    } else {
        add(p, id, at, (hlo_attr){.u.int_lists = hlo_take_int_lists(p, p->stacks.pointers.n)});
    }
}

void hlo_give_int_lists(hlo_parser *p, int spelled, hlo_span at, const hlo_int_lists *value,
                        hlo_span value_at) {
    hlo_attr_id id = resolve(p, spelled, at);
    if (id == HLO_ATTR_COUNT) return;
    if (hlo_attr_table[id].kind != HLO_KIND_INT_LISTS) {
        hlo_span first = {value_at.lo + 1, value_at.lo + 2};
        hlo_bad_value(p, first, "expected numbers in one pair of braces");
        return;
    }
    bool pairs = id == HLO_ATTR_SOURCE_TARGET_PAIRS;
    for (uint32_t i = 0; pairs && i < value->n; i++) {
        if (value->v[i]->n == 2) continue;
        hlo_bad_value(p, value_at, "expected pairs of a source and a target");
        p->recovery.note_end = true;
        break;
    }
    add(p, id, at, (hlo_attr){.u.int_lists = value});
}

void hlo_give_computation(hlo_parser *p, int spelled, hlo_span at, hlo_computation *value,
                          hlo_span value_at) {
    (void)value_at;
    hlo_attr_id id = resolve(p, spelled, at);
    if (!value) hlo_current(p)->poisoned = true;
    else if (id != HLO_ATTR_COUNT) add(p, id, at, (hlo_attr){.u.computation = value});
}

void hlo_give_program_shape(hlo_parser *p, int spelled, hlo_span at, uint32_t base,
                            const hlo_shape *result) {
    hlo_attr_id id = resolve(p, spelled, at);
    hlo_program_shape *shape = HLO_NEW(p->arena, hlo_program_shape);
    shape->parameters = hlo_take_list(p, base);
    shape->result = result;
    if (id != HLO_ATTR_COUNT) add(p, id, at, (hlo_attr){.u.program_shape = shape});
}

void hlo_give_sharding(hlo_parser *p, int spelled, hlo_span at, hlo_sharding *value,
                       hlo_span value_at) {
    hlo_give_lasting(p, spelled, at, value, value_at);
    if (!value && hlo_attr_table[spelled].place != HLO_PLACE_HEADER)
        hlo_current(p)->poisoned = true;
}

/* ---- origins ---- */

void hlo_give_synthetic_origin(hlo_parser *p, int spelled, hlo_span at, hlo_name *word,
                               hlo_span word_at) {
    hlo_origin *origin = HLO_NEW(p->arena, hlo_origin);
    origin->form = HLO_ORIGIN_SYNTHETIC;
    if (!hlo_str_is((hlo_str){word->ptr, word->len, 0}, "synthetic_call"))
        hlo_bad_value(p, word_at, "expected synthetic_call");
    hlo_give(p, spelled, at, origin, word_at);
}

const hlo_origin *hlo_origin_leaf(hlo_parser *p, const hlo_str *name, const hlo_ints *index) {
    hlo_origin *leaf = HLO_NEW(p->arena, hlo_origin);
    leaf->form = name ? HLO_ORIGIN_LEAF : HLO_ORIGIN_EMPTY;
    if (name) leaf->name = *name;
    leaf->index = index && index->n ? index : NULL;
    return leaf;
}

const hlo_origin *hlo_origin_tuple(hlo_parser *p, uint32_t base) {
    hlo_origin *tuple = HLO_NEW(p->arena, hlo_origin);
    tuple->form = HLO_ORIGIN_TUPLE;
    tuple->n = p->stacks.pointers.n - base;
    tuple->elements =
        hlo_arena_copy(p->arena, p->stacks.pointers.v + base, tuple->n * sizeof *tuple->elements);
    p->stacks.pointers.n = base;
    return tuple;
}

/* The text of a recovery module as the printer would write it; what cannot be read is reported. */
static const hlo_str *normal_module_text(hlo_parser *p, const hlo_str *text, hlo_span at) {
    hlo_source *source = hlo_source_from_text("origin_recovery_table", text->ptr, text->len);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module = NULL;
    hlo_buf out = HLO_BUF_INIT;
    if (source && hlo_parse(source, &diags, &module) == HLO_OK)
        hlo_module_print(module, &hlo_print_default, &out);
    else
        hlo_bad_value(p, at,
                      diags.first ? diags.first->message : "this is not the text of a module");
    while (out.len && out.data[out.len - 1] == '\n') out.len--;
    const hlo_str *normal = hlo_keep_str(
        p, (hlo_str){hlo_arena_copy(p->arena, out.data, out.len), (uint32_t)out.len, 0});
    hlo_buf_free(&out);
    hlo_module_free(module);
    hlo_source_close(source);
    hlo_diags_drop(&diags);
    return normal;
}

void hlo_push_recovery(hlo_parser *p, const hlo_origin *from, const hlo_origin *to,
                       const hlo_str *module, hlo_span at) {
    hlo_list_push(&p->stacks.pointers, from);
    hlo_list_push(&p->stacks.pointers, to);
    hlo_list_push(&p->stacks.pointers, module ? normal_module_text(p, module, at) : NULL);
}

const hlo_recovery *hlo_take_recovery(hlo_parser *p, uint32_t base) {
    uint32_t n = (p->stacks.pointers.n - base) / 3;
    hlo_recovery *table = hlo_arena_zero(p->arena, sizeof *table + n * sizeof table->v[0]);
    table->n = n;
    for (uint32_t i = 0; i < n; i++) {
        const void **row = p->stacks.pointers.v + base + (size_t)3 * i;
        table->v[i].from = row[0];
        table->v[i].to = row[1];
        if (row[2]) table->v[i].module = *(const hlo_str *)row[2];
    }
    p->stacks.pointers.n = base;
    return hlo_recovery_sorted(p->arena, table);
}
