/* Copies of instructions, computations and whole modules. */
#include "ir/ir.h"

/* What becomes of references while instructions are copied. */
typedef struct {
    hlo_module *to;
    bool same_module; /* values may be shared, computations stay what they are */
    bool to_run;      /* without metadata, and with the elements of constants shared */
    hlo_computation **computations; /* by id of the original; NULL within one module */
    hlo_instr **instrs;             /* by hlo_instr.index of the original computation, or NULL */
} clone_map;

/* ---- attributes ---- */

static const hlo_computations *map_computations(const clone_map *map,
                                                const hlo_computations *list) {
    hlo_computations *out =
        hlo_arena_copy(&map->to->arena, list, sizeof *list + list->n * sizeof list->v[0]);
    for (uint32_t i = 0; i < out->n; i++) out->v[i] = map->computations[list->v[i]->id];
    return out;
}

static const hlo_instrs *map_instrs(const clone_map *map, const hlo_instrs *list) {
    hlo_instrs *out =
        hlo_arena_copy(&map->to->arena, list, sizeof *list + list->n * sizeof list->v[0]);
    for (uint32_t i = 0; i < out->n; i++) out->v[i] = map->instrs[list->v[i]->index];
    return out;
}

static hlo_attr map_attr(const clone_map *map, const hlo_attr *from) {
    hlo_attr to = *from;
    hlo_attr_kind kind = hlo_attr_table[from->id].kind;
    if (kind == HLO_KIND_INSTRUCTIONS) {
        HLO_ASSERT(map->instrs);
        to.u.instructions = map_instrs(map, from->u.instructions);
    } else if (map->same_module) {
        return to;
    } else if (kind == HLO_KIND_COMPUTATION) {
        HLO_ASSERT(map->computations[from->u.computation->id]);
        to.u.computation = map->computations[from->u.computation->id];
    } else if (kind == HLO_KIND_COMPUTATIONS) {
        to.u.computations = map_computations(map, from->u.computations);
    } else {
        to = (map->to_run ? hlo_attr_import_sharing : hlo_attr_import)(&map->to->arena,
                                                                       &map->to->shapes, from);
    }
    return to;
}

/* ---- instructions ---- */

/* Control predecessors belong to the place of the original: without a map of instructions they are
 * left out. */
static hlo_instr *clone_instr(const clone_map *map, hlo_instr *instr, hlo_computation *to,
                              hlo_name *name, hlo_instr *const *operands, uint32_t operand_count) {
    hlo_attr *attrs = hlo_malloc((instr->attr_count + 1u) * sizeof *attrs);
    uint32_t n = 0;
    for (uint32_t i = 0; i < instr->attr_count; i++) {
        uint16_t id = instr->attrs[i].id;
        if (id == HLO_ATTR_CONTROL_PREDECESSORS && !map->instrs) continue;
        if (id == HLO_ATTR_BACK_EDGE) continue; /* what it names may have no copy yet */
        if (map->to_run && (id == HLO_ATTR_METADATA || id == HLO_ATTR_ORIGIN)) continue;
        attrs[n++] = map_attr(map, &instr->attrs[i]);
    }
    const hlo_shape *shape =
        map->same_module ? instr->shape : hlo_shape_import(&map->to->shapes, instr->shape);
    hlo_instr *copy = hlo_instr_new(to, (hlo_opcode)instr->opcode, shape, name, operands,
                                    operand_count, attrs, n);
    HLO_ASSERT(name && operand_count == instr->operand_count);
    copy->at = instr->at;
    name->uses++;
    hlo_free(attrs);
    return copy;
}

hlo_instr *hlo_instr_clone(hlo_instr *instr, hlo_computation *to, hlo_instr *const *operands,
                           uint32_t operand_count) {
    clone_map map = {.to = to->module, .same_module = true};
    hlo_str base = {instr->name->ptr, instr->name->len, 0};
    char *text = hlo_arena_alloc(&to->module->arena, base.len + 1u);
    memcpy(text, base.ptr, base.len);
    text[base.len] = 0;
    return clone_instr(&map, instr, to, hlo_fresh_name(to->module, text), operands, operand_count);
}

/* ---- computations ---- */

static hlo_name *copied_name(const clone_map *map, hlo_name *name, const char *suffix) {
    if (!map->same_module)
        return hlo_module_intern_copy(map->to, (hlo_str){name->ptr, name->len, 0});
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_bytes(&text, name->ptr, name->len);
    hlo_buf_cstr(&text, suffix);
    hlo_buf_char(&text, 0);
    hlo_name *fresh = hlo_fresh_name(map->to, text.data);
    hlo_buf_free(&text);
    return fresh;
}

static void clone_back_edges(const clone_map *map, const hlo_computation *from) {
    for (const hlo_instr *i = from->first; i; i = i->next) {
        const hlo_instr *next = hlo_back_edge(i);
        if (next) hlo_instr_set_back_edge(map->instrs[i->index], map->instrs[next->index]);
    }
}

/* A computation that is being copied. */
typedef struct {
    hlo_computation *from, *to;
    hlo_instr *next;    /* to copy; NULL: all are */
    hlo_instr **instrs; /* the copies, as in clone_map */
    HLO_LIST(hlo_instr *) operands;
} body_copy;

/* `to` is empty. */
static body_copy begin_body(hlo_computation *from, hlo_computation *to) {
    HLO_ASSERT(!to->first);
    hlo_number_instructions(from);
    return (body_copy){.from = from,
                       .to = to,
                       .next = from->first,
                       .instrs = hlo_calloc(from->instr_count, sizeof(hlo_instr *))};
}

/* Operands stand before their users in source order, control predecessors too. */
static hlo_instr *clone_next(clone_map *map, body_copy *b, const char *suffix) {
    hlo_instr *i = b->next;
    map->instrs = b->instrs;
    hlo_list_reserve(&b->operands, i->operand_count);
    for (uint32_t k = 0; k < i->operand_count; k++)
        b->operands.v[k] = b->instrs[hlo_operand(i, k)->index];
    b->next = i->next;
    return b->instrs[i->index] = clone_instr(map, i, b->to, copied_name(map, i->name, suffix),
                                             b->operands.v, i->operand_count);
}

static void end_body(clone_map *map, body_copy *b) {
    HLO_ASSERT(!b->next);
    const hlo_computation *from = b->from;
    hlo_computation *to = b->to;
    map->instrs = b->instrs;
    clone_back_edges(map, from);
    to->root = from->root ? b->instrs[from->root->index] : NULL;
    to->is_fusion_body = from->is_fusion_body;
    to->is_async_body = from->is_async_body;
    to->at = from->at;
    to->execution_thread = (hlo_str){
        hlo_arena_copy(&map->to->arena, from->execution_thread.ptr, from->execution_thread.len),
        from->execution_thread.len, from->execution_thread.plain};
    hlo_computation_index_parameters(to);
    hlo_list_free(&b->operands);
    hlo_free(b->instrs);
    map->instrs = NULL;
}

static void clone_body(clone_map *map, hlo_computation *from, hlo_computation *to) {
    body_copy body = begin_body(from, to);
    while (body.next) clone_next(map, &body, "");
    end_body(map, &body);
}

/* What only this instruction may call; NULL when it shares what it calls. */
static hlo_attr *own_computation(hlo_instr *instr) {
    if (instr->opcode != HLO_OP_FUSION && instr->opcode != HLO_OP_ASYNC_START) return NULL;
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (hlo_attr_table[instr->attrs[i].id].kind == HLO_KIND_COMPUTATION)
            return &instr->attrs[i];
    return NULL;
}

static body_copy begin_copy(clone_map *map, hlo_computation *from, const char *suffix) {
    return begin_body(from, hlo_computation_new(map->to, copied_name(map, from->name, suffix)));
}

/* Bodies nest without a limit: a list holds those that are begun, each within the one before. */
hlo_computation *hlo_computation_clone(hlo_computation *computation, const char *suffix) {
    clone_map map = {.to = computation->module, .same_module = true};
    HLO_LIST(body_copy) begun = {0};
    hlo_buf dotted = HLO_BUF_INIT;
    hlo_buf_char(&dotted, '.');
    hlo_buf_cstr(&dotted, suffix);
    hlo_buf_char(&dotted, 0);
    body_copy body = begin_copy(&map, computation, dotted.data);
    hlo_computation *copy = body.to;
    for (;;) {
        hlo_attr *own = body.next ? own_computation(clone_next(&map, &body, dotted.data)) : NULL;
        if (own) {
            hlo_list_push(&begun, body);
            body = begin_copy(&map, own->u.computation, dotted.data);
            own->u.computation = body.to;
        } else if (!body.next) {
            end_body(&map, &body);
            if (!begun.n) break;
            HLO_ASSERT(!body.next);
            body = begun.v[--begun.n];
        }
    }
    hlo_list_free(&begun);
    hlo_buf_free(&dotted);
    return copy;
}

void hlo_instr_own_body(hlo_instr *copy, const char *suffix) {
    hlo_attr *own = own_computation(copy);
    if (own) own->u.computation = hlo_computation_clone(own->u.computation, suffix);
}

/* ---- modules ---- */

static hlo_str copied_str(hlo_module *to, hlo_str text) {
    return (hlo_str){hlo_arena_copy(&to->arena, text.ptr, text.len), text.len, text.plain};
}

static void clone_frames(hlo_module *to, const hlo_stack_frames *from) {
    to->frames = *from;
    to->frames.files = HLO_NEW_ARRAY(&to->arena, hlo_str, from->file_count);
    to->frames.functions = HLO_NEW_ARRAY(&to->arena, hlo_str, from->function_count);
    for (uint32_t i = 0; i < from->file_count; i++)
        to->frames.files[i] = copied_str(to, from->files[i]);
    for (uint32_t i = 0; i < from->function_count; i++)
        to->frames.functions[i] = copied_str(to, from->functions[i]);
    to->frames.locations =
        hlo_arena_copy(&to->arena, from->locations, from->location_count * sizeof *from->locations);
    to->frames.frames =
        hlo_arena_copy(&to->arena, from->frames, from->frame_count * sizeof *from->frames);
}

static const hlo_sharding *copied_sharding(hlo_module *to, const hlo_sharding *sharding) {
    const hlo_attr attr = {.id = HLO_ATTR_SHARDING, .u.sharding = sharding};
    return sharding ? hlo_attr_import(&to->arena, &to->shapes, &attr).u.sharding : NULL;
}

static const hlo_spmd_shardings *copied_spmd(hlo_module *to, const hlo_spmd_shardings *from) {
    if (!from) return NULL;
    hlo_spmd_shardings *copy = hlo_arena_copy(&to->arena, from, sizeof *from);
    copy->result = copied_sharding(to, from->result);
    copy->parameters = HLO_NEW_ARRAY(&to->arena, const hlo_sharding *, from->n + 1u);
    for (uint32_t i = 0; i < from->n; i++)
        copy->parameters[i] = copied_sharding(to, from->parameters[i]);
    return copy;
}

/* Before the bodies: whether it is a dataflow graph decides how parameters are numbered. */
static void clone_header(hlo_module *to, const hlo_module *from) {
    for (uint32_t i = 0; i < from->attr_count; i++)
        hlo_module_set_attr(to, hlo_attr_import(&to->arena, &to->shapes, &from->attrs[i]));
    to->spmd = copied_spmd(to, from->spmd);
}

void hlo_module_take_copy(hlo_module *to, const hlo_module *from, hlo_computation *const *order) {
    clone_map map = {.to = to,
                     .computations = hlo_calloc(from->next_id + 1u, sizeof(hlo_computation *))};
    while (to->first) hlo_computation_remove(to->first);
    for (uint32_t i = 0; i < from->computation_count; i++)
        map.computations[order[i]->id] =
            hlo_computation_new(to, copied_name(&map, order[i]->name, ""));
    to->attr_count = 0;
    clone_header(to, from);
    for (uint32_t i = 0; i < from->computation_count; i++)
        clone_body(&map, order[i], map.computations[order[i]->id]);
    HLO_ASSERT(map.computations[from->entry->id]);
    to->entry = map.computations[from->entry->id];
    clone_frames(to, &from->frames);
    hlo_count_names(to);
    hlo_free(map.computations);
}

void hlo_module_restore(hlo_module *module, const hlo_module *copy) {
    hlo_computation **order = hlo_malloc((copy->computation_count + 1u) * sizeof *order);
    uint32_t n = 0;
    for (hlo_computation *c = copy->first; c; c = c->next) order[n++] = c;
    hlo_module_take_copy(module, copy, order);
    hlo_free(order);
}

static hlo_module *clone_module(const hlo_module *module, bool to_run) {
    hlo_module *copy = hlo_module_new();
    clone_map map = {.to = copy,
                     .to_run = to_run,
                     .computations = hlo_calloc(module->next_id, sizeof(hlo_computation *))};
    copy->source = hlo_source_retain(module->source);
    copy->locator = module->locator;
    copy->name = copied_str(copy, module->name);
    copy->names_are_unique = module->names_are_unique;
    copy->is_rewritten = module->is_rewritten;
    copy->is_lenient = module->is_lenient;
    if (!to_run) clone_frames(copy, &module->frames);
    for (hlo_computation *c = module->first; c; c = c->next) {
        hlo_computation *to = hlo_computation_new(copy, copied_name(&map, c->name, ""));
        map.computations[c->id] = to;
        to->id = c->id;
        if (c == module->entry) copy->entry = to;
    }
    clone_header(copy, module);
    for (hlo_computation *c = module->first; c; c = c->next)
        clone_body(&map, c, map.computations[c->id]);
    copy->next_id = module->next_id;
    copy->elided.count = module->elided.count; /* without a source there is no place */
    hlo_free(map.computations);
    return copy;
}

hlo_module *hlo_module_clone(const hlo_module *module) {
    hlo_module *first = NULL, **link = &first;
    for (; module; module = module->next_device, link = &(*link)->next_device)
        *link = clone_module(module, false);
    return first;
}

hlo_module *hlo_module_clone_to_run(const hlo_module *module) {
    return clone_module(module, true);
}
