/* Devices of the nodes of a graph: those that shardings name, that of the first operand that has
 * one, or 0. What makes one element of a loop's state stays together, and so do the changes of a
 * stack and the parts of a tuple, which no other device can follow. */
#include "passes/dataflow/placement.h"

#include "ir/frames.h"
#include "ir/sharding.h"

enum { UNKNOWN = UINT32_MAX, MOST_DEVICES = 4096 };

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

static void place_together(placement *p, const hlo_instr *a, const hlo_instr *b) {
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
    if (stays_with_operand(instr)) place_together(p, instr, hlo_operand(instr, 0));
    if (hlo_is_loop_merge(instr)) place_together(p, instr, hlo_back_edge(instr));
    bool is_result = instr == p->entry->root && instr->opcode == HLO_OP_TUPLE;
    for (uint32_t i = 0; i < instr->operand_count && !is_result; i++)
        if (!travels(hlo_operand(instr, i)->shape)) place_together(p, instr, hlo_operand(instr, i));
}

/* ---- numbers of devices ---- */

static int64_t named_device(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    return attr ? hlo_sharding_device_of(attr->u.sharding) : -1;
}

static bool check_sharding(const hlo_instr *instr, hlo_diags *diags) {
    int64_t device = named_device(instr);
    if (device < MOST_DEVICES) return true;
    hlo_error(diags, HLO_RULE_LIMIT, instr->parent->module->source, instr->at,
              "'%.*s' is on device %lld; a graph is partitioned over %d devices at most",
              (int)instr->name->len, instr->name->ptr, (long long)device, MOST_DEVICES);
    return false;
}

static bool check_option(const char *name, int64_t value, int64_t most, hlo_diags *diags) {
    if (value >= 0 && value <= most) return true;
    hlo_error(diags, HLO_RULE_PIPELINE, NULL, (hlo_span){0},
              "%s of partition is from 0 to %lld, not %lld", name, (long long)most,
              (long long)value);
    return false;
}

bool hlo_check_placement(const hlo_module *graph, int64_t count, int64_t seed, hlo_diags *diags) {
    bool good = check_option("devices", count, MOST_DEVICES, diags) &&
                check_option("random_seed", seed, INT64_MAX, diags);
    for (const hlo_instr *i = graph->entry->first; i && good && !seed; i = i->next)
        good = check_sharding(i, diags);
    return good;
}

/* ---- devices ---- */

static uint32_t operands_device(const placement *p, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        uint32_t device = p->devices[leader_of(p, hlo_operand(instr, i)->index)];
        if (device != UNKNOWN) return device;
    }
    return UNKNOWN;
}

static void place_by_shardings(placement *p) {
    for (const hlo_instr *i = p->entry->first; i; i = i->next) {
        int64_t device = named_device(i);
        uint32_t *of = &p->devices[leader_of(p, i->index)];
        if (device >= 0 && *of == UNKNOWN) *of = (uint32_t)device;
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

/* ---- constants that are read elsewhere ---- */

static bool is_read_here(const hlo_instr *enter, const uint32_t *devices) {
    for (const hlo_use *use = enter->first_use; use; use = use->next)
        if (devices[use->user->index] == devices[enter->index]) return true;
    return false;
}

/* What waits for an enter waits for that one, not for a copy. */
static bool *find_awaited(const hlo_computation *entry) {
    bool *awaited = hlo_calloc(entry->instr_count + 1u, sizeof *awaited);
    for (const hlo_instr *i = entry->first; i; i = i->next) {
        const hlo_attr *control = hlo_instr_attr(i, HLO_ATTR_CONTROL_PREDECESSORS);
        for (uint32_t k = 0; control && k < control->u.instructions->n; k++)
            awaited[control->u.instructions->v[k]->index] = true;
    }
    return awaited;
}

/* A device would count the iterations of the loop only to know that constant. From the last on: an
 * enter may be read by that of a loop inside alone. */
static void forget_unread(const hlo_computation *entry, uint32_t *devices) {
    bool *awaited = find_awaited(entry);
    for (const hlo_instr *i = entry->last; i; i = i->prev)
        if (hlo_is_constant_enter(i) && !awaited[i->index] && !is_read_here(i, devices))
            devices[i->index] = HLO_UNPLACED;
    hlo_free(awaited);
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
    forget_unread(p.entry, devices);
    hlo_free(p.leader);
    hlo_free(p.devices);
    return devices;
}
