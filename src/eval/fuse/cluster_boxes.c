/* Arrays as parts of others: see cluster_boxes.h. While boxes are found, dimensions are those of
 * the instruction; then those that follow each other in memory are joined. */
#include "eval/fuse/cluster_boxes.h"

#include <stdlib.h>

enum { DEEPEST = 4 };

typedef struct {
    hlo_cluster_is_operand *is_operand;
    const void *context;
    uint32_t depth;
} finding;

static bool find(finding *f, const hlo_instr *instr, hlo_cluster_boxes *boxes);

bool hlo_cluster_is_of_parts(hlo_opcode opcode) {
    return opcode == HLO_OP_SLICE || opcode == HLO_OP_PAD || opcode == HLO_OP_CONCATENATE ||
           opcode == HLO_OP_REVERSE || opcode == HLO_OP_TRANSPOSE;
}

/* ---- one box ---- */

/* How many steps there are from 0 to before `end`. */
static int64_t steps_before(int64_t end, int64_t step) {
    return end > 0 ? (end - 1) / step + 1 : 0;
}

/* One element has no distance to a next one. */
static void forget_step(hlo_cluster_box *box, uint32_t d) {
    if (box->size[d] <= 1) box->step[d] = 1;
}

/* Along dimension d the places [first, limit) stay, and are renumbered. */
static void keep(hlo_cluster_box *box, uint32_t d, int64_t first, int64_t limit) {
    int64_t k = steps_before(first - box->start[d], box->step[d]);
    int64_t end = steps_before(limit - box->start[d], box->step[d]);
    if (end > box->size[d]) end = box->size[d];
    box->start[d] += k * box->step[d] - first;
    box->size[d] = end - k;
    box->first += k * box->stride[d];
    forget_step(box, d);
}

/* Every `step`th place stays; false: elements have places between them already. */
static bool keep_some(hlo_cluster_box *box, uint32_t d, int64_t step) {
    if (step == 1) return true;
    int64_t start = steps_before(box->start[d], step), k = start * step - box->start[d];
    if (box->step[d] != 1) return false;
    box->start[d] = start;
    box->size[d] = steps_before(box->size[d] - k, step);
    box->first += k * box->stride[d];
    if (box->size[d] > 1) box->stride[d] *= step;
    return true;
}

/* So many places more before each next one; false: places have no numbers then. */
static bool spread_box(hlo_cluster_box *box, uint32_t d, int64_t more) {
    int64_t end, step;
    if (__builtin_add_overflow(more, 1, &step) ||
        __builtin_mul_overflow(box->start[d] + box->size[d] * box->step[d], step, &end))
        return false;
    box->start[d] *= step;
    box->step[d] *= step;
    forget_step(box, d);
    return true;
}

static void reverse_box(hlo_cluster_box *box, uint32_t d, int64_t size) {
    int64_t last = box->size[d] - 1;
    box->start[d] = size - 1 - box->start[d] - last * box->step[d];
    box->first += last * box->stride[d];
    box->stride[d] = -box->stride[d];
}

static bool is_empty(const hlo_cluster_box *box, uint32_t rank) {
    for (uint32_t d = 0; d < rank; d++)
        if (box->size[d] <= 0) return true;
    return false;
}

/* ---- operations ---- */

static bool find_whole(const hlo_instr *instr, hlo_cluster_boxes *boxes) {
    hlo_cluster_box *box = &boxes->box[0];
    int64_t stride = 1;
    boxes->count = 1;
    *box = (hlo_cluster_box){.operand = instr};
    for (uint32_t d = instr->shape->rank; d-- > 0;) {
        box->size[d] = instr->shape->dims[d];
        box->step[d] = 1;
        box->stride[d] = stride;
        stride *= box->size[d];
    }
    return true;
}

static bool find_slice(finding *f, const hlo_instr *slice, hlo_cluster_boxes *boxes) {
    HLO_ASSERT(slice->opcode == HLO_OP_SLICE);
    const hlo_slice *of = hlo_instr_attr(slice, HLO_ATTR_SLICE)->u.slice;
    if (!find(f, hlo_operand(slice, 0), boxes)) return false;
    for (uint32_t b = 0; b < boxes->count; b++)
        for (uint32_t d = 0; d < boxes->rank; d++) {
            keep(&boxes->box[b], d, of->v[d].start, of->v[d].limit);
            if (!keep_some(&boxes->box[b], d, of->v[d].stride)) return false;
        }
    return true;
}

static bool find_reverse(finding *f, const hlo_instr *reverse, hlo_cluster_boxes *boxes) {
    HLO_ASSERT(reverse->opcode == HLO_OP_REVERSE);
    const hlo_ints *turned = hlo_attr_ints(reverse, HLO_ATTR_DIMENSIONS);
    if (!find(f, hlo_operand(reverse, 0), boxes)) return false;
    for (uint32_t b = 0; b < boxes->count; b++)
        for (uint32_t i = 0; i < turned->n; i++)
            reverse_box(&boxes->box[b], (uint32_t)turned->v[i], reverse->shape->dims[turned->v[i]]);
    return true;
}

static bool find_transpose(finding *f, const hlo_instr *transpose, hlo_cluster_boxes *boxes) {
    HLO_ASSERT(transpose->opcode == HLO_OP_TRANSPOSE);
    const hlo_ints *from = hlo_attr_ints(transpose, HLO_ATTR_DIMENSIONS);
    if (!find(f, hlo_operand(transpose, 0), boxes)) return false;
    for (uint32_t b = 0; b < boxes->count; b++) {
        const hlo_cluster_box old = boxes->box[b];
        hlo_cluster_box *box = &boxes->box[b];
        for (uint32_t d = 0; d < boxes->rank; d++) {
            box->start[d] = old.start[from->v[d]];
            box->size[d] = old.size[from->v[d]];
            box->step[d] = old.step[from->v[d]];
            box->stride[d] = old.stride[from->v[d]];
        }
    }
    return true;
}

/* What pads is one element for all; a padded array is not padded again. */
static bool find_pad(finding *f, const hlo_instr *pad, hlo_cluster_boxes *boxes) {
    HLO_ASSERT(pad->opcode == HLO_OP_PAD);
    const hlo_padding *by = hlo_instr_attr(pad, HLO_ATTR_PADDING)->u.padding;
    if (!find(f, hlo_operand(pad, 0), boxes) || boxes->fill) return false;
    for (uint32_t b = 0; b < boxes->count; b++)
        for (uint32_t d = 0; d < boxes->rank; d++) {
            if (!spread_box(&boxes->box[b], d, by->v[d].interior)) return false;
            keep(&boxes->box[b], d, -by->v[d].low, pad->shape->dims[d] - by->v[d].low);
        }
    boxes->fill = hlo_operand(pad, 1);
    return f->is_operand(f->context, boxes->fill) ||
           (boxes->fill->opcode == HLO_OP_CONSTANT && hlo_instr_attr(boxes->fill, HLO_ATTR_VALUE));
}

static bool find_parts(finding *f, const hlo_instr *concatenate, hlo_cluster_boxes *boxes) {
    HLO_ASSERT(concatenate->opcode == HLO_OP_CONCATENATE);
    const hlo_ints *dimensions = hlo_attr_ints(concatenate, HLO_ATTR_DIMENSIONS);
    uint32_t d = (uint32_t)dimensions->v[0];
    int64_t at = 0;
    for (uint32_t i = 0; i < concatenate->operand_count; i++) {
        hlo_cluster_boxes part = {0};
        if (!find(f, hlo_operand(concatenate, i), &part) || part.fill ||
            boxes->count + part.count > HLO_CLUSTER_BOXES)
            return false;
        for (uint32_t b = 0; b < part.count; b++) {
            boxes->box[boxes->count] = part.box[b];
            boxes->box[boxes->count++].start[d] += at;
        }
        at += hlo_operand(concatenate, i)->shape->dims[d];
    }
    return true;
}

static bool find_of(finding *f, const hlo_instr *instr, hlo_cluster_boxes *boxes) {
    switch (instr->opcode) {
    case HLO_OP_SLICE: return find_slice(f, instr, boxes);
    case HLO_OP_PAD: return find_pad(f, instr, boxes);
    case HLO_OP_CONCATENATE: return find_parts(f, instr, boxes);
    case HLO_OP_REVERSE: return find_reverse(f, instr, boxes);
    case HLO_OP_TRANSPOSE: return find_transpose(f, instr, boxes);
    default: return false;
    }
}

static bool find(finding *f, const hlo_instr *instr, hlo_cluster_boxes *boxes) {
    const hlo_shape *shape = instr->shape;
    if (!hlo_shape_is_array(shape) || shape->is_dynamic || !shape->rank ||
        shape->rank > HLO_CLUSTER_DIMS)
        return false;
    boxes->rank = shape->rank;
    if (f->depth && f->is_operand(f->context, instr)) return find_whole(instr, boxes);
    if (f->depth == DEEPEST) return false;
    f->depth++;
    bool found = find_of(f, instr, boxes);
    f->depth--;
    if (found) {
        uint32_t n = 0;
        for (uint32_t b = 0; b < boxes->count; b++)
            if (!is_empty(&boxes->box[b], boxes->rank)) boxes->box[n++] = boxes->box[b];
        boxes->count = n;
    }
    return found;
}

/* ---- dimensions of memory ---- */

static bool is_joined(const hlo_cluster_box *box, uint32_t n, int64_t inner_size,
                      const hlo_cluster_box *found, uint32_t d) {
    return box->start[n] == 0 && box->size[n] == inner_size && found->step[d] == 1 &&
           found->stride[d] == box->stride[n] * inner_size;
}

/* Whether dimension d of all boxes goes on where dimension n of the result ends. */
static bool goes_on(const hlo_cluster_boxes *to, uint32_t n, const hlo_cluster_boxes *found,
                    uint32_t d) {
    for (uint32_t b = 0; b < to->count; b++)
        if (!is_joined(&to->box[b], n, to->size[n], &found->box[b], d)) return false;
    return true;
}

static void join_dimension(hlo_cluster_boxes *to, const hlo_cluster_boxes *found, uint32_t d,
                           int64_t size) {
    uint32_t n = to->rank - 1;
    for (uint32_t b = 0; b < to->count; b++) {
        to->box[b].start[n] = found->box[b].start[d] * to->size[n];
        to->box[b].size[n] *= found->box[b].size[d];
    }
    to->size[n] *= size;
}

static void add_dimension(hlo_cluster_boxes *to, const hlo_cluster_boxes *found, uint32_t d,
                          int64_t size) {
    uint32_t n = to->rank++;
    for (uint32_t b = 0; b < to->count; b++) {
        to->box[b].start[n] = found->box[b].start[d];
        to->box[b].size[n] = found->box[b].size[d];
        to->box[b].step[n] = found->box[b].step[d];
        to->box[b].stride[n] = found->box[b].stride[d];
    }
    to->size[n] = size;
}

static void join_dimensions(const hlo_cluster_boxes *found, const hlo_shape *shape,
                            hlo_cluster_boxes *to) {
    *to = (hlo_cluster_boxes){.count = found->count, .fill = found->fill};
    for (uint32_t b = 0; b < to->count; b++) {
        to->box[b].operand = found->box[b].operand;
        to->box[b].first = found->box[b].first;
    }
    for (uint32_t d = shape->rank; d-- > 0;) {
        if (shape->dims[d] == 1) continue; /* boxes have the only place, or are empty */
        if (to->rank && goes_on(to, to->rank - 1, found, d))
            join_dimension(to, found, d, shape->dims[d]);
        else add_dimension(to, found, d, shape->dims[d]);
    }
}

/* Whether the operand has the box's rows one after the other, in none of which neighbours are
 * turned around: others are turned faster tile by tile. */
static bool is_in_order(const hlo_cluster_box *box, uint32_t rank) {
    if (box->size[0] == 1 || box->stride[0] == 1) return true;
    if (box->stride[0] < 1) return false;
    for (uint32_t d = 1; d < rank; d++)
        if (box->size[d] > 1 && llabs(box->stride[d]) <= (box->size[0] - 1) * box->stride[0])
            return false;
    return true;
}

/* Rows are copied part by part. */
static bool is_fast(const hlo_cluster_boxes *boxes) {
    if (!boxes->rank || !boxes->count || boxes->size[0] < HLO_SHORTEST_ROW * boxes->count)
        return false;
    for (uint32_t b = 0; b < boxes->count; b++)
        if (!is_in_order(&boxes->box[b], boxes->rank)) return false;
    return true;
}

bool hlo_cluster_find_boxes(const hlo_instr *instr, hlo_cluster_is_operand *is_operand,
                            const void *context, hlo_cluster_boxes *boxes) {
    finding f = {.is_operand = is_operand, .context = context};
    hlo_cluster_boxes found = {0};
    if (!find(&f, instr, &found)) return false;
    join_dimensions(&found, instr->shape, boxes);
    for (uint32_t i = 1; i < boxes->count; i++) {
        const hlo_cluster_box box = boxes->box[i];
        uint32_t k = i;
        for (; k > 0 && boxes->box[k - 1].start[0] > box.start[0]; k--)
            boxes->box[k] = boxes->box[k - 1];
        boxes->box[k] = box;
    }
    return is_fast(boxes);
}

/* ---- elements ---- */

/* Whether the box has elements of the row that is at `place` along the outer dimensions, and where
 * the operand has the first of them. */
static bool is_in_row(const hlo_cluster_boxes *boxes, const hlo_cluster_box *box,
                      const int64_t *place, int64_t *first) {
    *first = box->first;
    for (uint32_t d = 1; d < boxes->rank; d++) {
        int64_t within = place[d] - box->start[d], k = within;
        if (box->step[d] > 1) k /= box->step[d];
        if (within < 0 || k >= box->size[d] || k * box->step[d] != within) return false;
        *first += k * box->stride[d];
    }
    return true;
}

static const char *data_of(const hlo_cluster_taking *t, const hlo_cluster_box *box) {
    return t->call->in[box->number]->data;
}

static void fill(const hlo_cluster_taking *t, char *to, int64_t n) {
    if (n > 0) t->moves->row[hlo_cell_number(t->bytes)](to, t->bytes, t->fill, 0, n);
}

/* n elements of a row, the first of which is number k along it. */
static void take(const hlo_cluster_taking *t, const hlo_cluster_box *box, char *to, const char *row,
                 int64_t k, int64_t n) {
    const char *from = row + k * box->stride[0] * t->bytes;
    uint32_t cell = hlo_cell_number(t->bytes);
    if (box->stride[0] == 1) t->moves->copy(to, from, n * t->bytes);
    else t->moves->row[cell](to, t->bytes, from, box->stride[0] * t->bytes, n);
}

/* The same with what is in no box between them. */
static void take_apart(const hlo_cluster_taking *t, const hlo_cluster_box *box, char *to,
                       const char *row, int64_t k, int64_t n) {
    int64_t step = box->step[0] * t->bytes, stride = box->stride[0] * t->bytes;
    const char *from = row + k * stride;
    uint32_t cell = hlo_cell_number(t->bytes);
    if (box->step[0] == 2 && box->stride[0] == 1) {
        t->moves->between[cell](to, from, t->fill, n);
        return;
    }
    fill(t, to, (n - 1) * box->step[0]);
    t->moves->row[cell](to, step, from, stride, n);
}

/* Elements [from, end) of a row. */
static void take_row(const hlo_cluster_taking *t, const int64_t *place, char *to, int64_t from,
                     int64_t end) {
    const hlo_cluster_boxes *boxes = t->boxes;
    int64_t at = from, first;
    for (uint32_t b = 0; b < boxes->count && at < end; b++) {
        const hlo_cluster_box *box = &boxes->box[b];
        int64_t step = box->step[0], k = steps_before(at - box->start[0], step);
        int64_t stop = steps_before(end - box->start[0], step), start = box->start[0] + k * step;
        if (stop > box->size[0]) stop = box->size[0];
        if (k >= stop || !is_in_row(boxes, box, place, &first)) continue;
        if (boxes->fill) fill(t, to + (at - from) * t->bytes, start - at);
        (step == 1 ? take : take_apart)(t, box, to + (start - from) * t->bytes,
                                        data_of(t, box) + first * t->bytes, k, stop - k);
        at = start + (stop - k - 1) * step + 1;
    }
    if (boxes->fill) fill(t, to + (at - from) * t->bytes, end - at);
}

static void next_place(const hlo_cluster_boxes *boxes, int64_t *place) {
    for (uint32_t d = 1; d < boxes->rank; d++) {
        if (++place[d] < boxes->size[d]) return;
        place[d] = 0;
    }
}

static void take_parts(const hlo_cluster_taking *t, int64_t *place, char *to, int64_t from,
                       int64_t left) {
    for (int64_t m; left; left -= m, from = 0, next_place(t->boxes, place)) {
        m = t->boxes->size[0] - from < left ? t->boxes->size[0] - from : left;
        take_row(t, place, to, from, from + m);
        to += m * t->bytes;
    }
}

/* Where the next row of the only box begins. */
static int64_t next_row(const hlo_cluster_box *box, uint32_t rank, int64_t at, int64_t *place) {
    for (uint32_t d = 1; d < rank; d++) {
        at += box->stride[d];
        if (++place[d] < box->size[d]) return at;
        place[d] = 0;
        at -= box->size[d] * box->stride[d];
    }
    return at;
}

static void take_whole(const hlo_cluster_taking *t, int64_t *place, char *to, int64_t from,
                       int64_t left) {
    const hlo_cluster_box *box = &t->boxes->box[0];
    const char *data = data_of(t, box);
    int64_t row;
    is_in_row(t->boxes, box, place, &row);
    for (int64_t m; left; left -= m, from = 0, row = next_row(box, t->boxes->rank, row, place)) {
        m = box->size[0] - from < left ? box->size[0] - from : left;
        take(t, box, to, data + row * t->bytes, from, m);
        to += m * t->bytes;
    }
}

void hlo_cluster_take_boxes(const hlo_cluster_taking *taking, char *to, int64_t at, size_t n) {
    const hlo_cluster_boxes *boxes = taking->boxes;
    int64_t place[HLO_CLUSTER_DIMS] = {0}, number = at / boxes->size[0], from = at % boxes->size[0];
    for (uint32_t d = 1; d < boxes->rank; d++) {
        place[d] = number % boxes->size[d];
        number /= boxes->size[d];
    }
    bool is_whole = boxes->count == 1 && !boxes->fill;
    (is_whole ? take_whole : take_parts)(taking, place, to, from, (int64_t)n);
}
