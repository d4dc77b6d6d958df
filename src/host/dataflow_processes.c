/* What parts of a graph cannot do in several processes: hand over a stack, which is in the memory
 * of one, and share a file of the host. */
#include "eval/kernel/kernel_device.h"
#include "host/run.h"

/* Who was first to do a kind of transfer with the host. */
typedef struct {
    const hlo_instr *instr;
    uint32_t rank;
} host_user;

typedef struct {
    hlo_run *run;
    uint32_t devices, rank; /* of the part */
    host_user users[HLO_OP_COUNT];
    hlo_diags *diags;
} check;

static uint32_t rank_of(const check *c, uint32_t device) {
    return hlo_world_rank_of(c->run->world, c->devices, device);
}

static void refuse(check *c, const hlo_instr *instr, const char *why) {
    hlo_error(c->diags, HLO_RULE_EXCHANGE, instr->parent->module->source, instr->at,
              "'%.*s' (%s) %s", (int)instr->name->len, instr->name->ptr, hlo_info(instr)->text,
              why);
}

static void check_host(check *c, const hlo_instr *instr) {
    host_user *user = &c->users[instr->opcode];
    if (!hlo_needs_host(instr)) return;
    if (!user->instr) *user = (host_user){instr, c->rank};
    else if (user->rank != c->rank)
        refuse(c, instr, "exchanges data with the host, like an instruction of another process");
}

static void check_edge(check *c, const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_EDGE_SEND) return;
    uint32_t to = (uint32_t)hlo_attr_int(instr, HLO_ATTR_TO_DEVICE);
    if (hlo_operand(instr, 0)->shape->type == HLO_OPAQUE && rank_of(c, to) != c->rank)
        refuse(c, instr, "sends a stack to another process, which cannot access its memory");
}

static void check_part(check *c, const hlo_module *part) {
    for (const hlo_computation *k = part->first; k; k = k->next)
        for (const hlo_instr *i = k->first; i; i = i->next) {
            check_host(c, i);
            check_edge(c, i);
        }
}

bool hlo_run_check_processes(hlo_run *run, hlo_diags *diags) {
    if (hlo_world_size(run->world) < 2) return true;
    check c = {.run = run, .diags = diags};
    uint32_t before = hlo_diags_error_count(diags), device = 0;
    for (const hlo_module *m = run->graph; m; m = m->next_device) c.devices++;
    for (const hlo_module *m = run->graph; m; m = m->next_device) {
        c.rank = rank_of(&c, device++);
        check_part(&c, m);
    }
    return hlo_diags_error_count(diags) == before;
}
