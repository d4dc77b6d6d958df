/* Metadata of instructions as locations: the name of the operation around its stack frames, or
 * beside the line of its source. */
#include "stablehlo/write.h"

static hlo_mlir_location *new_location(hlo_sw *w, hlo_mlir_place_kind kind, hlo_str name) {
    hlo_mlir_location *location = HLO_NEW(w->arena, hlo_mlir_location);
    location->kind = kind;
    location->name = name;
    return location;
}

static const hlo_mlir_location *file_location(hlo_sw *w, hlo_str file, int32_t line,
                                              int32_t column) {
    hlo_mlir_location *at = new_location(w, HLO_MLIR_FILE_PLACE, file);
    at->line = at->end_line = (uint32_t)line;
    at->column = at->end_column = (uint32_t)column;
    return at;
}

/* The frame alone; NULL: the tables have no such row. */
static const hlo_mlir_location *one_frame(hlo_sw *w, uint32_t number) {
    const hlo_stack_frames *table = &w->module->frames;
    uint32_t at = table->frames[number - 1].location;
    if (!at || at > table->location_count) return NULL;
    const hlo_file_location *row = &table->locations[at - 1];
    if (!row->file || row->file > table->file_count || !row->function ||
        row->function > table->function_count)
        return NULL;
    hlo_mlir_location *frame =
        new_location(w, HLO_MLIR_NAMED_PLACE, table->functions[row->function - 1]);
    frame->first = file_location(w, table->files[row->file - 1], row->line, row->column);
    return frame;
}

/* A frame with those that called it: callsite(frame at callers). Callers are made first. */
static const hlo_mlir_location *stack_of(hlo_sw *w, uint32_t number) {
    uint32_t count = w->module->frames.frame_count;
    if (!number || number > count) return NULL;
    HLO_LIST(uint32_t) frames = {0};
    for (uint32_t at = number; at && at <= count && !w->frames[at] && frames.n < count;
         at = w->module->frames.frames[at - 1].parent)
        hlo_list_push(&frames, at);
    while (frames.n) {
        uint32_t at = hlo_list_pop(&frames), parent = w->module->frames.frames[at - 1].parent;
        const hlo_mlir_location *frame = one_frame(w, at);
        const hlo_mlir_location *caller =
            parent && parent <= count && parent != at ? w->frames[parent] : NULL;
        if (frame && caller && caller != w->unknown) {
            hlo_mlir_location *call = new_location(w, HLO_MLIR_CALL_PLACE, (hlo_str){0});
            call->first = frame;
            call->caller = caller;
            frame = call;
        }
        w->frames[at] = frame ? frame : w->unknown;
    }
    hlo_list_free(&frames);
    return w->frames[number] == w->unknown ? NULL : w->frames[number];
}

const hlo_mlir_location *hlo_sw_location(hlo_sw *w, const hlo_instr *instr) {
    const hlo_metadata *metadata = hlo_metadata_of(instr);
    if (!metadata || !metadata->op_name.len)
        return new_location(w, HLO_MLIR_NAMED_PLACE,
                            (hlo_str){instr->name->ptr, instr->name->len, 0});
    hlo_mlir_location *named = new_location(w, HLO_MLIR_NAMED_PLACE, metadata->op_name);
    named->first = stack_of(w, metadata->stack_frame);
    if (named->first || !metadata->source_file.len) return named;
    hlo_mlir_location *both = new_location(w, HLO_MLIR_FUSED_PLACE, (hlo_str){0});
    const hlo_mlir_location **parts = HLO_NEW_ARRAY(w->arena, const hlo_mlir_location *, 2);
    parts[0] = named;
    parts[1] = file_location(w, metadata->source_file, metadata->source_line, 0);
    both->part_count = 2;
    both->parts = parts;
    return both;
}
