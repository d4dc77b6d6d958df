/* Products of two arrays whose dimensions are named by letters, "ab,bc->ac": XLA's einsum. */
#include "build/lib/matrices.h"

enum { MOST_LABELS = 64 };

/* The names of an array's dimensions: letters, and numbers below zero for those of an ellipsis. */
typedef struct {
    int64_t v[MOST_LABELS];
    size_t n;
} labels;

static size_t find(const labels *l, int64_t label) {
    size_t i = 0;
    while (i < l->n && l->v[i] != label) i++;
    return i;
}

static bool has(const labels *l, int64_t label) {
    return find(l, label) < l->n;
}

/* ---- the text ---- */

static bool refuse(hlo_builder *b, const char *what) {
    hlo_builder_fail(b, HLO_RULE_ATTRIBUTE_VALUE, "einsum: %s", what);
    return false;
}

static bool add_label(hlo_builder *b, labels *l, int64_t label) {
    if (l->n == MOST_LABELS) return refuse(b, "more than 64 dimensions");
    l->v[l->n++] = label;
    return true;
}

static bool is_letter(int c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool add_letter(hlo_builder *b, labels *l, char c) {
    if (c == '.') return refuse(b, "unsupported \".\" in einsum config");
    if (!is_letter(c)) return refuse(b, "unexpected character in einsum config");
    return add_label(b, l, c);
}

static bool add_ellipsis(hlo_builder *b, labels *l, int64_t rank) {
    bool good = true;
    for (int64_t i = rank; i > 0 && good; i--) good = add_label(b, l, -i);
    return good;
}

typedef struct {
    const char *text;
    size_t length;
} part;

static size_t ellipsis_at(part p) {
    for (size_t i = 0; i + 3 <= p.length; i++)
        if (memcmp(p.text + i, "...", 3) == 0) return i;
    return p.length;
}

/* `rank` < 0: of the output, whose ellipsis has *ellipsis dimensions; else that is set. */
static bool read_labels(hlo_builder *b, part p, int64_t rank, int64_t *ellipsis, labels *l) {
    size_t dots = ellipsis_at(p);
    bool has_dots = dots < p.length;
    part rest = {p.text + dots + 3, has_dots ? p.length - dots - 3 : 0};
    if (has_dots && ellipsis_at(rest) < rest.length)
        return refuse(b, "too many ellipses (\"...\") in einsum config");
    if (rank >= 0) *ellipsis = has_dots ? rank - (int64_t)(p.length - 3) : 0;
    if (*ellipsis < 0)
        return refuse(b, "too few dimensions in the input for the given einsum config");
    for (size_t i = 0; i < dots; i++)
        if (!add_letter(b, l, p.text[i])) return false;
    if (has_dots && !add_ellipsis(b, l, *ellipsis)) return false;
    for (size_t i = 0; i < rest.length; i++)
        if (!add_letter(b, l, rest.text[i])) return false;
    return true;
}

/* Without an arrow the output is the ellipsis and, in order, the letters that stand there once. */
static const char *with_output(hlo_builder *b, const char *config) {
    size_t length = strlen(config), n = length;
    char *made = hlo_arena_alloc(&b->module->arena, length + 64);
    memcpy(made, config, length);
    memcpy(made + n, "->", 2);
    n += 2;
    if (strstr(config, "...")) {
        memcpy(made + n, "...", 3);
        n += 3;
    }
    for (int c = 'A'; c <= 'z'; c++) {
        const char *first = is_letter(c) ? strchr(config, c) : NULL;
        if (first && !strchr(first + 1, c)) made[n++] = (char)c;
    }
    made[n] = 0;
    return made;
}

typedef struct {
    labels x, y, output;
} einsum;

static bool read_config(hlo_builder *b, const char *config, hlo_term x, hlo_term y, einsum *e) {
    if (!strstr(config, "->")) config = with_output(b, config);
    const char *comma = strchr(config, ','), *arrow = strstr(config, "->");
    if (!comma || strchr(comma + 1, ',')) return refuse(b, "expected one \",\" in einsum_config");
    if (arrow < comma || strstr(arrow + 2, "->"))
        return refuse(b, "expected one \"->\" in einsum_config");
    int64_t of_x = 0, of_y = 0;
    part first = {config, (size_t)(comma - config)},
         second = {comma + 1, (size_t)(arrow - comma - 1)};
    part last = {arrow + 2, strlen(arrow + 2)};
    if (!read_labels(b, first, x->shape->rank, &of_x, &e->x) ||
        !read_labels(b, second, y->shape->rank, &of_y, &e->y))
        return false;
    int64_t most = of_x > of_y ? of_x : of_y;
    return read_labels(b, last, -1, &most, &e->output);
}

static bool check_ranks(hlo_builder *b, const einsum *e, hlo_term x, hlo_term y) {
    if (e->x.n == x->shape->rank && e->y.n == y->shape->rank) return true;
    hlo_builder_fail(b, HLO_RULE_OPERAND_DIMENSIONS,
                     "einsum: %zu and %zu names of dimensions for %s and %s", e->x.n, e->y.n,
                     hlo_shape_name(&b->module->arena, x->shape),
                     hlo_shape_name(&b->module->arena, y->shape));
    return false;
}

/* ---- names that stand twice ---- */

/* Each name once; the dimensions where it stands first, and the others. */
typedef struct {
    labels unique;
    int64_t first[MOST_LABELS], again[MOST_LABELS];
    size_t again_count;
} repetition;

static bool repeats(const labels *l, repetition *r) {
    *r = (repetition){0};
    for (size_t i = 0; i < l->n; i++) {
        if (find(l, l->v[i]) < i) {
            r->again[r->again_count++] = (int64_t)i;
            continue;
        }
        r->first[r->unique.n] = (int64_t)i;
        r->unique.v[r->unique.n++] = l->v[i];
    }
    return r->again_count > 0;
}

/* Zeros where dimensions of one name have different indices. */
static hlo_term masked(hlo_builder *b, hlo_term x, const labels *l) {
    if (!x) return NULL;
    const hlo_shape *shape = hlo_lib_shape(b, HLO_S32, hlo_lib_dims(x));
    hlo_term mask = hlo_builder_constant_pred(b, true);
    for (size_t i = 0; i < l->n; i++) {
        size_t first = find(l, l->v[i]);
        if (first == i) continue;
        hlo_term at = hlo_builder_iota(b, shape, (int64_t)first);
        hlo_term again = hlo_builder_iota(b, shape, (int64_t)i);
        mask = hlo_builder_and(b, mask, hlo_builder_eq(b, at, again, HLO_NO_DIMS), HLO_NO_DIMS);
    }
    return hlo_builder_select(b, mask, x, hlo_lib_zeros_like(b, x));
}

static hlo_term diagonal_of(hlo_builder *b, hlo_term x, const labels *l, const repetition *r) {
    hlo_term kept = masked(b, x, l);
    if (!kept) return NULL;
    bool bits = hlo_type_is_in((hlo_type)x->shape->type, HLO_ELEMENTS_BITS);
    return hlo_lib_reduced(b, kept, 0, bits ? "or" : "add",
                           (hlo_int_list){r->again_count, r->again});
}

static hlo_term on_diagonal(hlo_builder *b, hlo_term x, const labels *l, const repetition *r) {
    int64_t sizes[MOST_LABELS];
    if (!x) return NULL;
    for (size_t i = 0; i < l->n; i++) sizes[i] = x->shape->dims[find(&r->unique, l->v[i])];
    x = hlo_builder_broadcast_in_dim(b, x, (hlo_int_list){l->n, sizes},
                                     (hlo_int_list){r->unique.n, r->first});
    return masked(b, x, l);
}

/* ---- the product ---- */

typedef struct {
    int64_t v[MOST_LABELS];
    size_t n;
} dimensions;

typedef struct {
    dimensions batch, contracting, outer, deleted; /* of one operand */
} side;

static void push(dimensions *d, int64_t dimension) {
    d->v[d->n++] = dimension;
}

static void sort(dimensions *d) {
    for (size_t i = 1; i < d->n; i++)
        for (size_t k = i; k > 0 && d->v[k - 1] > d->v[k]; k--) {
            int64_t lower = d->v[k];
            d->v[k] = d->v[k - 1];
            d->v[k - 1] = lower;
        }
}

/* A dimension of both operands: a size of 1 on one side is summed away there. */
static void pair(const hlo_shape *x, const hlo_shape *y, int64_t of_x, int64_t of_y, bool is_batch,
                 side *l, side *r) {
    HLO_ASSERT(of_y >= 0 && of_y < y->rank);
    HLO_ASSERT(of_x >= 0 && of_x < x->rank);
    if (x->dims[of_x] == y->dims[of_y]) {
        push(is_batch ? &l->batch : &l->contracting, of_x);
        push(is_batch ? &r->batch : &r->contracting, of_y);
    } else if (x->dims[of_x] == 1) {
        push(&r->outer, of_y);
        push(&l->deleted, of_x);
    } else {
        push(&l->outer, of_x);
        push(&r->deleted, of_y);
    }
}

static void sort_dimensions(const einsum *e, hlo_term x, hlo_term y, side *l, side *r) {
    for (size_t i = 0; i < e->x.n; i++) {
        int64_t label = e->x.v[i];
        size_t of_y = find(&e->y, label);
        if (of_y == e->y.n) push(&l->outer, (int64_t)i);
        else pair(x->shape, y->shape, (int64_t)i, (int64_t)of_y, has(&e->output, label), l, r);
    }
    for (size_t i = 0; i < e->y.n; i++)
        if (!has(&e->x, e->y.v[i])) push(&r->outer, (int64_t)i);
    sort(&r->outer);
}

/* Where the dimensions of the product stand in the output; those that do not are summed. */
static void place(const einsum *e, side *l, side *r, dimensions *places) {
    for (size_t i = 0; i < l->batch.n; i++)
        push(places, (int64_t)find(&e->output, e->x.v[l->batch.v[i]]));
    side *const sides[] = {l, r};
    const labels *const of[] = {&e->x, &e->y};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < sides[s]->outer.n; i++) {
            int64_t dimension = sides[s]->outer.v[i];
            size_t at = find(&e->output, of[s]->v[dimension]);
            if (at < e->output.n) push(places, (int64_t)at);
            else push(&sides[s]->deleted, dimension);
        }
}

static bool contains(const dimensions *d, int64_t dimension) {
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i] == dimension) return true;
    return false;
}

static hlo_int_list list_of(const dimensions *d) {
    return (hlo_int_list){d->n, d->v};
}

/* Sums over what is deleted, and numbers dimensions as they are then. */
static hlo_term without_deleted(hlo_builder *b, hlo_term x, side *s) {
    sort(&s->deleted);
    if (!s->deleted.n) return x;
    for (size_t i = s->deleted.n; i > 0; i--) {
        dimensions *const lists[] = {&s->batch, &s->contracting};
        for (size_t k = 0; k < 2; k++)
            for (size_t d = 0; d < lists[k]->n; d++)
                lists[k]->v[d] -= lists[k]->v[d] > s->deleted.v[i - 1];
    }
    return hlo_lib_reduced(b, x, 0, "add", list_of(&s->deleted));
}

/* The sizes of a product: batch, free dimensions of x, free dimensions of y. */
static const hlo_shape *dot_shape(hlo_builder *b, hlo_term x, hlo_term y, const side *l,
                                  const side *r, hlo_type type) {
    int64_t sizes[2 * MOST_LABELS];
    size_t n = 0;
    for (size_t i = 0; i < l->batch.n; i++) sizes[n++] = x->shape->dims[l->batch.v[i]];
    const side *const sides[] = {l, r};
    const hlo_term of[] = {x, y};
    for (size_t s = 0; s < 2; s++)
        for (int64_t d = 0; d < of[s]->shape->rank; d++)
            if (!contains(&sides[s]->batch, d) && !contains(&sides[s]->contracting, d))
                sizes[n++] = of[s]->shape->dims[d];
    return hlo_lib_shape(b, type, (hlo_int_list){n, sizes});
}

static hlo_attr precision_of(hlo_builder *b, hlo_lib_precision precision) {
    if (precision == HLO_LIB_DEFAULT_PRECISION) return hlo_builder_no_attr();
    return hlo_builder_ints(b, HLO_ATTR_OPERAND_PRECISION, HLO_INTS(precision, precision));
}

static hlo_term made_dot(hlo_builder *b, hlo_term x, hlo_term y, const side *l, const side *r,
                         const hlo_lib_einsum_options *o) {
    hlo_element_type wanted = o->preferred_element_type;
    if ((unsigned)o->precision > HLO_LIB_HIGHEST_PRECISION ||
        (wanted && !hlo_element_type_bytes(wanted)))
        return hlo_builder_misuse(b, "einsum: precision %d, type %d", (int)o->precision,
                                  (int)wanted);
    const hlo_shape *shape =
        wanted && x && y ? dot_shape(b, x, y, l, r, hlo_builder_type(wanted)) : NULL;
    return hlo_builder_made(
        b, HLO_OP_DOT, shape, HLO_INSTRS(x, y),
        HLO_ATTRS(hlo_builder_some_ints(b, HLO_ATTR_LHS_BATCH_DIMS, list_of(&l->batch)),
                  hlo_builder_ints(b, HLO_ATTR_LHS_CONTRACTING_DIMS, list_of(&l->contracting)),
                  hlo_builder_some_ints(b, HLO_ATTR_RHS_BATCH_DIMS, list_of(&r->batch)),
                  hlo_builder_ints(b, HLO_ATTR_RHS_CONTRACTING_DIMS, list_of(&r->contracting)),
                  precision_of(b, o->precision)));
}

static hlo_term dot_of(hlo_builder *b, hlo_term x, hlo_term y, const side *l, const side *r,
                       const hlo_lib_einsum_options *o) {
    hlo_builder_begin_scope(b);
    hlo_builder_set_frontend_attribute(b, "grad_x", o->grad_x ? "true" : "false");
    hlo_builder_set_frontend_attribute(b, "grad_y", o->grad_y ? "true" : "false");
    hlo_term dot = made_dot(b, x, y, l, r, o);
    hlo_builder_end_scope(b);
    return dot;
}

/* Dimensions that only the output has are of size 1. */
static hlo_term with_output_only(hlo_builder *b, hlo_term x, const einsum *e) {
    int64_t sizes[MOST_LABELS];
    size_t dimension = 0;
    if (!x) return NULL;
    for (size_t i = 0; i < e->output.n; i++) {
        int64_t label = e->output.v[i];
        bool only = !has(&e->x, label) && !has(&e->y, label);
        sizes[i] = only ? 1 : x->shape->dims[dimension++];
    }
    return hlo_builder_reshape(b, x, HLO_NO_DIMS, (hlo_int_list){e->output.n, sizes});
}

/* The product's dimensions in the order of the output. */
static hlo_term ordered(hlo_builder *b, hlo_term dot, const einsum *e, const dimensions *places) {
    int64_t order[MOST_LABELS] = {0}, at[MOST_LABELS];
    size_t n = 0;
    for (size_t i = 0; i < e->output.n; i++) at[i] = -1;
    for (size_t i = 0; i < places->n; i++) at[places->v[i]] = (int64_t)i;
    for (size_t i = 0; i < e->output.n; i++)
        if (at[i] >= 0) order[n++] = at[i];
    hlo_term sorted = hlo_builder_transpose(b, dot, (hlo_int_list){n, order});
    return places->n == e->output.n ? sorted : with_output_only(b, sorted, e);
}

static hlo_term product(hlo_builder *b, const einsum *e, hlo_term x, hlo_term y,
                        const hlo_lib_einsum_options *options) {
    side l = {0}, r = {0};
    dimensions places = {0};
    if (hlo_builder_failed(b)) return NULL;
    sort_dimensions(e, x, y, &l, &r);
    place(e, &l, &r, &places);
    x = without_deleted(b, x, &l);
    y = without_deleted(b, y, &r);
    hlo_term dot = dot_of(b, x, y, &l, &r, options);
    return dot ? ordered(b, dot, e, &places) : NULL;
}

static hlo_term whole(hlo_builder *b, einsum *e, hlo_term x, hlo_term y,
                      const hlo_lib_einsum_options *options) {
    repetition of_x, of_y, of_output;
    labels output = e->output;
    if (repeats(&e->x, &of_x)) {
        x = diagonal_of(b, x, &e->x, &of_x);
        e->x = of_x.unique;
    }
    if (repeats(&e->y, &of_y)) {
        y = diagonal_of(b, y, &e->y, &of_y);
        e->y = of_y.unique;
    }
    if (!repeats(&output, &of_output)) return product(b, e, x, y, options);
    e->output = of_output.unique;
    return on_diagonal(b, product(b, e, x, y, options), &output, &of_output);
}

/* ---- public ---- */

static const hlo_lib_einsum_options plain = {0};

hlo_term hlo_lib_einsum(hlo_builder *b, hlo_term x, hlo_term y, const char *config,
                        const hlo_lib_einsum_options *options) {
    HLO_BUILDER_TAKES(b, x, y, config);
    einsum e = {0};
    if (!hlo_lib_has_rank(b, "Einsum", x, 0) || !hlo_lib_has_rank(b, "Einsum", y, 0) ||
        !read_config(b, config, x, y, &e) || !check_ranks(b, &e, x, y))
        return NULL;
    return whole(b, &e, x, y, options ? options : &plain);
}

hlo_term hlo_lib_einsum_of_one(hlo_builder *b, hlo_term x, const char *config,
                               const hlo_lib_einsum_options *options) {
    HLO_BUILDER_TAKES(b, x, config);
    if (!hlo_lib_has_rank(b, "Einsum", x, 0)) return NULL;
    size_t n = strlen(config);
    char *with_scalar = hlo_arena_alloc(&b->module->arena, n + 2);
    with_scalar[0] = ',';
    memcpy(with_scalar + 1, config, n + 1);
    return hlo_lib_einsum(b, hlo_lib_like(b, x, 1), x, with_scalar, options);
}

static bool copy_labels(hlo_builder *b, hlo_int_list list, labels *l) {
    bool good = true;
    for (size_t i = 0; i < list.count && good; i++) good = add_label(b, l, list.values[i]);
    return good;
}

hlo_term hlo_lib_einsum_numbered(hlo_builder *b, hlo_term x, hlo_int_list x_config, hlo_term y,
                                 hlo_int_list y_config, hlo_int_list output_config,
                                 const hlo_lib_einsum_options *options) {
    HLO_BUILDER_TAKES(b, x, y);
    einsum e = {0};
    if (!hlo_lib_has_rank(b, "Einsum", x, 0) || !hlo_lib_has_rank(b, "Einsum", y, 0) ||
        !copy_labels(b, x_config, &e.x) || !copy_labels(b, y_config, &e.y) ||
        !copy_labels(b, output_config, &e.output) || !check_ranks(b, &e, x, y))
        return NULL;
    return whole(b, &e, x, y, options ? options : &plain);
}

hlo_term hlo_lib_batch_dot(hlo_builder *b, hlo_term x, bool transpose_x, hlo_term y,
                           bool transpose_y, const hlo_lib_einsum_options *options) {
    static const char *const configs[2][2] = {{"...mk,...kn->...mn", "...mk,...nk->...mn"},
                                              {"...km,...kn->...mn", "...km,...nk->...mn"}};
    return hlo_lib_einsum(b, x, y, configs[transpose_x][transpose_y], options);
}
