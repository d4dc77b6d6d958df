/* Costs of collectives by formulas: see communication.h. */
#include "analysis/communication.h"

#include "analysis/cost.h"
#include "analysis/participants.h"

hlo_links hlo_links_of(const hlo_link_options *options) {
    return (hlo_links){options->topology, options->microseconds * 1e-6,
                       8 / (options->gigabits * 1e9)};
}

/* ---- rows and columns ---- */

enum { MOST_ROWS = 1 << 20 }; /* that are tried */

typedef struct {
    int64_t rows, columns;
    bool is_closed; /* rows and columns are rings */
} grid;

static grid grid_of(hlo_topology topology, int64_t devices) {
    grid g = {1, devices, topology != HLO_MESH};
    HLO_ASSERT(devices >= 0);
    if (topology == HLO_RING) return g;
    for (int64_t d = 1; d <= devices / d && d <= MOST_ROWS; d++)
        if (devices % d == 0) g.rows = d;
    g.columns = devices / g.rows;
    return g;
}

/* Of two places in a line or ring of `count`. */
static int64_t distance(const grid *g, int64_t count, int64_t a, int64_t b) {
    int64_t way = a < b ? b - a : a - b;
    return g->is_closed && count - way < way ? count - way : way;
}

static double diameter(const grid *g, int64_t count) {
    int64_t half = count / 2;
    return (double)(g->is_closed ? half : count - 1);
}

/* Links on the way through all rows, and all columns. */
static double steps(const grid *g) {
    return (double)(g->rows - 1) + (double)(g->columns - 1);
}

/* What the busiest link of a line or ring carries of what each device has for all. */
static double load(const grid *g, int64_t count) {
    int64_t half = count / 2;
    double pairs = (double)half * (double)(count - half);
    return pairs / (double)count / (g->is_closed ? 2 : 1);
}

/* ---- groups ---- */

static int64_t largest_group(const hlo_instr *instr) {
    const hlo_groups *groups = hlo_groups_of(instr);
    hlo_group_mode mode = hlo_group_mode_of(instr);
    const hlo_module *module = instr->parent->module;
    int64_t most = hlo_collective_group_size(module, mode, groups);
    bool differ = groups && groups->form == HLO_GROUPS_LIST && !hlo_participant_count(instr);
    if (!differ) return most;
    int64_t partitions = hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS), size = 0;
    for (uint32_t g = 0; g < groups->lists->n; g++)
        if (groups->lists->v[g]->n > size) size = groups->lists->v[g]->n;
    bool all_partitions = mode == HLO_GROUP_CROSS_REPLICA_AND_PARTITION;
    if (all_partitions && __builtin_mul_overflow(size, partitions, &most)) return INT64_MAX;
    return all_partitions ? most : size;
}

static double operand_bytes(const hlo_instr *instr, uint32_t count) {
    double bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += hlo_leaf_bytes(hlo_operand(instr, i)->shape);
    return bytes;
}

/* Of n bytes all but a device's own part. */
static double others(double n, double devices) {
    return n * (devices - 1) / devices;
}

/* ---- kinds ---- */

typedef struct {
    const hlo_instr *instr;
    const hlo_links *links;
    hlo_transfer *out;
    grid grid;      /* of a group */
    double devices; /* in it */
} exchange;

static void set(const exchange *x, double bytes, double hops, double bytes_on_link) {
    x->out->bytes_sent = x->out->bytes_received = bytes;
    x->out->seconds = hops * x->links->latency + bytes_on_link * x->links->byte;
}

static void cost_all_reduce(const exchange *x) {
    double bytes = 2 * others(operand_bytes(x->instr, x->instr->operand_count), x->devices);
    set(x, bytes, 2 * steps(&x->grid), bytes);
}

static void cost_all_gather(const exchange *x) {
    double part = operand_bytes(x->instr, x->instr->operand_count);
    set(x, part * (x->devices - 1), steps(&x->grid), part * (x->devices - 1));
}

static void cost_reduce_scatter(const exchange *x) {
    double bytes = others(operand_bytes(x->instr, x->instr->operand_count), x->devices);
    set(x, bytes, steps(&x->grid), bytes);
}

static void cost_exchange(const exchange *x, double bytes) {
    double on_link = bytes * (load(&x->grid, x->grid.rows) + load(&x->grid, x->grid.columns));
    double hops = diameter(&x->grid, x->grid.rows) + diameter(&x->grid, x->grid.columns);
    set(x, others(bytes, x->devices), hops, on_link);
}

static void cost_all_to_all(const exchange *x) {
    cost_exchange(x, operand_bytes(x->instr, x->instr->operand_count));
}

/* As if the whole input were sent, in equal parts. */
static void cost_ragged_all_to_all(const exchange *x) {
    cost_exchange(x, operand_bytes(x->instr, 1));
}

/* The last operand may select the senders. */
static void cost_broadcast(const exchange *x) {
    bool has_roots = hlo_attr_int(x->instr, HLO_ATTR_HAS_DYNAMIC_ROOT) != 0;
    double bytes = operand_bytes(x->instr, x->instr->operand_count - has_roots);
    if (x->devices < 2) bytes = 0;
    set(x, bytes, diameter(&x->grid, x->grid.rows) + diameter(&x->grid, x->grid.columns), bytes);
}

/* ---- permutes ---- */

/* What one pair moves: the operands, or slices of the first when the permute works in place. */
static double permuted_bytes(const hlo_instr *instr) {
    const hlo_attr *sizes = hlo_instr_attr(instr, HLO_ATTR_PERMUTE_SLICE_SIZES);
    if (!sizes) return operand_bytes(instr, instr->operand_count);
    const hlo_shape *buffer = hlo_operand(instr, 0)->shape;
    double bytes = 0, whole = hlo_leaf_bytes(buffer), elements = hlo_leaf_elements(buffer);
    for (uint32_t k = 0; k < sizes->u.int_lists->n; k++) {
        double part = 1;
        for (uint32_t d = 0; d < sizes->u.int_lists->v[k]->n; d++)
            part *= (double)sizes->u.int_lists->v[k]->v[d];
        bytes += elements > 0 ? part * whole / elements : 0;
    }
    return bytes;
}

/* A replica stands for its first partition. */
static int64_t device_of(const hlo_instr *permute, int64_t id) {
    int64_t device, partitions = hlo_module_int(permute->parent->module, HLO_ATTR_NUM_PARTITIONS);
    if (hlo_group_mode_of(permute) == HLO_GROUP_CROSS_PARTITION) return id;
    return __builtin_mul_overflow(id, partitions, &device) ? INT64_MAX / 2 : device;
}

static int64_t count_devices(const hlo_instr *permute, const hlo_int_lists *pairs) {
    const hlo_module *module = permute->parent->module;
    int64_t count;
    if (__builtin_mul_overflow(hlo_module_int(module, HLO_ATTR_REPLICA_COUNT),
                               hlo_module_int(module, HLO_ATTR_NUM_PARTITIONS), &count))
        count = INT64_MAX / 2;
    for (uint32_t i = 0; i < pairs->n; i++)
        for (uint32_t k = 0; k < pairs->v[i]->n; k++) {
            int64_t device = device_of(permute, pairs->v[i]->v[k]);
            if (device >= count) count = device + 1;
        }
    return count;
}

static void cost_permute(const exchange *x) {
    const hlo_attr *attr = hlo_instr_attr(x->instr, HLO_ATTR_SOURCE_TARGET_PAIRS);
    int64_t most = 0;
    x->out->devices = attr ? attr->u.int_lists->n : 0;
    grid g =
        attr ? grid_of(x->links->topology, count_devices(x->instr, attr->u.int_lists)) : x->grid;
    for (uint32_t i = 0; i < x->out->devices; i++) {
        const hlo_ints *pair = attr->u.int_lists->v[i];
        if (pair->n != 2) continue;
        int64_t from = device_of(x->instr, pair->v[0]), to = device_of(x->instr, pair->v[1]);
        int64_t way = distance(&g, g.rows, from / g.columns, to / g.columns) +
                      distance(&g, g.columns, from % g.columns, to % g.columns);
        if (way > most) most = way;
    }
    double bytes = most ? permuted_bytes(x->instr) : 0;
    set(x, bytes, (double)most, bytes);
}

static const struct {
    hlo_opcode opcode, start; /* the latter HLO_OP_COUNT: there is no separate one */
    void (*cost)(const exchange *x);
} kinds[] = {
    {HLO_OP_ALL_REDUCE, HLO_OP_ALL_REDUCE_START, cost_all_reduce},
    {HLO_OP_ALL_GATHER, HLO_OP_ALL_GATHER_START, cost_all_gather},
    {HLO_OP_REDUCE_SCATTER, HLO_OP_COUNT, cost_reduce_scatter},
    {HLO_OP_ALL_TO_ALL, HLO_OP_COUNT, cost_all_to_all},
    {HLO_OP_RAGGED_ALL_TO_ALL, HLO_OP_COUNT, cost_ragged_all_to_all},
    {HLO_OP_COLLECTIVE_BROADCAST, HLO_OP_COUNT, cost_broadcast},
    {HLO_OP_COLLECTIVE_PERMUTE, HLO_OP_COLLECTIVE_PERMUTE_START, cost_permute},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t kind_of(const hlo_instr *instr) {
    size_t k = 0;
    while (k < KINDS && instr->opcode != kinds[k].opcode && instr->opcode != kinds[k].start) k++;
    return k;
}

hlo_opcode hlo_transfer_kind(const hlo_instr *instr) {
    size_t kind = kind_of(instr);
    return kind < KINDS ? kinds[kind].opcode : HLO_OP_COUNT;
}

void hlo_transfer_cost(const hlo_instr *instr, const hlo_links *links, hlo_transfer *out) {
    HLO_ASSERT(kind_of(instr) < KINDS);
    int64_t devices = largest_group(instr);
    if (devices < 1) devices = 1;
    exchange x = {instr, links, out, grid_of(links->topology, devices), (double)devices};
    out->devices = (uint64_t)devices;
    kinds[kind_of(instr)].cost(&x);
}

hlo_transfer hlo_transfer_of(const hlo_instr *instr, const hlo_links *links, const hlo_runs *runs) {
    const hlo_computation *c = instr->parent;
    hlo_transfer all = {.kind = hlo_ops[hlo_transfer_kind(instr)].text,
                        .instruction = instr->name->ptr,
                        .instruction_len = instr->name->len,
                        .computation = c->name->ptr,
                        .computation_len = c->name->len,
                        .times = runs->times[c->id],
                        .times_known = runs->known[c->id]};
    hlo_transfer_cost(instr, links, &all);
    all.bytes_sent *= all.times;
    all.bytes_received *= all.times;
    all.seconds *= all.times;
    return all;
}
