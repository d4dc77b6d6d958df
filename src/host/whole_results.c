/* Results of all devices together: what a device has of a stored one, by the sharding of the result
 * of the module before it was partitioned. */
#include "host/whole_tiles.h"

/* Array `*left` of the shape, which is then UINT32_MAX; or NULL after counting those that it has.
 * Recursion is as deep as tuples nest. */
static const hlo_shape *array_of(const hlo_shape *shape, uint32_t *left) {
    if (hlo_shape_is_array(shape) && (*left)-- == 0) return shape;
    const hlo_shape *found = NULL;
    for (uint32_t i = 0; hlo_shape_is_tuple(shape) && i < shape->rank && !found; i++)
        found = array_of(shape->elements[i], left);
    return found;
}

/* In the shape that all devices together have, as far as it is known. */
static hlo_sharded_leaf find_result(const hlo_run *run, uint32_t number) {
    const hlo_shape *tile = run->outputs[number]->shape;
    if (run->whole_module) { /* made of the tiles of inputs: it has no result */
        const hlo_spmd_shardings *spmd = run->module->spmd;
        return hlo_sharded_leaf_of(run->module->entry->root, spmd ? spmd->result : NULL, number,
                                   tile);
    }
    const hlo_instr *root = run->whole->module->entry->root;
    const hlo_attr *attr = hlo_instr_attr(root, HLO_ATTR_SHARDING);
    uint32_t left = number;
    const hlo_shape *shape = array_of(root->shape, &left);
    return hlo_sharded_leaf_of(root, attr ? attr->u.sharding : NULL, number, shape ? shape : tile);
}

hlo_whole_result hlo_run_whole_result(hlo_arena *arena, const hlo_run *run, uint32_t number) {
    const char *why;
    const hlo_whole_result none = {0};
    const hlo_shape *tile = run->outputs[number]->shape;
    if (!run->whole || tile->dynamic) return none;
    hlo_sharded_leaf leaf = find_result(run, number);
    const hlo_tiling *t = hlo_sharded_tiling(arena, run, &leaf, &why);
    if (!t || t->only >= 0 || hlo_tiling_is_whole(t)) return none;
    bool is_joined = run->whole_module != NULL;
    const hlo_shape *shape =
        is_joined ? hlo_joined_shape(&run->whole_module->shapes, arena, tile, t) : leaf.shape;
    return shape && hlo_has_tiles(shape, t, tile) ? (hlo_whole_result){t, shape} : none;
}

hlo_status hlo_run_cut_result(const hlo_run *run, uint32_t device, uint32_t number,
                              const hlo_tiling *tiling, const hlo_value *stored, hlo_run_leaf *leaf,
                              hlo_diags *diags) {
    const hlo_value *own = hlo_run_of_device(run, device)->outputs[number];
    hlo_value *tile = hlo_value_new(own->shape);
    if (!tile) return hlo_run_no_memory(diags, "a stored result");
    int64_t bytes = hlo_shape_bytes(own->shape);
    if (bytes > 0) memcpy(tile->data, own->data, (size_t)bytes);
    hlo_arena arena;
    hlo_arena_init(&arena);
    hlo_cut_tile(&arena, tile, stored, tiling, hlo_run_partition_of(run, device));
    hlo_arena_free(&arena);
    hlo_run_put_input(leaf, tile, NULL);
    return HLO_OK;
}
