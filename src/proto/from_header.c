/* What a module has besides computations: entry, layouts, aliases, schedule, frames, attributes. */
#include <stdlib.h>

#include "base/text.h"
#include "ir/valid_name.h"
#include "parse/adopt_frames.h"
#include "proto/from_module.h"
#include "proto/proto.h"

static hlo_arena *arena_of(hlo_reader *r) {
    return &r->module->arena;
}

/* ---- entry ---- */

static bool read_entry(hlo_reader *r, const hlo_node *module) {
    int64_t id = hlo_node_int(module, HLO_F(HloModuleProto, entry_computation_id));
    r->module->entry = hlo_id_map_find(&r->computations, id);
    if (r->module->entry) return true;
    const hlo_node *at = hlo_node_get(module, HLO_F(HloModuleProto, entry_computation_id));
    return hlo_node_bad(r, at ? at : module, HLO_RULE_ENTRY,
                        "there is no computation with id %lld for the entry", (long long)id);
}

/* Recovery modules are not held to it, as in the text: nothing runs them. */
static bool fits_entry(hlo_reader *r, const hlo_node *host, const hlo_program_shape *shape) {
    const hlo_computation *entry = r->module->entry;
    if (shape->parameters->n != entry->parameter_count)
        return hlo_node_bad(r, host, HLO_RULE_ENTRY_LAYOUT,
                            "%u parameters, the entry computation has %u", shape->parameters->n,
                            entry->parameter_count);
    for (uint32_t i = 0; i < entry->parameter_count; i++)
        if (!hlo_shape_compatible(shape->parameters->v[i], entry->parameters[i]->shape))
            return hlo_node_bad(r, host, HLO_RULE_ENTRY_LAYOUT,
                                "parameter %u is %s, the entry computation has %s", i,
                                hlo_shape_name(&r->scratch, shape->parameters->v[i]),
                                hlo_shape_name(&r->scratch, entry->parameters[i]->shape));
    if (!hlo_shape_compatible(shape->result, entry->root->shape))
        return hlo_node_bad(r, hlo_node_get(host, HLO_F(ProgramShapeProto, result)),
                            HLO_RULE_ENTRY_LAYOUT, "the result is %s, the entry computation has %s",
                            hlo_shape_name(&r->scratch, shape->result),
                            hlo_shape_name(&r->scratch, entry->root->shape));
    return true;
}

static bool read_entry_layout(hlo_reader *r, const hlo_node *module) {
    const hlo_node *host = hlo_node_get(module, HLO_F(HloModuleProto, host_program_shape));
    if (!host)
        return hlo_node_bad(r, module, HLO_RULE_MESSAGE, "a module requires a hostProgramShape");
    const hlo_node *result = hlo_node_get(host, HLO_F(ProgramShapeProto, result));
    if (!result)
        return hlo_node_bad(r, host, HLO_RULE_MESSAGE, "a program shape requires a result");
    hlo_program_shape *shape = HLO_NEW(arena_of(r), hlo_program_shape);
    shape->parameters = hlo_from_shapes(r, host, HLO_F(ProgramShapeProto, parameters));
    shape->result = shape->parameters ? hlo_from_shape(r, result) : NULL;
    if (!shape->result) return false;
    if (!r->around && !fits_entry(r, host, shape)) return false;
    hlo_attr attr = {.id = HLO_ATTR_ENTRY_COMPUTATION_LAYOUT, .u.program_shape = shape};
    hlo_module_set_attr(r->module, attr);
    return true;
}

/* ---- aliases ---- */

typedef struct {
    const hlo_ints *output, *index; /* output NULL: a donor */
    int64_t parameter;
    int kind;
    const hlo_node *node;
} alias;

static int compare_alias(const void *a, const void *b) {
    const alias *x = a, *y = b;
    if (x->output) return hlo_ints_compare(x->output, y->output);
    int c = (x->parameter > y->parameter) - (x->parameter < y->parameter);
    return c ? c : hlo_ints_compare(x->index, y->index);
}

static bool has_part(const hlo_shape *shape, const hlo_ints *index) {
    for (uint32_t i = 0; i < index->n; i++) {
        if (!hlo_shape_is_tuple(shape) || index->v[i] < 0 || index->v[i] >= shape->rank)
            return false;
        shape = shape->elements[index->v[i]];
    }
    return true;
}

static bool check_aliases(hlo_reader *r, const alias *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const char *why = NULL;
        if (list[i].output && !has_part(r->module->entry->root->shape, list[i].output))
            why = "outputShapeIndex is not part of the result";
        else if (list[i].parameter < 0) why = "the parameter number is negative";
        else if (list[i].output && !hlo_word_text(HLO_WORDS_ALIAS_KIND, list[i].kind))
            why = "kind is neither MAY_ALIAS nor MUST_ALIAS";
        else if (i && compare_alias(&list[i - 1], &list[i]) == 0)
            why = "the same output index is aliased twice";
        if (why) return hlo_node_bad(r, list[i].node, HLO_RULE_ALIASING, "%s", why);
    }
    return true;
}

static bool keep_aliases(hlo_reader *r, hlo_attr_id id, alias *list, uint32_t n) {
    if (!n) return true;
    qsort(list, n, sizeof *list, compare_alias);
    if (!check_aliases(r, list, n)) return false;
    hlo_aliasing *out = hlo_arena_zero(arena_of(r), sizeof *out + n * sizeof out->v[0]);
    out->n = n;
    for (uint32_t i = 0; i < n; i++) {
        out->v[i].output = list[i].output;
        out->v[i].parameter = list[i].parameter;
        out->v[i].index = list[i].index;
        out->v[i].kind = list[i].kind;
    }
    hlo_attr attr = {.id = (uint16_t)id, .u.aliasing = out};
    hlo_module_set_attr(r->module, attr);
    return true;
}

#define ALIAS(field) HLO_F(HloInputOutputAliasProto_AliasEntryProto, field)
#define DONOR(field) HLO_F(HloBufferDonorProto_BufferDonorEntryProto, field)

static bool read_aliases(hlo_reader *r, const hlo_node *module) {
    const hlo_node *table = hlo_node_get(module, HLO_F(HloModuleProto, input_output_alias));
    const hlo_proto_field *entries = HLO_F(HloInputOutputAliasProto, entries);
    if (!table) return true;
    uint32_t n = 0;
    alias *list = hlo_malloc(hlo_node_count(table, entries) * sizeof *list);
    for (const hlo_node *e = hlo_node_get(table, entries); e; e = e->next)
        list[n++] =
            (alias){hlo_from_ints(r, e, ALIAS(output_shape_index)),
                    hlo_from_ints(r, e, ALIAS(parameter_shape_index)),
                    hlo_node_int(e, ALIAS(parameter_number)), (int)hlo_node_int(e, ALIAS(kind)), e};
    bool good = keep_aliases(r, HLO_ATTR_INPUT_OUTPUT_ALIAS, list, n);
    hlo_free(list);
    return good;
}

static bool read_donors(hlo_reader *r, const hlo_node *module) {
    const hlo_node *table = hlo_node_get(module, HLO_F(HloModuleProto, buffer_donor));
    const hlo_proto_field *entries = HLO_F(HloBufferDonorProto, entries);
    if (!table) return true;
    uint32_t n = 0;
    alias *list = hlo_malloc(hlo_node_count(table, entries) * sizeof *list);
    for (const hlo_node *e = hlo_node_get(table, entries); e; e = e->next)
        list[n++] = (alias){NULL, hlo_from_ints(r, e, DONOR(parameter_shape_index)),
                            hlo_node_int(e, DONOR(parameter_number)), 0, e};
    bool good = keep_aliases(r, HLO_ATTR_BUFFER_DONOR, list, n);
    hlo_free(list);
    return good;
}

/* ---- schedule ---- */

/* Puts the instructions of a computation into the order of a sequence. */
static bool reorder(hlo_reader *r, hlo_computation *c, const hlo_node *sequence) {
    const hlo_proto_field *field = HLO_F(HloScheduleProto_InstructionSequence, instruction_ids);
    size_t n = sequence ? hlo_node_number_count(sequence, field) : 0;
    hlo_instr **order = hlo_malloc(c->instr_count * sizeof *order);
    uint32_t mark = hlo_module_new_mark(r->module);
    hlo_id_map_clear(&r->instrs);
    for (hlo_instr *i = c->first; i; i = i->next) hlo_id_map_add(&r->instrs, i->index, i);
    bool good = n == c->instr_count;
    for (size_t k = 0; k < n && good; k++) {
        order[k] = hlo_id_map_find(&r->instrs, hlo_local_id(hlo_node_number(sequence, field, k)));
        good = order[k] && order[k]->mark != mark;
        if (good) order[k]->mark = mark;
    }
    for (size_t k = 0; k < n && good; k++) {
        order[k]->prev = k ? order[k - 1] : NULL;
        order[k]->next = k + 1 < n ? order[k + 1] : NULL;
    }
    if (good && n) {
        c->first = order[0];
        c->last = order[n - 1];
    }
    hlo_free(order);
    return good;
}

static bool read_schedule(hlo_reader *r, const hlo_node *module) {
    const hlo_node *schedule = hlo_node_get(module, HLO_F(HloModuleProto, schedule));
    if (!schedule) return true;
    hlo_attr attr = {.id = HLO_ATTR_IS_SCHEDULED, .u.i = 1};
    hlo_module_set_attr(r->module, attr);
    const hlo_node *e = hlo_node_get(schedule, HLO_F(HloScheduleProto, sequences));
    for (; e; e = e->next) {
        int64_t id = hlo_node_int(e, HLO_F(HloScheduleProto_SequencesEntry, key));
        hlo_computation *c = hlo_id_map_find(&r->computations, id);
        if (!c)
            return hlo_node_bad(r, e, HLO_RULE_UNKNOWN_NAME, "there is no computation with id %lld",
                                (long long)id);
        if (!reorder(r, c, hlo_node_get(e, HLO_F(HloScheduleProto_SequencesEntry, value))))
            return hlo_node_bad(r, e, HLO_RULE_MESSAGE,
                                "the sequence does not name each instruction once");
    }
    return true;
}

/* ---- stack frames ---- */

static hlo_str *read_names(hlo_reader *r, const hlo_node *table, const hlo_proto_field *field,
                           uint32_t *n) {
    *n = hlo_node_count(table, field);
    hlo_str *names = HLO_NEW_ARRAY(arena_of(r), hlo_str, *n), *to = names;
    for (const hlo_node *name = hlo_node_get(table, field); name; name = name->next)
        *to++ = hlo_reader_keep(r, name->u.text);
    return names;
}

/* Rows are numbered from 1; what is out of range becomes 0, which is no row. */
static uint32_t row_number(const hlo_node *row, const hlo_proto_field *field) {
    int64_t number = hlo_node_int(row, field);
    return number > 0 ? (uint32_t)number : 0;
}

#define LOCATION(field) HLO_F(StackFrameIndexProto_FileLocation, field)

static void read_frames(hlo_reader *r, const hlo_node *module) {
    const hlo_node *table = hlo_node_get(module, HLO_F(HloModuleProto, stack_frame_index));
    hlo_stack_frames f = {0};
    if (table) {
        f.files = read_names(r, table, HLO_F(StackFrameIndexProto, file_names), &f.file_count);
        f.functions =
            read_names(r, table, HLO_F(StackFrameIndexProto, function_names), &f.function_count);
        f.location_count = hlo_node_count(table, HLO_F(StackFrameIndexProto, file_locations));
        f.frame_count = hlo_node_count(table, HLO_F(StackFrameIndexProto, stack_frames));
        f.locations = HLO_NEW_ARRAY(&r->keep, hlo_file_location, f.location_count);
        f.frames = HLO_NEW_ARRAY(&r->keep, hlo_stack_frame, f.frame_count);
        hlo_file_location *location = f.locations;
        const hlo_node *row = hlo_node_get(table, HLO_F(StackFrameIndexProto, file_locations));
        for (; row; row = row->next)
            *location++ = (hlo_file_location){row_number(row, LOCATION(file_name_id)),
                                              row_number(row, LOCATION(function_name_id)),
                                              (int32_t)hlo_node_int(row, LOCATION(line)),
                                              (int32_t)hlo_node_int(row, LOCATION(end_line)),
                                              (int32_t)hlo_node_int(row, LOCATION(column)),
                                              (int32_t)hlo_node_int(row, LOCATION(end_column))};
        hlo_stack_frame *frame = f.frames;
        for (row = hlo_node_get(table, HLO_F(StackFrameIndexProto, stack_frames)); row;
             row = row->next)
            *frame++ = (hlo_stack_frame){
                row_number(row, HLO_F(StackFrameIndexProto_StackFrame, file_location_id)),
                row_number(row, HLO_F(StackFrameIndexProto_StackFrame, parent_frame_id))};
    }
    hlo_module_adopt_frames(r->module, &f, r->framed.v, r->framed.n);
}

/* ---- attributes ---- */

/* A digit 0 or 1 for each bool. */
static const hlo_ints *bool_list(hlo_reader *r, hlo_str text) {
    hlo_ints *list = hlo_ints_new(arena_of(r), text.len);
    for (uint32_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '0' && text.ptr[i] != '1') return NULL;
        list->v[i] = text.ptr[i] == '1';
    }
    return text.len ? list : NULL;
}

/* A header attribute that travelled as a frontend attribute (to_module.c); false: it is no such
 * thing. */
static bool read_header_value(hlo_reader *r, hlo_str key, hlo_str value) {
    static const hlo_attr_id ids[] = {
        HLO_ATTR_ALIAS_PASSTHROUGH_PARAMS, HLO_ATTR_SPMD_TO_PARAMETERS,
        HLO_ATTR_SPMD_TO_OUTPUT,           HLO_ATTR_REPLICA_COUNT,
        HLO_ATTR_NUM_PARTITIONS,           HLO_ATTR_IS_DATAFLOW};
    static const uint32_t prefix = sizeof HLO_HEADER_PREFIX - 1;
    if (key.len < prefix || memcmp(key.ptr, HLO_HEADER_PREFIX, prefix) != 0) return false;
    hlo_str name = {key.ptr + prefix, key.len - prefix, 0};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        if (!hlo_str_is(name, hlo_attr_table[ids[i]].text)) continue;
        hlo_attr attr = {.id = (uint16_t)ids[i]};
        bool is_list = hlo_attr_table[ids[i]].kind == HLO_KIND_BOOLS;
        if (is_list && !(attr.u.ints = bool_list(r, value))) return false;
        if (!is_list && !hlo_int_from_text(value, &attr.u.i)) return false;
        hlo_module_set_attr(r->module, attr);
        return true;
    }
    return false;
}

static bool read_frontend(hlo_reader *r, const hlo_node *module) {
    const hlo_node *node = hlo_node_get(module, HLO_F(HloModuleProto, frontend_attributes));
    const hlo_frontend *all = node ? hlo_from_frontend(r, node) : NULL;
    if (!all) return !node;
    hlo_frontend *own = hlo_arena_alloc(arena_of(r), sizeof *own + all->n * sizeof own->v[0]);
    own->n = 0;
    for (uint32_t i = 0; i < all->n; i++)
        if (!read_header_value(r, all->v[i].key, all->v[i].value)) own->v[own->n++] = all->v[i];
    hlo_attr attr = {.id = HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES, .u.frontend = own};
    if (own->n) hlo_module_set_attr(r->module, attr);
    return true;
}

static bool read_payloads(hlo_reader *r, const hlo_node *module) {
    const hlo_proto_field *field = HLO_F(HloModuleProto, payloads);
    uint32_t n = hlo_node_count(module, field), i = 0;
    const hlo_str **texts = hlo_malloc(n * sizeof *texts);
    for (const hlo_node *p = hlo_node_get(module, field); p; p = p->next) {
        hlo_str text = hlo_reader_keep(r, p->u.text);
        texts[i++] = hlo_arena_copy(arena_of(r), &text, sizeof text);
    }
    bool good = true;
    for (i = 0; i < r->payloads.n && good; i++) {
        const hlo_read_payload *wanted = &r->payloads.v[i];
        good = wanted->payload >= 0 && wanted->payload < n;
        if (!good) {
            hlo_read_bad(r, NULL, wanted->at, wanted->at + 1, HLO_RULE_MESSAGE,
                         "the module has no payload %lld", (long long)wanted->payload);
        } else if (wanted->metadata) {
            wanted->metadata->payload = *texts[wanted->payload];
            if (!wanted->metadata->payload.ptr) wanted->metadata->payload = (hlo_str){"", 0, 1};
        } else if (texts[wanted->payload]->len) {
            hlo_attr attr = {.id = HLO_ATTR_BACKEND_CONFIG,
                             .u.string = hlo_kept_config(arena_of(r), texts[wanted->payload])};
            hlo_instr_set_attr(wanted->instr, attr);
        }
    }
    hlo_free(texts);
    return good;
}

/* ---- the recovery table ---- */

static bool read_recovery_module(hlo_reader *r, const hlo_node *node, hlo_str *out) {
    hlo_module *module;
    if (hlo_read_part(r, node, &module) != HLO_OK) return false;
    hlo_buf text = HLO_BUF_INIT;
    hlo_module_print(module, &hlo_print_default, &text);
    while (text.len && text.data[text.len - 1] == '\n') text.len--;
    *out = (hlo_str){hlo_arena_copy(arena_of(r), text.data, text.len), (uint32_t)text.len, 0};
    hlo_buf_free(&text);
    hlo_module_free(module);
    return true;
}

#define ENTRY(field) HLO_F(OriginalValueRecoveryTableProto_Entry, field)

static bool read_recovery(hlo_reader *r, const hlo_node *module) {
    const hlo_node *node =
        hlo_node_get(module, HLO_F(HloModuleProto, original_value_recovery_table));
    const hlo_proto_field *entries = HLO_F(OriginalValueRecoveryTableProto, entries);
    if (!node || !hlo_node_has(node, entries)) return true;
    uint32_t n = hlo_node_count(node, entries), i = 0;
    hlo_recovery *table = hlo_arena_zero(arena_of(r), sizeof *table + n * sizeof table->v[0]);
    table->n = n;
    for (const hlo_node *e = hlo_node_get(node, entries); e; e = e->next, i++) {
        const hlo_node *from = hlo_node_get(e, ENTRY(old_original_array)),
                       *to = hlo_node_get(e, ENTRY(new_original_array));
        const hlo_node *inner = hlo_node_get(e, ENTRY(recovery_module));
        hlo_origin *none = HLO_NEW(arena_of(r), hlo_origin);
        table->v[i].from = from ? hlo_from_array_origin(r, from) : none;
        table->v[i].to = to ? hlo_from_array_origin(r, to) : none;
        if (inner && !read_recovery_module(r, inner, &table->v[i].module)) return false;
    }
    hlo_attr attr = {.id = HLO_ATTR_ORIGIN_RECOVERY_TABLE,
                     .u.recovery = hlo_recovery_sorted(arena_of(r), table)};
    hlo_module_set_attr(r->module, attr);
    return true;
}

/* ---- debug attributes ---- */

/* XLA knows no other modes than text has. */
static hlo_debug_log read_log(const hlo_node *node, const hlo_origin *array) {
    int64_t mode = hlo_node_int(node, HLO_F(DebugAttributesProto, log_mode));
    return (hlo_debug_log){
        .array = array,
        .mode = hlo_word_text(HLO_WORDS_DEBUG_LOG_MODE, mode) ? mode : 0,
        .callback_id = hlo_node_int(node, HLO_F(DebugAttributesProto, callback_id)),
        .op_id = hlo_node_int(node, HLO_F(DebugAttributesProto, op_id)),
        .partitioned = hlo_node_int(node, HLO_F(DebugAttributesProto, partitioned)) != 0};
}

static void read_debug_entry(hlo_reader *r, const hlo_node *entry, hlo_debug_table *table) {
    const hlo_node *node =
        hlo_node_get(entry, HLO_F(DebugAttributeTableEntryProto, original_array));
    const hlo_origin *array =
        node ? hlo_from_array_origin(r, node) : HLO_NEW(arena_of(r), hlo_origin);
    node = hlo_node_get(entry, HLO_F(DebugAttributeTableEntryProto, debug_attributes));
    for (; node; node = node->next) table->v[table->n++] = read_log(node, array);
}

static void read_debug(hlo_reader *r, const hlo_node *module) {
    const hlo_node *first = hlo_node_get(module, HLO_F(HloModuleProto, debug_attributes));
    size_t n = 0;
    for (const hlo_node *e = first; e; e = e->next)
        n += hlo_node_count(e, HLO_F(DebugAttributeTableEntryProto, debug_attributes));
    if (!n) return;
    hlo_debug_table *table = hlo_arena_zero(arena_of(r), sizeof *table + n * sizeof table->v[0]);
    for (const hlo_node *e = first; e; e = e->next) read_debug_entry(r, e, table);
    hlo_attr attr = {.id = HLO_ATTR_DEBUG_ATTRIBUTES,
                     .u.debug = hlo_debug_sorted(arena_of(r), table, false)};
    hlo_module_set_attr(r->module, attr);
}

/* ---- tiles ---- */

static bool read_spmd(hlo_reader *r, const hlo_node *module) {
    const hlo_proto_field *parameters = HLO_F(HloModuleProto, spmd_parameters_shardings);
    const hlo_node *result = hlo_node_get(module, HLO_F(HloModuleProto, spmd_output_sharding));
    const hlo_node *next = hlo_node_get(module, parameters);
    if (!result && !next) return true;
    hlo_spmd_shardings *spmd = HLO_NEW(arena_of(r), hlo_spmd_shardings);
    spmd->is_read = true;
    spmd->parameters =
        HLO_NEW_ARRAY(arena_of(r), const hlo_sharding *, hlo_node_count(module, parameters) + 1u);
    for (; next; next = next->next)
        if (!(spmd->parameters[spmd->n++] = hlo_from_sharding(r, next))) return false;
    if (result && !(spmd->result = hlo_from_sharding(r, result))) return false;
    r->module->spmd = spmd;
    return true;
}

bool hlo_from_header(hlo_reader *r, const hlo_node *module) {
    hlo_str name = hlo_node_text(module, HLO_F(HloModuleProto, name));
    r->module->name = hlo_reader_keep(r, hlo_valid_module_name(&r->module->arena, name));
    if (!r->module->name.len)
        return hlo_node_bad(r, module, HLO_RULE_MESSAGE, "a module requires a name");
    if (!read_entry(r, module) || !read_entry_layout(r, module) || !read_aliases(r, module) ||
        !read_donors(r, module) || !read_payloads(r, module) || !read_schedule(r, module))
        return false;
    if (!read_frontend(r, module) || !read_spmd(r, module)) return false;
    read_frames(r, module);
    read_debug(r, module);
    return read_recovery(r, module);
}
