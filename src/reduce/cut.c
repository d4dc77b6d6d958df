/* Edits that cut instructions away: the end of the entry, some of its results, and instructions in
 * between, which are replaced by parameters or zeros. */
#include "passes/pipeline/rewrite.h"
#include "reduce/edit.h"

/* ---- results ---- */

/* The entry's results are these from now on: a tuple unless it is one. */
static void set_results(hlo_module *module, const hlo_instr_list *list) {
    hlo_computation *entry = module->entry;
    if (list->n == 1) {
        entry->root = list->v[0];
        return;
    }
    const hlo_shape **shapes = hlo_malloc((list->n + 1u) * sizeof *shapes);
    for (size_t i = 0; i < list->n; i++) shapes[i] = list->v[i]->shape;
    const hlo_shape *shape = hlo_shape_tuple(&module->shapes, shapes, (uint32_t)list->n);
    entry->root = hlo_instr_new(entry, HLO_OP_TUPLE, shape, hlo_edit_name(module, "results"),
                                list->v, (uint32_t)list->n, NULL, 0);
    hlo_free(shapes);
}

static bool is_used_by(const hlo_instr *instr, uint32_t mark) {
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user->mark == mark) return true;
    return instr->parent->root == instr;
}

/* The last instructions go; what they used is the result. */
bool hlo_edit_cut_tail(hlo_module *module, uint32_t at, uint32_t size) {
    hlo_computation *entry = module->entry;
    uint32_t cut = hlo_module_new_mark(module);
    hlo_instr *i = entry->last;
    (void)at;
    for (; i && size; i = i->prev, size--)
        if (i->opcode != HLO_OP_PARAMETER) i->mark = cut;
    if (!i) return false;
    hlo_instr_list results = {0};
    for (i = entry->first; i; i = i->next)
        if (i->mark != cut && is_used_by(i, cut) && hlo_shape_is_data(i->shape))
            hlo_list_push(&results, i);
    set_results(module, &results);
    hlo_free(results.v);
    hlo_edit_remove_marked(entry, cut);
    return true;
}

bool hlo_edit_drop_results(hlo_module *module, uint32_t at, uint32_t size) {
    hlo_instr *root = module->entry->root;
    hlo_instr_list results = {0};
    for (uint32_t i = 0; i < root->operand_count; i++)
        if (i < at || i - at >= size) hlo_list_push(&results, hlo_operand(root, i));
    bool some = results.n != 0;
    if (some) set_results(module, &results);
    hlo_free(results.v);
    return some;
}

/* The results one by one: elements of the tuple that is the root, or the root. */
static hlo_instr_list results_of(const hlo_computation *entry) {
    hlo_instr_list list = {0};
    bool are_several = entry->root->opcode == HLO_OP_TUPLE;
    if (!are_several) hlo_list_push(&list, entry->root);
    for (uint32_t i = 0; are_several && i < entry->root->operand_count; i++)
        hlo_list_push(&list, hlo_operand(entry->root, i));
    return list;
}

uint32_t hlo_count_result_operands(const hlo_module *module) {
    hlo_instr_list results = results_of(module->entry);
    uint32_t n = 0;
    for (uint32_t i = 0; i < results.n; i++) n += results.v[i]->operand_count;
    hlo_free(results.v);
    return n;
}

/* An operand of a result, of whatever shape, is the result instead. */
bool hlo_edit_take_operand(hlo_module *module, uint32_t at, uint32_t size) {
    hlo_instr_list results = results_of(module->entry);
    uint32_t i = 0;
    (void)size;
    for (; at >= results.v[i]->operand_count; i++) at -= results.v[i]->operand_count;
    HLO_ASSERT(i < results.n);
    results.v[i] = hlo_operand(results.v[i], at);
    bool good = hlo_shape_is_data(results.v[i]->shape);
    if (good) set_results(module, &results);
    hlo_free(results.v);
    return good;
}

/* ---- stand-ins ---- */

/* "-start", "-done" and "-update" are nothing without each other. */
static bool ends_with(const hlo_instr *instr, const char *end) {
    const char *text = hlo_info(instr)->text;
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_later_half(const hlo_instr *instr) {
    return ends_with(instr, "-done") || ends_with(instr, "-update");
}

/* Where one half of an operation is marked, so are the others. */
static void mark_starts_and_dones(hlo_computation *c, uint32_t mark) {
    for (hlo_instr *i = c->last; i; i = i->prev)
        if (i->mark == mark && is_later_half(i) && i->operand_count) hlo_operand(i, 0)->mark = mark;
    for (hlo_instr *i = c->first; i; i = i->next)
        if (is_later_half(i) && i->operand_count && hlo_operand(i, 0)->mark == mark) i->mark = mark;
}

static bool is_used_outside(const hlo_instr *instr, uint32_t mark) {
    for (const hlo_use *use = instr->first_use; use; use = use->next)
        if (use->user->mark != mark) return true;
    return instr->parent->root == instr;
}

/* Something stands for every marked instruction that others use, and the marked ones go. */
static bool replace_marked(hlo_computation *c, uint32_t mark) {
    hlo_placeholders made;
    bool good = true;
    hlo_placeholders_init(&made, c);
    mark_starts_and_dones(c, mark);
    for (hlo_instr *i = made.place; i && good; i = i->next) {
        if (i->mark != mark || !is_used_outside(i, mark)) continue;
        hlo_instr *instead = hlo_placeholder(&made, i->shape);
        if (instead) hlo_instr_replace_all_uses(i, instead);
        else good = false;
    }
    if (good) hlo_edit_remove_marked(c, mark);
    hlo_placeholders_free(&made);
    return good;
}

/* A parameter is no simpler than a scalar constant. */
static bool is_simple(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_PARAMETER ||
           (instr->opcode == HLO_OP_CONSTANT && instr->shape->rank == 0);
}

bool hlo_edit_replace_by_parameters(hlo_module *module, uint32_t at, uint32_t size) {
    hlo_computation *entry = module->entry;
    uint32_t mark = hlo_module_new_mark(module), number = 0;
    bool some = false;
    for (hlo_instr *i = entry->first; i; i = i->next, number++) {
        if (number < at || number - at >= size || i == entry->root || is_simple(i)) continue;
        i->mark = mark;
        some = true;
    }
    return some && replace_marked(entry, mark);
}

static bool is_zeros(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_BROADCAST && hlo_operand(instr, 0)->opcode == HLO_OP_CONSTANT;
}

bool hlo_edit_replace_by_zeros(hlo_module *module, uint32_t at, uint32_t size) {
    uint32_t number = 0;
    bool some = false, good = true;
    for (hlo_computation *c = module->first; c && good; c = c->next) {
        if (c == module->entry) continue;
        uint32_t mark = hlo_module_new_mark(module);
        bool here = false;
        for (hlo_instr *i = c->first; i; i = i->next, number++) {
            bool is_root_tuple = i == c->root && !hlo_shape_is_array(i->shape);
            if (number < at || number - at >= size || is_root_tuple) continue;
            if (is_simple(i) || is_zeros(i)) continue;
            i->mark = mark;
            here = some = true;
        }
        if (here) good = replace_marked(c, mark);
    }
    return some && good;
}
