/* Modules and computations: life and death, interned names, header attributes. */
#include <stdlib.h>

#include "ir/ir.h"

static void free_unfinished(void *module);

hlo_module *hlo_module_new(void) {
    hlo_module *module = hlo_calloc(1, sizeof *module);
    hlo_cleanup_add(&module->cleanup, free_unfinished, module);
    hlo_arena_init(&module->arena);
    hlo_shapes_init(&module->shapes, &module->arena);
    module->names.by_hash.is_kept = true;
    return module;
}

static void free_one(hlo_module *module) {
    HLO_ASSERT(!module->cleanup.link.next ||
               module->cleanup.link.next->prev == &module->cleanup.link);
    hlo_cleanup_remove(&module->cleanup);
    hlo_shapes_free(&module->shapes);
    hlo_arena_free(&module->arena);
    hlo_source_release(module->source);
    hlo_hash_free(&module->names.by_hash);
    hlo_list_free(&module->names.blocks);
    hlo_free(module);
}

/* Those of other devices that were made in the same call have separate cleanups. */
static void free_unfinished(void *module) {
    free_one(module);
}

void hlo_module_free(hlo_module *module) {
    for (hlo_module *next; module; module = next) {
        next = module->next_device;
        free_one(module);
    }
}

bool hlo_module_is_usable(const hlo_module *module, hlo_diags *diags) {
    if (module->is_half_changed && diags)
        hlo_error(diags, HLO_RULE_USAGE, NULL, (hlo_span){0},
                  "the module can only be freed: memory was exhausted while it was changed");
    return !module->is_half_changed;
}

/* ---- names ---- */

enum { NAMES_PER_BLOCK = 128 };

void hlo_module_reserve(hlo_module *module, size_t names, size_t bytes) {
    hlo_hash_reserve(&module->names.by_hash, names);
    hlo_arena_reserve(&module->arena, bytes);
}

static hlo_name *name_of_number(const hlo_names_table *table, uint32_t number) {
    HLO_ASSERT(number > 0 && number <= table->blocks.n * NAMES_PER_BLOCK);
    return &table->blocks.v[(number - 1) / NAMES_PER_BLOCK][(number - 1) % NAMES_PER_BLOCK];
}

static hlo_name *add_name(hlo_module *module, hlo_str text, uint32_t hash) {
    hlo_names_table *table = &module->names;
    uint32_t number = table->by_hash.count + 1;
    if (table->by_hash.count % NAMES_PER_BLOCK == 0)
        hlo_list_push(&table->blocks, HLO_NEW_ARRAY(&module->arena, hlo_name, NAMES_PER_BLOCK));
    hlo_name *name = name_of_number(table, number);
    name->ptr = text.ptr;
    name->len = text.len;
    name->hash = hash;
    hlo_hash_add(&table->by_hash, hash, number);
    return name;
}

/* Readers of texts spend much of their time here. */
__attribute__((always_inline)) static inline hlo_name *find_name(const hlo_names_table *table,
                                                                 hlo_str text, uint32_t hash) {
    hlo_hash_each (number, &table->by_hash, hash) {
        hlo_name *name = name_of_number(table, number);
        if (name->len == text.len && hlo_same_bytes(name->ptr, text.ptr, text.len)) return name;
    }
    return NULL;
}

const hlo_name *hlo_module_find_name(const hlo_module *module, hlo_str text) {
    return find_name(&module->names, text, hlo_name_hash(text.ptr, text.len));
}

void hlo_module_forget_scratch(hlo_module *module) {
    for (uint32_t number = 1; number <= module->names.by_hash.count; number++) {
        hlo_name *name = name_of_number(&module->names, number);
        name->bound = NULL;
        name->scope = 0;
    }
}

hlo_name *hlo_module_intern_hashed(hlo_module *module, hlo_str text, uint32_t hash) {
    hlo_name *name = find_name(&module->names, text, hash);
    return name ? name : add_name(module, text, hash);
}

hlo_name *hlo_module_intern(hlo_module *module, hlo_str text) {
    return hlo_module_intern_hashed(module, text, hlo_name_hash(text.ptr, text.len));
}

hlo_name *hlo_module_intern_copy(hlo_module *module, hlo_str text) {
    uint32_t hash = hlo_name_hash(text.ptr, text.len);
    hlo_name *name = find_name(&module->names, text, hash);
    if (name) return name;
    text.ptr = hlo_arena_copy(&module->arena, text.ptr, text.len);
    return add_name(module, text, hash);
}

/* ---- marks ---- */

static void clear_marks(hlo_module *module) {
    for (hlo_computation *c = module->first; c; c = c->next) {
        c->mark = 0;
        for (hlo_instr *i = c->first; i; i = i->next) i->mark = 0;
    }
}

uint32_t hlo_module_new_mark(hlo_module *module) {
    /* Walks use up to three values after the one returned. */
    if (module->epoch > UINT32_MAX - 16) {
        clear_marks(module);
        module->epoch = 0;
    }
    module->epoch += 4;
    HLO_ASSERT(module->epoch > 0 && module->epoch % 4 == 0);
    return module->epoch;
}

/* ---- header attributes ---- */

const hlo_attr *hlo_module_attr(const hlo_module *module, hlo_attr_id id) {
    for (uint32_t i = 0; i < module->attr_count; i++)
        if (module->attrs[i].id == id) return &module->attrs[i];
    return NULL;
}

bool hlo_module_flag(const hlo_module *module, hlo_attr_id id) {
    return hlo_module_int(module, id) != 0;
}

int64_t hlo_module_int(const hlo_module *module, hlo_attr_id id) {
    HLO_ASSERT(id < HLO_ATTR_COUNT);
    const hlo_attr *attr = hlo_module_attr(module, id);
    return attr ? attr->u.i : hlo_attr_table[id].fallback;
}

void hlo_module_set_attr(hlo_module *module, hlo_attr value) {
    HLO_ASSERT(value.id < HLO_ATTR_COUNT && hlo_attr_table[value.id].place == HLO_PLACE_HEADER);
    uint32_t at = 0;
    while (at < module->attr_count && module->attrs[at].id < value.id) at++;
    if (at < module->attr_count && module->attrs[at].id == value.id) {
        module->attrs[at] = value;
        return;
    }
    hlo_attr *attrs = HLO_NEW_ARRAY(&module->arena, hlo_attr, module->attr_count + 1);
    if (at) memcpy(attrs, module->attrs, at * sizeof *attrs);
    attrs[at] = value;
    if (at < module->attr_count)
        memcpy(attrs + at + 1, module->attrs + at, (module->attr_count - at) * sizeof *attrs);
    module->attrs = attrs;
    module->attr_count++;
}

/* ---- computations ---- */

hlo_computation *hlo_computation_new(hlo_module *module, hlo_name *name) {
    HLO_ASSERT(!module->last == !module->first && (!module->last || !module->last->next));
    hlo_computation *c = HLO_NEW(&module->arena, hlo_computation);
    c->module = module;
    c->name = name;
    c->id = module->next_id++;
    c->execution_thread = HLO_STR("main");
    c->prev = module->last;
    if (module->last) module->last->next = c;
    else module->first = c;
    module->last = c;
    module->computation_count++;
    return c;
}

void hlo_computation_remove(hlo_computation *c) {
    hlo_module *module = c->module;
    HLO_ASSERT(!c->prev ? module->first == c : c->prev->next == c);
    HLO_ASSERT(!c->next ? module->last == c : c->next->prev == c);
    HLO_ASSERT(module->computation_count > 0);
    if (c->prev) c->prev->next = c->next;
    else module->first = c->next;
    if (c->next) c->next->prev = c->prev;
    else module->last = c->prev;
    c->prev = c->next = NULL;
    module->computation_count--;
}

void hlo_computation_move_last(hlo_computation *c) {
    hlo_module *module = c->module;
    if (c == module->last) return;
    hlo_computation_remove(c);
    c->prev = module->last;
    module->last->next = c;
    module->last = c;
    module->computation_count++;
}

static int compare_numbers(const void *a, const void *b) {
    int64_t x = hlo_attr_int(*(hlo_instr *const *)a, HLO_ATTR_PARAMETER_NUMBER);
    int64_t y = hlo_attr_int(*(hlo_instr *const *)b, HLO_ATTR_PARAMETER_NUMBER);
    return x < y ? -1 : x > y;
}

const hlo_instr *hlo_computation_sort_parameters(hlo_computation *c, hlo_instr *const *parameters,
                                                 uint32_t n) {
    c->parameters = HLO_NEW_ARRAY(&c->module->arena, hlo_instr *, n);
    c->parameter_count = n;
    if (!n) return NULL;
    memcpy(c->parameters, parameters, n * sizeof *parameters);
    qsort(c->parameters, n, sizeof *c->parameters, compare_numbers);
    for (uint32_t i = 1; i < n; i++)
        if (!compare_numbers(&c->parameters[i - 1], &c->parameters[i])) return c->parameters[i];
    return NULL;
}

bool hlo_computation_set_parameters(hlo_computation *c, hlo_instr *const *parameters, uint32_t n) {
    if (hlo_module_flag(c->module, HLO_ATTR_IS_DATAFLOW))
        return !hlo_computation_sort_parameters(c, parameters, n);
    c->parameters = HLO_NEW_ARRAY(&c->module->arena, hlo_instr *, n);
    c->parameter_count = n;
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        int64_t number = hlo_attr_int(parameters[i], HLO_ATTR_PARAMETER_NUMBER);
        if (number < 0 || number >= n || c->parameters[number]) good = false;
        else c->parameters[number] = parameters[i];
    }
    return good;
}

bool hlo_computation_index_parameters(hlo_computation *c) {
    HLO_LIST(hlo_instr *) found = {0};
    for (hlo_instr *i = c->first; i; i = i->next)
        if (i->opcode == HLO_OP_PARAMETER) hlo_list_push(&found, i);
    bool good = hlo_computation_set_parameters(c, found.v, found.n);
    hlo_list_free(&found);
    return good;
}
