/* Numbers that differ between devices: see device_number.h. */
#include "analysis/device_number.h"

#include "analysis/match.h"
#include "analysis/range.h"

enum { MOST_STEPS = 64 };

/* ---- which instructions ---- */

static bool is_number(const hlo_instr *instr) {
    return hlo_is_effective_scalar(instr->shape) && !instr->shape->dynamic &&
           (hlo_is_integral(instr) || instr->shape->type == HLO_PRED);
}

/* One element of an array of constants, or of 0, 1, 2 ... */
static bool is_lookup(const hlo_instr *instr) {
    const hlo_instr *table = hlo_operand(instr, 0);
    return instr->opcode == HLO_OP_DYNAMIC_SLICE && table->shape->rank == 1 &&
           (table->opcode == HLO_OP_IOTA || hlo_constant_of(table));
}

static bool is_step(const hlo_instr *instr) {
    switch (instr->opcode) {
    case HLO_OP_CONSTANT:
    case HLO_OP_REPLICA_ID:
    case HLO_OP_PARTITION_ID:
    case HLO_OP_RESHAPE:
    case HLO_OP_BITCAST:
    case HLO_OP_COPY:
    case HLO_OP_CONVERT:
    case HLO_OP_BROADCAST:
    case HLO_OP_ADD:
    case HLO_OP_SUBTRACT:
    case HLO_OP_MULTIPLY:
    case HLO_OP_DIVIDE:
    case HLO_OP_REMAINDER:
    case HLO_OP_MINIMUM:
    case HLO_OP_MAXIMUM:
    case HLO_OP_CLAMP:
    case HLO_OP_AND:
    case HLO_OP_COMPARE:
    case HLO_OP_SELECT: return true;
    case HLO_OP_DYNAMIC_SLICE: return is_lookup(instr);
    default: return false;
    }
}

static uint32_t first_number(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_DYNAMIC_SLICE ? 1 : 0;
}

/* Appends the instruction after its operands; `depth` of them wait for that. */
static bool add(hlo_device_number *n, hlo_instr *instr, unsigned depth) {
    if (instr->index < n->steps.n && n->steps.v[instr->index] == instr) return true;
    if (n->steps.n + depth >= MOST_STEPS || !is_number(instr) || !is_step(instr)) return false;
    for (uint32_t i = first_number(instr); i < instr->operand_count; i++)
        if (!add(n, hlo_operand(instr, i), depth + 1)) return false;
    instr->index = (uint32_t)n->steps.n;
    hlo_list_push(&n->steps, instr);
    hlo_list_push(&n->values, 0);
    return true;
}

bool hlo_device_number_init(hlo_device_number *n, hlo_instr *instr) {
    *n = (hlo_device_number){0};
    return add(n, instr, 0);
}

void hlo_device_number_free(hlo_device_number *n) {
    hlo_list_free(&n->steps);
    hlo_list_free(&n->values);
}

/* ---- what they are ---- */

static bool look_up(const hlo_instr *instr, int64_t at, int64_t *out) {
    const hlo_instr *table = hlo_operand(instr, 0);
    int64_t last = table->shape->dims[0] - 1;
    at = at < 0 ? 0 : at > last ? last : at;
    *out = at;
    return table->opcode == HLO_OP_IOTA || hlo_integer_at(hlo_constant_of(table), at, out);
}

static bool compute_binary(hlo_opcode opcode, int64_t a, int64_t b, int64_t *out) {
    switch (opcode) {
    case HLO_OP_ADD: return !__builtin_add_overflow(a, b, out);
    case HLO_OP_SUBTRACT: return !__builtin_sub_overflow(a, b, out);
    case HLO_OP_MULTIPLY: return !__builtin_mul_overflow(a, b, out);
    case HLO_OP_MINIMUM: *out = a < b ? a : b; return true;
    case HLO_OP_MAXIMUM: *out = a > b ? a : b; return true;
    case HLO_OP_AND: *out = a & b; return true;
    default: break;
    }
    if (a < 0 || b <= 0) return false; /* by separate rules */
    *out = opcode == HLO_OP_DIVIDE ? a / b : a % b;
    return true;
}

enum { EQ, NE, GE, GT, LE, LT }; /* as in words.def */

static bool compare(const hlo_instr *instr, int64_t a, int64_t b, int64_t *out) {
    switch (hlo_attr_int(instr, HLO_ATTR_DIRECTION)) {
    case EQ: *out = a == b; return true;
    case NE: *out = a != b; return true;
    case LT: *out = a < b; return true;
    case LE: *out = a <= b; return true;
    case GT: *out = a > b; return true;
    case GE: *out = a >= b; return true;
    default: return false;
    }
}

static bool compute(const hlo_instr *instr, const int64_t *in, int64_t replica, int64_t partition,
                    int64_t *out) {
    switch (instr->opcode) {
    case HLO_OP_CONSTANT: return hlo_integer_of(instr, out);
    case HLO_OP_REPLICA_ID: *out = replica; return true;
    case HLO_OP_PARTITION_ID: *out = partition; return true;
    case HLO_OP_RESHAPE:
    case HLO_OP_BITCAST:
    case HLO_OP_COPY:
    case HLO_OP_CONVERT:
    case HLO_OP_BROADCAST: *out = in[0]; return true;
    case HLO_OP_DYNAMIC_SLICE: return look_up(instr, in[0], out);
    case HLO_OP_COMPARE: return compare(instr, in[0], in[1], out);
    case HLO_OP_SELECT: *out = in[0] ? in[1] : in[2]; return true;
    case HLO_OP_CLAMP:
        *out = in[1] > in[0] ? in[1] : in[0];
        if (*out > in[2]) *out = in[2];
        return true;
    default: return compute_binary((hlo_opcode)instr->opcode, in[0], in[1], out);
    }
}

/* u64 has numbers that int64_t has not. */
static bool fits_type(const hlo_instr *instr, int64_t value) {
    hlo_range whole;
    if (!hlo_range_of_type((hlo_type)instr->shape->type, &whole)) return value >= 0;
    return value >= whole.least && value <= whole.most;
}

bool hlo_device_number_at(hlo_device_number *n, int64_t replica, int64_t partition,
                          int64_t *value) {
    for (size_t k = 0; k < n->steps.n; k++) {
        const hlo_instr *instr = n->steps.v[k];
        HLO_ASSERT(instr->index == k);
        int64_t in[3] = {0};
        uint32_t first = first_number(instr);
        for (uint32_t i = first; i < instr->operand_count && i - first < 3; i++)
            in[i - first] = n->values.v[hlo_operand(instr, i)->index];
        if (!compute(instr, in, replica, partition, &n->values.v[k]) ||
            !fits_type(instr, n->values.v[k]))
            return false;
    }
    *value = n->values.v[n->steps.n - 1];
    return true;
}
