/* Attributes of Shardy (`#sdy.sharding<@mesh, [{"x"}, {}]>` and others), which JAX writes as
 * frontend attributes, as data. */
#ifndef HLO_IR_SHARDY_TEXT_H
#define HLO_IR_SHARDY_TEXT_H

#include "base/list.h"
#include "ir/ir.h"

typedef struct {
    hlo_str name;
    const hlo_mesh *mesh;
} hlo_shardy_mesh;
typedef HLO_LIST(hlo_shardy_mesh) hlo_shardy_meshes;

/* How one value is divided. Its dimensions may end with '?'; priorities are dropped. */
typedef struct {
    const hlo_mesh *mesh;
    uint32_t rank;
    const hlo_dim_sharding *dims;
    hlo_axis_list replicated, unreduced;
    int64_t reduction; /* a word of REDUCTION */
} hlo_shardy_sharding;
typedef HLO_LIST(hlo_shardy_sharding) hlo_shardy_shardings;

/* Each reads a whole text; false, with *why set to what is wrong, when it has another form. Lists
 * and messages are in the arena, names point into the text. */
/* `{NAME = #sdy.mesh<["x"=2, "y"=4]>, ...}` */
bool hlo_shardy_read_meshes(hlo_arena *arena, hlo_str text, hlo_shardy_meshes *out,
                            const char **why);
/* `#sdy.sharding<...>`, of one value, or `#sdy.sharding_per_value<[<...>, ...]>` */
bool hlo_shardy_read_shardings(hlo_arena *arena, const hlo_shardy_meshes *meshes, hlo_str text,
                               hlo_shardy_shardings *out, const char **why);
/* `#sdy<manual_axes{"x", ...}>` */
bool hlo_shardy_read_axes(hlo_arena *arena, hlo_str text, hlo_axis_list *out, const char **why);

/* The same in terms of HLO, in a computation in which the `manual` axes are: there dimensions
 * cannot name these. NULL with *why set when HLO cannot express it. */
const hlo_sharding *hlo_shardy_as_tiles(hlo_arena *arena, const hlo_shardy_sharding *sharding,
                                        hlo_axis_list manual, const char **why);
/* Without references to those axes. */
hlo_shardy_sharding hlo_shardy_without(hlo_arena *arena, const hlo_shardy_sharding *sharding,
                                       hlo_axis_list axes);
bool hlo_shardy_has_axis(hlo_axis_list axes, hlo_str name);

#endif
