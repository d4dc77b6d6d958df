/* What the files of shardy-xla share: the state of the pass, regions, shardings as Shardy states
 * them, and what instructions become. Private to shardy_*.c. */
#ifndef HLO_PASSES_SPMD_SHARDY_IMPORT_H
#define HLO_PASSES_SPMD_SHARDY_IMPORT_H

#include "ir/shardy_text.h"
#include "passes/pipeline/inline.h"
#include "passes/spmd/sharding_rules.h"

/* A region in which devices have separate values along some axes of a mesh; NULL: outside. */
typedef struct {
    const hlo_mesh *mesh;
    hlo_axis_list axes; /* of the regions around it, then its own */
} hlo_manual_region;

/* A computation and the region in which it is called. */
typedef struct {
    bool is_entered;
    const hlo_manual_region *region;
    hlo_computation *copy; /* the same for callers in another region; or NULL */
} hlo_entered;

typedef struct {
    hlo_rewriter *r;
    hlo_diags *diags;
    hlo_module *module;
    hlo_arena arena; /* of what is read */
    hlo_shardy_meshes meshes;
    HLO_LIST(hlo_entered) entered;            /* by id of a computation */
    HLO_LIST(hlo_computation *) computations; /* in the order in which they were entered */
    hlo_instr_list order;                     /* of the current computation, as it was before */
    hlo_instr_list partly_manual;             /* calls of regions in which some axes are manual */
} hlo_shardy_import;

/* An error at the instruction (NULL: of the header) about an attribute; always false. */
bool hlo_shardy_refuse(hlo_shardy_import *s, const hlo_instr *at, const char *key, const char *why);

/* ---- regions (shardy_regions.c) ---- */

bool hlo_region_equal(const hlo_manual_region *a, const hlo_manual_region *b);
/* All axes of the mesh are manual: each device works for itself. */
bool hlo_region_covers_mesh(const hlo_manual_region *region);
hlo_axis_list hlo_region_axes(const hlo_manual_region *region);
const hlo_manual_region *hlo_region_of(const hlo_shardy_import *s, const hlo_computation *c);
/* The region inside a conversion to or from one, which names its axes and, where it has shardings,
 * their mesh; NULL after an error. */
const hlo_manual_region *hlo_region_inside(hlo_shardy_import *s, const hlo_instr *conversion,
                                           const hlo_shardy_shardings *shardings);
/* A conversion of nothing but empty tuples, which states nothing of a region. */
bool hlo_shardy_converts_nothing(const hlo_instr *conversion);
/* xla.sdy.GlobalToLocalShape (`to_local`) and xla.sdy.LocalToGlobalShape become, for each value, a
 * Sharding and a change between automatic and manual sharding. False after an error. */
bool hlo_shardy_convert(hlo_shardy_import *s, hlo_instr *call, bool to_local);

/* ---- shardings (shardy_values.c); false or NULL after an error ---- */

/* What the instruction's frontend attribute states. */
bool hlo_shardy_read(hlo_shardy_import *s, const hlo_instr *instr, const char *key,
                     hlo_shardy_shardings *out);
/* Of an array of that shape, in the module's arena. */
const hlo_sharding *hlo_shardy_tiles(hlo_shardy_import *s, const hlo_instr *at,
                                     const hlo_shape *shape, const hlo_shardy_sharding *sharding,
                                     const hlo_manual_region *region);
/* A custom call of one operand on behalf of `of`. */
hlo_instr *hlo_shardy_emit(hlo_shardy_import *s, const hlo_instr *of, const char *target,
                           hlo_instr *operand, const hlo_shape *shape, const hlo_sharding *sharding,
                           const hlo_attr *config);
/* The value with a sharding that Shardy states. When sums over devices are added up is left to the
 * partitioner: axes along which they are not yet (unreduced) count as replicated. */
hlo_instr *hlo_shardy_annotate(hlo_shardy_import *s, const hlo_instr *of, hlo_instr *operand,
                               const hlo_shape *shape, const hlo_shardy_sharding *sharding,
                               const hlo_manual_region *region);
/* The instruction is removed; its uses become those of another value. */
void hlo_shardy_replace(hlo_instr *old, hlo_instr *by);
/* All that a region without other axes computes: each device has it for itself. */
void hlo_shardy_set_manual(hlo_shardy_import *s, hlo_instr *instr);
/* A custom call that does nothing but state the sharding of its operand. */
bool hlo_shardy_restate(hlo_shardy_import *s, hlo_instr *call);
/* An instruction has what is stated of each leaf of its value. */
bool hlo_shardy_set_stated(hlo_shardy_import *s, hlo_instr *instr,
                           const hlo_shardy_shardings *shardings);
/* The same by its attribute, of instructions whose attribute states their sharding. */
bool hlo_shardy_state_own(hlo_shardy_import *s, hlo_instr *instr);
/* All values that name the same group have the same sharding. */
bool hlo_shardy_join_group(hlo_shardy_import *s, hlo_instr *call);
bool hlo_shardy_set_barrier(hlo_shardy_import *s, hlo_instr *call);

#endif
