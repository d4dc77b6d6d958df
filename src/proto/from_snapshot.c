/* What a snapshot recorded of a run: arguments and result. */
#include "proto/from_module.h"
#include "proto/raw_literal.h"

/* A literal, if it is one of the shape. */
static const hlo_literal *checked(hlo_reader *r, const hlo_node *node, const hlo_literal *literal,
                                  const char *what, const hlo_shape *wanted) {
    if (!literal || hlo_shape_compatible(literal->shape, wanted)) return literal;
    hlo_node_bad(r, node, HLO_RULE_MESSAGE, "this is %s, %s of the entry computation is %s",
                 hlo_shape_name(&r->scratch, literal->shape), what,
                 hlo_shape_name(&r->scratch, wanted));
    return NULL;
}

static bool check_count(hlo_reader *r, const hlo_node *node, uint32_t n) {
    if (n == r->module->entry->parameter_count) return true;
    return hlo_node_bad(r, node, HLO_RULE_MESSAGE,
                        "%u arguments, the entry computation has %u parameters", n,
                        r->module->entry->parameter_count);
}

/* ---- HloSnapshot ---- */

static bool read_arguments(hlo_reader *r, const hlo_node *snapshot, hlo_recording *recording) {
    const hlo_proto_field *field = HLO_F(HloSnapshot, arguments);
    const hlo_computation *entry = r->module->entry;
    uint32_t n = hlo_node_count(snapshot, field), i = 0;
    if (!n) return true;
    if (!check_count(r, snapshot, n)) return false;
    const hlo_literal **list = HLO_NEW_ARRAY(&r->module->arena, const hlo_literal *, n);
    for (const hlo_node *node = hlo_node_get(snapshot, field); node; node = node->next, i++) {
        const hlo_literal *literal = hlo_from_literal(r, node);
        list[i] = checked(r, node, literal, "the parameter", entry->parameters[i]->shape);
        if (!list[i]) return false;
    }
    recording->arguments = list;
    recording->device_count = 1;
    recording->argument_count = n;
    return true;
}

bool hlo_from_snapshot(hlo_reader *r, const hlo_node *snapshot) {
    hlo_recording *recording = HLO_NEW(&r->module->arena, hlo_recording);
    const hlo_node *result = hlo_node_get(snapshot, HLO_F(HloSnapshot, result));
    if (!read_arguments(r, snapshot, recording)) return false;
    if (result) {
        const hlo_literal *literal = hlo_from_literal(r, result);
        recording->result =
            checked(r, result, literal, "the result", r->module->entry->root->shape);
        if (!recording->result) return false;
    }
    recording->platform =
        hlo_reader_keep(r, hlo_node_text(snapshot, HLO_F(HloSnapshot, execution_platform)));
    if (recording->arguments || recording->result || recording->platform.len)
        r->module->recording = recording;
    return true;
}

/* ---- HloUnoptimizedSnapshot ---- */

/* The arguments of all devices, as they are read. */
typedef struct {
    hlo_reader *r;
    const hlo_literal **list; /* as many for each device as the entry has parameters */
    uint32_t n;
    uint32_t at, end;          /* of the literals after the message that are left */
    const hlo_node *misfit_at; /* the first that has another shape than its parameter, or NULL */
    uint32_t misfit;           /* its place in the list */
} device_arguments;

/* A part of a program for several devices gets tiles of what the whole one gets. */
static void add_argument(device_arguments *all, const hlo_node *node, const hlo_literal *literal) {
    const hlo_computation *entry = all->r->module->entry;
    uint32_t parameter = all->n % entry->parameter_count;
    if (!all->misfit_at &&
        !hlo_shape_compatible(literal->shape, entry->parameters[parameter]->shape)) {
        all->misfit_at = node;
        all->misfit = all->n;
    }
    all->list[all->n++] = literal;
}

static bool add_messages(device_arguments *all, const hlo_node *inputs) {
    const hlo_node *node = hlo_node_get(inputs, HLO_F(HloInputs, arguments));
    for (; node; node = node->next) {
        const hlo_literal *literal = hlo_from_literal(all->r, node);
        if (!literal) return false;
        add_argument(all, node, literal);
    }
    return true;
}

static bool is_known_version(hlo_reader *r, const hlo_node *node, const hlo_proto_field *field) {
    int64_t version = hlo_node_int(node, field);
    if (version <= 0) return true;
    return hlo_node_bad(r, node, HLO_RULE_MESSAGE, "version %lld of this form is not supported",
                        (long long)version);
}

/* Only sizes are in the message. */
static bool add_raw(device_arguments *all, const hlo_node *inputs) {
    const hlo_node *node = hlo_node_get(inputs, HLO_F(HloInputs, arguments_descriptors));
    for (; node; node = node->next) {
        uint64_t size =
            (uint64_t)hlo_node_int(node, HLO_F(HloInputs_LiteralDescriptor, argument_size_bytes));
        if (!is_known_version(all->r, node, HLO_F(HloInputs_LiteralDescriptor, version)))
            return false;
        if (size > all->end - all->at)
            return hlo_node_bad(all->r, node, HLO_RULE_MESSAGE,
                                "the literal has %llu bytes, %u are left", (unsigned long long)size,
                                all->end - all->at);
        uint32_t end = all->at + (uint32_t)size;
        const hlo_literal *literal = hlo_raw_literal(all->r, node, all->at, end);
        if (!literal) return false;
        add_argument(all, node, literal);
        all->at = end;
    }
    return true;
}

/* Before memory is taken for all of them. */
static bool check_counts(hlo_reader *r, const hlo_node *inputs) {
    for (; inputs; inputs = inputs->next) {
        uint32_t messages = hlo_node_count(inputs, HLO_F(HloInputs, arguments));
        uint32_t raw = hlo_node_count(inputs, HLO_F(HloInputs, arguments_descriptors));
        if (messages && raw)
            return hlo_node_bad(r, inputs, HLO_RULE_MESSAGE,
                                "arguments are in the message and after it");
        if (!check_count(r, inputs, messages + raw)) return false;
    }
    return true;
}

static bool add_device(device_arguments *all, const hlo_node *inputs) {
    return add_messages(all, inputs) && add_raw(all, inputs);
}

/* The module is whole and the arguments of a device are tiles: nothing runs the one on the others.
 */
static void keep_arguments(device_arguments *all, uint32_t devices) {
    hlo_reader *r = all->r;
    if (all->misfit_at) {
        const hlo_computation *entry = r->module->entry;
        const hlo_shape *wanted = entry->parameters[all->misfit % entry->parameter_count]->shape;
        hlo_warning(r->diags, HLO_RULE_MESSAGE, r->has_lines ? r->source : NULL,
                    (hlo_span){all->misfit_at->at, all->misfit_at->at + 1},
                    "%s%srecorded arguments are dropped: argument %u of device %u is %s, the "
                    "parameter is %s",
                    r->has_lines ? "" : r->source->name, r->has_lines ? "" : ": ",
                    all->misfit % entry->parameter_count, all->misfit / entry->parameter_count,
                    hlo_shape_name(&r->scratch, all->list[all->misfit]->shape),
                    hlo_shape_name(&r->scratch, wanted));
        return;
    }
    hlo_recording *recording = HLO_NEW(&r->module->arena, hlo_recording);
    recording->arguments = all->list;
    recording->device_count = devices;
    recording->argument_count = r->module->entry->parameter_count;
    r->module->recording = recording;
}

bool hlo_from_unoptimized_snapshot(hlo_reader *r, const hlo_node *snapshot) {
    const hlo_proto_field *field = HLO_F(HloUnoptimizedSnapshot, partitions);
    uint32_t devices = hlo_node_count(snapshot, field);
    uint64_t n = (uint64_t)devices * r->module->entry->parameter_count;
    if (!is_known_version(r, snapshot, HLO_F(HloUnoptimizedSnapshot, version)) ||
        !check_counts(r, hlo_node_get(snapshot, field)))
        return false;
    device_arguments all = {.r = r, .at = snapshot->end, .end = (uint32_t)r->source->len};
    if (r->has_lines) all.at = all.end; /* nothing follows a text */
    all.list = HLO_NEW_ARRAY(&r->module->arena, const hlo_literal *, n);
    for (const hlo_node *node = hlo_node_get(snapshot, field); node; node = node->next)
        if (!add_device(&all, node)) return false;
    if (all.at != all.end)
        return hlo_read_bad(r, snapshot, all.at, all.end, HLO_RULE_MESSAGE,
                            "%u bytes follow the arguments", all.end - all.at);
    if (n) keep_arguments(&all, devices);
    return true;
}
