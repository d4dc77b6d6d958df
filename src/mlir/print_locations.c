/* Locations as MLIR prints them: each as an alias, those of arguments before the module, the others
 * after it; inner ones first, otherwise as they are met. */
#include <string.h>

#include "mlir/forms.h"
#include "mlir/print.h"

/* One location, however often the tree has it. */
typedef struct {
    hlo_mlir_place_kind kind;
    hlo_str name;
    uint32_t line, column, end_line, end_column;
    uint32_t part_count;
    const uint32_t *parts; /* numbers of first and caller, or of the parts */
    uint32_t depth;        /* 1: without parts */
    bool is_met, is_deferred;
    uint32_t alias;
} place;

typedef struct {
    const hlo_mlir_location *location; /* NULL: unknown */
    uint32_t number;                   /* of the place, from 0; OPEN: its parts are not known yet */
} seen_pointer;

enum { OPEN = UINT32_MAX };

struct hlo_mlir_places {
    hlo_arena *arena;
    bool is_generic;
    HLO_LIST(place) all;
    hlo_hash by_content; /* numbers from 1, as below */
    HLO_LIST(seen_pointer) seen;
    hlo_hash by_pointer;
    HLO_LIST(uint32_t) met;   /* places in the order of the print */
    HLO_LIST(uint32_t) stack; /* of places */
    HLO_LIST(const hlo_mlir_location *) open;
    uint32_t *sorted; /* by alias */
};

/* ---- equal locations become one place ---- */

static seen_pointer *find_pointer(hlo_mlir_places *p, const hlo_mlir_location *location) {
    uint32_t hash = (uint32_t)hlo_hash_pointer(location, 0);
    hlo_hash_each (number, &p->by_pointer, hash)
        if (p->seen.v[number - 1].location == location) return &p->seen.v[number - 1];
    return NULL;
}

static uint32_t part_count(const hlo_mlir_location *location) {
    if (!location) return 0;
    switch (location->kind) {
    case HLO_MLIR_NAMED_PLACE:
        return location->first && location->first->kind != HLO_MLIR_UNKNOWN_PLACE;
    case HLO_MLIR_CALL_PLACE: return 2;
    case HLO_MLIR_FUSED_PLACE: return location->part_count;
    default: return 0;
    }
}

static const hlo_mlir_location *part_of(const hlo_mlir_location *location, uint32_t i) {
    if (location->kind == HLO_MLIR_FUSED_PLACE) return location->parts[i];
    return i ? location->caller : location->first;
}

static bool is_same(const place *a, const place *b) {
    return a->kind == b->kind && hlo_str_equal(a->name, b->name) && a->line == b->line &&
           a->column == b->column && a->end_line == b->end_line && a->end_column == b->end_column &&
           a->part_count == b->part_count &&
           (!a->part_count || memcmp(a->parts, b->parts, a->part_count * sizeof *a->parts) == 0);
}

static uint32_t add_place(hlo_mlir_places *p, place made) {
    uint64_t h = hlo_hash_mix(made.kind, hlo_hash_bytes(made.name.ptr, made.name.len));
    h = hlo_hash_mix(h, (uint64_t)made.line << 32 | made.column);
    h = hlo_hash_mix(h, (uint64_t)made.end_line << 32 | made.end_column);
    h = hlo_hash_mix(h, hlo_hash_bytes(made.parts, made.part_count * sizeof *made.parts));
    hlo_hash_each (number, &p->by_content, (uint32_t)h)
        if (is_same(&p->all.v[number - 1], &made)) return number - 1;
    if (made.part_count)
        made.parts = hlo_arena_copy(p->arena, made.parts, made.part_count * sizeof *made.parts);
    hlo_list_push(&p->all, made);
    hlo_hash_add(&p->by_content, (uint32_t)h, p->all.n);
    return p->all.n - 1;
}

/* All parts are places already; a part that is open holds this one, and counts as unknown. */
static uint32_t place_of_parts(hlo_mlir_places *p, const hlo_mlir_location *location) {
    place made = {.kind = location ? location->kind : HLO_MLIR_UNKNOWN_PLACE, .depth = 1};
    uint32_t n = part_count(location);
    uint32_t *parts = n ? hlo_malloc(n * sizeof *parts) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = find_pointer(p, part_of(location, i))->number;
        if (parts[i] == OPEN) parts[i] = add_place(p, (place){.depth = 1});
        if (p->all.v[parts[i]].depth >= made.depth) made.depth = p->all.v[parts[i]].depth + 1;
    }
    if (location && location->kind == HLO_MLIR_FILE_PLACE) {
        made.line = location->line;
        made.column = location->column;
        made.end_line = location->end_line;
        made.end_column = location->end_column;
    }
    if (made.kind == HLO_MLIR_FILE_PLACE || made.kind == HLO_MLIR_NAMED_PLACE)
        made.name = location->name;
    made.part_count = n;
    made.parts = parts;
    uint32_t number = add_place(p, made);
    hlo_free(parts);
    return number;
}

static void open_pointer(hlo_mlir_places *p, const hlo_mlir_location *location) {
    hlo_list_push(&p->seen, (seen_pointer){location, OPEN});
    hlo_hash_add(&p->by_pointer, (uint32_t)hlo_hash_pointer(location, 0), p->seen.n);
    hlo_list_push(&p->open, location);
}

/* Without recursion: stacks of frames nest deep. */
static uint32_t place_of(hlo_mlir_places *p, const hlo_mlir_location *location) {
    const seen_pointer *found = find_pointer(p, location);
    if (found) return found->number;
    open_pointer(p, location);
    while (p->open.n) {
        const hlo_mlir_location *top = p->open.v[p->open.n - 1];
        uint32_t before = p->open.n;
        for (uint32_t i = part_count(top); i-- > 0;)
            if (!find_pointer(p, part_of(top, i))) open_pointer(p, part_of(top, i));
        if (p->open.n > before) continue;
        uint32_t number = place_of_parts(p, top);
        find_pointer(p, top)->number = number;
        p->open.n--;
    }
    return find_pointer(p, location)->number;
}

/* ---- the order in which they are met ---- */

/* Once it has to stand before the module, so do its parts. */
static void stand_before(hlo_mlir_places *p, uint32_t number) {
    uint32_t base = p->stack.n;
    hlo_list_push(&p->stack, number);
    while (p->stack.n > base) {
        place *top = &p->all.v[hlo_list_pop(&p->stack)];
        if (!top->is_deferred) continue;
        top->is_deferred = false;
        for (uint32_t i = 0; i < top->part_count; i++)
            if (p->all.v[top->parts[i]].is_met) hlo_list_push(&p->stack, top->parts[i]);
    }
}

static void meet(hlo_mlir_places *p, const hlo_mlir_location *location, bool is_deferred) {
    uint32_t base = p->stack.n;
    hlo_list_push(&p->stack, place_of(p, location));
    while (p->stack.n > base) {
        uint32_t number = hlo_list_pop(&p->stack);
        place *top = &p->all.v[number];
        if (top->is_met) {
            if (!is_deferred) stand_before(p, number);
            continue;
        }
        top->is_met = true;
        top->is_deferred = is_deferred;
        hlo_list_push(&p->met, number);
        for (uint32_t i = top->part_count; i-- > 0;) hlo_list_push(&p->stack, top->parts[i]);
    }
}

static void meet_op(hlo_mlir_places *p, const hlo_mlir_op *op);

static void meet_region(hlo_mlir_places *p, const hlo_mlir_region *region, bool with_arguments) {
    for (const hlo_mlir_block *block = region->first; block; block = block->next) {
        for (uint32_t i = 0; with_arguments && i < block->argument_count; i++)
            meet(p, block->arguments[i].location, false);
        for (const hlo_mlir_op *op = block->first; op; op = op->next) meet_op(p, op);
    }
}

/* The arguments of a reducer stand in pairs. */
static void meet_reduce(hlo_mlir_places *p, const hlo_mlir_op *op) {
    if (hlo_mlir_only_reducer(op)) return;
    const hlo_mlir_block *block = op->regions[0].first;
    uint32_t half = block ? block->argument_count / 2 : 0;
    for (uint32_t i = 0; i < 2 * half; i++)
        meet(p, block->arguments[i / 2 + (i % 2 ? half : 0)].location, false);
    meet_region(p, &op->regions[0], false);
}

static void meet_op(hlo_mlir_places *p, const hlo_mlir_op *op) {
    meet(p, op->location, true);
    if (!p->is_generic && op->id == HLO_MLIR_OP_STABLEHLO_REDUCE) {
        meet_reduce(p, op);
        return;
    }
    bool with_arguments = p->is_generic || op->id != HLO_MLIR_OP_STABLEHLO_WHILE;
    for (uint32_t i = 0; i < op->region_count; i++) meet_region(p, &op->regions[i], with_arguments);
}

/* Inner ones first: by depth, and otherwise as they were met. */
static void number_aliases(hlo_mlir_places *p) {
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < p->all.n; i++)
        if (p->all.v[i].depth > deepest) deepest = p->all.v[i].depth;
    uint32_t *next = hlo_calloc(deepest + 2, sizeof *next);
    for (uint32_t i = 0; i < p->met.n; i++) next[p->all.v[p->met.v[i]].depth + 1]++;
    for (uint32_t i = 1; i <= deepest + 1; i++) next[i] += next[i - 1];
    p->sorted = HLO_NEW_ARRAY(p->arena, uint32_t, p->met.n);
    for (uint32_t i = 0; i < p->met.n; i++) {
        place *met = &p->all.v[p->met.v[i]];
        met->alias = next[met->depth]++;
        p->sorted[met->alias] = p->met.v[i];
    }
    hlo_free(next);
}

hlo_mlir_places *hlo_mlir_places_new(hlo_mlir_module *tree, bool is_generic) {
    hlo_mlir_places *p = hlo_calloc(1, sizeof *p);
    p->arena = &tree->arena;
    p->is_generic = is_generic;
    meet_op(p, tree->root);
    number_aliases(p);
    return p;
}

void hlo_mlir_places_free(hlo_mlir_places *p) {
    hlo_list_free(&p->all);
    hlo_list_free(&p->seen);
    hlo_list_free(&p->met);
    hlo_list_free(&p->stack);
    hlo_list_free(&p->open);
    hlo_hash_free(&p->by_content);
    hlo_hash_free(&p->by_pointer);
    hlo_free(p);
}

/* ---- printing ---- */

static void print_alias(hlo_buf *to, const place *of) {
    hlo_buf_cstr(to, "#loc");
    if (of->alias) hlo_buf_uint(to, of->alias);
}

static void print_parts(const hlo_mlir_places *p, hlo_buf *to, const place *of,
                        const char *between) {
    for (uint32_t i = 0; i < of->part_count; i++) {
        if (i) hlo_buf_cstr(to, between);
        print_alias(to, &p->all.v[of->parts[i]]);
    }
}

static void print_file(hlo_buf *to, const place *of) {
    hlo_mlir_print_text(to, of->name);
    hlo_buf_printf(to, ":%u:%u", of->line, of->column);
    if (of->line != of->end_line) hlo_buf_printf(to, " to %u:%u", of->end_line, of->end_column);
    else if (of->column != of->end_column) hlo_buf_printf(to, " to :%u", of->end_column);
}

static void print_body(const hlo_mlir_places *p, hlo_buf *to, const place *of) {
    switch (of->kind) {
    case HLO_MLIR_UNKNOWN_PLACE: hlo_buf_cstr(to, "unknown"); return;
    case HLO_MLIR_FILE_PLACE: print_file(to, of); return;
    case HLO_MLIR_NAMED_PLACE:
        hlo_mlir_print_text(to, of->name);
        if (!of->part_count) return;
        hlo_buf_char(to, '(');
        print_parts(p, to, of, "");
        hlo_buf_char(to, ')');
        return;
    case HLO_MLIR_CALL_PLACE:
        hlo_buf_cstr(to, "callsite(");
        print_parts(p, to, of, " at ");
        hlo_buf_char(to, ')');
        return;
    case HLO_MLIR_FUSED_PLACE:
        hlo_buf_cstr(to, "fused[");
        print_parts(p, to, of, ", ");
        hlo_buf_char(to, ']');
        return;
    }
}

void hlo_mlir_print_aliases(hlo_mlir_places *p, bool are_deferred, hlo_buf *to) {
    for (uint32_t i = 0; i < p->met.n; i++) {
        const place *of = &p->all.v[p->sorted[i]];
        if (of->is_deferred != are_deferred) continue;
        print_alias(to, of);
        hlo_buf_cstr(to, " = loc(");
        print_body(p, to, of);
        hlo_buf_cstr(to, ")\n");
    }
}

void hlo_mlir_print_place(hlo_mlir_places *p, const hlo_mlir_location *location, bool may_alias,
                          hlo_buf *to) {
    const place *of = &p->all.v[place_of(p, location)];
    hlo_buf_cstr(to, " loc(");
    if (may_alias) print_alias(to, of);
    else print_body(p, to, of);
    hlo_buf_char(to, ')');
}
