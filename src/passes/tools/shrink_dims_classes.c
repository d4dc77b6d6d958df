/* shrink-dims: classes of dimensions whose sizes depend on each other, and the numbers by which
 * they are divided. */
#include "passes/tools/shrink_dims.h"

/* ---- dimensions ---- */

uint32_t hlo_shrink_dims_of(const hlo_shape *shape) {
    uint32_t n = 0;
    if (hlo_shape_is_array(shape)) return shape->rank;
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        n += hlo_shrink_dims_of(shape->elements[i]);
    return n;
}

static const char *why_kept(const hlo_shape *array, uint32_t d) {
    if (array->dims[d] == HLO_UNBOUNDED) return "its size is not bounded";
    if (array->is_dynamic && array->is_dynamic[d]) return "its size is dynamic";
    return array->dims[d] == 0 ? "it has no elements" : NULL;
}

static void add_dims(hlo_shrink *s, hlo_instr *instr, const hlo_shape *shape) {
    for (uint32_t d = 0; hlo_shape_is_array(shape) && d < shape->rank; d++) {
        uint32_t n = s->count++;
        s->dims[n] = (hlo_shrink_dim){shape->dims[d], 1, instr, n, 0, HLO_SHRINK_NONE};
        s->classes[n].reason = why_kept(shape, d);
        s->classes[n].at = instr;
    }
    for (uint32_t i = 0; shape->elements && i < shape->rank; i++)
        add_dims(s, instr, shape->elements[i]);
}

void hlo_shrink_init(hlo_shrink *s, hlo_module *module) {
    uint32_t n = 0, dims = 0;
    s->module = module;
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            i->index = n++;
            dims += hlo_shrink_dims_of(i->shape);
        }
    s->first = hlo_calloc(n + 1u, sizeof *s->first);
    s->dims = hlo_calloc(dims + 1u, sizeof *s->dims);
    s->classes = hlo_calloc(dims + 1u, sizeof *s->classes);
    for (hlo_computation *c = module->first; c; c = c->next)
        for (hlo_instr *i = c->first; i; i = i->next) {
            add_dims(s, i, i->shape);
            s->first[i->index + 1] = s->count;
        }
    HLO_ASSERT(s->count == dims);
}

void hlo_shrink_free(hlo_shrink *s) {
    hlo_free(s->first);
    hlo_free(s->dims);
    hlo_free(s->classes);
    hlo_list_free(&s->terms);
    hlo_list_free(&s->products);
    hlo_list_free(&s->bounds);
}

/* ---- classes ---- */

/* The root, and how far the offset of the dimension is from that of the root. */
static uint32_t find(hlo_shrink *s, uint32_t dim, int64_t *distance) {
    uint32_t root = dim;
    int64_t sum = 0;
    for (; s->dims[root].parent != root; root = s->dims[root].parent) sum += s->dims[root].distance;
    *distance = sum;
    while (dim != root) {
        hlo_shrink_dim *one = &s->dims[dim];
        int64_t own = one->distance;
        dim = one->parent;
        one->parent = root;
        one->distance = sum;
        sum -= own;
    }
    return root;
}

uint32_t hlo_shrink_root(hlo_shrink *s, uint32_t dim) {
    int64_t distance;
    return find(s, dim, &distance);
}

static void keep_class(hlo_shrink *s, uint32_t root, const char *reason, const hlo_instr *instr) {
    if (s->classes[root].reason) return;
    s->classes[root].reason = reason;
    s->classes[root].at = instr;
}

void hlo_shrink_keep(hlo_shrink *s, uint32_t dim, const char *reason, const hlo_instr *instr) {
    keep_class(s, hlo_shrink_root(s, dim), reason, instr);
}

void hlo_shrink_keep_all(hlo_shrink *s, uint32_t dim, uint32_t n, const char *reason,
                         const hlo_instr *instr) {
    for (uint32_t i = 0; i < n; i++) hlo_shrink_keep(s, dim + i, reason, instr);
}

static const char *const contradiction = "its size is that of others and more, and no more";

static void anchor_root(hlo_shrink *s, uint32_t root, int64_t base, const hlo_instr *instr) {
    hlo_shrink_class *class = &s->classes[root];
    if (class->is_anchored && class->base != base) keep_class(s, root, contradiction, instr);
    if (!class->is_anchored) class->base = base;
    class->is_anchored = true;
}

static void anchor(hlo_shrink *s, uint32_t dim, const hlo_instr *instr) {
    int64_t distance;
    uint32_t root = find(s, dim, &distance);
    anchor_root(s, root, -distance, instr);
}

void hlo_shrink_join(hlo_shrink *s, uint32_t a, uint32_t b, int64_t more, const hlo_instr *instr) {
    int64_t from_a, from_b;
    uint32_t ra = find(s, a, &from_a), rb = find(s, b, &from_b);
    if (ra == rb) {
        if (from_b != from_a + more) keep_class(s, ra, contradiction, instr);
        return;
    }
    int64_t apart = from_a + more - from_b; /* the offset of rb less that of ra */
    s->dims[rb].parent = ra;
    s->dims[rb].distance = apart;
    if (s->classes[rb].reason) keep_class(s, ra, s->classes[rb].reason, s->classes[rb].at);
    if (s->classes[rb].is_anchored) anchor_root(s, ra, s->classes[rb].base - apart, instr);
}

void hlo_shrink_join_all(hlo_shrink *s, uint32_t a, uint32_t b, uint32_t n,
                         const hlo_instr *instr) {
    for (uint32_t i = 0; i < n; i++) {
        if (s->dims[a + i].size == s->dims[b + i].size) hlo_shrink_join(s, a + i, b + i, 0, instr);
        else hlo_shrink_scale(s, a + i, b + i, instr);
    }
}

void hlo_shrink_scale(hlo_shrink *s, uint32_t a, uint32_t b, const hlo_instr *instr) {
    anchor(s, a, instr);
    anchor(s, b, instr);
    hlo_shrink_join(s, a, b, 0, instr);
}

void hlo_shrink_bind(hlo_shrink *s, uint32_t small, int64_t more, uint32_t large,
                     const hlo_instr *instr) {
    hlo_list_push(&s->bounds, (hlo_shrink_bound){instr, small, large, more});
}

/* ---- reshapes ---- */

static void add_product(hlo_shrink *s, uint32_t from, uint32_t left, uint32_t to, uint32_t right,
                        const hlo_instr *instr) {
    hlo_shrink_product product = {instr, s->terms.n, 0, 0};
    for (uint32_t i = 0; i < left; i++) {
        if (s->dims[from + i].size == 1) continue;
        hlo_list_push(&s->terms, from + i);
        product.left++;
    }
    for (uint32_t i = 0; i < right; i++) {
        if (s->dims[to + i].size == 1) continue;
        hlo_list_push(&s->terms, to + i);
        product.right++;
    }
    if (!product.left && !product.right) return;
    const uint32_t *terms = s->terms.v + product.first;
    if (product.left == 1 && product.right == 1) {
        hlo_shrink_join(s, terms[0], terms[1], 0, instr);
        return;
    }
    for (uint32_t i = 0; i < product.left + product.right; i++) anchor(s, terms[i], instr);
    if (product.left) hlo_list_push(&s->products, product);
}

/* Of an array without elements, sizes may have a product that no number holds. */
static int64_t times(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* Takes as few dimensions of both sides as have one product. */
void hlo_shrink_regroup(hlo_shrink *s, uint32_t from, uint32_t from_rank, uint32_t to,
                        uint32_t to_rank, const hlo_instr *instr) {
    uint32_t i = 0, k = 0;
    while (i < from_rank || k < to_rank) {
        uint32_t first_i = i, first_k = k;
        int64_t left = i < from_rank ? s->dims[from + i++].size : 1;
        int64_t right = k < to_rank ? s->dims[to + k++].size : 1;
        while (left != right) {
            if (left < right && i < from_rank) left = times(left, s->dims[from + i++].size);
            else if (left > right && k < to_rank) right = times(right, s->dims[to + k++].size);
            else break; /* nothing has elements */
        }
        add_product(s, from + first_i, i - first_i, to + first_k, k - first_k, instr);
    }
}

/* ---- how often a class can be divided ---- */

static int64_t power_of(int64_t factor, uint32_t power) {
    int64_t all = 1;
    while (power--) all = times(all, factor);
    return all;
}

static int64_t divided(const hlo_shrink *s, uint32_t dim, int64_t offset, uint32_t power) {
    int64_t by = power_of(s->factor, power), whole = s->dims[dim].size + offset;
    if (whole % by) return -1;
    int64_t left = whole / by - offset, tiles = s->dims[dim].tiles;
    return left < 1 || left % tiles ? -1 : left;
}

/* How often every member can be divided; *blocker cannot once more. */
static uint32_t most_of(hlo_shrink *s, uint32_t root, int64_t base, uint32_t *blocker) {
    uint32_t power = 0;
    *blocker = root;
    for (;; power++)
        for (uint32_t m = root; m != HLO_SHRINK_NONE; m = s->dims[m].next) {
            int64_t distance;
            find(s, m, &distance);
            *blocker = m;
            if (divided(s, m, base + distance, power + 1) < 0) return power;
        }
}

/* Without an anchor the offsets may be chosen: so that the size of some member is divided as it is.
 */
static uint32_t choose_base(hlo_shrink *s, uint32_t root, uint32_t *blocker) {
    enum { TRIES = 8 };
    hlo_shrink_class *class = &s->classes[root];
    int64_t best = class->base;
    uint32_t most = most_of(s, root, best, blocker), tries = 0, other;
    for (uint32_t m = root; !class->is_anchored && m != HLO_SHRINK_NONE && tries < TRIES;
         m = s->dims[m].next) {
        int64_t distance;
        find(s, m, &distance);
        if (-distance == best) continue;
        uint32_t now = most_of(s, root, -distance, &other);
        tries++;
        if (now <= most) continue;
        most = now;
        best = -distance;
    }
    class->base = best;
    return most;
}

static void measure(hlo_shrink *s, uint32_t root) {
    hlo_shrink_class *class = &s->classes[root];
    uint32_t blocker;
    for (uint32_t m = root; m != HLO_SHRINK_NONE; m = s->dims[m].next)
        class->is_wanted |= hlo_shrink_is_chosen(s, s->dims[m].size);
    if (class->reason) return;
    class->most = choose_base(s, root, &blocker);
    if (class->most) return;
    bool tiled = s->dims[blocker].tiles > 1;
    keep_class(s, root,
               tiled ? "the new size is no multiple of the tiles of its sharding"
                     : "it is no multiple of the factor",
               s->dims[blocker].instr);
}

static void list_members(hlo_shrink *s) {
    for (uint32_t n = s->count; n-- > 0;) {
        uint32_t root = hlo_shrink_root(s, n);
        if (root == n) continue;
        s->dims[n].next = s->dims[root].next;
        s->dims[root].next = n;
    }
}

/* ---- deciding ---- */

static hlo_shrink_class *class_of(hlo_shrink *s, uint32_t dim) {
    return &s->classes[hlo_shrink_root(s, dim)];
}

static uint32_t sum_of(hlo_shrink *s, const uint32_t *terms, uint32_t n, bool wanted) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const hlo_shrink_class *class = class_of(s, terms[i]);
        sum += wanted ? class->is_wanted && class->most : class->power;
    }
    return sum;
}

/* A product is divided when one of its parts is: the largest that can be. */
static bool want_part(hlo_shrink *s, uint32_t whole, const uint32_t *parts, uint32_t n) {
    uint32_t best = HLO_SHRINK_NONE;
    if (!class_of(s, whole)->is_wanted || sum_of(s, parts, n, true)) return false;
    for (uint32_t i = 0; i < n; i++) {
        bool larger = best == HLO_SHRINK_NONE || s->dims[parts[i]].size > s->dims[best].size;
        if (class_of(s, parts[i])->most && larger) best = parts[i];
    }
    if (best == HLO_SHRINK_NONE) return false;
    class_of(s, best)->is_wanted = true;
    return true;
}

static void want_parts(hlo_shrink *s) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t p = 0; p < s->products.n; p++) {
            const hlo_shrink_product *product = &s->products.v[p];
            const uint32_t *left = s->terms.v + product->first, *right = left + product->left;
            if (product->left == 1) changed |= want_part(s, left[0], right, product->right);
            if (product->right == 1) changed |= want_part(s, right[0], left, product->left);
        }
    }
}

/* Products are divided as their parts are: they start from as often as they can be. */
static void start_powers(hlo_shrink *s) {
    for (uint32_t n = 0; n < s->count; n++) {
        hlo_shrink_class *class = &s->classes[n];
        if (s->dims[n].parent == n) class->power = class->is_wanted && class->most;
    }
    for (uint32_t p = 0; p < s->products.n; p++) {
        const hlo_shrink_product *product = &s->products.v[p];
        const uint32_t *left = s->terms.v + product->first, *right = left + product->left;
        if (product->left == 1) class_of(s, left[0])->power = class_of(s, left[0])->most;
        if (product->right == 1) class_of(s, right[0])->power = class_of(s, right[0])->most;
    }
}

/* Divides the side less often, and smaller dimensions before larger ones. */
static void lower(hlo_shrink *s, const uint32_t *terms, uint32_t n, uint32_t to,
                  const hlo_instr *instr) {
    while (sum_of(s, terms, n, false) > to) {
        uint32_t least = HLO_SHRINK_NONE;
        for (uint32_t i = 0; i < n; i++) {
            bool smaller = least == HLO_SHRINK_NONE || s->dims[terms[i]].size < s->dims[least].size;
            if (class_of(s, terms[i])->power && smaller) least = terms[i];
        }
        HLO_ASSERT(least != HLO_SHRINK_NONE);
        if (--class_of(s, least)->power) continue;
        hlo_shrink_keep(s, least, "what it is reshaped to or from cannot be divided", instr);
    }
}

/* Powers only become smaller, so this ends. */
static void balance(hlo_shrink *s) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < s->products.n; p++) {
            const hlo_shrink_product *product = &s->products.v[p];
            const uint32_t *left = s->terms.v + product->first, *right = left + product->left;
            uint32_t a = sum_of(s, left, product->left, false);
            uint32_t b = sum_of(s, right, product->right, false);
            if (a > b) lower(s, left, product->left, b, product->instr);
            if (b > a) lower(s, right, product->right, a, product->instr);
            changed |= a != b;
        }
    }
}

int64_t hlo_shrink_divisor(hlo_shrink *s, uint32_t dim) {
    return power_of(s->factor, class_of(s, dim)->power);
}

int64_t hlo_shrink_new_size(hlo_shrink *s, uint32_t dim) {
    int64_t distance;
    const hlo_shrink_class *class = &s->classes[find(s, dim, &distance)];
    if (!class->power) return s->dims[dim].size;
    return divided(s, dim, class->base + distance, class->power);
}

/* Whether one was met only by keeping what became too small. */
static bool enforce_bounds(hlo_shrink *s) {
    bool changed = false;
    for (uint32_t b = 0; b < s->bounds.n; b++) {
        const hlo_shrink_bound *bound = &s->bounds.v[b];
        bool none = bound->small == HLO_SHRINK_NONE;
        int64_t small = none ? 0 : hlo_shrink_new_size(s, bound->small);
        hlo_shrink_class *large = class_of(s, bound->large);
        if (small + bound->more <= hlo_shrink_new_size(s, bound->large)) continue;
        if (!large->power) continue; /* so it was from the beginning */
        large->power = 0;
        keep_class(s, hlo_shrink_root(s, bound->large), "more of it is used than would be left",
                   bound->instr);
        changed = true;
    }
    return changed;
}

void hlo_shrink_solve(hlo_shrink *s) {
    list_members(s);
    for (uint32_t n = 0; n < s->count; n++)
        if (s->dims[n].parent == n) measure(s, n);
    want_parts(s);
    start_powers(s);
    do balance(s);
    while (enforce_bounds(s));
}
