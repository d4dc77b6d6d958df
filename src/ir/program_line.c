/* Source lines of instructions, from metadata and stack frames. See program_line.h. */
#include "ir/program_line.h"

/* Rows are 1-based, and those of modules built by hand may point nowhere. */
static hlo_str text_at(const hlo_str *texts, uint32_t count, uint32_t row) {
    return row && row <= count ? texts[row - 1] : HLO_STR("");
}

static bool find_frame(const hlo_stack_frames *table, uint32_t row, hlo_program_line *out) {
    if (row == 0 || row > table->frame_count) return false;
    uint32_t location = table->frames[row - 1].location;
    if (location == 0 || location > table->location_count) return false;
    const hlo_file_location *at = &table->locations[location - 1];
    if (at->file == 0 || at->file > table->file_count) return false;
    *out = (hlo_program_line){.file = table->files[at->file - 1],
                              .function =
                                  text_at(table->functions, table->function_count, at->function),
                              .line = at->line,
                              .end_line = at->end_line,
                              .column = at->column,
                              .end_column = at->end_column};
    return true;
}

hlo_program_line hlo_instr_program_line(const hlo_instr *instr) {
    hlo_program_line line = {.file = HLO_STR(""), .function = HLO_STR(""), .line = 0};
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    if (!attr) return line;
    const hlo_metadata *m = attr->u.metadata;
    if (!m->source_file.len && find_frame(&instr->parent->module->frames, m->stack_frame, &line))
        return line;
    line.file = m->source_file;
    line.line = m->source_line;
    line.end_line = m->source_end_line;
    line.column = m->source_column;
    line.end_column = m->source_end_column;
    return line;
}
