/* Stack-frame tables are rebuilt from the frames that instructions use, as XLA does: equal rows
 * merge, unused ones vanish, frames are numbered in the order of their first use
 * (docs/text-format.md, 2.3). */
#include "parse/parser.h"

/* A table of distinct rows: bytes to a 1-based number. */
typedef struct {
    hlo_memo memo;
} row_table;

typedef struct {
    hlo_parser *p;
    row_table files, functions, locations, frames;
    HLO_LIST(hlo_str) file_names;
    HLO_LIST(hlo_str) function_names;
    HLO_LIST(hlo_file_location) location_rows;
    HLO_LIST(hlo_stack_frame) frame_rows;
    uint32_t *renumbered; /* by old frame: its new number + 1; 0: not met yet */
    uint32_t *file_numbers, *function_numbers; /* by old row: the new one; 0: not met yet */
} rebuild;

/* The number of a row; *is_new: it was not there. */
static uint32_t number_of(rebuild *b, row_table *table, const void *row, uint32_t bytes,
                          bool *is_new) {
    uint64_t hash = hlo_hash_bytes(row, bytes);
    const void *found = hlo_memo_find(&table->memo, hash, row, bytes);
    *is_new = !found;
    if (found) return (uint32_t)(uintptr_t)found;
    const char *kept = hlo_arena_copy(b->p->arena, row, bytes);
    uint32_t number = table->memo.entries.n + 1;
    hlo_memo_add(&table->memo, hash, kept, bytes, (const void *)(uintptr_t)number);
    return number;
}

static bool frame_is_whole(const hlo_parser *p, uint32_t frame) {
    if (frame == 0 || frame > p->frames.rows.n) return false;
    uint32_t location = p->frames.rows.v[frame - 1].location;
    if (location == 0 || location > p->frames.locations.n) return false;
    const hlo_file_location *row = &p->frames.locations.v[location - 1];
    return row->file && row->file <= p->frames.files.n && row->function &&
           row->function <= p->frames.functions.n;
}

/* The new number of a row of file or function names. */
static uint32_t number_of_name(rebuild *b, row_table *table, uint32_t *numbers, uint32_t old,
                               hlo_str name, bool *is_new) {
    *is_new = false;
    if (!numbers[old]) numbers[old] = number_of(b, table, name.ptr, name.len, is_new);
    return numbers[old];
}

/* Interns one frame whose parent has its new number already. */
static uint32_t add_frame(rebuild *b, uint32_t old, uint32_t parent) {
    hlo_parser *p = b->p;
    bool is_new;
    hlo_file_location row = p->frames.locations.v[p->frames.rows.v[old - 1].location - 1];
    hlo_str file = p->frames.files.v[row.file - 1],
            function = p->frames.functions.v[row.function - 1];
    row.file = number_of_name(b, &b->files, b->file_numbers, row.file, file, &is_new);
    if (is_new) hlo_list_push(&b->file_names, file);
    row.function =
        number_of_name(b, &b->functions, b->function_numbers, row.function, function, &is_new);
    if (is_new) hlo_list_push(&b->function_names, function);
    hlo_stack_frame frame = {number_of(b, &b->locations, &row, sizeof row, &is_new), parent};
    if (is_new) hlo_list_push(&b->location_rows, row);
    uint32_t number = number_of(b, &b->frames, &frame, sizeof frame, &is_new);
    if (is_new) hlo_list_push(&b->frame_rows, frame);
    return number;
}

/* The new number of a frame, its chain of parents interned from the outermost on; 0 when the chain
 * is broken or a cycle. */
static uint32_t intern_chain(rebuild *b, uint32_t frame) {
    hlo_parser *p = b->p;
    uint32_t base = p->stacks.ints.n, at = frame, parent = 0;
    while (at && p->stacks.ints.n - base <= p->frames.rows.n) {
        if (!frame_is_whole(p, at)) break;
        if (b->renumbered[at]) break;
        hlo_list_push(&p->stacks.ints, at);
        at = p->frames.rows.v[at - 1].parent;
    }
    bool broken = p->stacks.ints.n - base > p->frames.rows.n;
    if (at && !broken) {
        broken = !frame_is_whole(p, at);
        if (!broken) parent = b->renumbered[at] - 1;
    }
    while (p->stacks.ints.n > base) {
        uint32_t old = (uint32_t)p->stacks.ints.v[--p->stacks.ints.n];
        if (broken) continue;
        parent = add_frame(b, old, parent);
        b->renumbered[old] = parent + 1;
    }
    return broken ? 0 : parent;
}

static void use_frame(rebuild *b, const hlo_metadata *metadata) {
    uint32_t frame = metadata->stack_frame;
    if (frame && frame <= b->p->frames.rows.n && !b->renumbered[frame]) intern_chain(b, frame);
}

/* In the order of instructions, which mostly is the one in which their metadata were read. */
static void use_frames(rebuild *b) {
    hlo_parser *p = b->p;
    if (!p->frames.out_of_order && !p->made.has_async) {
        for (uint32_t i = 0; i < p->frames.framed.n; i++) use_frame(b, p->frames.framed.v[i]);
        return;
    }
    for (hlo_computation *c = p->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            const hlo_attr *metadata = hlo_instr_attr(i, HLO_ATTR_METADATA);
            if (metadata) use_frame(b, metadata->u.metadata);
        }
}

static void rewrite_metadata(rebuild *b) {
    for (uint32_t i = 0; i < b->p->frames.framed.n; i++) {
        hlo_metadata *metadata = b->p->frames.framed.v[i];
        uint32_t old = metadata->stack_frame;
        metadata->stack_frame =
            old <= b->p->frames.rows.n && b->renumbered[old] ? b->renumbered[old] - 1 : 0;
    }
}

void hlo_renumber_stack_frames(hlo_parser *p) {
    rebuild b = {.p = p,
                 .renumbered = hlo_calloc(p->frames.rows.n + 1, sizeof(uint32_t)),
                 .file_numbers = hlo_calloc(p->frames.files.n + 1, sizeof(uint32_t)),
                 .function_numbers = hlo_calloc(p->frames.functions.n + 1, sizeof(uint32_t))};
    use_frames(&b);
    rewrite_metadata(&b);
    hlo_stack_frames *out = &p->module->frames;
    *out = (hlo_stack_frames){
        b.file_names.n,
        b.function_names.n,
        b.location_rows.n,
        b.frame_rows.n,
        hlo_arena_copy(p->arena, b.file_names.v, b.file_names.n * sizeof(hlo_str)),
        hlo_arena_copy(p->arena, b.function_names.v, b.function_names.n * sizeof(hlo_str)),
        hlo_arena_copy(p->arena, b.location_rows.v, b.location_rows.n * sizeof(hlo_file_location)),
        hlo_arena_copy(p->arena, b.frame_rows.v, b.frame_rows.n * sizeof(hlo_stack_frame)),
    };
    hlo_free(b.renumbered);
    hlo_free(b.file_numbers);
    hlo_free(b.function_numbers);
    hlo_free(b.file_names.v);
    hlo_free(b.function_names.v);
    hlo_free(b.location_rows.v);
    hlo_free(b.frame_rows.v);
    hlo_memo_free(&b.files.memo);
    hlo_memo_free(&b.functions.memo);
    hlo_memo_free(&b.locations.memo);
    hlo_memo_free(&b.frames.memo);
}
