/* Locations as metadata and stack frames, by the rules of XLA's conversion. */
#include "stablehlo/convert.h"

#include "base/buf.h"
#include "parse/adopt_frames.h"

/* The four tables of frames while they grow; rows are numbered from 1. */
struct hlo_stablehlo_frames {
    HLO_LIST(hlo_str) files;
    HLO_LIST(hlo_str) functions;
    HLO_LIST(hlo_file_location) locations;
    HLO_LIST(hlo_stack_frame) rows;
    hlo_hash files_by_hash, functions_by_hash, locations_by_hash, rows_by_hash;
};

/* The metadata with frames, each once, in the order of computations and instructions: XLA numbers
 * frames so when it reads the message. */
static void adopt(hlo_stablehlo *s, const hlo_stack_frames *table) {
    HLO_LIST(hlo_metadata *) framed = {0};
    hlo_hash seen = {0};
    for (hlo_computation *c = s->module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            const hlo_attr *attr = hlo_instr_attr(i, HLO_ATTR_METADATA);
            if (!attr || !attr->u.metadata->stack_frame) continue;
            uint64_t hash = hlo_hash_pointer(attr->u.metadata, 0);
            bool is_new = true;
            hlo_hash_each (number, &seen, hash)
                if (framed.v[number - 1] == attr->u.metadata) is_new = false;
            if (!is_new) continue;
            hlo_list_push(&framed, (hlo_metadata *)(uintptr_t)attr->u.metadata);
            hlo_hash_add(&seen, hash, framed.n);
        }
    hlo_module_adopt_frames(s->module, table, framed.v, framed.n);
    hlo_list_free(&framed);
    hlo_hash_free(&seen);
}

void hlo_stablehlo_finish_frames(hlo_stablehlo *s, bool good) {
    hlo_stablehlo_frames *f = s->frames;
    if (!f) return;
    if (good)
        adopt(s, &(hlo_stack_frames){.file_count = f->files.n,
                                     .function_count = f->functions.n,
                                     .location_count = f->locations.n,
                                     .frame_count = f->rows.n,
                                     .files = f->files.v,
                                     .functions = f->functions.v,
                                     .locations = f->locations.v,
                                     .frames = f->rows.v});
    hlo_list_free(&f->files);
    hlo_list_free(&f->functions);
    hlo_list_free(&f->locations);
    hlo_list_free(&f->rows);
    hlo_hash_free(&f->files_by_hash);
    hlo_hash_free(&f->functions_by_hash);
    hlo_hash_free(&f->locations_by_hash);
    hlo_hash_free(&f->rows_by_hash);
    hlo_free(f);
    s->frames = NULL;
}

hlo_str hlo_stablehlo_keep(hlo_stablehlo *s, hlo_str text) {
    uintptr_t from = (uintptr_t)text.ptr, source = (uintptr_t)s->source->text;
    if (from >= source && from - source < s->source->len) return text;
    return (hlo_str){hlo_arena_copy(s->arena, text.ptr, text.len), text.len, 0};
}

/* ---- frames ---- */

#define NUMBER_OF_NAME(s, list, index, text)                                 \
    do {                                                                     \
        uint64_t hash = hlo_hash_bytes((text).ptr, (text).len);              \
        hlo_hash_each (number, index, hash)                                  \
            if (hlo_str_equal((list)->v[number - 1], (text))) return number; \
        hlo_list_push(list, hlo_stablehlo_keep(s, text));                    \
        hlo_hash_add(index, hash, (list)->n);                                \
        return (list)->n;                                                    \
    } while (0)

static uint32_t file_number(hlo_stablehlo *s, hlo_str name) {
    NUMBER_OF_NAME(s, &s->frames->files, &s->frames->files_by_hash, name);
}

static uint32_t function_number(hlo_stablehlo *s, hlo_str name) {
    NUMBER_OF_NAME(s, &s->frames->functions, &s->frames->functions_by_hash, name);
}

/* Locations are one where file, function, line and column are; the ends of the first one count. */
static uint32_t location_number(hlo_stablehlo *s, hlo_file_location row) {
    hlo_stablehlo_frames *f = s->frames;
    uint32_t key[4] = {row.file, row.function, (uint32_t)row.line, (uint32_t)row.column};
    uint64_t hash = hlo_hash_bytes(key, sizeof key);
    hlo_hash_each (number, &f->locations_by_hash, hash) {
        const hlo_file_location *l = &f->locations.v[number - 1];
        if (l->file == row.file && l->function == row.function && l->line == row.line &&
            l->column == row.column)
            return number;
    }
    hlo_list_push(&f->locations, row);
    hlo_hash_add(&f->locations_by_hash, hash, f->locations.n);
    return f->locations.n;
}

static uint32_t frame_number(hlo_stablehlo *s, hlo_stack_frame row) {
    hlo_stablehlo_frames *f = s->frames;
    uint64_t hash = hlo_hash_bytes(&row, sizeof row);
    hlo_hash_each (number, &f->rows_by_hash, hash)
        if (f->rows.v[number - 1].location == row.location &&
            f->rows.v[number - 1].parent == row.parent)
            return number;
    hlo_list_push(&f->rows, row);
    hlo_hash_add(&f->rows_by_hash, hash, f->rows.n);
    return f->rows.n;
}

/* "function"("file":line:column) */
static bool is_frame(const hlo_mlir_location *l) {
    return l->kind == HLO_MLIR_NAMED_PLACE && l->first && l->first->kind == HLO_MLIR_FILE_PLACE;
}

/* The frames of a stack from the innermost one, which stands first; 0: there is none. */
static uint32_t add_stack(hlo_stablehlo *s, const hlo_mlir_location *l, uint32_t depth) {
    if (depth > 1000) return 0;
    if (l->kind == HLO_MLIR_CALL_PLACE) {
        /* The callee's frames stand on the caller's: those of the caller come first. */
        HLO_LIST(const hlo_mlir_location *) frames = {0}, stack = {0};
        hlo_list_push(&stack, l);
        while (stack.n && frames.n < 100000) {
            const hlo_mlir_location *at = hlo_list_pop(&stack);
            if (at->kind == HLO_MLIR_CALL_PLACE) {
                hlo_list_push(&stack, at->caller);
                hlo_list_push(&stack, at->first);
            } else if (is_frame(at)) {
                hlo_list_push(&frames, at);
            }
        }
        uint32_t parent = 0;
        for (uint32_t i = frames.n; i > 0; i--) {
            const hlo_mlir_location *file = frames.v[i - 1]->first;
            hlo_file_location row = {file_number(s, file->name), 0,
                                     (int32_t)file->line,        (int32_t)file->end_line,
                                     (int32_t)file->column,      (int32_t)file->end_column};
            row.function = function_number(s, frames.v[i - 1]->name);
            parent = frame_number(s, (hlo_stack_frame){location_number(s, row), parent});
        }
        hlo_list_free(&frames);
        hlo_list_free(&stack);
        return parent;
    }
    if (!is_frame(l)) return 0;
    const hlo_mlir_location *file = l->first;
    hlo_file_location row = {file_number(s, file->name), 0,
                             (int32_t)file->line,        (int32_t)file->end_line,
                             (int32_t)file->column,      (int32_t)file->end_column};
    row.function = function_number(s, l->name);
    return frame_number(s, (hlo_stack_frame){location_number(s, row), 0});
}

/* ---- names ---- */

/* Up to the first '@'. */
static hlo_str before_at(hlo_str name) {
    const char *at = name.len ? memchr(name.ptr, '@', name.len) : NULL;
    return (hlo_str){name.ptr, at ? (uint32_t)(at - name.ptr) : name.len, 0};
}

static bool is_type(hlo_str name) {
    return name.len && name.ptr[name.len - 1] == ':';
}

typedef HLO_LIST(const hlo_mlir_location *) location_stack;

static void push_name(hlo_buf *to, bool *any, hlo_str name) {
    if (*any) hlo_buf_char(to, ';');
    *any = true;
    hlo_buf_str(to, name);
}

static hlo_str taken(hlo_stablehlo *s, hlo_buf *text) {
    hlo_str kept = hlo_stablehlo_keep(s, (hlo_str){text->data, (uint32_t)text->len, 0});
    hlo_buf_free(text);
    return kept;
}

/* The only name of a location that has one or none, in *out; false: it may have more. */
static bool has_one_name(const hlo_mlir_location *l, hlo_str *out) {
    *out = (hlo_str){0};
    if (!l || l->kind == HLO_MLIR_UNKNOWN_PLACE || l->kind == HLO_MLIR_FILE_PLACE) return true;
    if (l->kind != HLO_MLIR_NAMED_PLACE) return false;
    *out = before_at(l->name);
    return !is_type(*out);
}

hlo_str hlo_stablehlo_debug_name(hlo_stablehlo *s, const hlo_mlir_location *location) {
    hlo_str only;
    if (has_one_name(location, &only)) return hlo_stablehlo_keep(s, only);
    hlo_buf text = HLO_BUF_INIT;
    location_stack stack = {0};
    bool any = false;
    if (location) hlo_list_push(&stack, location);
    while (stack.n) {
        const hlo_mlir_location *l = hlo_list_pop(&stack);
        if (l->kind == HLO_MLIR_NAMED_PLACE) {
            hlo_str name = before_at(l->name);
            if (!is_type(name)) push_name(&text, &any, name);
            else if (l->first) hlo_list_push(&stack, l->first);
        } else if (l->kind == HLO_MLIR_CALL_PLACE) {
            hlo_list_push(&stack, l->first);
        } else if (l->kind == HLO_MLIR_FUSED_PLACE) {
            for (uint32_t i = l->part_count; i > 0; i--) hlo_list_push(&stack, l->parts[i - 1]);
        }
    }
    hlo_list_free(&stack);
    return taken(s, &text);
}

static hlo_str op_type(hlo_stablehlo *s, const hlo_mlir_location *location) {
    for (const hlo_mlir_location *l = location; l;) {
        if (l->kind == HLO_MLIR_NAMED_PLACE) {
            hlo_str name = before_at(l->name);
            if (is_type(name)) return hlo_stablehlo_keep(s, (hlo_str){name.ptr, name.len - 1, 0});
            l = l->first;
        } else if (l->kind == HLO_MLIR_CALL_PLACE) {
            l = l->first;
        } else if (l->kind == HLO_MLIR_FUSED_PLACE && l->part_count) {
            l = l->parts[0];
        } else {
            break;
        }
    }
    return (hlo_str){0};
}

static void set_file(hlo_stablehlo *s, const hlo_mlir_location *l, hlo_metadata *to,
                     uint32_t depth) {
    if (depth > 1000) return;
    if (l->kind == HLO_MLIR_FILE_PLACE) {
        to->source_file = hlo_stablehlo_keep(s, l->name);
        to->source_line = (int32_t)l->line;
        to->source_end_line = (int32_t)l->end_line;
        to->source_column = (int32_t)l->column;
        to->source_end_column = (int32_t)l->end_column;
    }
    for (uint32_t i = 0; l->kind == HLO_MLIR_FUSED_PLACE && i < l->part_count; i++)
        set_file(s, l->parts[i], to, depth + 1);
}

static const hlo_metadata *metadata_of(hlo_stablehlo *s, const hlo_mlir_location *l) {
    if (l->kind == HLO_MLIR_UNKNOWN_PLACE) return NULL;
    hlo_metadata *metadata = HLO_NEW(s->arena, hlo_metadata);
    metadata->op_name = hlo_stablehlo_debug_name(s, l);
    metadata->op_type = op_type(s, l);
    while (l && l->kind == HLO_MLIR_NAMED_PLACE && !is_frame(l)) l = l->first;
    if (l && l->kind != HLO_MLIR_UNKNOWN_PLACE) {
        if (!s->frames) s->frames = hlo_calloc(1, sizeof *s->frames);
        metadata->stack_frame = add_stack(s, l, 0);
        if (!metadata->stack_frame) set_file(s, l, metadata, 0);
    }
    bool is_empty = !metadata->op_name.len && !metadata->op_type.len &&
                    !metadata->source_file.len && !metadata->stack_frame;
    return is_empty ? NULL : metadata;
}

const hlo_metadata *hlo_stablehlo_metadata(hlo_stablehlo *s, const hlo_mlir_op *op) {
    if (!op->location) return NULL;
    hlo_mlir_location *l = (hlo_mlir_location *)(uintptr_t)op->location;
    if (!l->made) {
        const hlo_metadata *metadata = metadata_of(s, l);
        l->made = metadata ? (const void *)metadata : s;
    }
    return l->made == s ? NULL : l->made;
}
