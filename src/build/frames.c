/* The module's table of stack frames, as builders fill it: equal rows are one, numbered from 1 in
 * the order in which they come. */
#include "build/builder.h"

/* A table of distinct rows of fixed size or of texts: hash and number, open addressing. */
typedef struct {
    uint32_t *numbers; /* from 1; 0: free */
    uint32_t capacity;
} row_index;

struct hlo_builder_frames {
    row_index files, functions, locations, rows;
};

void hlo_builder_free_frames(hlo_builder *b) {
    if (!b->frames) return;
    row_index *indices[] = {&b->frames->files, &b->frames->functions, &b->frames->locations,
                            &b->frames->rows};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) hlo_free(indices[i]->numbers);
    hlo_free(b->frames);
}

/* ---- rows ---- */

typedef struct {
    const void *bytes;
    size_t n;
} row_bytes;

typedef row_bytes row_at(const hlo_stack_frames *frames, uint32_t number);

static row_bytes file_at(const hlo_stack_frames *f, uint32_t number) {
    return (row_bytes){f->files[number - 1].ptr, f->files[number - 1].len};
}
static row_bytes function_at(const hlo_stack_frames *f, uint32_t number) {
    return (row_bytes){f->functions[number - 1].ptr, f->functions[number - 1].len};
}
static row_bytes location_at(const hlo_stack_frames *f, uint32_t number) {
    return (row_bytes){&f->locations[number - 1], sizeof *f->locations};
}
static row_bytes frame_at(const hlo_stack_frames *f, uint32_t number) {
    return (row_bytes){&f->frames[number - 1], sizeof *f->frames};
}

/* The slot of a row, or the free one where it belongs. */
static uint32_t *slot_of(const row_index *index, const hlo_stack_frames *frames, row_at *at,
                         row_bytes row) {
    uint32_t mask = index->capacity - 1, i = (uint32_t)hlo_hash_bytes(row.bytes, row.n) & mask;
    for (; index->numbers[i]; i = (i + 1) & mask) {
        row_bytes there = at(frames, index->numbers[i]);
        if (there.n == row.n && memcmp(there.bytes, row.bytes, row.n) == 0) break;
    }
    return &index->numbers[i];
}

static void reserve(row_index *index, const hlo_stack_frames *frames, row_at *at, uint32_t count) {
    if (2 * (count + 1) <= index->capacity) return;
    hlo_free(index->numbers);
    index->capacity = index->capacity ? 2 * index->capacity : 64;
    index->numbers = hlo_calloc(index->capacity, sizeof *index->numbers);
    for (uint32_t i = 1; i <= count; i++) *slot_of(index, frames, at, at(frames, i)) = i;
}

/* Space for one row more of an array in the arena: it doubles when `count` is a power of two. */
static void *grown(hlo_builder *b, void *rows, uint32_t count, size_t size) {
    if (count & (count - 1)) return rows;
    void *more = hlo_arena_alloc(&b->module->arena, (count ? 2 * (size_t)count : 1) * size);
    if (count) memcpy(more, rows, count * size);
    return more;
}

/* ---- the four tables ---- */

static uint32_t name_number(hlo_builder *b, row_index *index, row_at *at, hlo_str **names,
                            uint32_t *count, const char *text) {
    hlo_stack_frames *f = &b->module->frames;
    hlo_str name = hlo_builder_text(b, text);
    reserve(index, f, at, *count);
    uint32_t *slot = slot_of(index, f, at, (row_bytes){name.ptr, name.len});
    if (*slot) return *slot;
    *names = grown(b, *names, *count, sizeof **names);
    (*names)[*count] = name;
    return *slot = ++*count;
}

static uint32_t location_number(hlo_builder *b, const hlo_file_location *row) {
    hlo_stack_frames *f = &b->module->frames;
    reserve(&b->frames->locations, f, location_at, f->location_count);
    uint32_t *slot = slot_of(&b->frames->locations, f, location_at, (row_bytes){row, sizeof *row});
    if (*slot) return *slot;
    f->locations = grown(b, f->locations, f->location_count, sizeof *row);
    f->locations[f->location_count] = *row;
    return *slot = ++f->location_count;
}

static uint32_t frame_number(hlo_builder *b, const hlo_stack_frame *row) {
    hlo_stack_frames *f = &b->module->frames;
    reserve(&b->frames->rows, f, frame_at, f->frame_count);
    uint32_t *slot = slot_of(&b->frames->rows, f, frame_at, (row_bytes){row, sizeof *row});
    if (*slot) return *slot;
    f->frames = grown(b, f->frames, f->frame_count, sizeof *row);
    f->frames[f->frame_count] = *row;
    return *slot = ++f->frame_count;
}

uint32_t hlo_builder_stack_frame(hlo_builder *b, uint32_t parent,
                                 const hlo_source_location *location) {
    HLO_BUILDER_CALL(b, 0);
    if (!location || !location->file || !location->function ||
        parent > b->module->frames.frame_count) {
        hlo_builder_misuse(b, "%s: a frame has a file, a function, and a parent that is there",
                           __func__);
        return 0;
    }
    if (!b->frames) b->frames = hlo_calloc(1, sizeof *b->frames);
    hlo_stack_frames *f = &b->module->frames;
    hlo_file_location row = {
        .file =
            name_number(b, &b->frames->files, file_at, &f->files, &f->file_count, location->file),
        .function = name_number(b, &b->frames->functions, function_at, &f->functions,
                                &f->function_count, location->function),
        .line = location->line,
        .end_line = location->end_line,
        .column = location->column,
        .end_column = location->end_column};
    hlo_stack_frame frame = {location_number(b, &row), parent};
    return frame_number(b, &frame);
}
