/* Lines of Fourier transforms: see fft_lines.h. */
#include "eval/kernels/fft/fft_lines.h"

#include <math.h>
#include <string.h>

#include "base/pool.h"

/* ---- what is known before a run ---- */

/* Beyond this the lines of a group would be too much memory. */
enum { MOST_OF_COLUMNS = 1 << 17, FEW_LINES = 4 };

static int64_t lanes_of(const hlo_fft_stage *s) {
    int64_t lanes = s->arithmetic->lanes;
    if (s->from.number == 1 && s->to.number == 1)
        return hlo_fft_suits_one(s->arithmetic, s->n) || s->lines < FEW_LINES ? 1 : lanes;
    return s->n > MOST_OF_COLUMNS ? 1 : lanes;
}

void hlo_fft_prepare_stage(hlo_arena *arena, hlo_fft_stage *s) {
    s->lanes = lanes_of(s);
    s->plan = hlo_fft_plan_new(arena, s->arithmetic, s->n, s->lanes);
    if (s->form == HLO_FFT_FROM_HALVES || s->form == HLO_FFT_TO_HALVES)
        s->turns = hlo_fft_roots(arena, s->arithmetic, s->n, 1, 2 * s->n);
}

const hlo_fft_twist *hlo_fft_twist_new(hlo_arena *arena, const hlo_fft_arithmetic *arithmetic,
                                       int64_t n, int64_t lines) {
    const hlo_fft_arithmetic *wide = &hlo_fft_chosen()->f64;
    hlo_fft_twist *t = HLO_NEW(arena, hlo_fft_twist);
    int64_t all = n * lines, lanes = arithmetic->lanes;
    t->low = (int64_t)sqrt((double)all) + 1;
    t->highs = hlo_fft_roots(arena, wide, all / t->low + 1, t->low, all);
    t->rests = hlo_fft_roots(arena, wide, t->low, 1, all);
    t->lanes = hlo_fft_numbers_new(arena, arithmetic, n * lanes);
    for (int64_t at = 0; at < n * lanes; at++) {
        double re, im;
        hlo_fft_root(at / lanes * (at % lanes) % all, all, &re, &im);
        arithmetic->put(t->lanes, at, re, im);
    }
    return t;
}

/* Bytes of the parts of a buffer's numbers; apart from each other by no power of two, so that they
 * do not meet in the same sets of a cache. */
static size_t buffer_bytes(const hlo_fft_stage *s) {
    enum { LINE = 64, APART = 3 * LINE };
    int64_t spectrum = (s->n + 1) * s->lanes, buffer = hlo_fft_buffer(s->plan);
    size_t bytes = (size_t)(spectrum > buffer ? spectrum : buffer) * s->arithmetic->bytes;
    return bytes / LINE * LINE + LINE + APART;
}

size_t hlo_fft_work_bytes(const hlo_fft_stage *s) {
    return 4 * buffer_bytes(s);
}

static int64_t groups_of(const hlo_fft_stage *s) {
    return (s->lines + s->lanes - 1) / s->lanes;
}

bool hlo_fft_is_one_piece(const hlo_fft_stage *s) {
    return s->batches * groups_of(s) == 1;
}

/* ---- reading and writing ---- */

/* Some lines, as many as a group has or fewer. */
typedef struct {
    const hlo_fft_stage *stage;
    int64_t lines;
    const char *from;
    char *to;
} group;

/* Whether the kernels have a special case for the group. */
static bool is_regular(const group *g, const hlo_fft_place *p) {
    if (!hlo_type_is_complex(p->type) || g->lines < g->stage->lanes) return false;
    return p->number == 1 || (p->line == 1 && g->stage->lanes > 1);
}

static hlo_fft_layout layout_of(const group *g, const hlo_fft_place *p) {
    return (hlo_fft_layout){g->lines, p->line, p->number, hlo_type_is_complex(p->type) ? 2 : 1};
}

static void load(const group *g, hlo_fft_numbers x, int64_t n) {
    const hlo_fft_place *p = &g->stage->from;
    const hlo_fft_arithmetic *a = g->stage->arithmetic;
    if (!is_regular(g, p)) a->load_any(x, g->from, layout_of(g, p), n, g->stage->lanes);
    else if (g->stage->lanes == 1) a->load(x, g->from, n);
    else if (p->number == 1) a->load_lines(x, g->from, p->line, n);
    else a->load_columns(x, g->from, p->number, n);
}

static void store(const group *g, hlo_fft_numbers x, int64_t n, double scale) {
    const hlo_fft_place *p = &g->stage->to;
    const hlo_fft_arithmetic *a = g->stage->arithmetic;
    if (!is_regular(g, p)) a->store_any(g->to, layout_of(g, p), x, n, g->stage->lanes, scale);
    else if (g->stage->lanes == 1) a->store(g->to, x, n, scale);
    else if (p->number == 1) a->store_lines(g->to, p->line, x, n, scale);
    else a->store_columns(g->to, p->number, x, n, scale);
}

/* ---- transforming ---- */

/* What is transformed, in `line`. */
static void load_form(const group *g, hlo_fft_numbers *line, hlo_fft_numbers *other) {
    const hlo_fft_stage *s = g->stage;
    if (s->form == HLO_FFT_TO_HALVES) {
        load(g, *other, s->n + 1);
        s->arithmetic->split_halves(*line, *other, s->turns, s->n, s->lanes);
    } else if (s->form == HLO_FFT_TO_REAL) {
        load(g, *line, s->n / 2 + 1);
        s->arithmetic->mirror(*line, s->n, s->lanes);
    } else {
        load(g, *line, s->n);
    }
}

static void store_form(const group *g, hlo_fft_numbers line, hlo_fft_numbers other) {
    const hlo_fft_stage *s = g->stage;
    double scale = s->inverse ? 1 / (double)s->n : 1;
    if (s->form == HLO_FFT_FROM_HALVES) {
        s->arithmetic->join_halves(other, line, s->turns, s->n, s->lanes);
        store(g, other, s->n + 1, 1);
    } else {
        store(g, line, s->form == HLO_FFT_FROM_REAL ? s->n / 2 + 1 : s->n, scale);
    }
}

static void transform(const group *g, int64_t first, char *memory) {
    const hlo_fft_stage *s = g->stage;
    size_t size = buffer_bytes(s);
    hlo_fft_numbers line = {memory, memory + size};
    hlo_fft_numbers other = {memory + 2 * size, memory + 3 * size};
    load_form(g, &line, &other);
    if (s->inverse) line = hlo_fft_exchanged(line);
    line = hlo_fft_run(s->plan, line, &other);
    if (s->twist) s->arithmetic->twist(line, s->twist, first, s->n);
    if (s->inverse) line = hlo_fft_exchanged(line);
    store_form(g, line, other);
}

/* ---- all lines ---- */

typedef struct {
    const hlo_call *call;
    const hlo_fft_stage *stage;
    const hlo_work_memory *work;
    const char *from;
    char *to;
} line_loop;

static void transform_range(void *context, int64_t begin, int64_t end) {
    HLO_ASSERT(begin >= 0 && begin < end);
    const line_loop *l = context;
    const hlo_fft_stage *s = l->stage;
    int64_t groups = groups_of(s);
    char *memory = hlo_work_take(l->work, l->call);
    for (int64_t i = begin; i < end; i++) {
        int64_t batch = i / groups, first = i % groups * s->lanes, rest = s->lines - first;
        int64_t from = batch * s->from.batch + first * s->from.line;
        int64_t to = batch * s->to.batch + first * s->to.line;
        group g = {s, rest < s->lanes ? rest : s->lanes,
                   l->from + from * hlo_types[s->from.type].bytes,
                   l->to + to * hlo_types[s->to.type].bytes};
        transform(&g, first, memory);
    }
    hlo_work_leave(l->work, l->call, memory);
}

void hlo_fft_run_stage(const hlo_call *call, const hlo_fft_stage *s, const hlo_work_memory *work,
                       const void *from, void *to) {
    enum { PER_NUMBER = 2 };
    line_loop l = {call, s, work, from, to};
    int64_t numbers = hlo_fft_buffer(s->plan);
    hlo_parallel(s->batches * groups_of(s),
                 hlo_grain(numbers < HLO_PIECE_COST ? numbers * PER_NUMBER : numbers),
                 transform_range, &l);
}
