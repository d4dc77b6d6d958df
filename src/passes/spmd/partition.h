/* spmd-partitioner: values as each device has them, and what rules for operations ask of them. New
 * instructions stand before the rewriter's target. Sizes and positions are in elements, costs in
 * bytes that one device sends. Shared by spmd_partitioner.c and the files partition_*.c. */
#ifndef HLO_PASSES_SPMD_PARTITION_H
#define HLO_PASSES_SPMD_PARTITION_H

#include "analysis/tiles.h"
#include "passes/pipeline/expression.h"

/* An array of which each device has a tile: `data` has the tile's shape, `shape` is that of the
 * whole. After the end of the whole, elements of tiles are unknown. */
typedef struct {
    hlo_instr *data;
    const hlo_shape *shape;
    const hlo_tiling *tiles;
} hlo_shard;

/* A value as its leaves: of tuples, arrays and tokens in order. */
typedef struct {
    const hlo_shape *shape;
    hlo_instr
        *whole; /* an instruction that makes just this; NULL: none, leaves have to be packed */
    uint32_t n;
    hlo_shard leaves[];
} hlo_shards;

/* Each tiling once. */
typedef HLO_LIST(const hlo_tiling *) hlo_kept_tilings;

typedef struct hlo_partition_job hlo_partition_job; /* partition_control.c */

/* A step to other tiles that was made: the next user of the same data takes its result. */
typedef struct hlo_made_step {
    struct hlo_made_step *next;
    hlo_instr *from, *to;
    const hlo_tiling *tiles; /* of `to` */
} hlo_made_step;

enum { HLO_MADE_STEP_LISTS = 1024 };

typedef struct {
    hlo_rewriter *r;
    hlo_diags *diags;
    hlo_arena arena;   /* of tilings, shards and jobs */
    hlo_arena scratch; /* of what one instruction needs */
    int64_t count;     /* partitions */
    int64_t replicas;
    int64_t channel;    /* the next one that is free */
    hlo_instr *id;      /* the partition-id of the current computation; NULL: not made yet */
    hlo_shards **known; /* by hlo_instr.index of the current computation; 0: new instructions */
    hlo_instr *at;      /* the current instruction */
    bool failed;        /* after an error */
    hlo_kept_tilings tilings;
    hlo_made_step *steps[HLO_MADE_STEP_LISTS]; /* by `from` */
    hlo_partition_job *jobs, *last_job, *unfinished;
} hlo_partitioner;

/* ---- values (partition_values.c) ---- */
/* An error at the current instruction: `why` ends the sentence. Always NULL. */
void *hlo_part_refuse(hlo_partitioner *p, const char *why);
/* The same tiling in `arena`, where each is once; NULL for NULL. */
const hlo_tiling *hlo_part_kept(hlo_partitioner *p, const hlo_tiling *tiling);
const hlo_tiling *hlo_part_whole_tiling(hlo_partitioner *p, uint32_t rank);
/* The shape of one tile, with the layout of the whole. */
const hlo_shape *hlo_part_shape(hlo_partitioner *p, const hlo_shape *whole,
                                const hlo_tiling *tiles);
/* Of the element type of a shape. */
hlo_instr *hlo_scalar_zero(hlo_partitioner *p, const hlo_shape *like);
hlo_shards *hlo_shards_new(hlo_partitioner *p, const hlo_shape *shape);
/* The value of an instruction whose leaves have these tiles. */
hlo_shards *hlo_shards_of(hlo_partitioner *p, hlo_instr *made, const hlo_shape *shape,
                          const hlo_tiling *const *tiles);
/* What is known of an operand. */
hlo_shards *hlo_part_operand(hlo_partitioner *p, const hlo_instr *instr, uint32_t i);
/* The one leaf of an operand that is no tuple. */
hlo_shard hlo_part_array(hlo_partitioner *p, const hlo_instr *instr, uint32_t i);
/* Tiles of each leaf of the instruction: those of its sharding; without one, those of an operand
 * that is manual, or none. NULL after an error. */
const hlo_tiling **hlo_part_wanted(hlo_partitioner *p, const hlo_instr *instr);
/* The shape of a value with these tiles. */
const hlo_shape *hlo_part_shape_of(hlo_partitioner *p, const hlo_shape *whole,
                                   const hlo_tiling *const *tiles);
/* The value with these tiles as one instruction. */
hlo_instr *hlo_shards_pack(hlo_partitioner *p, const hlo_shards *x, const hlo_tiling *const *tiles);
/* The first tiling of values separate on each device; NULL: there is none. */
const hlo_tiling *hlo_part_own_of(const hlo_tiling *const *tiles, const hlo_shape *shape);
/* Whole, but for the values separate on each device in `own`; NULL: nothing. */
const hlo_tiling **hlo_part_own_tiles(hlo_partitioner *p, const hlo_shape *shape,
                                      const hlo_tiling *own);
/* The operation on whole arrays, or on what is each device's own. */
hlo_shards *hlo_part_whole(hlo_partitioner *p, hlo_instr *instr);
/* Counts, for reports, that the operation is computed with whole dimensions though they have tiles.
 */
void hlo_part_count_whole(hlo_partitioner *p, const hlo_instr *instr);
/* All leaves with other tiles. */
hlo_shards *hlo_shards_as(hlo_partitioner *p, const hlo_shards *x, const hlo_tiling *const *tiles);
/* The element of a tuple. */
hlo_shards *hlo_shards_element(hlo_partitioner *p, const hlo_shards *tuple, uint32_t k);
/* Space for the tiles of each leaf, none. */
const hlo_tiling **hlo_part_whole_tiles(hlo_partitioner *p, const hlo_shape *shape);

/* ---- devices talk (partition_collectives.c) ---- */

/* The hlo_instr.index of collectives that these functions make; other new instructions have 0. */
enum { HLO_PART_COLLECTIVE = INT32_MAX };

/* s32[]: a number that each device has for itself, from a table of all devices' numbers. */
hlo_instr *hlo_part_number(hlo_partitioner *p, const int64_t *by_device);
bool hlo_all_equal(const int64_t *v, int64_t n);
/* Indices of an array of that rank: such a number along dimension d, and zeros. */
hlo_instr **hlo_part_indices(hlo_partitioner *p, uint32_t rank, uint32_t d,
                             const int64_t *by_device);
hlo_instr *hlo_part_all_gather(hlo_partitioner *p, hlo_instr *part, int64_t dimension,
                               const hlo_int_lists *groups);
hlo_instr *hlo_part_all_reduce(hlo_partitioner *p, hlo_instr *part, const hlo_int_lists *groups,
                               hlo_computation *reducer);
/* Piece i of the dimension goes to member i of the group. */
hlo_instr *hlo_part_all_to_all(hlo_partitioner *p, hlo_instr *part, int64_t dimension,
                               const hlo_int_lists *groups);
/* Device i gets what source[i] has; zeros where that is -1. */
hlo_instr *hlo_part_permute(hlo_partitioner *p, hlo_instr *part, const int64_t *source);
/* The sum over the groups; of pred, whether any is true. */
hlo_instr *hlo_part_sum(hlo_partitioner *p, hlo_instr *part, const hlo_int_lists *groups);

/* ---- other tiles (partition_reshard.c) ---- */
hlo_shard hlo_reshard(hlo_partitioner *p, hlo_shard x, const hlo_tiling *to);
/* What that costs. */
int64_t hlo_reshard_bytes(hlo_partitioner *p, const hlo_shape *shape, const hlo_tiling *from,
                          const hlo_tiling *to);

/* ---- edges of tiles (partition_edges.c) ---- */
/* s32[]: the position in the whole of the tile's first element. */
hlo_instr *hlo_shard_offset(hlo_partitioner *p, const hlo_shard *x, uint32_t dimension);
/* Whether tiles go beyond the end of the array along the dimension. */
bool hlo_shard_is_uneven(const hlo_shard *x, uint32_t dimension);
/* The tile with the scalar `fill` in place of what is beyond the end, along the chosen dimensions.
 */
hlo_instr *hlo_shard_masked(hlo_partitioner *p, const hlo_shard *x, const bool *chosen,
                            hlo_instr *fill);
/* Elements that each device needs of a tiled dimension: tile c those from first + c * step up to
 * `size` more, which may begin before the array and end after it: there is `fill` (NULL:
 * anything).
 */
typedef struct {
    uint32_t dimension;
    int64_t first, step, size;
    hlo_instr *fill;
} hlo_reach;
hlo_instr *hlo_shard_reach(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach);
/* The same without `fill`, in pieces (partition_pieces.c), and how many elements along the
 * dimension a device sends then. */
hlo_instr *hlo_shard_pieces(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach);
int64_t hlo_pieces_size(hlo_partitioner *p, const hlo_shard *x, const hlo_reach *reach);

/* ---- rules (partition_factors.c, partition_choice.c) ---- */
/* An operation as a nest of loops. Each factor is a loop that may be spread over devices; a
 * dimension of an operand or a result is one of them, or -1: all of it is needed at once. */
typedef struct {
    uint32_t count;     /* factors; space for HLO_MOST_FACTORS */
    int32_t **operands; /* by operand, then by dimension */
    int32_t **results;  /* by leaf of the result, then by dimension */
    bool *is_summed;    /* by factor: results of devices have to be combined */
    int64_t *divides;   /* by factor: tiles must divide this; 0: any number */
} hlo_factors;

/* An operation for which tiles have been chosen, and its operands have them. */
typedef struct {
    hlo_instr *instr;
    const hlo_factors *factors;
    const hlo_tiling *tiles; /* over factors */
    hlo_shard *operands;
    hlo_instr **data;           /* of the operands: what the operation gets */
    const hlo_tiling **results; /* of each leaf */
    const hlo_shape *shape;     /* of the result on one device */
} hlo_placed;

typedef void hlo_describe_rule(hlo_partitioner *p, const hlo_instr *instr, hlo_factors *f);
/* Makes the operation on tiles. */
typedef hlo_instr *hlo_make_rule(hlo_partitioner *p, const hlo_placed *s);
/* Combines what devices of each group made. */
typedef hlo_instr *hlo_combine_rule(hlo_partitioner *p, const hlo_placed *s, hlo_instr *made,
                                    const hlo_int_lists *groups);

typedef struct {
    hlo_describe_rule *describe;
    hlo_make_rule *make;       /* NULL: the same operation on tiles */
    hlo_combine_rule *combine; /* NULL: the sum */
} hlo_partition_rule;

/* Chooses tiles, makes the operation and gives the result the wanted tiles; NULL after an error. */
hlo_shards *hlo_part_by_factors(hlo_partitioner *p, hlo_instr *instr,
                                const hlo_partition_rule *rule);
/* Tiles over the factors; counts operations that get all of a dimension that has tiles. */
const hlo_tiling *hlo_choose_tiles(hlo_partitioner *p, const hlo_instr *instr, const hlo_factors *f,
                                   const hlo_tiling *const *wanted);
/* Devices with these tiles have parts of results that are to be combined. */
bool hlo_factors_sum(const hlo_factors *f, const hlo_tiling *t);
bool hlo_placed_sums(const hlo_placed *s);
/* The next factor. */
int32_t hlo_factor_new(hlo_factors *f, bool is_summed, int64_t divides);
/* A new factor of a dimension of an operand and one of a result. */
void hlo_factor_join(hlo_factors *f, uint32_t operand, int64_t dimension, int64_t result_dimension);
/* A new factor for dimension d of every result and every operand of that rank. */
void hlo_factor_everywhere(const hlo_instr *instr, hlo_factors *f, uint32_t d);
int64_t hlo_factor_tiles(const hlo_placed *s, int32_t factor);
hlo_instr *hlo_part_make_same(hlo_partitioner *p, const hlo_placed *s);
/* The groups of devices that share the work of the summed factors. */
const hlo_int_lists *hlo_placed_groups(hlo_partitioner *p, const hlo_placed *s);
/* The operand's tile with the scalar `fill` (NULL: zero) after the end, along summed factors. */
void hlo_placed_mask(hlo_partitioner *p, const hlo_placed *s, uint32_t operand, hlo_instr *fill);
/* 0 on the first device of each such group. */
hlo_instr *hlo_placed_member(hlo_partitioner *p, const hlo_placed *s);
/* The operation by which a computation reduces operand i of n, of the type, when its neutral
 * element is known; otherwise HLO_OP_COUNT. */
hlo_opcode hlo_known_reduction(const hlo_computation *reducer, uint32_t i, uint32_t n,
                               hlo_type type);

/* The value of an instruction that is no parameter; NULL after an error. */
hlo_shards *hlo_part_instr(hlo_partitioner *p, hlo_instr *instr);
/* Rules of partition_rules.c's table. */
extern const hlo_partition_rule hlo_part_batch_norm, hlo_part_batched, hlo_part_batched_call,
    hlo_part_bitcast_convert, hlo_part_broadcast, hlo_part_collective, hlo_part_concatenate,
    hlo_part_convolution, hlo_part_dot, hlo_part_dynamic_slice, hlo_part_dynamic_update_slice,
    hlo_part_elementwise, hlo_part_gather, hlo_part_iota, hlo_part_pad, hlo_part_reduce,
    hlo_part_reduce_window, hlo_part_reverse, hlo_part_rng, hlo_part_scatter,
    hlo_part_select_and_scatter, hlo_part_slice, hlo_part_sort, hlo_part_transpose;

/* ---- control flow (partition_control.c) ---- */
hlo_shards *hlo_part_control(hlo_partitioner *p, hlo_instr *instr);
/* A reshape (partition_reshape.c). */
hlo_shards *hlo_part_reshaped(hlo_partitioner *p, hlo_instr *instr);
/* Custom calls (partition_custom_call.c). */
hlo_shards *hlo_part_custom_call(hlo_partitioner *p, hlo_instr *instr);
/* Infeed and outfeed (partition_host.c). */
hlo_shards *hlo_part_infeed(hlo_partitioner *p, hlo_instr *instr);
hlo_shards *hlo_part_outfeed(hlo_partitioner *p, hlo_instr *instr);
/* Whether a collective has one array, and works between replicas or on values separate on each
 * device (partition_manual.c). */
bool hlo_part_is_collective(const hlo_instr *instr);

#endif
