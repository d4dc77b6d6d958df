/* What an HloSnapshot recorded of a run: arguments and result. */
#include "proto/from_module.h"

static const hlo_literal *recorded(hlo_reader *r, const hlo_node *node, const char *what,
                                   const hlo_shape *wanted) {
    const hlo_literal *literal = hlo_from_literal(r, node);
    if (!literal || hlo_shape_compatible(literal->shape, wanted)) return literal;
    hlo_node_bad(r, node, HLO_RULE_MESSAGE, "this is %s, %s of the entry computation is %s",
                 hlo_shape_name(&r->scratch, literal->shape), what,
                 hlo_shape_name(&r->scratch, wanted));
    return NULL;
}

static bool read_arguments(hlo_reader *r, const hlo_node *snapshot, hlo_recording *recording) {
    const hlo_proto_field *field = HLO_F(HloSnapshot, arguments);
    const hlo_computation *entry = r->module->entry;
    uint32_t n = hlo_node_count(snapshot, field), i = 0;
    if (!n) return true;
    if (n != entry->parameter_count)
        return hlo_node_bad(r, snapshot, HLO_RULE_MESSAGE,
                            "%u arguments, the entry computation has %u parameters", n,
                            entry->parameter_count);
    const hlo_literal **list = HLO_NEW_ARRAY(&r->module->arena, const hlo_literal *, n);
    for (const hlo_node *node = hlo_node_get(snapshot, field); node; node = node->next, i++)
        if (!(list[i] = recorded(r, node, "the parameter", entry->parameters[i]->shape)))
            return false;
    recording->arguments = list;
    return true;
}

bool hlo_from_snapshot(hlo_reader *r, const hlo_node *snapshot) {
    hlo_recording *recording = HLO_NEW(&r->module->arena, hlo_recording);
    const hlo_node *result = hlo_node_get(snapshot, HLO_F(HloSnapshot, result));
    if (!read_arguments(r, snapshot, recording)) return false;
    if (result) {
        recording->result = recorded(r, result, "the result", r->module->entry->root->shape);
        if (!recording->result) return false;
    }
    recording->platform =
        hlo_reader_keep(r, hlo_node_text(snapshot, HLO_F(HloSnapshot, execution_platform)));
    if (recording->arguments || recording->result || recording->platform.len)
        r->module->recording = recording;
    return true;
}
