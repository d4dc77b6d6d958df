/* Names and stack frames of calls around those of what they call: see call_metadata.h. */
#include "ir/call_metadata.h"

#include "base/list.h"

/* ---- names ---- */

static hlo_str without_slashes(hlo_str text, bool at_begin) {
    if (at_begin && text.len && text.ptr[0] == '/') text = (hlo_str){text.ptr + 1, text.len - 1, 0};
    if (text.len && text.ptr[text.len - 1] == '/') text.len--;
    return text;
}

hlo_str hlo_op_name_within(hlo_arena *arena, hlo_str prefix, hlo_str name) {
    enum { TOO_LONG = 1024 };
    hlo_str first = without_slashes(prefix, false), last = without_slashes(name, true);
    if (!first.len || first.len + last.len >= TOO_LONG) return name;
    if (last.len >= first.len && memcmp(last.ptr, first.ptr, first.len) == 0) return name;
    if (!last.len) return first;
    char *whole = hlo_arena_alloc(arena, first.len + 1u + last.len);
    memcpy(whole, first.ptr, first.len);
    whole[first.len] = '/';
    memcpy(whole + first.len + 1, last.ptr, last.len);
    return (hlo_str){whole, first.len + 1 + last.len, 0};
}

hlo_str hlo_op_name_of(const hlo_instr *instr) {
    const hlo_metadata *metadata = hlo_metadata_of(instr);
    return metadata ? metadata->op_name : HLO_STR("");
}

/* ---- stack frames ---- */

static uint64_t hash_of(hlo_stack_frame frame) {
    return hlo_hash_bytes(&frame, sizeof frame);
}

static uint32_t number_of_frame(const hlo_frame_rows *rows, const hlo_stack_frames *table,
                                hlo_stack_frame frame) {
    hlo_hash_each (number, &rows->by_hash, hash_of(frame)) {
        const hlo_stack_frame *row = &table->frames[number - 1];
        if (row->location == frame.location && row->parent == frame.parent) return number;
    }
    return 0;
}

static void reserve(hlo_frame_rows *rows, hlo_module *module) {
    hlo_stack_frames *table = &module->frames;
    if (table->frame_count < rows->capacity) return;
    rows->capacity = 2 * table->frame_count + 16;
    hlo_stack_frame *frames = HLO_NEW_ARRAY(&module->arena, hlo_stack_frame, rows->capacity);
    if (table->frame_count) memcpy(frames, table->frames, table->frame_count * sizeof *frames);
    table->frames = frames;
}

/* The module's frames that were there before, the first of equal ones alone. */
static void index_frames(hlo_frame_rows *rows, const hlo_stack_frames *table) {
    for (uint32_t row = 0; row < table->frame_count; row++)
        if (!number_of_frame(rows, table, table->frames[row]))
            hlo_hash_add(&rows->by_hash, hash_of(table->frames[row]), row + 1);
}

static uint32_t add_frame(hlo_frame_rows *rows, hlo_module *module, hlo_stack_frame frame) {
    hlo_stack_frames *table = &module->frames;
    if (!rows->capacity) index_frames(rows, table);
    uint32_t number = number_of_frame(rows, table, frame);
    if (number) return number;
    reserve(rows, module);
    table->frames[table->frame_count++] = frame;
    hlo_hash_add(&rows->by_hash, hash_of(frame), table->frame_count);
    return table->frame_count;
}

void hlo_frame_rows_free(hlo_frame_rows *rows) {
    hlo_hash_free(&rows->by_hash);
    *rows = (hlo_frame_rows){0};
}

typedef HLO_LIST(uint32_t) row_list;

/* The rows from `frame` to its outermost one; false: they lead nowhere, or in a circle, or past
 * `prefix`. */
static bool list_chain(const hlo_stack_frames *table, uint32_t frame, uint32_t prefix,
                       row_list *chain) {
    for (; frame; frame = table->frames[frame - 1].parent) {
        if (frame == prefix || frame > table->frame_count || chain->n > table->frame_count)
            return false;
        hlo_list_push(chain, frame);
    }
    return true;
}

/* `frame` called from `prefix`. */
static uint32_t frame_within(hlo_frame_rows *rows, hlo_module *module, uint32_t prefix,
                             uint32_t frame) {
    row_list chain = {0};
    if (prefix && prefix <= module->frames.frame_count &&
        list_chain(&module->frames, frame, prefix, &chain)) {
        frame = prefix;
        while (chain.n) {
            hlo_stack_frame inner = module->frames.frames[hlo_list_pop(&chain) - 1];
            inner.parent = frame;
            frame = add_frame(rows, module, inner);
        }
    }
    hlo_list_free(&chain);
    return frame;
}

/* ---- both ---- */

static void put_within(hlo_frame_rows *rows, const hlo_metadata *call, hlo_instr *instr) {
    hlo_module *module = instr->parent->module;
    const hlo_metadata *old = hlo_metadata_of(instr);
    hlo_metadata now = old ? *old : (hlo_metadata){.op_name = HLO_STR(""), .stack_frame = 0};
    now.op_name = hlo_op_name_within(&module->arena, call->op_name, now.op_name);
    now.stack_frame = frame_within(rows, module, call->stack_frame, now.stack_frame);
    uint32_t frame = old ? old->stack_frame : 0;
    if (now.stack_frame == frame && now.op_name.ptr == (old ? old->op_name.ptr : now.op_name.ptr) &&
        now.op_name.len == (old ? old->op_name.len : 0))
        return;
    const hlo_metadata *kept = hlo_arena_copy(&module->arena, &now, sizeof now);
    hlo_instr_set_attr(instr, (hlo_attr){.id = HLO_ATTR_METADATA, .u.metadata = kept});
}

static bool holds_computations(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_WHILE || instr->opcode == HLO_OP_CONDITIONAL ||
           instr->opcode == HLO_OP_ASYNC_START;
}

void hlo_metadata_within(hlo_frame_rows *rows, const hlo_metadata *call, hlo_instr *instr) {
    HLO_LIST(hlo_instr *) worklist = {0};
    if (!call->op_name.len && !call->stack_frame) return;
    uint32_t seen = holds_computations(instr) ? hlo_module_new_mark(instr->parent->module) : 0;
    hlo_list_push(&worklist, instr);
    while (worklist.n) {
        hlo_instr *one = hlo_list_pop(&worklist);
        put_within(rows, call, one);
        for (uint32_t k = 0; holds_computations(one) && k < hlo_called_count(one); k++) {
            hlo_computation *held = hlo_called(one, k);
            for (hlo_instr *i = held->mark == seen ? NULL : held->last; i; i = i->prev)
                hlo_list_push(&worklist, i);
            held->mark = seen;
        }
    }
    hlo_list_free(&worklist);
}
