/* Channels, groups, shapes and reducers of exchanges as text, and what differs in them: see
 * exchange_words.h. */
#include "eval/run/exchange_words.h"

#include "analysis/match.h"

/* What a done ends. */
static const hlo_instr *beginning(const hlo_instr *instr) {
    switch ((hlo_opcode)instr->opcode) {
    case HLO_OP_ALL_REDUCE_DONE:
    case HLO_OP_ALL_GATHER_DONE:
    case HLO_OP_COLLECTIVE_PERMUTE_DONE:
    case HLO_OP_SEND_DONE:
    case HLO_OP_RECV_DONE: return hlo_operand(instr, 0);
    default: return instr;
    }
}

const hlo_attr *hlo_exchange_channel(const hlo_instr *instr) {
    const hlo_attr *own = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    return own ? own : hlo_instr_attr(beginning(instr), HLO_ATTR_CHANNEL_ID);
}

void hlo_put_exchange(hlo_buf *to, const hlo_instr *instr) {
    const hlo_attr *channel = hlo_exchange_channel(instr);
    hlo_buf_printf(to, " (%s", hlo_info(instr)->text);
    if (channel) hlo_buf_printf(to, ", channel %lld", (long long)channel->u.i);
    hlo_buf_char(to, ')');
}

/* ---- what is compared ---- */

typedef struct {
    const hlo_exchange_devices *devices;
    hlo_arena *arena;
} comparison;

/* Appends the value of an aspect of the exchange; nothing where it has no such aspect. */
typedef void aspect(hlo_buf *to, const comparison *c, const hlo_exchange_place *place);

/* A start exchanges what the operation without it does. */
static void put_operation(hlo_buf *to, const comparison *c, const hlo_exchange_place *place) {
    (void)c;
    const char *text = hlo_info(beginning(place->instr))->text;
    size_t n = strlen(text), end = sizeof "-start" - 1;
    bool is_start = n > end && strcmp(text + n - end, "-start") == 0;
    hlo_buf_bytes(to, text, is_start ? n - end : n);
}

static void put_channel(hlo_buf *to, const comparison *c, const hlo_exchange_place *place) {
    (void)c;
    const hlo_attr *channel = hlo_exchange_channel(place->instr);
    if (channel) hlo_buf_printf(to, "%lld", (long long)channel->u.i);
    else hlo_buf_lit(to, "none");
}

/* As numbers of devices, whatever form the groups have. */
static void put_group(hlo_buf *to, const comparison *c, const hlo_exchange_place *place) {
    enum { SHOWN = 16 };
    const hlo_instr *instr = beginning(place->instr);
    if (hlo_op_attr((hlo_opcode)instr->opcode, HLO_ATTR_REPLICA_GROUPS) == HLO_ATTR_COUNT) return;
    const hlo_device_groups *groups =
        hlo_device_groups_of(c->arena, instr, c->devices->count, &c->devices->assignment);
    uint32_t number = groups ? groups->group_of[place->device] : HLO_NO_GROUP;
    if (number == HLO_NO_GROUP) return;
    const hlo_device_group *group = &groups->groups[number];
    hlo_buf_char(to, '{');
    for (uint32_t i = 0; i < group->count && i < SHOWN; i++)
        hlo_buf_printf(to, "%s%u", i ? "," : "", group->devices[i]);
    if (group->count > SHOWN) hlo_buf_printf(to, ",... of %u", group->count);
    hlo_buf_char(to, '}');
}

static void put_pairs(hlo_buf *to, const comparison *c, const hlo_exchange_place *place) {
    (void)c;
    const hlo_attr *pairs = hlo_instr_attr(beginning(place->instr), HLO_ATTR_SOURCE_TARGET_PAIRS);
    if (pairs) hlo_attr_print_value(pairs, &hlo_print_short, to);
}

static void put_operands(hlo_buf *to, const comparison *c, const hlo_exchange_place *place) {
    (void)c;
    const hlo_instr *instr = beginning(place->instr);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        hlo_buf_cstr(to, i ? ", " : "");
        hlo_shape_print(to, hlo_operand(instr, i)->shape, false);
    }
}

/* The operation, or the name of a computation that is none. */
static void put_reducer(hlo_buf *to, const comparison *c, const hlo_exchange_place *place) {
    (void)c;
    const hlo_computation *reducer = hlo_called(beginning(place->instr), 0);
    if (!reducer) return;
    hlo_opcode opcode = hlo_binary_computation(reducer);
    if (opcode != HLO_OP_COUNT) hlo_buf_cstr(to, hlo_ops[opcode].text);
    else hlo_buf_printf(to, "'%.*s'", (int)reducer->name->len, reducer->name->ptr);
}

static const struct {
    const char *name;
    aspect *put;
} aspects[] = {
    {"operation", put_operation}, {"channel", put_channel},   {"group", put_group},
    {"pairs", put_pairs},         {"operands", put_operands}, {"reduction", put_reducer},
};

/* Of an aspect that only one of both has, nothing: the operation differs then. */
static void put_difference(hlo_buf *to, const char *name, const hlo_buf *a, const hlo_buf *b) {
    if (!a->len || !b->len) return;
    if (a->len == b->len && memcmp(a->data, b->data, a->len) == 0) return;
    hlo_buf_printf(to, "%s%s: %.*s and %.*s", to->len ? "; " : "", name, (int)a->len, a->data,
                   (int)b->len, b->data);
}

void hlo_put_differences(hlo_buf *to, const hlo_exchange_devices *devices,
                         const hlo_exchange_place *a, const hlo_exchange_place *b) {
    hlo_arena arena;
    hlo_buf one = HLO_BUF_INIT, other = HLO_BUF_INIT;
    hlo_arena_init(&arena);
    comparison c = {devices, &arena};
    for (size_t i = 0; a->instr != b->instr && i < sizeof aspects / sizeof *aspects; i++) {
        one.len = other.len = 0;
        aspects[i].put(&one, &c, a);
        aspects[i].put(&other, &c, b);
        put_difference(to, aspects[i].name, &one, &other);
    }
    hlo_buf_free(&one);
    hlo_buf_free(&other);
    hlo_arena_free(&arena);
}

/* ---- sends and recvs ---- */

static bool is_on_channel(const hlo_instr *instr, hlo_opcode opcode, int64_t channel) {
    const hlo_attr *own = hlo_instr_attr(instr, HLO_ATTR_CHANNEL_ID);
    const hlo_attr *host = hlo_instr_attr(instr, HLO_ATTR_IS_HOST_TRANSFER);
    return instr->opcode == opcode && own && own->u.i == channel && !(host && host->u.i);
}

bool hlo_find_counterpart(const hlo_instr *transfer, hlo_opcode *opcode, const hlo_instr **found) {
    const hlo_attr *channel = hlo_exchange_channel(transfer);
    bool sends = transfer->opcode == HLO_OP_SEND || transfer->opcode == HLO_OP_SEND_DONE;
    bool receives = transfer->opcode == HLO_OP_RECV || transfer->opcode == HLO_OP_RECV_DONE;
    *found = NULL;
    *opcode = sends ? HLO_OP_RECV : HLO_OP_SEND;
    if (!channel || !(sends || receives)) return false;
    const hlo_module *module = transfer->parent->module;
    for (const hlo_computation *c = module->first; c && !*found; c = c->next)
        for (const hlo_instr *i = c->first; i && !*found; i = i->next)
            if (is_on_channel(i, *opcode, channel->u.i)) *found = i;
    return true;
}
