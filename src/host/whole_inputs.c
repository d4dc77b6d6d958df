/* Inputs of all devices together: read and filled as those of the module before it was partitioned,
 * and cut into tiles by the shardings of its parameters. */
#include "host/parameters.h"
#include "host/whole_tiles.h"

static hlo_sharded_leaf find_leaf(const hlo_module *module, const hlo_run_leaf *inputs,
                                  uint32_t leaf) {
    hlo_instr *const *parameter = module->entry->parameters;
    uint32_t n, before = 0;
    for (; leaf - before >= (n = hlo_leaf_count((*parameter)->shape)); parameter++) before += n;
    const hlo_attr *attr = hlo_instr_attr(*parameter, HLO_ATTR_SHARDING);
    return hlo_sharded_leaf_of(*parameter, attr ? attr->u.sharding : NULL, leaf - before,
                               inputs[leaf].shape);
}

static void put_sharding(hlo_buf *to, const hlo_sharded_leaf *leaf) {
    hlo_buf_lit(to, "sharding=");
    if (leaf->sharding) hlo_sharding_print(to, leaf->sharding, false);
    else hlo_buf_lit(to, "{replicated}");
}

static hlo_status refuse(const hlo_run *run, uint32_t leaf, const char *why, hlo_diags *diags) {
    hlo_buf name = HLO_BUF_INIT;
    hlo_run_put_input_name(&name, run, leaf);
    hlo_error(diags, HLO_RULE_INPUT, NULL, (hlo_span){0}, "input %u of %u, %.*s, %s", leaf,
              run->input_count, (int)name.len, name.data, why);
    hlo_buf_free(&name);
    return HLO_BAD_USE;
}

/* ---- the whole ---- */

/* The shape of all tiles together, which have the run's shape; the same when there is none. */
static const hlo_shape *shape_of_whole(hlo_module *to, hlo_arena *arena, const hlo_run *run,
                                       uint32_t number) {
    const char *why;
    hlo_sharded_leaf leaf = find_leaf(run->module, run->inputs, number);
    const hlo_tiling *t = hlo_sharded_tiling(arena, run, &leaf, &why);
    return hlo_joined_shape(&to->shapes, arena, leaf.shape, t);
}

static const hlo_shape *whole_shape(hlo_module *to, hlo_arena *arena, const hlo_run *run,
                                    const hlo_shape *shape, uint32_t *leaf) {
    if (!hlo_shape_is_tuple(shape))
        return hlo_shape_is_array(shape) ? shape_of_whole(to, arena, run, (*leaf)++)
                                         : hlo_shape_import(&to->shapes, shape);
    const hlo_shape **elements = HLO_NEW_ARRAY(arena, const hlo_shape *, shape->rank + 1u);
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!(elements[i] = whole_shape(to, arena, run, shape->elements[i], leaf))) return NULL;
    return hlo_shape_tuple(&to->shapes, elements, shape->rank);
}

/* A module with the run's parameters as all devices together have them; NULL: too large. */
static hlo_module *join_tiles(const hlo_run *run) {
    hlo_module *to = hlo_module_new();
    hlo_arena arena;
    uint32_t leaf = 0;
    bool good = true;
    hlo_arena_init(&arena);
    to->entry = hlo_computation_new(to, hlo_module_intern(to, HLO_STR("whole")));
    for (uint32_t i = 0; i < run->module->entry->parameter_count && good; i++) {
        const hlo_instr *from = run->module->entry->parameters[i];
        const hlo_shape *shape = whole_shape(to, &arena, run, from->shape, &leaf);
        hlo_attr number = {.id = HLO_ATTR_PARAMETER_NUMBER, .u.i = i};
        hlo_name *name = hlo_module_intern_copy(to, (hlo_str){from->name->ptr, from->name->len, 0});
        good = shape;
        if (!good) continue;
        hlo_instr *made =
            hlo_instr_new(to->entry, HLO_OP_PARAMETER, shape, name, NULL, 0, &number, 1);
        const hlo_attr *metadata = hlo_instr_attr(from, HLO_ATTR_METADATA);
        if (metadata) hlo_instr_set_attr(made, *metadata); /* the run's module lives as long */
    }
    hlo_computation_index_parameters(to->entry);
    hlo_arena_free(&arena);
    if (good) return to;
    hlo_module_free(to);
    return NULL;
}

hlo_status hlo_run_take_whole(hlo_run *run, hlo_module *whole, hlo_diags *diags) {
    if (!whole) return HLO_OK;
    if (!hlo_module_is_usable(whole, diags)) return HLO_BAD_USE;
    if (run->graph) return hlo_misuse(diags, "inputs of a dataflow graph are not cut into tiles");
    if (whole == run->module) {
        run->whole_module = whole = join_tiles(run);
        if (!whole) return hlo_misuse(diags, "the inputs of all devices together are too large");
        hlo_cleanup_remove(&whole->cleanup); /* freed with the run */
    }
    run->whole = hlo_run_new(whole, 1);
    hlo_cleanup_remove(&run->whole->cleanup);
    run->may_share = false;
    if (run->whole->input_count == run->input_count) return HLO_OK;
    return hlo_misuse(diags, "the whole module has %u inputs, and that of one device %u",
                      run->whole->input_count, run->input_count);
}

void hlo_run_free_whole(hlo_run *run) {
    if (run->whole) hlo_run_free_one(run->whole);
    if (run->whole_module) hlo_module_free(run->whole_module);
    run->whole = NULL;
    run->whole_module = NULL;
}

/* ---- cutting ---- */

static hlo_status refuse_tiles(const hlo_run *run, uint32_t leaf, const hlo_sharded_leaf *whole,
                               hlo_diags *diags) {
    hlo_buf text = HLO_BUF_INIT;
    hlo_buf_lit(&text, "is not a tile of ");
    hlo_shape_print(&text, whole->shape, false);
    hlo_buf_lit(&text, " by ");
    put_sharding(&text, whole);
    hlo_buf_char(&text, '\0');
    hlo_status status = refuse(run, leaf, text.data, diags);
    hlo_buf_free(&text);
    return status;
}

/* Device by device, unless one has been given another value. */
static hlo_status give_tiles(hlo_run *run, hlo_arena *arena, uint32_t leaf, const hlo_tiling *t,
                             hlo_diags *diags) {
    const hlo_run_leaf *whole = &run->whole->inputs[leaf];
    for (uint32_t d = 0; d < run->device_count; d++) {
        bool is_needed = !d || (d >= run->first && d < run->last);
        if (!is_needed) continue;
        hlo_run_leaf *own = &hlo_run_of_device(run, d)->inputs[leaf];
        int64_t partition = hlo_run_partition_of(run, d);
        hlo_value *tile = hlo_value_new(own->shape);
        if (!tile) return hlo_run_no_memory(diags, "an input");
        int64_t bytes = hlo_shape_bytes(own->shape); /* zeros after the end of the array */
        if (bytes > 0) memset(tile->data, 0, (size_t)bytes);
        hlo_cut_tile(arena, tile, whole->value, t, partition);
        hlo_run_put_input(own, tile, NULL);
        own->is_made_up = whole->is_made_up;
    }
    return HLO_OK;
}

static hlo_status cut_input(hlo_run *run, hlo_arena *arena, uint32_t leaf, hlo_diags *diags) {
    const char *why = NULL;
    const hlo_module *module = run->whole_module ? run->module : run->whole->module;
    hlo_sharded_leaf whole = find_leaf(module, run->whole->inputs, leaf);
    if (!run->whole->inputs[leaf].value) return HLO_OK; /* the execution reports it */
    const hlo_tiling *t = hlo_sharded_tiling(arena, run, &whole, &why);
    if (!t) return refuse(run, leaf, why, diags);
    if (!hlo_has_tiles(whole.shape, t, run->inputs[leaf].shape))
        return refuse_tiles(run, leaf, &whole, diags);
    return give_tiles(run, arena, leaf, t, diags);
}

hlo_status hlo_run_cut_inputs(hlo_run *run, hlo_diags *diags) {
    if (!run->whole || run->is_cut) return HLO_OK;
    hlo_status status = HLO_OK;
    for (uint32_t leaf = 0; leaf < run->input_count && status == HLO_OK; leaf++) {
        hlo_arena arena;
        hlo_arena_init(&arena);
        status = cut_input(run, &arena, leaf, diags);
        hlo_arena_free(&arena);
    }
    run->is_cut = status == HLO_OK;
    return status;
}

/* ---- messages ---- */

static void put_tile(hlo_buf *to, const hlo_tiling *t, int64_t partition, const int64_t *dims) {
    hlo_buf_printf(to, " %lld [", (long long)partition);
    for (uint32_t d = 0; d < t->rank; d++) {
        hlo_tile_part p = hlo_tile_part_of(t, partition, d, dims[d] * t->tiles[d]);
        hlo_buf_printf(to, "%s%lld:%lld", d ? "," : "", (long long)p.begin,
                       (long long)(p.begin + p.count));
    }
    hlo_buf_char(to, ']');
}

static void note_tiles(const hlo_run *run, const hlo_sharded_leaf *leaf, const hlo_tiling *t,
                       hlo_diags *diags) {
    enum { SHOWN = 8 };
    hlo_buf text = HLO_BUF_INIT;
    put_sharding(&text, leaf);
    hlo_buf_lit(&text, " gives each partition a slice of the whole:");
    for (int64_t p = 0; p < hlo_run_partitions(run) && p < SHOWN; p++) {
        if (p) hlo_buf_char(&text, ',');
        put_tile(&text, t, p, leaf->shape->dims);
    }
    if (hlo_run_partitions(run) > SHOWN) hlo_buf_lit(&text, ", ...");
    hlo_note(diags, leaf->instr->parent->module->source, leaf->instr->at, "%.*s", (int)text.len,
             text.data);
    hlo_buf_free(&text);
}

hlo_status hlo_run_explain_tiles(const hlo_run *run, uint32_t leaf, hlo_status status,
                                 hlo_diags *diags) {
    const char *why;
    bool may_be_whole =
        status == HLO_BAD_USE && leaf < run->input_count && hlo_run_partitions(run) > 1;
    if (!may_be_whole || run->whole) return status;
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_sharded_leaf own = find_leaf(run->module, run->inputs, leaf);
    const hlo_tiling *t = own.sharding ? hlo_sharded_tiling(&arena, run, &own, &why) : NULL;
    if (t && t->only < 0 && !hlo_tiling_is_whole(t)) note_tiles(run, &own, t, diags);
    hlo_arena_free(&arena);
    hlo_advise(diags, HLO_ADVICE_WHOLE);
    return status;
}
