/* Which slices are a device's own part: see own_part.h. */
#include "passes/collectives/own_part.h"

#include "analysis/device_number.h"
#include "analysis/match.h"

static hlo_instr *only_user(const hlo_instr *instr) {
    return hlo_has_one_user(instr) ? instr->first_use->user : NULL;
}

/* The one dimension that the slice cuts; false when it cuts none, or several. */
static bool find_dimension(hlo_own_part *part) {
    const hlo_shape *from = hlo_operand(part->slice, 0)->shape, *to = part->slice->shape;
    uint32_t cut = 0;
    for (uint32_t d = 0; d < from->rank; d++) {
        if (from->dims[d] == to->dims[d]) continue;
        part->dimension = d;
        part->size = to->dims[d];
        cut++;
    }
    return cut == 1 && part->size > 0 && from->dims[part->dimension] / part->size == part->members;
}

static bool find_slice(const hlo_rewriter *r, hlo_own_part *part) {
    hlo_instr *user = only_user(part->whole);
    if (user && user->opcode == HLO_OP_RESHAPE && !hlo_is_tied(r, user)) {
        part->reshape = user;
        user = only_user(user);
    }
    part->slice = user;
    return user && user->opcode == HLO_OP_DYNAMIC_SLICE && !hlo_is_tied(r, user) &&
           hlo_operand(user, 0) == (part->reshape ? part->reshape : part->whole) &&
           find_dimension(part);
}

/* On each device of a group the slice starts where the part of its place does. */
static bool starts_fit(const hlo_rewriter *r, const hlo_own_part *part, hlo_device_number *start,
                       const hlo_ints *devices) {
    int64_t partitions = hlo_module_int(r->module, HLO_ATTR_NUM_PARTITIONS), at;
    for (uint32_t i = 0; i < devices->n; i++) {
        int64_t device = devices->v[i];
        if (!hlo_device_number_at(start, device / partitions, device % partitions, &at) ||
            at != i * part->size)
            return false;
    }
    return true;
}

static bool takes_own_part(const hlo_rewriter *r, const hlo_own_part *part) {
    hlo_instr *offset = hlo_operand(part->slice, (uint32_t)part->dimension + 1);
    hlo_device_number start;
    hlo_arena scratch;
    bool fits = hlo_device_number_init(&start, offset);
    hlo_arena_init(&scratch);
    const hlo_int_lists *groups = fits ? hlo_listed_devices(&scratch, part->whole) : NULL;
    for (uint32_t g = 0; groups && fits && g < groups->n; g++)
        fits = starts_fit(r, part, &start, groups->v[g]);
    hlo_device_number_free(&start);
    hlo_arena_free(&scratch);
    return fits && groups;
}

bool hlo_is_own_part(const hlo_rewriter *r, hlo_instr *collective, hlo_own_part *part) {
    *part = (hlo_own_part){.whole = collective, .members = hlo_participant_count(collective)};
    return part->members > 1 && collective->operand_count == 1 &&
           hlo_shape_is_array(collective->shape) && !collective->shape->dynamic &&
           !hlo_operand(collective, 0)->shape->dynamic &&
           !hlo_attr_int(collective, HLO_ATTR_CONSTRAIN_LAYOUT) && !hlo_is_tied(r, collective) &&
           find_slice(r, part) && takes_own_part(r, part);
}
