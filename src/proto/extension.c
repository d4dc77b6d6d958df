/* HloInstructionProto has no fields for frames, keys and back edges of dataflow graphs: they travel
 * as frontend attributes, `hlo.frame_name` and the like, which no other instruction has. */
#include "proto/extension.h"

#include <stdlib.h>

static const char prefix[] = "hlo.";
enum { PREFIX = sizeof prefix - 1 };

static bool is_extension(hlo_opcode opcode) {
    return (hlo_ops[opcode].flags & HLO_OP_IS_EXTENSION) != 0;
}

/* Shapes have a field. */
static bool travels(const hlo_attr *attr) {
    const hlo_attr_info *info = &hlo_attr_table[attr->id];
    return (info->place == HLO_PLACE_OWN && info->kind != HLO_KIND_SHAPE) ||
           attr->id == HLO_ATTR_BACK_EDGE;
}

/* ---- to messages ---- */

static hlo_str key_of(hlo_arena *arena, const hlo_attr *attr) {
    const char *name = hlo_attr_table[attr->id].text;
    size_t n = strlen(name);
    char *key = hlo_arena_alloc(arena, PREFIX + n);
    memcpy(key, prefix, PREFIX);
    memcpy(key + PREFIX, name, n);
    return (hlo_str){key, (uint32_t)(PREFIX + n), 0};
}

static hlo_str value_of(hlo_arena *arena, const hlo_attr *attr) {
    char number[32];
    if (hlo_attr_table[attr->id].kind == HLO_KIND_STRING) return *attr->u.string;
    if (attr->id == HLO_ATTR_BACK_EDGE) {
        const hlo_name *name = attr->u.instructions->v[0]->name;
        return (hlo_str){name->ptr, name->len, 0};
    }
    int n = snprintf(number, sizeof number, "%lld", (long long)attr->u.i);
    return (hlo_str){hlo_arena_copy(arena, number, (size_t)n), (uint32_t)n, 0};
}

static int compare_keys(const void *a, const void *b) {
    hlo_str x = ((const hlo_frontend_entry *)a)->key, y = ((const hlo_frontend_entry *)b)->key;
    uint32_t least = x.len < y.len ? x.len : y.len;
    int order = least ? memcmp(x.ptr, y.ptr, least) : 0;
    return order ? order : x.len < y.len ? -1 : x.len > y.len;
}

const hlo_frontend *hlo_extension_frontend(hlo_arena *arena, const hlo_instr *instr,
                                           const hlo_frontend *own) {
    if (!is_extension((hlo_opcode)instr->opcode)) return own;
    uint32_t most = (own ? own->n : 0) + instr->attr_count;
    hlo_frontend *all = hlo_arena_alloc(arena, sizeof *all + most * sizeof all->v[0]);
    all->n = own ? own->n : 0;
    if (all->n) memcpy(all->v, own->v, all->n * sizeof all->v[0]);
    for (uint32_t i = 0; i < instr->attr_count; i++)
        if (travels(&instr->attrs[i]))
            all->v[all->n++] = (hlo_frontend_entry){key_of(arena, &instr->attrs[i]),
                                                    value_of(arena, &instr->attrs[i])};
    qsort(all->v, all->n, sizeof all->v[0], compare_keys);
    return all->n ? all : NULL;
}

/* ---- from messages ---- */

static bool is_key_of(hlo_str key, hlo_attr_id id) {
    const char *name = hlo_attr_table[id].text;
    size_t n = strlen(name);
    return key.len == PREFIX + n && !memcmp(key.ptr, prefix, PREFIX) &&
           !memcmp(key.ptr + PREFIX, name, n);
}

static hlo_attr attr_of(hlo_reader *r, hlo_attr_id id, hlo_str value) {
    hlo_attr attr = {.id = (uint16_t)id};
    if (hlo_attr_table[id].kind == HLO_KIND_STRING) {
        hlo_str *text = HLO_NEW(&r->module->arena, hlo_str);
        *text = value;
        attr.u.string = text;
    } else {
        char number[32] = "";
        memcpy(number, value.ptr, value.len < 31 ? value.len : 31);
        attr.u.i = strtoll(number, NULL, 10);
    }
    return attr;
}

/* Whether the entry stands for an attribute, which is added. */
static bool take(hlo_reader *r, hlo_opcode opcode, const hlo_frontend_entry *entry) {
    if (opcode == HLO_OP_MERGE && is_key_of(entry->key, HLO_ATTR_BACK_EDGE)) {
        r->back_edge = entry->value;
        return true;
    }
    for (const uint16_t *a = hlo_ops[opcode].attrs; *a != HLO_ATTR_COUNT; a++) {
        hlo_attr_id id = (hlo_attr_id)(*a & HLO_ATTR_MASK);
        if (!is_key_of(entry->key, id)) continue;
        hlo_attr attr = attr_of(r, id, entry->value);
        hlo_list_push(&r->attrs, attr);
        return true;
    }
    return false;
}

void hlo_take_extensions(hlo_reader *r, hlo_opcode opcode, hlo_frontend *frontend) {
    if (!is_extension(opcode)) return;
    uint32_t left = 0;
    for (uint32_t i = 0; i < frontend->n; i++)
        if (!take(r, opcode, &frontend->v[i])) frontend->v[left++] = frontend->v[i];
    frontend->n = left;
}

static hlo_instr *find_next(const hlo_computation *c, hlo_str name) {
    for (hlo_instr *i = c->first; i; i = i->next)
        if (i->opcode == HLO_OP_NEXT_ITERATION &&
            hlo_str_equal((hlo_str){i->name->ptr, i->name->len, 0}, name))
            return i;
    return NULL;
}

bool hlo_connect_back_edges(hlo_reader *r, const hlo_node *node) {
    for (uint32_t i = 0; i < r->back_edges.n; i++) {
        hlo_str name = r->back_edges.v[i].name;
        hlo_instr *next = find_next(r->computation, name);
        if (!next)
            return hlo_node_bad(r, node, HLO_RULE_BACK_EDGE, "no next-iteration is named '%.*s'",
                                (int)name.len, name.ptr);
        hlo_instr_set_back_edge(r->back_edges.v[i].merge, next);
    }
    r->back_edges.n = 0;
    return true;
}
