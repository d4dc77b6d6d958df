/* What this machine can do at most: bytes and operations of floats per second, measured on the
 * threads of a pool. */
#ifndef HLO_EVAL_RUN_ROOFLINE_H
#define HLO_EVAL_RUN_ROOFLINE_H

#include <stdint.h>

#include "eval/kernel/isa.h"

struct hlo_pool;

/* Arrays of how many bytes in all, and how many of these pass per second at most. */
typedef struct {
    const char *name;
    double bytes, per_second;
} hlo_bandwidth;

enum { HLO_BANDWIDTHS = 3 };

typedef struct {
    uint32_t threads;
    const char *isa;
    hlo_bandwidth memory[HLO_BANDWIDTHS]; /* by size: the last is beyond all caches */
    double flops;   /* f32 multiplications and additions per second, in registers */
    double seconds; /* that the measurement took */
} hlo_roofline;

/* `isa`: whose instructions compute. Without memory for it bandwidths are 0. */
hlo_roofline hlo_roofline_measure(struct hlo_pool *pool, hlo_isa isa);

/* The bandwidth for an instruction that touches so many bytes. */
const hlo_bandwidth *hlo_roofline_bandwidth(const hlo_roofline *roof, double bytes);
/* The least seconds for so many bytes and operations; 0 for none of either. */
double hlo_roofline_seconds(const hlo_roofline *roof, double bytes, double flops);

#endif
