/* A whole module as an HloModuleProto, with ids, orders and empty messages as XLA fills them in
 * (docs/messages.md, "How messages are filled"). */
#include "ir/listed_order.h"
#include "parse/parse.h"
#include "proto/proto.h"
#include "proto/to_instr.h"

/* ---- computations ---- */

static void write_program_shape(hlo_writer *w, const hlo_proto_field *field,
                                const hlo_program_shape *shape, const hlo_computation *names) {
    hlo_emit_begin(w, field);
    for (uint32_t i = 0; i < shape->parameters->n; i++)
        hlo_write_shape(w, HLO_F(ProgramShapeProto, parameters), shape->parameters->v[i]);
    hlo_write_shape(w, HLO_F(ProgramShapeProto, result), shape->result);
    for (uint32_t i = 0; i < shape->parameters->n; i++) {
        char numbered[16];
        int n = snprintf(numbered, sizeof numbered, "p%u", i);
        hlo_str name = {numbered, (uint32_t)n, 1};
        if (names)
            name = (hlo_str){names->parameters[i]->name->ptr, names->parameters[i]->name->len, 0};
        hlo_emit_text(w, HLO_F(ProgramShapeProto, parameter_names), name);
    }
    hlo_emit_end(w);
}

static void write_own_program_shape(hlo_writer *w, const hlo_computation *c) {
    size_t size = sizeof(hlo_shapes) + c->parameter_count * sizeof(hlo_shape *);
    hlo_shapes *parameters = hlo_malloc(size);
    parameters->n = c->parameter_count;
    for (uint32_t i = 0; i < c->parameter_count; i++) parameters->v[i] = c->parameters[i]->shape;
    hlo_program_shape shape = {parameters, c->root->shape};
    write_program_shape(w, HLO_F(HloComputationProto, program_shape), &shape, c);
    hlo_free(parameters);
}

static void write_computation(hlo_writer *w, hlo_instr_fields_cache *cache, hlo_computation *c,
                              hlo_instr **order) {
    hlo_emit_begin(w, HLO_F(HloModuleProto, computations));
    hlo_emit_text(w, HLO_F(HloComputationProto, name), (hlo_str){c->name->ptr, c->name->len, 0});
    uint32_t n = hlo_post_order(c, order);
    for (uint32_t i = 0; i < n; i++) hlo_write_instr(w, cache, order[i]);
    write_own_program_shape(w, c);
    hlo_emit_int(w, HLO_F(HloComputationProto, id), c->id);
    hlo_emit_int(w, HLO_F(HloComputationProto, root_id), hlo_instr_proto_id(c->root));
    hlo_emit_int(w, HLO_F(HloComputationProto, is_fusion_computation), c->is_fusion_body);
    if (!hlo_str_is(c->execution_thread, "main"))
        hlo_emit_text(w, HLO_F(HloComputationProto, execution_thread), c->execution_thread);
    hlo_emit_end(w);
}

/* Places in the list are the computations' ids. The caller frees it. */
static hlo_computation **listed_order(hlo_module *module, uint32_t *n) {
    hlo_computation **order = hlo_malloc(module->computation_count * sizeof *order);
    *n = hlo_listed_order(module, order);
    for (uint32_t i = 0; i < *n; i++) order[i]->id = i;
    return order;
}

static void write_computations(hlo_writer *w, hlo_computation *const *order, uint32_t n) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (order[i]->instr_count > most) most = order[i]->instr_count;
    hlo_instr **instrs = hlo_malloc(most * sizeof *instrs);
    hlo_instr_fields_cache cache = {0};
    for (uint32_t i = 0; i < n; i++) write_computation(w, &cache, order[i], instrs);
    hlo_instr_fields_free(&cache);
    hlo_free(instrs);
}

/* ---- the module's tables ---- */

static void write_schedule(hlo_writer *w, hlo_computation *const *order, uint32_t count) {
    hlo_emit_begin(w, HLO_F(HloModuleProto, schedule));
    for (uint32_t k = 0; k < count; k++) {
        if (order[k]->is_fusion_body) continue;
        int64_t *ids = hlo_malloc(order[k]->instr_count * sizeof *ids);
        uint32_t n = 0;
        for (hlo_instr *i = order[k]->first; i; i = i->next) ids[n++] = hlo_instr_proto_id(i);
        hlo_emit_begin_entry(w, HLO_F(HloScheduleProto, sequences), order[k]->id);
        hlo_emit_ints(w, HLO_F(HloScheduleProto_InstructionSequence, instruction_ids), ids, n);
        hlo_emit_end(w);
        hlo_free(ids);
    }
    hlo_emit_end(w);
}

static void write_aliases(hlo_writer *w, const hlo_module *module) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_INPUT_OUTPUT_ALIAS);
    hlo_emit_begin(w, HLO_F(HloModuleProto, input_output_alias));
    for (uint32_t i = 0; attr && i < attr->u.aliasing->n; i++) {
        hlo_emit_begin(w, HLO_F(HloInputOutputAliasProto, entries));
        hlo_write_ints(w, HLO_F(HloInputOutputAliasProto_AliasEntryProto, output_shape_index),
                       attr->u.aliasing->v[i].output);
        hlo_emit_int(w, HLO_F(HloInputOutputAliasProto_AliasEntryProto, parameter_number),
                     attr->u.aliasing->v[i].parameter);
        hlo_write_ints(w, HLO_F(HloInputOutputAliasProto_AliasEntryProto, parameter_shape_index),
                       attr->u.aliasing->v[i].index);
        hlo_emit_int(w, HLO_F(HloInputOutputAliasProto_AliasEntryProto, kind),
                     attr->u.aliasing->v[i].kind);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

static void write_donors(hlo_writer *w, const hlo_module *module) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_BUFFER_DONOR);
    hlo_emit_begin(w, HLO_F(HloModuleProto, buffer_donor));
    for (uint32_t i = 0; attr && i < attr->u.aliasing->n; i++) {
        hlo_emit_begin(w, HLO_F(HloBufferDonorProto, entries));
        hlo_emit_int(w, HLO_F(HloBufferDonorProto_BufferDonorEntryProto, parameter_number),
                     attr->u.aliasing->v[i].parameter);
        hlo_write_ints(w, HLO_F(HloBufferDonorProto_BufferDonorEntryProto, parameter_shape_index),
                       attr->u.aliasing->v[i].index);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

#define LOCATION(field) HLO_F(StackFrameIndexProto_FileLocation, field)

static void write_stack_frames(hlo_writer *w, const hlo_stack_frames *f) {
    if (!f->frame_count) return;
    hlo_emit_begin(w, HLO_F(HloModuleProto, stack_frame_index));
    for (uint32_t i = 0; i < f->file_count; i++)
        hlo_emit_text(w, HLO_F(StackFrameIndexProto, file_names), f->files[i]);
    for (uint32_t i = 0; i < f->function_count; i++)
        hlo_emit_text(w, HLO_F(StackFrameIndexProto, function_names), f->functions[i]);
    for (uint32_t i = 0; i < f->location_count; i++) {
        hlo_emit_begin(w, HLO_F(StackFrameIndexProto, file_locations));
        hlo_emit_int(w, LOCATION(file_name_id), f->locations[i].file);
        hlo_emit_int(w, LOCATION(function_name_id), f->locations[i].function);
        hlo_emit_int(w, LOCATION(line), f->locations[i].line);
        hlo_emit_int(w, LOCATION(column), f->locations[i].column);
        hlo_emit_int(w, LOCATION(end_line), f->locations[i].end_line);
        hlo_emit_int(w, LOCATION(end_column), f->locations[i].end_column);
        hlo_emit_end(w);
    }
    for (uint32_t i = 0; i < f->frame_count; i++) {
        hlo_emit_begin(w, HLO_F(StackFrameIndexProto, stack_frames));
        hlo_emit_int(w, HLO_F(StackFrameIndexProto_StackFrame, file_location_id),
                     f->frames[i].location);
        hlo_emit_int(w, HLO_F(StackFrameIndexProto_StackFrame, parent_frame_id),
                     f->frames[i].parent);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

/* ---- tiles ---- */

/* Parameters that were removed since then have no place in the list. */
static void write_spmd(hlo_writer *w, const hlo_module *module) {
    const hlo_spmd_shardings *spmd = module->spmd;
    if (!spmd) return;
    if (spmd->result)
        hlo_write_sharding(w, HLO_F(HloModuleProto, spmd_output_sharding), spmd->result);
    for (uint32_t i = 0; i < spmd->n && spmd->n == module->entry->parameter_count; i++)
        hlo_write_sharding(w, HLO_F(HloModuleProto, spmd_parameters_shardings),
                           spmd->parameters[i]);
}

/* ---- frontend attributes, the header's among them ---- */

static void write_header_value(hlo_writer *w, const hlo_attr *attr) {
    hlo_buf key = HLO_BUF_INIT, value = HLO_BUF_INIT;
    hlo_buf_lit(&key, HLO_HEADER_PREFIX);
    hlo_buf_cstr(&key, hlo_attr_table[attr->id].text);
    if (hlo_attr_table[attr->id].kind != HLO_KIND_BOOLS) hlo_buf_int(&value, attr->u.i);
    for (uint32_t i = 0; hlo_attr_table[attr->id].kind == HLO_KIND_BOOLS && i < attr->u.ints->n;
         i++)
        hlo_buf_cstr(&value, attr->u.ints->v[i] ? "1" : "0");
    hlo_emit_entry(w, HLO_F(FrontendAttributes, map), (hlo_str){key.data, (uint32_t)key.len, 0},
                   (hlo_str){value.data, (uint32_t)value.len, 0});
    hlo_buf_free(&key);
    hlo_buf_free(&value);
}

static bool has_no_field(hlo_attr_id id) {
    return id == HLO_ATTR_ALIAS_PASSTHROUGH_PARAMS || id == HLO_ATTR_SPMD_TO_PARAMETERS ||
           id == HLO_ATTR_SPMD_TO_OUTPUT || id == HLO_ATTR_REPLICA_COUNT ||
           id == HLO_ATTR_NUM_PARTITIONS || id == HLO_ATTR_IS_DATAFLOW;
}

static void write_module_frontend(hlo_writer *w, const hlo_module *module) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_MODULE_FRONTEND_ATTRIBUTES);
    hlo_emit_begin(w, HLO_F(HloModuleProto, frontend_attributes));
    for (uint32_t i = 0; attr && i < attr->u.frontend->n; i++)
        hlo_emit_entry(w, HLO_F(FrontendAttributes, map), attr->u.frontend->v[i].key,
                       attr->u.frontend->v[i].value);
    for (uint32_t i = 0; i < module->attr_count; i++)
        if (has_no_field((hlo_attr_id)module->attrs[i].id))
            write_header_value(w, &module->attrs[i]);
    hlo_emit_end(w);
}

/* ---- the recovery table, whose modules are kept as text ---- */

static void write_fields(hlo_writer *w, hlo_module *module);

static void write_recovery_module(hlo_writer *w, hlo_str text) {
    hlo_source *source = hlo_source_from_text("origin_recovery_table", text.ptr, text.len);
    hlo_diags diags;
    hlo_diags_init(&diags);
    hlo_module *module = NULL;
    if (source && hlo_parse(source, &diags, &module) == HLO_OK) {
        hlo_emit_begin(w, HLO_F(OriginalValueRecoveryTableProto_Entry, recovery_module));
        write_fields(w, module);
        hlo_emit_end(w);
    } else {
        w->bad = HLO_F(OriginalValueRecoveryTableProto_Entry, recovery_module)->name;
    }
    hlo_module_free(module);
    hlo_source_close(source);
    hlo_diags_drop(&diags);
}

static void write_recovery(hlo_writer *w, const hlo_module *module) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_ORIGIN_RECOVERY_TABLE);
    if (!attr || !attr->u.recovery->n) return;
    hlo_emit_begin(w, HLO_F(HloModuleProto, original_value_recovery_table));
    for (uint32_t i = 0; i < attr->u.recovery->n; i++) {
        hlo_emit_begin(w, HLO_F(OriginalValueRecoveryTableProto, entries));
        hlo_write_array_origin(w, HLO_F(OriginalValueRecoveryTableProto_Entry, old_original_array),
                               attr->u.recovery->v[i].from);
        hlo_write_array_origin(w, HLO_F(OriginalValueRecoveryTableProto_Entry, new_original_array),
                               attr->u.recovery->v[i].to);
        if (attr->u.recovery->v[i].module.ptr)
            write_recovery_module(w, attr->u.recovery->v[i].module);
        hlo_emit_end(w);
    }
    hlo_emit_end(w);
}

/* ---- debug attributes ---- */

static void write_log(hlo_writer *w, const hlo_debug_log *log) {
    hlo_emit_begin(w, HLO_F(DebugAttributeTableEntryProto, debug_attributes));
    hlo_emit_int(w, HLO_F(DebugAttributesProto, log_mode), log->mode);
    hlo_emit_int(w, HLO_F(DebugAttributesProto, callback_id), log->callback_id);
    hlo_emit_int(w, HLO_F(DebugAttributesProto, op_id), log->op_id);
    hlo_emit_int(w, HLO_F(DebugAttributesProto, partitioned), log->partitioned);
    hlo_emit_end(w);
}

static void write_debug(hlo_writer *w, const hlo_module *module) {
    const hlo_attr *attr = hlo_module_attr(module, HLO_ATTR_DEBUG_ATTRIBUTES);
    uint32_t n = attr ? attr->u.debug->n : 0;
    const hlo_debug_log *log = attr ? attr->u.debug->v : NULL;
    for (uint32_t i = 0; i < n; i++) {
        bool first = i == 0 || !hlo_origin_same_array(log[i - 1].array, log[i].array);
        if (first && i) hlo_emit_end(w);
        if (first) {
            hlo_emit_begin(w, HLO_F(HloModuleProto, debug_attributes));
            hlo_write_array_origin(w, HLO_F(DebugAttributeTableEntryProto, original_array),
                                   log[i].array);
        }
        write_log(w, &log[i]);
    }
    if (n) hlo_emit_end(w);
}

/* ---- the module ---- */

static void write_fields(hlo_writer *w, hlo_module *module) {
    const hlo_computation *entry = module->entry;
    uint32_t n;
    hlo_computation **order = listed_order(module, &n);
    hlo_emit_text(w, HLO_F(HloModuleProto, name), module->name);
    hlo_emit_text(w, HLO_F(HloModuleProto, entry_computation_name),
                  (hlo_str){entry->name->ptr, entry->name->len, 0});
    write_computations(w, order, n);
    const hlo_attr *layout = hlo_module_attr(module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT);
    write_program_shape(w, HLO_F(HloModuleProto, host_program_shape), layout->u.program_shape,
                        NULL);
    hlo_emit_int(w, HLO_F(HloModuleProto, entry_computation_id), entry->id);
    if (hlo_module_flag(module, HLO_ATTR_IS_SCHEDULED)) write_schedule(w, order, n);
    hlo_free(order);
    write_aliases(w, module);
    write_spmd(w, module);
    write_stack_frames(w, &module->frames);
    write_donors(w, module);
    write_module_frontend(w, module);
    write_recovery(w, module);
    write_debug(w, module);
}

hlo_status hlo_proto_write(hlo_module *module, hlo_message_form message, hlo_proto_form form,
                           hlo_buf *to, hlo_diags *diags) {
    hlo_writer w;
    bool is_inner = message == HLO_AS_HLO_PROTO;
    if (form == HLO_PROTO_WIRE) hlo_wire_writer(&w, to);
    else if (form == HLO_PROTO_PBTXT) hlo_pbtxt_writer(&w, to);
    else hlo_json_writer(&w, to, form == HLO_PROTO_PRETTY_JSON);
    if (is_inner) hlo_emit_begin(&w, HLO_F(HloProto, hlo_module));
    write_fields(&w, module);
    if (is_inner) hlo_emit_end(&w);
    hlo_writer_finish(&w);
    if (!w.bad) return HLO_OK;
    hlo_error(diags, HLO_RULE_LIMIT, NULL, (hlo_span){0},
              form == HLO_PROTO_WIRE || form == HLO_PROTO_PBTXT
                  ? "a value of the field %s does not fit its message"
                  : "a value of the field %s is not UTF-8 text, which JSON must be",
              w.bad);
    return HLO_BAD_MODULE;
}
