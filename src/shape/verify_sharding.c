/* Shardings against the shapes they are on, and original values against their tuple structure. */
#include <stdlib.h>

#include "shape/verifier.h"

static bool fail_devices(hlo_verifier *v, const hlo_instr *instr, const char *message,
                         int64_t device) {
    hlo_verify_fail(v, HLO_RULE_SHARDING_DEVICES, instr, message, (long long)device);
    return hlo_verify_at_attr(v, instr, HLO_ATTR_SHARDING);
}

/* `why` may have the place of a number. */
static bool fail_shape(hlo_verifier *v, const hlo_instr *instr, const hlo_shape *shape,
                       const char *why, uint32_t number) {
    char text[80];
    snprintf(text, sizeof text, why, number);
    hlo_verify_fail(v, HLO_RULE_SHARDING_SHAPE, instr, "the sharding of %s %s",
                    hlo_verify_text(v, shape), text);
    return hlo_verify_at_attr(v, instr, HLO_ATTR_SHARDING);
}

/* `count` is that of the module's partitions, or 0 where it is not known. */
static bool check_device(hlo_verifier *v, const hlo_instr *instr, int64_t device, int64_t count) {
    if (device < 0)
        return fail_devices(v, instr, "device %lld of the sharding is negative", device);
    if (count && device >= count)
        return fail_devices(v, instr,
                            "device %lld of the sharding does not exist: num_partitions is smaller",
                            device);
    return true;
}

static bool check_list(hlo_verifier *v, const hlo_instr *instr, const hlo_ints *devices,
                       int64_t count) {
    for (uint32_t i = 0; i < devices->n; i++)
        if (!check_device(v, instr, devices->v[i], count)) return false;
    int64_t *sorted = hlo_malloc(devices->n * sizeof *sorted);
    memcpy(sorted, devices->v, devices->n * sizeof *sorted);
    qsort(sorted, devices->n, sizeof *sorted, hlo_by_number);
    bool good = true;
    for (uint32_t i = 1; good && i < devices->n; i++)
        if (sorted[i] == sorted[i - 1])
            good = fail_devices(v, instr, "device %lld occurs twice in the sharding", sorted[i]);
    hlo_free(sorted);
    if (good && count && devices->n != count)
        return fail_devices(v, instr, "the sharding does not cover all of the %lld partitions",
                            count);
    return good;
}

static int64_t product(const hlo_ints *dims) {
    int64_t n = 1;
    for (uint32_t i = 0; i < dims->n; i++)
        if (__builtin_mul_overflow(n, dims->v[i], &n)) return INT64_MAX;
    return n;
}

static bool check_tiled(hlo_verifier *v, const hlo_instr *instr, const hlo_sharding *sharding,
                        const hlo_shape *shape, int64_t count) {
    uint32_t groups = sharding->last_kind_count + sharding->replicate_last;
    if (sharding->tile_dims->n - groups != shape->rank)
        return fail_shape(v, instr, shape, "has tiles of rank %u", sharding->tile_dims->n - groups);
    if (!sharding->iota)
        return !sharding->devices || check_list(v, instr, sharding->devices, count);
    if (!count || product(sharding->iota->dims) == count) return true;
    return fail_devices(v, instr, "the sharding does not cover all of the %lld partitions", count);
}

static bool check_named(hlo_verifier *v, const hlo_instr *instr, const hlo_sharding *sharding,
                        const hlo_shape *shape, int64_t count) {
    if (sharding->named_word) return true;
    if (sharding->mesh->maximal) return check_device(v, instr, sharding->mesh->device_id, count);
    if (sharding->dim_count != shape->rank)
        return fail_shape(v, instr, shape, "is of rank %u", sharding->dim_count);
    int64_t devices = 1;
    for (uint32_t i = 0; i < sharding->mesh->n; i++)
        if (__builtin_mul_overflow(devices, sharding->mesh->axes[i].size, &devices))
            devices = INT64_MAX;
    if (!count || devices == count) return true;
    return fail_devices(
        v, instr, "the mesh of the sharding does not have %lld devices, one per partition", count);
}

static bool check_leaf(hlo_verifier *v, const hlo_instr *instr, const hlo_sharding *sharding,
                       const hlo_shape *shape, int64_t count) {
    switch (sharding->kind) {
    case HLO_SHARDING_MAXIMAL: return check_device(v, instr, sharding->device, count);
    case HLO_SHARDING_TILED: return check_tiled(v, instr, sharding, shape, count);
    case HLO_SHARDING_NAMED: return check_named(v, instr, sharding, shape, count);
    default: return true;
    }
}

/* Leaves of the tuple tree take the shardings in order. */
static bool check_leaves(hlo_verifier *v, const hlo_instr *instr, const hlo_sharding *sharding,
                         const hlo_shape *shape, int64_t count, uint32_t *next) {
    if (!hlo_shape_is_tuple(shape)) {
        const hlo_sharding *leaf = sharding->elements[(*next)++];
        return check_leaf(v, instr, leaf, shape, count);
    }
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!check_leaves(v, instr, sharding, shape->elements[i], count, next)) return false;
    return true;
}

static uint32_t tuple_leaves(const hlo_shape *shape) {
    if (!hlo_shape_is_tuple(shape)) return 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < shape->rank; i++) n += tuple_leaves(shape->elements[i]);
    return n;
}

static bool check_sharding(hlo_verifier *v, const hlo_instr *instr, const hlo_sharding *sharding) {
    const hlo_shape *shape = instr->shape;
    int64_t count = hlo_module_int(v->module, HLO_ATTR_NUM_PARTITIONS);
    if (count <= 1 || !v->options->sharding_devices) count = 0;
    if (shape->type == HLO_TOKEN) return true;
    bool is_tuple = hlo_shape_is_tuple(shape);
    if (is_tuple != (sharding->kind == HLO_SHARDING_TUPLE))
        return fail_shape(v, instr, shape,
                          is_tuple ? "is not a tuple sharding" : "is a tuple sharding", 0);
    if (!is_tuple) return check_leaf(v, instr, sharding, shape, count);
    uint32_t leaves = tuple_leaves(shape), next = 0;
    if (leaves == 0 && sharding->n <= 1) return true;
    if (leaves != sharding->n)
        return fail_shape(v, instr, shape, "has %u, another number of elements than the tuple",
                          sharding->n);
    return check_leaves(v, instr, sharding, shape, count, &next);
}

/* ---- original values ---- */

static bool fits(const hlo_origin *origin, const hlo_shape *shape) {
    bool is_leaf = !hlo_shape_is_tuple(shape) || shape->rank == 0;
    if (is_leaf && origin->form != HLO_ORIGIN_TUPLE) return true;
    if (!hlo_shape_is_tuple(shape)) return false;
    if (origin->form != HLO_ORIGIN_TUPLE || origin->n != shape->rank) return false;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!fits(origin->elements[i], shape->elements[i])) return false;
    return true;
}

static bool check_origin(hlo_verifier *v, const hlo_instr *instr, const hlo_origin *origin) {
    if (origin->form == HLO_ORIGIN_SYNTHETIC || fits(origin, instr->shape)) return true;
    hlo_verify_fail(v, HLO_RULE_ORIGIN_SHAPE, instr,
                    "origin has a different tuple structure than %s",
                    hlo_verify_text(v, instr->shape));
    return hlo_verify_at_attr(v, instr, HLO_ATTR_ORIGIN);
}

bool hlo_verify_sharding(hlo_verifier *v, const hlo_instr *instr) {
    const hlo_attr *sharding = hlo_instr_attr(instr, HLO_ATTR_SHARDING);
    const hlo_attr *origin = hlo_instr_attr(instr, HLO_ATTR_ORIGIN);
    if (sharding && !check_sharding(v, instr, sharding->u.sharding)) return false;
    return !origin || check_origin(v, instr, origin->u.origin);
}
