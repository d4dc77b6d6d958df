/* A module remade from its instructions, by nothing but the functions that programs build modules
 * with. It is the same afterwards, which checks them. */
#include "rebuild/rebuild.h"

#include "rebuild/remake.h"
#include "shape/infer.h"

/* ---- what all instructions carry ---- */

static void in_words(hlo_builder *b, const hlo_attr *attr,
                     void set(hlo_builder *, const char *, const char *)) {
    hlo_buf words = HLO_BUF_INIT;
    hlo_attr_print_value(attr, &hlo_print_default, &words);
    hlo_buf_char(&words, 0);
    set(b, hlo_attr_table[attr->id].text, words.data);
    hlo_buf_free(&words);
}

void remake_in_words(remaking *r, const hlo_attr *attr) {
    in_words(r->b, attr, hlo_builder_set_attribute);
}

static void set_predecessors(remaking *r, const hlo_instrs *old) {
    const hlo_instr **list = HLO_NEW_ARRAY(r->scratch, const hlo_instr *, old->n);
    for (uint32_t i = 0; i < old->n; i++) list[i] = r->instrs[old->v[i]->index];
    hlo_builder_set_control_predecessors(r->b, (hlo_instrs_list){old->n, list});
}

static bool says(const uint16_t *list, uint16_t id) {
    while (*list != HLO_ATTR_COUNT && *list != id) list++;
    return *list == id;
}

static void set_attributes(remaking *r, const hlo_instr *old) {
    for (uint32_t i = 0; i < old->attr_count; i++) {
        const hlo_attr *attr = &old->attrs[i];
        if (attr->id == HLO_ATTR_CONTROL_PREDECESSORS) set_predecessors(r, attr->u.instructions);
        else if (!says(remakers[old->opcode].says, attr->id)) remake_in_words(r, attr);
    }
}

/* Whether the shape follows from the operands. Then the builder infers it. A constant is handed
 * over without its layout. */
static bool is_inferred(remaking *r, const hlo_instr *old) {
    if (old->opcode == HLO_OP_CONSTANT) return false;
    hlo_diags *unseen = hlo_diags_create(1);
    hlo_instr **operands = HLO_NEW_ARRAY(r->scratch, hlo_instr *, old->operand_count);
    for (uint32_t i = 0; i < old->operand_count; i++) operands[i] = hlo_operand(old, i);
    hlo_draft draft = {.computation = old->parent,
                       .name = old->name,
                       .opcode = (hlo_opcode)old->opcode,
                       .origin = HLO_DRAFT_OF_CODE,
                       .operands = operands,
                       .operand_count = old->operand_count,
                       .attrs = old->attrs,
                       .attr_count = old->attr_count,
                       .attr_capacity = old->attr_count,
                       .diags = unseen};
    bool same = hlo_infer(&draft, false) == old->shape;
    hlo_diags_free(unseen);
    return same;
}

static void set_name(remaking *r, const hlo_name *name, void set(hlo_builder *, const char *)) {
    char *text = hlo_arena_alloc(r->scratch, name->len + 1u);
    memcpy(text, name->ptr, name->len);
    text[name->len] = 0;
    set(r->b, text);
}

/* ---- instructions and computations ---- */

static bool remake_instr(remaking *r, const hlo_instr *old) {
    r->operands.n = 0;
    for (uint32_t i = 0; i < old->operand_count; i++)
        hlo_list_push(&r->operands, r->instrs[hlo_operand(old, i)->index]);
    set_name(r, old->name, hlo_builder_set_name);
    if (!is_inferred(r, old)) hlo_builder_set_shape(r->b, old->shape);
    set_attributes(r, old);
    const hlo_instr *made = remakers[old->opcode].make(r, old);
    if (made) ((hlo_instr *)(uintptr_t)made)->at = old->at; /* errors point into the source */
    r->instrs[old->index] = made;
    return made != NULL;
}

static void set_thread(remaking *r, const hlo_computation *old) {
    char *thread = hlo_arena_alloc(r->scratch, old->execution_thread.len + 1u);
    memcpy(thread, old->execution_thread.ptr, old->execution_thread.len);
    thread[old->execution_thread.len] = 0;
    hlo_builder_set_execution_thread(r->b, thread);
}

static void set_back_edges(remaking *r, const hlo_computation *old) {
    for (const hlo_instr *i = old->first; i; i = i->next) {
        const hlo_instr *next = hlo_back_edge(i);
        if (next) hlo_builder_set_back_edge(r->b, r->instrs[i->index], r->instrs[next->index]);
    }
}

/* The entry is open from the start, and is the last one: it has no callers. */
static bool remake_computation(remaking *r, hlo_computation *old) {
    bool is_entry = old == old->module->entry;
    if (!is_entry) hlo_builder_begin(r->b, "computation");
    set_name(r, old->name, hlo_builder_set_computation_name);
    set_thread(r, old);
    hlo_number_instructions(old);
    r->instrs = HLO_NEW_ARRAY(r->scratch, const hlo_instr *, old->instr_count + 1u);
    for (hlo_instr *i = old->first; i; i = i->next)
        if (!remake_instr(r, i)) return false;
    set_back_edges(r, old);
    const hlo_instr *root = r->instrs[old->root->index];
    const hlo_computation *made = is_entry ? hlo_instr_parent(root) : hlo_builder_end(r->b, root);
    if (!made) return false;
    r->computations[old->id] = made;
    ((hlo_computation *)(uintptr_t)made)->at = old->at;
    return true;
}

/* ---- the module ---- */

/* In their order, so that metadata's numbers stay. */
static void remake_frames(remaking *r, const hlo_stack_frames *f) {
    for (uint32_t i = 0; i < f->frame_count; i++) {
        const hlo_file_location *row = &f->locations[f->frames[i].location - 1];
        hlo_source_location location = {text(r, f->files[row->file - 1]),
                                        text(r, f->functions[row->function - 1]),
                                        row->line,
                                        row->end_line,
                                        row->column,
                                        row->end_column};
        hlo_builder_stack_frame(r->b, f->frames[i].parent, &location);
    }
}

static hlo_module *remake_module(remaking *r, hlo_module *old, hlo_diags *diags) {
    hlo_computation **order = HLO_NEW_ARRAY(r->scratch, hlo_computation *, old->computation_count);
    hlo_callees_first_order(old, order);
    remake_frames(r, &old->frames);
    for (uint32_t i = 0; i < old->attr_count; i++)
        in_words(r->b, &old->attrs[i], hlo_builder_set_module_attribute);
    bool good = true;
    for (uint32_t i = 0; i < old->computation_count && good; i++)
        if (order[i] != old->entry) good = remake_computation(r, order[i]);
    good = good && remake_computation(r, old->entry);
    const hlo_instr *root = good ? r->instrs[old->entry->root->index] : NULL;
    hlo_module *made = NULL;
    hlo_builder_build(r->b, root, diags, &made);
    return made;
}

/* What was built takes the place of what was there, in the order that was there. */
static void put_in_place(remaking *r, hlo_module *module, const hlo_module *made) {
    hlo_computation **order =
        HLO_NEW_ARRAY(r->scratch, hlo_computation *, module->computation_count);
    uint32_t n = 0;
    for (hlo_computation *c = module->first; c; c = c->next)
        order[n++] = (hlo_computation *)(uintptr_t)r->computations[c->id];
    hlo_module_take_copy(module, made, order);
}

static bool rebuild(hlo_module *module, hlo_diags *diags) {
    hlo_arena scratch;
    hlo_arena_init(&scratch);
    remaking r = {.scratch = &scratch};
    r.b = hlo_builder_create(text(&r, module->name));
    r.computations = HLO_NEW_ARRAY(&scratch, const hlo_computation *, module->next_id + 1u);
    hlo_module *made = remake_module(&r, module, diags);
    if (made) put_in_place(&r, module, made);
    bool good = made != NULL;
    hlo_module_free(made);
    hlo_builder_free(r.b);
    hlo_list_free(&r.operands);
    hlo_arena_free(&scratch);
    return good;
}

bool rebuild_module(hlo_module *module, hlo_diags *diags) {
    bool good = true;
    for (hlo_module *part = module; part && good; part = part->next_device)
        good = rebuild(part, diags);
    return good;
}
