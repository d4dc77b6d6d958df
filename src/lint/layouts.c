/* Lint: layouts that disagree, so that data is copied only to lie differently. */
#include "lint/linter.h"

/* The order of the dimensions that matter for where elements lie: those of one element do not. */
static uint32_t physical_order(const hlo_shape *s, int64_t *order) {
    uint32_t n = 0;
    for (uint32_t i = s->rank; i-- > 0;)
        if (s->dims[s->layout->minor_to_major[i]] != 1) order[n++] = s->layout->minor_to_major[i];
    return n;
}

static bool same_order(hlo_linter *l, const hlo_shape *a, const hlo_shape *b) {
    if (a->layout == b->layout || (a->plain_layout && b->plain_layout)) return true;
    int64_t *x = HLO_NEW_ARRAY(&l->scratch, int64_t, a->rank),
            *y = HLO_NEW_ARRAY(&l->scratch, int64_t, b->rank);
    uint32_t n = physical_order(a, x), m = physical_order(b, y);
    return n == m && (n == 0 || memcmp(x, y, n * sizeof *x) == 0);
}

/* Made where they are needed, in any order. */
static bool has_any_layout(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_BROADCAST || instr->opcode == HLO_OP_CONSTANT ||
           instr->opcode == HLO_OP_IOTA;
}

/* Elementwise operations read operands in the order in which they write. */
static void check_elementwise(hlo_linter *l, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        const hlo_shape *operand = hlo_operand(instr, i)->shape;
        if (!hlo_shape_is_array(operand) || operand->rank != instr->shape->rank) continue;
        if (has_any_layout(hlo_operand(instr, i)) || same_order(l, operand, instr->shape)) continue;
        if (hlo_lint_report(l, HLO_RULE_LAYOUT_COPY, instr,
                            "operand %u is laid out in another order than the result", i))
            hlo_lint_note(l, hlo_operand(instr, i)->at, "the operand");
        return;
    }
}

/* ---- reshapes ---- */

/* A dimension's place in the physical order, major first, those of size 1 left out: -1 for them. */
static int64_t *places(hlo_linter *l, const hlo_shape *s) {
    int64_t *at = HLO_NEW_ARRAY(&l->scratch, int64_t, s->rank + 1);
    int64_t *order = HLO_NEW_ARRAY(&l->scratch, int64_t, s->rank + 1);
    uint32_t n = physical_order(s, order);
    for (uint32_t d = 0; d < s->rank; d++) at[d] = -1;
    for (uint32_t i = 0; i < n; i++) at[order[i]] = i;
    return at;
}

/* The dimensions from *d on that multiply to `whole`, which must lie one after the other; *first
 * is the place of the first one. */
typedef struct {
    const hlo_shape *shape;
    const int64_t *at;
    uint32_t d;
    int64_t size, first, last; /* of the group so far; places */
    bool together;
} dim_group;

static void take_dimension(dim_group *g) {
    int64_t place = g->at[g->d];
    g->size *= g->shape->dims[g->d++];
    if (place < 0) return;
    if (g->first < 0) g->first = place;
    else g->together &= place == g->last + 1;
    g->last = place;
}

static void start_group(dim_group *g) {
    g->size = 1;
    g->first = g->last = -1;
}

/* The elements lie in the same order before and after: dimensions fall into groups of equal size on
 * both sides; inside a group they lie in row-major order, and the groups lie in the same order. */
static bool is_bitcast(hlo_linter *l, const hlo_shape *from, const hlo_shape *to) {
    dim_group a = {.shape = from, .at = places(l, from), .together = true};
    dim_group b = {.shape = to, .at = places(l, to), .together = true};
    int64_t *start = HLO_NEW_ARRAY(&l->scratch, int64_t, from->rank + 1);
    int64_t *end = HLO_NEW_ARRAY(&l->scratch, int64_t, to->rank + 1);
    for (uint32_t i = 0; i <= from->rank; i++) start[i] = -1;
    for (uint32_t i = 0; i <= to->rank; i++) end[i] = -1;
    int64_t groups = 0;
    while (a.d < from->rank || b.d < to->rank) {
        start_group(&a);
        start_group(&b);
        do {
            if (b.d >= to->rank || (a.d < from->rank && a.size <= b.size)) take_dimension(&a);
            else take_dimension(&b);
        } while (a.size != b.size && (a.d < from->rank || b.d < to->rank));
        if (a.size != b.size) return false;
        if (a.first >= 0) start[a.first] = groups;
        if (b.first >= 0) end[b.first] = groups;
        groups++;
    }
    if (!a.together || !b.together) return false;
    for (uint32_t i = 0, j = 0;; i++, j++) { /* the groups as they lie */
        while (i < from->rank && start[i] < 0) i++;
        while (j < to->rank && end[j] < 0) j++;
        bool more = i < from->rank;
        if (more != (j < to->rank) || (more && start[i] != end[j])) return false;
        if (!more) return true;
    }
}

static void check_reshape(hlo_linter *l, const hlo_instr *instr) {
    const hlo_shape *from = hlo_operand(instr, 0)->shape, *to = instr->shape;
    if (from->plain_layout && to->plain_layout) return;
    if (from->dynamic || to->dynamic || hlo_shape_elements(to) <= 1 || is_bitcast(l, from, to))
        return;
    hlo_lint_report(l, HLO_RULE_LAYOUT_COPY, instr, "with these layouts it is a copy");
}

/* ---- copies and the entry ---- */

static void check_copy(hlo_linter *l, const hlo_instr *instr) {
    const hlo_instr *from = hlo_operand(instr, 0);
    if (!hlo_shape_is_array(instr->shape) || same_order(l, from->shape, instr->shape)) return;
    if (hlo_lint_report(l, HLO_RULE_LAYOUT_COPY, instr, "it only changes the layout"))
        hlo_lint_note(l, from->at,
                      "with the other layout in the producer, the copy is unnecessary");
}

static void check_interface(hlo_linter *l, const hlo_instr *instr, const hlo_shape *outside,
                            const char *what) {
    if (!hlo_shape_is_array(outside) || !hlo_shape_is_array(instr->shape)) return;
    if (outside->rank != instr->shape->rank || same_order(l, outside, instr->shape)) return;
    hlo_lint_report(l, HLO_RULE_LAYOUT_COPY, instr,
                    "entry_computation_layout has another layout for this %s", what);
}

static void check_entry(hlo_linter *l, const hlo_instr *instr) {
    const hlo_attr *layout = hlo_module_attr(l->module, HLO_ATTR_ENTRY_COMPUTATION_LAYOUT);
    if (!layout || instr->parent != l->module->entry) return;
    const hlo_program_shape *program = layout->u.program_shape;
    if (instr->opcode == HLO_OP_PARAMETER) {
        int64_t number = hlo_attr_int(instr, HLO_ATTR_PARAMETER_NUMBER);
        if (number < program->parameters->n)
            check_interface(l, instr, program->parameters->v[number], "parameter");
    }
    if (instr == instr->parent->root) check_interface(l, instr, program->result, "result");
}

void hlo_lint_layout_copy(hlo_linter *l, const hlo_instr *instr) {
    check_entry(l, instr);
    if (instr->operand_count == 0 || !hlo_shape_is_array(instr->shape)) return;
    if (instr->opcode == HLO_OP_COPY) check_copy(l, instr);
    else if (instr->opcode == HLO_OP_RESHAPE) check_reshape(l, instr);
    else if (hlo_info(instr)->flags & HLO_OP_IS_ELEMENTWISE) check_elementwise(l, instr);
}
