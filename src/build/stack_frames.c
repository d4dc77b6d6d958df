/* The module's table of stack frames, as builders fill it: equal rows are one, numbered from 1 in
 * the order in which they come. */
#include "build/builder.h"

/* By hash: numbers of rows, from 1. */
struct hlo_builder_frames {
    hlo_hash files, functions, locations, rows;
};

void hlo_builder_free_frames(hlo_builder *b) {
    if (!b->frames) return;
    hlo_hash_free(&b->frames->files);
    hlo_hash_free(&b->frames->functions);
    hlo_hash_free(&b->frames->locations);
    hlo_hash_free(&b->frames->rows);
    hlo_free(b->frames);
}

/* ---- rows ---- */

static uint32_t number_of_name(const hlo_hash *index, const hlo_str *names, hlo_str name) {
    hlo_hash_each (number, index, hlo_hash_bytes(name.ptr, name.len))
        if (hlo_str_equal(names[number - 1], name)) return number;
    return 0;
}

/* Of the row of `size` bytes among those at `rows`. */
static uint32_t number_of_row(const hlo_hash *index, const void *rows, const void *row,
                              size_t size) {
    hlo_hash_each (number, index, hlo_hash_bytes(row, size))
        if (memcmp((const char *)rows + (number - 1) * size, row, size) == 0) return number;
    return 0;
}

/* Space for one row more of an array in the arena: it doubles when `count` is a power of two. */
static void *grown(hlo_builder *b, void *rows, uint32_t count, size_t size) {
    if (count & (count - 1)) return rows;
    void *more = hlo_arena_alloc(&b->module->arena, (count ? 2 * (size_t)count : 1) * size);
    if (count) memcpy(more, rows, count * size);
    return more;
}

/* ---- the four tables ---- */

static uint32_t add_name(hlo_builder *b, hlo_hash *index, hlo_str **names, uint32_t *count,
                         const char *text) {
    hlo_str name = hlo_builder_text(b, text);
    uint32_t number = number_of_name(index, *names, name);
    if (number) return number;
    *names = grown(b, *names, *count, sizeof **names);
    (*names)[*count] = name;
    hlo_hash_add(index, hlo_hash_bytes(name.ptr, name.len), ++*count);
    return *count;
}

/* Adds a row unless there is an equal one; returns the rows, which may have moved. */
static void *with_row(hlo_builder *b, hlo_hash *index, void *rows, uint32_t *count, const void *row,
                      size_t size, uint32_t *number) {
    *number = number_of_row(index, rows, row, size);
    if (*number) return rows;
    rows = grown(b, rows, *count, size);
    memcpy((char *)rows + *count * size, row, size);
    *number = ++*count;
    hlo_hash_add(index, hlo_hash_bytes(row, size), *number);
    return rows;
}

uint32_t hlo_builder_stack_frame(hlo_builder *b, uint32_t parent,
                                 const hlo_source_location *location) {
    HLO_BUILDER_CALL(b, 0);
    if (!location || !location->file || !location->function ||
        parent > b->module->frames.frame_count) {
        hlo_builder_misuse(b, "%s: a frame has a file, a function and an existing parent",
                           __func__);
        return 0;
    }
    if (!b->frames) {
        b->frames = hlo_keep(hlo_calloc(1, sizeof *b->frames));
        b->frames->files.is_kept = b->frames->functions.is_kept = true;
        b->frames->locations.is_kept = b->frames->rows.is_kept = true;
    }
    hlo_stack_frames *f = &b->module->frames;
    hlo_file_location row = {
        .file = add_name(b, &b->frames->files, &f->files, &f->file_count, location->file),
        .function = add_name(b, &b->frames->functions, &f->functions, &f->function_count,
                             location->function),
        .line = location->line,
        .end_line = location->end_line,
        .column = location->column,
        .end_column = location->end_column};
    hlo_stack_frame frame = {.parent = parent};
    uint32_t number;
    f->locations = with_row(b, &b->frames->locations, f->locations, &f->location_count, &row,
                            sizeof row, &frame.location);
    f->frames =
        with_row(b, &b->frames->rows, f->frames, &f->frame_count, &frame, sizeof frame, &number);
    return number;
}
