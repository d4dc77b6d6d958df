/* Stack frames: passes tables that were read otherwise to the code that renumbers those of the
 * text. */
#include "parse/adopt_frames.h"

#include "parse/parser.h"

void hlo_module_adopt_frames(hlo_module *module, const hlo_stack_frames *table,
                             hlo_metadata *const *framed, uint32_t n) {
    hlo_parser *p = hlo_calloc(1, sizeof *p);
    p->module = module;
    p->arena = &module->arena;
    for (uint32_t i = 0; i < n; i++) hlo_list_push(&p->frames.framed, framed[i]);
    for (uint32_t i = 0; i < table->file_count; i++)
        hlo_list_push(&p->frames.files, table->files[i]);
    for (uint32_t i = 0; i < table->function_count; i++)
        hlo_list_push(&p->frames.functions, table->functions[i]);
    for (uint32_t i = 0; i < table->location_count; i++)
        hlo_list_push(&p->frames.locations, table->locations[i]);
    for (uint32_t i = 0; i < table->frame_count; i++)
        hlo_list_push(&p->frames.rows, table->frames[i]);
    if (n) hlo_renumber_stack_frames(p);
    void *stacks[] = {p->frames.framed.v,    p->frames.files.v, p->frames.functions.v,
                      p->frames.locations.v, p->frames.rows.v,  p->stacks.ints.v};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) hlo_free(stacks[i]);
    hlo_free(p);
}
