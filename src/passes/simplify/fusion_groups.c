/* Groups of instructions that a fusion computes together: see fusion_groups.h. */
#include "passes/simplify/fusion_groups.h"

#include "eval/fuse/cluster_boxes.h"
#include "eval/fuse/cluster_role.h"

enum { MOST_MOVES = 8, NONE = UINT32_MAX };

/* Instructions get levels: one that needs a value of a group from outside is a level above it, and
 * a group's members are of one level. Along operands levels never fall, so that a path that leaves
 * a group does not lead back into it, and groups that depend on each other are of different levels.
 */
typedef struct {
    hlo_instr *instr;
    int64_t elements; /* -1: no array */
    int64_t domain;   /* of members: how many elements their group has */
    uint32_t base;    /* the member whose elements it has, in their order: itself; or NONE */
    uint32_t level;
    uint32_t late;  /* the level that its users would let it have */
    uint32_t joint; /* member of the same group, or itself */
    uint32_t next;  /* of the same joint, before it; or NONE */
    uint32_t moves; /* that lead to it: only so many are copied */
    uint32_t group;
    uint32_t seen; /* by which group last */
    bool is_member, is_copied;
    bool is_part; /* copied, and of elements that are a part of others */
    bool is_row;  /* of what `base` is: an element for each row of its group */
    bool is_sink; /* nothing of its group reads it */
    bool joins;   /* a user of the level `late` could have it in its group */
} node;

/* How many reductions of so many elements are of rows of that length, or of such columns. */
typedef struct {
    int64_t domain, row; /* row 0: of columns */
    hlo_cluster_columns columns;
    uint32_t count;
} row_length;

typedef struct {
    const hlo_rewriter *rewriter;
    const hlo_fusion_limits *limits;
    row_length *rows;
    uint32_t row_count;
    hlo_computation *computation;
    node *nodes; /* by hlo_instr.index */
    uint32_t count, groups;
} finding;

static node *node_of(const finding *f, const hlo_instr *instr) {
    return &f->nodes[instr->index];
}

static node *operand_of(const finding *f, const node *n, uint32_t i) {
    return node_of(f, hlo_operand(n->instr, i));
}

/* ---- what instructions are ---- */

/* One predicate for all elements chooses an operand, which costs nothing. */
static bool chooses_whole(const hlo_instr *instr) {
    return instr->opcode == HLO_OP_SELECT && instr->shape->rank &&
           !hlo_operand(instr, 0)->shape->rank;
}

static bool may_be_fused(const finding *f, const hlo_instr *instr) {
    return !hlo_is_tied(f->rewriter, instr) && !hlo_instr_attr(instr, HLO_ATTR_SHARDING) &&
           !chooses_whole(instr);
}

/* ---- rows ---- */

/* Elements of the group that the reduction may be in; 0: none. */
static int64_t reduced_domain(const finding *f, const hlo_instr *instr, hlo_cluster_role *role) {
    if (instr->opcode != HLO_OP_REDUCE || !may_be_fused(f, instr)) return 0;
    *role = hlo_cluster_role_of(instr);
    if (*role < HLO_CLUSTER_REDUCE) return 0;
    int64_t elements = hlo_shape_elements(hlo_operand(instr, 0)->shape);
    return elements < f->limits->min_elements ? 0 : elements;
}

static row_length length_of(const hlo_instr *reduce, hlo_cluster_role role, int64_t domain) {
    row_length found = {.domain = domain};
    if (role == HLO_CLUSTER_COLUMNS) found.columns = hlo_cluster_columns_of(reduce);
    else found.row = hlo_cluster_row_of(reduce);
    return found;
}

static bool is_same_length(const row_length *a, const row_length *b) {
    return a->domain == b->domain && a->row == b->row &&
           hlo_cluster_same_columns(a->columns, b->columns);
}

static void count_length(finding *f, row_length found) {
    uint32_t i = 0;
    while (i < f->row_count && !is_same_length(&f->rows[i], &found)) i++;
    if (i == f->row_count) f->rows[f->row_count++] = found;
    f->rows[i].count++;
}

/* All lengths of each domain, up to some. */
static void find_rows(finding *f) {
    enum { MOST_LENGTHS = 256 };
    f->rows = hlo_malloc(MOST_LENGTHS * sizeof *f->rows);
    for (const hlo_instr *i = f->computation->first; i; i = i->next) {
        hlo_cluster_role role;
        int64_t domain = reduced_domain(f, i, &role);
        if (domain && f->row_count < MOST_LENGTHS) count_length(f, length_of(i, role, domain));
    }
}

/* The lengths of rows, or of columns beside rows of the length `beside`, met most often, the first
 * of equals; NULL: there are none. */
static const row_length *most_frequent(const finding *f, int64_t domain, bool is_row,
                                       int64_t beside) {
    const row_length *most = NULL;
    for (uint32_t i = 0; i < f->row_count; i++) {
        const row_length *l = &f->rows[i];
        if (l->domain == domain && (l->row != 0) == is_row &&
            (is_row || hlo_cluster_accepts(domain, beside, l->columns)) &&
            (!most || l->count > most->count))
            most = l;
    }
    return most;
}

/* Elements of a group have rows of one length only. 0: they are no rows. */
static int64_t row_of(const finding *f, int64_t domain) {
    const row_length *most = most_frequent(f, domain, true, 0);
    return most ? most->row : 0;
}

/* The same of columns that are sinks, beside those rows. */
static hlo_cluster_columns columns_of(const finding *f, int64_t domain) {
    const row_length *most = most_frequent(f, domain, false, row_of(f, domain));
    return most ? most->columns : (hlo_cluster_columns){0};
}

/* Whether the node has an element for each row, which the broadcast repeats for those of the row.
 */
static bool repeats_rows(const finding *f, const node *from, const node *broadcast) {
    if (!from->is_row || broadcast->instr->opcode != HLO_OP_BROADCAST) return false;
    int64_t domain = f->nodes[from->base].domain, row = row_of(f, domain);
    return broadcast->elements == domain && from->elements * row == domain &&
           (from->elements == 1 || hlo_cluster_inner_of(broadcast->instr) == row);
}

/* The group whose rows the instruction has an element for each, by an operand; 0: none. */
static int64_t rows_domain(const finding *f, const node *n) {
    for (uint32_t i = 0; i < n->instr->operand_count; i++) {
        const node *operand = operand_of(f, n, i);
        if (operand->is_row && operand->elements == n->elements)
            return f->nodes[operand->base].domain;
    }
    return 0;
}

/* ---- kinds ---- */

/* A move of all elements in their order has the same base. Of a part nothing else is copied. */
static void classify_copied(const finding *f, node *n) {
    if (!n->instr->operand_count) {
        n->is_copied = true;
        return;
    }
    const node *from = operand_of(f, n, 0);
    n->moves = from->is_copied ? from->moves + 1 : 0;
    n->is_part = from->is_part;
    n->is_copied = n->moves < MOST_MOVES && (!n->is_part || from->elements == n->elements);
    if (!n->is_copied) return;
    if (from->elements == n->elements) {
        n->base = from->base;
        n->is_row = from->is_row;
    } else if (repeats_rows(f, from, n)) n->base = from->base;
}

/* Whether what reads the array reads all elements in a cluster, and no more often than `most`: what
 * is put together for others anyway is read from there. */
static bool is_read_once(const hlo_instr *instr, uint32_t most) {
    uint32_t uses = 0;
    if (instr->parent->root == instr) return false;
    for (const hlo_use *use = instr->first_use; use; use = use->next) {
        hlo_cluster_role role = hlo_cluster_role_of(use->user);
        if (++uses > most || role < HLO_CLUSTER_PART) return false;
    }
    return uses;
}

static bool is_operand(const void *finding_of, const hlo_instr *instr) {
    const finding *f = finding_of;
    return !node_of(f, instr)->is_copied;
}

/* Slices of neighbours are read wherever they are; of others there are arrays for the kernels that
 * need them, and where several read one, an array has less memory to read. */
static bool is_of_neighbours(const hlo_instr *instr) {
    if (instr->opcode != HLO_OP_SLICE || !instr->shape->rank) return false;
    const hlo_slice *of = hlo_instr_attr(instr, HLO_ATTR_SLICE)->u.slice;
    return of->v[instr->shape->rank - 1].stride == 1;
}

/* Whether its operands are the fusion's, perhaps with other dimensions: others would be made in it.
 */
static bool reads_arrays(const finding *f, const hlo_instr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (node_of(f, hlo_cluster_operand(instr, i))->is_copied) return false;
    return true;
}

/* Rows that are gathered are read by what normalises them, too: in one cluster that is once. */
static bool is_gathered_once(const finding *f, const node *n) {
    enum { USES = 4 };
    return is_read_once(n->instr, USES) && reads_arrays(f, n->instr);
}

static void classify_part(const finding *f, node *n) {
    enum { USES = 2 };
    hlo_cluster_boxes boxes;
    n->moves = 1;
    if (n->instr->opcode == HLO_OP_GATHER) {
        n->is_copied = n->is_part = is_gathered_once(f, n);
        return;
    }
    if (!is_of_neighbours(n->instr) && !is_read_once(n->instr, USES)) return;
    n->is_copied = n->is_part = hlo_cluster_find_boxes(n->instr, is_operand, f, &boxes);
}

static void make_member(node *n, int64_t domain, bool is_row) {
    if (!n->instr->first_use && n->instr->parent->root != n->instr) return;
    n->is_member = true;
    n->is_row = is_row;
    n->domain = domain;
    n->base = n->instr->index;
}

static void classify_work(const finding *f, node *n) {
    int64_t domain = rows_domain(f, n);
    bool is_long = n->elements >= f->limits->min_elements && n->elements > 1;
    if (domain || is_long) make_member(n, domain ? domain : n->elements, domain != 0);
}

/* A sink's initial values are what a fusion has without computing them. */
static bool has_plain_init(const finding *f, const node *n) {
    for (uint32_t i = n->instr->operand_count / 2; i < n->instr->operand_count; i++)
        if (hlo_operand(n->instr, i)->opcode != HLO_OP_CONSTANT && operand_of(f, n, i)->is_copied)
            return false;
    return true;
}

/* The positions of extreme elements, which are known, need no array. */
static bool has_plain_positions(const finding *f, const node *n) {
    return n->instr->operand_count == 2 || operand_of(f, n, 1)->is_copied;
}

static void classify_reduce(const finding *f, node *n) {
    hlo_cluster_role role;
    int64_t domain = reduced_domain(f, n->instr, &role);
    if (!domain) return;
    bool is_row = role == HLO_CLUSTER_REDUCE;
    bool is_met =
        role == HLO_CLUSTER_COLUMNS
            ? hlo_cluster_same_columns(hlo_cluster_columns_of(n->instr), columns_of(f, domain))
            : hlo_cluster_row_of(n->instr) == row_of(f, domain);
    if (!is_met || (!is_row && !has_plain_init(f, n)) || !has_plain_positions(f, n)) return;
    make_member(n, domain, is_row);
    n->is_sink = n->is_member && !is_row;
}

static void classify(const finding *f, node *n) {
    const hlo_instr *instr = n->instr;
    n->base = NONE;
    n->elements = hlo_shape_is_array(instr->shape) ? hlo_shape_elements(instr->shape) : -1;
    if (!may_be_fused(f, instr)) return;
    switch (hlo_cluster_role_of(instr)) {
    case HLO_CLUSTER_NEVER: return;
    case HLO_CLUSTER_PART: classify_part(f, n); return;
    case HLO_CLUSTER_SOURCE:
    case HLO_CLUSTER_MOVE: classify_copied(f, n); return;
    case HLO_CLUSTER_WORK: classify_work(f, n); return;
    case HLO_CLUSTER_REDUCE:
    case HLO_CLUSTER_COLUMNS:
    case HLO_CLUSTER_EXTREME: classify_reduce(f, n);
    }
}

/* ---- levels ---- */

/* Whether the user may be in the group of what its operand is based on, or hands it on. */
static bool stays_inside(const finding *f, const node *operand, const node *user) {
    if (operand->base == NONE) return false;
    if (user->is_copied) return user->base == operand->base;
    if (f->nodes[operand->base].is_sink) return false;
    if (!user->is_member || user->domain != f->nodes[operand->base].domain) return false;
    if (user->instr->opcode == HLO_OP_REDUCE) return !operand->is_row;
    return operand->elements == user->elements && operand->is_row == user->is_row;
}

static uint32_t level_after(const finding *f, const node *operand, const node *user) {
    bool leaves = operand->base != NONE && !stays_inside(f, operand, user);
    return operand->level + leaves;
}

static void raise_level(node *n, uint32_t level) {
    if (n->level < level) n->level = level;
}

static void find_level(const finding *f, node *n) {
    for (uint32_t i = 0; i < n->instr->operand_count; i++)
        raise_level(n, level_after(f, operand_of(f, n, i), n));
    const hlo_attr *control = hlo_instr_attr(n->instr, HLO_ATTR_CONTROL_PREDECESSORS);
    for (uint32_t i = 0; control && i < control->u.instructions->n; i++)
        raise_level(n, level_after(f, node_of(f, control->u.instructions->v[i]), n));
}

/* ---- later levels ---- */

/* Others than `except` need the operand at the level, or its memory cannot be reused anyway. */
static bool lives_until(const finding *f, const node *operand, const node *except, uint32_t level) {
    if (operand->instr->opcode == HLO_OP_PARAMETER || operand->is_copied) return true;
    for (const hlo_use *use = operand->instr->first_use; use; use = use->next)
        if (use->user != except->instr && node_of(f, use->user)->level >= level) return true;
    return false;
}

/* Members that wait for their user let their operands live longer, one for one. */
static bool may_wait(const finding *f, const node *n, uint32_t level) {
    uint32_t longer = 0;
    for (uint32_t i = 0; i < n->instr->operand_count; i++) {
        const node *operand = operand_of(f, n, i);
        if (i && operand->instr == hlo_operand(n->instr, i - 1)) continue;
        longer += operand->elements == n->elements && !lives_until(f, operand, n, level);
    }
    return longer <= 1;
}

/* The least level of the users. What hands the elements on may be as late as its own users let it.
 */
static void find_late(const finding *f, node *n) {
    n->late = NONE;
    n->joins = false;
    for (const hlo_use *use = n->instr->first_use; use; use = use->next) {
        const node *user = node_of(f, use->user);
        bool inside = stays_inside(f, n, user), hands_on = inside && user->is_copied;
        uint32_t level = hands_on ? user->late : user->level - !inside;
        if (level > n->late) continue;
        if (level < n->late) n->joins = false;
        n->joins |= hands_on ? user->joins : inside;
        n->late = level;
    }
}

/* Where a value's only use is late, computing it there saves its way through memory. Reduced rows
 * are few. */
static void move_late(finding *f) {
    for (uint32_t i = f->count; i-- > 0;) {
        node *n = &f->nodes[i];
        if (n->base == NONE) continue;
        find_late(f, n);
        bool is_root = n->instr->parent->root == n->instr;
        if (n->is_member && !n->is_row && !n->is_sink && n->joins && !is_root &&
            n->late > n->level && may_wait(f, n, n->late))
            n->level = n->late;
    }
    for (uint32_t i = 0; i < f->count; i++)
        if (f->nodes[i].base != NONE) f->nodes[i].level = f->nodes[f->nodes[i].base].level;
}

/* ---- joining ---- */

static uint32_t find_joint(finding *f, uint32_t i) {
    while (f->nodes[i].joint != i) {
        f->nodes[i].joint = f->nodes[f->nodes[i].joint].joint;
        i = f->nodes[i].joint;
    }
    return i;
}

static void join_groups(finding *f, uint32_t a, uint32_t b) {
    if (f->nodes[a].level != f->nodes[b].level || f->nodes[a].domain != f->nodes[b].domain) return;
    f->nodes[find_joint(f, a)].joint = find_joint(f, b);
}

/* Members that read the same array, or gathered rows, directly: each with the last one before it of
 * its level, of as many levels as there are places for. */
static void join_readers(finding *f, const node *read) {
    enum { LEVELS = 8 };
    uint32_t last[LEVELS];
    for (uint32_t i = 0; i < LEVELS; i++) last[i] = NONE;
    for (const hlo_use *use = read->instr->first_use; use; use = use->next) {
        const node *user = node_of(f, use->user);
        if (!user->is_member || user->domain != read->elements) continue;
        uint32_t *before = &last[user->level % LEVELS];
        if (*before != NONE) join_groups(f, *before, use->user->index);
        *before = use->user->index;
    }
}

static void join_members(finding *f) {
    for (uint32_t i = 0; i < f->count; i++) f->nodes[i].joint = i;
    for (uint32_t i = 0; i < f->count; i++) {
        const node *n = &f->nodes[i];
        for (uint32_t k = 0; n->is_member && k < n->instr->operand_count; k++) {
            uint32_t base = operand_of(f, n, k)->base;
            if (base != NONE) join_groups(f, base, i);
        }
        if (!n->is_copied || n->instr->opcode == HLO_OP_GATHER) join_readers(f, n);
    }
}

/* Lists of members by joint, last first: the joint's own node is where the list begins. */
static void list_joints(finding *f, uint32_t *last) {
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t *at = &last[find_joint(f, i)];
        f->nodes[i].next = *at;
        *at = i;
    }
}

/* ---- groups of limited size ---- */

typedef struct {
    uint32_t members, operands;
} size;

/* The operand itself, or what it is copied from; few copies follow each other. */
static uint32_t count_read(finding *f, node *operand, uint32_t group) {
    uint32_t found = 0;
    for (uint32_t i = 0; operand->is_copied && i < operand->instr->operand_count; i++)
        found += count_read(f, operand_of(f, operand, i), group);
    if (operand->is_copied || operand->seen == group) return found;
    operand->seen = group;
    return 1;
}

/* What the member reads from outside of the group and no other member reads so far. */
static uint32_t count_operands(finding *f, const node *n, uint32_t group) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n->instr->operand_count; i++)
        found += count_read(f, operand_of(f, n, i), group);
    return found;
}

/* Users are in the group before what they read, which is then no operand of it any more. */
static void put(finding *f, node *n, size *sum) {
    bool was_operand = n->seen == f->groups;
    uint32_t more = count_operands(f, n, f->groups);
    if (sum->members && (sum->members == f->limits->max_instructions ||
                         sum->operands - was_operand + more > f->limits->max_operands)) {
        *sum = (size){0};
        f->groups++;
        more = count_operands(f, n, f->groups);
        was_operand = false;
    }
    sum->members++;
    sum->operands += more - was_operand;
    n->group = f->groups;
}

/* Whether the instruction reads as many elements as its group has from something that fills an
 * array with them: a fusion makes them as it goes along. */
static bool reads_made_elements(const finding *f, const node *n) {
    uint32_t read = n->instr->opcode == HLO_OP_REDUCE ? 1 : n->instr->operand_count;
    for (uint32_t i = 0; i < read; i++) {
        const node *operand = operand_of(f, n, i);
        if (operand->elements != n->domain) continue;
        if (operand->is_part) return true;
        while (operand->is_copied && operand->elements == n->domain) {
            if (!operand->instr->operand_count) return true;
            operand = operand_of(f, operand, 0);
        }
        if (operand->elements != n->domain) return true;
    }
    return false;
}

static void divide(finding *f, uint32_t last) {
    size sum = {0};
    f->groups++;
    for (uint32_t i = last; i != NONE; i = f->nodes[i].next) put(f, &f->nodes[i], &sum);
}

static void number_groups(finding *f) {
    uint32_t *last = hlo_malloc((f->count + 1u) * sizeof *last);
    for (uint32_t i = 0; i < f->count; i++) last[i] = NONE;
    list_joints(f, last);
    for (uint32_t i = 0; i < f->count; i++)
        if (last[i] != NONE && f->nodes[i].is_member) divide(f, last[i]);
    hlo_free(last);
}

/* ---- products ---- */

/* Whether all that read the elements are of the group and read each in its order; what hands them
 * on is copied into it. */
static bool is_read_inside(const finding *f, const node *n, int64_t domain, uint32_t group) {
    if (n->elements != domain || n->instr == n->instr->parent->root) return false;
    for (const hlo_use *use = n->instr->first_use; use; use = use->next) {
        const node *user = node_of(f, use->user);
        bool hands_on = user->is_copied && !user->is_part;
        bool reads = user->group == group && group && user->domain == domain &&
                     (!user->is_row || user->instr->opcode == HLO_OP_REDUCE);
        if (hands_on ? !is_read_inside(f, user, domain, group) : !reads) return false;
    }
    return n->instr->first_use;
}

/* The group of the first that reads the elements; 0: it is in none. */
static uint32_t group_of_reader(const finding *f, const node *n) {
    while (n->instr->first_use) {
        n = node_of(f, n->instr->first_use->user);
        if (!n->is_copied) return n->group;
    }
    return 0;
}

/* A product joins the group that alone reads it, if no other one has: it depends on nothing of the
 * group, whose members are above it. */
static void add_products(finding *f) {
    bool *has_product = hlo_calloc(f->groups + 1u, sizeof *has_product);
    for (uint32_t i = f->count; i-- > 0;) {
        node *n = &f->nodes[i];
        if (!hlo_cluster_follows(n->instr) || !may_be_fused(f, n->instr) ||
            !reads_arrays(f, n->instr))
            continue;
        uint32_t group = group_of_reader(f, n);
        if (!group || has_product[group] || !is_read_inside(f, n, n->elements, group)) continue;
        has_product[group] = true;
        n->group = group;
    }
    hlo_free(has_product);
}

/* Alone, an instruction is worth a fusion only for what it reads. */
static void drop_lonely(finding *f) {
    uint32_t *members = hlo_calloc(f->groups + 1u, sizeof *members);
    for (uint32_t i = 0; i < f->count; i++) members[f->nodes[i].group]++;
    for (uint32_t i = 0; i < f->count; i++) {
        node *n = &f->nodes[i];
        if (n->group && members[n->group] == 1 && !reads_made_elements(f, n)) n->group = 0;
    }
    hlo_free(members);
}

/* ---- all of it ---- */

static void give(const finding *f, hlo_fusion_groups *groups) {
    *groups = (hlo_fusion_groups){.computation = f->computation, .count = f->count};
    groups->last_group = f->groups;
    groups->instrs = hlo_malloc((f->count + 1u) * sizeof *groups->instrs);
    groups->group = hlo_malloc((f->count + 1u) * sizeof *groups->group);
    groups->is_copied = hlo_malloc((f->count + 1u) * sizeof *groups->is_copied);
    for (uint32_t i = 0; i < f->count; i++) {
        groups->instrs[i] = f->nodes[i].instr;
        groups->group[i] = f->nodes[i].group;
        groups->is_copied[i] = f->nodes[i].is_copied;
    }
}

void hlo_fusion_groups_find(const hlo_rewriter *r, hlo_computation *c,
                            const hlo_fusion_limits *limits, hlo_fusion_groups *groups) {
    finding f = {.rewriter = r, .limits = limits, .computation = c, .count = c->instr_count};
    hlo_number_instructions(c);
    f.nodes = hlo_calloc(f.count + 1u, sizeof *f.nodes);
    find_rows(&f);
    for (hlo_instr *i = c->first; i; i = i->next) {
        node *n = node_of(&f, i);
        n->instr = i;
        classify(&f, n);
        find_level(&f, n);
    }
    move_late(&f);
    join_members(&f);
    number_groups(&f);
    add_products(&f);
    drop_lonely(&f);
    give(&f, groups);
    hlo_free(f.rows);
    hlo_free(f.nodes);
}

void hlo_fusion_groups_free(hlo_fusion_groups *groups) {
    hlo_free(groups->instrs);
    hlo_free(groups->group);
    hlo_free(groups->is_copied);
}
