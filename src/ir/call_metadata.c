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

static const hlo_metadata *metadata_of(const hlo_instr *instr) {
    const hlo_attr *attr = hlo_instr_attr(instr, HLO_ATTR_METADATA);
    return attr ? attr->u.metadata : NULL;
}

hlo_str hlo_op_name_of(const hlo_instr *instr) {
    const hlo_metadata *metadata = metadata_of(instr);
    return metadata ? metadata->op_name : HLO_STR("");
}

/* ---- stack frames ---- */

static uint32_t hash_of(hlo_stack_frame frame) {
    return (uint32_t)hlo_hash_bytes(&frame, sizeof frame);
}

static uint32_t *slot_of(const hlo_frame_rows *rows, const hlo_stack_frames *table,
                         hlo_stack_frame frame) {
    uint32_t slot = hash_of(frame) & (rows->slot_count - 1);
    for (;; slot = (slot + 1) & (rows->slot_count - 1)) {
        uint32_t row = rows->slots[slot];
        if (!row || (table->frames[row - 1].location == frame.location &&
                     table->frames[row - 1].parent == frame.parent))
            return &rows->slots[slot];
    }
}

/* Space for one more row, in the table and among the slots. */
static void reserve(hlo_frame_rows *rows, hlo_module *module) {
    hlo_stack_frames *table = &module->frames;
    if (table->frame_count >= rows->capacity) {
        rows->capacity = 2 * table->frame_count + 16;
        hlo_stack_frame *frames = HLO_NEW_ARRAY(&module->arena, hlo_stack_frame, rows->capacity);
        if (table->frame_count) memcpy(frames, table->frames, table->frame_count * sizeof *frames);
        table->frames = frames;
    }
    if (2 * (table->frame_count + 1) <= rows->slot_count) return;
    hlo_free(rows->slots);
    rows->slot_count = 64;
    while (rows->slot_count < 4 * (table->frame_count + 1)) rows->slot_count *= 2;
    rows->slots = hlo_calloc(rows->slot_count, sizeof *rows->slots);
    for (uint32_t row = table->frame_count; row; row--)
        *slot_of(rows, table, table->frames[row - 1]) = row;
}

static uint32_t row_of(hlo_frame_rows *rows, hlo_module *module, hlo_stack_frame frame) {
    reserve(rows, module);
    uint32_t *slot = slot_of(rows, &module->frames, frame);
    if (!*slot) {
        module->frames.frames[module->frames.frame_count++] = frame;
        *slot = module->frames.frame_count;
    }
    return *slot;
}

void hlo_frame_rows_free(hlo_frame_rows *rows) {
    hlo_free(rows->slots);
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
            frame = row_of(rows, module, inner);
        }
    }
    hlo_list_free(&chain);
    return frame;
}

/* ---- both ---- */

static void put_within(hlo_frame_rows *rows, const hlo_metadata *call, hlo_instr *instr) {
    hlo_module *module = instr->parent->module;
    const hlo_metadata *old = metadata_of(instr);
    hlo_metadata now = old ? *old : (hlo_metadata){.op_name = HLO_STR("")};
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
