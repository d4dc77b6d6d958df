/* Computations, instructions and collectives as rows. */
#include <math.h>

#include "stat/stat.h"

double hlo_stat_runs(const hlo_stat_counting *c, const hlo_computation *computation) {
    const hlo_runs *runs = &c->part->runs;
    return runs->known[computation->id] ? runs->times[computation->id] : NAN;
}

/* ---- computations ---- */

static hlo_str role_of(const hlo_stat_counting *c, const hlo_computation *one) {
    const hlo_instr *caller = c->part->graph.caller[one->id];
    if (one == one->module->entry) return HLO_STR("entry");
    if (caller && caller->opcode == HLO_OP_WHILE && hlo_called(caller, 1) == one)
        return HLO_STR("condition");
    return hlo_str_from(caller ? hlo_info(caller)->text : "");
}

static void put_computation(hlo_stat_counting *c, const hlo_computation *one) {
    hlo_stat_table *table = &c->stats->tables[HLO_STAT_COMPUTATIONS];
    hlo_stat_cost sum = {0};
    for (const hlo_instr *i = one->first; i; i = i->next) {
        hlo_stat_cost cost = hlo_stat_cost_of(c, i, true);
        hlo_stat_add_cost(&sum, &cost);
    }
    sum.unknown = 0; /* the rest is known */
    hlo_stat_put_text(table, hlo_stat_keep_name(c, one->name));
    hlo_stat_put_text(table, role_of(c, one));
    hlo_stat_put_number(table, one->instr_count);
    hlo_stat_put_number(table, hlo_stat_runs(c, one));
    hlo_stat_put_costs(c, table, &sum);
    hlo_stat_put_number(table, c->part->peaks[one->id]);
}

void hlo_stat_fill_computations(hlo_stat_counting *c) {
    for (const hlo_computation *one = c->part->module->first; one; one = one->next)
        if (c->part->is_run[one->id]) put_computation(c, one);
}

/* ---- instructions ---- */

static hlo_str op_name_of(hlo_stat_counting *c, const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    if (!attr) return HLO_STR("");
    return hlo_stat_keep(c, attr->u.metadata->op_name.ptr, attr->u.metadata->op_name.len);
}

static void put_instr(hlo_stat_counting *c, const hlo_instr *instr) {
    hlo_stat_table *table = &c->stats->tables[HLO_STAT_INSTRUCTIONS];
    hlo_stat_cost cost = hlo_stat_cost_of(c, instr, true);
    bool is_free = cost.cost.flops + cost.cost.transcendentals + cost.cost.bytes == 0;
    if (is_free && cost.unknown == 0 && hlo_stat_seconds(&cost) == 0) return;
    hlo_stat_put_text(table, hlo_stat_keep_name(c, instr->name));
    hlo_stat_put_text(table, hlo_str_from(hlo_info(instr)->text));
    hlo_stat_put_number(table, hlo_stat_runs(c, instr->parent));
    hlo_stat_put_costs(c, table, &cost);
    hlo_stat_put_text(table, hlo_stat_keep_shape(c, instr->shape));
    hlo_stat_put_text(table, hlo_stat_keep_name(c, instr->parent->name));
    hlo_stat_put_text(table, op_name_of(c, instr));
}

void hlo_stat_fill_instructions(hlo_stat_counting *c) {
    for (const hlo_computation *one = c->part->module->first; one; one = one->next)
        for (const hlo_instr *i = one->first; i && c->part->is_run[one->id]; i = i->next)
            put_instr(c, i);
}

/* ---- collectives ---- */

typedef struct {
    double count, devices, sent, received, seconds;
} exchanges;

static void add_exchange(hlo_stat_counting *c, const hlo_instr *instr, exchanges *to) {
    hlo_transfer transfer = hlo_transfer_of(instr, &c->links, &c->part->runs);
    to->count++;
    to->devices = fmax(to->devices, (double)transfer.devices);
    to->sent += transfer.bytes_sent;
    to->received += transfer.bytes_received;
    if (c->options.links) to->seconds += transfer.seconds;
}

static void put_exchanges(hlo_stat_table *table, hlo_opcode kind, const exchanges *sum) {
    hlo_stat_put_text(table, hlo_str_from(hlo_ops[kind].text));
    hlo_stat_put_number(table, sum->count);
    hlo_stat_put_number(table, sum->devices);
    hlo_stat_put_number(table, sum->sent);
    hlo_stat_put_number(table, sum->received);
    hlo_stat_put_number(table, sum->seconds);
}

void hlo_stat_fill_collectives(hlo_stat_counting *c) {
    exchanges sums[HLO_OP_COUNT] = {0};
    for (uint32_t p = 0; p < c->parts.n; p++) {
        c->part = &c->parts.v[p];
        for (const hlo_computation *one = c->part->module->first; one; one = one->next)
            for (const hlo_instr *i = one->first; i; i = i->next) {
                hlo_opcode kind = hlo_transfer_kind(i);
                if (kind != HLO_OP_COUNT) add_exchange(c, i, &sums[kind]);
            }
    }
    for (int kind = 0; kind < HLO_OP_COUNT; kind++)
        if (sums[kind].count > 0)
            put_exchanges(&c->stats->tables[HLO_STAT_COLLECTIVES], (hlo_opcode)kind, &sums[kind]);
}
