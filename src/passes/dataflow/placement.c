/* Devices of the nodes of a graph: those that shardings name, that of the first operand that has
 * one, or 0. What makes one element of a loop's state stays together, and so do the changes of a
 * stack and the parts of a tuple, which no other device can follow. Called by partition_graph.c. */
#include "passes/dataflow/placement.h"

#include "ir/frames.h"

enum { UNKNOWN = UINT32_MAX };

typedef struct {
    const hlo_computation *entry;
    uint32_t *leader;  /* by index: nodes with one leader have one device */
    uint32_t *devices; /* by index of a leader */
} placement;

/* ---- nodes that stay together ---- */

static uint32_t leader_of(const placement *p, uint32_t index) {
    while (p->leader[index] != index) index = p->leader[index] = p->leader[p->leader[index]];
    return index;
}

static void join(placement *p, const hlo_instr *a, const hlo_instr *b) {
    uint32_t x = leader_of(p, a->index), y = leader_of(p, b->index);
    p->leader[x > y ? x : y] = x > y ? y : x; /* the earliest leads */
}

/* The data side of a switch of a loop merge is the state element itself. */
static bool is_of_loop(const hlo_instr *decides) {
    return hlo_is_loop_merge(hlo_operand(decides, 0));
}

static bool stays_with_operand(const hlo_instr *instr) {
    if (instr->opcode == HLO_OP_GET_TUPLE_ELEMENT || instr->opcode == HLO_OP_EXIT) return true;
    if (instr->opcode == HLO_OP_SWITCH) return is_of_loop(instr);
    return hlo_is_loop_merge(instr);
}

static bool travels(const hlo_shape *shape) {
    return hlo_shape_is_array(shape) || shape->type == HLO_TOKEN;
}

static void join_state(placement *p, const hlo_instr *instr) {
    if (stays_with_operand(instr)) join(p, instr, hlo_operand(instr, 0));
    if (hlo_is_loop_merge(instr)) join(p, instr, hlo_back_edge(instr));
    bool is_result = instr == p->entry->root && instr->opcode == HLO_OP_TUPLE;
    for (uint32_t i = 0; i < instr->operand_count && !is_result; i++)
        if (!travels(hlo_operand(instr, i)->shape)) join(p, instr, hlo_operand(instr, i));
}

/* ---- devices ---- */

static uint32_t named_device(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    bool is_maximal = attr && attr->u.sharding->kind == HLO_SHARDING_MAXIMAL;
    return is_maximal ? (uint32_t)attr->u.sharding->device : UNKNOWN;
}

static uint32_t operands_device(const placement *p, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        uint32_t device = p->devices[leader_of(p, hlo_operand(instr, i)->index)];
        if (device != UNKNOWN) return device;
    }
    return UNKNOWN;
}

static void place_by_shardings(placement *p) {
    for (const hlo_instr *i = p->entry->first; i; i = i->next) {
        uint32_t device = named_device(i), *of = &p->devices[leader_of(p, i->index)];
        if (device != UNKNOWN && *of == UNKNOWN) *of = device;
    }
    for (const hlo_instr *i = p->entry->first; i; i = i->next) {
        uint32_t *of = &p->devices[leader_of(p, i->index)];
        if (*of == UNKNOWN) *of = operands_device(p, i);
    }
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void place_by_chance(placement *p, uint64_t seed, uint32_t count) {
    for (const hlo_instr *i = p->entry->first; i; i = i->next)
        if (leader_of(p, i->index) == i->index)
            p->devices[i->index] = (uint32_t)(next_random(&seed) % count);
}

static uint32_t *devices_of(const placement *p, uint32_t *count) {
    uint32_t *devices = hlo_malloc((p->entry->instr_count + 1u) * sizeof *devices);
    for (const hlo_instr *i = p->entry->first; i; i = i->next) {
        uint32_t device = p->devices[leader_of(p, i->index)];
        devices[i->index] = device == UNKNOWN ? 0 : device;
        if (devices[i->index] >= *count) *count = devices[i->index] + 1;
    }
    return devices;
}

uint32_t *hlo_place_nodes(const hlo_module *graph, uint64_t seed, uint32_t *count) {
    placement p = {.entry = graph->entry};
    uint32_t n = p.entry->instr_count;
    p.leader = hlo_malloc((n + 1u) * sizeof *p.leader);
    p.devices = hlo_malloc((n + 1u) * sizeof *p.devices);
    for (uint32_t i = 0; i < n; i++) {
        p.leader[i] = i;
        p.devices[i] = UNKNOWN;
    }
    for (const hlo_instr *i = p.entry->first; i; i = i->next) join_state(&p, i);
    if (!*count) *count = 1;
    if (seed) place_by_chance(&p, seed, *count);
    else place_by_shardings(&p);
    uint32_t *devices = devices_of(&p, count);
    hlo_free(p.leader);
    hlo_free(p.devices);
    return devices;
}
