/* Modules from their messages: computations and instructions are built while they are read, the
 * rest when all of it is there. */
#include "proto/from_module.h"
#include "proto/extension.h"

#include <stdlib.h>

#include "form/form.h"
#include "proto/detect.h"
#include "proto/proto.h"

/* ---- strings ---- */

/* Strings of JSON and of text stay where they are: the module keeps the source for its diagnostics
 * anyway. */
hlo_str hlo_reader_keep(hlo_reader *r, hlo_str text) {
    if (!text.len) return HLO_STR("");
    bool in_source = text.ptr >= r->source->text && text.ptr < r->source->text + r->source->len;
    if (r->has_lines && in_source) return text;
    text.ptr = hlo_arena_copy(&r->module->arena, text.ptr, text.len);
    return text;
}

/* ---- what has no place in a module ---- */

/* Fields that text knows nothing of either: XLA's printer leaves them out as well. */
static const uint16_t not_kept[] = {
#define FIELD(message, field) HLO_FIELD_##message##_##field
    FIELD(HloModuleProto, cross_program_prefetches),
    FIELD(HloModuleProto, is_dynamic),
    FIELD(HloModuleProto, profile_info),
    FIELD(HloModuleProto, device_assignment),
    FIELD(HloModuleProto, use_auto_spmd_partitioning),
    FIELD(HloModuleProto, device_type),
    FIELD(HloModuleProto, pjrt_id),
    FIELD(HloInstructionProto, is_cross_program_prefetch),
    FIELD(DebugAttributesProto, operands_sharding),
    FIELD(OpSharding, tile_shape),
    FIELD(OpMetadata, size_of_generated_code_in_bytes),
    FIELD(OpMetadata, size_of_memory_working_set_in_bytes),
    FIELD(OpMetadata, profile_info),
    FIELD(LayoutProto, dim_level_types),
    FIELD(LayoutProto, dim_unique),
    FIELD(LayoutProto, dim_ordered),
    FIELD(LayoutProto, physical_shape),
    FIELD(LiteralProto, sparse_indices),
    FIELD(LiteralProto, dynamic_sizes),
    FIELD(HloProto, buffer_assignment),
#undef FIELD
};

/* The states of a field in r->told. */
enum { IS_KEPT, IS_NOT_KEPT, WAS_TOLD, IS_READ_LATER };

static void mark_what_is_not_kept(hlo_reader *r) {
    for (size_t i = 0; i < sizeof not_kept / sizeof *not_kept; i++)
        r->told[not_kept[i]] = IS_NOT_KEPT;
    r->told[HLO_FIELD_OriginalValueRecoveryTableProto_Entry_recovery_module] = IS_READ_LATER;
}

/* Kept with the module, for those who would lose it (hlo_module_forget_extras). */
static void note_loss(hlo_reader *r, const hlo_proto_field *field, uint32_t at) {
    hlo_buf text = HLO_BUF_INIT;
    if (!r->has_lines) hlo_buf_printf(&text, "%s: ", r->source->name);
    hlo_buf_printf(&text, "field %s of %s has no place in a module and",
                   hlo_reader_called(r, field), hlo_message_names[field->message]);
    hlo_unkept *loss = HLO_NEW(&r->outermost->arena, hlo_unkept), **last = &r->outermost->unkept;
    const char *kept = hlo_arena_copy(&r->outermost->arena, text.data, text.len);
    loss->what = (hlo_str){kept, (uint32_t)text.len, 0};
    if (r->has_lines) loss->at = (hlo_span){at, at + 1};
    while (*last) last = &(*last)->next;
    *last = loss;
    hlo_buf_free(&text);
}

bool hlo_reader_drops(hlo_reader *r, const hlo_proto_field *field, uint32_t at) {
    uint8_t *told = &r->told[field->id];
    if (*told == IS_READ_LATER) return true;
    if (*told == IS_NOT_KEPT) note_loss(r, field, at);
    *told = WAS_TOLD;
    return true;
}

void hlo_reader_unknown(hlo_reader *r, hlo_message_id message, hlo_str name, uint32_t at,
                        uint32_t end) {
    uint32_t hash = (uint32_t)hlo_hash_bytes(name.ptr, name.len);
    for (uint32_t i = 0; i < r->unknown_count; i++)
        if (r->unknown[i].message == message && r->unknown[i].hash == hash) return;
    if (r->unknown_count == HLO_MOST_NAMED_UNKNOWN) return;
    r->unknown[r->unknown_count].message = message;
    r->unknown[r->unknown_count++].hash = hash;
    hlo_warning(r->diags, HLO_RULE_MESSAGE, r->has_lines ? r->source : NULL, (hlo_span){at, end},
                "%s%sunknown field %.*s of %s is dropped", r->has_lines ? "" : r->source->name,
                r->has_lines ? "" : ": ", (int)(name.len < 80 ? name.len : 80), name.ptr,
                hlo_message_names[message]);
    const hlo_nearest search = hlo_field_nearest(message, name, r->form == HLO_PROTO_PBTXT);
    if (r->has_lines) hlo_hint_nearest(r->diags, &search);
}

/* ---- computations ---- */

static bool begin_computation(hlo_reader *r) {
    r->computation = hlo_computation_new(r->module, hlo_module_intern(r->module, HLO_STR("_")));
    r->read.n = r->parameters.n = 0;
    r->is_read_in_order = true;
    hlo_id_map_clear(&r->instrs);
    return true;
}

static int by_id(const void *a, const void *b) {
    const hlo_read_instr *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Ids give the source order of the instructions; the message lists them in post-order. */
static void put_in_order_of_ids(hlo_reader *r) {
    if (r->is_read_in_order) return;
    qsort(r->read.v, r->read.n, sizeof *r->read.v, by_id);
    for (uint32_t i = 0; i < r->read.n; i++) {
        r->read.v[i].instr->prev = i ? r->read.v[i - 1].instr : NULL;
        r->read.v[i].instr->next = i + 1 < r->read.n ? r->read.v[i + 1].instr : NULL;
    }
    r->computation->first = r->read.v[0].instr;
    r->computation->last = r->read.v[r->read.n - 1].instr;
}

static bool name_computation(hlo_reader *r, const hlo_node *node) {
    const hlo_node *at = hlo_node_get(node, HLO_F(HloComputationProto, name));
    if (!at || !at->u.text.len)
        return hlo_node_bad(r, node, HLO_RULE_MESSAGE, "a computation requires a name");
    hlo_name *name = hlo_from_name(r, at->u.text);
    r->computation->name = name;
    if (r->has_lines) r->computation->at = (hlo_span){at->at, at->end};
    if (name->computation)
        return hlo_node_bad(r, at, HLO_RULE_DUPLICATE_NAME, "computation '%.*s' is defined twice",
                            (int)(name->len < 120 ? name->len : 120), name->ptr);
    name->computation = r->computation;
    return true;
}

static bool has_gaps(hlo_reader *r, const hlo_node *node) {
    return hlo_node_bad(r, node, HLO_RULE_PARAMETER_NUMBERS,
                        "the parameters are not numbered consecutively from 0");
}

/* The module's fields, which come later, show whether it is a device's part of a dataflow graph,
 * which has some of the parameters. */
static bool take_parameters(hlo_reader *r, const hlo_node *node) {
    hlo_computation *c = r->computation;
    if (hlo_computation_set_parameters(c, r->parameters.v, r->parameters.n)) return true;
    if (r->with_gaps || hlo_computation_sort_parameters(c, r->parameters.v, r->parameters.n))
        return has_gaps(r, node);
    r->with_gaps = c;
    r->with_gaps_at = node;
    return true;
}

static bool check_gaps(hlo_reader *r) {
    if (!r->with_gaps ||
        (r->with_gaps == r->module->entry && hlo_module_flag(r->module, HLO_ATTR_IS_DATAFLOW)))
        return true;
    return has_gaps(r, r->with_gaps_at);
}

static bool end_computation(hlo_reader *r, const hlo_node *node) {
    hlo_computation *c = r->computation;
    int64_t id = hlo_node_int(node, HLO_F(HloComputationProto, id));
    int64_t root = hlo_node_int(node, HLO_F(HloComputationProto, root_id));
    if (!name_computation(r, node)) return false;
    if (!c->first)
        return hlo_node_bad(r, node, HLO_RULE_ROOT, "a computation requires an instruction");
    c->root = hlo_id_map_find(&r->instrs, hlo_local_id(root));
    if (!c->root)
        return hlo_node_bad(r, node, HLO_RULE_ROOT,
                            "the computation has no instruction with the rootId %lld",
                            (long long)root);
    put_in_order_of_ids(r);
    if (!hlo_connect_back_edges(r, node)) return false;
    if (!take_parameters(r, node)) return false;
    hlo_str thread = hlo_node_text(node, HLO_F(HloComputationProto, execution_thread));
    if (thread.len) c->execution_thread = hlo_reader_keep(r, thread);
    if (!hlo_id_map_add(&r->computations, id, c))
        return hlo_node_bad(r, node, HLO_RULE_DUPLICATE_NAME, "another computation has the id %lld",
                            (long long)id);
    r->computation = NULL;
    return true;
}

/* ---- while the message is read ---- */

bool hlo_reader_enter(hlo_reader *r, const hlo_node *node) {
    return node->field != HLO_F(HloModuleProto, computations) || begin_computation(r);
}

bool hlo_reader_leave(hlo_reader *r, hlo_node *node) {
    if (node->field == HLO_F(HloModuleProto, computations)) return end_computation(r, node);
    bool good = hlo_from_instr(r, node);
    hlo_node_drop_last((hlo_node *)(uintptr_t)node->parent, node->field);
    r->arena = &r->keep;
    hlo_arena_reset(&r->scratch);
    return good;
}

/* ---- modules ---- */

static bool check_async_callers(hlo_reader *r) {
    uint32_t mark = hlo_module_new_mark(r->module);
    for (uint32_t k = 0; k < r->async_starts.n; k++) {
        const hlo_instr *start = r->async_starts.v[k];
        hlo_computation *body = hlo_instr_attr(start, HLO_ATTR_CALLS)->u.computation;
        if (body->mark == mark)
            return hlo_read_bad(r, NULL, start->at.lo, start->at.hi, HLO_RULE_ASYNC,
                                "computation '%.*s' is called by more than one async start",
                                (int)(body->name->len < 120 ? body->name->len : 120),
                                body->name->ptr);
        body->mark = mark;
    }
    return true;
}

static void spread_threads(hlo_reader *r) {
    bool other = false;
    for (const hlo_computation *c = r->module->first; c; c = c->next)
        other |= !hlo_str_is(c->execution_thread, "main");
    for (uint32_t i = 0; i < r->async_starts.n; i++) {
        hlo_instr *start = r->async_starts.v[i];
        other |= hlo_instr_attr(start, HLO_ATTR_ASYNC_EXECUTION_THREAD) != NULL;
        if (other) hlo_form_spread_thread(start);
    }
}

/* The message that holds the module's fields: the outermost one, or one in an HloProto or a
 * snapshot. */
static const hlo_node *module_node(const hlo_node *root, hlo_message_id id) {
    if (id == HLO_MESSAGE_HloSnapshot) {
        root = hlo_node_get(root, HLO_F(HloSnapshot, hlo));
        id = HLO_MESSAGE_HloProto;
    }
    if (root && id == HLO_MESSAGE_HloProto) return hlo_node_get(root, HLO_F(HloProto, hlo_module));
    if (root && id == HLO_MESSAGE_HloUnoptimizedSnapshot)
        return hlo_node_get(root, HLO_F(HloUnoptimizedSnapshot, hlo_module));
    return root;
}

static bool read_root(hlo_reader *r, hlo_node *root, hlo_message_id id) {
    if (r->form == HLO_PROTO_PBTXT) return hlo_read_pbtxt(r, root, id);
    return r->has_lines ? hlo_read_json(r, root, id) : hlo_read_wire(r, root, id);
}

static bool read_all(hlo_reader *r, const hlo_message_place *place) {
    hlo_message_id id = place->id;
    hlo_node *root = hlo_node_root(r, id, place->at, place->end);
    if (!read_root(r, root, id)) return false;
    const hlo_node *module = module_node(root, id);
    if (!module) return hlo_node_bad(r, root, HLO_RULE_MESSAGE, "the message contains no module");
    if (!hlo_from_header(r, module) || !check_gaps(r) || !check_async_callers(r)) return false;
    spread_threads(r);
    if (id == HLO_MESSAGE_HloUnoptimizedSnapshot) return hlo_from_unoptimized_snapshot(r, root);
    return id != HLO_MESSAGE_HloSnapshot || hlo_from_snapshot(r, root);
}

static void free_reader(hlo_reader *r) {
    hlo_arena_free(&r->keep);
    hlo_arena_free(&r->scratch);
    hlo_id_map_free(&r->computations);
    hlo_id_map_free(&r->instrs);
    hlo_instr_fields_free(&r->fields);
    hlo_list_free(&r->shapes);
    hlo_hash_free(&r->shapes_by_hash);
    void *lists[] = {r->read.v,     r->parameters.v, r->async_starts.v, r->payloads.v,
                     r->operands.v, r->attrs.v,      r->framed.v,       r->back_edges.v};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) hlo_free(lists[i]);
    hlo_free(r);
}

/* Bytes of a source for each instruction, about. */
static size_t bytes_of_instruction(hlo_proto_form form) {
    return form == HLO_PROTO_WIRE ? 130 : form == HLO_PROTO_PBTXT ? 900 : 650;
}

static hlo_reader *new_reader(hlo_source *source, hlo_proto_form form, size_t size,
                              hlo_diags *diags) {
    hlo_reader *r = hlo_calloc(1, sizeof *r);
    r->source = source;
    r->form = form;
    r->has_lines = form != HLO_PROTO_WIRE;
    r->diags = diags;
    r->module = r->outermost = hlo_module_new();
    hlo_module_reserve(r->module, size / bytes_of_instruction(form),
                       r->has_lines ? size / 2 : size);
    if (r->has_lines) r->module->source = hlo_source_retain(source);
    r->arena = &r->keep;
    mark_what_is_not_kept(r);
    return r;
}

static hlo_status read_module(hlo_reader *r, const hlo_message_place *place, hlo_module **out) {
    bool good = read_all(r, place);
    *out = good ? r->module : NULL;
    if (!good) hlo_module_free(r->module);
    else r->module->names_are_unique = true;
    free_reader(r);
    return good ? HLO_OK : HLO_BAD_MODULE;
}

enum { MOST_MODULES_AROUND = 16 };

hlo_status hlo_read_part(hlo_reader *outer, const hlo_node *node, hlo_module **out) {
    *out = NULL;
    if (outer->modules_around == MOST_MODULES_AROUND) {
        hlo_node_bad(outer, node, HLO_RULE_NESTING, "recovery modules nest more than %d deep",
                     MOST_MODULES_AROUND);
        return HLO_BAD_MODULE;
    }
    hlo_reader *r = new_reader(outer->source, outer->form, node->end - node->at, outer->diags);
    r->around = node;
    r->outermost = outer->outermost;
    r->modules_around = outer->modules_around + 1;
    const hlo_message_place place = {HLO_MESSAGE_HloModuleProto, node->at, node->end};
    return read_module(r, &place, out);
}

hlo_status hlo_proto_read(hlo_source *source, hlo_proto_form form, hlo_diags *diags,
                          hlo_module **out) {
    const hlo_message_place place = hlo_message_in(source, form);
    hlo_reader *r = new_reader(source, form, source->len, diags);
    return read_module(r, &place, out);
}
